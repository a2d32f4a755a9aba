"""`fit --expansion` and `compare -m method+expansion`: nonlinear features from file to file."""

import json

import numpy as np
import pytest

from csv_tables import write_array
from predfeat import GPFA, SFA, Expanded, load, read_header
from predfeat.datasets import hidden_amplitude, read
from predfeat.expansions import EXPANSIONS
from predfeat.experiments import with_pca
from predfeat.features import find_method, name_of, sensitivity


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "table.csv"
    write_array(path, hidden_amplitude(900, 2, random_state=0)[0], "a,b,c,d")
    return path


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--expansion", "quadratic"], Expanded(GPFA(1, n_jobs=-1))),
        (["-m", "gpfa2+quadratic"], Expanded(GPFA(1, n_jobs=-1))),
        (["-m", "sfa", "--expansion", "Cubic"], Expanded(SFA(1), "cubic")),
        (["-m", "sfa", "--expansion", "fourier", "--pca-components", "3"],
         Expanded(SFA(1, pca_components=3), "fourier")),
        (["--expansion", "quadratic", "--layers", "2"], Expanded(GPFA(1, n_jobs=-1), n_layers=2)),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::predfeat.exceptions.ManyColumnsWarning")
def test_fit_is_the_library(table, arguments, expected, run_main, tmp_path):
    model, features = tmp_path / "m.predfeat", tmp_path / "features.csv"
    code, _, said = run_main("fit", table, "--n-components", 1, *arguments, "-o", model)
    assert code == 0, said
    code, _, err = run_main("transform", model, table, "-o", features)
    assert code == 0, err
    values = read(table).values
    expected.fit(values)
    assert repr(load(model)) == repr(expected)
    np.testing.assert_array_equal(read(features).values, expected.transform(values))
    found = sensitivity(expected, values)
    sentence = f"highest in row {found.highest[0, 0] + 1} and lowest in row"
    assert sentence in " ".join(said.split())
    notes = read_header(model).notes["predfeat"]
    assert sentence in notes["responses"][0]


def test_info_and_measure(table, run_main, tmp_path):
    model = tmp_path / "m.predfeat"
    run_main("fit", table, "--n-components", 1, "-m", "sfa+quadratic", "-o", model)
    _, out, _ = run_main("info", model)
    for words in ("SFA on an expanded series", "polynomial, degree 2, n_inputs 4", "responds to"):
        assert words in out
    _, out, _ = run_main("info", model, "--json")
    assert json.loads(out)["fitted"]["layers_"][0]["degree"] == 2
    code, out, err = run_main("measure", table, "--model", model, "--json")
    assert code == 0, err
    assert json.loads(out)["measures"][0]["left_to_chance"] < 0.1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--expansion", "quadratik"], "'quadratik' is not an expansion. Did you mean quadratic?"),
        (["-m", "sfa+umap"], "'umap' is not an expansion"),
        (["-m", "sfa+cubic", "--expansion", "kernel"], "names another one than --expansion kernel"),
        (["--layers", "2"], "it needs --expansion"),
        (["--expansion", "cubic", "--diagnosis"], "it does not go with --expansion"),
        (["-m", "symbols", "--expansion", "cubic"], "it does not go with symbols"),
    ],
    ids=str,
)
def test_what_does_not_go_together(table, arguments, message, run_main, tmp_path):
    code, _, err = run_main("fit", table, *arguments, "-o", tmp_path / "m.predfeat")
    assert code == 2
    assert message in " ".join(err.replace("│", " ").split())
    assert list(tmp_path.iterdir()) == []


def test_compare_takes_expansions_as_contestants(table, run_main, tmp_path):
    arguments = ("-m", "sfa,SFA + quadratic", "--repetitions", 2, "--n-components", 1)
    code, out, err = run_main("compare", table, *arguments, "-o", tmp_path / "out")
    assert code == 0, err
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    shares = {method["name"]: np.mean(method["test_share"]) for method in results["methods"]}
    assert list(shares) == ["SFA", "SFA + quadratic"]
    assert shares["SFA"] > 0.9 > 0.2 > shares["SFA + quadratic"]
    assert "SFA + quadratic" in " ".join(out.replace("│", " ").split())
    assert "There is no diagnosis" in err
    model = load(tmp_path / "out" / "model.predfeat")
    assert repr(model) == repr(Expanded(SFA(1)))
    # The report shows responses in place of correlations, and says so.
    found = sensitivity(model, read(table).values)
    assert results["loadings"]["responses"]["highest"] == found.highest.tolist()
    loadings = [column["loading"] for column in results["loadings"]["features"][0]]
    np.testing.assert_allclose(loadings, np.sort(found.responses[0])[::-1], rtol=1e-3)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "These features are not linear" in page
    code, _, err = run_main("report", tmp_path / "out" / "results.json", "-o", tmp_path / "r.html")
    assert code == 0, err


@pytest.mark.parametrize("asked", [["-m", "sfa"], ["-m", "sfa+quadratic", "--no-diagnosis"]])
def test_only_a_diagnosis_that_was_asked_for_is_missed(asked, table, run_main, tmp_path):
    arguments = (*asked, "--repetitions", 2, "--n-components", 1)
    code, _, err = run_main("compare", table, *arguments, "-o", tmp_path / "out")
    assert code == 0, err
    assert "There is no diagnosis" not in err


def test_compare_refuses_unknown_expansions(table, run_main, tmp_path):
    code, _, err = run_main("compare", table, "-m", "sfa+umap", "-o", tmp_path / "out")
    assert code == 2
    assert "+quadratic, +cubic, +kernel, +fourier" in " ".join(err.replace("│", " ").split())


def test_names_and_estimators_agree():
    for word in ("gpfa1", "sfa", "auto"):
        for expansion in set(EXPANSIONS) - {"identity"}:
            method = find_method(f"{word}+{expansion}")
            assert find_method(method.name) == method
            built = method.build(n_components=3)
            assert (name_of(built), built.estimator.n_components) == (method.name, 3)
    assert name_of(Expanded(GPFA(), n_layers=2)) == "GPFA (2) + 2 × quadratic"
    with pytest.raises(ValueError, match=r"'sfa\+umap' is no method"):
        find_method("sfa+umap")


@pytest.mark.parametrize("n_rows", [300, 2000])
def test_fewer_principal_components_are_expanded(n_rows):
    kept = with_pca(Expanded(SFA()), None, n_rows=n_rows, rank=60).estimator.pca_components
    assert EXPANSIONS["quadratic"].count(kept) * 10 <= n_rows
    assert EXPANSIONS["quadratic"].count(kept + 1) * 10 > n_rows
    # Nothing is cut where nothing has to be, or where it does not help.
    assert with_pca(Expanded(SFA()), None, n_rows=n_rows, rank=5).estimator.pca_components is None
    kernel = with_pca(Expanded(SFA(), "kernel"), 0.9, n_rows=n_rows, rank=60)
    assert kernel.estimator.pca_components == 0.9
    assert with_pca(SFA(), 7, n_rows=n_rows, rank=7).pca_components == 7
