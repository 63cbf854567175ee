"""Shadow models in one batched fit against scikit-learn's LogisticRegression, one after another.

The same objective, the same rows, the same rule for when to stop (no entry of the gradient above 1e-4).
"""

from __future__ import annotations

import argparse
import datetime
import platform
import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from dpcourse.attacks import random_halves, train_shadow_models
from dpcourse.datasets import load_adult

MODELS, ROWS, TOLERANCE = 256, 2_000, 1e-4


def one_by_one(rows: np.ndarray, y: np.ndarray, in_mask: np.ndarray, strength: float, solver: str) -> np.ndarray:
    """scikit-learn leaves an intercept out of the penalty: the rows carry a column of ones instead."""
    fitted = [
        LogisticRegression(
            C=1 / (strength * chosen.sum()), fit_intercept=False, tol=TOLERANCE, solver=solver, max_iter=10_000
        ).fit(rows[chosen], y[chosen])
        for chosen in in_mask
    ]
    return np.array([model.coef_[0] for model in fitted])


def largest_gradient(
    weights: np.ndarray, rows: np.ndarray, y: np.ndarray, in_mask: np.ndarray, strength: float
) -> float:
    share = in_mask / in_mask.sum(axis=1, keepdims=True)
    return float(np.abs(((expit(weights @ rows.T) - y) * share) @ rows + strength * weights).max())


def timed(run: Callable[[], np.ndarray]) -> tuple[np.ndarray, float, float]:
    """The result, seconds on the wall, and seconds of processor time (other programs share the machine)."""
    wall, processor = time.perf_counter(), time.process_time()
    result = run()
    return result, time.perf_counter() - wall, time.process_time() - processor


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks attacks", description=__doc__)
    parser.add_argument("--models", type=int, default=MODELS, help="number of shadow models")
    options = parser.parse_args(arguments)
    adult = load_adult()
    X, y = adult.encode()
    rng = np.random.default_rng(10)
    chosen = rng.choice(len(X), ROWS, replace=False)
    X, y = X[chosen], y[chosen]
    deviation = X.std(axis=0)
    in_mask = random_halves(options.models, ROWS, rng=rng)
    print(
        f"{datetime.date.today()}, Python {platform.python_version()}, NumPy {version('numpy')}, scikit-learn "
        f"{version('scikit-learn')}, {platform.machine()}; {options.models} models, {ROWS:,} rows, "
        f"Adult from {adult.source}\n"
    )
    print("| features, λ | fit | wall, s | processor, s | × batched (processor) | largest gradient |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for name, features, strength in (
        ("87 encoded, 0.01", X, 0.01),
        ("87 encoded, 0.001", X, 0.001),
        ("87 encoded, 0.0001", X, 0.0001),
        ("standardised, 0.001", (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1), 0.001),
    ):
        rows = np.column_stack([features, np.ones(ROWS)])

        def batched(features=features, strength=strength) -> np.ndarray:
            return train_shadow_models(
                features, y, options.models, regularization=strength, tolerance=TOLERANCE, in_mask=in_mask
            ).weights

        fits = {"batched": batched}
        for solver in ("lbfgs", "newton-cholesky"):
            fits[f"scikit-learn, {solver}"] = lambda rows=rows, s=strength, how=solver: one_by_one(
                rows, y, in_mask, s, how
            )
        base = None
        for fit, run in fits.items():
            weights, wall, processor = timed(run)
            base = base or processor
            gradient = largest_gradient(weights, rows, y, in_mask, strength)
            print(
                f"| {name} | {fit} | {wall:.2f} | {processor:.2f} | {processor / base:.1f} | {gradient:.0e} |",
                flush=True,
            )
