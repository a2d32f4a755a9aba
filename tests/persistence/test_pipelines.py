"""Model files of pipelines: each step comes back as from a file of its own, or all is refused."""

import contextlib
import json
import os
import random
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzing.model_files import DAMAGE, change_array, change_json
from model_forging import differences, forged, members_of, series
from predfeat import GPFA, SFA, Expanded, SymbolFeatures, load, read_header, save
from predfeat.exceptions import ModelFileError
from predfeat.features import FewChannels, Patches, SpectralRegression
from predfeat.persistence._array_names import is_repeatable, own_name

IMAGE = {"image_shape": (4, 6), "patch": 2}
PATCHES = Patches(GPFA(2, n_neighbors=4, max_iter=2, init=np.eye(4)[:, :3]), stride=(2, 1), **IMAGE)
UPPER = Patches(SFA(2), image_shape=(2, 5, 2), patch=(2, 1))
MODELS = {
    "hierarchy": make_pipeline(PATCHES, UPPER, GPFA(2, n_neighbors=4, max_iter=3)),
    "named": Pipeline([("patches", Patches(SFA(1), **IMAGE)), ("µ.0 ", SFA(2))], verbose=False),
    "one step": make_pipeline(GPFA(2, n_neighbors=4, max_iter=2, init=np.eye(24)[:, :2])),
    "passing": Pipeline([("a", None), ("b", SFA(3)), ("c", "passthrough"), ("d", SFA(1))]),
    "all kinds": make_pipeline(
        SFA(4),
        Expanded(SFA(3), "quadratic"),
        SpectralRegression(2, regressor=FewChannels(2), n_neighbors=4, max_iter=1),
        SFA(1),
    ),
}
each = pytest.mark.parametrize("name", MODELS)


def frames(seed=0):
    X = np.random.default_rng(seed).normal(size=(80, 24)).cumsum(axis=0)
    X[40, 3] = np.nan
    return X


