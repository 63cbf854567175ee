"""Questions asked of a composed loss in one direction, on a grid refined until the answer has settled.

Halving the spacing divides the error by four, so once an answer moves by 1e-3 it is wrong by a third of that: upwards,
because every grid gives an upper bound. No grid is made finer than min(1e-4, ε/5000), or than an eighth of the first
one where that is less: the first follows the deviation of one run, and many runs may each have a tiny one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from dpcourse.accounting.pld.grid import Composed, Cumulants, GridTooLarge, Parts, compose, on_natural_edges

Answer = TypeVar("Answer", float, np.ndarray)

_SETTLED = 1e-3
_FIRST_SPREAD = 2e-3  # variance that the first grid may add, relative to that of the composed loss
_FIRST_EDGES = 500
_GRIDS = 20
_REACH = 20.0  # of a tilted grid below its mean: e^−20 of a mass is far above the rounding of an FFT


def epsilon(parts: Parts, add: bool, delta: float) -> float:
    """The smallest ε ≥ 0 with δ(ε) ≤ delta in this direction; ∞ if there is none."""
    tail = max(1e-9 * delta / _runs(parts), 1e-300)
    cumulants = _cumulants(parts, add, tail)
    if cumulants.infinite > delta * (1 + 1e-9):
        return math.inf
    theta = cumulants.tilt_for_tail(-math.log(max(delta - cumulants.infinite, 1e-6 * delta)))
    while True:
        window = cumulants.window(theta)

        def ask(spacing: float, count: int, theta: float = theta, window: tuple = window) -> float:
            found = compose(parts, add, theta, window, spacing, count, tail).epsilon(delta)
            return max(found, 0.0) if found > -math.inf or window[0] <= 0 else found

        # Tilted all the way to the largest loss nothing varies any more; the grid need not follow.
        variance = max(cumulants.at(theta)[2], 1e-4 * cumulants.at(0.0)[2])
        answer = _refined(parts, variance, ask, lambda e: min(1e-4, e / 5000))
        if answer == -math.inf and (theta < 1e-12 or window[1] - window[0] <= 1e-9 * window[1]):
            return float(window[0])  # there is nowhere else to look, and δ is small enough here
        # Below the window, or so far below the tilted mean that the masses between are lost in the FFT's rounding.
        if theta < 1e-12 or (answer > -math.inf and theta * (cumulants.at(theta)[1] - answer) <= _REACH):
            return max(answer, 0.0)
        theta /= 2  # look further down


def delta(parts: Parts, add: bool, epsilons: np.ndarray) -> np.ndarray:
    """δ(ε) in this direction for increasing ε, one window of losses after another."""
    answers = np.zeros(epsilons.size)
    rough = _cumulants(parts, add, 1e-290)
    first = 0
    while first < epsilons.size:
        smallest = float(epsilons[first])
        if smallest >= rough.high:  # only what is infinite lies above
            answers[first:] = _infinite(parts, add)
            break
        theta = rough.tilt_for_mean(smallest)
        depth = rough.at(theta)[0] - theta * smallest
        tail = max(1e-9 * math.exp(max(depth, -650.0)) / _runs(parts), 1e-300)
        cumulants = _cumulants(parts, add, tail)
        _, mean, variance = cumulants.at(theta)
        # Beyond four deviations of the tilted loss the next window takes over.
        last = int(np.searchsorted(epsilons, max(mean, smallest) + 4 * math.sqrt(variance), side="right"))
        here = epsilons[first : max(last, first + 1)]
        low, high = cumulants.window(theta)
        window = min(low, smallest), max(high, min(float(here[-1]), cumulants.high))

        def ask(spacing, count, theta=theta, window=window, tail=tail, here=here) -> np.ndarray:
            return compose(parts, add, theta, window, spacing, count, tail).delta(here)

        def finest(_: np.ndarray, smallest=smallest) -> float:
            return min(1e-4, smallest / 5000)

        factor = max(1.0, theta * smallest)  # as exact as 1e-3 of ε would be
        answers[first : first + here.size] = _refined(parts, variance, ask, finest, factor)
        first += here.size
    return answers


def true_positive_rate(parts: Parts, add: bool, fpr: np.ndarray) -> np.ndarray:
    """The best test's power at these false-positive rates in this direction, from P and Q on one grid."""
    tail = max(1e-9 * float(fpr[fpr > 0].min(initial=1.0)) / _runs(parts), 1e-30)
    cumulants = _cumulants(parts, add, tail)
    # With B = ln ∫√(PQ), Chernoff gives 1 − power ≤ e^(2B)/fpr: where that is next to nothing, 1 is the answer.
    if 2 * cumulants.at(-0.5)[0] - math.log(float(fpr[fpr > 0].min(initial=1.0))) < math.log(1e-7):
        return np.where(fpr > 0, 1.0, _infinite(parts, add))
    # Untilted losses are those under P, losses tilted by −1 those under Q.
    window = cumulants.window(-1.0)[0], cumulants.window(0.0)[1]

    def ask(spacing: float, count: int) -> np.ndarray:
        under_p, under_q = (compose(parts, add, theta, window, spacing, count, tail) for theta in (0.0, -1.0))
        return _best_power(under_p, under_q, fpr)

    variance = min(cumulants.at(0.0)[2], cumulants.at(-1.0)[2])
    return _refined(parts, variance, ask, lambda _: 1e-5)


