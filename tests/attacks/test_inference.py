"""Attribute and property inference: exact where a closed form exists, and what they find where there is something."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpcourse.attacks.attribute import attribute_log_likelihood, guess_attribute, with_each_value
from dpcourse.attacks.population import property_scores, sets_with_share
from dpcourse.attacks.shadow import train_shadow_models
from dpcourse.learning.sweep import fit_sweep


def people(n=600, seed=0):
    """Three kinds of people (one-hot), one number, and a label that mostly follows the kind."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(3, size=n)
    X = np.column_stack([rng.normal(size=n), np.eye(3)[kind]])
    return X, (rng.random(n) < np.array([0.1, 0.5, 0.9])[kind]).astype(int), kind


def test_each_version_differs_in_the_attribute_alone():
    X, _, kind = people()
    versions = with_each_value(X, [1, 2, 3])
    assert versions.shape == (3, 600, 4)
    np.testing.assert_array_equal(versions[..., 0], np.tile(X[:, 0], (3, 1)))
    np.testing.assert_array_equal(versions[kind, np.arange(600)], X)
    np.testing.assert_array_equal(X[:, 1:].sum(axis=1), 1)  # the records themselves are left alone


def test_the_guess_is_bayes_rule():
    X, y, kind = people()
    model = LogisticRegression(C=1e3).fit(X, y)
    said = attribute_log_likelihood(model, with_each_value(X, [1, 2, 3]), y)
    own = model.predict_proba(X)[np.arange(600), y]
    np.testing.assert_allclose(np.exp(said[np.arange(600), kind]), own)
    prior = np.log(np.array([0.2, 0.5, 0.3]))
    posterior = np.exp(said) * np.exp(prior)
    np.testing.assert_array_equal(guess_attribute(said, np.tile(prior, (600, 1))), posterior.argmax(axis=1))
    flat = np.zeros((600, 3))
    right, blind = ((guess_attribute(s, flat) == kind).mean() for s in (said, flat))
    assert right > blind + 0.15  # 1/3 without the model, over 1/2 with it


def test_sets_hold_the_share_asked_for():
    group = np.arange(100) < 30
    sets = sets_with_share(group, 0.4, 50, 7, rng=1)
    assert (sets.sum(axis=1) == 50).all() and (sets[:, group].sum(axis=1) == 20).all()
    assert len({row.tobytes() for row in sets}) == 7


def test_the_discriminant_is_fishers():
    rng = np.random.default_rng(2)
    kinds = np.arange(200) % 2 == 1
    covariance = np.array([[1.0, 0.6], [0.6, 2.0]])
    shadows = rng.multivariate_normal([0, 0], covariance, 200) + np.outer(kinds, [1.0, -1.0])
    within = sum(np.cov(shadows[kinds == k].T) * 99 for k in (True, False)) / 198
    wanted = np.linalg.solve(within, shadows[kinds].mean(axis=0) - shadows[~kinds].mean(axis=0))
    found = property_scores(np.vstack([np.eye(2), np.zeros(2)]), shadows, kinds, shrinkage=1e-9)
    np.testing.assert_allclose(found[:2] - found[2], wanted, rtol=1e-5)


def test_a_property_of_the_group_is_found_with_and_without_privacy():
    """ε = 1 hides a record, not a share. 40 models judged, guessing reaches 75% with probability below 0.002."""
    X, y, _ = people(n=800, seed=3)
    kinds = np.random.default_rng(4).permutation(np.repeat([False, True], 60))
    sets = np.concatenate([sets_with_share(y == 1, 0.6 if k else 0.35, 300, 1, rng=i) for i, k in enumerate(kinds)])
    private = fit_sweep(
        X,
        y,
        epsilons=[1.0],
        seeds=120,
        dataset_size=300,
        classes=(0, 1),
        sampling_rate=1.0,
        steps=10,
        in_mask=sets,
        rng=5,
    )
    for weights in (train_shadow_models(X, y, 120, in_mask=sets).weights, private.theta[0]):
        guess = property_scores(weights[:40], weights[40:], kinds[40:]) > 0
        assert (guess == kinds[:40]).mean() >= 0.75


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: guess_attribute(np.zeros((2, 3)), np.zeros((3, 2))), "one shape"),
        (lambda: sets_with_share(np.arange(10) < 2, 0.5, 8, 3), "size must leave enough"),
        (lambda: sets_with_share(np.arange(10) < 2, 1.5, 8, 3), "share must be in"),
        (lambda: property_scores(np.eye(2), np.eye(2), np.ones(2, bool)), "kinds must have shape"),
        (lambda: property_scores(np.eye(2), np.eye(2), np.arange(2) > 0, shrinkage=0.0), "shrinkage must be in"),
    ],
)
def test_bad_arguments_are_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()
