"""DP-SGD for logistic regression on Adult: accuracy, time, and what clipping and noise add to the same loop.

python -m benchmarks learning

One 70/30 split, the 87 features of `Adult.encode()`, δ = 1e-5, add-remove, the estimator's default settings.
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
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from dpcourse.datasets import load_adult
from dpcourse.learning import DPLogisticRegression
from dpcourse.learning.gradients import Examples, clipped_gradient_sum
from dpcourse.learning.sweep import fit_sweep

TRAINED_ON = 31_655
STEPS, RATE = 200, 0.1


def seconds(function: Callable[[], object], repeats: int) -> float:
    """The fastest of several runs: what else the machine does only adds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def accuracy(train: np.ndarray, y_train: np.ndarray, test: np.ndarray, y_test: np.ndarray, seeds: int) -> None:
    plain = LogisticRegression(max_iter=3000).fit(train, y_train)
    logits = plain.decision_function(test)
    base = ((logits > 0) == y_test).mean(), roc_auc_score(y_test, logits)
    print(f"| scikit-learn, no privacy | {base[0]:.2%} | | {base[1]:.4f} |")
    epsilons = (0.1, 0.3, 1.0, 3.0)
    start = time.perf_counter()
    sweep = fit_sweep(train, y_train, epsilons=epsilons, seeds=seeds, dataset_size=TRAINED_ON, classes=(0, 1), rng=8)
    taken = time.perf_counter() - start
    found = sweep.accuracy(test, y_test)
    for epsilon, row, all_logits in zip(epsilons, found, sweep.decision_function(test), strict=True):
        auc = np.mean([roc_auc_score(y_test, one) for one in all_logits])
        points = 100 * (row.mean() - base[0])
        print(
            f"| DP-SGD, ε = {epsilon:g}, {seeds} seeds | {row.mean():.2%} ± {100 * row.std(ddof=1):.2f} "
            f"| {points:+.2f} points | {auc:.4f} |"
        )
    print(f"\n{len(epsilons) * seeds} models of {STEPS} steps as one batched fit: {taken:.1f} s")


def without_privacy(rows: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The estimator's loop without clipping and noise: the same batches, momentum and average."""
    theta, velocity, average = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(STEPS):
        batch = np.flatnonzero(rng.random(len(rows)) < RATE)
        chosen = rows[batch]
        gradient = (expit(chosen @ theta) - y[batch]) @ chosen
        velocity = 0.9 * velocity + gradient / (RATE * TRAINED_ON)
        theta = theta - 2.0 * velocity
        if step >= STEPS // 2:
            average += theta / (STEPS - STEPS // 2)
    return average


def private_loop(examples: Examples, rng: np.random.Generator) -> np.ndarray:
    """The same loop with them."""
    theta, velocity, average = (np.zeros((1, examples.directions.shape[1])) for _ in range(3))
    for step in range(STEPS):
        batch = examples[np.flatnonzero(rng.random(len(examples)) < RATE)]
        gradient = clipped_gradient_sum(theta, batch, 1.0) + rng.normal(scale=5.43, size=theta.shape)
        velocity = 0.9 * velocity + gradient / (RATE * TRAINED_ON)
        theta = theta - 2.0 * velocity
        if step >= STEPS // 2:
            average += theta / (STEPS - STEPS // 2)
    return average


def speed(train: np.ndarray, y_train: np.ndarray, repeats: int) -> None:
    rng = np.random.default_rng(8)
    rows, examples = np.column_stack([train, np.ones(len(train))]), Examples.of(train, y_train[:, None])
    model = DPLogisticRegression(epsilon=1.0, dataset_size=TRAINED_ON, classes=(0, 1), random_state=8)
    plain = seconds(lambda: without_privacy(rows, y_train, rng), repeats)
    table = {
        "the loop without clipping and noise": plain,
        "the loop with clipping and noise": seconds(lambda: private_loop(examples, rng), repeats),
        "DPLogisticRegression.fit, accounting and loss curve included": seconds(
            lambda: model.fit(train, y_train), repeats
        ),
        "scikit-learn's LogisticRegression.fit": seconds(
            lambda: LogisticRegression(max_iter=3000).fit(train, y_train), repeats
        ),
    }
    print(f"\n| {STEPS} steps, q = {RATE:g} | seconds | × loop without |\n| --- | ---: | ---: |")
    for what, taken in table.items():
        print(f"| {what} | {taken:.3f} | {taken / plain:.2f} |")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks learning", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args(arguments)
    adult = load_adult()
    X, y = adult.encode()
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=42)
    print(
        f"{datetime.date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"scikit-learn {version('scikit-learn')}, {platform.machine()}, Adult from {adult.source}\n\n"
        "| | test accuracy | against scikit-learn | AUC |\n| --- | ---: | ---: | ---: |"
    )
    accuracy(train, y_train, test, y_test, options.seeds)
    speed(train, y_train, options.repeats)
