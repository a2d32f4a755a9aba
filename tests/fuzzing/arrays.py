"""Extreme arrays through every estimator and every measure."""

import inspect
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import predfeat
from fuzzing.cases import Case, Wrong
from predfeat import exceptions, measures, selection
from predfeat import series as adapters
from predfeat.expansions import Polynomial
from predfeat.features import FewChannels

ESTIMATORS = [
    "GPFA", "GPFA", "SFA", "PFA", "ForeCA", "DCA", "LPP", "DescentFeatures",
    "RandomFeatures", "AutoFeatures", "Expanded", "Expanded", "SpectralRegression", "Patches",
]  # fmt: skip
# Values that each parameter takes; the last ones it must refuse.
PARAMETERS: dict[str, list[Any]] = {
    "n_components": [1, 2, 3, 5, 0, -1, 10**9, 2.5, None, "x", True, np.int64(2)],
    "n_lags": [1, 2, 3, 10, 0, -1, 10**9, 1.5, "x"],
    "horizon": [1, 2, 5, 0, 10**9, None],
    "n_neighbors": [1, 2, 5, 10, 50, 0, -3, 10**12, "x"],
    "graph": ["star", "full", "ring", None],
    "past": [True, False, "x"],
    "normalized": [True, False, 2],
    "weighting": ["equal", "inverse_spread", "x"],
    "max_iter": [1, 5, 0, -1, 2.0],
    "tol": [1e-3, 0.0, 1.0, float("nan"), float("inf"), -1.0],
    "init": [
        "input",
        "pca",
        "sfa",
        "slow_fast",
        "pfa",
        "foreca",
        "auto",
        "x",
        [[1.0]],
        np.zeros(3),
    ],
    "n_averaged": [1, 3, 0, 10**9],
    "n_centers": ["auto", None, 1, 5, 10**9, 0, "x"],
    "n_intermediate": [None, 2, 1, 0, 10**9],
    "pca_components": [None, 1, 2, 0.5, 0.99, 1.0, 0, -1, 1e-300, float("nan"), "x"],
    "theiler": [0, 1, 10, -1, 10**12],
    "engine": ["tiles", "blockwise", "tree", "auto", "x"],
    "method": ["tiles", "blockwise", "tree", "auto", "x"],
    "n_steps": [1, 2, 0, 10**9],
    "n_repeats": [0, 1, 3, -1],
    "n_starts": [1, 2, 0],
    "random_state": [0, 1, 2**32 - 1, 2**32, -1, "x"],
    "power": [2, 1, 0, 0.5, -1, 3],
    "n_folds": [2, 3, 0, 10**6],
    "relative": [True, False],
    "per_component": [True, False],
    "ddof": [0, 1, 10**6],
    "estimate": ["shared", "x"],
    "n_directions": [1, 2, 0, 10**6],
    "level": [0.05, 0.5, 0.0, float("nan")],
    "steps": ["both", "x"],
    "kind": ["permutation", "blocks", "phases", "iaaft", "joint-phases", "x"],
    "block_length": [None, 1, 5, 0, 10**9],
    "every": [1, 2, 7, 0, 10**9],
    "n_delays": [1, 2, 0, -1, 10**9],
    "estimator": [None, predfeat.SFA(1), predfeat.SFA, "x"],
    "expansion": ["quadratic", "kernel", "fourier", "identity", "x", Polynomial(9)],
    "n_layers": [2, 1, 0, 2.0],
    "layer_components": [None, 2, 0, 10**9],
    "expanded_components": [None, 3, 0.9, 0, 10**9],
    "ridge": [0.1, 0.0, -1.0, float("nan")],
    "regressor": [None, FewChannels(2), FewChannels(0), "x"],
    "n_embedded": [None, 5, 0, 10**9],
    "pieces": ["all", "largest", "x"],
    "image_shape": [None, 1, (1, 2), 0, (), "x"],
    "patch": [1, None, (1, 1), 0, 10**9],
    "stride": [1, None, 2, 0],
    "n_positions": ["auto", 1, 0, None],
}


