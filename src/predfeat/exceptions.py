"""The errors and warnings of predfeat, one name for each thing that can be wrong.

Every error about data derives from `DataError`, which is a `ValueError`: code that catches
`ValueError`, as scikit-learn's does, goes on working.
"""

__all__ = [
    "DataError",
    "DimensionError",
    "NotNumericError",
    "ComplexDataError",
    "InfiniteValueError",
    "ScaleError",
    "EmptyColumnError",
    "GroupsError",
    "ShortSequencesError",
    "TooFewStatesError",
    "GraphError",
    "RankError",
    "NoSpectrumError",
    "SurrogateError",
    "SignificanceError",
    "OtherSettingError",
    "ModelFileError",
    "DataFileError",
    "MissingColumnsError",
    "MissingLibraryError",
    "SplitError",
    "ResultsError",
    "LedgerError",
    "WorkerError",
    "ConstantColumnsWarning",
    "ReturningGroupWarning",
    "LeftOutWarning",
    "SkippedColumnsWarning",
    "UnevenSamplingWarning",
    "AxisOrderWarning",
    "IgnoredTargetWarning",
    "AliasingWarning",
    "KernelCacheWarning",
]


class DataError(ValueError):
    """The data given cannot be used; the message says why and what to do."""


class DimensionError(DataError):
    """The data is not a matrix of rows (time) by columns (channels)."""


class NotNumericError(DataError, TypeError):
    """The data holds something that is no number."""


class ComplexDataError(DataError):
    """The data is complex; features are defined for real numbers."""


class InfiniteValueError(DataError):
    """The data holds an infinite value."""


class ScaleError(DataError):
    """Numbers are so large or so small that float64 cannot hold what is computed of them."""


class EmptyColumnError(DataError):
    """A column is NaN throughout, so that every row would be a gap."""


class GroupsError(DataError):
    """`groups` does not give one usable id for every row."""


class ShortSequencesError(DataError):
    """Every sequence is too short for the lags asked for."""


class TooFewStatesError(DataError):
    """There are fewer states than the neighbours asked for."""


class GraphError(DataError):
    """Neighbourhoods that are no graph on the rows of a series; the message says why."""


class RankError(DataError):
    """More features are asked for than the data has independent directions."""


class NoSpectrumError(DataError):
    """A spectrum cannot be estimated: the series is constant or too short."""


class SurrogateError(DataError):
    """No surrogate of that kind can be made of the data."""


class SignificanceError(ValueError):
    """A test against surrogates that cannot be done, or cannot give an answer."""


class OtherSettingError(SignificanceError):
    """Surrogates that are to be added to are of other data or another setting."""


class ModelFileError(ValueError):
    """A model cannot be kept in a file, or a file holds no model that this version can load."""


class DataFileError(DataError):
    """A file cannot be read or written as a series; the message says why and what to do."""


class MissingColumnsError(DataFileError):
    """A file has not the columns that were named.

    `source` is the file as it is shown, `columns` are the names it has not.
    """

    def __init__(self, message: str, source: str = "", columns: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.source = source
        self.columns = columns


class MissingLibraryError(DataFileError, ImportError):
    """A library for this kind of file is not installed; the message names the extra."""


class SplitError(DataError):
    """The recording is too short, or too full of gaps, for a training and a test part."""


class ResultsError(ValueError):
    """Results that a report is to be made of are not what docs/results-format.md says."""


class LedgerError(ValueError):
    """The file of finished results is not ours, or cannot be read or written."""


class WorkerError(RuntimeError):
    """A process that computed results was ended from outside."""


class ConstantColumnsWarning(UserWarning):
    """Some columns never change and were left out.

    `columns` are their places, for a caller that knows better names for them.
    """

    def __init__(self, message: str, columns: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.columns = columns


class ReturningGroupWarning(UserWarning):
    """A group id comes back after another one; each block is a sequence of its own."""


class LeftOutWarning(UserWarning):
    """A method was left out, as it cannot be fitted to the data."""


class SkippedColumnsWarning(UserWarning):
    """Some columns of a file hold no numbers and were left out."""


class UnevenSamplingWarning(UserWarning):
    """Time stamps are not evenly spaced, as the methods assume they are."""


class AxisOrderWarning(UserWarning):
    """Trials have more channels than times: their last two axes may be the other way round."""


class IgnoredTargetWarning(UserWarning):
    """`y`, which is ignored, looks like the ids of sequences: those are `groups`."""


class AliasingWarning(UserWarning):
    """Of rows that were thinned out, some variance was too fast for those that are left."""


class KernelCacheWarning(UserWarning):
    """Compiled code on disk is damaged or cannot be written; it is compiled anew."""
