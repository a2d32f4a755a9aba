"""A fitted model as a figure."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from predfeat import SFA
from predfeat.datasets import hidden_lorenz
from predfeat.report import plot


@pytest.fixture(scope="module")
def fitted():
    X, _ = hidden_lorenz(300, random_state=0)
    X[100:110] = np.nan
    return SFA(2).fit(X), X


def test_features_and_loadings_are_drawn(fitted):
    model, X = fitted
    figure = plot(model, X, groups=np.arange(300) // 150, names=[f"c{i}" for i in range(10)])
    assert len(figure.axes) == 4
    Y = model.transform(X)
    for i, axes in enumerate(figure.axes[::2]):
        lines = axes.get_lines()
        assert [len(line.get_xdata()) for line in lines] == [100, 40, 150]
        assert np.allclose(np.concatenate([line.get_ydata() for line in lines]),
                           Y[~np.isnan(Y[:, 0]), i])  # fmt: skip
    there = ~np.isnan(Y[:, 0])
    bars = figure.axes[1].patches
    labels = [text.get_text() for text in figure.axes[1].get_yticklabels()]
    assert len(bars) == len(labels) == 8
    column = int(labels[0][1:])
    expected = np.corrcoef(X[there, column], Y[there, 0])[0, 1]
    assert bars[0].get_width() == pytest.approx(expected)


def test_dates_and_rows_along(fitted, tmp_path):
    model, X = fitted
    dates = np.datetime64("2020-01-01") + np.arange(300)
    figure = plot(model, X, time=dates)
    assert figure.axes[2].get_xlabel() == "time"
    figure.savefig(tmp_path / "features.svg")
    assert plot(model, X).axes[2].get_xlabel() == "row"


def test_what_does_not_fit_is_refused(fitted):
    model, X = fitted
    with pytest.raises(ValueError, match=r"names has 2 entries, but X has 10 columns"):
        plot(model, X, names=["a", "b"])
    with pytest.raises(ValueError, match=r"time must have one entry per row, 300, .* \(5,\)"):
        plot(model, X, time=np.arange(5))
    with pytest.raises(NotFittedError):
        plot(SFA(2), X)


def test_a_pipeline_is_refused_with_what_to_give():
    X = np.random.default_rng(0).normal(size=(100, 3))
    with pytest.raises(TypeError, match=r"pipeline\[-1\]"):
        plot(make_pipeline(StandardScaler(), SFA(1)).fit(X), X)


def test_a_name_with_dollars_is_no_formula(fitted, tmp_path):
    model, X = fitted
    names = [rf"$\frac {i}$" for i in range(X.shape[1])]
    figure = plot(model, X, names=names)
    figure.savefig(tmp_path / "figure.svg")  # where a formula would be read, and refused
    assert figure.axes[1].get_yticklabels()[0].get_text() in names
