"""Figures, tables and the page of an experiment."""

import csv
import re
from dataclasses import replace

import numpy as np
import pytest

from predfeat.experiments import reproduction as r
from predfeat.report import write_reproduction
from predfeat.report._panels_figure import MEASURES, draw_outcome, figure_bytes


@pytest.fixture(scope="module")
def outcome():
    """Made-up results: what the writing needs, without the computing."""
    setup = replace(r.toy_setup(quick=True), tested_components=(2,))
    random = np.random.default_rng(0)
    rows = []
    for place in r.panel_points(setup, 0, 8):
        level = 0.5 + r.METHODS[::-1].index(place.method) if place.method in r.METHODS else 0.4
        value = level + 0.1 * random.random()
        rows.append(r.Row(place, r.Measured(value, value / 10), 0.25))
    return r.Outcome(setup, 0, rows)


def test_panels_show_means_and_standard_deviations_with_small_shifts(outcome):
    figure = draw_outcome(outcome, "predictability")
    panel, place = outcome.setup.panels[1], figure.axes[1]
    drawn = {c.get_label(): c for c in place.containers}
    assert list(drawn) == list(outcome.setup.methods)
    for method, container in drawn.items():
        line, _, (bars,) = container
        for i, x in enumerate(panel.values):
            values = [
                row.measured.predictability
                for row in outcome.rows
                if (row.place.panel, row.place.value, row.place.method) == (panel, x, method)
            ]
            assert line.get_ydata()[i] == pytest.approx(np.mean(values))
            low, high = bars.get_segments()[i][:, 1]
            assert (high - low) / 2 == pytest.approx(np.std(values, ddof=1))
            assert abs(line.get_xdata()[i] - x) < 0.05 * (panel.values[-1] - panel.values[0])
    positions = [container[0].get_xdata()[0] for container in drawn.values()]
    assert len(set(positions)) == len(positions)


def test_figures_have_all_panels_and_axes_named_as_in_the_paper(outcome):
    for measure, (label, _) in MEASURES.items():
        figure = draw_outcome(outcome, measure)
        assert [axis.get_title(loc="left") for axis in figure.axes] == ["a", "b", "c"]
        assert [axis.get_xlabel() for axis in figure.axes] == ["$S_{train}$", "$N$", "$k$"]
        assert figure.get_supylabel() == label


@pytest.mark.parametrize(("factor", "scale"), [(1, "linear"), (100, "log")])
def test_methods_far_below_the_random_features_can_be_told_apart(outcome, factor, scale):
    rows = []
    for row in outcome.rows:
        value = row.measured.predictability * (factor if row.place.method == "random" else 1)
        rows.append(replace(row, measured=replace(row.measured, predictability=value)))
    figure = draw_outcome(replace(outcome, rows=rows), "predictability")
    assert {axis.get_yscale() for axis in figure.axes} == {scale}


def test_the_true_dimensions_take_no_time_and_are_not_drawn(outcome):
    rows = [
        replace(row, seconds=0.0) if row.place.method == r.TRUTH else row for row in outcome.rows
    ]
    figure = draw_outcome(replace(outcome, rows=rows), "seconds")
    assert r.TRUTH not in {c.get_label() for c in figure.axes[0].containers}


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_same_numbers_give_the_same_bytes(outcome, kind):
    one, two = (figure_bytes(draw_outcome(outcome), kind) for _ in range(2))
    assert one == two


