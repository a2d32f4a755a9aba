"""Forecasts: skill, coverage and width where the truth is known, and on recordings.

    python benchmarks/quality/forecasts.py known lorenz coverage drift recordings speed

known       an autoregression's intervals beside the closed form, white noise, a sine
lorenz      a hidden Lorenz system: skill and attained coverage, 20 seeds; and with the scores of
            the steps exchanged, which must not pass
coverage    three processes in exchangeable sequences, 800 seeds, beside the binomial limits
drift       noise that grows after the fit: coverage with and without `update`
recordings  data that statsmodels and matplotlib ship, beside VAR, analogues in all columns, and
            persistence; needs statsmodels
speed       1000 forecasts of 20 steps from a library of 100 000 rows
"""

import argparse
from dataclasses import replace
from itertools import pairwise
from math import ceil, sqrt
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.signal import lfilter
from scipy.stats import norm
from threadpoolctl import threadpool_limits

from predfeat import GPFA, SFA, Forecaster
from predfeat.datasets import hidden_lorenz
from predfeat.forecasting import KINDS, actual_futures, forecast_times
from predfeat.series import check_sequences

LEVEL = 0.9


def autoregression(n_rows, coefficient, random):
    start = 200
    return lfilter([1.0], [1.0, -coefficient], random.normal(size=n_rows + start))[start:]


def known():
    random = np.random.default_rng(0)
    for coefficient in (0.5, 0.9):
        series = autoregression(30_000, coefficient, random)[:, None]
        model = Forecaster(n_steps=20, level=LEVEL).fit(series[:20_000])
        found = model.evaluate(series[20_000:])
        steps = np.arange(1, 21)
        deviation = np.sqrt((1 - coefficient ** (2 * steps)) / (1 - coefficient**2))
        exact = 2 * norm.ppf(0.5 + LEVEL / 2) * deviation / series[:14_000].std()
        off = found.width[:, 0] / exact - 1
        inside = found.coverage
        print(f"autoregression {coefficient}: widths off the closed form by {off.min():+.1%} to "
              f"{off.max():+.1%}; coverage {inside.min():.3f} to {inside.max():.3f}")  # fmt: skip
    skills = []
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(size=(3000, 3))
        skills.append(Forecaster(n_steps=10).fit(noise[:2000]).evaluate(noise[2000:]).skill())
    mean, error = np.mean(skills, axis=0), np.std(skills, axis=0, ddof=1) / sqrt(len(skills))
    print(f"white noise: skill {mean.min():.4f} to {mean.max():.4f}, at most "
          f"{(mean / error).max():+.1f} standard errors above 0")  # fmt: skip
    wave = np.sin(0.3 * np.arange(3000))[:, None]
    model = Forecaster(n_lags=3, n_steps=20).fit(wave[:2000])
    ahead = model.predict(wave[:2500])
    print(f"sine: largest error {np.abs(ahead.mean - wave[2500:2520]).max():.1e}")


def lorenz(n_seeds=20):
    steps = np.array([1, 5, 20]) - 1
    skills, linear, coverage, joint, path, wrong = [], [], [], [], [], []
    for seed in range(n_seeds):
        X, _ = hidden_lorenz(8000, random_state=seed)
        features = GPFA(n_components=3, n_lags=2)
        model = Forecaster(features, n_steps=20, level=LEVEL).fit(X[:6000])
        found = model.evaluate(X[6000:])
        skills.append(found.skill()[steps])
        linear.append(1 - found.linear.sum(axis=1)[steps] / found.climatology.sum(axis=1)[steps])
        coverage.append(found.coverage)
        joint.append(found.features_coverage)
        path.append(found.path_coverage)
        # The scores of the steps exchanged, and expected errors with them.
        order = np.random.default_rng(seed).permutation(20)
        predictor = model.model_.predictor
        floor, scale = predictor.floor[order], predictor.scale[order]
        exchanged = replace(predictor, floor=floor, scale=scale)
        model.model_ = replace(model.model_, predictor=exchanged)
        wrong.append(model.evaluate(X[6000:]).coverage)
    coverage, wrong = np.array(coverage), np.array(wrong)
    print("skill at h = 1, 5, 20: mean", np.mean(skills, axis=0).round(4),
          "least", np.min(skills, axis=0).round(4))  # fmt: skip
    print("linear autoregression:", np.mean(linear, axis=0).round(3))
    print("coverage per feature, mean over seeds and steps:", coverage.mean(axis=(0, 1)).round(3))
    each = coverage.mean(axis=0)
    print(f"of single steps and features: {each.min():.3f} to {each.max():.3f}")
    in_step = np.mean(joint, axis=0)
    print(f"all features of a step: {in_step.min():.3f} to {in_step.max():.3f}")
    print(f"whole path: {np.mean(path):.3f} (seeds: {np.min(path):.3f} to {np.max(path):.3f})")
    each = wrong.mean(axis=0)
    print(f"calibration permuted over steps: {each.min():.3f} to {each.max():.3f}")