def array(draw: Random) -> tuple[Any, str]:
    """Return something that may be taken for a series, and how it was made."""
    rng = np.random.default_rng(draw.getrandbits(64))
    n_rows = draw.choice([0, 1, 2, 10, 60, 120, 120, 120, 200, 200])
    n_columns = draw.choice([0, 1, 2, 3, 3, 5, 5, 8])
    X = rng.normal(size=(n_rows, n_columns)).cumsum(axis=draw.choice([0, 1]))
    told = [f"{n_rows} x {n_columns}"]
    for change in draw.sample(CHANGES, draw.choice([0, 1, 1, 2])):
        told.append(change.__name__)
        with np.errstate(all="ignore"):
            X = change(X, draw, rng)
    if draw.random() < 0.2:
        form = draw.choice(FORMS)
        told.append(form.__name__)
        with np.errstate(all="ignore"):
            X = form(X, draw)
    return X, ", ".join(told)


def scaled(X, draw, rng):
    exponents = [-320, -308, -200, -100, -30, 30, 100, 153, 200, 300, 307, 308]
    return X * 10.0 ** draw.choice(exponents)


def scaled_apart(X, draw, rng):
    return X * 10.0 ** rng.uniform(-320, 300, size=X.shape[1:])


def shifted(X, draw, rng):
    return X + draw.choice([1e3, 1e8, 1e15, -1e16, 1e100, 1e300, 1.7e308])


def with_gaps(X, draw, rng):
    share = draw.choice([0.01, 0.1, 0.5, 0.9, 1.0])
    return np.where(rng.random(X.shape) < share, np.nan, X)


def with_empty_rows(X, draw, rng):
    X[:: draw.choice([2, 3, 10])] = np.nan
    return X


def with_infinities(X, draw, rng):
    return np.where(rng.random(X.shape) < 0.02, draw.choice([np.inf, -np.inf]), X)


def with_an_outlier(X, draw, rng):
    if X.size:
        X.flat[rng.integers(X.size)] = draw.choice([1e10, 1e100, 1e300, 1.7e308, 5e-324])
    return X


def constant(X, draw, rng):
    X[:, : draw.choice([1, 2, 99])] = draw.choice([0.0, -0.0, 1.0, 1e300, 5e-324])
    return X


def of_low_rank(X, draw, rng):
    return X[:, :1] @ rng.normal(size=(1, max(X.shape[1], 1))) if X.shape[1] else X


