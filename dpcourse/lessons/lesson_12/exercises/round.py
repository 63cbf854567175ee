"""Exercise 12.3: one round with client-level privacy. Its law is known exactly, and so are those of mistakes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.cases import Audited, Returns, either_order
from dpcourse.checks.cases.known import frozen
from dpcourse.checks.gaussian import GaussianLaw, clipped, compared, not_gaussian
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee

Problem = tuple[np.ndarray, float, float, float]  # updates (m, d), C, z, expected clients


def _good(updates: np.ndarray) -> np.ndarray:
    return updates[np.isfinite(updates).all(axis=1)]


NAN = Diagnosis(
    "nan-passes",
    "One client sends NaN, and your result is NaN: one fab stops the model of all, and everybody sees that it did. "
    "min(1, C/NaN) is no clip.",
    "An update that is not finite counts as zero. np.isfinite tells.",
)
REALISED = Diagnosis(
    "realised-number",
    "You divide by the number of updates that arrived (or that were fit to use). It differs between neighbours, and "
    "the noise tells it.",
    "Divide by the expected number, which was fixed in advance.",
)
REFUSED = Diagnosis(
    "refused-taken-off",
    "You take the refused clients off the number that you divide by. Who sends NaN then changes everybody's share and "
    "the noise, and without that client both would be otherwise.",
    "Divide by expected_clients itself, whatever arrived.",
)
ENTRY = Diagnosis(
    "rest-of-the-row",
    "Of an update with NaN or infinity in it you keep the other entries. What is broken in one place is not to be "
    "trusted in the others.",
    "The whole row counts as zero.",
)


def _laws(updates: np.ndarray, C: float, z: float, expected: float) -> Iterator[tuple[GaussianLaw, Diagnosis]]:
    """The laws of known mistakes."""
    fine, m = _good(updates), len(updates)
    right, noise = clipped(fine, C).sum(axis=0) / expected, z * C / expected
    for count in sorted({m, len(fine)}):
        for deviation in (z * C / count, noise):
            yield GaussianLaw(right * expected / count, deviation), REALISED
        yield GaussianLaw(right, z * C / count), REALISED
    lowered = expected - (m - len(fine))
    for law in (
        GaussianLaw(right * expected / lowered, z * C / lowered),
        GaussianLaw(right * expected / lowered, noise),
        GaussianLaw(right, z * C / lowered),
    ):
        yield law, REFUSED
    for zeroed in (np.nan_to_num(updates, posinf=0.0, neginf=0.0), updates[~np.isinf(updates).any(axis=1)]):
        yield GaussianLaw(clipped(np.nan_to_num(zeroed), C).sum(axis=0) / expected, noise), ENTRY
    not_clipped = Diagnosis(
        "not-clipped",
        "Long updates come through whole. One client can move the model as far as it likes.",
        "Multiply each update by min(1, C/norm).",
    )
    yield GaussianLaw(fine.sum(axis=0) / expected, noise), not_clipped
    yield GaussianLaw(fine.mean(axis=0), noise), not_clipped
    yield (
        GaussianLaw(np.clip(fine, -C, C).sum(axis=0) / expected, noise),
        Diagnosis(
            "clipped-by-coordinate",
            "You clip each coordinate to [−C, C]. With d coordinates an update can then be as long as C√d.",
            "The norm of the whole update is what counts.",
        ),
    )
    sum_clipped = Diagnosis(
        "sum-clipped",
        "You clip the sum or the mean of the updates, not each client's: one client can turn it around, and moves it "
        "by 2C or more.",
        "Clip each row on its own. Then add.",
    )
    for mean in (clipped(fine.sum(axis=0), C), clipped(fine.mean(axis=0), C)):
        yield GaussianLaw(mean / expected, noise), sum_clipped
        yield GaussianLaw(mean, noise), sum_clipped
    yield (
        GaussianLaw(right, z * C),
        Diagnosis(
            "noise-after-averaging",
            f"Your noise has deviation zC after the division: {expected:.0f} times what the claim needs.",
            "Add the noise to the sum, then divide both.",
        ),
    )
    yield (
        GaussianLaw(right, z / expected),
        Diagnosis(
            "noise-without-clip",
            "Your noise does not know the clip norm. A client moves the sum by C.",
            "The noise multiplier multiplies the sensitivity.",
        ),
    )
    each = Diagnosis(
        "deviations-added",
        "On the sum your noise has a deviation of zC/√m: the noise of m clients with zC/m each. Deviations do not add "
        "up, variances do.",
        "One draw of deviation zC on the sum.",
    )
    for count in sorted({m, len(fine), round(expected)}):
        yield GaussianLaw(right, z * C / math.sqrt(count) / expected), each
    yield (
        GaussianLaw(right, z * C / expected**2),
        Diagnosis(
            "divided-twice", "The noise is divided by the number of clients twice.", "Add to the sum, divide once."
        ),
    )
    yield (
        GaussianLaw(right, 2 * noise),
        Diagnosis(
            "twice-the-noise",
            "Your noise is for a sensitivity of 2C. Adding or removing a client moves the sum by C.",
            "Twice C is for replacing a client.",
        ),
    )
    yield (
        GaussianLaw(right * expected, z * C),
        Diagnosis("not-divided", "That is the noisy sum.", "Divide it by the expected number of clients."),
    )
    yield (
        GaussianLaw(-right, noise),
        Diagnosis(
            "sign",
            "Your result is the right one with its sign turned around: it takes back what the clients learned.",
            "`updates` are changes of the weights already, and are added.",
        ),
    )
    yield (
        GaussianLaw(right[::-1], noise),
        Diagnosis(
            "reversed", "Your result is the right one back to front.", "Every entry belongs to a weight of its own."
        ),
    )
    yield (
        GaussianLaw(right, 0.0),
        Shared.NO_NOISE.seen(
            "There is no noise in your result.",
            "The clip bounds a client; the noise hides it.",
        ),
    )


def _problem(rng: Generator, noise: tuple[float, ...] = (0.4, 0.55, 1.8, 2.2)) -> Problem:
    """Updates much shorter and much longer than C, a zero, and a third that hold NaN or infinity: so many that whoever
    takes them off the expected number divides by an eighth less."""
    m, d, C = int(rng.integers(10, 20)), int(rng.integers(12, 24)), float(rng.uniform(0.5, 3))
    directions = rng.normal(size=(m, d))
    updates = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    updates *= C * np.exp(rng.uniform(-3, 3, size=(m, 1)))
    updates += 0.6 * C * np.eye(d)[0]
    zero, *broken = rng.choice(m, 1 + m // 3, replace=False)
    updates[zero] = 0.0
    updates[broken, rng.integers(d, size=len(broken))] = rng.choice([np.nan, np.inf, -np.inf], size=len(broken))
    updates[broken[0], rng.integers(d)] = np.nan
    return updates, C, float(rng.choice(noise)), float(round(rng.uniform(1.6, 2.2) * m))


def _without_nonsense(rng: Generator) -> Problem:
    updates, C, z, expected = _problem(rng)
    return np.nan_to_num(updates, nan=0.0, posinf=0.0, neginf=0.0), C, z, expected


def _survives_nonsense(answer: Answer, chance: Chance) -> Diagnosis | None:
    updates, C, z, expected = _problem(chance.rng)
    output = np.asarray(answer(frozen(updates), C, z, expected, rng=chance.rng), dtype=float)
    return None if np.isfinite(output).all() else NAN


def _moves_together(standard: np.ndarray, failure: float) -> bool:
    """Whether coordinates of standardised outputs, shape (runs, d), are linked: some direction has less noise, or more.

    Singular values of independent standard Gaussians stay within √runs ± (√d + t) except with probability 2e^(−t²/2)
    (Vershynin 2010, arXiv:1011.3027, corollary 5.35).
    """
    runs, d = standard.shape
    reach = math.sqrt(d) + math.sqrt(2 * math.log(2 / failure))
    values = np.linalg.svd(standard, compute_uv=False)
    return bool(values[-1] < math.sqrt(runs) - reach or values[0] > math.sqrt(runs) + reach)


def _has_the_law(answer: Answer, chance: Chance) -> Diagnosis | None:
    rng, problems, outputs = chance.rng, [], []
    for noise in (
        (0.4, 0.55),
        (1.8, 2.2),
        (0.4, 0.55, 1.8, 2.2),
    ):  # means show under little noise, deviations under any
        problems.append(_problem(rng, noise))
        updates, *rest = problems[-1]
        data = frozen(updates)
        outputs.append(np.array([answer(data, *rest, rng=rng) for _ in range(800)], dtype=float))
    rights = [GaussianLaw(clipped(_good(u), C).sum(axis=0) / n, z * C / n) for u, C, z, n in problems]
    refuted = [not law.explains(seen, chance.failure / 6) for law, seen in zip(rights, outputs, strict=True)]
    if not any(refuted):
        standard = ((seen - law.mean) / law.deviation for law, seen in zip(rights, outputs, strict=True))
        if not any(_moves_together(values, chance.failure / 6) for values in standard):
            return None
        return Shared.LINKED_NOISE.seen(
            "Some weights share their noise: their sum or their difference has less of it than it should, or none.",
            "rng.normal(..., size=...) draws one for each weight.",
        )
    for laws in zip(*(_laws(*problem) for problem in problems), strict=True):
        # By chance a mistake may look like another on one problem; not on all of them.
        if all(law.explains(seen, 1e-6) for (law, _), seen in zip(laws, outputs, strict=True)):
            return laws[0][1]
    seen, right = outputs[refuted.index(True)], rights[refuted.index(True)]
    spread = seen - seen.mean(axis=0)
    if spread.std() > 0 and spread.mean(axis=1).std() > 0.9 * spread.std():
        return Shared.SHARED_NOISE.seen(
            "All weights get the same noise: a difference of two of them has none.",
            "rng.normal(..., size=...) draws one for each.",
        )
    if not_gaussian(seen, right):
        return Diagnosis(
            "not-gaussian",
            "Mean and deviation of your result are right, but its noise is not independent Gaussian noise: the law "
            "that the accountant counts.",
            "rng.normal, one draw for each coordinate.",
        )
    return Diagnosis(
        "wrong-law",
        compared(seen, right),
        "Updates that are not finite count as zero; clip each of the others, add, add noise, divide by what is public.",
    )


def _also_for_few(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A Poisson sample may bring nobody, or one client."""
    for m in (0, 1, 2):
        updates, C, z, expected = _problem(chance.rng)
        few = frozen(_good(updates)[:m])
        seen = np.array([answer(few, C, z, expected, rng=chance.rng) for _ in range(100)], dtype=float)
        law = GaussianLaw(clipped(few, C).sum(axis=0) / expected, z * C / expected)
        if not law.explains(seen, chance.failure / 3):
            return Diagnosis(
                "few-clients",
                f"When the sample brings {m} client{'s' * (m != 1)}, your result is not what it is for many. How many "
                "there are is as secret as who.",
                "The same noise and the same division, whatever m is.",
            )
    return None


_Z = 2.0
_CLAIM = Guarantee(1.9931, 1e-5)  # what Gaussian noise with multiplier 2 costs, rounded up


def _with_canary(rng: Generator) -> tuple[Any, Any]:
    """One client more, with a very long update in a direction that nobody else has."""
    updates, C, *_ = _without_nonsense(rng)
    updates[:, 1] = 0.0
    canary = np.zeros(updates.shape[1])
    canary[1] = float(rng.choice([1e3, 1e6])) * C
    more = np.insert(updates, rng.integers(len(updates) + 1), canary, axis=0)
    pair = (updates, C), (more, C)
    return either_order(*pair, rng)


PRIVATE_ROUND = (
    Returns(_without_nonsense, what="array", shape=lambda updates, *_: updates.shape[1:]),
    _survives_nonsense,
    _has_the_law,
    _also_for_few,
    Audited(
        _with_canary,
        _CLAIM,
        runs=1500,
        call=lambda answer, data, rng: answer(*data, _Z, 50.0, rng=rng),
        view=lambda output: round(float(np.ravel(output)[1]), 6),
        hint="Your function behaves on these updates otherwise than on the ones before. What does it look at?",
    ),
)
