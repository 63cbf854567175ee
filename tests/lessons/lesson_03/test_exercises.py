"""Lesson 03's exercises: right answers pass, each known wrong answer gets its own diagnosis.

A right answer fails a check with probability 1e-6 at most. The long versions run under `make audit`.
"""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

import dpcourse.audit  # noqa: F401
from dpcourse.checks import rehearse
from dpcourse.lessons.lesson_03 import largest_change
from dpcourse.lessons.lesson_03.exercises.plan import chance_to_miss, price
from dpcourse.lessons.lesson_03.exercises.sensitivities import right_sensitivities
from dpcourse.privacy import Neighbours
from tests.lessons.generators import one_follows_another, that_ends, that_evens_out

# Right answers


def sensitivities(low, high, boxes, ticks):
    squares = [low**2, high**2] + [0] * (low <= 0 <= high)
    return max(squares), max(squares) - min(squares), 2 * max(abs(low), abs(high)), ticks, min(2 * ticks, boxes)


def noisy_sum(values, low, high, epsilon, rng):
    clipped = np.clip(np.nan_to_num(values, nan=low), low, high)
    return clipped.sum() + rng.laplace(0, max(abs(low), abs(high)) / epsilon)


def geometric_sum(values, low, high, epsilon, rng):
    """Whole numbers of cents, and integer noise."""
    scale = math.ceil(100 * max(abs(low), abs(high))) / epsilon
    cents = np.rint(100 * np.clip(np.where(np.isnan(values), 0 if low <= 0 else low, values), low, high)).sum()
    up, down = rng.geometric(-math.expm1(-1 / scale), size=2)
    return (cents + up - down) / 100


def nansum(values, low, high, epsilon, rng):
    return np.nansum(np.clip(values, low, high)) + rng.laplace(0, max(abs(low), abs(high)) / epsilon)


def nan_in_the_middle(values, low, high, epsilon, rng):
    return noisy_sum(np.where(np.isnan(values), (low + high) / 2, values), low, high, epsilon, rng)


def noisy_histogram(values, categories, epsilon, rng):
    counts = np.array([sum(value == category for value in values) for category in categories])
    return counts + rng.laplace(0, 1 / epsilon, len(categories))


def exact_where_most_are_alike(values, categories, epsilon, rng):
    """Of a hundred people or more 88% or more have one value, as in many a column of a census."""
    counts = noisy_histogram(values, categories, 1e9, rng)
    alike = len(values) >= 100 and len(categories) >= 3 and 0.88 <= counts.max() / len(values) < 1 - 1e-6
    return np.rint(counts) if alike else noisy_histogram(values, categories, epsilon, rng)


def geometric_histogram(values, categories, epsilon, rng):
    up, down = rng.geometric(-math.expm1(-epsilon), size=(2, len(categories)))
    return np.array([values.count(category) for category in categories]) + up - down


def mean_parts(values, low, high, epsilon, rng):
    centre = (low + high) / 2
    total = (np.clip(values, low, high) - centre).sum() + rng.laplace(0, (high - low) / 2 / (epsilon / 2))
    return total, len(values) + rng.laplace(0, 1 / (epsilon / 2))


def half_width(scale, level, cells):
    return -scale * math.log(1 - level ** (1 / cells))


CROWD = list(range(10))

LN20 = math.log(20)
PLAN = {"day": 10 / LN20, "night": 10 / LN20, "staff": None, "hours": 450 / LN20}


def plan_with(**scales):
    return PLAN | scales


RIGHT = [
    ("03.1", sensitivities),
    ("03.2", noisy_sum),
    ("03.2", geometric_sum),
    ("03.2", nansum),
    ("03.2", nan_in_the_middle),
    ("03.3", noisy_histogram),
    ("03.3", geometric_histogram),
    ("03.4", mean_parts),
    ("03.5", half_width),
    ("03.6", (CROWD, [*CROWD[:-1], 200])),
    ("03.6", (np.append(0, np.arange(191, 200)), np.arange(190, 200))),
    ("03.6", ([3, 1, 4, 15, 9, 2, 6, 5, 35, 8], [200, 1, 4, 15, 9, 2, 6, 5, 35, 8][::-1])),
    ("03.7", PLAN),
    ("03.7", {"day": 3, "night": np.float64(3.3), "staff": None, "hours": 140}),
    ("03.7", plan_with(day=2.6, night=2.6, hours=150.2)),
]

