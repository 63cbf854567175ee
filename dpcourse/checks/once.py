"""A release asked the way people ask: about datasets it has never seen, of any size and shape, at any ε, once or a few
times.

The other looks at a release ask one dataset thousands of times at an ε or two, which an answer can tell from earnest:
it may add its noise there and nowhere else. Here are two hundred datasets of 1 to 100,000 records and one of a million,
most of them of a shape of their own and a quarter sorted, each at an ε of its own between 0.01 and 5, a tenth of them
up to 50, with arrays that can be written to or not, and with a generator made for the call. Each error becomes its
place in the law that it should have had, and such places are uniform, whatever their datasets and ε (`placing`).

Half the noise at ε above 3, or noise whose side follows the data, makes hardly a mark on these: so a few datasets are
asked about hundreds of times, in corners where people ask, too: at a small ε, at a large one, of many records, and of
nobody. Which they are is drawn, so that no answer knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import TWICE, Diagnosis, Refused
from dpcourse.checks.digits import digits_tell
from dpcourse.checks.placing import Question, crowded, misplaced

if TYPE_CHECKING:
    from dpcourse.checks.release import Release

DATASETS = 200
SIZES, EPSILONS, TAIL = (1.0, 1e5), (0.01, 5.0), (5.0, 50.0)
LARGEST, MOST_BYTES = 10**6, 2**24  # records of one dataset, where they are so few bytes
ROUND_SIZES = (1, 2, 10, 100, 1000, 10_000, 30_162, 32_561, 45_222, 48_842, 100_000)  # those of the course among them
ASKED = (1, 1, 2, 3)  # questions to one dataset; a large one is asked once
LARGE = 5000
SMALL = (0.005, 0.05)  # where an ε is that a hundred questions share: a tenth of those in choices and reports
LISTED = 10_000  # of longer lists two in three are cut to a tenth: an answer may go through one once a category
SORTED = 0.25  # of the datasets are in order, as many a file is
COMMON = 0.25  # of the datasets have a few records that are nearly everybody's, as many a column of a census
USUAL = 0.25  # of the datasets have a shape that the other looks have, too
NOBODY = 0.05  # of the datasets are of nobody, where that is one
AGAIN = 0.1  # of the questions are asked once more with the same generator, and have the same answer
Span = tuple[float, float]
CORNERS: tuple[tuple[Span, Span], ...] = (
    ((0.03, 0.3), (0.0, 0.8)),
    ((2.5, 8.0), (0.0, 0.8)),
    ((0.1, 3.0), (0.6, 0.97)),
    ((0.1, 1.0), (0.97, 1.0)),  # whoever is exact from some size on is exact here; above ε = 1 whole noise often is 0
)  # from which ε to which, and from which share of the sizes to which, on a logarithmic scale
LOOKS = len(CORNERS) + 1  # with the dataset of nobody
LITTLE = 1e-5  # of a number, by which records that were drawn twice differ
OFTEN, MOST_NUMBERS, MOST_RECORDS = 400, 4000, 2**22  # questions to one dataset, numbers, records gone through


def asked_once(release: Release, answer: Answer, chance: Chance) -> Diagnosis | None:
    """The case; a right answer fails with probability `chance.failure` at most, and 1e-8 (`linked`, `digits`)."""
    answer.renew()
    laws, wider = release.noise or release.least, not release.noise
    most = Chance(chance.rng, 0.9 * chance.failure)
    found, _ = misplaced(list(ask(release, answer, chance.rng)), laws, most, wider)
    if found:
        return found
    each = Chance(chance.rng, 0.1 * chance.failure / LOOKS)
    wrong = (
        crowded(asked, laws, each, wider) or digits_tell(np.array([one.results for one in asked]), asked[0].scale)
        for asked in ask_often(release, answer, chance.rng)
    )
    return next(filter(None, wrong), None)


def fresh(rng: Generator) -> Generator:
    """A generator for one call, of a seed of its own: what other calls draw is not what this one does."""
    return np.random.default_rng(rng.integers(2**63))


def near(epsilon: float, rng: Generator, by: float = 1.25) -> float:
    """An ε up to so many times larger or smaller; every other time a round one, as people choose it.

    Half of those that are whole are an `int`, as people write them.
    """
    drawn = float(epsilon * by ** rng.uniform(-1, 1))
    if rng.random() < 0.5:
        return drawn
    chosen = float(f"{drawn:.1g}")
    return int(chosen) if chosen.is_integer() and rng.random() < 0.5 else chosen


def corners(rng: Generator, least: float, most: float) -> Iterator[tuple[float, int]]:
    """An ε and a size from each corner."""
    for (low, high), shares in CORNERS:
        start, stop = (round(least * (most / least) ** share) for share in shares)
        yield near(math.sqrt(low * high), rng, math.sqrt(high / low)), whole(rng, start, stop)


def ask_often(release: Release, answer: Answer, rng: Generator) -> Iterator[list[Question]]:
    """Hundreds of questions about each of a few datasets, one of nobody among them where that is a dataset."""
    pools = _pools(release, rng)
    for epsilon, n in corners(rng, *SIZES):
        if _listed(pools[0][: release.records]):
            n = min(n, LISTED // 5)
        most = n
        for _ in range(5):  # where all counts are 0, results that are cut at 0 say little
            n, arguments = _any(release, pools, most, rng, rng.random() < SORTED)
            if np.any(release.truth(*arguments)):
                break
        yield _often(release, answer, n, arguments, epsilon, rng)
    if release.nobody is not None:
        _, arguments = _any(release, pools, 0, rng, False)
        yield _often(release, answer, 0, arguments, near(0.5, rng, 2.5), rng)


def _often(
    release: Release, answer: Answer, n: int, arguments: tuple[Any, ...], epsilon: float, rng: Generator
) -> list[Question]:
    """Hundreds of questions about one dataset, fewer where it is large or has many numbers."""
    truth, scale = np.asarray(release.truth(*arguments), dtype=float), release.scale(arguments, epsilon)
    often, asked = min(OFTEN, max(MOST_RECORDS // max(n, 1), 60), max(MOST_NUMBERS // max(truth.size, 1), 2)), []
    rngs = [fresh(rng) for _ in range(often)]
    answer.announce(rngs)
    for before, one in enumerate(rngs):
        result = release.result(answer, arguments, epsilon, one, truth.shape)
        asked.append(Question(n, before, epsilon, np.ravel(result), np.ravel(result - truth), scale))
    return asked


def _pools(release: Release, rng: Generator) -> list[tuple[Any, ...]]:
    draws = [*release.data, *([release.many] if release.many else [])]
    return [draws[place % len(draws)](rng) for place in range(max(12, len(draws)))]


def _any(
    release: Release, pools: Sequence[tuple[Any, ...]], n: int, rng: Generator, ordered: bool
) -> tuple[int, tuple[Any, ...]]:
    """A dataset of so many records, or of fewer where they are long, of a usual shape or of one of its own."""
    usual = release.anew is None or rng.random() < USUAL
    pool = pools[int(rng.integers(len(pools)))] if usual or release.anew is None else release.anew(rng)
    columns = pool[: release.records]
    if LISTED < n < LARGEST and rng.random() < 2 / 3 and _listed(columns):
        n //= 10
    n = min(n, MOST_BYTES // _row(columns))
    return n, _resampled(pool, n, release.records, rng, ordered)


def ask(release: Release, answer: Answer, rng: Generator) -> Iterator[Question]:
    pools = _pools(release, rng)
    tail = DATASETS // 10
    epsilons = rng.permutation([*spread(rng, *EPSILONS, DATASETS - tail), *spread(rng, *TAIL, tail)])
    sizes, largest = spread(rng, *SIZES, DATASETS), int(rng.integers(DATASETS))
    written = set(rng.choice(DATASETS, DATASETS // 20, replace=False).tolist())
    for place, (size, epsilon) in enumerate(zip(sizes, epsilons, strict=True)):
        n = int(rng.choice(ROUND_SIZES)) if rng.random() < 0.1 else round(size)
        n = 0 if release.nobody is not None and rng.random() < NOBODY else n
        epsilon = whole(rng, 1, int(TAIL[1])) if place in written else near(epsilon, rng, 1.0)  # an `int`, for sure
        n, ordered = LARGEST if place == largest else n, rng.random() < SORTED
        n, arguments = _any(release, pools, n, rng, ordered)
        truth = np.asarray(release.truth(*arguments), dtype=float)
        for before in range(1 if n > LARGE else int(rng.choice(ASKED))):
            seed = rng.integers(2**63)
            result = release.result(answer, arguments, epsilon, np.random.default_rng(seed), truth.shape)
            if rng.random() < AGAIN:
                other = release.result(answer, arguments, epsilon, np.random.default_rng(seed), truth.shape)
                if not np.array_equal(result, other):
                    raise Refused(TWICE)
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


def _listed(columns: tuple[Any, ...]) -> bool:
    return any(isinstance(one, list) for one in columns)


def _row(columns: tuple[Any, ...]) -> int:
    """About so many bytes has a record."""
    return sum(column[0].nbytes if isinstance(column, np.ndarray) else 160 for column in columns) or 160


def _drawn(many: int, n: int, rng: Generator) -> np.ndarray:
    """Which of the records that are there are drawn; a quarter of the time nearly always the same, or the same few."""
    if many == 0 or rng.random() >= COMMON:
        return rng.integers(many, size=n)
    return rng.choice(many, size=n, p=rng.dirichlet(np.full(many, 10 ** rng.uniform(-1.5, 1.5) / many)))


def _resampled(
    arguments: tuple[Any, ...], n: int, records: int, rng: Generator, ordered: bool = False
) -> tuple[Any, ...]:
    """The same public arguments with n records, drawn from those that are there; every other time writeable.

    Ordered ones are sorted by their first column. Every other time records drawn twice differ by a little, or each
    answer is somebody else's: then no two are alike.
    """
    if not records:
        return arguments
    rows, writeable, apart = _drawn(len(arguments[0]), n, rng), rng.random() < 0.5, rng.random() < 0.5
    if ordered:
        first = np.asarray(arguments[0])
        rows = rows[np.argsort(first[rows] if first.ndim == 1 else first[rows, 0], kind="stable")]

    def taken(values: Any) -> Any:
        if not isinstance(values, np.ndarray):
            return list(itemgetter(0, 0, *rows.tolist())(values))[2:]  # of one place it gives no tuple
        found = values[rows]
        if apart and found.dtype.kind == "f" and (np.rint(found) != found).any():
            found = (found * (1 + LITTLE * rng.random(found.shape))).astype(found.dtype)
        if apart and found.dtype == bool and found.ndim == 2 and not ordered and found.size <= MOST_RECORDS:
            found = rng.permuted(found, axis=0)
        found.setflags(write=writeable)
        return found

    return (*map(taken, arguments[:records]), *arguments[records:])
