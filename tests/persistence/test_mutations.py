"""Two thousand seeded mutations: the identical model or the named error, and nothing else.

Where a forger also made the digests match, a different but valid model may come back; it must work.
"""

import os
import pickle
import random
import tracemalloc
from collections import Counter

import pytest

from fuzzing.cases import MARKER
from fuzzing.hostile import Payload
from fuzzing.model_files import DAMAGE, FORGERY, model_with_everything, require_working
from model_forging import differences
from predfeat import load, read_header, save
from predfeat.exceptions import ModelFileError

MOST_BYTES = 50e6  # the file has four thousand; five hundred million are allowed


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A model with everything a file can hold, and its bytes."""
    path = tmp_path_factory.mktemp("good") / "m.predfeat"
    model, notes = model_with_everything()
    save(model, path, notes=notes)
    return load(path), path.read_bytes()


def outcomes(mutate, count, data, path, check):
    """Return how often mutated files were loaded and refused."""
    found = Counter()
    for seed in range(count):
        mutated = mutate(data, random.Random(seed))
        path.write_bytes(mutated)
        found["unchanged"] += mutated == data
        loaded = loaded_or_error(path)
        if isinstance(loaded, ModelFileError):
            assert str(path) in str(loaded)
            assert len(str(loaded)) < 1000
            found["refused"] += 1
        else:
            read_header(path)
            check(loaded)
            found["loaded"] += 1
    return found


def loaded_or_error(path):
    """Load a file, watching memory; any error but the named one goes through."""
    tracemalloc.start()
    try:
        return load(path)
    except ModelFileError as error:
        return error
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MOST_BYTES


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """A place for the file in a directory in which no marker may appear."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "mutated.predfeat"
    assert os.listdir(tmp_path) == ["mutated.predfeat"]


def test_there_are_two_thousand():
    assert sum(count for _, count in [*DAMAGE.values(), *FORGERY.values()]) == 2000


def test_the_payload_is_live(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pickle.loads(pickle.dumps(Payload()))
    assert os.listdir(tmp_path) == [MARKER]


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_files_are_refused_or_give_the_identical_model(kind, good, watched):
    model, data = good
    mutate, count = DAMAGE[kind]

    def check(loaded):
        assert differences(loaded, model) == []

    found = outcomes(mutate, count, data, watched, check)
    # The form is canonical: what loads is the file itself.
    assert found["loaded"] == found["unchanged"] < count / 10
    assert found["loaded"] + found["refused"] == count


@pytest.mark.parametrize("kind", FORGERY)
def test_forged_files_are_refused_or_give_a_working_model(kind, good, watched):
    _, data = good
    mutate, count = FORGERY[kind]
    found = outcomes(mutate, count, data, watched, require_working)
    assert found["loaded"] + found["refused"] == count
    assert found["refused"] > count / 4
    # The digests really match: many forged files get as far as being a model.
    assert kind == "claim" or found["loaded"] > count / 20