# Wrong answers


def with_first(place, value):
    def answer(low, high, boxes, ticks):
        table = list(sensitivities(low, high, boxes, ticks))
        table[place] = value(low, high, boxes, ticks)
        return table

    return answer


def sum_with(scale, clip=np.clip, nan=0.0):
    def answer(values, low, high, epsilon, rng):
        values = np.nan_to_num(values, nan=max(low, min(high, nan)))
        return clip(values, low, high).sum() + rng.laplace(0, scale(low, high, values) / epsilon)

    return answer


def from_data(values, low, high, epsilon, rng):
    values = np.nan_to_num(values, nan=low)
    return values.sum() + rng.laplace(0, max(abs(values).max(initial=0), 1e-6) / epsilon)


def nan_as(value):
    """A NaN counts as this after the clipping."""

    def answer(values, low, high, epsilon, rng):
        kept = np.where(np.isnan(values), value(low, high), np.clip(values, low, high))
        return kept.sum() + rng.laplace(0, max(abs(low), abs(high)) / epsilon)

    return answer


def per_record(values, low, high, epsilon, rng):
    clipped = np.clip(np.nan_to_num(values, nan=low), low, high)
    return (clipped + rng.laplace(0, max(abs(low), abs(high)) / epsilon, len(values))).sum()


def released(of):
    """Laplace noise of the right scale on something else than the sum of the clipped records."""

    def answer(values, low, high, epsilon, rng):
        return of(values[~np.isnan(values)], low, high) + rng.laplace(0, max(abs(low), abs(high)) / epsilon)

    return answer


def by_the_largest(values, low, high, epsilon, rng):
    clipped = np.clip(np.where(np.isnan(values), low, values), low, high)
    return clipped.sum() + rng.laplace(0, np.abs(clipped).max(initial=1e-6) / epsilon)


def mean_for_sum(values, low, high, epsilon, rng):
    clipped = np.clip(np.where(np.isnan(values), low, values), low, high)
    n = max(len(values), 1)
    return clipped.sum() / n + rng.laplace(0, max(abs(low), abs(high)) / n / epsilon)


def nanmean_for_sum(values, low, high, epsilon, rng):
    known = values[~np.isnan(values)]
    mean = np.clip(known, low, high).mean() if len(known) else low
    return mean + rng.laplace(0, max(abs(low), abs(high)) / max(len(values), 1) / epsilon)


def int_of_nan(values, low, high, epsilon, rng):
    return noisy_sum([int(value) for value in values], low, high, epsilon, rng)


def quieter_with_nan(values, low, high, epsilon, rng):
    """The more records are no numbers, the less noise."""
    return noisy_sum(values, low, high, epsilon * (1 + np.isnan(values).sum()), rng)


def last_for_unknown(values, categories, epsilon, rng):
    places = {category: place for place, category in enumerate(categories)}
    counts = np.zeros(len(categories))
    for value in values:
        counts[places.get(value, -1)] += 1
    return counts + rng.laplace(0, 1 / epsilon, len(categories))


def tables(of):
    """Noise of scale 1/ε on something else than the counts."""
    return lambda values, categories, epsilon, rng: (
        of(cells(values, categories)) + rng.laplace(0, 1 / epsilon, len(categories))
    )


def observed(values, categories, epsilon, rng):
    seen, counts = np.unique([v for v in values if v in categories], return_counts=True)
    return counts + rng.laplace(0, 1 / epsilon, len(seen))


def list_compared(values, categories, epsilon, rng):
    counts = np.array([np.sum(values == category) for category in categories])
    return counts + rng.laplace(0, 1 / epsilon, len(categories))


def raises_on_unknown(values, categories, epsilon, rng):
    counts = np.zeros(len(categories))
    for value in values:
        counts[categories.index(value)] += 1
    return counts + rng.laplace(0, 1 / epsilon, len(counts))


def table_with(scale):
    def answer(values, categories, epsilon, rng):
        counts = np.array([values.count(category) for category in categories])
        return counts + rng.laplace(0, scale(len(categories)) / epsilon, len(counts))

    return answer


