"""Membership inference: the curves are right, and the attacks that know more find more."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binomtest, norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve

from dpcourse.attacks.bounds import dp_roc_bound
from dpcourse.attacks.membership import (
    auc,
    best_accuracy,
    confidence_scores,
    lira_scores,
    margin_scores,
    rmia_scores,
    roc,
    roc_band,
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
    scores, members = np.append(np.arange(trials) < hits, [False] * 5), np.append([True] * trials, [False] * 5)
    rate = tpr_at_fpr(scores.astype(float), members, 0.0, 0.99)
    wanted = binomtest(hits, trials).proportion_ci(0.99, method="exact")
    assert (rate.value, rate.low, rate.high) == pytest.approx((hits / trials, wanted.low, wanted.high))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 60))
def test_a_band_holds_the_curves_own_points_and_judges_claims_by_its_rectangles(seed, n):
    rng = np.random.default_rng(seed)
    members = rng.random(n) < 0.5
    members[:2] = True, False
    scores = np.round(rng.normal(size=n) + members, 1)
    thresholds = np.unique(scores)
    band = roc_band(scores, members, thresholds, confidence=0.9)
    fpr, tpr = roc(scores, members)
    np.testing.assert_allclose(band.fpr[::-1], fpr[1:])
    np.testing.assert_allclose(band.tpr[::-1], tpr[1:])
    for k, wanted in enumerate(zip(band.fpr, band.fpr_low, band.fpr_high, strict=True)):
        hits, trials = round(wanted[0] * (~members).sum()), int((~members).sum())
        low = beta.ppf(0.025, hits, trials - hits + 1) if hits else 0.0
        high = beta.isf(0.025, hits + 1, trials - hits) if hits < trials else 1.0
        assert wanted[1:] == pytest.approx((low, high)), k
    for epsilon, delta in ((0.0, 0.0), (1.0, 1e-3), (40.0, 0.0)):
        inside, refuted = band.inside(epsilon, delta), band.refutes(epsilon, delta)
        assert not (inside & refuted).any()
        for rates in zip(band.fpr_low, band.fpr_high, band.tpr_low, band.tpr_high, inside, refuted, strict=True):
            corners = [(f, t) for f in rates[:2] for t in rates[2:4]]
            allowed = [
                dp_roc_bound(epsilon, delta, f) >= t >= 1 - dp_roc_bound(epsilon, delta, 1 - f) for f, t in corners
            ]
            assert rates[4] == all(allowed) and (not rates[5] or not any(allowed))


def test_simultaneous_bands_are_wider_and_shared_among_claims():
    rng = np.random.default_rng(3)
    members = rng.random(4000) < 0.5
    scores, at = rng.normal(size=4000) + members, np.array([-1.0, 0.0, 1.0])
    alone, together, claims = (
        roc_band(scores, members, at, **how)
        for how in ({}, {"simultaneous": True}, {"simultaneous": True, "claims": 50})
    )
    widths = [(band.tpr_high - band.tpr_low).sum() for band in (alone, together, claims)]
    assert widths[0] < widths[1] < widths[2]
    # Bonferroni: the same bounds as one band of that error.
    one = roc_band(scores, members, at, confidence=1 - 0.05 / 150)
    np.testing.assert_allclose(claims.tpr_low, one.tpr_low)


def test_true_claims_are_refuted_no_more_often_than_stated():
    """400 bands at 90%, scores as far apart as ε = 1 allows: at most 10% refuted; 65 or more has probability 1e-4."""
    rng = np.random.default_rng(4)
    refuted = 0
    for _ in range(400):
        members = rng.random(300) < 0.5
        told = rng.random(300) < 1 / (1 + np.exp(-1.0))  # randomized response at ε = 1 reaches the bound
        scores = np.where(told, members, ~members).astype(float)
        refuted += bool(roc_band(scores, members, np.array([1.0]), confidence=0.9).refutes(1.0, 0.0).any())
    assert refuted < 65


def test_the_best_accuracy_is_that_of_the_best_threshold():
    scores, members = np.array([0.0, 1.0, 2.0, 3.0]), np.array([False, True, False, True])
    assert best_accuracy(scores, members) == 0.75
    assert best_accuracy(-np.ones(4), members) == 0.5


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


def test_many_targets_at_once_are_one_target_after_another():
    rng = np.random.default_rng(5)
    target, shadows, mask = rng.normal(size=(3, 40)), rng.normal(size=(140, 40)), rng.random((140, 40)) < 0.5
    outside = -np.abs(rng.normal(size=(3, 20))), -np.abs(rng.normal(size=(140, 20)))
    for online in (True, False):
        together = lira_scores(target, shadows, mask, online)
        np.testing.assert_array_equal(together, [lira_scores(one, shadows, mask, online) for one in target])
    together = rmia_scores(-np.abs(target), -np.abs(shadows), mask, outside)
    apart = [
        rmia_scores(-np.abs(t), -np.abs(shadows), mask, (o, outside[1]))
        for t, o in zip(target, outside[0], strict=True)
    ]
    np.testing.assert_array_equal(together, apart)


def test_a_record_has_a_deviation_of_its_own_from_64_shadows_on_each_side():
    rng = np.random.default_rng(6)
    mask = np.repeat([[True, True], [False, False]], 80, axis=0)
    shadows = rng.normal(size=(160, 2)) * np.array([1.0, 5.0])
    target = np.array([1.0, 1.0])
    for rows, same in ((slice(None), False), (slice(40, 120), True)):
        part, who = shadows[rows], mask[rows]
        out, deviations = part[~who[:, 0]], part[~who[:, 0]].std(axis=0, ddof=1)
        sigma = np.sqrt((deviations**2).mean()) if same else deviations
        wanted = norm.logcdf((target - out.mean(axis=0)) / sigma)
        np.testing.assert_allclose(lira_scores(target, part, who, online=False), wanted)


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
    with pytest.raises(ValueError, match="shadow_scores and in_mask must have one shape"):
        lira_scores(np.zeros(2), np.zeros((3, 2)), np.zeros((2, 3), dtype=bool))
    with pytest.raises(ValueError, match="target_scores must have shape .* got"):
        lira_scores(np.zeros(3), np.zeros((3, 2)), np.zeros((3, 2), dtype=bool))
    with pytest.raises(ValueError, match="floor must be in"):
        margin_scores(None, np.zeros((1, 1)), np.zeros(1), floor=0.0)
    with pytest.raises(ValueError, match="claims must be ≥ 1, got 0"):
        roc_band(np.zeros(2), np.array([True, False]), np.zeros(1), claims=0)


@pytest.mark.parametrize("score", [confidence_scores, margin_scores])
@pytest.mark.parametrize("names", [(0, 2), ("no", "yes")])
def test_a_label_that_the_model_does_not_know_is_named(score, names):
    X, y = pool()
    model = LogisticRegression().fit(X, np.array(names)[y])
    assert score(model, X[:3], [names[1]] * 3).shape == (3,)
    for label in (1, 3, -7, "1", "0", "maybe"):
        with pytest.raises(ValueError, match=f"y holds {label!r}, which is none of the classes"):
            score(model, X[:3], [label] * 3)
    for labels in ([names[0]] * 2, [names[0]] * 4, names[0], [[names[0]]] * 3):
        with pytest.raises(ValueError, match=r"y must hold one label for each of the 3 rows, got shape"):
            score(model, X[:3], labels)


def test_resampling_models_widens_the_interval_where_their_scores_rise_and_fall_together():
    """Over 40 fresh draws the rates spread as the widened interval says; Clopper–Pearson's is less than half of it."""
    rng, values, halves, exact = np.random.default_rng(3), [], [], []
    for _ in range(40):
        members = rng.random((40, 250)) < 0.5
        scores = rng.normal(size=members.shape) + members + 2 * rng.normal(size=(40, 1))
        wide, plain = (tpr_at_fpr(scores, members, 0.02, resamples=n, rng=4) for n in (60, 0))
        assert wide.value == plain.value and wide.low <= plain.low and wide.high >= plain.high
        values.append(wide.value)
        halves.append((wide.high - wide.low) / 2)
        exact.append((plain.high - plain.low) / 2)
    spread = 1.96 * np.std(values, ddof=1)
    assert 0.6 * spread < np.mean(halves) < 1.7 * spread
    assert np.mean(exact) < 0.6 * spread


