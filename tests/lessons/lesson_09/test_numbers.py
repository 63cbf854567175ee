"""The vote with noise that lesson 09 hands to the auditor."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_09 as l09


def test_the_winner_of_a_noisy_vote():
    votes, scale = np.array([8, 6]), 2.0
    won = l09.NoisyWinner(scale).batch(votes, 40_000, np.random.default_rng(2))
    # The difference of two Laplace draws is below −x with probability (1/2 + x/4b) e^(−x/b).
    chance = (0.5 + 2 / (4 * scale)) * np.exp(-2 / scale)
    assert won.mean() == pytest.approx(chance, abs=6 * (chance / 40_000) ** 0.5)  # six standard errors
    assert l09.NoisyWinner(scale)(votes, np.random.default_rng(2)) in (0, 1)
