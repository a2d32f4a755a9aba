"""`predfeat fit` of long files, which are read block by block."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from predfeat import SFA, load
from predfeat.series import _rows, open_rows

pytestmark = pytest.mark.usefixtures("small_blocks")

X = np.random.default_rng(0).normal(size=(300, 3)).cumsum(axis=0)
DAYS = np.repeat(["a", "b"], 150)


@pytest.fixture
def files(tmp_path):
    np.save(tmp_path / "x.npy", X)
    table = pa.table({**dict(zip("abc", X.T, strict=True)), "day": DAYS})
    parquet.write_table(table, tmp_path / "x.parquet")
    (tmp_path / "parts").mkdir()
    np.save(tmp_path / "parts" / "1.npy", X[:150])
    np.save(tmp_path / "parts" / "2.npy", X[150:])
    return tmp_path


@pytest.fixture
def never_whole(monkeypatch):
    """Let no series be read at once."""

    def refuse(*_):
        raise AssertionError("all rows were read at once")

    monkeypatch.setattr(_rows.Rows, "whole", refuse)
    monkeypatch.setattr("predfeat.datasets.read", refuse)


SFA_OF = ("--method", "sfa", "--n-components", 2, "--out")


@pytest.mark.usefixtures("never_whole")
def test_long_files_are_fitted_in_blocks(files, run_main):
    apart = SFA().fit(open_rows(files / "x.npy", groups=DAYS)).components_
    joined = SFA().fit(open_rows(files / "x.npy")).components_
    cases = {
        (files / "x.npy",): joined,
        (files / "parts",): apart,
        (files / "parts" / "1.npy", files / "parts" / "2.npy"): apart,
        (files / "x.parquet", "-c", "a", "-c", "b", "-c", "c"): joined,
        (files / "x.parquet", "-c", "a", "-c", "b", "-c", "c", "--group", "day"): apart,
    }
    for number, (given, components) in enumerate(cases.items()):
        out = files / f"{number}.predfeat"
        code, _, said = run_main("fit", *given, *SFA_OF, out)
        assert code == 0, said
        assert said.startswith("SFA: 2 feature(s) of ")
        assert np.array_equal(load(out).components_, components), given


def test_a_model_of_blocks_transforms_like_any_other(files, run_main):
    out, features = files / "m.predfeat", files / "y.npy"
    columns = ("-c", "c", "-c", "a")
    assert run_main("fit", files / "x.parquet", *columns, *SFA_OF, out)[0] == 0
    assert run_main("transform", out, files / "x.parquet", "--out", features)[0] == 0
    np.testing.assert_allclose(np.load(features), load(out).transform(X[:, [2, 0]]), atol=1e-12)


@pytest.mark.usefixtures("never_whole")
def test_the_number_of_features_is_chosen_as_ever(files, run_main):
    assert run_main("fit", files / "x.npy", "-m", "pfa", "-o", files / "m.predfeat")[0] == 0
    assert load(files / "m.predfeat").n_components == 2  # one less than there are columns


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["x.npy", "--method", "foreca"], "needs all rows at once"),
        (["x.npy", "--max-rows", "50"], "--max-rows needs all rows at once"),
        (["x.parquet", "--time", "day"], "--time needs all rows at once"),
        (["x.csv"], r"it is for \.npy and \.parquet files"),
        (["short.npy"], "20 rows are few enough"),
        (["wide.npy", "--method", "sfa"], "Give --pca-components"),
    ],
)
def test_a_cluster_that_would_not_be_used_is_refused(
    files, run_main, monkeypatch, arguments, problem
):
    (files / "x.csv").write_text("a,b\n1,2\n")
    np.save(files / "short.npy", X[:20])
    np.save(files / "wide.npy", np.zeros((200, 60)))
    monkeypatch.setattr("predfeat.cli._fit._fit_in_blocks", None)
    monkeypatch.setattr("predfeat.series.open_cluster", FakeCluster)
    first, *others = arguments
    code, _, err = run_main("fit", files / first, *others, "--cluster", "tcp://somewhere:1")
    assert code == 2
    assert problem.replace("\\", "") in " ".join(err.replace("│", " ").split())


def test_a_cluster_that_does_not_answer_is_an_error_of_the_user(files, run_main, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("predfeat.series._cluster._SECONDS_TO_CONNECT", 0.3)
    code, _, err = run_main("fit", files / "x.npy", "--cluster", "tcp://127.0.0.1:9")
    assert code == 2
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9' within 0.3 seconds" in err


class FakeCluster:
    """A connection that is never used."""

    def __init__(self, address):
        self.address = address

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass
