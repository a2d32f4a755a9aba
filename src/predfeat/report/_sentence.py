"""The headline of a report: one sentence for readers who know nothing about the methods."""

from __future__ import annotations

from predfeat.experiments import PairedTest

__all__ = ["BACKED", "SMALL_DIFFERENCE", "about_as_good", "doubt", "percent", "sentence", "verdict"]

# A smaller lead over random features does not count, however significant it is.
_SMALLEST_LEAD = 0.02
# Features that leave more to chance are hardly predictable.
_HARDLY_PREDICTABLE = 0.95
# If random features leave less to chance, everything may be about equally predictable.
_RANDOM_PREDICTABLE = 0.5
_SIGNIFICANCE_LEVEL = 0.05
# A lead too small to matter, however significant it is.
SMALL_DIFFERENCE = 0.01
# The part of the share not left to chance that predictions of other data must confirm.
BACKED = 0.5


def verdict(
    share: float,
    random_share: float | None,
    against_random: PairedTest | None,
    *,
    nothing_to_choose: bool = False,
) -> str:
    """Return the verdict on the best method.

    Parameters
    ----------
    share, random_share : float
        Mean share of the variance that the features leave to chance, for the best method and for
        random features; None if those were not run.
    against_random : PairedTest or None
        Random features compared with the best method; None if random features *are* the best.
    nothing_to_choose : bool
        Whether there are as many features as independent directions: every method then finds
        the same space.

    Returns
    -------
    {"found", "hardly", "no better than random", "all alike", "no baseline", "nothing to choose"}
    """
    if nothing_to_choose:
        return "nothing to choose"
    if random_share is None:
        return "no baseline"
    if against_random is None or not _clearly_ahead(random_share - share, against_random):
        alike = random_share < _RANDOM_PREDICTABLE and random_share - share < _SMALLEST_LEAD
        return "all alike" if alike else "no better than random"
    return "hardly" if share > _HARDLY_PREDICTABLE else "found"


def _clearly_ahead(lead: float, test: PairedTest) -> bool:
    if lead < _SMALLEST_LEAD:
        return False
    if test.p_value is None:  # too few repetitions for a test: all of them must agree
        return test.n_worse == test.n_repetitions
    return test.p_value < _SIGNIFICANCE_LEVEL


def about_as_good(test: PairedTest, mean_difference: float) -> bool:
    """Tell whether a method is only insignificantly or slightly worse than the best one."""
    unsure = test.p_value is not None and test.p_value >= _SIGNIFICANCE_LEVEL
    return unsure or mean_difference < SMALL_DIFFERENCE


def percent(share: float) -> str:
    """Write a share as a short percentage.

    Examples
    --------
    >>> percent(0.184), percent(0.004), percent(0.0)
    ('18 %', 'less than 1 %', '0 %')
    """
    if 0 < share < 0.01:
        return "less than 1 %"
    return f"{100 * share:.0f} %"


def sentence(
    kind: str,
    method: str,
    n_components: int,
    share: float,
    random_share: float | None,
    horizon: int = 1,
    n_columns: int | None = None,
) -> str:
    """Return the report's first sentence for a verdict.

    `n_columns` is the number of columns that vary.

    Examples
    --------
    >>> sentence("found", "SFA", 1, 0.18, None)
    'The most predictable feature, found by SFA, leaves 18 % of its variance to chance.'
    >>> sentence("found", "SFA", 1, 0.18, None, horizon=5)
    'The most predictable feature, found by SFA, leaves 18 % of its variance to chance 5 steps ahead.'
    """  # noqa: E501
    one = n_components == 1
    ahead = "" if horizon == 1 else f" {horizon} steps ahead"
    of = "of its variance" if one else "of their variance"
    leave = "leaves" if one else "leave"
    best = (
        "The most predictable feature" if one else f"The {n_components} most predictable features"
    )
    left = f"{leave} {_left(share, of)} to chance{ahead}"
    if kind == "nothing to choose":
        return (
            f"{_all_there_is(n_components, n_columns)}, so there is no choice: {_it(one)} {left}."
        )
    randoms = "a random one leaves" if one else "random ones leave"
    beside = "" if random_share is None else f"; {randoms} {_left(random_share)}"
    found = f"{best}, found by {method}, {left}{beside}."
    if method == "random":  # no method beat chance
        found = f"{'A random one' if one else 'Random ones'} {left}, and no method does better."
    if kind == "no better than random":
        features = "a feature that is" if one else "features that are"
        return f"No method found {features} clearly more predictable than random ones. {found}"
    if kind == "all alike":
        return f"Everything in this recording is about equally predictable. {found}"
    if kind == "hardly":
        return f"Hardly anything here is predictable. {found}"
    return found


def doubt(share: float, predicted: float) -> str:
    """Return a warning if predictions of other data do not confirm a share; otherwise nothing.

    If a feature is loud at some times and quiet at others, the neighbours of loud moments are
    quiet ones. Little seems to be left to chance then, although nothing is predicted.

    Parameters
    ----------
    share : float
        Share left to chance, on data not learned from.
    predicted : float
        Share of that data predicted by similar moments of the training data.

    Examples
    --------
    >>> doubt(0.7, 0.25), doubt(0.99, 0.0)
    ('', '')
    >>> doubt(0.7, 0.01)
    ' But what followed similar moments elsewhere predicts only 1 % of them: see what to look out for.'
    """  # noqa: E501
    promised = 1.0 - share
    if promised < 1.0 - _HARDLY_PREDICTABLE or predicted >= BACKED * promised:
        return ""
    told = percent(max(predicted, 0.0))
    return (
        f" But what followed similar moments elsewhere predicts only {told} of them: see what to "
        "look out for."
    )


def _all_there_is(n_components: int, n_columns: int | None) -> str:
    if n_columns == 1:
        return "There is only one column"
    if n_components == 1:
        return "All columns are multiples of one"
    if n_columns == n_components:
        return f"There are only {n_components} columns, and as many features were asked for"
    return (
        f"There are only {n_components} independent directions, and as many features were asked for"
    )


def _it(one: bool) -> str:
    return "it" if one else "together they"


def _left(share: float, of: str = "") -> str:
    # An estimate from few rows may exceed 1: nothing was predictable.
    if share > 1.005:
        return f"all {of}".strip() + f" (estimated at {percent(share)})"
    return f"{percent(share)} {of}".strip()
