"""Noise in parts: the sum has the distribution it should, and the claim covers it where the naive one does not.

False alarms: the chi-square test rejects a correct sampler with probability 1e-6, the audit a true claim with 1e-3.
"""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from dpcourse.accounting import PrivacyAccountant, PrivacyLoss
from dpcourse.audit import audit
from dpcourse.federated import DistributedDiscreteGaussian, SecureAggregator
from dpcourse.federated.secure.noise import headroom
from dpcourse.federated.secure.units import steps_sensitivity
from dpcourse.privacy import Guarantee

ORDERS = np.array([1.05, 1.5, 2, 4, 16])


def masses(sigma: float, clients: int) -> np.ndarray:
    """The exact distribution of the sum, by convolution; centred."""
    reach = math.ceil(30 * sigma) + 2
    one = np.exp(-((np.arange(-reach, reach + 1) / sigma) ** 2) / 2)
    one /= one.sum()
    total = np.ones(1)
    for _ in range(clients):
        total = np.convolve(total, one)
    return total


def divergence(total: np.ndarray, shift: int, orders: np.ndarray) -> np.ndarray:
    """Rényi divergences between the sum and itself shifted, in log space."""
    p, q = total[shift:], total[:-shift]
    seen = (p > 1e-250) & (q > 1e-250)
    p, q = np.log(p[seen]), np.log(q[seen])
    exponents = orders[:, None] * p + (1 - orders[:, None]) * q
    return np.logaddexp.reduce(exponents, axis=1) / (orders - 1)


@pytest.mark.parametrize("sigma", [0.5, 0.6, 0.7, 1.0, 2.0])
@pytest.mark.parametrize("clients", [1, 2, 5, 20])
def test_the_bound_covers_the_exact_divergence(sigma, clients):
    """One coordinate. In several, that no coordinate exceeds (shift/total + τ)²α/2 gives the bound by adding up, since
    Σ(sᵢ + τ)² ≤ (‖s‖ + τ√d)²."""
    total = masses(sigma, clients)
    for shift in (1, 2, 3):
        claim = DistributedDiscreteGaussian(sigma, shift, clients, 1)
        # The divergence of order α comes from outputs around α·shift: those must have masses that floats can hold.
        orders = ORDERS[ORDERS * shift < 20 * claim.total_sigma]
        exact = divergence(total, shift, orders)
        assert orders.size > 2 and (exact <= claim.renyi_divergence(orders) * (1 + 1e-9)).all()


def test_one_gaussian_of_the_same_variance_would_claim_too_little():
    exact = divergence(masses(0.5, 20), 1, ORDERS)
    naive = ORDERS / (2 * 20 * 0.5**2)
    assert (exact / naive).max() > 1.1
    # ... while two steps of noise make the difference vanish.
    assert divergence(masses(2.0, 20), 1, ORDERS) == pytest.approx(ORDERS / (2 * 20 * 2.0**2), rel=1e-9)


def test_the_sum_has_the_convolved_distribution_and_dropouts_take_their_part_along():
    aggregator = SecureAggregator(4, 2, 32, 1, noise=DistributedDiscreteGaussian(1.5, 1, 4, 1), rng=5)
    masked = [aggregator.mask(i, np.zeros(40_000)) for i in range(4)]
    noise = aggregator.aggregate(masked, dropped={1}).astype(int)
    expected = masses(1.5, 3) * noise.size
    reach = expected.size // 2
    counts = np.bincount(noise + reach, minlength=expected.size)
    dense = expected >= 10
    observed = np.append(counts[dense], counts[~dense].sum())
    wanted = np.append(expected[dense], expected[~dense].sum())
    assert chi2.sf(((observed - wanted) ** 2 / wanted).sum(), observed.size - 1) > 1e-6
    assert abs(noise.std() / math.sqrt(3 * 1.5**2) - 1) < 0.02


