"""Count tables of a few columns, released with exact integer noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.datasets import Categorical, Numeric
from dpcourse.mechanisms.sampling import discrete_gaussian
from dpcourse.privacy import Neighbours, arguments
from dpcourse.synthetic.edges import reached

FINEST = 128
"""A numeric column of up to this many values is counted value by value, a wider one by its declared bins."""


@dataclass(frozen=True)
class NoisyCounts:
    """Integer counts of disjoint cells, each with discrete Gaussian noise of parameter σ.

    A record lies in one cell, so adding or removing it moves one count by one: the L2 sensitivity of the whole table is
    1, however many cells it has. The cost is ρ = 1/(2σ²) of zCDP, exactly (Canonne, Kamath & Steinke 2020,
    arXiv:2004.00010).

    Parameters
    ----------
    sigma : float
        σ of the noise in each cell, ≥ 1e-150, in records.

    Examples
    --------
    >>> counts = NoisyCounts(sigma=5.0)
    >>> counts.zcdp
    0.02
    >>> counts.release([100, 0, 3], rng=0).dtype.kind
    'i'
    """

    sigma: float
    neighbours: Neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", arguments.noise("sigma", self.sigma))
        if self.neighbours is not Neighbours.ADD_REMOVE:
            # A replaced record may leave one cell and enter another.
            raise ValueError(f"neighbours must be add-remove, the relation of this sensitivity, got {self.neighbours}")

    @property
    def zcdp(self) -> float:
        """ρ = 1/(2σ²)."""
        return 0.5 / self.sigma**2

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """ρα at each order α."""
        return self.zcdp * np.asarray(orders, dtype=float)

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of discrete Gaussian noise on one count that moves by one."""
        return PrivacyLoss.discrete_gaussian(1, self.sigma)

    def release(self, counts: Sequence[int] | np.ndarray, *, rng=None) -> np.ndarray:
        """The counts with noise: integers of the same shape, some of them negative.

        Raises
        ------
        TypeError, ValueError
            If `counts` are not integers (floats are refused even if whole), or one is above 2^62 in size. A refusal is
            an output that depends on the data, and no noise covers it: `count` gives integers whatever they are.
        """
        given = np.asarray(counts)
        if given.dtype.kind not in "iu" and given.size:
            raise TypeError(f"counts must be integers, got {arguments.kind_of(given)}")
        if given.size and max(-int(given.min()), int(given.max())) > 2**62:
            raise ValueError(f"counts must be at most 2^62 in size, got more in {arguments.kind_of(given)}")
        exact = given.astype(np.int64)
        return exact + discrete_gaussian(self.sigma, exact.shape, rng=rng)


@dataclass(frozen=True, eq=False)
class Marginal:
    """A released table: the noisy counts of every combination of the cells of some columns.

    Attributes
    ----------
    columns : tuple of str
        One for each axis of `counts`.
    counts : ndarray of int64
    sigma : float
        σ of the noise in each cell, in records.
    """

    columns: tuple[str, ...]
    counts: np.ndarray
    sigma: float

    def __repr__(self) -> str:
        shape = " × ".join(str(size) for size in self.counts.shape)
        return f"Marginal({' × '.join(self.columns)}: {shape} noisy counts, σ={self.sigma:.3g})"


