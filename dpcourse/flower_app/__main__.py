"""Run federated rounds on Flower, and compare with the same rounds without it.

python -m dpcourse.flower_app --engine simulation --rounds 3
python -m dpcourse.flower_app --engine loopback --rounds 3 --noise-multiplier 2
"""

from __future__ import annotations

import argparse
import signal
import sys
import time

import numpy as np

from dpcourse.flower_app import engines
from dpcourse.flower_app.outcome import FlowerFailed
from dpcourse.flower_app.plan import Plan

TOLERANCE = 1e-6
SECAGG_TOLERANCE = 1e-4  # it rounds


def parser() -> argparse.ArgumentParser:
    described = argparse.ArgumentParser("python -m dpcourse.flower_app", description=__doc__.partition("\n")[0])
    described.add_argument("--engine", choices=("simulation", "loopback"), default="simulation")
    described.add_argument("--rounds", type=int, default=Plan.rounds)
    described.add_argument("--fabs", type=int, help="clients: six in simulation, two over loopback")
    described.add_argument("--clip-norm", type=float, default=Plan.clip_norm)
    described.add_argument("--noise-multiplier", type=float, default=Plan.noise_multiplier)
    described.add_argument("--seed", type=int, default=Plan.seed)
    described.add_argument("--cpus", type=int, default=1, help="for the simulation: clients at a time")
    described.add_argument("--secagg", action="store_true", help="for the simulation: under Flower's SecAgg+")
    described.add_argument("--log", action="store_true", help="show the end of what Flower logged")
    return described


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    simulated = given.engine == "simulation"
    if given.secagg and (not simulated or given.noise_multiplier):
        parser().error("--secagg is for the simulation, without noise: it hides updates and promises no more")
    usual = 6 if simulated else 2
    try:
        plan = Plan(
            rounds=given.rounds,
            fabs=usual if given.fabs is None else given.fabs,
            clip_norm=given.clip_norm,
            noise_multiplier=given.noise_multiplier,
            seed=given.seed,
        )
    except (TypeError, ValueError) as error:
        parser().error(str(error))
    # A request to end must end the processes that were started too: as an exception it passes through every `finally`.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    print(f"Flower, {given.engine}: {plan}")
    start = time.perf_counter()
    try:
        if simulated:
            outcome = engines.simulate(plan, cpus=given.cpus, apps=engines.SECAGG if given.secagg else engines.APPS)
        else:
            outcome = engines.loopback(plan)
    except FlowerFailed as error:
        print(f"Flower failed: {error}", file=sys.stderr)
        return 1
    seconds = time.perf_counter() - start
    if given.log:
        print(outcome["log"])
    print(*outcome["reports"], sep="\n")
    weights, reports = plan.from_scratch()
    difference = float(np.abs(np.array(outcome["weights"]) - weights).max())
    print(f"largest difference from the weights without Flower: {difference:.2g}")
    print(f"claim after {plan.rounds} rounds: {reports[-1].guarantee}")
    if plan.noise_multiplier:
        print("(an example: with its seed published, as here, the claim is void)")
    print(f"{seconds:.1f} s")
    return int(not difference <= (SECAGG_TOLERANCE if given.secagg else TOLERANCE))


if __name__ == "__main__":
    sys.exit(main())
