"""Patches: where they lie, one method for all of them, and layers of them."""

import numpy as np
import pytest
import sklearn
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import predfeat.features._patches as module
from predfeat import GPFA, SFA
from predfeat.exceptions import DataError, DimensionError, RankError
from predfeat.features import Patches, patch_grid
from predfeat.measures import subspace_angles
from predfeat.series import delay


def naive_patches(image, patch, stride):
    """Cut one image of (height, width, depth) into flat patches, by loops."""
    height, width = image.shape[:2]
    return [
        image[top : top + patch[0], left : left + patch[1]].ravel()
        for top in range(0, height - patch[0] + 1, stride[0])
        for left in range(0, width - patch[1] + 1, stride[1])
    ]


def waves(n_rows, shape, seed=0):
    """A wave that moves across the image, in noise."""
    random = np.random.default_rng(seed)
    place = np.indices(shape)[1].ravel()
    phase = 0.07 * np.arange(n_rows)[:, None] + 0.5 * random.normal()
    return np.sin(phase + place) + random.normal(size=(n_rows, place.size))


# --- the grid -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("image", "patch", "stride"),
    [
        ((6, 8), (2, 4), (2, 2)),
        ((5, 7, 3), (3, 3), (1, 2)),
        ((4, 4, 2), (4, 4), (1, 1)),
        ((1, 9), (1, 3), (1, 3)),
    ],
)
def test_patches_are_those_cut_by_loops(image, patch, stride):
    grid = patch_grid(int(np.prod(image)), image, patch, stride)
    values = np.random.default_rng(0).normal(size=(*image, 1)[:3])
    expected = naive_patches(values, patch, stride)
    assert grid.n_patches == len(expected)
    np.testing.assert_array_equal(values.ravel()[grid.columns], expected)


def test_short_forms():
    assert patch_grid(12).columns.tolist() == [list(range(12))]
    assert patch_grid(12, 12, 4) == patch_grid(12, (1, 12), (1, 4), (1, 4))
    assert patch_grid(64, (8, 8), 4) == patch_grid(64, (8, 8, 1), (4, 4), [4, 4])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"image_shape": (5, 5)}, r"5 × 5 with 1 number\(s\) .*25 columns, but X has 48"),
        ({"image_shape": (6, 8), "patch": 7}, "patch of 7 × 7 does not fit .*7 pixels high"),
        ({"image_shape": (6, 8), "patch": (2, 9)}, "9 pixels wide, and the image 8"),
        ({"patch": 5, "stride": 5}, "leave out the last 3 of the 48 pixels .*that fit are 1;"),
        ({"patch": 6, "stride": 4}, r"last 2 of the 48 .*that fit are 1, 2, 3, 6;"),
        ({"patch": 2, "stride": 3}, "stride of 1 × 3, patches of 1 × 2 leave out the pixels betw"),
        ({"patch": (1, 2, 3)}, r"patch must be .*\(1, 2, 3\)"),
        ({"patch": 2, "stride": (0, 1)}, r"stride must be .*\(0, 1\)"),
        ({"image_shape": (6.0, 8)}, r"image_shape must be .*\(6.0, 8\)"),
        ({"image_shape": (2, 2, 2, 6)}, r"image_shape must be .*\(2, 2, 2, 6\)"),
    ],
)
def test_grids_that_do_not_fit(given, message):
    with pytest.raises(DimensionError, match=message):
        patch_grid(48, **given)
    X = np.random.default_rng(0).normal(size=(20, 48))
    with pytest.raises(DimensionError, match=message):
        Patches(**given).fit(X)


# --- one method for all places ------------------------------------------------------------------


def test_one_patch_is_the_method_itself(seed):
    X = waves(300, (4, 5), seed) + 3
    model = Patches(GPFA(2, n_neighbors=5, max_iter=3), image_shape=(4, 5)).fit(X)
    plain = GPFA(2, n_neighbors=5, max_iter=3).fit(X)
    assert model.output_shape_ == (1, 1, 2)
    # Up to the rounding of a mean that is removed first.
    np.testing.assert_allclose(model.transform(X), plain.transform(X), atol=1e-8)


def test_weights_are_shared_and_places_are_sequences():
    X, shape = waves(200, (4, 6)), (4, 6)
    groups = np.repeat([3, 1], 100)
    model = Patches(SFA(2), image_shape=shape, patch=2, stride=(2, 1)).fit(X, groups=groups)
    # By hand: the patches of all places below each other, a group for each place and sequence.
    images = (X - X.mean(axis=0)).reshape(-1, *shape, 1)
    of_rows = np.array([naive_patches(image, (2, 2), (2, 1)) for image in images])
    rows = np.vstack(list(of_rows.transpose(1, 0, 2)))
    ids = [(place, group) for place in range(of_rows.shape[1]) for group in groups]
    ids = [10 * place + group for place, group in ids]
    by_hand = SFA(2).fit(rows, groups=ids)
    np.testing.assert_allclose(model.estimator_.components_, by_hand.components_, atol=1e-10)
    assert model.output_shape_ == (2, 5, 2)
    Y = model.transform(X).reshape(200, 10, 2)
    expected = np.stack([by_hand.transform(of_rows[:, place]) for place in range(10)], axis=1)
    np.testing.assert_allclose(Y, expected, atol=1e-9)


