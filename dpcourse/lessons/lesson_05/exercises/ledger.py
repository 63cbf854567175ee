"""Exercises 05.5 and 05.6: δ of a loss distribution, and a filter."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.special import logsumexp

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import between, whole
from dpcourse.checks.vocabulary import Shared

# Ledgers of four kinds are drawn at random: so many that two mistakes that seldom differ are told apart.
_TIMES = 300

# 05.5 δ of a loss distribution


def _delta(losses: np.ndarray, masses: np.ndarray, infinite: float, epsilon: float) -> float:
    return float(np.sum(np.maximum(-np.expm1(epsilon - losses), 0) * masses) + infinite)


def _a_loss(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float, float]:
    losses = 0.1 * np.arange(-30, 31)
    infinite = float(rng.uniform(0.001, 0.05))
    masses = np.exp(-0.5 * ((losses - rng.uniform(0.2, 0.8)) / rng.uniform(0.6, 1.2)) ** 2)
    masses *= (1 - infinite) / masses.sum()
    return _of_a_pair(losses, masses), masses, infinite, float(rng.uniform(0.2, 1.5))


def _of_a_pair(losses: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """The losses, all raised if need be, so that Q exists: e^(−l)·p is its mass, and all its mass is 1 at most."""
    return losses + max(0.0, float(logsumexp(-losses, b=masses)))


def _any_loss(rng: np.random.Generator, least: int = 1) -> tuple[np.ndarray, np.ndarray, float, float]:
    """One loss to two hundred thousand, as on an accountant's grid, or so many at least; some of them, or all masses,
    may be alike."""
    losses = rng.normal(0, between(rng, 0.01, 3.0), whole(rng, least, 200_000))
    losses = rng.choice(losses, losses.size) if rng.random() < 1 / 3 else losses
    infinite = 0.0 if rng.random() < 0.3 else between(rng, 1e-9, 0.5)
    masses = rng.dirichlet(np.ones(losses.size)) if rng.random() < 2 / 3 else np.full(losses.size, 1 / losses.size)
    masses *= 1 - infinite
    return _of_a_pair(losses, masses), masses, infinite, 0.0 if rng.random() < 0.1 else between(rng, 0.01, 5.0)


DELTA = (
    Equals(
        _a_loss,
        expected=_delta,
        wide=_any_loss,
        full=lambda rng: _any_loss(rng, 100_000),
        mistakes=(
            Mistake(
                "no-infinity",
                lambda losses, masses, infinite, epsilon: _delta(losses, masses, 0.0, epsilon),
                "The probability of an infinite loss is missing: outputs that only “in” can give.",
                "No ε covers them, so they count in full.",
            ),
            Mistake(
                "tail-probability",
                lambda losses, masses, infinite, epsilon: float(masses[losses > epsilon].sum() + infinite),
                "That is the probability that the loss exceeds ε. It is an upper bound, and too large: "
                "e^ε·Q covers a part of those outputs.",
                "What share 1 − e^(ε − l) of the mass at loss l is not covered?",
            ),
            Mistake(
                "no-clip",
                lambda losses, masses, infinite, epsilon: float(
                    np.sum(-np.expm1(epsilon - losses) * masses) + infinite
                ),
                "You let losses below ε count negatively.",
                "δ adds up what is too much, and where nothing is too much it adds 0.",
            ),
            Mistake(
                "weighted-by-q",
                lambda losses, masses, infinite, epsilon: float(
                    np.sum(np.maximum(np.expm1(losses - epsilon), 0) * masses) + infinite
                ),
                "The weight e^(l − ε) − 1 belongs to masses e^ε·Q; `masses` are P's.",
                "Write max(P − e^ε·Q, 0) with Q = e^(−l)·P. Which weight does P get?",
            ),
            Mistake(
                "linearised",
                lambda losses, masses, infinite, epsilon: float(
                    np.sum(np.maximum(losses - epsilon, 0) * masses) + infinite
                ),
                "You weigh by l − ε itself; that is close to 1 − e^(ε − l) only where it is small.",
                "Which part of the mass at l does e^ε leave uncovered?",
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


def _float_left(requests: list[float], budget: float) -> list[bool]:
    left, answers = budget, []
    for request in requests:
        answers.append(request <= left)
        left -= request if answers[-1] else 0
    return answers


def _binary_granted(requests: list[float], budget: float) -> list[bool]:
    left, answers = Fraction(budget), []
    for request in requests:
        answers.append(Fraction(request) <= left)
        left -= Fraction(request) if answers[-1] else 0
    return answers


def _correctly_rounded(requests: list[float], budget: float) -> list[bool]:
    granted: list[float] = []
    answers = []
    for request in requests:
        answers.append(math.fsum([*granted, request]) <= budget)
        granted += [request] if answers[-1] else []
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


def _rounded_up(requests: list[float], budget: float) -> list[bool]:
    return _granted([math.ceil(100 * Fraction(repr(float(request)))) / 100 for request in requests], budget)


def _requests(rng: np.random.Generator) -> tuple[list[float], float]:
    """Ordinary ledgers; some that 20 equal requests fill exactly; some that would be overspent by a hair; some with
    costs of four decimals."""
    kind = rng.integers(4)
    if kind == 0:
        return [0.05] * 22, 1.0
    if kind == 1:
        half = round(float(rng.uniform(0.2, 0.8)), 2)
        return [half, round(1 - half, 2), float(f"1e-{rng.integers(10, 25)}"), 0.1], 1.0
    if kind == 2:
        return [0.7223, *(rng.integers(1, 2000, size=5) / 10_000).tolist()], 0.7224
    requests = rng.integers(5, 60, size=int(rng.integers(6, 14))) / 100
    return requests.tolist(), float(rng.integers(80, 160) / 100)


def _any_requests(rng: np.random.Generator) -> tuple[list[float], float]:
    """None to 2,000 costs of 0 to 6 decimals, and a budget that some of them fill exactly."""
    decimals, many = int(rng.integers(7)), whole(rng, 1, 2001) - 1
    requests = rng.integers(1, max(10**decimals, 5), size=many)
    budget = requests[: int(rng.integers(many + 1))].sum() + (rng.random() < 0.3)
    return (requests / 10**decimals).tolist(), float(budget / 10**decimals)


_REFUSED = "Twenty requests of 0.05 fit into a budget of 1, and you refuse the last: in floats, "
_EXACTLY = "Which type of Python adds decimals exactly, and what do you make it from?"

FILTER = (
    Equals(
        _requests,
        expected=_granted,
        times=_TIMES,
        wide=_any_requests,
        mistakes=(
            Mistake(
                "float-sum",
                _float_granted,
                _REFUSED + "0.05 added up twenty times is a little more than 1.",
                _EXACTLY,
            ),
            Mistake(
                "float-sum",
                _float_left,
                _REFUSED + "what is left after nineteen times 0.05 is a little less than 0.05.",
                _EXACTLY,
            ),
            Mistake(
                "binary-fraction",
                _binary_granted,
                "Fraction(0.05) is the binary float nearest to 0.05, which is a little more than that; "
                "twenty of them are more than 1.",
                "What was written is the text 0.05. How do you get an exact number from that, and not from the float?",
            ),
            Mistake(
                "rounded-sum",
                _correctly_rounded,
                "math.fsum adds the binary floats without error, and rounds the total to a float: a request that "
                "is small enough disappears in it.",
                _EXACTLY,
            ),
            Mistake(
                "tolerance",
                _tolerant,
                "You let the budget be overspent by a little: by a tolerance, or because you round. “Not by the "
                "smallest amount” is asked for.",
                "How can the sum be exact, so that no tolerance is needed?",
            ),
            Mistake(
                "overspends",
                _too_late,
                "You look at what is left before the request and not at what it costs: the last one overspends.",
                "Grant a request only if it fits into what is left.",
            ),
            Mistake(
                "no-memory",
                lambda requests, budget: [request <= budget for request in requests],
                "You compare each request with the whole budget, whatever was spent before.",
                "Keep a running total of what was granted.",
            ),
            Mistake(
                "refused-pay",
                _refused_pay,
                "After a request that did not fit you refuse one that does.",
                "What does a refused request cost, and does it end anything?",
            ),
            Mistake(
                Shared.NOT_EVERYWHERE,
                _rounded_up,
                "You round costs up to hundredths. A request of 0.7223 fits into a budget of 0.7224, and you refuse "
                "it.",
                "What is added up: the numbers that were written, or others?",
            ),
        ),
    ),
)
