"""Was this record in the training set? Scores that answer, and the ROC curve that judges them.

A higher score always means "in". The attacks differ in what they know: the model's confidence alone, or also how models
behave that were trained with and without the record (LiRA, RMIA).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv, log_ndtr

from dpcourse.privacy import arguments


def confidence_scores(model: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """ln p_y of a classifier with `predict_proba`, shape (n,): what the confidence attack thresholds.

    Yeom, Giacomelli, Fredrikson, Jha 2018, arXiv:1709.01604.
    """
    column = np.searchsorted(model.classes_, y)
    probability = model.predict_proba(X)[np.arange(len(column)), column]
    return np.log(np.maximum(probability, 1e-300))


def margin_scores(model: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """φ = ln p_y − ln Σ_{j≠y} p_j, shape (n,): the scale on which LiRA's scores are close to normal."""
    column = np.searchsorted(model.classes_, y)
    probability = model.predict_proba(X)
    own = probability[np.arange(len(column)), column]
    others = probability.sum(axis=1) - own
    return np.log(np.maximum(own, 1e-300)) - np.log(np.maximum(others, 1e-300))


def lira_scores(
    target_scores: np.ndarray, shadow_scores: np.ndarray, in_mask: np.ndarray, online: bool = True
) -> np.ndarray:
    """The likelihood-ratio attack (Carlini et al. 2022, arXiv:2112.03570), shape (n,).

    Parameters
    ----------
    target_scores : ndarray, shape (n,)
        φ of the attacked model at each record.
    shadow_scores : ndarray, shape (m, n)
        φ of the shadow models at each record.
    in_mask : ndarray of bool, shape (m, n)
        Which shadow was trained on which record; each record needs shadows without it, and with it if `online`.
    online : bool
        True: ln N(φ; μ_in, σ_in) − ln N(φ; μ_out, σ_out). False: ln Φ((φ − μ_out)/σ_out), from shadows without the
        record only.

    Notes
    -----
    Each record has means of its own. With fewer than 64 shadows on a side one shared σ is used, as the paper advises.
    """
    target = arguments.finite_array("target_scores", target_scores)
    shadows = arguments.finite_array("shadow_scores", shadow_scores)
    mask = np.asarray(in_mask, dtype=bool)
    if shadows.shape != mask.shape or shadows.ndim != 2 or target.shape != shadows.shape[1:]:
        raise ValueError(f"shapes must be (n,), (m, n), (m, n), got {target.shape}, {shadows.shape}, {mask.shape}")
    mean_out, sigma_out = _moments(shadows, ~mask, "without")
    if not online:
        return log_ndtr((target - mean_out) / sigma_out)
    mean_in, sigma_in = _moments(shadows, mask, "with")
    return _log_normal(target, mean_in, sigma_in) - _log_normal(target, mean_out, sigma_out)


def rmia_scores(
    target_scores: np.ndarray,
    shadow_scores: np.ndarray,
    in_mask: np.ndarray,
    population: np.ndarray,
    gamma: float = 1.0,
) -> np.ndarray:
    """The relative attack (Zarifzadeh, Liu, Shokri 2024, arXiv:2312.03262), shape (n,).

    How often is the record's likelihood ratio, p(record | model) over its average over models with and without it,
    more than γ times that of a record of the population? Scores here are ln p_y.

    Parameters
    ----------
    target_scores, shadow_scores, in_mask
        As for `lira_scores`, of records whose membership is asked.
    population : tuple of ndarray (z,), (m, z)
        Scores of the attacked model and of the shadows at records known to be in no training set.
    gamma : float
        γ > 0.
    """
    gamma = arguments.positive("gamma", gamma)
    target = np.exp(arguments.finite_array("target_scores", target_scores))
    shadows, mask = np.exp(arguments.finite_array("shadow_scores", shadow_scores)), np.asarray(in_mask, dtype=bool)
    with_it = (shadows * mask).sum(axis=0) / np.maximum(mask.sum(axis=0), 1)
    without = (shadows * ~mask).sum(axis=0) / np.maximum((~mask).sum(axis=0), 1)
    ratio = target / np.maximum((with_it + without) / 2, 1e-300)
    others = np.exp(population[0]) / np.maximum(np.exp(population[1]).mean(axis=0), 1e-300)
    return np.searchsorted(np.sort(others), ratio / gamma, side="right") / len(others)


