"""Privacy accounting against dp-accounting: reference values, random cases, and time.

dp-accounting is the independent oracle. Each random case is priced by its connect-the-dots at a fine grid
(`Case.fine`) for the value and at its default grid of 1e-4 for the time.
"""

from __future__ import annotations

import argparse
import datetime
import math
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from dp_accounting import ZCDpEvent
from dp_accounting.pld import pld_pmf, privacy_loss_distribution
from dp_accounting.rdp import RdpAccountant

from dpcourse.accounting import PrivacyAccountant, PrivacyLoss, amplify_by_shuffling, calibrate_noise_multiplier, renyi
from dpcourse.accounting.pld.grid import on_grid, on_natural_edges
from dpcourse.mechanisms import ExponentialMechanism
from dpcourse.privacy import Guarantee


@dataclass(frozen=True)
class Case:
    """`steps` Poisson-subsampled Gaussian releases, add-remove neighbours."""

    noise_multiplier: float
    sampling_rate: float
    steps: int
    delta: float

    def loss(self) -> PrivacyLoss:
        one = PrivacyLoss.gaussian(self.noise_multiplier).poisson_subsampled(self.sampling_rate)
        return one.self_compose(self.steps)

    def ours(self) -> float:
        return self.loss().epsilon(self.delta)

    def fine(self, epsilon: float) -> float:
        """min(1e-4, ε/5000), or a fiftieth of one run's deviation: a grid of h adds h²/6 to its variance."""
        deviation = self.sampling_rate * math.sqrt(math.expm1(min(1 / self.noise_multiplier**2, 1.0)))
        return min(1e-4, epsilon / 5000, deviation / 50)

    def theirs(self, grid: float) -> float:
        one = privacy_loss_distribution.from_gaussian_mechanism(
            self.noise_multiplier,
            sampling_prob=self.sampling_rate,
            value_discretization_interval=grid,
            use_connect_dots=True,
        )
        return one.self_compose(self.steps).get_epsilon_for_delta(self.delta)


def random_cases(count: int, seed: int) -> Iterator[tuple[Case, float]]:
    """`count` cases with our ε in [.01, 50], all four parameters log-uniform, each with that ε."""
    rng = np.random.default_rng(seed)
    while count:
        low, high = np.log([[0.5, 1e-4, 1, 1e-9], [20, 1, 20_001, 1e-3]])
        sigma, rate, steps, delta = np.exp(rng.uniform(low, high)).tolist()
        case = Case(sigma, rate, int(steps), delta)
        epsilon = case.ours()
        if 0.01 <= epsilon <= 50:
            count -= 1
            yield case, epsilon


def reference_rows() -> Iterator[tuple[str, float, float]]:
    """(what, ours, the published or independently computed value)."""
    for epsilon, sigma in zip(
        (0.5, 1, 2, 3, 5, 8, 10), (7.031827, 3.730632, 1.993812, 1.390593, 0.891868, 0.600229, 0.499889), strict=True
    ):
        yield f"analytic Gaussian σ, ε={epsilon:g} δ=1e-5", calibrate_noise_multiplier(epsilon, 1e-5), sigma
    for sigma, epsilon in ((0.5, 9.997256), (1, 4.377178), (2, 1.993091), (3, 1.271088)):
        yield f"Gaussian ε, σ={sigma:g} δ=1e-5", PrivacyLoss.gaussian(sigma).epsilon(1e-5), epsilon
    yield "Gaussian σ=1, δ(1)", PrivacyLoss.gaussian(1.0).delta(1.0), 0.1269367
    orders, curve = [1.5, 2.5, 5, 50, 100], [6.7058e-4, 1.08549e-3, 2.18076e-3, 0.0238460, 167.416]
    for exact in (True, False):
        ours = 50 * renyi.subsampled_gaussian(2.5, 0.01, orders, exact=exact)
        for alpha, value, reference in zip(orders, ours, curve, strict=True):
            if exact or alpha < 3:
                note = "" if exact else " (absolute series)"
                yield f"RDP q=.01 σ=2.5, 50 steps, α={alpha:g}{note}", float(value), reference
    mixed = PrivacyLoss.laplace(1.0).self_compose(3).compose(PrivacyLoss.laplace(0.5).self_compose(2))
    yield "3 × Laplace(1) and 2 × Laplace(2), δ=0", mixed.epsilon(0.0), 4.0
    orders = np.array(renyi.DEFAULT_ORDERS)
    for case, rdp, pld in (
        (Case(1.5, 0.04, 2250, 1e-5), 7.329, 6.769),
        (Case(1.3, 150 / 60_000, 6000, 1e-5), 0.7242234, 0.640111),
        (Case(1.0, 100 / 100_000, 30_000, 1e-7), 1.4154988, None),
        (Case(1.1, 256 / 60_000, 14_040, 1e-5), 2.594363, 2.379644),
    ):
        name = f"q={case.sampling_rate:.4g} σ={case.noise_multiplier:g} T={case.steps} δ={case.delta:g}"
        total = case.steps * renyi.subsampled_gaussian(case.noise_multiplier, case.sampling_rate, orders)
        yield f"{name}, RDP", renyi.epsilon_from_rdp(orders, total, case.delta), rdp
        if pld is not None:
            yield f"{name}, PLD", case.ours(), pld
    hundred = PrivacyAccountant().compose(Guarantee(0.1), 100)
    yield "100 × Laplace(10) δ=1e-5, PLD", PrivacyLoss.laplace(0.1).self_compose(100).epsilon(1e-5), 4.22035
    yield "100 × Laplace(10) δ=1e-5, basic", hundred.epsilon(1e-5, method="basic"), 10.0
    yield "100 × Laplace(10) δ=1e-5, advanced", hundred.epsilon(1e-5, method="advanced"), 5.85024
    for times, epsilon in ((50, 1.0), (1000, 0.1), (100, 0.1)):
        choices = PrivacyAccountant().compose(ExponentialMechanism(epsilon), times)
        name = f"{times} × ExponentialMechanism({epsilon:g}) δ=1e-6"
        yield f"{name}, PLD of the pair", choices.epsilon(1e-6, "pld"), composed_pair(epsilon, times, 1e-6)
        zcdp = ZCDpEvent(epsilon**2 / 8)
        by_rho = RdpAccountant(list(renyi.DEFAULT_ORDERS)).compose(zcdp, times).get_epsilon(1e-6)
        yield f"{name}, best, beside dp-accounting by ρ = ε²/8", choices.epsilon(1e-6), by_rho
    for n in (100, 1000):
        claims = [amplify_by_shuffling(1.0, n, 1e-6, method).epsilon for method in ("numerical", "closed form")]
        yield f"shuffling ε₀=1 n={n} δ=1e-6, summed beside the closed form", *claims
    for method, reference in (("rdp", 1.416), ("pld", 1.346)):
        found = calibrate_noise_multiplier(8.0, 1e-5, 0.04, 2250, method=method)
        yield f"noise multiplier ε=8 δ=1e-5 q=.04 T=2250, {method.upper()}", found, reference


