"""Capstone 7.6: what counts without noise, and who is refused."""

from __future__ import annotations

import copy

import numpy as np

from dpcourse.checks.answered import stops
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_7.design import DELTA
from dpcourse.lessons.capstone_7.exercises.phone import contributed
from dpcourse.lessons.capstone_7.exercises.world import FEW, ITEMS, LOUD, MIXES, mixed, phones, released

QUIET = f"where right noise is below 0.005 (ε = {LOUD:,.0f})"
REFUSED = "When does the task want None? A phone with an empty log has sent something."


def robust(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a huge ε the noise is gone, so what was added up shows; and too few phones are refused, in any shop."""
    wrong = _alone(answer, chance.rng)
    if wrong:
        return wrong
    for kind, (what, ask) in MIXES.items():
        for _ in range(3):
            messages, who, right = mixed(chance.rng, kind)
            with stops(kind, what, ask):
                given = released(answer, messages, who, ITEMS, LOUD, DELTA, FEW, chance.rng)
            if given is None:
                seen = f"{what}, you return None, although at least {FEW} phones sent something and `shares` is {FEW}."
                return Diagnosis(f"{kind}-refused", seen, ask)
            off = float(np.abs(given["gram"] - right).max())
            if off > 0.02:
                return Diagnosis(kind, f"{what}, an entry of `gram` is off by {off:.3g} {QUIET}.", ask)
    if wrong := _nothing(answer, chance.rng):
        return wrong
    sizes = whole(chance.rng, FEW + 2, 16), whole(chance.rng, 20, 2000), whole(chance.rng, 20_000, 22_000)
    return next(filter(None, (_too_few(answer, chance.rng, many) for many in sizes)), None)


def _nothing(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """One phone that clicked nothing, with a catalogue of one item and of a few."""
    for items in (1, whole(rng, 2, ITEMS)):
        what, ask = f"With one phone, an empty log and {items} item{'s' * (items > 1)}", MIXES["empty"][1]
        with stops("empty", what, ask):
            given = released(answer, [("phone 1", np.array([]))], phones(2), items, LOUD, DELTA, 1, rng)
        if given is None:
            return Diagnosis("empty-refused", f"{what}, you return None, and `shares` is 1.", ask)
        off = float(np.abs(given["gram"]).max())
        if off > 0.02:
            return Diagnosis("empty", f"{what}, an entry of `gram` is off by {off:.3g} {QUIET}.", ask)
    return None


def _too_few(answer: Answer, rng: np.random.Generator, declared: int) -> Diagnosis | None:
    who, shares = phones(declared), int(rng.integers(declared // 2, declared))
    messages = [(str(name), rng.integers(ITEMS, size=3).astype(float)) for name in rng.permutation(who)[: shares - 1]]
    few, fewer = messages, messages[: int(rng.integers(1, shares - 1))]
    for sent, many, more in (
        (few, len(few), ""),
        ([*few, *few[:3]], len(few), ", three of them twice"),
        ([*few, ("phone 0", few[0][1])], len(few), ", and so did one that does not"),
        (fewer, len(fewer), ""),
        ([], 0, ""),
    ):
        if answer(copy.deepcopy(sent), set(who), ITEMS, 3.0, DELTA, shares, rng) is not None:
            return Diagnosis(
                "too-few",
                f"{many:,} phones that take part sent something{more}. You publish, and `shares` is {shares:,}: the "
                "noise is not whole.",
                "Whom do you count, and what is returned if there are fewer than `shares`?",
            )
    return None


def _alone(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """One phone, one message: what is wrong here is not how messages are counted."""
    for again, what in ((0, "once each"), (3, "one of them again and again"), (60, "one of them again and again")):
        clicked = rng.choice(ITEMS, int(rng.integers(2, ITEMS + 1)), replace=False)
        log = rng.permutation(np.append(clicked, clicked[:1].repeat(again))).astype(float)
        given = released(answer, [("phone 1", log)], phones(2), ITEMS, LOUD, DELTA, 1, rng)
        if given is None:
            return Diagnosis("refuses-all", "One phone sent something, `shares` is 1, and you return None.", REFUSED)
        off = float(np.abs(given["gram"] - contributed(log, ITEMS)).max())
        if off > 0.02:
            alone = f"One phone alone, which clicked {len(clicked)} items, {what}"
            second = released(answer, [("phone 1", log)], phones(2), ITEMS, LOUD, DELTA, 1, rng)
            moved = float(np.abs(second["gram"] - given["gram"]).max()) if second else 0.0
            if moved > 0.02:
                seen = f"{alone}: asked twice, an entry of `gram` moves by {moved:.3g} {QUIET}."
                return Shared.TOO_MUCH_NOISE.seen(seen, "How does the deviation of your noise follow from `epsilon`?")
            seen = f"{alone}: an entry of `gram` is off by {off:.3g} {QUIET}."
            return Diagnosis("contribution", seen, "Milestone 7.2: what does one phone send?")
    return None
