"""Which columns to count together: a spanning tree, chosen privately."""

from __future__ import annotations

import numpy as np

from dpcourse.mechanisms import ExponentialMechanism

Pair = tuple[str, str]


def spanning_tree(
    names: list[str], scores: dict[Pair, float], choice: ExponentialMechanism, rng: np.random.Generator
) -> list[Pair]:
    """Kruskal's algorithm, where the exponential mechanism chooses the next edge among those that close no circle."""
    part = {name: name for name in names}
    edges: list[Pair] = []
    while len(edges) < len(names) - 1:
        candidates = [pair for pair in scores if part[pair[0]] != part[pair[1]]]
        a, b = choice.select(candidates, [scores[pair] for pair in candidates], rng=rng)
        edges.append((a, b))
        old, new = part[b], part[a]
        part = {name: new if group == old else group for name, group in part.items()}
    return edges


def reached(root: str, edges: tuple[Pair, ...]) -> set[str]:
    """The names that some path of edges joins to the root."""
    found, larger = set[str](), {root}
    while larger > found:
        found, larger = larger, larger.union(*(edge for edge in edges if larger & set(edge)))
    return found


def downwards(root: str, edges: tuple[Pair, ...]) -> list[Pair]:
    """The edges as (parent, child), parents before their children."""
    reached, directed, left = {root}, [], list(edges)
    while left:
        a, b = edge = next(edge for edge in left if edge[0] in reached or edge[1] in reached)
        left.remove(edge)
        directed.append((a, b) if a in reached else (b, a))
        reached |= {a, b}
    return directed
