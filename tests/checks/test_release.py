"""A release declared once: a right answer passes, and each mistake gets its name.

What can be done wrong to any release is tried on those of the lessons, in `tests/lessons/test_declared.py`.

Seeded; a right answer is refused with probability 1e-6 at most.
"""

import math

import numpy as np
import pandas as pd
import pytest

from dpcourse.checks import Exercise
from dpcourse.checks.cases import Mistake, either_order
from dpcourse.checks.counting import (
    YES_COUNTS,
    cell_counts,
    in_another_order,
    large_table,
    one_more,
    tables,
    yes_and_no,
)
from dpcourse.checks.noise_laws import geometric, laplace
from dpcourse.checks.release import Probe, Release
from dpcourse.checks.words import Words


def people(size, share=0.5):
    return lambda rng: (rng.random(int(size * rng.uniform(1, 1.2))) < share,)


def everybody_or_one_fewer(rng):
    return either_order((np.ones(20, dtype=bool),), (np.ones(19, dtype=bool),), rng)


COUNT = Release(
    data=(people(60), people(2000), people(2000, 0.1)),
    truth=lambda flags: flags.sum(),
    mistakes=YES_COUNTS,
    scales=(Mistake("halved", lambda epsilon, flags: 0.5 / epsilon, "Half as wide."),),
    nobody=(np.zeros(0, dtype=bool),),
    neighbours=(Probe(everybody_or_one_fewer, "Does it know n?", "reads-n"),),
)
COLUMNS = Release(
    data=(yes_and_no(1000, 10), yes_and_no(8000, 10)),
    truth=lambda flags: flags.sum(axis=0),
    sensitivity=lambda flags: flags.shape[1],
    noise=(laplace, geometric),
    mistakes=(*YES_COUNTS, *in_another_order(lambda flags: flags.sum(axis=0))),
    words=Words(scale="k/ε"),
)


def _codes(counts, rng):
    return rng.permutation(np.repeat(np.arange(counts.size), counts.ravel())), counts.size


def sizes(codes, k):
    return np.bincount(codes, minlength=k)


CELLS = Release(
    data=tables(_codes, (8,)),
    many=large_table(_codes, (100,)),
    truth=sizes,
    mistakes=cell_counts(sizes),
    nobody=(np.zeros(0, dtype=int), 8),
    after=(one_more(_codes, (100,), "cell", (3.0,)),),
    looks=(1, 30),
)
WIDE = Release(  # in units of a sensitivity that differs between datasets
    data=(lambda rng: (rng.uniform(0, 1, 500), 50.0), lambda rng: (rng.uniform(0, 9, 90), 9.0)),
    truth=lambda values, high: values.sum(),
    sensitivity=lambda values, high: high,
    many=lambda rng: (rng.uniform(0, 1, 50), float(rng.uniform(50, 100))),
    words=Words(of="the upper bound"),
)


def run(release, answer, seed=0):
    return Exercise("99.1", "A release", release.cases, call="f(data, epsilon, rng)").grade(answer, rng=seed)


def laplace_count(flags, epsilon, rng, wide=1.0):
    return flags.sum() + rng.laplace(0, wide / epsilon)


def on_columns(of=lambda flags: flags.sum(axis=0), scale=lambda k, e: k / e):
    return lambda flags, epsilon, rng: of(flags) + rng.laplace(0, scale(flags.shape[1], epsilon), flags.shape[1])


def on_cells(wide=lambda counts: 1.0, noise=lambda draws: draws, cut=lambda table: table):
    def answer(codes, k, epsilon, rng):
        counts = sizes(codes, k)
        return cut(counts + noise(rng.laplace(0, 1 / epsilon, k)) * wide(counts))

    return answer


def quiet(places, factor):
    return lambda draws: np.where(np.arange(len(draws)) < places, factor, 1) * draws


