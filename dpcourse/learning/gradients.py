"""Per-example clipping without per-example gradients.

The gradient of the logistic loss at one example is an outer product, residual ⊗ (x, 1). Its norm is therefore
‖residual‖ · ‖(x, 1)‖: every example can be clipped, whole, without its gradient ever being stored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax

_LARGEST = 1e300


@dataclass(frozen=True)
class Examples:
    """Rows (x, 1) as a direction of length one and a norm, which keeps extreme rows from overflowing.

    ``directions`` has shape (n, d + 1), ``norms`` shape (n,), ``targets`` shape (n, 1) of {0, 1} for two classes and
    (n, k) one-hot for k ≥ 3.
    """

    directions: np.ndarray
    norms: np.ndarray
    targets: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, targets: np.ndarray) -> Examples:
        """The rows of `X`, shape (n, d), with a constant appended; float32 stays float32."""
        kind = np.float32 if X.dtype == np.float32 else float
        rows = np.column_stack([X, np.ones(len(X), kind)]).astype(kind, copy=False)
        largest = np.maximum(rows.max(axis=1), -rows.min(axis=1))  # at least the one that multiplies the intercept
        rows /= largest[:, None]
        length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows /= length[:, None]
        return cls(rows, np.minimum(length.astype(float) * largest, _LARGEST), targets.astype(float))

    def __len__(self) -> int:
        return len(self.norms)

    def __getitem__(self, rows: slice | np.ndarray) -> Examples:
        """Those rows: a slice, or their numbers."""
        if isinstance(rows, slice):
            return Examples(self.directions[rows], self.norms[rows], self.targets[rows])
        # `take` is up to twice as fast as indexing, and would take a mask for numbers.
        rows = rows.nonzero()[0] if rows.dtype == bool else rows
        return Examples(*(part.take(rows, axis=0) for part in (self.directions, self.norms, self.targets)))


def residuals(theta: np.ndarray, examples: Examples) -> np.ndarray:
    """Predicted probability minus target, shape (n, 1) or (n, k), for parameters `theta` of shape (1 or k, d + 1)."""
    along = examples.directions @ theta.T.astype(examples.directions.dtype, copy=False)
    logits = np.clip(along * examples.norms[:, None], -_LARGEST, _LARGEST)
    predicted = expit(logits) if logits.shape[1] == 1 else softmax(logits, axis=1)
    return predicted - examples.targets


def gradient_norms(theta: np.ndarray, examples: Examples) -> np.ndarray:
    """‖gᵢ‖₂ of every example's gradient over all parameters, shape (n,)."""
    return np.linalg.norm(residuals(theta, examples), axis=1) * examples.norms


def clipped_gradient_sum(theta: np.ndarray, examples: Examples, clip_norm: float) -> np.ndarray:
    """Σᵢ gᵢ · min(1, C/‖gᵢ‖), shape of `theta`: L2 sensitivity C under adding or removing an example.

    Examples
    --------
    >>> one = Examples.of(np.array([[3.0, 4.0]]), np.array([[1.0]]))
    >>> bool(np.isclose(np.linalg.norm(clipped_gradient_sum(np.zeros((1, 3)), one, clip_norm=0.5)), 0.5))
    True
    """
    return clipped_sum(residuals(theta, examples), examples, clip_norm)


def clipped_sum(residual: np.ndarray, examples: Examples, clip_norm: float) -> np.ndarray:
    """The same from residuals that are known already, shape (1 or k, d + 1)."""
    if np.isinf(clip_norm):
        weight = examples.norms
    else:  # C / max(‖r‖, C/‖x‖) is ‖x‖ · min(1, C/‖g‖), without dividing by a zero gradient
        weight = clip_norm / np.maximum(np.linalg.norm(residual, axis=1), clip_norm / examples.norms)
    weighted = (residual * weight[:, None]).T
    return (weighted.astype(examples.directions.dtype, copy=False) @ examples.directions).astype(float, copy=False)
