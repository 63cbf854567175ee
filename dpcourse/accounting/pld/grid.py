"""A composed privacy loss on a grid of losses: connect the dots, tilt, multiply Fourier transforms.

*Connect the dots* (Doroshenko et al. 2022, arXiv:2207.04380): the mass of P and of Q between two neighbouring grid
losses moves to these two, in the one way that keeps both masses. The pair on the grid dominates the pair it came from,
so every answer read off the grid is an upper bound, and with spacing h its error is of order h².

*Tilting*: a Fourier transform carries an absolute error of 1e-16 of the largest mass, which would swallow a δ of 1e-12.
So the masses are weighted with e^(θl) first, θ chosen so that the losses in question become the most likely ones, and
the weights are taken off again afterwards.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from dpcourse.accounting.pld.pairs import Pair

Parts = tuple[tuple[Pair, int], ...]


class GridTooLarge(ValueError):
    """More losses than fit a reasonable amount of memory."""


_ROUNDING = 2.0**-51  # of a mass, and of a sum of masses: what adds up over the runs is rounded upwards
_FAR = 32.0  # −ln of the tilted mass that may fall outside the window: 1e-14
_LARGEST_GRID = 2**22


@dataclass(frozen=True)
class Atoms:
    """A loss distribution with finitely many losses, natural logarithms of the masses, and a mass at infinity."""

    loss: np.ndarray
    log_mass: np.ndarray
    infinite: float


def connect_the_dots(pair: Pair, add: bool, edges: np.ndarray) -> Atoms:
    """The loss of `pair` (of the pair turned round if `add`) moved to `edges`, increasing, pessimistically."""
    upper_p, upper_q = pair.upper(edges)
    lower_p, lower_q = pair.lower(edges)
    p, q = _between_edges(upper_p, lower_p), _between_edges(upper_q, lower_q)
    if add:
        # Turned round, "at or below the first edge" is "at or above the last one". An atom on the edge itself is kept
        # apart: subtracted from what lies beyond, it would leave rounding errors at infinity.
        step = edges[1] - edges[0] if edges.size > 1 else 1.0
        top_q, top_p = (float(tail) for tail in pair.lower(edges[0] - 1e-9 * step))
        on_edge, bottom_p = lower_q[0] - top_p, upper_q[-1]
        edges, p, q = -edges[::-1], q[::-1], p[::-1]
    else:
        top_p, top_q, on_edge, bottom_p = upper_p[-1], upper_q[-1], 0.0, lower_p[0]
    # The part of a bin's mass p that goes right is (p − q·e^left)/(1 − e^−width); exp and log because q may be tiny.
    with np.errstate(divide="ignore", over="ignore"):
        ahead = p * (1 + _ROUNDING) - np.exp(edges[:-1] + np.log(q))
        at_top = min(top_p, math.exp(min(edges[-1] + math.log(top_q), 700.0))) if top_q > 0 else 0.0
    right = np.clip(ahead / -np.expm1(-np.diff(edges)), 0.0, p)
    mass = np.zeros(edges.size)
    mass[:-1] += p - right
    mass[1:] += right
    mass[0] += bottom_p
    mass[-1] += at_top + on_edge
    keep = mass > 0
    keep[0] |= not keep.any()  # all the mass may be infinite
    return Atoms(edges[keep], np.log(np.maximum(mass[keep], 1e-320)), float(top_p - at_top))


def _between_edges(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """The mass between neighbouring edges, from whichever tail is small there."""
    return np.maximum(np.where(upper[:-1] < lower[1:], upper[:-1] - upper[1:], lower[1:] - lower[:-1]), 0.0)


@functools.lru_cache(maxsize=256)
def on_natural_edges(pair: Pair, add: bool, count: int, tail: float) -> Atoms:
    """`pair` on its own natural edges: enough for its moments, not on any common grid."""
    return connect_the_dots(pair, add, np.unique(pair.edges(count, tail)))


@functools.lru_cache(maxsize=32)
def on_grid(pair: Pair, add: bool, spacing: float, count: int, tail: float) -> tuple[np.ndarray, Atoms]:
    """`pair` on multiples of `spacing` near its natural edges, with the multiples as integers."""
    scaled = pair.edges(count, tail) / spacing
    # An atom needs both its neighbours; where nothing is an atom the nearest multiple will do.
    inner = scaled if pair.atomic else scaled[[0, -1]]
    near = np.concatenate([np.floor(inner), np.ceil(inner), np.rint(scaled)])
    atoms = connect_the_dots(pair, add, spacing * np.unique(near))
    return np.rint(atoms.loss / spacing).astype(np.int64), atoms


class Cumulants:
    """K(θ) = ln E[e^(θS)] of the composed loss S (its finite part), and what follows from it."""

    def __init__(self, parts: list[tuple[Atoms, int]]) -> None:
        self.parts = parts
        finite = [times * math.log1p(-min(atoms.infinite, 1.0 - 1e-16)) for atoms, times in parts]
        self.infinite = -math.expm1(sum(finite))
        self.low = sum(times * atoms.loss[0] for atoms, times in parts)
        self.high = sum(times * atoms.loss[-1] for atoms, times in parts)

    def at(self, theta: float) -> tuple[float, float, float]:
        """(K, K′, K″): K′ and K″ are the mean and variance of S after tilting by θ."""
        total = mean = variance = 0.0
        for atoms, times in self.parts:
            exponent = atoms.log_mass + theta * atoms.loss
            top = exponent.max()
            weight = np.exp(exponent - top)
            mass = weight.sum()
            centre = weight @ atoms.loss / mass
            total += times * (top + math.log(mass))
            mean += times * centre
            variance += times * (weight @ (atoms.loss - centre) ** 2 / mass)
        return total, mean, variance

    def tilt_for_tail(self, depth: float) -> float:
        """The θ > 0 at which Chernoff's bound on P[S > s] is e^(−depth) for the s that is then the mean."""
        return self._solve(lambda theta, k, mean, variance: (theta * mean - k - depth, theta * variance))

    def tilt_for_mean(self, loss: float) -> float:
        """The θ ≥ 0 under which `loss` is the mean; 0 if it is below the mean already."""
        if loss <= self.at(0.0)[1]:
            return 0.0
        return self._solve(lambda theta, k, mean, variance: (mean - loss, variance))

    def _solve(self, target) -> float:
        """The zero of an increasing function of θ ≥ 0 given with its derivative: Newton, kept inside a bracket."""
        deviation = math.sqrt(max(self.at(0.0)[2], 1e-300))
        # Further tilting only sharpens what is a single loss already.
        low, high = 0.0, 60.0 / deviation
        theta, smallest = 4.0 / deviation, math.inf
        for _ in range(60):
            value, slope = target(theta, *self.at(theta))
            low, high = (theta, high) if value < 0 else (low, theta)
            step = theta - value / slope if slope > abs(value) * 1e-300 else math.inf
            # Around a bend Newton may hop to and fro for ever: it goes on only while it gets nearer.
            new = step if low < step < high and abs(value) < smallest else (low + high) / 2
            if abs(new - theta) <= 1e-3 * theta:
                return new
            theta, smallest = new, min(smallest, abs(value))
        return theta

    def window(self, theta: float) -> tuple[float, float]:
        """Losses between which all but about e^(−_FAR) of the tilted mass lies, by Chernoff's bound on both sides."""
        centre, mean, variance = self.at(theta)
        deviation = math.sqrt(variance) or 1.0
        low, high = self.low, self.high
        for step in np.geomspace(1 / 32, 32, 15) / deviation:
            high = min(high, (self.at(theta + step)[0] - centre + _FAR) / step)
            low = max(low, (centre - self.at(theta - step)[0] - _FAR) / step)
        return min(low, mean), max(high, mean)


