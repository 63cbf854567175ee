"""The fabs: one law at heterogeneity 0, different ones above, and a test set from the same fabs."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpcourse.datasets import load_fabs, simulate_clients
from dpcourse.datasets.fabs import FAB_SIZES, READINGS, TEST_SHARE


def test_six_fabs_of_public_sizes_with_readings_in_public_bounds():
    fabs = load_fabs(heterogeneity=1.0, rng=12)
    assert {name: len(data.y) for name, data in fabs.clients.items()} == dict(FAB_SIZES) and len(fabs.clients) == 6
    for X, y in [*fabs.clients.values(), fabs.test, fabs.pooled()]:
        assert X.shape == (len(y), READINGS) and np.abs(X).max() <= 1 and set(y) <= {0, 1}
    for name, size in FAB_SIZES.items():
        assert (fabs.test_fabs == name).sum() == TEST_SHARE * size


def test_the_same_generator_gives_the_same_fabs():
    one, two = (load_fabs(heterogeneity=0.5, rng=np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one.pooled().X, two.pooled().X) and np.array_equal(one.test.y, two.test.y)
    assert not np.array_equal(one.pooled().X, load_fabs(heterogeneity=0.5, rng=4).pooled().X)


def spread_of_means(heterogeneity):
    fabs = load_fabs(heterogeneity=heterogeneity, rng=12)
    return np.std([data.X.mean(axis=0) for data in fabs.clients.values()], axis=0).mean()


def test_heterogeneity_is_how_much_fabs_differ():
    """At 0 the means of a fab's readings differ by their standard errors alone, about 0.3/√n."""
    spreads = [spread_of_means(h) for h in (0.0, 0.5, 1.0, 2.0)]
    assert spreads == sorted(spreads) and spreads[0] < 0.03 < 0.06 < spreads[1]


def test_at_heterogeneity_zero_a_model_of_one_fab_holds_in_all():
    """The score of Taiwan's model is the same on its own wafers and on the others': z below 4, false alarm 1e-4."""
    fabs = load_fabs(heterogeneity=0.0, rng=12)
    right = LogisticRegression().fit(*fabs.clients["Taiwan"]).predict(fabs.test.X) == fabs.test.y
    own, others = right[fabs.test_fabs == "Taiwan"], right[fabs.test_fabs != "Taiwan"]
    error = np.sqrt(own.var() / len(own) + others.var() / len(others))
    assert abs(own.mean() - others.mean()) < 4 * error


def test_the_test_set_is_of_the_same_problem():
    fabs = load_fabs(heterogeneity=1.0, rng=12)
    assert LogisticRegression().fit(*fabs.pooled()).score(*fabs.test) > 0.75
    many = simulate_clients(300, records=30, heterogeneity=1.0, rng=12)
    X, y = many.X.reshape(-1, READINGS), many.y.ravel()
    assert LogisticRegression().fit(X, y).score(*many.test) > 0.75
    assert many.X.shape == (300, 30, READINGS) and many.y.shape == (300, 30) and len(many) == 300


@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf])
def test_heterogeneity_out_of_range_is_refused(value):
    with pytest.raises(ValueError, match="heterogeneity"):
        load_fabs(heterogeneity=value, rng=0)


@pytest.mark.parametrize("value", ["1", None, True])
def test_heterogeneity_of_the_wrong_type_is_refused(value):
    with pytest.raises(TypeError, match="heterogeneity"):
        load_fabs(heterogeneity=value, rng=0)


def test_numbers_of_clients_are_checked():
    with pytest.raises(ValueError, match="n_clients"):
        simulate_clients(0)
    with pytest.raises(TypeError, match="records"):
        simulate_clients(10, records=3.0)
