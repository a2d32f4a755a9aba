"""Model files: fitted estimators as a zip of JSON and .npy, without pickle.

====================  ==================================================================
_archive              the container: a zip whose bytes depend only on its content
_npy                  one array as a zip member
_array_names          names of arrays, also of those of a model within another
_header               the member model.json: everything except the arrays, plus digests
_plain                which values that JSON may contain
_schema               what each method's file holds, and which shapes must match
_terms                edge terms of GPFA as JSON
_stream               the statistics of a model that `partial_fit` built
_earlier_names        names that earlier versions wrote, as they are today
_model                conversion between a method and these parts
_inner_method         conversion and checks of a model that holds a method
_expansions           expansions and layers as parts of a file
_chain                what an `Expanded` keeps besides its method
_patches              what a `Patches` keeps besides its method
_spectral_regression  conversion and checks of a `SpectralRegression`
_single               which of these conversions is for a single model
_pipeline             conversion and checks of a `Pipeline` of these
_kinds                which conversion is for a model or a file
_save_load            `save`, `load`, `read_header` and `read_model`
====================  ==================================================================
"""

from predfeat.persistence._header import ArrayEntry, ModelHeader
from predfeat.persistence._save_load import load, read_header, read_model, save

__all__ = ["save", "load", "read_header", "read_model", "ModelHeader", "ArrayEntry"]
