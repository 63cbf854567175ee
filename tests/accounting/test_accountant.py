"""The accountant: every method, both relations, conversions and refusals, on stand-ins for the mechanisms."""

from __future__ import annotations

import contextlib
import functools
import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom

from dpcourse.accounting import PrivacyAccountant, PrivacyLoss, renyi
from dpcourse.privacy import Guarantee, Neighbours

REMOVE, REPLACE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE


@dataclass(frozen=True)
class Laplace:
    epsilon: float
    neighbours: Neighbours = REMOVE

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, 0.0, self.neighbours)

    def privacy_loss(self) -> PrivacyLoss:
        return PrivacyLoss.laplace(self.epsilon)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        return renyi.laplace(self.epsilon, orders)

    @property
    def zcdp(self) -> float:
        return self.epsilon**2 / 2


@dataclass(frozen=True)
class Gaussian:
    noise_multiplier: float
    delta: float | None = 1e-7
    neighbours: Neighbours = REMOVE

    @property
    def guarantee(self) -> Guarantee:
        if self.delta is None:
            raise ValueError("without a delta there is no claim")
        return Guarantee(self.privacy_loss().epsilon(self.delta), self.delta, self.neighbours)

    def privacy_loss(self) -> PrivacyLoss:
        return PrivacyLoss.gaussian(self.noise_multiplier)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        return renyi.gaussian(self.noise_multiplier, orders)

    @property
    def zcdp(self) -> float:
        return 1 / (2 * self.noise_multiplier**2)


@dataclass(frozen=True)
class Subsampled:
    noise_multiplier: float
    rate: float
    neighbours: Neighbours = REMOVE

    def privacy_loss(self) -> PrivacyLoss:
        return PrivacyLoss.gaussian(self.noise_multiplier).poisson_subsampled(self.rate)

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.privacy_loss().epsilon(1e-9), 1e-9)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        return renyi.subsampled_gaussian(self.noise_multiplier, self.rate, orders)

    @property
    def zcdp(self) -> float:
        raise ValueError("subsampling has no useful ρ")


def mixed(neighbours: Neighbours = REMOVE) -> PrivacyAccountant:
    return (
        PrivacyAccountant(neighbours)
        .compose(Laplace(0.1), 20)
        .compose(Gaussian(5.0), 3)
        .compose(Guarantee(0.05), 10)
        .compose(Subsampled(1.0, 0.01), 100)
    )


def test_a_mixed_ledger_by_each_method():
    accountant = mixed()
    price = {method: accountant.epsilon(1e-5, method=method) for method in ("pld", "rdp", "advanced", "basic")}
    assert price["pld"] <= price["rdp"] and price["pld"] <= price["basic"] and price["pld"] <= price["advanced"]
    assert accountant.epsilon(1e-5) == min(price.values())
    with pytest.raises(ValueError, match="no useful ρ"):
        accountant.epsilon(1e-5, method="zcdp")
    without = PrivacyAccountant().compose(Laplace(0.1), 20).compose(Gaussian(5.0), 3).compose(Guarantee(0.05), 10)
    assert without.epsilon(1e-5) <= without.epsilon(1e-5, method="rdp") <= without.epsilon(1e-5, method="zcdp") * 1.001


def test_a_ledger_under_replace_one():
    accountant = (
        PrivacyAccountant(REPLACE)
        .compose(Laplace(0.1, REPLACE), 10)
        .compose(Gaussian(5.0, neighbours=REPLACE))
        .compose(Guarantee(1.0, 0.0, REPLACE), 2)
    )
    prices = [accountant.epsilon(1e-5, method=method) for method in PrivacyAccountant.METHODS]
    assert accountant.epsilon(1e-5) == prices[0] == min(prices)
    assert str(accountant.guarantee(1e-5)).endswith("replacing one record")


