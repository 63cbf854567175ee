"""The customers: declared laws, who is where, and the same world from the same generator."""

import numpy as np
import pytest

from dpcourse.datasets import simulate_customers
from dpcourse.datasets.customers import LENDER


def test_laws():
    """Over 20 worlds of 20,000 applicants: a share of 12.9%, deviation 0.5; five standard errors."""
    worlds = [simulate_customers(1, rng=one) for one in np.random.default_rng(0).spawn(20)]
    rate = np.mean([world.defaulted.mean() for world in worlds])
    assert abs(rate - 0.129) < 5 * np.sqrt(0.129 * 0.871 / 400_000)
    deviations = np.array([world.applicants.std(axis=0) for world in worlds])
    assert np.abs(deviations - 0.5).max() < 6 * 0.5 / np.sqrt(2 * 20_000)
    shared = np.mean([np.linalg.eigvalsh(np.corrcoef(world.applicants.T))[-3:].sum() for world in worlds])
    assert abs(shared - (0.5625 * 30 + 3 * 0.4375)) < 0.15  # three factors carry 0.56 of each of 30 variances


def test_who_is_where():
    world = simulate_customers(300, others=200, applicants=10, rng=1)
    rows = world.common
    ids = [[bank.ids[row] for row in some] for bank, some in zip(world.banks.values(), rows, strict=True)]
    assert len(ids[0]) == 300 and all(one == ids[0] for one in ids)
    for name, bank in world.banks.items():
        assert 300 < len(bank.ids) == len(set(bank.ids)) == len(bank.features) < 500
        assert (bank.defaulted is not None) == (name == LENDER)
        assert all(len(one) == 9 and one.isdigit() for one in bank.ids)


def test_the_same_generator_gives_the_same_world():
    one, two, three = (simulate_customers(50, rng=seed).banks["C"] for seed in (3, 3, 4))
    assert one.ids == two.ids != three.ids and np.array_equal(one.features, two.features)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"common": 0}, ValueError),
        ({"others": -1}, ValueError),
        ({"applicants": 1.5}, TypeError),
        ({"common": True}, TypeError),
    ],
)
def test_numbers_must_be_whole(asked, error):
    with pytest.raises(error, match="must be"):
        simulate_customers(**asked)
