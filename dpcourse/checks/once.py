"""A release asked the way people ask: about datasets it has never seen, of any size and shape, at any ε, once or a few
times.

The other looks at a release ask one dataset thousands of times at an ε or two, which an answer can tell from earnest:
it may add its noise there and nowhere else. Here are two hundred datasets of 1 to 100,000 records and one of a million,
most of them of a shape of their own and a quarter sorted, each at an ε of its own between 0.01 and 5, a tenth of them
up to 50, with arrays that can be written to or not, and with a generator made for the call. Each error becomes its
place in the law that it should have had, a number between 0 and 1. Such places are uniform, whatever their datasets and
ε. So they are looked at from every side: from the largest dataset down and from the smallest up, the same by ε, by how
many numbers are asked for, by how often the dataset was asked before, and in the order of the calls. Among the first so
many, are errors too small together, too large, or on one side?
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis, Refused
from dpcourse.checks.linked import linked
from dpcourse.checks.noise_laws import Law, finest
from dpcourse.checks.vocabulary import Shared

if TYPE_CHECKING:
    from dpcourse.checks.release import Release

DATASETS = 200
SIZES, EPSILONS, TAIL = (1.0, 1e5), (0.01, 5.0), (5.0, 50.0)
LARGEST, MOST_BYTES = 10**6, 2**24  # records of one dataset, where they are so few bytes
ROUND_SIZES = (1, 2, 10, 100, 1000, 10_000, 30_162, 32_561, 45_222, 48_842, 100_000)  # those of the course among them
ASKED = (1, 1, 2, 3)  # questions to one dataset; a large one is asked once
LARGE = 5000
LISTED = 10_000  # of longer lists two in three are cut to a tenth: an answer may go through one once a category
SORTED = 0.25  # of the datasets are in order, as many a file is
USUAL = 0.25  # of the datasets have a shape that the other looks have, too
AGAIN = 0.1  # of the questions are asked once more with the same generator, and have the same answer
_OWN = Diagnosis(
    "own-generator",
    "Your function draws from a generator of its own: the same `rng` gave different results.",
    "Draw from the `rng` you are given, whatever ε and the data are.",
)
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


def asked_once(release: Release, answer: Answer, chance: Chance) -> Diagnosis | None:
    """The case; a right answer fails with probability `chance.failure` at most, and 1e-8 (`linked`)."""
    answer.renew()
    asked = list(ask(release, answer, chance.rng))
    return misplaced(asked, release.noise or release.least, chance, not release.noise)[0]


def misplaced(
    asked: Sequence[Question], laws: Sequence[Callable[[float], Law]], chance: Chance, wider: bool = False
) -> tuple[Diagnosis | None, np.ndarray]:
    """What is wrong with errors that should be of one of these laws, or wider; and their places in that law."""
    seen = []
    for law in laws:
        places = _places(asked, law, chance.rng)
        words = _worst(asked, places, law, chance, wider)
        if not words:
            return linked(asked, places, wider), places
        seen.append(words)
    return Shared.NOT_EVERYWHERE.seen(seen[0]), places


def near(epsilon: float, rng: Generator, by: float = 1.25) -> float:
    """An ε up to so many times larger or smaller; every other time a round one, as people choose it.

    Half of those that are whole are an `int`, as people write them.
    """
    drawn = float(epsilon * by ** rng.uniform(-1, 1))
    if rng.random() < 0.5:
        return drawn
    chosen = float(f"{drawn:.1g}")
    return int(chosen) if chosen.is_integer() and rng.random() < 0.5 else chosen


def ask(release: Release, answer: Answer, rng: Generator) -> Iterator[Question]:
    draws = [*release.data, *([release.many] if release.many else [])]
    pools = [draws[place % len(draws)](rng) for place in range(max(12, len(draws)))]
    tail = DATASETS // 10
    epsilons = rng.permutation([*spread(rng, *EPSILONS, DATASETS - tail), *spread(rng, *TAIL, tail)])
    sizes, largest = spread(rng, *SIZES, DATASETS), int(rng.integers(DATASETS))
    for place, (size, epsilon) in enumerate(zip(sizes, epsilons, strict=True)):
        n = int(rng.choice(ROUND_SIZES)) if rng.random() < 0.1 else round(size)
        epsilon = near(epsilon, rng, 1.0)
        usual = release.anew is None or rng.random() < USUAL
        pool = pools[rng.integers(len(pools))] if usual or release.anew is None else release.anew(rng)
        if n > LISTED and rng.random() < 2 / 3 and any(isinstance(one, list) for one in pool[: release.records]):
            n //= 10
        n = min(LARGEST if place == largest else n, MOST_BYTES // _row(pool[: release.records]))
        ordered = rng.random() < SORTED
        arguments = _resampled(pool, n, release.records, rng, ordered)
        truth = np.asarray(release.truth(*arguments), dtype=float)
        for before in range(1 if n > LARGE else int(rng.choice(ASKED))):
            seed = rng.integers(2**63)
            result = release.result(answer, arguments, epsilon, np.random.default_rng(seed), truth.shape)
            if rng.random() < AGAIN:
                other = release.result(answer, arguments, epsilon, np.random.default_rng(seed), truth.shape)
                if not np.array_equal(result, other):
                    raise Refused(_OWN)
            scale = release.scale(arguments, epsilon)
            yield Question(n, before, epsilon, np.ravel(result), np.ravel(result - truth), scale, ordered)


def spread(rng: Generator, low: float, high: float, many: int) -> list[float]:
    """Numbers between two, evenly on a logarithmic scale, in random order."""
    places = (rng.permutation(many) + rng.random(many)) / many
    return (low * (high / low) ** places).tolist()


def whole(rng: Generator, low: int, high: int) -> int:
    """A whole number from one to another, as likely between 1 and 2 as between 100 and 200."""
    return int(low * ((high + 1) / low) ** rng.random())


def between(rng: Generator, low: float, high: float) -> float:
    """A number between two, as `whole`; a third of them have one digit."""
    drawn = float(low * (high / low) ** rng.random())
    return float(f"{drawn:.1g}") if rng.random() < 1 / 3 else drawn


def anywhere(*ends: tuple[float, float]) -> Callable[[Generator], tuple[Any, ...]]:
    """Inputs whose arguments lie between such ends, on a logarithmic scale; whole numbers between whole ends.

    >>> anywhere((1, 1000), (1e-3, 8.0))(np.random.default_rng(1))
    (34, 5.0)
    """

    def inputs(rng: Generator) -> tuple[Any, ...]:
        return tuple(
            whole(rng, low, high) if isinstance(low, int) and isinstance(high, int) else between(rng, low, high)
            for low, high in ends
        )

    return inputs


def _row(columns: tuple[Any, ...]) -> int:
    """About so many bytes has a record."""
    return sum(column[0].nbytes if isinstance(column, np.ndarray) else 160 for column in columns) or 160


def _resampled(
    arguments: tuple[Any, ...], n: int, records: int, rng: Generator, ordered: bool = False
) -> tuple[Any, ...]:
    """The same public arguments with n records, drawn from those that are there; every other time writeable.

    Ordered ones are sorted by their first column.
    """
    if not records:
        return arguments
    rows, writeable = rng.integers(len(arguments[0]), size=n), rng.random() < 0.5
    if ordered:
        first = np.asarray(arguments[0])
        rows = rows[np.argsort(first[rows] if first.ndim == 1 else first[rows, 0], kind="stable")]

    def taken(values: Any) -> Any:
        if not isinstance(values, np.ndarray):
            return list(itemgetter(*rows.tolist(), rows[0])(values))[:-1]
        found = values[rows]
        found.setflags(write=writeable)
        return found

    return (*map(taken, arguments[:records]), *arguments[records:])


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
                words = _said([asked[place] for place in order[: last + 1]], law, look, where)
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


def _said(group: Sequence[Question], law: Callable[[float], Law], look: str, where: Callable[[Question], str]) -> str:
    sizes = [np.abs(one.errors).mean() / law(one.scale).size for one in group]
    many = f"{len(group)} question{'s' * (len(group) > 1)} about new datasets, {where(group[-1])}"
    if look in ("above", "below"):
        share = np.mean(np.concatenate([one.errors for one in group]) > 0)
        return f"Of {many}, {share:.0%} of your results lie above the truth. Half should."
    exact = np.mean(np.concatenate([np.abs(one.errors) < EXACT * one.scale for one in group]))
    if look == "near" and exact > (0.1 if law(1.0).whole else 0.0):
        return f"Of {many}, {exact:.0%} of your results have no noise."
    return f"Of {many}, your results are off by {np.mean(sizes):.2g} times as much as they should be."
