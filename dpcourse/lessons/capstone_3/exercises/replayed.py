"""Capstone 3.5: the same noisy sums from other devices. What weights follow from is seen by that, and how far noise
moves them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.told import known_to_all, same_weights
from dpcourse.datasets.telemetry import WIDTH
from dpcourse.lessons.capstone_3.exercises.sums import Messages, counted
from dpcourse.lessons.capstone_3.exercises.tools import decades, people
from dpcourse.lessons.capstone_3.exercises.vectors import clipped
from dpcourse.lessons.capstone_3.exercises.watched import ITS_NOISE, Asked, exact_sum, trained

Send = Callable[[np.ndarray], Messages]
MIDDLE = (3_100, 15_000)  # devices: more than `exact_sum` asks, fewer than the project has
SHORT = 0.2  # of an update is left where it is moved


@dataclass(frozen=True)
class Run:
    """What a run returned, how its fleet was asked, and, where it is known, the exact sums."""

    given: dict[str, Any]
    fleet: Asked
    exact: list[np.ndarray]

    @property
    def sums(self) -> np.ndarray:
        """The noisy sums, shape (rounds, 21)."""
        return self.given["sums"]

    @property
    def reached(self) -> np.ndarray:
        """What weights it came to, from where it began."""
        return np.vstack((*self.fleet.weights[1:], self.given["weights"])) - self.fleet.weights[0]


@dataclass
class _Added:
    """A fleet of which the exact sums are noted."""

    send: Send
    n: int
    exact: list[np.ndarray]

    def __call__(self, weights: np.ndarray) -> Messages:
        messages = self.send(weights)
        self.exact.append(counted(messages, self.n)[0])
        return messages


def _with_sums(send: Send, n: int, wanted: Sequence[np.ndarray]) -> Send:
    """A fleet whose updates are shortened, and then moved by one vector to this sum, as long as one is said.

    So none of them is clipped where the sum is of fewer than four fifths of the devices.
    """
    turn = iter(wanted)

    def asked(weights: np.ndarray) -> Messages:
        devices, updates = send(weights)
        goal = next(turn, None)
        if goal is not None:
            there = np.flatnonzero((devices >= 0) & (devices < n))
            first = there[np.unique(devices[there], return_index=True)[1]]
            fine = first[np.isfinite(updates[first]).all(axis=1)]
            short = SHORT * clipped(np.asarray(updates[fine], dtype=float))
            updates[fine] = short + (goal - short.sum(axis=0)) / len(fine)
        return devices, updates

    return asked


def replayed(
    answer: Answer,
    rng: np.random.Generator,
    n: int,
    epsilon: float,
    delta: float,
    threshold: int,
    send: Callable[[bool], Send],
    keep: Callable[[int], bool] = lambda number: False,
    within: float = 0.01,
) -> tuple[Run, Diagnosis | None]:
    """Two runs of one fleet, and then one of others, with the seed of the first and the noisy sums of the second.

    The two differ by noise alone, and the second and the third by everything else. The second is the shorter one, where
    the number of rounds depends on sums.

    Parameters
    ----------
    send : callable
        ``send(others)`` is the fleet to be asked, anew: the same devices answer it, whether they are the others or not.
    keep : callable
        Of which rounds of the first two runs the messages are kept.
    within : float
        By which part of what they move between the first two weights may move between the second and the third: more
        where many updates in single precision are added up.

    Returns
    -------
    Run, Diagnosis or None
        The second run, and what is wrong with it.
    """

    def run(seed: int, fleet: Asked, exact: list[np.ndarray]) -> Run:
        given = trained(answer, fleet, n, epsilon, delta, threshold, np.random.default_rng(seed))
        if given is None:
            many = len(send(False)(fleet.weights[0])[0]) if fleet.weights else n
            seen = f"{many:,} messages come from {n:,} devices, {threshold:,} are enough, and you refuse."
            raise Refused(Diagnosis("refuses-all", seen))
        return Run(given, fleet, exact)

    runs = {}
    for seed in rng.integers(2**63, size=2).tolist():
        exact: list[np.ndarray] = []
        runs[seed] = run(seed, Asked(_Added(send(False), n, exact), keep=keep), exact)
    (_, second), (first, long) = sorted(runs.items(), key=lambda item: len(item[1].sums))
    rounds = len(second.sums)
    noise = long.sums[:rounds] - long.exact[:rounds]
    if wrong := known_to_all(noise, second.sums - second.exact):
        return second, wrong
    answer.renew()
    third = run(first, Asked(_with_sums(send(True), n, second.sums - noise), keep=lambda number: False), [])
    if len(third.sums) != rounds:
        seen = f"{n:,} other devices sent updates, chosen so that your noisy sums stay the same. You made "
        seen += f"{len(third.sums)} rounds instead of {rounds}."
        return second, Diagnosis("beyond-sums", seen, "What decides how many rounds you make?")
    off, room = np.abs(third.sums - second.sums).max(), within / 2 * np.abs(noise).max() + 1e-6
    moved, by_others = (np.abs(second.reached - one.reached[:rounds]) for one in (long, third))
    # Each weight by itself: one may be large and mean nothing.
    far = by_others / np.maximum(np.maximum(moved, np.median(moved, axis=1, keepdims=True)), 1e-300)
    if off <= room and far.max() <= within:
        return second, None
    worst = np.unravel_index(far.argmax(), far.shape)
    seen = f"{n:,} other devices sent updates, chosen so that your noisy sums stay the same. Your weights moved by "
    ask = ITS_NOISE
    if off > room:
        ask = "Which of your draws depend on what devices send?"
        seen = "With the same seed your noise is another one where devices send other updates. Your weights moved by "
    seen += f"{by_others[worst]:.2g}. With the same updates and other noise they moved by {moved[worst]:.2g}."
    return second, Diagnosis("exact-sum", seen, ask)


def leaves(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Nothing but noisy sums leaves: other devices with the same sum, and sums that the noise hides."""
    rng, n = chance.rng, 20
    epsilon, seed = decades(rng, 0.1, 5), int(rng.integers(2**63))
    v = rng.integers(-64, 65, WIDTH) / 1024  # so that sums are exact in any order
    pairs = np.where(np.arange(n)[:, None] % 2, v, -v)
    seen = []
    for updates in (pairs, pairs[::-1].copy(), np.zeros((n, WIDTH))):
        fleet = Asked(lambda _, updates=updates: (np.arange(n), updates.copy()))  # type: ignore[misc]
        given = trained(answer, fleet, n, epsilon, 1e-8, n, np.random.default_rng(seed))
        if given is None:
            return Diagnosis("refuses-all", f"All {n} devices answer, and you refuse.")
        seen.append(np.vstack((*fleet.weights, given["weights"])))
    for other in seen[1:]:
        if len(seen[0]) != len(other) or not all(map(same_weights, seen[0], other, repeat(1e-5))):
            return Diagnosis(
                "beyond-sums",
                "We asked twice with the same seed. The second time devices sent other updates with the same sum, and "
                "your weights, or the number of rounds, changed.",
                "The server sees noisy sums and nothing else. What else do you look at?",
            )
    if wrong := exact_sum(answer, rng, chance.failure / 4):
        return wrong
    for _ in range(6):
        wrong = _of_random(answer, rng)
        if wrong is None or wrong.key != "beyond-sums":  # who stops by what the sums say may stop by their last digits
            return wrong
    return wrong


def _of_random(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    n, epsilon, delta = people(rng, *MIDDLE), decades(rng, 1, 8), decades(rng, 1e-9, 1e-5)
    length = rng.uniform(0.01, 0.06)
    updates = rng.normal(size=(2, n, WIDTH)) * length
    return replayed(
        answer, rng, n, epsilon, delta, n, lambda others: lambda _: (np.arange(n), updates[int(others)].copy())
    )[1]
