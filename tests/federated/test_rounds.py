"""Rounds without bad clients: what averaging equals, what the noise is, what it costs."""

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant

from dpcourse.accounting import PrivacyAccountant
from dpcourse.datasets import ManyClients, Wafers, load_fabs, simulate_clients
from dpcourse.federated import (
    AdaptiveClip,
    FederatedClient,
    FederatedServer,
    LocalTraining,
    PrivateLocalTraining,
    SimulatedClients,
    run_rounds,
)
from dpcourse.federated.report import RoundReport
from dpcourse.federated.training import gradient
from dpcourse.privacy import Neighbours

FABS = load_fabs(heterogeneity=1.0, rng=12)
START = np.zeros(21)


def clients(training=None, fabs=FABS):
    return [FederatedClient(name, data, training or LocalTraining()) for name, data in fabs.clients.items()]


def descend(gradient_at, rounds, learning_rate=1.0):
    weights = START
    for _ in range(rounds):
        weights = weights - learning_rate * gradient_at(weights)
    return weights


def test_one_local_step_with_weights_by_size_is_gradient_descent_on_the_pool():
    server = FederatedServer(START, weighting="sizes")
    run_rounds(server, clients(), 20, rng=12)
    np.testing.assert_allclose(server.weights, descend(lambda w: gradient(w, FABS.pooled()), 20), atol=1e-10)


def test_one_local_step_with_equal_weights_is_gradient_descent_on_the_mean_loss():
    server = FederatedServer(START, weighting="equal")
    run_rounds(server, clients(), 20, rng=12)
    mean = descend(lambda w: np.mean([gradient(w, data) for data in FABS.clients.values()], axis=0), 20)
    np.testing.assert_allclose(server.weights, mean, atol=1e-10)


def test_with_clients_of_one_size_equal_weights_are_gradient_descent_on_the_pool():
    same = {name: Wafers(data.X[:50], data.y[:50]) for name, data in FABS.clients.items()}
    pool = tuple(np.concatenate(part) for part in zip(*same.values(), strict=True))
    server = FederatedServer(START)
    run_rounds(server, [FederatedClient(name, data, LocalTraining()) for name, data in same.items()], 20, rng=12)
    np.testing.assert_allclose(server.weights, descend(lambda w: gradient(w, pool), 20), atol=1e-10)


def federated_averaging(rule, rounds, shares):
    """FedAvg as its paper writes it, by hand."""
    weights = START
    for _ in range(rounds):
        models = [weights + rule(weights, data) for data in FABS.clients.values()]
        weights = sum(share * model for share, model in zip(shares, models, strict=True))
    return weights


@pytest.mark.parametrize("weighting", ["equal", "sizes"])
@pytest.mark.parametrize("clip_norm", [np.inf, 1e6])
def test_without_noise_and_with_a_clip_that_cuts_nothing_it_is_plain_averaging(weighting, clip_norm):
    rule = LocalTraining(steps=5, learning_rate=2.0)
    sizes = np.array([len(data.y) for data in FABS.clients.values()])
    shares = sizes / sizes.sum() if weighting == "sizes" else np.full(6, 1 / 6)
    server = FederatedServer(START, weighting=weighting, clip_norm=clip_norm, noise_multiplier=0.0)
    run_rounds(server, clients(rule), 8, rng=12)
    np.testing.assert_allclose(server.weights, federated_averaging(rule, 8, shares), atol=1e-12)


def test_stacked_clients_and_single_ones_make_the_same_rounds():
    many = simulate_clients(8, records=20, rng=12)
    pairs = enumerate(zip(many.X, many.y, strict=True))
    single = [FederatedClient(f"client {i}", data, LocalTraining(2)) for i, data in pairs]
    settings = {"clip_norm": 0.3, "noise_multiplier": 1.0, "sampling_rate": 0.5}
    ours = [FederatedServer(START, **settings) for _ in range(2)]
    reports = [
        run_rounds(server, group, 6, rng=12)
        for server, group in zip(ours, (single, SimulatedClients(many, LocalTraining(2))), strict=True)
    ]
    np.testing.assert_allclose(ours[0].weights, ours[1].weights, atol=1e-12)
    assert [r.selected for r in reports[0]] == [r.selected for r in reports[1]]


