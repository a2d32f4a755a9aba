"""Models with edge terms: what comes back, what is not kept, and what is not believed."""

import json
import os
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neighbors import kneighbors_graph

from model_forging import differences, forged, members_of, series
from predfeat import GPFA, load, nearest_neighbors, read_header, save
from predfeat.exceptions import ModelFileError
from predfeat.graph import (
    Adjacent,
    Different,
    Future,
    Local,
    Past,
    SameLabel,
    SimilarValue,
)

LABELS = np.where(np.arange(80) % 7 < 3, "low", "high")
NUMBERS = np.sin(0.2 * np.arange(80))
# With what each needs to be fitted; no parameter has its default.
TERMS = [
    (Future("full", weight=0.5), {}),
    (Past("full", weight=0.25), {}),
    (Adjacent(weight=2.0), {}),
    (Local(weight=0.1, n_neighbors=3, space="features"), {}),
    (SameLabel(weight=3.0, of="actions"), {"actions": LABELS}),
    (SameLabel(weight=3.0, of="rewards"), {"rewards": NUMBERS.round()}),
    (SimilarValue(weight=0.7, of="y", n_neighbors=5), {"y": NUMBERS}),
    (Different(weight=1.5, of="y"), {"y": LABELS}),
]


def with_terms(*terms, **annotations):
    return GPFA(2, n_neighbors=4, max_iter=2, terms=list(terms)).fit(series(), **annotations)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The bytes of a good file."""
    path = tmp_path_factory.mktemp("good") / "m.predfeat"
    save(with_terms(Future("full"), Past(weight=0.5)), path)
    return path.read_bytes()


def stored_terms(path):
    return json.loads(members_of(path.read_bytes())["model.json"])["parameters"]["terms"]


# What comes back


@pytest.mark.parametrize(("term", "annotations"), TERMS, ids=lambda part: type(part).__name__)
def test_every_term_comes_back(term, annotations, tmp_path):
    path = tmp_path / "m.predfeat"
    model = with_terms(Future(), term, **annotations)
    save(model, path)
    again = load(path)
    assert again.terms == [Future(), term]
    assert type(again.terms[1]) is type(term)
    assert differences(model, again) == []
    assert again.transform(series()).tobytes() == model.transform(series()).tobytes()
    save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    refitted = clone(again).fit(series(), **annotations)
    np.testing.assert_array_equal(refitted.components_, model.components_)


def test_all_at_once_come_back_in_their_order(tmp_path):
    terms = [Past(), *(term for term, _ in TERMS), Future(), Future()]
    model = with_terms(Future()).set_params(terms=terms)  # after the fit, as any parameter
    save(model, tmp_path / "m.predfeat")
    assert load(tmp_path / "m.predfeat").terms == terms
    assert [entry["term"] for entry in stored_terms(tmp_path / "m.predfeat")] == [
        type(term).__name__ for term in terms
    ]


def test_a_tuple_comes_back_as_a_list_and_none_as_none(tmp_path):
    model = with_terms(Future())
    for terms, expected in (((Future(), Past()), [Future(), Past()]), (None, None), ([], [])):
        save(model.set_params(terms=terms), tmp_path / "m.predfeat", overwrite=True)
        assert load(tmp_path / "m.predfeat").terms == expected


def test_numpy_numbers_come_back_plain(tmp_path):
    model = with_terms(Future(weight=np.float32(0.5)), Local(n_neighbors=np.int64(3)))
    save(model, tmp_path / "m.predfeat")
    future, local = load(tmp_path / "m.predfeat").terms
    assert (future, local) == (Future(weight=0.5), Local(n_neighbors=3))
    assert type(future.weight) is float
    assert type(local.n_neighbors) is int


def test_the_header_shows_terms_as_names_and_numbers(tmp_path):
    save(with_terms(Future("full", weight=2.0), Adjacent()), tmp_path / "m.predfeat")
    assert read_header(tmp_path / "m.predfeat").parameters["terms"] == [
        {"term": "Future", "graph": "full", "weight": 2.0},
        {"term": "Adjacent", "weight": 1.0},
    ]


def test_what_a_writer_did_not_know_has_its_default(data, tmp_path):
    def fewer(fields):
        fields["parameters"]["terms"] = [{"term": "Future"}, {"term": "Local", "weight": 2}]

    (tmp_path / "old").write_bytes(forged(data, fewer))
    assert load(tmp_path / "old").terms == [Future(), Local(weight=2)]


# What is not kept


@dataclass(frozen=True)
class Foreign(Future):
    """Connects something else under the same parameters."""


class OfMine:
    """Any object with this method is a term."""

    def neighborhoods(self, context):
        return Future().neighborhoods(context)

    def __repr__(self):
        return "OfMine()"


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (Foreign(), r"Foreign\(graph='star', weight=1\.0\)"),
        (OfMine(), r"OfMine\(\)"),
        (type("Future", (Future,), {})(), "Future"),  # the name alone does not make it ours
    ],
    ids=["Foreign", "OfMine", "Future"],
)
def test_foreign_terms_are_not_saved(term, shown, tmp_path):
    path = tmp_path / "m.predfeat"
    model = with_terms(Past(), term)
    message = (
        f"the parameter terms holds .*{shown}.*, which a model file does not keep: it keeps Future,"
        r" Past, Adjacent, Local, SameLabel, SimilarValue, Different\. Set it to None before saving"
        r", model\.set_params\(terms=None\); what was fitted stays as it is\.$"
    )
    with pytest.raises(ModelFileError, match=message):
        save(model, path)
    assert os.listdir(tmp_path) == []
    before = model.transform(series())
    save(model.set_params(terms=None), path)
    np.testing.assert_array_equal(load(path).transform(series()), before)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (Fraction(1, 2), "the parameter terms holds a Fraction, which a model file does not keep"),
        (2**70, r"holds a number of 71 bits.*plain numbers as weights, or set it to None before"),
    ],
    ids=["fraction", "huge"],
)
def test_weights_that_would_not_come_back_are_not_saved(weight, message, tmp_path):
    model = with_terms(Future()).set_params(terms=[Future(weight=weight)])
    with pytest.raises(ModelFileError, match=message):
        save(model, tmp_path / "m.predfeat")
    assert os.listdir(tmp_path) == []


def test_more_terms_than_are_read_are_not_saved(tmp_path):
    model = with_terms(Future()).set_params(terms=[Future()] * 101)
    with pytest.raises(
        ModelFileError, match=r"holds 101 terms, but a model file keeps at most 100"
    ):
        save(model, tmp_path / "m.predfeat")
    assert os.listdir(tmp_path) == []
    save(model.set_params(terms=[Future()] * 100), tmp_path / "m.predfeat")
    assert load(tmp_path / "m.predfeat").terms == [Future()] * 100


def samples():
    return series()[:40]  # up to its gap


@pytest.mark.parametrize(
    "given",
    [
        lambda X: nearest_neighbors(X, n_neighbors=5),
        lambda X: kneighbors_graph(X, 5, mode="distance"),
        lambda X: (nearest_neighbors(X, n_neighbors=5).indices, np.ones((40, 5))),
    ],
    ids=["table", "graph", "matrices"],
)
def test_given_neighbours_are_not_saved(given, tmp_path):
    path = tmp_path / "m.predfeat"
    model = GPFA(2, n_neighbors=4, max_iter=2, init=given(samples())).fit(samples())
    message = (
        r"^the parameter init holds neighbours, which a model file does not keep\. Set it to a "
        r'name before saving, model\.set_params\(init="input"\); what was fitted stays as it is\.$'
    )
    with pytest.raises(ModelFileError, match=message):
        save(model, path)
    assert os.listdir(tmp_path) == []
    before = model.transform(samples())
    save(model.set_params(init="input"), path)
    np.testing.assert_array_equal(load(path).transform(samples()), before)


# What is not believed: digests match, so that nothing else is in the way.


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ("Future", "the parameter terms is no list of terms"),
        (3, "the parameter terms is no list of terms"),
        (True, "the parameter terms is no list of terms"),
        ({}, "the parameter terms is no list of terms"),
        ({"array": "terms"}, "the parameter terms is no list of terms"),
        ({"term": "Future"}, "the parameter terms is no list of terms"),
        ([{"term": "Future"}] * 101, "the parameter terms is no list of terms"),
        ([{"term": "Future"}] * 1000, "the parameter terms is no list of terms"),
        (["Future"], r"the parameter terms holds 'Future', which is no known term"),
        ([None], "holds 'None', which is no known term"),
        ([[]], r"holds '\[\]', which is no known term"),
        ([{}], "holds '{}', which is no known term"),
        ([{"weight": 1.0}], "which is no known term"),
        ([{"term": "Evil"}], r"holds \"{'term': 'Evil'}\", which is no known term"),
        ([{"term": "RelativeTerm"}], "which is no known term"),
        ([{"term": "future"}], "which is no known term"),
        ([{"term": None}], "which is no known term"),
        ([{"term": ["Future"]}], "which is no known term"),
        ([{"term": {"term": "Future"}}], "which is no known term"),
        ([{"term": "Future"}, {"term": "Evil"}], "'Evil'.*which is no known term"),
        ([{"term": "x" * 10**5}], r"holds .{10,70}, which is no known term"),
        ([{"term": "Future", "n_neighbors": 3}], "Future has no 'n_neighbors'"),
        ([{"term": "Local", "graph": "full"}], "Local has no 'graph'"),
        ([{"term": "Adjacent", "__class__": "os"}], "Adjacent has no '__class__'"),
        ([{"term": "Adjacent", "x" * 10**5: 1}], r"Adjacent has no 'x{40}'\. "),
        ([{"term": "Future", "weight": -1}], "terms is not valid: weight must be .* it is -1. The"),
        ([{"term": "Future", "weight": "1"}], "terms is not valid: weight must be .* it is '1'"),
        ([{"term": "Future", "weight": None}], "weight must be a finite number"),
        ([{"term": "Future", "weight": [1.0]}], "weight must be a finite number"),
        ([{"term": "Future", "graph": "ring"}], "not valid: graph must be .* it is 'ring'"),
        ([{"term": "Past", "graph": ["full"]}], "not valid: graph must be"),
        ([{"term": "Local", "space": "moon"}], "not valid: space must be .* it is 'moon'"),
        ([{"term": "Local", "space": {}}], "not valid: space must be"),
        ([{"term": "Local", "n_neighbors": 0}], "not valid: n_neighbors must be a whole number"),
        ([{"term": "Local", "n_neighbors": 2.0}], "not valid: n_neighbors must be a whole number"),
        ([{"term": "Local", "n_neighbors": True}], "not valid: n_neighbors must be a whole"),
        ([{"term": "SameLabel", "of": "X"}], "not valid: of must be one of 'y', .* it is 'X'"),
        ([{"term": "Different", "of": ["y"]}], "not valid: of must be one of"),
        ([{"term": "SimilarValue", "n_neighbors": -3}], "n_neighbors must be a whole number"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_forged_terms_are_refused(terms, message, data, tmp_path):
    def change(fields):
        fields["parameters"]["terms"] = terms

    path = tmp_path / "bad.predfeat"
    path.write_bytes(forged(data, change))
    for read in (load, read_header):
        with pytest.raises(ModelFileError, match=message) as caught:
            read(path)
        assert str(path) in str(caught.value)
