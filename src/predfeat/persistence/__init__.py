"""Model files: fitted estimators as a zip of JSON and .npy, without pickle.

================  ==================================================================
_archive          the container: a zip whose bytes depend only on its content
_npy              one array as a zip member
_header           the member model.json: everything except the arrays, plus digests
_plain            which values that JSON may contain
_schema           what each estimator's file holds, and which shapes must match
_model            conversion between an estimator and these parts
_patches          conversion and checks of a `Patches`, which holds another estimator
_expansions       expansions and layers as parts of a file
_chain            conversion and checks of an `Expanded`, which holds another estimator
_save_load        `save`, `load`, `read_header` and `read_model`
================  ==================================================================
"""

from predfeat.persistence._header import ArrayEntry, ModelHeader
from predfeat.persistence._save_load import load, read_header, read_model, save

__all__ = ["save", "load", "read_header", "read_model", "ModelHeader", "ArrayEntry"]
