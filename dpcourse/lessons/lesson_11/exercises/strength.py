"""Exercise 11.2: whether an audit finds something, where much leaks."""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.lessons.lesson_11.exercises.asked import CONFIDENCE, RUNS, SURER, bound_of, percent, same
from dpcourse.lessons.lesson_11.exercises.outputs import answers, laplace, spreads, turned


def with_many_runs(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Many runs, in random order from mechanisms that leak and from some that do not: lengths tell no answer which.

    Of those that leak half have their outputs above the neighbour's, half below.
    """
    rng, idle = chance.rng, []
    shares: dict[bool, list[float]] = {True: [], False: []}
    levels = rng.permutation([1.0, 2.0, 2.75, 3.5, 4.5, 5.0])
    # So far apart that no constant is good for one half of them and not too large for the smallest.
    leaking = [(float(level), i % 2 == 0) for i, level in enumerate(levels)]
    for level, upwards in rng.permutation([*leaking, *[(0.0, False)] * 5]).tolist():
        runs, epsilon = 2 * int(rng.integers(1500, 2500)), level * float(rng.uniform(1.0, 1.1))
        if epsilon:
            outputs = turned(laplace(rng, epsilon, runs), upwards=bool(upwards))
            shares[bool(upwards)].append(bound_of(answer, outputs, 0.99) / epsilon)
        else:
            idle.append(bound_of(answer, same(rng, runs), 0.99))
    if sum(bound > 1e-9 for bound in idle) > stats.binom.isf(chance.failure / 4, len(idle), 0.01):
        return Diagnosis(
            "accuses-with-many-runs",
            "With 3,000 runs a side or more, at 99% confidence, you accuse mechanisms that ignore their data, of up to "
            f"ε = {max(idle):.3g}. With {RUNS} runs a side, at {CONFIDENCE:.0%}, you did not do so too often.",
            "The bound must come from the counts, whatever the number of runs and the confidence.",
        )
    both = [*shares[True], *shares[False]]
    if max(both) > 1.25:
        return Diagnosis(
            "too-much",
            f"On Laplace noise your bound is {max(both):.3g} times the real ε (99% confidence, 3,000 runs a side or "
            "more).",
            "From which counts does it follow? For which rate do you need a lower bound, for which an upper one?",
        )
    if np.median(both) < 0.025:
        return Diagnosis(
            "finds-nothing",
            f"On mechanisms with ε from 1 to 5 your audit certifies {np.median(both):.1%} of it, from 3,000 runs a "
            "side or more.",
            "Print your threshold and its two counts. Do they differ? Which bound do they give?",
        )
    above, below = (float(np.median(shares[upwards])) for upwards in (True, False))
    if min(above, below) < 0.025:
        found, where = (below, "below") if below > above else (above, "above")
        return Diagnosis(
            "one-side-only",
            f"Where `outputs` lie {where} `neighbour_outputs` your audit certifies {found:.0%} of ε, and nothing where "
            "they lie on the other side.",
            "On which of the two datasets is your event expected? Who decides that, and from which runs?",
        )
    if np.median(both) < 0.45:
        return Diagnosis(
            "weak",
            f"On mechanisms with ε from 1 to 5 your audit certifies {np.median(both):.0%} of it, from 3,000 runs a "
            "side or more; half is easily had.",
            "Do you try thresholds in the tails, and both directions? Is the best one chosen by its bound?",
        )
    return None


def at_high_confidence(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Who certifies nothing at high confidences from few runs is never wrong there: half of ε = 4 is within reach."""
    rng, shares = chance.rng, []
    for _ in range(24):
        shape, runs = (laplace, answers, spreads)[int(rng.integers(3))], 2 * int(rng.integers(RUNS // 2, RUNS))
        shares.append(bound_of(answer, shape(rng, 4.0, runs), float(1 - 10 ** -rng.uniform(*SURER))) / 4)
    if np.median(shares) >= 0.1:
        return None
    low, high = (percent(10**-power) for power in SURER)
    return Diagnosis(
        "finds-nothing",
        f"At confidences from {low} to {high} your audit certifies {np.median(shares):.1%} of ε = 4, from {RUNS} to "
        f"{2 * RUNS} runs a side. At lower ones, or from more runs, it certifies enough.",
        "What does your function do differently at a high confidence, with few runs?",
    )