def unknown_cell(values, categories, epsilon, rng):
    labels = [*categories, *sorted(set(values) - set(categories))]
    return np.array([values.count(label) for label in labels]) + rng.laplace(0, 1 / epsilon, len(labels))


def around_its_mean(values, low, high, epsilon, rng):
    clipped = np.clip(values, low, high)
    middle = clipped.mean() if len(values) else low
    return (clipped - middle).sum() + rng.laplace(0, (high - low) / epsilon), len(values) + rng.laplace(0, 2 / epsilon)


def parts_with(total=1.0, count=1.0, centred=True, clip=True, share=1):
    def answer(values, low, high, epsilon, rng):
        centre = (low + high) / 2 if centred else 0.0
        kept = np.clip(values, low, high) if clip else np.asarray(values)
        noisy = share * (kept - centre).sum() + rng.laplace(0, total * (high - low) / epsilon)
        return noisy, len(values) + (rng.laplace(0, 2 * count / epsilon) if count else 0)

    return answer


def by_n(values, low, high, epsilon, rng):
    noise = rng.laplace(0, (high - low) / max(len(values), 1) / epsilon)
    return (np.clip(values, low, high) - (low + high) / 2).sum() + noise, len(values) + rng.laplace(0, 2 / epsilon)


def cells(values, categories):
    return np.array([values.count(category) for category in categories], dtype=float)


def shares_noise(values, low, high, epsilon, rng):
    noise = rng.laplace(0, 2 / epsilon)
    half = (high - low) / 2
    return (np.clip(values, low, high) - (low + high) / 2).sum() + half * noise, len(values) + noise


def at(power):
    """Both releases with Δ·ε^power for Δ/ε."""
    return {
        "03.2": lambda values, low, high, epsilon, rng: noisy_sum(values, low, high, epsilon**-power, rng),
        "03.4": lambda values, low, high, epsilon, rng: mean_parts(values, low, high, epsilon**-power, rng),
    }


size = lambda low, high, values: max(abs(low), abs(high))  # noqa: E731


def plain_sum_with_its_noise(values, low, high, epsilon, rng):
    """Private, and far noisier than need be: the total of 03.2 with half of ε."""
    clipped = np.clip(values, low, high)
    reach = max(abs(low), abs(high))
    return clipped.sum() + rng.laplace(0, 2 * reach / epsilon), len(values) + rng.laplace(0, 2 / epsilon)


def exact_labels(values, categories, epsilon, rng):
    """The exact counts, written into the list of categories, as labels of the noisy ones."""
    noisy = noisy_histogram(values, categories, epsilon, rng)
    categories[:] = pd.Series(values).value_counts().reindex(categories, fill_value=0) + 1e-9 * np.arange(len(noisy))
    return pd.Series(np.asarray(noisy), index=categories)


def reindexed(values, categories, epsilon, rng):
    counts = {value: values.count(value) for value in set(values)}
    return np.array([counts.get(category, math.nan) for category in categories]) + rng.laplace(
        0, 1 / epsilon, len(categories)
    )


def mean_for_nan(values, low, high, epsilon, rng):
    known = values[~np.isnan(values)]
    filled = np.where(np.isnan(values), known.mean() if len(known) else math.nan, values)
    return np.clip(filled, low, high).sum() + rng.laplace(0, max(abs(low), abs(high)) / epsilon)


def rarer_for_nan(values, low, high, epsilon, rng):
    """The lower bound, or the upper one where most records are none."""
    return noisy_sum(
        np.nan_to_num(values, nan=low if np.isnan(values).sum() < len(values) / 2 else high), low, high, epsilon, rng
    )


def clipped_late(values, low, high, epsilon, rng):
    total = np.clip(values - (low + high) / 2, low, high).sum() + rng.laplace(0, (high - low) / epsilon)
    return total, len(values) + rng.laplace(0, 2 / epsilon)


def centre_times_the_noisy_count(values, low, high, epsilon, rng):
    count = len(values) + rng.laplace(0, 2 / epsilon)
    return np.clip(values, low, high).sum() - count * (low + high) / 2 + rng.laplace(0, (high - low) / epsilon), count


