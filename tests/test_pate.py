"""PATE: what one person can move, what it costs, and that the student learns."""

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy.special import log_ndtr, logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from dpcourse.accounting import PrivacyLoss
from dpcourse.pate import ABSTAINED, ConfidentAggregator, PATEClassifier
from dpcourse.privacy import BudgetExhausted, Neighbours


def histograms(teachers, classes):
    """Every way that `teachers` votes fall on `classes`."""
    return [h for h in itertools.product(range(teachers + 1), repeat=classes) if sum(h) == teachers]


def test_one_person_moves_the_votes_by_the_stated_sensitivity():
    """Every vote of 6 teachers on 3 classes, every neighbour: one teacher's vote moves."""
    l1, l2, largest = 0, 0.0, 0
    for votes in histograms(6, 3):
        for giver, taker in itertools.permutations(range(3), 2):
            if votes[giver]:
                other = np.array(votes)
                other[[giver, taker]] += [-1, 1]
                move = other - votes
                l1, l2 = max(l1, np.abs(move).sum()), max(l2, np.linalg.norm(move))
                largest = max(largest, abs(other.max() - max(votes)))
    assert (l1, l2, largest) == (2, math.sqrt(2), 1)


def test_a_replaced_person_moves_two_votes():
    """Every vote of 5 teachers on 3 classes, every two teachers' moves: 4 in L1, 2√2 in L2, 2 in the largest count."""
    l1, l2, largest = 0, 0.0, 0
    for said in itertools.product(range(3), repeat=5):
        before = np.bincount(said, minlength=3)
        for first, second in itertools.product(range(3), repeat=2):  # the votes are exchangeable: teachers 0 and 1
            after = np.bincount([first, second, *said[2:]], minlength=3)
            l1, l2 = max(l1, np.abs(after - before).sum()), max(l2, np.linalg.norm(after - before))
            largest = max(largest, abs(after.max() - before.max()))
    assert (l1, l2, largest) == (4, pytest.approx(2 * math.sqrt(2)), 2)


