"""What safe noise costs: the exact samplers on a grid against NumPy's float samplers, as ratios of times.

`rng.laplace` and `rng.normal` only draw; a release also checks its input, rounds it to the grid and adds.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np

from dpcourse.mechanisms import GaussianMechanism, GeometricMechanism, LaplaceMechanism


def fastest(work: Callable[[], object], repeats: int) -> float:
    """The least of several times, in seconds of this process: what else the machine did stays out."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks mechanisms", description=__doc__)
    parser.add_argument("--size", type=int, default=10_000_000, help="values released at once (default 10 million)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, the fastest counts (default 3)")
    options = parser.parse_args(arguments)

    rng = np.random.default_rng(0)
    size = options.size
    values = rng.uniform(0, 1000, size)
    whole = rng.integers(0, 1000, size)
    laplace, gaussian, geometric = LaplaceMechanism(1.0), GaussianMechanism(1.0, 1e-5), GeometricMechanism(1.0)
    rows = [
        (
            "LaplaceMechanism.release",
            lambda: laplace.release(values, rng=rng),
            "rng.laplace",
            lambda: rng.laplace(size=size),
        ),
        (
            "GeometricMechanism.release",
            lambda: geometric.release(whole, rng=rng),
            "rng.laplace",
            lambda: rng.laplace(size=size),
        ),
        (
            "GaussianMechanism.release",
            lambda: gaussian.release(values, rng=rng),
            "rng.normal",
            lambda: rng.normal(size=size),
        ),
    ]
    numpy = f"NumPy {version('numpy')}, {platform.machine()}, one thread"
    print(f"{size:,} values, fastest of {options.repeats}, processor time; {numpy}")
    print(f"{'ours':28}{'seconds':>9}   {'float sampler':14}{'seconds':>9}{'ratio':>8}")
    for name, ours, other, theirs in rows:
        here, there = fastest(ours, options.repeats), fastest(theirs, options.repeats)
        print(f"{name:28}{here:9.3f}   {other:14}{there:9.3f}{here / there:8.1f}")
