"""Default methods, features and principal components for a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from predfeat.datasets import Channels, Recording
from predfeat.expansions import check_expansion
from predfeat.features import Expanded, ForeCA, linear_method
from predfeat.series import Sequences
from predfeat.whitening import fit_whitening

__all__ = ["choose_methods", "choose_n_components", "choose_pca", "with_pca"]

# Above these numbers of columns, a PCA is applied, and only its first directions are computed.
_MANY_COLUMNS, _VERY_MANY_COLUMNS = 50, 1000
_PCA_SHARE, _MOST_DIRECTIONS = 0.99, 100
# With fewer rows per direction, every method overfits.
_ROWS_PER_DIRECTION, _FEWEST_DIRECTIONS = 10, 10
# ForeCA's time grows with rows × dimensions²; at this product one fit takes about a second.
_FORECA_LIMIT = 5 * 10**7


def choose_pca(recording: Recording, whole: Sequences, n_train: int) -> int | float | None:
    """Return the components to keep: few directions hold almost all of a sound or video."""
    n_columns = whole.n_columns
    if n_columns <= _MANY_COLUMNS and isinstance(recording.layout, Channels):
        return None
    most = min(_MOST_DIRECTIONS, max(_FEWEST_DIRECTIONS, n_train // _ROWS_PER_DIRECTION))
    most = min(most, n_columns)
    if n_columns > _VERY_MANY_COLUMNS:
        held = np.cumsum(fit_whitening(whole, most, warn=False).explained_variance)
        enough = int(np.searchsorted(held, _PCA_SHARE * whole.samples.var(axis=0).sum())) + 1
        return min(most, enough)
    rank = fit_whitening(whole, _PCA_SHARE, warn=False).rank
    return _PCA_SHARE if rank <= most else most


def choose_n_components(rank: int) -> int:
    """Return 3, or fewer if 3 would fill the space: all methods would then agree."""
    return max(1, min(3, rank - 1))


def choose_methods(
    wanted: Mapping[str, Any] | Sequence[str] | None,
    standard: Mapping[str, Any],
    on_request: Mapping[str, Any],
    pca_components: int | float | None,
    n_rows: int,
    rank: int,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the methods to run, and the reasons why others are left out."""
    if isinstance(wanted, Mapping):
        if not wanted:
            raise ValueError("methods is empty: give at least one method.")
        return dict(wanted), {}
    names = list(standard) if wanted is None else list(wanted)
    known = {**standard, **on_request}
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ValueError(
            f"methods must be some of {', '.join(known)}, but "
            f"{f'{unknown[0]!r} was given' if unknown else 'none was given'}."
        )
    chosen = {
        name: with_pca(known[name], pca_components, n_rows=n_rows, rank=rank) for name in names
    }
    left_out = {}
    if wanted is None and n_rows * rank**2 > _FORECA_LIMIT:
        for name in [name for name in chosen if isinstance(chosen[name], ForeCA)]:
            del chosen[name]
            left_out[name] = (
                f"it would take too long: its time grows with rows × dimensions², here {n_rows} × "
                f"{rank}². Ask for it by name to run it all the same, or keep fewer "
                "pca_components."
            )
    return chosen, left_out


def with_pca(method: Any, pca_components: int | float | None, *, n_rows: int, rank: int) -> Any:
    """Set the principal components of the input; fewer if the series is to be expanded.

    Parameters
    ----------
    method : estimator
        It is changed.
    pca_components : int, float or None
        As in `predfeat.GPFA`.
    n_rows : int
        Rows to learn from.
    rank : int
        Dimensions that `pca_components` leaves.

    Returns
    -------
    estimator
        The method itself.

    Examples
    --------
    >>> from predfeat import SFA, Expanded
    >>> from predfeat.experiments import with_pca
    >>> with_pca(Expanded(SFA()), None, n_rows=2000, rank=50)  # 18 have 189 products, 19 have 209
    Expanded(estimator=SFA(pca_components=18))
    """
    inner = linear_method(method)
    if isinstance(method, Expanded) and method.estimator is None:
        method.set_params(estimator=inner)
    if isinstance(method, Expanded):
        expansion = check_expansion(method.expansion)
        most = rank
        while most > inner.n_components and expansion.count(most) * _ROWS_PER_DIRECTION > n_rows:
            most -= 1
        # Columns that a kernel counts by itself do not become fewer with the input.
        if most < rank and expansion.count(most) < expansion.count(rank):
            pca_components = most
    inner.set_params(pca_components=pca_components)
    return method
