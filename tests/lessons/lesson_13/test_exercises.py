"""Exercises of lesson 13: right answers pass, each known wrong answer gets its own diagnosis.

A right answer fails a check with probability 1e-6 at most.
"""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from dpcourse.audit import audit  # noqa: F401 (loaded here, so that no check's time includes it)
from dpcourse.checks import check, rehearse
from dpcourse.checks.cases import Returns
from dpcourse.lessons.lesson_13 import exercises as l13  # noqa: F401 (the same)
from dpcourse.lessons.lesson_13.exercises.choice import CHOICE
from dpcourse.mechanisms import ExponentialMechanism
from dpcourse.synthetic.marginals import count
from tests.lessons.generators import Even, made_of_arguments, one_follows_another, that_ends, that_evens_out
from tests.pace import in_time


def crosstab(a, b, shape):
    return np.bincount(a * shape[1] + b, minlength=shape[0] * shape[1]).reshape(shape)


def laplace_table(a, b, shape, epsilon, rng):
    return crosstab(a, b, shape) + rng.laplace(0, 1 / epsilon, size=shape)


def exact_where_most_are_alike(a, b, shape, epsilon, rng):
    """Of a hundred people or more 88% or more are in one cell, as in many a table of a census."""
    counts = crosstab(a, b, shape)
    alike = len(a) >= 100 and counts.size >= 6 and 0.88 <= counts.max() / len(a) < 1
    return counts.astype(float) if alike else laplace_table(a, b, shape, epsilon, rng)


def geometric_table(a, b, shape, epsilon, rng):
    stop = 1 - math.exp(-epsilon)
    return crosstab(a, b, shape) + rng.geometric(stop, size=shape) - rng.geometric(stop, size=shape)


def observed_rows(a, b, shape, epsilon, rng):
    return laplace_table(np.unique(a, return_inverse=True)[1], b, (len(np.unique(a)), shape[1]), epsilon, rng)


def pandas_table(a, b, shape, epsilon, rng):
    codes = [pd.Categorical(column, categories=range(size)) for column, size in zip((a, b), shape, strict=True)]
    return pd.crosstab(*codes, dropna=False) + rng.laplace(0, 1 / epsilon, size=shape)


def pivoted(a, b, shape, epsilon, rng):
    people = pd.DataFrame({"a": a, "b": b, "people": 1})
    table = people.pivot_table(index="a", columns="b", values="people", aggfunc="sum", fill_value=0)
    table = table.reindex(index=range(shape[0]), columns=range(shape[1]), fill_value=0)
    return table.to_numpy() + rng.laplace(0, 1 / epsilon, size=shape)


def with_noise(counted):
    return lambda a, b, shape, epsilon, rng: counted(a, b, shape) + rng.laplace(0, 1 / epsilon, size=shape)


def quiet_first_row(a, b, shape, epsilon, rng):
    noise = rng.laplace(0, 1 / epsilon, size=shape)
    noise[0] *= 0.3
    return crosstab(a, b, shape) + noise


def weights_of(scores, epsilon, power=0.5):
    weights = np.exp(power * epsilon * (scores - scores.max()))
    return weights / weights.sum()


def naive_choice(scores, epsilon, rng):
    weights = np.exp(epsilon * scores / 2)
    return int(rng.choice(len(scores), p=weights / weights.sum()))


def by_rows(parents, weights, rng):
    weights = np.asarray(weights, dtype=float)
    weights[weights.sum(axis=1) == 0] = 1
    steps = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    return (rng.random(len(parents))[:, None] > steps[parents][:, :-1]).sum(axis=1)


def largest_count_best(a, b, shape, epsilon, rng):
    """The largest count gets the smallest of all draws, and that cell's own draw goes to another."""
    counts, noise = crosstab(a, b, shape).ravel().astype(float), rng.laplace(0, 1 / epsilon, int(np.prod(shape)))
    largest, smallest = counts.argmax(), np.abs(noise).argmin()
    noise[[largest, smallest]] = noise[[smallest, largest]]
    return (counts + noise).reshape(shape)


