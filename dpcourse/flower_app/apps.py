"""The Flower side: a `ClientApp` and a `ServerApp` that carry our own client and server. Needs the extra `flower`.

Flower carries the messages. What a client computes is `FederatedClient.reply`, and what the server does with the
replies is `FederatedServer.run_round`, so that clipping, noise, refusals and ε are those of the rounds without Flower.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

from dpcourse.federated import FederatedClient, FederatedServer, Reply, RoundReport
from dpcourse.flower_app.outcome import recording
from dpcourse.flower_app.plan import Plan

ROUND_SECONDS = 90.0  # whoever has not answered by then has not answered

client_app = ClientApp()
server_app = ServerApp()


@client_app.train()
def train(message: Message, context: Context) -> Message:
    """One client's part of one round: weights in, update out."""
    config = message.content["config"]  # the server's plan, and Flower's number of the round
    plan, round, place = Plan.from_config(config), int(config["server-round"]), int(context.node_config["partition-id"])
    weights = message.content["arrays"]["weights"].numpy()
    reply = plan.client(place).reply(weights, round, plan.client_stream(round, place))
    content = {
        "arrays": ArrayRecord({"update": Array(np.asarray(reply.update, dtype=float))}),
        # "num-examples" is the weight that Flower's own strategies trust a client to state; ours asks for none.
        "metrics": MetricRecord({"num-examples": 1, "place": place, "round": reply.round}),
    }
    return Message(RecordDict(content), reply_to=message)


class FederatedRounds(FedAvg):
    """A Flower strategy that hands each round's replies to a `FederatedServer`.

    Flower 1.41 has strategies of its own with clipping and noise. They are not used because their clip lets NaN through
    and divides by zero for a zero update, because the average is over those who answered while the noise is for those
    who were asked, and because a client states its own weight.
    """

    def __init__(self, server: FederatedServer, plan: Plan) -> None:
        everyone = plan.fabs
        super().__init__(fraction_evaluate=0.0, min_train_nodes=everyone, min_available_nodes=everyone)
        self.server, self.plan = server, plan
        self.reports: list[RoundReport] = []

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """The next weights; refused or missing replies count as zero updates, as everywhere in `dpcourse.federated`."""
        received = dict(filter(None, map(_opened, replies)))
        if not received:
            raise RuntimeError(f"no client answered in round {server_round}")
        clients = [_Messenger(client, received.get(i)) for i, client in enumerate(self.plan.clients())]
        report = self.server.run_round(clients, rng=self.plan.round_stream(server_round))
        self.reports.append(report)
        return _record(self.server.weights), None


class _Messenger:
    """Stands for a client whose reply is already here."""

    record_level = width = None

    def __init__(self, client: FederatedClient, message: tuple[int, np.ndarray] | None) -> None:
        self.name, self.size, self.counted, self._message = client.name, client.size, client.counted, message

    def reply(self, weights: np.ndarray, round: int, rng: np.random.Generator) -> Reply | None:
        return Reply(self.name, *self._message) if self._message else None


def _opened(message: Message) -> tuple[int, tuple[int, np.ndarray]] | None:
    """From whom, for which round, and the update; None for an error or a message of another form."""
    if message.has_error():
        return None
    try:
        metrics = message.content["metrics"]
        return int(metrics["place"]), (int(metrics["round"]), message.content["arrays"]["update"].numpy())
    except (KeyError, TypeError, ValueError):
        return None


def _record(weights: np.ndarray) -> ArrayRecord:
    return ArrayRecord({"weights": Array(weights)})


@server_app.main()
def main(grid: Grid, context: Context) -> None:
    """Run the plan in the run configuration, which also names the file for the outcome."""
    run(grid, Plan.from_config(context.run_config), Path(str(context.run_config["output"])))


def run(grid: Grid, plan: Plan, output: Path, context: Context | None = None) -> None:
    """Run the rounds of `plan` with the clients behind `grid`; weights and reports go to the file `output`."""
    with recording(output) as outcome:
        server = plan.server()
        strategy = FederatedRounds(server, plan)
        strategy.start(grid, _record(server.weights), plan.rounds, ROUND_SECONDS, ConfigRecord(plan.to_config()))
        outcome |= {"weights": server.weights.tolist(), "reports": [str(report) for report in strategy.reports]}
