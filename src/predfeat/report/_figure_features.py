"""The best method's features: over time, their spectra and their columns."""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup

from predfeat.report._cycles import cycle_name, is_clear
from predfeat.report._figure_scores import bar_row
from predfeat.report._sentence import percent
from predfeat.report._svg import across, curve, nice_ticks, number, panel_svg, shorten, tag

__all__ = ["feature_panel", "lanes", "loading_panels", "spectrum_panels", "static_path"]

_STATIC_COLUMNS = 400
_LANE_HEIGHT = 84
_DECADES = 4  # of power shown below the peak of a spectrum


def lanes(results: dict[str, Any], kind: str) -> list[Markup]:
    """Return one drawing over time per feature, or per channel shown with them."""
    features = results["features"]
    drawn = []
    for i, trace in enumerate(features["traces"]):
        if trace["kind"] != kind:
            continue
        values = [v for key in ("low", "high") for v in trace[key] or [] if v is not None]
        low, high = (min(values), max(values)) if values else (0.0, 0.0)
        colour = f"c{i % 6 + 1}" if kind == "feature" else "c0"
        said = _said_of(features, i) if kind == "feature" else []
        unit = trace.get("unit", "")
        scale = [f"{number(value)} {unit}".strip() for value in (high, low)]
        alt = (
            f"{trace['name']} over {features['n_rows']} rows{_time_span(features)}: "
            f"values from {scale[1]} to {scale[0]}" + "".join(f"; {words}" for words in said) + "."
        )
        path = tag("path", class_=f"trace {colour}", d=static_path(trace, low, high),
                   vector_effect="non-scaling-stroke")  # fmt: skip
        plot = tag(
            "svg",
            tag("svg", tag("path", class_="boundary", vector_effect="non-scaling-stroke"), path,
                width="100%", height=str(_LANE_HEIGHT), viewBox="0 0 1000 1000",
                preserveAspectRatio="none", aria_hidden="true"),
            class_="plot lane-plot", role="img", aria_label=alt, width="100%",
            height=str(_LANE_HEIGHT), data_trace=str(i),
        )  # fmt: skip
        name = tag("b", shorten(trace["name"]), class_=f"text {colour}")
        words = [tag("span", words, class_="said") for words in said[:1]]
        words += [tag("small", words) for words in said[1:]]
        numbers = tag("div", *(tag("span", end) for end in scale), class_="scale",
                      aria_hidden="true")  # fmt: skip
        heading = tag("p", name, *words, class_="lane-name")
        body = tag("div", plot, numbers, class_="lane-body")
        drawn.append(tag("div", heading, body, class_="lane"))
    return drawn


def _said_of(features: dict[str, Any], i: int) -> list[str]:
    """Say what the feature is, how predictable it is, and on which data."""
    said = []
    if i < len(features.get("descriptions", [])):
        said.append(features["descriptions"][i])
    tested = features.get("test_shares")
    if tested is not None:
        if i < len(tested) and tested[i] is not None:
            said.append(f"leaves {percent(tested[i])} to chance on data not learnt from")
    elif i < len(features["shares"]):
        said.append(
            f"leaves {percent(features['shares'][i])} to chance on the data it was fitted to"
        )
    return said


def _time_span(features: dict[str, Any]) -> str:
    axis = features["axis"]
    if axis["unit"] == "rows":
        return ""
    return f" ({number(features['n_rows'] * axis['per_row'])} {axis['unit']})"


def static_path(trace: dict[str, Any], low: float, high: float) -> str:
    """Return the trace's envelope: forward along the maxima, back along the minima."""
    lows, highs = trace["low"], trace["high"] or trace["low"]
    n_bins, span = len(lows), (high - low) or 1.0
    if n_bins == 0:
        return ""
    n_columns = min(_STATIC_COLUMNS, n_bins)
    parts: list[str] = []
    run: list[tuple[float, float, float]] = []
    for column in range(n_columns + 1):
        a, b = column * n_bins // n_columns, (column + 1) * n_bins // n_columns
        inside_low = [v for v in lows[a:b] if v is not None]
        inside_high = [v for v in highs[a:b] if v is not None]
        if inside_low and inside_high:
            x = (column + 0.5) / n_columns
            run.append((x, (min(inside_low) - low) / span, (max(inside_high) - low) / span))
        elif run:
            there = [(x, 0.04 + 0.92 * top) for x, _, top in run]
            back = [(x, 0.04 + 0.92 * bottom) for x, bottom, _ in reversed(run)]
            parts.append(curve(there + back) + "Z")
            run = []
    return "".join(parts)