def test_adding_a_record_changes_one_teacher_only():
    """The parts of the others do not depend on it: same draws, one record more, one teacher's votes differ."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(301, 2)), rng.integers(2, size=301)
    few = PATEClassifier(20, classes=(0, 1), random_state=4).fit(X[:-1], y[:-1])
    more = PATEClassifier(20, classes=(0, 1), random_state=4).fit(X, y)
    grid = rng.normal(size=(200, 2)) * 3
    changed = [(a.predict(grid) != b.predict(grid)).any() for a, b in zip(few.teachers_, more.teachers_, strict=True)]
    assert sum(changed) <= 1
    assert np.abs(few.votes(grid) - more.votes(grid)).sum(axis=1).max() <= 2


def answer_probabilities(votes, aggregator):
    """Exact probabilities of (no answer, class 0, class 1) for one question with two classes."""
    confident = np.exp(log_ndtr((max(votes) - aggregator.threshold) / aggregator.threshold_sigma))
    first = np.exp(log_ndtr((votes[0] - votes[1]) / (math.sqrt(2) * aggregator.vote_sigma)))
    return np.array([1 - confident, confident * first, confident * (1 - first)])


def test_the_exact_divergence_of_an_answer_is_within_its_price():
    aggregator = ConfidentAggregator(threshold=6, threshold_sigma=2.0, vote_sigma=1.5)
    orders = np.array([1.5, 2.0, 5.0, 20.0])
    price = 0.5 / 2.0**2 + 0.5 / (1.5 / math.sqrt(2)) ** 2
    for a in range(10):
        p, q = (np.log(answer_probabilities(v, aggregator)) for v in ((a, 9 - a), (a + 1, 8 - a)))
        for order in orders:
            for x, y in ((p, q), (q, p)):
                assert logsumexp(order * x + (1 - order) * y) / (order - 1) <= order * price + 1e-12


def test_the_accountant_adds_thresholds_and_answers():
    aggregator = ConfidentAggregator(threshold=60, threshold_sigma=40.0, vote_sigma=10.0)
    accountant = aggregator.accountant(questions=500, max_answers=100)
    assert accountant.neighbours is Neighbours.ADD_REMOVE
    rho = 500 * 0.5 / 40.0**2 + 100 * 0.5 / (10.0 / math.sqrt(2)) ** 2
    orders = 1 + np.geomspace(0.01, 1e3, 20_000)
    wanted = (rho * orders + np.log1p(-1 / orders) - np.log(1e-5 * orders) / (orders - 1)).min()
    assert accountant.epsilon(1e-5, method="rdp") == pytest.approx(wanted, rel=1e-3)


def test_the_losses_of_the_whole_plan_price_it_most_tightly():
    """Gaussians add up to one: the exact δ of that one, whose μ² is the sum of theirs."""
    accountant = ConfidentAggregator(150, 210, 150).accountant(questions=1000, max_answers=400)
    mu = math.sqrt(1000 / 210**2 + 400 * 2 / 150**2)
    exact = PrivacyLoss.gaussian(1 / mu).epsilon(1e-5)
    assert accountant.epsilon(1e-5) == accountant.epsilon(1e-5, "pld") == pytest.approx(exact, rel=1e-9)
    assert exact < 0.92 * accountant.epsilon(1e-5, "rdp")


def test_every_run_is_within_the_losses_of_the_whole_plan():
    """Two questions and one answer, all outputs: which question is answered depends on the noise."""
    aggregator = ConfidentAggregator(threshold=6, threshold_sigma=2.0, vote_sigma=1.5)
    plan = aggregator.accountant(questions=2, max_answers=1).privacy_loss()

    def outputs(votes):
        (no, *first), second = answer_probabilities(votes[0], aggregator), answer_probabilities(votes[1], aggregator)
        return np.array([*first, *(no * second)])  # after the one answer nothing is looked at

    for a, b in itertools.product(range(9), repeat=2):
        p, q = outputs([(a, 9 - a), (b, 9 - b)]), outputs([(a + 1, 8 - a), (b + 1, 8 - b)])
        assert p.sum() == pytest.approx(1) == q.sum()
        for epsilon in (0.0, 0.3, 1.0):
            exact = max(np.maximum(p - math.exp(epsilon) * q, 0).sum(), np.maximum(q - math.exp(epsilon) * p, 0).sum())
            assert exact <= plan.delta(epsilon) + 1e-12


def test_answers_stop_at_their_number_and_unsure_questions_get_none():
    aggregator = ConfidentAggregator(threshold=60, threshold_sigma=1.0, vote_sigma=1.0)
    votes = np.array([[95, 5], [50, 50], [5, 95], [90, 10], [97, 3]])
    assert aggregator.answer(votes, max_answers=3, rng=0).tolist() == [0, ABSTAINED, 1, 0, ABSTAINED]
    assert aggregator.answer(votes, max_answers=0, rng=0).tolist() == [ABSTAINED] * 5


def test_a_part_with_one_class_or_nobody_still_votes():
    X = np.array([[0.0], [0.1], [5.0]])
    model = PATEClassifier(10, classes=(0, 1), random_state=0).fit(X, [0, 0, 1])
    votes = model.votes(X)
    assert votes.shape == (3, 2) and (votes.sum(axis=1) == 10).all()


@pytest.mark.parametrize(
    ("teacher", "n", "strange"),
    [
        (CalibratedClassifierCV(LogisticRegression(), cv=3), 999, 0.0),
        (QuadraticDiscriminantAnalysis(), 999, 0.0),
        (LogisticRegression(solver="liblinear"), 999, 1e100),
        (KNeighborsClassifier(50), 200, 0.0),
    ],
    ids=["fit: cross-validation", "fit: covariance", "fit: a huge value", "predict: too few"],
)
def test_one_record_that_no_teacher_can_learn_from_is_one_vote(teacher, n, strange):
    """Everybody is of class 0, and one more is of class 1: nothing is raised, and at most one vote moves."""
    rng = np.random.default_rng(5)
    X, y, questions = rng.normal(size=(n + 1, 2)), (np.arange(n + 1) == n).astype(int), rng.normal(size=(20, 2))
    X[-1] += strange
    few, more = (
        PATEClassifier(20, teacher=teacher, classes=(0, 1), random_state=6).fit(X[:rows], y[:rows]).votes(questions)
        for rows in (n, n + 1)
    )
    assert (few == [20, 0]).all() and (more.sum(axis=1) == 20).all()
    assert (more[:, 0] >= 19).all()


class Nervous(ClassifierMixin, BaseEstimator):
    """Warns of large features: of those it fits and, when it predicts, of those it was fitted to."""

    def fit(self, X, y):
        self.large_ = (X > 1e6).any()
        return self._warned(self)

    def predict(self, X):
        return self._warned(np.zeros(len(X), dtype=int))

    def _warned(self, answer):
        if self.large_:
            warnings.warn("a large feature", stacklevel=2)
        return answer


@pytest.mark.parametrize("teacher", [None, LogisticRegression(solver="liblinear"), Nervous()])
def test_a_record_that_makes_a_teacher_warn_is_not_told_of(teacher):
    """400 plain records, and one more with entries of 1e12: no warning from fitting, none from voting."""
    rng = np.random.default_rng(0)
    X, y, questions = rng.normal(size=(401, 3)), rng.integers(2, size=401), rng.normal(size=(20, 3))
    X[-1] = 1e12
    with pytest.warns(Warning):
        Nervous().fit(X, y)
    for n in (400, 401):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            PATEClassifier(5, teacher=teacher, classes=(0, 1), random_state=1).fit(X[:n], y[:n]).votes(questions)
        assert not [str(warning.message) for warning in seen]


class Fussy(ClassifierMixin, BaseEstimator):
    """Fits or predicts nothing but parts without a negative feature."""

    def __init__(self, when="fit"):
        self.when = when

    def fit(self, X, y):
        self.refused_ = (X < 0).any()
        if self.when == "fit" and self.refused_:
            raise RuntimeError("a negative feature")
        return self

    def predict(self, X):
        if self.when == "predict" and self.refused_:
            raise RuntimeError("a negative feature")
        return np.zeros((len(X), 1) if self.when == "shape" and self.refused_ else len(X), dtype=int)


@pytest.mark.parametrize("when", ["fit", "predict", "shape"])
def test_a_part_that_cannot_be_learnt_from_says_its_most_frequent_class(when):
    X, y = np.full((9, 1), -1.0), np.array([2, 1, 1, 2, 0, 1, 2, 2, 1])
    model = PATEClassifier(3, teacher=Fussy(when), classes=(0, 1, 2), random_state=0).fit(X, y)
    part = np.random.default_rng(0).integers(3, size=9)
    said = [np.bincount(y[part == i]).argmax() for i in range(3)]  # of equals the first
    assert (model.votes(X) == np.bincount(said, minlength=3)).all()


class Broken(Fussy):
    def fit(self, X, y):
        return self.no_such_thing(X, y)


def test_a_teacher_that_cannot_be_fitted_at_all_is_told_from_made_up_records():
    X, y = np.eye(8), [0, 1] * 4
    with pytest.warns(RuntimeWarning, match="teacher cannot be fitted to made-up records.*no_such_thing"):
        PATEClassifier(2, teacher=Broken(), classes=(0, 1), random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="teacher must have fit and predict"):
        PATEClassifier(2, teacher=BaseEstimator(), classes=(0, 1)).fit(X, y)
    with pytest.raises(TypeError, match="Cannot clone"):
        PATEClassifier(2, teacher="x", classes=(0, 1)).fit(X, y)


def test_public_mistakes_in_a_question_are_still_refused():
    model = PATEClassifier(2, classes=(0, 1), random_state=0).fit(np.eye(8), [0, 1] * 4)
    with pytest.raises(ValueError, match="X must have 8 features, as in fit, got 3"):
        model.votes(np.eye(3))
    model.aggregator = "x"
    with pytest.raises(TypeError, match="aggregator must be a ConfidentAggregator, got 'x'"):
        model.teach(np.eye(8))


def test_the_student_learns_and_the_claim_does_not_depend_on_the_votes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6000, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    public = rng.normal(size=(300, 3))
    aggregator = ConfidentAggregator(threshold=42, threshold_sigma=15.0, vote_sigma=8.0)
    model = PATEClassifier(60, aggregator, classes=(0, 1), random_state=2).fit(X, y).teach(public)
    assert model.score(X, y) > 0.9
    assert (model.answers_ != ABSTAINED).sum() <= 100
    shuffled = PATEClassifier(60, aggregator, random_state=2).fit(X, rng.permutation(y))
    with pytest.raises(ValueError, match="no student"):
        shuffled.max_answers = 1
        shuffled.teach(public)
    with pytest.raises(BudgetExhausted, match="paid"):
        model.teach(public)
    assert model.guarantee_ == aggregator.guarantee(300, 100, 1e-5)
    assert model.guarantee_.epsilon == aggregator.accountant(300, 100).epsilon(1e-5, method="rdp")


@pytest.mark.parametrize(("name", "value"), [("n_teachers", 1), ("max_answers", 0), ("delta", 0), ("delta", np.nan)])
def test_refuses_bad_arguments_by_name_and_value(name, value):
    with pytest.raises((TypeError, ValueError), match=name) as error:
        PATEClassifier(**{name: value}).fit(np.eye(4), [0, 1, 0, 1])
    assert repr(value) in str(error.value)


def test_claims_to_be_no_estimator_and_says_what_is_missing():
    """`teach` stands between `fit` and `predict`, so scikit-learn's checks could not hold."""
    model = PATEClassifier(2, classes=(0, 1), random_state=0)
    assert not isinstance(model, BaseEstimator)
    with pytest.raises(NotFittedError, match="fit"):
        model.votes(np.eye(2))
    with pytest.raises(NotFittedError, match="teach"):
        model.fit(np.eye(4), [0, 1, 0, 1]).predict(np.eye(4))
    with pytest.raises(ValueError, match="outside the public classes"):
        model.fit(np.eye(4), [0, 1, 2, 1])
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((4, 1), np.nan), [0, 1, 0, 1])
