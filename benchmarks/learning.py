"""Private logistic regression on Adult: accuracy, the price of privacy in time, and other libraries on the same task.

One 70/30 stratified split, the 87 features of `Adult.encode()`, δ = 1e-5, add-remove, the estimator's default settings.
Opacus and diffprivlib are installed on demand into environments of their own beside `.venv`; where that fails, or with
--alone, their rows are left out. Seconds are of processor time, of one thread.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when NumPy is imported: everybody gets one thread
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import datetime
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from dpcourse.accounting import calibrate_noise_multiplier
from dpcourse.datasets import load_adult
from dpcourse.learning import DPLogisticRegression, ObjectivePerturbationLogisticRegression
from dpcourse.learning.gradients import Examples, clipped_gradient_sum
from dpcourse.learning.perturbation import unit_rows
from dpcourse.learning.sweep import fit_sweep

ROOT = Path(__file__).resolve().parents[1]
TRAINED_ON = 31_655
DELTA, STEPS, RATE, MOMENTUM, CLIP, LEARNING_RATE = 1e-5, 200, 0.1, 0.9, 1.0, 2.0
EPSILONS = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 3.0, 8.0)
REGULARIZATION, DATA_NORM = 1e-3, 2.0

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class OtherLibrary:
    """A script of `others/` in an environment of its own: arrays by file, settings and answers as lines of JSON."""

    def __init__(self, name: str, packages: list[list[str]], X: np.ndarray, y: np.ndarray) -> None:
        python = ROOT / f".venv-{name}" / ("Scripts" if os.name == "nt" else "bin") / "python"
        if (
            subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode
            if python.exists()
            else True
        ):
            print(f"(Installing {name} into .venv-{name}: minutes)", flush=True)
            subprocess.run([sys.executable, "-m", "venv", ROOT / f".venv-{name}"], check=True)
            for together in packages:
                subprocess.run([python, "-m", "pip", "install", "--quiet", *together], check=True)
        self._folder = tempfile.TemporaryDirectory()
        arrays = Path(self._folder.name) / "arrays.npz"
        np.savez(arrays, X=X, y=y)
        self._process = subprocess.Popen(
            [python, ROOT / "benchmarks" / "others" / f"train_with_{name}.py", arrays],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.versions = self._answer()["versions"]

    def _answer(self) -> dict:
        return json.loads(self._process.stdout.readline())

    def train(self, **settings) -> dict:
        """Its answer, with `theta` as an array."""
        self._process.stdin.write(json.dumps(settings) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        return answer | {"theta": np.array(answer["theta"])}

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()


def seconds(function: Callable[[], object]) -> tuple[float, object]:
    """Processor time of one call, and what it returned."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def in_turn(functions: dict[str, Callable[[], object]], repeats: int) -> dict[str, np.ndarray]:
    """Seconds of each, taken in turn, so that what else the machine does falls on all of them alike."""
    taken: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            taken[name].append(seconds(function)[0])
    return {name: np.array(times) for name, times in taken.items()}


