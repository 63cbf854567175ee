"""Randomized response: time against bare random numbers and against OpenDP, and what the auditor certifies of it.

python -m benchmarks local
"""

from __future__ import annotations

import argparse
import datetime
import platform
import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
import opendp.prelude as dp

from dpcourse.audit import audit
from dpcourse.local import RandomizedResponse, UnaryEncoding


def seconds(function: Callable[[], object], repeats: int) -> float:
    """The fastest of several runs: what else the machine does only adds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


class OneReport:
    """One person's k-RR report, for the auditor."""

    def __init__(self, response: RandomizedResponse) -> None:
        self.response = response

    def __call__(self, code: int, rng: np.random.Generator) -> int:
        return int(self.batch(code, 1, rng)[0])

    def batch(self, code: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        return self.response.randomize(np.full(runs, code), rng=rng)


def speed(n: int, repeats: int) -> None:
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 4, n)
    response = RandomizedResponse(1.0, 4)
    bare = seconds(lambda: (rng.random(n), rng.integers(0, 3, n)), repeats)
    dp.enable_features("contrib")
    theirs = dp.m.make_randomized_response([0, 1, 2, 3], prob=response.truth_probability)
    some = codes[:5000].tolist()
    rows = {
        f"rng.random({n:,}) and rng.integers(0, 3, {n:,})": bare,
        f"RandomizedResponse(1, 4).randomize, {n:,} people": seconds(
            lambda: response.randomize(codes, rng=rng), repeats
        ),
        f"UnaryEncoding(1, 4).randomize, {n:,} people": seconds(
            lambda: UnaryEncoding(1.0, 4).randomize(codes, rng=rng), repeats
        ),
        f"OpenDP make_randomized_response, {len(some):,} people, one by one, scaled up": seconds(
            lambda: [theirs(code) for code in some], 1
        )
        * n
        / len(some),
    }
    print("seconds   × bare   what")
    for what, taken in rows.items():
        print(f"{taken:7.3f}  {taken / bare:7.2f}   {what}")


def tightness(seeds: int) -> None:
    print("\ncertified ε / true ε of k-RR, 100,000 runs a side: mean and smallest of", seeds, "audits")
    for confidence in (0.95, 0.999):
        for k in (2, 4):
            cells = []
            for epsilon in (0.5, 1.0, 2.0):
                response = RandomizedResponse(epsilon, k)
                found = [
                    audit(OneReport(response), 0, 1, claim=response.guarantee, confidence=confidence, rng=seed)
                    for seed in range(seeds)
                ]
                shares = np.array([result.epsilon_lower / epsilon for result in found])
                cells.append(f"ε = {epsilon:g}: {shares.mean():.3f} {shares.min():.3f}")
            print(f"  {100 * confidence:g}%  k = {k}   " + "   ".join(cells))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks local", description=__doc__)
    parser.add_argument("--people", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args(arguments)
    print(
        f"{datetime.date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"OpenDP {version('opendp')}, {platform.machine()}\n"
    )
    speed(options.people, options.repeats)
    tightness(options.seeds)
