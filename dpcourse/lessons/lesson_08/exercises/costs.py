"""Exercise 08.5: what a training run costs, by what it really clips."""

from __future__ import annotations

import math
from collections.abc import Callable

from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole

Run = tuple[int, int, int, int, int, float, float]


def _sensitivity(microbatch: int, arrays: int) -> float:
    """Of the sum of clipped microbatches, in units of C: each array of one microbatch moves by C, or by 2C where others
    are in it."""
    return (2 if microbatch > 1 else 1) * math.sqrt(arrays)


def _run(rng: Generator, microbatch: int, arrays: int) -> Run:
    batch = whole(rng, 8, 1000)
    n, epochs = batch * int(rng.integers(30, 120)), int(rng.integers(2, 9))
    sigma = float(rng.uniform(0.9, 2.2)) * _sensitivity(microbatch, arrays)
    return microbatch, arrays, batch, n, epochs, sigma, between(rng, 1e-7, 1e-4)


def _runs(rng: Generator) -> Run:
    """Of microbatches of several examples, and of several arrays."""
    return _run(rng, int(rng.integers(3, 9)), int(rng.integers(2, 6)))


def _by_example(rng: Generator) -> Run:
    return _run(rng, 1, int(rng.integers(1, 6)))


def _any_run(rng: Generator, least: int = 8) -> Run:
    """Never so cheap that the grid of an accountant shows in its ε."""
    batch, batches = whole(rng, least, 20_000), whole(rng, int(rng.choice([2, 120])), 400)
    epochs = whole(rng, int(rng.choice([1, 9])), min(100, 20_000 // batches))
    microbatch, arrays = 1 if rng.random() < 0.3 else whole(rng, 2, 64), 1 if rng.random() < 0.3 else whole(rng, 2, 100)
    sigma = between(rng, *((0.5, 2.5) if rng.random() < 0.5 else (2.5, 5.0))) * _sensitivity(microbatch, arrays)
    return microbatch, arrays, batch, batch * batches, epochs, sigma, between(rng, 1e-8, 1e-5)


def _all_at_once(rng: Generator) -> Run:
    """Every batch holds everybody, or half of them; of one example on, and of fewer than a microbatch may have."""
    batch, arrays = whole(rng, 1, 60), whole(rng, 1, 20)
    microbatch = whole(rng, 2, 64) if rng.random() < 0.7 else 1
    n, sigma = batch * int(rng.choice([1, 1, 2])), float(rng.uniform(0.5, 2.0)) * _sensitivity(microbatch, arrays)
    return microbatch, arrays, batch, n, whole(rng, 1, 8), sigma, between(rng, 1e-8, 1e-4)


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
    run = _runs(chance.rng)
    microbatch, arrays, batch, n, epochs, sigma, delta = run
    told, right = float(answer(*run)), _right(*run)
    if 0.999 * right <= told <= 1.05 * right:
        return None
    if told > right:
        what = f"microbatches of {microbatch}, {arrays} arrays, batches of {batch:,} of {n:,}, {epochs} epochs"
        seen = f"You say ε = {told:.4g}, and the run costs {right:.4g}: {what}, noise multiplier {sigma:.4g}, "
        seen += f"δ = {delta:.3g}. For the runs before you were right."
        return Diagnosis("wrong-value", seen, "What is different here, or what does your function remember?")
    return Diagnosis(
        "below-the-truth",
        f"You say ε = {told:.4g}, and the run costs {right:.4g}: your number is close, but too small, and a "
        "promise that is a little too good is not kept.",
        "Round up, never down.",
    )


def _with(moves: Callable[[int, int], float], price: Callable[..., float] = _priced) -> Callable[..., float]:
    """ε of the run, priced for a sum that one example moves by `moves` clip norms."""

    def epsilon(m: int, arrays: int, batch: int, n: int, epochs: int, sigma: float, delta: float) -> float:
        return price(batch / n, epochs * n // batch, sigma / moves(m, arrays), delta)

    return epsilon


def _steps(count: Callable[[int, int], float], sampled: bool = True) -> Callable[..., float]:
    """ε with another number of steps, from the epochs and the batches in one."""

    def epsilon(m: int, arrays: int, batch: int, n: int, epochs: int, sigma: float, delta: float) -> float:
        steps = int(count(epochs, n // batch))
        return _priced(batch / n if sampled else 1.0, steps, sigma / _sensitivity(m, arrays), delta)

    return epsilon


def _thumb(m: int, arrays: int, batch: int, n: int, epochs: int, sigma: float, delta: float) -> float:
    return batch / n * math.sqrt(2 * epochs * n / batch * math.log(1 / delta)) * _sensitivity(m, arrays) / sigma


_right = _with(_sensitivity)

COST = (
    Equals(
        _runs,
        _right,
        mistakes=(
            Mistake(
                "microbatch-as-example",
                _with(lambda m, arrays: math.sqrt(arrays)),
                "You price a microbatch of several examples as if each of them were clipped by itself.",
                "A microbatch whose sum is −C becomes C when one example joins. How far did it move?",
            ),
            Mistake(
                "arrays-forgotten",
                _with(lambda m, arrays: 2.0),
                "Your ε does not depend on the number of arrays. Each of them is clipped to C by itself.",
                "How long is a vector made of that many pieces of length C?",
            ),
            Mistake(
                "arrays-added-up",
                _with(lambda m, arrays: 2.0 * arrays),
                "You add up the lengths of the arrays. That is true, but too large.",
                "How long is a vector made of that many pieces of length C?",
            ),
            Mistake(
                "no-sensitivity",
                _with(lambda m, arrays: 1.0),
                "You price the run as if one example moved the sum by C.",
                "How far can one example move the sum of clipped microbatches, in how many arrays?",
            ),
            Mistake(
                "members-counted",
                _with(lambda m, arrays: m * math.sqrt(arrays)),
                "You multiply by the number of examples in a microbatch. One example moves one microbatch, which is no "
                "longer than C before and after.",
                "How far apart can two vectors of length C be?",
            ),
            Mistake(
                "epochs-for-steps",
                _steps(lambda epochs, batches: epochs),
                "You compose once an epoch. Every batch is a release.",
                "An epoch has n / batch size of them.",
            ),
            Mistake(
                "no-amplification",
                _steps(lambda epochs, batches: epochs * batches, sampled=False),
                "You count every step as if everybody were in every batch. That is a bound, but a loose one.",
                "With which probability is an example in a batch? PoissonSubsampled takes it.",
            ),
            Mistake(
                "renyi",
                _with(_sensitivity, _by_renyi),
                "That is the Rényi accountant's ε: a bound that holds, and not the tightest.",
                "Privacy-loss distributions are tighter: they are the accountant's default.",
            ),
            Mistake(
                "one-epoch",
                _steps(lambda epochs, batches: batches),
                "That is the cost of one epoch.",
                "Where do the epochs come in?",
            ),
            Mistake(
                "formula-not-a-bound",
                _thumb,
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
    Equals(
        _by_example,
        _right,
        mistakes=(
            Mistake(
                "example-as-microbatch",
                _with(lambda m, arrays: 2 * math.sqrt(arrays)),
                "With microbatches of one example you still count 2C for an array. That is true, but too large.",
                "What is the sum of a microbatch of one before its example joins?",
            ),
        ),
        rtol=0.02,
        times=3,
    ),
    Equals(_all_at_once, _right, rtol=0.02, times=8),
    _not_below,
)
