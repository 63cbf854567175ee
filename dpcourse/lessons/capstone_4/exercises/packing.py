"""Capstone 4.2: many small numbers in one plain number, and no sum that reaches its neighbour."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.once import whole as drawn
from dpcourse.lessons.capstone_4.exercises.paillier import whole
from dpcourse.lessons.capstone_4.exercises.reference import anew, slots_in

PARTS = ("pack", "unpack")


MOST = 16  # plain numbers of a pack: the project's cells fill eight


def _drawn(rng: np.random.Generator, full: bool = False) -> tuple[int, int, int, int]:
    """Bits of a slot, parties, n, and how many values: n just above and just below a power of two too.

    There are one value or more, and where it is `full` so many that they need about as many plain numbers as may be.
    """
    bits, parties = int(rng.integers(2, 33)), int(rng.integers(2, 9))
    bits = max(bits, parties.bit_length() + int(rng.integers(0, 2)))
    size = int(2 ** rng.uniform(6, 11))
    if full:  # as the project packs results of tests, three bits each
        bits, parties, size = 3, int(rng.integers(2, 5)), 2048
    edge = (2**size + 1, 2 ** (size + 1) - 1)
    n = (edge[int(rng.integers(2))], 2**size + anew(rng)(2**size))[int(rng.integers(2))]
    slots = slots_in(n, bits)
    return bits, parties, n, drawn(rng, MOST * slots // 2 if full else 1, MOST * slots)


def packs(answer: Answer, values: Any, bits: int, parties: int, n: int) -> list[int]:
    """What `pack` returns: plain numbers in 0 … n − 1, no more than are needed."""
    many = -(-len(values) // slots_in(n, bits))  # before an answer could change the list
    given = answer.part(0)(values, bits, parties, n)
    if not isinstance(given, list | tuple | np.ndarray):
        raise Refused(Diagnosis("wrong-type", f"`pack` returns {a(given)}; a list of whole numbers is wanted."))
    made = [whole(one, "pack") for one in given]
    for one in made:
        if not 0 <= one < n:
            raise Refused(
                Diagnosis(
                    "outside-n",
                    f"With {bits} bits a slot and n of {n.bit_length()} bits, one of your plain numbers is "
                    f"{'negative' if one < 0 else 'n or more'}.",
                    "How many slots are sure to stay below n? And a NumPy integer has 64 bits: int(value) has as many "
                    "as it needs.",
                )
            )
    if len(made) > many:
        seen = f"You make {len(made)} plain numbers for {len(values)} values; {many} would do."
        raise Refused(Diagnosis("wasteful", seen, "Each is a ciphertext to be paid for. How many slots fit below n?"))
    return made


def adds_up(answer: Answer, chance: Chance) -> Diagnosis | None:
    """All parties' plain numbers are added; out come the sums of the values, at the largest values too."""
    if not isinstance(answer.value, tuple | list) or len(answer.value) != len(PARTS):
        return Diagnosis("wrong-shape", f"({', '.join(PARTS)}) is wanted, and this is {a(answer.value)}.")
    for look in range(24):
        bits, parties, n, count = _drawn(chance.rng, look == 0)
        most = (2**bits - 1) // parties
        values = chance.rng.integers(0, most + 1, (parties, count))
        if look % 3 == 0:
            values[:] = most  # every slot as full as it may be
        if look % 3 == 1:
            values[:, -1] = 0
        sent = [values[k].tolist() if look % 2 else values[k].copy() for k in range(parties)]
        try:
            made = [packs(answer, one, bits, parties, n) for one in sent]
        except AnswerRaised as raised:
            seen = f"With {bits} bits, {parties} parties and values up to {most}, `pack` stops with {raised}."
            ask = f"{parties} times {most} is {parties * most}, and {bits} bits hold {2**bits - 1}. Does {most} fit?"
            if not isinstance(raised.error, ValueError):
                ask = "`values` may be a list or an array. Are they whole numbers of Python's when you shift them?"
            return Diagnosis("raises", seen, ask)
        if len({len(one) for one in made}) > 1:
            return Diagnosis("wrong-shape", "Two parties with as many values send different numbers of plain numbers.")
        total = [sum(column) for column in zip(*made, strict=True)]
        if any(one >= n for one in total):
            return Diagnosis(
                "outside-n",
                f"n has {n.bit_length()} bits. {parties} parties' plain numbers, each below n, add up to n or more. "
                "Modulo n the sum starts again at 0.",
                "Which number is the largest that all slots together can hold?",
            )
        if look in (0, 1, 7):  # what was packed is in the numbers, and in no memory
            answer.renew()
        given = answer.part(1)(total, bits, count, n)
        numbers = np.ravel(np.asarray(given, dtype=object)).tolist() if given is not None else []
        got = [int(x) if x == x // 1 else x for x in numbers]
        right = values.sum(axis=0).tolist()
        if got == right:
            continue
        if len(got) != count:
            seen = f"`unpack` gives {len(got)} values; {count} were packed."
            return Diagnosis("wrong-count", seen, "Which argument says how many values there are?")
        where = next(k for k in range(count) if got[k] != right[k])
        return Diagnosis(
            "wrong-sums",
            f"With {bits} bits and {parties} parties, value {where} of {count} comes out as {got[where]}; the sum is "
            f"{right[where]}.",
            "Where does a slot begin, and how many bits does a sum need?",
        )
    return None


def guards(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A value that could reach the next slot is refused, and so is what is no whole number."""
    for look in range(10):
        bits, parties, n, count = _drawn(chance.rng, look < 2)
        most = (2**bits - 1) // parties
        values: list[Any] = chance.rng.integers(0, most + 1, count).tolist()
        place = count - 1 if look == 1 else int(chance.rng.integers(count))
        below = -int(chance.rng.integers(2, 1000))
        strange: list[tuple[str, str, Any]] = [
            ("no-guard", f"{most + 1}", most + 1),
            ("no-guard", f"{2**bits}", 2**bits),
            ("negative", "−1", -1),
            ("negative", f"−{-below}", below),
            ("not-whole", "0.5", 0.5),
            ("not-whole", "NaN", float("nan")),
            ("not-whole", "infinity", float("inf")),
        ]
        for key, what, value in strange:
            sent = [*values[:place], value, *values[place + 1 :]]
            try:
                answer.part(0)(np.array(sent) if look % 2 else sent, bits, parties, n)
            except AnswerRaised as raised:
                if isinstance(raised.error, ValueError | TypeError | OverflowError):
                    continue
                raise
            asks = {
                "no-guard": f"{bits} bits hold at most {2**bits - 1}, and all {parties} parties may send this value. "
                "What is the largest value that may be packed?",
                "negative": "In slots of 3 bits, add −1 to the first of 0, 0, 1, 0: out come 7, 7, 0, 0. From which "
                "slot does a −1 take? Raise a ValueError.",
                "not-whole": "Can `unpack` give this value back? Raise a ValueError for what is no whole number.",
            }
            seen = f"With {bits} bits and {parties} parties, `pack` takes the value {what}"
            seen += f" as number {place + 1:,} of {count:,}."
            return Diagnosis(key, seen, asks[key])
    return None


PACKING = (adds_up, guards)
