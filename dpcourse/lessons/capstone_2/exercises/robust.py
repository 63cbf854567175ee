"""Capstone 2.6: what counts where noise is gone, when messages are lost, repeated, stale or broken; and refusals."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from dpcourse.checks.answered import answered
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_2.design import SHARES, SUPPLIERS
from dpcourse.lessons.capstone_2.exercises.histogram import counted
from dpcourse.lessons.capstone_2.exercises.sharing import Source
from dpcourse.lessons.capstone_2.exercises.world import LOUD, MIXES, NAMES, Desk, Message, mixed, released

MESSAGES = 200  # that do not count, where there are many
EARLIER = "2019-Q1"  # a quarter that is never drawn


def robust(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a huge ε the noise is gone, so what is counted shows exactly; and refusals cost nothing.

    Of the plain messages the second are `renamed`: who knows names by heart is told of nothing else.
    """
    for kind, (what, hint) in MIXES.items():
        for extra, renamed in ((whole(chance.rng, 1, 2 * SUPPLIERS), False), (MESSAGES, kind == "plain")):
            messages, right, quarter = mixed(chance.rng, kind, more=extra)
            given = answered(kind, what, hint, released, answer, messages, quarter, LOUD, chance.rng, renamed=renamed)
            if not np.array_equal(given["noisy"], right):
                off = float(np.abs(np.asarray(given["noisy"]) - right).sum())
                seen = f"{what}, your counts are off by {off:.4g} lots in all. At ε = {LOUD:g} right noise is 0."
                more = _of_two(given["noisy"], messages, quarter) if kind == "repeated" else ""
                return Diagnosis(kind, seen + more, hint)
    return _refusals(answer, chance)


def _of_two(noisy: Any, messages: list[Message], quarter: str) -> str:
    """Which of a supplier's messages were counted, where that is all that is wrong."""
    fine = [(name, lots) for name, when, lots in messages if when == quarter]
    for lots, words in (
        ([lots for _, lots in fine], "all messages of a supplier"),
        (dict(fine).values(), "a supplier's last message"),
    ):
        if np.array_equal(noisy, counted(np.concatenate([*lots]))):
            return f" You count {words}."
    return ""


def _refusals(answer: Answer, chance: Chance) -> Diagnosis | None:
    messages, _, quarter = mixed(chance.rng, "plain")
    few, fewer = messages[: SHARES - 1], messages[: int(chance.rng.integers(1, SHARES - 1))]
    copies = [*few, *few[:3]]
    stale: list[Message] = [("a stranger", quarter, few[0][2]), (messages[SHARES - 1][0], EARLIER, few[0][2])]
    least = "How many suppliers have to send something, and what does the task want with fewer?"
    for sent, desk, what, key, ask in (
        (few, Desk(), f"Only {SHARES - 1} suppliers sent something, so the noise is not whole", "too-few", least),
        (fewer, Desk(), f"{len(fewer)} of the suppliers sent something, so the noise is not whole", "too-few", least),
        (
            copies,
            Desk(),
            f"{SHARES - 1} suppliers sent {len(copies)} messages, so the noise is not whole",
            "too-few",
            least,
        ),
        (
            [*few, *stale],
            Desk(),
            f"{SHARES - 1} suppliers, a stranger, and a supplier with a message of another quarter sent something, so "
            "the noise is not whole",
            "too-few",
            least,
        ),
        ([], Desk(), "Nobody sent anything", "too-few", least),
        (messages, Desk(says=False), "`admit` says no", "spends-anyway", "What does the task want when it says no?"),
    ):
        try:
            given = answer(copy.deepcopy(sent), NAMES, quarter, 0.5, desk, Source(chance.rng), chance.rng)
        except AnswerRaised as raised:
            return Diagnosis(f"{key}-raises", f"{what}, and your function stops with {raised}.", ask)
        if given is not None:
            return Diagnosis(key, f"{what}, and you publish all the same.", ask)
        if key == "too-few" and desk.asked:
            return Diagnosis(
                "charges-refused",
                f"{what}. You publish nothing, but `admit` was asked, and so the budget is charged.",
                "What has to be known before you ask?",
            )
    return None
