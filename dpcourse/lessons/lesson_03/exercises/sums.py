"""Exercise 03.2: a noisy sum of clipped records."""

from __future__ import annotations

from itertools import starmap
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Returns, either_order
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.digits import digits_tell
from dpcourse.checks.linked import follows
from dpcourse.checks.measured import in_a_file
from dpcourse.checks.noise_laws import Wanted, laplace, noise_wrong
from dpcourse.checks.once import between, whole
from dpcourse.checks.places import Place, Placed
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_03.exercises.few import few_clipped
from dpcourse.lessons.lesson_03.exercises.missing import (
    HIDDEN,
    a_missing_record,
    alone,
    no_numbers,
    within_bounds,
)
from dpcourse.lessons.lesson_03.exercises.records import (
    bounds,
    call_at,
    call_at_one,
    reach,
    records,
    tells,
    with_record,
)


def _lowest_or_one_at_the_top(rng: Generator) -> tuple[Any, Any]:
    """Neighbours: twenty small records; one more at the upper bound, which then is the largest by far."""
    low, high = bounds(rng, "from zero")
    small = rng.uniform(0, high / 50, 20)
    return either_order((small, low, high), (np.append(small, high), low, high), rng)


def _nobody_or_one(rng: Generator) -> tuple[Any, Any]:
    """Neighbours: nobody, and one record at the upper bound."""
    low, high = bounds(rng, "from zero")
    return either_order((np.array([]), low, high), (np.array([high]), low, high), rng)


