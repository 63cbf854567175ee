"""Exercise 09.1: noise for a model. How long it is and where it points; and an audit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import special, stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Case, Chance
from dpcourse.checks.cases import Audited, Returns
from dpcourse.checks.cases.known import frozen
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.entries import uneven
from dpcourse.checks.links import same_side
from dpcourse.checks.measured import as_measured
from dpcourse.checks.once import between, near
from dpcourse.checks.places import Place, Placed
from dpcourse.checks.placing import EXACT
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_09.exercises.centre import around
from dpcourse.privacy import Guarantee, Neighbours


def _model(rng: Generator) -> tuple[np.ndarray, int, float, float]:
    """Weights, n, λ, ε: λ below 0.1 and ε away from 1, so that a forgotten one shows."""
    epsilon = float(rng.uniform(0.6, 0.8) if rng.random() < 0.5 else rng.uniform(1.6, 2.5))
    weights = rng.normal(size=int(rng.integers(9, 14)))
    return weights, int(rng.integers(100, 1000)), between(rng, 1e-3, 1e-1), epsilon


def _moved_model(rng: Generator) -> tuple[Any, Any]:
    """Minimisers that are as far apart as neighbours' can be, along a diagonal; ε = 1. Both sides hold both."""
    weights, n, lam, _ = _model(rng)
    signs = rng.choice([-1.0, 1.0], len(weights))
    other = weights + signs / math.sqrt(len(weights)) * 2 / (n * lam)
    return (weights, weights, other, n, lam), (other, weights, other, n, lam)


def _nearer(order: int):
    """How much nearer the noisy weights are to one minimiser than to the other, in that norm, in sensitivities."""

    def call(answer: Answer, data: Any, rng: Generator) -> float:
        weights, one, other, n, lam = data
        noisy = np.asarray(answer(weights, n, lam, 1.0, rng=rng), dtype=float)
        difference = np.linalg.norm(noisy - one, order) - np.linalg.norm(noisy - other, order)
        return round(float(difference) * n * lam / 2, 3)

    return call


_NOISE_WRONG = {
    "laplace-coordinates": Diagnosis(
        "laplace-coordinates",
        "You add Laplace noise to every weight, scaled by the L2 sensitivity. Laplace noise needs the L1 "
        "sensitivity, and a move of length Δ along a diagonal is Δ√d in L1.",
        "Draw one length, Gamma-distributed, and one direction for the whole vector.",
    ),
    "exponential-length": Diagnosis(
        "exponential-length",
        "The length of your noise is exponential, as in one dimension. A sphere of radius r has surface ∝ r^(d−1), so "
        "that a density e^(−r/s) in space has a Gamma(d) length; yours piles up at the truth.",
        "Which shape does the Gamma distribution of the length have?",
    ),
    "half-sensitivity": Diagnosis(
        "half-sensitivity",
        "Your noise is half as long as it must be. Replacing a record takes one gradient of length 1 away and puts "
        "another in its place: 2/n, not 1/n.",
        "The sensitivity is 2/(nλ).",
    ),
    "one-record-fewer": Diagnosis(
        "one-record-fewer",
        "Your noise is longer than it needs to be, as if there were one record fewer: that is 2/((n − 1)λ).",
        "The average loss of n records is divided by n, with one of them replaced too.",
    ),
    "no-lambda": Diagnosis(
        "no-lambda",
        "Your noise does not depend on λ: that is the sensitivity of the gradient, 2/n, not of the minimiser.",
        "Divide by λ: it is what holds the minimiser back.",
    ),
    "epsilon-ignored": Shared.EPSILON_IGNORED.seen("Your noise does not depend on ε."),
    "upside-down": Diagnosis(
        "upside-down", "Your noise grows with ε.", "More ε means less noise: the scale of the length is 2/(nλε)."
    ),
    "gaussian": Diagnosis(
        "gaussian",
        "Your noise is Gaussian, and no Gaussian noise gives a pure ε: its tails fall faster than e^(−ε‖b‖/Δ).",
        "The density asked for is ∝ exp(−nλε‖b‖₂/2): a Gamma length, a uniform direction.",
    ),
    "direction": Diagnosis(
        "direction",
        "The length of your noise is right, but its direction is not uniform: some directions are more likely.",
        "A vector of independent normal numbers, divided by its length, points everywhere alike.",
    ),
    "linked": Diagnosis(
        "linked",
        "Length and direction of your noise depend on each other: in some directions it is longer than in others.",
        "Draw the one without looking at the other.",
    ),
    "not-useful": Diagnosis(
        "not-useful",
        "Your noise has the right shape and is longer than it needs to be.",
        "The length has mean d · 2/(nλε). Is there a factor too many?",
    ),
}


