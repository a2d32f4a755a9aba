"""Two thousand seeded mutations: the identical model or the named error, and nothing else.

Where a forger also made the digests match, a different but valid model may come back; it must work.
"""

import io
import json
import os
import pickle
import random
import tracemalloc
import warnings
import zipfile
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from model_forging import ESTIMATORS, differences, forged, members_of, packed, series
from predfeat import GPFA, load, read_header, save
from predfeat.exceptions import ModelFileError

MARKER = "predfeat-was-here"
CLASSES = tuple(type(estimator) for estimator in ESTIMATORS)
MOST_BYTES = 50e6  # the file has four thousand; five hundred million are allowed


class Payload:
    """Unpickled, this makes a directory."""

    def __reduce__(self):
        return os.mkdir, (MARKER,)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A model with everything a file can hold, and its bytes."""
    path = tmp_path_factory.mktemp("good") / "m.predfeat"
    start = np.random.default_rng(0).normal(size=(5, 3))
    model = GPFA(2, n_lags=2, n_neighbors=4, max_iter=4, init=start)
    model.fit(pd.DataFrame(series(), columns=list("abcde")))
    save(model, path, notes={"source": "a.csv", "rows": [1, 2, 3]})
    return load(path), path.read_bytes()


# Bytes


def flip(data, seeded):
    changed = bytearray(data)
    for _ in range(seeded.choice([1, 1, 1, 2, 8, 64])):
        changed[seeded.randrange(len(data))] ^= seeded.randrange(1, 256)
    return bytes(changed)


def cut_or_lengthen(data, seeded):
    at, other = sorted(seeded.randrange(len(data) + 1) for _ in range(2))
    noise = seeded.randbytes(seeded.randrange(1, 100))
    return seeded.choice(
        [
            data[:at],
            data[at:],
            data[:at] + data[other:],
            data[:at] + noise + data[at:],
            data[:other] + data[at:],
            noise + data,
            data + data,
        ]
    )


# Members, in a container that is otherwise right


def rename(members, seeded):
    odd = ["../x.npy", "/etc/x", "C:\\x", "model.json", "x\0.npy", "", "MEAN_.npy", "init.npy/"]
    name = seeded.choice(list(members))
    new = seeded.choice([*odd, *members])
    return [(new if key == name else key, content) for key, content in members.items()]


def swap(members, seeded):
    pairs = list(members.items())
    i, j = seeded.sample(range(len(pairs)), 2)
    if seeded.random() < 0.5:
        pairs[i], pairs[j] = pairs[j], pairs[i]
    else:
        pairs[i], pairs[j] = (pairs[i][0], pairs[j][1]), (pairs[j][0], pairs[i][1])
    return pairs


def add_or_repeat(members, seeded):
    pairs = list(members.items())
    further = ("more.npy", seeded.choice(pairs)[1])
    pairs.insert(seeded.randrange(len(pairs) + 1), seeded.choice([*pairs, further]))
    return pairs


def remove(members, seeded):
    pairs = list(members.items())
    for _ in range(seeded.randrange(1, 4)):
        pairs.pop(seeded.randrange(len(pairs)))
    return pairs


def nest(members, seeded):
    inner = packed(members)
    name = seeded.choice(list(members))
    outer = [(key, inner if key == name else content) for key, content in members.items()]
    return seeded.choice([outer, [("model.json", inner)], [("model.predfeat", inner)]])


def repack(pairs, seeded):
    """Write members, repeated names included, in our form or by Python's zipfile."""
    if len({name for name, _ in pairs}) == len(pairs) and seeded.random() < 0.7:
        return packed(dict(pairs))
    stream = io.BytesIO()
    method = seeded.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.simplefilter("ignore")  # names are repeated on purpose
        for name, content in pairs:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            archive.writestr(info, content)
    return stream.getvalue()


def of_members(change):
    def mutation(data, seeded):
        return repack(change(members_of(data), seeded), seeded)

    return mutation


# Contents, with digests that match


