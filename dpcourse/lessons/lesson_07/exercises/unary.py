"""Exercise 07.2: the reports of optimized unary encoding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, Returns
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.few import of_few
from dpcourse.checks.links import Draws, balanced, linked
from dpcourse.checks.measured import in_a_file
from dpcourse.checks.once import between, whole
from dpcourse.checks.places import Place, Placed, place_of_count
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee, Neighbours

_K = 6


def _two_people(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A dozen people; the first one's answer is replaced. The auditor looks at the first person's two bits."""
    codes = rng.integers(_K, size=12)
    other = codes.copy()
    other[0] = (codes[0] + rng.integers(1, _K)) % _K
    return codes, other


def _bits(reports: Any) -> np.ndarray:
    """Reports as True and False; `Refused` where they are anything else, which would say more."""
    bits = np.asarray(reports)
    if not ((bits == 0) | (bits == 1)).all():
        strange = bits[(bits != 0) & (bits != 1)][0]
        seen = f"True and False, or 1 and 0, are wanted; you return {strange!r} among them."
        raise Refused(Diagnosis("outside", seen, "A third value tells more than a bit does."))
    return bits.astype(bool)


def _audit_call(epsilon: float, k: int):
    """What the auditor sees: the first person's bits, as one number."""

    def call(answer: Answer, codes: np.ndarray, rng: np.random.Generator) -> int:
        row = _bits(answer(codes, k, epsilon, rng=rng))[0]
        return int(row @ (1 << np.arange(k)))

    return call


def _known_bits(epsilon: float) -> dict[str, tuple[tuple[float, float], Diagnosis | None]]:
    """The probabilities (own bit, other bits) of the right answer and of known mistakes, with their diagnoses."""
    e, h = math.exp(epsilon), math.exp(epsilon / 2)
    return {
        "right": ((0.5, 1 / (e + 1)), None),
        "full-epsilon": (
            (e / (e + 1), 1 / (e + 1)),
            Diagnosis(
                "full-epsilon",
                "Every bit is flipped with probability 1/(e^ε + 1), the full ε. Two people differ in two bits: 2ε.",
                "Optimized unary encoding tells the own bit with a fair coin.",
            ),
        ),
        "symmetric": (
            (h / (h + 1), 1 / (h + 1)),
            Diagnosis(
                "symmetric",
                "That is the symmetric encoding: private, and not the one asked for.",
                "Which of its two probabilities does the optimized encoding fix, and how does the other follow from ε?",
            ),
        ),
        "own-bit-sure": (
            (1.0, 1 / (e + 1)),
            Diagnosis(
                "own-bit-sure",
                "A person's own bit is always 1. A report where it is 0 then proves that this is not her answer.",
                "The own bit needs a coin too: probability ½.",
            ),
        ),
        "inverse": (
            (0.5, 1 / e),
            Diagnosis(
                "inverse",
                "The other bits are set with probability e^(−ε); then e^ε = p(1 − q)/((1 − p)q) gives another ε.",
                "With p = ½, which q makes it e^ε?",
            ),
        ),
        "half-epsilon": (
            (0.5, 1 / (h + 1)),
            Diagnosis(
                "half-epsilon",
                "The other bits are set with probability 1/(e^(ε/2) + 1): private, and noisier than it need be.",
                "With p = ½ solve e^ε = p(1 − q)/((1 − p)q) for q.",
            ),
        ),
    }