def repeated(X, draw, rng):
    return np.repeat(X[: len(X) // 4 + 1], 4, axis=0)[: len(X)]


def of_two_values(X, draw, rng):
    return np.sign(X)


CHANGES = [scaled, scaled_apart, shifted, with_gaps, with_empty_rows, with_infinities,
           with_an_outlier, constant, of_low_rank, repeated, of_two_values]  # fmt: skip


def of_another_type(X, draw):
    types = ["f2", "f4", ">f8", "g", "i1", "u1", "i8", "u8", "?", "c16", "O", "U8", "S8", "M8[s]"]
    chosen = draw.choice(types)
    return np.nan_to_num(X).astype("i8").astype(chosen) if chosen == "M8[s]" else X.astype(chosen)


def of_odd_objects(X, draw):
    odd = X.astype(object)
    if odd.size:
        odd.flat[0] = draw.choice([10**400, None, "x", "1.5", [], {}, 1j, Random, b"1", 2**70])
    return odd


def of_another_shape(X, draw):
    return draw.choice([X.ravel(), X[None], X[:, :, None], X.T, X.sum(), X[:0], X[:, :0]])


def in_another_order(X, draw):
    return draw.choice([np.asfortranarray(X), X[::-1], X[:, ::-1], np.repeat(X, 2, 1)[:, ::2]])


def read_only(X, draw):
    X.flags.writeable = False
    return X


def as_frame(X, draw):
    names = draw.choice([list(range(X.shape[1])), ["x"] * X.shape[1], [None] * X.shape[1],
                         [f"c{i}\x1b[31m" for i in range(X.shape[1])]])  # fmt: skip
    return pd.DataFrame(X, columns=names)


def as_something_else(X, draw):
    return draw.choice([X.tolist(), np.ma.masked_invalid(X), None, "x", 3, [X, X[:2]], {}, iter(X)])


FORMS = [of_another_type, of_odd_objects, of_another_shape, in_another_order, read_only, as_frame,
         as_something_else]  # fmt: skip


def ids(X: Any, draw: Random) -> Any:
    """Return groups of a series, mostly none or right."""
    n = len(X) if hasattr(X, "__len__") else 10
    if draw.random() < 0.75:
        return None
    return draw.choice(
        [
            np.arange(n) // 20, np.arange(n) % 3, [f"g{i // 30}" for i in range(n)], np.arange(n),
            np.arange(n + 1), [], np.zeros((n, 2)), np.full(n, np.nan), [None] * n, "x", 3,
            np.full(n, 2**63, dtype="u8"), np.arange(n) * 1e300, [[1]] * n, np.zeros(n, "M8[s]"),
        ]
    )  # fmt: skip


def parameters_of(taker: Callable, draw: Random) -> dict[str, Any]:
    """Return a few parameters, mostly with values that are allowed."""
    known = [name for name in inspect.signature(taker).parameters if name in PARAMETERS]
    chosen = {}
    for name in draw.sample(known, min(len(known), draw.choice([0, 1, 2]))):
        values = PARAMETERS[name]
        chosen[name] = draw.choice(values if draw.random() < 0.15 else values[:2])
    return chosen


def _named(error: BaseException) -> bool:
    """Tell whether the message is the house's own: its classes, or errors that its code raises.

    A ValueError that comes out of NumPy or SciPy tells nobody what to do.
    """
    if type(error).__module__ == exceptions.__name__:
        return True
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    raised_in = trace.tb_frame.f_globals.get("__name__", "")
    house = ("predfeat", "sklearn.utils._param_validation", "sklearn.utils.validation",
             "sklearn.base")  # fmt: skip
    return raised_in.startswith(house)


def _refusing(run: Callable[[], None]) -> Callable[[], str | None]:
    def judged() -> str | None:
        try:
            run()
        except (ValueError, TypeError, ImportError) as error:  # the last of a compiled engine
            if not _named(error):
                raise
            if len(str(error)) > 2000:
                raise Wrong("long message", str(error)[:300]) from error
            return type(error).__name__
        return None

    return judged


def fitting(draw: Random, folder: Path) -> Case:
    """Fit, transform, go back, score: finite features of finite rows, or a named error."""
    name = draw.choice(ESTIMATORS)
    estimator = getattr(predfeat.features, name)
    given = parameters_of(estimator, draw)
    X, how = array(draw)
    groups = ids(X, draw)

    def run() -> None:
        model = estimator(**given).fit(X, groups=groups)
        for part in ("components_", "mean_", "patterns_"):
            if not np.isfinite(getattr(model, part, 0.0)).all():
                raise Wrong(f"{part} is not finite")
        Y = np.asarray(model.transform(X))
        values = np.asarray(X, dtype=float).reshape(len(Y), -1)
        if not np.isfinite(Y[np.isfinite(values).all(axis=1)]).all():
            raise Wrong("features of finite rows are not finite")
        if hasattr(model, "inverse_transform"):
            model.inverse_transform(Y)
        if hasattr(model, "score"):
            model.score(X, groups=groups)

    told = f"{name}({given}), {how}, groups {type(groups).__name__}"
    return Case(told, _refusing(run))


MEASURES: list[Callable] = [
    measures.predictability, measures.forecastability, measures.slowness,
    measures.autoregression_error, measures.predictive_information, measures.periods,
    measures.left_open, measures.nested_shares, measures.available_neighbors,
    selection.surrogates, adapters.thin, adapters.detrend,
    adapters.difference, adapters.delay, adapters.aliased_share, predfeat.nearest_neighbors,
]  # fmt: skip


def measuring(draw: Random, folder: Path) -> Case:
    """Any measure, or what else takes a series: an answer or a named error."""
    measure = draw.choice([*MEASURES, adapters.from_list, adapters.from_trials])
    X, how = array(draw)
    given = parameters_of(measure, draw)
    if measure is adapters.thin or measure is adapters.aliased_share:
        given.setdefault("every", 2)
    if measure is adapters.delay:
        given.setdefault("n_delays", 2)
    if measure is predfeat.nearest_neighbors:
        given.setdefault("n_neighbors", 2)
    if "groups" in inspect.signature(measure).parameters:
        given["groups"] = ids(X, draw)

    def run() -> None:
        measure([X, X] if measure is adapters.from_list else X, **given)

    return Case(f"{measure.__name__}({given!r:.300}), {how}", _refusing(run))
