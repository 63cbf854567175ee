"""Capstone 3.4: what a secure sum lets the server see: whose messages count, and noise in shares for a campaign."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpcourse.checks.again import listens
from dpcourse.checks.answered import answered
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import fresh
from dpcourse.checks.plain import only_numbers
from dpcourse.lessons.capstone_3.exercises.noise import Noise, noise_wrong, whole
from dpcourse.lessons.capstone_3.exercises.tools import decades, of_millions, people, some_of
from dpcourse.lessons.capstone_3.exercises.vectors import clipped
from dpcourse.mechanisms.additive.gaussian import gaussian_delta
from dpcourse.privacy import Guarantee, Neighbours

LOUD, LOUD_DELTA = 1e9, 1e-3  # a claim at which the noise is far below EXACT
EXACT = 0.02
DEVICES = 100_000  # as many as the project has
Messages = tuple[np.ndarray, np.ndarray]


def counted(messages: Messages, n: int) -> tuple[np.ndarray, int]:
    """The exact sum of what counts, and how many devices are in it."""
    devices, updates = messages
    there = np.flatnonzero((devices >= 0) & (devices < n))
    _, first = np.unique(devices[there], return_index=True)
    return clipped(np.asarray(updates[there[first]], dtype=float)).sum(axis=0), len(first)


def summed(
    answer: Answer,
    messages: Messages,
    n: int,
    epsilon: float,
    delta: float,
    rounds: int,
    threshold: int,
    rng: np.random.Generator,
) -> np.ndarray | None:
    """What the answer returns: a vector, or None where it refuses."""
    for part in messages:
        part.setflags(write=False)
    given = answer(messages, n, epsilon, delta, rounds, threshold, rng=fresh(rng))
    if given is None:
        return None
    total = np.asarray(only_numbers(given), dtype=float)
    if total.shape != messages[1].shape[1:]:
        ask = "One number for each column of the updates."
        raise Refused(
            Diagnosis("wrong-shape", f"Your sum has shape {total.shape}; {messages[1].shape[1:]} it is.", ask)
        )
    return total


def few(
    rng: np.random.Generator, kind: str, n: int = 0, threshold: int = 0, d: int = 0, crowd: int = 0
) -> tuple[Messages, int, int]:
    """Messages of a few devices, n, and how many of them have to be in the sum; each drawn where it is not given.

    Through noise only crowds are seen: with `crowd` rows have one direction, half of them are odd where any are, and so
    many messages in another direction do not count where any do not.
    """
    n = n or people(rng, 8, 40)
    threshold = threshold or int(rng.integers(max(n // 2, 1), max(n - 1, 2)))
    stayed = rng.permutation(n)[: int(rng.integers(threshold, n + 1))]
    d = d or people(rng, 2, 25)
    directions = rng.normal(size=(1 if crowd else len(stayed), d))
    updates = directions * rng.choice((0.1, 0.5, 6.0 if crowd else 3.0), (len(stayed), 1)) / math.sqrt(d)
    some = len(stayed) // 2 if crowd else min(3, len(stayed))
    if kind == "plain":  # a number above 1 tells a row that is clipped by its numbers from one that is not
        row = updates[rng.integers(len(stayed))]
        row *= rng.uniform(1.5, 3) / np.abs(row).max()
    if kind in ("strange", "huge"):
        odd = (np.nan, np.inf, -np.inf) if kind == "strange" else (1e6, -1e100)
        for row in rng.choice(len(stayed), some, replace=False):
            updates[row, rng.integers(d)] = rng.choice(odd)
    if kind == "silent":
        updates[rng.choice(len(stayed), some, replace=False)] = 0.0
    of = np.arange(crowd or 3)
    strangers = np.where(of % 2, -(of + 1) // 2, n + 7 * of // 2)
    more = {"repeated": rng.choice(stayed, len(of)), "stranger": strangers}.get(kind, np.array([], dtype=int))
    devices = np.concatenate((stayed, more))
    updates = np.concatenate((updates, np.resize(rng.normal(size=(1 if crowd else len(more), d)), (len(more), d))))
    if kind == "stranger":
        order = rng.permutation(len(devices))
        devices, updates = devices[order], updates[order]
    return (devices, updates), n, threshold


MIXES = {
    "plain": ("With some devices missing", "Does every device that sent something count, and once?"),
    "strange": (
        "With NaN or infinity in some updates",
        "A row with one such number counts as zeros, all of it, and its device counts. What is left of it in yours?",
    ),
    "huge": (
        "With updates of norm 1,000,000 and more",
        "A row longer than 1 is divided by its own length. How long is such a row of yours then?",
    ),
    "silent": ("With updates of zeros", "They count as any others. What do you divide them by?"),
    "repeated": ("When some devices send twice", "Which of a device's messages counts?"),
    "stranger": (
        "When strangers with numbers below 0, or n and more, send something",
        "Who may take part is public: 0, …, n − 1. Which of the senders do you count?",
    ),
}


def robust(answer: Answer, chance: Chance) -> Diagnosis | None:
    """With hardly any noise, what was added up shows, of one device, a handful or more; too few are refused."""
    for kind, (what, ask) in MIXES.items():
        for most in (40, 40, 5, 5):
            messages, n, threshold = few(chance.rng, kind, people(chance.rng, 1 if most == 5 else 8, most))
            given = answered(kind, what, ask, summed, answer, messages, n, LOUD, LOUD_DELTA, 1, threshold, chance.rng)
            right, many = counted(messages, n)
            if not np.abs(given - right).max() < EXACT:
                return wrong_sum(kind, f"{what}, your sum", ask, given, messages, right, many)
    sizes = people(chance.rng, 8, 40), people(chance.rng, 40, 4000), people(chance.rng, DEVICES, 2 * DEVICES)
    return next(filter(None, (_too_few(answer, chance.rng, n) for n in sizes)), None)


def wrong_sum(
    kind: str,
    what: str,
    ask: str,
    given: np.ndarray,
    messages: Messages,
    right: np.ndarray,
    many: int,
    noise: Noise | None = None,
) -> Diagnosis:
    """What is wrong with a sum of few messages, exact or with `noise`; `what` names the messages and the sum."""
    updates = np.where(np.isfinite(messages[1]), messages[1], 0.0)
    norms = np.linalg.norm(updates, axis=1, keepdims=True)
    off = np.abs(given - right).max()
    room, how = EXACT, "At epsilon = 1e9 there is hardly any noise."
    if noise:
        room, how = (
            6 * noise.right,
            f"At epsilon = {noise.epsilon:.3g} right noise has a deviation of {noise.right:.3g}.",
        )
    seen = f"{what} is off by {off:.3g}. {how}"
    if not np.isfinite(off):
        seen = f"{what} has NaN or infinity in it."
    if kind == "repeated":
        for sent, words in ((updates, "all messages of a device"), (_last(messages), "a device's last message")):
            if np.abs(given - clipped(sent).sum(axis=0)).max() < room:
                return Diagnosis(kind, f"{seen} You count {words}.", ask)
    if kind == "plain":
        known: tuple[tuple[str, np.ndarray, str, str], ...] = (
            ("a-mean", right / many, "It is a mean.", "A sum is asked for. Where do you divide by the number of rows?"),
            ("not-clipped", updates.sum(axis=0), "No update is clipped.", "How long may a row be at most?"),
            (
                "coordinatewise",
                np.clip(updates, -1, 1).sum(axis=0),
                "Each number is clipped by itself, so a row of 21 ones keeps its length √21.",
                "The claim is about the length of a row. What do you cut?",
            ),
            (
                "largest-row",
                (updates / norms.max()).sum(axis=0),
                "All rows are divided by the longest one. So one device changes what all others send.",
                "Which rows does the task divide, and by what?",
            ),
            (
                "stretched",
                (updates / norms).sum(axis=0),
                "Short rows are made longer.",
                "Which rows are to be changed?",
            ),
        )
        key, wrong, said, asked = min(known, key=lambda one: float(np.linalg.norm(given - one[1])))
        if np.abs(given - wrong).max() < room:
            return Diagnosis(key, f"{seen} {said}", asked)
    return Diagnosis(kind, seen, ask)


def _last(messages: Messages) -> np.ndarray:
    """The rows that came last of each device."""
    devices, updates = messages
    _, last = np.unique(devices[::-1], return_index=True)
    return updates[::-1][last]


def _too_few(answer: Answer, rng: np.random.Generator, n: int) -> Diagnosis | None:
    messages, n, threshold = few(rng, "plain", n)
    devices, updates = (part[: threshold - 1] for part in messages)
    again = (np.append(devices, devices[:3]), np.concatenate((updates, updates[:3])))
    strangers = (np.append(devices, [n, -1, n + 1]), np.concatenate((updates, updates[:3])))
    fewer = int(rng.integers(1, threshold - 1))
    for sent, who in (
        ((devices, updates), f"{threshold - 1:,} devices sent a message each"),
        ((devices[:fewer], updates[:fewer]), f"{fewer:,} of the devices sent a message"),
        (again, f"{threshold - 1:,} devices sent {len(again[0]):,} messages"),
        (strangers, f"{threshold - 1:,} devices and three strangers sent a message each"),
    ):
        if summed(answer, sent, n, 1.0, 1e-6, 10, threshold, rng) is not None:
            return Diagnosis(
                "too-few",
                f"{who}, and {threshold:,} shares make the noise whole. You publish all the same.",
                "What does the task want where fewer than `threshold` devices are in the sum?",
            )
    return None


def noisy(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The law of the noise, in calls of all sizes, at every claim, with the fewest devices and with more.

    Two to 200,000 devices, one call surely with as many as the project has or more; and a few of one or two million.
    """
    rng, calls = chance.rng, []
    sizes = [(people(rng, 2, 60), 800) for _ in range(36)] + [(people(rng, 60, 2000), 100) for _ in range(6)]
    sizes += [(people(rng, 2000, DEVICES), 21), (people(rng, DEVICES, 2 * DEVICES), 21), (of_millions(rng), 200)]
    for place in rng.permutation(len(sizes)):
        n, d = sizes[place]
        threshold, most = some_of(n, rng)
        stayed = threshold if rng.random() < 0.4 else int(rng.integers(threshold, most + 1))
        updates = rng.normal(size=(stayed, d)).astype(np.float32 if n > 10_000 else float)
        updates *= np.float32(0.5 / math.sqrt(d))
        messages = (np.sort(rng.permutation(n)[:stayed]), updates)
        asked = decades(rng, 0.02, 8), decades(rng, 1e-10, 1e-4), people(rng, 1, 200)
        given = summed(answer, messages, n, *asked, threshold, rng)
        if given is None:
            return Diagnosis("refuses-all", f"{stayed} of {n} devices are there, {threshold} are enough; you refuse.")
        calls.append(Noise(*asked, n, stayed, threshold, given - counted(messages, n)[0]))
    return noise_wrong(calls, chance.failure / 4) or _audit(answer, chance)