def test_resampling_needs_models():
    with pytest.raises(ValueError, match="models"):
        tpr_at_fpr(np.arange(6.0), np.arange(6) % 2 == 0, 0.5, resamples=10)
    with pytest.raises(ValueError, match="resamples must be 0 or ≥ 2, got 1"):
        tpr_at_fpr(np.arange(6.0).reshape(2, 3), np.arange(6).reshape(2, 3) % 2 == 0, 0.5, resamples=1)


HALF = np.arange(12).reshape(4, 3) % 2 == 0  # every record has two shadows with it and two without


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"population": (np.full(5, np.nan), np.zeros((4, 5)))}, r"population\[0\] must be finite"),
        ({"population": (np.zeros(5), np.full((4, 5), np.nan))}, r"population\[1\] must be finite"),
        ({"population": (np.zeros(5), np.zeros((3, 5)))}, r"population\[1\] must have shape \(4, 5\), got \(3, 5\)"),
        ({"population": (np.zeros(5), np.zeros((4, 1)))}, r"population\[1\] must have shape \(4, 5\), got \(4, 1\)"),
        ({"population": (np.zeros(5), np.zeros(4))}, r"population\[1\] must have shape \(4, 5\), got \(4,\)"),
        ({"population": (np.zeros((2, 5)), np.zeros((4, 5)))}, "population must hold the same models"),
        ({"population": (np.zeros(()), np.zeros((4, 5)))}, "population must hold the same models"),
        ({"population": np.zeros(5)}, "population must be a pair"),
        ({"in_mask": np.zeros((4, 3), bool)}, "in_mask must leave every record at least one shadow with it"),
        ({"in_mask": np.ones((4, 3), bool)}, "in_mask must leave every record at least one shadow without it"),
        ({"target_scores": np.zeros(1)}, r"target_scores must have shape \(n,\) or \(k, n\) with n = 3, got \(1,\)"),
    ],
)
def test_what_the_relative_attack_cannot_judge_is_refused_by_name(change, named):
    asked = {"target_scores": np.zeros(3), "shadow_scores": np.zeros((4, 3)), "in_mask": HALF}
    asked["population"] = (np.zeros(5), np.zeros((4, 5)))
    assert rmia_scores(**asked).tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match=named):
        rmia_scores(**(asked | change))
