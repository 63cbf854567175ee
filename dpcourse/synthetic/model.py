"""The model behind a release, and records drawn from it. Post-processing: it reads noisy counts and no records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpcourse.datasets import Schema
from dpcourse.synthetic import consistent
from dpcourse.synthetic.edges import downwards
from dpcourse.synthetic.marginals import Axis, Release


@dataclass(frozen=True, eq=False)
class TreeModel:
    """The label, then the root of the tree given the label, then every column given the label and its parent.

    Attributes
    ----------
    schema : Schema
    target : str or None
    axes : dict from str to Axis
    label : ndarray, shape (1, labels)
        Probability of each label.
    steps : list of (column, parent or None, table)
        Probabilities of the column's bins, shape (labels, bins) for the root, else (labels, bins of the parent, bins).
    within : dict from str to ndarray of shape (labels, bins, cells)
        Probabilities of the cells inside each bin, for the columns where bins are wider than cells.
    """

    schema: Schema
    target: str | None
    axes: dict[str, Axis]
    label: np.ndarray
    steps: list[tuple[str, str | None, np.ndarray]]
    within: dict[str, np.ndarray]

    @classmethod
    def from_release(cls, release: Release, schema: Schema) -> TreeModel:
        """Average what the noisy tables say about each column, fit the tables to it, and condition down the tree."""
        estimates = {name: [release.binned(name)] for name in release.axes}
        for a, b in release.edges:
            table, variance = release.table(a, b)
            for name, summed in ((a, 2), (b, 1)):
                total = table.sum(axis=summed)
                estimates[name].append((total, np.full(total.shape, variance * table.shape[summed])))
        averaged = {name: consistent.average(several) for name, several in estimates.items()}
        totals, _ = consistent.average([(mean.sum(axis=1), var.sum(axis=1)) for mean, var in averaged.values()])
        # Noise may say that there is nobody at all; the model is uniform then.
        totals = np.maximum(totals, 0.0) if (totals > 0).any() else np.ones_like(totals)
        margins = {name: consistent.onto_simplex(mean, totals) for name, (mean, _) in averaged.items()}
        tables = {
            (a, b): consistent.fit_table(release.table(a, b)[0].astype(float), margins[a], margins[b])
            for a, b in release.edges
        }
        root = next(iter(release.axes))
        steps: list[tuple[str, str | None, np.ndarray]] = [(root, None, consistent.conditional(margins[root]))]
        for parent, child in downwards(root, release.edges):
            table = tables[parent, child] if (parent, child) in tables else tables[child, parent].swapaxes(1, 2)
            steps.append((child, parent, consistent.conditional(table)))
        within = {name: _within_bins(release, name) for name, axis in release.axes.items() if axis.fine}
        label = consistent.conditional(totals[None, :])
        return cls(schema, release.target, release.axes, label, steps, within)

    def draw(self, n: int, rng: np.random.Generator, stratified: bool = True) -> pd.DataFrame:
        """`n` records in the columns of the schema."""
        label = _draw(np.zeros(n, dtype=np.int64), self.label, rng, stratified)
        bins: dict[str, np.ndarray] = {}
        for name, parent, table in self.steps:
            group = label if parent is None else label * table.shape[1] + bins[parent]
            bins[name] = _draw(group, table.reshape(-1, table.shape[-1]), rng, stratified)
        drawn = {}
        for name, axis in self.axes.items():
            cells = bins[name]
            if axis.fine:
                cells = _draw(label * axis.bins + cells, self.within[name].reshape(-1, axis.cells), rng, stratified)
            drawn[name] = axis.draw(cells, rng)
        if self.target:
            drawn[self.target] = np.array(self.schema.categories[self.target], dtype=object)[label]
        for name, source in self.schema.determined.items():
            drawn[name] = self.schema.bounds[name][0] + self.schema[source].codes(drawn[source])
        return pd.DataFrame({name: drawn[name] for name in self.schema.names})


def _within_bins(release: Release, name: str) -> np.ndarray:
    """P[cell | label, bin] from the counts of the column alone; equally likely in a bin that looks empty."""
    axis = release.axes[name]
    counts, _ = release.table(name)
    member = np.eye(axis.bins)[axis.bin_of_cell].T
    weights = np.maximum(counts, 0.0)[:, None, :] * member
    return consistent.conditional(np.where(weights.sum(axis=2, keepdims=True) > 0, weights, member))


def _draw(group: np.ndarray, probabilities: np.ndarray, rng: np.random.Generator, stratified: bool) -> np.ndarray:
    """For each record a value by the row of `probabilities` that its group names."""
    uniform = _spread(group, len(probabilities), rng) if stratified else rng.random(group.size)
    # All distribution functions end to end, the g-th one on [g, g + 1], so that one search answers for all groups.
    cumulative = np.cumsum(probabilities, axis=1)
    ladder = cumulative / cumulative[:, -1:] + np.arange(len(probabilities))[:, None]
    values = np.searchsorted(ladder.ravel(), group + uniform, side="right") - group * probabilities.shape[1]
    return np.clip(values, 0, probabilities.shape[1] - 1)


def _spread(group: np.ndarray, groups: int, rng: np.random.Generator) -> np.ndarray:
    """One uniform number in each of a group's equal intervals, in any order."""
    order = np.lexsort((rng.random(group.size), group))
    sizes = np.bincount(group, minlength=groups)
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(group.size)
    rank[order] = np.arange(group.size) - starts[group[order]]
    return (rank + rng.random(group.size)) / sizes[group]
