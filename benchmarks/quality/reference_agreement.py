"""Agreement with the original implementations: `… quality/reference_agreement.py [FOLDER]`.

FOLDER holds `{dataset}_{seed}.npz` files as described in tests/reference/README.md; by default the
small copy in tests/reference. Prints, for every method and data set, the largest angle between
the feature spaces in degrees (in the metric of the training covariance) and the largest absolute
difference of the strict test predictability, both over all seeds.
"""

import argparse
from pathlib import Path

import numpy as np

from predfeat import GPFA, PFA, SFA, ForeCA
from predfeat.measures import forecastability, predictability, subspace_angles

SMALL_COPY = Path(__file__).parents[2] / "tests" / "reference"
DATASETS = ("toy", "toymix", "sinealt", "lorenz", "var2")


def methods(figures):
    p, k, m, r, repeats = (int(figures[f"par_{name}"]) for name in "pkMRK")
    shared = {"n_components": m, "n_lags": p, "n_neighbors": k, "tol": 0}
    models = {}
    for name, graph in (("gpfa1", "full"), ("gpfa2", "star")):
        models[name] = GPFA(**shared, graph=graph, max_iter=r)
        models[f"{name}_R1"] = GPFA(**shared, graph=graph, max_iter=1)
        models[f"{name}_R1_nopast"] = GPFA(**shared, graph=graph, max_iter=1, past=False)
        models[f"{name}_R1_nogen"] = GPFA(**shared, graph=graph, max_iter=1, normalized=False)
    models["sfa"] = SFA(m)
    models["pfa"] = PFA(m, n_lags=p, n_repeats=repeats)
    models["pfa_K0"] = PFA(m, n_lags=p)
    models["foreca"] = ForeCA(m)
    return models


def main(folder: Path) -> None:
    rows: dict[str, dict[str, list]] = {}
    gains: dict[str, list[float]] = {}
    for dataset in DATASETS:
        for path in sorted(folder.glob(f"{dataset}_*.npz")):
            figures = np.load(path)
            train, test, p = figures["x_train"], figures["x_test"], int(figures["par_p"])
            for name, model in methods(figures).items():
                if f"{name}__P" not in figures:
                    continue
                model.fit(train)
                angle = subspace_angles(model, figures[f"{name}__P"], train)[0]
                score = predictability(model.transform(test), p)
                difference = abs(score - float(figures[f"{name}__pred_test_strict"]))
                rows.setdefault(name, {}).setdefault(dataset, []).append((angle, difference))
                if name == "foreca":
                    omega = 100 * forecastability(model.transform(train))
                    gains.setdefault(dataset, []).extend(omega - figures["foreca__Omega_train"])
    found = [d for d in DATASETS if any(d in row for row in rows.values())]
    print("| method | " + " | ".join(found) + " |")
    print("|---|" + "---|" * len(found))
    for name, row in rows.items():
        cells = [
            "{:.2g}° · {:.1g}".format(*np.max(row[d], axis=0)) if d in row else "" for d in found
        ]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("\nForeCA's Ω minus the reference's, smallest over features and seeds, percent points:")
    print(", ".join(f"{dataset} {min(values):+.3f}" for dataset, values in gains.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=SMALL_COPY, metavar="FOLDER")
    main(parser.parse_args().folder)
