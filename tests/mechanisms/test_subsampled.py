"""The claim of a mechanism on a Poisson sample, against the mixture it stands for."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from dpcourse.accounting import PrivacyAccountant, RepeatAndSelect
from dpcourse.mechanisms import ExponentialMechanism, GaussianMechanism, GeometricMechanism, LaplaceMechanism
from dpcourse.mechanisms.subsampled import PoissonSubsampled
from dpcourse.privacy import Guarantee, Neighbours

ORDERS = np.array([1.5, 2.5, 5.0, 50.0])
REFERENCE = np.array([6.7058e-4, 1.08549e-3, 2.18076e-3, 0.0238460])  # 50 steps, q=.01, σ=2.5


def test_renyi_curve_of_the_subsampled_gaussian():
    """At integer orders the reference values; in between ours may be below them (a tighter integral)."""
    step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(2.5), 0.01)
    curve = 50 * step.renyi_divergence(ORDERS)
    np.testing.assert_allclose(curve[2:], REFERENCE[2:], rtol=1e-4)
    assert (curve[:2] <= REFERENCE[:2] * (1 + 1e-3)).all() and (curve[:2] > 0.96 * REFERENCE[:2]).all()


@pytest.mark.parametrize("rate", [0.05, 0.5])
@pytest.mark.parametrize("base", [GeometricMechanism(1.2), GeometricMechanism(2.5, 3)])
def test_loss_is_that_of_the_mixture(base, rate):
    """Both directions, summed from the mass functions of the integers."""
    support = np.arange(-45.0, 46 + base.sensitivity)
    scale = base.sensitivity / base.epsilon
    q = np.exp(-np.abs(support) / scale) * math.tanh(1 / (2 * scale))
    p = np.exp(-np.abs(support - base.sensitivity) / scale) * math.tanh(1 / (2 * scale))
    mixture = (1 - rate) * q + rate * p
    step = PoissonSubsampled(base, rate)
    loss = step.privacy_loss()
    for epsilon in (0.0, 0.01, 0.1):
        exact = max(
            np.maximum(mixture - math.exp(epsilon) * q, 0).sum(), np.maximum(q - math.exp(epsilon) * mixture, 0).sum()
        )
        assert loss.delta(epsilon) == pytest.approx(exact, rel=1e-9, abs=1e-15)
    orders = np.array([1.5, 2.0, 12.0])
    exact = [
        max(
            np.log((mixture**a * q ** (1 - a)).sum()) / (a - 1),
            np.log((q**a * mixture ** (1 - a)).sum()) / (a - 1),
        )
        for a in orders
    ]
    np.testing.assert_allclose(step.renyi_divergence(orders), exact, rtol=1e-6)
    assert loss.epsilon(0) == pytest.approx(step.guarantee.epsilon, rel=1e-9)
    assert step.guarantee.epsilon == pytest.approx(math.log1p(rate * math.expm1(base.epsilon)))


@pytest.mark.parametrize("base", [LaplaceMechanism(1.0), GaussianMechanism(1.0, 1e-5), ExponentialMechanism(1.0)])
def test_it_amplifies_and_keeps_the_relation(base):
    step = PoissonSubsampled(base, 0.1)
    assert step.neighbours is Neighbours.ADD_REMOVE and not hasattr(step, "release")
    delta = step.guarantee.delta or 1e-6
    assert step.privacy_loss().epsilon(delta) <= step.guarantee.epsilon * (1 + 1e-9) < base.guarantee.epsilon
    whole = PoissonSubsampled(base, 1.0)
    assert whole.privacy_loss().epsilon(1e-6) == pytest.approx(base.privacy_loss().epsilon(1e-6))


def test_what_the_mechanism_inside_rests_on_is_said():
    inside = RepeatAndSelect(Guarantee(0.5, condition="n is public"), gamma=0.1)
    step = PoissonSubsampled(inside, 0.5)
    assert step.condition == step.guarantee.condition == "n is public"
    assert PrivacyAccountant().compose(step).guarantee(0.0).condition == "n is public"
    assert PoissonSubsampled(LaplaceMechanism(1.0), 0.5).condition == ""


def test_refusals():
    with pytest.raises(ValueError, match="add-remove"):
        PoissonSubsampled(LaplaceMechanism(1.0, neighbours=Neighbours.REPLACE_ONE), 0.1)
    for bad in (0, -0.1, 1.1, math.nan, "1", None):
        with pytest.raises((TypeError, ValueError), match="sampling_rate") as error:
            PoissonSubsampled(LaplaceMechanism(1.0), bad)
        assert repr(bad) in str(error.value)
    with pytest.raises(TypeError, match="mechanism"):
        PoissonSubsampled(1.0, 0.1)
    with pytest.raises(TypeError, match="mechanism.neighbours must be a Neighbours, got None"):
        PoissonSubsampled(SimpleNamespace(privacy_loss=lambda: None), 0.1)
    with pytest.raises(TypeError, match="mechanism must be a mechanism, got <class"):
        PoissonSubsampled(LaplaceMechanism, 0.1)
    with pytest.raises(ValueError, match="zCDP"):
        _ = PoissonSubsampled(LaplaceMechanism(1.0), 0.1).zcdp