@pytest.fixture(scope="module")
def written(outcome, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    files = write_reproduction([outcome], folder, command="predfeat reproduce <toy>")
    return folder, files


def test_every_file_is_there(written):
    folder, files = written
    stem = "toy-predictable-noise"
    expected = {f"{stem}-{m}.{kind}" for m in MEASURES for kind in ("png", "svg")}
    expected |= {f"{stem}{kind}.csv" for kind in ("", "-summary", "-seconds")}
    expected |= {"toy.html", "toy-signed-rank.csv"}
    assert {file.name for file in folder.iterdir()} == expected
    assert files[0].name == "toy.html"
    assert {file.name for file in files} == expected


def test_the_table_is_tidy(written, outcome):
    folder, _ = written
    with open(folder / "toy-predictable-noise.csv", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(outcome.rows)
    row = outcome.rows[37]
    assert lines[37] == {
        "experiment": "toy",
        "data": "predictable noise",
        "panel": row.place.panel.letter,
        "parameter": r.LABELS[row.place.panel.parameter],
        "value": str(row.place.value),
        "method": row.place.method,
        "repetition": str(row.place.repetition),
        "predictability": repr(row.measured.predictability),
        "share": repr(row.measured.share),
    }


def test_the_summary_is_what_the_figures_draw(written):
    folder, _ = written
    tables = {}
    for kind in ("", "-summary", "-seconds"):
        path = folder / f"toy-predictable-noise{kind}.csv"
        with open(path, encoding="utf-8", newline="") as file:
            tables[kind] = list(csv.DictReader(file))
    place = ("panel", "parameter", "value", "method")
    of_place = {}
    for line, times in zip(tables[""], tables["-seconds"], strict=True):
        numbers = [float(line[m]) for m in ("predictability", "share")] + [float(times["seconds"])]
        of_place.setdefault(tuple(line[name] for name in place), []).append(numbers)
    assert [tuple(line[name] for name in place) for line in tables["-summary"]] == list(of_place)
    for line, numbers in zip(tables["-summary"], of_place.values(), strict=True):
        means, spreads = np.mean(numbers, axis=0), np.std(numbers, axis=0, ddof=1)
        assert int(line["repetitions"]) == len(numbers)
        assert float(line["predictability_mean"]) == pytest.approx(means[0], rel=1e-3)
        assert float(line["predictability_sd"]) == pytest.approx(spreads[0], rel=1e-3)
        assert float(line["share_mean"]) == pytest.approx(means[1], rel=1e-3)
        assert float(line["share_sd"]) == pytest.approx(spreads[1], rel=1e-3)
        middle = np.median([n[2] for n in numbers])
        assert float(line["seconds_median"]) == pytest.approx(middle, rel=1e-3, abs=1e-6)


def test_the_page_tells_the_findings_and_loads_nothing(written):
    page = (written[0] / "toy.html").read_text(encoding="utf-8")
    assert "At the defaults GPFA (2) from PFA has the lowest predictability value" in page
    assert "also the smallest share left to chance" in page
    assert "predfeat reproduce &lt;toy&gt;" in page
    assert "S_train = 700" in page
    assert page.count("data:image/svg+xml;base64,") == 3
    assert "http" not in re.sub(r"base64,[A-Za-z0-9+/=]*", "", page).replace("http-equiv", "")
    assert "<script" not in page
    assert re.search(r"GPFA \(2\) and SFA</th><td>8 of 8", page)
    assert "A quick run" not in page


def test_quick_results_are_called_so_and_do_not_replace_others(outcome, tmp_path):
    files = write_reproduction([outcome], tmp_path, command="x", quick=True)
    assert all(file.name.startswith("quick-toy") for file in files)
    assert "A quick run" in files[0].read_text(encoding="utf-8")


def test_names_are_shown_as_text(outcome, tmp_path):
    source = replace(outcome.setup.source, name="<b>&", description="<i>")
    strange = replace(outcome, setup=replace(outcome.setup, source=source))
    page = write_reproduction([strange], tmp_path, command="x")[0].read_text(encoding="utf-8")
    assert "<b>&" not in page
    assert "&lt;b&gt;&amp;" in page


def test_where_the_measures_disagree_the_page_says_so(outcome, tmp_path):
    rows = [replace(row, measured=r.Measured(row.measured.predictability,
                    -row.measured.predictability)) for row in outcome.rows]  # fmt: skip
    other = replace(outcome, rows=rows)
    page = write_reproduction([other], tmp_path, command="x")[0].read_text(encoding="utf-8")
    assert "but random has the smallest share left to chance" in page
