"""The models compared: how each is trained within a promise, and how good it is.

All promises are about replacing one record, the one relation that every method here can speak. DP-SGD and PATE are
proven under adding or removing a record; their noise is chosen so that two such steps, one record removed and another
added, stay inside the promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, f1_score, roc_auc_score

from dpcourse.accounting import PrivacyAccountant
from dpcourse.accounting.solve import smallest
from dpcourse.learning import (
    DPLogisticRegression,
    ObjectivePerturbationLogisticRegression,
    OutputPerturbationLogisticRegression,
)
from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled
from dpcourse.pate import ABSTAINED, ConfidentAggregator, PATEClassifier
from dpcourse.pipeline.config import Level
from dpcourse.privacy import Guarantee, Neighbours

CLASSES = (0, 1)
QUORUM, THRESHOLD_NOISE = 0.6, 1.4  # PATE: share of teachers that must agree; noise on it, in units of the votes' noise
NEEDS_NOISE = ("dp-sgd", "pate")  # the others know their noise from ε alone


@dataclass(frozen=True, eq=False)
class People:
    """Who is who for one seed: rows of X, y by role. Half of the pool, `members`, is trained on."""

    X: np.ndarray
    y: np.ndarray
    pool: np.ndarray
    members: np.ndarray
    public: np.ndarray
    test: np.ndarray

    @classmethod
    def draw(cls, X: np.ndarray, y: np.ndarray, records: int, questions: int, rng: np.random.Generator) -> People:
        """`records` members, as many others in the pool, `questions` public people, and the rest for tests."""
        order = rng.permutation(len(X))
        pool, public, test = np.split(order, [2 * records, 2 * records + questions])
        members = np.zeros(2 * records, dtype=bool)
        members[rng.permutation(2 * records)[:records]] = True
        return cls(X, y, pool, members, public, test)

    @property
    def training(self) -> tuple[np.ndarray, np.ndarray]:
        rows = self.pool[self.members]
        return self.X[rows], self.y[rows]


def replacing_one(accountant: PrivacyAccountant, delta: float, method: str) -> float:
    """ε of an add-remove ledger, read as a promise about replacing one record."""
    total = PrivacyAccountant(Neighbours.REPLACE_ONE)
    for entry in accountant.ledger:
        total.compose(entry.source, times=entry.times)
    return total.epsilon(delta, method)


def noise_for(method: str, level: Level, options: dict[str, Any]) -> float:
    """The least noise with which a method keeps a level: DP-SGD's multiplier, or the deviation of PATE's votes."""
    if method == "dp-sgd":

        def price(noise: float) -> float:
            step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(noise), options["sampling_rate"])
            return replacing_one(PrivacyAccountant().compose(step, times=options["steps"]), level.delta, "pld")

    else:

        def price(noise: float) -> float:
            ledger = _aggregator(options, noise).accountant(options["questions"], options["answers"])
            return replacing_one(ledger, level.delta, "rdp")

    return smallest(price, level.epsilon)[0]


def train(
    method: str, level: Level, options: dict[str, Any], noise: float, people: People, rng: np.random.Generator
) -> tuple[Any, Guarantee, Guarantee]:
    """A model, its promise about replacing one record, and the promise in the method's own terms.

    Both are read off the fitted model, not off the configuration.
    """
    X, y = people.training
    n = len(X)
    if method == "dp-sgd":
        model = DPLogisticRegression(
            delta=level.delta, noise_multiplier=noise, dataset_size=n, classes=CLASSES, random_state=rng, **options
        ).fit(X, y)
        epsilon = replacing_one(model.accountant_, level.delta, "pld")
        condition = "the number of records is public"
        return model, Guarantee(epsilon, level.delta, Neighbours.REPLACE_ONE, condition), model.guarantee_
    if method == "pate":
        model = PATEClassifier(
            options["teachers"],
            _aggregator(options, noise),
            level.delta,
            options["answers"],
            teacher=LogisticRegression(solver="newton-cholesky"),
            classes=CLASSES,
            random_state=rng,
        ).fit(X, y)
        student = _student(model, people.X[people.public])
        epsilon = replacing_one(model.accountant_, level.delta, "rdp")
        condition = "the features asked about are public"
        return student, Guarantee(epsilon, level.delta, Neighbours.REPLACE_ONE, condition), model.guarantee_
    kind = {
        "output-perturbation": OutputPerturbationLogisticRegression,
        "objective-perturbation": ObjectivePerturbationLogisticRegression,
    }[method]
    model = kind(level.epsilon, dataset_size=n, classes=CLASSES, random_state=rng, **options).fit(X, y)
    return model, model.guarantee_, model.guarantee_


def baseline(people: People, C: float) -> LogisticRegression:
    """Logistic regression without privacy."""
    return LogisticRegression(C=C, max_iter=5000).fit(*people.training)


def quality(model: Any, people: People) -> dict[str, float]:
    """Accuracy, F1, ROC AUC and Brier score on people who were neither trained on nor asked about."""
    X, y = people.X[people.test], people.y[people.test]
    chance = model.predict_proba(X)[:, 1]
    return {
        "accuracy": float((model.predict(X) == y).mean()),
        "f1": float(f1_score(y, model.predict(X), zero_division=0.0)),
        "auc": float(roc_auc_score(y, chance)),
        "brier": float(brier_score_loss(y, chance)),
        "majority": float(max(y.mean(), 1 - y.mean())),
    }


def _aggregator(options: dict[str, Any], noise: float) -> ConfidentAggregator:
    return ConfidentAggregator(QUORUM * options["teachers"], THRESHOLD_NOISE * noise, noise)


def _student(model: PATEClassifier, questions: np.ndarray) -> Any:
    """The student; where the answers hold one class only, a model that always says it."""
    try:
        return model.teach(questions).student_
    except ValueError:
        known = model.answers_[model.answers_ != ABSTAINED] if hasattr(model, "answers_") else None
        if known is None or len(np.unique(known)) > 1:
            raise
        only = CLASSES[known[0]] if len(known) else CLASSES[0]
        return DummyClassifier(strategy="constant", constant=only).fit(questions[:2], CLASSES)
