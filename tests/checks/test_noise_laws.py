"""Laws of noise: their own samples fit, and what is wrong with a sample is named.

Every law is tried at a failure of 1e-6 on fixed seeds: a right sample is refused with that probability at most.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpcourse.checks.noise_laws import Wanted, geometric, grid, laplace, noise_wrong, normal, one_sided

RUNS = 15_000


def draws(of, epsilons=(0.5, 2.5), seed=0, laws=lambda epsilon: (laplace(1 / epsilon),)):
    rng = np.random.default_rng(seed)
    return [Wanted(np.asarray(of(rng, epsilon), dtype=float), epsilon, laws(epsilon)) for epsilon in epsilons]


def two_sided(rng, epsilon):
    up, down = rng.geometric(-math.expm1(-epsilon), size=(2, RUNS))
    return up - down


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("law", "sample"),
    [
        (laplace(2.0), lambda rng: rng.laplace(0, 2.0, RUNS)),
        (laplace(2.0), lambda rng: np.rint(rng.laplace(0, 2.0, RUNS))),
        (laplace(0.4), lambda rng: np.rint(rng.laplace(0, 0.4, RUNS))),
        (laplace(2.0, centre=1.0), lambda rng: rng.laplace(1.0, 2.0, RUNS)),
        (normal(3.0), lambda rng: rng.normal(0, 3.0, RUNS).round(1)),
        (geometric(2.0), lambda rng: two_sided(rng, 0.5)),
        (one_sided(2.0), lambda rng: np.abs(rng.laplace(0, 2.0, RUNS))),
    ],
)
def test_a_law_fits_its_own_sample(law, sample, seed):
    assert law.fits(sample(np.random.default_rng(seed)), 1e-6)


def test_the_geometric_law_is_that_of_a_difference():
    """Against the difference of two geometric laws, summed."""
    k, p = np.arange(1, 400), -math.expm1(-0.5)
    pmf = stats.geom.pmf(k, p)
    for t in (0.5, 2.5, 7.5):
        beyond = sum(pmf[i] * stats.geom.cdf(k[i] - t - 0.5, p) for i in range(len(k)))
        assert float(geometric(2.0).above(np.array(t))) == pytest.approx(beyond, rel=1e-9)


@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize("kind", [laplace, normal])
def test_a_tenth_too_wide_or_too_narrow_is_seen(kind, factor):
    rng = np.random.default_rng(1)
    sample = rng.laplace(0, 2.0, RUNS) if kind is laplace else rng.normal(0, 2.0, RUNS)
    assert kind(2.0).fits(sample, 1e-6) and not kind(2.0).fits(sample * factor, 1e-6)


def test_grids_are_found():
    rng = np.random.default_rng(2)
    sample = rng.laplace(0, 2.0, 100)
    assert grid(np.rint(sample), 2.0) == 1.0 and grid(sample.round(1), 2.0) == 0.1 and grid(sample, 2.0) == 0.0
    assert grid(sample.round(3), 2.0) == 0.0  # too fine to matter


WRONG = {
    "no-noise": lambda rng, e: np.zeros(RUNS),
    "geometric": two_sided,
    "centre-for-scale": lambda rng, e: rng.laplace(1 / e, size=RUNS),
    "one-sided-noise": lambda rng, e: rng.exponential(1 / e, RUNS),
    "cut-decimals": lambda rng, e: np.floor(rng.laplace(0, 1 / e, RUNS)),
    "noise-not-centred": lambda rng, e: rng.laplace(3 / e, 1 / e, RUNS),
    "epsilon-ignored": lambda rng, e: rng.laplace(0, 2.0, RUNS),
    "epsilon-inverted": lambda rng, e: rng.laplace(0, e, RUNS),
    "wrong-power": lambda rng, e: rng.laplace(0, 1 / e**2, RUNS),
    "thin-tails": lambda rng, e: rng.normal(0, math.sqrt(2) / e, RUNS),
    "too-little-noise": lambda rng, e: rng.laplace(0, 0.8 / e, RUNS),
    "too-much-noise": lambda rng, e: rng.laplace(0, math.sqrt(2) / e, RUNS),
    "wrong-shape-of-noise": lambda rng, e: np.where(
        rng.random(RUNS) < 0.5, rng.laplace(0, 0.4 / e, RUNS), rng.laplace(0, 1.6 / e, RUNS)
    ),
}


@pytest.mark.parametrize("key", WRONG)
def test_what_is_wrong_is_named(key):
    assert noise_wrong(draws(WRONG[key]), 1e-6).key == key


def test_right_noise_is_not_accused():
    assert noise_wrong(draws(lambda rng, e: rng.laplace(0, 1 / e, RUNS)), 1e-6) is None
    either = draws(two_sided, laws=lambda epsilon: (laplace(1 / epsilon), geometric(1 / epsilon)))
    assert noise_wrong(either, 1e-6) is None


def test_words_are_the_students_own():
    wrong = noise_wrong(draws(WRONG["too-much-noise"]), 1e-6, unit=" people")
    assert "√2 times as wide" in wrong.seen and " people" in wrong.seen


@pytest.mark.parametrize("law", [laplace(2.0), geometric(2.0), normal(2.0)])
def test_a_law_ends_where_its_noise_is_cut(law):
    """Fifteen thousand draws cut at five scales, or three deviations; whole ones are not refused at 1e-6."""
    rng = np.random.default_rng(9)
    draw = {
        "Laplace noise": lambda: rng.laplace(0, 2, RUNS),
        "geometric noise": lambda: (
            (rng.geometric(-math.expm1(-0.5), (2, RUNS)) * [[1], [-1]]).sum(axis=0).astype(float)
        ),
        "normal noise": lambda: rng.normal(0, 2, RUNS),
    }[law.name]
    end = 6 if law.name == "normal noise" else 10
    assert not any(law.ends(draw(), 1e-6) for _ in range(100))
    assert law.ends(np.clip(draw(), -end, end), 1e-8)
