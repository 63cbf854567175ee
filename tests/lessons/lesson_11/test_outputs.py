"""Outputs whose ε is known have it: no event's certificate lies above it, and some event's comes near."""

import numpy as np
import pytest

from dpcourse.lessons.lesson_11.exercises import outputs

RUNS = 400_000


def widest(first, second):
    """The largest log ratio of two histograms, where cells hold enough to be within 5%."""
    both = np.concatenate([first, second])
    cells = np.unique(both) if len(np.unique(both)) < 20 else np.quantile(both, np.linspace(0, 1, 61))
    edges = np.append(cells, np.inf)
    some, others = (np.histogram(side, edges)[0] for side in (first, second))
    enough = np.minimum(some, others) > 1000
    return np.abs(np.log(some[enough] / others[enough])).max()


@pytest.mark.parametrize("shape", [outputs.coins, outputs.answers, outputs.spreads])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_it_has_the_epsilon_that_is_said(shape, epsilon):
    for seed in range(3):
        assert widest(*shape(np.random.default_rng(seed), epsilon, RUNS)) == pytest.approx(epsilon, abs=0.2)


@pytest.mark.parametrize("shape", [outputs.smooth, outputs.hilly, outputs.stepped])
def test_whoever_ignores_the_data_says_nothing(shape):
    for seed in range(5):
        assert widest(*shape(np.random.default_rng(seed), RUNS)) < 0.1


def test_the_middles_of_spreads_are_the_same():
    for seed in range(5):
        first, second = outputs.spreads(np.random.default_rng(seed), 4.0, RUNS)
        assert abs(first.mean() - second.mean()) < 0.02 * np.std(np.append(first, second))


def test_where_half_is_one_number_the_median_jumps():
    found = [np.ptp(np.median(outputs.stepped(np.random.default_rng(seed), 401), axis=1)) > 0 for seed in range(100)]
    assert 30 < sum(found) < 70
