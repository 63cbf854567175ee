"""PATE: teachers trained on disjoint parts of the private data vote, noisily, on public examples; a student learns.

The confident Gaussian aggregator of Papernot et al. 2018 (arXiv:1802.08908): a question is answered only if the
teachers agree beyond a noisy threshold, and then by the noisy plurality.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_array, check_X_y

from dpcourse.accounting import PrivacyAccountant
from dpcourse.learning.linear import encode_labels, generator
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import BudgetExhausted, Guarantee, Neighbours, arguments

ABSTAINED = -1


@dataclass(frozen=True)
class ConfidentAggregator:
    """Answers questions by noisy votes.

    One person sits in one teacher's part, so adding or removing one changes at most one teacher's vote: it moves
    from one count to another. The largest count then moves by at most 1, and the vector of counts by √2 in L2 (2 in
    L1). Replacing a person can touch two teachers: that is the claim for two records.

    Parameters
    ----------
    threshold : float
        A question is answered if the largest count plus N(0, threshold_sigma²) reaches this.
    threshold_sigma, vote_sigma : float
        Standard deviations, in votes, of the noise on the largest count and on every count.

    Examples
    --------
    >>> aggregator = ConfidentAggregator(threshold=60, threshold_sigma=20, vote_sigma=10)
    >>> aggregator.answer(np.array([[95, 5], [50, 50]]), max_answers=10, rng=0).tolist()
    [0, -1]
    """

    threshold: float
    threshold_sigma: float
    vote_sigma: float

    def __post_init__(self) -> None:
        arguments.nonnegative("threshold", self.threshold)
        arguments.positive("threshold_sigma", self.threshold_sigma)
        arguments.positive("vote_sigma", self.vote_sigma)

    def answer(self, votes: np.ndarray, *, max_answers: int, rng=None) -> np.ndarray:
        """Answers to questions in order, int of shape (questions,): a class index, or −1 for no answer.

        `votes` has shape (questions, classes). After `max_answers` answers the rest stays unanswered and is not even
        looked at.

        Raises
        ------
        TypeError, ValueError
            If `votes` is no such array of finite numbers. Such a refusal is itself an output that depends on the
            data, and no noise covers it; counts of votes are never refused.
        """
        max_answers = arguments.integer("max_answers", max_answers, minimum=0)
        votes = arguments.finite_array("votes", votes, private=True)
        if votes.ndim != 2 or votes.shape[1] < 2:
            raise ValueError(f"votes must have shape (questions, classes ≥ 2), got {votes.shape}")
        rng = np.random.default_rng(rng)
        confident = votes.max(axis=1) + self.threshold_sigma * rng.normal(size=len(votes)) >= self.threshold
        winner = (votes + self.vote_sigma * rng.normal(size=votes.shape)).argmax(axis=1)
        answered = confident & (np.cumsum(confident) <= max_answers)
        return np.where(answered, winner, ABSTAINED)

    def accountant(self, questions: int, max_answers: int) -> PrivacyAccountant:
        """The whole cost, whatever the votes: every question pays for its threshold, every answer for its votes.

        Which questions get the dearer answer, and when the answers are used up, depends on the data. But how many of
        either kind there can be is fixed, and all these draws together, in whatever order, dominate every run (see
        `budget.filters.PlannedFilter`). So every method prices the whole plan: "pld" most tightly, which "best" takes,
        and "rdp" as the paper does, which `guarantee` states.
        """
        accountant = PrivacyAccountant(Neighbours.ADD_REMOVE)
        questions = arguments.integer("questions", questions, minimum=1)
        max_answers = arguments.integer("max_answers", max_answers, minimum=0)
        accountant.compose(GaussianMechanism.from_noise_multiplier(self.threshold_sigma), times=questions)
        if max_answers:
            votes = GaussianMechanism.from_noise_multiplier(self.vote_sigma / math.sqrt(2), sensitivity=math.sqrt(2))
            accountant.compose(votes, times=min(max_answers, questions))
        return accountant

    def guarantee(self, questions: int, max_answers: int, delta: float) -> Guarantee:
        """The claim for that many questions and at most that many answers together, by Rényi divergences.

        Examples
        --------
        >>> print(ConfidentAggregator(150, 210, 150).guarantee(questions=1000, max_answers=400, delta=1e-5))
        (ε=0.9742, δ=1e-05)-DP, adding or removing one record
        >>> print(ConfidentAggregator(150, 210, 150).accountant(questions=1000, max_answers=400).guarantee(1e-5))
        (ε=0.8912, δ=1e-05)-DP, adding or removing one record
        """
        return self.accountant(questions, max_answers).guarantee(delta, method="rdp")


@dataclass(eq=False)
class PATEClassifier:
    """A student that only ever sees noisy answers about public examples.

    `fit` trains the teachers on the private data; `teach` asks them about public examples and trains the student, which
    `predict` uses. That step in between is why this is no scikit-learn estimator, though teachers and student are.

    The claim covers all private data, under adding or removing one record: each record is put into a part by a draw of
    its own, so nobody else's part changes. A part whose teacher cannot be fitted, or cannot predict, says its most
    frequent class: an error that one record brings about would tell of it. So would a warning, and none of a teacher's
    comes through. The noise is drawn in floats.

    Parameters
    ----------
    n_teachers : int
        Number of disjoint parts.
    aggregator : ConfidentAggregator or None
        None asks for agreement of 60% with threshold_sigma n_teachers/5 and vote_sigma n_teachers/10. The ε of that
        depends on n_teachers: 19 with 50 teachers, 1.7 with 400 (200 questions, 100 answers).
    delta : float
        δ of the claim.
    max_answers : int
        Answers bought at most, fixed in advance.
    teacher, student : scikit-learn classifiers or None
        None is `LogisticRegression(max_iter=1000)`.
    classes : sequence or None
        The public class labels; None reads them from `y`, and `guarantee_` says so.
    random_state : None, int or numpy.random.Generator
        Source of the parts and of the noise. A published seed voids the guarantee.

    Attributes
    ----------
    teachers_ : list
        A model of each part, or the only or most frequent class where there is none. NOT private: they never leave.
    student_ : classifier
        The released model.
    answers_ : ndarray of shape (questions,)
        Class indices, −1 where the teachers did not answer. Released.
    guarantee_ : Guarantee
        After `teach`.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused; `ValueError` from `teach` if fewer than two classes were answered
        (the answers are released and paid for all the same).
    NotFittedError
        From a method called before the one it needs.
    BudgetExhausted
        From a second `teach` after one `fit`: `guarantee_` pays for one.

    Warns
    -----
    RuntimeWarning
        If `teacher` fails on made-up records of zeros and ones, on which it is tried first: that it fails on private
        ones is not told.

    Examples
    --------
    >>> rng = np.random.default_rng(9)
    >>> X = rng.normal(size=(4000, 2)); y = (X[:, 0] > 0).astype(int)
    >>> model = PATEClassifier(50, classes=(0, 1), random_state=9).fit(X, y).teach(rng.normal(size=(200, 2)))
    >>> model.score(X, y) > 0.9, model.guarantee_.epsilon < 20
    (True, True)
    """

    n_teachers: int = 50
    aggregator: ConfidentAggregator | None = None
    delta: float = 1e-5
    max_answers: int = 100
    teacher: Any = None
    student: Any = None
    classes: Sequence | None = None
    random_state: Any = None

    def fit(self, X, y) -> PATEClassifier:
        """Train one teacher on each part of X, shape (n, d), with labels y, shape (n,). Nothing is released yet."""
        arguments.integer("n_teachers", self.n_teachers, minimum=2)
        arguments.integer("max_answers", self.max_answers, minimum=1)
        arguments.probability("delta", self.delta, zero=False, one=False)
        X, y = check_X_y(X, y, dtype=float)
        self.classes_, _ = encode_labels(y, self.classes)
        self.taught_, self.student_, self.n_features_in_ = False, None, X.shape[1]
        self._try_teacher()
        self.rng_ = generator(self.random_state)
        number = self.rng_.integers(self.n_teachers, size=len(X))
        parts = [(X[number == i], y[number == i]) for i in range(self.n_teachers)]
        self._majorities = [self._most_frequent(labels) for _, labels in parts]
        self.teachers_ = [
            self._teach_one(*part, otherwise) for part, otherwise in zip(parts, self._majorities, strict=True)
        ]
        return self

    def _try_teacher(self) -> None:
        """Fit the teacher to made-up records, and warn if it fails: how the parts fare may not be told."""
        if self.teacher is None:
            return
        model = clone(self.teacher)
        if not (hasattr(model, "fit") and hasattr(model, "predict")):
            raise TypeError(f"teacher must have fit and predict, got {self.teacher!r}")
        each = min(max(50, 2 * self.n_features_in_), 500)
        y = np.tile(self.classes_, each)
        X = np.random.default_rng(0).integers(2, size=(len(y), self.n_features_in_)).astype(float)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(X, y)
                model.predict(X)
        except Exception as error:
            warnings.warn(
                f"teacher cannot be fitted to made-up records of zeros and ones: {error!r}; a part on which it fails "
                "says its most frequent class",
                RuntimeWarning,
                stacklevel=3,
            )

    def _most_frequent(self, y: np.ndarray) -> Any:
        labels, counts = np.unique(y, return_counts=True)
        return labels[counts.argmax()] if len(y) else self.classes_[0]

    def _teach_one(self, X: np.ndarray, y: np.ndarray, otherwise: Any) -> Any:
        """A teacher, or a label instead: a part must not be able to make the vote fail."""
        if len(np.unique(y)) < 2:
            return otherwise
        model = clone(self.teacher) if self.teacher is not None else LogisticRegression(max_iter=1000)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(X, y)
        except Exception:  # whatever it is, it may come from one record
            return otherwise
        return model

    def votes(self, X) -> np.ndarray:
        """How many teachers say each class, int of shape (n, k). NOT private."""
        if not hasattr(self, "teachers_"):
            raise NotFittedError("there are no teachers yet: call fit() first")
        X = check_array(X, dtype=float)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X must have {self.n_features_in_} features, as in fit, got {X.shape[1]}")
        said = [_say(teacher, X, label) for teacher, label in zip(self.teachers_, self._majorities, strict=True)]
        return np.stack([(np.stack(said) == label).sum(axis=0) for label in self.classes_], axis=1)

    def teach(self, X) -> PATEClassifier:
        """Ask about public examples X of shape (questions, d), once, and train the student on the answers."""
        aggregator = ConfidentAggregator(0.6 * self.n_teachers, self.n_teachers / 5, self.n_teachers / 10)
        if self.aggregator is not None:
            aggregator = arguments.member("aggregator", self.aggregator, ConfidentAggregator)
        votes = self.votes(X)
        if self.taught_:
            raise BudgetExhausted("teach() has been called and paid for; more questions cost more: fit() anew")
        self.taught_ = True
        self.answers_ = aggregator.answer(votes, max_answers=self.max_answers, rng=self.rng_)
        self.accountant_ = aggregator.accountant(len(votes), self.max_answers)
        condition = "the class labels are public" if self.classes is None else ""
        epsilon = self.accountant_.epsilon(self.delta, method="rdp")
        self.guarantee_ = Guarantee(epsilon, self.delta, Neighbours.ADD_REMOVE, condition)
        known = self.answers_ != ABSTAINED
        if len(np.unique(self.answers_[known])) < 2:
            raise ValueError(f"{known.sum()} questions were answered, with fewer than two classes: no student")
        model = clone(self.student) if self.student is not None else LogisticRegression(max_iter=1000)
        self.student_ = model.fit(np.asarray(X)[known], self.classes_[self.answers_[known]])
        return self

    def predict(self, X) -> np.ndarray:
        """The student's prediction, shape (n,)."""
        return self._taught().predict(X)

    def predict_proba(self, X) -> np.ndarray:
        """The student's probabilities, shape (n, classes it was taught), columns as in `student_.classes_`."""
        return self._taught().predict_proba(X)

    def score(self, X, y) -> float:
        """Share of rows of X that the student labels as y does."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def _taught(self) -> Any:
        if getattr(self, "student_", None) is None:
            raise NotFittedError("there is no student yet: call fit() and then teach() with public examples")
        return self.student_


def _say(teacher: Any, X: np.ndarray, otherwise: Any) -> np.ndarray:
    """A label for each row: the teacher's, or `otherwise` from one that is a label or cannot predict."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = np.asarray(teacher.predict(X))
    except Exception:  # as in fitting: the part it was fitted to may be why
        said = None
    return said if said is not None and said.shape == (len(X),) else np.full(len(X), otherwise)