def sequences(process, n_sequences, length, random):
    """Return independent sequences of one kind, and their ids."""
    found = []
    for _ in range(n_sequences):
        if process == "autoregression":
            values = autoregression(length, 0.8, random)
        elif process == "logistic map":
            values, x = [], random.uniform(0.1, 0.9)
            for _ in range(length + 20):
                x = 3.9 * x * (1 - x)
                values.append(x)
            values = np.array(values[20:])
        else:
            phase = random.uniform(0, 2 * np.pi)
            values = np.sin(0.5 * np.arange(length) + phase)
            values = values + random.standard_t(3, size=length) * 0.2
        found.append(values)
    return np.concatenate(found)[:, None], np.repeat(np.arange(n_sequences), length)


def coverage(n_seeds=800, n_steps=3, n_lags=2, n_test=50):
    # One forecast fits into each sequence, so that scores are exchangeable.
    for process in ("autoregression", "logistic map", "waves, heavy tails"):
        shares, n_scores = [], 0
        for seed in range(n_seeds):
            random = np.random.default_rng(seed)
            X, groups = sequences(process, 300, n_lags + n_steps, random)
            model = Forecaster(n_steps=n_steps, n_lags=n_lags, level=LEVEL, extend_library=False)
            model.fit(X, groups=groups)
            n_scores = len(model.model_.intervals.scores)
            X, groups = sequences(process, n_test, n_lags + n_steps, random)
            found = model.evaluate(X, groups=groups)
            shares.append([*found.coverage[:, 0], found.path_coverage])
        # The share inside is beta-binomial: see Vovk (2012) on the coverage of split conformal.
        rank = ceil((n_scores + 1) * LEVEL)
        exact = rank / (n_scores + 1)
        variance = exact * (1 - exact) * ((n_scores + 1 + n_test) / (n_scores + 2)) / n_test
        limit = 2.58 * sqrt(variance / n_seeds)
        mean = np.mean(shares, axis=0)
        print(f"{process}: h = 1, 2, 3, path: {mean.round(4)}; theory {exact:.4f} ± {limit:.4f}")


def drift(n_seeds=10, n_new=800):
    fixed, adapted = [], []
    for seed in range(n_seeds):
        random = np.random.default_rng(seed)
        before = autoregression(1000, 0.7, random)
        growing = np.linspace(1.0, 3.0, n_new)
        after = [before[-1]]
        for size in growing:
            after.append(0.7 * after[-1] + size * random.normal())
        X = np.r_[before, after[1:]][:, None]
        for rate, found in ((None, fixed), (0.02, adapted)):
            model = Forecaster(n_steps=3, level=LEVEL, adaptation_rate=rate or 0.0).fit(X[:1000])
            inside = []
            for t in range(1000, 1000 + n_new - 3):
                ahead = model.predict(X[:t][-5:])
                inside.append((ahead.lower <= X[t : t + 3]) & (X[t : t + 3] <= ahead.upper))
                if rate is not None:
                    model.update(X[t : t + 1])
            found.append(np.mean(inside, axis=0)[:, 0])
    for name, found in (("without update", fixed), ("with update", adapted)):
        mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / sqrt(n_seeds)
        print(f"noise that grows threefold, {name}: coverage at h = 1, 2, 3 {mean.round(3)} "
              f"± {error.round(3)}")  # fmt: skip


def recorded():
    """Yield name, rows, steps and features of data that statsmodels and matplotlib ship."""
    import matplotlib
    from statsmodels import datasets

    macro = datasets.macrodata.load_pandas().data
    levels = ["realgdp", "realcons", "realinv", "realgovt", "realdpi", "cpi", "m1", "pop"]
    growth = np.log(macro[levels]).diff()
    growth[["tbilrate", "unemp"]] = macro[["tbilrate", "unemp"]].diff()
    yield "macrodata, growth (10 columns)", growth.to_numpy()[1:], 8, SFA(3), 2
    months = datasets.elnino.load_pandas().data.drop(columns="YEAR").to_numpy().ravel()
    year = np.lib.stride_tricks.sliding_window_view(months, 6)[:, ::-1]
    yield "elnino (1 column, 5 delays)", year, 12, GPFA(3, n_lags=2), 2
    sunspots = datasets.sunspots.load_pandas().data["SUNACTIVITY"].to_numpy()
    sunspots = np.lib.stride_tricks.sliding_window_view(sunspots, 6)[:, ::-1]
    yield "sunspots (1 column, 5 delays)", sunspots, 5, GPFA(3, n_lags=1), 1
    folder = Path(matplotlib.get_data_path()) / "sample_data"
    eeg = np.fromfile(folder / "eeg.dat", dtype=float).reshape(800, 4)
    yield "eeg (4 columns)", eeg, 10, GPFA(2, n_lags=3), 3


