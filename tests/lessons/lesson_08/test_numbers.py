"""The step that lesson 08 hands to the auditor."""

import numpy as np
import pytest

from dpcourse.lessons.lesson_08 import NoisyStep


def test_a_step_is_its_rule_plus_noise():
    step = NoisyStep(lambda gradients: gradients.clip(-1, 1).sum(), sigma=2.0)
    released = step.batch([5, 5, -0.5], 40_000, np.random.default_rng(1))
    assert released.shape == (40_000,)
    assert released.mean() == pytest.approx(1.5, abs=0.06)  # six standard errors: a false alarm in 10^9
    assert released.std() == pytest.approx(2.0, rel=0.03)  # likewise
    assert (released == released.round(6)).all()
    assert step([5, 5, -0.5], np.random.default_rng(1)) == pytest.approx(released[0], abs=10)
