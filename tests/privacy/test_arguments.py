"""A refusal names the argument, and what is in it only where that is public."""

import numpy as np
import pytest

from dpcourse.accounting import PrivacyAccountant
from dpcourse.federated import AdaptiveClip, FederatedClient, FederatedServer, LocalTraining, PrivateLocalTraining
from dpcourse.federated.accounting import subsampled_gaussian_epsilon
from dpcourse.federated.secure.fixed_point import FixedPoint
from dpcourse.learning import DPLogisticRegression
from dpcourse.mechanisms import (
    AboveThreshold,
    ExponentialMechanism,
    GaussianMechanism,
    GeometricMechanism,
    LaplaceMechanism,
    NoisyMax,
)
from dpcourse.pate import ConfidentAggregator
from dpcourse.privacy import arguments
from dpcourse.synthetic import NoisyCounts

LABELS = np.array([0, 1])
TAKERS = {  # one array each, which may be private
    "laplace": LaplaceMechanism(1.0).release,
    "geometric": GeometricMechanism(1.0).release,
    "gaussian": GaussianMechanism(1.0, 1e-5).release,
    "probabilities": ExponentialMechanism(1.0).probabilities,
    "exponential": lambda values: ExponentialMechanism(1.0).select("ab", values),
    "noisy max": lambda values: NoisyMax(1.0).select("ab", values),
    "run": AboveThreshold(1.0, 0.0).answer,
    "session": lambda values: AboveThreshold(1.0, 0.0).session(0).ask(values[0]),
    "votes": lambda values: ConfidentAggregator(6, 2, 1).answer(values[None], max_answers=1),
    "vector": FixedPoint(32, 1).steps,
    "counts": NoisyCounts(5.0).release,
    "client": lambda values: FederatedClient("fab", (values[:, None], LABELS), LocalTraining()),
}


@pytest.mark.parametrize("value", ["81000", np.str_("81000"), np.nan, 81000.5j], ids=repr)
@pytest.mark.parametrize("taker", TAKERS)
def test_what_may_be_private_is_not_printed(taker, value):
    for values in (np.array([value, value]), np.array([value, value], dtype=object)):
        with pytest.raises((TypeError, ValueError), match="must ") as error:
            TAKERS[taker](values)
        said = str(error.value)
        assert "81000" not in said and "<U" not in said, said


@pytest.mark.parametrize("taker", ["laplace", "geometric", "gaussian", "vector", "counts"])
def test_a_value_too_large_is_not_printed(taker):
    with pytest.raises(ValueError, match="with shape") as error:
        TAKERS[taker](np.array([7, -(2**62) - 1234]))
    assert "1234" not in str(error.value) and "e+18" not in str(error.value)


def test_a_client_does_not_print_a_label():
    with pytest.raises(ValueError, match="labels in data must be 0 or 1") as error:
        FederatedClient("fab", (np.zeros((2, 1)), np.array([0, 81000])), LocalTraining())
    assert "81000" not in str(error.value)


TOO_LITTLE = {
    "gaussian": (GaussianMechanism.from_noise_multiplier, "noise_multiplier"),
    "counts": (NoisyCounts, "sigma"),
    "server": (lambda z: FederatedServer(np.zeros(3), clip_norm=1.0, noise_multiplier=z), "noise_multiplier"),
    "adaptive clip": (AdaptiveClip().update_noise_multiplier, "noise_multiplier"),
    "client's rule": (lambda z: PrivateLocalTraining(50, z), "noise_multiplier"),
    "rounds": (lambda z: subsampled_gaussian_epsilon(z, 0.5, 3, 1e-5), "noise_multiplier"),
    "learner": (lambda z: DPLogisticRegression(noise_multiplier=z).fit(np.eye(2), LABELS), "noise_multiplier"),
}


@pytest.mark.parametrize("maker", TOO_LITTLE)
def test_noise_whose_price_no_float_holds_is_refused(maker):
    make, name = TOO_LITTLE[maker]
    for noise in (1e-151, 1e-200, 5e-324):
        with pytest.raises(ValueError, match=f"^{name} must be ≥ 1e-150, got {noise!r}$"):
            make(noise)


def test_the_least_noise_has_a_price():
    for made in (GaussianMechanism.from_noise_multiplier(1e-150), NoisyCounts(1e-150)):
        assert made.zcdp == pytest.approx(5e299)
    gaussian = GaussianMechanism.from_noise_multiplier(1e-150)
    assert PrivacyAccountant().compose(gaussian).epsilon(1e-5) == pytest.approx(5e299)
    assert AdaptiveClip().update_noise_multiplier(1e-150) == 1e-150
    with pytest.warns(UserWarning, match="classic"), pytest.raises(ValueError, match=r"^epsilon must .* got 1e\+200$"):
        GaussianMechanism(1e200, 1e-5, calibration="classic")


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, "1", None, False])
def test_noise_that_is_none_is_refused_where_zero_is_not(bad):
    for zero in (True, False):
        with pytest.raises((TypeError, ValueError), match="^sigma must be") as error:
            arguments.noise("sigma", bad, zero=zero)
        assert repr(bad) in str(error.value)
    assert arguments.noise("sigma", 0, zero=True) == 0
    with pytest.raises(ValueError, match="sigma must be > 0"):
        arguments.noise("sigma", 0)


def test_what_is_public_is_printed():
    with pytest.raises(TypeError, match="weights must hold real numbers, got 'x'"):
        arguments.finite_array("weights", "x")
    with pytest.raises(ValueError, match="weights must be finite, got .*inf"):
        arguments.finite_array("weights", [1.0, np.inf])


@pytest.mark.parametrize("made", [ExponentialMechanism, NoisyMax, AboveThreshold, ConfidentAggregator.answer])
def test_that_a_refusal_tells_of_the_scores_is_said(made):
    said = " ".join(made.__doc__.split())
    assert "output that depends on the data" in said or "refusals as for `ExponentialMechanism`" in said
