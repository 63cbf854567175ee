"""Exercises of lesson 05: what many answers cost together."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Exercise, Trial, Wrong
from dpcourse.checks.cases import Audited, Equals, Mistake, Returns, Useful
from dpcourse.privacy import Guarantee

# Inputs of two or three kinds are drawn at random; in this many a kind is missing with probability 3e-11 at most.
_TIMES = 60

# 05.1 The better of two theorems


def _price(k: int, epsilon: float, delta: float) -> float:
    return min(k * epsilon, _advanced(k, epsilon, delta))


def _advanced(k: int, epsilon: float, delta: float) -> float:
    return epsilon * math.sqrt(2 * k * math.log(1 / delta)) + k * epsilon * math.expm1(epsilon)


def _a_ledger(rng: np.random.Generator) -> tuple[int, float, float]:
    """Hundreds of answers of small ε half of the time, where advanced wins; else few or loud ones, where it loses."""
    delta = float(10 ** rng.uniform(-9, -3))
    if rng.random() < 0.5:
        return int(rng.integers(300, 3000)), float(rng.uniform(0.01, 0.2)), delta
    return int(rng.integers(2, 12)), float(rng.uniform(0.05, 2.0)), delta


PRICE = (
    Equals(
        _a_ledger,
        expected=_price,
        times=_TIMES,
        mistakes=(
            Mistake(
                _advanced,
                Wrong(
                    "That is advanced composition everywhere; for few or loud answers adding up gives less.",
                    "Both theorems hold. Quote the smaller.",
                    "advanced-only",
                ),
            ),
            Mistake(
                lambda k, epsilon, delta: k * epsilon,
                Wrong(
                    "Your price is kε everywhere, as in basic composition.",
                    "What does δ buy when k is large? If you do compare: the other theorem's second term has e^ε − 1.",
                    "basic-only",
                ),
            ),
            Mistake(
                lambda k, epsilon, delta: min(k * epsilon, epsilon * math.sqrt(2 * k * math.log(1 / delta))),
                Wrong(
                    "The second term kε(e^ε − 1) is missing: your ε is too small to be true.",
                    "The losses have a positive mean, and it adds up. Put it back.",
                    "no-drift",
                ),
            ),
            Mistake(
                lambda k, epsilon, delta: min(
                    k * epsilon, epsilon * math.sqrt(2 * k * math.log10(1 / delta)) + k * epsilon * math.expm1(epsilon)
                ),
                Wrong("That takes the logarithm to base 10.", "The theorem's ln is the natural one.", "log10"),
            ),
            Mistake(
                lambda k, epsilon, delta: min(
                    k * epsilon, epsilon * math.sqrt(k * math.log(1 / delta)) + k * epsilon * math.expm1(epsilon)
                ),
                Wrong("The 2 under the root is missing.", "The root is √(2k ln(1/δ)).", "no-two"),
            ),
            Mistake(
                lambda k, epsilon, delta: max(k * epsilon, _advanced(k, epsilon, delta)),
                Wrong("That is the larger of the two.", "Both are upper bounds: the smaller is the better.", "larger"),
            ),
            Mistake(
                lambda k, epsilon, delta: _advanced(k, epsilon, delta) if k > 1 / epsilon**2 else k * epsilon,
                Wrong(
                    "You switch at k > 1/ε². That rule of thumb is wrong in both directions.",
                    "Compute both and take the smaller.",
                    "rule-of-thumb",
                ),
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
    """Below ln 2 half of the time, else above."""
    low, high = (0.01, 0.65) if rng.random() < 0.5 else (0.7, 2.0)
    return float(rng.uniform(low, high)), float(10 ** rng.uniform(-9, -3))


FIRST_K = (
    Equals(
        _an_epsilon,
        expected=_first_k,
        times=_TIMES,
        mistakes=(
            Mistake(
                lambda epsilon, delta: math.floor(2 * math.log(1 / delta) / (2 - math.exp(epsilon)) ** 2) + 1,
                Wrong(
                    "From ε = ln 2 on you still name a k, and there is none: k(2 − e^ε) is not positive there.",
                    "Squaring lost the sign. Return math.inf where 2 − e^ε ≤ 0.",
                    "no-ln2",
                ),
            ),
            Mistake(
                lambda epsilon, delta: math.floor(1 / epsilon**2) + 1,
                Wrong("That is the rule of thumb k > 1/ε².", "Solve advanced < basic for k.", "rule-of-thumb"),
            ),
            Mistake(
                lambda epsilon, delta: _first_k(epsilon, delta) - 1,
                Wrong(
                    "One too small: at your k the advanced bound is still above the basic one.",
                    "The smallest *whole* number strictly above 2 ln(1/δ)/(2 − e^ε)².",
                    "off-by-one",
                ),
            ),
            Mistake(
                lambda epsilon, delta: (
                    math.floor(2 * math.log(1 / delta) / (2 - math.exp(epsilon))) + 1
                    if epsilon < math.log(2)
                    else math.inf
                ),
                Wrong("The denominator is not squared.", "√(2kL) < k(2 − e^ε): square both sides.", "not-squared"),
            ),
            Mistake(
                lambda epsilon, delta: (
                    2 * math.log(1 / delta) / (2 - math.exp(epsilon)) ** 2 if epsilon < math.log(2) else math.inf
                ),
                Wrong(
                    "That is where the two bounds cross, which is no number of answers.",
                    "Return the first whole k beyond it.",
                    "not-whole",
                ),
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


def _two_largest(epsilons: np.ndarray, neighbours: str) -> float:
    largest = np.sort(epsilons)[::-1]
    return float(largest[0] + (largest[1] if neighbours == "replace-one" else 0))


PARALLEL = (
    Equals(
        _parts,
        expected=_parallel,
        times=_TIMES,
        mistakes=(
            Mistake(
                lambda epsilons, neighbours: float(np.sum(epsilons)),
                Wrong(
                    "You add all parts up, as if every person were in each of them.",
                    "One person is in one part. How many factors of P(y)/Q(y) can differ from 1?",
                    "sum",
                ),
            ),
            Mistake(
                lambda epsilons, neighbours: float(np.max(epsilons)),
                Wrong(
                    "Right for adding or removing. A *replaced* person may leave one part and enter another.",
                    "Then two answers change. What do they cost together at worst?",
                    "max-for-both",
                ),
            ),
            Mistake(
                _two_largest,
                Wrong(
                    "You add the two largest parts. But the new person may be in the *same* part as the old one: "
                    "that is a removal and an addition there.",
                    "An ε-DP claim about one step says 2ε about two steps. Which part makes that worst?",
                    "two-largest",
                ),
            ),
            Mistake(
                lambda epsilons, neighbours: 2 * float(np.max(epsilons)),
                Wrong(
                    "Twice the largest is for replacing. Adding or removing a person touches one part, once.",
                    "Look at `neighbours`.",
                    "twice-for-both",
                ),
            ),
            Mistake(
                lambda epsilons, neighbours: _parallel(
                    epsilons, "replace-one" if neighbours == "add-remove" else "add-remove"
                ),
                Wrong("The two relations are the wrong way round.", "Which of them can change two parts?", "swapped"),
            ),
            Mistake(
                lambda epsilons, neighbours: float(np.mean(epsilons)),
                Wrong(
                    "That is the average over the parts. The guarantee is for each person, wherever she is.",
                    "Who is worst off?",
                    "mean",
                ),
            ),
        ),
    ),
)

# 05.4 Several counts with one ε


def _tables(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ten yes/no questions about each person; the neighbour has one more person, who says yes to all.

    Everyone else answers all questions alike, so that all counts are the same even number, which nobody can guess.
    """
    yes, no = 2 * int(rng.integers(10, 100)), int(rng.integers(20, 200))
    flags = np.repeat(rng.permutation(yes + no)[:, None] < yes, 10, axis=1)
    more = np.insert(flags, int(rng.integers(len(flags) + 1)), True, axis=0)
    return (flags, more) if rng.random() < 0.5 else (more, flags)


