"""Files as people have them (tests/raw): the first sentence of the answer, and what it is about."""

import json
import re
from pathlib import Path

import pytest

from commands import run

RAW = Path(__file__).parents[1] / "raw"
FOUND = (
    "The 2 most predictable features, found by SFA, leave {} % of their variance to chance; "
    "random ones leave {} %."
)

# Per cent left to chance, by the features found and by random ones, and what feature 1 is.
ANSWERS = {
    "byte_order_mark.csv": (38, 61, "temp against humid, cycle of 24 rows"),
    "calendar.csv": (34, 52, "temp against humid, daily cycle, highest around 07:00"),
    "calendar_without_dates.csv": (30, 67, "temp against humid, cycle of 24 rows"),
    "comments.csv": (41, 74, "temp [°C] against humid (%), cycle of 24 rows"),
    "dates_american.csv": (34, 56, "temp against humid, cycle of 24 days"),
    "dates_dots.csv": (31, 52, "temp against humid, cycle of 24 days"),
    "dates_epoch.csv": (39, 65, "temp against humid, cycle of 24 days"),
    "dates_iso.csv": (39, 74, "temp against humid, cycle of 24 days"),
    "dates_slashes.csv": (33, 68, "temp against humid, cycle of 24 days"),
    "dates_words.csv": (38, 65, "temp against humid, cycle of 24 days"),
    "duplicate_stamps.csv": (31, 75, "temp against humid, daily cycle, highest around 07:00"),
    "latin_1.csv": (38, 69, "Température (°C) against humidité (%), cycle of 24 rows"),
    "newest_first.csv": (36, 63, "temp against humid, daily cycle, highest around 06:00"),
    "numpy_savetxt.csv": (34, 60, "temp against humid, cycle of 24 rows"),
    "odd_cells.csv": (41, 79, "temp against humid, cycle of 24 rows"),
    "pandas_index.csv": (41, 73, "temp against humid, cycle of 24 rows"),
    "rownames.csv": (35, 66, "temp against humid, cycle of 24 rows"),
    "semicolons.csv": (33, 54, "temp against humid, cycle of 24 rows"),
    "sentinels.csv": (39, 63, "temp against humid, cycle of 24 rows"),
    "shuffled.csv": (39, 77, "temp against humid, daily cycle, highest around 06:00"),
    "sparse.csv": (39, 53, "temp against humid, cycle of 24 rows"),
    "spreadsheet_errors.csv": (39, 80, "temp against humid, cycle of 24 rows"),
    "stations.csv": (32, 72, "temp against humid, cycle of 24 rows"),
    "timer.tsv": (40, 70, "temp against humid, cycle of 24 rows"),
    "trial_numbers.csv": (33, 73, "x against z, cycle of 24 rows"),
    "units_row.csv": (30, 52, "temp against humid, cycle of 24 minutes"),
    "whole_numbers.csv": (28, 39, "temp, cycle of 24 rows"),
}


def percents(text):
    return [int(number) for number in re.findall(r"(\d+) %", text)]


# Of the columns of text, which the command prints as a note.
@pytest.mark.filterwarnings("ignore::predfeat.exceptions.SkippedColumnsWarning")
@pytest.mark.parametrize("name", sorted(path.name for path in RAW.glob("*.[ct]sv")))
def test_the_first_sentence(name, tmp_path):
    options = ["-m", "random,sfa", "--repetitions", "4", "--no-diagnosis", "--out", str(tmp_path)]
    result = run("compare", RAW / name, *options)
    assert result.exit_code == 0, result.output
    results = json.loads((tmp_path / "results.json").read_text())
    left, at_random, about = ANSWERS[name]
    told, expected = results["sentence"], FOUND.format(left, at_random)
    assert re.sub(r"\d+ %", "# %", told) == re.sub(r"\d+ %", "# %", expected)
    # The last digit may hang on how a processor rounds.
    assert percents(told) == pytest.approx([left, at_random], abs=1)
    assert results["features"]["descriptions"][0] == about
