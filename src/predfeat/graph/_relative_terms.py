"""Edge terms beside the paper's: neighbours in time and in space, labels, values.

Each is weighted relative to the future edges: a weight of 1 gives it as much edge weight as these
have, however many edges it has itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import AnnotationError, GraphError
from predfeat.graph._neighborhoods import Neighborhoods
from predfeat.graph._projected import ProjectedLaplacian, projected_laplacian
from predfeat.graph._terms import GraphContext, check_weight
from predfeat.neighbors import search
from predfeat.series import ANNOTATIONS, Annotations, Classes, States, check_sequences, find_states

__all__ = [
    "Adjacent",
    "Different",
    "Local",
    "RelativeTerm",
    "SameLabel",
    "SimilarValue",
]

SPACES = ("input", "features")


@dataclass(frozen=True)
class RelativeTerm(ABC):
    """A reason to pull samples together, or apart, beside similar states.

    A subclass is a frozen dataclass that implements `neighborhoods`.

    Parameters
    ----------
    weight : float, default=1.0
        1 gives the term as much edge weight as the future edges have; 0 leaves it out.
    """

    weight: float = 1.0

    def __post_init__(self) -> None:
        check_weight(self.weight)

    @property
    def is_fixed(self) -> bool:
        """Whether the edges stay the same when the features change: it is then projected once."""
        return True

    @property
    def is_partial(self) -> bool:
        """Whether the edges may join only some of the rows, a biased part perhaps.

        The constraint then measures the variance of these rows around their own mean: around that
        of all rows, it would find the direction in which they differ from the others.
        """
        return False

    @property
    def pulls_apart(self) -> bool:
        """Whether connected samples should lie far from each other.

        The term then enters the constraint instead of what is minimised.
        """
        return False

    @abstractmethod
    def neighborhoods(self, context: GraphContext) -> Neighborhoods:
        """Return which samples to connect, without the weight of the term."""

    def project(self, context: GraphContext) -> tuple[ProjectedLaplacian, float]:
        """Return the projected graph, and its total edge weight."""
        found = self.neighborhoods(context)
        return projected_laplacian([found], context.white.rows), found.total_weight


@dataclass(frozen=True)
class Adjacent(RelativeTerm):
    """Each sample should lie close to the next: features that change slowly.

    Alone and with `normalized=False` it is slow feature analysis.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import GPFA, SFA
    >>> from predfeat.graph import Adjacent
    >>> from predfeat.measures import subspace_angles
    >>> X = np.cumsum(np.random.default_rng(0).normal(size=(300, 4)), axis=0)
    >>> slow = GPFA(2, terms=[Adjacent()], normalized=False).fit(X)
    >>> bool(subspace_angles(slow, SFA(2).fit(X)).max() < 1e-5)
    True
    """

    def neighborhoods(self, context: GraphContext) -> Neighborhoods:
        """Return a pair for every two adjacent samples."""
        times = np.flatnonzero(context.white.reach(ahead=1))
        return _stars(times, (times + 1)[:, None], context.white.n_rows)


@dataclass(frozen=True)
class Local(RelativeTerm):
    """Samples that are similar should stay close to each other: locality preserving projections.

    Parameters
    ----------
    weight : float, default=1.0
        As in `RelativeTerm`.
    n_neighbors : int, default=10
        The nearest samples to join each sample with.
    space : {"input", "features"}, default="input"
        Where they are searched: in white space, once, or among the features, in every iteration.

    Examples
    --------
    >>> from predfeat import GPFA
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.graph import Future, Local, Past
    >>> X = predictable_noise(500, 5, random_state=0)
    >>> model = GPFA(2, terms=[Future(), Past(), Local(weight=0.1)]).fit(X)
    """

    n_neighbors: int = 10
    space: str = "input"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_neighbors(self.n_neighbors)
        if self.space not in SPACES:
            raise GraphError(f"space must be 'input' or 'features', but it is {self.space!r}.")

    @property
    def is_fixed(self) -> bool:
        """Whether the samples are searched in white space."""
        return self.space == "input"

    def neighborhoods(self, context: GraphContext) -> Neighborhoods:
        """Return a star for every sample."""
        series = context.white if self.space == "input" else context.space
        states = find_states(series, 1, n_neighbors=self.n_neighbors)
        found = search(states, self.n_neighbors, engine=context.engine, n_jobs=context.n_jobs)
        return _stars(found.times, found.indices, context.white.n_rows)


@dataclass(frozen=True)
class _AnnotatedTerm(RelativeTerm):
    """A term that uses labels, actions or rewards, which only some of the rows may have."""

    of: str = "y"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.of not in ANNOTATIONS:
            raise GraphError(
                f"of must be one of {', '.join(map(repr, ANNOTATIONS))}, but it is {self.of!r}."
            )

    @property
    def is_partial(self) -> bool:
        """True: rows may have no label."""
        return True


@dataclass(frozen=True)
class SameLabel(_AnnotatedTerm):
    """Samples with the same label should lie close to each other.

    All samples of a class are joined, with weights such that a class counts by its number of
    samples. Alone it is linear discriminant analysis. Samples without a label (None or NaN) are
    not joined.

    Parameters
    ----------
    weight : float, default=1.0
        As in `RelativeTerm`.
    of : {"y", "actions", "rewards"}, default="y"
        Which labels.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import GPFA
    >>> from predfeat.graph import Future, Past, SameLabel
    >>> random = np.random.default_rng(0)
    >>> X, label = random.normal(size=(500, 4)), random.choice(["a", "b"], size=500)
    >>> X[label == "a", 2] += 3.0
    >>> model = GPFA(1, terms=[Future(), Past(), SameLabel()]).fit(X, label)
    >>> int(np.abs(model.components_[0]).argmax())
    2
    """

    def neighborhoods(self, context: GraphContext) -> Neighborhoods:
        """Return a full neighbourhood for every class."""
        classes = _classes_of_samples(self, context)
        return _full_classes(classes, np.ones(len(classes.names)) / classes.sizes)


@dataclass(frozen=True)
class SimilarValue(_AnnotatedTerm):
    """Samples with similar values of a target should lie close to each other.

    Each sample is joined with those that have the nearest values. Samples without a value (None or
    NaN) are not joined.

    Parameters
    ----------
    weight : float, default=1.0
        As in `RelativeTerm`.
    of : {"y", "actions", "rewards"}, default="y"
        Which values; several for each row count by their Euclidean distance, as given.
    n_neighbors : int, default=10
        How many samples with similar values to join each sample with.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import GPFA
    >>> from predfeat.graph import SimilarValue
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(500, 4))
    >>> target = X[:, 3] + 0.1 * random.normal(size=500)
    >>> model = GPFA(1, terms=[SimilarValue()]).fit(X, target)
    >>> int(np.abs(model.components_[0]).argmax())
    3
    """

    n_neighbors: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_neighbors(self.n_neighbors)

    def neighborhoods(self, context: GraphContext) -> Neighborhoods:
        """Return a star for every sample that has a value."""
        numbers = _annotations(self, context).numbers(self.of)
        times = np.flatnonzero(context.white.valid & ~np.isnan(numbers).any(axis=1))
        if len(times) <= self.n_neighbors:
            raise AnnotationError(
                f"{self!r} needs at least {self.n_neighbors + 1} samples with a value, but "
                f"{self.of} has {len(times)}. Give more values, or use fewer neighbors."
            )
        values = check_sequences(numbers[times])
        states = States(values, np.arange(len(times)), 1)
        found = search(states, self.n_neighbors, n_jobs=context.n_jobs)
        return _stars(times, times[found.indices], context.white.n_rows)


@dataclass(frozen=True)
class Different(_AnnotatedTerm):
    """Samples with different labels should lie far from each other.

    All pairs of samples with different labels are joined, among those with the same action if
    actions are given and are not the labels themselves. The term enters the constraint: the
    features have unit variance plus this much between the labels.

    Parameters
    ----------
    weight : float, default=1.0
        As in `RelativeTerm`.
    of : {"y", "actions", "rewards"}, default="rewards"
        Which labels.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import GPFA
    >>> from predfeat.graph import Different, Future, Past
    >>> random = np.random.default_rng(0)
    >>> X, reward = random.normal(size=(500, 4)), random.choice([0.0, 1.0], size=500)
    >>> X[reward == 1, 1] += 3.0
    >>> terms = [Future(), Past(), Different(weight=5.0)]
    >>> model = GPFA(1, terms=terms).fit(X, rewards=reward)
    >>> int(np.abs(model.components_[0]).argmax())
    1
    """

    of: str = "rewards"

    @property
    def pulls_apart(self) -> bool:
        """True: what is different should lie far apart."""
        return True

    def neighborhoods(self, context: GraphContext) -> Neighborhoods:
        """Raise an error: these edges are the difference of two graphs; see `project`."""
        raise GraphError(
            f"{self!r} joins all pairs of different labels, which are no neighbourhoods. Use its "
            "method project."
        )

    def project(self, context: GraphContext) -> tuple[ProjectedLaplacian, float]:
        """Return the projection of all pairs with the same action, less those of equal labels."""
        labels = _classes_of_samples(self, context)
        together = _same_actions(labels, context, self.of)
        alike = _crossed(labels, together)
        n_all, n_alike = (float(np.square(c.sizes).sum()) for c in (together, alike))
        if n_all == n_alike:
            raise AnnotationError(
                f"{self!r} finds no two samples with the same action and different {self.of}. "
                "Leave the term out."
            )
        rows = context.white.rows
        whole, equal = (
            projected_laplacian([_full_classes(c, np.ones(len(c.names)))], rows)
            for c in (together, alike)
        )
        return whole.plus(equal, -1.0), n_all - n_alike


def _stars(centers: IntArray, members: IntArray, n_rows: int) -> Neighborhoods:
    first = np.arange(len(centers) + 1) * members.shape[1]
    entries = (np.ones(members.size), members.ravel(), first)
    return Neighborhoods(centers, sparse.csr_array(entries, shape=(len(centers), n_rows)))


def _full_classes(classes: Classes, weights: FloatArray) -> Neighborhoods:
    """Return a full neighbourhood for each class: its first row, with all others as members."""
    rows = np.argsort(classes.codes, kind="stable")[np.count_nonzero(classes.codes < 0) :]
    sizes = classes.sizes
    first = np.cumsum(sizes) - sizes
    is_member = np.ones(len(rows), dtype=bool)
    is_member[first] = False
    starts = np.append(0, np.cumsum(sizes - 1))
    members = sparse.csr_array(
        (np.ones(int(is_member.sum())), rows[is_member], starts),
        shape=(len(sizes), len(classes.codes)),
    )
    return Neighborhoods(rows[first], members, weights, graph="full")


def _annotations(term: _AnnotatedTerm, context: GraphContext) -> Annotations:
    if context.annotations is None:
        raise AnnotationError(
            f"{term!r} needs labels, actions or rewards, but none were given. Give them to fit."
        )
    return context.annotations


def _classes_of_samples(term: _AnnotatedTerm, context: GraphContext) -> Classes:
    """Return the classes of the samples; gaps have none. Refuse a single class."""
    classes = _annotations(term, context).classes(term.of)
    found = _compact(np.where(context.white.valid, classes.codes, -1), classes.names)
    if len(found.names) < 2:
        only = f"all are {found.names[0]!r}" if found.names else "no sample has one"
        raise AnnotationError(
            f"{term!r} needs at least two different labels, but of {term.of} {only}. Leave the "
            "term out."
        )
    return found


def _same_actions(labels: Classes, context: GraphContext, of: str) -> Classes:
    """Return which labelled samples have the same action; all of them without actions."""
    annotations = context.annotations
    if (
        annotations is None
        or annotations.actions is None
        or of == "actions"
        or not annotations.has_discrete_actions
    ):
        return Classes(np.where(labels.codes >= 0, 0, -1), ("any",))
    actions = annotations.classes("actions")
    return _compact(np.where(labels.codes >= 0, actions.codes, -1), actions.names)


def _crossed(first: Classes, second: Classes) -> Classes:
    """Return which rows are in one class by both."""
    known = (first.codes >= 0) & (second.codes >= 0)
    both = np.where(known, first.codes * len(second.names) + second.codes, -1)
    names = tuple((a, b) for a in first.names for b in second.names)
    return _compact(both, names)


def _compact(codes: IntArray, names: tuple[object, ...]) -> Classes:
    """Leave out classes without rows."""
    used, renumbered = np.unique(codes, return_inverse=True)
    n_without = int(np.count_nonzero(used < 0))
    return Classes(
        (renumbered - n_without).astype(np.intp), tuple(names[code] for code in used[n_without:])
    )


def _check_neighbors(n_neighbors: object) -> None:
    if isinstance(n_neighbors, bool) or not (
        isinstance(n_neighbors, int | np.integer) and n_neighbors >= 1
    ):
        raise GraphError(
            f"n_neighbors must be a whole number of at least 1, but it is {n_neighbors!r}."
        )
