"""Federated rounds: time for 1,000 clients, accuracy of local, federated, private and pooled models on the fabs.

python -m benchmarks federated
"""

from __future__ import annotations

import argparse
import datetime
import platform
import time

import dp_accounting
import numpy as np
from dp_accounting.pld import PLDAccountant

from dpcourse.accounting import calibrate_noise_multiplier
from dpcourse.datasets import load_fabs, simulate_clients
from dpcourse.federated import (
    DistributedDiscreteGaussian,
    DistributedDiscreteLaplace,
    FederatedClient,
    FederatedServer,
    LocalTraining,
    PrivateLocalTraining,
    SimulatedClients,
    run_rounds,
)
from dpcourse.federated.accounting import subsampled_gaussian_epsilon

START, DELTA, ROUNDS = np.zeros(21), 1e-5, 20


def speed(n_clients: int, rounds: int) -> None:
    many = simulate_clients(n_clients, records=30, rng=12)
    print("| clients, rounds | sampled | how | seconds | processor seconds |\n| --- | ---: | --- | ---: | ---: |")
    pairs = enumerate(zip(many.X, many.y, strict=True))
    ways = {
        "stacked": SimulatedClients(many, LocalTraining(5)),
        "one by one": [FederatedClient(f"{i}", data, LocalTraining(5)) for i, data in pairs],
    }
    for rate in (1.0, 0.1):
        for how, clients in ways.items():
            server = FederatedServer(
                START, clip_norm=0.5, noise_multiplier=1.0, sampling_rate=rate, total_weight=n_clients, test=many.test
            )
            wall, cpu = time.perf_counter(), time.process_time()
            run_rounds(server, clients, rounds, rng=12)
            taken = time.perf_counter() - wall, time.process_time() - cpu
            print(f"| {n_clients:,}, {rounds} | {rate:g} | {how} | {taken[0]:.2f} | {taken[1]:.2f} |")


def after(clients, test, **settings) -> float:
    server = FederatedServer(START, test=test, **settings)
    return run_rounds(server, clients, ROUNDS, rng=12)[-1].accuracy


def accuracy(seeds: int) -> None:
    rows: dict[str, list[float]] = {}
    noise = calibrate_noise_multiplier(3.0, DELTA, 0.1, 10 * ROUNDS)
    whole = calibrate_noise_multiplier(3.0, DELTA, 1.0, ROUNDS)
    for seed in range(seeds):
        fabs = load_fabs(heterogeneity=1.0, rng=seed)
        rule = LocalTraining(steps=10, learning_rate=2.0)
        plain = [FederatedClient(name, data, rule) for name, data in fabs.clients.items()]
        private = [
            FederatedClient(name, data, PrivateLocalTraining(len(data.y), noise, learning_rate=1.0))
            for name, data in fabs.clients.items()
        ]
        many = simulate_clients(1000, records=30, rng=seed)
        stacked = SimulatedClients(many, LocalTraining(5))
        found = {
            "local, mean of six": np.mean([after([client], fabs.test) for client in plain]),
            "federated": after(plain, fabs.test, weighting="sizes"),
            "federated, ε = 3 for a record": after(private, fabs.test, weighting="sizes"),
            "federated, ε = 3 for a client (six)": after(plain, fabs.test, clip_norm=0.5, noise_multiplier=whole),
            "pooled": after([FederatedClient("pool", fabs.pooled(), rule)], fabs.test),
            "1,000 clients, no noise": after(stacked, many.test, clip_norm=0.5),
            "1,000 clients, ε = 3 for a client": after(stacked, many.test, clip_norm=0.5, noise_multiplier=whole),
        }
        for name, value in found.items():
            rows.setdefault(name, []).append(value)
    print(f"\n| test accuracy, {seeds} seeds, {ROUNDS} rounds | mean | deviation |\n| --- | ---: | ---: |")
    for name, values in rows.items():
        print(f"| {name} | {np.mean(values):.1%} | {100 * np.std(values, ddof=1):.1f} |")
    local, together, pool = (np.array(rows[name]) for name in ("local, mean of six", "federated", "pooled"))
    gap = 100 * (pool - together)
    print(
        f"\nFederated beats the mean local model on {(together > local).sum()} of {seeds} seeds; "
        f"pooled minus federated: {gap.mean():+.1f} ± {gap.std(ddof=1):.1f} points."
    )


def oracle() -> None:
    print("\n| z, q, T | ours | dp-accounting | difference |\n| --- | ---: | ---: | ---: |")
    for z, q, rounds in ((1.0, 0.1, 50), (4.0, 1.0, 10), (0.7, 0.02, 200), (8.0, 0.3, 500)):
        google = PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
        google.compose(dp_accounting.PoissonSampledDpEvent(q, dp_accounting.GaussianDpEvent(z)), rounds)
        ours, theirs = subsampled_gaussian_epsilon(z, q, rounds, DELTA), google.get_epsilon(DELTA)
        print(f"| {z:g}, {q:g}, {rounds} | {ours:.4f} | {theirs:.4f} | {ours / theirs - 1:+.1e} |")


def shares(clients: int = 15, stayers: int = 14, epsilon: float = 0.5, delta: float = 1e-6) -> None:
    """A histogram summed by secure aggregation, one record in one bin: who adds how much noise, what it promises."""
    print(
        f"\n| {clients} clients, one record, ε = {epsilon:g} | deviation of the sum | "
        f"ε with {stayers} shares | µs a share of 1,000 bins |\n| --- | ---: | ---: | ---: |"
    )
    laplace = DistributedDiscreteLaplace(epsilon, 1, clients, unit="record")
    careful = DistributedDiscreteLaplace(epsilon, 1, stayers, clients, unit="record")
    alone = DistributedDiscreteLaplace(epsilon, 1, 1, clients, unit="record")
    gaussian = DistributedDiscreteGaussian.calibrate(
        epsilon, delta, sensitivity=1, clients=clients, dimension=1, unit="record"
    )
    rows = {
        "everybody adds discrete Laplace noise alone, δ = 0": (alone, alone.variance**0.5),
        f"shares of 1/{clients}, δ = 0": (laplace, laplace.variance**0.5),
        f"shares of 1/{stayers}, δ = 0": (careful, careful.variance**0.5),
        f"discrete Gaussian shares, δ = {delta:g}": (gaussian, gaussian.total_sigma),
    }
    for name, (noise, deviation) in rows.items():
        left = noise.with_clients(stayers)
        spent = left.epsilon(delta) if isinstance(left, DistributedDiscreteGaussian) else left.guarantee.epsilon
        start = time.process_time()
        for seed in range(20):
            noise.share(1000, rng=seed)
        taken = (time.process_time() - start) / 20
        print(f"| {name} | {deviation:.2f} | {spent:.3f} | {1e6 * taken:.0f} |")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks federated", description=__doc__)
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args(arguments)
    print(
        f"{datetime.date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}\n"
    )
    speed(options.clients, options.rounds)
    accuracy(options.seeds)
    oracle()
    shares()