def _bounds_in_scale(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    """How the noise follows the bounds, not at all or the wrong way round: its width on 200 sums under each of two."""
    small, large = (
        float(np.subtract(*np.quantile(results, [0.75, 0.25])))
        for results in (
            [float(answer(np.zeros(4), 0.0, high, 1.0, rng=chance.rng)) for _ in range(200)] for high in (10.0, 100.0)
        )
    )
    seen = f"With high = 10 your noise is about {small:.2g} wide, and with high = 100 about {large:.2g}."
    if small > 5 * large:
        ask = "Which of the two sums can one person change more? Which of them needs more noise?"
        return Diagnosis("sensitivity-upside-down", seen, ask)
    if large < 2 * small:
        return Diagnosis("sensitivity-not-in-scale", seen, "By how much can one person change either of the two sums?")
    return None


def _reads_bounds(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    """The spread of the noise follows the data, or it follows the bounds in the wrong way."""
    low, high = bounds(chance.rng, "from zero")
    spreads = []
    for top in (high / 100, high):
        values = np.append(np.zeros(20), top)
        results = [float(answer(values, low, high, 1.0, rng=chance.rng)) for _ in range(200)]
        spreads.append(np.subtract(*np.quantile(results, [0.75, 0.25])))
    if spreads[1] > 8 * max(spreads[0], 1e-12):
        return Diagnosis(
            "bounds-from-data",
            "The size of your noise depends on the largest record: the noise gives that record away.",
            "Take the bounds you are given. A bound read from the data is an answer about the data.",
        )
    return _bounds_in_scale(answer, chance, _)


def _adds_up(answer: Answer, chance: Chance) -> Diagnosis | None:
    """So many records that no noise hides what is added up: 50 times its scale is e^-50 of Laplace noise."""
    low, high = bounds(chance.rng, "both signs")
    size, inside = max(abs(low), abs(high)), chance.rng.uniform(0, high, 1200)
    values = chance.rng.permutation(np.concatenate([np.full(500, 30 * low), inside, np.full(2300, 20 * high)]))
    clipped = np.clip(values, low, high)
    result = float(answer(values, low, high, 1.0, rng=chance.rng))

    def near(sum_: float) -> bool:
        return abs(result - sum_) <= 50 * size

    seen = (
        f"{len(values):,} records, many of them outside of ({low:.4g}, {high:.4g}), add up to {clipped.sum():.6g} "
        f"when clipped; you give {result:.6g}."
    )
    if near(clipped.sum()):
        return None
    if near(inside.sum()):
        return Diagnosis(
            "drops-records",
            f"{seen} That is the sum without the records outside the bounds. They add nothing: you drop them or set "
            "them to 0.",
            "Clipping moves a record to the nearer bound and keeps it.",
        )
    if near(values.sum()):
        return Diagnosis("not-clipped", f"{seen} That is the sum of the records as they are.", "Clip each one.")
    if near(np.maximum(values, low).sum()) or near(np.minimum(values, high).sum()):
        return Diagnosis(
            "clipped-on-one-side", f"{seen} The records are clipped on one side only.", "Clip to both bounds."
        )
    if near(0.0):
        again = [float(answer(values, low, high, 1.0, rng=chance.rng)) for _ in range(1000)]
        if abs(np.mean(again) - clipped.mean()) <= 4 * np.std(again) / np.sqrt(1000) + 1e-9 * size:
            ask = "A sum is wanted. Where do you divide by the number of records?"
            seen += f" Over 1,000 calls it is {np.mean(again):.4g} on average: the mean of the clipped records, "
            seen += f"{clipped.mean():.4g}, and noise."
            return Diagnosis("not-a-sum", seen, ask)
        return Diagnosis(
            "not-a-sum",
            f"{seen} That is about the size of one record, or of the noise.",
            "Clip each record, then add all of them up: no clipping of the sum, no mean, and the data have to come in.",
        )
    return Diagnosis("wrong-sum", seen, "Clip each record to the bounds, then add up.")


def _noise(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Laplace noise of scale max(|L|, |U|)/ε, or whole steps of it, in units of max(|L|, |U|)."""
    seen, released, widest = [], [], True
    for epsilon in (0.5, 2.0):
        errors, wide = [], []
        for kind in ("both signs", "negative", "far from zero") * 3:
            low, high = bounds(chance.rng, kind)
            values = records(chance.rng, low, high)
            sums = [float(call_at(answer, (values, low, high), epsilon, chance.rng)) for _ in range(1400)]
            released.append((np.array(sums)[:, None], max(abs(low), abs(high)) / epsilon))
            off = np.array(sums) - np.clip(values, low, high).sum()
            errors.append(off / max(abs(low), abs(high)))
            wide.append(off / (abs(low) + abs(high)))
        seen.append(Wanted(np.concatenate(errors), epsilon, (laplace(1 / epsilon),)))
        widest = widest and laplace(1 / epsilon).fits(np.concatenate(wide), 1e-9)
    ask = "How large can one clipped record be, its sign aside? That is max(|L|, |U|)."
    wrong = noise_wrong(seen, chance.failure, scale="max(|L|, |U|)/ε", too_much=ask, few=ask)
    if wrong and widest:
        return Shared.TOO_MUCH_NOISE.seen("Your noise has scale (|L| + |U|)/ε, and a smaller one is enough.", ask)
    if wrong:
        return wrong.led_by("In units of max(|L|, |U|): ")
    linked = follows([(one.errors, 1 / one.epsilon) for one in seen], (laplace,))
    return linked or next(filter(None, starmap(digits_tell, released)), None)


def _one_draw(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Noise of the same size on few records and on many.

    One draw for each of 900 records is 15 times as wide as for each of 4. Of 100 draws the mean size has a relative
    deviation of 0.1, so that a right answer's is 5 times as large with a probability below 1e-12.
    """
    high = bounds(chance.rng, "from zero")[1]
    sizes = []
    for people in (4, 900):
        outputs = [float(answer(np.zeros(people), 0.0, high, 1.0, rng=chance.rng)) for _ in range(100)]
        sizes.append(float(np.abs(np.array(outputs) - np.median(outputs)).mean()))
    if sizes[1] <= 5 * max(sizes[0], 1e-3 * high):
        return None
    return Shared.NOISE_PER_PERSON.seen(
        f"With high = {high:.3g} and records of 0, the noise on your sum is about {sizes[0]:.3g} wide for 4 records "
        f"and {sizes[1]:.3g} for 900. It should not grow with the number of records."
    )


def _anywhere(answer: Answer, epsilon: float, many: int, rng: Generator) -> list[Place]:
    """How far a sum is from the truth, or two of them are from one another, or their mean from the truth.

    The noise is so wide that a result in whole numbers is as good, or records in cents: so bounds are in cents. What
    a NaN counts as is the answer's own choice, so two sums of the same records are compared. The sum and the difference
    of two draws of Laplace noise of scale b are farther than x from 0 with probability (1 + x/(2b))·e^(−x/b).
    """
    scale = float(10 ** rng.uniform(1.7, 4))
    kind = str(rng.choice(["from zero", "negative", "both signs", "far from zero"]))
    low, high = (round(bound / 100 * scale * epsilon, 2) for bound in bounds(rng, kind))
    over = reach(rng) * (high - low)
    values = rng.uniform(low - over, high + over, many)
    if high - low > 4 and rng.random() < 1 / 3:  # ages, hours
        low, high, values = round(low), round(high), np.rint(values)
    missing = rng.random() < 0.2
    values[rng.random(many) < missing * (rng.uniform(0.01, 0.9) if rng.random() < 2 / 3 else 1.0)] = np.nan
    values = in_a_file(values, rng)
    truth, twice, side = np.clip(values, low, high).sum(), missing or rng.random() < 0.3, 0
    seen = [float(answer(values, low, high, epsilon, rng=rng)) for _ in range(1 + twice)]
    if twice:
        error = abs(seen[0] - seen[1]) if missing or rng.random() < 0.5 else abs(seen[0] + seen[1] - 2 * truth)
    else:
        error = abs(seen[0] - truth)
        side = 0 if error < 1 else 1 if seen[0] > truth else -1
    rate = epsilon / max(abs(low), abs(high))
    within = (error if error >= 1 else rng.random()) * rate
    at = 1 - (1 + twice * within / 2) * np.exp(-within)
    return [Place(at, min(1.0, rate), side)]  # it may be rounded to whole numbers


def _small(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Between small bounds, as of shares or ratings, no sum is exact.

    One within a thousandth of its noise's scale has a probability below 0.002, rounded to cents or whole numbers or
    not; five of forty such 3 in 10^8.
    """
    rng, exact = chance.rng, []
    for _ in range(40):
        low, high = (bound * 10 ** rng.uniform(-4, -1) for bound in bounds(rng, "from zero"))
        values, epsilon = rng.uniform(low, high, whole(rng, 1, 1000)), between(rng, 0.05, 5.0)
        off = abs(float(answer(values, low, high, epsilon, rng=rng)) - values.sum())
        exact += [(high, epsilon)] * int(off < 1e-3 * high / epsilon)
    if len(exact) < 5:
        return None
    high, epsilon = exact[-1]
    seen = (
        f"With numbers from 0 to {high:.2g}, at ε = {epsilon:.2g}, your sum is exact; so are {len(exact)} of 40 sums "
    )
    return Shared.NOT_EVERYWHERE.seen(f"{seen}of small numbers.", "What does your noise do where `high` is small?")


NOISY_SUM = (
    Returns(lambda rng: (records(rng, 0, 50), 0.0, 50.0, 1.0), what="number"),
    _one_draw,
    a_missing_record,
    tells(
        with_record("from zero", lambda low, high: high),
        "sensitivity-not-in-scale",
        "One record at the upper bound moves the sum by all of it. How wide is your noise beside that?",
        runs=3000,
        diagnose=_reads_bounds,
    ),
    tells(
        with_record("from zero", lambda low, high: 40 * high),
        "not-clipped",
        "One of the records lies far outside the bounds. What should happen to it before you add?",
        diagnose=_reads_bounds,
    ),
    tells(
        with_record("negative", lambda low, high: low),
        "upper-bound-only",
        "The record was at the lower bound, which is negative and large. Which of the two bounds sets the noise?",
        runs=2500,
    ),
    tells(
        with_record("far from zero", lambda low, high: high),
        "width-for-size",
        "The bounds were close together and far from 0. How much does one record more add to the sum?",
        runs=2500,
    ),
    tells(
        _lowest_or_one_at_the_top,
        "sensitivity-not-in-scale",
        "Twenty small records, and one more at the upper bound: that one shows. What is your scale made of?",
        diagnose=_reads_bounds,
    ),
    _adds_up,
    few_clipped(lambda answer, data, chance: float(call_at_one(answer, data, chance.rng)), centred=False),
    within_bounds,
    HIDDEN,
    tells(
        _nobody_or_one,
        "nobody",
        "The sum over nobody is zero, and it needs noise like any other sum.",
    ),
    no_numbers,
    _noise,
    Placed(_anywhere, sizes=(1, 3000), of="records", times=700),
    Placed(_anywhere, sizes=(3000, 100_000), of="records", times=60, again=0, often=60),
    _small,
    alone,
)
