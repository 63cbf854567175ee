"""Discrete Laplace noise of many calls: does each entry have it, and each one of its own?

Looks at all numbers together miss an entry of twenty that is exact (`entries`). And they miss noise that is dealt out:
where what one entry gets another one loses, the noise of a call adds up to nothing, and the total is exact. Where all
draws of a call are one of each size, shuffled, it is their sizes that always add up to the same. So sums of both are
asked whether they vary as sums of independent draws do (`links.balanced`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.entries import quiet_entry
from dpcourse.checks.links import VARIED, Draws, balanced
from dpcourse.checks.vocabulary import Shared
from dpcourse.checks.whole_noise import in_shares, places


def amiss(
    noise: Sequence[np.ndarray],
    epsilons: Sequence[float],
    failure: float,
    rng: np.random.Generator,
    shares: Sequence[float] | float = 1.0,
    truths: Sequence[np.ndarray] = (),
) -> Diagnosis | None:
    """What is wrong with the noise of 40 calls or more, each of 20 entries or more, at an ε of its own.

    Of right noise something is wrong with probability `failure` at most: sums are not quite normal, but `balanced`
    takes each to be farther off than it is. `shares` is how many times the whole noise is in it; of `truths`, what the
    noise was added to, entries are looked at in their order, too.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> noise = rng.geometric(0.2, (60, 21)) - rng.geometric(0.2, (60, 21))
    >>> epsilons = [-math.log(0.8)] * 60
    >>> amiss(list(noise), epsilons, 1e-9, rng)
    >>> amiss(list(noise - np.roll(noise, 1, axis=1)), epsilons, 1e-9, rng, 2.0).key
    'linked-noise'
    >>> noise[:, -1] = 0
    >>> amiss(list(noise), epsilons, 1e-9, rng).key
    'not-everywhere'
    """
    parts = np.broadcast_to(np.asarray(shares, dtype=float), len(noise)).tolist()
    calls = list(zip(noise, epsilons, parts, strict=True))
    placed = [_placed(*one, rng) for one in calls]
    in_order = [
        found[np.lexsort((rng.random(found.size), truth))] for found, truth in zip(placed, truths, strict=bool(truths))
    ]
    for order, some in (("", placed), (", in order of the truth,", in_order)):
        if some and (quiet := quiet_entry(some, failure / 4, rng)):
            seen = f"In {len(noise)} calls, {quiet}{order} has noise that is too often small, or none."
            return Shared.NOT_EVERYWHERE.seen(seen, "How many draws are there, and which entry gets which of them?")
    sums = [Draws(one, np.full(len(one), part * _variance(epsilon))) for one, epsilon, part in calls]
    sizes = [_sizes(one, epsilon) for one, epsilon, part in calls if part == 1]
    seen = f"In {len(noise)} calls, the noise of all entries of a call hangs together:"
    if balanced(_varied(sums), failure / 4):
        return Shared.LINKED_NOISE.seen(f"{seen} it adds up to nearly 0 each time.")
    if balanced(_varied(sizes), failure / 4):
        return Shared.LINKED_NOISE.seen(f"{seen} its sizes add up to nearly the same each time.")
    return None


def _varied(calls: Sequence[Draws]) -> list[Draws]:
    """Those whose sums are nearly normal: of fewer, `balanced` multiplies pairs, and asks that no draw is above 1."""
    return [one for one in calls if one.variance.sum() >= VARIED]


def _placed(noise: np.ndarray, epsilon: float, part: float, rng: np.random.Generator) -> np.ndarray:
    return places(noise, epsilon, rng) if part == 1 else in_shares(noise, epsilon, part, rng)[1]


def _variance(epsilon: float) -> float:
    return math.sinh(epsilon / 2) ** -2 / 2


def _sizes(noise: np.ndarray, epsilon: float) -> Draws:
    mean = 1 / math.sinh(epsilon)
    return Draws(np.abs(noise) - mean, np.full(len(noise), _variance(epsilon) - mean**2))