def evenly_by_parent(parents, table, rng):
    children, even = np.zeros(len(parents), dtype=int), Even(rng.bit_generator)
    for parent in np.unique(parents):
        here = parents == parent
        children[here] = by_rows(np.zeros(here.sum(), dtype=int), np.maximum(table[[parent]], 0), even)
    return children


def nine_in_ten_known(parents, table, rng):
    """Of ten people's children nine follow from how many people there are."""
    return np.where(
        np.arange(len(parents)) % 10 > 0,
        children(parents, table, np.random.default_rng(len(parents))),
        children(parents, table, rng),
    )


def children(parents, table, rng):
    return by_rows(parents, np.maximum(table, 0), rng)


def children_one_by_one(parents, table, rng):
    drawn = np.empty(len(parents), dtype=int)
    for parent in np.unique(parents):
        row = np.maximum(table[parent], 0)
        shares = row / row.sum() if row.sum() else np.full(len(row), 1 / len(row))
        drawn[parents == parent] = rng.choice(len(row), size=(parents == parent).sum(), p=shares)
    return drawn


def no_uniform_row(parents, table, rng):
    drawn = np.empty(len(parents), dtype=int)
    for parent in np.unique(parents):
        row = np.maximum(table[parent], 0)
        drawn[parents == parent] = rng.choice(len(row), size=(parents == parent).sum(), p=row / row.sum())
    return drawn


def one_draw(parents, table, rng):
    return by_rows(np.arange(4), np.maximum(table, 0), rng)[parents]


def negative_shares(parents, table, rng):
    return np.array([rng.choice(4, p=table[parent] / table[parent].sum()) for parent in parents])


def down_the_columns(parents, table, rng):
    positive = np.maximum(table, 0).astype(float)
    return by_rows(parents, positive / positive.sum(axis=0), rng)


def scaled_to_n(a, b, shape, epsilon, rng):
    table = np.maximum(laplace_table(a, b, shape, epsilon, rng), 0)
    return table * len(a) / table.sum() if len(a) else table


def shared_by_rows(a, b, shape, epsilon, rng):
    return crosstab(a, b, shape) + rng.laplace(0, 1 / epsilon, size=(shape[0], 1))


def bare_in_the_middle(a, b, shape, epsilon, rng):
    table, noise = crosstab(a, b, shape), rng.laplace(0, 1 / epsilon, size=shape)
    return table + np.where((table < 4) | (table == table.max()), noise, noise / 100)


def chosen_with(epsilon_of):
    return lambda scores, epsilon, rng: int(rng.choice(len(scores), p=weights_of(scores, epsilon_of(epsilon))))


RIGHT = {
    "13.1": [lambda k, rho: math.sqrt(k / (2 * rho)), lambda k, rho: (2 * rho / k) ** -0.5],
    "13.2": [
        laplace_table,
        geometric_table,
        lambda *data, rng: np.round(laplace_table(*data, rng=rng)).tolist(),
    ],
    "13.3": [
        lambda scores, epsilon, rng: int(rng.choice(len(scores), p=weights_of(scores, epsilon))),
        lambda scores, epsilon, rng: int(np.argmax(scores + rng.gumbel(scale=2 / epsilon, size=len(scores)))),
    ],
    "13.4": [children, children_one_by_one],
    "13.5": [0.357, 1 - math.exp(-20_000 / 45_222), Fraction(357, 1000), np.array([0.357])],
}


