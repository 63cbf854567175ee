"""Features and accuracy: Adult with its numbers scaled and in public bins, beside other libraries on the same rows.

One 70/30 stratified split, δ = 1e-5, adding or removing one record. DP-SGD chooses its own steps, learning rate and
clip (`features=`), by rules whose constants were chosen on the twin; Opacus takes the same. Objective perturbation is
pure and replaces one record; its λ was chosen on the twin too, by ours. Opacus and diffprivlib run in environments of
their own, as in the benchmark `learning`; where that fails, or with --alone, their rows are left out.
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
import time
from importlib.metadata import version

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from benchmarks.learning import DELTA, MOMENTUM, RATE, TRAINED_ON, OtherLibrary, Split, scores, seconds
from dpcourse.datasets import load_adult
from dpcourse.learning import DPLogisticRegression, ObjectivePerturbationLogisticRegression
from dpcourse.learning.pace import Pace
from dpcourse.learning.perturbation import unit_rows
from dpcourse.learning.sweep import fit_sweep

EPSILONS = (0.1, 1.0, 8.0)
LAMBDAS = {0.1: 1e-2, 1.0: 1e-3, 8.0: 1e-4}  # the best on the twin of 1e-4, 3e-4, 1e-3, 3e-3 and 1e-2


def row(what: str, epsilon: float, results: list[tuple[float, float]], taken: float) -> None:
    right, area = np.transpose(results)
    error = 100 * right.std(ddof=1) / np.sqrt(len(right))
    print(f"| {what} | {epsilon:g} | {right.mean():.2%} ± {error:.2f} | {area.mean():.4f} | {taken:.2f} |", flush=True)


def ours(split: Split, numeric: str, seeds: int) -> None:
    """scikit-learn without privacy, and DP-SGD at its defaults."""
    train, test, y_train, y_test = split
    plain = LogisticRegression(max_iter=3000)
    taken, _ = seconds(lambda: plain.fit(train, y_train))
    right, area = scores(plain.decision_function(test), y_test)
    print(f"| scikit-learn, no privacy | ∞ | {right:.2%} | {area:.4f} | {taken:.2f} |")
    for epsilon in EPSILONS:
        taken, sweep = seconds(
            lambda epsilon=epsilon: fit_sweep(
                train,
                y_train,
                epsilons=[epsilon],
                seeds=seeds,
                dataset_size=TRAINED_ON,
                classes=(0, 1),
                features=numeric,
                rng=8,
            )
        )
        found = [scores(logits, y_test) for logits in sweep.decision_function(test)[0]]
        row(f"DP-SGD, ours, {seeds} seeds in one fit", epsilon, found, taken / seeds)


def beside_opacus(split: Split, numeric: str, rounds: int) -> None:
    """The same steps, learning rate and clip, ours and theirs in turn."""
    train, test, y_train, y_test = split
    other = OtherLibrary("opacus", [["torch==2.13.0"], ["opacus==1.6.0"]], train, y_train)
    pace = Pace.of(numeric)
    for epsilon in EPSILONS:
        mine, theirs, times = [], [], []
        for seed in range(rounds):
            model = DPLogisticRegression(
                epsilon, DELTA, dataset_size=TRAINED_ON, classes=(0, 1), features=numeric, random_state=seed
            )
            taken, _ = seconds(lambda model=model: model.fit(train, y_train))
            mine.append(scores(model.decision_function(test), y_test))
            public = (RATE, pace.steps, MOMENTUM, TRAINED_ON)
            answer = other.train(
                seed=seed,
                batches="gathered",
                sampling_rate=RATE,
                steps=pace.steps,
                momentum=MOMENTUM,
                clip_norm=model.clip_norm_,
                noise_multiplier=model.noise_multiplier_,
                learning_rate=pace.learning_rate(model.noise_multiplier_, model.clip_norm_, *public),
            )
            theirs.append(scores(test @ answer["theta"][:-1] + answer["theta"][-1], y_test))
            times.append((taken, answer["cpu"]))
        for what, found, taken in zip(("ours, one by one", "Opacus"), (mine, theirs), np.median(times, 0), strict=True):
            row(f"DP-SGD, {what}, {rounds} seeds", epsilon, found, taken)
    other.close()


def beside_diffprivlib(split: Split, numeric: str, rounds: int) -> None:
    """Objective perturbation, δ = 0, replacing one record: the same objective, bound on the rows and λ."""
    train, test, y_train, y_test = split
    norm = float(np.sqrt(load_adult("twin").schema.largest_norm ** 2 + 1))  # of (x, 1), in bins
    rows, test_rows = unit_rows(train, norm), unit_rows(test, norm)
    other = OtherLibrary("diffprivlib", [["diffprivlib==0.6.6", "scikit-learn<1.6"]], rows, y_train)
    for epsilon, regularization in LAMBDAS.items():
        mine, theirs, times = [], [], []
        for seed in range(rounds):
            model = ObjectivePerturbationLogisticRegression(
                epsilon, regularization, norm, dataset_size=TRAINED_ON, classes=(0, 1), random_state=seed
            )
            taken, _ = seconds(lambda model=model: model.fit(train, y_train))
            mine.append(scores(model.decision_function(test), y_test))
            answer = other.train(seed=seed, epsilon=epsilon, regularization=regularization)
            theirs.append(scores(test_rows @ answer["theta"], y_test))
            times.append((taken, answer["cpu"]))
        for what, found, taken in zip(("ours", "diffprivlib"), (mine, theirs), np.median(times, 0), strict=True):
            row(f"objective perturbation, {what}, λ = {regularization:g}, {rounds} seeds", epsilon, found, taken)
    other.close()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks features", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="models of the sweep at each ε (default 20)")
    parser.add_argument("--rounds", type=int, default=6, help="models by each other library (default 6)")
    parser.add_argument("--alone", action="store_true", help="without the other libraries")
    options = parser.parse_args(arguments)
    adult = load_adult()
    print(
        f"{datetime.date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, scikit-learn "
        f"{version('scikit-learn')}, {platform.machine()}, Adult from {adult.source}"
    )
    start = time.perf_counter()
    for numeric in ("scaled", "bins"):
        X, y = adult.encode(numeric=numeric)
        split = train_test_split(X, y, test_size=0.3, stratify=y, random_state=42)
        print(f"\n| {numeric}: {X.shape[1]} features | ε | accuracy ± standard error | AUC | seconds a model |")
        print("| --- | ---: | ---: | ---: | ---: |")
        ours(split, numeric, options.seeds)
        for compare in () if options.alone or numeric == "scaled" else (beside_opacus, beside_diffprivlib):
            try:
                compare(split, numeric, options.rounds)
            except (OSError, subprocess.CalledProcessError, json.JSONDecodeError) as error:
                print(f"\nNot measured: {error}")
    print(f"\n{time.perf_counter() - start:.0f} s by the wall")
