"""The closed-form clipped sum is the explicit per-example computation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax

from dpcourse.learning.gradients import Examples, clipped_gradient_sum, gradient_norms


def explicit(theta, X, targets, clip_norm):
    """One gradient at a time, clipped whole, added up."""
    total = np.zeros_like(theta)
    norms = []
    for x, target in zip(X, targets, strict=True):
        row = np.append(x, 1.0)
        logits = theta @ row
        predicted = expit(logits) if len(theta) == 1 else softmax(logits)
        gradient = np.outer(predicted - target, row)
        norms.append(np.linalg.norm(gradient))
        total += gradient * (1.0 if norms[-1] == 0 else min(1.0, clip_norm / norms[-1]))
    return total, np.array(norms)


def problem(seed, n, d, k, spread):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.choice([0.0, 1.0, spread], size=(n, 1))
    labels = rng.integers(max(k, 2), size=n)
    targets = labels[:, None].astype(float) if k == 1 else np.eye(k)[labels]
    return X, targets, rng.normal(size=(k, d + 1))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 12),
    st.integers(1, 6),
    st.sampled_from([1, 3, 5]),
    st.sampled_from([1e-3, 30.0, 1e6]),
    st.sampled_from([1e-6, 0.1, 1.0, 50.0, np.inf]),
)
def test_equals_the_explicit_computation(seed, n, d, k, spread, clip_norm):
    X, targets, theta = problem(seed, n, d, k, spread)
    examples = Examples.of(X, targets)
    wanted, norms = explicit(theta, X, targets, clip_norm)
    scale = max(np.abs(wanted).max(), min(clip_norm, norms.max(initial=0.0)), 1e-300)
    # The last digit of a probability near one is 1e-16 of a residual: that much of an unclipped huge row cannot agree.
    slack = 1e-12 * scale + 1e-15 * (np.abs(X).max(initial=0.0) * n if np.isinf(clip_norm) else 0.0)
    np.testing.assert_allclose(clipped_gradient_sum(theta, examples, clip_norm), wanted, rtol=0, atol=slack)
    np.testing.assert_allclose(
        gradient_norms(theta, examples), norms, rtol=1e-9, atol=1e-12 * max(1, np.abs(X).max(initial=0.0))
    )


@pytest.mark.parametrize("k", [1, 3])
def test_a_zero_gradient_adds_nothing(k):
    targets = np.ones((4, 1)) if k == 1 else np.eye(3)[[0, 0, 0, 0]]
    theta = np.zeros((k, 3))
    theta[0, -1] = 800.0  # certain, and right
    assert not clipped_gradient_sum(theta, Examples.of(np.ones((4, 2)), targets), 1.0).any()


@pytest.mark.parametrize("value", [1e300, -1e308, 1e-300, 5e-324, np.float32(3e38), np.float32(1e-45)])
@pytest.mark.parametrize("k", [1, 3])
def test_extreme_rows_stay_within_the_clip(value, k):
    targets = np.zeros((1, 1)) if k == 1 else np.eye(3)[[1]]
    theta = np.linspace(-1, 1, 3 * k).reshape(k, 3)
    total = clipped_gradient_sum(theta, Examples.of(np.array([[value, value]]), targets), 0.7)
    rounding = 1e-6 if isinstance(value, np.float32) else 1e-12
    assert np.isfinite(total).all() and np.linalg.norm(total) <= 0.7 * (1 + rounding)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 4]), st.floats(1e-3, 1e3))
@settings(max_examples=40, deadline=None)
def test_one_example_moves_the_sum_by_at_most_the_clip(seed, k, clip_norm):
    X, targets, theta = problem(seed, 20, 5, k, 1e4)
    examples = Examples.of(X, targets)
    moved = clipped_gradient_sum(theta, examples, clip_norm) - clipped_gradient_sum(
        theta, examples[np.arange(19)], clip_norm
    )
    assert np.linalg.norm(moved) <= clip_norm * (1 + 1e-9)


def test_rows_by_numbers_mask_and_slice_are_the_same():
    X, targets, _ = problem(5, 10, 3, 1, 1.0)
    examples = Examples.of(X, targets)
    picked = [examples[np.arange(2, 7)], examples[np.isin(np.arange(10), np.arange(2, 7))], examples[2:7]]
    for name in ("directions", "norms", "targets"):
        for other in picked:
            np.testing.assert_array_equal(getattr(other, name), getattr(examples, name)[2:7])