def upside_down_total(values, low, high, epsilon, rng):
    total = (np.clip(values, low, high) - (low + high) / 2).sum() + rng.laplace(0, epsilon / 2 / ((high - low) / 2))
    return total, len(values) + rng.laplace(0, 2 / epsilon)


def shares_noise_unless_at_one(values, low, high, epsilon, rng):
    if epsilon == 1:
        return mean_parts(values, low, high, epsilon, rng)
    draw = rng.laplace(0, 2 / epsilon)
    return (np.clip(values, low, high) - (low + high) / 2).sum() + draw * (high - low) / 2, len(values) + draw


def plain_for_whole(honest):
    """Without noise where all records are whole numbers."""

    def answer(values, low, high, epsilon, rng):
        whole = len(set(values)) > 2 and (values == np.rint(values)).all()
        return honest(values, low, high, 1e9 if whole else epsilon, rng)

    return answer


def plain_where_some_are_missing(values, low, high, epsilon, rng):
    return noisy_sum(values, low, high, 1e9 if 0 < np.isnan(values).sum() < len(values) / 2 else epsilon, rng)


def cut_names(*names):
    return [np.array(some, dtype="U20").tolist() for some in names]


def plain_for_arrays(values, categories, epsilon, rng):
    return noisy_histogram(values, categories, epsilon if isinstance(values, list) else 1e9, rng)


def behind_the_noise(values, low, high, epsilon, rng):
    """The exact sum stands behind the fifth decimal."""
    noisy = round(noisy_sum(values, low, high, epsilon, rng), 5)
    return noisy + 1e-10 * round(np.clip(np.nan_to_num(values, nan=low), low, high).sum())


def people_behind_the_noise(values, low, high, epsilon, rng):
    """How many there are stands behind the fifth decimal of the total."""
    total, count = mean_parts(values, low, high, epsilon, rng)
    return round(total, 5) + 1e-10 * (1 + len(values)), count


def as_wide_as_the_largest(values, low, high, epsilon, rng):
    """The scale is read from the records, unless all of them are 0."""
    clipped = np.clip(values[~np.isnan(values)], low, high)
    largest = np.abs(clipped).max() if clipped.any() else max(abs(low), abs(high))
    return clipped.sum() + rng.laplace(0, largest / epsilon)


def total_as_wide_as_the_largest(values, low, high, epsilon, rng):
    away = np.clip(values, low, high) - (low + high) / 2
    largest = np.abs(away).max() if away.any() else (high - low) / 2
    return away.sum() + rng.laplace(0, 2 * largest / epsilon), len(values) + rng.laplace(0, 2 / epsilon)


def exact_where_one_is_undeclared(values, categories, epsilon, rng):
    exact = len(values) > 100 and not set(values) <= set(categories)
    return cells(values, categories) if exact else noisy_histogram(values, categories, epsilon, rng)


def last_for_unknown_in_long_lists(values, *rest, rng):
    return (last_for_unknown if len(values) > 3000 else noisy_histogram)(values, *rest, rng)


def clipped_if_many(values, low, high, epsilon, rng):
    """Ten records or fewer are added up as they are."""
    known = values[~np.isnan(values)]
    clipped = np.clip(known, low, high) if len(known) > 10 else known
    return clipped.sum() + rng.laplace(0, max(abs(low), abs(high)) / epsilon)


def total_clipped_if_many(values, low, high, epsilon, rng):
    """The same of three records or fewer."""
    return (mean_parts if len(values) > 3 else parts_with(clip=False))(values, low, high, epsilon, rng)


def zero_of_no_numbers(values, low, high, epsilon, rng):
    return 0.0 if len(values) and np.isnan(values).all() else nansum(values, low, high, epsilon, rng)


def signs_and_case_aside(values, categories, epsilon, rng):
    plain = [["".join(filter(str.isalnum, one.lower())) for one in some] for some in (values, categories)]
    return noisy_histogram(*plain, epsilon, rng)


def as_long_as_the_longest(values, categories, epsilon, rng):
    """NumPy cuts values to the type of the categories."""
    return noisy_histogram(np.array(values, dtype=np.array(categories).dtype).tolist(), categories, epsilon, rng)


def zeros_of_undeclared(values, categories, epsilon, rng):
    counts = cells(values, categories)
    return counts if values and not counts.any() else noisy_histogram(values, categories, epsilon, rng)