def scores(logits: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Accuracy and AUC."""
    return float(((logits > 0) == labels).mean()), float(roc_auc_score(labels, logits))


def mean_and_error(values: list[float], percent: bool) -> str:
    """Mean ± standard error of it."""
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{100 * np.mean(values):.2f}% ± {100 * error:.2f}" if percent else f"{np.mean(values):.4f} ± {error:.4f}"


def accuracy(split: Split, seeds: int) -> None:
    """Every ε, many seeds: one batched fit."""
    train, test, y_train, y_test = split
    plain = LogisticRegression(max_iter=3000).fit(train, y_train)
    base = scores(plain.decision_function(test), y_test)
    print("| | test accuracy, ± deviation of one model | against scikit-learn | AUC |\n| --- | ---: | ---: | ---: |")
    print(f"| scikit-learn, no privacy | {base[0]:.2%} | | {base[1]:.4f} |")
    start = time.perf_counter()
    taken, sweep = seconds(
        lambda: fit_sweep(
            train, y_train, epsilons=EPSILONS, seeds=seeds, dataset_size=TRAINED_ON, classes=(0, 1), rng=8
        )
    )
    wall = time.perf_counter() - start
    for epsilon, all_logits in zip(EPSILONS, sweep.decision_function(test), strict=True):
        found, areas = np.transpose([scores(one, y_test) for one in all_logits])
        points = 100 * (found.mean() - base[0])
        print(
            f"| DP-SGD, ε = {epsilon:g}, {seeds} seeds | {found.mean():.2%} ± {100 * found.std(ddof=1):.2f} "
            f"| {points:+.2f} points | {areas.mean():.4f} |"
        )
    print(
        f"\n{len(EPSILONS) * seeds} models of {STEPS} steps in one batched fit: {taken:.1f} s on one processor "
        f"({wall:.1f} s by the wall)"
    )


def without_privacy(rows: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The estimator's loop without clipping and noise: the same batches, momentum and average, nothing more."""
    theta, velocity, average = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(STEPS):
        batch = np.flatnonzero(rng.random(len(rows)) < RATE)
        chosen = rows[batch]
        gradient = (expit(chosen @ theta) - y[batch]) @ chosen
        velocity = MOMENTUM * velocity + gradient / (RATE * TRAINED_ON)
        theta = theta - LEARNING_RATE * velocity
        if step >= STEPS // 2:
            average += theta / (STEPS - STEPS // 2)
    return average


def with_privacy(examples: Examples, rng: np.random.Generator, noise_multiplier: float) -> np.ndarray:
    """The same loop with them."""
    theta, velocity, average = (np.zeros((1, examples.directions.shape[1])) for _ in range(3))
    for step in range(STEPS):
        batch = examples[np.flatnonzero(rng.random(len(examples)) < RATE)]
        noise = rng.normal(scale=noise_multiplier * CLIP, size=theta.shape)
        gradient = clipped_gradient_sum(theta, batch, CLIP) + noise
        velocity = MOMENTUM * velocity + gradient / (RATE * TRAINED_ON)
        theta = theta - LEARNING_RATE * velocity
        if step >= STEPS // 2:
            average += theta / (STEPS - STEPS // 2)
    return average


def price_in_time(split: Split, noise_multiplier: float, repeats: int) -> None:
    """The loop with and without clipping and noise, and the parts of a whole `fit`."""
    train, _, y_train, _ = split
    rng = np.random.default_rng(8)
    rows, examples = np.column_stack([train, np.ones(len(train))]), Examples.of(train, y_train[:, None])
    public = dict(dataset_size=TRAINED_ON, classes=(0, 1), random_state=8)
    private = DPLogisticRegression(epsilon=1.0, **public)
    plain = DPLogisticRegression(noise_multiplier=0, clip_norm=np.inf, learning_rate=LEARNING_RATE, **public)
    whole, same = "`DPLogisticRegression.fit`, whole", "the same `fit` without clipping, noise and accounting"
    taken = in_turn(
        {
            "the loop without clipping and noise": lambda: without_privacy(rows, y_train, rng),
            "the loop with clipping and noise": lambda: with_privacy(examples, rng, noise_multiplier),
            whole: lambda: private.fit(train, y_train),
            "– of that, noise calibrated and ε accounted": lambda: private._account(TRAINED_ON, rng),
            "– of that, rows brought to length one": lambda: Examples.of(train, y_train[:, None]),
            same: lambda: plain.fit(train, y_train),
            "scikit-learn's `LogisticRegression.fit`, to its optimum": lambda: LogisticRegression(max_iter=3000).fit(
                train, y_train
            ),
        },
        repeats,
    )
    first = taken["the loop without clipping and noise"]
    print(f"\n| {STEPS} steps, q = {RATE:g}, median of {repeats} | seconds | × loop without |\n| --- | ---: | ---: |")
    for what, times in taken.items():
        print(f"| {what} | {np.median(times):.3f} | {np.median(times / first):.2f} |")
    ratio = np.median(taken[whole] / taken[same])
    print(f"\n`fit` against the same `fit` without clipping, noise and accounting: {ratio:.2f}")


def against_opacus(split: Split, noise_multiplier: float, seeds: int) -> None:
    """The same steps, ours and theirs in turn."""
    train, test, y_train, y_test = split
    other = OtherLibrary("opacus", [["torch==2.13.0"], ["opacus==1.6.0"]], train, y_train)
    settings = dict(
        sampling_rate=RATE,
        steps=STEPS,
        clip_norm=CLIP,
        noise_multiplier=noise_multiplier,
        momentum=MOMENTUM,
        learning_rate=LEARNING_RATE,
    )
    names = (
        "ours, `fit` with its accounting, float32 as theirs",
        "ours, the same in float64",
        "Opacus, its private `DataLoader`",
        "Opacus, batches gathered by tensor",
    )
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in names}
    epsilons: dict = {}
    for batches in ("loader", "gathered"):
        other.train(seed=0, batches=batches, **settings | {"steps": 2})  # what PyTorch does once stays out
    for seed in range(seeds):
        model = DPLogisticRegression(dataset_size=TRAINED_ON, classes=(0, 1), random_state=seed, **settings)
        for name, rows in zip(names, (train.astype(np.float32), train), strict=False):
            taken, _ = seconds(lambda model=model, rows=rows: model.fit(rows, y_train))
            found[name].append((taken, *scores(model.decision_function(test), y_test)))
        for name, batches in zip(names[2:], ("loader", "gathered"), strict=True):
            ask = {"delta": DELTA} if seed == 0 and batches == "loader" else {}
            answer = other.train(seed=seed, batches=batches, **settings, **ask)
            epsilons = epsilons or {key: value for key, value in answer.items() if key.startswith("epsilon")}
            logits = test @ answer["theta"][:-1] + answer["theta"][-1]
            found[name].append((answer["cpu"], *scores(logits, y_test)))
    other.close()
    ours = np.array([taken for taken, *_ in found[names[0]]])
    print(
        f"\nDP-SGD, the same computation: {other.versions}, noise multiplier {noise_multiplier:.4f}, "
        f"{seeds} seeds each\n"
    )
    print("| | accuracy | AUC | seconds | × ours | least of any round |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, rows in found.items():
        taken, right, area = (np.array(column) for column in zip(*rows, strict=True))
        print(
            f"| {name} | {mean_and_error(right, True)} | {mean_and_error(area, False)} | {np.median(taken):.3f} "
            f"| {np.median(taken) / np.median(ours):.1f} | {(taken / ours).min():.1f} |"
        )
    right = [np.array([row[1] for row in found[name]]) for name in names]
    theirs = np.concatenate(right[2:])
    gap, error = (
        right[0].mean() - theirs.mean(),
        np.hypot(*(x.std(ddof=1) / np.sqrt(len(x)) for x in (right[0], theirs))),
    )
    print(
        f"\nAccuracy, ours less theirs: {100 * gap:+.3f} ± {100 * error:.3f} points, {gap / error:+.1f} standard errors"
    )
    tight, loose, mine = epsilons["epsilon"], epsilons["epsilon as it comes"], model.guarantee_.epsilon
    print(
        f"\nε at δ = {DELTA:g}: ours (PLD) {mine:.4f}; Opacus (PRV) {tight:.4f} with eps_error=0.001, "
        f"{tight / mine - 1:+.2%}, and {loose:.4f} as it comes, with 0.01, {loose / mine - 1:+.2%}"
    )


def against_diffprivlib(split: Split, seeds: int) -> None:
    """Objective perturbation at ε = 1, δ = 0, replace-one: the same objective, bound on the rows and λ."""
    train, test, y_train, y_test = split
    rows, test_rows = unit_rows(train, DATA_NORM), unit_rows(test, 1e300) * 1e300
    other = OtherLibrary("diffprivlib", [["diffprivlib==0.6.6", "scikit-learn<1.6"]], rows, y_train)
    found: dict[str, list[tuple[float, float, float]]] = {"ours": [], "diffprivlib": []}
    for seed in range(seeds):
        model = ObjectivePerturbationLogisticRegression(
            epsilon=1.0,
            regularization=REGULARIZATION,
            data_norm=DATA_NORM,
            dataset_size=TRAINED_ON,
            classes=(0, 1),
            random_state=seed,
        )
        taken, _ = seconds(lambda model=model: model.fit(train, y_train))
        found["ours"].append((taken, *scores(model.decision_function(test), y_test)))
        answer = other.train(seed=seed, epsilon=1.0, regularization=REGULARIZATION)
        found["diffprivlib"].append((answer["cpu"], *scores(test_rows @ answer["theta"], y_test)))
    other.close()
    print(
        f"\nObjective perturbation: ε = 1, δ = 0, replacing one record, λ = {REGULARIZATION:g}, rows clipped to norm "
        f"{DATA_NORM:g}, {seeds} seeds each, {other.versions}\n\n"
        "| | accuracy | AUC | seconds | × ours |\n| --- | ---: | ---: | ---: | ---: |"
    )
    ours = np.median([taken for taken, *_ in found["ours"]])
    for name, results in found.items():
        taken, right, area = (np.array(column) for column in zip(*results, strict=True))
        print(
            f"| {name} | {mean_and_error(right, True)} | {mean_and_error(area, False)} | {np.median(taken):.3f} "
            f"| {np.median(taken) / ours:.1f} |"
        )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks learning", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="models at each ε (default 20)")
    parser.add_argument("--repeats", type=int, default=7, help="timings of each part (default 7)")
    parser.add_argument("--rounds", type=int, default=8, help="models by each other library (default 8)")
    parser.add_argument("--alone", action="store_true", help="without the other libraries")
    options = parser.parse_args(arguments)
    adult = load_adult()
    X, y = adult.encode()
    split = train_test_split(X, y, test_size=0.3, stratify=y, random_state=42)
    print(
        f"{datetime.date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, scikit-learn "
        f"{version('scikit-learn')}, {platform.machine()}, {os.cpu_count()} processors, "
        f"{os.environ['OMP_NUM_THREADS']} BLAS thread, Adult from {adult.source}\n"
    )
    accuracy(split, options.seeds)
    noise_multiplier = calibrate_noise_multiplier(1.0, DELTA, RATE, STEPS)
    price_in_time(split, noise_multiplier, options.repeats)
    for compare in (
        ()
        if options.alone
        else (
            lambda: against_opacus(split, noise_multiplier, options.rounds),
            lambda: against_diffprivlib(split, options.rounds),
        )
    ):
        try:
            compare()
        except (OSError, subprocess.CalledProcessError, json.JSONDecodeError) as error:
            print(f"\nNot measured: {error}")
