"""The attacks: who was trained on? Scores for everybody in the pool, and what they achieve.

The attacker knows the pool, of which half was trained on, and sees the released model. The shadow models of LiRA are
trained without privacy, like the baseline. Against a private model a better-informed attacker would imitate its noise
too: a small measured advantage is no proof. What no attacker exceeds is the bound of the guarantee.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.attacks import (
    Shadows,
    auc,
    confidence_scores,
    lira_scores,
    margin_scores,
    random_halves,
    tpr_at_fpr,
    train_shadow_models,
)
from dpcourse.pipeline.models import CLASSES, People


def outputs(model: Any, people: People) -> dict[str, np.ndarray]:
    """What the released model says about everybody in the pool: all an attack sees of it."""
    X, y = people.X[people.pool], people.y[people.pool]
    return {"confidence": confidence_scores(model, X, y), "margin": margin_scores(model, X, y)}


def shadows(people: People, n_models: int, C: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Models on random halves of the pool, regularised like the baseline.

    A record whose coins all fall on one side has them tossed again: the attack needs models with it and without it.
    """
    X, y = people.X[people.pool], people.y[people.pool]
    in_mask = random_halves(n_models, len(X), rng=rng)
    while (alike := in_mask.all(axis=0) | ~in_mask.any(axis=0)).any():
        in_mask[:, alike] = random_halves(n_models, int(alike.sum()), rng=rng)
    trained = train_shadow_models(X, y, n_models, regularization=1 / (C * people.members.sum()), in_mask=in_mask)
    return {"weights": trained.weights, "in_mask": np.packbits(trained.in_mask, axis=1)}


def scores(attack: str, said: dict[str, np.ndarray], shadow: dict[str, np.ndarray], people: People) -> np.ndarray:
    """How much each person of the pool looks like a member, shape (2n,)."""
    if attack == "confidence":
        return said["confidence"]
    in_mask = np.unpackbits(shadow["in_mask"], axis=1, count=len(people.pool)).astype(bool)
    models = Shadows(shadow["weights"], in_mask, np.array(CLASSES))
    return lira_scores(said["margin"], models.scores(people.X[people.pool], people.y[people.pool]), in_mask)


def achieved(found: np.ndarray, members: np.ndarray, low_fpr: float, rng: np.random.Generator) -> dict[str, float]:
    """AUC, the true positive rate at a low false positive rate, and the advantage TPR − FPR with its standard error.

    The threshold of the advantage is chosen on one half of the people and measured on the other, both ways round, so
    that an attack that knows nothing has an advantage of zero on average. The best threshold on the same people would
    not: of 2,000 members and as many others it finds about 0.03. The standard error takes the two thresholds as given:
    the spread that choosing them adds is not in it.

    Examples
    --------
    >>> members = np.arange(1000) % 2 == 0
    >>> achieved(members + 0.0, members, 0.01, np.random.default_rng(0))["advantage"]
    1.0
    """
    half = np.zeros(len(found), dtype=bool)
    half[rng.permutation(len(found))[: len(found) // 2]] = True
    rates = [_transfer(found[a], members[a], found[b], members[b]) for a, b in ((half, ~half), (~half, half))]
    variance = sum(t * (1 - t) / m + f * (1 - f) / o for t, f, m, o in rates) / 4
    return {
        "attack_auc": auc(found, members),
        "tpr_at_low_fpr": float(tpr_at_fpr(found, members, low_fpr)),
        "advantage": float(np.mean([t - f for t, f, _, _ in rates])),
        "advantage_error": math.sqrt(variance),
    }


def _transfer(
    chosen_on: np.ndarray, members: np.ndarray, found: np.ndarray, truth: np.ndarray
) -> tuple[float, float, int, int]:
    """TPR and FPR on the second people of the threshold that is best on the first; and how many they are."""
    thresholds = np.unique(chosen_on)
    hits = np.searchsorted(np.sort(chosen_on[members]), thresholds) / max(members.sum(), 1)
    alarms = np.searchsorted(np.sort(chosen_on[~members]), thresholds) / max((~members).sum(), 1)
    best = thresholds[np.argmax(alarms - hits)]  # shares below a threshold: misses against right refusals
    said = found >= best
    return float(said[truth].mean()), float(said[~truth].mean()), int(truth.sum()), int((~truth).sum())
