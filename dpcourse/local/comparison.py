"""What randomizing some columns costs a classifier, beside what dropping them costs: the control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.local.response import RandomizedResponse
from dpcourse.privacy import arguments

METRICS = ("accuracy", "precision", "recall", "F1", "AUC")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Scores of classifiers on the same splits.

    Attributes
    ----------
    epsilons : tuple of float
    true, dropped : ndarray, shape (splits, metrics)
        With the columns as they are, and without them.
    randomized : ndarray, shape (epsilons, splits, metrics)
        With the columns randomized once more for every split, in training and test rows alike.
    """

    epsilons: tuple[float, ...]
    true: np.ndarray
    dropped: np.ndarray
    randomized: np.ndarray

    def drop(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard error of `true` − `scores`, split by split; signed: a gain is negative.

        The splits share people, so the standard error is somewhat too small: it is for comparing, not for testing.
        """
        return _mean_and_error(self.true - scores)

    def gain(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard error of `scores` − `dropped`, split by split: what the columns add to having none.

        Whether randomized columns beat none is asked of this pair; the error of `drop` answers another question.
        """
        return _mean_and_error(scores - self.dropped)


def compare_columns(
    clear: np.ndarray,
    codes: np.ndarray,
    y: np.ndarray,
    *,
    as_columns: Callable[[np.ndarray], np.ndarray],
    k: int,
    epsilons: Sequence[float],
    splits: int = 5,
    rng=None,
) -> Comparison:
    """Fit logistic regressions with true, dropped and randomized columns on stratified 70/30 splits.

    Parameters
    ----------
    clear : ndarray, shape (n, d)
        The columns left as they are, on [0, 1] or so.
    codes : array of int, shape (n,)
        The sensitive answer in 0..k−1.
    y : array of {0, 1}, shape (n,)
    as_columns : callable
        ``as_columns(codes) -> ndarray (n, c)``: the columns a model sees of the answer.
    k : int
    epsilons : sequence of float
        Each with a fresh draw in every split.
    splits : int
        At least 2: a standard error takes two.
    rng : Generator, int or None

    Returns
    -------
    Comparison

    Notes
    -----
    An experiment on the true data, not a private release: its scores depend on everybody.
    """
    from sklearn.model_selection import StratifiedShuffleSplit

    splits = arguments.integer("splits", splits, minimum=2)
    rng = np.random.default_rng(rng)
    clear = np.asarray(clear, dtype=np.float32)
    responses = [RandomizedResponse(epsilon, k) for epsilon in epsilons]
    splitter = StratifiedShuffleSplit(splits, test_size=0.3, random_state=int(rng.integers(2**31)))

    def scores(columns: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        features = np.column_stack([clear, columns.astype(np.float32)])
        return fit_and_score(features[train], y[train], features[test], y[test])

    true, dropped, randomized = [], [], []
    for train, test in splitter.split(clear, y):
        true.append(scores(as_columns(codes), train, test))
        dropped.append(fit_and_score(clear[train], y[train], clear[test], y[test]))
        draws = (response.randomize(codes, rng=rng) for response in responses)
        randomized.append([scores(as_columns(reports), train, test) for reports in draws])
    by_epsilon = np.array(randomized).reshape(splits, len(responses), len(METRICS)).swapaxes(0, 1)
    return Comparison(tuple(map(float, epsilons)), np.array(true), np.array(dropped), by_epsilon)


def _mean_and_error(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    splits = differences.shape[-2]
    return differences.mean(axis=-2), differences.std(axis=-2, ddof=1) / np.sqrt(splits)


def fit_and_score(X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray) -> np.ndarray:
    """The `METRICS` of a logistic regression, in order."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score, roc_auc_score

    model = LogisticRegression(solver="newton-cholesky").fit(X, y)
    predicted, probability = model.predict(X_test), model.predict_proba(X_test)[:, 1]
    return np.array(
        [
            accuracy_score(y_test, predicted),
            precision_score(y_test, predicted, zero_division=0.0),
            recall_score(y_test, predicted),
            f1_score(y_test, predicted),
            roc_auc_score(y_test, probability),
        ]
    )
