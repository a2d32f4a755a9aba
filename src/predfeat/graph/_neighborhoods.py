"""Groups of samples that should lie close to each other: the result of every edge term."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.exceptions import GraphError

__all__ = ["GRAPHS", "Neighborhoods", "check_graph", "check_rows"]

GRAPHS = ("full", "star")


@dataclass(frozen=True, eq=False)
class Neighborhoods:
    r"""Groups of samples that should lie close to each other, each around a centre.

    A neighbourhood has a centre c, members i with weights :math:`m_i`, and a weight v of its own.
    Its edges depend on the kind of graph:

    - "star" joins the centre with each member: :math:`W_{ci}` and :math:`W_{ic}` both grow by
      :math:`v m_i`.
    - "full" joins all ordered pairs of its nodes, each node with itself included. The nodes are
      the centre, with weight 1, and the members, with theirs: :math:`W_{ij}` grows by
      :math:`v m_i m_j`.

    Edges add up, within a neighbourhood and between them. So centres may be repeated, a centre may
    be a member of its own neighbourhood (giving a self-loop of :math:`2 v m_c` in the star and a
    node of weight :math:`1 + m_c` in the full graph), and a member that is listed twice counts with
    the sum of its weights. A neighbourhood without members has no edge in a star, and only the
    centre's self-loop in a full graph.

    Everything is checked when the object is created. Arrays of the right type are kept, not copied:
    do not change them afterwards.

    Parameters
    ----------
    centers : array-like of int, shape (n_neighborhoods,)
        The row in the middle of each neighbourhood, in any order.
    members : sparse array or array-like of shape (n_neighborhoods, n_rows)
        The weight of each member, 1 for most graphs. It is stored in CSR format; the entries of
        a neighbourhood keep their order, which is the order in which they are summed.
    weights : array-like of shape (n_neighborhoods,), optional
        The weight of each neighbourhood; 1 by default.
    graph : {"star", "full"}, default="star"
        Which nodes are joined.

    Attributes
    ----------
    has_unit_members : bool
        Whether every member has weight 1.

    Raises
    ------
    GraphError
        The shapes of the arrays do not match, a centre or a member is not a row, or a weight is
        negative, infinite or NaN.

    Examples
    --------
    Row 0 is joined with rows 1 and 2, with row 2 half as strongly:

    >>> from predfeat.graph import Neighborhoods, explicit_graph
    >>> star = Neighborhoods([0], [[0.0, 1.0, 0.5]])
    >>> explicit_graph([star]).weights.toarray()
    array([[0. , 1. , 0.5],
           [1. , 0. , 0. ],
           [0.5, 0. , 0. ]])

    In the full graph, rows 1 and 2 are joined as well:

    >>> full = Neighborhoods([0], [[0.0, 1.0, 0.5]], graph="full")
    >>> explicit_graph([full]).weights.toarray()
    array([[1.  , 1.  , 0.5 ],
           [1.  , 1.  , 0.5 ],
           [0.5 , 0.5 , 0.25]])
    >>> star.total_weight, full.total_weight
    (3.0, 4.0)
    """

    centers: IntArray
    members: Any
    weights: FloatArray | None = None
    graph: str = field(default="star", kw_only=True)
    has_unit_members: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_graph(self.graph)
        members = _checked_members(self.members)
        n_neighborhoods, n_rows = members.shape
        checked = {
            "members": members,
            "centers": _checked_centers(self.centers, n_neighborhoods, n_rows),
            "has_unit_members": bool(np.all(members.data == 1.0)),
        }
        if not checked["has_unit_members"]:
            _refuse_bad_weights(members.data, "members")
        if self.weights is not None:
            checked["weights"] = _checked_weights(self.weights, n_neighborhoods)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def n_rows(self) -> int:
        """Number of rows of the series, the nodes of the graph."""
        return int(self.members.shape[1])

    @property
    def member_totals(self) -> FloatArray:
        """The sum of the members' weights of each neighbourhood: their number if all are 1."""
        if self.has_unit_members:
            return np.asarray(np.diff(self.members.indptr), dtype=np.float64)
        return np.asarray(self.members.sum(axis=1), dtype=np.float64).ravel()

    @property
    def total_weight(self) -> float:
        """The sum of all edge weights, both ways, without self-loops: the trace of the Laplacian.

        For unrelated white rows, the projected Laplacian is about this number times the identity.
        Divided by it, terms with different numbers of edges can be compared: 1 means unrelated,
        0 means identical.
        """
        weights = np.ones(len(self.centers)) if self.weights is None else self.weights
        centers = sparse.csr_array(
            (np.ones(len(self.centers)), (np.arange(len(self.centers)), self.centers)),
            shape=self.members.shape,
        )
        if self.graph == "full":
            nodes = sparse.csr_array(self.members + centers)
            loops = np.asarray(nodes.power(2).sum(axis=1)).ravel()
            return float(weights @ (np.square(self.member_totals + 1.0) - loops))
        loops = np.asarray(self.members.multiply(centers).sum(axis=1)).ravel()
        return float(2.0 * (weights @ (self.member_totals - loops)))