def roc(scores: np.ndarray, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(fpr, tpr) of "score ≥ t is a member" for every threshold t, from (0, 0) to (1, 1); ties move together."""
    scores, members = _labelled(scores, members)
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)  # only where a threshold can lie
    hits = np.cumsum(members[order])[last] / members.sum()
    alarms = np.cumsum(~members[order])[last] / (~members).sum()
    return np.append(0.0, alarms), np.append(0.0, hits)


@dataclass(frozen=True)
class Rate:
    """A measured rate with its Clopper–Pearson interval."""

    value: float
    low: float
    high: float

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.2%} ({self.low:.2%} to {self.high:.2%})"


def tpr_at_fpr(scores: np.ndarray, members: np.ndarray, fpr: float, confidence: float = 0.95) -> Rate:
    """True positive rate at the largest threshold set whose measured false positive rate is at most `fpr`.

    The interval is Clopper–Pearson's for the members at that threshold; that the threshold was read off the same
    non-members is not in it.
    """
    fpr = arguments.probability("fpr", fpr)
    alarms, hits = roc(scores, members)
    value = float(hits[np.flatnonzero(alarms <= fpr)[-1]])
    total = int(np.asarray(members, dtype=bool).sum())
    return Rate(value, *clopper_pearson(round(value * total), total, confidence))


def clopper_pearson(hits: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Two-sided exact interval for a probability (Clopper & Pearson 1934, doi:10.1093/biomet/26.4.404).

    Examples
    --------
    >>> tuple(round(end, 4) for end in clopper_pearson(0, 100))
    (0.0, 0.0362)
    """
    tail = (1 - arguments.probability("confidence", confidence, one=False)) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, tail))
    high = 1.0 if hits == trials else float(betaincinv(hits + 1, trials - hits, 1 - tail))
    return low, high


def auc(scores: np.ndarray, members: np.ndarray) -> float:
    """Area under the ROC curve: how often a member scores above a non-member, ties counting half."""
    alarms, hits = roc(scores, members)
    return float(np.trapezoid(hits, alarms))


def _labelled(scores: np.ndarray, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores, members = arguments.finite_array("scores", scores), np.asarray(members).astype(bool)
    if scores.ndim != 1 or scores.shape != members.shape:
        raise ValueError(f"scores and members must have one shape (n,), got {scores.shape} and {members.shape}")
    if members.all() or not members.any():
        raise ValueError("members must hold both members and non-members")
    return scores, members


def _moments(scores: np.ndarray, mask: np.ndarray, which: str) -> tuple[np.ndarray, np.ndarray | float]:
    """Mean of each column over the rows of its mask, and deviations: each its own from 64 rows on, else one for all."""
    count = mask.sum(axis=0)
    if (count < 1).any():
        raise ValueError(
            f"in_mask must leave every record at least one shadow {which} it, got none for {count.argmin()}"
        )
    mean = (scores * mask).sum(axis=0) / count
    squares = ((scores - mean) ** 2 * mask).sum(axis=0)
    if count.min() >= 64:
        return mean, np.sqrt(np.maximum(squares / (count - 1), 1e-12))
    return mean, float(np.sqrt(max(squares.sum() / max((count - 1).sum(), 1), 1e-12)))


def _log_normal(x: np.ndarray, mean: np.ndarray, sigma: np.ndarray | float) -> np.ndarray:
    return -(((x - mean) / sigma) ** 2) / 2 - np.log(sigma)