@pytest.mark.parametrize(
    ("release", "answer", "key"),
    [
        (COUNT, laplace_count, "passed"),
        (COUNT, lambda flags, epsilon, rng: flags.mean() + rng.laplace(0, 0.01 / epsilon), "a-share"),
        (COUNT, lambda flags, epsilon, rng: flags.sum() * 1.1 + rng.laplace(0, 1 / epsilon), "constant-factor"),
        (
            COUNT,
            lambda flags, epsilon, rng: (flags + rng.laplace(0, 1 / epsilon, len(flags))).sum(),
            "noise-per-person",
        ),
        (
            COUNT,
            lambda flags, epsilon, rng: laplace_count(flags, epsilon, rng, 1 + 9 * flags.mean()),
            "scale-from-data",
        ),
        (COUNT, lambda flags, epsilon, rng: laplace_count(flags, epsilon, rng, 0.5), "halved"),
        (COUNT, lambda flags, epsilon, rng: min(laplace_count(flags, epsilon, rng), len(flags)), "reads-n"),
        (COUNT, lambda flags, epsilon, rng: flags.sum() + rng.laplace(0, 1 / epsilon, 1), "wrong-shape"),
        (COUNT, lambda flags, epsilon, rng: laplace_count(flags, epsilon, rng) if len(flags) else 0.0, "nobody"),
        (COLUMNS, on_columns(), "passed"),
        (COLUMNS, on_columns(scale=lambda k, e: math.sqrt(k) / e), "too-little-noise"),
        (COLUMNS, lambda flags, epsilon, rng: flags.sum(axis=0)[1:] + rng.laplace(0, 10 / epsilon, 9), "wrong-shape"),
        (CELLS, on_cells(), "passed"),
        (CELLS, on_cells(wide=lambda counts: np.sqrt(1 + counts)), "noise-by-size"),
        (CELLS, on_cells(noise=quiet(1, 0.3)), "uneven-noise"),
        (WIDE, lambda values, high, epsilon, rng: values.sum() + rng.laplace(0, high / epsilon), "passed"),
        (
            WIDE,
            lambda values, high, epsilon, rng: values.sum() + rng.laplace(0, high**2 / epsilon),
            "too-much-noise",
        ),
    ],
)
def test_each_mistake_has_its_name(release, answer, key):
    assert run(release, answer).key == key


def test_words_are_those_of_the_exercise():
    assert (
        "is right you give"
        in run(COUNT, lambda flags, epsilon, rng: len(flags) / 3 + rng.laplace(0, 1 / epsilon)).diagnosis
    )
    narrow = run(WIDE, lambda values, high, epsilon, rng: values.sum() + rng.laplace(0, high / epsilon / 2))
    assert narrow.key == "too-little-noise" and narrow.diagnosis.startswith("In units of the upper bound: ")


COLUMN = COLUMNS.data[0](np.random.default_rng(3))[0]


@pytest.mark.parametrize(
    ("made", "key"),
    [
        (lambda noisy, truth: pd.Series(noisy, index=truth), "leaks"),
        (lambda noisy, truth: pd.Series(noisy, name=str(truth)), "leaks"),
        (lambda noisy, truth: pd.Series(noisy).rename_axis(str(truth)), "leaks"),
        (lambda noisy, truth: np.ma.array(noisy, mask=truth % 2), "leaks"),
        (lambda noisy, truth: noisy + np.longdouble(2.0**-60) * truth, "leaks"),
        (lambda noisy, truth: noisy + 1j * truth, "wrong-type"),
        (lambda noisy, truth: [f"{one:.17f}{exact}" for one, exact in zip(noisy, truth, strict=True)], "wrong-type"),
        (lambda noisy, truth: pd.Series(noisy), "passed"),
        (lambda noisy, truth: pd.Series(noisy, index=np.arange(len(noisy)), name="count"), "passed"),
        (lambda noisy, truth: list(noisy), "passed"),
    ],
)
def test_nothing_leaves_with_the_numbers(made, key):
    """Whatever the size of the data: every result is looked at."""

    def answer(flags, epsilon, rng):
        truth = flags.sum(axis=0)
        noisy = truth + rng.laplace(0, flags.shape[1] / epsilon, flags.shape[1])
        return made(noisy, truth) if len(flags) > 500 else noisy

    def case(guarded, chance):
        COLUMNS.result(guarded, (COLUMN,), 1.0, chance.rng, (10,))

    assert len(COLUMN) > 500
    assert Exercise("00.0", "", (case,), call="f(flags, epsilon, rng)").grade(answer, rng=1).key == key


def test_a_table_may_have_public_labels():
    def answer(codes, names, epsilon, rng):
        return pd.Series(rng.laplace(size=2), index=names)

    named = Release(data=(), truth=lambda codes, names: np.zeros(2))
    assert named.result(answer, (np.zeros(3), ["a", "b"]), 1.0, np.random.default_rng(1), (2,)).shape == (2,)
