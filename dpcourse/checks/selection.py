"""Laws of a choice among candidates: of the exponential mechanism, and of those that are taken for it."""

from __future__ import annotations

import numpy as np


def softmax(exponents: np.ndarray) -> np.ndarray:
    """Probabilities in proportion to e to these powers, which may be large.

    Examples
    --------
    >>> softmax(np.array([1000.0, 1000.0])).tolist()
    [0.5, 0.5]
    """
    weights = np.exp(exponents - exponents.max())
    return weights / weights.sum()


def largest_after(scores: np.ndarray, *, two_sided: bool = True) -> np.ndarray:
    """How often each score is the largest after adding Laplace noise of scale 1, or exponential noise, by integrating.

    With exponential noise that is permute-and-flip (McKenna and Sheldon 2020, arXiv:2010.12603).

    Examples
    --------
    >>> largest_after(np.array([3.0, 3.0, 3.0])).round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    values, place = np.unique(scores, return_inverse=True)
    times = np.bincount(place)
    x, step = np.linspace(values.min() - 30, values.max() + 40, 70_001, retstep=True)
    gap = x + step / 2 - values[:, None]
    tail = np.exp(-np.abs(gap)) / (2 if two_sided else 1)
    density = tail if two_sided else np.where(gap > 0, tail, 0)
    below = np.where(gap > 0, 1 - tail, tail if two_sided else 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = np.prod(below ** (times - np.eye(len(times), dtype=int))[:, :, None], axis=1)
    chances = (density * others).sum(axis=1) * step
    return (chances / (chances * times).sum())[place]
