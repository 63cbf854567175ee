"""The numbers of capstone 7: hit rates of several designs, how many people it takes, and what a liar can do."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dpcourse.audit import AuditResult, audit_outputs
from dpcourse.datasets.clicks import Clicks
from dpcourse.federated.clipping import norms_of
from dpcourse.federated.secure.fixed_point import FixedPoint
from dpcourse.lessons.capstone_7.design import (
    DELTA,
    RIDGE,
    TOP,
    epsilon_of,
    gram,
    item_model,
    noise_radius,
    sigma,
    symmetric_noise,
)
from dpcourse.local import UnaryEncoding
from dpcourse.privacy import Guarantee

RIDGE_WITHOUT_NOISE = 30.0
ROUNDS, FACTORS = 20, 8  # of federated factorisation
RATE, START, SHRINK = 50.0, 0.1, 30.0  # step, deviation of the first factors, ridge on a phone's own


def hit_rate(world: Clicks, scores: np.ndarray) -> float:
    """How often the held item is among the ten best that were not clicked; `scores` of shape (items,) or (people,
    items)."""
    scores = np.where(world.clicked, -np.inf, np.broadcast_to(scores, world.clicked.shape))
    own = scores[np.arange(len(scores)), world.held]
    return float(((scores > own[:, None]).sum(axis=1) < TOP).mean())


def scores_of(world: Clicks, model: np.ndarray) -> np.ndarray:
    """x B for every phone's x, shape (people, items), in single precision."""
    return world.clicked.astype(np.float32) @ model.astype(np.float32)


def popularity(world: Clicks) -> float:
    """The hit rate of the same list for everybody, by clicks counted without noise."""
    return hit_rate(world, world.clicked.sum(axis=0))


def without_noise(world: Clicks) -> float:
    """The item-item model from the exact Gram matrix."""
    return hit_rate(world, scores_of(world, item_model(gram(world.clicked), RIDGE_WITHOUT_NOISE)))


def noisy_sum(world: Clicks, deviation: float, *, rng=None) -> np.ndarray:
    """What the server sees: the Gram matrix with its noise."""
    return gram(world.clicked) + symmetric_noise(deviation, world.clicked.shape[1], rng=rng)


def central(world: Clicks, epsilon: float, *, ridge: float | None = None, shares: float = 1.0, rng=None) -> float:
    """One Gram matrix with whole noise, `shares` times in variance; the ridge by the rule unless given."""
    deviation = sigma(epsilon) * math.sqrt(shares)
    items = world.clicked.shape[1]
    noisy = noisy_sum(world, deviation, rng=rng)
    ridge = RIDGE * noise_radius(deviation, items) if ridge is None else ridge
    return hit_rate(world, scores_of(world, item_model(noisy, ridge)))


def local_gram(world: Clicks, epsilon: float, *, rng=None) -> float:
    """Every phone noises its own matrix, enough to be private alone: the sum has `people` times the variance."""
    return central(world, epsilon, shares=len(world.clicked), rng=rng)


def local_popularity(world: Clicks, epsilon: float, *, rng=None) -> float:
    """Bestsellers by local noise: every phone reports one of its items by unary encoding, δ = 0."""
    rng = np.random.default_rng(rng)
    picked = np.argmax(rng.random(world.clicked.shape) * world.clicked, axis=1)
    encoding = UnaryEncoding(epsilon, world.clicked.shape[1])
    return hit_rate(world, encoding.estimate(encoding.randomize(picked, rng=rng)).counts)


def federated(world: Clicks, epsilon: float, *, shares: float = 1.0, rng=None) -> float:
    """DP-FedAvg of item factors Q: a phone solves for its own p, sends the clipped gradient of |x − Qp|² in Q.

    Every phone in every round, updates clipped to norm 1 and added up; noise once in total, `shares` times in variance.
    """
    rng = np.random.default_rng(rng)
    x = world.clicked.astype(np.float32)
    noise = sigma(epsilon) * math.sqrt(ROUNDS * shares)
    factors = rng.normal(0, START, (x.shape[1], FACTORS))

    def own() -> np.ndarray:
        return x @ (factors @ np.linalg.inv(factors.T @ factors + SHRINK * np.eye(FACTORS))).astype(np.float32)

    for _ in range(ROUNDS):
        p = own()
        missed = x - p @ factors.T.astype(np.float32)
        lengths = norms_of(missed) * norms_of(p)  # the gradient is their outer product
        total = (missed / np.maximum(lengths, 1)[:, None]).T @ p
        factors = factors + RATE / len(x) * (total + rng.normal(0, noise, factors.shape))
    return hit_rate(world, own() @ factors.T.astype(np.float32))