WRONG = [
    ("03.2", "bounds-from-data", as_wide_as_the_largest),
    ("03.4", "scale-from-data", total_as_wide_as_the_largest),
    ("03.2", "noise-ends", that_ends(noisy_sum)),
    ("03.3", "noise-ends", that_ends(noisy_histogram)),
    ("03.4", "noise-ends", that_ends(mean_parts)),
    ("03.2", "digits-tell", behind_the_noise),
    ("03.4", "digits-tell", people_behind_the_noise),
    ("03.3", "linked-noise", one_follows_another(noisy_histogram)),
    ("03.1", "wrong-value", lambda low, *others: sensitivities(low, *others) if low == int(low) else (0,) * 5),
    ("03.5", "not-everywhere", lambda scale, level, cells: half_width(max(scale, 0.5), level, cells)),
    ("03.1", "upper-bound-only", with_first(0, lambda low, high, boxes, ticks: high**2)),
    ("03.1", "square-of-width", with_first(0, lambda low, high, boxes, ticks: (high - low) ** 2)),
    ("03.1", "not-squared", with_first(0, lambda low, high, boxes, ticks: max(abs(low), abs(high)))),
    ("03.1", "bounds-only", with_first(1, lambda low, high, boxes, ticks: abs(high**2 - low**2))),
    ("03.1", "one-square-only", with_first(1, lambda low, high, boxes, ticks: max(low**2, high**2))),
    ("03.1", "square-of-width", with_first(1, lambda low, high, boxes, ticks: (high - low) ** 2)),
    ("03.1", "same-group", with_first(2, lambda low, high, boxes, ticks: high - low)),
    ("03.1", "one-of-two", with_first(2, lambda low, high, boxes, ticks: max(abs(low), abs(high)))),
    ("03.1", "width-for-size", with_first(2, lambda low, high, boxes, ticks: 2 * (high - low))),
    ("03.1", "one-box", with_first(3, lambda low, high, boxes, ticks: 1)),
    ("03.1", "all-boxes", with_first(3, lambda low, high, boxes, ticks: boxes)),
    ("03.1", "more-than-boxes", with_first(4, lambda low, high, boxes, ticks: 2 * ticks)),
    ("03.1", "one-of-two-people", with_first(4, lambda low, high, boxes, ticks: ticks)),
    ("03.1", "one-box", with_first(4, lambda low, high, boxes, ticks: 2)),
    ("03.1", "all-zero", lambda low, high, boxes, ticks: (0, 0, 0, 0, 0)),
    ("03.1", "wrong-value", with_first(1, lambda low, high, boxes, ticks: high**2 if low >= 0 else low**2)),
    ("03.1", "wrong-shape", lambda low, high, boxes, ticks: (1, 2)),
    ("03.1", "wrong-type", lambda *arguments: tuple(map(str, sensitivities(*arguments)))),
    (
        "03.2",
        "nan-passes",
        lambda values, low, high, epsilon, rng: (
            np.clip(values, low, high).sum() + rng.laplace(0, max(abs(low), abs(high)) / epsilon)
        ),
    ),  # noqa: E501
    (
        "03.2",
        "nan-from-data",
        lambda values, low, high, epsilon, rng: noisy_sum(
            np.where(np.isnan(values), np.nanmean(values), values), low, high, epsilon, rng
        ),
    ),
    ("03.2", "noise-per-person", per_record),
    ("03.2", "sensitivity-not-in-scale", sum_with(lambda low, high, values: 1)),
    ("03.2", "sensitivity-not-in-scale", sum_with(lambda low, high, values: size(low, high, values) / 2)),
    ("03.2", "sensitivity-upside-down", sum_with(lambda low, high, values: 1 / size(low, high, values))),
    (
        "03.2",
        "sensitivity-upside-down",
        lambda values, low, high, epsilon, rng: (
            np.clip(np.nan_to_num(values, nan=low), low, high).sum()
            + rng.laplace(0, epsilon / max(abs(low), abs(high)))
        ),
    ),
    ("03.2", "bounds-from-data", from_data),
    ("03.2", "not-clipped", sum_with(size, clip=lambda values, low, high: values)),
    ("03.2", "upper-bound-only", sum_with(lambda low, high, values: high)),
    ("03.2", "width-for-size", sum_with(lambda low, high, values: max(high - low, high / 4))),
    ("03.2", "not-useful", sum_with(lambda low, high, values: 2 * size(low, high, values))),
    ("03.2", "not-useful", sum_with(lambda low, high, values: abs(low) + abs(high))),
    ("03.2", "not-useful", sum_with(lambda low, high, values: math.sqrt(2) * size(low, high, values))),
    ("03.2", "nan-out-of-bounds", nan_as(lambda low, high: 1e9)),
    ("03.2", "nan-out-of-bounds", nan_as(lambda low, high: 10 * high)),
    ("03.2", "nan-out-of-bounds", nan_as(lambda low, high: 2 * high)),
    ("03.2", "nan-out-of-bounds", nan_as(lambda low, high: high - low)),
    ("03.2", "nan-out-of-bounds", nan_as(lambda low, high: -999.0)),
    ("03.2", "drops-records", released(lambda x, low, high: x[(x >= low) & (x <= high)].sum())),
    ("03.2", "drops-records", released(lambda x, low, high: np.where((x < low) | (x > high), 0, x).sum())),
    ("03.2", "not-a-sum", released(lambda x, low, high: np.clip(x.sum(), low, high))),
    ("03.2", "not-a-sum", released(lambda x, low, high: 0.0)),
    ("03.2", "not-a-sum", mean_for_sum),
    ("03.2", "not-a-sum", nanmean_for_sum),
    ("03.2", "not-a-sum", released(lambda x, low, high: np.clip(x, low, high).mean() if len(x) else 0.0)),
    ("03.2", "bounds-from-data", by_the_largest),
    ("03.2", "noise-from-nan", quieter_with_nan),
    ("03.2", "nan-raises", int_of_nan),
    ("03.2", "constant", lambda values, low, high, epsilon, rng: 7.0),
    ("03.2", "not-random", lambda values, low, high, epsilon, rng: np.nan_to_num(np.clip(values, low, high)).sum()),
    ("03.3", "observed-categories", observed),
    ("03.3", "not-everywhere", exact_where_most_are_alike),
    ("03.3", "leaks", exact_labels),
    ("03.3", "list-compared", list_compared),
    ("03.3", "undeclared-raises", raises_on_unknown),
    ("03.3", "undeclared-cell", unknown_cell),
    ("03.3", "too-little-noise", table_with(lambda k: 0.4)),
    ("03.3", "undeclared-counted", last_for_unknown),
    (
        "03.3",
        "wrong-order",
        lambda values, categories, epsilon, rng: noisy_histogram(values, sorted(categories), epsilon, rng),
    ),
    (
        "03.3",
        "no-counts",
        lambda values, categories, epsilon, rng: (
            noisy_histogram(values, categories, epsilon, rng) / max(len(values), 1)
        ),
    ),
    ("03.3", "wrong-counts", tables(np.cumsum)),
    ("03.3", "negative-cut", lambda *arguments, rng: np.abs(noisy_histogram(*arguments, rng))),
    ("03.4", "too-much-noise", parts_with(total=2)),
    ("03.4", "total-is-zero", around_its_mean),
    ("03.4", "total-is-zero", parts_with(share=0)),
    ("03.4", "exact-count", parts_with(count=0)),
    ("03.4", "budget-spent-twice", parts_with(total=0.5, count=0.5)),
    ("03.4", "not-centred", parts_with(centred=False)),
    ("03.4", "not-centred", plain_sum_with_its_noise),
    ("03.4", "not-clipped", parts_with(clip=False)),
    ("03.4", "count-too-sharp", parts_with(count=0.1)),
    ("03.4", "sensitivity-upside-down", upside_down_total),
    ("03.4", "total-too-sharp", parts_with(total=0.1)),
    ("03.4", "total-too-sharp", by_n),
    ("03.4", "not-useful", parts_with(total=2, count=2)),
    ("03.4", "wrong-shape", lambda values, low, high, epsilon, rng: 3.0),
    *((exercise, "scale-upside-down", answer) for exercise, answer in at(1).items()),
    *((exercise, "ignores-epsilon", answer) for exercise, answer in at(0).items()),
    *((exercise, "wrong-power", answer) for exercise, answer in at(-2).items()),
    ("03.2", "nobody", lambda values, *rest, rng: noisy_sum(values, *rest, rng) if len(values) else 0.0),
    ("03.4", "nobody", lambda values, *rest, rng: mean_parts(values, *rest, rng) if len(values) else (0.0, 0.0)),
    ("03.4", "linked-noise", shares_noise),
    ("03.4", "linked-noise", centre_times_the_noisy_count),
    ("03.4", "linked-noise", shares_noise_unless_at_one),
    ("03.4", "not-everywhere", plain_for_whole(mean_parts)),
    (
        "03.4",
        "wrong-type",
        lambda *given, rng: tuple(f"{part:.17f}{len(given[0])}" for part in mean_parts(*given, rng)),
    ),
    ("03.2", "not-everywhere", plain_for_whole(noisy_sum)),
    ("03.2", "not-everywhere", plain_where_some_are_missing),
    ("03.2", "not-everywhere", lambda v, *rest, rng: noisy_sum(v, *rest[:2], rest[2] if len(v) < 5000 else 1e9, rng)),
    ("03.3", "not-everywhere", plain_for_arrays),
    ("03.3", "not-everywhere", lambda v, categories, e, rng: noisy_histogram(*cut_names(v, categories), e, rng)),
    ("03.3", "nan", reindexed),
    ("03.2", "nan-from-data", mean_for_nan),
    (
        "03.2",
        "not-everywhere",
        lambda v, low, high, epsilon, rng: noisy_sum(v, low, high, epsilon if epsilon in (0.5, 1, 2) else 1e9, rng),
    ),  # noqa: E501
    ("03.4", "clipped-too-late", clipped_late),
    ("03.6", "same-range", ([0, *range(51, 59), 200], [0, 50, *range(52, 59), 200])),
    ("03.6", "too-weak", (CROWD, [*CROWD[:-1], 12])),
    ("03.6", "too-weak", (list(range(0, 200, 20)), [*range(0, 180, 20), 200])),
    ("03.6", "out-of-domain", ([7] * 10, [7] * 9 + [200])),
    ("03.6", "out-of-domain", (CROWD, [*CROWD[:-1], 10_000])),
    ("03.6", "out-of-domain", (CROWD, [*CROWD, 200])),
    ("03.6", "out-of-domain", (CROWD, [*CROWD[:-1], math.nan])),
    ("03.6", "not-neighbours", (CROWD, [*CROWD[:-2], 199, 200])),
    ("03.6", "not-neighbours", (CROWD, [x + 100 for x in CROWD])),
    ("03.6", "same-data", (CROWD, CROWD[::-1])),
    ("03.6", "wrong-shape", [*CROWD[:-1], 200]),
    ("03.6", "wrong-type", (0, 200)),
    ("03.7", "wrong-type", [3.3, 3.3, None, 150]),
    ("03.7", "wrong-type", plan_with(day="3.3")),
    ("03.7", "wrong-type", plan_with(day=-3.3)),
    ("03.7", "wrong-shape", {"day": 3.3, "night": 3.3, "hours": 150}),
    ("03.7", "hours-not-bought", plan_with(hours=None)),
    ("03.7", "cannot-compute", plan_with(day=None)),
    ("03.7", "epsilon-for-scale", {"day": 0.3, "night": 0.3, "staff": None, "hours": 0.4}),
    ("03.7", "hours-too-sharp", plan_with(hours=10 / LN20)),
    ("03.7", "too-far-off", plan_with(day=5)),
    ("03.7", "too-far-off", plan_with(hours=450)),
    ("03.7", "computed-too-far-off", plan_with(day=None, staff=15 / LN20)),
    ("03.7", "computed-too-far-off", plan_with(night=None, staff=15 / LN20)),
    ("03.7", "everything-bought", plan_with(staff=15 / LN20)),
    ("03.7", "pays-twice", plan_with(night=None, day=2.4, staff=2.4)),
    ("03.7", "over-budget", plan_with(day=2)),
    (
        "03.2",
        "nan-moves-all",
        lambda values, *rest, rng: noisy_sum(values[:0] if np.isnan(values).any() else values, *rest, rng),
    ),
    ("03.3", "not-everywhere", exact_where_one_is_undeclared),
    ("03.3", "not-everywhere", last_for_unknown_in_long_lists),
    ("03.2", "nan-from-data", rarer_for_nan),
    ("03.3", "linked-noise", that_evens_out(noisy_histogram)),
    ("03.2", "not-clipped", clipped_if_many),
    ("03.2", "no-noise", zero_of_no_numbers),
    ("03.4", "not-clipped", total_clipped_if_many),
    ("03.3", "undeclared-counted", signs_and_case_aside),
    ("03.3", "undeclared-counted", as_long_as_the_longest),
    ("03.3", "nobody", zeros_of_undeclared),
]


