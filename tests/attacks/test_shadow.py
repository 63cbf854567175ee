"""Shadow models: each is at the minimum of its own loss, and sees its own rows only."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from dpcourse.attacks import shadow
from dpcourse.attacks.shadow import random_halves, train_shadow_models
from dpcourse.learning.sweep import fit_sweep


def pool(seed=0, n=300, d=30):
    """Labels that are mostly noise, so that a model has to memorise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) / np.sqrt(d)
    return X, (rng.random(n) < 0.5).astype(int)


def gradients(shadows, X, y, strength):
    rows = np.column_stack([X, np.ones(len(X))])
    share = shadows.in_mask / np.maximum(shadows.in_mask.sum(axis=1, keepdims=True), 1)
    return ((expit(shadows.weights @ rows.T) - y) * share) @ rows + strength * shadows.weights


@pytest.mark.parametrize("strength", [0.1, 0.01, 1e-3])
def test_the_batched_fit_finds_scikit_learns_solutions(strength):
    """To 1e-3 at tolerance 1e-6, intercept penalised: scikit-learn does that to a column of ones."""
    X, y = pool()
    shadows = train_shadow_models(X, y, 6, regularization=strength, tolerance=1e-6, rng=1)
    for weights, mask in zip(shadows.weights, shadows.in_mask, strict=True):
        rows = np.column_stack([X, np.ones(len(X))])[mask]
        known = LogisticRegression(C=1 / (strength * mask.sum()), fit_intercept=False, tol=1e-10).fit(rows, y[mask])
        np.testing.assert_allclose(weights, known.coef_[0], atol=1e-3)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.floats(1e-4, 1.0), st.floats(0.1, 10.0))
def test_no_gradient_exceeds_the_tolerance(seed, strength, scale):
    X, y = pool(seed, n=80, d=6)
    y[:2] = 0, 1
    shadows = train_shadow_models(scale * X, y, 9, regularization=strength, rng=seed)
    assert np.abs(gradients(shadows, scale * X, y, strength)).max() < 1.05e-4  # single precision decides when to stop


def test_far_from_the_pool_it_still_arrives():
    """Sets of one row, of one label, and of nobody."""
    X, y = pool(n=60, d=5)
    sets = np.zeros((4, 60), dtype=bool)
    sets[0, 0], sets[1], sets[2, :30] = True, y == 1, True
    shadows = train_shadow_models(X, y, 4, regularization=1e-3, in_mask=sets)
    assert np.abs(gradients(shadows, X, y, 1e-3)).max() < 1.05e-4
    np.testing.assert_allclose(shadows.weights[3], 0, atol=0.1 + 1e-4 / 1e-3)


def test_rows_outside_a_models_set_do_not_matter():
    X, y = pool(n=100, d=4)
    sets = random_halves(5, 100, rng=3)
    sets[:, :10] = False
    other = X.copy()
    other[:10] += 3.0
    first, second = (train_shadow_models(Z, y, 5, in_mask=sets, tolerance=1e-6) for Z in (X, other))
    np.testing.assert_allclose(first.weights, second.weights, atol=5e-3)
    private = [
        fit_sweep(Z, y, epsilons=[1.0, np.inf], seeds=5, dataset_size=50, classes=(0, 1), steps=5, in_mask=sets, rng=4)
        for Z in (X, other)
    ]
    np.testing.assert_array_equal(private[0].theta, private[1].theta)


def test_halves_are_fair_and_scores_are_margins():
    halves = random_halves(40, 500, rng=5)
    assert abs(halves.mean() - 0.5) < 5 * 0.5 / np.sqrt(halves.size)  # five standard errors, false alarm 6e-7
    X, y = pool(n=120, d=3)
    shadows = train_shadow_models(X, y, 3, rng=6)
    logits = X @ shadows.weights[:, :-1].T + shadows.weights[:, -1]
    np.testing.assert_allclose(shadows.scores(X, y), (logits * (2 * y - 1)[:, None]).T)
    np.testing.assert_allclose(shadows.accuracy(X, y), ((logits > 0).T == y).mean(axis=1))


def test_a_fit_that_did_not_arrive_says_so(monkeypatch):
    monkeypatch.setattr(shadow, "MOST_STEPS", 1)
    with pytest.warns(RuntimeWarning, match="stopped after 1 steps"):
        train_shadow_models(*pool(), 4, regularization=1e-3, rng=1)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: train_shadow_models(*pool(), 1), "n_models must be ≥ 2, got 1"),
        (lambda: train_shadow_models(np.eye(3), np.zeros(3), 2), "y must have two different labels"),
        (lambda: train_shadow_models(np.eye(3), np.arange(2), 2), "X must have shape"),
        (lambda: train_shadow_models(*pool(), 2, regularization=0.0), "regularization must be > 0"),
        (lambda: train_shadow_models(*pool(), 2, tolerance=-1.0), "tolerance must be > 0"),
        (lambda: train_shadow_models(*pool(), 2, in_mask=np.ones((3, 300), bool)), "in_mask must have shape"),
        (lambda: train_shadow_models(*pool(), 2, rng=1).scores(pool()[0][:2], ["1", "1"]), "y holds '1', which"),
        (lambda: train_shadow_models(*pool(), 2, rng=1).scores(pool()[0][:2], [0, 2]), "y holds 2, which is none"),
        (lambda: train_shadow_models(*pool(), 2, rng=1).scores(pool()[0][:2], 1), "y must hold one label for each"),
        (lambda: train_shadow_models(*pool(), 2, rng=1).accuracy(pool()[0][:3], [0]), "y must hold one label for each"),
        (lambda: train_shadow_models(np.full((4, 1), np.nan), np.arange(4) % 2, 2), "X must be finite"),
        (lambda: random_halves(0, 5), "n_models"),
        (
            lambda: fit_sweep(
                *pool(), epsilons=[1.0], seeds=2, dataset_size=9, classes=(0, 1), in_mask=np.ones((1, 300))
            ),
            "in_mask must have shape",
        ),
    ],
)
def test_bad_arguments_are_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()
