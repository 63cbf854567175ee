"""`PrivacyLoss`: what any sequence of mechanisms leaks, and the questions (ε, δ, an attack's power) one asks of it."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpcourse.accounting.pld import exact, integers, pairs, refine, selection
from dpcourse.accounting.pld.pairs import Pair
from dpcourse.accounting.pld.replacing import replacing_one
from dpcourse.privacy import Guarantee, arguments

#: As often may one pair be used: a count is exact as a float.
MOST_RUNS = 2**53
#: The smallest δ > 0 that an ε is found for: next to it the tails left out still fit a float.
SMALLEST_DELTA = 1e-290


@dataclass(frozen=True)
class PrivacyLoss:
    """The privacy loss of a mechanism, or of several run on the same data, in both directions.

    Nothing is rounded or put on a grid until a question is asked, so composing is exact and free. ``remove`` compares P
    with Q for each of the dominating pairs, ``add`` compares Q with P; the two are composed apart and the worse one is
    the answer. One pair is answered exactly, up to the last digits of a float (the discrete Gaussian: to 1e-16 of δ),
    and so are Gaussians. Otherwise answers are upper bounds. An ε is at most about 1e-3 (relative) above the exact
    value, up to 3e-3 where 10,000 or more steps hit the finest grid; a δ is about as exact as moving ε by that much
    makes it: close to the largest loss, where δ falls steeply, it can be several times the exact value. Roundings take
    part in it, with some 1e-15 of ε and of δ a run: what is smaller than that cannot be told. Where the largest grid is
    too coarse for one run, as for 10^12 runs of ε=1e-8, the bound is a loose one and may be ∞.

    The relation between neighbouring datasets is that of the mechanism the loss was taken from.

    Parameters
    ----------
    parts : tuple of (pair, times)
        Dominating pairs and how often each is used. Use the constructors below instead.

    Examples
    --------
    >>> print(PrivacyLoss.gaussian(2.0).self_compose(4).epsilon(1e-5).__round__(6))
    4.377178
    >>> mixed = PrivacyLoss.laplace(1.0).self_compose(3).compose(PrivacyLoss.laplace(0.5).self_compose(2))
    >>> mixed.epsilon(0.0)
    4.0
    """

    parts: tuple[tuple[Pair, int], ...]

    # Constructors: one use of a mechanism

    @classmethod
    def identity(cls) -> PrivacyLoss:
        """The loss of a mechanism that does not look at the data."""
        return cls(())

    @classmethod
    def pure(cls, epsilon: float) -> PrivacyLoss:
        """The loss of randomized response, the worst that a pure `epsilon`-DP mechanism can have."""
        return cls.from_guarantee(Guarantee(epsilon))

    @classmethod
    def from_guarantee(cls, guarantee: Guarantee) -> PrivacyLoss:
        """The worst loss that an (ε, δ) claim allows (Kairouz, Oh & Viswanath 2017, arXiv:1311.0776)."""
        arguments.member("guarantee", guarantee, Guarantee)
        if guarantee.epsilon == 0 and guarantee.delta == 0:
            return cls.identity()
        if guarantee.epsilon > 700:  # e^ε is no longer a float: nothing is promised that one could tell apart from ∞
            return cls(((pairs.Finite((-math.inf, math.inf), (0.0, 1.0), (1.0, 0.0)), 1),))
        delta, rest = guarantee.delta, 1 - guarantee.delta
        truth, lie = rest / (1 + math.exp(-guarantee.epsilon)), rest / (1 + math.exp(guarantee.epsilon))
        losses: tuple[float, ...] = (-guarantee.epsilon, guarantee.epsilon)
        p: tuple[float, ...] = (lie, truth)
        if guarantee.epsilon == 0:
            losses, p = (0.0,), (rest,)
        if delta > 0:
            losses, p = (-math.inf, *losses, math.inf), (0.0, *p, delta)
        return cls(((pairs.Finite(losses, p, p[::-1]), 1),))

    @classmethod
    def bounded_range(cls, epsilon: float) -> PrivacyLoss:
        """The worst loss of a selection whose loss has range `epsilon`, as the exponential mechanism's has.

        δ(a) = (1 − e^((a−ε)/2))²/(1 − e^−ε), derived in `pld.selection.BoundedRange` (arXiv:1909.12830).

        Examples
        --------
        >>> one = PrivacyLoss.bounded_range(1.0)
        >>> one.epsilon(0.0), round(one.epsilon(0.01), 3), round(PrivacyLoss.pure(1.0).epsilon(0.01), 3)
        (1.0, 0.834, 0.986)
        """
        epsilon = arguments.positive("epsilon", epsilon)
        # As for a pure claim, nothing is promised where e^ε is no longer a float.
        return cls(((selection.BoundedRange(epsilon), 1),)) if epsilon <= 700 else cls.pure(epsilon)

    @classmethod
    def gaussian(cls, noise_multiplier: float) -> PrivacyLoss:
        """The loss of Gaussian noise with σ = `noise_multiplier` × the L2 sensitivity."""
        multiplier = arguments.positive("noise_multiplier", noise_multiplier, infinite=True)
        return cls.identity() if math.isinf(multiplier) else cls(((pairs.Gaussian(1 / multiplier), 1),))

    @classmethod
    def laplace(cls, ratio: float) -> PrivacyLoss:
        """The loss of (continuous) Laplace noise; `ratio` is the L1 sensitivity / the scale."""
        return cls(((pairs.Laplace(arguments.positive("ratio", ratio)), 1),))

    @classmethod
    def discrete_laplace(cls, sensitivity: int, scale: float | Fraction) -> PrivacyLoss:
        """The loss of integer noise P[x] ∝ exp(−|x|/scale) on an integer of this sensitivity (both in steps).

        For an integer vector of L1 sensitivity Δ it is the worst case too: shifts that add up to Δ in several
        coordinates are dominated by one shift of Δ.
        """
        steps = arguments.integer("sensitivity", sensitivity, minimum=1)
        return cls(((integers.DiscreteLaplace(steps, arguments.positive("scale", scale)), 1),))

    @classmethod
    def discrete_gaussian(cls, sensitivity: int, sigma: float | Fraction) -> PrivacyLoss:
        """The loss of integer noise P[x] ∝ exp(−x²/2σ²) on an integer of this sensitivity (both in steps)."""
        steps = arguments.integer("sensitivity", sensitivity, minimum=1)
        return cls(((integers.DiscreteGaussian(steps, arguments.positive("sigma", sigma)), 1),))

    @classmethod
    def from_masses(cls, p: np.ndarray, q: np.ndarray) -> PrivacyLoss:
        """The loss between two distributions on one finite set of outputs: 1-D masses `p` and `q`, each of sum 1.

        A sum may be off by 1e-9: what it lacks counts as an infinite loss, what it has beyond 1 is divided out.
        """
        masses, lacking = [], []
        for name, value in (("p", p), ("q", q)):
            array = arguments.finite_array(name, value)
            if array.ndim != 1 or (array < 0).any() or abs(array.sum() - 1) > 1e-9:
                raise ValueError(f"{name} must be a 1-D array of masses ≥ 0 that add up to 1, got {value!r}")
            total = math.fsum(array)
            whole = abs(total - 1) < 1e-14  # but for rounding
            masses.append(array if whole else array / max(total, 1.0))
            lacking.append(0.0 if whole else max(1 - total, 0.0))
        if masses[0].shape != masses[1].shape:
            raise ValueError(f"p and q must have the same length, got {masses[0].size} and {masses[1].size}")
        complete = np.append(masses[0], [lacking[0], 0.0]), np.append(masses[1], [0.0, lacking[1]])
        return cls(((pairs.Finite.from_masses(*complete), 1),))

    # Building larger losses

    def compose(self, other: PrivacyLoss) -> PrivacyLoss:
        """The loss of running both on the same data, the second chosen in advance."""
        arguments.member("other", other, PrivacyLoss)
        counts: dict[Pair, int] = {}
        variance = 0.0
        for pair, times in (*self.parts, *other.parts):
            if isinstance(pair, pairs.Gaussian):
                variance += times * pair.mu**2  # Gaussians add up exactly: μ² does
            else:
                counts[pair] = counts.get(pair, 0) + times
        if max(counts.values(), default=0) > MOST_RUNS:
            raise ValueError(f"one pair must be used at most {MOST_RUNS} times, got {max(counts.values())}")
        together = ((pairs.Gaussian(math.sqrt(variance)), 1),) if variance > 0 else ()
        return PrivacyLoss((*together, *counts.items()))

    def self_compose(self, times: int) -> PrivacyLoss:
        """The loss of `times` independent runs, at most 2^53 of one pair in all."""
        times = arguments.integer("times", times, minimum=0, maximum=MOST_RUNS)
        repeated = tuple((pair, times * count) for pair, count in self.parts) if times else ()
        return PrivacyLoss(repeated).compose(PrivacyLoss.identity())

    def poisson_subsampled(self, rate: float) -> PrivacyLoss:
        """The loss when each record enters the run with probability `rate`, independently. Add-remove neighbours only.

        Only a single run can be subsampled; subsample first and compose afterwards.
        """
        rate = arguments.probability("rate", rate)
        if sum(times for _, times in self.parts) > 1:
            raise ValueError(f"only the loss of one run can be subsampled, got {self}")
        if rate == 0 or not self.parts:
            return PrivacyLoss.identity()
        pair = self.parts[0][0]
        if isinstance(pair, pairs.Subsampled) and rate * pair.rate > 0:  # a sample of a sample
            rate, pair = rate * pair.rate, pair.base
        return self if rate == 1 else PrivacyLoss(((pairs.Subsampled(pair, rate), 1),))

    def replacing_one(self) -> PrivacyLoss:
        """What this loss between neighbours with and without one record says about replacing one.

        The power curve of each run is composed with itself. Exact for additive noise (twice the shift); never worse
        than (2ε, (1 + e^ε)δ) for a bare claim.
        """
        return PrivacyLoss(tuple((replacing_one(pair), times) for pair, times in self.parts))

    # Questions

    def epsilon(self, delta: float) -> float:
        """The smallest ε for which the runs together are (ε, δ)-DP; ∞ if there is none. δ is 0 or in [1e-290, 1]."""
        delta = arguments.probability("delta", delta)
        if 0 < delta < SMALLEST_DELTA:
            raise ValueError(f"delta must be 0 or at least {SMALLEST_DELTA:g}, got {delta!r}")
        if not self.parts or delta == 1:
            return 0.0
        if delta == 0:
            return max(sum(times * high for (_, high), times in self._bounds(add)) for add in self._directions)
        if self._single:
            return exact.smallest_epsilon(self.delta, delta)
        return max(refine.epsilon(self.parts, add, delta) for add in self._directions)

    def delta(self, epsilon: float | np.ndarray) -> float | np.ndarray:
        """The smallest δ for which the runs together are (ε, δ)-DP, for one `epsilon` ≥ 0 or an array of them."""
        epsilons = _array("epsilon", epsilon, 0.0, math.inf)
        order, answers = np.argsort(epsilons, axis=None), np.zeros(epsilons.size)
        if self.parts:
            ask = exact.delta if self._single else refine.delta
            for add in self._directions:
                finite = np.minimum(epsilons.ravel()[order], 1e300)
                answers[order] = np.maximum(answers[order], ask(self.parts, add, finite))
        return answers.reshape(epsilons.shape) if epsilons.ndim else float(answers[0])

    def true_positive_rate(self, fpr: float | np.ndarray) -> float | np.ndarray:
        """The power of the best attack: how often it says "in" of a member, if of a non-member at rate `fpr`.

        The worse of the two directions; a float for a number, else an array of the shape of `fpr`. For several runs an
        upper bound with an absolute error of 1e-14 or more: where less is possible, as at fpr=1e-16, it says nothing.
        """
        rates = _array("fpr", fpr, 0.0, 1.0)
        answers = rates.ravel().copy()
        if self.parts:
            ask = exact.true_positive_rate if self._single else refine.true_positive_rate
            for add in self._directions:
                answers = np.maximum(answers, ask(self.parts, add, rates.ravel()))
        return answers.reshape(rates.shape) if rates.ndim else float(answers[0])

    @property
    def _single(self) -> bool:
        return len(self.parts) == 1 and self.parts[0][1] == 1

    @property
    def _directions(self) -> tuple[bool, ...]:
        return (False,) if all(pair.symmetric for pair, _ in self.parts) else (False, True)

    def _bounds(self, add: bool) -> list[tuple[tuple[float, float], int]]:
        return [((-p.bounds[1], -p.bounds[0]) if add else p.bounds, times) for p, times in self.parts]

    def __str__(self) -> str:
        runs = (f"{times} × {pair}" if times > 1 else f"{pair}" for pair, times in self.parts)
        return "privacy loss of " + (" + ".join(runs) or "nothing")


def _array(name: str, value: float | np.ndarray, low: float, high: float) -> np.ndarray:
    array = np.asarray(arguments.real(name, value) if isinstance(value, numbers.Real | str | bool) else value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold real numbers, got {value!r}")
    array = array.astype(float)
    if not ((array >= low) & (array <= high)).all():
        raise ValueError(f"{name} must be in [{low:g}, {high:g}], got {value!r}")
    return array