def places(value, path=()):
    """Yield the path of everything in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


ODD = [None, True, False, -1, 0, 1, 2, 3, 7, 2**31, 2**62, 2**70, 0.5, 1.0, -0.0, 1e308]
ODD += ["", "x", "input", "star", "SFA", "init", "../x", [], [1], [[[[]]]], {}, {"array": "init"}]


def change_json(data, seeded):
    def change(fields):
        for _ in range(seeded.choice([1, 1, 2, 5])):
            *path, last = seeded.choice([place for place in places(fields) if place])
            holder = fields
            for key in path:
                holder = holder[key]
            value = seeded.choice([*ODD, holder[last]])
            if seeded.random() < 0.1:
                del holder[last]
            elif seeded.random() < 0.1 and isinstance(holder, dict):
                holder[seeded.choice(["more", "n_lags", "a" * 100])] = value
            elif isinstance(holder[last], int) and seeded.random() < 0.5:
                holder[last] += seeded.randrange(-2, 3)
            else:
                holder[last] = json.loads(json.dumps(value))

    return forged(data, change)


def change_array(data, seeded):
    def change(members):
        name = seeded.choice([name for name in members if name.endswith(".npy")])
        array = np.nan_to_num(np.load(io.BytesIO(members[name])))
        odd = np.array(seeded.choice([0.0, -0.0, 1.5, np.nan, np.inf, 1e300, 5e-324]))
        spoilt = array.copy(order="K")
        spoilt.flat[seeded.randrange(array.size)] = odd
        objects = np.array([Payload()] * array.size, dtype=object).reshape(array.shape)
        stream = io.BytesIO()
        chosen = [
            *[spoilt] * 4,
            array.astype(seeded.choice(["<f4", ">f8", "<c16", "<i8", "S8", "<M8[s]"])),
            array.T.copy(),
            array.ravel()[:-1],
            array[..., None],
            np.array(array, order="F"),
            objects,
        ]
        np.save(stream, seeded.choice(chosen), allow_pickle=True)
        raw = pickle.dumps(Payload())
        members[name] = seeded.choice([*[stream.getvalue()] * 9, raw])

    return forged(data, change_members=change)


def claim(data, seeded):
    """State lengths that are far too large, in the description and in the array's own header."""
    n = seeded.choice([2**20, 2**26, 2**31, 2**40, 2**62])

    def larger(fields):
        fields["n_columns"] = n
        for entry in fields["arrays"]:
            entry["shape"] = [n if length == 5 else length for length in entry["shape"]]

    def stated(members):
        for name in members:
            members[name] = members[name].replace(b"5), }", b"%d), }" % n)

    return forged(data, larger if seeded.random() < 0.7 else None, stated)


def plant_pickle(data, seeded):
    """Put a pickle where something might unpickle it."""
    payload = pickle.dumps(Payload(), protocol=seeded.randrange(6))
    members = members_of(data)
    name = seeded.choice([*members, "model.pkl", "data.pkl", "__main__.py"])
    return seeded.choice(
        [
            payload,
            payload + data,
            data + payload,
            repack([*{**members, name: payload}.items()], seeded),
        ]
    )


DAMAGE = {
    "flip": (flip, 500),
    "cut": (cut_or_lengthen, 250),
    "rename": (of_members(rename), 100),
    "swap": (of_members(swap), 100),
    "add": (of_members(add_or_repeat), 100),
    "remove": (of_members(remove), 100),
    "nest": (of_members(nest), 50),
    "pickle": (plant_pickle, 50),
}
FORGERY = {"json": (change_json, 450), "array": (change_array, 200), "claim": (claim, 100)}


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


def require_working(loaded):
    assert type(loaded) in CLASSES
    loaded._validate_params()
    X = series(n_columns=loaded.n_features_in_, n_rows=30)
    names = getattr(loaded, "feature_names_in_", None)
    X = X if names is None else pd.DataFrame(X, columns=names)
    with np.errstate(over="ignore", invalid="ignore"):  # a forged 1e300 may overflow
        Y = loaded.transform(X)
        assert Y.shape == (30, len(loaded.components_))
        assert loaded.inverse_transform(np.zeros_like(Y)).shape == X.shape
    assert len(loaded.get_feature_names_out()) == Y.shape[1]
    assert repr(loaded)


@pytest.mark.parametrize("kind", FORGERY)
def test_forged_files_are_refused_or_give_a_working_model(kind, good, watched):
    _, data = good
    mutate, count = FORGERY[kind]
    found = outcomes(mutate, count, data, watched, require_working)
    assert found["loaded"] + found["refused"] == count
    assert found["refused"] > count / 4
    # The digests really match: many forged files get as far as being a model.
    assert kind == "claim" or found["loaded"] > count / 20
