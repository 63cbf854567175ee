"""Capstone 3.5: a fleet that is watched: what it is asked and sends, and that nothing but noisy sums leaves it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcourse.checks.answered import HandedOver, heard
from dpcourse.checks.answers import Answer
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import fresh
from dpcourse.checks.plain import parts
from dpcourse.datasets.telemetry import WIDTH
from dpcourse.lessons.capstone_3.exercises.sums import Messages
from dpcourse.lessons.capstone_3.exercises.tools import people

MOST = 50  # rounds
WANTED = ("weights", "sums", "claim")
ITS_NOISE = "Which line uses a sum before its noise is in it?"


@dataclass
class Asked(HandedOver):
    """A fleet that remembers: the weights it was asked with, and what it sent."""

    send: Callable[[np.ndarray], Messages]
    keep: Callable[[int], bool] = lambda number: True
    weights: list[np.ndarray] = field(default_factory=list)
    sent: dict[int, Messages] = field(default_factory=dict)

    def __call__(self, weights: Any) -> Messages:
        weights = self.numbers(weights)
        if weights.shape != (WIDTH,) or not np.isfinite(weights).all():
            seen, ask = f"You ask the fleet with weights of shape {weights.shape}; ({WIDTH},) is wanted.", ""
            if weights.shape == (WIDTH,):
                seen, ask = "You ask the fleet with NaN or infinity in the weights.", "What did a broken device add?"
            self.refuse("wrong-weights", seen, ask)
        if len(self.weights) >= MOST:
            seen = f"You ask the fleet more than {MOST} times."
            self.refuse("too-many-rounds", seen, "Each round costs every device a message.")
        self.weights.append(weights)
        messages = self.send(weights)
        if self.keep(len(self.weights) - 1):
            self.sent[len(self.weights) - 1] = messages
        return messages


def trained(
    answer: Answer, fleet: Asked, n: int, epsilon: float, delta: float, threshold: int, rng: np.random.Generator
) -> dict[str, Any] | None:
    """What the answer returns, its parts of the right kind; None where it refuses."""
    with heard(fleet):
        given = answer(lambda weights: fleet(weights), n, epsilon, delta, threshold, rng=rng)  # asked, and no more
    if given is None:
        return None
    parts(given, WANTED)
    weights, sums = (np.asarray(given[key], dtype=float) for key in ("weights", "sums"))
    rounds = len(fleet.weights)
    if weights.shape != (WIDTH,) or not np.isfinite(weights).all():
        what = (
            f"has shape {weights.shape}; ({WIDTH},) is wanted" if weights.shape != (WIDTH,) else "holds NaN or infinity"
        )
        raise Refused(Diagnosis("wrong-weights", f"`weights` {what}.", "From which numbers do you make them?"))
    if not rounds:
        raise Refused(Diagnosis("never-asked", "You never ask the fleet.", "`fleet(weights)` returns messages."))
    if sums.shape != (rounds, WIDTH):
        seen = f"The fleet was asked {rounds} times, and `sums` has shape {sums.shape}; {(rounds, WIDTH)} is wanted."
        raise Refused(
            Diagnosis("sums-missing", seen, "What did the server see in each round, and where do you keep it?")
        )
    return {**given, "weights": weights, "sums": sums}


def exact_sum(
    answer: Answer,
    rng: np.random.Generator,
    failure: float,
    runs: int = 8,
    sizes: tuple[int, int] = (20, 3000),
    once: bool = False,
) -> Diagnosis | None:
    """Devices that agree on signs, under noise that hides even that: no weights may follow the signs.

    Signs that weights know nothing of make a sum of bounded independent terms, and Hoeffding's inequality bounds it.
    With `once`, too few devices answer from the second round on: what the first one did to the weights is seen, and
    whether it ends there.
    """
    follows = np.zeros(2)
    for _ in range(runs):
        n, signs = people(rng, *sizes), rng.choice((-1.0, 1.0), WIDTH)
        updates = (0.6 * signs + rng.normal(0, 0.3, (min(n, 3000), WIDTH))) / math.sqrt(WIDTH)
        updates, there = np.resize(updates, (n, WIDTH)), iter([n, *rng.integers(0 if once else n, n + 1 - once, MOST)])
        fleet = Asked(lambda _, u=updates, there=there: (np.arange(m := next(there)), u[:m].copy()))  # type: ignore[misc]
        given = trained(answer, fleet, n, 1e-5, 1e-10, n, fresh(rng))
        if given is None and not once:
            return Diagnosis("refuses-all", f"All {n} devices answer, and you refuse.")
        if given and once and len(fleet.weights) > 1:
            seen = f"All {n:,} devices answer, and are asked for. From the second round on fewer do, and you go on."
            return Diagnosis("too-few", seen, "What does the task want then?")
        reached = [*fleet.weights, *([given["weights"]] if given else [])]
        for place, weights in enumerate((reached[min(1, len(reached) - 1)], reached[-1])):
            moved = weights - reached[0]
            follows[place] += signs @ moved / max(float(np.linalg.norm(moved)), 1e-300)
    if np.abs(follows).max() <= math.sqrt(2 * runs * math.log(4 / failure)):
        return None
    seen = "With noise far larger than all that the devices send (epsilon = 1e-5), your weights still follow what they "
    seen += "send."
    return Diagnosis("exact-sum", f"{seen} One fleet had {n:,} devices.", ITS_NOISE)
