"""Membership inference: the curves are right, and the attacks that know more find more."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve

from dpcourse.attacks.membership import (
    auc,
    clopper_pearson,
    confidence_scores,
    lira_scores,
    margin_scores,
    rmia_scores,
    roc,
    tpr_at_fpr,
)
from dpcourse.attacks.shadow import train_shadow_models


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 8))
def test_the_curve_is_scikit_learns(seed, n, levels):
    rng = np.random.default_rng(seed)
    scores, members = rng.integers(levels, size=n).astype(float), rng.random(n) < 0.5
    members[:2] = True, False
    fpr, tpr, _ = roc_curve(members, scores, drop_intermediate=False)
    np.testing.assert_allclose(roc(scores, members), (fpr, tpr))
    assert auc(scores, members) == pytest.approx(roc_auc_score(members, scores))


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (3, 17), (10, 10), (700, 1000)])
def test_the_interval_is_scipys(hits, trials):
    wanted = binomtest(hits, trials).proportion_ci(0.99, method="exact")
    assert clopper_pearson(hits, trials, 0.99) == pytest.approx((wanted.low, wanted.high))


def test_the_rate_at_a_false_positive_rate_never_exceeds_it():
    scores = np.array([5.0, 4.0, 3.0, 2.0, 1.0, 0.0])
    members = np.array([True, True, False, True, False, False])
    assert tpr_at_fpr(scores, members, 0.0).value == pytest.approx(2 / 3)
    assert tpr_at_fpr(scores, members, 1 / 3).value == 1.0
    assert tpr_at_fpr(np.zeros(6), members, 0.5).value == 0.0


def pool(seed=0, n=300, d=30):
    """Labels that are mostly noise, so that a model has to memorise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) / np.sqrt(d)
    return X, (rng.random(n) < 0.5).astype(int)


def test_the_batched_fit_finds_scikit_learns_solutions():
    X, y = pool()
    shadows = train_shadow_models(X, y, 5, regularization=0.01, steps=600, rng=1)
    for weights, mask in zip(shadows.weights, shadows.in_mask, strict=True):
        # scikit-learn leaves the intercept out of the penalty: give it a column instead.
        rows = np.column_stack([X, np.ones(len(X))])[mask]
        known = LogisticRegression(C=1 / (0.01 * mask.sum()), fit_intercept=False, tol=1e-10).fit(rows, y[mask])
        np.testing.assert_allclose(weights, known.coef_[0], atol=2e-3)


def test_knowing_more_finds_more_on_a_model_that_memorises():
    X, y = pool()
    shadows = train_shadow_models(X, y, 129, regularization=1e-3, rng=2)
    scores = shadows.scores(X, y)
    found = {"confidence": [], "online": [], "offline": [], "rmia": []}
    logp = -np.logaddexp(0, -scores)
    fresh, labels = pool(seed=9)
    outside = -np.logaddexp(0, -shadows.scores(fresh, labels))
    for j in range(20):
        rest, members = np.arange(129) != j, shadows.in_mask[j]
        found["confidence"].append(auc(scores[j], members))
        found["online"].append(auc(lira_scores(scores[j], scores[rest], shadows.in_mask[rest]), members))
        found["offline"].append(auc(lira_scores(scores[j], scores[rest], shadows.in_mask[rest], online=False), members))
        population = (outside[j], outside[rest])
        found["rmia"].append(auc(rmia_scores(logp[j], logp[rest], shadows.in_mask[rest], population), members))
    mean = {name: float(np.mean(values)) for name, values in found.items()}
    assert mean["confidence"] > 0.55
    assert min(mean["online"], mean["offline"], mean["rmia"]) > mean["confidence"] + 0.03
    # A score that knows nothing stays at one half: 20 curves of 300 records, five standard errors, false alarm 6e-7.
    chance = np.mean([auc(np.random.default_rng(j).normal(size=300), shadows.in_mask[j]) for j in range(20)])
    assert abs(chance - 0.5) < 5 / np.sqrt(12 * 75 * 2 * 20)


def test_scores_of_a_model_agree_with_its_probabilities():
    X, y = pool()
    model = LogisticRegression().fit(X, y)
    signed = model.decision_function(X) * (2 * y - 1)
    np.testing.assert_allclose(margin_scores(model, X, y), signed, atol=1e-9)
    np.testing.assert_allclose(confidence_scores(model, X, y), -np.logaddexp(0, -signed), atol=1e-9)


def test_refuses_what_cannot_be_judged_by_name_and_value():
    with pytest.raises(ValueError, match="members must hold both"):
        roc(np.zeros(3), np.ones(3, dtype=bool))
    with pytest.raises(ValueError, match="in_mask must leave every record at least one shadow with it"):
        lira_scores(np.zeros(2), np.zeros((3, 2)), np.zeros((3, 2), dtype=bool))
    with pytest.raises(ValueError, match="n_models must be ≥ 2, got 1"):
        train_shadow_models(*pool(), 1)
    with pytest.raises(ValueError, match="y must have two different labels"):
        train_shadow_models(np.eye(3), np.zeros(3), 2)
