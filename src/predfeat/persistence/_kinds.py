"""Which conversions are for a model or a file: those of a single model, or of a pipeline."""

from __future__ import annotations

from typing import Any, TypeAlias

from sklearn.pipeline import Pipeline

from predfeat._typing import AnyArray
from predfeat.features import Expanded, Patches, SpectralRegression
from predfeat.persistence._header import ModelHeader
from predfeat.persistence._model import Parts
from predfeat.persistence._pipeline import build_pipeline, find_odd_pipeline, pipeline_parts
from predfeat.persistence._schema import Model
from predfeat.persistence._single import SINGLE, kind_of

__all__ = ["AnyModel", "build_any", "find_any_problem", "parts_of"]

AnyModel: TypeAlias = Model | Expanded | Patches | SpectralRegression | Pipeline

_PIPELINE = Pipeline.__name__


def parts_of(model: Any) -> Parts:
    """Return the parts of a fitted model, or raise an error saying why it cannot be saved."""
    return pipeline_parts(model) if type(model) is Pipeline else kind_of(model).parts(model)


def find_any_problem(header: ModelHeader) -> str | None:
    """Describe what is inconsistent in a header, or return None. Nothing is allocated."""
    if header.estimator == _PIPELINE:
        return find_odd_pipeline(header)
    if header.estimator not in SINGLE:
        names = ", ".join([*SINGLE, _PIPELINE])
        return f"{header.estimator[:40]!r} is none of the estimators {names}"
    return SINGLE[header.estimator].find_problem(header)


def build_any(header: ModelHeader, arrays: dict[str, AnyArray]) -> AnyModel:
    """Return the estimator that a checked header and its arrays describe."""
    if header.estimator == _PIPELINE:
        return build_pipeline(header, arrays)
    model: AnyModel = SINGLE[header.estimator].build(header, arrays)
    return model
