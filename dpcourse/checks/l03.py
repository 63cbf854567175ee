"""Exercises of lesson 03: sensitivity, and Laplace noise where it has to go.

Data are drawn anew for every check. Answers draw Laplace noise in floats, so audits look at rounded outputs: the hole
in the low bits is lesson 14's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Exercise, Trial, Wrong
from dpcourse.checks.cases import Audited, Equals, Mistake, Returns, Useful
from dpcourse.privacy import Guarantee

CLAIM = Guarantee(1.0)


def _swap(here: Any, there: Any, rng: Generator) -> tuple[Any, Any]:
    return (here, there) if rng.random() < 0.5 else (there, here)


# 03.1 Sensitivities

_NAMES = (
    "the sum, one record added or removed",
    "the sum, one record replaced",
    "the mean of n records, one replaced",
    "the histogram, one record added or removed",
    "the histogram, one record replaced",
)


def _right_sensitivities(low: float, high: float, n: int) -> tuple[float, ...]:
    return max(abs(low), abs(high)), high - low, (high - low) / n, 1.0, 2.0


def _known_sensitivities(low: float, high: float, n: int) -> list[tuple[int, float, Wrong]]:
    """Place, wrong value, diagnosis."""
    return [
        (0, high - low, Wrong(
            "For the sum under add-remove you give U − L. A record that is added counts in full, not from L.",
            "How large can the one record be that comes or goes, its sign aside?", "width-for-size")),
        (0, high, Wrong(
            "For the sum under add-remove you give U. A record at L moves the sum too, and here |L| may be larger.",
            "Take the larger of |L| and |U|.", "upper-bound-only")),
        (1, max(abs(low), abs(high)), Wrong(
            "For the sum under replace-one you give what one record weighs; but one goes and another comes.",
            "What is the farthest a record can move?", "size-for-width")),
        (1, 2 * max(abs(low), abs(high)), Wrong(
            "Twice the add-remove value bounds the sum under replace-one, but it is not the smallest bound.",
            "From which value to which can the replaced record move?", "doubled")),
        (2, high / n, Wrong(
            "Upper bound over n is right for the mean only where L = 0.", "A record moves from L to U.", "max-over-n")),
        (2, high - low, Wrong("That is the sensitivity of the sum.", "The mean divides it by n.", "forgot-n")),
        (3, 2.0, Wrong(
            "One record more adds one to one cell of the histogram.", "No other cell changes.", "relations-swapped")),
        (4, 1.0, Wrong(
            "A replaced record leaves one cell and enters another.", "Both cells count in the L1 norm.", "one-cell")),
        (4, math.sqrt(2), Wrong("That is the L2 sensitivity.", "In L1 the two changes add up.", "l2-norm")),
    ]  # fmt: skip


def _sensitivities(answer: Answer, trial: Trial) -> Wrong | None:
    drawn = []
    for sign in (1, -1, 1, -1, 1, -1):
        a, b = np.sort(trial.rng.uniform(1, 100, 2)).round(1)
        low, high = (float(a), float(b) + 0.5) if sign > 0 else (float(-b) - 0.5, float(a) / 2)
        drawn.append((low, high, int(trial.rng.integers(3, 500))))
    got = []
    for arguments in drawn:
        result = answer(*arguments)
        try:
            got.append(np.asarray(result, dtype=float))
        except (TypeError, ValueError):
            return Wrong(f"Five numbers are wanted; you return {result!r}.", "", "wrong-type")
        if got[-1].shape != (5,):
            return Wrong(f"Five numbers are wanted; the result has shape {got[-1].shape}.", "", "wrong-shape")
    right = np.array([_right_sensitivities(*arguments) for arguments in drawn])
    table = np.array(got)
    wrong_places = [place for place in range(5) if not np.allclose(table[:, place], right[:, place])]
    if not wrong_places:
        return None
    known = [_known_sensitivities(*arguments) for arguments in drawn]
    for entry in range(len(known[0])):
        place, _, wrong = known[0][entry]
        values = [one[entry][1] for one in known]
        if place in wrong_places and np.allclose(table[:, place], values):
            return wrong
    place = wrong_places[0]
    low, high, n = drawn[0]
    return Wrong(
        f"For bounds ({low:g}, {high:g}) and n = {n}, {_NAMES[place]} can change by {right[0, place]:.6g}; you give "
        f"{table[0, place]:.6g}.",
        "Write down two neighbours that are as far apart as they can be.",
        "wrong-value",
    )


# 03.2 A noisy sum, adding or removing one record


def _records(rng: Generator, low: float, high: float) -> np.ndarray:
    return rng.uniform(low, high, int(rng.integers(5, 60)))


def _bounds(rng: Generator, kind: str) -> tuple[float, float]:
    size = float(rng.uniform(20, 200))
    return {
        "from zero": (0.0, size),
        "negative": (-size, size / 10),
        "both signs": (-size, 0.9 * size),
        "far from zero": (0.9 * size, size),
    }[kind]


def _with_record(kind: str, record: Callable[[float, float], float]):
    """Neighbours: one more record, whose value follows from the bounds."""

    def pairs(rng: Generator) -> tuple[Any, Any]:
        low, high = _bounds(rng, kind)
        values = _records(rng, low, high)
        more = np.insert(values, rng.integers(len(values) + 1), record(low, high))
        return _swap((values, low, high), (more, low, high), rng)

    return pairs


def _among_no_numbers(rng: Generator) -> tuple[Any, Any]:
    """Neighbours: thirty records that are no numbers and one at the lower bound; one more at the upper bound."""
    low, high = _bounds(rng, "from zero")
    values = np.append(np.full(30, np.nan), low)
    return _swap((values, low, high), (np.append(values, high), low, high), rng)


def _clipped(data: tuple[np.ndarray, float, float]) -> float:
    values, low, high = data
    return float(np.clip(np.nan_to_num(values, nan=low), low, high).sum())


def _call_bounded(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


def _coarse(output: Any) -> float:
    return round(float(output), 3)


def _nan_record(answer: Answer, trial: Trial) -> Wrong | None:
    low, high = _bounds(trial.rng, "from zero")
    values = np.append(_records(trial.rng, low, high), np.nan)
    output = float(answer(values, low, high, 1.0, rng=trial.rng))
    if np.isfinite(output):
        return None
    return Wrong(
        f"One record that is not a number (NaN) makes the answer {output}: whoever sees that knows it is there.",
        "np.clip lets NaN through. Decide in advance which value within the bounds such a record counts as.",
        "nan-passes",
    )


def _reads_bounds(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    """The spread of the noise follows the data."""
    low, high = _bounds(trial.rng, "from zero")
    spreads = []
    for top in (high / 100, high):
        values = np.append(np.zeros(20), top)
        results = [float(answer(values, low, high, 1.0, rng=trial.rng)) for _ in range(200)]
        spreads.append(np.subtract(*np.quantile(results, [0.75, 0.25])))
    if spreads[1] > 8 * max(spreads[0], 1e-12):
        return Wrong(
            "The size of your noise depends on the largest record: the noise gives that record away.",
            "Take the bounds you are given. A bound read from the data is an answer about the data.",
            "bounds-from-data",
        )
    return None


NOISY_SUM = (
    Returns(lambda rng: (_records(rng, 0, 50), 0.0, 50.0, 1.0), what="number"),
    _nan_record,
    Audited(
        _with_record("from zero", lambda low, high: high),
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=8000,
        diagnose=_reads_bounds,
        hint="One record at the upper bound moves the sum by all of it. Is that in the scale?",
        key="sensitivity-not-in-scale",
    ),
    Audited(
        _with_record("from zero", lambda low, high: 40 * high),
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=2000,
        diagnose=_reads_bounds,
        hint="A record far outside the bounds comes through. Clip each record before you add.",
        key="not-clipped",
    ),
    Audited(
        _with_record("negative", lambda low, high: low),
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=4000,
        hint="The record was at the lower bound, which is negative and large. Which of the two bounds sets the noise?",
        key="upper-bound-only",
    ),
    Audited(
        _with_record("far from zero", lambda low, high: high),
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=4000,
        hint="A record is added whole, not from the lower bound on. U − L is for replacing a record.",
        key="width-for-size",
    ),
    Audited(
        _among_no_numbers,
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=2000,
        hint="What your NaNs count as depends on the other records, so one record moves them all. Fix the value before "
        "you look.",
        key="nan-from-data",
    ),
    Useful(
        _with_record("both signs", lambda low, high: high),
        truth=_clipped,
        # Two scales hold 86.5% of Laplace noise; 1.5 times the noise keeps 74% there.
        within=lambda data: 2 * max(abs(data[1]), abs(data[2])),
        at_least=0.82,
        call=_call_bounded,
        hint="Scale max(|L|, |U|)/ε is enough under add-remove. Is there more?",
    ),
    Useful(
        _with_record("from zero", lambda low, high: -high),
        truth=_clipped,
        within=lambda data: 2 * max(abs(data[1]), abs(data[2])),
        at_least=0.82,
        call=_call_bounded,
        hint="The sum of the clipped records is wanted. Is each record clipped on both sides?",
    ),
)


# 03.3 A noisy histogram


def _table(rng: Generator) -> tuple[list[str], list[str]]:
    """Declared categories, the last of which nobody has; and records, some undeclared."""
    categories = [f"{letter}{rng.integers(100)}" for letter in rng.permutation(list("ABCDEFGH"))[: rng.integers(4, 8)]]
    values = [categories[place] for place in rng.integers(0, len(categories) - 1, int(rng.integers(20, 60)))]
    return values + categories[:-1], categories


def _empty_or_one(rng: Generator) -> tuple[Any, Any]:
    values, categories = _table(rng)
    return _swap((values, categories), ([*values, categories[-1]], categories), rng)


def _frequent(rng: Generator) -> tuple[Any, Any]:
    values, categories = _table(rng)
    return _swap((values, categories), ([*values, categories[0]], categories), rng)


def _undeclared(rng: Generator) -> tuple[Any, Any]:
    values, categories = _table(rng)
    return _swap((values, categories), ([*values, "?"], categories), rng)


def _counts(data: tuple[list[str], list[str]]) -> np.ndarray:
    values, categories = data
    return np.array([values.count(category) for category in categories])


def _shapes(answer: Answer, trial: Trial) -> Wrong | None:
    """One count a declared category, in their order, whatever was observed."""
    for _ in range(4):
        values, categories = _table(trial.rng)
        result = answer(list(values), list(categories), 1.0, rng=trial.rng)
        if result is None:
            return Wrong("Your function returns nothing (None).", "Is a `return` missing?", "returns-nothing")
        if isinstance(result, dict):
            return Wrong("An array is wanted, one count for each category in order.", "", "wrong-type")
        length = np.size(result)
        if length == len(set(values)) != len(categories):
            return Wrong(
                f"{len(categories)} categories were declared and {length} come back: those that somebody has. "
                "Whoever sees the table knows that nobody is in the missing one.",
                "Count over the declared categories. An empty cell gets noise too.",
                "observed-categories",
            )
        if np.shape(result) != (len(categories),):
            return Wrong(
                f"The result has shape {np.shape(result)}, and {(len(categories),)} is wanted.", "", "wrong-shape"
            )
    values, categories = _table(trial.rng)
    values = [*values, "?"]
    try:
        length = np.size(answer(list(values), list(categories), 1.0, rng=trial.rng))
    except Exception as error:
        return Wrong(
            f"A record with an undeclared value stops your function ({error}): an error is an output, and it tells.",
            "Drop such records silently.",
            "undeclared-raises",
        )
    if length != len(categories):
        return Wrong(
            "An undeclared value gets a cell of its own.", "Drop records with undeclared values.", "undeclared-cell"
        )
    return None


def _call_table(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


def _padded(cells: Any) -> np.ndarray:
    """Tables of any length as eight numbers, so that a case can stack them."""
    return np.pad(np.asarray(cells, dtype=float), (0, 8 - np.size(cells)))


def _last_cell(output: Any) -> float:
    return round(float(np.asarray(output)[-1]), 3)


def _differences(output: Any) -> float:
    cells = np.asarray(output, dtype=float)
    return round(float(cells[-1] - cells[0]), 3)


def _silent_when_empty(answer: Answer, trial: Trial, result: Any) -> Wrong | None:
    """The cell that nobody is in comes out the same every time."""
    data = _table(trial.rng)
    if len({float(np.asarray(_call_table(answer, data, trial.rng))[-1]) for _ in range(30)}) > 1:
        return None
    return Wrong(
        "A cell that nobody is in always comes out the same, and one that somebody is in does not: the first person "
        "in it shows.",
        "Empty cells need noise too.",
        "empty-cell-without-noise",
    )


def _shared(answer: Answer, trial: Trial, result: Any) -> Wrong | None:
    return Wrong(
        f"Each cell by itself keeps ε = 1, but the difference of two tells: ε ≥ {result.epsilon_lower:.3g}.",
        "Does every cell have noise of its own? Whoever subtracts two cells removes noise that they share.",
        "same-noise",
    )


HISTOGRAM = (
    _shapes,
    Returns(
        lambda rng: (*_table(rng), 1.0), what="array", shape=lambda values, categories, epsilon: (len(categories),)
    ),
    Audited(
        _empty_or_one,
        CLAIM,
        call=_call_table,
        view=_last_cell,
        runs=8000,
        hint="One person moves one cell by one: scale 1/ε in every cell.",
        key="too-little-noise",
        diagnose=_silent_when_empty,
    ),
    Audited(
        _empty_or_one,
        CLAIM,
        call=_call_table,
        view=_differences,
        runs=4000,
        key="same-noise",
        diagnose=_shared,
    ),
    Audited(
        _frequent,
        CLAIM,
        call=_call_table,
        view=lambda output: round(float(np.asarray(output)[0]), 3),
        runs=8000,
        hint="One person moves one cell by one: scale 1/ε in every cell.",
        key="too-little-noise",
    ),
    Audited(
        _undeclared,
        CLAIM,
        call=_call_table,
        view=_differences,
        runs=4000,
        hint="A person with an undeclared value changes your table by more than ε allows.",
        key="undeclared-tells",
    ),
    Useful(
        _empty_or_one,
        truth=lambda data: _padded(_counts(data)),
        # For 7 cells of Laplace(1) the largest error is below 5.5 in 97% of runs; at scale 2 in 63%.
        within=5.5,
        at_least=0.9,
        call=lambda answer, data, rng: _padded(_call_table(answer, data, rng)),
        hint="Scale 1/ε serves all cells at once: a person is in one cell only, so ε is not divided by their number.",
    ),
)


# 03.4 The two parts of a private mean


def _call_parts(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


def _two(output: Any) -> tuple[float, float]:
    total, count = output
    return float(total), float(count)


def _two_numbers(answer: Answer, trial: Trial) -> Wrong | None:
    low, high = _bounds(trial.rng, "far from zero")
    for values in (_records(trial.rng, low, high), np.array([])):
        result = answer(values, low, high, 1.0, rng=trial.rng)
        try:
            total, count = _two(result)
        except (TypeError, ValueError):
            return Wrong(f"Two numbers are wanted, (total, count); you return {result!r}.", "", "wrong-shape")
        if not (math.isfinite(total) and math.isfinite(count)):
            seen = f"For {len(values)} records you return ({total}, {count})."
            return Wrong(seen, "Is something divided by n?", "nan")
    return None


def _parts_audited(answer: Answer, trial: Trial) -> Wrong | None:
    """A record at the upper bound moves both parts; one at the centre moves the count only."""
    rng, half = trial.rng, Trial(trial.rng, trial.failure / 5)
    low, high = _bounds(rng, "far from zero")
    centre, reach = (low + high) / 2, (high - low) / 2
    everybody = np.full(int(rng.integers(5, 40)), centre)

    def pair(record: float) -> Any:
        sides = _swap((everybody, low, high), (np.append(everybody, record), low, high), rng)
        return lambda _: sides

    def attack(record: float, view: Any, hint: str, key: str, runs: int) -> Wrong | None:
        case = Audited(pair(record), CLAIM, call=_call_parts, view=view, runs=runs, hint=hint, key=key)
        return case(answer, half)

    def count_only(output: Any) -> float:
        return round(_two(output)[1], 3)

    def total_only(output: Any) -> float:
        return round(_two(output)[0] / reach, 3)

    def both(output: Any) -> float:
        total, count = _two(output)
        return round(min(total / reach, count - len(everybody)), 3)

    wrong = attack(
        centre, count_only, "How many records there are is private here: the count needs noise of its own.",
        "exact-count", 4000,
    )  # fmt: skip
    if wrong:
        return Wrong(wrong.diagnosis, "The count alone gives a person away. Does it get noise?", "exact-count")
    wrong = attack(
        100 * high, total_only, "A record far outside comes through. Clip before you add.", "not-clipped", 2000
    )
    inside = attack(
        high, total_only, "Measured from the centre, a clipped record is (U − L)/2 at most.", "total-too-sharp", 6000
    )
    if inside:
        if _spread(answer, (everybody, low, high), rng, 0) < 0.5 * reach:
            return inside
        return Wrong(
            inside.diagnosis,
            "Is the total taken from the centre of the bounds, as the noise of half the width supposes?",
            "not-centred",
        )
    if wrong:
        return wrong
    return attack(
        high,
        both,
        "Either part by itself keeps ε = 1. Together they are two releases: split ε between them.",
        "budget-spent-twice",
        24_000,
    )


def _spread(answer: Answer, data: Any, rng: Generator, part: int) -> float:
    results = [_two(_call_parts(answer, data, rng))[part] for _ in range(200)]
    return float(np.median(np.abs(results - np.median(results))))


def _clipped_records(rng: Generator) -> tuple[Any, Any]:
    low, high = _bounds(rng, "far from zero")
    values = rng.uniform(low - (high - low), high + (high - low), int(rng.integers(5, 60)))
    return (values, low, high), (np.append(values, high), low, high)


def _parts_error(output: Any, truth: Any) -> float:
    return max(abs(got - wanted) / unit for got, wanted, unit in zip(_two(output), truth[:2], truth[2:], strict=True))


def _parts_truth(data: Any) -> tuple[float, float, float, float]:
    values, low, high = data
    reach = (high - low) / 2
    return float((np.clip(values, low, high) - (low + high) / 2).sum()), len(values), reach, 1.0


MEAN_PARTS = (
    _two_numbers,
    _parts_audited,
    Useful(
        _clipped_records,
        truth=_parts_truth,
        error=_parts_error,
        # With ε/2 each, both lie within 8 of their units with probability (1 − e^−4)² = 96%; at ε/4 with 75%.
        within=8.0,
        at_least=0.9,
        call=_call_parts,
        hint="Half of ε for each, (U − L)/2 and 1 as sensitivities: is there more noise than that, or a shift?",
    ),
)


# 03.5 Intervals for a whole table


def _half_width(scale: float, level: float, cells: int) -> float:
    return -scale * math.log(-math.expm1(math.log(level) / cells))


def _normal(scale: float, level: float, cells: int) -> float:
    from scipy.special import ndtri

    return math.sqrt(2) * scale * float(ndtri((1 + level ** (1 / cells)) / 2))


HALF_WIDTH = (
    Equals(
        lambda rng: (float(rng.uniform(0.5, 30)), float(rng.uniform(0.6, 0.99)), int(rng.integers(2, 40))),
        expected=_half_width,
        mistakes=(
            Mistake(
                lambda scale, level, cells: -scale * math.log(1 - level),
                Wrong(
                    "That holds for one cell. Each of many cells is another chance to miss.",
                    "All cells lie within w with probability (1 − e^(−w/b))^k.",
                    "one-cell",
                ),
            ),
            Mistake(
                lambda scale, level, cells: -scale * math.log((1 - level) / cells),
                Wrong(
                    "That shares out the allowed misses (Bonferroni): safe, and a little wider than it has to be.",
                    "The cells' noises are independent, so the probabilities multiply.",
                    "bonferroni",
                ),
            ),
            Mistake(
                _normal,
                Wrong("Those are quantiles of a normal distribution.", "Laplace: P[|X| > w] = e^(−w/b).", "normal"),
            ),
            Mistake(
                lambda scale, level, cells: -scale * math.log(2 * (1 - level ** (1 / cells))),
                Wrong("That counts one tail only.", "Noise errs upwards and downwards.", "one-tail"),
            ),
            Mistake(
                lambda scale, level, cells: 2 * _half_width(scale, level, cells),
                Wrong("That is the whole interval from end to end.", "Half of it is wanted.", "whole-width"),
            ),
            Mistake(
                lambda scale, level, cells: _half_width(1 / scale, level, cells),
                Wrong("The wider the noise, the narrower your interval.", "`scale` is b, not ε.", "scale-upside-down"),
            ),
        ),
    ),
)

EXERCISES = (
    Exercise("03.1", "Five sensitivities", (_sensitivities,), call="sensitivities(low, high, n)"),
    Exercise("03.2", "A sum with noise", NOISY_SUM, call="noisy_sum(values, low, high, epsilon, rng)"),
    Exercise(
        "03.3", "A table over declared categories", HISTOGRAM, call="noisy_histogram(values, categories, epsilon, rng)"
    ),
    Exercise("03.4", "The two parts of a mean", MEAN_PARTS, call="mean_parts(values, low, high, epsilon, rng)"),
    Exercise("03.5", "An interval for a whole table", HALF_WIDTH, call="half_width(scale, level, cells)"),
)