def test_the_mechanisms_of_the_course():
    """The same with the real ones: they speak the interface that the stand-ins above imitate."""
    from dpcourse.local import RandomizedResponse
    from dpcourse.mechanisms import ExponentialMechanism, GaussianMechanism, LaplaceMechanism, PoissonSubsampled

    step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(1.1, delta=1e-8), 0.01)
    removing = PrivacyAccountant().compose(LaplaceMechanism(0.1), 20).compose(GaussianMechanism(0.5, 1e-7), 3)
    removing.compose(ExponentialMechanism(0.1), 5).compose(step, 200)
    replacing = PrivacyAccountant(REPLACE).compose(LaplaceMechanism(0.1, neighbours=REPLACE), 20)
    replacing.compose(GaussianMechanism(0.5, 1e-7, neighbours=REPLACE), 3).compose(RandomizedResponse(0.5, 4), 2)
    for accountant, methods in ((removing, ("rdp", "advanced", "basic")), (replacing, PrivacyAccountant.METHODS)):
        best = accountant.epsilon(1e-5)
        assert 0 < best <= min(accountant.epsilon(1e-5, method=method) for method in methods)
    with pytest.raises(ValueError, match="zCDP"):
        removing.epsilon(1e-5, method="zcdp")
    before = replacing.epsilon(1e-5)
    assert before < replacing.compose(step, 200).epsilon(1e-5) < math.inf
    with pytest.raises(ValueError, match="got RandomizedResponse"):
        removing.compose(RandomizedResponse(0.5, 4))


@pytest.mark.parametrize(
    ("times", "epsilon", "alone", "at_most"), [(50, 1.0, 25.42, 23.71), (1000, 0.1, 9.84, 8.86), (100, 0.1, 2.61, 2.42)]
)
def test_the_price_of_many_choices(times, epsilon, alone, at_most):
    """The pair composed alone, against an independent library given its δ(a); and the least of all methods."""
    from dp_accounting.pld import pld_pmf, privacy_loss_distribution

    from dpcourse.mechanisms import ExponentialMechanism

    accountant = PrivacyAccountant().compose(ExponentialMechanism(epsilon), times)
    assert accountant.epsilon(1e-6, method="pld") == pytest.approx(alone, rel=5e-3)
    assert accountant.epsilon(1e-6) <= at_most
    grid = np.arange(-1000, 1001)
    deltas = (1 - np.exp((grid / 1000 - 1) * epsilon / 2)) ** 2 / (1 - np.exp(-epsilon))
    pmf = pld_pmf.create_pmf_pessimistic_connect_dots(epsilon / 1000, grid, deltas)
    theirs = privacy_loss_distribution.PrivacyLossDistribution(pmf).self_compose(times).get_epsilon_for_delta(1e-6)
    assert accountant.epsilon(1e-6, method="pld") == pytest.approx(theirs, rel=1e-3)


def optimal_choices(epsilon: float, times: int, delta: float) -> float:
    """ε of `times` equal choices between two candidates, the worst of those that stay the same; all outcomes counted.

    Each choice has the losses t and t − ε (see `BoundedRange`): the sum is binomial, for each t.
    """
    worst, counts = 0.0, np.arange(times + 1)
    for t in np.linspace(0, epsilon, 42)[1:-1]:
        q = np.expm1(t - epsilon) * np.exp(-t) / np.expm1(-epsilon)
        loss = PrivacyLoss.from_masses(binom.pmf(counts, times, q * np.exp(t)), binom.pmf(counts, times, q))
        worst = max(worst, loss.epsilon(delta))
    return worst


@settings(max_examples=15, deadline=None)
@given(epsilon=st.floats(0.05, 3), times=st.integers(1, 60), delta=st.floats(1e-9, 1e-2))
def test_no_method_is_below_the_exact_price_of_choices(epsilon, times, delta):
    from dpcourse.mechanisms import ExponentialMechanism

    accountant = PrivacyAccountant().compose(ExponentialMechanism(epsilon), times)
    exact = optimal_choices(epsilon, times, delta)
    assert exact <= accountant.epsilon(delta) * (1 + 1e-9)
    twice = PrivacyAccountant(REPLACE).compose(ExponentialMechanism(epsilon), times)
    assert optimal_choices(2 * epsilon, times, delta) <= twice.epsilon(delta) * (1 + 1e-9)


def two_sided(decay: float, shift: int) -> np.ndarray:
    """Masses of shift + geometric noise on −1500..1500; the rest is below 1e-30 for what is asked here."""
    masses = decay ** np.abs(np.arange(-1500, 1501) - shift)
    return masses / masses.sum()