def test_sequences_are_not_joined():
    X = waves(120, (2, 4))
    X[60:] += 20 * np.sin(np.arange(8))  # a jump that no method may see
    groups = np.repeat([0, 1], 60)
    model = Patches(SFA(1), image_shape=(2, 4), patch=2).fit(X, groups=groups)
    joined = Patches(SFA(1), image_shape=(2, 4), patch=2).fit(X)
    gap = np.insert(X, 60, np.nan, axis=0)
    cut = Patches(SFA(1), image_shape=(2, 4), patch=2).fit(gap)
    np.testing.assert_allclose(cut.estimator_.components_, model.estimator_.components_, atol=1e-9)
    assert np.abs(joined.estimator_.components_ - model.estimator_.components_).max() > 1e-3
    Y = cut.transform(gap)
    assert np.flatnonzero(np.isnan(Y).any(axis=1)).tolist() == [60]
    assert np.isnan(cut.transform(gap[60:61])).all()


def test_constant_background_is_no_feature():
    # The left half is bright, the right half dark; that is as slow as can be, and says nothing.
    X = waves(300, (2, 8))
    bright = X + np.repeat([50.0, 0.1], 4)[np.tile(np.arange(8), 2)]
    options = {"image_shape": (2, 8), "patch": (2, 4)}
    plain, lit = (Patches(SFA(2), **options).fit(each) for each in (X, bright))
    np.testing.assert_allclose(lit.transform(bright), plain.transform(X), atol=1e-7)


def test_constant_pixels():
    X = waves(100, (2, 4))
    X[:, 3] = 0.1  # its mean is not 0.1 to the bit
    X[:, 7] = 0.3
    model = Patches(SFA(1), image_shape=(2, 4), patch=2).fit(X)
    assert np.isfinite(model.transform(X)).all()
    np.testing.assert_array_equal(X[:, 3] - model.mean_[3], 0)
    X[:, [0, 1, 2, 4, 5, 6]] = 0.1
    with pytest.raises(RankError, match="constant"), pytest.warns(UserWarning, match="constant"):
        Patches(SFA(1), image_shape=(2, 4), patch=2).fit(X)


def test_methods_without_groups():
    X = waves(100, (2, 4))
    X[7, 3] = np.nan
    model = Patches(PCA(2), image_shape=(2, 4), patch=2).fit(X)
    Y = model.transform(X)
    assert Y.shape == (100, 4)
    assert np.flatnonzero(np.isnan(Y).any(axis=1)).tolist() == [7]
    same = Patches(PCA(2), image_shape=(2, 4), patch=2).fit(np.delete(X, 7, axis=0))
    np.testing.assert_array_equal(same.transform(np.delete(X, 7, axis=0)), np.delete(Y, 7, axis=0))


def test_single_precision_is_not_taken_for_signal():
    # Two channels that are one: in float32 they differ by rounding alone.
    X = waves(200, (1, 4)).astype(np.float32)
    X[:, [1, 3]] = X[:, [0, 2]] * np.float32(1 / 3)
    with pytest.raises(RankError):
        Patches(SFA(2), patch=2).fit(X)


# --- how many places ----------------------------------------------------------------------------


