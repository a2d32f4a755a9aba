"""The methods of the figures, by name, and which of their settings a point depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from predfeat._method_names import ON_REQUEST
from predfeat.experiments.reproduction._specification import Fit, Setting
from predfeat.features import METHODS as ALL
from predfeat.features import Method

__all__ = ["FROM_PFA", "FROM_SFA", "METHODS", "TRUTH", "Parameters", "estimator_of", "settings_of"]

TRUTH = "true dimensions"

# Where GPFA's iteration starts, for the two curves that the figures add.
FROM_SFA, FROM_PFA = (f"{ALL['gpfa2'].name} from {ALL[word].name}" for word in ("sfa", "pfa"))
_STARTS = {FROM_SFA: "sfa", FROM_PFA: "pfa"}
_BY_NAME: dict[str, Method] = {
    **{method.name: method for word, method in ALL.items() if word not in ON_REQUEST},
    **dict.fromkeys(_STARTS, ALL["gpfa2"]),
}

METHODS = tuple(_BY_NAME)


@dataclass(frozen=True)
class Parameters:
    """The parameters of the paper's experiments.

    Attributes
    ----------
    n_lags : int
        p, of the methods and of the measure.
    n_neighbors : int
        k, of GPFA.
    n_measured : int
        q, neighbours of the measure.
    n_train : int
        S_train.
    max_iter : int
        R, iterations of GPFA.
    n_components : int
        M.
    n_columns : int
        N, input dimensions.
    tol : float, default=0.0
        Of GPFA: 0 for R iterations whatever happens, as in the paper; otherwise R at most.
    """

    n_lags: int
    n_neighbors: int
    n_measured: int
    n_train: int
    max_iter: int
    n_components: int
    n_columns: int
    tol: float = 0.0


def settings_of(
    method: str, parameters: Parameters, *, n_ordered: int, n_repeats: int, repetition: int
) -> tuple[tuple[str, Setting], ...]:
    """Return the settings of a method's fit: those that its result depends on, and no others.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    parameters : Parameters
    n_ordered : int
        Features to fit by methods whose features come one after the other, so that the first M
        are the same however many follow: one fit then serves all M.
    n_repeats : int
        K, of PFA.
    repetition : int
        Seed of the random features.

    Returns
    -------
    tuple of (name, value)

    Examples
    --------
    >>> from predfeat.experiments.reproduction import Parameters, settings_of
    >>> defaults = Parameters(1, 10, 10, 700, 50, 2, 10)
    >>> settings_of("PFA", defaults, n_ordered=2, n_repeats=0, repetition=3)
    (('n_components', 2), ('n_lags', 1), ('n_repeats', 0))
    """
    settings: dict[str, Setting] = {"n_components": n_ordered}
    kind = _BY_NAME[method]
    if kind.word == "random":
        settings["random_state"] = repetition
    elif kind.word == "pfa":
        settings |= {"n_lags": parameters.n_lags, "n_repeats": n_repeats}
    elif kind.word == "foreca":
        settings["random_state"] = 0
    elif kind.word in ("gpfa1", "gpfa2"):
        settings = {
            "n_components": parameters.n_components,
            "n_lags": parameters.n_lags,
            "n_neighbors": parameters.n_neighbors,
            "graph": kind.parameters["graph"],
            "max_iter": parameters.max_iter,
            "tol": parameters.tol,
            "init": _STARTS.get(method, "input"),
        }
    return tuple(sorted(settings.items()))


def estimator_of(fit: Fit) -> Any:
    """Return the unfitted estimator of a fit.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    estimator

    Examples
    --------
    >>> from predfeat.experiments.reproduction import Fit, estimator_of
    >>> settings = (("n_components", 2), ("n_lags", 3))
    >>> estimator_of(Fit("toy", "noise", "", 10, 700, 100, 700, None, "PFA", settings, 0, 0))
    PFA(n_lags=3)
    """
    return _BY_NAME[fit.method].estimator(**dict(fit.settings))
