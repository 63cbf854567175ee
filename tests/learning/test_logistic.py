"""DP-SGD for logistic regression: the right solution without noise, the right accounting with it."""

import functools

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from dpcourse.accounting import calibrate
from dpcourse.learning import (
    DPLogisticRegression,
    ObjectivePerturbationLogisticRegression,
    OutputPerturbationLogisticRegression,
)
from dpcourse.privacy import Neighbours

# scikit-learn fits the same defaults again and again; each price is looked for once.
calibrated = functools.cache(calibrate.calibrated)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [DPLogisticRegression(), OutputPerturbationLogisticRegression(), ObjectivePerturbationLogisticRegression()]
)
def test_behaves_like_scikit_learn(estimator, check, monkeypatch):
    monkeypatch.setattr("dpcourse.learning.logistic.calibrated", calibrated)
    check(estimator)


def problem(n=4000, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    weights = np.array([[2.0, -1.0, 0.5], [-1.0, 1.5, 0.0], [0.0, 0.0, 1.0]])[:classes]
    scores = X @ weights.T if classes > 2 else np.column_stack([np.zeros(n), X @ weights[0]])
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return X, y


@pytest.mark.parametrize("classes", [2, 3])
def test_without_noise_and_clipping_it_reaches_scikit_learns_solution(classes):
    X, y = problem(1000, classes=classes)
    model = DPLogisticRegression(
        noise_multiplier=0,
        clip_norm=np.inf,
        sampling_rate=1.0,
        steps=1500,
        learning_rate=1.0,
        dataset_size=len(X),
        classes=range(classes),
        random_state=0,
    ).fit(X, y)
    known = LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(X, y)
    # A softmax is unchanged by adding a constant to all logits; scikit-learn's weights add up to zero.
    ours = model.coef_ - model.coef_.mean(axis=0) * (classes > 2)
    theirs = known.coef_ - known.coef_.mean(axis=0) * (classes > 2)
    np.testing.assert_allclose(ours, theirs, atol=1e-3)
    assert model.guarantee_.epsilon == np.inf
    np.testing.assert_array_equal(model.predict(X), known.predict(X))


def test_the_ledger_is_priced_as_an_independent_accountant_prices_it():
    X, y = problem(1000)
    model = DPLogisticRegression(
        noise_multiplier=1.5, sampling_rate=0.04, steps=225, dataset_size=1000, classes=(0, 1), random_state=1
    ).fit(X, y)
    oracle = PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE, value_discretization_interval=4e-4)
    oracle.compose(dp_accounting.PoissonSampledDpEvent(0.04, dp_accounting.GaussianDpEvent(1.5)), 225)
    assert model.guarantee_.epsilon == pytest.approx(oracle.get_epsilon(1e-5), rel=0.01)
    assert model.guarantee_.neighbours is Neighbours.ADD_REMOVE and model.guarantee_.condition == ""


@pytest.mark.parametrize("size", [None, 1000])
@pytest.mark.parametrize("classes", [None, (0, 1)])
def test_the_claim_is_kept_and_says_what_it_stands_on(size, classes):
    X, y = problem(1000)
    model = DPLogisticRegression(epsilon=2.0, steps=20, dataset_size=size, classes=classes, random_state=1).fit(X, y)
    assert 2.0 * (0.995 if size else 0.99) < model.guarantee_.epsilon <= 2.0
    assert model.accountant_.epsilon(1e-5) <= model.guarantee_.epsilon * (1 + 1e-9)
    assert ("class labels are public" in str(model.guarantee_)) == (classes is None)


def test_the_denominator_is_public_not_the_size_of_the_data():
    """Twice the declared size halves every step; the rows themselves do not set the scale."""
    X, y = problem(500)
    first = DPLogisticRegression(noise_multiplier=0, clip_norm=1, sampling_rate=1, steps=1, momentum=0, classes=(0, 1))
    one, two = (clone(first).set_params(dataset_size=size).fit(X, y).coef_ for size in (500, 1000))
    np.testing.assert_allclose(one, 2 * two)


@pytest.mark.parametrize("classes", [2, 3])
def test_float32_features_give_the_same_model_up_to_rounding_and_the_claim_says_so(classes):
    X, y = problem(classes=classes)
    settings = dict(noise_multiplier=1.0, dataset_size=len(X), classes=range(classes), random_state=0)
    single, double = (DPLogisticRegression(**settings).fit(rows, y) for rows in (X.astype(np.float32), X))
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-4)
    assert single.guarantee_.epsilon == double.guarantee_.epsilon and single.coef_.dtype == float
    assert "float32" in single.guarantee_.condition and not double.guarantee_.condition


def test_works_in_a_pipeline_and_is_cloned():
    X, y = problem(500)
    model = make_pipeline(
        FunctionTransformer(np.tanh), clone(DPLogisticRegression(classes=(0, 1), dataset_size=500, random_state=3))
    )
    assert model.fit(X, y).predict_proba(X).shape == (500, 2)


@pytest.mark.parametrize("keyword", ["sample_weight", "class_weight"])
def test_weights_are_refused_with_a_reason(keyword):
    X, y = problem(50)
    with pytest.raises(ValueError, match=f"{keyword} is refused: a weight multiplies"):
        DPLogisticRegression().fit(X, y, **{keyword: np.ones(50)})


@pytest.mark.parametrize(
    ("name", "value"),
    [("epsilon", 0), ("epsilon", -1), ("epsilon", np.nan), ("epsilon", np.inf), ("epsilon", "1"), ("epsilon", True)]
    + [("delta", 0), ("delta", 1), ("delta", np.nan), ("clip_norm", 0), ("clip_norm", np.inf), ("sampling_rate", 0)]
    + [("sampling_rate", 1.5), ("steps", 0), ("steps", 2.5), ("learning_rate", -1), ("momentum", 1)]
    + [("noise_multiplier", -1), ("noise_multiplier", np.nan), ("dataset_size", 0), ("dataset_size", 10.5)],
)
def test_refuses_bad_arguments_by_name_and_value(name, value):
    X, y = problem(50)
    with pytest.raises((TypeError, ValueError), match=name) as error:
        DPLogisticRegression(**{name: value}).fit(X, y)
    assert repr(value) in str(error.value)


@pytest.mark.parametrize(("noise_multiplier", "epsilon"), [(1e-20, "inf"), (1e6, "0")])
def test_a_noisy_count_needs_an_epsilon_to_take_its_share_of(noise_multiplier, epsilon):
    X, y = problem(50)
    model = DPLogisticRegression(noise_multiplier=noise_multiplier, classes=(0, 1), random_state=0)
    with pytest.raises(ValueError, match=f"noise_multiplier must .* got {noise_multiplier!r} with ε={epsilon}$"):
        model.fit(X, y)
    assert model.set_params(dataset_size=50).fit(X, y).guarantee_.epsilon == float(epsilon)


def test_refuses_nan_and_unknown_labels_before_spending():
    X, y = problem(50)
    model = DPLogisticRegression(classes=(0, 1))
    with pytest.raises(ValueError, match="outside the public classes"):
        model.fit(X, np.where(np.arange(50) == 3, 7, y))
    X[7, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, y)
    assert not hasattr(model, "guarantee_")
