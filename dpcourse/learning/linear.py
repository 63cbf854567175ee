"""What every linear classifier here shares: labels and a random state in, decisions and probabilities out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, softmax
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import check_is_fitted, validate_data


class LinearClassifier:
    """Prediction from `coef_`, `intercept_` and `classes_`."""

    coef_: np.ndarray
    intercept_: np.ndarray
    classes_: np.ndarray

    def decision_function(self, X) -> np.ndarray:
        """Logits: shape (n,) for two classes (of the second), (n, k) for more."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=float, reset=False)
        scores = X @ self.coef_.T + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X) -> np.ndarray:
        """Probability of each class, shape (n, k), columns in the order of `classes_`."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return softmax(scores, axis=1)
        positive = expit(scores)
        return np.column_stack([1 - positive, positive])

    def predict(self, X) -> np.ndarray:
        """The most probable class of each row, shape (n,)."""
        scores = self.decision_function(X)
        index = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[index]


def generator(random_state) -> np.random.Generator:
    """A generator from what scikit-learn calls a random state."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, size=4, dtype=np.uint32))
    return np.random.default_rng(random_state)


def encode_labels(y: np.ndarray, classes: Sequence | None) -> tuple[np.ndarray, np.ndarray]:
    """The class labels, sorted, and targets of shape (n, 1) in {0, 1} for two of them, (n, k) one-hot for more."""
    check_classification_targets(y)
    if classes is None:
        known = unique_labels(y)
    else:
        known = np.unique(np.asarray(classes))
        if not np.isin(y, known).all():
            raise ValueError(f"y holds a label outside the public classes {known.tolist()!r}")
    if len(known) < 2:
        raise ValueError(f"at least 2 classes are needed, got {len(known)} class: {known.tolist()!r}")
    index = np.searchsorted(known, y)
    return known, index[:, None].astype(float) if len(known) == 2 else np.eye(len(known))[index]