@dataclass(frozen=True)
class Axis:
    """How one column is counted: in cells when alone, in bins (groups of neighbouring cells) when with others.

    For most columns the two are the same. They differ for a numeric column of few values.
    """

    column: Numeric | Categorical

    @property
    def values(self) -> np.ndarray | None:
        """The single values that are the cells, where there are few; None where the cells are the bins."""
        column = self.column
        if isinstance(column, Numeric) and column.high - column.low < FINEST:
            return np.arange(column.low, column.high + 1)
        return None

    @property
    def fine(self) -> bool:
        """Whether cells are single values."""
        return self.values is not None

    @property
    def cells(self) -> int:
        return self.column.size if self.values is None else len(self.values)

    @property
    def bins(self) -> int:
        return self.column.size

    @property
    def bin_of_cell(self) -> np.ndarray:
        return np.arange(self.bins) if self.values is None else self.column.codes(self.values)

    def cell_codes(self, values) -> np.ndarray:
        """The cell of each record's value; whatever the value is, there is one."""
        if isinstance(self.column, Numeric) and self.fine:
            return (self.column.clipped(values) - self.column.low).astype(np.int64)
        return self.column.codes(values)

    def draw(self, cells: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A value from each cell: its category or value, or a whole number of its bin, all equally likely."""
        if isinstance(self.column, Categorical):
            return np.array(self.column.categories, dtype=object)[cells]
        if self.values is not None:
            return self.values[cells]
        edges = np.array(self.column.edges)
        return rng.integers(edges[cells], edges[cells + 1])


@dataclass(frozen=True, eq=False)
class Release:
    """All tables released so far, and how to read them: every table with a label axis, of length 1 without a label."""

    axes: dict[str, Axis]
    target: str | None
    labels: int
    marginals: dict[tuple[str, ...], Marginal] = field(default_factory=dict)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The pairs of columns counted together."""
        attributes = [columns[1:] if self.target else columns for columns in self.marginals]
        return tuple((pair[0], pair[1]) for pair in attributes if len(pair) == 2)

    def bins(self, *names: str) -> tuple[int, ...]:
        return tuple(self.axes[name].bins for name in names)

    def add(self, names: tuple[str, ...], noisy: np.ndarray, sigma: float) -> None:
        """Enter the noisy counts of label × these columns."""
        columns = self._columns(names)
        self.marginals[columns] = Marginal(columns, noisy if self.target else noisy[0], sigma)

    def restore(self, marginal: Marginal) -> None:
        """Enter a table that was stored; `ValueError` if it does not fit the axes."""
        names = marginal.columns[1:] if self.target else marginal.columns
        if not 1 <= len(names) <= 2 or self._columns(names) != marginal.columns or not set(names) <= self.axes.keys():
            raise ValueError(f"release must fit the schema: there is no table of {marginal.columns}")
        sizes = self.bins(*names) if len(names) == 2 else (self.axes[names[0]].cells,)
        expected = (self.labels, *sizes) if self.target else sizes
        if marginal.counts.shape != expected:
            raise ValueError(f"release must fit the schema: {marginal} is not {' × '.join(map(str, expected))}")
        if marginal.columns in self.marginals:
            raise ValueError(f"release must hold each table once, got {marginal.columns} twice")
        self.marginals[marginal.columns] = marginal

    def refuse_unless_complete(self) -> None:
        """`ValueError` unless each column has a table of its own, and tables of pairs join all of them into a tree."""
        names = list(self.axes)
        lacking = [name for name in names if self._columns((name,)) not in self.marginals]
        if lacking:
            raise ValueError(f"release must have a table of each column, but lacks {', '.join(lacking)}")
        lost = [name for name in names if name not in reached(names[0], self.edges)]
        if lost:
            raise ValueError(f"release must have a tree of pairs, but none joins {', '.join(lost)} to {names[0]}")
        if len(self.edges) >= len(names):
            raise ValueError(f"release must have a tree of pairs, but has {len(self.edges)} for {len(names)} columns")

    def table(self, *names: str) -> tuple[np.ndarray, float]:
        """The noisy counts of label × these columns, and the variance of each."""
        marginal = self.marginals[self._columns(names)]
        return marginal.counts.reshape(self.labels, *marginal.counts.shape[-len(names) :]), marginal.sigma**2

    def binned(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The noisy counts of label × the bins of a column, and their variances."""
        cells, variance = self.table(name)
        axis = self.axes[name]
        member = np.eye(axis.bins)[axis.bin_of_cell]
        return cells @ member, np.broadcast_to(variance * member.sum(axis=0), (self.labels, axis.bins))

    def _columns(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return (self.target, *names) if self.target else tuple(names)


def count(codes: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """The exact table of counts. It is private: only `NoisyCounts.release` of it may leave."""
    flat = np.ravel_multi_index(tuple(codes), shape) if codes[0].size else np.empty(0, dtype=np.int64)
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)