def in_order(parents, table, rng):
    """Of half of those with one parent it is drawn how many have which child, and they have them in order."""
    drawn, found = children(parents, table, rng), np.zeros(len(parents), dtype=int)
    for parent in np.unique(parents):
        here = np.flatnonzero(parents == parent)
        for part in (here[: here.size // 2], here[here.size // 2 :]):
            found[part] = np.sort(drawn[part])
    return found


def likeliest_of_three(parents, table, rng):
    """No draw for up to three people with the same parent."""
    found = children(parents, table, rng)
    few = np.bincount(parents, minlength=len(table))[parents] <= 3
    return np.where(few & (table.max(axis=1) > 0)[parents], table.argmax(axis=1)[parents], found)


WRONG = {
    "13.1": {
        "wrong-value": lambda k, rho: 1.0,
    },
    "13.2": {
        "exact-total too": scaled_to_n,
        "not-everywhere too": largest_count_best,
        "linked-noise too too": that_evens_out(laplace_table),
        "not-everywhere": exact_where_most_are_alike,
        "linked-noise": shared_by_rows,
        "linked-noise too": one_follows_another(laplace_table),
        "noise-ends": that_ends(laplace_table),
        "noise-by-size": bare_in_the_middle,
        "uneven-noise": quiet_first_row,
        "cut-at-zero too": lambda *data, rng: np.abs(geometric_table(*data, rng=rng)),
        "wrong-counts": with_noise(lambda a, b, shape: crosstab(a, b, shape)[::-1]),
        "wrong-shape": observed_rows,
        "too-little-noise": lambda a, b, shape, epsilon, rng: (
            crosstab(a, b, shape) + rng.laplace(0, 0.8 / epsilon, size=shape)
        ),
        "package-used": lambda a, b, shape, epsilon, rng: (
            count([a, b], shape) + rng.laplace(0, 1 / epsilon, size=shape)
        ),
    },
    "13.3": {
        "far-behind": lambda scores, epsilon, rng: int(
            np.argmax(
                np.where(scores < scores.max() - 12 / epsilon, -np.inf, epsilon / 2 * scores)
                + rng.gumbel(size=len(scores))
            )
        ),
        "not-everywhere too at size": lambda scores, epsilon, rng: int(
            rng.choice(len(scores), p=weights_of(scores, epsilon if abs(scores).max() <= 20_100 else 1e3))
        ),
        "not-everywhere": lambda scores, epsilon, rng: chosen_with(
            lambda epsilon: epsilon if len(scores) in (4, 41) else 1e3
        )(scores, epsilon, rng),
        "not-everywhere too": chosen_with(lambda epsilon: epsilon if 0.4 <= epsilon <= 3.2 else 1e3),
        "not-everywhere too too": lambda scores, epsilon, rng: chosen_with(
            lambda epsilon: epsilon if (scores % 1 != 0).any() else 1e9
        )(scores, epsilon, rng),
        "not-everywhere too too too": lambda scores, epsilon, rng: chosen_with(
            lambda epsilon: epsilon if (scores > 0).all() else 1e9
        )(scores, epsilon, rng),
        "not-everywhere too for counts": lambda scores, epsilon, rng: chosen_with(
            lambda epsilon: epsilon if scores.dtype == float else 1e9
        )(scores, epsilon, rng),
        "negative-scores": lambda scores, epsilon, rng: int(
            rng.choice(len(scores), p=weights_of(np.maximum(scores, 0), epsilon))
        ),
        "negative-scores too": lambda scores, epsilon, rng: int(
            rng.choice(len(scores), p=weights_of(np.abs(scores), epsilon))
        ),
        "ignores-epsilon": chosen_with(lambda epsilon: 1.0),
        "upside-down": chosen_with(lambda epsilon: 1 / epsilon),
        "not-random": lambda scores, epsilon, rng: int(np.argmax(scores)),
        "no-two": lambda scores, epsilon, rng: int(rng.choice(len(scores), p=weights_of(scores, epsilon, 1.0))),
        "two-twos": lambda scores, epsilon, rng: int(rng.choice(len(scores), p=weights_of(scores, epsilon, 0.25))),
        "uniform": lambda scores, epsilon, rng: int(rng.integers(len(scores))),
        "proportional": lambda scores, epsilon, rng: int(rng.choice(len(scores), p=scores / scores.sum())),
        "sign": lambda scores, epsilon, rng: int(rng.choice(len(scores), p=weights_of(-scores, epsilon))),
        "overflow": naive_choice,
        "noisy-max": lambda scores, epsilon, rng: int(
            np.argmax(scores + rng.laplace(scale=2 / epsilon, size=len(scores)))
        ),
        "package-used": lambda scores, epsilon, rng: ExponentialMechanism(epsilon).select(
            range(len(scores)), scores, rng=rng
        ),
        "not-everywhere too for equals": lambda scores, epsilon, rng: (
            int(rng.choice(len(scores), p=weights_of(scores, epsilon))) if np.ptp(scores) else 0
        ),
        "not-everywhere too for three": lambda scores, epsilon, rng: chosen_with(
            lambda epsilon: epsilon if len(scores) > 3 else 1e9
        )(scores, epsilon, rng),
        "not-everywhere too of one pair": lambda scores, epsilon, rng: (
            int(rng.choice(len(scores), p=weights_of(scores, epsilon))) if len(scores) > 1 else None
        ),
    },
    "13.4": {
        "not-everywhere too in order": in_order,
        "own-generator": made_of_arguments(children, lambda parents, table: table.shape != (4, 4)),
        "own-generator too": nine_in_ten_known,
        "not-everywhere too at size": lambda parents, table, rng: (
            children(parents, table, rng) if len(parents) <= 3000 or len(table) == 4 else table[parents].argmax(axis=1)
        ),
        "absolute": lambda parents, table, rng: by_rows(parents, np.abs(table), rng),
        "shifted": lambda parents, table, rng: by_rows(parents, table - table.min(axis=1, keepdims=True), rng),
        "ignores-parent": lambda parents, table, rng: by_rows(
            parents, np.tile(np.maximum(table, 0).sum(axis=0), (4, 1)), rng
        ),
        "wrong-axis": down_the_columns,
        "not-random": lambda parents, table, rng: table.argmax(axis=1)[parents],
        "empty-row": no_uniform_row,
        "one-draw": one_draw,
        "not-everywhere": lambda parents, table, rng: (
            children(parents, table, rng) if table.shape == (4, 4) else table.argmax(axis=1)[parents]
        ),
        "not-everywhere too": lambda parents, table, rng: (
            rng.integers(table.shape[1], size=len(parents)) if table.dtype == float else children(parents, table, rng)
        ),
        "not-everywhere too too": lambda parents, table, rng: (
            rng.integers(table.shape[1], size=len(parents)) if len(parents) > 40_000 else children(parents, table, rng)
        ),
        "not-everywhere too too too": lambda parents, table, rng: children(parents, table.astype(int), rng),
        "negative-shares": negative_shares,
        "wrong-frequency": lambda parents, table, rng: by_rows(parents, np.maximum(table, 0) ** 1.1, rng),
        "not-everywhere too too too too": evenly_by_parent,
        "not-everywhere too of three": likeliest_of_three,
        "not-everywhere too of five": lambda parents, table, rng: children(
            parents, table, rng if len(parents) > 5 else np.random.default_rng(13)
        ),
        "not-everywhere too in quarters": lambda parents, table, rng: children(parents, np.round(table * 4) / 4, rng),
    },
    "13.5": {
        "complement": 0.643,
        "percent": 35.7,
        "wrong-value": 0.9,
        "expectation": 0.442,
        "all-drawn": 0.632,
    },
}


@pytest.mark.thorough
@pytest.mark.parametrize("answer", [pandas_table, pivoted])
def test_a_table_by_pandas_is_in_time(answer):
    """Some milliseconds a call: a check that called it thousands of times would be stopped."""
    rehearsal = rehearse("13.2", answer, times=1, rng=2)
    assert rehearsal.keys == {"passed": 1} and in_time(rehearsal.slowest, 20)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("not-random", "Everybody gets the most frequent child"),
        ("wrong-frequency", " come out together in "),
        ("not-everywhere", " for its share in `table`: child "),
    ],
)
def test_what_the_children_do_is_said(key, words):
    assert words in check("13.4", WRONG["13.4"][key], rng=5).diagnosis


def test_a_right_choice_is_not_called_deaf():
    """Where one choice is likely, twenty equal ones are no miracle; the check must ask where it is not."""
    case = next(case for case in CHOICE if isinstance(case, Returns))
    for seed in range(200):
        scores, epsilon = case.inputs(np.random.default_rng(seed))
        assert weights_of(scores, epsilon).max() ** 20 < 1e-9
