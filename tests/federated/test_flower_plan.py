"""What a Flower run is told, without Flower: the same numbers in every process, and bad arguments refused."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from dpcourse.federated import FederatedClient, FederatedServer, run_rounds
from dpcourse.flower_app import engines
from dpcourse.flower_app.__main__ import main
from dpcourse.flower_app.plan import Plan


def test_a_client_draws_what_the_rounds_without_flower_would_give_it():
    """Random updates: sums over clients and rounds agree only if every stream does."""
    plan = Plan(rounds=4, fabs=3)
    data = plan.client(0).data

    def draw(weights, data, rng):
        return rng.normal(size=weights.shape)

    server = FederatedServer(np.zeros(5), noise_multiplier=0.0)
    run_rounds(server, [FederatedClient(f"{i}", data, draw) for i in range(3)], plan.rounds, rng=plan.seed)
    elsewhere = [
        plan.client_stream(round, place).normal(size=5) for round in range(1, plan.rounds + 1) for place in range(3)
    ]
    np.testing.assert_allclose(server.weights, np.sum(elsewhere, axis=0) / 3, atol=1e-12)


def test_the_server_draws_its_noise_from_the_same_stream():
    plan = Plan(rounds=3, fabs=2, noise_multiplier=1.5)
    server = plan.server()
    for round in range(1, plan.rounds + 1):
        server.run_round(plan.clients(), rng=plan.round_stream(round))
    assert (server.weights == plan.from_scratch()[0]).all()


def test_a_plan_survives_a_flat_configuration_with_other_keys():
    plan = Plan(rounds=7, clip_norm=0.25, noise_multiplier=1.0)
    assert Plan.from_config(plan.to_config() | {"output": "here", "server-round": 3}) == plan
    assert all(isinstance(value, int | float) for value in plan.to_config().values())


def test_the_claim_is_our_accountants():
    plan = Plan(rounds=3, fabs=2, noise_multiplier=2.0)
    _, reports = plan.from_scratch()
    assert str(reports[-1].guarantee).startswith("(ε=3.709, δ=1e-05)-DP, adding or removing one record, provided that")
    assert Plan().from_scratch()[1][-1].epsilon == np.inf


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rounds": 0}, "rounds must be ≥ 1, got 0"),
        ({"fabs": 1}, r"fabs must be in 2\.\.6, got 1"),
        ({"fabs": 7}, r"fabs must be in 2\.\.6, got 7"),
        ({"clip_norm": 0.0}, "clip_norm must be > 0"),
        ({"clip_norm": np.inf, "noise_multiplier": 1.0}, "clip_norm must be > 0 and finite"),
        ({"noise_multiplier": -1.0}, "noise_multiplier must be ≥ 0 and finite, got -1.0"),
        ({"noise_multiplier": np.nan}, "noise_multiplier must be ≥ 0 and finite, got nan"),
        ({"steps": 0}, "steps must be ≥ 1, got 0"),
        ({"learning_rate": 0.0}, "learning_rate must be > 0 and finite, got 0.0"),
        ({"heterogeneity": -1.0}, "heterogeneity must be ≥ 0 and finite, got -1.0"),
        ({"seed": -1}, "seed must be ≥ 0"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Plan(**arguments)


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Plan)])
def test_arguments_of_another_type_are_named(name):
    with pytest.raises(TypeError, match=f"{name} must be an? .*, got '1'"):
        Plan(**{name: "1"})


def test_the_command_refuses_a_bad_plan_before_it_starts_anything(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--engine", "loopback", "--fabs", "9"])
    assert ended.value.code == 2 and "fabs must be in 2..6, got 9" in capsys.readouterr().err


def test_the_command_does_not_read_no_fabs_as_all(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--fabs", "0"])
    assert ended.value.code == 2 and "fabs must be in 2..6, got 0" in capsys.readouterr().err


def test_the_command_refuses_another_type_as_it_does_another_value(capsys, monkeypatch):
    monkeypatch.setattr(Plan, "rounds", 2.5)  # the default; what is typed in is an integer or refused by argparse
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2 and "rounds must be an integer, got 2.5" in capsys.readouterr().err


def test_ports_are_free_and_different():
    ports = engines._free_ports("127.0.0.1", 8)
    assert len(set(ports)) == 8 and all(1024 <= port < 65536 for port in ports)


def test_the_companion_shows_the_client_that_runs():
    root = Path(__file__).resolve().parents[2]
    source = (root / "dpcourse/flower_app/apps.py").read_text(encoding="utf-8")
    shown = source[source.index("@client_app.train()") : source.index("class FederatedRounds")].strip()
    cells = json.loads((root / "notebooks/deeper/12_federated_rounds_deeper.ipynb").read_text(encoding="utf-8"))[
        "cells"
    ]
    assert any(f"```python\n{shown}\n```" in "".join(cell["source"]) for cell in cells)
