"""Outputs of mechanisms whose ε is known, for exercise 11.2: of many shapes, so that no formula is true of them all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

Outputs = tuple[np.ndarray, np.ndarray]


def laplace(rng: Generator, epsilon: float, runs: int) -> Outputs:
    """Laplace noise around two numbers, of which either may be the larger."""
    place, width = _anywhere(rng)
    first, second = rng.laplace(size=(2, runs)) / epsilon + np.array([[0.0], [1.0]])
    return turned((place + width * first, place + width * second), upwards=rng.random() < 0.5)


def turned(outputs: Outputs, *, upwards: bool) -> Outputs:
    """The same, mirrored if it takes that for the first to lie above the second."""
    first, second = outputs
    return outputs if (first.mean() > second.mean()) == upwards else (-first, -second)


def coins(rng: Generator, epsilon: float, runs: int) -> Outputs:
    """Randomized response with two answers, which may be any two numbers."""
    true, (low, high) = rng.random((2, runs)) < 1 / (1 + np.exp(-epsilon)), rng.normal(scale=5, size=2)
    return np.where(true[0], low, high), np.where(true[1], high, low)


def answers(rng: Generator, epsilon: float, runs: int) -> Outputs:
    """Randomized response with three to eight answers, which may be any numbers."""
    many = int(rng.integers(3, 9))
    lies = rng.random((2, runs)) > 1 / (1 + (many - 1) * np.exp(-epsilon))
    told = (np.array([[0], [1]]) + lies * rng.integers(1, many, (2, runs))) % many
    values = rng.normal(scale=5, size=many)
    return values[told[0]], values[told[1]]


def spreads(rng: Generator, epsilon: float, runs: int) -> Outputs:
    """Both sides lie around the same middle, near it or far from it by a coin: only their spread differs.

    Near and far are intervals on both sides of the middle, or numbers.
    """
    far = rng.random((2, runs)) < 1 / (1 + np.exp(-epsilon))
    far[int(rng.integers(2))] ^= True
    place, width = _anywhere(rng)
    inside, wider = rng.random((2, runs)) * (rng.random() < 0.7), np.exp(rng.normal())
    away = np.where(far, 1 + inside * wider, inside)
    both = place + width * away * rng.choice([-1.0, 1.0], (2, runs))
    return both[0], both[1]


LEAKING: tuple[Callable[[Generator, float, int], Outputs], ...] = (laplace, coins, answers, spreads)


def smooth(rng: Generator, runs: int) -> Outputs:
    """A mechanism that does not look at its data: normal or Laplace noise, anywhere."""
    draw = rng.normal if rng.random() < 0.5 else rng.laplace
    return _twice(rng, runs, draw(size=2 * runs))


def hilly(rng: Generator, runs: int) -> Outputs:
    """The same with two hills of the same height, between which the median jumps, or with heavy tails."""
    if rng.random() < 0.5:
        return _twice(rng, runs, rng.standard_t(rng.uniform(0.5, 2), 2 * runs))
    return _twice(rng, runs, rng.normal(size=2 * runs) + rng.uniform(3, 20) * rng.choice([-1.0, 1.0], 2 * runs))


def stepped(rng: Generator, runs: int) -> Outputs:
    """The same with a few numbers, half of the outputs at the lowest or the highest: the median jumps."""
    others = rng.uniform(3, 20) + np.arange(int(rng.integers(2, 6))) * rng.uniform(0.01, 1)
    told = rng.choice(others, 2 * runs) * (rng.random(2 * runs) < 0.5)
    return _twice(rng, runs, told * rng.choice([-1.0, 1.0]))


CALLED = {
    laplace: "Laplace noise",
    coins: "randomized response",
    answers: "randomized response with three answers or more",
    spreads: "outputs whose spread alone depends on the data",
    smooth: "outputs of one hill that ignore the data",
    hilly: "outputs of two hills, or of heavy tails, that ignore the data",
    stepped: "outputs of only a few different values, which ignore the data",
}


def in_whole_numbers(outputs: Outputs) -> Outputs:
    """The same to a twentieth of their spread, as counts would be: which is post-processing."""
    both = np.concatenate(outputs)
    step = max(float(both.std()), 1e-9) / 20
    return np.rint(outputs[0] / step), np.rint(outputs[1] / step)


def _anywhere(rng: Generator) -> tuple[float, float]:
    return float(rng.normal(scale=5)), float(np.exp(rng.normal()))


def _twice(rng: Generator, runs: int, drawn: np.ndarray) -> Outputs:
    place, width = _anywhere(rng)
    return place + width * drawn[:runs], place + width * drawn[runs:]