def _right_bits(answer: Answer, chance: Chance) -> Diagnosis | None:
    """How often own and other bits are set at two ε, against ½ and 1/(e^ε + 1) and against known mistakes."""
    from scipy.stats import binomtest

    n, counted, people = 20_000, [], []
    for low, high in ((0.6, 1.0), (1.6, 2.2)):
        epsilon, codes = float(chance.rng.uniform(low, high)), chance.rng.integers(_K, size=n)
        reports = _bits(answer(codes, _K, epsilon, rng=chance.rng))
        mine = codes[:, None] == np.arange(_K)
        first, second = (reports[np.arange(n), (codes + step) % _K] for step in (1, 2))
        counted.append((epsilon, int(reports[mine].sum()), int(reports[~mine].sum()), int((first & second).sum())))
        people.append((reports, mine))

    def likely(count: int, total: int, probability: float) -> bool:
        return binomtest(count, total, probability).pvalue > chance.failure / 10

    def fits(name: str) -> bool:
        known = ((own, other, *_known_bits(epsilon)[name][0]) for epsilon, own, other, _ in counted)
        return all(likely(own, n, p) and likely(other, n * (_K - 1), q) for own, other, p, q in known)

    # Bits of one person must be independent of each other: how often are two other bits set at once? This comes first,
    # because how often bits are set varies more where they hang together.
    if not all(likely(both, n, (other / (n * (_K - 1))) ** 2) for _, _, other, both in counted):
        return Diagnosis(
            "one-draw",
            "The bits of one person hang together: one draw decides several of them.",
            "Draw independently for every bit: rng.random((n, k)).",
        )
    if fits("right"):
        return _own_draws(people[0], 1 / (math.exp(counted[0][0]) + 1), chance)
    for name, (_, wrong) in _known_bits(1.0).items():
        if wrong is not None and fits(name):
            return wrong
    (low, p, q), (high, *later) = ((epsilon, own / n, other / (n * (_K - 1))) for epsilon, own, other, _ in counted)
    alike = abs(p - later[0]) < 0.02 and abs(q - later[1]) < 0.01  # right is that q falls by 0.1 or more
    where = f"At ε = {low:.2f} and at ε = {high:.2f} alike" if alike else f"At ε = {low:.2f}"
    ask = "What is p(1 − q)/((1 − p)q) of yours, and what has it to be? Which p does the optimized encoding take?"
    return Diagnosis(
        "wrong-probabilities",
        f"{where}, a person's own bit is set with probability {p:.2f} and every other bit with {q:.2f}.",
        Shared.EPSILON_IGNORED.question if alike else ask,
    )


def _own_draws(people: tuple[np.ndarray, np.ndarray], quiet: float, chance: Chance) -> Diagnosis | None:
    """Whether two people share their draws."""
    from scipy.stats import binomtest

    reports, mine = people
    if wrong := _linked(reports[mine], chance.failure / 10):
        return wrong
    for pairing in range(3):
        both, foreign = _both(reports, mine, pairing)
        if binomtest(both, foreign, quiet**2).pvalue < chance.failure / 10:
            return Diagnosis(
                "shared-draws",
                "Two people share their draws: where one's bits are known to be noise, they show what the other's "
                "would be without an answer of her own.",
                "Draw for every bit of every person: rng.random((n, k)), each number used once.",
            )
    return None


def _linked(own: np.ndarray, failure: float) -> Diagnosis | None:
    """Whether people's own bits, one for each of them, are independent fair coins."""
    where = linked([Draws(own - 0.5, np.full(len(own), 0.25))], failure)
    if not where:
        return None
    return Diagnosis(
        "shared-draws",
        f"The own bits of two people are alike more often, or more seldom, than two fair coins: {where}. One report "
        "tells what another would be.",
        "Draw for every bit of every person: rng.random((n, k)), each number used once.",
    )


def _in_a_crowd(answer: Answer, chance: Chance) -> Diagnosis | None:
    """As many people as in the lesson, and more."""
    n, k = whole(chance.rng, 20_000, 90_000), whole(chance.rng, 2, 10)
    codes = chance.rng.integers(k, size=n)
    return _linked(_bits(answer(codes, k, 1.0, rng=chance.rng))[np.arange(n), codes], chance.failure)


