"""Model files: fitted estimators as a zip of JSON and .npy, without pickle.

================  ==================================================================
_archive          the container: a zip with one possible form for any content
_npy              one array as a member of it
_header           the member model.json: everything but the arrays, and the digests
_plain            what may stand in that JSON
_schema           what each estimator's file holds, and which shapes go together
_model            from an estimator to these parts, and back
_save_load        `save`, `load`, `read_header` and `read_model`
================  ==================================================================
"""

from predfeat.persistence._header import ArrayEntry, ModelHeader
from predfeat.persistence._save_load import load, read_header, read_model, save

__all__ = ["save", "load", "read_header", "read_model", "ModelHeader", "ArrayEntry"]
