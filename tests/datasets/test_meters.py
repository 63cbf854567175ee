"""The meters: declared laws, weather that all homes share, and the same homes from the same generator."""

import numpy as np
import pytest

from dpcourse.datasets import simulate_meters


def test_levels_and_days():
    """Logarithms are level plus weather plus noise: 0.45 between homes, 0.25 within; 20,000 homes deviate by 0.5%."""
    meters = simulate_meters(20_000, rng=0)
    logs = np.log(meters.used) - np.log(meters.weather)
    noise = logs - logs.mean(axis=1, keepdims=True)
    assert abs(np.median(meters.used / meters.weather) - 8) < 0.15
    assert abs(logs.std() - np.hypot(0.45, 0.25)) < 0.01
    assert abs(noise.std() - 0.25) < 0.005
    # What is left on the next day, and on the day after; a home's own mean takes 0.016 of it away.
    for days, left in ((1, 0.7), (2, 0.49)):
        assert abs((noise[:, days:] * noise[:, :-days]).mean() / (noise**2).mean() - left) < 0.02


def test_weather():
    """A wave of a year, and ten days of cold in a row, early in the year."""
    weather = simulate_meters(5, rng=1).weather
    wave = 1 + 0.25 * np.cos(2 * np.pi * np.arange(365) / 365)
    cold = np.flatnonzero(~np.isclose(weather, wave))
    assert len(cold) == 10 and np.ptp(cold) == 9 and cold[0] < 60
    assert np.allclose(weather[cold], 1.35 * wave[cold])
    assert len({int(np.argmax(simulate_meters(1, rng=seed).weather)) for seed in range(30)}) > 5
    assert simulate_meters(3, 2, rng=0).weather.shape == (2,)


def test_the_same_generator_gives_the_same_homes():
    one, two, other = (simulate_meters(50, 20, rng=seed) for seed in (3, 3, 4))
    assert np.array_equal(one.used, two.used) and not np.array_equal(one.used, other.used)
    assert one.used.dtype == np.float32 and (one.used > 0).all() and "50 homes, 20 days" in repr(one)


@pytest.mark.parametrize(
    ("homes", "days", "error"), [(0, 5, ValueError), (5, 0, ValueError), (1.5, 5, TypeError), (5, True, TypeError)]
)
def test_numbers_must_be_whole(homes, days, error):
    with pytest.raises(error, match=r"(homes|days) must be"):
        simulate_meters(homes, days)
