"""The batched sweep trains the models that `DPLogisticRegression` trains, and is as accurate as the course says."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from dpcourse.accounting import PrivacyAccountant
from dpcourse.datasets import load_adult
from dpcourse.learning import DPLogisticRegression
from dpcourse.learning.logistic import public_learning_rate
from dpcourse.learning.sweep import fit_sweep


def problem(n=2000):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, 4))
    return X, (X[:, 0] - X[:, 1] + rng.logistic(size=n) / 3 > 0).astype(int)


def test_without_chance_it_is_the_estimator():
    """Everybody in every batch and no noise: nothing is random, and the weights agree to rounding."""
    X, y = problem()
    sweep = fit_sweep(
        X, y, epsilons=[np.inf], seeds=2, dataset_size=2000, classes=(0, 1), sampling_rate=1.0, steps=60, rng=1
    )
    one = DPLogisticRegression(
        noise_multiplier=0, sampling_rate=1.0, steps=60, dataset_size=2000, classes=(0, 1), random_state=1
    ).fit(X, y)
    for theta in sweep.theta[0]:
        np.testing.assert_allclose(theta, np.append(one.coef_, one.intercept_), atol=1e-9)


def test_with_chance_it_has_the_estimators_law(monkeypatch):
    """Means over 200 models of each agree within 4.5 standard errors a weight: false alarm below 1e-4."""
    X, y = problem(400)
    settings = dict(dataset_size=400, classes=(0, 1), steps=10, sampling_rate=0.2)
    fitted = fit_sweep(X, y, epsilons=[2.0], seeds=200, rng=2, **settings)
    assert fitted.noise_multipliers[0] == DPLogisticRegression(epsilon=2.0, **settings).fit(X, y).noise_multiplier_
    monkeypatch.setattr(PrivacyAccountant, "epsilon", lambda accountant, delta, method: 2.0)  # 200 times the same
    noise, sweep, rng = fitted.noise_multipliers[0], fitted.theta[0], np.random.default_rng(3)
    models = [DPLogisticRegression(noise_multiplier=noise, random_state=rng, **settings).fit(X, y) for _ in range(200)]
    single = np.array([np.append(model.coef_, model.intercept_) for model in models])
    error = np.sqrt((sweep.var(axis=0) + single.var(axis=0)) / 200)
    assert (np.abs(sweep.mean(axis=0) - single.mean(axis=0)) < 4.5 * error).all()
    ratio = sweep.std(axis=0) / single.std(axis=0)  # its own deviation is about 1/√200 = 0.07
    assert (np.abs(np.log(ratio)) < 0.32).all()


def test_the_learning_rate_keeps_the_walk_of_the_noise():
    """At the chosen rate, pure noise with momentum ends about as far from zero as promised, and no farther."""
    rng = np.random.default_rng(4)
    noise_multiplier, rate, steps, momentum, n, walks = 20.0, 0.1, 200, 0.9, 5_000, 4_000
    eta = public_learning_rate(noise_multiplier, 1.0, rate, steps, momentum, n)
    velocity = theta = np.zeros(walks)
    for _ in range(steps):
        velocity = momentum * velocity + rng.normal(scale=noise_multiplier / (rate * n), size=walks)
        theta = theta - eta * velocity
    assert 0.6 < theta.std() < 0.77


@pytest.mark.parametrize(
    ("name", "value"),
    [("epsilons", [0.0]), ("seeds", 0), ("delta", 0), ("clip_norm", np.inf), ("sampling_rate", 0), ("steps", 0)]
    + [("learning_rate", -1.0), ("momentum", 1.0), ("dataset_size", 0), ("classes", (0, 1, 2)), ("epsilons", 1.0)]
    + [("X", np.arange(50.0)), ("X", np.zeros((50, 2, 2))), ("y", [1]), ("y", np.arange(49) % 2), ("y", [[0]] * 50)],
)
def test_refuses_bad_arguments_by_name(name, value):
    X, y = problem(50)
    arguments = dict(X=X, y=y, epsilons=[1.0], seeds=1, dataset_size=50, classes=(0, 1)) | {name: value}
    with pytest.raises((TypeError, ValueError), match=f"^{name}"):
        fit_sweep(**arguments)


def test_labels_read_from_the_data_are_a_condition_of_the_claims():
    X, y = problem(50)
    read, given = (
        fit_sweep(X, y, epsilons=[1.0, np.inf], seeds=1, dataset_size=50, classes=classes, steps=5, rng=1)
        for classes in (None, (0, 1))
    )
    assert all(guarantee.condition == "the class labels are public" for guarantee in read.guarantees)
    assert not any(guarantee.condition for guarantee in given.guarantees)
    np.testing.assert_array_equal(read.theta, given.theta)


@pytest.mark.parametrize("seeds", [2, pytest.param(20, marks=pytest.mark.audit)])
def test_adult_costs_what_the_course_says(seeds):
    """Mean test accuracy within .3 points of scikit-learn's at ε = 1, and within 1 point at ε = .1.

    Measured with 20 seeds on the UCI files: .04 and .50 points, deviation of one model .05 and .18; so a mean of two
    exceeds its limit with probability below 1e-4.
    """
    X, y = load_adult().encode()
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=42)
    plain = LogisticRegression(max_iter=3000).fit(train, y_train).score(test, y_test)
    sweep = fit_sweep(train, y_train, epsilons=[1.0, 0.1], seeds=seeds, dataset_size=31_655, classes=(0, 1), rng=5)
    lost = plain - sweep.accuracy(test, y_test).mean(axis=1)
    assert lost[0] < 0.003 and lost[1] < 0.01


@pytest.mark.parametrize("seeds", [2, pytest.param(20, marks=pytest.mark.audit)])
def test_the_twin_in_bins_leaves_little_to_optimisation(seeds):
    """On the twin, where the settings were chosen: within .35 points of scikit-learn's at ε = 8, .7 at ε = 1.

    Measured with 8 seeds: .09 and .38 points, deviation of one model .06 and .11; so a mean of two exceeds its limit
    with probability below 1e-4. On scaled features no model here comes within a point.
    """
    X, y = load_adult("twin").encode(numeric="bins")
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=42)
    plain = LogisticRegression(max_iter=3000).fit(train, y_train).score(test, y_test)
    sweep = fit_sweep(
        train, y_train, epsilons=[1.0, 8.0], seeds=seeds, dataset_size=31_655, classes=(0, 1), features="bins", rng=5
    )
    lost = plain - sweep.accuracy(test, y_test).mean(axis=1)
    assert lost[0] < 0.007 and lost[1] < 0.0035
