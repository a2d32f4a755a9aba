"""Rank and condition: variances of the principal axes, and which columns are named."""

import numpy as np
import pytest

from diagnosis_series import diagnosed, noise, toy
from predfeat import GPFA, SFA
from predfeat.selection import diagnose
from predfeat.selection.diagnosis import _covariance
from predfeat.series import check_sequences


def test_variances_of_principal_axes():
    X = toy(500, 4) * [1.0, 10.0, 0.1, 0.0]
    X[:, 3] = 7.0
    correlation = np.corrcoef(X[:, :3], rowvar=False)
    values = np.linalg.eigvalsh(correlation)[::-1]
    got = _covariance.principal_variances(check_sequences(X))
    np.testing.assert_allclose(got[:3], values / values[0])


@pytest.mark.parametrize(
    ("noise_share", "severity"), [(1e-2, None), (1e-4, "warning"), (1e-5, "problem")]
)
def test_severity_is_by_degree(noise_share, severity):
    X = np.column_stack([toy(), toy()[:, 0] + noise_share * noise(1, 1500)])
    found = {f.name: f.severity for f in diagnosed(GPFA(2), X).findings}
    assert found.get("ill-conditioned") == severity


def test_with_a_cut_the_units_count():
    X = toy() * [1.0, 1.0, 1.0, 1e4, 1e4]
    assert "ill-conditioned" not in diagnosed(GPFA(2), X).names
    found = {f.name: f for f in diagnosed(GPFA(2, pca_components=5), X).findings}
    variances = X.var(axis=0)
    assert found["ill-conditioned"].values["condition"] == pytest.approx(
        variances.max() / variances.min(), rel=0.3
    )
    assert found["ill-conditioned"].values["n_sound"] == 2


def test_columns_are_named():
    X = np.column_stack([toy(), np.full(1500, 3.0), 2 * toy()[:, 0]])
    found = {f.name: f for f in diagnosed(GPFA(2), X).findings}
    assert "1 constant (x5)" in found["rank-deficient"].summary
    assert "(x6)" in found["rank-deficient"].summary
    assert found["rank-deficient"].values == {
        "rank": 5,
        "n_columns": 7,
        "n_constant": 1,
        "n_repeated": 1,
    }


def test_columns_are_called_by_the_names_given():
    X = np.column_stack([toy(400), toy(400)[:, 1]])
    model = SFA(2).fit(X)
    (finding,) = [f for f in diagnose(model, X).findings if f.name == "rank-deficient"]
    assert "(x5)" in finding.summary
    names = ("wind", "sun", "rain", "fog", "ice", "sun again")
    (finding,) = [f for f in diagnose(model, X, names=names).findings if f.name == finding.name]
    assert "(sun again)" in finding.summary
    with pytest.raises(ValueError, match="names has 2 entries, but X has 6 columns"):
        diagnose(model, X, names=names[:2])


def test_a_rank_cut_on_purpose_is_no_finding():
    X = np.column_stack([2 * toy(), toy()[:, 0]])
    assert "rank-deficient" not in diagnosed(GPFA(2, pca_components=5), X).names
    assert "rank-deficient" not in diagnosed(GPFA(2, pca_components=0.999), X).names
    assert "rank-deficient" in diagnosed(GPFA(2, pca_components=6), X).names
