"""What lesson 09 compares: claims about replacing one, and a vote with noise."""

import numpy as np
import pytest

from dpcourse.accounting import PrivacyAccountant
from dpcourse.lessons import lesson_09 as l09
from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled
from dpcourse.privacy import Neighbours


def test_replacing_one_is_two_steps_of_gaussian_noise():
    """A Gaussian that moves twice as far: noise multiplier z/2."""
    ledger = PrivacyAccountant().compose(GaussianMechanism.from_noise_multiplier(8.0), times=3)
    twice = GaussianMechanism.from_noise_multiplier(4.0 / 3**0.5).privacy_loss()
    assert l09.replacing_one(ledger, 1e-5, "pld") == pytest.approx(twice.epsilon(1e-5), rel=2e-3)


@pytest.mark.parametrize(("epsilon", "rate", "steps"), [(1.0, 0.1, 200), (3.0, 0.02, 50)])
def test_the_noise_for_replacing_one_keeps_the_promise_and_wastes_little(epsilon, rate, steps):
    noise = l09.noise_for_replacing_one(epsilon, 1e-5, sampling_rate=rate, steps=steps)

    def promised(multiplier):
        step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(multiplier), rate)
        return PrivacyAccountant(Neighbours.REPLACE_ONE).compose(step, times=steps).epsilon(1e-5)

    assert promised(noise) <= epsilon < promised(0.99 * noise)


def test_the_winner_of_a_noisy_vote():
    votes, scale = np.array([8, 6]), 2.0
    won = l09.NoisyWinner(scale).batch(votes, 40_000, np.random.default_rng(2))
    # The difference of two Laplace draws is below −x with probability (1/2 + x/4b) e^(−x/b).
    chance = (0.5 + 2 / (4 * scale)) * np.exp(-2 / scale)
    assert won.mean() == pytest.approx(chance, abs=6 * (chance / 40_000) ** 0.5)  # six standard errors
    assert l09.NoisyWinner(scale)(votes, np.random.default_rng(2)) in (0, 1)
