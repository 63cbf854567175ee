"""Exercise 08.5: what a training run costs."""

from __future__ import annotations

import math

from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole


def _runs(rng: Generator) -> tuple[float, int, int, int, float, float]:
    batch = whole(rng, 8, 1000)
    n, epochs = batch * int(rng.integers(30, 120)), int(rng.integers(2, 9))
    return float(rng.uniform(1.5, 4)), batch, n, epochs, float(rng.uniform(0.9, 2.2)), between(rng, 1e-7, 1e-4)


def _any_run(rng: Generator, least: int = 8) -> tuple[float, int, int, int, float, float]:
    """Never so cheap that the grid of an accountant shows in its ε."""
    batch, batches = whole(rng, least, 20_000), whole(rng, int(rng.choice([2, 120])), 400)
    epochs = whole(rng, int(rng.choice([1, 9])), min(100, 20_000 // batches))
    sigma = between(rng, *((0.5, 2.5) if rng.random() < 0.5 else (2.5, 5.0)))
    return between(rng, 0.1, 10.0), batch, batch * batches, epochs, sigma, between(rng, 1e-8, 1e-5)


def _priced(rate: float, steps: int, sigma: float, delta: float) -> float:
    from dpcourse.accounting import PrivacyLoss

    loss = PrivacyLoss.gaussian(sigma)
    return (loss if rate == 1 else loss.poisson_subsampled(rate)).self_compose(steps).epsilon(delta)


def _by_renyi(rate: float, steps: int, sigma: float, delta: float) -> float:
    from dpcourse.accounting import PrivacyAccountant
    from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled

    step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(sigma), rate)
    return PrivacyAccountant().compose(step, times=steps).epsilon(delta, "rdp")


def _not_below(answer: Answer, chance: Chance) -> Diagnosis | None:
    """2% above the tightest ε is a bound. 2% below is a false promise; 0.1% is left for the grid of an accountant."""
    C, batch, n, epochs, sigma, delta = _runs(chance.rng)
    told, right = (
        float(answer(C, batch, n, epochs, sigma, delta)),
        _priced(batch / n, epochs * n // batch, sigma, delta),
    )
    if 0.999 * right <= told <= 1.05 * right:
        return None
    if told > right:
        seen = f"You say ε = {told:.4g}, and the run costs {right:.4g}: C = {C:.3g}, batches of {batch:,} of {n:,}, "
        seen += f"{epochs} epochs, noise multiplier {sigma:.4g}, δ = {delta:.3g}. For the runs before you were right."
        return Diagnosis("wrong-value", seen, "What is different here, or what does your function remember?")
    return Diagnosis(
        "below-the-truth",
        f"You say ε = {told:.4g}, and the run costs {right:.4g}: your number is close, but too small, and a "
        "promise that is a little too good is not kept.",
        "Round up, never down.",
    )


def _right(_: float, batch: int, n: int, epochs: int, sigma: float, delta: float) -> float:
    return _priced(batch / n, epochs * n // batch, sigma, delta)


COST = (
    Equals(
        _runs,
        _right,
        mistakes=(
            Mistake(
                "clip-in-epsilon",
                lambda C, batch, n, epochs, sigma, delta: _priced(batch / n, epochs * n // batch, sigma / C, delta),
                "Your ε depends on C. The noise multiplier is already in units of C: noise σC hides a change of C, "
                "whatever C is.",
                "The mechanism has sensitivity 1 and noise σ, or sensitivity C and noise σC: not a mixture.",
            ),
            Mistake(
                "clip-in-epsilon",
                lambda C, batch, n, epochs, sigma, delta: _priced(batch / n, epochs * n // batch, sigma * C, delta),
                "Your ε depends on C. The noise multiplier is already in units of C: noise σC hides a change of C, "
                "whatever C is.",
                "The mechanism has sensitivity 1 and noise σ, or sensitivity C and noise σC: not a mixture.",
            ),
            Mistake(
                "epochs-for-steps",
                lambda C, batch, n, epochs, sigma, delta: _priced(batch / n, epochs, sigma, delta),
                "You compose once an epoch. Every batch is a release.",
                "An epoch has n / batch size of them.",
            ),
            Mistake(
                "no-amplification",
                lambda C, batch, n, epochs, sigma, delta: _priced(1.0, epochs * n // batch, sigma, delta),
                "You count every step as if everybody were in every batch. That is a bound, but a loose one.",
                "With which probability is an example in a batch? PoissonSubsampled takes it.",
            ),
            Mistake(
                "renyi",
                lambda C, batch, n, epochs, sigma, delta: _by_renyi(batch / n, epochs * n // batch, sigma, delta),
                "That is the Rényi accountant's ε: a bound that holds, and not the tightest.",
                "Privacy-loss distributions are tighter: they are the accountant's default.",
            ),
            Mistake(
                "one-epoch",
                lambda C, batch, n, epochs, sigma, delta: _priced(batch / n, n // batch, sigma, delta),
                "That is the cost of one epoch.",
                "Where do the epochs come in?",
            ),
            Mistake(
                "formula-not-a-bound",
                lambda C, batch, n, epochs, sigma, delta: (
                    batch / n * math.sqrt(2 * epochs * n / batch * math.log(1 / delta)) / sigma
                ),
                "q√(2T ln(1/δ))/σ is a rule of thumb and no bound: sometimes too small, sometimes too large.",
                "Let an accountant compose the steps.",
            ),
        ),
        rtol=0.02,
        times=3,
        wide=_any_run,
        wide_times=5,
        full=lambda rng: _any_run(rng, 2000),
    ),
    _not_below,
)