@dataclass(frozen=True)
class Composed:
    """The composed loss on consecutive multiples of a spacing, in one direction, tilted by θ.

    ``log P[S = l] = log(tilted mass) + log_scale − θ·l``; `beyond` bounds the mass above the window and at infinity,
    `rounding` the error of that logarithm.
    """

    loss: np.ndarray
    tilted: np.ndarray
    theta: float
    log_scale: float
    beyond: float
    rounding: float

    @functools.cached_property
    def _suffixes(self) -> tuple[np.ndarray, np.ndarray, float]:
        """P and Q above each loss, in units of e^(log_scale − θ·origin) and of that times e^(−origin); the origin."""
        origin = float(self.loss[np.argmax(self.tilted)])
        away = self.loss - origin
        # Far above the origin Q vanishes (an upper bound still); far below it nothing is asked.
        masses = (self.tilted * np.exp(np.minimum(-tilt * away, 500.0)) for tilt in (self.theta, self.theta + 1))
        p, q = (np.append(np.cumsum(m[::-1])[::-1][1:], 0.0) for m in masses)
        return p, q, origin

    @property
    def _log_unit(self) -> float:
        """ln of the unit of P in `_suffixes`, not below the truth."""
        return self.log_scale + self.rounding - self.theta * self._suffixes[2]

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """δ(ε) = Σ_{l > ε} (1 − e^(ε−l)) P[S = l] + beyond, for ε inside the window."""
        p, q, origin = self._suffixes
        at = np.clip(np.searchsorted(self.loss, epsilon, side="right") - 1, 0, self.loss.size - 1)
        inside = np.maximum(p[at] - np.exp(np.minimum(epsilon - origin, 500.0)) * q[at], 0.0)
        with np.errstate(over="ignore"):
            return np.minimum(inside * np.exp(min(self._log_unit, 700.0)) + self.beyond, 1.0)

    def epsilon(self, delta: float) -> float:
        """The smallest ε with δ(ε) ≤ delta: ±∞ if that lies above or below the window."""
        if delta < self.beyond * (1 - 1e-9):
            return math.inf
        p, q, origin = self._suffixes
        spare = max(delta - self.beyond, 1e-9 * delta)
        goal = math.exp(min(math.log(spare) - self._log_unit, 700.0))
        at_grid = p - np.exp(np.minimum(self.loss - origin, 500.0)) * q  # decreasing
        at = int(np.searchsorted(-at_grid, -goal)) - 1  # the last grid loss whose δ is too large
        if at < 0:
            return -math.inf
        above = float(self.loss[min(at + 1, self.loss.size - 1)])
        if q[at] <= 0:  # δ is the same up to the next loss
            return above
        return min(origin + math.log(max(p[at] - goal, 1e-300)) - math.log(q[at]), above)


