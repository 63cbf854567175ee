"""A few people at a time: who answers without chance about one of the smallest sizes is seen, and who draws is not."""

import numpy as np
import pytest

from dpcourse.checks.few import SIZES, counted, of_few, unlikely

WHAT = "of the reports are true"


def asked(rng, sure=(), p=0.6):
    """True reports with probability p, and always where there are so many people."""
    return lambda n: (rng.random(n) < (1 if n in sure else p), p)


@pytest.mark.parametrize("n", SIZES)
def test_who_is_sure_of_so_many_people_is_seen(n):
    wrong = of_few(asked(np.random.default_rng(n), {n}), 1e-6, WHAT)
    assert wrong.key == "not-everywhere" and "100% of the reports are true; 60% would be right." in wrong.seen
    assert ("one person at a time" if n == 1 else f"{n} people at a time") in wrong.seen


def test_who_draws_for_everybody_is_not():
    """At a level of 1e-3 each, of 200 checks with fresh randomness more than 4 fail with probability 3e-6 at most."""
    rng = np.random.default_rng()
    assert sum(of_few(asked(rng), 1e-3, WHAT) is not None for _ in range(200)) <= 4


def test_each_answer_may_have_a_probability_of_its_own():
    rng = np.random.default_rng(1)
    p = np.array([0.1, 0.5, 0.9])
    assert counted(lambda: (rng.random(3) < p, p), 1e-6, "In a corner", WHAT, "Why?") is None
    wrong = counted(lambda: (np.ones(3, dtype=bool), p), 1e-6, "In a corner", WHAT, "Why?")
    assert wrong.seen.startswith("In a corner, 54 times, 100%") and wrong.ask == "Why?"


def test_the_bound_is_one():
    """Of exact binomial tails, whatever the share: never less likely than the bound says."""
    from scipy import stats

    n, mean = 160, 0.3
    for k in range(n + 1):
        if unlikely(k / n, mean, n, 1e-6):
            assert min(stats.binom.cdf(k, n, mean), stats.binom.sf(k - 1, n, mean)) <= 0.5e-6
