"""Small studies of every kind of recording, made once."""

import pytest

from predfeat import SFA
from predfeat.experiments import compare_on_recording
from predfeat.report import results_of
from predfeat.selection import diagnose, significance
from recordings import RECORDINGS

METHODS = ["random", "SFA", "ForeCA", "GPFA (2)"]


@pytest.fixture(scope="session")
def all_studies():
    return {
        name: compare_on_recording(make(), METHODS, n_repetitions=6)
        for name, make in RECORDINGS.items()
    }


def diagnosis_of(study):
    rows, groups = study.learned_from
    return diagnose(
        study.model, study.recording.values[rows], groups=groups, names=study.recording.names
    )


@pytest.fixture(scope="session")
def diagnoses(all_studies):
    """Of some studies; the table's has no finding."""
    return {name: diagnosis_of(all_studies[name]) for name in ("table", "trials", "video")}


@pytest.fixture(scope="session")
def all_results(all_studies, diagnoses):
    results = {
        name: results_of(study, f"predfeat compare {name}", diagnosis=diagnoses.get(name))
        for name, study in all_studies.items()
    }
    # One of them with a test of its features.
    tested = significance(SFA(3), all_studies["table"].recording.values, n_surrogates=19)
    results["table"] = results_of(
        all_studies["table"],
        "predfeat compare table",
        significance=tested,
        tested_rows=500,
        diagnosis=diagnoses["table"],
    )
    return results


@pytest.fixture(params=RECORDINGS)
def results(request, all_results):
    return all_results[request.param]
