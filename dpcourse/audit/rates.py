"""Bounds for how often an event happens, and the ε that two such bounds certify."""

from __future__ import annotations

import numpy as np
from scipy.special import betainccinv, betaincinv


def clopper_pearson(hits: np.ndarray, runs: int | np.ndarray, error: float) -> tuple[np.ndarray, np.ndarray]:
    """One-sided bounds for a probability, each wrong with probability `error` at most (doi:10.1093/biomet/26.4.404).

    Parameters
    ----------
    hits : array of int, any shape
        How often the event happened.
    runs : int, or array of int of that shape
    error : float
        Of either bound by itself.

    Returns
    -------
    low, high : ndarray
        Of the shape of `hits`.

    Examples
    --------
    >>> low, high = clopper_pearson(np.array([0, 50, 100]), 100, 0.025)
    >>> low.round(3), high.round(3)
    (array([0.   , 0.398, 0.964]), array([0.036, 0.602, 1.   ]))
    """
    return _low(hits, runs, error), _high(hits, runs, error)


def _low(hits: np.ndarray, runs: int | np.ndarray, error: float) -> np.ndarray:
    hits = np.asarray(hits, dtype=float)
    inner = np.clip(hits, 1, None)
    return np.where(hits > 0, betaincinv(inner, runs - inner + 1, error), 0.0)


def _high(hits: np.ndarray, runs: int | np.ndarray, error: float) -> np.ndarray:
    hits = np.asarray(hits, dtype=float)
    inner = np.clip(hits, None, runs - 1)
    return np.where(hits < runs, betainccinv(inner + 1, runs - inner, error), 1.0)


def certified_epsilon(
    hits: np.ndarray, false_hits: np.ndarray, runs: int | np.ndarray, delta: float, error: float
) -> tuple[np.ndarray, np.ndarray]:
    """The ε that counts of an event certify, by the event and by its complement (either may be negative or −∞).

    Parameters
    ----------
    hits, false_hits : arrays of int, the same shape
        How often it happened among `runs` on the dataset where it is expected, and among `runs` on the other.
    runs : int or array of int
    delta : float
    error : float
        Of each of the two one-sided bounds; the larger of the two results is wrong with probability 2·error at most.
    """
    true_low, false_high = _low(hits, runs, error), _high(false_hits, runs, error)
    with np.errstate(divide="ignore"):
        by_event = np.log(np.maximum(true_low - delta, 0.0)) - np.log(false_high)
        by_complement = np.log(np.maximum(1 - false_high - delta, 0.0)) - np.log1p(-true_low)
    return by_event, by_complement
