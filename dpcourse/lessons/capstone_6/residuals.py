"""What the residuals of the proposal tell bank A: labels, and the other banks' features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcourse.datasets import Customers, simulate_customers
from dpcourse.datasets.customers import FEATURES
from dpcourse.lessons.capstone_6.numbers import aligned


@dataclass(frozen=True)
class Rounds:
    """What bank A holds after some rounds of the proposal, over the common customers.

    Attributes
    ----------
    residuals : ndarray, shape (rounds, customers)
        What the lender sent: p − y.
    own : ndarray, shape (rounds, customers)
        Bank A's part of the log odds.
    features : ndarray, shape (customers, 24)
        The other four banks' features: what bank A wants to know.
    defaulted : ndarray of bool, shape (customers,)
    """

    residuals: np.ndarray
    own: np.ndarray
    features: np.ndarray
    defaulted: np.ndarray

    @property
    def told(self) -> float:
        """For which share of customers the sign of the last residual is the label."""
        return float(np.mean((self.residuals[-1] < 0) == self.defaulted))


def residual_rounds(
    world: Customers, rounds: int = 40, *, rate: float = 2.0, bits: int | None = None, linear: bool = False
) -> Rounds:
    """Run the proposal: logistic regression, every bank with its own weights, in full steps of `rate`.

    `bits` rounds the residuals to so many behind the point; `linear` sends score − y instead of p − y.
    """
    features, y = aligned(world)
    x = np.hstack(features) * 2  # deviations of 1, as a bank would scale them
    weights, centre = np.zeros(x.shape[1]), 0.0
    residuals, own = [], []
    for _ in range(rounds):
        score = x @ weights + centre
        sent = (score if linear else special.expit(score)) - y
        sent = sent if bits is None else np.round(sent * 2.0**bits) / 2.0**bits
        residuals.append(sent)
        own.append(x[:, :FEATURES] @ weights[:FEATURES])
        weights -= rate * x.T @ sent / len(x)
        centre -= rate * sent.mean()
    return Rounds(np.array(residuals), np.array(own), x[:, FEATURES:], y)


def others_scores(residuals: np.ndarray, own: np.ndarray, bits: int = 40) -> np.ndarray:
    """The other banks' part of the log odds in every round, shape (rounds, customers), from what bank A holds.

    `bits` is the precision of the residuals: rounded ones may say p = 0, which means less than half a step.
    """
    y = residuals < 0
    tiny = 2.0 ** -(bits + 1)
    return special.logit(np.clip(residuals + y, tiny, 1 - tiny)) - own


def recovered(scores: np.ndarray, features: np.ndarray, known: int) -> tuple[float, np.ndarray]:
    """R² of the others' features of customers nobody told about, and the estimates, from `known` who are known.

    Principal components of the scores, scaled to deviation 1, and a ridge regression on the known customers; how many
    components, and which ridge, is chosen by leaving known customers out in turn.
    """
    centred = (scores - scores.mean(axis=1, keepdims=True)).T
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    kept = left[:, values > 1e-12 * values[0]] * math.sqrt(len(left))
    told, best = features[:known], (math.inf, 0, 0.0)
    for count in range(1, kept.shape[1] + 1):
        for ridge in (1e-6, 1e-3, 0.1, 1.0, 10.0):
            some = np.column_stack((np.ones(known), kept[:known, :count]))
            hat = some @ np.linalg.solve(some.T @ some + ridge * np.eye(count + 1), some.T)
            if count < known - 1:
                error = float((((told - hat @ told) / (1 - np.diag(hat))[:, None]) ** 2).sum())
                best = min(best, (error, count, ridge))
    _, count, ridge = best
    some = np.column_stack((np.ones(len(kept)), kept[:, :count]))
    fit = np.linalg.solve(some[:known].T @ some[:known] + ridge * np.eye(count + 1), some[:known].T @ told)
    estimate = some @ fit
    rest, right = estimate[known:], features[known:]
    return 1 - float(((right - rest) ** 2).sum() / ((right - right.mean(axis=0)) ** 2).sum()), estimate


def told(known: Sequence[int], *, rate: float = 2.0, bits: int | None = None, worlds: int = 5, rng=None) -> np.ndarray:
    """R² of what bank A recovers of the others' features after 40 rounds, for each number of known customers: the mean
    over worlds of 2,000 customers."""
    found = []
    for one in np.random.default_rng(rng).spawn(worlds):
        seen = residual_rounds(simulate_customers(2_000, applicants=1, rng=one), rate=rate, bits=bits)
        told_scores = others_scores(seen.residuals, seen.own, bits or 40)
        found.append([recovered(told_scores, seen.features, count)[0] for count in known])
    return np.mean(found, axis=0)


def from_own_features(world: Customers, known: int) -> float:
    """R² of the others' features from bank A's own, learnt on all customers but `known`: what A has anyway."""
    features, _ = aligned(world)
    own, right = np.column_stack((np.ones(len(features[0])), features[0])), np.hstack(features[1:])
    fit = np.linalg.lstsq(own[known:], right[known:], rcond=None)[0]
    return 1 - float(((right - own @ fit)[known:].var(axis=0) / right[known:].var(axis=0)).mean())
