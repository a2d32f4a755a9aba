"""The errors and warnings of predfeat, one name for each thing that can go wrong.

Every error about data derives from `DataError`, which is a `ValueError`, so code that catches
`ValueError`, as scikit-learn does, keeps working.
"""

from collections.abc import Hashable

__all__ = [
    "DataError",
    "DimensionError",
    "NotNumericError",
    "ComplexDataError",
    "InfiniteValueError",
    "ScaleError",
    "EmptyColumnError",
    "SymbolsError",
    "GroupsError",
    "EpisodesError",
    "AnnotationError",
    "MetricError",
    "ShortSequencesError",
    "TooFewStatesError",
    "GraphError",
    "RankError",
    "NotEnoughMemoryError",
    "ExpansionError",
    "NoSpectrumError",
    "SurrogateError",
    "SignificanceError",
    "OtherSettingError",
    "StreamError",
    "ModelFileError",
    "DataFileError",
    "ChangedFileError",
    "MissingColumnsError",
    "MissingLibraryError",
    "SplitError",
    "ForecastError",
    "ResultsError",
    "LedgerError",
    "WorkerError",
    "ClusterError",
    "ConstantColumnsWarning",
    "ManyColumnsWarning",
    "UnknownSymbolsWarning",
    "DisconnectedSymbolsWarning",
    "DisconnectedGraphWarning",
    "ReturningGroupWarning",
    "LeftOutWarning",
    "SkippedColumnsWarning",
    "UnevenSamplingWarning",
    "AxisOrderWarning",
    "IgnoredTargetWarning",
    "NewStartWarning",
    "AliasingWarning",
    "KernelCacheWarning",
    "LowRecallWarning",
]


class DataError(ValueError):
    """The data given cannot be used; the message says why and what to do."""


class DimensionError(DataError):
    """The data is not a matrix of rows (time) by columns (channels)."""


class NotNumericError(DataError, TypeError):
    """The data holds something that is not a number."""


class ComplexDataError(DataError):
    """The data is complex; features are defined for real numbers."""


class InfiniteValueError(DataError):
    """The data holds an infinite value."""


class ScaleError(DataError):
    """Numbers are so large or so small that float64 cannot hold what is computed from them."""


class EmptyColumnError(DataError):
    """A column is NaN throughout, so every row would be a gap."""


class SymbolsError(DataError, TypeError):
    """The data is no sequence of symbols: hashable values, one for each row."""


class GroupsError(DataError):
    """`groups` does not give one usable id for every row."""


class EpisodesError(DataError):
    """A log of episodes lacks an entry, or its entries do not belong together."""


class AnnotationError(DataError):
    """Labels, actions or rewards do not fit the rows, or do not say what they are needed for."""


class MetricError(DataError):
    """A metric does not return distances."""


class ShortSequencesError(DataError):
    """Every sequence is too short for the lags asked for."""


class TooFewStatesError(DataError):
    """There are fewer states than the neighbours asked for."""


class GraphError(DataError):
    """The neighbourhoods do not form a graph on the rows of a series; the message says why."""


class RankError(DataError):
    """More features are asked for than the data has independent directions."""


class NotEnoughMemoryError(DataError, MemoryError):
    """The work would need more memory than is free; the message says what makes it smaller."""


class ExpansionError(DataError):
    """An expansion is unknown, makes too many columns, or goes with nothing else that was asked."""


class NoSpectrumError(DataError):
    """A spectrum cannot be estimated: the series is constant or too short."""


class SurrogateError(DataError):
    """The data does not allow this kind of surrogate."""


class SignificanceError(ValueError):
    """A test against surrogates cannot be run, or cannot give an answer."""


class OtherSettingError(SignificanceError):
    """The surrogates to extend come from other data or other settings."""


class StreamError(ValueError):
    """Statistics of data that came in pieces are missing, or do not belong together."""


class ModelFileError(ValueError):
    """A model cannot be saved, or a file holds no model that this version can load."""


class DataFileError(DataError):
    """A file cannot be read or written as a series; the message says why and what to do."""


class ChangedFileError(DataFileError):
    """A file that is read several times has changed in between."""


class MissingColumnsError(DataFileError):
    """A file lacks columns that were named.

    `source` is the file's name as shown to the user, `columns` are the missing names.
    """

    def __init__(self, message: str, source: str = "", columns: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.source = source
        self.columns = columns


class MissingLibraryError(DataFileError, ImportError):
    """A library for this kind of file is not installed; the message names the extra."""


class SplitError(DataError):
    """The recording is too short, or too full of gaps, for a training and a test part."""


class ForecastError(DataError):
    """There is nothing to forecast from, or too little to calibrate intervals with."""


class ResultsError(ValueError):
    """The results for a report do not follow docs/results-format.md."""


class LedgerError(ValueError):
    """The file of finished results was not written by predfeat, or cannot be read or written."""


class WorkerError(RuntimeError):
    """A worker process was terminated from outside."""


class ClusterError(OSError):
    """A Dask cluster cannot be reached, or its workers cannot do the work."""


class ConstantColumnsWarning(UserWarning):
    """Some columns never change and were left out.

    `columns` are their positions, for callers that know better names for them.
    """

    def __init__(self, message: str, columns: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.columns = columns


class ManyColumnsWarning(UserWarning):
    """There are few rows for each direction of a series: chance looks like features."""


class UnknownSymbolsWarning(UserWarning):
    """Some symbols have no features: in training they did not follow any context.

    `symbols` are all of them, in the order in which they appear.
    """

    def __init__(self, message: str, symbols: tuple[Hashable, ...] = ()) -> None:
        super().__init__(message)
        self.symbols = symbols


class DisconnectedSymbolsWarning(UserWarning):
    """The symbols fall into more groups that never share a context than there are features."""


class DisconnectedGraphWarning(UserWarning):
    """The graph of similar states falls into pieces, which some features only tell apart."""


class ReturningGroupWarning(UserWarning):
    """A group id reappears after another one; each block is a sequence of its own."""


class LeftOutWarning(UserWarning):
    """A method was left out because it cannot be fitted to the data."""


class SkippedColumnsWarning(UserWarning):
    """Some columns of a file hold no numbers and were left out."""


class UnevenSamplingWarning(UserWarning):
    """Time stamps are not evenly spaced, although the methods assume it."""


class AxisOrderWarning(UserWarning):
    """Trials have more channels than times: their last two axes may be swapped."""


class IgnoredTargetWarning(UserWarning):
    """`y`, which is ignored, looks like sequence ids; those belong in `groups`."""


class NewStartWarning(UserWarning):
    """`partial_fit` cannot go on from `fit`, which keeps no statistics, and starts anew."""


class AliasingWarning(UserWarning):
    """Rows were thinned out although some of the variance is too fast for the remaining ones."""


class KernelCacheWarning(UserWarning):
    """Compiled code on disk is damaged or cannot be written; it is compiled again."""


class LowRecallWarning(UserWarning):
    """An approximate neighbour search found few of the true neighbours.

    `recall` is the share that it found.
    """

    def __init__(self, message: str, recall: float = 0.0) -> None:
        super().__init__(message)
        self.recall = recall
