"""The page: one safe, small, well-formed file that says everything in text, too."""

import base64
import copy
import hashlib
import html
import json
import re
import struct
import unicodedata
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest

from predfeat.exceptions import ResultsError
from predfeat.report import render
from predfeat.report._figure_features import static_path
from predfeat.report._figure_images import diverging_png, grey_png
from predfeat.report._svg import curve, nice_ticks, tag

VOID = {"meta", "link", "img", "br", "hr", "input"}


class Outline(HTMLParser):
    """Collects elements, and complains about tags that do not match."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.text, self.wrong = [], [], {}, []

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes), tuple(self.open)))
        if name not in VOID:
            self.open.append(name)

    def handle_endtag(self, name):
        if not self.open or self.open.pop() != name:
            self.wrong.append((name, self.getpos()))

    def handle_data(self, data):
        place = self.open[-1] if self.open else ""
        self.text[place] = self.text.get(place, "") + data


def outline(page):
    parsed = Outline()
    parsed.feed(page)
    parsed.close()
    return parsed


@pytest.fixture
def page(results):
    return render(results)


def test_page_is_well_formed(page):
    parsed = outline(page)
    assert parsed.wrong == []
    assert parsed.open == []
    ids = [a["id"] for _, a, _ in parsed.elements if "id" in a]
    assert len(ids) == len(set(ids))


def test_page_is_small_and_loads_nothing(page):
    assert len(page.encode()) < 5_000_000
    parsed = outline(page)
    loads = [
        a[key]
        for _, a, _ in parsed.elements
        for key in ("src", "href", "action", "data", "poster", "srcset", "xlink:href")
        if key in a
    ]
    assert all(url.startswith(("data:", "#")) for url in loads)
    # The name of SVG's language in the script is an identifier; nothing is loaded from it.
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg\b)", page) == []
    assert "url(" not in page
    assert "@import" not in page


def test_only_the_pages_own_script_and_style_may_run(page):
    parsed = outline(page)
    policy = next(
        a["content"]
        for name, a, _ in parsed.elements
        if name == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for element in ("script", "style"):
        text = re.search(rf"<{element}>(.*?)</{element}>", page, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy
    assert not any(
        key == "style" or key.startswith("on") for _, a, _ in parsed.elements for key in a
    )


def test_names_from_files_are_text(all_results):
    page = render(all_results["trials"])
    parsed = outline(page)
    names = [name for name, _, _ in parsed.elements]
    assert names.count("script") == 2  # the data and our own
    assert "img" not in names
    assert "i" not in names
    assert "<script>alert" not in page
    assert "</title><script>alert(2)</script>.csv" in parsed.text["title"]
    traces = json.loads(re.search(r'id="trace-data">(.*?)</script>', page, re.DOTALL).group(1))
    assert traces == all_results["trials"]["features"]
    shown = [t["name"] for t in traces["traces"] if t["kind"] == "channel"]
    assert shown[:2] == ["<script>alert(1)</script>", "</script><b>"]


def test_control_characters_are_shown_as_escapes(all_results):
    results = json.loads(json.dumps(all_results["trials"]))
    results["data"]["source"] = results["command"] = "\x1b]0;x\x07\x9b\x00\x7f\u202e\u2066\udcff"
    page = render(results)
    assert page.encode("utf-8").decode("utf-8") == page
    assert {c for c in page if unicodedata.category(c) == "Cc"} == {"\n"}
    assert not set("\u202e\u2066\udcff") & set(page)
    assert r"\x1b]0;x\x07\x9b\x00\x7f\u202e\u2066\udcff" in page


def test_nasty_text_anywhere_in_the_results_stays_text(all_results):
    evil = '</script><script>alert(3)</script>"><img src=x onerror=alert(4)>'

    def poison(value):
        if isinstance(value, dict):
            return {k: poison(v) for k, v in value.items()}
        if isinstance(value, list):
            return [poison(v) for v in value]
        return evil if isinstance(value, str) else value

    for results in all_results.values():
        poisoned = {key: poison(value) for key, value in results.items()}
        for place, key in (("data", "kind"), ("protocol", "kind"), ("loadings", "kind")):
            poisoned[place][key] = results[place][key]
        for mine, theirs in zip(
            poisoned["features"]["traces"], results["features"]["traces"], strict=True
        ):
            mine["kind"] = theirs["kind"]
        for finding in (poisoned["diagnosis"] or {}).get("findings", []):
            finding["severity"] = "note"
        parsed = outline(render(poisoned))
        assert parsed.wrong == []
        assert [n for n, _, _ in parsed.elements].count("script") == 2
        assert all(not k.startswith("on") for _, a, _ in parsed.elements for k in a)
        images = [a for n, a, _ in parsed.elements if n == "img"]
        assert all(a["src"].startswith("data:image/png") for a in images)


def test_every_figure_has_text_for_those_who_cannot_see_it(page, results):
    parsed = outline(page)
    pictures = [a for _, a, _ in parsed.elements if a.get("role") == "img"]
    assert all(len(a["aria-label"]) > 20 for a in pictures)
    assert all(a.get("alt") for n, a, _ in parsed.elements if n == "img")
    # Every drawing is labelled, inside something labelled, or declared to be decoration.
    depth = []
    for name, attributes, ancestors in parsed.elements:
        depth = [d for d in depth if d <= len(ancestors)]
        covered = bool(depth)
        if attributes.get("role") == "img" or attributes.get("aria-hidden") == "true":
            depth.append(len(ancestors) + 1)
        elif name == "svg":
            assert covered, attributes
    assert page.count("<figure>") == page.count("</figure>") >= 9
    strips = next(a["aria-label"] for a in pictures if a["aria-label"].startswith("Dot strips"))
    assert all(method["name"] in strips for method in results["methods"])


def test_sections_stand_in_their_order(page, results):
    ids = [a["id"] for name, a, _ in outline(page).elements if name == "section"]
    tested = ["significance"] if results["significance"] else []
    tested += ["diagnosis"] if results["diagnosis"] else []
    assert ids == [
        "methods", "repetitions", "ahead", *tested, "features", "spectra", "loadings",
        "side-by-side",
        "angles", "eigenvalues", "history", "data", "times", "origin",
    ]  # fmt: skip


def test_the_page_says_what_the_results_say(page, results):
    text = outline(page).text
    shown = [text["h1"].strip(), text["p"]]
    sentence = results["sentence"].replace(" %", "\N{NO-BREAK SPACE}%")
    assert sentence.startswith(shown[0])
    assert sentence[len(shown[0]) :].strip() in shown[1]
    assert results["command"] in text["code"]
    assert "repetitions overlap" in text["p"]
    assert {"numpy", "scipy", "scikit-learn", "predfeat", "python"} <= results["versions"].keys()
    for name, version in results["versions"].items():
        assert f"{name}\N{NO-BREAK SPACE}{version}" in text["dd"]


def test_a_round_trip_through_json_gives_the_same_page(page, results):
    assert render(json.loads(json.dumps(results, indent=2))) == page


def test_methods_left_out_are_named_with_the_reason(all_results):
    results = {**all_results["table"], "left_out": [{"name": "X", "reason": "too <slow>."}]}
    assert "was left out: too &lt;slow&gt;." in render(results)


def test_features_of_a_repetition_are_said_to_be_so(all_results):
    results = copy.deepcopy(all_results["table"])
    assert "found in repetition" not in render(results)
    results["features"]["repetition"] = 3
    page = render(results)
    assert "The features shown were found in repetition 4: one more fit" in page
    assert "those of repetition 4" in page


def test_pages_of_one_method_and_of_gaps_only_are_made(all_results):
    results = copy.deepcopy(all_results["table"])
    results["methods"] = [m for m in results["methods"] if m["best"]]
    results["angles"] = {"methods": ["a"], "degrees": [[]]}
    results.update(spectra=None, eigenvalues=[], history=[], command=None)
    for trace in results["features"]["traces"]:
        trace["low"] = [None] * len(trace["low"])
    parsed = outline(render(results))
    assert parsed.wrong == []


BREAK = [
    (("sentence",), 3, "sentence must be text"),
    (("methods",), [], "methods must have at least 1"),
    (
        ("methods", 1, "test_share", 0),
        "x",
        r"methods\[1\]\.test_share\[0\] must be a finite number",
    ),
    (("methods", 0, "test_share"), [0.5], r"methods\[0\]\.test_share has 1 entries, .* 6 repet"),
    (("methods", 0, "paired"), {"n_worse": 1}, r"methods\[0\]\.paired\.difference is missing"),
    (("methods", 0, "seconds", 0), float("nan"), r"methods\[0\]\.seconds\[0\] must be a finite"),
    (("data", "n_rows"), -1, r"data\.n_rows must be a whole number"),
    (("data", "n_rows"), True, r"data\.n_rows must be a whole number"),
    (("data", "kind"), "smell", r"data\.kind must be one of 'table'"),
    (("features", "traces", 0, "low"), [1.0], r"traces\[0\]\.low has 1 entries, but .* 500 bins"),
    (("features", "traces", 0, "low", 7), {}, r"features\.traces\[0\]\.low\[7\] must be a finite"),
    (("loadings", "features"), None, r"loadings\.features must be a list"),
    (("loadings",), {"kind": "images"}, r"loadings\.filters is missing"),
    (("angles", "degrees", 2), [], r"angles\.degrees\[2\] has 0 entries"),
    (("history", 0, "angle"), [], r"history\[0\]\.angle has 0 entries"),
    (("versions",), [], "versions must be an object"),
    (("schema",), 2, "schema is 2, but this version of predfeat reads 1. Update"),
    (("spectra", "channels"), [1.0], r"spectra\.channels has 1 entries"),
    (("features", "descriptions"), [3], r"features\.descriptions\[0\] must be text"),
    (("features", "cycles", 0, "period"), -1, r"cycles\[0\]\.period must be a number above 0"),
    (("features", "axis", "dates"), {"rows": [0], "seconds": [0, 1]}, r"dates\.seconds has 2 ent"),
    (("features", "n_bins"), 0, r"features\.n_bins must be a whole number, 1 or more"),
    (
        ("features", "traces", 0, "low", 3),
        1.7e308,
        r"low\[3\] must be a finite number up to 1e",
    ),
    (("methods", 0, "fit_seconds"), 10**309, r"fit_seconds must be a finite number up to 1e\+300"),
    (("data", "n_rows"), 10**400, r"data\.n_rows must be a whole number, 0 or more, of up to 63"),
    (("angles", "degrees", 2, 0, 0), -1e300, r"degrees\[2\]\[0\]\[0\] must be an angle from 0 to"),
    (("features", "cycles", 0, "period"), 1e-320, r"period must be a number above 0 \(1e-300"),
    (("features", "all_methods", "methods"), None, r"all_methods\.methods must be a list"),
]


@pytest.mark.parametrize(("path", "value", "message"), BREAK)
def test_an_edited_file_is_refused_with_the_key(all_results, path, value, message):
    results = copy.deepcopy(all_results["table"])
    place = results
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ResultsError, match=message):
        render(results)


def test_a_number_that_python_does_not_print_is_refused(all_results):
    results = copy.deepcopy(all_results["table"])
    results["seed"] = 10**5000
    with pytest.raises(ResultsError, match=r"seed must be a whole number.* but it is a int"):
        render(results)


def test_a_missing_key_is_named_wherever_it_is(all_results):
    results = all_results["table"]
    for key in results.keys() - {
        "significance",
        "diagnosis",
        "ahead",
    }:  # which earlier files do not have
        broken = {k: v for k, v in results.items() if k != key}
        with pytest.raises(ResultsError, match=f"{key} is missing"):
            render(broken)
    with pytest.raises(ResultsError, match="must be an object"):
        render([])


def test_two_best_methods_are_refused(all_results):
    results = copy.deepcopy(all_results["table"])
    for method in results["methods"]:
        method["best"] = True
    with pytest.raises(ResultsError, match="exactly one entry whose best is true"):
        render(results)


def test_pngs_hold_the_numbers():
    png = diverging_png([[1.0, 0.0, -1.0], [0.5, 0.5, 0.5]])
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (3, 2)
    length = struct.unpack(">I", png[33:37])[0]
    lines = zlib.decompress(png[41 : 41 + length])
    pixels = np.frombuffer(lines, np.uint8).reshape(2, 10)[:, 1:].reshape(2, 3, 3).astype(int)
    assert pixels[0, 0, 2] > pixels[0, 0, 0]  # positive is blue
    assert np.all(pixels[0, 1] == 250)
    assert pixels[0, 2, 0] > pixels[0, 2, 2]  # negative is orange


def test_frames_are_grey_from_their_smallest_to_their_largest():
    png = grey_png([[5.0, 7.0], [9.0, 5.0]])
    assert struct.unpack(">IIBB", png[16:26]) == (2, 2, 8, 0)
    length = struct.unpack(">I", png[33:37])[0]
    lines = np.frombuffer(zlib.decompress(png[41 : 41 + length]), np.uint8).reshape(2, 3)
    assert lines[:, 1:].tolist() == [[0, 128], [255, 0]]
    assert grey_png([[3.0]]) != grey_png([[3.0, 3.0]])


LATER = {
    "features": ("test_shares", "cycles", "descriptions", "all_methods"),
    "loadings": ("frames",),
}


def test_files_of_earlier_versions_are_drawn(all_results):
    for results in all_results.values():
        older = copy.deepcopy(results)
        for part, keys in LATER.items():
            for key in keys:
                older[part].pop(key, None)
        for axis in (older["features"]["axis"], older["data"]["axis"]):
            axis.pop("start")
            axis.pop("dates")
        for trace in older["features"]["traces"]:
            trace.pop("unit")
        page = render(older)
        assert outline(page).wrong == []
        assert 'id="side-by-side"' not in page
        assert "on the data it was fitted to" in page
        assert "on data not learnt from" not in page
        assert "a period of" not in page


def test_each_feature_is_told_with_its_share_on_data_not_learnt_from(all_results):
    results = copy.deepcopy(all_results["table"])
    results["features"]["descriptions"] = ["up & down", "left", "right"]
    results["features"]["test_shares"] = [0.123, 0.456, None]
    page = render(results)
    head = page[page.index("<header>") : page.index("</header>")]
    assert "feature 1:</b> up &amp; down" in head
    section = part_of(page, "features", "spectra")
    assert section.count("up &amp; down") == 2  # in sight, and for those who cannot see
    assert "leaves 12 % to chance on data not learnt from" in section
    assert section.count("on data not learnt from") == 4


def test_a_cycle_is_told_under_its_spectrum_and_the_block_is_none(all_results):
    results = copy.deepcopy(all_results["table"])
    cycle = {"period": 365.0, "resolution": 46.0, "slower_than": None, "unit": "days",
             "of": "feature"}  # fmt: skip
    none = {**cycle, "period": None, "resolution": None}
    results["features"]["cycles"] = [cycle, none, {**none, "slower_than": 487.0}]
    section = part_of(render(results), "spectra", "loadings")
    assert re.findall(r'<p class="under">(.*?)</p>', section) == [
        "yearly cycle", "no clear cycle", "no clear cycle, slower than 490 days",
    ]  # fmt: skip
    assert "a period of" not in section


def test_scales_carry_the_units_of_the_file(all_results):
    results = copy.deepcopy(all_results["table"])
    trace = results["features"]["traces"][3]
    assert trace["kind"] == "channel"
    trace["unit"] = "°C"
    trace["low"] = [-3.5, 21.0] * 250
    section = part_of(render(results), "features", "spectra")
    assert "<span>21 °C</span><span>−3.5 °C</span>" in section
    assert "values from −3.5 °C to 21 °C" in section


def test_where_nothing_is_to_be_chosen_nobody_found_anything(all_results):
    sentence = "There is only one column, so there is no choice: it leaves 29 % of its variance."
    results = {**all_results["table"], "verdict": "nothing to choose", "sentence": sentence}
    page = render(results)
    assert "found by" not in page
    assert '<tr role="row" class="best">' not in page
    assert "The methods cannot differ here" in page


def test_static_path_spans_smallest_to_largest_and_breaks_at_gaps():
    trace = {"low": [0.0, 1.0, None, 4.0], "high": [2.0, 3.0, None, 4.0]}
    path = static_path(trace, 0.0, 4.0)
    assert path.count("M") == path.count("Z") == 2
    heights = [float(y) for y in re.findall(r"[ML]\S+ ([\d.]+)", path)]
    assert max(heights) == 960  # 0 is at the bottom
    assert min(heights) == 40  # 4 at the top


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 17), (0.001, 0.0049), (5, 5), (0, 12345)])
def test_ticks_are_even_and_inside(low, high):
    ticks = nice_ticks(low, high)
    assert all(low <= t <= high for t in ticks)
    assert 1 <= len(ticks) <= 8
    assert np.allclose(np.diff(ticks, 2), 0)


def test_tags_escape_what_is_text():
    assert tag("p", "<b>", tag("i", "&"), title='"x"') == (
        '<p title="&#34;x&#34;">&lt;b&gt;<i>&amp;</i></p>'
    )
    assert curve([None, (0, 1)]) == "M0 0"


def test_real_features_are_marked(all_results):
    results = json.loads(json.dumps(all_results["table"]))
    results["significance"] |= {
        "statistics": [0.2, 0.9, 0.3],
        "p_values": [0.05, 1.0, 0.05],
        "alpha": 0.05,
        "n_significant": 1,
    }
    page = render(results)
    assert "Yes: of 3 features, the first stands out." in page
    section = page[page.index('id="significance"') : page.index('id="features"')]
    assert section.count('<tr class="best">') == 1
    assert section.count('class="strip best"') == 1
    assert section.count("<circle") == 19 + 3
    assert "stands out, but comes after one that does not" in section
    assert section.count("may be chance") == 1
    results["significance"]["p_values"].pop()
    with pytest.raises(ResultsError, match=r"significance.p_values has 2 entries, but there are 3"):
        render(results)
    one = {"statistics": [0.2], "p_values": [0.05], "n_significant": 1}
    results["significance"] |= one
    assert "Yes: the feature stands out." in render(results)
    results["significance"] |= {"p_values": [0.5], "n_significant": 0}
    assert "No: it does not stand out." in render(results)
    del results["significance"]  # as earlier versions wrote it
    assert 'id="significance"' not in render(results)


FINDINGS = [
    {
        "name": "few-samples",
        "severity": "problem",
        "summary": "There are 9 steps for <b>8</b> columns & more.",
        "meaning": 'It is "chance".',
        "advice": "Try </p><script>x</script>, `pca_components=0.99`, `init='sfa'`, `past=False`.",
        "values": {"n_steps": 9, "share": 0.5, "unknown": None},
    },
    {
        "name": "no-gap",
        "severity": "warning",
        "summary": "Both are 1.",
        "meaning": "The past says so.",
        "advice": "Try `n_components=2`.",
        "values": {},
    },
    {
        "name": "only-slow",
        "severity": "note",
        "summary": "Slow.",
        "meaning": "Nothing else.",
        "advice": "Measure with `predictability(relative=True)`.",
        "values": {},
    },
]


def with_findings(results, *findings):
    diagnosis = {"method": "GPFA (2)", "n_rows": 500, "findings": list(findings)}
    return {**results, "diagnosis": copy.deepcopy(diagnosis)}


def part_of(page, name, following):
    return page[page.index(f'<section id="{name}"') : page.index(f'<section id="{following}"')]


def test_findings_are_told_with_what_to_change(all_results):
    page = render(with_findings(all_results["table"], *FINDINGS))
    section = part_of(page, "diagnosis", "features")
    parsed = outline(section)
    assert parsed.wrong == []
    assert "script" not in [name for name, _, _ in parsed.elements]
    assert "fitted to 500 rows" in parsed.text["small"]
    words = re.findall(r'<span class="text">(\w+):</span> ([\w ]+)</h3>', section)
    assert words == [("Problem", "few samples"), ("Warning", "no gap"), ("Note", "only slow")]
    plain = " ".join(re.sub(r"<[^>]+>", "", section).split())
    for finding in FINDINGS:
        for key in ("summary", "meaning", "advice"):
            assert " ".join(finding[key].replace("`", "").split()) in html.unescape(plain)
    # Not by colour alone: the outlines are different ones.
    outlines = re.findall(r'<path class="fill" d="([^"]+)"', section)
    assert len(set(outlines)) == len(outlines) == 3
    assert len(set(re.findall(r'<li class="finding (c\d)">', section))) == 3
    code = re.findall(r"<code>(.*?)</code>", section)
    assert code[:4] == ["pca_components=0.99", "init=&#39;sfa&#39;", "past=False", "n_components=2"]
    assert code[4:] == [
        "predictability(relative=True)", "--n-components", "--pca-components", "--init",
        "--no-past", "relative=True",
    ]  # fmt: skip


@pytest.mark.parametrize("advice", ["Try n_components=2, `n_lags=3.", "Try n_lags=3, or past."])
def test_advice_without_marks_is_plain_text(all_results, advice):
    # As earlier versions wrote it; or damaged.
    page = render(with_findings(all_results["table"], {**FINDINGS[1], "advice": advice}))
    section = part_of(page, "diagnosis", "features")
    assert advice in section
    assert "<code>" not in section


@pytest.mark.parametrize(
    ("findings", "told"),
    [
        (FINDINGS, "1 problem and 1 warning."),
        ([FINDINGS[1], FINDINGS[1]], "2 warnings."),
        ([FINDINGS[2]], None),
        ([], None),
    ],
)
def test_the_head_of_the_page_leads_to_problems_and_warnings(all_results, findings, told):
    page = render(with_findings(all_results["table"], *findings))
    head = page[page.index("<header>") : page.index("</header>")]
    link = '<a href="#diagnosis">what to look out for</a>: '
    assert (link + told in head) if told else ("#diagnosis" not in head)


def test_a_fit_without_findings_is_said_to_be_so(all_results):
    section = part_of(render(with_findings(all_results["table"])), "diagnosis", "features")
    assert "No problem was found" in section
    assert "<li" not in section
    assert "What to change" not in section


def test_without_a_diagnosis_the_page_is_silent(all_results):
    results = with_findings(all_results["table"], *FINDINGS)
    silent = render({**results, "diagnosis": None})
    assert "look out for" not in silent
    del results["diagnosis"]  # as earlier versions wrote it
    assert render(results) == silent


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ((), [], "diagnosis must be an object"),
        (("n_rows",), -1, r"diagnosis\.n_rows must be a whole number"),
        (("findings",), {}, r"diagnosis\.findings must be a list"),
        (("findings", 1, "severity"), "dire", r"findings\[1\]\.severity must be one of 'problem'"),
        (("findings", 1, "advice"), None, r"diagnosis\.findings\[1\]\.advice must be text"),
        (("findings", 0, "values", "n_steps"), "9", r"values\.n_steps must be a finite number"),
        (("findings", 2), {"severity": "note"}, r"diagnosis\.findings\[2\]\.name is missing"),
    ],
)
def test_an_edited_diagnosis_is_refused_with_the_key(all_results, path, value, message):
    results = with_findings(all_results["table"], *FINDINGS)
    place, *steps = results, "diagnosis", *path
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = value
    with pytest.raises(ResultsError, match=message):
        render(results)