def recordings(n_blocks=3):
    from statsmodels.tsa.api import VAR

    for name, X, n_steps, features, n_lags in recorded():
        errors, covered = {}, {"features": [], "all columns": []}
        edges = np.linspace(len(X) // 2, len(X), n_blocks + 1).astype(int)
        for start, stop in pairwise(edges):
            for kind, given in (("features", features), ("all columns", None)):
                model = Forecaster(given, n_steps=n_steps, n_lags=n_lags).fit(X[:start])
                found = model.evaluate(X[start:stop], channels=True)
                covered[kind].append(found.coverage.mean())
            block = check_sequences(X[start:stop])
            times = forecast_times(block, n_lags, n_steps, "this")
            actual = actual_futures(block, times, n_steps)
            unit = X[:start].std(axis=0)
            forecasts = {
                "features": Forecaster(features, n_steps=n_steps, n_lags=n_lags),
                "all columns": Forecaster(None, n_steps=n_steps, n_lags=n_lags),
            }
            made = {}
            for kind, model in forecasts.items():
                model.fit(X[:start])
                made[kind] = model.predict_all(X[start:stop], channels=True).mean[: len(times)]
            predictor = model.model_.predictor
            analogue = np.full_like(predictor.chosen, KINDS.index("analogue"))
            only = replace(predictor, chosen=analogue)
            made["analogues in all columns"] = only.forecast(block, times)[0]
            made["VAR"] = var_forecasts(VAR, X[:start], X[start:stop], times, n_steps)
            made["persistence"] = np.repeat(X[start:stop][times][:, None], n_steps, axis=1)
            made["climatology"] = np.broadcast_to(X[:start].mean(axis=0), actual.shape)
            for kind, forecast in made.items():
                error = np.square((actual - forecast) / unit)
                errors.setdefault(kind, []).append((len(times), error.mean(axis=(0, 2))))
        print(f"\n{name}, {len(X)} rows: skill against climatology at h = 1, half, {n_steps}")
        shares = {
            kind: np.average([e for _, e in found], axis=0, weights=[n for n, _ in found])
            for kind, found in errors.items()
        }
        at = [0, n_steps // 2 - 1, n_steps - 1]
        for kind, found in shares.items():
            skill = 1 - found / shares["climatology"]
            said = f"; coverage {np.mean(covered[kind]):.2f}" if kind in covered else ""
            print(f"  {kind:26s} {skill[at].round(3)}, mean {skill.mean():.3f}{said}")


def var_forecasts(VAR, old, new, times, n_steps):
    """Forecast with a vector autoregression whose order is chosen by AIC."""
    names = np.ptp(old, axis=0) > 0
    # Delays of one column make a VAR singular: what one of order p+5 knows of the column alone.
    fitted = VAR(old[:, names]).fit(maxlags=4, ic="aic")
    both = np.concatenate([old, new])
    order = max(fitted.k_ar, 1)
    found = [
        fitted.forecast(both[len(old) + t - order + 1 : len(old) + t + 1], n_steps) for t in times
    ]
    return np.array(found)


def speed():
    X, _ = hidden_lorenz(102_000, random_state=0)
    for name, features in (("3 features", SFA(3)), ("all 10 columns", None)):
        started = perf_counter()
        model = Forecaster(features, n_lags=2, n_steps=20).fit(X[:100_000])
        fitted = perf_counter()
        model.predict_all(X[100_000:101_001])
        first = perf_counter()
        n_forecasts = len(model.predict_all(X[101_000 - 1 : 102_000]))
        done = perf_counter()
        print(f"{name}: fit {fitted - started:.1f} s; {n_forecasts} forecasts of 20 steps in "
              f"{done - first:.2f} s (the first time {first - fitted:.2f} s)")  # fmt: skip


PARTS = {part.__name__: part for part in (known, lorenz, coverage, drift, recordings, speed)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="+", choices=list(PARTS))
    with threadpool_limits(1):
        for part in parser.parse_args().parts:
            print(f"\n== {part}", flush=True)
            started = perf_counter()
            PARTS[part]()
            print(f"({perf_counter() - started:.0f} s)", flush=True)
