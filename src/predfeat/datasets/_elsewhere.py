"""Files that another library reads: the command that converts them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["way_to_csv"]

_PANDAS = 'python -c "import pandas; pandas.{call}.to_csv({to!r})"'
_WAYS = {
    ".dta": _PANDAS.replace("{call}", "read_stata({given!r})"),
    **dict.fromkeys(
        (".sas7bdat", ".xpt"), _PANDAS.replace("{call}", "read_sas({given!r}, encoding='latin-1')")
    ),
    ".sav": _PANDAS.replace("{call}", "read_spss({given!r})"),
    ".orc": _PANDAS.replace("{call}", "read_orc({given!r})"),
    **dict.fromkeys(
        (".xls", ".ods", ".xlsb", ".xlsm"), _PANDAS.replace("{call}", "read_excel({given!r})")
    ),
    **dict.fromkeys(
        (".pkl", ".pickle"),
        _PANDAS.replace("{call}", "read_pickle({given!r})")
        + " (only if you trust it: a pickle can run code)",
    ),
    **dict.fromkeys((".h5", ".hdf5", ".hdf"),
        'python -c "import h5py, numpy; f = h5py.File({given!r}); print(list(f)); '
        'numpy.save({npy!r}, f[list(f)[0]][()])"'),
    ".rds": 'Rscript -e "write.csv(readRDS({given!r}), {to!r}, row.names = FALSE)"',
    **dict.fromkeys((".rda", ".rdata"),
        'Rscript -e "write.csv(get(load({given!r})), {to!r}, row.names = FALSE)"'),
    **dict.fromkeys((".fif", ".vhdr", ".set", ".cnt", ".gdf"),
        'python -c "import mne; mne.io.read_raw({given!r}).to_data_frame().to_csv({to!r})"'),
    ".tdms": 'python -c "import nptdms; nptdms.TdmsFile({given!r}).as_dataframe().to_csv({to!r})"',
    ".zarr": 'python -c "import xarray; xarray.open_zarr({given!r}).to_netcdf({nc!r})"',
    **dict.fromkeys((".grib", ".grib2", ".grb"),
        'python -c "import xarray; xarray.open_dataset({given!r}).to_netcdf({nc!r})"'),
    **dict.fromkeys((".m4a", ".aac", ".wma", ".aif", ".aiff"), "ffmpeg -i {given} {wav}"),
    **dict.fromkeys((".mov", ".webm", ".wmv", ".mpg", ".mpeg"), "ffmpeg -i {given} {mp4}"),
}  # fmt: skip


def way_to_csv(path: Path) -> str:
    """Return a sentence with the command that converts a file of this suffix; "" if none is known.

    Examples
    --------
    >>> from pathlib import Path
    >>> from predfeat.datasets._elsewhere import way_to_csv
    >>> print(way_to_csv(Path("a.dta")).strip())
    This command converts it: python -c "import pandas;
    pandas.read_stata('a.dta').to_csv('a.csv')"
    """
    way = _WAYS.get(path.suffix.lower())
    if way is None:
        return ""
    made = {kind: f"{path.stem}.{kind}" for kind in ("npy", "nc", "wav", "mp4")}
    return " This command converts it: " + way.format(
        given=str(path), to=f"{path.stem}.csv", **made
    )
