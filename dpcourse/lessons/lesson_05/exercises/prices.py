"""Exercises 05.1 to 05.3: prices by formula."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.accounting import composition
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import anywhere, between, whole
from dpcourse.privacy import Guarantee

# Inputs of two to four kinds are drawn at random; in this many a kind is missing with probability 1e-12 at most.
_TIMES = 100

# 05.1 The better of two theorems


def _price(k: int, epsilon: float, delta: float) -> float:
    return min(k * epsilon, _advanced(k, epsilon, delta))


def _advanced(k: int, epsilon: float, delta: float) -> float:
    return epsilon * math.sqrt(2 * k * math.log(1 / delta)) + k * epsilon * math.expm1(epsilon)


def _tighter(k: int, epsilon: float, delta: float) -> float:
    return composition.advanced({Guarantee(epsilon): k}, delta, tight=True).epsilon


_WHOLE_DELTA = "The total is kδ₀ + δ′, and δ₀ = 0 here. How much is left for δ′?"
_TEXTBOOK = "It is true and smaller. This exercise asks for the theorem as it stands in textbooks."


def _a_ledger(rng: np.random.Generator) -> tuple[int, float, float]:
    """Many answers of small ε, where advanced wins; few or loud ones, where it loses; and some in between."""
    kind, delta = rng.integers(3), between(rng, 1e-9, 1e-3)
    if kind == 0:
        return int(rng.integers(300, 3000)), float(rng.uniform(0.01, 0.2)), delta
    if kind == 1:
        return int(rng.integers(12, 600)), float(rng.uniform(0.01, 0.8)), delta
    return int(rng.integers(2, 12)), float(rng.uniform(0.05, 2.0)), delta


class _Price(Equals):
    """An answer that chooses between the two prices by a rule of its own is shown where that rule takes the larger."""

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        wrong = super().__call__(answer, chance)
        return wrong if wrong is None or wrong.key != "wrong-value" else _larger_taken(answer, chance) or wrong


def _larger_taken(answer: Answer, chance: Chance) -> Diagnosis | None:
    drawn = [_a_ledger(chance.rng) for _ in range(_TIMES)]
    given = np.array([float(answer(*ledger)) for ledger in drawn])
    both = np.array([(k * epsilon, _advanced(k, epsilon, delta)) for k, epsilon, delta in drawn])
    over = np.where(np.isclose(given, both.max(axis=1)), both.max(axis=1) / both.min(axis=1), 1.0)
    if over.max() < 1.05 or not (np.isclose(given, both.min(axis=1)) | (over > 1)).all():
        return None
    k, epsilon, delta = drawn[over.argmax()]
    basic = k * epsilon > _advanced(k, epsilon, delta)
    mine, other = ("kε", "the advanced price") if basic else ("the advanced price", "kε")
    return Diagnosis(
        "wrong-value",
        f"For k = {k}, epsilon = {epsilon:.2g} and delta = {delta:.0e} you give {mine}, and {other} is smaller.",
        "By which rule do you choose between the two prices, and what does it compare?",
    )


PRICE = (
    _Price(
        _a_ledger,
        expected=_price,
        times=_TIMES,
        wide=anywhere((1, 10**6), (1e-3, 8.0), (1e-12, 0.5)),
        mistakes=(
            Mistake(
                "advanced-only",
                _advanced,
                "That is advanced composition everywhere; for few or loud answers adding up gives less.",
                "Both theorems hold. Quote the smaller.",
            ),
            Mistake(
                "basic-only",
                lambda k, epsilon, delta: k * epsilon,
                "Your price is kε everywhere, as in basic composition.",
                "What does δ buy when k is large? If you do compare: the other theorem's second term has e^ε − 1.",
            ),
            Mistake(
                "no-drift",
                lambda k, epsilon, delta: min(k * epsilon, epsilon * math.sqrt(2 * k * math.log(1 / delta))),
                "The second term kε(e^ε − 1) is missing: for many answers your ε is too small to be true.",
                "The losses have a positive mean, and it adds up. Put it back.",
            ),
            Mistake(
                "tighter-form",
                lambda k, epsilon, delta: min(k * epsilon, _tighter(k, epsilon, delta)),
                "That is the tighter form, whose second term is divided by e^ε + 1.",
                _TEXTBOOK,
            ),
            Mistake(
                "delta-split",
                lambda k, epsilon, delta: min(k * epsilon, _advanced(k, epsilon, delta / 2)),
                "For δ′ you take half of `delta`.",
                _WHOLE_DELTA,
            ),
            Mistake(
                "delta-split",
                lambda k, epsilon, delta: min(k * epsilon, _advanced(k, epsilon, delta / k)),
                "For δ′ you take `delta` divided by `k`.",
                _WHOLE_DELTA,
            ),
            Mistake(
                "log10",
                lambda k, epsilon, delta: min(
                    k * epsilon, epsilon * math.sqrt(2 * k * math.log10(1 / delta)) + k * epsilon * math.expm1(epsilon)
                ),
                "That takes the logarithm to base 10.",
                "The theorem's ln is the natural one.",
            ),
            Mistake(
                "no-two",
                lambda k, epsilon, delta: min(
                    k * epsilon, epsilon * math.sqrt(k * math.log(1 / delta)) + k * epsilon * math.expm1(epsilon)
                ),
                "The 2 under the root is missing.",
                "The root is √(2k ln(1/δ)).",
            ),
            Mistake(
                "larger",
                lambda k, epsilon, delta: max(k * epsilon, _advanced(k, epsilon, delta)),
                "That is the larger of the two.",
                "Both are upper bounds: the smaller is the better.",
            ),
            Mistake(
                "rule-of-thumb",
                lambda k, epsilon, delta: _advanced(k, epsilon, delta) if k > 1 / epsilon**2 else k * epsilon,
                "You switch at k > 1/ε². That rule of thumb is wrong in both directions.",
                "Compute both and take the smaller.",
            ),
        ),
    ),
)

# 05.2 Where the advanced theorem starts to pay


def _first_k(epsilon: float, delta: float) -> float:
    if epsilon >= math.log(2):
        return math.inf
    return math.floor(2 * math.log(1 / delta) / (2 - math.exp(epsilon)) ** 2) + 1


def _an_epsilon(rng: np.random.Generator) -> tuple[float, float]:
    """Below ln 2 and above, and a little below and above, where rounding ln 2 shows, or an end of a search."""
    below = (0.01, 0.65), (0.65, 0.69), (0.69, 0.6928), (0.6928, 0.693)
    low, high = (*below, (0.695, 0.74), (0.74, 2.0))[rng.integers(6)]
    return float(rng.uniform(low, high)), between(rng, 1e-9, 1e-3)


class _FirstK(Equals):
    """An answer that gives up before ln 2 is shown where."""

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        wrong = super().__call__(answer, chance)
        if wrong is None or wrong.key != "wrong-value":
            return wrong
        tried = (*(x / 100 for x in range(1, 70)), 0.692, 0.693)
        early = next((x for x in tried if answer(x, 1e-6) == math.inf), None)
        if early is None:
            return wrong
        seen = f"There is a k for every ε < ln 2 = 0.6931…, and you give inf at {early:g}."
        return Diagnosis(wrong.key, seen, "At which ε does 2 − e^ε become 0?")


FIRST_K = (
    _FirstK(
        _an_epsilon,
        expected=_first_k,
        times=_TIMES,
        wide=anywhere((1e-3, 0.6), (1e-6, 0.5)),
        mistakes=(
            Mistake(
                "tighter-form",
                lambda epsilon, delta: math.floor(math.log(1 / delta) * (math.exp(epsilon) + 1) ** 2 / 2) + 1,
                "That is where the tighter form starts to pay, whose second term is divided by e^ε + 1.",
                _TEXTBOOK,
            ),
            Mistake(
                "no-ln2",
                lambda epsilon, delta: math.floor(2 * math.log(1 / delta) / (2 - math.exp(epsilon)) ** 2) + 1,
                "From ε = ln 2 on you still name a k, and there is none: k(2 − e^ε) is not positive there.",
                "Squaring lost the sign. Return math.inf where 2 − e^ε ≤ 0.",
            ),
            Mistake(
                "rule-of-thumb",
                lambda epsilon, delta: math.floor(1 / epsilon**2) + 1,
                "That is the rule of thumb k > 1/ε².",
                "Solve advanced < basic for k.",
            ),
            Mistake(
                "off-by-one",
                lambda epsilon, delta: _first_k(epsilon, delta) - 1,
                "One too small: at your k the advanced bound is still above the basic one.",
                "Put your k into both bounds, and k + 1. Where is the advanced one smaller for the first time?",
            ),
            Mistake(
                "not-squared",
                lambda epsilon, delta: (
                    math.floor(2 * math.log(1 / delta) / (2 - math.exp(epsilon))) + 1
                    if epsilon < math.log(2)
                    else math.inf
                ),
                "The denominator is not squared.",
                "In which step does the root go away, and what becomes of the other side?",
            ),
            Mistake(
                "not-whole",
                lambda epsilon, delta: (
                    2 * math.log(1 / delta) / (2 - math.exp(epsilon)) ** 2 if epsilon < math.log(2) else math.inf
                ),
                "That is where the two bounds cross, which is usually not a whole number.",
                "Return the first whole k beyond it.",
            ),
        ),
    ),
)

# 05.3 Parallel composition under both relations


def _parallel(epsilons: np.ndarray, neighbours: str) -> float:
    return float(np.max(epsilons)) * (2 if neighbours == "replace-one" else 1)


def _parts(rng: np.random.Generator) -> tuple[np.ndarray, str]:
    epsilons = rng.uniform(0.1, 2.0, size=int(rng.integers(3, 9)))
    return epsilons, str(rng.choice(["add-remove", "replace-one"]))


def _many_parts(rng: np.random.Generator, least: int = 1) -> tuple[np.ndarray, str]:
    """One part to two thousand, or so many at least; every fifth time all have the same ε, or some are not asked."""
    epsilons = np.array([between(rng, 1e-3, 20.0) for _ in range(whole(rng, least, 2000))])
    epsilons[:] = epsilons[0] if rng.random() < 0.2 else epsilons
    epsilons[: rng.integers(epsilons.size) if rng.random() < 0.2 else 0] = 0
    return epsilons, str(rng.choice(["add-remove", "replace-one"]))


def _two_largest(epsilons: np.ndarray, neighbours: str) -> float:
    largest = np.sort(epsilons)[::-1]
    return float(largest[0] + (largest[1] if neighbours == "replace-one" else 0))


PARALLEL = (
    Equals(
        _parts,
        expected=_parallel,
        times=_TIMES,
        wide=_many_parts,
        full=lambda rng: (_many_parts(rng, 1000)[0], "replace-one"),
        mistakes=(
            Mistake(
                "sum",
                lambda epsilons, neighbours: float(np.sum(epsilons)),
                "You add all parts up, as if every person were in each of them.",
                "One person is in one part. How many factors of P(y)/Q(y) can differ from 1?",
            ),
            Mistake(
                "max-for-both",
                lambda epsilons, neighbours: float(np.max(epsilons)),
                "Right for adding or removing. A *replaced* person may leave one part and enter another, "
                "or stay in the same part.",
                "Then two answers change, or one answer by two steps. What does that cost at worst?",
            ),
            Mistake(
                "two-largest",
                _two_largest,
                "You add the two largest parts. But the new person may be in the *same* part as the old one: "
                "that is a removal and an addition there.",
                "An ε-DP claim about one step says 2ε about two steps. Which part makes that worst?",
            ),
            Mistake(
                "twice-for-both",
                lambda epsilons, neighbours: 2 * float(np.max(epsilons)),
                "Twice the largest is for replacing. Adding or removing a person touches one part, once.",
                "Look at `neighbours`.",
            ),
            Mistake(
                "swapped",
                lambda epsilons, neighbours: _parallel(
                    epsilons, "replace-one" if neighbours == "add-remove" else "add-remove"
                ),
                "The two relations are the wrong way round.",
                "Which of them can change two parts?",
            ),
            Mistake(
                "mean",
                lambda epsilons, neighbours: float(np.mean(epsilons)),
                "That is the average over the parts. The guarantee is for each person, wherever she is.",
                "Who is worst off?",
            ),
        ),
    ),
)
