"""Exercises 09.1 and 09.2: noise for a model, and where ε goes in objective perturbation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Case, Trial, Wrong
from dpcourse.checks.cases import Audited, Equals, Mistake, Returns
from dpcourse.privacy import Guarantee, Neighbours

# 09.1 Noise for a model


def _model(rng: Generator) -> tuple[np.ndarray, int, float, float]:
    """Weights, n, λ, ε: λ below 0.1 and ε away from 1, so that a forgotten one shows."""
    epsilon = float(rng.uniform(0.4, 0.7) if rng.random() < 0.5 else rng.uniform(1.6, 2.5))
    weights = rng.normal(size=int(rng.integers(9, 14)))
    return weights, int(rng.integers(100, 1000)), float(10 ** rng.uniform(-3, -1)), epsilon


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
    "laplace-coordinates": Wrong(
        "You add Laplace noise to every weight, with the L2 sensitivity as its scale. Laplace noise needs the L1 "
        "sensitivity, and a move of length Δ along a diagonal is Δ√d in L1.",
        "Draw one length, Gamma-distributed, and one direction for the whole vector.",
        "laplace-coordinates",
    ),
    "exponential-length": Wrong(
        "The length of your noise is exponential, as in one dimension. A sphere of radius r has surface ∝ r^(d−1), so "
        "that a density e^(−r/s) in space has a Gamma(d) length; yours piles up at the truth.",
        "Which shape does the Gamma distribution of the length have?",
        "exponential-length",
    ),
    "half-sensitivity": Wrong(
        "Your noise is half as long as it must be. Replacing a record takes one gradient of length 1 away and puts "
        "another in its place: 2/n, not 1/n.",
        "The sensitivity is 2/(nλ).",
        "half-sensitivity",
    ),
    "one-record-fewer": Wrong(
        "Your noise is longer than it needs to be, as if there were one record fewer: that is 2/((n − 1)λ).",
        "The average loss of n records is divided by n, with one of them replaced too.",
        "one-record-fewer",
    ),
    "no-lambda": Wrong(
        "Your noise does not depend on λ: that is the sensitivity of the gradient, 2/n, not of the minimiser.",
        "Divide by λ: it is what holds the minimiser back.",
        "no-lambda",
    ),
    "upside-down": Wrong(
        "Your noise grows with ε.", "More ε means less noise: the scale of the length is 2/(nλε).", "upside-down"
    ),
    "gaussian": Wrong(
        "Your noise is Gaussian, and no Gaussian noise gives a pure ε: its tails fall faster than e^(−ε‖b‖/Δ).",
        "The density asked for is ∝ exp(−nλε‖b‖₂/2): a Gamma length, a uniform direction.",
        "gaussian",
    ),
    "direction": Wrong(
        "The length of your noise is right, but its direction is not uniform: some directions are more likely.",
        "A vector of independent normal numbers, divided by its length, points everywhere alike.",
        "direction",
    ),
    "linked": Wrong(
        "Length and direction of your noise depend on each other: in some directions it is longer than in others.",
        "Draw the one without looking at the other.",
        "linked",
    ),
    "not-useful": Wrong(
        "Your noise has the right shape and is longer than it needs to be.",
        "The length has mean d · 2/(nλε). Is there a factor too many?",
        "not-useful",
    ),
}


def _noise(answer: Answer, rng: Generator, runs: int) -> tuple[np.ndarray, int, float, float]:
    """Noise vectors of an answer on one input, of shape (runs, d), with its n, λ and ε.

    Few records, so that n and n − 1 can be told apart.
    """
    weights, _, lam, epsilon = _model(rng)
    n = int(rng.integers(5, 9))
    drawn = [np.asarray(answer(weights.copy(), n, lam, epsilon, rng=rng), dtype=float) for _ in range(runs)]
    return np.array(drawn) - weights, n, lam, epsilon


def _density(answer: Answer, trial: Trial) -> Wrong | None:
    """Length and direction against their distributions, each by a Kolmogorov–Smirnov test."""
    noise, n, lam, epsilon = _noise(answer, trial.rng, 1500)
    d, level, scale = noise.shape[1], trial.failure / 2, 2 / (n * lam * epsilon)
    lengths = np.linalg.norm(noise, axis=1)
    if not lengths.all():
        return Wrong("Some of your noise is exactly zero.", "Where does it come in?", "no-noise")

    def fits(values: np.ndarray, distribution: Any) -> bool:
        return stats.kstest(values, distribution.cdf).pvalue > level

    # A uniform direction's coordinate, mapped to [0, 1]. One coordinate of many, drawn by row, sees a bias in any.
    one = noise[np.arange(len(noise)), trial.rng.integers(d, size=len(noise))] / lengths
    uniform = fits((1 + one) / 2, stats.beta((d - 1) / 2, (d - 1) / 2))
    if uniform and fits(lengths, stats.gamma(d, scale=scale)):
        ranks = [
            stats.spearmanr(lengths, f(noise[:, i] / lengths)).statistic for i in range(d) for f in (abs, np.array)
        ]
        # Without a link √(runs − 1) times a rank correlation is nearly standard normal.
        linked = max(map(abs, ranks)) * math.sqrt(len(lengths) - 1) > 1.1 * stats.norm.isf(level / (4 * d))
        return _NOISE_WRONG["linked"] if linked else None
    flat, mean = noise[:, 0], lengths.mean()
    specific = {
        "laplace-coordinates": (flat, stats.laplace(scale=scale)),
        "exponential-length": (lengths, stats.expon(scale=scale)),
        "half-sensitivity": (lengths, stats.gamma(d, scale=scale / 2)),
        "one-record-fewer": (lengths, stats.gamma(d, scale=scale * n / (n - 1))),
        "no-lambda": (lengths, stats.gamma(d, scale=scale * lam)),
        "upside-down": (lengths, stats.gamma(d, scale=scale * epsilon**2)),
        "direction": (lengths, stats.gamma(d, scale=scale)),
    }
    likely = {key: stats.kstest(values, wrong.cdf).pvalue for key, (values, wrong) in specific.items()}
    named = max(likely, key=lambda key: likely[key])
    if likely[named] > level:
        return _NOISE_WRONG[named]
    if mean > 1.1 * d * scale and fits(lengths, stats.gamma(d, scale=mean / d)):
        return _NOISE_WRONG["not-useful"]
    if fits(lengths, stats.chi(d, scale=np.sqrt((noise**2).mean()))):
        return _NOISE_WRONG["gaussian"]
    return Wrong(
        f"The length of your noise has mean {mean:.3g} where {d * scale:.3g} is right for d = {d}, and is "
        "not distributed as it should be.",
        "The density asked for is ∝ exp(−nλε‖b‖₂/2): a Gamma length, a uniform direction.",
        "wrong-distribution",
    )


def _name_noise(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    return _density(answer, trial)


_REPLACED = Guarantee(1.0, neighbours=Neighbours.REPLACE_ONE)

PERTURB: tuple[Case, ...] = (
    Returns(_model, what="array", shape=lambda weights, *_: weights.shape),
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
)

# 09.2 Where ε goes


def _objective(rng: Generator) -> tuple[float, int, float]:
    """ε, n, λ: either plenty of λ or far too little."""
    epsilon, n = float(rng.uniform(0.2, 3)), int(rng.integers(50, 5000))
    enough = 0.25 / (n * math.expm1(epsilon / 4))
    factor = rng.uniform(1.5, 20) if rng.random() < 0.5 else rng.uniform(0.1, 0.8)
    return epsilon, n, float(enough * factor)


def _share(epsilon: float, n: int, lam: float, *, c: float = 0.25, times: int = 2, least: float = 0.5) -> tuple:
    used = lam
    if epsilon - 2 * math.log1p(c / (n * lam)) < least * epsilon:
        used = c / (n * math.expm1(epsilon / 4))
    return used, epsilon - times * math.log1p(c / (n * used))


SHARE = (
    Equals(
        _objective,
        expected=_share,
        times=40,
        mistakes=(
            Mistake(
                lambda epsilon, n, lam: (lam, epsilon),
                Wrong(
                    "You spend all of ε on the noise. But w is a curved function of the noise, and its Jacobian "
                    "depends on the replaced record: that costs 2 ln(1 + c/(nλ)).",
                    "Take that part away first.",
                    "no-jacobian",
                ),
            ),
            Mistake(
                lambda epsilon, n, lam: _share(epsilon, n, lam, times=1),
                Wrong(
                    "You subtract ln(1 + c/(nλ)) once. The formula asked for, the paper's, takes it twice.",
                    "2 ln(1 + c/(nλ)).",
                    "once",
                ),
            ),
            Mistake(
                lambda epsilon, n, lam: (lam, epsilon - 2 * math.log1p(0.25 / (n * lam))),
                Wrong(
                    "Where λ is small you leave less than half of ε for the noise, or even a negative amount.",
                    "Raise λ until 2 ln(1 + c/(nλ)) = ε/2, and solve for λ.",
                    "never-raised",
                ),
            ),
            Mistake(
                lambda epsilon, n, lam: _share(epsilon, n, lam, least=0.0),
                Wrong(
                    "You raise λ only where nothing would be left of ε, as the paper does. That is private, but next "
                    "to that point nearly nothing is left, and the noise is enormous.",
                    "Raise λ as soon as less than ε/2 would be left.",
                    "raised-late",
                ),
            ),
            Mistake(
                lambda epsilon, n, lam: _share(epsilon, n, lam, c=1.0),
                Wrong(
                    "You take 1 for the bound on the curvature; the logistic loss has σ(t)(1 − σ(t)) ≤ 1/4.",
                    "c = 1/4.",
                    "curvature-one",
                ),
            ),
            Mistake(
                lambda epsilon, n, lam: _share(epsilon, 1, lam),
                Wrong(
                    "n is missing: the loss is an average, so that one record's curvature counts 1/n.",
                    "c/(nλ), not c/λ.",
                    "no-n",
                ),
            ),
        ),
    ),
)
