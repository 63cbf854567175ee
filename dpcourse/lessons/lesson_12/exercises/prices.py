"""Exercises 12.4 and 12.5: what rounds cost a record, and how much noise each client has to add."""

from __future__ import annotations

import math

from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake, Returns
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole

# 12.4 What ten rounds cost a wafer


def _training(rng: Generator) -> tuple[float, int, int, int, int, float]:
    batch = whole(rng, 4, 300)
    size = batch * int(rng.integers(15, 40))
    epochs, rounds = int(rng.integers(2, 6)), int(rng.integers(5, 16))
    sigma = float(rng.uniform(0.6, 0.8) if rng.random() < 0.7 else rng.uniform(1.0, 3.0))
    return sigma, batch, size, epochs, rounds, between(rng, 1e-7, 1e-4)


def _any_training(rng: Generator, least: int = 1) -> tuple[float, int, int, int, int, float]:
    """Never so cheap that the grid of an accountant shows in its ε."""
    batch, batches, rounds = whole(rng, 4, 300), whole(rng, int(rng.choice([2, 40])), 400), whole(rng, least, 100)
    epochs = whole(rng, 1, max(20_000 // (batches * rounds), 1))
    sigma = between(rng, *((0.5, 2.5) if rng.random() < 0.5 else (2.5, 5.0)))
    return sigma, batch, batch * batches, epochs, rounds, between(rng, 1e-8, 1e-5)


def _few_steps(rng: Generator) -> tuple[float, int, int, int, int, float]:
    """Two to six steps in all: one more or less of them changes ε by more than the 2% that are allowed."""
    batch = whole(rng, 4, 300)
    size, rounds = batch * int(rng.integers(2, 4)), int(rng.integers(1, 3))
    return float(rng.uniform(0.8, 2.0)), batch, size, 1, rounds, between(rng, 1e-7, 1e-4)


def _all_at_once(rng: Generator) -> tuple[float, int, int, int, int, float]:
    """Every batch holds everybody, or half of them; of one wafer on."""
    batch = whole(rng, 1, 300)
    size, epochs, rounds = batch * int(rng.choice([1, 1, 2])), whole(rng, 1, 4), whole(rng, 1, 6)
    return float(rng.uniform(0.5, 2.0)), batch, size, epochs, rounds, between(rng, 1e-8, 1e-4)


def _priced(sigma: float, rate: float, steps: int, delta: float) -> float:
    from dpcourse.accounting import PrivacyLoss

    loss = PrivacyLoss.gaussian(sigma)
    return (loss if rate == 1 else loss.poisson_subsampled(rate)).self_compose(steps).epsilon(delta)


def _by_renyi(sigma: float, rate: float, steps: int, delta: float) -> float:
    from dpcourse.accounting import PrivacyAccountant
    from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled

    step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(sigma), rate)
    return PrivacyAccountant().compose(step, times=steps).epsilon(delta, method="rdp")


def _right(sigma: float, batch: int, size: int, epochs: int, rounds: int, delta: float) -> float:
    return _priced(sigma, batch / size, rounds * epochs * size // batch, delta)


def _costly(rng: Generator) -> tuple[float, int, int, int, int, float]:
    """So many rounds, with so little noise, that ε is above 25."""
    batch, rounds = whole(rng, 4, 300), whole(rng, 21, 100)
    return float(rng.uniform(0.5, 0.6)), batch, batch * int(rng.integers(15, 25)), 4, rounds, 1e-5


def _not_capped(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Two costs far above any cap for display, and a small one that shows that the answer is no constant."""
    sigma, batch, size, epochs, rounds, delta = _costly(chance.rng)
    what = [(sigma, batch, size, epochs, rounds, delta), (sigma - 0.05, batch, size, epochs, rounds + 1, delta)]
    small, (one, other) = answer(3.0, 50, 2000, 1, 1, 1e-5), (answer(*run) for run in what)
    if one != other or small == one:
        return None
    right = [_right(*run) for run in what]
    return Diagnosis(
        "capped",
        f"Two runs of {rounds} and {rounds + 1} rounds cost ε = {right[0]:.3g} and {right[1]:.3g}, and you give "
        f"{float(one):.3g} for both. A large ε is a poor promise. Neither a smaller number nor inf makes it a better "
        "one.",
        "Return what the accountant finds, whatever its size.",
    )


RECORD_COST = (
    Returns(lambda rng: (2.0, 50, 100, 1, 1, 1e-5), what="number", random=False),
    _not_capped,
    Equals(
        _training,
        _right,
        mistakes=(
            Mistake(
                "rounds-added-up",
                lambda s, b, n, e, r, d: r * _priced(s, b / n, e * n // b, d),
                "You add up what the rounds cost one by one. That is a bound for rδ, not for δ, and a loose one.",
                "Compose all steps of all rounds, and ask for ε once, at the end.",
            ),
            Mistake(
                "rounds-added-up",
                lambda s, b, n, e, r, d: r * _priced(s, b / n, e * n // b, d / r),
                "You add up what the rounds cost one by one, each at δ over the number of rounds. That is a bound, "
                "but a loose one.",
                "Compose all steps of all rounds, and ask for ε once, at the end.",
            ),
            Mistake(
                "one-round",
                lambda s, b, n, e, r, d: _priced(s, b / n, e * n // b, d),
                "That is the cost of one round. The same wafers are used in every round.",
                "How many steps are there in all?",
            ),
            Mistake(
                "a-step-a-round",
                lambda s, b, n, e, r, d: _priced(s, b / n, r, d),
                "You count a round as one step. A client takes many local steps in a round, and each one looks at "
                "its wafers.",
                "How many steps has a local epoch?",
            ),
            Mistake(
                "a-step-an-epoch",
                lambda s, b, n, e, r, d: _priced(s, b / n, r * e, d),
                "You count an epoch as one step. Every batch is one.",
                "An epoch has dataset_size / batch_size steps.",
            ),
            Mistake(
                "no-amplification",
                lambda s, b, n, e, r, d: _priced(s, 1.0, r * e * n // b, d),
                "You count every step as if it used all wafers. That is a bound, but a loose one.",
                "With which probability is a wafer in a batch?",
            ),
            Mistake(
                "renyi",
                lambda s, b, n, e, r, d: _by_renyi(s, b / n, r * e * n // b, d),
                "That holds, but it is the bound by Rényi divergences, which is some percent too large here.",
                "Compose privacy-loss distributions (lesson 05).",
            ),
            Mistake(
                "formula-not-a-bound",
                lambda s, b, n, e, r, d: b / n * math.sqrt(2 * r * e * n / b * math.log(1 / d)) / s,
                "q√(2T ln(1/δ))/σ is a rule of thumb and no bound: sometimes too small, sometimes too large.",
                "Let an accountant compose the steps.",
            ),
        ),
        rtol=0.02,
        times=3,
        wide=_any_training,
        wide_times=5,
        full=lambda rng: _any_training(rng, 20),
    ),
    Equals(
        _few_steps,
        _right,
        mistakes=(
            Mistake(
                "one-step-short",
                lambda s, b, n, e, r, d: _priced(s, b / n, r * e * n // b - 1, d),
                "You count one step too few. Among hundreds of steps it does not show, among a handful it does.",
                "rounds · epochs · dataset_size / batch_size, and the last one counts.",
            ),
            Mistake(
                "one-step-more",
                lambda s, b, n, e, r, d: _priced(s, b / n, r * e * n // b + 1, d),
                "You count one step too many. Among hundreds of steps it does not show, among a handful it does.",
                "rounds · epochs · dataset_size / batch_size: batch_size divides dataset_size.",
            ),
        ),
        rtol=0.02,
        times=3,
    ),
    Equals(_all_at_once, _right, rtol=0.02, times=6),
    Equals(_costly, _right, rtol=0.02, times=1),
)


# 12.5 Everybody's share of the noise


def _any_crowd(rng: Generator) -> tuple[float, float, int, int]:
    n = whole(rng, 1, 10**6)
    return between(rng, 1e-3, 1e3), between(rng, 0.01, 100.0), n, int(rng.integers(n))


def _crowd(rng: Generator) -> tuple[float, float, int, int]:
    n = int(rng.integers(20, 200))
    return float(rng.uniform(0.2, 3)), float(rng.uniform(0.5, 4)), n, int(rng.integers(n // 5, n // 2))


NOISE_SHARE = (
    Returns(_crowd, what="number", random=False),
    Equals(
        _crowd,
        lambda C, z, n, gone: z * C / math.sqrt(n - gone),
        wide=_any_crowd,
        mistakes=(
            Mistake(
                "dropouts-forgotten",
                lambda C, z, n, gone: z * C / math.sqrt(n),
                "With everybody there it is enough. But who drops out takes the noise along, and the sum of those "
                "who stay has less than zC.",
                "Count on those who stay in the worst case.",
            ),
            Mistake(
                "deviations-added",
                lambda C, z, n, gone: z * C / n,
                "Deviations do not add up, variances do: n times zC/n is a deviation of zC/√n on the sum, √n times "
                "too little.",
                "Which variance must each of them have?",
            ),
            Mistake(
                "deviations-added",
                lambda C, z, n, gone: z * C / (n - gone),
                "Deviations do not add up, variances do: m times zC/m, from the m who stay, is a deviation of zC/√m on "
                "the sum, √m times too little.",
                "Which variance must each of them have?",
            ),
            Mistake(
                "local-noise",
                lambda C, z, n, gone: z * C,
                "Every client alone adds what the sum needs: that is local privacy, with √n times the noise.",
                "The server is to see the sum only. How much must be in the sum?",
            ),
            Mistake(
                "noise-without-clip",
                lambda C, z, n, gone: z / math.sqrt(n - gone),
                "Your noise does not know the clip norm. A client moves the sum by C.",
                "The noise multiplier multiplies the sensitivity.",
            ),
            Mistake(
                "divided-by-the-gone",
                lambda C, z, n, gone: z * C / math.sqrt(gone),
                "You divide by those who are gone. The noise is with those who stay.",
                "At least n − most_dropouts of them add theirs.",
            ),
            Mistake(
                "variance",
                lambda C, z, n, gone: (z * C) ** 2 / (n - gone),
                "That is the variance.",
                "The deviation is its root.",
            ),
        ),
        times=3,
    ),
)