def fitted(name, X=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 80 rows are few: their features need not be good
        return clone(MODELS[name]).fit(frames() if X is None else X)


def require_same(one, other):
    """Check that two pipelines share everything, to the bit."""
    assert type(one) is type(other) is Pipeline
    assert [name for name, _ in one.steps] == [name for name, _ in other.steps]
    for (_, first), (_, second) in zip(one.steps, other.steps, strict=True):
        if first is None or isinstance(first, str):
            assert first == second
        else:
            assert differences(first, second) == []
    rest = [{n: v for n, v in vars(each).items() if n != "steps"} for each in (one, other)]
    assert rest[0] == rest[1]


@each
@pytest.mark.parametrize("named", [False, True], ids=["array", "frame"])
def test_everything_comes_back_to_the_bit(name, named, tmp_path):
    X = pd.DataFrame(frames(), columns=[f"pixel {i}" for i in range(24)]) if named else frames()
    model = fitted(name, X)
    save(model, tmp_path / "m", notes={"a": 1})
    again, header = load(tmp_path / "m"), read_header(tmp_path / "m")
    require_same(again, model)
    assert repr(again) == repr(model)
    assert again.transform(X).tobytes() == model.transform(X).tobytes()
    assert (header.estimator, header.n_columns) == ("Pipeline", 24)
    assert header.columns == (tuple(X.columns) if named else None)
    assert hasattr(again, "feature_names_in_") == (named and name != "passing")
    save(again, tmp_path / "again", notes={"a": 1})
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    # It is a plain pipeline, which can be fitted again.
    assert_refitted(again, name)


def assert_refitted(again, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        refitted = again.fit(frames(1))
    assert refitted.transform(frames(1)).tobytes() == (
        fitted(name, frames(1)).transform(frames(1)).tobytes()
    )


@each
def test_inside_is_what_the_files_of_the_steps_hold(name, tmp_path):
    model = fitted(name)
    save(model, tmp_path / "m")
    members = members_of((tmp_path / "m").read_bytes())
    outer = json.loads(members.pop("model.json"))
    names = []
    for number, (word, step) in enumerate(model.steps):
        given = outer["parameters"]["steps"][number]
        fact = outer["fitted"]["steps"][number]
        assert given["name"] == word
        if step is None or isinstance(step, str):
            assert (given["parameters"], fact) == (step, None)
            continue
        save(step, tmp_path / "step", overwrite=True)
        own = members_of((tmp_path / "step").read_bytes())
        inner = json.loads(own.pop("model.json"))
        assert given["parameters"] == inner["parameters"]
        assert fact == {key: inner[key] for key in ("estimator", "n_columns", "fitted")}
        for member, content in own.items():
            names.append(f"steps.{number}.{member}")
            assert members[names[-1]] == content
    assert list(members) == names


def test_features_of_symbols_can_be_the_first_step(tmp_path):
    symbols = list("abcacbabcbacabcab" * 10)
    model = make_pipeline(SymbolFeatures(2), GPFA(1, n_neighbors=3, max_iter=2)).fit(symbols)
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    require_same(again, model)
    assert again.transform(symbols).tobytes() == model.transform(symbols).tobytes()
    # Counts are checked here as in a file of its own.
    model[0].counts_[0] = 0
    with pytest.raises(ModelFileError, match="counts_ holds numbers that are no counts"):
        save(model, tmp_path / "bad")


def test_names_that_set_output_gives_within_are_not_kept(tmp_path):
    X = pd.DataFrame(frames(), columns=[f"pixel {i}" for i in range(24)])
    model = clone(MODELS["named"]).set_output(transform="pandas").fit(X)
    assert list(model[1].feature_names_in_)[:1] == ["patches0"]
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert list(again.feature_names_in_) == list(X.columns)
    assert not hasattr(again[1], "feature_names_in_")
    # Warnings are errors: nothing expects names that nobody gives.
    assert again.transform(X).tobytes() == model.transform(X).to_numpy().tobytes()


@pytest.mark.parametrize("verbose", [True, np.True_])
def test_settings_that_can_be_kept_are(verbose, tmp_path):
    model = fitted("one step").set_params(verbose=verbose)
    save(model, tmp_path / "m")
    assert load(tmp_path / "m").verbose is True


# Fingerprints


def fingerprint(model, path):
    save(model, path, overwrite=True)
    return read_header(path).fingerprint


def test_the_fingerprint_is_that_of_the_training(tmp_path):
    path = tmp_path / "m"
    first = fingerprint(fitted("hierarchy"), path)
    other = fitted("hierarchy")
    other[2].history_["seconds"] += 1.0  # another machine's time
    other[0].estimator_.history_["seconds"] += 1.0
    assert fingerprint(other, path) == first
    other.set_params(gpfa__n_jobs=2, verbose=True)
    other.set_params(**{"patches-1__estimator__init": "input"})
    assert fingerprint(other, path) == first
    other.steps = [("a", other[0]), ("b", other[1]), ("c", other[2])]
    assert fingerprint(other, path) == first
    other[0].mean_[0] += 1.0
    assert fingerprint(other, path) != first
    assert fingerprint(fitted("hierarchy", frames(1)), path) != first


def test_a_start_is_a_parameter_of_the_step_and_no_result(tmp_path):
    model = fitted("one step")
    first = fingerprint(model, tmp_path / "m")
    assert "steps.0.init" in {entry.name for entry in read_header(tmp_path / "m").arrays}
    assert fingerprint(model.set_params(gpfa__init=np.eye(24)[:, :3]), tmp_path / "m") == first


@pytest.mark.parametrize(
    ("name", "own", "repeatable"),
    [
        ("mean_", "mean_", True),
        ("init", "init", False),
        ("history_.seconds", "history_.seconds", False),
        ("history_.angle", "history_.angle", True),
        ("estimator.init", "estimator.init", False),
        ("estimator_.history_.seconds", "history_.seconds", False),
        ("steps.0.mean_", "mean_", True),
        ("steps.12.init", "init", False),
        ("steps.0.estimator.init", "estimator.init", False),
        ("steps.0.estimator_.history_.seconds", "history_.seconds", False),
        ("steps.0.estimator_.history_.angle", "history_.angle", True),
        ("steps.0.layers_.1.mean", "layers_.1.mean", True),
    ],
)
def test_what_the_names_of_arrays_say(name, own, repeatable):
    assert own_name(name) == own
    assert is_repeatable(name) == repeatable


# Refusals


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            make_pipeline(StandardScaler(), SFA()),
            r"step 'standardscaler' .* a StandardScaler, .*one of GPFA, SFA, .*what comes after it,"
            r" save\(pipeline\[-1\], path\)",
        ),
        (make_pipeline(StandardScaler(), SFA(3), SFA()), r"save\(pipeline\[1:\], path\)"),
        (
            make_pipeline(SFA(3), PCA(2)),
            r"'pca' .* Save a predfeat step, save\(pipeline\[0\], path",
        ),
        (make_pipeline(StandardScaler(), PCA(2)), r"keeps steps that are one of .*Save predfeat's"),
        (
            make_pipeline(make_pipeline(SFA(3)), SFA()),
            r"is a Pipeline, .*one pipeline that has its",
        ),
        (make_pipeline(FeatureUnion([("a", SFA())])), r"'featureunion' .* is a FeatureUnion"),
        (
            Pipeline([("a", "passthrough"), ("b", None)]),
            r"no step of this pipeline is an estimator",
        ),
    ],
    ids=["first", "slice", "last", "none", "nested", "union", "passing"],
)
def test_foreign_steps_are_refused_with_what_is_possible(model, message, tmp_path):
    model = clone(model).fit(np.nan_to_num(frames()))
    with pytest.raises(ModelFileError, match=message) as caught:
        save(model, tmp_path / "m")
    assert os.listdir(tmp_path) == []
    found = re.search(r"save\((pipeline\[.*\]), path\)", str(caught.value))
    if found:  # what the message proposes is possible
        save(eval(found[1], {"pipeline": model}), tmp_path / "m")
        load(tmp_path / "m")


