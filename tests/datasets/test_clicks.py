"""The shop: declared laws, one click held back, and the same shop from the same generator."""

import numpy as np
import pytest

from dpcourse.datasets import simulate_clicks
from dpcourse.datasets.clicks import FEWEST, MOST


def test_how_many_are_clicked():
    """The lognormal's quantiles, exact but for rounding down: 20,000 draws deviate by 0.0035 at the median."""
    many = simulate_clicks(rng=0).clicked.sum(axis=1) + 1
    assert many.min() == FEWEST and many.max() == MOST
    for share, deviation in ((0.25, -0.6744898), (0.5, 0.0), (0.75, 0.6744898)):
        quantile = np.floor(np.exp(np.log(25) - 0.5 + deviation))
        assert (many < quantile).mean() - 0.02 < share < (many <= quantile).mean() + 0.02


def test_one_click_is_held_back_and_any_of_them():
    world = simulate_clicks(4000, 60, rng=1)
    assert not world.clicked[np.arange(4000), world.held].any()
    assert world.clicked.sum(axis=1).max() == 60 // 2 - 1
    histories = world.histories()
    assert len(histories) == 4000 and all(len(some) >= FEWEST - 1 for some in histories)
    assert all(world.clicked[place, some].all() for place, some in enumerate(histories))
    assert sum(map(len, histories)) == world.clicked.sum()
    # Held items are as popular as the others: shares of both over items differ by sampling alone.
    held = np.bincount(world.held, minlength=60) / 4000
    weights = world.clicked / world.clicked.sum(axis=1, keepdims=True)
    assert np.abs(held - weights.mean(axis=0)).max() < 6 * np.sqrt(0.1 / 4000)


def test_popular_and_alike():
    """Some items are far more popular than others, numbers tell nothing about it, and taste is more than popularity."""
    world = simulate_clicks(8000, 100, rng=2)
    counts = np.sort(world.clicked.sum(axis=0))[::-1]
    assert counts[:10].mean() > 3 * counts[-50:].mean()
    assert abs(np.corrcoef(np.arange(100), world.clicked.sum(axis=0))[0, 1]) < 0.5
    x = world.clicked - world.clicked.mean(axis=0)
    together = np.linalg.eigvalsh(x.T @ x / 8000)
    alone = np.linalg.eigvalsh(np.diag(x.var(axis=0)))
    assert together[-1] > 3 * alone[-1]


def test_the_same_generator_gives_the_same_shop():
    one, two, other = (simulate_clicks(200, 30, rng=seed) for seed in (3, 3, 4))
    assert np.array_equal(one.clicked, two.clicked) and not np.array_equal(one.clicked, other.clicked)
    assert np.array_equal(one.first(50).held, one.held[:50]) and "200 people, 30 items" in repr(one)


@pytest.mark.parametrize(
    ("people", "items", "error"), [(0, 50, ValueError), (5, 9, ValueError), (1.5, 50, TypeError), (5, True, TypeError)]
)
def test_numbers_must_be_whole(people, items, error):
    with pytest.raises(error, match=r"(people|items) must be"):
        simulate_clicks(people, items)
