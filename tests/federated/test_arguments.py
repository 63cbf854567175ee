"""Public arguments of rounds, servers and clients: a bad one is refused by its name, before a round is counted."""

import numpy as np
import pytest

from dpcourse.datasets import load_fabs, simulate_clients
from dpcourse.federated import (
    FederatedClient,
    FederatedServer,
    LocalTraining,
    PrivateLocalTraining,
    SimulatedClients,
    run_rounds,
)

FABS = load_fabs(heterogeneity=1.0, rng=12)
START = np.zeros(21)
STACKED = SimulatedClients(simulate_clients(2, records=5, rng=12), LocalTraining())


def clients(training=None):
    return [FederatedClient(name, data, training or LocalTraining()) for name, data in FABS.clients.items()]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"clip_norm": 0.0}, "clip_norm"),
        ({"noise_multiplier": 1.0}, "clip_norm"),
        ({"noise_multiplier": -1.0, "clip_norm": 1.0}, "noise_multiplier"),
        ({"sampling_rate": 0.0}, "sampling_rate"),
        ({"weighting": "votes"}, "weighting"),
        ({"total_weight": 0.0}, "total_weight"),
        ({"largest_size": 0}, "largest_size"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"delta": 0.0}, "delta"),
        ({"weights": np.full(3, np.nan)}, "weights"),
        ({"weights": np.zeros((2, 3))}, "weights"),
    ],
)
def test_bad_arguments_of_a_server_are_named(arguments, name):
    with pytest.raises(ValueError, match=name):
        FederatedServer(**{"weights": START} | arguments)


@pytest.mark.parametrize(
    ("test", "error", "message"),
    [
        ("x", TypeError, r"test must be a pair \(X, y\), got str"),
        ((FABS.test.X[:, :5], FABS.test.y), ValueError, "test must have 20 readings a record, as weights do, got 5"),
        ((FABS.test.X, FABS.test.y[1:]), ValueError, "test must be X of shape"),
        ((FABS.test.X * np.nan, FABS.test.y), ValueError, "X in test must be finite"),
        ((FABS.test.X, FABS.test.y + 1), ValueError, "labels in test must be 0 or 1, got others"),
        ((FABS.test.X[:0], FABS.test.y[:0]), ValueError, "test must hold a record"),
    ],
)
def test_a_test_set_that_cannot_be_scored_is_refused(test, error, message):
    with pytest.raises(error, match=message):
        FederatedServer(START, test=test)


@pytest.mark.parametrize("group", [clients(), clients(PrivateLocalTraining(60, 2.0)), STACKED])
def test_weights_that_fit_no_client_are_refused_before_the_round(group):
    server = FederatedServer(np.zeros(20))
    with pytest.raises(ValueError, match=r"weights must have shape \(21,\) .*, got \(20,\)"):
        run_rounds(server, group, 1)
    assert server.round == 0


def test_one_client_of_another_width_loses_its_own_round_only():
    X, y = FABS.clients["China"]
    narrow = FederatedClient("narrow", (X[:, :5], y), LocalTraining())
    report = run_rounds(FederatedServer(START), [*clients(), narrow], 1, rng=12)[0]
    assert set(report.rejected) == {"narrow"}


@pytest.mark.parametrize(
    ("group", "got"),
    [
        (["a"], "a str in it"),
        ("ab", "a str in it"),
        ({"China": 1}, "a str in it"),
        (clients()[0], "a FederatedClient"),
        (iter(clients()), "a list_iterator"),
        (None, "a NoneType"),
        ([FederatedClient], "a type in it"),
    ],
)
def test_clients_that_are_none_are_refused_before_the_round(group, got):
    server = FederatedServer(START)
    with pytest.raises(TypeError, match=f"clients must be a sequence of FederatedClient .*, got {got}$"):
        run_rounds(server, group, 1)
    assert server.round == 0


def test_bad_arguments_of_a_client_are_named():
    X, y = FABS.clients["China"]
    for data in ((X, y[:5]), (X * np.nan, y), (X, y + 1)):
        with pytest.raises(ValueError, match="data|X"):
            FederatedClient("fab", data, LocalTraining())
    with pytest.raises(TypeError, match="data"):
        FederatedClient("fab", X, LocalTraining())
    with pytest.raises(ValueError, match="size"):
        FederatedClient("fab", (X, y), LocalTraining(), size=-1)
    with pytest.raises(TypeError, match="update"):
        FederatedClient("fab", (X, y), None)


def test_rounds_are_refused_by_name():
    server = FederatedServer(START)
    with pytest.raises(ValueError, match="rounds"):
        run_rounds(server, clients(), 0)
    with pytest.raises(TypeError, match="server"):
        run_rounds(None, clients(), 1)
    with pytest.raises(ValueError, match="clients"):
        run_rounds(server, [], 1)
    with pytest.raises(ValueError, match="different names"):
        run_rounds(server, clients() + clients(), 1)
