"""From noisy tables that contradict each other to one probability model. Post-processing: it costs no privacy.

Every table here has the label as its first axis (an axis of length one where there is no label).
"""

from __future__ import annotations

import numpy as np

ROUNDS = 200
"""Enough for the margins of Adult's tables to agree to a hundredth of a record; `rake` then makes them exact."""


def average(estimates: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Independent estimates of the same thing, each with its variances, weighted by precision; and the variances."""
    variance = 1 / np.sum([1 / variances for _, variances in estimates], axis=0)
    return variance * np.sum([values / variances for values, variances in estimates], axis=0), variance


def onto_simplex(values: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Each row's nearest row (least squares) of non-negative numbers with the given total.

    Subtracting one number from all cells and cutting at zero: the many small cells that are mostly noise vanish,
    where cutting alone would turn the noise into people.

    Parameters
    ----------
    values : ndarray, shape (rows, cells)
    totals : ndarray of float ≥ 0, shape (rows,)
    """
    descending = -np.sort(-values, axis=1)
    excess = (np.cumsum(descending, axis=1) - totals[:, None]) / np.arange(1, values.shape[1] + 1)
    kept = np.maximum((descending > excess).sum(axis=1), 1)
    return np.maximum(values - np.take_along_axis(excess, kept[:, None] - 1, axis=1), 0.0)


def fit_table(table: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """A table without negative cells near a noisy one, with the margins given.

    Shapes: `table` (labels, a, b), `rows` (labels, a), `columns` (labels, b).

    Alternates between the nearest table with these margins and the nearest one without negative cells.
    """
    labels, a, b = table.shape
    totals = rows.sum(axis=1)
    fitted = onto_simplex(table.reshape(labels, -1), totals).reshape(table.shape)
    for _ in range(ROUNDS):
        by_row, by_column = (rows - fitted.sum(axis=2)) / b, (columns - fitted.sum(axis=1)) / a
        both = (totals - fitted.sum(axis=(1, 2))) / (a * b)
        fitted = np.maximum(fitted + by_row[:, :, None] + by_column[:, None, :] - both[:, None, None], 0.0)
    return rake(fitted, rows, columns)


def rake(table: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Iterative proportional fitting to both margins. A trace of independence keeps it possible among zeros."""
    independent = rows[:, :, None] * columns[:, None, :] / np.maximum(rows.sum(axis=1), 1e-300)[:, None, None]
    fitted = table + 1e-6 * independent
    for _ in range(ROUNDS):
        fitted = fitted * _ratio(columns, fitted.sum(axis=1))[:, None, :]
        fitted = fitted * _ratio(rows, fitted.sum(axis=2))[:, :, None]
    return fitted


def _ratio(wanted: np.ndarray, present: np.ndarray) -> np.ndarray:
    return np.divide(wanted, present, out=np.zeros_like(present), where=present > 0)


def conditional(table: np.ndarray) -> np.ndarray:
    """Probabilities along the last axis; equally likely where the model says that nobody is there."""
    total = table.sum(axis=-1, keepdims=True)
    return np.divide(table, total, out=np.full(table.shape, 1 / table.shape[-1]), where=total > 0)