def every_mechanism(epsilon: float) -> list[tuple]:
    """Each mechanism, and its output distributions on one pair of neighbours where they can be written down."""
    from dpcourse import mechanisms as m
    from dpcourse.local import RandomizedResponse, UnaryEncoding

    gaussian, choice = m.GaussianMechanism(epsilon, 1e-7), m.ExponentialMechanism(epsilon)
    rising, response = m.ExponentialMechanism(epsilon, monotonic=True), RandomizedResponse(epsilon, 4)
    chosen = choice.probabilities([0.0, 1.0, 3.0]), choice.probabilities([1.0, 0.0, 2.0])
    raised = rising.probabilities([0.0, 1.0, 3.0]), rising.probabilities([1.0, 1.0, 3.0])
    loses = [(2 + gap) * math.exp(-gap) / 4 for gap in (0.2, 0.2 + epsilon)]  # two Laplace noises differ by less
    told = np.array([response.truth_probability, *[response.lie_probability] * 3])
    bits = UnaryEncoding(epsilon, 5)
    lie = 1 / (math.exp(epsilon) + 1)
    ones = [(1 - lie) / 2, lie / 2]  # of the two bits that differ only the first is 1, or only the second
    decay = math.exp(-epsilon / 2)
    worst = [1e-9, *(1 - 1e-9) * np.array([math.exp(epsilon), 1]) / (1 + math.exp(epsilon)), 0]
    return [
        (m.LaplaceMechanism(epsilon), None),
        (m.GeometricMechanism(epsilon, 2), (two_sided(decay, 0), two_sided(decay, 2))),
        (gaussian, None),
        (m.GaussianMechanism.from_noise_multiplier(1 / epsilon), None),
        (choice, chosen),
        (rising, raised),
        (m.NoisyMax(epsilon), ([1 - loses[0], loses[0]], [1 - loses[1], loses[1]])),
        (m.AboveThreshold(epsilon, 10.0), None),
        (m.PoissonSubsampled(gaussian, 0.1), None),
        (m.PoissonSubsampled(choice, 0.1), (0.9 * chosen[1] + 0.1 * chosen[0], chosen[1])),
        (response, (told, told[[1, 0, 2, 3]])),
        (bits, ([*ones, 1 - sum(ones)], [*ones[::-1], 1 - sum(ones)])),
        (Guarantee(epsilon, 1e-9), (worst, worst[::-1])),
    ]


def enumerated(p, q, times: int, delta: float) -> float:
    """The exact ε of `times` runs from all sequences of outputs."""
    p, q = (functools.reduce(np.kron, [np.asarray(masses, dtype=float)] * times) for masses in (p, q))

    def excess(epsilon: float) -> float:
        return max(np.maximum(a - math.exp(epsilon) * b, 0.0).sum() for a, b in ((p, q), (q, p))) - delta

    return brentq(excess, 0.0, 50.0, xtol=1e-12) if excess(0.0) > 0 else 0.0


@settings(max_examples=6, deadline=None)
@given(epsilon=st.floats(0.1, 2), times=st.integers(1, 3), delta=st.floats(1e-6, 1e-2))
def test_best_is_never_above_another_method_and_never_below_the_exact_value(epsilon, times, delta):
    for mechanism, outputs in every_mechanism(epsilon):
        accountant = PrivacyAccountant(mechanism.neighbours).compose(mechanism, times)
        best, valid = accountant.epsilon(delta), []
        for method in PrivacyAccountant.METHODS:
            with contextlib.suppress(ValueError):
                valid.append(accountant.epsilon(delta, method))
        assert len(valid) >= 2 and best == min(valid)
        runs = times if outputs is None or len(outputs[0]) < 100 else 1
        if outputs is not None:
            at_least = enumerated(*outputs, runs, delta)
            assert at_least <= best * (1 + 1e-9) + 1e-9, (mechanism, times, at_least, best)
            assert accountant.delta(best * 1.003) <= delta * (1 + 1e-6)  # a δ on the grid is as exact as its ε
        curve = accountant.delta(np.array([0.0, best]))
        assert (curve <= accountant.delta(np.array([0.0, best]), "pld")).all()


@pytest.mark.parametrize("epsilon", [1e-300, 1e-160, 1e-12, 1e-3, 100.0, 700.0, 1e4, 1e8, 1e200])
def test_choices_of_any_size(epsilon):
    """No method makes nothing of a tiny ε at δ = 0, or something of a huge one."""
    from dpcourse.mechanisms import ExponentialMechanism

    accountant = PrivacyAccountant().compose(ExponentialMechanism(epsilon), 3)
    assert accountant.epsilon(0.0) == pytest.approx(3 * epsilon, rel=1e-9)
    assert accountant.epsilon(1e-6) <= 3 * epsilon * (1 + 1e-9)
    curve = renyi.bounded_range(epsilon, np.array(renyi.DEFAULT_ORDERS))
    assert (np.diff(curve) >= -1e-12 * curve[1:]).all() and (curve <= epsilon * (1 + 1e-12)).all()
    if epsilon >= 100:
        assert curve[-1] > 0.99 * epsilon and accountant.epsilon(1e-6) > 2.9 * epsilon