def test_the_noise_is_z_times_the_clip_on_the_sum_whoever_takes_part():
    """Deviation over 300 rounds and 21 coordinates: within 5 standard errors, false alarm below 1e-6."""
    silent = [FederatedClient(f"{i}", FABS.clients["China"], lambda w, data, rng: np.zeros(21)) for i in range(4)]
    for total, rate in ((4.0, 0.5), (40.0, 1.0)):
        server = FederatedServer(START, clip_norm=0.7, noise_multiplier=1.5, sampling_rate=rate, total_weight=total)
        path = [START]
        for report in (server.run_round(silent, rng=seed) for seed in range(300)):
            path.append(server.weights)
            assert report.noise_deviation == pytest.approx(1.5 * 0.7)
        deviation = np.diff(path, axis=0).std()
        assert deviation == pytest.approx(1.5 * 0.7 / (rate * total), rel=5 / np.sqrt(2 * 300 * 21))


def test_clients_join_by_independent_coins():
    """Counts over 400 rounds within 5 standard errors: false alarm below 1e-5 for all six together."""
    server = FederatedServer(START, sampling_rate=0.3)
    rule = [FederatedClient(c.name, c.data, lambda w, data, rng: np.zeros(21)) for c in clients()]
    reports = run_rounds(server, rule, 400, rng=12)
    counts = np.array([sum(name in report.selected for report in reports) for name in FABS.clients])
    assert np.abs(counts - 120).max() < 5 * np.sqrt(400 * 0.3 * 0.7)
    assert len({len(report.selected) for report in reports}) > 3


SLOW = pytest.param(0.7, 0.02, 200, marks=pytest.mark.audit)


@pytest.mark.parametrize(("z", "q", "rounds"), [(1.0, 0.1, 50), (4.0, 1.0, 10), SLOW])
def test_client_level_epsilon_is_that_of_dp_accounting(z, q, rounds):
    server = FederatedServer(START, clip_norm=1.0, noise_multiplier=z, sampling_rate=q, total_weight=1000)
    server.round = rounds  # as if they had been run
    google = PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE, value_discretization_interval=4e-4)
    google.compose(dp_accounting.PoissonSampledDpEvent(q, dp_accounting.GaussianDpEvent(z)), rounds)
    theirs = google.get_epsilon(1e-5)
    assert server.guarantee.epsilon == pytest.approx(theirs, rel=0.01)
    assert server.guarantee.epsilon >= theirs * (1 - 1e-3)
    assert server.accountant.epsilon(1e-5) == server.guarantee.epsilon


def test_the_claim_says_what_a_record_is_and_what_is_public():
    server = FederatedServer(START, clip_norm=1.0, noise_multiplier=4.0)
    report = run_rounds(server, clients(), 3, rng=12)[-1]
    assert report.guarantee.neighbours is Neighbours.ADD_REMOVE
    assert "all the data of one client" in str(report.guarantee) and "total weight" in str(report.guarantee)
    fixed = FederatedServer(START, clip_norm=1.0, noise_multiplier=4.0, total_weight=6)
    run_rounds(fixed, clients(), 3, rng=12)
    assert "public" not in str(fixed.guarantee) and fixed.guarantee.epsilon == report.guarantee.epsilon


def test_epsilon_grows_from_round_to_round_and_is_infinite_without_noise():
    reports = run_rounds(FederatedServer(START, clip_norm=1.0, noise_multiplier=4.0), clients(), 4, rng=12)
    spent = [report.epsilon for report in reports]
    assert spent == sorted(spent) and spent[0] < spent[-1] < 4 * spent[0]
    assert run_rounds(FederatedServer(START, clip_norm=1.0), clients(), 1, rng=12)[0].epsilon == np.inf


def test_record_level_claims_count_the_rounds_a_client_took_part_in():
    rules = {
        name: PrivateLocalTraining(len(data.y), noise_multiplier=2.0, sampling_rate=0.1, steps=5)
        for name, data in FABS.clients.items()
    }
    private = [FederatedClient(name, data, rules[name]) for name, data in FABS.clients.items()]
    reports = run_rounds(FederatedServer(START, sampling_rate=0.5), private, 6, rng=12)
    for name, rule in rules.items():
        part = sum(name in report.selected for report in reports)
        assert reports[-1].record_guarantees[name].epsilon == rule.epsilon(rounds=part, delta=1e-5)
    worst = max(claim.epsilon for claim in reports[-1].record_guarantees.values())
    assert reports[-1].record_guarantee.epsilon == worst < np.inf
    assert reports[-1].epsilon == np.inf  # nothing is promised about a whole client
    mixed = run_rounds(FederatedServer(START), [*private[:5], *clients()[5:]], 1, rng=12)[0]
    assert mixed.record_guarantee.epsilon == np.inf


