"""Scores of calls in many settings: quiet for right answers, and loud where something is left out. Seeded."""

import numpy as np
import pytest
from scipy import stats

from dpcourse.checks.scores import Asked, fit, off_in_calls, off_somewhere, score_of, where_off


def calls(rng, wide=lambda setting: 1.0, many=60):
    settings = [{"n": int(rng.integers(1, 1000)), "ε": float(rng.uniform(0.1, 5))} for _ in range(many)]
    return [Asked(one, wide(one) * rng.normal(size=int(rng.integers(1, 20)))) for one in settings]


def test_false_alarms_are_as_rare_as_stated():
    """At 5% each, 300 of them raise 30 alarms with probability 4e-4 at most."""
    rng = np.random.default_rng(0)
    assert sum(bool(off_somewhere(calls(rng), 0.05)) for _ in range(300)) < 30


def test_where_noise_is_left_out_or_too_wide_is_said():
    rng = np.random.default_rng(1)
    assert "no noise" in off_somewhere(calls(rng, lambda one: float(one["n"] > 100)), 1e-6)
    found = off_somewhere(calls(rng, lambda one: 0.3 if one["ε"] > 2 else 1.0), 1e-6)
    assert "ε = " in found and "or more" in found
    assert off_somewhere(calls(rng, lambda one: 2.0), 1e-6)


def test_scores_of_whole_numbers_are_standard_normal_and_never_infinite():
    rng = np.random.default_rng(2)
    law = stats.binom(4, 0.1)
    scores = [score_of(law, int(seen), rng) for seen in law.rvs(3000, random_state=rng)]
    assert stats.kstest(scores, stats.norm.cdf).pvalue > 1e-6
    assert score_of(stats.binom(10**5, 0.01), 10**5, rng) > 30 and score_of(stats.binom(10**5, 0.9), 0, rng) < -30
    assert score_of(stats.hypergeom(10, 0, 5), 0, rng) < 40  # a law of one number


def twice(rng, change=lambda one, other, setting: (one, other), many=60):
    asked = []
    for _ in range(many):
        setting = {"n": int(rng.integers(1, 1000)), "ε": float(rng.uniform(0.1, 5))}
        one, other = rng.normal(size=(2, int(rng.integers(1, 40))))
        asked.append((setting, change(one, other, setting)))
    return asked


def one_sided(one, other, setting):
    sides = np.random.default_rng(setting["n"]).choice([-1, 1], one.shape)
    return sides * np.abs(one), sides * np.abs(other)


def in_one_entry(one, other, _):
    return tuple(np.where(np.arange(one.size) == 0, np.linalg.norm(noise), 0.0) for noise in (one, other))


def same_sizes(one, other, _):
    return one, np.sign(other) * np.abs(one)


@pytest.mark.parametrize("change", [one_sided, in_one_entry, same_sizes])
def test_what_two_calls_share_or_leave_out_is_seen(change):
    rng = np.random.default_rng(3)
    assert all(off_in_calls(twice(rng, change), 1e-6, rng) for _ in range(10))


@pytest.mark.thorough
def test_independent_calls_are_refused_as_rarely_as_is_said():
    """At 5% each, 300 of them raise 30 alarms with probability 4e-4 at most."""
    rng = np.random.default_rng(4)
    assert sum(bool(off_in_calls(twice(rng), 0.05, rng)) for _ in range(300)) < 30


@pytest.mark.thorough
def test_a_setting_may_be_asked_about_once_or_three_times():
    """As rarely as above; and what is said when no setting is asked about twice."""
    rng = np.random.default_rng(5)

    def mixed(often, wide=1.0):
        return [({"n": n}, [wide * rng.normal(size=n) for _ in range(rng.choice(often))]) for n in range(1, 60)]

    assert sum(bool(off_in_calls(mixed([1, 3]), 0.05, rng)) for _ in range(300)) < 30
    assert not off_in_calls(mixed([1]), 1e-6, rng) and off_in_calls(mixed([1], 1.5), 1e-6, rng)


def test_counts_fit_their_own_law_and_no_other():
    """A false alarm has a probability of some 1e-6; each count alone would go with the other law."""
    rng, n, p = np.random.default_rng(), 100, np.linspace(0.2, 0.8, 200)
    counts = rng.binomial(n, p)
    assert fit([(float(k - n * q), n * q * (1 - q)) for k, q in zip(counts, p, strict=True)], 1e-6)
    assert not fit([(float(k - n * q), n * q * (1 - q)) for k, q in zip(counts, p + 0.08, strict=True)], 1e-6)


def of_kinds(rng, wide=lambda setting: 1.0):
    settings = [{"n": int(rng.integers(1, 1000)), "rows": str(rng.choice(["long", "short"]))} for _ in range(60)]
    return [Asked(one, wide(one) * rng.normal(size=int(rng.integers(1, 20)))) for one in settings]


def test_what_is_no_number_is_a_kind_of_calls():
    """As rarely as above; and all calls without noise are told of, a single one only where no more share it."""
    rng = np.random.default_rng(6)
    assert sum(bool(off_somewhere(of_kinds(rng), 0.05)) for _ in range(300)) < 30
    found = off_somewhere(of_kinds(rng, lambda one: float(one["rows"] == "long")), 1e-6)
    assert found.endswith("calls with rows short, your results have no noise.")
    found = off_somewhere(of_kinds(rng, lambda one: float(one["n"] > 300)), 1e-6)
    assert " calls with n = " in found and "or less, your results have no noise." in found
    assert where_off([Asked({"n": n}, np.zeros(2)) for n in range(60)], 1e-6)[0] == "In all 60 calls"
    assert where_off(of_kinds(rng), 1e-6) == ("", "")
