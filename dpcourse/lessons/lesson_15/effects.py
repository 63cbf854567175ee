"""What noise does to each group's accuracy and to the scores of its people, on one split."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats


@dataclass(frozen=True)
class Changes:
    """What noise does to each group's accuracy, in points: the mean change over draws with its 95% interval (half-width
    `errors`), where the next single draw falls with 95% (half-width `single`), and how far the mean could be off had
    other people of the group been tested (half-width `people`)."""

    groups: tuple[str, ...]
    tested: np.ndarray
    means: np.ndarray
    errors: np.ndarray
    single: np.ndarray
    people: np.ndarray
    epsilon: float


def error_and_reach(values: np.ndarray) -> tuple[float, float]:
    """95% half-widths by Student's t: of the mean of these draws, and of one more draw."""
    deviation = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1)
    return float(deviation / np.sqrt(len(values))), float(deviation * np.sqrt(1 + 1 / len(values)))


def group_changes(
    right: np.ndarray, without: np.ndarray, groups: Iterable[tuple[str, np.ndarray]], epsilon: float
) -> Changes:
    """Compare private models with the one without noise, on the same test people.

    Parameters
    ----------
    right : ndarray of bool, shape (draws, people)
        Whether each private model is right about each person.
    without : ndarray of bool, shape (people,)
        Whether the model without noise is.
    groups : pairs of a name and a mask of shape (people,)
    epsilon : float
        Of each single model.
    """
    rows = []
    for name, of in groups:
        each = 100.0 * (right[:, of].astype(float) - without[of])  # draws × people
        change, person = each.mean(axis=1), each.mean(axis=0)
        others = 1.96 * person.std(ddof=1) / np.sqrt(person.size)
        rows.append((name, person.size, change.mean(), *error_and_reach(change), others))
    names, *parts = zip(*rows, strict=True)
    tested, means, errors, single, people = (np.array(part) for part in parts)
    return Changes(names, tested, means, errors, single, people, epsilon)


def beside(right: np.ndarray, without: np.ndarray, of: np.ndarray, most: np.ndarray) -> tuple[float, float]:
    """How much more (in points) the accuracy of one group changes than that of another, and the 95% half-width.

    Shapes as for `group_changes`. The models are the same for both groups, so their differences are taken model by
    model; to their error that of the people of both groups is added, as squares.
    """
    here, there = (100.0 * (right[:, group].astype(float) - without[group]) for group in (of, most))
    difference = here.mean(axis=1) - there.mean(axis=1)
    people = [1.96 * each.mean(axis=0).std(ddof=1) / np.sqrt(each.shape[1]) for each in (here, there)]
    return float(difference.mean()), float(np.hypot(error_and_reach(difference)[0], np.hypot(*people)))


def disagree(says: np.ndarray) -> np.ndarray:
    """The chance that two models differ about a person, shape (people,), from the answers of some, (draws, people)."""
    share, draws = says.mean(axis=0), len(says)
    return 2 * share * (1 - share) * draws / (draws - 1)


def spread_by(
    frame: pd.DataFrame, columns: Sequence[str], training: np.ndarray, moves: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each group with somebody tested: how many people it has in the training data, and the median of `moves` over
    those tested (shape: as many as are not in training)."""
    keys = frame[list(columns)].agg(" ".join, axis=1).to_numpy(dtype=str)
    names = np.unique(keys[~training])
    people = np.array([(keys[training] == name).sum() for name in names])
    return people, np.array([np.median(moves[keys[~training] == name]) for name in names])
