"""Dominating pairs (P, Q): all that the accountant needs to know of one use of a mechanism.

A pair *dominates* a mechanism if no test tells its outputs on neighbouring datasets apart better than the best test
tells P from Q (Zhu, Dong & Wang 2022, arXiv:2106.08567). Each pair is given by exact tails of its privacy loss L =
ln(dP/dQ): `upper` is (P[L > l], Q[L > l]) and `lower` is (P[L ≤ l], Q[L ≤ l]). Both are stored because 1 − upper has no
correct digit left where the lower tail is small.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr, ndtri

Tails = tuple[np.ndarray, np.ndarray]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)


class Pair(Protocol):
    """What a dominating pair offers; all losses are natural logarithms."""

    @property
    def symmetric(self) -> bool:
        """(Q, P) has the same loss distribution as (P, Q)."""
        ...

    @property
    def atomic(self) -> bool:
        """Some single losses have positive probability."""
        ...

    @property
    def step(self) -> float | None:
        """The atoms are at multiples of this, if of any number."""
        ...

    @property
    def lattice(self) -> bool:
        """There is nothing but such atoms."""
        ...

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest loss."""
        ...

    def __hash__(self) -> int: ...

    def upper(self, loss: np.ndarray) -> Tails: ...

    def lower(self, loss: np.ndarray) -> Tails: ...

    def edges(self, count: int, tail: float) -> np.ndarray:
        """About `count` increasing losses where something happens, with all but `tail` of P and of Q between them."""
        ...


