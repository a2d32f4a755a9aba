"""Fields of xarray: the matrix that a fit sees, and the way back to named dimensions."""

import numpy as np
import pytest

from predfeat import GPFA, SFA
from predfeat.exceptions import DimensionError, GroupsError, UnevenSamplingWarning
from predfeat.series import from_xarray

xarray = pytest.importorskip("xarray")


def heat(n_times=60, seed=0, **coords):
    values = np.random.default_rng(seed).normal(size=(n_times, 2, 3))
    places = {"lat": [10.0, 20.0], "lon": [0.0, 5.0, 10.0]}
    return xarray.DataArray(
        values, dims=("time", "lat", "lon"), coords={**places, **coords}, name="heat"
    )


def test_columns_are_cells_in_any_order_of_dimensions():
    data = heat()
    field = from_xarray(data)
    assert field.names[:4] == (
        "lat=10.0 lon=0.0",
        "lat=10.0 lon=5.0",
        "lat=10.0 lon=10.0",
        "lat=20.0 lon=0.0",
    )
    column = field.names.index("lat=20.0 lon=5.0")
    np.testing.assert_array_equal(field.X[:, column], data.sel(lat=20.0, lon=5.0))
    np.testing.assert_array_equal(from_xarray(data.transpose("lat", "time", "lon")).X, field.X)


def test_the_way_back_has_all_coordinates():
    times = np.datetime64("2020-01-01") + np.arange(60)
    data = heat(time=times, season=("time", np.arange(60) // 30))
    field = from_xarray(data)
    model = SFA(2).fit(field.X)
    features = field.features(model.transform(field.X))
    assert features.dims == ("time", "feature")
    np.testing.assert_array_equal(features.time, data.time)
    np.testing.assert_array_equal(features.season, data.season)
    patterns = field.patterns(model.patterns_)
    assert patterns.dims == ("feature", "lat", "lon")
    # Patterns times features is the reconstruction that the model itself gives.
    rebuilt = (patterns * features).sum("feature").transpose("time", "lat", "lon")
    expected = model.inverse_transform(np.asarray(features)) - model.mean_
    np.testing.assert_allclose(rebuilt.values.reshape(60, 6), expected, atol=1e-12)


def test_cells_without_any_number_are_left_out_and_stay_nan():
    data = heat()
    data[:, 0, 1] = np.nan
    data[7, 1, 1] = np.nan  # a gap in time is none in space
    field = from_xarray(data)
    assert field.X.shape == (60, 5)
    assert np.isnan(field.X).sum() == 1
    patterns = field.patterns(np.arange(5.0)[None])
    assert np.isnan(patterns).sum() == 1
    assert np.isnan(patterns.sel(lat=10.0, lon=5.0)).all()
    assert patterns.sel(lat=20.0, lon=10.0) == 4.0


def test_a_field_like_another_has_its_cells():
    first = heat()
    first[:, 0, 1] = np.nan
    trained = from_xarray(first)
    other = from_xarray(heat(seed=1), like=trained)
    assert other.names == trained.names
    assert other.X.shape == (60, 5)
    with pytest.raises(DimensionError, match="not those of the field given as like"):
        from_xarray(heat().isel(lon=[0, 1]), like=trained)
    with pytest.raises(DimensionError, match="not those of the field given as like"):
        from_xarray(heat().assign_coords(lat=[0.0, 1.0]), like=trained)


def test_a_dataset_puts_its_variables_side_by_side():
    data = xarray.Dataset(
        {"heat": heat(), "rain": heat(seed=3).isel(lon=0), "height": ("lat", [1.0, 2.0])}
    )
    field = from_xarray(data)
    assert field.X.shape == (60, 8)
    assert field.names[0] == "heat lat=10.0 lon=0.0"
    assert field.names[-1] == "rain lat=20.0"
    back = field.patterns(field.X[:2])
    np.testing.assert_array_equal(back.heat.values, data.heat.values[:2])
    np.testing.assert_array_equal(back.rain.values, data.rain.values[:2])
    with pytest.raises(DimensionError, match="has the variables 'heat', 'rain'"):
        from_xarray(data[["heat"]], like=field)


def test_a_dimension_or_a_coordinate_tells_sequences_apart():
    trials = xarray.DataArray(
        np.random.default_rng(0).normal(size=(50, 4, 3)),
        dims=("time", "trial", "channel"),
        coords={"trial": ["a", "b", "c", "d"]},
    )
    field = from_xarray(trials, group="trial")
    assert field.X.shape == (200, 3)
    assert field.groups[[0, 49, 50]].tolist() == ["a", "a", "b"]
    np.testing.assert_array_equal(field.X[50:100], trials.sel(trial="b"))
    features = field.features(GPFA(2, max_iter=2).fit_transform(field.X, groups=field.groups))
    assert features.dims == ("trial", "time", "feature")
    days = np.arange(60) // 20
    assert from_xarray(heat(day=("time", days)), group="day").groups.tolist() == days.tolist()
    with pytest.raises(GroupsError, match=r"neither a dimension .* nor a coordinate along 'time'"):
        from_xarray(heat(), group="day")
    both = xarray.Dataset({"x": trials, "y": trials.isel(trial=0)})
    with pytest.raises(GroupsError, match="not of the variable 'y'"):
        from_xarray(both, group="trial")


def test_a_series_without_space_is_one_column():
    field = from_xarray(xarray.DataArray(np.arange(5.0), dims="time"))
    assert field.X.shape == (5, 1)
    assert field.patterns([[2.0]]).dims == ("feature",)


def test_missing_times_are_reported_and_wrong_ones_refused():
    days = np.datetime64("2020-01-01") + np.arange(60)
    with pytest.warns(UnevenSamplingWarning, match="is 6 times the usual step"):
        from_xarray(heat(time=days + np.where(np.arange(60) > 30, 5, 0)))
    months = np.arange("2000-01", "2005-01", dtype="datetime64[M]").astype("datetime64[ns]")
    from_xarray(heat(time=months))  # months are as even as months can be
    with pytest.raises(DimensionError, match=r"row 1 .* comes after .*sortby\('time'\)"):
        from_xarray(heat(time=days[::-1]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((3, 2)), "but it is a ndarray"),
        (heat().rename(time="t"), "no dimension 'time'; the dimensions are 't', 'lat', 'lon'"),
        (heat() * np.nan, "everything is NaN"),
    ],
)
def test_what_cannot_be_used_is_refused(given, message):
    with pytest.raises(DimensionError, match=message):
        from_xarray(given)


def test_rows_of_other_data_are_refused():
    field = from_xarray(heat())
    with pytest.raises(DimensionError, match="Y has 3 rows, but this field has 60"):
        field.features(np.zeros((3, 2)))
    with pytest.raises(DimensionError, match="rows has 5 columns, but this field has 6"):
        field.patterns(np.zeros((2, 5)))
