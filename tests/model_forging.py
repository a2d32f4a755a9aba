"""Model files taken apart, changed and put together again, with digests that match if wanted."""

import dataclasses
import hashlib
import io
import json
import re
import zipfile

import numpy as np
from sklearn.base import BaseEstimator

from predfeat import DCA, GPFA, LPP, PFA, SFA, DescentFeatures, ForeCA, RandomFeatures
from predfeat.persistence._archive import write_archive

ESTIMATORS = [
    GPFA(n_components=2, n_lags=2, n_neighbors=4, max_iter=4),
    SFA(n_components=2),
    PFA(n_components=3, n_lags=2, n_repeats=1),
    ForeCA(n_components=2, max_iter=5),
    DCA(n_components=2, n_window=3, n_starts=1),
    LPP(n_components=2, n_neighbors=4),
    DescentFeatures(n_components=2, n_neighbors=4, n_starts=1, n_sets=1),
    RandomFeatures(n_components=2, random_state=3),
]


def series(n_rows=80, n_columns=5, seed=0):
    """Slow waves in noise, with a gap."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    X[:, 1] += 2 * np.sin(0.2 * np.arange(n_rows))
    X[n_rows // 2, 0] = np.nan
    return X


def differences(one, other):
    """Return the names of all that two models do not share to the bit."""
    if type(one) is not type(other):
        return ["class"]
    first, second = bits(vars(one)), bits(vars(other))
    return sorted(key for key in first | second if first.get(key) != second.get(key))


def bits(value):
    """Return something that compares equal only for the same type, layout and bits."""
    if dataclasses.is_dataclass(value) or isinstance(value, BaseEstimator):
        return type(value), bits(vars(value))
    if isinstance(value, tuple):
        return tuple(bits(item) for item in value)
    if isinstance(value, dict):
        return {key: bits(item) for key, item in value.items()}
    if isinstance(value, np.ndarray) and value.dtype == object:
        return "names", tuple(value)
    if isinstance(value, np.ndarray):
        is_f = value.flags.f_contiguous and not value.flags.c_contiguous
        return str(value.dtype), value.shape, is_f, value.flags.writeable, value.tobytes()
    return type(value), value


def members_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members):
    """Return a zip in the only form that is read."""
    stream = io.BytesIO()
    write_archive(stream, {name: [content] for name, content in members.items()})
    return stream.getvalue()


def signed(fields):
    """Return a description whose digests match what else it says, so far as it makes sense."""
    found = [entry for entry in fields["arrays"] if _is_result(entry["name"])]
    parts = [fields["estimator"], fields["n_columns"], fields["columns"], fields["fitted"], found]
    fields["fingerprint"] = digest(parts)
    fields.pop("sha256", None)
    fields["sha256"] = digest(fields)
    return fields


def _is_result(name):
    own = re.sub(r"^steps\.[0-9]+\.", "", name)
    return own.split(".")[0].endswith("_") and own.removeprefix("estimator_.") != "history_.seconds"


def digest(value):
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def forged(data, change_fields=None, change_members=None):
    """Return a file with changed contents and digests that match them."""
    members = members_of(data)
    fields = json.loads(members["model.json"])
    if change_members is not None:
        change_members(members)
    for entry in fields["arrays"]:
        content = members.get(f"{entry['name']}.npy", b"")
        entry["sha256"] = hashlib.sha256(content).hexdigest()
    if change_fields is not None:
        change_fields(fields)
    try:
        fields = signed(fields)
    except (KeyError, TypeError, AttributeError):
        fields.pop("sha256", None)
        fields["sha256"] = digest(fields)
    return packed({**members, "model.json": json.dumps(fields).encode()})
