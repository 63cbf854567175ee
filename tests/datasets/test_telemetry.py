"""The fleet: declared laws, rows no longer than 1, and the same devices from the same generator."""

import numpy as np
import pytest
from scipy import stats

from dpcourse.datasets import simulate_telemetry
from dpcourse.datasets.telemetry import READINGS, WIDTH


def test_rows_are_short_and_readings_lie_in_the_unit_interval():
    world = simulate_telemetry(50_000, tested=1000, rng=0)
    assert world.rows.shape == (50_000, WIDTH) and world.rows.dtype == np.float32
    assert np.linalg.norm(world.rows.astype(float), axis=1).max() <= 1
    for number in (0, READINGS - 1):
        reading = world.reading(number)
        assert reading.min() >= 0 and reading.max() <= 1 and 0.1 < reading.std() < 0.3
    assert np.allclose(world.rows[:, -1] * np.sqrt(WIDTH), 1, atol=1e-5)


def test_a_reading_has_its_declared_deviation_and_three_conditions():
    """Cut at ±1, a normal with variance (1 + 0.49)/9: 50,000 draws deviate by 0.3%. Three factors, then noise."""
    world = simulate_telemetry(50_000, tested=10, rng=1)
    readings = world.rows[:, :READINGS].astype(float) * np.sqrt(WIDTH)
    spread = np.sqrt(1.49) / 3
    cut = stats.norm.rvs(scale=spread, size=10**6, random_state=0).clip(-1, 1).std()
    assert np.allclose(readings.std(axis=0), cut, rtol=0.03)
    values = np.linalg.eigvalsh(np.cov(readings.T))[::-1]
    assert values[2] > 3 * values[3] and np.allclose(values[3:], 0.49 / 9, rtol=0.15)


@pytest.mark.parametrize("seed", range(3))
def test_failures_follow_the_risk(seed):
    """About 3% fail, and as many as the risk says in every tenth of it: 8 standard errors."""
    world = simulate_telemetry(1000, tested=200_000, rng=seed)
    risk, failed = world.tested_risk, world.tested_failed
    assert 0.027 < failed.mean() < 0.033
    for part in np.array_split(np.argsort(risk), 10):
        assert abs(failed[part].sum() - risk[part].sum()) < 8 * np.sqrt(risk[part].sum()) + 1
    odds = np.log(risk / (1 - risk))
    assert 1.35 < odds.std() < 1.55  # 1.5 before readings are cut


def test_the_same_generator_gives_the_same_fleet():
    one, two, other = (simulate_telemetry(200, tested=50, rng=seed) for seed in (3, 3, 4))
    assert np.array_equal(one.rows, two.rows) and not np.array_equal(one.rows, other.rows)
    assert np.array_equal(one.first(50).rows, one.rows[:50]) and len(one.first(50).failed) == 50
    assert "200 devices" in repr(one)


@pytest.mark.parametrize(("devices", "tested", "error"), [(0, 5, ValueError), (5, 0, ValueError), (1.5, 5, TypeError)])
def test_numbers_must_be_whole(devices, tested, error):
    with pytest.raises(error, match=r"(devices|tested) must be"):
        simulate_telemetry(devices, tested=tested)