def _of_one_or_two(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Whether a single person's own bit is drawn, or those of a few; and whether the others are."""
    rng = chance.rng

    def asked(n: int) -> tuple[np.ndarray, np.ndarray, float]:
        k, epsilon = whole(rng, 2, 8), float(rng.uniform(0.1, 1.0))
        codes = rng.integers(k, size=n)
        return _bits(answer(codes, k, epsilon, rng=rng)), codes[:, None] == np.arange(k), 1 / (math.exp(epsilon) + 1)

    def own(n: int) -> tuple[np.ndarray, float]:
        bits, mine, _ = asked(n)
        return bits[mine], 0.5

    def others(n: int) -> tuple[np.ndarray, float]:
        bits, mine, quiet = asked(n)
        return bits[~mine], quiet

    return of_few(own, chance.failure / 2, "of the own bits are 1") or of_few(
        others, chance.failure / 2, "of the other bits are 1"
    )


def _how_many_ones(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The number of 1s among own bits, in a column, and in all others, varies as with coins of their own."""
    rng, found = chance.rng, list[list[Draws]]()
    for _ in range(100):
        k, n, epsilon = whole(rng, 2, 20), whole(rng, 150, 300), float(rng.uniform(0.4, 1.5))
        codes = rng.choice(k, n, p=rng.dirichlet(np.full(k, between(rng, 0.003, 2.0))))  # often all alike
        bits, mine = _bits(answer(codes, k, epsilon, rng=rng)), codes[:, None] == np.arange(k)
        p = np.where(mine, 0.5, 1 / (math.exp(epsilon) + 1))
        column = int(rng.integers(k))
        found.append([_draws(bits[some], p[some]) for some in (mine, ~mine, (slice(None), column))])
    for which, some in zip(("own bits", "other bits", "bits of one column"), zip(*found, strict=True), strict=True):
        if balanced(some, chance.failure / 3):
            return Diagnosis(
                "shared-draws",
                f"In 100 calls with some hundred people the number of 1s among all {which} is nearly what is expected "
                "each time. Independent draws vary more.",
                "Draw for every bit of every person: rng.random((n, k)), each number used once, and for itself.",
            )
    return None


def _draws(bits: np.ndarray, p: np.ndarray) -> Draws:
    return Draws(bits - p, p * (1 - p))


def _both(reports: np.ndarray, mine: np.ndarray, pairing: int) -> tuple[int, int]:
    """How often a bit that is foreign to both of two people is set for both, and how many such bits there are.

    Of an even number of people: neighbours, one half and the other, or the first and the last.
    """
    half = len(reports) // 2
    one, other = (
        (slice(None, None, 2), slice(1, None, 2)),
        (slice(None, half), slice(half, None)),
        (slice(None, half), slice(None, half - 1, -1)),
    )[pairing]
    foreign = ~mine[one] & ~mine[other]
    return int((reports[one] & reports[other] & foreign).sum()), int(foreign.sum())


def _pairs(answer: Answer, epsilon: float, pairs: int, rng: np.random.Generator) -> list[Place]:
    """In how many foreign bits both of two people are set, or both reports of one who is asked twice."""
    k = _any_k(2 * pairs, rng)
    codes = rng.integers(k, size=2 * pairs)
    bits, mine = _bits(answer(codes, k, epsilon, rng=rng)), codes[:, None] == np.arange(k)
    if rng.random() < 1 / 3:
        other = _bits(answer(codes, k, epsilon, rng=rng))
        both = int((bits & other & ~mine).sum()), int((~mine).sum())
    else:
        both = _both(bits, mine, int(rng.integers(3)))
    return [place_of_count(*both, (1 + math.exp(epsilon)) ** -2, rng)]


def _any_k(n: int, rng: np.random.Generator) -> int:
    """How many answers so many people may have: a million bits are enough."""
    return whole(rng, 2, min(200, 1_000_000 // n))


def _anywhere(answer: Answer, epsilon: float, k: int, rng: np.random.Generator, n: int = 0) -> list[Place]:
    """How many of the own bits are set, and how many of the others are not."""
    shares = rng.dirichlet(np.full(k, between(rng, 0.01, 100.0)))  # nearly all say the same, or all answers are alike
    codes = in_a_file(rng.choice(k, n or whole(rng, 1, 3000), p=shares), rng)
    bits, mine = _bits(answer(codes, k, epsilon, rng=rng)), codes[:, None] == np.arange(k)
    own, quiet = int(bits[mine].sum()), int((~bits[~mine]).sum())
    return [
        place_of_count(own, len(codes), 0.5, rng),
        place_of_count(quiet, len(codes) * (k - 1), 1 / (1 + math.exp(-epsilon)), rng),
    ]


def _of_many(answer: Answer, epsilon: float, n: int, rng: np.random.Generator) -> list[Place]:
    """Of up to twice the people of the lesson: hundreds of calls in a corner would take too long."""
    return _anywhere(answer, epsilon, _any_k(n, rng), rng, n)


UNARY = (
    Returns(
        inputs=lambda rng: (rng.integers(5, size=40), 5, float(rng.uniform(0.5, 2))),
        what="array",
        shape=lambda codes, k, epsilon: (len(codes), k),
        among=(False, True, 0, 1, 0.0, 1.0),
    ),
    _right_bits,
    Audited(
        _two_people,
        Guarantee(1.0, neighbours=Neighbours.REPLACE_ONE),
        call=_audit_call(1.0, _K),
        runs=3000,
        times=2,
        hint="Two people differ in two bits. What is the largest ratio of probabilities that gives?",
    ),
    Placed(_anywhere, sizes=(2, 200), of="answers", often=60, whole=True),
    Placed(_of_many, sizes=(300, 90_000), of="people", times=30, again=0, often=0, whole=True),
    Placed(
        _pairs,
        sizes=(1, 45_000),
        of="pairs of people",
        times=60,
        again=0,
        often=0,
        near="the bits of two reports are set together too often",
        far="the bits of two reports are set together too seldom",
    ),
    _of_one_or_two,
    _in_a_crowd,
    _how_many_ones,
)
