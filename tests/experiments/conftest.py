"""Where a ledger of results is kept."""

import pytest


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.sqlite"