def spectrum_panels(results: dict[str, Any]) -> list[Markup]:
    """Draw each feature's spectrum over the channels' mean spectrum, on a logarithmic scale."""
    spectra = results["spectra"]
    frequencies = spectra["frequencies"]
    highest = frequencies[-1] or 1.0
    peak = max(max(row) for row in [*spectra["features"], spectra["channels"]]) or 1.0
    top = math.log10(peak) + 0.1

    def path(row: list[float], name: str) -> Markup:
        # Omit what lies below the drawing: a line along the bottom would be wrong.
        heights = [1 + (math.log10(v) - top) / _DECADES if v > 0 else -1.0 for v in row]
        points = [
            (f / highest, h) if h >= 0 else None for f, h in zip(frequencies, heights, strict=True)
        ]
        return tag("path", class_=name, d=curve(points), vector_effect="non-scaling-stroke")

    ticks = [(f / highest, number(f)) for f in nice_ticks(0, highest, 4)]
    powers = [10.0**e for e in range(math.floor(top), math.floor(top) - _DECADES, -1)]
    levels = [(1 + (math.log10(p) - top) / _DECADES, _share(p)) for p in powers]
    panels = []
    for i, row in enumerate(spectra["features"]):
        strongest = max(range(len(row)), key=row.__getitem__)
        words = _cycle_words(results, i, frequencies, strongest)
        alt = (
            f"Spectrum of feature {i + 1}: {words}; {percent(_slow_share(row))} of its variance "
            f"is in the slowest tenth of the frequencies, of the channels' "
            f"{percent(_slow_share(spectra['channels']))}."
        )
        drawn = panel_svg(
            [path(spectra["channels"], "trace thin c0"), path(row, f"line c{i % 6 + 1}")],
            alt=alt, height=130, x_labels=ticks, y_labels=levels,
        )  # fmt: skip
        panels.append(feature_panel(i, drawn, words))
    return panels


def _cycle_words(results: dict[str, Any], i: int, frequencies: list[float], strongest: int) -> str:
    """Describe the feature's cycle; the lowest frequency is the block's limit, not a cycle."""
    cycles = results["features"].get("cycles", [])
    if i < len(cycles):
        name = cycle_name(cycles[i])
        return name if is_clear(cycles[i]) else ", ".join(filter(None, ["no clear cycle", name]))
    at = f"{number(frequencies[strongest])} {results['spectra']['unit']}"
    return f"strongest at {at} or slower" if strongest == 0 else f"strongest at {at}"


def _share(power: float) -> str:
    return f"{100 * power:.6g} %"


def _slow_share(row: list[float]) -> float:
    whole = sum(row)
    return sum(row[: max(1, len(row) // 10)]) / whole if whole else 0.0


def feature_panel(i: int, drawn: Markup, words: str) -> Markup:
    """Return a drawing of one feature, with its name above and `words` below."""
    return tag(
        "div",
        tag("p", tag("b", f"feature {i + 1}", class_=f"text c{i % 6 + 1}"), class_="lane-name"),
        drawn,
        tag("p", words, class_="under"),
        class_="panel",
    )


def loading_panels(results: dict[str, Any]) -> list[Markup]:
    """Draw each feature's loadings, as bars or as a frequency profile."""
    loadings = results["loadings"]
    return (_column_bars if loadings["kind"] == "columns" else _profiles)(loadings)


def _column_bars(loadings: dict[str, Any]) -> list[Markup]:
    panels = []
    entries = [abs(column["loading"]) for columns in loadings["features"] for column in columns]
    largest = max(entries, default=0.0) or 1.0
    for i, columns in enumerate(loadings["features"]):
        rows = []
        for column in columns:
            value = column["loading"] / largest
            start = 0.5 if value > 0 else 0.5 + value / 2
            bar = tag("rect", class_=f"fill c{i % 6 + 1}", x=across(start), y="4",
                      width=across(abs(value) / 2), height="10", rx="2")  # fmt: skip
            zero = tag("line", class_="rule", x1="50%", x2="50%", y1="0", y2="18")
            rows.append(bar_row(column["name"], zero + bar, _signed(column["loading"])))
        listed = ", ".join(f"{shorten(c['name'])} {c['loading']:+.2f}" for c in columns[:5])
        alt = f"Correlation of feature {i + 1} with the columns nearest to it: {listed}."
        n_more = loadings["n_columns"] - len(columns)
        words = f"and {n_more} more columns, less correlated" if n_more > 0 else ""
        bars = tag("div", *rows, class_="bars", role="img", aria_label=alt)
        panels.append(feature_panel(i, bars, words))
    return panels


def _signed(value: float) -> str:
    text = f"{value:+.2f}".replace("-", "−")
    return "0.00" if text[1:] == "0.00" else text


def _profiles(loadings: dict[str, Any]) -> list[Markup]:
    frequencies = loadings["frequencies"]
    highest = max(frequencies) or 1.0
    largest = max(max(row) for row in loadings["profiles"]) or 1.0
    panels = []
    for i, row in enumerate(loadings["profiles"]):
        points = [(f / highest, v / largest) for f, v in zip(frequencies, row, strict=True)]
        area = curve([(points[0][0], 0.0), *points, (points[-1][0], 0.0)]) + "Z"
        colour = f"c{i % 6 + 1}"
        f = frequencies[max(range(len(row)), key=row.__getitem__)]
        words = f"strongest at {number(f)} Hz (correlation {number(max(row))})"
        drawn = panel_svg(
            [
                tag("path", class_=f"area {colour}", d=area),
                tag("path", class_=f"line {colour}", d=curve(points),
                    vector_effect="non-scaling-stroke"),
            ],
            alt=f"Loading of feature {i + 1} by the sound's frequency: {words}.",
            height=110,
            x_labels=[(t / highest, f"{number(t)} Hz") for t in nice_ticks(0, highest, 3)],
            y_labels=[(t / largest, number(t)) for t in nice_ticks(0, largest, 3) if t > 0],
        )  # fmt: skip
        panels.append(feature_panel(i, drawn, words))
    return panels