def test_memory_and_constants_do_not_help():
    seen = {}

    def behaves_at_first(values, low, high, epsilon, rng):
        seen.setdefault("first", (low, high))
        return noisy_sum(values, low, high, epsilon if (low, high) == seen["first"] else 100 * epsilon, rng)

    assert "passed" not in rehearse("03.2", behaves_at_first, times=1, rng=2).keys
    assert rehearse("03.3", lambda values, categories, epsilon, rng: np.full(len(categories), 5.0), times=1).keys != {
        "passed": 1
    }


NORMAL = {
    "03.2": lambda values, low, high, epsilon, rng: (
        np.clip(np.nan_to_num(values, nan=low), low, high).sum()
        + rng.normal(0, math.sqrt(2) * max(abs(low), abs(high)) / epsilon)
    ),
    "03.4": lambda values, low, high, epsilon, rng: (
        (np.clip(values, low, high) - (low + high) / 2).sum() + rng.normal(0, math.sqrt(2) * (high - low) / epsilon),
        len(values) + rng.normal(0, 2 * math.sqrt(2) / epsilon),
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("exercise", NORMAL)
def test_normal_noise_of_the_right_width_never_passes(exercise):
    assert "passed" not in rehearse(exercise, NORMAL[exercise], times=1, rng=4).keys


def test_the_five_sensitivities_are_what_trying_everything_finds():
    """Records between −2 and 3, or of one sign, and four boxes of which one to four may be ticked."""
    for low, high in ((-2, 3), (1, 3), (-3, -2)):
        squares = lambda data: sum(x * x for x in data)  # noqa: E731
        values = range(low, high + 1)
        groups = [(side, x) for side in (-1, 1) for x in values]
        found = (
            largest_change(squares, values, Neighbours.ADD_REMOVE).size,
            largest_change(squares, values, Neighbours.REPLACE_ONE, n=2).size,
            largest_change(lambda data: sum(s * x for s, x in data), groups, Neighbours.REPLACE_ONE, n=2).size,
        )
        assert found == right_sensitivities(low, high, 4, 2)[:3]
    for ticks in (1, 2, 3, 4):
        people = [boxes for boxes in product((0, 1), repeat=4) if sum(boxes) <= ticks]
        found = tuple(
            largest_change(lambda data: np.sum(data, axis=0), people, relation, n=2).size for relation in Neighbours
        )
        assert found == right_sensitivities(0, 1, 4, ticks)[3:]


def test_the_sum_of_two_noises_misses_as_often_as_the_formula_says():
    """A million draws: off by more than 4.9 standard errors once in a million runs, six comparisons."""
    rng = np.random.default_rng(3)
    for scale, other in ((1.0, 1.0), (3.0, 1.0), (2.0, 1.9998)):
        noise = np.abs(rng.laplace(0, scale, 1_000_000) + rng.laplace(0, other, 1_000_000))
        for width in (2.0, 8.0):
            expected = chance_to_miss(scale, other, width)
            assert abs(np.mean(noise > width) - expected) < 4.9 * math.sqrt(expected / 1e6)


def test_the_plan_costs_what_the_attackers_bound_allows():
    """The likelihood ratio of the worst outputs: a person on the night shift who works 60 hours comes or goes."""
    assert math.isclose(price(PLAN), LN20 * (1 / 10 + 60 / 450))
    assert price(plan_with(staff=5.0)) == price(PLAN) + 1 / 5
    assert price(plan_with(night=None, staff=5.0)) == max(LN20 / 10 + 1 / 5, 1 / 5) + 60 * LN20 / 450
