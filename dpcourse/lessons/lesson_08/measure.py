"""Measures the grid that an explorer of lesson 08 draws: `tools/make_grids.py lesson_08`.

For each ε, 20 private models on one 70/30 split, each with batches and noise of its own: mean and standard deviation
of their scores on the test people. Publishing these means is not covered by any one model's guarantee: they were
measured on data that are public already.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, f1_score, roc_auc_score
from sklearn.model_selection import train_test_split

from dpcourse.datasets import load_adult
from dpcourse.learning.sweep import fit_sweep

EPSILONS = (0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
METRICS = ("accuracy", "AUC", "F1", "Brier score")
SEEDS = 20
TRAINED_ON = 31_655


def scores(logits: np.ndarray, y: np.ndarray) -> list[float]:
    """Scores of one model from its logits on the test people, in the order of `METRICS`."""
    answers = logits > 0
    return [
        float((answers == y).mean()),
        roc_auc_score(y, logits),
        f1_score(y, answers),
        brier_score_loss(y, expit(logits)),
    ]


def measure() -> dict[str, Any]:
    """The tables of the grid by name."""
    adult = load_adult("uci")
    X, y = adult.encode()
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=42)
    plain = LogisticRegression(max_iter=3000).fit(train, y_train)
    sweep = fit_sweep(train, y_train, epsilons=EPSILONS, seeds=SEEDS, dataset_size=TRAINED_ON, classes=(0, 1), rng=8)
    found = np.array([[scores(one, y_test) for one in row] for row in sweep.decision_function(test)])
    return {
        "about": "PLAIN: scikit-learn's scores by metric. MEAN and SPREAD (deviation over models): by ε, then metric.",
        "EPSILONS": EPSILONS,
        "METRICS": METRICS,
        "SEEDS": SEEDS,
        "PLAIN": np.round(scores(plain.decision_function(test), y_test), 4).tolist(),
        "MEAN": np.round(found.mean(axis=1), 4).tolist(),
        "SPREAD": np.round(found.std(axis=1, ddof=1), 5).tolist(),
    }
