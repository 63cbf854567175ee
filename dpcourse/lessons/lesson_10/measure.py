"""Measures the grid that an explorer of lesson 10 draws: `tools/make_grids.py lesson_10`.

The pool is 2,000 people. For each ε, 256 private models to attack and 128 shadow models like them, each trained on a
random half of the pool by 30 steps of DP-SGD with full batches. Publishing these rates is not covered by any one
model's guarantee: they were measured on data that are public already.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpcourse.attacks import auc, best_accuracy, lira_scores, random_halves, roc_band
from dpcourse.datasets import load_adult
from dpcourse.learning.sweep import fit_sweep

EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
ATTACKS = ("threshold", "LiRA, offline", "LiRA, online")
POOL, TEST, TARGETS, SHADOWS, STEPS, DELTA = 2_000, 4_000, 256, 128, 30, 1e-5
SHARES = np.geomspace(1e-3, 0.999, 24)  # of all records accused


def three_digits(values: ArrayLike) -> list:
    return [float(f"{value:.3g}") for value in np.ravel(values)]


def measure() -> dict[str, Any]:
    """The tables of the grid by name."""
    adult = load_adult("uci")
    X, y = adult.encode()
    rng = np.random.default_rng(10)
    drawn = rng.permutation(len(X))[: POOL + TEST]
    pool, test = drawn[:POOL], drawn[POOL:]
    in_mask = random_halves(SHADOWS + TARGETS, POOL, rng=rng)
    sweep = fit_sweep(
        X[pool],
        y[pool],
        epsilons=EPSILONS,
        seeds=len(in_mask),
        dataset_size=POOL // 2,
        classes=(0, 1),
        delta=DELTA,
        sampling_rate=1.0,
        steps=STEPS,
        in_mask=in_mask,
        rng=rng,
    )
    accuracy = sweep.accuracy(X[test], y[test]).mean(axis=1)
    margins = sweep.decision_function(X[pool]) * (2 * y[pool] - 1)
    asked = in_mask[SHADOWS:]
    rates, scores = [], []
    for phi in margins:
        shadows = phi[:SHADOWS], in_mask[:SHADOWS]
        found = phi[SHADOWS:], lira_scores(phi[SHADOWS:], *shadows, online=False), lira_scores(phi[SHADOWS:], *shadows)
        bands = [roc_band(s, asked, np.quantile(s, 1 - SHARES)) for s in found]
        rates.append([[three_digits(v) for v in (b.fpr, b.tpr, b.tpr_low, b.tpr_high)] for b in bands])
        scores.append([three_digits([auc(s, asked), best_accuracy(s, asked)]) for s in found])
    return {
        "about": "RATES: by ε, attack, then false positive rate, true positive rate and the ends of its band (95%, "
        "pointwise), at thresholds. SCORES: by ε and attack, area under the curve and the best threshold's accuracy. "
        "ACCURACY: of the models on other people, by ε. NOISE: multiplier of one step, by ε.",
        "EPSILONS": EPSILONS,
        "ATTACKS": ATTACKS,
        "TARGETS": TARGETS,
        "SHADOWS": SHADOWS,
        "POOL": POOL,
        "STEPS": STEPS,
        "DELTA": DELTA,
        "ACCURACY": three_digits(accuracy),
        "NOISE": np.round(sweep.noise_multipliers, 4).tolist(),
        "SCORES": scores,
        "RATES": rates,
    }
