"""Client-level claims under attack: one client more, whose update is as long and as lonely as can be."""

import numpy as np
import pytest

from dpcourse.audit import audit
from dpcourse.federated import FederatedClient, FederatedServer, run_rounds
from dpcourse.federated.accounting import subsampled_gaussian_epsilon
from dpcourse.gauntlet.exhibit import Batched, gaussian
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee

D = 3
NOBODY = np.zeros((0, D - 1)), np.zeros(0)
CANARY = FederatedClient("canary", NOBODY, lambda weights, data, rng: np.array([1e6, 0.0, 0.0]))
OTHERS = [FederatedClient(f"{i}", NOBODY, lambda weights, data, rng: np.zeros(D)) for i in range(3)]


def attack(*, z, q, rounds, runs, seed, delta=1e-5):
    """Real rounds of the real server; the attacker reads the canary's coordinate of the final weights."""

    def mechanism(clients, rng):
        server = FederatedServer(np.zeros(D), clip_norm=1.0, noise_multiplier=z, sampling_rate=q, total_weight=4)
        run_rounds(server, clients, rounds, rng=rng)
        return round(float(server.weights[0]), 9)

    claim = Guarantee(subsampled_gaussian_epsilon(z, q, rounds, delta), delta)
    return audit(mechanism, [*OTHERS, CANARY], OTHERS, claim=claim, runs=runs, confidence=0.99, rng=seed)


def test_a_canary_client_certifies_no_more_than_the_claim():
    """False alarm 1%: a fixed seed."""
    result = attack(z=0.6, q=1.0, rounds=1, runs=600, seed=12)
    assert 0.5 < result.epsilon_lower <= result.claim.epsilon


@pytest.mark.audit
def test_the_same_canary_catches_a_server_that_forgets_to_count_rounds():
    result = attack(z=2.0, q=1.0, rounds=16, runs=1000, seed=12)
    assert result.epsilon_lower > subsampled_gaussian_epsilon(2.0, 1.0, 1, 1e-5)


@pytest.mark.audit
@pytest.mark.parametrize(("z", "q", "rounds"), [(1.0, 1.0, 1), (2.0, 1.0, 5), (0.8, 0.5, 3)])
def test_a_canary_client_certifies_no_more_than_the_claim_over_twenty_seeds(z, q, rounds):
    """Each at 99%: 20 seeds refute a true claim more than twice with probability 0.1%."""
    found = [attack(z=z, q=q, rounds=rounds, runs=4000, seed=seed) for seed in range(20)]
    assert sum(result.violated for result in found) <= 2
    assert np.median([result.epsilon_lower for result in found]) > 0.2 * found[0].claim.epsilon


# The two federated bugs, each beside its repair. n = 100 clients; the released number is one coordinate of the mean.

N, C, DELTA = 100, 1.0, 1e-5
CLAIM = Guarantee(1.0, DELTA)
Z = GaussianMechanism(1.0, DELTA).sigma


def distributed(deviation):
    """Every client adds noise of its own to its clipped update; the server averages."""

    def batch(updates, runs, rng):
        everybody = gaussian(runs, np.clip(updates, -C, C), deviation, rng)  # noise of all who are listed
        return everybody.sum(axis=1) / N

    return Batched(batch)


def weighted(weights, deviation):
    """The server takes a weighted mean and adds noise to it."""

    def batch(updates, runs, rng):
        return gaussian(runs, weights @ np.clip(updates, -C, C), deviation, rng)

    return Batched(batch)


HEAVY = np.append(np.full(N - 1, 0.8 / (N - 1)), 0.2)  # one client holds a fifth of all records
BUGS = {
    # the class of flwrlabs/flower issue 1892: on the sum, noise zC/√n where zC is claimed
    "each client adds zC/n": (distributed(Z * C / N), distributed(Z * C / np.sqrt(N)), 400),
    "weighted mean, noise zC/n": (weighted(HEAVY, Z * C / N), weighted(HEAVY, Z * C * HEAVY.max()), 400),
}
ABSENT, PRESENT = np.zeros(N), np.append(np.zeros(N - 1), 50.0)


@pytest.mark.parametrize("bug", BUGS)
def test_both_federated_bugs_are_caught(bug):
    broken, repaired, runs = BUGS[bug]
    assert audit(broken, PRESENT, ABSENT, claim=CLAIM, runs=runs, rng=12).violated
    assert not audit(repaired, PRESENT, ABSENT, claim=CLAIM, runs=40_000, rng=12).violated


@pytest.mark.audit
@pytest.mark.parametrize("bug", BUGS)
def test_both_federated_bugs_are_caught_every_time(bug):
    """The repaired twin is refuted with probability 0.1% a time at most."""
    broken, repaired, runs = BUGS[bug]
    for seed in range(50):
        assert audit(broken, PRESENT, ABSENT, claim=CLAIM, runs=runs, rng=seed).violated
        assert not audit(repaired, PRESENT, ABSENT, claim=CLAIM, runs=40_000, rng=seed).violated