class Mine(SFA):
    """A method that a file cannot name."""


class MyPipeline(Pipeline):
    """A pipeline that may do something else."""


def test_a_class_is_not_known_by_its_parents(tmp_path):
    model = make_pipeline(Mine(2)).fit(frames())
    with pytest.raises(ModelFileError, match="'mine' of this pipeline is a Mine"):
        save(model, tmp_path / "m")
    model = MyPipeline([("sfa", SFA())]).fit(frames())
    with pytest.raises(ModelFileError, match=r"or a pipeline of these, not a MyPipeline\."):
        save(model, tmp_path / "m")


def test_a_step_that_cannot_be_kept_is_named(tmp_path):
    model = fitted("hierarchy").set_params(gpfa__theiler=2**70)
    with pytest.raises(
        ModelFileError, match=r"step 'gpfa' cannot be saved: .* 71 bits.*set_params"
    ):
        save(model, tmp_path / "m")
    with pytest.raises(NotFittedError):
        save(clone(MODELS["hierarchy"]), tmp_path / "m")
    odd = Pipeline([("a", fitted("named")[0]), ("b", fitted("named")[1].fit(series()))])
    with pytest.raises(
        ModelFileError, match=r"step 1, 'b' has 5 columns, but gets 6\. Fit it anew"
    ):
        save(odd, tmp_path / "m")


@pytest.mark.parametrize(("name", "value"), [("memory", "cache"), ("transform_input", ["y"])])
def test_settings_that_cannot_be_kept_are_refused(name, value, tmp_path):
    model = fitted("one step").set_params(**{name: value})
    message = rf"pipeline has {name}=.*{name}=None\); what was fitted stays"
    with pytest.raises(ModelFileError, match=message):
        save(model, tmp_path / "m")
    save(model.set_params(**{name: None}), tmp_path / "m")


