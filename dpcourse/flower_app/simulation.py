"""Flower's simulation engine, run as a program of its own: what it starts ends with it, and it can be given a time."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any


def main(order: str) -> None:
    """Simulate what the JSON file `order` asks for: a plan, the module of its apps, how many CPUs, and the outcome."""
    asked = json.loads(Path(order).read_text(encoding="utf-8"))

    from flwr.serverapp import ServerApp
    from flwr.simulation import run_simulation

    apps = importlib.import_module(asked["apps"])
    plan, output = apps.Plan(**asked["plan"]), Path(asked["output"])
    server_app = ServerApp()

    @server_app.main()
    def rounds(grid: Any, context: Any) -> None:
        apps.run(grid, plan, output, context)

    run_simulation(
        server_app,
        apps.client_app,
        num_supernodes=plan.fabs,
        backend_config={
            # Its own cluster, whatever else runs here.
            "init_args": {"address": "local", "num_cpus": asked["cpus"], "include_dashboard": False},
            "client_resources": {"num_cpus": 1, "num_gpus": 0.0},
        },
    )


if __name__ == "__main__":
    main(sys.argv[1])
