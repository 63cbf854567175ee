"""Searching for the neighbours that give a mechanism away, within a budget of runs.

An audit is told two datasets. A search is told only which datasets there are (`neighbours`): it draws pairs, runs the
mechanism a little on each, keeps the pairs that come out furthest apart, changes them, and spends more runs on fewer of
them. The winner is the luckiest of many, so nothing about it is certified by the runs it won with: fresh runs, which
chose nothing, are audited as if somebody had named the pair.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.audit.certify import Auditable, EpsilonScore, audit_outputs, run
from dpcourse.audit.events import choose_event
from dpcourse.audit.families import FAMILIES, FLOATING_POINT
from dpcourse.audit.neighbours import NeighbourSource, Records
from dpcourse.audit.outputs import Outputs
from dpcourse.audit.result import AuditResult
from dpcourse.privacy import Guarantee, arguments

# Pairs kept from the round before, changed pairs made of each, and what share of the search's runs a round has.
_ROUNDS = ((0, 48, 0.2), (8, 3, 0.35), (4, 3, 0.3), (2, 0, 0.15))
_SEARCH = 0.3  # of all runs
_CERTIFY = ((0.03, 0.25), (0.17, 0.25), (0.8, 0.5))  # of the others: share of the runs, share of the error
_DOUBT = 0.2  # in the score of a pair, which certifies nothing
_LEAST = 2_000  # runs: below, a round has none for some pairs


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    data, neighbour : object
        The pair that was certified.
    audit : AuditResult
        Of fresh runs on it.
    runs : int
        Of the mechanism, on all datasets together.
    pairs : int
        Looked at.
    """

    data: Any
    neighbour: Any
    audit: AuditResult
    runs: int
    pairs: int

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.audit.violated

    def __str__(self) -> str:
        told = f"Of {self.pairs} pairs of neighbours the most telling, with {self.runs:,} runs in all:"
        return f"{told}\n{self.data!r}\n{self.neighbour!r}\n{self.audit}"


def search_neighbours(
    mechanism: Auditable,
    datasets: NeighbourSource | Any,
    *,
    claim: Guarantee,
    runs: int = 100_000,
    confidence: float = 0.999,
    floating_point: bool = True,
    rng: Generator | int | None = None,
) -> SearchResult:
    """Look for two neighbours on which a mechanism breaks its claim, and try to refute the claim there.

    Parameters
    ----------
    mechanism : callable
        As for `audit`.
    datasets : Records, Scores, Generated, Schema, or any `NeighbourSource`
        Which datasets there are, and which are neighbours under the claim's relation. Of a `dpcourse.datasets.Schema`,
        tables of up to 40 rows.
    claim : Guarantee
    runs : int
        ≥ 2000: how often the mechanism may be run altogether, both datasets of every pair included. Three tenths
        search. The others certify, in three steps of which the first ones need few runs: if one refutes the claim,
        the rest is not run.
    confidence : float
        In (0, 1). A true claim is refuted with probability 1 − confidence at most, however many pairs were looked at.
    floating_point : bool
        As for `audit`.
    rng : Generator, int or None

    Returns
    -------
    SearchResult

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Notes
    -----
    A search that finds nothing shows less than an audit that finds nothing: the pair may not have been tried.

    Examples
    --------
    >>> from dpcourse.audit import Records, number_between
    >>> from dpcourse.privacy import Neighbours
    >>> forgot_to_clip = lambda ages, rng: round(ages.sum() + rng.laplace(scale=100), 6)
    >>> people = Records(number_between(0, 100, beyond=True), Neighbours.ADD_REMOVE, most=3)
    >>> found = search_neighbours(forgot_to_clip, people, claim=Guarantee(1.0), runs=4000, rng=8)
    >>> found.violated, found.runs <= 4000
    (True, True)
    """
    arguments.member("claim", claim, Guarantee)
    runs = arguments.integer("runs", runs, minimum=_LEAST)
    confidence = arguments.probability("confidence", confidence, zero=False, one=False)
    if not callable(mechanism):
        raise TypeError(f"mechanism must be callable as mechanism(data, rng), got {mechanism!r}")
    if hasattr(datasets, "bounds") and hasattr(datasets, "categories"):
        datasets = Records.of_schema(datasets, claim.neighbours)
    if not all(hasattr(datasets, name) for name in ("draw", "mutate", "datasets")):
        raise TypeError(f"datasets must be a Schema, Records, Scores, Generated or the like, got {datasets!r}")
    rng = np.random.default_rng(rng)
    pair, looked_at, used = _most_telling(mechanism, datasets, claim, int(runs * _SEARCH), floating_point, rng)
    left = runs - used
    for share, of_error in _CERTIFY:
        each = int(left * share) // 2
        sides = [run(mechanism, side, each, rng) for side in pair]
        used += 2 * each
        doubt = (1 - confidence) * of_error
        result = audit_outputs(*sides, claim=claim, confidence=1 - doubt, floating_point=floating_point)
        if result.violated:
            break
    # All three steps together are wrong with probability 1 − confidence at most, whichever of them is reported.
    return SearchResult(*pair, replace(result, confidence=confidence), used, looked_at)


def _most_telling(
    mechanism: Auditable,
    source: NeighbourSource,
    claim: Guarantee,
    runs: int,
    floating_point: bool,
    rng: Generator,
) -> tuple[tuple[Any, Any], int, int]:
    """The two datasets that came out furthest apart, how many pairs were looked at, and with how many runs."""
    score = EpsilonScore(claim.delta, _DOUBT)
    families = [*FAMILIES, *FLOATING_POINT] if floating_point else FAMILIES
    ranked: list[Any] = []
    looked_at = used = 0
    for kept, changed, share in _ROUNDS:
        if kept:
            best = ranked[:kept]
            candidates = [*best, *(source.mutate(pair, rng) for pair in best for _ in range(changed))]
        else:
            candidates = [source.draw(rng) for _ in range(changed)]
        looked_at += len(candidates) - kept
        each = max(int(runs * share / (2 * len(candidates))), 4)
        worth = []
        for candidate in candidates:
            outputs = Outputs.collect(*(run(mechanism, side, each, rng) for side in source.datasets(candidate)))
            worth.append(choose_event(outputs, first=each, score=score, families=families).score)
            used += 2 * each
        ranked = [candidates[i] for i in np.argsort(-np.array(worth), kind="stable")]
    return source.datasets(ranked[0]), looked_at, used
