"""Capstone 1's rounds under Flower's SecAgg+: a fab clips, adds its share of the noise, masks. Needs `flower`.

The server sees the sum of those that stayed. SecAgg+ rounds each fab's noisy vector at random to 2^22 levels, here in
steps of 0.0005 where one wafer moves the sum by 1. The claim is that of normal noise before this rounding;
`dpcourse.federated.DistributedDiscreteGaussian` is the exact form, and is not what runs here.
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
from flwr.server.strategy import FedAvg
from flwr.serverapp import Grid

from dpcourse.flower_app.outcome import recording
from dpcourse.flower_app.secagg import masked_rounds
from dpcourse.lessons.capstone_1.rounds import Plan


class _Fab(NumPyClient):
    def __init__(self, place: int) -> None:
        self.place = place

    def fit(self, parameters: list[np.ndarray], config: dict[str, Any]) -> tuple[list[np.ndarray], int, dict]:
        return [Plan.from_config(config).sent(self.place, int(config["round"]), parameters[0])], 1, {}


client_app = ClientApp(
    client_fn=lambda context: _Fab(int(context.node_config["partition-id"])).to_client(), mods=[secaggplus_mod]
)


def run(grid: Grid, plan: Plan, output: Path, context: Context) -> None:
    """Run the rounds of `plan`; the masks open as long as four of six fabs stay."""
    with recording(output) as outcome:
        strategy = _Rounds(plan)
        masked_rounds(
            grid, context, strategy, plan.rounds, clients=plan.fabs, threshold=plan.shares, bound=plan.bound()
        )
        outcome |= {"weights": strategy.model.average.tolist(), "reports": strategy.reports}


class _Rounds(FedAvg):
    """Takes the step of `Plan.model` on each round's sum."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(
            fraction_evaluate=0.0,
            min_fit_clients=plan.fabs,
            min_available_clients=plan.fabs,
            initial_parameters=ndarrays_to_parameters([plan.model().weights]),
            on_fit_config_fn=lambda round: {**plan.to_config(), "round": round},
        )
        self.model, self.reports = plan.model(), list[str]()

    def aggregate_fit(self, server_round: int, results: Any, failures: Any) -> Any:
        average = parameters_to_ndarrays(super().aggregate_fit(server_round, results, failures)[0])[0]
        self.model.step(average * len(results))  # the declared size divides the sum: a dropout does not change it
        self.reports.append(f"round {server_round}: {len(results)} masked sums added")
        return ndarrays_to_parameters([self.model.weights]), {}