def hidden(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What `robust` looks at, under noise as it is asked for, which hides no crowd: little of it, and any."""
    rng, failure = chance.rng, chance.failure / (8 * len(MIXES))
    for kind, (what, ask) in MIXES.items():
        for most, rounds in ((1.0, 5), (0.02, 200)):
            asked = decades(rng, most, 8), decades(rng, 1e-10, 1e-4), people(rng, 1, rounds)
            size = whole(*asked)
            messages, n, threshold = few(
                rng, kind, int(np.clip(100 * size, 30, 2000)), d=21, crowd=math.ceil(min(40 * size, 20_000))
            )
            given = answered(kind, what, ask, summed, answer, messages, n, *asked, threshold, rng)
            right, many = counted(messages, n)
            noise = Noise(*asked, n, many, threshold, given - right)
            if noise.fits(noise.right, failure):
                continue
            if np.abs(noise.found).max() < 3 * noise.right and (wrong := noise_wrong([noise], 1.0)):
                ask = "Other sums of yours have noise. What does it depend on that it should not?"
                ask = ask if wrong.key == "no-noise" else wrong.ask
                return replace(wrong, seen=f"{what}, {wrong.seen[0].lower()}{wrong.seen[1:]}", ask=ask)
            return wrong_sum(kind, f"{what}, your sum", ask, given, messages, right, many, noise)
    return None


def _audit(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Devices with a number of their own each: 1 there, or −1 in its place. What is certified of the sums' numbers."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    rng, d = chance.rng, 150
    claim = Guarantee(1.0, gaussian_delta(1.0, 1.0), Neighbours.REPLACE_ONE)  # an auditor sees a large δ best
    shown: dict[bool, list[Any]] = {True: [], False: []}
    for _ in range(40):
        signs = rng.choice((-1.0, 1.0), d)
        messages = (rng.permutation(d), np.diag(signs))
        given = summed(answer, messages, d, claim.epsilon, claim.delta, 1, d, rng)
        if given is None:
            return Diagnosis("refuses-all", f"All {d} devices are there, and you refuse.")
        for side in (True, False):
            shown[side].extend(np.round(given[(signs > 0) == side], 1).tolist())
    runs = min(map(len, shown.values()))
    found = audit_outputs(*(side[:runs] for side in shown.values()), claim=claim, confidence=1 - chance.failure / 4)
    if not found.violated:
        return None
    seen = (
        f"A device that is replaced shows: ε ≥ {found.epsilon_lower:.3g} at δ = {claim.delta:.2g}, and ε = 1 is asked "
        "for."
    )
    return Diagnosis("not-private", seen, "How far does a device move the sum, and how much noise is there?")


def _campaign(rng: np.random.Generator) -> tuple[Any, ...]:
    messages, n, threshold = few(rng, "plain", people(rng, 8, 1000))
    return messages, n, decades(rng, 0.02, 8), decades(rng, 1e-10, 1e-4), people(rng, 1, 200), threshold


SUMS = (robust, noisy, hidden, listens(_campaign, summed))
