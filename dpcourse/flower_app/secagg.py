"""The same clients under Flower's SecAgg+, which exists on its legacy interface only. Needs the extra `flower`.

SecAgg+ (Bell et al. 2020, doi:10.1145/3372297.3417885) is secure aggregation in which a client shares masks with some
of the others. Measured with Flower 1.41, where the interface it needs is marked as legacy:

- It runs, in simulation: three rounds, and a client that fails when masked vectors are due is left out of that round.
- The average differs by 5e-6 or less from the exact one after three rounds, because vectors are rounded at random to
  2^22 levels in ±`clipping_range`. That is with ``max_weight=1``: with the 1000 it has by default, weights of 1 leave
  the average 1000 times fewer levels, and the difference is 3e-3.
- It brings no differential privacy. The server sees averages only, so it can neither clip nor refuse an update: a
  client must clip its own, as here. Noise would have to be added by the clients: `dpcourse.federated.secure.noise`.
- The average is over those who stayed: there is no fixed denominator, so a dropout makes the others count for more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import Context
from flwr.client import NumPyClient
from flwr.client.mod import secaggplus_mod
from flwr.clientapp import ClientApp
from flwr.common import ndarrays_to_parameters, parameters_to_ndarrays
from flwr.server import LegacyContext, ServerConfig
from flwr.server.strategy import FedAvg
from flwr.server.workflow import DefaultWorkflow, SecAggPlusWorkflow
from flwr.serverapp import Grid

from dpcourse.federated.clipping import clip_updates
from dpcourse.flower_app.outcome import recording
from dpcourse.flower_app.plan import Plan


class _Client(NumPyClient):
    def __init__(self, place: int) -> None:
        self.place = place

    def fit(self, parameters: list[np.ndarray], config: dict[str, Any]) -> tuple[list[np.ndarray], int, dict]:
        plan, round = Plan.from_config(config), int(config["round"])
        weights = parameters[0]
        update = plan.client(self.place).reply(weights, round, plan.client_stream(round, self.place)).update
        return [weights + clip_updates(update[None], plan.clip_norm)[0]], 1, {}


client_app = ClientApp(
    client_fn=lambda context: _Client(int(context.node_config["partition-id"])).to_client(), mods=[secaggplus_mod]
)


def run(grid: Grid, plan: Plan, output: Path, context: Context) -> None:
    """Run the rounds of `plan` under SecAgg+, a majority of the clients being enough to unmask."""
    with recording(output) as outcome:
        start = plan.server()
        strategy = _Rounds(
            fraction_evaluate=0.0,
            min_fit_clients=plan.fabs,
            min_available_clients=plan.fabs,
            initial_parameters=ndarrays_to_parameters([start.weights]),
            on_fit_config_fn=lambda round: {**plan.to_config(), "round": round},
        )
        masked_rounds(grid, context, strategy, plan.rounds, clients=plan.fabs, threshold=plan.fabs // 2 + 1)
        outcome |= {"weights": strategy.weights, "reports": strategy.reports}


def masked_rounds(
    grid: Grid, context: Context, strategy: FedAvg, rounds: int, *, clients: int, threshold: int, bound: float = 8.0
) -> None:
    """Rounds in which Flower hands `strategy` an average only. Entries of what clients send lie within ±`bound`."""
    legacy = LegacyContext(context=context, config=ServerConfig(num_rounds=rounds), strategy=strategy)
    masked = SecAggPlusWorkflow(clients, threshold, max_weight=1.0, clipping_range=bound)
    DefaultWorkflow(fit_workflow=masked)(grid, legacy)


class _Rounds(FedAvg):
    """Keeps the last average, and counts."""

    weights: list[float]

    def aggregate_fit(self, server_round: int, results: Any, failures: Any) -> Any:
        average = super().aggregate_fit(server_round, results, failures)
        self.weights = parameters_to_ndarrays(average[0])[0].tolist()
        self.reports = [
            *getattr(self, "reports", []),
            f"round {server_round}: {len(results)} masked updates averaged",
        ]
        return average