def test_record_level_claims_name_who_took_part_and_the_client_level_claim_does_not():
    rule = PrivateLocalTraining(50, noise_multiplier=2.0)
    server_of = dict(clip_norm=1.0, noise_multiplier=2.0, sampling_rate=0.5)
    reports = [run_rounds(FederatedServer(START, **server_of), clients(rule), 1, rng=seed)[0] for seed in range(8)]
    assert len({report.selected for report in reports}) > 1
    assert len({report.guarantee for report in reports}) == 1
    for report in reports:
        assert {name for name, claim in report.record_guarantees.items() if claim.epsilon} == set(report.selected)
    said = " ".join(RoundReport.__doc__.split())
    assert "the claim at client level may be published" in said
    assert "Neither may the claims at record level" in said


def one(rule, name="China"):
    return [FederatedClient(name, FABS.clients["China"], rule)]


def test_record_level_claims_price_earlier_rounds_by_the_rules_of_these_rounds():
    much, little = (PrivateLocalTraining(50, noise_multiplier=z) for z in (0.3, 5.0))
    server = FederatedServer(START)
    run_rounds(server, one(much), 3, rng=12)
    report = run_rounds(server, one(little), 1, rng=12)[0]
    together = PrivacyAccountant().compose(much.mechanism, times=30).compose(little.mechanism, times=10)
    found = report.record_guarantee.epsilon
    assert found == together.epsilon(1e-5) >= much.epsilon(rounds=3, delta=1e-5) > 50
    again = run_rounds(server, one(PrivateLocalTraining(50, noise_multiplier=0.3)), 1, rng=12)[0]
    assert again.record_guarantee.epsilon > found == report.record_guarantee.epsilon  # a report stays as it was


def test_an_equal_rule_continues_the_count():
    server = FederatedServer(START)
    for rounds in (3, 4):
        report = run_rounds(server, one(PrivateLocalTraining(50, noise_multiplier=2.0)), rounds, rng=12)[-1]
    rule = PrivateLocalTraining(50, noise_multiplier=2.0)
    assert report.record_guarantee.epsilon == rule.epsilon(rounds=7, delta=1e-5)


def test_rounds_without_privacy_are_not_forgotten():
    rule = PrivateLocalTraining(50, noise_multiplier=5.0)
    many = simulate_clients(2, records=5, rng=12)
    for before in (one(LocalTraining()), one(LocalTraining(), "Taiwan"), SimulatedClients(many, LocalTraining())):
        server = FederatedServer(START)
        run_rounds(server, before, 3, rng=12)
        report = run_rounds(server, one(rule), 1, rng=12)[0]
        names = before.names if isinstance(before, SimulatedClients) else [client.name for client in before]
        assert set(report.record_guarantees) == {"China", *names}
        assert all(report.record_guarantees[name].epsilon == np.inf for name in names)
        assert report.record_guarantee.epsilon == np.inf


def test_who_was_never_asked_has_spent_nothing():
    server = FederatedServer(START, sampling_rate=1e-9)
    run_rounds(server, one(LocalTraining()), 1, rng=12)
    report = run_rounds(server, one(LocalTraining(), "Taiwan"), 1, rng=12)[0]
    assert {name: claim.epsilon for name, claim in report.record_guarantees.items()} == {"China": 0, "Taiwan": 0}


@pytest.mark.parametrize("caps", [{}, {"total_weight": 6, "largest_size": 900}])
def test_record_level_claims_say_where_sizes_were_read_off_the_data(caps):
    rule = PrivateLocalTraining(60, noise_multiplier=2.0)
    sizes = {"counted": clients(rule), "given": [FederatedClient(c.name, c.data, rule, 60) for c in clients()]}

    def said(server, group):
        report = run_rounds(server, group, 1, rng=12)[0]
        (words,) = {claim.condition for claim in [report.record_guarantee, *report.record_guarantees.values()]}
        return words.removeprefix("each client trains as it says")

    public = " and the number of records of each client is public"
    server = FederatedServer(START, weighting="sizes", **caps)
    assert [said(server, sizes[how]) for how in ("given", "counted", "given")] == ["", public, public]
    assert said(FederatedServer(START), sizes["counted"]) == ""  # one vote a client: no size in it


def test_sizes_above_the_public_cap_are_cut_to_it():
    server = FederatedServer(START, weighting="sizes", largest_size=60, total_weight=6, clip_norm=1.0)
    push = [FederatedClient(f"{i}", c.data, lambda w, data, rng: np.eye(21)[0] * 9) for i, c in enumerate(clients())]
    run_rounds(server, push, 1, rng=12)
    assert server.weights[0] == pytest.approx(1.0)


def test_a_report_reads_as_a_sentence():
    server = FederatedServer(START, clip_norm=0.1, noise_multiplier=2.0, sampling_rate=0.9, test=FABS.test)
    text = str(run_rounds(server, clients(), 2, rng=12)[-1])
    for words in ("round 2", "clipped to 0.1", "noise 0.2 on the sum", "accuracy", "adding or removing one record"):
        assert words in text


