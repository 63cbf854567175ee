"""What the judges of capstone 2.6 need: quarters to hand in, an answer called and read."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.named import named
from dpcourse.checks.odd import NAN, holds_nan
from dpcourse.checks.once import fresh
from dpcourse.checks.plain import parts
from dpcourse.datasets import simulate_suppliers
from dpcourse.lessons.capstone_2.design import BINS, MODULUS, PARTIES, SHARES, SUPPLIERS
from dpcourse.lessons.capstone_2.exercises.histogram import CANARIES, counted
from dpcourse.lessons.capstone_2.exercises.sharing import Source, few_bits

NAMES = tuple(f"supplier {number + 1:02}" for number in range(SUPPLIERS))
BROKEN = tuple(one for one in CANARIES if not one >= 0)
LOUD = 60.0  # an ε at which the noise of 21 bins is 0 but for e^−57
FAINT = 0.01  # an ε at which the noise is 140, and one lot is little
Message = tuple[str, str, np.ndarray]
WANTED = ("servers", "noisy", "rate", "quartile", "shares", "claim")


@dataclass
class Desk:
    """What the check hands in as `admit`: it writes down what it is asked, and says yes or no."""

    says: bool = True
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    asked_again: ClassVar[bool] = True

    def __call__(self, quarter: str, query_id: str, epsilon: float) -> bool:
        self.asked.append((quarter, query_id, epsilon))
        return self.says


def released(
    answer: Answer,
    messages: list[Message],
    quarter: str,
    epsilon: float,
    rng: np.random.Generator,
    desk: Desk | None = None,
    renamed: bool = False,
) -> dict[str, Any] | None:
    """What the answer returns, its parts of the right shapes; None where it refuses.

    Suppliers have other names in half of the calls; in all that are `renamed`.
    """
    desk, source, called = desk or Desk(), Source(rng), named(NAMES, rng, renamed)
    sent = [(called.get(name, name), when, lots) for name, when, lots in copy.deepcopy(messages)]
    given = answer(sent, tuple(called.values()), quarter, epsilon, desk, source, rng)
    if given is None:
        return None
    parts(given, WANTED)
    noisy, servers = np.asarray(given["noisy"], dtype=float), np.asarray(given["servers"], dtype=float)
    if noisy.shape != (BINS,) or servers.shape != (PARTIES, BINS):
        shapes = f"`noisy` has shape {noisy.shape} and `servers` {servers.shape}"
        raise Refused(Diagnosis("wrong-shape", f"{shapes}; {(BINS,)} and {(PARTIES, BINS)} are wanted."))
    if isinstance(given["shares"], dict) or np.shape(given["shares"]) != (BINS,):
        seen = f"`shares` is not {BINS} numbers, one for each bin."
        raise Refused(Diagnosis("wrong-shape", seen, "`shares` is published. What does 2.4 read off `noisy`?"))
    for key in ("rate", "quartile", "shares"):
        if noisy.sum() > 0 and holds_nan(given[key]):
            seen = f"`{key}` holds NaN (not a number), although `noisy` adds up to {noisy.sum():,.12g}."
            raise Refused(Diagnosis(NAN.key, seen, "For which counts may it be NaN, and where does yours come from?"))
    shares = np.asarray(given["shares"], dtype=float)
    if noisy.sum() > 0 and (shares.min() < -1e-9 or not abs(shares.sum() - 1) < 1e-6):
        seen = f"`shares` add up to {shares.sum():.3g}, and the smallest is {shares.min():.2g}."
        raise Refused(
            Diagnosis("no-shares", seen, "What does 2.4 make of negative counts, and what does it divide by?")
        )
    if len(desk.asked) != 1 or desk.asked[0][0] != quarter or desk.asked[0][2] != epsilon:
        seen = f"For one release `admit` was asked {len(desk.asked)} times."
        ask = "One release answers all three questions and is paid for once. Where do you ask?"
        if len(desk.asked) == 1:
            seen = "`admit` was asked about {0}, at ε = {2}.".format(*desk.asked[0])
            ask = f"This release is about {quarter}, at ε = {epsilon:g}. What do you hand to `admit`?"
        raise Refused(Diagnosis("not-admitted", seen, ask))
    if not np.array_equal(servers.sum(axis=0) % MODULUS, noisy % MODULUS):
        raise Refused(
            Diagnosis(
                "servers",
                "The servers' totals do not add up to `noisy` modulo 2^32.",
                "Each server adds the shares it was sent, modulo 2^32. From which numbers do you reconstruct `noisy`?",
            )
        )
    if len(outside := servers[servers != np.floor(servers % MODULUS)]):
        seen = f"A server's total is {outside[0]:,.15g}. A whole number from 0 to 2^32 − 1 is wanted."
        ask = "Each server adds what it is sent, modulo 2^32. Where do you take the remainder of a total?"
        raise Refused(Diagnosis("not-reduced", seen, ask))
    sharing = {name for name, when, _ in sent if when == quarter and name in called.values()}
    masks = len(sharing) * (PARTIES - 1) * BINS * math.log2(MODULUS)
    return {**given, "few": few_bits(source.bits, masks)}  # what is wrong with its masks, perhaps


def a_quarter(rng: np.random.Generator) -> tuple[str, str]:
    """Some quarter, and the one before it."""
    number = int(rng.integers(4 * 2020, 4 * 2040))
    now, before = (f"{n // 4}-Q{n % 4 + 1}" for n in (number, number - 1))
    return now, before


def mixed(rng: np.random.Generator, kind: str, crowd: int = 0, more: int = 3) -> tuple[list[Message], np.ndarray, str]:
    """Messages of one quarter and `more` that do not count, the histogram of those that count, and the quarter.

    Through noise only crowds are seen: with `crowd` messages that do not count have so many lots in every bin, and each
    strange report comes so often.
    """
    quarter, before = a_quarter(rng)
    stayed = rng.permutation(NAMES)[: rng.integers(SHARES, SUPPLIERS + 1)]
    messages: list[Message] = []
    for name in stayed:
        lots = rng.integers(0, 26, int(rng.integers(2, 9))).astype(float)
        if kind == "strange":
            lots = rng.permutation(np.append(lots, np.repeat(CANARIES, crowd) if crowd else rng.choice(CANARIES, 4)))
        messages.append((str(name), quarter, lots))
    if kind in ("empty", "broken"):
        some = len(messages) if crowd else int(rng.integers(2, len(messages) + 1))
        for place in rng.choice(len(messages), some, replace=False):
            unread = rng.choice(BROKEN, int(rng.integers(1, 9))) if kind == "broken" else np.array([])
            messages[place] = (*messages[place][:2], unread)
    right = counted(np.concatenate([lots for _, _, lots in messages]))
    extra = (np.tile(np.arange(BINS), crowd) if crowd else rng.integers(0, 20, 5)).astype(float)
    if kind == "repeated":
        messages.extend((str(name), quarter, extra) for name in rng.choice(stayed, more))
        if not crowd:  # the first message has no lot, and counts all the same
            first = next(place for place, one in enumerate(messages) if one[0] == messages[-1][0])
            right = right - counted(messages[first][2])
            messages[first] = (*messages[first][:2], np.full(int(rng.integers(2)), np.nan))
    if kind == "stale":
        messages[:0] = [(str(name), before, extra) for name in rng.choice(stayed, more)]
    if kind == "stranger":
        alike = [change(str(rng.choice(stayed))) for change in (str.upper, "{} ".format, str.title)]
        strangers = [*alike, *(f"supplier {SUPPLIERS + 1 + k}" for k in range(more))][:more]
        messages[:0] = [(name, quarter, extra) for name in rng.permutation(strangers).tolist()]
    return messages, right, quarter


MIXES = {
    "plain": (
        "With ten suppliers or more, each once",
        "Does everybody in `suppliers` who sent something count, once, and what else goes into `noisy`?",
    ),
    "strange": (
        "With reports that are NaN, infinite, negative or fractions",
        "Milestone 2.2 settled where such a lot goes. What does your `lot_histogram` make of it, and is it used here?",
    ),
    "empty": ("With suppliers that made no lot", "A supplier without lots takes part all the same. What does it send?"),
    "broken": (
        "With suppliers all of whose reports are NaN or negative",
        "Such a supplier takes part all the same, as one without lots. What does it send?",
    ),
    "repeated": (
        "When a supplier's second message arrives",
        "Which of a supplier's messages counts?",
    ),
    "stale": (
        "When last quarter's messages are sent again",
        "Those lots belong to another quarter, with a budget of its own. What does a message say about its quarter?",
    ),
    "stranger": (
        "When a stranger sends lots",
        "Who may take part is public, and decided before. Which argument says it?",
    ),
}


def simulated(
    answer: Answer, stayed: int, epsilon: float, rng: np.random.Generator
) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """What is released of a simulated quarter in which so many take part, its histogram, and its lots."""
    world, (quarter, _) = simulate_suppliers(SUPPLIERS, rng=rng), a_quarter(rng)
    here = sorted(rng.choice(NAMES, stayed, replace=False).tolist())
    messages: list[Message] = [(name, quarter, world.lots[name].astype(float)) for name in here]
    given = released(answer, messages, quarter, epsilon, fresh(rng))
    if given is None:
        raise Refused(Diagnosis("refuses-all", f"{stayed} suppliers sent their lots, and you refuse."))
    lots = np.concatenate([world.lots[name] for name in here])
    return given, counted(lots), lots
