"""Events about vectors: one number is made of each, and thresholds on it are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dpcourse.audit.outputs import Outputs, number
from dpcourse.audit.parts import MOST
from dpcourse.audit.thresholds import Candidates, Equalities, Thresholds, comparison, cuts_between

_BINS = 8
_PAIRS = 6  # up to this length all differences of two coordinates are looked at
_LINEAR = 64  # up to this length a covariance matrix is worth estimating
_QUADRATIC = 8  # up to this length, one of all products too
_SINGLE = 4  # coordinates of long vectors looked at one by one, of either sort
_LOOKED = 500  # runs that choose them


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
        looked = values[:, rows]
        looked = looked[~np.isnan(looked)]
        if not looked.size:
            return
        edges = np.unique(np.quantile(looked, np.arange(1, _BINS) / _BINS, method="nearest"))
        bins = np.searchsorted(edges, values)
        here, there = (np.bincount(side[rows], minlength=edges.size + 1) + 1.0 for side in bins)
        total += np.log(here / there)[bins]
    yield from _below("the summed log-likelihood ratio of the coordinates", total, rows, fitted=True)


def shifts(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """The summed log-likelihood ratio if each coordinate were Laplace noise around its median on either dataset.

    With few runs two medians are known better than a histogram.
    """
    vectors = outputs.vectors
    if vectors is None:
        return
    sides = [side[np.isfinite(side).all(axis=1)] for side in vectors[:, rows]]
    if min(map(len, sides)) < 2:
        return
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        here, there = (np.median(side, axis=0) for side in sides)
        spread = np.abs(sides[0] - here).mean(axis=0) + np.abs(sides[1] - there).mean(axis=0)
        ratio = ((np.abs(vectors - there) - np.abs(vectors - here)) / (spread / 2)).sum(axis=2)
    yield from _below("the summed log-likelihood ratio for Laplace noise", ratio, rows, fitted=True)


def direction(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """The projection on the direction that separates the means best, correlated noise allowed for (Fisher)."""
    vectors = outputs.vectors
    if vectors is None or vectors.shape[2] > _LINEAR:
        return
    weights = _fisher(vectors[:, rows])
    if weights is None:
        return
    shown = " + ".join(f"{number(w)}·output[{i}]" for i, w in enumerate(weights[:4])).replace("+ -", "− ")
    name = shown if len(weights) <= 4 else f"a weighted sum of the {len(weights)} coordinates"
    with np.errstate(invalid="ignore", over="ignore"):
        yield from _below(name, vectors @ weights, rows, fitted=True)


def products(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """The same with squares and products of coordinates: noise whose size or correlation differs."""
    vectors = outputs.vectors
    if vectors is None or vectors.shape[2] > _QUADRATIC:
        return
    looked = vectors[:, rows].reshape(-1, vectors.shape[2])
    looked = looked[np.isfinite(looked).all(axis=1)]
    if len(looked) < 8:
        return
    low, middle, high = np.quantile(looked, [0.25, 0.5, 0.75], axis=0)
    with np.errstate(invalid="ignore", over="ignore"):
        centred = np.clip((vectors - middle) / np.where(high > low, high - low, 1.0), -4, 4)  # no outlier decides
    first, second = np.triu_indices(vectors.shape[2])
    features = np.concatenate([centred, centred[:, :, first] * centred[:, :, second]], axis=2)
    weights = _fisher(features[:, rows])
    if weights is not None:
        name = f"a quadratic form of the {vectors.shape[2]} coordinates"
        yield from _below(name, features @ weights, rows, fitted=True)


def _fisher(looked: np.ndarray) -> np.ndarray | None:
    """Weights that separate the means of two sides, shape (2, rows, d), relative to their covariance."""
    sides = [side[np.isfinite(side).all(axis=1)] for side in looked]
    if min(map(len, sides)) < 2:
        return None
    size = looked.shape[2]
    with np.errstate(invalid="ignore", over="ignore"):
        covariance = sum(np.cov(side, rowvar=False, ddof=0).reshape(size, size) for side in sides)
        # A touch of ridge: where noise cancels out exactly, that direction shall win, not divide by zero.
        ridge = 1e-6 * np.trace(covariance) / size + 1e-300
        difference = sides[0].mean(axis=0) - sides[1].mean(axis=0)
    if not (np.isfinite(covariance).all() and np.isfinite(difference).all()):
        return None
    weights = np.linalg.solve(covariance + ridge * np.eye(size), difference)
    largest = np.abs(weights).max()
    return np.round(weights / largest, 3) if 0 < largest < np.inf else None


def single_coordinates(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """Single coordinates of long vectors: those whose middle, spread or commonest value differs most."""
    vectors = outputs.vectors
    if vectors is None or vectors.shape[2] <= MOST:
        return
    looked = vectors[:, rows][:, :_LOOKED]
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        ranked = looked.reshape(-1, looked.shape[2])
        ranked = np.argsort(np.argsort(ranked, axis=0), axis=0).reshape(looked.shape) / len(ranked) - 0.5
        apart = np.abs(ranked[0].mean(axis=0) - ranked[1].mean(axis=0))
        spread = np.abs(np.abs(ranked[0]).mean(axis=0) - np.abs(ranked[1]).mean(axis=0))
    for i in np.unique(np.concatenate([np.argsort(-apart)[:_SINGLE], np.argsort(-spread)[:_SINGLE]])):
        values = vectors[:, :, i]
        yield from _below(f"output[{i}]", values, rows, fitted=True)
        common, counts = np.unique(values[:, rows], return_counts=True)
        for value in common[np.argsort(-counts)[:3]][np.sort(counts)[::-1][:3] > 1]:
            words = (f"output[{i}] = {number(value)}", f"output[{i}] ≠ {number(value)}")
            equal = (values == value).astype(int)
            yield Equalities(equal, np.array([1]), _always(words), fitted=True)


def _always(words: tuple[str, str]) -> Callable[[int], tuple[str, str]]:
    return lambda _: words


def _below(name: str, values: np.ndarray, rows: slice, fitted: bool = False) -> Iterator[Candidates]:
    cuts = cuts_between(values[:, rows])
    if cuts.size:
        yield Thresholds(values, cuts, comparison(name), fitted)
