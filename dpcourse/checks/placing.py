"""Where the errors of releases lie in the law that they should have: uniform between 0 and 1, from every side.

So they are looked at from the largest dataset down and from the smallest up, the same by ε, by how many numbers are
asked for, by how often the dataset was asked before, and in the order of the calls. Among the first so many, are
errors too small together, too large, or on one side? Where one dataset was asked about hundreds of times, each of the
sorted places is compared with its exact law. That shows what is never reached, what is crowded,
and what is drawn out.

That is the statistic M_n of Berk and Jones (Z. Wahrscheinlichkeitstheorie verw. Gebiete 47, 47–59, 1979), with a bound
in place of its law, which Moscovich, Nadler and Spiegelman compute (2016, doi:10.1214/16-EJS1172).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks import links
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.entries import quiet_entry, uneven
from dpcourse.checks.linked import linked
from dpcourse.checks.noise_laws import Law, finest
from dpcourse.checks.vocabulary import Shared

EXACT = 1e-9  # an error of less than so many scales is none: so near lies a right answer once in a billion calls


@dataclass(frozen=True)
class Question:
    """One call: how large the dataset was, how often it had been asked about before, ε, what came, and what should."""

    size: int
    before: int
    epsilon: float
    results: np.ndarray
    errors: np.ndarray
    scale: float
    sorted: bool = False


def misplaced(
    asked: Sequence[Question], laws: Sequence[Callable[[float], Law]], chance: Chance, wider: bool = False
) -> tuple[Diagnosis | None, np.ndarray]:
    """What is wrong with errors that should be of one of these laws, or wider; and their places in that law."""
    seen = []
    for law in laws:
        places = _places(asked, law, chance.rng)
        words = _worst(asked, places, law, chance, wider)
        if not words:
            return linked(asked, places, wider) or _quiet(asked, places, law, chance.rng), places
        seen.append(words)
    return Shared.NOT_EVERYWHERE.seen(seen[0]), places


def quiet(asked: Sequence[Question], laws: Sequence[Callable[[float], Law]], rng: Generator) -> Diagnosis | None:
    """An entry of results with less noise than any of these laws has; none of a right answer, but with 1e-8."""
    placed = [(law, _places(asked, law, rng)) for law in laws]
    found = [_quiet(asked, places, law, rng) for law, places in placed if places.any()]  # decimals have none in some
    return found[0] if found and all(found) else None


def _quiet(
    asked: Sequence[Question], places: np.ndarray, law: Callable[[float], Law], rng: Generator
) -> Diagnosis | None:
    """An entry with too little noise, in the order of the result, or of the truth: 1e-8 of right answers have one."""
    starts = np.cumsum([one.errors.size for one in asked])[:-1]
    apart = [some for some in zip(asked, np.split(places, starts), strict=True) if some[0].errors.size > 1]
    truths = (np.round(one.results - one.errors, 6) for one, _ in apart)  # equal ones, whatever their noise's last bits
    orders = [np.lexsort((rng.random(truth.size), truth)) for truth in truths]
    for sorted_by, calls in (
        ("", [some for _, some in apart]),
        (", in order of the truth,", [some[order] for (_, some), order in zip(apart, orders, strict=True)]),
    ):
        if entry := quiet_entry(calls, 5e-9, rng):
            seen = f"In many calls {entry} of your result{sorted_by} is nearer to the truth than {law(1.0).name} of the"
            ask = "Which entries get less noise than others? Everybody has as good a claim to it."
            return Shared.NOT_EVERYWHERE.seen(f"{seen} right scale leaves it.", ask)
    return None


def crowded(
    asked: Sequence[Question], laws: Sequence[Callable[[float], Law]], chance: Chance, wider: bool = False
) -> Diagnosis | None:
    """What is wrong with errors of one dataset, asked about often, that should be of one of these laws, or wider."""
    words = [_crowded(asked, law, chance, wider) for law in laws]
    return Shared.NOT_EVERYWHERE.seen(words[0]) if all(words) else None


def _crowded(asked: Sequence[Question], law: Callable[[float], Law], chance: Chance, wider: bool) -> str:
    places, each = _places(asked, law, chance.rng), chance.failure / 3
    where = f"{len(asked)} questions about one dataset of {asked[0].size:,} records, at ε = {asked[0].epsilon:.2g}"
    close, far = uneven(np.clip(np.abs(2 * places - 1), EXACT, 1 - EXACT), each)
    if close or (far and not wider):
        return _said(asked, law, "near" if close else "far", where)
    if links.repeated([links.Draws.of_signs(2 * some - 1) for some in places.reshape(len(asked), -1)], each):
        return f"Of {where}, your results keep to one side of the truth."
    return "" if wider or not any(uneven(places, each)) else _said(asked, law, "above", where)


def _places(asked: Sequence[Question], law: Callable[[float], Law], rng: Generator) -> np.ndarray:
    """Where each error lies in its law: uniform between 0 and 1 for a right answer, rounded or not, cut at 0 or not."""
    errors = np.concatenate([one.errors for one in asked])
    results = np.concatenate([one.results for one in asked])
    scales = np.repeat([one.scale for one in asked], [one.errors.size for one in asked])
    unit = law(1.0)
    step = finest(errors)
    if unit.whole and step != 1.0:
        return np.zeros_like(errors)  # decimals are no noise of whole numbers

    def below(at: np.ndarray) -> np.ndarray:
        if not unit.whole:
            return unit.below(at / scales)
        return np.array([law(scale).below(one) for one, scale in zip(at, scales, strict=True)])

    low, high = below(errors - step / 2), below(errors + step / 2)
    if (results >= 0).all():
        low = np.where(results == 0, 0.0, low)
    return low + rng.random(errors.size) * (high - low)


def _worst(
    asked: Sequence[Question], places: np.ndarray, law: Callable[[float], Law], chance: Chance, wider: bool
) -> str:
    """What is least likely by chance of all that is too unlikely, in words; "" if nothing is."""
    sizes = np.array([one.errors.size for one in asked])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    middle = np.clip(np.abs(2 * places - 1), EXACT, 1 - EXACT)
    close, far, above = (np.add.reduceat(part, starts) for part in (-np.log(middle), -np.log1p(-middle), places > 0.5))
    worst, words = 0.0, ""
    for order, where in _orders(asked):
        n, share = np.cumsum(sizes[order]), shares(len(order)) * chance.failure / (4 * 11)
        up = np.cumsum(above[order].astype(int))
        looks = {
            "near": stats.gamma.logsf(np.cumsum(close[order]), n),
            "far": stats.gamma.logsf(np.cumsum(far[order]), n),
            "above": stats.binom.logsf(up - 1, n, 0.5),
            "below": stats.binom.logcdf(up, n, 0.5),
        }
        for look, chances in looks.items() if not wider else [("near", looks["near"])]:
            unlikely = np.log(share) - chances
            if unlikely.max() > worst:
                worst, last = float(unlikely.max()), int(unlikely.argmax())
                group = [asked[place] for place in order[: last + 1]]
                many = f"{len(group)} question{'s' * (len(group) > 1)} about new datasets, {where(group[-1])}"
                words = _said(group, law, look, many)
    return words


def shares(n: int) -> np.ndarray:
    """How the failure is shared among the first so many: they add up to less than 1, and the first few have most."""
    return 6 / (math.pi * np.arange(1, n + 1)) ** 2


def _orders(asked: Sequence[Question]) -> Iterator[tuple[np.ndarray, Callable[[Question], str]]]:
    """The questions in eleven orders, and how the first so many are called by the last of them."""
    for up, key, words in (
        (True, lambda one: one.size, lambda one: f"on datasets of {one.size:,} records or fewer"),
        (False, lambda one: one.size, lambda one: f"on datasets of {one.size:,} records or more"),
        (True, lambda one: one.epsilon, lambda one: f"at ε = {one.epsilon:.2g} or less"),
        (False, lambda one: one.epsilon, lambda one: f"at ε = {one.epsilon:.2g} or more"),
        (True, lambda one: one.before, lambda one: "the first time that a dataset is asked about"),
        (False, lambda one: one.before, lambda one: "when a dataset is asked about again"),
        (False, lambda one: one.sorted, lambda one: "whose records are sorted"),
        (True, lambda one: 0, lambda one: "in your first answers"),
        (False, lambda one: 0, lambda one: "in your last answers"),
        (True, lambda one: one.errors.size, lambda one: f"where {one.errors.size} numbers or fewer are asked for"),
        (False, lambda one: one.errors.size, lambda one: f"where {one.errors.size} numbers or more are asked for"),
    ):
        values = np.array([key(one) for one in asked])
        order = np.argsort(values, kind="stable")
        yield (order if up else order[::-1]), words


def _said(group: Sequence[Question], law: Callable[[float], Law], look: str, many: str) -> str:
    sizes = [np.abs(one.errors).mean() / law(one.scale).size for one in group]
    if look in ("above", "below"):
        share = np.mean(np.concatenate([one.errors for one in group]) > 0)
        return f"Of {many}, {share:.0%} of your results lie above the truth. Half should."
    exact = np.mean(np.concatenate([np.abs(one.errors) < EXACT * one.scale for one in group]))
    if look == "near" and exact > (0.1 if law(1.0).whole else 0.0) and exact >= 1 - 2 * np.mean(sizes):
        return f"Of {many}, {100 * exact:.2g}% of your results have no noise."
    return (
        f"Of {many}, your results are {np.mean(sizes):.2g} times as far from the exact ones as noise should put them."
    )