def test_a_sample_of_places(monkeypatch):
    X = waves(100, (6, 6))
    options = {"image_shape": (6, 6), "patch": 2, "stride": 1}
    drawn = [Patches(n_positions=7, random_state=s, **options).fit(X).positions_ for s in (0, 0, 1)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert drawn[0].tolist() != drawn[2].tolist()
    assert len(set(drawn[0].tolist())) == 7
    for n_positions in (None, "auto", 25, 1000):
        assert len(Patches(n_positions=n_positions, **options).fit(X).positions_) == 25
    monkeypatch.setattr(module, "_MOST_NUMBERS", 5 * 100 * 4)
    assert len(Patches(**options).fit(X).positions_) == 5
    monkeypatch.setattr(module, "_MOST_NUMBERS", 1)  # one place is the least
    model = Patches(**options).fit(X)
    assert len(model.positions_) == 1
    assert model.transform(X).shape == (100, 50)


def test_what_does_not_fit_into_memory_is_refused(monkeypatch):
    X = waves(100, (6, 6))
    monkeypatch.setattr(module, "available_memory", lambda: 1000)
    with pytest.raises(
        DataError, match=r"9 place\(s\) in 100 rows take about 86.4 kB .*1 kB are f"
    ):
        Patches(image_shape=(6, 6), patch=2).fit(X)
    monkeypatch.setattr(module, "available_memory", lambda: None)
    Patches(image_shape=(6, 6), patch=2).fit(X)


# --- layers -------------------------------------------------------------------------------------


def test_layers_are_applied_one_after_the_other():
    X = waves(200, (8, 8))
    layers = [
        Patches(SFA(3), image_shape=(8, 8), patch=4, stride=2),
        Patches(SFA(2), image_shape=(3, 3, 3), patch=2, stride=1),
    ]
    model = make_pipeline(*layers, GPFA(2, n_neighbors=5, max_iter=3)).fit(X)
    assert model[0].output_shape_ == (3, 3, 3)
    assert model[1].output_shape_ == (2, 2, 2)
    low = Patches(SFA(3), image_shape=(8, 8), patch=4, stride=2).fit(X)
    high = Patches(SFA(2), image_shape=low.output_shape_, patch=2, stride=1)
    top = GPFA(2, n_neighbors=5, max_iter=3)
    np.testing.assert_array_equal(
        model.transform(X), top.fit_transform(high.fit_transform(low.transform(X)))
    )
    # Numbers of one place stand together: place (1, 2) of the first layer is columns 15 to 17.
    columns = patch_grid(64, (8, 8), 4, 2).columns[5]
    of_place = low.estimator_.transform(X[:, columns] - low.mean_[columns])
    np.testing.assert_allclose(low.transform(X)[:, 15:18], of_place)


def test_groups_reach_all_layers():
    X = waves(200, (4, 4))
    X[100:] += 5 * np.sin(np.arange(16))
    groups = np.repeat([0, 1], 100)
    with sklearn.config_context(enable_metadata_routing=True):
        steps = [
            Patches(SFA(2), image_shape=(4, 4), patch=2),
            Patches(SFA(2), image_shape=(2, 2, 2), patch=(1, 2)),
            SFA(1),
        ]
        steps = [step.set_fit_request(groups=True) for step in steps]
        model = make_pipeline(*steps).fit(X, groups=groups)
    values = X
    for step in steps:
        by_hand = sklearn.base.clone(step).fit(values, groups=groups)
        values = by_hand.transform(values)
    np.testing.assert_array_equal(model.transform(X), values)
    assert np.abs(make_pipeline(*steps).fit(X).transform(X) - values).max() > 1e-3


def test_groups_reach_a_pipeline_inside():
    X, groups = waves(200, (2, 4)), np.repeat([0, 1], 100)
    inside = Pipeline([("products", PolynomialFeatures(2, include_bias=False)), ("sfa", SFA(2))])
    model = Patches(inside, image_shape=(2, 4), patch=2)
    with pytest.raises(ValueError, match=r"groups|metadata"):
        model.fit(X, groups=groups)  # and not: fitted as if all places were one sequence
    with sklearn.config_context(enable_metadata_routing=True):
        inside.set_params(sfa=SFA(2).set_fit_request(groups=True))
        assert model.fit(X, groups=groups).output_shape_ == (1, 2, 2)


def test_delayed_spectra_are_images_of_time_and_frequency():
    spectra = waves(200, (1, 12))
    X = delay(spectra, 2)
    model = Patches(SFA(2), image_shape=(3, 12), patch=(3, 4)).fit(X)
    Y = model.transform(X)
    assert model.output_shape_ == (1, 3, 2)
    assert np.flatnonzero(np.isnan(Y).any(axis=1)).tolist() == [0, 1]
    part = (X - model.mean_)[2:, [*range(4), *range(12, 16), *range(24, 28)]]
    np.testing.assert_allclose(Y[2:, :2], model.estimator_.transform(part))


def test_a_hierarchy_sees_what_moves_across_the_image():
    # The wave is the only thing that all patches see, and two features describe its phase.
    X, t = waves(600, (8, 8), seed=1), 0.07 * np.arange(600)
    model = make_pipeline(Patches(SFA(2), image_shape=(8, 8), patch=4, stride=2), SFA(2)).fit(X)
    truth = np.column_stack([np.sin(t), np.cos(t)])
    # The noise of 64 pixels alone turns the best estimate of the phase by 14 degrees.
    assert np.max(subspace_angles(model.transform(X), truth)) < 18


def test_parameters_are_checked():
    X = waves(50, (2, 2))
    for name, value in {"n_positions": 0, "estimator": 3, "random_state": -1, "patch": 0.5}.items():
        with pytest.raises(ValueError, match=f"'{name}' parameter of Patches must be"):
            Patches(**{name: value}).fit(X)
