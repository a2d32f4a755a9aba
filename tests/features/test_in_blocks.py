"""Fits that read a series block by block, beside fits of the same series at once."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from predfeat import DCA, GPFA, PFA, SFA
from predfeat.exceptions import (
    ConstantColumnsWarning,
    DataFileError,
    GroupsError,
    NotEnoughMemoryError,
    RankError,
    ShortSequencesError,
    TooFewStatesError,
)
from predfeat.features import _block_graphs, _in_blocks
from predfeat.graph import Adjacent, Future, Past
from predfeat.measures import left_open
from predfeat.series import check_blocks, check_sequences, open_rows
from predfeat.whitening import fit_whitening

N_ROWS = 400


def series(seed=0, n_columns=4):
    """Return rows with a slow column, gaps, and two sequences whose border is inside a block."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N_ROWS, n_columns)) @ random.normal(size=(n_columns, n_columns))
    X[:, 0] += 3 * np.sin(0.1 * np.arange(N_ROWS))
    X[[63, 64, 200]] = np.nan
    return X, np.repeat([0, 1], [250, 150])


# All centres but a few: both ways then find nearly the same graph, and with a sample they draw the
# same centres.
FITS = {
    "SFA": SFA(n_steps=3),
    "PFA": PFA(n_lags=2, horizon=2, n_repeats=2),
    "GPFA": GPFA(n_lags=2, n_neighbors=4, n_centers=100, theiler=2, max_iter=3),
    "full, weighted": GPFA(
        graph="full", weighting="inverse_spread", n_neighbors=4, n_centers=80, max_iter=3
    ),
    "horizon, averaged": GPFA(
        horizon=3, past=False, n_averaged=2, n_neighbors=4, n_centers=80, max_iter=4, tol=0
    ),
    "terms": GPFA(
        terms=[Future("full"), Past(weight=0.5)], n_neighbors=4, n_centers=80, max_iter=2
    ),
    "pca": GPFA(init="pca", n_neighbors=4, n_centers=80, max_iter=2, n_intermediate=3),
    "sfa": GPFA(init="sfa", n_neighbors=4, n_centers=80, max_iter=2),
    "slow_fast": GPFA(init="slow_fast", n_neighbors=4, n_centers=80, max_iter=2),
    "pfa": GPFA(init="pfa", n_neighbors=4, n_centers=80, max_iter=2),
    "given": GPFA(init=np.eye(4)[:2].T, n_neighbors=4, n_centers=80, max_iter=2),
    "few axes": GPFA(pca_components=3, n_neighbors=4, n_centers=80, max_iter=2),
}


@pytest.mark.parametrize("name", FITS)
def test_blocks_give_the_features_of_the_whole_series(name, tmp_path, request):
    model, (X, groups) = FITS[name], series()
    at_once = model.fit(X, groups=groups).components_
    eigenvalues = model.eigenvalues_
    request.getfixturevalue("small_blocks")
    in_blocks = model.fit(X, groups=groups).components_
    # Sums in another order: rounding, times what the eigenvectors make of it.
    np.testing.assert_allclose(in_blocks, at_once, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.eigenvalues_, eigenvalues, rtol=1e-9)
    np.save(tmp_path / "x.npy", X)
    from_file = model.fit(open_rows(tmp_path / "x.npy", groups=groups)).components_
    assert np.array_equal(from_file, in_blocks)
    assert not np.array_equal(in_blocks, at_once)  # it was another way


