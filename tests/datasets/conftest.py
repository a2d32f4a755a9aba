"""Tables to read."""

import pytest

from csv_tables import write_columns


@pytest.fixture
def table(tmp_path):
    """Return a function that writes columns under a header into table.csv, and returns its path."""

    def write(header, *columns, delimiter=","):
        return write_columns(tmp_path / "table.csv", header, *columns, delimiter=delimiter)

    return write
