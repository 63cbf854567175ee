"""Events about vectors: one number is made of each, and thresholds on it are tried."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpcourse.audit.outputs import Outputs, number
from dpcourse.audit.thresholds import Candidates, Equalities, Thresholds, comparison, cuts_between

_BINS = 8
_PAIRS = 6  # up to this length all differences of two coordinates are looked at
_LINEAR = 64  # up to this length a covariance matrix is worth estimating


def summaries(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """sum ≤ t, norm ≤ t, largest ≤ t and so on, and which coordinate is the largest."""
    vectors = outputs.vectors
    if vectors is None:
        return
    with np.errstate(invalid="ignore", over="ignore"):
        statistics = {
            "the sum of the output": vectors.sum(axis=2),
            "the Euclidean norm of the output": np.sqrt((vectors**2).sum(axis=2)),
            "the largest coordinate": vectors.max(axis=2),
            "the smallest coordinate": vectors.min(axis=2),
            "the number of non-zero coordinates": np.count_nonzero(vectors, axis=2).astype(float),
        }
        if vectors.shape[2] <= _PAIRS:
            pairs = ((i, j) for i in range(vectors.shape[2]) for j in range(i))
            statistics |= {f"output[{i}] − output[{j}]": vectors[:, :, i] - vectors[:, :, j] for i, j in pairs}
    for name, values in statistics.items():
        yield from _below(name, values, rows)
    largest = vectors.argmax(axis=2)
    present = np.unique(largest[:, rows])
    yield Equalities(
        largest, present, lambda i: (f"output[{i}] is the largest coordinate", f"output[{i}] is not the largest")
    )


def likelihood_ratio(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """The sum over coordinates of log-likelihood ratios, from histograms of the part that may be looked at.

    It is the best statistic there is where coordinates are independent (Neyman and Pearson), whatever the noise.
    """
    vectors = outputs.vectors
    if vectors is None:
        return
    total = np.zeros(vectors.shape[:2])
    for i in range(vectors.shape[2]):
        values = vectors[:, :, i]
        edges = np.unique(np.quantile(values[:, rows], np.arange(1, _BINS) / _BINS, method="nearest"))
        bins = np.searchsorted(edges, values)
        here, there = (np.bincount(side[rows], minlength=edges.size + 1) + 1.0 for side in bins)
        total += np.log(here / there)[bins]
    yield from _below("the summed log-likelihood ratio of the coordinates", total, rows)


def shifts(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """The summed log-likelihood ratio if each coordinate were Laplace noise around its median on either dataset.

    With few runs two medians are known better than a histogram.
    """
    vectors = outputs.vectors
    if vectors is None:
        return
    here, there = np.median(vectors[:, rows], axis=1)
    spread = np.abs(vectors[0, rows] - here).mean(axis=0) + np.abs(vectors[1, rows] - there).mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        ratio = ((np.abs(vectors - there) - np.abs(vectors - here)) / (spread / 2)).sum(axis=2)
    yield from _below("the summed log-likelihood ratio for Laplace noise", ratio, rows)


def direction(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """The projection on the direction that separates the means best, correlated noise allowed for (Fisher)."""
    vectors = outputs.vectors
    if vectors is None or vectors.shape[2] > _LINEAR or not np.isfinite(vectors[:, rows]).all():
        return
    looked = vectors[:, rows]
    if looked.shape[1] < 2:
        return
    covariance = sum(np.cov(side, rowvar=False, ddof=0).reshape(2 * (vectors.shape[2],)) for side in looked)
    # A touch of ridge: where noise cancels out exactly, that direction shall win, not divide by zero.
    ridge = 1e-6 * np.trace(covariance) / vectors.shape[2] + 1e-300
    difference = looked[0].mean(axis=0) - looked[1].mean(axis=0)
    weights = np.linalg.solve(covariance + ridge * np.eye(vectors.shape[2]), difference)
    if not np.abs(weights).max() > 0:
        return
    weights = np.round(weights / np.abs(weights).max(), 3)
    shown = " + ".join(f"{number(w)}·output[{i}]" for i, w in enumerate(weights[:4])).replace("+ -", "− ")
    name = shown if len(weights) <= 4 else f"a weighted sum of the {len(weights)} coordinates"
    with np.errstate(invalid="ignore", over="ignore"):
        yield from _below(name, vectors @ weights, rows)


def _below(name: str, values: np.ndarray, rows: slice) -> Iterator[Candidates]:
    cuts = cuts_between(values[:, rows])
    if cuts.size:
        yield Thresholds(values, cuts, comparison(name))
