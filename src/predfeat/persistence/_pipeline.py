"""What a model file keeps of scikit-learn's `Pipeline`: the steps, each as its own file would.

The parameters hold each step's name and parameters, the fitted parts what was found by its fit, and
its arrays stand under `steps.0.`, `steps.1.` and so on. A step that passes its input on, None or
"passthrough", has no fitted part.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.pipeline import Pipeline

from predfeat._typing import AnyArray, FloatArray
from predfeat.exceptions import ModelFileError
from predfeat.persistence._array_names import step_prefix, with_prefix, within
from predfeat.persistence._header import ModelHeader
from predfeat.persistence._model import Parts
from predfeat.persistence._single import SINGLE, is_kept

__all__ = ["build_pipeline", "find_odd_pipeline", "pipeline_parts"]

_MOST_STEPS = 100
_FACTS: dict[str, type] = {"estimator": str, "n_columns": int, "fitted": dict}


def pipeline_parts(model: Pipeline) -> Parts:
    """Return the parts of a fitted pipeline, or raise an error saying why it cannot be saved."""
    _refuse_foreign_steps(model)
    _refuse_settings(model)
    steps: list[dict[str, Any]] = []
    fitted: list[dict[str, Any] | None] = []
    arrays: dict[str, FloatArray] = {}
    kept: list[Parts] = []
    for number, (name, step) in enumerate(model.steps):
        if _passes(step):
            steps.append({"name": name, "parameters": step})
            fitted.append(None)
            continue
        word = type(step).__name__
        try:
            parts = SINGLE[word].parts(step)
        except ModelFileError as error:
            raise ModelFileError(f"the step {name!r} cannot be saved: {error}") from error
        steps.append({"name": name, "parameters": parts.parameters})
        own = (word, parts.n_columns, parts.fitted)
        fitted.append(dict(zip(_FACTS, own, strict=True)))
        arrays |= with_prefix(step_prefix(number), parts.arrays)
        kept.append(parts)
    parameters = {"steps": steps, "verbose": bool(model.verbose)}
    # Later steps have names of columns only by `set_output`, which is not kept either: a loaded
    # pipeline hands them arrays.
    return Parts(parameters, {"steps": fitted}, arrays, kept[0].n_columns, kept[0].columns)


def find_odd_pipeline(header: ModelHeader) -> str | None:
    """Describe what is inconsistent in the header of a pipeline, or return None."""
    odd = _find_odd_form(header) or _find_odd_name(header)
    if odd is not None:
        return odd
    headers = _headers_of_steps(header)
    names = [
        step_prefix(number) + entry.name
        for number, step in headers.items()
        for entry in step.arrays
    ]
    if [entry.name for entry in header.arrays] != names:
        return "the arrays are not those of the steps, in their order"
    n_columns = header.n_columns
    for number, step in headers.items():
        place = f"step {number}, {header.parameters['steps'][number]['name'][:40]!r}"
        if step.n_columns != n_columns:
            return f"{place} has {step.n_columns} columns, but gets {n_columns}"
        kind = SINGLE[step.estimator]
        odd = kind.find_problem(step)
        if odd is not None:
            return f"{place}: {odd}"
        n_columns = kind.count_features(step)
    return None


def build_pipeline(header: ModelHeader, arrays: dict[str, AnyArray]) -> Pipeline:
    """Return the pipeline that a checked header and its arrays describe."""
    headers, steps = _headers_of_steps(header), []
    for number, given in enumerate(header.parameters["steps"]):
        step: Any = given["parameters"]
        if number in headers:
            own = within(step_prefix(number), arrays)
            step = SINGLE[headers[number].estimator].build(headers[number], own)
        steps.append((given["name"], step))
    return Pipeline(steps, verbose=header.parameters["verbose"])


def _passes(step: Any) -> bool:
    return step is None or (isinstance(step, str) and step == "passthrough")


def _refuse_foreign_steps(model: Pipeline) -> None:
    """Refuse a pipeline with a step that a file cannot hold, saying which steps it can."""
    steps = model.steps
    foreign = [
        number for number, (_, step) in enumerate(steps) if not (_passes(step) or is_kept(step))
    ]
    kept = [number for number, (_, step) in enumerate(steps) if is_kept(step)]
    if kept and not foreign:
        return
    if not foreign:
        raise ModelFileError(
            "no step of this pipeline is an estimator: there is nothing to save. A pipeline in a "
            f"model file has a step that is one of {', '.join(SINGLE)}."
        )
    name, step = steps[foreign[0]]
    if isinstance(step, Pipeline):
        instead = "Fit one pipeline that has its steps"
    elif kept and kept[-1] > foreign[-1]:
        after = foreign[-1] + 1
        rest = "-1" if after == len(steps) - 1 else f"{after}:"
        instead = f"Save what comes after it, save(pipeline[{rest}], path), and keep the rest apart"
    elif kept:
        instead = f"Save a predfeat step, save(pipeline[{kept[-1]}], path), and keep the rest apart"
    else:
        instead = "Save predfeat's estimators, and keep the rest apart"
    raise ModelFileError(
        f"the step {name!r} of this pipeline is a {type(step).__qualname__}, which a model file "
        f"does not keep: it keeps steps that are one of {', '.join(SINGLE)}, None or "
        f'"passthrough". {instead}.'
    )


def _refuse_settings(model: Pipeline) -> None:
    """Refuse what a file does not say about a pipeline.

    A cache in a folder that a file names would be read by pickle.
    """
    for name, value in sorted(model.get_params(deep=False).items()):
        if name not in ("steps", "verbose") and value is not None:
            raise ModelFileError(
                f"the pipeline has {name}={value!r}, which a model file does not keep. Remove it "
                f"before saving, pipeline.set_params({name}=None); what was fitted stays as it is."
            )


def _find_odd_form(header: ModelHeader) -> str | None:
    """Describe what else than steps there is, or return None."""
    if set(header.parameters) != {"steps", "verbose"} or tuple(header.fitted) != ("steps",):
        return "the parts are not those of a pipeline"
    if type(header.parameters["verbose"]) is not bool:
        return "the parameter verbose is neither true nor false"
    steps, fitted = header.parameters["steps"], header.fitted["steps"]
    if type(steps) is not list or type(fitted) is not list or len(steps) != len(fitted):
        return "steps is no list of steps, each with its fitted part"
    if len(steps) > _MOST_STEPS:
        return f"there are {len(steps)} steps, and in a model file at most {_MOST_STEPS}"
    for given, fact in zip(steps, fitted, strict=True):
        if type(given) is not dict or list(given) != ["name", "parameters"]:
            return f"steps holds {str(given)[:60]!r}, which is no step"
        if type(given["name"]) is not str:
            return f"a step is called {str(given['name'])[:60]}, which is no name"
        odd = _find_odd_step(given["parameters"], fact)
        if odd is not None:
            return f"the step {given['name'][:40]!r} {odd}"
    if not any(fitted):
        return "there is no step that was fitted"
    return None


def _find_odd_step(parameters: Any, fact: Any) -> str | None:
    if fact is None:
        return None if _passes(parameters) else "has no fitted part"
    if (
        type(parameters) is not dict
        or type(fact) is not dict
        or list(fact) != list(_FACTS)
        or any(type(fact[name]) is not kind for name, kind in _FACTS.items())
    ):
        return "is no fitted estimator"
    if fact["estimator"] not in SINGLE:
        return f"is a {fact['estimator'][:40]!r}, which is none of {', '.join(SINGLE)}"
    return None


def _find_odd_name(header: ModelHeader) -> str | None:
    """Describe a name that a pipeline refuses, or return None."""
    names = [given["name"] for given in header.parameters["steps"]]
    taken = set(Pipeline([]).get_params(deep=False))
    for name in names:
        if name in taken or "__" in name:
            return f"a step is called {name[:40]!r}, which a pipeline has another use for"
    return "several steps have the same name" if len(set(names)) < len(names) else None


def _headers_of_steps(header: ModelHeader) -> dict[int, ModelHeader]:
    """Return what the header says about each fitted step, as the header of its own file would."""
    entries = {entry.name: entry for entry in header.arrays}
    headers: dict[int, ModelHeader] = {}
    for number, fact in enumerate(header.fitted["steps"]):
        if fact is None:
            continue
        own = within(step_prefix(number), entries)
        headers[number] = replace(
            header,
            **fact,
            parameters=header.parameters["steps"][number]["parameters"],
            columns=None if headers else header.columns,
            arrays=tuple(replace(entry, name=name) for name, entry in own.items()),
            notes={},
        )
    return headers
