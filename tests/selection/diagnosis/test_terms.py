"""Models with other terms than the paper's, or another metric, are diagnosed as far as is known."""

import numpy as np
import pytest

from predfeat import GPFA, diagnose
from predfeat.datasets import predictable_noise
from predfeat.graph import Adjacent, Future, SameLabel

X = predictable_noise(400, 4, random_state=0)
LABEL = np.random.default_rng(0).integers(0, 2, size=400)


@pytest.mark.parametrize(
    ("parameters", "label"),
    [
        ({"terms": [Future(), SameLabel()]}, LABEL),
        ({"terms": [Adjacent()]}, None),
        ({"metric": "cosine"}, None),
    ],
)
def test_a_diagnosis_needs_no_labels(parameters, label):
    model = GPFA(2, **parameters).fit(X, label)
    diagnose(model, X)  # which fits again, without labels, from other starts


def test_another_models_graph_is_not_diagnosed():
    """Of two sequences far apart the paper's graph has two pieces, which say nothing of others."""
    random = np.random.default_rng(0)
    apart = np.vstack([random.normal(size=(150, 3)), random.normal(size=(150, 3)) + 60.0])
    groups = np.repeat([0, 1], 150)
    for terms, is_found in ((None, True), ([Adjacent()], False)):
        model = GPFA(2, n_neighbors=5, terms=terms).fit(apart, groups=groups)
        names = {finding.name for finding in diagnose(model, apart, groups=groups).findings}
        assert ("disconnected-graph" in names) == is_found