@dataclass(frozen=True)
class Gaussian:
    """N(μ, 1) against N(0, 1): the loss is N(μ²/2, μ²) under P (Dong, Roth & Su 2019, arXiv:1905.02383)."""

    mu: float
    symmetric: ClassVar[bool] = True
    atomic: ClassVar[bool] = False
    step: ClassVar[float | None] = None
    lattice: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    def upper(self, loss: np.ndarray) -> Tails:
        return ndtr(self.mu / 2 - loss / self.mu), ndtr(-self.mu / 2 - loss / self.mu)

    def lower(self, loss: np.ndarray) -> Tails:
        return ndtr(loss / self.mu - self.mu / 2), ndtr(loss / self.mu + self.mu / 2)

    def edges(self, count: int, tail: float) -> np.ndarray:
        reach = self.mu * (self.mu / 2 - ndtri(tail))
        return np.linspace(-reach, reach, count)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Φ(−a) − e^ε Φ(−a − μ) for a = ε/μ − μ/2 (Balle & Wang 2018, arXiv:1805.06530, theorem 8).

        Above μ=1 in logarithms, where nothing over- or underflows: ε − (a + μ)²/2 = −a²/2, so the second term is
        e^(−a²/2)·erfcx((a + μ)/√2)/2, whatever the size of ε. Below, the two terms may agree in all their digits, and
        the difference is φ(a) ∫ (1 − e^(−μt)) e^(−at − t²/2) dt over t > 0, whose integrand is positive.
        """
        with np.errstate(over="ignore"):
            a = np.minimum(np.asarray(epsilon / self.mu - self.mu / 2), 50.0)  # φ(50) is 0
        if self.mu > 1:
            first, second = log_ndtr(-a), np.log(erfcx((a + self.mu) / math.sqrt(2)) / 2) - a * a / 2
            return np.exp(first) * -np.expm1(np.minimum(second - first, 0.0))
        a = a[..., None]
        end = 78 / (a + np.sqrt(a * a + 78))  # beyond it lies e^−39 of the integral
        t = end * (_NODES + 1) / 2
        integral = end / 2 * (-np.expm1(-self.mu * t) * np.exp(-a * t - t * t / 2) @ _WEIGHTS)[..., None]
        return (np.exp(-a * a / 2) / math.sqrt(2 * math.pi) * integral)[..., 0]

    def at_twice_the_distance(self) -> Gaussian:
        return Gaussian(2 * self.mu)


@dataclass(frozen=True)
class Laplace:
    """Laplace noise of scale 1 around 0 against around `ratio` = sensitivity / scale."""

    ratio: float
    symmetric: ClassVar[bool] = True
    atomic: ClassVar[bool] = True
    lattice: ClassVar[bool] = False

    @property
    def step(self) -> float:
        return self.ratio

    @property
    def bounds(self) -> tuple[float, float]:
        return -self.ratio, self.ratio

    def upper(self, loss: np.ndarray) -> Tails:
        p, q = self._inner(loss)
        below, above = loss < -self.ratio, loss >= self.ratio
        return between(below, above, -np.expm1(p) / 2 + 0.5, np.exp(q) / 2)

    def lower(self, loss: np.ndarray) -> Tails:
        p, q = self._inner(loss)
        below, above = loss < -self.ratio, loss >= self.ratio
        return between(above, below, np.exp(p) / 2, -np.expm1(q) / 2 + 0.5)

    def _inner(self, loss: np.ndarray) -> Tails:
        inside = np.clip(loss, -self.ratio, self.ratio)
        return (inside - self.ratio) / 2, -(inside + self.ratio) / 2

    def edges(self, count: int, tail: float) -> np.ndarray:
        return np.linspace(-self.ratio, self.ratio, count)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """1 − e^((ε − r)/2) up to the largest loss r."""
        return -np.expm1(np.minimum(epsilon - self.ratio, 0.0) / 2)

    def at_twice_the_distance(self) -> Laplace:
        return Laplace(2 * self.ratio)


@dataclass(frozen=True, repr=False)
class Finite:
    """Finitely many outputs, sorted by loss: `p` and `q` are their masses, `losses` may hold ±∞ at its ends."""

    losses: tuple[float, ...]
    p: tuple[float, ...]
    q: tuple[float, ...]
    atomic: ClassVar[bool] = True

    @classmethod
    def from_masses(cls, p: np.ndarray, q: np.ndarray) -> Finite:
        keep = (p > 0) | (q > 0)
        p, q = p[keep], q[keep]
        with np.errstate(divide="ignore", over="ignore"):
            # Of numbers less than twice as large as one another the difference is exact.
            loss = np.where((p < 2 * q) & (q < 2 * p), np.log1p((p - q) / q), np.log(p) - np.log(q))
        losses, where = np.unique(loss, return_inverse=True)
        summed = (np.bincount(where, weights).tolist() for weights in (p, q))
        return cls(tuple(losses.tolist()), *map(tuple, summed))

    def __repr__(self) -> str:
        low, high = self.bounds
        return f"Finite({len(self.losses)} losses from {low:.4g} to {high:.4g})"

    @functools.cached_property
    def _sums(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        p, q = np.array(self.p), np.array(self.q)
        above_p, above_q = (np.append(np.cumsum(m[::-1])[::-1], 0.0) for m in (p, q))
        below_p, below_q = (np.append(0.0, np.cumsum(m)) for m in (p, q))
        return np.array(self.losses), above_p, above_q, below_p, below_q

    @functools.cached_property
    def turned(self) -> Finite:
        """Q against P."""
        return Finite(tuple(-loss for loss in self.losses[::-1]), self.q[::-1], self.p[::-1])

    @functools.cached_property
    def _knots(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """The finite losses l; δ(l); Σ e^l·q at and above each; the mass at ∞. All sums of positive numbers."""
        losses, p, q = np.array(self.losses), np.array(self.p), np.array(self.q)
        infinite, finite = float(p[losses == math.inf].sum()), np.isfinite(losses)
        loss, mass = losses[finite], q[finite]
        above = np.exp(loss + np.log(np.cumsum(mass[::-1])[::-1]))
        falls = -np.expm1(-np.diff(loss)) * above[1:]
        return loss, infinite + np.append(np.cumsum(falls[::-1])[::-1], 0.0), above, infinite

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """δ(ε) = Σ p·(1 − e^(ε−l)) over the losses l > ε: δ at the first of them, and what lies before it."""
        loss, at_loss, above, infinite = self._knots
        if not loss.size:
            return np.full(np.shape(epsilon), infinite)
        at = np.searchsorted(loss, epsilon, side="right")
        first = np.minimum(at, loss.size - 1)
        before = -np.expm1(np.minimum(epsilon - loss[first], 0.0)) * above[first]
        return np.where(at < loss.size, at_loss[first] + before, infinite)

    @property
    def symmetric(self) -> bool:
        loss, p, q = np.array(self.losses), np.array(self.p), np.array(self.q)
        return bool(np.allclose(loss, -loss[::-1], rtol=1e-13, atol=0) and np.allclose(p, q[::-1], rtol=1e-13, atol=0))

    @property
    def step(self) -> float | None:
        sizes = {abs(loss) for loss in self.losses if loss and math.isfinite(loss)}
        largest = max(sizes, default=0.0)
        return largest if sizes and min(sizes) >= largest * (1 - 1e-13) else None

    @property
    def lattice(self) -> bool:
        return self.step is not None

    @property
    def bounds(self) -> tuple[float, float]:
        return self.losses[0], self.losses[-1]

    def upper(self, loss: np.ndarray) -> Tails:
        losses, p, q, _, _ = self._sums
        at = np.searchsorted(losses, loss, side="right")
        return p[at], q[at]

    def lower(self, loss: np.ndarray) -> Tails:
        losses, _, _, p, q = self._sums
        at = np.searchsorted(losses, loss, side="right")
        return p[at], q[at]

    def edges(self, count: int, tail: float) -> np.ndarray:
        losses = np.array(self.losses)
        finite = losses[np.isfinite(losses)]
        return finite if finite.size else np.zeros(1)


@dataclass(frozen=True)
class Subsampled:
    """(1−rate)·Q + rate·P against Q: `base` run on a Poisson sample, add-remove neighbours.

    It dominates where (P, Q) dominates the base in both directions (Zhu, Dong & Wang 2022, arXiv:2106.08567).
    The mixture's loss is ln(1 − rate + rate·e^L), an increasing function of L, so its tails are those of the base.
    """

    base: Pair
    rate: float
    symmetric: ClassVar[bool] = False
    lattice: ClassVar[bool] = False
    step: ClassVar[float | None] = None

    @property
    def atomic(self) -> bool:
        return self.base.atomic

    @property
    def bounds(self) -> tuple[float, float]:
        low, high = self._outer(np.array(self.base.bounds))
        return float(low), float(high)

    def upper(self, loss: np.ndarray) -> Tails:
        p, q = self.base.upper(self._inner(loss))
        return (1 - self.rate) * q + self.rate * p, q

    def lower(self, loss: np.ndarray) -> Tails:
        p, q = self.base.lower(self._inner(loss))
        empty = loss < math.log1p(-self.rate)  # the mixture is nowhere below (1 − rate)·Q
        p, q = np.where(empty, 0.0, p), np.where(empty, 0.0, q)
        return (1 - self.rate) * q + self.rate * p, q

    def base_question(self, add: bool, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The f and ε′ for which δ(ε) is f·δ′(ε′), δ′ that of the base in the same direction, for ε ≥ 0.

        P′ − e^ε·Q with P′ = (1 − rate)·Q + rate·P is rate·(P − e^ε′·Q), and Q − e^ε·P′ is f·(Q − e^ε′·P) with
        f = 1 − (1 − rate)·e^ε, if that is positive.
        """
        if not add:
            return np.full(np.shape(epsilon), self.rate), self._inner(epsilon)
        share = -np.expm1(np.minimum(epsilon + math.log1p(-self.rate), 0.0))
        return share, np.minimum(-self._inner(-epsilon), 1e300)  # as far as a finite ε goes

    def _outer(self, loss: np.ndarray) -> np.ndarray:
        """ln(1 − rate + rate·e^loss)."""
        small = np.log1p(self.rate * np.expm1(np.minimum(loss, 30.0)))
        large = loss + math.log(self.rate) + np.log1p((1 / self.rate - 1) * np.exp(-np.maximum(loss, 30.0)))
        return np.where(loss < 30, small, large)

    def _inner(self, loss: np.ndarray) -> np.ndarray:
        """The inverse of `_outer`, −∞ where there is none."""
        ratio = np.expm1(np.minimum(loss, 30.0)) / self.rate
        with np.errstate(divide="ignore"):
            small = np.log1p(np.maximum(ratio, -1.0))
        large = loss - math.log(self.rate) + np.log1p(-(1 - self.rate) * np.exp(-np.maximum(loss, 30.0)))
        return np.where(loss < 30, small, large)

    def edges(self, count: int, tail: float) -> np.ndarray:
        return self._outer(self.base.edges(count, tail))


def between(low: np.ndarray, high: np.ndarray, p: np.ndarray, q: np.ndarray) -> Tails:
    """(p, q), but both 1 where `low` and both 0 where `high`."""
    return np.where(high, 0.0, np.where(low, 1.0, p)), np.where(high, 0.0, np.where(low, 1.0, q))
