"""A model that partial_fit built goes on after a file as it would have without."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from model_forging import differences, forged, series
from predfeat import PFA, SFA, load, merge, read_header, save
from predfeat.exceptions import ModelFileError

METHODS = [SFA(2, n_steps=3), PFA(2, n_lags=2, horizon=2, n_repeats=1)]
every = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)


def through_file(model, path):
    save(model, path, overwrite=True)
    return load(path)


@every
@pytest.mark.parametrize("groups", [None, "a", 7, 0.5, True])
@pytest.mark.parametrize("ends_with_a_gap", [False, True])
def test_a_loaded_model_goes_on(method, groups, ends_with_a_gap, tmp_path):
    X = series(120)
    if ends_with_a_gap:
        X[69] = np.nan  # nothing is left to carry over
    ids = None if groups is None else np.array([groups] * 120)
    first, second = (None, None) if ids is None else (ids[:70], ids[70:])
    model = clone(method).partial_fit(X[:70], groups=first)
    again = through_file(model, tmp_path / "m.predfeat")
    assert differences(again, model) == []
    again.partial_fit(X[70:], groups=second)
    assert differences(again, model.partial_fit(X[70:], groups=second)) == []


@every
def test_loaded_models_can_be_merged(method, tmp_path):
    X = series(120)
    parts = [clone(method).partial_fit(part) for part in (X[:70], X[70:])]
    loaded = [through_file(part, tmp_path / "m.predfeat") for part in parts]
    merged = merge(loaded)
    assert differences(merged, merge(parts)) == []
    assert differences(through_file(merged, tmp_path / "m.predfeat"), merged) == []


@every
def test_same_model_same_bytes(method, tmp_path):
    for name in ("a", "b"):
        save(clone(method).partial_fit(series()), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@every
def test_a_model_of_fit_has_none(method, tmp_path):
    save(clone(method).fit(series()), tmp_path / "m.predfeat")
    assert list(read_header(tmp_path / "m.predfeat").fitted) == ["rank_"]
    assert not hasattr(load(tmp_path / "m.predfeat"), "stream_")


def test_a_model_without_features_yet_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        save(SFA(2).partial_fit(series()[:2]), tmp_path / "m.predfeat")


@pytest.mark.parametrize(
    ("group_id", "what"),
    [(np.datetime64("2020-01-01"), "datetime64"), ((1, 2), "tuple"), (2**70, "71 bits")],
)
def test_ids_that_would_not_come_back_are_refused(group_id, what, tmp_path):
    ids = np.empty(80, dtype=object)
    ids.fill(group_id)
    model = SFA(2).partial_fit(series(), groups=ids)
    with pytest.raises(ModelFileError, match=rf"last group id is a .*{what}.*with str\(\)"):
        save(model, tmp_path / "m.predfeat")
    # Once the sequence is over, its id does not matter.
    save(merge([model]), tmp_path / "m.predfeat")


def changed(**entries):
    return lambda fields: fields["fitted"]["stream_"].update(entries)


def resized(position, shape):
    return lambda fields: fields["arrays"][position].update(shape=shape)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda fields: fields["fitted"].update(stream_=3), "stream_ does not have the entries"),
        (changed(more=1), "stream_ does not have the entries"),
        (changed(parameters={"n_lags": 1}), "other parameters than"),
        (changed(parameters=[3]), "other parameters than"),
        (changed(parameters={"n_steps": 2**40}), "no number from 0 to 65536"),
        (changed(parameters={"n_steps": -1}), "no number from 0 to 65536"),
        (changed(parameters={"n_steps": True}), "no number from 0 to 65536"),
        (changed(parameters={"n_steps": 60000}), "does not have 60001 counts"),
        (changed(parameters={"n_steps": 2}), "does not have 3 counts"),
        (changed(counts=[79, 76, 75]), "does not have 4 counts"),
        (changed(counts={}), "does not have 4 counts"),
        (changed(counts=[79, 76, 75, -1]), "a count that is none"),
        (changed(counts=[79, 76, 75, 1.0]), "a count that is none"),
        (changed(counts=[0, 76, 75, 74]), "a count that is none"),
        (changed(n_tail=4), "a tail that is longer"),
        (changed(n_tail=-1), "a tail that is longer"),
        (changed(n_tail=0), "arrays are not those of this SFA"),
        (changed(n_tail=2), "stream_.tail has shape"),
        (changed(resolution=-1.0), "resolution that is no share"),
        (changed(resolution=1), "resolution that is no share"),
        (changed(is_grouped=1), "whether there are groups"),
        (changed(is_grouped=True), "a group id that is none"),
        (changed(last_id="a"), "a group id that is none"),
        (changed(is_grouped=True, last_id=[1]), "a group id that is none"),
        (resized(4, [9, 6]), "stream_.samples has shape"),
        (resized(5, [10000, 10000]), "stream_.dynamics.0 has shape"),
        (lambda fields: fields["fitted"].pop("stream_"), "arrays are not those of this SFA"),
        (lambda fields: fields["arrays"].pop(), "arrays are not those of this SFA"),
    ],
)
def test_forged_statistics_are_refused(change, message, tmp_path):
    path = tmp_path / "m.predfeat"
    save(SFA(2, n_steps=3).partial_fit(series()), path)
    path.write_bytes(forged(path.read_bytes(), change_fields=change))
    with pytest.raises(ModelFileError, match=message):
        load(path)


def test_statistics_of_other_models_are_refused(tmp_path):
    path = tmp_path / "m.predfeat"
    save(SFA(2, n_steps=3).partial_fit(series()), path)

    def other(fields):
        fields.update(estimator="LPP", parameters={})

    path.write_bytes(forged(path.read_bytes(), change_fields=other))
    with pytest.raises(ModelFileError, match="fitted numbers are not those of LPP"):
        load(path)
