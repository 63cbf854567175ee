"""Capstone 2.6: asked again, it is the same query, and noise comes from `rng`; all follows from the noisy sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.checks.again import drawn_elsewhere
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import near, whole
from dpcourse.datasets import simulate_suppliers
from dpcourse.lessons.capstone_2.design import BINS, SHARES, SUPPLIERS
from dpcourse.lessons.capstone_2.exercises.histogram import counted
from dpcourse.lessons.capstone_2.exercises.world import NAMES, Desk, Message, a_quarter, released


def redealt(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Three quarters; a right answer fails once in 10^10 (`_quarter`)."""
    return next(filter(None, (_quarter(answer, chance.rng) for _ in range(3))), None)


def _quarter(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """The same lots at other suppliers, in another order, and the same generators: all that is published is the same.

    A right answer's noise and masks do not follow the data, so it gives the same `noisy`; only then is anything else
    compared, and a right answer never fails. Before, the same messages are asked about three times: at ε of 0.63 and
    less 21 numbers of noise are the same by chance once in 10^10 (`drawn_elsewhere`).
    """
    world, (quarter, _), epsilon = simulate_suppliers(SUPPLIERS, rng=rng), a_quarter(rng), near(0.5, rng)
    lots = np.concatenate([world.lots[name] for name in NAMES]).astype(float)
    lots[lots >= BINS] += rng.integers(0, 9)  # all of them in the last bin
    one_way, other_way = (_dealt(lots, quarter, rng) for _ in range(2))
    queries = list[tuple[str, Any]]()

    def given(messages: list[Message], seed: int, how: str = ",", at: float = epsilon) -> dict[str, Any]:
        desk = Desk()
        found = released(answer, messages, quarter, at, np.random.default_rng(seed), desk)
        queries.extend((how, query) for _, query, _ in desk.asked)
        if found is None:
            raise Refused(Diagnosis("refuses-all", f"{len(messages)} suppliers sent their lots, and you refuse."))
        return found

    if wrong := drawn_elsewhere(lambda seed: _numbers(given(one_way, seed)["noisy"]) - counted(lots), rng):
        return wrong
    late = _dealt(np.delete(lots, rng.integers(len(lots))), quarter, rng)
    for messages, how, at in (
        (late, ", with a lot less,", epsilon),
        (one_way, f", at ε = {epsilon / 2:.3g} and not {epsilon:.3g},", epsilon / 2),
        (one_way[: int(rng.integers(SHARES, SUPPLIERS))], ", before the last suppliers' messages came,", epsilon),
        ([*one_way, *one_way[: whole(rng, 1, SUPPLIERS)]], ", after some messages came twice,", epsilon),
    ):
        given(messages, int(rng.integers(2**63)), how, at)
    if renamed := [one for one in queries if one[1] != queries[0][1]]:
        how, query = renamed[0]
        seen = f"Asked for the benchmark of {quarter} again{how} you ask `admit` for {queries[0][1]!r:.40} and then "
        seen += f"for {query!r:.40}. So it is admitted anew, with new noise, until the budget is gone."
        return Diagnosis("renamed", seen, "What does a quarter's benchmark have that is the same each time?")
    seed = int(rng.integers(2**63))
    one, other = given(one_way, seed), given(other_way, seed)
    if not np.array_equal(one["noisy"], other["noisy"]):
        return None
    for part in ("servers", "rate", "quartile", "shares"):
        if not np.array_equal(_numbers(one[part]), _numbers(other[part]), equal_nan=True):
            return Diagnosis(
                "beyond-noisy",
                "We asked twice with the same generators and the same lots. The second time other suppliers sent them. "
                f"`noisy` came out the same, and `{part}` did not.",
                f"What does `{part}` depend on besides `noisy`" + (" and the draws?" if part == "servers" else "?"),
            )
    return None


def _dealt(lots: np.ndarray, quarter: str, rng: np.random.Generator) -> list[Message]:
    """Messages in which the lots stand at suppliers by chance."""
    cuts = np.sort(rng.choice(np.arange(1, len(lots)), SUPPLIERS - 1, replace=False))
    dealt = np.split(rng.permutation(lots), cuts)
    return [(name, quarter, some) for name, some in zip(NAMES, dealt, strict=True)]


def _numbers(part: Any) -> np.ndarray:
    return np.asarray(part, dtype=np.float64)
