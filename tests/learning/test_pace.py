"""What DP-SGD chooses by itself comes from public numbers, and the estimator and the sweep choose alike."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpcourse.learning import DPLogisticRegression
from dpcourse.learning.pace import PACES, Pace
from dpcourse.learning.sweep import fit_sweep

SETTING = dict(sampling_rate=0.1, steps=400, momentum=0.9, dataset_size=31_655)


def problem(n=500):
    rng = np.random.default_rng(0)
    X = np.eye(5)[rng.integers(5, size=n)]
    return X, (rng.random(n) < X @ np.linspace(0.1, 0.9, 5)).astype(int)


@pytest.mark.parametrize("noise", [0.0, 0.5, 2.0, 20.0, 200.0])
def test_more_noise_means_smaller_steps_and_a_smaller_clip(noise):
    pace = Pace.of("bins")
    clip, rate = pace.clip_norm(noise, **SETTING), pace.learning_rate(noise, 1.0, **SETTING)
    assert pace.clip_norm(2 * noise, **SETTING) <= clip <= pace.largest_clip
    assert pace.learning_rate(2 * noise, 1.0, **SETTING) <= rate <= pace.largest_rate
    if rate < pace.largest_rate:  # the walk of the noise is what was allowed, no more and no less
        walk = noise * rate * np.sqrt(400) / (0.1 * 0.1 * 31_655)
        assert walk == pytest.approx(pace.travel)


@pytest.mark.parametrize("noise", [0.0, 3.0, 300.0])
def test_scaled_features_are_clipped_to_one_whatever_the_noise(noise):
    assert Pace.of("scaled").clip_norm(noise, **SETTING) == 1.0


def test_other_features_are_refused():
    X, y = problem()
    for features in ("ranks", None, ["bins"]):
        for call in (
            lambda features=features: DPLogisticRegression(features=features).fit(X, y),
            lambda features=features: fit_sweep(
                X, y, epsilons=[1.0], seeds=1, dataset_size=500, classes=(0, 1), features=features
            ),
        ):
            with pytest.raises(ValueError, match="^features must be"):
                call()


@pytest.mark.parametrize("features", PACES)
def test_the_estimator_keeps_its_pace_and_the_sweep_the_same(features):
    """Everybody in every batch and no noise: nothing is random, and the weights agree to rounding."""
    X, y = problem()
    model = DPLogisticRegression(
        noise_multiplier=0, sampling_rate=1.0, dataset_size=500, classes=(0, 1), features=features, random_state=1
    ).fit(X, y)
    assert (
        len(model.loss_curve_) == model.steps_ == PACES[features].steps
        and model.clip_norm_ == PACES[features].largest_clip
    )
    sweep = fit_sweep(
        X, y, epsilons=[np.inf], seeds=1, dataset_size=500, classes=(0, 1), sampling_rate=1.0, features=features
    )
    np.testing.assert_allclose(sweep.theta[0, 0], np.append(model.coef_, model.intercept_), atol=1e-9)


def test_noise_is_scaled_to_the_clip_that_was_chosen(monkeypatch):
    """With nobody's gradient, one step is noise of deviation σC/(qn) times the learning rate. False alarm 1e-6."""
    X, y = np.zeros((200, 400)), np.arange(200) % 2
    model = DPLogisticRegression(
        noise_multiplier=30.0,
        sampling_rate=1e-9,
        steps=1,
        dataset_size=10**9,
        classes=(0, 1),
        features="bins",
        learning_rate=1.0,
        random_state=3,
    ).fit(X, y)
    assert 0 < model.clip_norm_ < 2
    deviation = 30.0 * model.clip_norm_  # qn = 1
    assert np.sqrt(np.mean(model.coef_**2)) == pytest.approx(deviation, rel=0.18)


def test_given_settings_win():
    X, y = problem()
    model = DPLogisticRegression(clip_norm=0.7, steps=3, dataset_size=500, classes=(0, 1), features="bins").fit(X, y)
    assert model.clip_norm_ == 0.7 and len(model.loss_curve_) == 3


def test_without_privacy_bins_are_learned_as_well_as_with_little_noise():
    """Log loss on the training data, against scikit-learn's optimum: within 0.01 without a clip."""
    rng = np.random.default_rng(4)
    X = np.hstack([np.eye(size)[rng.integers(size, size=4000)] for size in (3, 8, 20)])
    y = (rng.random(4000) < 1 / (1 + np.exp(-(X @ rng.normal(size=X.shape[1]) * 1.5)))).astype(int)
    model = DPLogisticRegression(
        noise_multiplier=0, clip_norm=np.inf, dataset_size=4000, classes=(0, 1), features="bins", random_state=5
    ).fit(X, y)
    plain = LogisticRegression(C=np.inf, max_iter=3000).fit(X, y)
    losses = [np.logaddexp(0, -(2 * y - 1) * m.decision_function(X)).mean() for m in (model, plain)]
    assert losses[1] <= losses[0] < losses[1] + 0.01
