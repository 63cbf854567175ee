"""Discrete Laplace noise in shares: the sum is what it should be, and those who stay get the ε that is claimed.

False alarms: each chi-square test rejects a correct sampler with probability 1e-6, each audit a true claim with 1e-3.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2, dlaplace

from dpcourse.accounting import PrivacyAccountant
from dpcourse.audit import audit
from dpcourse.federated import DistributedDiscreteLaplace, SecureAggregator
from dpcourse.mechanisms import GeometricMechanism, sampling
from dpcourse.mechanisms.sampling import laplace_share
from dpcourse.privacy import Guarantee


def masses(scale: float, shares: float) -> np.ndarray:
    """P[sum = k] of so many whole noises, k = 0, 1, …: the Fourier inverse of its characteristic function."""
    decay = math.exp(-1 / scale)
    size = 1 << math.ceil(math.log2(100 * scale + 64))
    angles = 2 * np.pi * np.arange(size) / size
    transform = ((1 - decay) ** 2 / (1 - 2 * decay * np.cos(angles) + decay**2)) ** shares
    return np.fft.ifft(transform).real[: size // 2]


def fits(draws: np.ndarray, expected: np.ndarray) -> bool:
    """Chi-square against P[k] of k ≥ 0, symmetric, on cells of at least 10 expected draws."""
    reach = expected.size - 1
    expected = np.concatenate([expected[:0:-1], expected]) * draws.size
    counts = np.bincount(np.clip(draws + reach, 0, 2 * reach), minlength=2 * reach + 1)
    dense = expected >= 10
    observed = np.append(counts[dense], counts[~dense].sum())
    wanted = np.append(expected[dense], draws.size - expected[dense].sum())
    keep = wanted > 5
    return bool(chi2.sf(((observed - wanted)[keep] ** 2 / wanted[keep]).sum(), keep.sum() - 1) > 1e-6)


@pytest.mark.parametrize("scale", [Fraction(1, 5), 1, 3.3, 20])
@pytest.mark.parametrize("shares", [1, 2, 15])
def test_a_share_has_its_distribution_and_the_shares_add_up(scale, shares):
    draws = laplace_share(scale, shares, (shares, 60_000), rng=21)
    assert draws.dtype == np.int64
    assert fits(draws[0], masses(float(scale), 1 / shares))
    whole = dlaplace(1 / float(scale)).pmf(np.arange(math.ceil(60 * scale) + 5))
    assert fits(draws.sum(axis=0), whole)


def test_close_calls_are_settled_exactly(monkeypatch):
    """With the doubt made wide, many comparisons take the slow exact way, and the distribution stays the same."""
    settled, below = [], sampling._below
    monkeypatch.setattr(sampling, "_DOUBT", 0.05)
    monkeypatch.setattr(sampling, "_below", lambda *args: settled.append(1) or below(*args))
    draws = laplace_share(3.3, 4, 5_000, rng=22)
    assert len(settled) > 1000 and fits(draws, masses(3.3, 1 / 4))


@pytest.mark.parametrize(("k", "shares"), [(0, 3), (1, 3), (7, 3), (40, 12), (5, 1)])
def test_a_close_call_is_settled_at_the_exact_ratio_of_negative_binomial_to_geometric(monkeypatch, k, shares):
    """Γ(k + r)/(Γ(r) k!) with r = 1/shares; a uniform number is below it or not, however close."""
    asked = []
    monkeypatch.setattr(sampling, "_DOUBT", 2.0)
    monkeypatch.setattr(sampling, "_below", lambda uniform, threshold: asked.append(threshold) or True)
    sampling._kept(np.array([k]), shares, np.random.default_rng(1))
    exact = math.gamma(k + 1 / shares) / math.gamma(1 / shares) / math.factorial(k)
    assert float(asked[0]) == pytest.approx(exact, rel=1e-12)


def test_a_uniform_number_is_compared_with_as_many_digits_as_it_takes():
    rng = np.random.default_rng(2)
    third = sampling._Uniform(rng, 2**sampling._BITS // 3)  # one third lies within its last digit
    below = sampling._below(third, Fraction(1, 3))
    assert third.bits > sampling._BITS and below == (Fraction(third.digits, 2**third.bits) < Fraction(1, 3))
    assert sampling._below(sampling._Uniform(rng, 0), Fraction(1)) and not sampling._below(
        sampling._Uniform(rng, 5), Fraction(5, 2**sampling._BITS)
    )


@pytest.mark.parametrize(("epsilon", "sensitivity"), [(0.5, 1), (5.0, 1), (1.0, 3), (0.7, 40), (40.0, 900)])
@pytest.mark.parametrize("stayers", [1, 3, 8, 14, 15])
def test_the_claim_of_those_who_stay_is_exact_for_one_coordinate(epsilon, sensitivity, stayers):
    """Against the masses of m shares, by the Fourier transform, at every output where they are not rounding."""
    noise = DistributedDiscreteLaplace(epsilon, sensitivity, threshold=15, clients=stayers)
    p = masses(noise.scale, stayers / 15)
    both = np.concatenate([p[:0:-1], p])
    here, there = both[:-sensitivity], both[sensitivity:]
    seen = (here > 1e-9 * p[0]) & (there > 1e-9 * p[0])
    if not seen.any():
        return
    loss = np.abs(np.log(here[seen] / there[seen])).max()
    assert loss <= noise.guarantee.epsilon * (1 + 1e-4)
    if p[sensitivity] > 1e-9 * p[0]:
        assert noise.guarantee.epsilon == pytest.approx(loss, rel=1e-4)


@pytest.mark.parametrize(("sensitivity", "dimension"), [(2, 2), (3, 2), (5, 2), (1, 4), (4, 3), (7, 30)])
def test_a_record_that_spreads_over_coordinates_costs_what_is_claimed(sensitivity, dimension):
    """Every way to spread Δ over the coordinates, at the output that tells most."""
    noise = DistributedDiscreteLaplace(1.0, sensitivity, threshold=6, clients=4, dimension=dimension)
    p = masses(noise.scale, 4 / 6)
    cost = np.log(p[0] / p[: sensitivity + 1])
    best = np.zeros(sensitivity + 1)  # the dearest way to spend 0, 1, … steps on the coordinates so far
    for _ in range(dimension):
        best = np.array([max(best[s - k] + cost[k] for k in range(s + 1)) for s in range(sensitivity + 1)])
    assert best[-1] <= noise.guarantee.epsilon <= best[-1] + 2e-6
    assert noise.with_clients(6).guarantee.epsilon == noise.with_clients(60).guarantee.epsilon == 1.0


@pytest.mark.parametrize(("epsilon", "sensitivity"), [(1e4, 1), (8.0, 2**19), (2**-16, 1), (20.0, 20 * 2**16)])
def test_the_claim_is_finite_and_above_the_planned_one_at_the_ends_of_the_range(epsilon, sensitivity):
    noise = DistributedDiscreteLaplace(epsilon, sensitivity, threshold=100)
    few, most = (noise.with_clients(m).guarantee.epsilon for m in (50, 99))
    assert epsilon < most < few < math.inf


def test_published_shares_of_a_fifteenth():
    """One dropout of 15 turns ε = 0.5 into 0.556; eight stayers are left with 1.07."""
    noise = DistributedDiscreteLaplace(0.5, 1, 15)
    assert noise.with_clients(14).guarantee.epsilon == pytest.approx(0.556, abs=5e-4)
    assert noise.with_clients(8).guarantee.epsilon == pytest.approx(1.073, abs=5e-4)


@pytest.mark.parametrize("clients", [3, 6, 12])
def test_every_method_of_the_accountant_takes_it(clients):
    noise = DistributedDiscreteLaplace(0.3, 2, 6, clients, dimension=2)
    one = GeometricMechanism(noise.guarantee.epsilon, 2)
    for method in ("pld", "rdp", "zcdp", "basic"):
        spent = PrivacyAccountant().compose(noise, times=10).epsilon(1e-6, method=method)
        assert spent >= PrivacyAccountant().compose(one, times=10).epsilon(1e-6, method=method) * (1 - 1e-9)
        if method in ("pld", "basic"):  # the others only bound a loss that is pure
            assert spent <= 10 * noise.guarantee.epsilon * (1 + 1e-9)


def test_a_larger_sum_has_its_variance_and_stays_in_its_headroom():
    for epsilon, sensitivity, threshold, n in ((0.5, 1, 15, 15), (5.0, 1, 3, 40), (0.1, 30, 4, 12)):
        noise = DistributedDiscreteLaplace(epsilon, sensitivity, threshold, n)
        p = masses(noise.scale, n / threshold)
        k = np.arange(p.size)
        assert noise.variance == pytest.approx(2 * (p * k**2).sum(), rel=1e-6)
        # The bound holds for any part of what is kept free; at a tenth of its exponent, floats can tell.
        room = noise.headroom(n) - 90 * noise.scale
        assert 2 * p[math.ceil(room) + 1 :].sum() <= 2 * math.exp(-5) and room > 0


class Round:
    """Whole runs of secure aggregation, one a coordinate: a client drops out, another tells its noise to the server.

    Data: one whole number, the count that the first client sends. What the server sees is the sum less the noise that
    the colluder told it.
    """

    def __init__(self, noise, n_clients, colluders=1):
        self.noise, self.n_clients, self.colluders = noise, n_clients, colluders

    def __call__(self, data, rng):
        return int(self.batch(data, 1, rng)[0])

    def batch(self, data, runs, rng):
        aggregator = SecureAggregator(self.n_clients, 2, 48, 1, noise=self.noise, rng=rng)
        masked = {}
        for i in range(self.n_clients - 1):  # the last one drops out
            vector = np.full(runs, data if i == 0 else 10, dtype=np.int64)
            if 0 < i <= self.colluders:  # noise that is known is as good as none
                masked[i] = aggregator._sent[i] = aggregator.clients[i].masked_input(vector)
            else:
                masked[i] = aggregator.mask(i, vector)
        return aggregator.aggregate(masked, dropped={self.n_clients - 1}).astype(int)


def test_a_dropout_and_a_colluder_do_not_break_a_claim_that_counts_neither():
    """Six clients, four of whom stay and keep quiet."""
    noise = DistributedDiscreteLaplace(1.0, 1, threshold=4)
    result = audit(Round(noise, 6), 5, 6, claim=noise.guarantee, runs=100_000, rng=31)
    assert not result.violated and result.epsilon_lower > 0.9


def test_shares_for_six_are_refuted_when_four_stay_and_right_when_their_claim_is_asked_for():
    planned = DistributedDiscreteLaplace(1.0, 1, threshold=6)
    mechanism = Round(planned, 6)
    naive = audit(mechanism, 5, 6, claim=planned.guarantee, runs=100_000, rng=32)
    assert naive.violated
    known = audit(mechanism, 5, 6, claim=planned.with_clients(4).guarantee, runs=100_000, rng=33)
    assert not known.violated and known.epsilon_lower > 0.9 * known.claim.epsilon


@pytest.mark.audit
@pytest.mark.parametrize(("epsilon", "threshold"), [(1.0, 4), (1.0, 6), (0.5, 15), (3.0, 5)])
def test_the_claims_of_those_who_stay_stand_twenty_audits(epsilon, threshold):
    """Four of six stay. At 99% each: 20 seeds refute a true claim more than twice with probability 0.1%."""
    noise = DistributedDiscreteLaplace(epsilon, 1, threshold)
    claim = noise.with_clients(4).guarantee
    found = [audit(Round(noise, 6), 5, 6, claim=claim, runs=20_000, confidence=0.99, rng=seed) for seed in range(20)]
    assert sum(result.violated for result in found) <= 2
    assert np.median([result.epsilon_lower for result in found]) > 0.8 * claim.epsilon


def test_the_claim_says_what_it_rests_on():
    record = DistributedDiscreteLaplace(0.5, 1, 15, unit="record").guarantee
    assert "adds up to its vector" in str(record) and "at least 15" in str(record) and "δ=0" in str(record)
    assert "one client's vector" in str(DistributedDiscreteLaplace(0.5, 1, 15).guarantee)
    assert isinstance(record, Guarantee)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1, 2), "epsilon must be > 0"),
        ((1.0, 0, 2), "sensitivity must be ≥ 1"),
        ((1.0, 2**17, 2), "sensitivity must be at most 2\\^16 times"),
        ((1.0, 1, 0), "threshold must be ≥ 1"),
        ((1.0, 1, 2, 0), "clients must be ≥ 1"),
        ((1.0, 1, 2, 2, 0), "dimension must be ≥ 1"),
        ((1.0, 1, 2, 2, 1, "fab"), "unit must be"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        DistributedDiscreteLaplace(*arguments)


@pytest.mark.parametrize(("scale", "shares"), [(0, 2), (2**17, 2), (1, 0), (Fraction(2**57 + 1, 2**50), 2)])
def test_a_scale_or_a_number_of_shares_out_of_range_is_named(scale, shares):
    with pytest.raises(ValueError, match="scale must|shares must"):
        laplace_share(scale, shares)
