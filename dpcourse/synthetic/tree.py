"""`TreeSynthesizer`: noisy three-way marginals along a tree of columns, and artificial records drawn from them.

A reduced form of MST (McKenna, Miklau & Sheldon 2021, arXiv:2108.04978), which won a contest of NIST: there the tables
hold pairs of columns, here pairs and a label, so that what predicts the label survives.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from dpcourse.accounting import PrivacyAccountant, renyi
from dpcourse.accounting.solve import safe_root
from dpcourse.datasets import Schema
from dpcourse.mechanisms import ExponentialMechanism
from dpcourse.privacy import Guarantee, arguments
from dpcourse.synthetic.edges import Pair, spanning_tree
from dpcourse.synthetic.marginals import Axis, Marginal, NoisyCounts, Release, count
from dpcourse.synthetic.model import TreeModel


class TreeSynthesizer:
    """Learns a table of artificial records under (ε, δ)-DP, adding or removing one record.

    Three steps, each of them accounted for in zCDP:

    1. A noisy count of every value of every column, label by label (15% of the budget).
    2. Which pairs of columns to count together: a spanning tree, edge by edge, by the exponential mechanism (2%). The
       score of a pair is the L1 distance between its three-way table with the label and the table that step 1 predicts
       if the pair were independent given the label, less the L1 norm to be expected of the noise in it. The prediction
       is public by then, and one record moves one cell of the table by one: the score's sensitivity is 1.
    3. A noisy table of label × a × b for every edge (a, b) of the tree (83%).

    What follows is post-processing: the tables are made consistent, and records are drawn down the tree. Numeric
    columns are counted in the bins their schema declares, and by single values in step 1 where there are no more than
    128. A column that another determines is computed and never counted. Values outside the schema go to a declared
    cell, silently.

    Parameters
    ----------
    epsilon : float
        ε in (0, ∞).
    delta : float
        δ in (0, 1).
    target : str or None
        The label: a categorical column that every table includes. None for a plain tree of two-way tables.

    Attributes
    ----------
    marginals_ : dict from tuple of str to Marginal
        The release: all that is ever learnt from the records.
    edges_ : tuple of pairs of str
        The tree.
    accountant_ : PrivacyAccountant
        The ledger of all that was run on the records.
    guarantee_ : Guarantee
        What was promised.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Notes
    -----
    The score is that of AIM (McKenna et al. 2022, arXiv:2201.12677). The choice of edges compares floats; what is
    released are integers and names of columns. Nothing about the records is fitted outside the three steps: bins,
    categories and bounds come from the schema.

    Examples
    --------
    >>> from dpcourse.datasets import load_adult
    >>> adult = load_adult("twin")
    >>> synthesizer = TreeSynthesizer(epsilon=1.0, delta=1e-6, target="income-per-year")
    >>> sample = synthesizer.fit(adult.frame, adult.schema, rng=0).sample(1000, rng=1)
    >>> sample.shape
    (1000, 14)
    >>> print(synthesizer.guarantee_)
    (ε=1, δ=1e-06)-DP, adding or removing one record
    """

    SHARES = {"columns": 0.15, "edges": 0.02, "tables": 0.83}

    def __init__(self, epsilon: float, delta: float, target: str | None = None) -> None:
        self.epsilon = arguments.positive("epsilon", epsilon)
        self.delta = arguments.probability("delta", delta, zero=False, one=False)
        if target is not None:
            arguments.member("target", target, str)
        self.target = target

    def __repr__(self) -> str:
        return f"TreeSynthesizer(epsilon={self.epsilon:g}, delta={self.delta:g}, target={self.target!r})"

    def fit(self, frame: pd.DataFrame, schema: Schema, *, rng=None) -> TreeSynthesizer:
        """Spend the whole budget on the records, once.

        Parameters
        ----------
        frame : DataFrame
            Any number of records with the columns of the schema; others are not looked at.
        schema : Schema
            Public bounds, bins and categories.
        rng : None, int or numpy.random.Generator
            Source of the noise. A real release must not be seeded.

        Raises
        ------
        ValueError
            If a column of the schema is missing or repeated, or `target` is not one of its categorical columns.
        """
        rng = np.random.default_rng(rng)
        self._set_schema(schema)
        missing = [name for name in schema.names if name not in frame]
        if missing:
            raise ValueError(f"frame must have the columns of the schema, but lacks {', '.join(missing)}")
        if repeated := schema.repeated(frame):
            raise ValueError(f"frame must have each column of the schema once, but repeats {', '.join(repeated)}")
        cells = {name: axis.cell_codes(frame[name]) for name, axis in self._release.axes.items()}
        bins = {name: axis.bin_of_cell[cells[name]] for name, axis in self._release.axes.items()}
        label = schema[self.target].codes(frame[self.target]) if self.target else np.zeros(len(frame), dtype=np.int64)

        rho, names, edges = self._budget(), list(self._release.axes), len(self._release.axes) - 1
        self.accountant_ = PrivacyAccountant()
        # With a single column there is no tree, and its counts get everything.
        shares = self.SHARES if edges else {"columns": 1.0}

        columns = NoisyCounts(math.sqrt(len(names) / (2 * rho * shares["columns"])))
        for name, axis in self._release.axes.items():
            counts = count([label, cells[name]], (self._release.labels, axis.cells))
            self._release.add((name,), columns.release(counts, rng=rng), columns.sigma)
        self.accountant_.compose(columns, times=len(names))

        if edges:
            tables = NoisyCounts(math.sqrt(edges / (2 * rho * shares["tables"])))
            exact = {
                (a, b): count([label, bins[a], bins[b]], (self._release.labels, *self._release.bins(a, b)))
                for a, b in combinations(names, 2)
            }
            choice = ExponentialMechanism(math.sqrt(8 * rho * shares["edges"] / edges), sensitivity=1.0)
            scores = self._scores(exact, tables.sigma)
            self.accountant_.compose(choice, times=edges)
            for pair in spanning_tree(names, scores, choice, rng):
                self._release.add(pair, tables.release(exact[pair], rng=rng), tables.sigma)
            self.accountant_.compose(tables, times=edges)
        return self._finished()

    def sample(self, n: int, *, rng=None, stratified: bool = True) -> pd.DataFrame:
        """Draw `n` artificial records. Post-processing: as often and as many as you like, at no further cost.

        Stratified: of the records that share label and parent, each value gets its expected number, give or take one.
        So the tables of a sample follow the model more closely than those of independent draws do.

        Parameters
        ----------
        n : int
            How many, ≥ 0. Say the public size of the table; the noisy counts themselves only give proportions.
        stratified : bool
            False draws each record by itself, as people are drawn for a survey.

        Returns
        -------
        DataFrame, shape (n, number of columns)
            In the order of the schema, every value inside it.
        """
        self._fitted()
        n = arguments.integer("n", n, minimum=0)
        rng = np.random.default_rng(rng)
        return self._model.draw(n, rng, stratified)

    def to_dict(self) -> dict[str, Any]:
        """The release and its cost, in a form that JSON can hold."""
        self._fitted()
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "neighbours": self.guarantee_.neighbours.value,
            "target": self.target,
            "selection_epsilon": self._selection_epsilon,
            "marginals": [
                {
                    "columns": list(marginal.columns),
                    "sigma": marginal.sigma,
                    "shape": list(marginal.counts.shape),
                    "counts": marginal.counts.ravel().tolist(),
                }
                for marginal in self.marginals_.values()
            ],
        }

    @classmethod
    def from_dict(cls, release: dict[str, Any], schema: Schema) -> TreeSynthesizer:
        """The fitted synthesizer behind a release: the same model, the same ledger, and no records.

        Raises
        ------
        ValueError
            If the tables do not fit the schema or are not those of one tree, or cost more than the release claims.
        """
        synthesizer = cls(release["epsilon"], release["delta"], release["target"])
        synthesizer._set_schema(schema)
        sigmas: Counter[float] = Counter()
        for entry in release["marginals"]:
            synthesizer._release.restore(Marginal(tuple(entry["columns"]), _counts(entry), entry["sigma"]))
            sigmas[entry["sigma"]] += 1
        synthesizer._release.refuse_unless_complete()
        synthesizer.accountant_ = PrivacyAccountant()
        for sigma, times in sigmas.items():
            synthesizer.accountant_.compose(NoisyCounts(sigma), times)
        if edges := len(synthesizer._release.edges):
            synthesizer.accountant_.compose(ExponentialMechanism(release["selection_epsilon"]), times=edges)
        synthesizer._refuse_unless_paid(release["neighbours"])
        return synthesizer._finished()

    @property
    def guarantee_(self) -> Guarantee:
        self._fitted()
        return Guarantee(self.epsilon, self.delta, self.accountant_.neighbours)

    @property
    def marginals_(self) -> dict[tuple[str, ...], Marginal]:
        return self._fitted().marginals

    @property
    def edges_(self) -> tuple[Pair, ...]:
        return self._fitted().edges

    @property
    def _selection_epsilon(self) -> float | None:
        sources = [entry.source for entry in self.accountant_.ledger]
        return next((source.epsilon for source in sources if isinstance(source, ExponentialMechanism)), None)

    def _fitted(self) -> Release:
        if not hasattr(self, "_model"):
            raise ValueError("this TreeSynthesizer is not fitted yet: call fit(frame, schema) first")
        return self._release

    def _finished(self) -> TreeSynthesizer:
        self._model = TreeModel.from_release(self._release, self.schema_)
        return self

    def _refuse_unless_paid(self, neighbours: str) -> None:
        """Whether the ledger bears out what a stored release claims."""
        if neighbours != (counted := self.accountant_.neighbours.value):
            raise ValueError(f"release must claim neighbours {counted!r}, as its noise does, got {neighbours!r}")
        spent = self.accountant_.epsilon(self.delta, method="zcdp")
        if spent > self.epsilon * (1 + 1e-9):
            raise ValueError(
                f"release must claim the ε={spent:.6g} that it cost at δ={self.delta:g}, got {self.epsilon:g}"
            )

    def _set_schema(self, schema: Schema) -> None:
        self.schema_ = arguments.member("schema", schema, Schema)
        if self.target is not None and self.target not in schema.categories:
            raise ValueError(f"target must be a categorical column of the schema, got {self.target!r}")
        counted = [c for c in schema.columns if c.name != self.target and c.name not in schema.determined]
        if not counted:
            raise ValueError("schema must have a column besides the target and the determined ones")
        labels = len(schema.categories[self.target]) if self.target else 1
        self._release = Release({column.name: Axis(column) for column in counted}, self.target, labels)

    def _budget(self) -> float:
        """The ρ whose zCDP is worth (ε, δ), from below."""

        def over(minus: float) -> float:  # ε grows with ρ, so in −ρ it is a decreasing function
            return renyi.epsilon_from_zcdp(abs(minus), self.delta) - self.epsilon

        low = -self.epsilon - 1.0  # for any δ of use, ε is larger than ρ
        while over(low) <= 0:
            low *= 2
        rho = abs(safe_root(over, low, 0.0, precision=1e-15 * self.epsilon))
        # A little less, so that the total stays within ε where it is added up in another order or found on a grid.
        return rho * (1 - 1e-4)

    def _scores(self, exact: dict[Pair, np.ndarray], sigma: float) -> dict[Pair, float]:
        """How far each pair is from independence given the label. Private: only `choice` may look."""
        predicted = {name: np.maximum(self._release.binned(name)[0], 0.0) for name in self._release.axes}
        scores = {}
        for (a, b), table in exact.items():
            size = np.maximum((predicted[a].sum(axis=1) + predicted[b].sum(axis=1)) / 2, 1.0)
            independent = predicted[a][:, :, None] * predicted[b][:, None, :] / size[:, None, None]
            noise = math.sqrt(2 / math.pi) * sigma * table.size
            scores[a, b] = float(np.abs(table - independent).sum()) - noise
        return scores


def _counts(entry: dict[str, Any]) -> np.ndarray:
    counts = np.array(entry["counts"], dtype=np.int64)
    if counts.size != math.prod(entry["shape"]):
        raise ValueError(
            f"release must hold {math.prod(entry['shape'])} counts of {entry['columns']}, got {counts.size}"
        )
    return counts.reshape(entry["shape"])