def test_types_ask_nothing():
    """`isinstance` must not evaluate a claim that raises; a class is not its instance, a bare loss is enough."""
    from dpcourse.mechanisms import GaussianMechanism, HasPrivacyLoss, Mechanism

    without = GaussianMechanism.from_noise_multiplier(2.0)
    with pytest.raises(ValueError, match="no .* claim"):
        without.guarantee  # noqa: B018
    assert isinstance(without, HasPrivacyLoss) and isinstance(without, Mechanism)
    bare = SimpleNamespace(privacy_loss=lambda: PrivacyLoss.gaussian(2.0), neighbours=REMOVE)
    assert isinstance(bare, HasPrivacyLoss) and not isinstance(bare, Mechanism)
    accountant = PrivacyAccountant().compose(bare)
    assert accountant.epsilon(1e-5) == PrivacyLoss.gaussian(2.0).epsilon(1e-5)
    with pytest.raises(ValueError, match=r"only method 'pld' can price a mechanism without \.renyi_divergence"):
        accountant.epsilon(1e-5, "rdp")
    assert not isinstance(Guarantee(1.0), HasPrivacyLoss)


def test_methods_agree_with_their_formulas():
    accountant = PrivacyAccountant().compose(Laplace(0.1), times=100)
    assert accountant.epsilon(1e-5) == pytest.approx(4.22035, rel=1e-3)
    assert accountant.epsilon(1e-5, method="basic") == pytest.approx(10)
    assert accountant.epsilon(1e-5, method="advanced") == pytest.approx(5.85024, rel=1e-5)
    gaussians = PrivacyAccountant().compose(Gaussian(2.0), 4)
    assert gaussians.epsilon(1e-5) == pytest.approx(4.377178, abs=1e-6)
    assert gaussians.delta(1.0) == pytest.approx(0.1269367, abs=1e-7)
    assert gaussians.epsilon(1e-5, method="zcdp") == renyi.epsilon_from_zcdp(0.5, 1e-5)
    np.testing.assert_allclose(
        gaussians.delta(np.array([1.0, 2.0])), PrivacyLoss.gaussian(1.0).delta(np.array([1.0, 2.0]))
    )


def test_adding_up_takes_no_longer_for_many_runs():
    accountant = PrivacyAccountant().compose(Guarantee(1e-9, 1e-18), 10**8).compose(Laplace(0.25), 2)
    assert accountant.epsilon(1e-9, method="basic") == 0.6
    assert accountant.epsilon(1e-9, method="advanced") < 4
    assert PrivacyAccountant().compose(Guarantee(1e200)).epsilon(1e-5, method="zcdp") == math.inf


def test_a_claim_about_replacing_says_nothing_about_removing():
    with pytest.raises(ValueError, match="about adding or removing one record, got .*replacing one record"):
        PrivacyAccountant().compose(Guarantee(1.0, 0.0, REPLACE))
    with pytest.raises(ValueError, match="mechanism_or_guarantee must be a claim about"):
        PrivacyAccountant().compose(Laplace(1.0, REPLACE))


def test_removing_and_adding_is_replacing():
    """A claim about one step is read as one about two: (ε, δ) → (2ε, (1 + e^ε)δ), μ → 2μ, ρ → 4ρ."""
    claim = PrivacyAccountant(REPLACE).compose(Guarantee(1.0, 1e-7))
    total = (1 + math.e) * 1e-7
    assert claim.epsilon(total, method="basic") == 2.0
    assert claim.epsilon(total) == pytest.approx(2.0, rel=1e-6)
    assert claim.epsilon(0.99 * total, method="basic") == math.inf
    gaussian = PrivacyAccountant(REPLACE).compose(Gaussian(2.0))
    assert gaussian.epsilon(1e-5) == pytest.approx(4.377178, abs=1e-6)
    assert gaussian.epsilon(1e-5, method="zcdp") == renyi.epsilon_from_zcdp(0.5, 1e-5)
    direct = PrivacyAccountant(REPLACE).compose(Gaussian(1.0, neighbours=REPLACE))
    assert gaussian.epsilon(1e-5, method="rdp") == pytest.approx(direct.epsilon(1e-5, method="rdp"), rel=1e-12)
    laplace = PrivacyAccountant(REPLACE).compose(Laplace(0.5))
    assert laplace.epsilon(0.0) == 1.0 and laplace.epsilon(0.0, method="basic") == 1.0
    assert "read as replacing one record" in str(laplace)
    everything = mixed(REPLACE)
    assert mixed().epsilon(1e-5) < everything.epsilon(1e-5) <= everything.epsilon(1e-5, method="rdp")
    assert everything.ledger[0].converted


