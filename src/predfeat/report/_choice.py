"""A choice of p, k and M as plain results, as a picture and as one page."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from predfeat._version import __version__
from predfeat.report._panels_figure import figure_bytes
from predfeat.report._templates import filled, fingerprint, open_templates, source_of
from predfeat.selection import Choice, Setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["choice_results", "draw_choice", "render_choice"]


@dataclass(frozen=True)
class _Theme:
    """Colours for a light or dark page: lines, text, faint lines and background."""

    lines: tuple[str, ...]
    ink: str
    faint: str
    paper: str


_LIGHT = _Theme(
    ("#0072b2", "#c04d00", "#00805d", "#a8467f", "#8f6a00", "#5a646f", "#2f7f9f", "#000000"),
    "#1d2228", "#7d8791", "#fcfcfa",
)  # fmt: skip
_DARK = _Theme(
    ("#5ab4f0", "#ff9757", "#34cf9f", "#e79cc6", "#f0bd3f", "#a2abb5", "#86d3ee", "#ffffff"),
    "#e8eaed", "#929ca6", "#14171b",
)  # fmt: skip


def choice_results(choice: Choice, source: str, command: str) -> dict[str, Any]:
    """Return a choice as plain numbers, strings and lists, for a JSON file.

    Parameters
    ----------
    choice : Choice
    source : str
        Name of the data.
    command : str
        The command that gave these results.

    Returns
    -------
    dict
    """

    def plain(setting: Setting) -> dict[str, Any]:
        return {
            "n_lags": setting.n_lags,
            "n_neighbors": setting.n_neighbors or None,
            "n_components": setting.n_components,
            "predicted": setting.predicted,
            "error": setting.error,
        }

    return {
        "schema": 1,
        "version": __version__,
        "source": source,
        "command": command,
        "method": choice.method,
        "horizon": choice.horizon,
        "held_out": choice.kind,
        "chosen": plain(choice.chosen),
        "best": plain(choice.best),
        "confirmed": None if choice.confirmed is None else plain(choice.confirmed),
        "found_nothing": choice.found_nothing,
        "remarks": choice.remarks,
        "undecided": {
            name: list(values)
            for name, values in choice.surface.undecided().items()
            if name != "n_neighbors" or choice.chosen.n_neighbors
        },
        "settings": [plain(setting) for setting in choice.surface.settings()],
        "scores": choice.surface.scores.tolist(),
    }


def draw_choice(choice: Choice, *, dark: bool = False) -> Figure:
    """Draw the score against M, a line for each p, and against k.

    Points are means over the folds at the best k, and bars their standard errors. A ring marks
    the chosen setting.

    Parameters
    ----------
    choice : Choice
    dark : bool
        For a dark page.

    Returns
    -------
    matplotlib Figure
    """
    from matplotlib.figure import Figure

    theme = _DARK if dark else _LIGHT
    surface, chosen = choice.surface, choice.chosen
    several = len(surface.n_neighbors) > 1
    figure = Figure(
        figsize=(7.6 if several else 4.6, 3.4), layout="constrained", facecolor=theme.paper
    )
    places = figure.subplots(1, 2 if several else 1, squeeze=False, sharey=True).ravel()
    for number, p in enumerate(surface.n_lags):
        best = [_best_of_k(choice, p, m) for m in surface.n_components]
        _line(places[0], list(surface.n_components), best, f"p = {p}", theme.lines[number % 8])
    _mark(places[0], chosen.n_components, chosen.predicted, theme)
    places[0].set_xlabel("features, $M$ (at the best $k$)")
    places[0].set_ylabel("variance predicted, in features")
    places[0].legend(frameon=False, fontsize=8, labelcolor=theme.ink)
    if several:
        row = [
            setting
            for setting in surface.settings()
            if (setting.n_lags, setting.n_components) == (chosen.n_lags, chosen.n_components)
        ]
        _line(places[1], list(surface.n_neighbors), row, "", theme.ink)
        _mark(places[1], chosen.n_neighbors, chosen.predicted, theme)
        places[1].set_xlabel(
            f"neighbours, $k$ (at $p$ = {chosen.n_lags}, $M$ = {chosen.n_components})"
        )
    for place in places:
        _colour(place, theme)
    return figure


def _best_of_k(choice: Choice, p: int, m: int) -> Setting:
    return max(
        (s for s in choice.surface.settings() if (s.n_lags, s.n_components) == (p, m)),
        key=lambda setting: setting.predicted,
    )


def _line(place: Axes, x: list[int], settings: list[Setting], label: str, color: str) -> None:
    from matplotlib.ticker import MaxNLocator

    place.errorbar(
        x,
        [setting.predicted for setting in settings],
        [setting.error for setting in settings],
        label=label,
        color=color,
        marker="o",
        markersize=3.5,
        linewidth=1.1,
        elinewidth=0.8,
    )
    place.xaxis.set_major_locator(MaxNLocator(integer=True))
    place.grid(alpha=0.25, linewidth=0.6)
    place.tick_params(labelsize=8)
    for side in ("top", "right"):
        place.spines[side].set_visible(False)


def _mark(place: Axes, x: int, y: float, theme: _Theme) -> None:
    place.plot([x], [y], marker="o", markersize=12, fillstyle="none", color=theme.ink)


def _colour(place: Axes, theme: _Theme) -> None:
    place.axhline(0.0, color=theme.faint, linewidth=0.8, linestyle=":")
    place.set_facecolor(theme.paper)
    place.tick_params(colors=theme.ink)
    for label in (place.xaxis.label, place.yaxis.label):
        label.set_color(theme.ink)
    for side in ("left", "bottom"):
        place.spines[side].set_color(theme.faint)


def render_choice(choice: Choice, results: dict[str, Any]) -> str:
    """Return the page of a choice.

    Parameters
    ----------
    choice : Choice
    results : dict
        From `choice_results`.

    Returns
    -------
    str
        HTML, complete in itself.
    """
    pages = open_templates()
    style = source_of(pages, "report.css")
    surface = choice.surface
    cells = {
        (s.n_lags, s.n_components): s
        for s in sorted(surface.settings(), key=lambda setting: setting.predicted)
    }
    return filled(
        pages,
        "choice.html.j2",
        style=Markup(style),
        style_hash=fingerprint(style),
        version=__version__,
        source=results["source"],
        command=results["command"],
        method=choice.method,
        title=_title(choice),
        lead=_lead(choice),
        remarks=choice.remarks,
        figures={
            f"{ground}_{kind}": _encoded(choice, kind, dark=ground == "dark")
            for ground, kind in (("light", "svg"), ("dark", "svg"), ("light", "png"))
        },
        alt=f"Variance predicted against the number of features, for p from {surface.n_lags[0]} "
        f"to {surface.n_lags[-1]}; highest near M = {choice.best.n_components}, "
        f"p = {choice.best.n_lags}.",
        components=surface.n_components,
        rows=[
            (
                p,
                [
                    {
                        "text": f"{cells[p, m].predicted:.2f} ± {cells[p, m].error:.2f}",
                        "chosen": (p, m) == (choice.chosen.n_lags, choice.chosen.n_components),
                    }
                    for m in surface.n_components
                ],
            )
            for p in surface.n_lags
        ],
        n_folds=len(surface.scores),
        held_out="whole sequences" if choice.kind == "sequences" else "blocks of rows",
    )


def _encoded(choice: Choice, kind: str, *, dark: bool) -> str:
    figure = draw_choice(choice, dark=dark)
    return base64.b64encode(figure_bytes(figure, kind)).decode("ascii")


def _title(choice: Choice) -> str:
    if choice.found_nothing:
        return f"{choice.method} predicts nothing that was held out"
    chosen = choice.chosen
    features = "1 feature" if chosen.n_components == 1 else f"{chosen.n_components} features"
    steps = "the last step" if chosen.n_lags == 1 else f"the last {chosen.n_lags} steps"
    ahead = "" if choice.horizon == 1 else f", {choice.horizon} steps ahead"
    return f"{features}, predicted from {steps}{ahead}"


def _lead(choice: Choice) -> str:
    chosen = choice.judged
    share = max(0.0, chosen.predicted) / chosen.n_components
    k = f", k = {chosen.n_neighbors}" if chosen.n_neighbors else ""
    ahead = "" if choice.horizon == 1 else f" {choice.horizon} steps ahead"
    if choice.found_nothing:
        return (
            f"Among all settings tried, p = {chosen.n_lags}{k} and M = {chosen.n_components} would "
            f"be chosen, but what it predicts{ahead} is not significantly more than nothing."
        )
    text = (
        f"{choice.method} with p = {chosen.n_lags}{k} and M = {chosen.n_components} predicts "
        f"{share:.0%} of its features' variance{ahead} on data that it did not learn from."
    )
    if choice.confirmed is not None:
        text += (
            " This score is from fits with this setting alone; those below are from fits that "
            "share work, and serve to compare settings."
        )
    return text
