"""Capstone 1's private training: in one process, or with `--flower` by six clients under Flower's secure aggregation.

python -m dpcourse.lessons.capstone_1
python -m dpcourse.lessons.capstone_1 --flower
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from dpcourse.lessons.capstone_1.numbers import right
from dpcourse.lessons.capstone_1.rounds import Plan

TOLERANCE = 1e-3  # SecAgg+ rounds what is sent


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m dpcourse.lessons.capstone_1", description=__doc__.partition("\n")[0])
    parser.add_argument("--flower", action="store_true", help="six clients under Flower's SecAgg+")
    parser.add_argument("--rounds", type=int, default=Plan.rounds)
    parser.add_argument("--epsilon", type=float, default=Plan.epsilon)
    given = parser.parse_args(arguments)
    try:
        plan = Plan(rounds=given.rounds, epsilon=given.epsilon)
    except (TypeError, ValueError) as error:
        parser.error(str(error))

    alone, difference = plan.in_one_process(), 0.0
    print(f"accuracy: {right(alone, plan.world.test).mean():.1%} after {plan.rounds} rounds in one process")
    if given.flower:
        from dpcourse.flower_app import engines
        from dpcourse.flower_app.outcome import FlowerFailed

        try:
            outcome = engines.simulate(plan, apps="dpcourse.lessons.capstone_1.flower")
        except FlowerFailed as error:
            print(f"Flower failed: {error}", file=sys.stderr)
            return 1
        weights = np.array(outcome["weights"])
        difference = float(np.abs(weights - alone).max())
        print(*outcome["reports"], sep="\n")
        print(f"accuracy: {right(weights, plan.world.test).mean():.1%} under SecAgg+")
        print(f"largest difference of a weight: {difference:.2g}")
    print(
        f"claim: (ε, δ) = ({plan.epsilon:g}, {plan.delta:g}), adding or removing one wafer, all rounds, while "
        f"{plan.shares} fabs' noise is in every sum and unknown to the onlooker"
    )
    print("(normal noise in floats; an example: with its seed published, as here, the claim is void)")
    return int(not difference <= TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
