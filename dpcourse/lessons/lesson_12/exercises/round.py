"""Exercise 12.3: one round with client-level privacy. Its law is known exactly, and so are those of mistakes."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.gaussian import GaussianLaw, clipped
from dpcourse.checks.mean_laws import NOISE_MISTAKES, Problem
from dpcourse.checks.noisy_mean import NoisyMean


def _mean_over(p: Problem, number: float) -> GaussianLaw:
    """The sum divided by this number instead of the public one, with the right noise."""
    return p.law(p.right * p.size / number)


def _noise_over(p: Problem, number: float) -> list[GaussianLaw]:
    """The noise divided by this number, with the sum or without it."""
    return [p.law(p.right * p.size / number, p.on_sum / number), p.law(deviation=p.on_sum / number)]


def _sum_clipped(p: Problem) -> list[np.ndarray]:
    return [clipped(p.fine.sum(axis=0), p.C), clipped(p.fine.mean(axis=0), p.C)]


def _rest_of_the_row(p: Problem) -> list[GaussianLaw]:
    zeroed = np.nan_to_num(p.rows, posinf=0.0, neginf=0.0), p.rows[~np.isinf(p.rows).any(axis=1)]
    return [p.law(clipped(np.nan_to_num(rows), p.C).sum(axis=0) / p.size) for rows in zeroed]


_EXPECTED = "Divide by expected_clients itself, whatever arrived."
_MISTAKES = (
    Mistake(
        "realised-number",
        lambda p: [*_noise_over(p, p.m), *_noise_over(p, len(p.fine))],
        "You divide by the number of updates that arrived (or that were fit to use). It differs between neighbours, "
        "and the noise tells it.",
        "Divide by the expected number, which was fixed in advance.",
    ),
    Mistake(
        "realised-number",
        lambda p: [_mean_over(p, p.m), _mean_over(p, len(p.fine))],
        "You divide the sum by the number of updates that arrived (or that were fit to use). Where they are few, one "
        "client then moves your result by more than C/(expected number), which is what the noise is for.",
        "Divide by the expected number, which was fixed in advance.",
    ),
    Mistake(
        "refused-taken-off",
        lambda p: _noise_over(p, p.size - (p.m - len(p.fine))),
        "You take the refused clients off the number that you divide by. A client that sends NaN then changes the size "
        "of the noise.",
        _EXPECTED,
    ),
    Mistake(
        "refused-taken-off",
        lambda p: [_mean_over(p, p.size - (p.m - len(p.fine)))],
        "You take the refused clients off the number that you divide by. A client that sends NaN then changes "
        "everybody's share.",
        _EXPECTED,
    ),
    Mistake(
        "rest-of-the-row",
        _rest_of_the_row,
        "Of an update with NaN (or infinity, or both) in it you keep the other entries. What is broken in one place is "
        "not to be trusted in the others.",
        "The whole row counts as zero.",
    ),
    Mistake(
        "not-clipped",
        lambda p: [p.law(p.fine.sum(axis=0) / p.size), p.law(p.fine.mean(axis=0))],
        "Long updates come through whole. One client can move the model as far as it likes.",
        "Multiply each update by min(1, C/norm).",
    ),
    Mistake(
        "clipped-by-coordinate",
        lambda p: [p.law(np.clip(p.fine, -p.C, p.C).sum(axis=0) / p.size)],
        "You clip each coordinate to [−C, C]. With d coordinates an update can then be as long as C√d.",
        "The norm of the whole update is what counts.",
    ),
    Mistake(
        "sum-clipped",
        lambda p: [p.law(end / p.size) for end in _sum_clipped(p)],
        "You clip the sum or the mean of the updates, not each client's. One client can turn it around, and moves it "
        "by up to 2C, twice what the noise is for.",
        "Clip each row on its own. Then add.",
    ),
    Mistake(
        "sum-clipped",
        lambda p: [p.law(end) for end in _sum_clipped(p)],
        "You clip the sum or the mean of the updates, not each client's. One client can turn it around, and moves your "
        "result by up to 2C. Your noise is for C divided by the number of clients.",
        "Clip each row on its own. Then add.",
    ),
    Mistake(
        "deviations-added",
        lambda p: [p.law(deviation=p.noise / math.sqrt(count)) for count in (p.m, len(p.fine), p.size)],
        "On the sum your noise has a deviation of zC/√m: the noise of m clients with zC/m each. Deviations do not add "
        "up, variances do.",
        "One draw of deviation zC on the sum.",
    ),
    Mistake(
        "noise-per-client",
        lambda p: [p.law(deviation=p.noise * math.sqrt(count)) for count in (p.m, len(p.fine))],
        "Your noise has √m times the deviation that is wanted: that of one draw for each of the m clients.",
        "One draw on the sum is enough. Where do you draw one for each client?",
    ),
    *NOISE_MISTAKES,
    Mistake(
        "sign",
        lambda p: [p.law(-p.right)],
        "Your result is the right one with its sign turned around: it takes back what the clients learned.",
        "`updates` are changes of the weights already, and are added.",
    ),
)


def _updates(*noise: float):
    """Updates much shorter and much longer than C, a zero, and a third that hold NaN or infinity: so many that whoever
    takes them off the expected number divides by an eighth less."""

    def draw(rng: Generator) -> Problem:
        m, d, C = int(rng.integers(10, 20)), int(rng.integers(12, 24)), float(rng.uniform(0.5, 3))
        directions = rng.normal(size=(m, d))
        updates = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        updates *= C * np.exp(rng.uniform(-3, 3, size=(m, 1)))
        updates += 0.6 * C * np.eye(d)[0]
        zero, *broken = rng.choice(m, 1 + m // 3, replace=False)
        updates[zero] = 0.0
        updates[broken, rng.integers(d, size=len(broken))] = rng.choice([np.nan, np.inf, -np.inf], size=len(broken))
        updates[broken[0], rng.integers(d)] = np.nan
        return Problem(updates, C, float(rng.choice(noise)), float(round(rng.uniform(1.6, 2.2) * m)))

    return draw


def _survives_nonsense(answer: Answer, chance: Chance) -> Diagnosis | None:
    problem = _updates(0.4, 2.2)(chance.rng)
    if np.isfinite(_ROUND.outputs(answer, problem, 1, chance.rng)).all():
        return None
    return Diagnosis(
        "nan-passes",
        "One client sends NaN, and your result is NaN: one fab stops the model of all, and everybody sees that it did. "
        "min(1, C/NaN) is no clip.",
        "An update that is not finite counts as zero. np.isfinite tells.",
    )


_ROUND = NoisyMean(
    (_updates(0.4, 0.55), _updates(1.8, 2.2), _updates(0.4, 0.55, 1.8, 2.2)),
    _MISTAKES,
    "Updates that are not finite count as zero; clip each of the others, add, add noise, divide by what is public.",
    z="z",
    one="a client",
    size="the number of clients",
    divisor="expected_clients",
    broken=True,
    runs=800,
)
PRIVATE_ROUND = (_ROUND.returns, _survives_nonsense, *_ROUND.cases[1:])