def composed_pair(epsilon: float, times: int, delta: float) -> float:
    """dp-accounting's composition of δ(a) = (1 − e^((a−ε)/2))²/(1 − e^−ε), given to it on a grid of ε/1000."""
    grid = np.arange(-1000, 1001)
    deltas = (1 - np.exp((grid / 1000 - 1) * epsilon / 2)) ** 2 / (1 - np.exp(-epsilon))
    pmf = pld_pmf.create_pmf_pessimistic_connect_dots(epsilon / 1000, grid, deltas)
    return privacy_loss_distribution.PrivacyLossDistribution(pmf).self_compose(times).get_epsilon_for_delta(delta)


def seconds(run: Callable[[], object], repeats: int = 2) -> float:
    """The best of a few runs, each from cold: what we keep from one question to the next is forgotten first."""
    times = []
    for _ in range(repeats):
        on_natural_edges.cache_clear()
        on_grid.cache_clear()
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks accounting", description=__doc__)
    parser.add_argument("--cases", type=int, default=200, help="number of random cases")
    parser.add_argument("--seed", type=int, default=4)
    options = parser.parse_args(arguments)
    print(
        f"{datetime.date.today()}, Python {platform.python_version()}, NumPy {version('numpy')}, "
        f"SciPy {version('scipy')}, dp-accounting {version('dp-accounting')}, {platform.machine()}\n"
    )
    print("| reference value | ours | reference | difference |\n| --- | ---: | ---: | ---: |")
    for name, ours, reference in reference_rows():
        print(f"| {name} | {ours:.7g} | {reference:.7g} | {ours / reference - 1:+.1e} |")
    rows = []
    for case, epsilon in random_cases(options.cases, options.seed):
        reference = case.theirs(case.fine(epsilon))
        rows.append((epsilon / reference - 1, seconds(case.ours), seconds(lambda case=case: case.theirs(1e-4))))
    difference, ours, theirs = np.array(rows).T
    print(f"\n| {options.cases} random subsampled Gaussians (seed {options.seed}) | least | median | most |")
    print("| --- | ---: | ---: | ---: |")
    table = (
        ("ours / dp-accounting at a fine grid − 1", difference, "+.1e"),
        ("our time, ms", 1e3 * ours, ".1f"),
        ("dp-accounting's time at its default grid, ms", 1e3 * theirs, ".0f"),
        ("how many times faster", theirs / ours, ".1f"),
    )
    for name, values, form in table:
        cells = " | ".join(format(value, form) for value in (values.min(), np.median(values), values.max()))
        print(f"| {name} | {cells} |")
    inside = int(((difference >= -1e-4) & (difference <= 0.01)).sum())
    slower = int((theirs < ours).sum())
    print(f"\nWithin 1% above and 1e-4 below: {inside} of {options.cases}. Slower than dp-accounting: {slower}.")
    if inside < options.cases:
        raise SystemExit(1)