def groups(world: Clicks, people: int) -> Iterator[Clicks]:
    """The same people in shops of `people` each."""
    for start in range(0, len(world.clicked) - people + 1, people):
        yield Clicks(world.clicked[start : start + people], world.held[start : start + people])


def by_people(world: Clicks, people: int, epsilons: tuple[float, ...], rng=None) -> np.ndarray:
    """Mean hit rates in shops of so many people: popularity, without noise, and the noisy model at each ε."""
    rng = np.random.default_rng(rng)
    rates = [
        [popularity(shop), without_noise(shop), *(central(shop, epsilon, rng=rng) for epsilon in epsilons)]
        for shop in groups(world, people)
    ]
    return np.mean(rates, axis=0)


def crossing(people: np.ndarray, ahead: np.ndarray) -> float:
    """The number of people at which `ahead`, the lead over popularity, turns positive: on a logarithmic axis."""
    after = int(np.argmax(ahead > 0))
    if not ahead[after] > 0 or after == 0:
        return math.nan
    x = np.log(people[after - 1 : after + 1])
    return float(np.exp(np.interp(0, ahead[after - 1 : after + 1], x)))


def raw_epsilons(epsilon: float, delta: float, clicks: int) -> tuple[float, float]:
    """ε of one of a person's `clicks`, and of the person, where noise for norm 1 is added to the sum of raw x xᵀ."""
    deviation = sigma(epsilon, delta)
    return epsilon_of(math.sqrt(2 * clicks - 1), deviation, delta), epsilon_of(clicks, deviation, delta)


def rounds_epsilon(epsilon: float, rounds: int, delta: float = DELTA) -> float:
    """ε of so many Gaussian releases that are (epsilon, delta)-DP each."""
    return epsilon_of(math.sqrt(rounds), sigma(epsilon, delta), delta)


def left_epsilon(honest: int, shares: int, epsilon: float) -> float:
    """ε where so many shares of 1/`shares` are in the sum and unknown to the onlooker."""
    return epsilon_of(1.0, sigma(epsilon) * math.sqrt(honest / shares))


def certified(deviation: float, claim: Guarantee, runs: int, rng=None) -> AuditResult:
    """What an auditor makes of a diagonal entry with this noise, with and without a person who clicked that item."""
    noise = np.random.default_rng(rng).normal(0, deviation, (2, runs))
    noise[1] += 1
    return audit_outputs(*noise.round(3), claim=claim)


def room(scale: float, phones: int, headroom: int) -> float:
    """How large an entry of a message may be so that sums modulo 2^32, in steps of 1/scale, cannot wrap."""
    return FixedPoint(32, scale, phones, headroom).capacity / scale


def pushed(world: Clicks, noisy: np.ndarray, ridge: float, item: int, strength: float) -> tuple[float, float, int]:
    """What one phone that lies can do: who is shown `item`, as a share of those who did not click it; the hit rate;
    the rank of the item's column among all columns of the model by length, 1 for the longest.

    It sends a matrix of norm `strength` instead of 1: `item` together with the 19 items that were clicked most.
    """
    friends = np.setdiff1d(np.argsort(-world.clicked.sum(axis=0))[:20], item)[:19]
    lie = np.zeros_like(noisy)
    lie[item, friends] = lie[friends, item] = strength / math.sqrt(2 * len(friends))
    model = item_model(noisy + lie, ridge)
    scores, lengths = scores_of(world, model), np.linalg.norm(model, axis=0)
    new = ~world.clicked[:, item]
    best = np.where(world.clicked[new], -np.inf, scores[new])
    shown = float(((best > best[:, [item]]).sum(axis=1) < TOP).mean())
    return shown, hit_rate(world, scores), int((lengths > lengths[item]).sum()) + 1
