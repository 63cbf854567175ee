"""What the last bits of floats tell stands beside what the mechanism does wrong, and can be left out."""

import numpy as np
import pytest

from dpcourse.audit import audit, audit_gdp, audit_outputs
from dpcourse.mechanisms import LaplaceMechanism
from dpcourse.privacy import Guarantee


class FloatLaplace:
    """A count with NumPy's Laplace noise: floats tell, whatever the scale."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, count, rng):
        return self.batch(count, 1, rng)[0]

    def batch(self, count, runs, rng):
        return count + rng.laplace(scale=self.scale, size=runs)


SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.audit) for seed in range(1, 20))]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scale", [0.5, 0.8])
def test_the_floats_and_the_scale_are_both_reported(scale, seed):
    """Both findings are above the claim. Neither is above the truth but with probability 1e-3: ε = 1/scale, and ∞."""
    found = audit(FloatLaplace(scale), 0, 1, claim=Guarantee(1.0), rng=seed)
    noise, floats = found.findings
    assert (noise.floating_point, floats.floating_point) == (False, True)
    assert 1 < noise.epsilon_lower <= 1 / scale and floats.epsilon_lower > 5
    assert "multiple" not in noise.event and "multiple of 2^-5" in floats.event
    assert found.violated and found.without_floating_point.violated
    assert found.strongest == floats and noise.event in str(found) and floats.event in str(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_right_scale_is_wrong_by_its_floats_only(seed):
    """At 99.9%: a false alarm about the scale in one audit of a thousand."""
    found = audit(FloatLaplace(1.0), 0, 1, claim=Guarantee(1.0), runs=20_000, rng=seed)
    assert found.violated and not found.without_floating_point.violated
    left_out = audit(FloatLaplace(1.0), 0, 1, claim=Guarantee(1.0), runs=20_000, floating_point=False, rng=seed)
    assert not left_out.violated and len(left_out.findings) == 1
    # The same runs choose and certify the same event; alone, it has the whole error for itself.
    assert left_out.event == found.without_floating_point.event
    assert left_out.epsilon_lower > found.without_floating_point.epsilon_lower


def test_noise_on_a_grid_has_no_second_finding():
    """Then the first one has the whole error: what is looked for and not found costs nothing."""
    mechanism = LaplaceMechanism(1.0)
    sides = [mechanism.release(np.full(4000, value), rng=8 + int(value)) for value in (0.0, 1.0)]
    both, one = (audit_outputs(*sides, claim=Guarantee(1.0), floating_point=choice) for choice in (True, False))
    assert both == one and len(both.findings) == 1


def test_a_parity_is_no_matter_of_floats():
    """Twice a count plus even noise: whole numbers lie on a grid that the data choose."""
    runs = [2 * np.random.default_rng(8 + offset).integers(-50, 50, 2000) + offset for offset in (0, 1)]
    found = audit_outputs(*runs, claim=Guarantee(1.0), floating_point=False)
    assert found.violated and "multiple of 2^1" in found.event


def test_a_gaussian_hypothesis_can_leave_floats_out_too():
    noisy = lambda x, rng: x + rng.normal(scale=2.0)  # noqa: E731
    found = audit_gdp(noisy, 0, 1, runs=20_000, floating_point=False, rng=8)
    assert 0.3 < found.mu_lower <= 0.5
    assert audit_gdp(noisy, 0, 1, runs=20_000, rng=8).mu_lower > 2
