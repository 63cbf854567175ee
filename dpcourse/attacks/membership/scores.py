"""Scores that tell members of a training set from others. A higher score always means "in".

The attacks differ in what they know: the model's confidence alone, or also how models behave that were trained with
and without the record (LiRA, RMIA).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_ndtr

from dpcourse.privacy import arguments

_OWN_DEVIATION = 64  # shadows on a side from which on each record has a deviation of its own


def places(y: np.ndarray, classes: np.ndarray, rows: int) -> np.ndarray:
    """Where each label is among the sorted classes, shape (rows,); `ValueError` for a label that is not among them.

    Examples
    --------
    >>> places(["yes", "no"], np.array(["no", "yes"]), rows=2)
    array([1, 0])
    """
    labels, known = np.asarray(y), np.asarray(classes)
    if labels.shape != (rows,):
        raise ValueError(f"y must hold one label for each of the {rows} rows, got shape {labels.shape}")
    place = {label: number for number, label in enumerate(known.tolist())}
    for label in labels.tolist():
        if label not in place:
            raise ValueError(f"y holds {label!r}, which is none of the classes {known.tolist()!r}")
    return np.array([place[label] for label in labels.tolist()], dtype=int)


def confidence_scores(model: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """ln p_y of a classifier with `predict_proba`, shape (n,): what the confidence attack thresholds.

    Yeom, Giacomelli, Fredrikson, Jha 2018, arXiv:1709.01604.
    """
    probability = model.predict_proba(X)
    own = probability[np.arange(len(probability)), places(y, model.classes_, len(probability))]
    return np.log(np.maximum(own, 1e-300))


def margin_scores(model: Any, X: np.ndarray, y: np.ndarray, *, floor: float = 1e-300) -> np.ndarray:
    """φ = ln p_y − ln Σ_{j≠y} p_j, shape (n,): the scale on which LiRA's scores are close to normal.

    Both probabilities are raised to `floor` first. A model that gives probabilities of 0 and 1, such as a full-grown
    tree, needs one of about 1e-3, so that its margins are numbers like others.
    """
    floor = arguments.probability("floor", floor, zero=False, one=False)
    probability = model.predict_proba(X)
    own = probability[np.arange(len(probability)), places(y, model.classes_, len(probability))]
    others = probability.sum(axis=1) - own
    return np.log(np.maximum(own, floor)) - np.log(np.maximum(others, floor))


def lira_scores(
    target_scores: np.ndarray, shadow_scores: np.ndarray, in_mask: np.ndarray, online: bool = True
) -> np.ndarray:
    """The likelihood-ratio attack (Carlini et al. 2022, arXiv:2112.03570).

    Parameters
    ----------
    target_scores : ndarray, shape (n,) or (k, n)
        φ of the attacked model at each record, or of k of them.
    shadow_scores : ndarray, shape (m, n)
        φ of the shadow models at each record.
    in_mask : ndarray of bool, shape (m, n)
        Which shadow was trained on which record; each record needs shadows without it, and with it if `online`.
    online : bool
        True: ln N(φ; μ_in, σ_in) − ln N(φ; μ_out, σ_out). False: ln Φ((φ − μ_out)/σ_out), from shadows without the
        record only.

    Returns
    -------
    ndarray
        Of the shape of `target_scores`.

    Notes
    -----
    Each record has means of its own. With fewer than 64 shadows on a side one shared σ is used, as the paper advises.

    Examples
    --------
    >>> shadows = np.array([[1.0], [3.0], [0.0], [-2.0]])
    >>> lira_scores(np.array([2.0]), shadows, np.array([[True], [True], [False], [False]])) > 0
    array([ True])
    """
    target, shadows, mask = _scores(target_scores, shadow_scores, in_mask)
    mean_out, sigma_out = _moments(shadows, ~mask, "without")
    if not online:
        return log_ndtr((target - mean_out) / sigma_out)
    mean_in, sigma_in = _moments(shadows, mask, "with")
    return _log_normal(target, mean_in, sigma_in) - _log_normal(target, mean_out, sigma_out)


def rmia_scores(
    target_scores: np.ndarray,
    shadow_scores: np.ndarray,
    in_mask: np.ndarray,
    population: tuple[np.ndarray, np.ndarray],
    gamma: float = 1.0,
) -> np.ndarray:
    """The relative attack (Zarifzadeh, Liu, Shokri 2024, arXiv:2312.03262).

    Of how many records of the population is the record's likelihood ratio, p(record | model) over its average over
    models with and without it, at least γ times theirs? Scores here are ln p_y.

    Parameters
    ----------
    target_scores, shadow_scores, in_mask
        As for `lira_scores`, of records whose membership is asked. Each needs shadows with it and without it.
    population : tuple of ndarray (z,) or (k, z), and (m, z)
        Scores of the attacked model or models and of the shadows at records known to be in no training set.
    gamma : float
        γ > 0.

    Returns
    -------
    ndarray
        Shares in [0, 1], of the shape of `target_scores`.
    """
    gamma = arguments.positive("gamma", gamma)
    target, shadows, mask = _scores(target_scores, shadow_scores, in_mask)
    if len(population) != 2:
        raise ValueError(f"population must be a pair of arrays, got {len(population)}")
    outside, outside_shadows = (arguments.finite_array(f"population[{i}]", part) for i, part in enumerate(population))
    if outside.shape[:-1] != target.shape[:-1] or outside.ndim != target.ndim:
        wanted = f"(z,) or (k, z) for target_scores of shape {target.shape}"
        raise ValueError(f"population must hold the same models, with scores of shape {wanted}, got {outside.shape}")
    if outside_shadows.shape != (len(shadows), outside.shape[-1]):
        wanted = f"{(len(shadows), outside.shape[-1])}"
        raise ValueError(f"population[1] must have shape {wanted}, got {outside_shadows.shape}")
    target, shadows = np.exp(target), np.exp(shadows)
    with_it = (shadows * mask).sum(axis=0) / _count(mask, "with")
    without = (shadows * ~mask).sum(axis=0) / _count(~mask, "without")
    ratio = target / np.maximum((with_it + without) / 2, 1e-300)
    others = np.exp(outside) / np.maximum(np.exp(outside_shadows).mean(axis=0), 1e-300)
    ratios, ranked = np.atleast_2d(ratio), np.sort(np.atleast_2d(others), axis=1)
    below = [np.searchsorted(row, one / gamma, side="right") for row, one in zip(ranked, ratios, strict=True)]
    return np.reshape(below, ratio.shape) / others.shape[-1]


def _scores(target: np.ndarray, shadows: np.ndarray, in_mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    target, shadows = (
        arguments.finite_array(name, scores) for name, scores in (("target_scores", target), ("shadow_scores", shadows))
    )
    mask = np.asarray(in_mask, dtype=bool)
    if shadows.ndim != 2 or shadows.shape != mask.shape:
        raise ValueError(f"shadow_scores and in_mask must have one shape (m, n), got {shadows.shape} and {mask.shape}")
    if target.ndim not in (1, 2) or target.shape[-1:] != shadows.shape[1:]:
        wanted = f"(n,) or (k, n) with n = {shadows.shape[1]}"
        raise ValueError(f"target_scores must have shape {wanted}, got {target.shape}")
    return target, shadows, mask


def _count(mask: np.ndarray, which: str) -> np.ndarray:
    """How many shadows each record has on a side; `ValueError` for one that has none."""
    count = mask.sum(axis=0)
    if (count < 1).any():
        raise ValueError(
            f"in_mask must leave every record at least one shadow {which} it, got none for {count.argmin()}"
        )
    return count


def _moments(scores: np.ndarray, mask: np.ndarray, which: str) -> tuple[np.ndarray, np.ndarray | float]:
    """Mean of each column over the rows of its mask, and deviations: each its own from 64 rows on, else one for all."""
    count = _count(mask, which)
    mean = (scores * mask).sum(axis=0) / count
    squares = ((scores - mean) ** 2 * mask).sum(axis=0)
    if count.min() >= _OWN_DEVIATION:
        return mean, np.sqrt(np.maximum(squares / (count - 1), 1e-12))
    return mean, float(np.sqrt(max(squares.sum() / max((count - 1).sum(), 1), 1e-12)))


def _log_normal(x: np.ndarray, mean: np.ndarray, sigma: np.ndarray | float) -> np.ndarray:
    return -(((x - mean) / sigma) ** 2) / 2 - np.log(sigma)
