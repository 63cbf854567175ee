"""The numbers of capstone 5: ways to train over hospitals, what the unit costs, who gains, and what a liar can do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from dpcourse.accounting import calibrate_noise_multiplier
from dpcourse.audit import AuditResult, audit_outputs
from dpcourse.datasets.hospitals import REACH, Hospitals
from dpcourse.lessons.capstone_5.design import (
    CLIP,
    DELTA,
    HOSPITALS,
    ROUNDS,
    SHARES,
    WEIGHTS,
    Rows,
    auc,
    epsilon_of,
    scaled,
)
from dpcourse.privacy import Guarantee

RATE, MOMENTUM = 2.0, 0.9
# Where a whole hospital is the record: rounds, steps at home in each, and the length of an update.
VISITS, STEPS, UPDATE = 10, 5, 0.5


def fit(
    rows: Rows, deviation: float, declared: int, *, rng=None, lie: np.ndarray | None = None, clip: float = CLIP
) -> np.ndarray:
    """Steps on the sum over patients of their gradients, each patient's part in a hospital of norm `clip` at most.

    `deviation` is that of all noise in the sum together; `lie` is added to the sum of every round.
    """
    rng = np.random.default_rng(rng)
    weights, velocity, average = np.zeros((3, WEIGHTS))
    for step in range(ROUNDS):
        parts = np.add.reduceat((expit(rows.Z @ weights) - rows.y)[:, None] * rows.Z, rows.starts)
        total = (1 / np.maximum(1, np.linalg.norm(parts, axis=1) / clip)) @ parts + rng.normal(0, deviation, WEIGHTS)
        velocity = MOMENTUM * velocity + (total if lie is None else total + lie) / declared
        weights = weights - RATE * velocity
        if step >= ROUNDS // 2:
            average += weights
    return average / (ROUNDS - ROUNDS // 2)


def by_hospital(rows: Rows, deviation: float, *, rng=None) -> np.ndarray:
    """Federated averaging with a hospital as the record: updates clipped to `UPDATE`, noise in their sum."""
    rng = np.random.default_rng(rng)
    homes = [rows.only(hospital) for hospital in range(rows.hospital[-1] + 1)]
    weights = np.zeros(WEIGHTS)
    for _ in range(VISITS):
        total = rng.normal(0, deviation, WEIGHTS)
        for home in homes:
            own = weights
            for _ in range(STEPS):
                own = own - RATE * (expit(home.Z @ own) - home.y) @ home.Z / len(home.y)
            total += (own - weights) * min(1.0, UPDATE / float(np.linalg.norm(own - weights)))
        weights = weights + total / len(homes)
    return weights


def plain(Z: np.ndarray, y: np.ndarray, strength: float) -> np.ndarray:
    """Logistic regression as a library does it, no clipping and no noise; a constant where there is one class."""
    if len(set(y.tolist())) < 2:
        return np.zeros(WEIGHTS)
    model = LogisticRegression(C=strength, max_iter=500).fit(Z[:, :-1], y)
    return np.append(model.coef_[0], model.intercept_)


def alone(rows: Rows) -> list[np.ndarray]:
    """The model of each hospital from its own stays, without noise."""
    homes = [rows.only(hospital) for hospital in range(rows.hospital[-1] + 1)]
    return [plain(home.Z, home.y, 0.1) for home in homes]


def alone_private(rows: Rows, declared: Sequence[int], epsilon: float, *, rng=None) -> list[np.ndarray]:
    """The same with noise. A patient is in two of these models at most, so each is trained for a change of √2."""
    rng, noise = np.random.default_rng(rng), math.sqrt(REACH) * multiplier(epsilon)
    homes = [rows.only(hospital) for hospital in range(rows.hospital[-1] + 1)]
    return [fit(home, noise, size, rng=rng) for home, size in zip(homes, declared, strict=True)]


def multiplier(epsilon: float, rounds: int = ROUNDS) -> float:
    """Deviation of the noise that hides a change of norm 1 in each of so many sums, (ε, 1e-6) together."""
    return calibrate_noise_multiplier(epsilon, DELTA, 1.0, rounds)


# All 50 hospitals add a share of 1/40, so a sum in which all arrive holds 50/40 of the variance that is needed.
_MORE = math.sqrt(HOSPITALS / SHARES)
WAYS: Mapping[str, Callable[[Rows, int, float, np.random.Generator], np.ndarray]] = {
    "a patient, noise shared": lambda rows, n, e, rng: fit(rows, REACH * CLIP * multiplier(e) * _MORE, n, rng=rng),
    # A hospital's vector that may be seen alone: a patient shows in two of them, each moved by the clip.
    "a patient, each hospital its own noise": lambda rows, n, e, rng: fit(
        rows, math.sqrt(REACH * HOSPITALS) * CLIP * multiplier(e), n, rng=rng
    ),
    "a hospital, noise shared": lambda rows, n, e, rng: by_hospital(
        rows, UPDATE * multiplier(e, VISITS) * _MORE, rng=rng
    ),
}


def tested(world: Hospitals) -> Callable[[np.ndarray], float]:
    """AUC of weights on the held-out stays of all hospitals."""
    Z = scaled(world.test.X, world)
    return lambda weights: auc(weights, Z, world.test.y)


def compared(worlds: Sequence[Hospitals], epsilons: Sequence[float], rng=None) -> dict[str, np.ndarray]:
    """AUC of each way in each world, shape (epsilons, worlds); without noise the same at every ε."""
    rng = np.random.default_rng(rng)
    found: dict[str, np.ndarray] = {}
    for place, world in enumerate(worlds):
        rows, score = Rows.of(world), tested(world)
        own = [score(weights) for weights in alone(rows)]
        biggest = int(np.bincount(rows.hospital).argmax())
        once = {
            "one pool, no noise": score(plain(rows.Z, rows.y, 1.0)),
            "the largest hospital alone, no noise": own[biggest],
            "a hospital alone, no noise (mean)": float(np.mean(own)),
        }
        declared = sum(world.declared.values())
        for name in (*once, *WAYS):
            for row, epsilon in enumerate(epsilons):
                value = once[name] if name in once else score(WAYS[name](rows, declared, epsilon, rng))
                found.setdefault(name, np.zeros((len(epsilons), len(worlds))))[row, place] = value
    return found


def group_epsilon(patients: int, epsilon: float) -> float:
    """ε at 1e-6 of so many patients of one hospital together, where noise is made for one patient in two hospitals.

    Its sum moves by one clip for each patient, if all point the same way: noise for `REACH` clips was added.
    """
    return epsilon_of(patients / REACH, multiplier(epsilon) / math.sqrt(ROUNDS))


def certified(deviation: float, moved: float, claim: Guarantee, runs: int, rng=None) -> AuditResult:
    """What an auditor makes of one number with this noise, with and without a patient who moves it so far."""
    noise = np.random.default_rng(rng).normal(0, deviation, (2, runs)) / moved
    noise[1] += 1
    return audit_outputs(*noise.round(3), claim=claim)


def claim_at(moved: float, deviation: float, delta: float) -> Guarantee:
    """What this noise gives at another δ."""
    return Guarantee(epsilon_of(moved, deviation, delta), delta)


def lied(world: Hospitals, rows: Rows, epsilon: float, strength: float, *, rng=None) -> tuple[float, float]:
    """What one hospital that lies can do: AUC where it adds `strength` against the model's best direction in every
    round, and the length of the sum without it in the first round."""
    declared = sum(world.declared.values())
    honest = fit(rows, 0.0, declared)
    lie = strength * honest / np.linalg.norm(honest)
    noise = REACH * CLIP * multiplier(epsilon) * _MORE
    weights = fit(rows, noise, declared, rng=rng, lie=lie)
    parts = np.add.reduceat((0.5 - rows.y)[:, None] * rows.Z, rows.starts)
    total = (1 / np.maximum(1, np.linalg.norm(parts, axis=1) / CLIP)) @ parts
    return tested(world)(weights), float(np.linalg.norm(total))
