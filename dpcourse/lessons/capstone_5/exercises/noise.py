"""Capstone 5.3: what a hospital sends: its sum and a share of the noise, normal and drawn anew for each number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Returns
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.entries import quiet_number
from dpcourse.checks.links import Draws, repeated, shared
from dpcourse.checks.measured import as_measured
from dpcourse.checks.once import fresh, spread
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_5.exercises.amount import LONG, SETTINGS, Setting, amount
from dpcourse.lessons.capstone_5.exercises.hidden import again as one_draw_again
from dpcourse.lessons.capstone_5.exercises.reference import deviation, numbers_of, spread_out, whole
from dpcourse.privacy import Guarantee

BRIEF, OFTEN = 31, 60  # numbers of a vector in the brief, and so many of them


def drawn(rng: np.random.Generator, many: int) -> list[Setting]:
    """Anything that a study may agree on, so often; each part of the range of ε has one of them."""
    epsilons = 0.05 * 400 ** ((rng.permutation(many) + rng.random(many)) / many)
    return [
        (
            epsilon,
            spread_out(rng, 1e-9, 0.02),
            whole(rng, 1, 300),
            spread_out(rng, 1e-3, 1e3),
            int(rng.integers(1, 6)),
            whole(rng, 1, 200),
        )
        for epsilon in epsilons.tolist()
    ]


def totals(rng: np.random.Generator, clip: float, short: int) -> list[np.ndarray]:
    """Sums of a hospital without stays, of a small or a large one as measured, and a long vector, half of it zeros."""
    direction = rng.normal(size=short)
    some = clip * whole(rng, 1, 100_000) * direction / np.linalg.norm(direction)
    long = np.where(rng.random(LONG) < 0.5, 0.0, clip * rng.normal(0, 30, LONG))
    return [np.zeros(short), as_measured(some, rng), long]


def sent(answer: Answer, total: np.ndarray, setting: Setting, rng: np.random.Generator) -> np.ndarray:
    """What one hospital sends, called with a generator made anew."""
    handed = total.copy()
    handed.setflags(write=False)
    given = numbers_of(answer(handed, *setting, rng=fresh(rng)))
    if given.shape != total.shape or not np.isfinite(given).all():
        seen = f"Your message has shape {given.shape}; {total.shape} finite numbers are wanted."
        raise Refused(Diagnosis("wrong-shape", seen, "The sum, and noise in each of its numbers."))
    return given


def _given(rng: np.random.Generator) -> tuple[Any, ...]:
    (setting,) = drawn(rng, 1)
    return totals(rng, setting[3], whole(rng, 1, LONG))[1], *setting


def law(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Size, centre, shape and independence of the noise, over ε, δ, rounds, clips, reach and shares of every kind.

    Vectors have any length from 1 to 3,000, and many that of the brief: there each number is looked at alone.
    """
    rng, level = chance.rng, chance.failure / 10
    settings = drawn(rng, SETTINGS)
    noise, rights, again, fine = [], [], [], []
    for setting, short in zip(settings, spread(rng, 1, LONG, SETTINGS), strict=True):
        right = deviation(*setting)
        some = totals(rng, setting[3], round(short))
        room = [1e-12 * np.abs(total).max(initial=0.0) / right for total in some]
        noise.append([(sent(answer, total, setting, rng) - total) / right for total in some])
        again.append((sent(answer, some[2], setting, rng) - some[2]) / right)
        rights.append(right)
        fine.append(noise[-1][2][some[2] != 0])  # a message may be rounded: beside such totals no two draws are equal
        wrong = _moved(noise[-1], some, room)
        if wrong:
            return wrong
    known = rng.normal(0, 30 * settings[0][3], BRIEF)
    brief = [(sent(answer, known, settings[0], rng) - known) / rights[0] for _ in range(OFTEN)]
    variances = np.array([float((long**2).mean()) for _, _, long in noise])
    return (
        _linked(noise, level)
        or _shared([one for some in noise for one in some], level)
        or next(filter(None, (one_draw_again(one, level / (4 * SETTINGS)) for one in fine)), None)
        or _sided([(some[2], other) for some, other in zip(noise, again, strict=True)], level)
        or amount(settings, rights, variances, level)
        or _each(noise, settings, level)
        or _quiet(brief, level / 2)
        or _quiet([*(one for some in noise for one in some), *again, *brief], level / 2)
        or _pooled(np.concatenate([np.concatenate(one) for one in noise]), level)
    )


def _moved(noise: Sequence[np.ndarray], some: Sequence[np.ndarray], room: Sequence[float]) -> Diagnosis | None:
    """No noise at all, one draw for all numbers, or noise where something is only."""
    for one, total, tiny in zip(noise, some, room, strict=True):
        who = "A hospital without stays" if not total.any() else "A hospital"
        if np.abs(one).max() <= 1e-9 + tiny:
            return Shared.NO_NOISE.seen(f"{who} sends its exact sum.", "Who else would add its share of the noise?")
        if len(one) > 9 and np.ptp(one) <= 1e-9 + 4 * tiny:
            return Shared.SHARED_NOISE.seen(f"All numbers of a message share one draw: here {len(one)} of them.")
    zero, filled = noise[2][some[2] == 0], noise[2][some[2] != 0]
    if not 0.7 < zero.std() / max(filled.std(), 1e-12) < 1.4:
        return Diagnosis(
            "noise-by-content",
            f"Where the sum is 0, your noise is {zero.std() / max(filled.std(), 1e-12):.2g} times as large as usual.",
            "Which public numbers does the deviation follow from?",
        )
    return None