@pytest.mark.usefixtures("small_blocks")
def test_every_source_gives_the_same_bits(tmp_path):
    da = pytest.importorskip("dask.array")
    X, groups = series()
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "parts").mkdir()
    for number, part in enumerate(np.split(X, [70, 130, 340])):
        np.save(tmp_path / "parts" / f"{number}.npy", part)
    table = pa.table({**dict(zip("abcd", X.T, strict=True)), "id": groups})
    parquet.write_table(table, tmp_path / "x.parquet", row_group_size=90)
    inputs = {
        "array": (X, groups),
        "Fortran order": (np.asfortranarray(X), groups),
        "list": (X.tolist(), groups),
        "frame": (pd.DataFrame(X), groups),
        "memory map": (np.load(tmp_path / "x.npy", mmap_mode="r"), groups),
        "file": (open_rows(tmp_path / "x.npy", groups=groups), None),
        "folder": (open_rows(tmp_path / "parts", groups=groups), None),
        "parquet": (open_rows(tmp_path / "x.parquet", groups="id"), None),
        "dask": (da.from_array(X, chunks=(37, 3)), groups),
    }
    for model in (SFA(), PFA(n_lags=2), FITS["GPFA"]):
        expected = model.fit(X, groups=groups).components_
        for name, (given, ids) in inputs.items():
            assert np.array_equal(model.fit(given, groups=ids).components_, expected), name
            assert model.n_features_in_ == 4
    assert hasattr(SFA().fit(inputs["parquet"][0]), "feature_names_in_")


@pytest.mark.usefixtures("small_blocks")
def test_threads_do_not_change_a_bit():
    X, groups = series()
    model = FITS["GPFA"]
    one = model.set_params(n_jobs=1).fit(X, groups=groups).components_
    assert np.array_equal(model.set_params(n_jobs=2).fit(X, groups=groups).components_, one)


@pytest.mark.usefixtures("small_blocks")
def test_a_graph_of_many_centres_is_projected_in_parts(monkeypatch):
    X, groups = series()
    model = FITS["GPFA"]
    at_once = model.fit(X, groups=groups).components_
    monkeypatch.setattr(_block_graphs, "_NUMBERS_AT_ONCE", 10 * 5 * 4 * 2)  # ten centres
    in_parts = model.fit(X, groups=groups).components_
    np.testing.assert_allclose(in_parts, at_once, rtol=0, atol=1e-9)  # sums in another order


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("pca_components", [None, 2, 0.9])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_whitening_in_blocks_is_as_accurate_as_at_once(pca_components, offset):
    random = np.random.default_rng(0)
    # A second pass is needed: variances reach from 1 to 1e-10.
    X = random.normal(size=(N_ROWS, 5)) * [1, 1e-2, 1e-3, 1e-4, 1e-5]
    X = X @ random.normal(size=(5, 5)) + offset
    X[100:170] = np.nan  # more than a block
    whole = check_sequences(X)
    at_once = fit_whitening(whole, pca_components)
    in_blocks = fit_whitening(check_blocks(open_rows(X)), pca_components)
    assert in_blocks.rank == at_once.rank
    np.testing.assert_allclose(in_blocks.mean, at_once.mean, rtol=1e-14, atol=1e-14)
    white = in_blocks.apply(whole).samples
    # Beside an offset the numbers themselves have lost digits; neither way can find them again.
    tolerance = 1e-9 if offset == 0 else 1e-6
    np.testing.assert_allclose(white.T @ white / len(white), np.eye(at_once.rank), atol=tolerance)


@pytest.mark.usefixtures("small_blocks")
def test_constant_columns_are_left_out_with_a_warning():
    X, _ = series()
    X[:, 2] = 7.0
    with pytest.warns(ConstantColumnsWarning, match="1 of 4 column") as given:
        model = SFA().fit(X)
    assert given[0].message.columns == (2,)
    assert np.all(model.components_[:, 2] == 0.0)


@pytest.mark.usefixtures("small_blocks")
def test_transform_in_blocks_is_transform(tmp_path):
    da = pytest.importorskip("dask.array")
    X, groups = series()
    model = SFA().fit(X, groups=groups)
    features = model.transform(X)
    np.testing.assert_allclose(features, (X - model.mean_) @ model.components_.T, atol=1e-12)
    np.save(tmp_path / "x.npy", X)
    assert np.array_equal(model.transform(open_rows(tmp_path / "x.npy")), features, equal_nan=True)
    lazy = model.transform(da.from_array(X, chunks=(90, 2)))
    assert isinstance(lazy, da.Array)
    assert lazy.shape == features.shape
    assert np.array_equal(lazy.compute(), features, equal_nan=True)
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.transform(da.from_array(X[:, :3]))
    with pytest.raises(ValueError, match="X has 3 features, but SFA is expecting 4"):
        model.transform(open_rows(X[:, :3]))


