"""Measures the grid that an explorer of lesson 12 draws: `tools/make_grids.py lesson_12`.

1,000 simulated clients with 30 wafers each, clip norm 0.5, five local steps: for each noise multiplier and sampling
rate five trainings of 100 rounds, each with a world, a sample and noise of its own. The data are simulated, so the
means cost nobody anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.datasets import simulate_clients
from dpcourse.federated import FederatedServer, LocalTraining, SimulatedClients, run_rounds
from dpcourse.federated.accounting import subsampled_gaussian_epsilon
from dpcourse.federated.training import accuracy

NOISE = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
RATES = (0.03, 0.1, 0.3, 1.0)
ROUNDS = (1, 2, 5, 10, 20, 50, 100)
CLIENTS, WAFERS, CLIP, DELTA, SEEDS = 1000, 30, 0.5, 1e-5, 5


def scores(clients: SimulatedClients, noise: float, rate: float, seed: int) -> list[float]:
    """Test accuracy after each of `ROUNDS`."""
    server = FederatedServer(
        np.zeros(21),
        clip_norm=CLIP,
        noise_multiplier=noise,
        sampling_rate=rate,
        total_weight=CLIENTS,
        test=clients.data.test,
    )
    reports = run_rounds(server, clients, max(ROUNDS), rng=seed)
    return [reports[r - 1].accuracy for r in ROUNDS]


def pooled(clients: SimulatedClients) -> float:
    """What one model of all wafers scores: gradient descent on the pool."""
    X, y = clients.data.X.reshape(-1, 20), clients.data.y.ravel()
    rule = LocalTraining(steps=400, learning_rate=4.0)
    return accuracy(rule(np.zeros(21), (X, y)), clients.data.test)


def measure() -> dict[str, Any]:
    """The tables of the grid by name."""
    worlds = [
        SimulatedClients(simulate_clients(CLIENTS, records=WAFERS, rng=seed), LocalTraining(5)) for seed in range(SEEDS)
    ]
    found = np.array([[[scores(world, z, q, seed) for seed, world in enumerate(worlds)] for q in RATES] for z in NOISE])
    costs = [[[subsampled_gaussian_epsilon(z, q, r, DELTA) for r in ROUNDS] for q in RATES] for z in NOISE[1:]]
    rounded = [[[float(f"{e * 1.0005:.3g}") for e in row] for row in block] for block in costs]
    return {
        "about": "MEAN: accuracy by noise multiplier, sampling rate, rounds. SPREAD: deviation, over trainings, of its "
        "difference to all clients without noise in the same world. EPSILON: from the second noise multiplier on (the "
        "first is 0). POOLED: one model of all wafers.",
        "CLIENTS": CLIENTS,
        "WAFERS": WAFERS,
        "CLIP": CLIP,
        "DELTA": DELTA,
        "SEEDS": SEEDS,
        "NOISE": NOISE,
        "RATES": RATES,
        "ROUNDS": ROUNDS,
        "POOLED": round(float(np.mean([pooled(world) for world in worlds])), 4),
        "MEAN": np.round(found.mean(axis=2), 4).tolist(),
        "SPREAD": np.round((found - found[0, -1]).std(axis=2, ddof=1), 4).tolist(),
        "EPSILON": rounded,
    }