def check_graph(graph: Any) -> None:
    """Refuse an unknown kind of graph."""
    if graph not in GRAPHS:
        raise GraphError(
            f"graph must be one of {', '.join(map(repr, GRAPHS))}, but it is {graph!r}."
        )


def check_rows(terms: Iterable[Neighborhoods], rows: ArrayLike) -> FloatArray:
    """Return the samples in the type and order of the kernels; refuse those of another series."""
    checked = np.ascontiguousarray(rows, dtype=np.float64)
    if np.ndim(rows) != 2:
        raise GraphError(
            f"rows must be a matrix of samples by columns, but its shape is {np.shape(rows)}."
        )
    for term in terms:
        if term.n_rows != len(checked):
            raise GraphError(
                f"The neighbourhoods belong to a series of {term.n_rows} rows, but rows has "
                f"{len(checked)}. Give the series that the neighbourhoods were made for."
            )
    return checked


def _checked_members(members: Any) -> Any:
    try:
        # Some releases of SciPy make one neighbourhood of a vector, others a sparse vector.
        shape = members.shape if sparse.issparse(members) else np.shape(members)
        if len(shape) != 2:
            raise ValueError(f"its shape is {shape}.")
        checked = sparse.csr_array(members)
        checked.check_format(full_check=True)  # kernels do not check their indices
    except (ValueError, TypeError) as error:
        raise GraphError(
            f"members must be a sparse array of neighbourhoods by rows: {error}"
        ) from error
    if checked.dtype.kind not in "buif":
        raise GraphError(
            f"members must hold weights as real numbers, but their type is {checked.dtype}."
        )
    return checked if checked.dtype == np.float64 else checked.astype(np.float64)


def _checked_centers(centers: ArrayLike, n_neighborhoods: int, n_rows: int) -> IntArray:
    given = np.asarray(centers)
    if given.shape != (n_neighborhoods,):
        raise GraphError(
            f"centers must be one row number for each of the {n_neighborhoods} neighbourhoods in "
            f"members, but its shape is {given.shape}."
        )
    if given.size and given.dtype.kind not in "iu":
        raise GraphError(
            f"centers must be row numbers (integers), but their type is {given.dtype}."
        )
    outside = np.flatnonzero((given < 0) | (given >= n_rows))
    if outside.size:
        raise GraphError(
            f"centers must be rows 0 to {n_rows - 1}, the columns of members, but neighbourhood "
            f"{outside[0]} has centre {given[outside[0]]}."
        )
    return given.astype(np.intp, copy=False)


def _checked_weights(weights: ArrayLike, n_neighborhoods: int) -> FloatArray:
    try:
        checked = np.asarray(weights, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise GraphError(f"weights must be real numbers: {error}") from error
    if checked.shape != (n_neighborhoods,):
        raise GraphError(
            f"weights must be one number for each of the {n_neighborhoods} neighbourhoods, but "
            f"its shape is {checked.shape}."
        )
    _refuse_bad_weights(checked, "weights")
    return checked


def _refuse_bad_weights(values: FloatArray, name: str) -> None:
    bad = np.flatnonzero(~((values >= 0) & np.isfinite(values)))
    if bad.size:
        raise GraphError(
            f"{name} must be finite and not negative, but {bad.size} of {values.size} are not; "
            f"the first is {values[bad[0]]}. Leave out edges that should not count."
        )