def compose(
    parts: Parts, add: bool, theta: float, window: tuple[float, float], spacing: float, count: int, tail: float
) -> Composed:
    """The composition of `parts`, each so many times, seen through a window of losses.

    ``spacing`` is that of the grid; ``count`` and ``tail`` say how closely and how far each pair is looked at.
    """
    start = math.floor(window[0] / spacing) - 4
    size = _fast_length(math.ceil(window[1] / spacing) + 4 - start + 1)
    product: np.ndarray | float = 1.0
    log_scale = log_finite = 0.0
    for pair, times in parts:
        index, atoms = on_grid(pair, add, spacing, count, tail)
        exponent = atoms.log_mass + theta * atoms.loss
        top = exponent.max()
        weight = np.exp(exponent - top)
        mass = weight.sum()
        log_scale += times * (top + math.log(mass))
        log_finite += times * math.log1p(-min(atoms.infinite, 1 - 1e-16))
        # Losses that leave the window wrap round; after tilting next to nothing of the sum is out there.
        product = product * _power(np.fft.rfft(np.bincount(index % size, weight / mass, size)), times)
    tilted = np.maximum(np.fft.irfft(product, size), 0.0)
    loss = spacing * np.arange(start, start + size)
    above = math.exp(min(log_scale - theta * loss[-1] - _FAR, 0.0)) if theta > 0 else math.exp(-_FAR)
    rounding = 2 * _ROUNDING * sum(times for _, times in parts)
    beyond = above - math.expm1(log_finite)
    return Composed(loss, np.roll(tilted, -(start % size)), theta, log_scale, beyond, rounding)


def _power(transform: np.ndarray, times: int) -> np.ndarray:
    """transform^times by squaring. Most frequencies vanish: they are left out."""
    if times == 1:
        return transform
    with np.errstate(divide="ignore"):
        kept = times * np.log(np.abs(transform)) > -50
    base, result = transform[kept], None
    while times:
        if times & 1:
            result = base if result is None else result * base
        times >>= 1
        if times:
            base = base * base
    power = np.zeros_like(transform)
    power[kept] = result
    return power


def _fast_length(size: int) -> int:
    """The next 2^a·{4, 5, 6}: lengths that a fast Fourier transform likes."""
    if size > _LARGEST_GRID:
        raise GridTooLarge(f"the composition needs a grid of {size} losses, more than {_LARGEST_GRID}")
    power = 1 << max((size - 1).bit_length() - 3, 3)
    return next(power * factor for factor in (4, 5, 6, 8) if power * factor >= size)