def test_noise_is_added_in_steps_and_leaves_room_for_itself():
    noise = DistributedDiscreteGaussian(100, 1, 10, 1)
    quiet, noisy = SecureAggregator(10, 6, 16, 4), SecureAggregator(10, 6, 16, 4, noise=noise)
    assert noisy.capacity == pytest.approx(quiet.capacity - headroom(100, 10) / 10 / 4, abs=1)
    with pytest.raises(ValueError, match="modulus_bits must leave"):
        SecureAggregator(10, 6, 8, 4, noise=noise)


def test_calibration_meets_its_budget_and_the_survivors_decide():
    planned = DistributedDiscreteGaussian.calibrate(2.0, 1e-6, sensitivity=500, clients=10, dimension=100, times=5)
    accountant = PrivacyAccountant().compose(planned, times=5)
    for method in ("zcdp", "rdp"):
        assert accountant.epsilon(1e-6, method=method) == pytest.approx(2.0, rel=0.03)
    assert accountant.epsilon(1e-6, method="zcdp") <= 2.0
    fewer, more = (planned.with_clients(m).epsilon(1e-6) for m in (5, 20))
    assert fewer > planned.epsilon(1e-6) > more
    assert planned.with_clients(40).zcdp == pytest.approx(planned.zcdp / 4, rel=1e-6)
    with pytest.raises(ValueError, match='use method "zcdp" or "rdp"'):
        accountant.epsilon(1e-6, method="pld")


def test_rounding_is_in_the_sensitivity():
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(200, 30))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rounded = np.rint(vectors * 10)
    bound = steps_sensitivity(clip=1.0, scale=10, dimension=30)
    assert (np.linalg.norm(rounded, axis=1) <= bound).all()
    assert np.linalg.norm(rounded, axis=1).max() > 10  # the clip alone is no bound


@pytest.mark.parametrize("norm", [1, 2])
def test_a_sensitivity_that_no_float_holds_is_refused(norm):
    with pytest.raises(ValueError, match=r"^clip · scale must fit a float, got 1e\+308 · 10\.0$"):
        steps_sensitivity(1e308, 10.0, 1, norm=norm)


@pytest.mark.parametrize("norm", [1, 2])
def test_a_record_inside_a_rounded_vector_moves_it_farther_than_a_whole_vector_of_its_norm(norm):
    """Contributions spread evenly, added to coordinates just below minus a half: the larger bound is needed."""
    scale, dimension = 5, 21
    contribution = np.full(dimension, 1.0 / dimension ** (1 / norm))
    before = np.full(dimension, -0.5 - 1e-9) / scale  # rounds away from what is added
    moved = np.linalg.norm(np.rint((before + contribution) * scale) - np.rint(before * scale), norm)
    whole = steps_sensitivity(1.0, scale, dimension, norm=norm)
    inside = steps_sensitivity(1.0, scale, dimension, unit="record", norm=norm)
    assert whole < moved <= inside

    rng = np.random.default_rng(3)
    vectors, added = rng.normal(size=(2, 2000, dimension))
    added /= np.linalg.norm(added, norm, axis=1, keepdims=True)
    steps = np.rint((vectors + added) * scale) - np.rint(vectors * scale)
    assert np.linalg.norm(steps, norm, axis=1).max() <= inside
    assert np.linalg.norm(np.rint(added * scale), norm, axis=1).max() <= whole