def _each(noise: Sequence[Sequence[np.ndarray]], settings: Sequence[Setting], level: float) -> Diagnosis | None:
    """Each message of its own: none of them is nearly exact, whatever came before."""
    for (empty, some, _), setting in zip(noise, settings, strict=True):
        for one, who in ((empty, "a hospital without stays"), (some, "a hospital with patients")):
            ratio = float((one**2).mean())
            tail = stats.chi2.cdf(len(one) * ratio, len(one)), stats.chi2.sf(len(one) * ratio / 1.02, len(one))
            if min(tail) < level / (4 * SETTINGS):
                return Diagnosis(
                    "noise-by-content",
                    f"The noise of {who}, in {len(one)} numbers at epsilon = {setting[0]:.2g}, has {ratio:.2g} times "
                    "the right variance. In vectors of 3,000 numbers it is right.",
                    "Does your noise depend on the sum, on its length, or on what was asked before?",
                )
    return None


def _quiet(noise: Sequence[np.ndarray], failure: float) -> Diagnosis | None:
    if not (seen := quiet_number(noise, failure)):
        return None
    return Shared.TOO_LITTLE_NOISE.seen(f"In {len(noise)} messages {seen}.", "Is it drawn like all others?")


def _linked(noise: Sequence[Sequence[np.ndarray]], level: float) -> Diagnosis | None:
    """The sum of a message's noise, in units of its own size: as large as that of independent numbers."""
    sums = [one.sum() / math.sqrt((one**2).sum()) for some in noise for one in some]
    spread = float(np.square(sums).sum())
    if min(stats.chi2.cdf(spread, len(sums)), stats.chi2.sf(spread, len(sums))) >= level:
        return None
    if spread < len(sums):
        return Shared.LINKED_NOISE.seen("The noise of one message adds up to less than that of independent draws.")
    return Shared.LINKED_NOISE.seen("The numbers of one message have some of their noise in common.")


def _shared(noise: Sequence[np.ndarray], level: float) -> Diagnosis | None:
    seen = shared(noise, level, even=True)
    return Shared.LINKED_NOISE.seen(seen, "Does each number have a draw of its own?") if seen else None


def _sided(pairs: Sequence[tuple[np.ndarray, np.ndarray]], level: float) -> Diagnosis | None:
    """The same sum sent twice: its noise lies on either side, whichever it was on before."""
    if not any(repeated([Draws.of_signs(one) for one in pair], level / len(pairs)) for pair in pairs):
        return None
    seen = (
        "If a sum is sent twice, its numbers lie on the same side of the truth both times more often than by chance, "
    )
    seen += "or on opposite sides."
    return Shared.LINKED_NOISE.seen(seen, "What decides on which side of the sum your message lies?")


def _pooled(everything: np.ndarray, level: float) -> Diagnosis | None:
    """Centre and shape of all noise together."""
    if stats.norm.sf(abs(everything.mean()) * math.sqrt(len(everything))) < level / 2:
        return Diagnosis(
            "not-centred", f"Your message is off by {everything.mean():+.2g} deviations on average.", "What is added?"
        )
    if stats.kstest(everything / everything.std(), stats.norm.cdf).pvalue < level:
        far = float((np.abs(everything) > 3 * everything.std()).mean())
        seen = f"Your noise has the right size, and is not normal. Beyond 3 deviations are {far:.2%}; of normal 0.27%."
        return Diagnosis("not-normal", seen, "For which law of noise is its size computed?")
    return None


def audited(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The auditor: `shares` messages in each round, and patients who move one number each, there or not."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    answer.renew()
    rng = chance.rng
    epsilon, delta = spread_out(rng, 0.5, 1.5), spread_out(rng, 0.03, 0.15)
    rounds, clip, reach, shares = int(rng.integers(1, 4)), spread_out(rng, 0.01, 100), int(rng.integers(1, 4)), 6
    setting = (epsilon, delta, rounds, clip, reach, shares)
    there = rng.random(2000) < 0.5
    seen, ratios = np.zeros(2000), []
    for _ in range(rounds):
        for hospital in range(shares):
            known = rng.normal(0, 30 * clip, 2000)
            part = np.where(there & (hospital < reach), clip, 0.0)
            own = sent(answer, known + part, setting, rng) - known
            ratios.append(float(((own - part) ** 2).mean()) / deviation(*setting) ** 2)
            seen += own
    seen /= rounds * reach * clip
    sides = [np.round(seen[there == here], 3).tolist() for here in (False, True)]
    runs = min(map(len, sides))
    result = audit_outputs(
        *(side[:runs] for side in sides), claim=Guarantee(epsilon, delta), confidence=1 - chance.failure / 2
    )
    if not result.violated:
        ratio = max(ratios, key=lambda one: abs(math.log(max(one, 1e-300))))
        if 0.7 < ratio < 1.4:  # nine deviations
            return None
        words = f"In 2,000 numbers at epsilon = {epsilon:.2g} and delta = {delta:.2g} your noise has {ratio:.2g} times "
        words += "the right variance. In the vectors before, with delta below 0.02, it is right."
        ask = "How does your noise depend on delta, on the length of the vector, and on what was asked before?"
        return Diagnosis("noise-by-content", words, ask)
    return Diagnosis(
        "not-private",
        f"{shares} of your messages in each of {rounds} rounds give a patient away who is in {reach} hospitals: ε ≥ "
        f"{result.epsilon_lower:.3g} at δ = {delta:.2g}, and {epsilon:.2g} was asked for.",
        "Is the noise of all shares together enough for `reach` times the clip, in all rounds?",
    )


SHARE = (Returns(_given, what="array", shape=lambda total, *_: total.shape), law, audited)