def test_the_same_seed_makes_the_same_rounds():
    def run(seed):
        server = FederatedServer(START, clip_norm=1.0, noise_multiplier=1.0, sampling_rate=0.7)
        run_rounds(server, clients(), 3, rng=seed)
        return server.weights

    assert np.array_equal(run(5), run(5)) and not np.array_equal(run(5), run(6))


# The clip norm that follows the clients


def pushing(lengths):
    direction = np.eye(21)[0]
    data = FABS.clients["China"]
    return [FederatedClient(f"{i}", data, lambda w, d, rng, s=s: s * direction) for i, s in enumerate(lengths)]


def test_an_adaptive_clip_finds_the_quantile():
    lengths = np.linspace(0.5, 1.5, 21)
    for quantile in (0.25, 0.8):
        server = FederatedServer(START, clip_norm=AdaptiveClip(0.2, quantile, 0.2, count_noise=0.0))
        run_rounds(server, pushing(lengths), 60, rng=12)
        assert server.clip_norm == pytest.approx(np.quantile(lengths, quantile), rel=0.1)


def test_updates_and_bits_together_cost_one_gaussian():
    """A client moves (sum/S, count) by (1, ½) against noise (z_u, σ_b): a Gaussian of 1/√(1/z_u² + 1/(2σ_b)²)."""
    for z, bits in ((1.0, 5.0), (4.0, 3.0)):
        server = FederatedServer(START, clip_norm=AdaptiveClip(count_noise=bits), noise_multiplier=z)
        together = 1 / np.sqrt(server.update_noise_multiplier**-2 + (0.5 / bits) ** 2)
        assert together == pytest.approx(z) and server.update_noise_multiplier > z
        report = run_rounds(server, clients(), 1, rng=12)[0]
        assert report.noise_deviation == pytest.approx(server.update_noise_multiplier * 0.1)


def test_bits_that_alone_cost_more_than_the_round_are_refused():
    with pytest.raises(ValueError, match="count_noise"):
        FederatedServer(START, clip_norm=AdaptiveClip(count_noise=0.5), noise_multiplier=1.0)


# What it is good for


def scores(seed):
    fabs = load_fabs(heterogeneity=1.0, rng=seed)
    local = []
    for data in fabs.clients.values():
        server = FederatedServer(START, test=fabs.test)
        local.append(run_rounds(server, [FederatedClient("alone", data, LocalTraining(5, 2.0))], 40, rng=seed)[-1])
    server = FederatedServer(START, weighting="sizes", test=fabs.test)
    together = run_rounds(server, clients(LocalTraining(5, 2.0), fabs), 40, rng=seed)[-1]
    central = FederatedServer(START, test=fabs.test)
    pool = run_rounds(central, [FederatedClient("pool", fabs.pooled(), LocalTraining(5, 2.0))], 40, rng=seed)[-1]
    return np.mean([report.accuracy for report in local]), together.accuracy, pool.accuracy


def test_the_federation_beats_the_mean_local_model():
    local, together, central = scores(12)
    assert together > local + 0.02 and abs(central - together) < 0.03


@pytest.mark.audit
def test_the_federation_beats_the_mean_local_model_over_ten_seeds():
    found = np.array([scores(seed) for seed in range(10)])
    assert (found[:, 1] > found[:, 0]).all()
    assert np.abs(found[:, 2] - found[:, 1]).mean() < 0.02


def private_accuracy(group, test, z, total, q=1.0, rounds=20):
    server = FederatedServer(
        START, clip_norm=0.5, noise_multiplier=z, sampling_rate=q, total_weight=total, learning_rate=1.0, test=test
    )
    return run_rounds(server, group, rounds, rng=12)[-1]


def test_client_level_privacy_is_hopeless_with_six_and_possible_with_a_thousand():
    six = private_accuracy(clients(LocalTraining(5)), FABS.test, 20.0, 6)
    many = simulate_clients(1000, records=30, rng=12)
    thousand = private_accuracy(SimulatedClients(many, LocalTraining(5)), many.test, 20.0, 1000)
    assert six.epsilon == thousand.epsilon < 1.0
    assert thousand.accuracy > 0.75 and six.accuracy < 0.68


def test_a_batch_of_nan_updates_of_stacked_clients_is_refused():
    many = ManyClients(np.full((2, 3, 20), np.nan), np.ones((2, 3)), Wafers(np.zeros((1, 20)), np.ones(1)), 0.0)
    server = FederatedServer(START, clip_norm=1.0)
    report = run_rounds(server, SimulatedClients(many, LocalTraining()), 1, rng=12)[0]
    assert not server.weights.any() and set(report.rejected.values()) == {"holds NaN or infinity"}