# Forged files


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A pipeline as it was loaded, and the bytes of its file."""
    path = tmp_path_factory.mktemp("good") / "m"
    model = Pipeline([("patches", fitted("hierarchy")[0]), ("no", None)])
    last = GPFA(2, n_neighbors=4, max_iter=2, init="pca").fit(model.transform(frames()))
    model.steps.append(("gpfa", last))
    for history in (last.history_, model[0].estimator_.history_):
        history["seconds"][:] = 0.25  # never the same twice
    save(model, path)
    return load(path), path.read_bytes()


def change(*keys, to):
    def edit(fields):
        at = fields
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = to

    return edit


def steps_of(part, number, *keys, to):
    return change(part, "steps", number, *keys, to=to)


def many(fields):
    fields["parameters"]["steps"] += [{"name": f"s{i}", "parameters": None} for i in range(98)]
    fields["fitted"]["steps"] += [None] * 98


def exchange(fields):
    arrays = fields["arrays"]
    arrays[0], arrays[1] = arrays[1], arrays[0]
    arrays[0], arrays[-1] = arrays[-1], arrays[0]


def repeat(fields):
    fields["arrays"].append(fields["arrays"][-1])


def stray(fields):
    fields["arrays"].append({**fields["arrays"][-1], "name": "steps.1.mean_"})


def empty(fields):
    fields["parameters"]["steps"] = [{"name": "a", "parameters": None}]
    fields["fitted"]["steps"] = [None]
    fields["arrays"] = []


def narrower(fields):
    """Cut the last step down to columns that the one before does not give."""
    fields["fitted"]["steps"][2]["n_columns"] = 7


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change("parameters", "memory", to="cache"), "the parts are not those of a pipeline"),
        (change("parameters", to={"steps": []}), "the parts are not those of a pipeline"),
        (change("fitted", "more", to=1), "the parts are not those of a pipeline"),
        (change("parameters", "verbose", to=1), "verbose is neither true nor false"),
        (change("parameters", "steps", to={}), "steps is no list of steps"),
        (change("fitted", "steps", to=[]), "steps is no list of steps"),
        (many, "there are 101 steps, and in a model file at most 100"),
        (steps_of("parameters", 0, to="SFA"), "steps holds 'SFA', which is no step"),
        (steps_of("parameters", 0, "more", to=1), "which is no step"),
        (steps_of("parameters", 0, "name", to=3), "is called 3, which is no name"),
        (steps_of("parameters", 0, "name", to="a__b"), "called 'a__b', which a pipeline has"),
        (steps_of("parameters", 0, "name", to="memory"), "called 'memory', which a pipeline has"),
        (steps_of("parameters", 0, "name", to="gpfa"), "several steps have the same name"),
        (steps_of("parameters", 1, "parameters", to={}), "the step 'no' has no fitted part"),
        (steps_of("parameters", 1, "parameters", to="drop"), "the step 'no' has no fitted part"),
        (steps_of("parameters", 0, "parameters", to=None), "'patches' is no fitted estimator"),
        (steps_of("fitted", 0, to=None), "the step 'patches' has no fitted part"),
        (steps_of("fitted", 0, to=[]), "'patches' is no fitted estimator"),
        (steps_of("fitted", 0, "fitted", to=[]), "'patches' is no fitted estimator"),
        (steps_of("fitted", 0, "n_columns", to=True), "'patches' is no fitted estimator"),
        (steps_of("fitted", 0, "estimator", to="Pipeline"), "a 'Pipeline', which is none of GPFA"),
        (steps_of("fitted", 0, "estimator", to="PCA"), "is a 'PCA', which is none of GPFA"),
        (steps_of("fitted", 2, "estimator", to="SFA"), "step 2, 'gpfa': SFA has no parameter"),
        (steps_of("fitted", 2, "fitted", "rank_", to=0), "step 2, 'gpfa': rank_ is no count"),
        (
            steps_of("fitted", 0, "n_columns", to=25),
            "step 0, 'patches' has 25 columns, but gets 24",
        ),
        (narrower, "step 2, 'gpfa' has 7 columns, but gets 20"),
        (change("n_columns", to=25), "step 0, 'patches' has 24 columns, but gets 25"),
        (change("columns", to=["a"]), "step 0, 'patches': 1 column names are given for 24"),
        (steps_of("parameters", 0, "parameters", "stride", to=[5, 1]), "do not fit together"),
        (exchange, "the arrays are not those of the steps, in their order"),
        (repeat, "the arrays are not those of the steps, in their order"),
        (stray, "the arrays are not those of the steps, in their order"),
        (change("arrays", to=[]), "step 0, 'patches': the arrays are not those of this Patches"),
        (change("arrays", 0, "shape", to=[7]), r"'patches': mean_ has shape \(7,\)"),
        (empty, "there is no step that was fitted"),
    ],
)
def test_what_does_not_fit_together_is_refused(edit, message, good, tmp_path):
    (tmp_path / "bad").write_bytes(forged(good[1], edit))
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "bad")


def test_numbers_of_steps_are_checked_as_those_of_other_files(good, tmp_path):
    def spoil(members):
        for name in ("steps.0.estimator_.history_.angle.npy", "steps.2.history_.angle.npy"):
            content = bytearray(members[name])
            content[-8:] = np.float64(np.inf).tobytes()
            members[name] = bytes(content)

    (tmp_path / "bad").write_bytes(forged(good[1], change_members=spoil))
    with pytest.raises(ModelFileError, match=r"steps.0.estimator_.history_.angle holds 1 NaN or"):
        load(tmp_path / "bad")


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_files_are_refused_or_give_the_identical_pipeline(kind, good, tmp_path):
    model, data = good
    path = tmp_path / "m"
    for seed in range(25):
        path.write_bytes(DAMAGE[kind][0](data, random.Random(seed)))
        with contextlib.suppress(ModelFileError):
            require_same(load(path), model)


@pytest.mark.parametrize("change", [change_json, change_array], ids=["json", "array"])
def test_forged_files_are_refused_or_give_a_working_pipeline(change, good, tmp_path):
    _, data = good
    path, n_loaded, n_steps = tmp_path / "m", 0, 200
    for seed in range(n_steps):
        path.write_bytes(change(data, random.Random(seed)))
        try:
            model = load(path)
        except ModelFileError:
            continue
        n_loaded += 1
        assert type(model) is Pipeline
        with np.errstate(over="ignore", invalid="ignore"):  # a forged 1e300 may overflow
            features = model.transform(frames()[:30])
        assert features.shape == (30, len(model.get_feature_names_out()))
        assert repr(model)
    # The digests really match: many forged files get as far as being a model.
    assert n_steps / 20 < n_loaded < 3 * n_steps / 4