def _best_power(under_p: Composed, under_q: Composed, fpr: np.ndarray) -> np.ndarray:
    """min over l of e^l·fpr + (P[S > l] − e^l·Q[S > l]), attained where Q[S > l] passes fpr (Neyman–Pearson)."""
    loss = under_p.loss
    # Each law is taken from the transform in which it is large: P above 0, Q below.
    above = loss >= 0
    mass = np.where(above, under_p.tilted * math.exp(under_p.log_scale), under_q.tilted * math.exp(under_q.log_scale))
    factor = np.exp(-np.minimum(np.abs(loss), 700.0))
    p, q = mass * np.where(above, 1.0, factor), mass * np.where(above, factor, 1.0)
    above_p, above_q = (np.append(np.cumsum(m[::-1])[::-1][1:], 0.0) for m in (p, q))
    at = np.searchsorted(-above_q, -fpr, side="left")  # the first loss with Q[S > l] ≤ fpr
    at = np.minimum(at, loss.size - 1)
    slope = np.exp(np.minimum(loss[at], 700.0))
    power = above_p[at] + under_p.beyond + slope * np.maximum(fpr - above_q[at], 0.0)
    return np.clip(power, fpr, 1.0)


def _runs(parts: Parts) -> int:
    return sum(times for _, times in parts)


def _cumulants(parts: Parts, add: bool, tail: float) -> Cumulants:
    return Cumulants([(on_natural_edges(pair, add, _FIRST_EDGES, tail), times) for pair, times in parts])


def _infinite(parts: Parts, add: bool) -> float:
    """The mass at an infinite loss, without what the grid's tails would add."""
    total = 0.0
    for pair, times in parts:
        far = np.array(-1e150 if add else 1e150)
        mass = float(pair.lower(far)[1] if add else pair.upper(far)[0])
        total += times * math.log1p(-min(mass, 1 - 1e-16))
    return abs(math.expm1(total))


def _refined(
    parts: Parts,
    variance: float,
    ask: Callable[[float, int], Answer],
    finest: Callable[[Answer], float],
    factor: float = 1.0,
) -> Answer:
    """ask(spacing, number of natural edges) on finer and finer grids, until the answer moves by 1e-3·factor or less.

    `GridTooLarge` where no grid fits.
    """
    steps = [pair.step for pair, _ in parts if pair.step is not None]
    step = min(steps) if steps else None
    exact = all(pair.lattice for pair, _ in parts)
    exact = exact and all(abs(other / min(steps) - round(other / min(steps))) < 1e-12 for other in steps)
    spacing = math.sqrt(6 * _FIRST_SPREAD * max(variance, 1e-30) / _runs(parts))
    count, previous, floor, first = _FIRST_EDGES, None, 0.0, spacing
    for _ in range(_GRIDS):
        spacing, last = max(spacing, floor), spacing <= floor
        snapped = _snap(spacing, step, exact)
        try:
            answer = ask(snapped, count)
        except GridTooLarge:
            if previous is not None:
                break  # what was found is an upper bound all the same
            spacing *= 8
            continue
        if last or not np.all(np.isfinite(answer)) or (exact and snapped == step):
            return answer
        if previous is None:
            first = spacing
        elif np.all(np.abs(previous - answer) <= _SETTLED * factor * answer + 1e-300):
            return answer
        previous, floor = answer, min(finest(answer), first / 8)
        spacing, count = spacing / 2, count * 2
    if previous is None:
        raise GridTooLarge(f"the composition of {_runs(parts)} runs fits no grid")
    return previous


def _snap(spacing: float, step: float | None, exact: bool) -> float:
    """A spacing near this one on which the atoms fall; where there are only atoms none finer than theirs is needed."""
    if step is None:
        return spacing
    if spacing < step:
        return step if exact else step / math.ceil(step / spacing)
    return step * math.floor(spacing / step) if exact else spacing