def _exact_labels(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A table whose labels are the weights. All other labels are seen wherever results have to be numbers."""
    weights, *public = _model(chance.rng)
    result = answer(frozen(weights), *public, rng=chance.rng)
    labels = getattr(result, "index", None)
    if callable(labels) or labels is None or not any(label in weights.tolist() for label in labels):
        return None
    return Diagnosis(
        "leaks",
        "Your result has labels, and they are the exact weights: these leave without any noise.",
        "What does the claim say about labels? np.asarray drops them.",
    )


def _noise(answer: Answer, rng: Generator, runs: int) -> tuple[np.ndarray, int, float, float]:
    """Noise vectors of an answer on one input, of shape (runs, d), with its n, λ and ε.

    Few records, so that n and n − 1 can be told apart.
    """
    weights, _, lam, epsilon = _model(rng)
    n, weights = int(rng.integers(5, 9)), frozen(weights)
    drawn = [np.asarray(answer(weights, n, lam, epsilon, rng=rng), dtype=float) for _ in range(runs)]
    return np.array(drawn) - weights, n, lam, epsilon


def _uneven(directions: np.ndarray, level: float) -> bool:
    """Whether directions, shape (runs, d), prefer the corners or the axes, or some of the axes to others.

    For a uniform direction Σu⁴ has mean 3/(d + 2), and Σu⁴'s square (105 + 9(d − 1))/((d + 2)(d + 4)(d + 6)). Each u²
    is Beta(1/2, (d − 1)/2). Means of so many are nearly normal; the factor 1.2 is for the rest.
    """
    runs, d = directions.shape
    fourth, square = 3 / (d + 2), (105 + 9 * (d - 1)) / ((d + 2) * (d + 4) * (d + 6))
    corners = (np.mean((directions**4).sum(axis=1)) - fourth) / math.sqrt((square - fourth**2) / runs)
    axes = ((directions**2).mean(axis=0) - 1 / d) / math.sqrt(2 * (d - 1) / (d**2 * (d + 2)) / runs)
    return max(abs(corners), np.abs(axes).max()) > 1.2 * stats.norm.isf(level / (2 * (d + 1)))


def _density(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Length and direction against their distributions, each by a Kolmogorov–Smirnov test."""
    noise, n, lam, epsilon = _noise(answer, chance.rng, 1500)
    d, level, scale = noise.shape[1], chance.failure / 4, 2 / (n * lam * epsilon)
    lengths = np.linalg.norm(noise, axis=1)
    if not lengths.all():
        return Shared.NO_NOISE.seen(
            "Some of your noise is exactly zero.",
            "Where does it come in?",
        )

    def fits(values: np.ndarray, distribution: Any) -> bool:
        return stats.kstest(values, distribution.cdf).pvalue > level

    # A uniform direction's coordinate, mapped to [0, 1]. One coordinate of many, drawn by row, sees a bias in any.
    one = noise[np.arange(len(noise)), chance.rng.integers(d, size=len(noise))] / lengths
    uniform = fits((1 + one) / 2, stats.beta((d - 1) / 2, (d - 1) / 2)) and not _uneven(noise / lengths[:, None], level)
    if uniform and fits(lengths, stats.gamma(d, scale=scale)):
        ranks = [
            stats.spearmanr(lengths, f(noise[:, i] / lengths)).statistic for i in range(d) for f in (abs, np.array)
        ]
        # Without a link √(runs − 1) times a rank correlation is nearly standard normal.
        linked = max(map(abs, ranks)) * math.sqrt(len(lengths) - 1) > 1.1 * stats.norm.isf(level / (4 * d))
        return _NOISE_WRONG["linked"] if linked else None
    mean, wide = lengths.mean(), np.sqrt((noise**2).mean())
    specific = {
        "laplace-coordinates": (noise.ravel(), stats.laplace(scale=scale)),
        "gaussian": (lengths, stats.chi(d, scale=wide)),
        "exponential-length": (lengths, stats.expon(scale=scale)),
        "half-sensitivity": (lengths, stats.gamma(d, scale=scale / 2)),
        "one-record-fewer": (lengths, stats.gamma(d, scale=scale * n / (n - 1))),
        "no-lambda": (lengths, stats.gamma(d, scale=scale * lam)),
        "epsilon-ignored": (lengths, stats.gamma(d, scale=scale * epsilon)),
        "upside-down": (lengths, stats.gamma(d, scale=scale * epsilon**2)),
        "direction": (lengths, stats.gamma(d, scale=scale)),
    }
    likely = {key: stats.kstest(values, wrong.cdf).pvalue for key, (values, wrong) in specific.items()}
    named = max(likely, key=lambda key: likely[key])
    if likely[named] > level:
        return _NOISE_WRONG[named]
    if mean > 1.1 * d * scale and fits(lengths, stats.gamma(d, scale=mean / d)):
        return _NOISE_WRONG["not-useful"]
    return Diagnosis(
        "wrong-distribution",
        f"The length of your noise has mean {mean:.3g} where {d * scale:.3g} is right for d = {d}, and is "
        "not distributed as it should be.",
        "The density asked for is ∝ exp(−nλε‖b‖₂/2): a Gamma length, a uniform direction.",
    )


def _name_noise(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    return _density(answer, chance)


def _few_weights(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One weight or two, where the law of the length is far from normal, and from that of one dimension more or less.

    Noise that is 0 is left to `_everywhere`.
    """
    runs = 650
    for d in (1, 2):
        _, n, lam, epsilon = _model(chance.rng)
        weights, scale = frozen(chance.rng.normal(size=d)), 2 / (n * lam * epsilon)
        drawn = [np.asarray(answer(weights, n, lam, epsilon, rng=chance.rng), dtype=float) for _ in range(runs)]
        lengths = np.linalg.norm(np.array(drawn) - weights, axis=1) / scale
        if lengths.all() and any(uneven(np.clip(special.gammainc(d, lengths), EXACT, 1 - EXACT), chance.failure / 3)):
            tenths, right = np.quantile(lengths, [0.1, 0.5, 0.9]), special.gammaincinv(d, [0.1, 0.5, 0.9])
            return Diagnosis(
                "wrong-distribution",
                f"With {d} weight{'s' * (d > 1)}, a tenth of {runs} lengths of your noise are below {tenths[0]:.2g} "
                f"times 2/(nλε), half below {tenths[1]:.2g}, nine tenths below {tenths[2]:.2g}. Right are "
                f"{right[0]:.2g}, {right[1]:.2g} and {right[2]:.2g}.",
                "The density asked for is ∝ exp(−nλε‖b‖₂/2) in d dimensions. Which law has its length, whatever d is?",
            )
    return None


_STRANGE = {  # what no right noise is like, of two draws for the same weights
    "your noise is 0": lambda noise, other: not noise.any(),
    "some of the weights have no noise": lambda noise, other: not noise.all(),
    "all weights have the same noise": lambda noise, other: len(noise) > 1 and np.ptp(noise) < 1e-6 * abs(noise[0]),
    "your noise is on the same side of each weight both times": lambda noise, other: (
        len(noise) > 15 and (noise * other > 0).all()
    ),
}


def _everywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At any ε, of any number of weights, every other time at a round λ; of noise that is strange, it is said how."""
    drawn: list[tuple[np.ndarray, np.ndarray]] = []

    def ask(answer: Answer, epsilon: float, d: int, rng: Generator) -> list[Place]:
        size = rng.choice((0.0, 1.0, 1.0, 10 ** rng.uniform(-6, 0)))  # of a model that hardly learns they are near 0
        weights, n = as_measured(size * rng.normal(size=d), rng), int(10 ** rng.uniform(0.7, 5))
        lam = near(10 ** rng.uniform(-4, 0), rng, 1.0)
        given = (np.asarray(answer(weights, n, lam, epsilon, rng=rng), dtype=float) for _ in range(2))
        noise, other = (one - weights for one in given)
        drawn.append((noise, other))
        return _places(noise, other, n * lam * epsilon / 2, float(np.linalg.norm(weights)), rng)

    short = "your noise is too short, at right angles to an axis or the diagonal, or on the same side twice"
    long = "your noise is too long, along an axis or the diagonal, or turned around as a whole the second time"
    placed = Placed(ask, sizes=(1, 200), of="weights", often=150, near=short, far=long)
    wrong = placed(answer, chance)
    if wrong is None or wrong.key != "not-everywhere":
        return wrong
    wrong = replace(wrong, ask="For which ε, n, λ or number of weights does yours do something else?")
    if len(drawn) > placed.times:  # the same model, many times
        return wrong
    for what, strange in _STRANGE.items():
        if found := [noise for noise, other in drawn if strange(noise, other)]:
            where = f"In {len(found)} of them, with {min(map(len, found))} to {max(map(len, found))} weights, {what}."
            return replace(wrong, seen=f"We asked twice about each of {len(drawn)} models. {where}")
    return wrong


def _places(noise: np.ndarray, other: np.ndarray, rate: float, weights: float, rng: Generator) -> list[Place]:
    """How long the noise is, in its law; and how far it points along one axis, or along the diagonal, in that law.

    Asked twice, it points to the same side along so many axes: in a uniform direction, the signs are fair coins.
    """
    d = len(noise)
    length, again = float(np.linalg.norm(noise)), float(np.linalg.norm(other))
    places = [Place(float(special.gammainc(d, one * rate))) for one in (length, again)]
    if min(length, again) <= 1e-6 * weights:  # too short for its direction to be seen
        return places
    places.append(Place(same_side(noise, other, rng)))
    if d == 1:
        return places
    along = noise[rng.integers(d)] if rng.random() < 0.5 else noise.sum() / math.sqrt(d)
    # Of a uniform direction, the square of its part along any axis is Beta(1/2, (d − 1)/2).
    return [*places, Place(float(special.betainc(0.5, (d - 1) / 2, min((along / length) ** 2, 1.0))))]


_REPLACED = Guarantee(1.0, neighbours=Neighbours.REPLACE_ONE)

PERTURB: tuple[Case, ...] = (
    Returns(_model, what="array", shape=lambda weights, *_: weights.shape),
    around,
    _exact_labels,
    *(
        Audited(
            _moved_model,
            _REPLACED,
            runs=2500,
            call=_nearer(order),
            diagnose=_name_noise,
            hint="One record moves the minimiser by up to 2/(nλ) in L2. Is that in the length of the noise?",
            key="too-little-noise",
        )
        for order in (1, 2)
    ),
    _density,
    _few_weights,
    _everywhere,
)