def test_bare_claims_with_delta_have_no_renyi_curve():
    accountant = PrivacyAccountant().compose(Guarantee(1.0, 1e-6))
    for method in ("rdp", "zcdp"):
        with pytest.raises(ValueError, match=f"method '{method}' cannot price a bare claim with δ > 0"):
            accountant.epsilon(1e-5, method=method)
    assert accountant.epsilon(1e-5) <= 1.0 and accountant.epsilon(1e-5, method="basic") == 1.0


def test_a_gaussian_without_delta_has_no_claim_to_add_up():
    accountant = PrivacyAccountant().compose(Gaussian(2.0, delta=None))
    assert accountant.epsilon(1e-5) == pytest.approx(1.993091, abs=1e-6)
    with pytest.raises(ValueError, match="without a delta"):
        accountant.epsilon(1e-5, method="basic")


def test_what_cannot_be_proved_is_infinite():
    accountant = PrivacyAccountant().compose(Guarantee(0.1, 1e-6), 10)
    assert accountant.epsilon(9e-6, method="basic") == math.inf
    assert accountant.epsilon(1e-5, method="basic") == pytest.approx(1.0)
    assert accountant.epsilon(1e-5, method="advanced") == math.inf
    assert accountant.epsilon(9e-6) == math.inf


def test_empty_ledger():
    accountant = PrivacyAccountant()
    assert all(accountant.epsilon(0.0, method=method) == 0.0 for method in PrivacyAccountant.METHODS)
    assert accountant.delta(0.0) == 0.0 and accountant.ledger == ()


def test_the_ledger_can_be_read():
    accountant = PrivacyAccountant().compose(Guarantee(0.1), times=3)
    assert len(accountant.ledger) == 1 and accountant.ledger[0].times == 3
    assert str(accountant.ledger[0]) == "3 × (ε=0.1, δ=0)-DP, adding or removing one record"
    with pytest.raises(AttributeError):
        accountant.ledger[0].times = 1


@settings(max_examples=10, deadline=None)
@given(
    laplace=st.floats(0.02, 1),
    noise=st.floats(1, 10),
    rate=st.floats(1e-3, 0.5),
    times=st.integers(1, 200),
    neighbours=st.sampled_from(list(Neighbours)),
)
def test_pld_is_never_the_worse_method(laplace, noise, rate, times, neighbours):
    accountant = (
        PrivacyAccountant(neighbours)
        .compose(Laplace(laplace), times)
        .compose(Gaussian(noise))
        .compose(Subsampled(noise, rate), times)
    )
    best = accountant.epsilon(1e-5)
    for method in ("rdp", "basic"):
        assert best <= accountant.epsilon(1e-5, method=method) * (1 + 1e-3)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: PrivacyAccountant("add-remove"), TypeError, "neighbours must be a Neighbours, got 'add-remove'"),
        (lambda: PrivacyAccountant().compose(1.0), TypeError, "must be a mechanism or a Guarantee, got 1.0"),
        (lambda: PrivacyAccountant().compose(Laplace), TypeError, "must be a mechanism or a Guarantee"),
        (
            lambda: PrivacyAccountant().compose(SimpleNamespace(privacy_loss=PrivacyLoss.identity)),
            TypeError,
            "mechanism_or_guarantee.neighbours must be a Neighbours, got None",
        ),
        (lambda: PrivacyAccountant().compose(Guarantee(1.0), 10**400), ValueError, "times must fit a float"),
        (lambda: PrivacyAccountant().compose(Guarantee(1.0), 2**53 + 1), ValueError, f"times must be ≤ {2**53}, got"),
        (lambda: PrivacyAccountant().compose(Guarantee(1.0), 0), ValueError, "times must be ≥ 1, got 0"),
        (lambda: PrivacyAccountant().compose(Guarantee(1.0), 1.5), TypeError, "times must be an integer, got 1.5"),
        (lambda: PrivacyAccountant().epsilon(1.0), ValueError, r"delta must be in \[0, 1\), got 1.0"),
        (lambda: PrivacyAccountant().epsilon(1e-5, method="moments"), ValueError, "method must be one of .*'moments'"),
    ],
)
def test_bad_arguments_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call()