def _one_column(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same, but the person who comes says yes to the first question only."""
    flags = rng.random((int(rng.integers(20, 200)), 10)) < rng.uniform(0.1, 0.9)
    more = np.vstack([flags, np.arange(10) == 0])
    return (flags, more) if rng.random() < 0.5 else (more, flags)


def _counts_call(epsilon: float):
    def call(answer: Answer, flags: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return answer(flags, epsilon, rng=rng)

    return call


def _how_many_high(epsilon: float):
    """The auditor's view: how many of the ten answers lie above the middle between the two neighbours' counts.

    For Laplace noise that is as good as the likelihood ratio. Both neighbours have the same middle: the counts of the
    smaller table are even.
    """

    def call(answer: Answer, flags: np.ndarray, rng: np.random.Generator) -> int:
        counts = np.asarray(answer(flags, epsilon, rng=rng), dtype=float)
        return int(np.sum(counts > 2 * (np.count_nonzero(flags[:, 0]) // 2) + 0.5))

    return call


def _spread(answer: Answer, trial: Trial, epsilon: float) -> float:
    """Median distance of one count from the truth."""
    flags, _ = _tables(trial.rng)
    truth = flags.sum(axis=0)[0]
    return float(np.median([abs(np.ravel(answer(flags, epsilon, rng=trial.rng))[0] - truth) for _ in range(300)]))


def _which_scale(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    quiet, loud = _spread(answer, trial, 0.25), _spread(answer, trial, 4.0)
    if loud > 2 * quiet:
        return Wrong(
            "Your noise grows with ε.", "Smaller ε is more private: is the scale k·ε, or k/ε?", "scale-upside-down"
        )
    # Laplace noise of scale b has median distance b·ln 2.
    scale = _spread(answer, trial, 1.0) / math.log(2)
    if scale < 1.6:
        return Wrong(
            "Each count has noise for the whole ε, as if it were the only one: your noise has scale about 1/ε. "
            "Ten such answers cost 10ε.",
            "The same person is in all ten counts. By how much can she change all of them together?",
            "composition-forgotten",
        )
    if scale < 4.8:
        return Wrong(
            "The scale of your noise is about √k/ε. Square roots belong to the L2 sensitivity and to Gaussian noise.",
            "For Laplace noise the L1 sensitivity counts: the sum of the changes.",
            "l2-sensitivity",
        )
    return None


def _shared(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    """One draw of noise for all counts: it cancels in their differences."""
    flags, _ = _tables(trial.rng)
    errors = [np.asarray(answer(flags, 1.0, rng=trial.rng), dtype=float) - flags.sum(axis=0) for _ in range(5)]
    if max(np.ptp(error) for error in errors) < 1e-6 < np.ptp([error[0] for error in errors]):
        return Wrong(
            "All counts share one draw of noise: subtract two of them, and what is left is exact.",
            "Draw noise for each count: size=k.",
            "shared-noise",
        )
    return None


def _difference(output: np.ndarray) -> float:
    return round(float(output[0] - output[1]), 3)


COUNTS = (
    Returns(
        inputs=lambda rng: (_tables(rng)[0], float(rng.uniform(0.5, 2))),
        what="array",
        shape=lambda flags, epsilon: (flags.shape[1],),
    ),
    Audited(
        _one_column,
        Guarantee(1.0),
        call=_counts_call(1.0),
        view=_difference,
        runs=200,
        diagnose=_shared,
        key="difference",
    ),
    Audited(
        _tables,
        Guarantee(0.5),
        call=_how_many_high(0.5),
        runs=16_000,
        diagnose=_which_scale,
        hint="One person is in all the counts. What is the L1 sensitivity of the whole list?",
    ),
    Audited(
        _tables,
        Guarantee(1.0),
        call=_how_many_high(1.0),
        runs=10_000,
        diagnose=_which_scale,
        hint="One person is in all the counts. What is the L1 sensitivity of the whole list?",
    ),
    # Two scales hold 86.5% of Laplace(k/ε); noise of twice the scale gets 63% of its counts there.
    Useful(
        _tables,
        truth=lambda flags: flags.sum(axis=0),
        within=2 * 10 / 0.5,
        at_least=0.8,
        call=_counts_call(0.5),
        error=lambda output, truth: abs(float(output[3]) - float(truth[3])),
        hint="k counts that one person can change by one each: scale k/ε is enough.",
    ),
    Useful(
        _tables,
        truth=lambda flags: flags.sum(axis=0),
        within=2 * 10 / 4.0,
        at_least=0.8,
        call=_counts_call(4.0),
        error=lambda output, truth: abs(float(output[7]) - float(truth[7])),
        hint="At ε = 0.5 the noise was right. Does it follow the ε it is given?",
    ),
)

# 05.5 δ of a loss distribution


def _delta(losses: np.ndarray, masses: np.ndarray, infinite: float, epsilon: float) -> float:
    return float(np.sum(np.maximum(-np.expm1(epsilon - losses), 0) * masses) + infinite)


def _a_loss(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float, float]:
    losses = 0.1 * np.arange(-30, 31)
    infinite = float(rng.uniform(0.001, 0.05))
    masses = np.exp(-0.5 * ((losses - rng.uniform(0.2, 0.8)) / rng.uniform(0.6, 1.2)) ** 2)
    return losses, masses / masses.sum() * (1 - infinite), infinite, float(rng.uniform(0.2, 1.5))


DELTA = (
    Equals(
        _a_loss,
        expected=_delta,
        mistakes=(
            Mistake(
                lambda losses, masses, infinite, epsilon: _delta(losses, masses, 0.0, epsilon),
                Wrong(
                    "The probability of an infinite loss is missing: outputs that only “in” can give.",
                    "No ε covers them, so they count in full.",
                    "no-infinity",
                ),
            ),
            Mistake(
                lambda losses, masses, infinite, epsilon: float(masses[losses > epsilon].sum() + infinite),
                Wrong(
                    "That is the probability that the loss exceeds ε. It is an upper bound, and too large: "
                    "e^ε·Q covers a part of those outputs.",
                    "What share 1 − e^(ε − l) of the mass at loss l is not covered?",
                    "tail-probability",
                ),
            ),
            Mistake(
                lambda losses, masses, infinite, epsilon: float(
                    np.sum(-np.expm1(epsilon - losses) * masses) + infinite
                ),
                Wrong(
                    "You let losses below ε count negatively.",
                    "δ adds up what is too much, and where nothing is too much it adds 0.",
                    "no-clip",
                ),
            ),
            Mistake(
                lambda losses, masses, infinite, epsilon: float(
                    np.sum(np.maximum(np.expm1(losses - epsilon), 0) * masses) + infinite
                ),
                Wrong(
                    "The weight is e^(l − ε) − 1, which weighs by Q instead of by P.",
                    "masses are P's. Write max(P − e^ε Q, 0) with Q = e^(−l) P.",
                    "weighted-by-q",
                ),
            ),
            Mistake(
                lambda losses, masses, infinite, epsilon: float(
                    np.sum(np.maximum(losses - epsilon, 0) * masses) + infinite
                ),
                Wrong(
                    "You weigh by l − ε itself; that is close to 1 − e^(ε − l) only where it is small.",
                    "Which part of the mass at l does e^ε leave uncovered?",
                    "linearised",
                ),
            ),
        ),
    ),
)

# 05.6 A filter


def _granted(requests: list[float], budget: float) -> list[bool]:
    """Exact sums of the decimal numbers written; grant what fits, refuse what does not, go on."""
    left, answers = Fraction(repr(float(budget))), []
    for request in requests:
        cost = Fraction(repr(float(request)))
        answers.append(cost <= left)
        left -= cost if cost <= left else 0
    return answers


def _float_granted(requests: list[float], budget: float) -> list[bool]:
    spent, answers = 0.0, []
    for request in requests:
        answers.append(spent + request <= budget)
        spent += request if answers[-1] else 0
    return answers


def _binary_granted(requests: list[float], budget: float) -> list[bool]:
    left, answers = Fraction(budget), []
    for request in requests:
        answers.append(Fraction(request) <= left)
        left -= Fraction(request) if answers[-1] else 0
    return answers


def _tolerant(requests: list[float], budget: float) -> list[bool]:
    spent, answers = 0.0, []
    for request in requests:
        answers.append(spent + request <= budget + 1e-9)
        spent += request if answers[-1] else 0
    return answers


def _too_late(requests: list[float], budget: float) -> list[bool]:
    left, answers = Fraction(repr(float(budget))), []
    for request in requests:
        answers.append(left > 0)
        left -= Fraction(repr(float(request))) if answers[-1] else 0
    return answers


def _refused_pay(requests: list[float], budget: float) -> list[bool]:
    left, answers = Fraction(repr(float(budget))), []
    for request in requests:
        cost = Fraction(repr(float(request)))
        answers.append(cost <= left)
        left -= cost
    return answers


def _requests(rng: np.random.Generator) -> tuple[list[float], float]:
    """Ordinary ledgers; some that 20 equal requests fill exactly; some that would be overspent by a hair."""
    kind = rng.integers(3)
    if kind == 0:
        return [0.05] * 22, 1.0
    if kind == 1:
        half = round(float(rng.uniform(0.2, 0.8)), 2)
        return [half, round(1 - half, 2), 1e-12, 0.1], 1.0
    requests = rng.integers(5, 60, size=int(rng.integers(6, 14))) / 100
    return requests.tolist(), float(rng.integers(80, 160) / 100)


FILTER = (
    Equals(
        _requests,
        expected=_granted,
        times=_TIMES,
        mistakes=(
            Mistake(
                _float_granted,
                Wrong(
                    "Twenty requests of 0.05 fit into a budget of 1, and you refuse the last: in floats 0.05 added up "
                    "twenty times is a little more than 1.",
                    "Add exactly: fractions.Fraction(repr(x)) is the decimal number that was written.",
                    "float-sum",
                ),
            ),
            Mistake(
                _binary_granted,
                Wrong(
                    "Fraction(0.05) is the binary float nearest to 0.05, which is a little more than that; "
                    "twenty of them are more than 1.",
                    "Fraction(repr(x)) or Decimal(str(x)) is the decimal number that was written.",
                    "binary-fraction",
                ),
            ),
            Mistake(
                _tolerant,
                Wrong(
                    "You let the budget be overspent by a little. Enough little requests are a large one.",
                    "Add exactly (fractions.Fraction) instead of allowing a tolerance.",
                    "tolerance",
                ),
            ),
            Mistake(
                _too_late,
                Wrong(
                    "You look at what is left before the request and not at what it costs: the last one overspends.",
                    "Grant a request only if it fits into what is left.",
                    "overspends",
                ),
            ),
            Mistake(
                lambda requests, budget: [request <= budget for request in requests],
                Wrong(
                    "You compare each request with the whole budget, whatever was spent before.",
                    "Keep a running total of what was granted.",
                    "no-memory",
                ),
            ),
            Mistake(
                _refused_pay,
                Wrong(
                    "A request that was refused is charged all the same, so later ones that would fit are refused too.",
                    "Only what was answered costs anything.",
                    "refused-pay",
                ),
            ),
        ),
    ),
)

EXERCISES = (
    Exercise("05.1", "Quote the better price", PRICE, call="price(k, epsilon, delta)"),
    Exercise("05.2", "Where advanced composition starts to pay", FIRST_K, call="first_k(epsilon, delta)"),
    Exercise("05.3", "Parallel composition", PARALLEL, call="parallel(epsilons, neighbours)"),
    Exercise("05.4", "Ten counts, one ε", COUNTS, call="noisy_counts(flags, epsilon, rng)"),
    Exercise("05.5", "δ of a loss distribution", DELTA, call="delta(losses, masses, infinite, epsilon)"),
    Exercise("05.6", "A filter that adds up", FILTER, call="grant(requests, budget)"),
)
