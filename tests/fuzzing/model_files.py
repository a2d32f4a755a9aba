"""Model files, damaged in their bytes and members, or forged with digests that match."""

import io
import pickle
import warnings
import zipfile
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd

from fuzzing.cases import Case, Wrong
from fuzzing.command_lines import command
from fuzzing.hostile import Payload, change_values, packed_by_python
from model_forging import ESTIMATORS, differences, forged, members_of, packed, series
from predfeat import GPFA, SFA, Expanded, load, read_header, save
from predfeat.exceptions import ManyColumnsWarning, ModelFileError, ScaleError
from predfeat.expansions import LandmarkKernel
from predfeat.features import Patches

# Models that hold a method; one of several layers has arrays of every layer.
HOLDERS = [
    Expanded(GPFA(n_components=2, n_neighbors=4, max_iter=3, init=np.eye(5)[:, :2])),
    Patches(SFA(n_components=2), patch=3, stride=1),
]
LAYERS = Expanded(SFA(2), LandmarkKernel(n_landmarks=6), n_layers=2, layer_components=3)
CLASSES = tuple(type(estimator) for estimator in [*ESTIMATORS, *HOLDERS])


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
    methods = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA]
    return packed_by_python(pairs, seeded.choice(methods))


def of_members(change):
    def mutation(data, seeded):
        return repack(change(members_of(data), seeded), seeded)

    return mutation


# Contents, with digests that match


ODD = [None, True, False, -1, 0, 1, 2, 3, 7, 2**31, 2**62, 2**70, 0.5, 1.0, -0.0, 1e308]
ODD += ["", "x", "input", "star", "SFA", "init", "../x", [], [1], [[[[]]]], {}, {"array": "init"}]


def change_json(data, seeded):
    return forged(data, lambda fields: change_values(fields, seeded, ODD))


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


def model_with_everything():
    """Return a model with everything a file can hold, and notes for it."""
    start = np.random.default_rng(0).normal(size=(5, 3))
    model = GPFA(2, n_lags=2, n_neighbors=4, max_iter=4, init=start)
    model.fit(pd.DataFrame(series(), columns=list("abcde")))
    model.history_["seconds"][:] = 0.25  # never the same twice
    return model, {"source": "a.csv", "rows": [1, 2, 3]}


def require_working(loaded):
    """Raise unless a model that was loaded does what a model does."""
    if type(loaded) not in CLASSES:
        raise Wrong("another class")
    loaded.check_parameters()
    X = series(n_columns=loaded.n_features_in_, n_rows=30)
    names = getattr(loaded, "feature_names_in_", None)
    X = X if names is None else pd.DataFrame(X, columns=names)
    with np.errstate(over="ignore", invalid="ignore"):  # a forged 1e300 may overflow
        try:
            Y = loaded.transform(X)
        except ScaleError:  # the power of a forged 1e300, by its name
            return
        if not isinstance(loaded, Expanded | Patches):  # they have no way back
            back = loaded.inverse_transform(np.zeros_like(Y))
            if Y.shape[1] != len(loaded.components_) or back.shape != X.shape:
                raise Wrong("features of another shape")
    if len(Y) != 30 or len(loaded.get_feature_names_out()) != Y.shape[1] or not repr(loaded):
        raise Wrong("features without names")


@cache
def _saved(folder: Path) -> dict[str, bytes]:
    """Return the bytes of a model of every class, made once in the worker's folder."""
    models = {"everything": model_with_everything()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManyColumnsWarning)  # their features need not be good
        for estimator in [*ESTIMATORS, *HOLDERS]:
            models[type(estimator).__name__] = (estimator.fit(series()), None)
        models["layers"] = (LAYERS.fit(series()), None)
    for name in ("GPFA", "DescentFeatures", "Expanded"):
        models[name][0].history_["seconds"][:] = 0.25
    contents = {}
    for name, (model, notes) in models.items():
        save(model, folder / name, notes=notes)
        contents[name] = (folder / name).read_bytes()
        (folder / name).unlink()
    return contents


def _hostile_model(draw: Random, folder: Path) -> tuple[bytes, bytes, str]:
    """Return a good model file, a bad one made of it, and how."""
    saved = _saved(folder.parent)
    name = draw.choice(["everything"] * 4 + list(saved))
    kinds = {**DAMAGE, **FORGERY}
    how = draw.choices(list(kinds), [count for _, count in kinds.values()])[0]
    if how in ("claim",):
        name = "everything"  # it looks for lengths of five
    try:
        return saved[name], kinds[how][0](saved[name], draw), f"{name}, {how}"
    except (ValueError, OverflowError):  # JSON that cannot be written down
        return saved[name], flip(saved[name], draw), f"{name}, flip"


def loading(draw: Random, folder: Path) -> Case:
    """`load` and `read_header`: the identical model, or one that works, or ModelFileError."""
    good, bad, how = _hostile_model(draw, folder)
    path = folder / "model.predfeat"
    path.write_bytes(good)
    whole = load(path)
    path.write_bytes(bad)
    is_forged = how.rpartition(" ")[2] in FORGERY

    def run() -> None:
        loaded = load(path)
        read_header(path)
        if not is_forged and differences(loaded, whole):
            raise Wrong("damage changed the model")
        require_working(loaded)

    return Case(how, run, (ModelFileError,))


def transforming(draw: Random, folder: Path) -> Case:
    """`predfeat transform` with a hostile model."""
    _, bad, how = _hostile_model(draw, folder)
    (folder / "model.predfeat").write_bytes(bad)
    pd.DataFrame(series(), columns=list("abcde")).to_csv(folder / "data.csv", index=False)
    words = ["transform", "model.predfeat", "data.csv", "--out", "features.csv"]
    return command(words, how)