@pytest.mark.parametrize(("scale", "epsilon"), [(1000, 1.0025), (50, 1.048), (5, 1.35)])
def test_a_client_level_claim_is_too_small_for_a_record(scale, epsilon):
    """21 coordinates, six clients, ε = 1 by the client's sensitivity: what a record is promised by the same noise."""
    vectors = dict(clip=1.0, scale=scale, dimension=21)
    shared = dict(clients=6, dimension=21)
    planned = DistributedDiscreteGaussian.calibrate(1.0, 1e-5, sensitivity=steps_sensitivity(**vectors), **shared)
    inside = steps_sensitivity(**vectors, unit="record")
    of_a_record = DistributedDiscreteGaussian(planned.sigma, inside, **shared, unit="record")
    assert of_a_record.epsilon(1e-5) == pytest.approx(epsilon, abs=5e-4 if scale > 5 else 5e-3)
    right = DistributedDiscreteGaussian.calibrate(1.0, 1e-5, sensitivity=inside, **shared, unit="record")
    assert right.epsilon(1e-5) == pytest.approx(1.0, rel=1e-6) and right.epsilon(1e-5) <= 1.0
    assert right.sigma / planned.sigma == pytest.approx(inside / steps_sensitivity(**vectors), rel=1e-6)


class RoundOfSums:
    """Whole runs of secure aggregation, one a coordinate: each client sends the sum of its records, rounded to steps.

    A client drops out, and another tells the server its noise. Data: the records of the first client.
    """

    def __init__(self, noise, n_clients):
        self.noise, self.n_clients = noise, n_clients

    def __call__(self, data, rng):
        return int(self.batch(data, 1, rng)[0])

    def batch(self, data, runs, rng):
        aggregator = SecureAggregator(self.n_clients, 2, 48, 1, noise=self.noise, rng=rng)
        masked = {i: aggregator.mask(i, np.full(runs, 3.0)) for i in range(2, self.n_clients - 1)}
        masked[0] = aggregator.mask(0, np.full(runs, sum(data)))
        masked[1] = aggregator._sent[1] = aggregator.clients[1].masked_input(np.full(runs, 3.0))
        return aggregator.aggregate(masked, dropped={self.n_clients - 1}).astype(int)


def test_a_record_level_claim_stands_an_audit_and_the_client_level_one_does_not():
    """One coordinate, records of 1.1 steps: 0.45 rounds to 0 and 1.55 to 2. Six clients, four of whom stay quiet.

    The claims are those of one Gaussian of the same σ, which it is here (τ < 1e-8), so that the audit can tell them
    apart. A true claim is refuted with probability 1e-3.
    """
    delta, quiet = 0.01, 4
    client, record = (steps_sensitivity(1.1, 1, 1, unit=unit) for unit in ("client", "record"))
    assert (client, record) == (1.6, 2.1)
    noise = DistributedDiscreteGaussian(1.5, record, quiet, 1, unit="record")
    assert noise.inflation < 1e-8

    def claim(sensitivity):
        return Guarantee(PrivacyLoss.gaussian(noise.total_sigma / sensitivity).epsilon(delta), delta)

    result = audit(RoundOfSums(noise, 6), [0.45, 1.1], [0.45], claim=claim(record), runs=200_000, rng=41)
    assert not result.violated and result.epsilon_lower > claim(client).epsilon
    assert noise.epsilon(delta) >= claim(record).epsilon


def test_the_claim_says_what_it_rests_on():
    claim = DistributedDiscreteGaussian(100.0, 500, 8, 10)
    text = str(claim.guarantee_at(1e-6))
    assert "δ=1e-06" in text and "at least 8" in text and "public" in text and "one client's vector" in text
    record = DistributedDiscreteGaussian(100.0, 500, 8, 10, unit="record").with_clients(7)
    assert "adds up to its vector" in str(record.guarantee_at(1e-6)) and "at least 7" in record.condition
    with pytest.raises(ValueError, match="guarantee_at"):
        _ = claim.guarantee


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.4, 1, 2, 1), "sigma must be ≥ 0.5 steps"),
        ((1, 0, 2, 1), "sensitivity must be > 0"),
        ((1, 1, 0, 1), "clients must be ≥ 1, got 0"),
        ((1, 1, 2, 0), "dimension must be ≥ 1, got 0"),
        ((1, 1, 2, 1, "fab"), "unit must be"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        DistributedDiscreteGaussian(*arguments)