@pytest.mark.usefixtures("small_blocks")
def test_score_and_measures_take_rows(tmp_path):
    X, groups = series()
    model = SFA().fit(X, groups=groups)
    np.save(tmp_path / "x.npy", X)
    rows = open_rows(tmp_path / "x.npy", groups=groups)
    assert model.score(rows) == model.score(X, groups=groups)
    assert left_open(rows).total() == left_open(X, groups=groups).total()


@pytest.mark.usefixtures("small_blocks")
def test_features_of_a_row_do_not_depend_on_its_place():
    random = np.random.default_rng(0)
    rows, directions = random.normal(size=(1500, 7)), random.normal(size=(7, 3))
    mean = random.normal(size=7)
    whole = _in_blocks.mapped(rows, mean, directions)
    for start in (1, 2, 3, 1023, 1400):
        assert np.array_equal(_in_blocks.mapped(rows[start:], mean, directions), whole[start:])


@pytest.mark.usefixtures("small_blocks")
def test_equal_rows_have_neighbours_in_all_blocks():
    X, _ = series()
    X[50:350] = X[0]  # silence, over several blocks
    model = GPFA(n_neighbors=4, n_centers=100, max_iter=2).fit(X)
    assert np.all(np.isfinite(model.components_))


@pytest.mark.usefixtures("small_blocks")
def test_other_methods_and_terms_read_the_series_whole(tmp_path, monkeypatch):
    X, groups = series()
    np.save(tmp_path / "x.npy", X)
    rows = open_rows(tmp_path / "x.npy", groups=groups)
    others = [
        DCA(),
        GPFA(n_centers=None, n_neighbors=4, max_iter=2),
        GPFA(n_centers=90, terms=[Future(), Adjacent()], n_neighbors=4, max_iter=2),
        GPFA(n_centers=90, init="auto", n_neighbors=4, max_iter=2),
    ]
    for model in others:
        expected = model.fit(X, groups=groups).components_
        assert np.array_equal(model.fit(rows).components_, expected), model
    monkeypatch.setattr("predfeat.series._rows.available_memory", lambda: 5000)
    with pytest.raises(NotEnoughMemoryError, match="read them block by block"):
        DCA().fit(rows)
    SFA().fit(rows)


@pytest.mark.usefixtures("small_blocks")
def test_what_cannot_be_fitted_is_refused(tmp_path):
    X, groups = series()
    np.save(tmp_path / "x.npy", X)
    rows = open_rows(tmp_path / "x.npy", groups=groups)
    with pytest.raises(GroupsError, match="Give them to open_rows"):
        SFA().fit(rows, groups=groups)
    with pytest.raises(RankError, match="n_components=5 is more than the rank 4"):
        SFA(n_components=5).fit(rows)
    with pytest.raises(ShortSequencesError, match="fewer lags or steps"):
        SFA(n_steps=300).fit(rows)
    with pytest.raises(ShortSequencesError, match=r"fewer lags \(n_lags\)"):
        GPFA(n_lags=300, n_centers=80).fit(rows)
    with pytest.raises(TooFewStatesError, match=r"theiler=400 leaves the state at row .* only"):
        GPFA(n_neighbors=4, n_centers=80, theiler=400).fit(open_rows(X))
    model = SFA().fit(rows)
    (tmp_path / "x.npy").unlink()
    before = model.components_
    with pytest.raises(DataFileError, match="cannot be read here any more"):
        model.fit(rows)
    assert model.components_ is before  # the earlier fit stays
    single = np.full((200, 2), np.nan)
    single[77] = 1.0
    with pytest.raises(ShortSequencesError, match="longest stretch has 1"):
        SFA().fit(single)
