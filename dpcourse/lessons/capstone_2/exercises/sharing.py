"""Capstone 2.1: shares add up to the value, and all but one of them say nothing about it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis, Refused, a
from dpcourse.checks.links import uneven_bit
from dpcourse.checks.plain import only_numbers
from dpcourse.lessons.capstone_2.design import BINS, MODULUS

SMALL = 16  # a modulus at which every pair of shares can be counted
VALUES = 8_000  # 31 for each of the 256 pairs
TESTS = 100  # at most so many χ² tests a check: each is held to a hundredth of the failure allowed


@dataclass
class Source:
    """What the check hands in as `draw`: uniform numbers, and how many bits were asked for."""

    rng: np.random.Generator
    bits: float = field(default=0)

    def __call__(self, modulus: int, size: Any) -> np.ndarray:
        numbers = self.rng.integers(0, modulus, size)
        self.bits += numbers.size * math.log2(modulus)
        return numbers


def shares_of(answer: Answer, values: np.ndarray, parties: int, modulus: int, source: Source) -> np.ndarray:
    """What `share` returns, as int64 of shape (parties, values)."""
    made = np.asarray(only_numbers(answer.part(0)(values.copy(), parties, modulus, source)))
    if made.shape != (parties, len(values)):
        what = f"`share` returns {a(made)} of shape {made.shape}; {(parties, len(values))} is wanted"
        raise Refused(Diagnosis("wrong-shape", f"{what}: a row for each party."))
    whole = np.array([[int(x) for x in row] for row in made]) if made.dtype == object else made
    if whole.dtype.kind not in "iu" and not np.array_equal(whole, np.round(whole)):
        raise Refused(
            Diagnosis(
                "not-whole",
                f"Your shares are no whole numbers: one is {whole.flat[0]!r}.",
                "There is no uniform law on all real numbers, so a real mask always tells something. Work modulo "
                "`modulus`.",
            )
        )
    outside = whole[(whole < 0) | (whole >= modulus)]
    if outside.size:
        raise Refused(
            Diagnosis(
                "not-reduced",
                f"With modulus {modulus} one of your shares is {outside[0]}, outside of 0 … {modulus - 1}. How far it "
                "is outside tells about the value.",
                "Reduce every share modulo `modulus`.",
            )
        )
    return whole.astype(np.int64)


def adds_up(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Reconstruction, negative values, the sum of two people's shares, and shares that others made."""
    if not isinstance(answer.value, tuple | list) or len(answer.value) != 2:
        return Diagnosis("wrong-shape", f"(share, reconstruct) is wanted, and this is {a(answer.value)}.")
    for parties in (2, 3, 4, 5, 6, 9):
        source = Source(chance.rng)
        mine, yours = chance.rng.integers(-(2**29), 2**29, (2, 50))
        sent = [shares_of(answer, values, parties, MODULUS, source) for values in (mine, yours)]
        for shares, values, what in (
            (sent[0], mine, "the values"),
            ((sent[0] + sent[1]) % MODULUS, mine + yours, "the sum of two vectors, from the sums of their shares"),
            (_made(chance.rng, mine, parties), mine, "values that somebody else has shared"),
        ):
            got = np.asarray(answer.part(1)(shares, MODULUS), dtype=float)
            if got.shape == values.shape and np.array_equal(got, values):
                continue
            if got.shape == values.shape and np.array_equal(got % MODULUS, values % MODULUS):
                return Diagnosis(
                    "negatives",
                    "Your `reconstruct` is right modulo the modulus, but negative numbers come back as large positive "
                    "ones: −1 as 4294967295.",
                    "Noise is negative half of the time. Which half of 0 … modulus − 1 stands for negative numbers?",
                )
            key = "wrong-sum" if what == "the values" else "not-additive"
            return Diagnosis(
                key,
                f"For {parties} parties `reconstruct` does not give back {what}.",
                "All shares of a value must add up to it modulo `modulus`. Which share is not drawn but computed?",
            )
        if any(
            ((shares.sum(axis=0) - values) % MODULUS).any() for shares, values in zip(sent, (mine, yours), strict=True)
        ):
            return Diagnosis(
                "not-additive",
                f"For {parties} parties your shares do not add up to the values modulo {MODULUS}.",
                "Servers only add what they are sent. Which share is not drawn but computed?",
            )
        if not source.bits:
            return Diagnosis(
                "own-generator",
                "Your `share` never calls `draw`. Masks from another generator are only as secret as its seed.",
                "draw(modulus, size) gives uniform whole numbers. Every share but one is drawn.",
            )
    return None


def _made(rng: np.random.Generator, values: np.ndarray, parties: int) -> np.ndarray:
    """Shares of the check's own."""
    drawn = rng.integers(0, MODULUS, (parties, len(values)))
    place = int(rng.integers(parties))
    drawn[place] = (values - drawn.sum(axis=0) + drawn[place]) % MODULUS
    return drawn


def hides(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Any parties − 1 shares are uniform, together, whatever the value; afresh for every value and in every call."""
    source = Source(chance.rng)
    for parties in (2, 3):
        value = int(chance.rng.integers(-SMALL // 2, SMALL // 2))
        values = np.full(VALUES, value)
        first, second, *_ = calls = [shares_of(answer, values, parties, SMALL, source) for _ in range(4)]
        plain = [row for row in range(parties) if all((call[row] == value % SMALL).mean() > 0.9 for call in calls)]
        if plain and not (first[[row for row in range(parties) if row not in plain]].sum(axis=0) % SMALL).any():
            return Diagnosis(
                "plain",
                f"Party {plain[0] + 1} of {parties} is sent the value itself.",
                "Which share is computed from the others? It has to take away what they add.",
            )
        if (np.ptp(first, axis=1) == 0).all():
            return Diagnosis(
                "one-mask",
                "One mask serves all entries of a vector: the difference of two entries of a share is the difference "
                "of two counts.",
                "Draw as many numbers as there are values.",
            )
        if np.array_equal(first, second):
            return Diagnosis(
                "reused",
                "Two calls give the same shares. Next quarter's share minus this quarter's is what changed at that "
                "supplier, in clear.",
                "Call `draw` anew in every call.",
            )
        for few in itertools.combinations(range(parties), parties - 1):
            names = " and ".join(str(row + 1) for row in few)
            who = f"Party {names} alone" if len(few) == 1 else f"Parties {names} together"
            if _tells(first[list(few)], chance.failure / TESTS):
                return Diagnosis(
                    "not-uniform",
                    f"{who} can tell a value: for {value} modulo {SMALL}, their shares are not uniform over "
                    f"{VALUES:,} sharings.",
                    "Every number of 0 … modulus − 1 must be equally likely for a share, whatever the others are.",
                )
            for row in few:
                linked = ([first[row], second[row]], [first[row][:-1], first[row][1:]])
                if any(_tells(np.array(two), chance.failure / TESTS) for two in linked):
                    return Diagnosis(
                        "reused",
                        f"Party {row + 1}'s shares hang together, from one entry to the next or from call to call.",
                        "A new number from `draw` for every entry and every call.",
                    )
    return None


def _tells(shares: np.ndarray, level: float) -> bool:
    """χ² of the joint values of some shares, shape (k, n), against the uniform law on all SMALL^k of them."""
    codes = (shares * SMALL ** np.arange(len(shares))[:, None]).sum(axis=0)
    counts = np.bincount(codes, minlength=SMALL ** len(shares))
    return bool(stats.chisquare(counts).pvalue < level)


def hides_here(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At the project's modulus and length: shares, sums of them and differences, the lowest bits and the highest.

    Values are small counts, as in the project: far from uniform, so that whatever follows them shows. Of 2 to 6
    parties all sums of up to parties − 1 shares and all differences of two are uniform: 296 χ² tests of 1,500 numbers
    in 16 classes, and all their bits (`uneven_bit`). A right answer fails with probability `chance.failure` at most.
    """
    source, tests, masks = Source(chance.rng), 296, 0
    for parties in (2, 3, 4, 5, 6):
        lengths = [BINS] * 50 + [450]
        counts = [chance.rng.poisson(chance.rng.uniform(0.5, 6), length) for length in lengths]
        shares = np.hstack([shares_of(answer, some, parties, MODULUS, source) for some in counts])
        masks += shares[1:].size
        for name, found in _combined(shares):
            for shift, bits in ((0, "lowest"), (28, "highest")):
                sixteenths = np.bincount((found >> shift) & 15, minlength=16)
                if stats.chisquare(sixteenths).pvalue < chance.failure / 2 / tests:
                    return Diagnosis(
                        "not-uniform-here",
                        f"Modulo 2^32, in vectors of {BINS} counts as in the project, {name} of {parties} parties is "
                        f"not uniform: its {bits} four bits are uneven.",
                        "Shares have to be uniform at every modulus and length. Where does your function look at them?",
                    )
            if (bit := uneven_bit(found, 32, chance.failure / tests)) is not None:
                return Diagnosis(
                    "not-uniform-here",
                    f"Modulo 2^32, {name} of {parties} parties is not uniform: bit {bit} of 32, from the lowest, is "
                    f"nearly always the same, or follows the values.",
                    "Shares have to be uniform at every modulus and length. Which bits of yours come from `draw`?",
                )
    return few_bits(source.bits, masks * math.log2(MODULUS))


def few_bits(drawn: float, wanted: float) -> Diagnosis | None:
    """Whether masks are made of fewer random bits than they have: then there are few of them, and all can be tried."""
    if drawn > wanted * (1 - 1e-9):
        return None
    seen = f"In the check `share` needs masks of {wanted:,.0f} bits, and it draws {drawn:,.0f} with `draw`."
    return Diagnosis(
        "own-generator",
        f"{seen} The rest follows from them: whoever tries all that you can have drawn knows the masks.",
        "How many shares of a value are drawn, and not computed?",
    )


def _combined(shares: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Sums of up to parties − 1 rows, and differences of two of three rows or more, with their names."""
    parties, found = len(shares), []
    for size in range(1, parties):
        for rows in itertools.combinations(range(parties), size):
            names = " and ".join(str(row + 1) for row in rows)
            name = f"what party {names} is sent" if size == 1 else f"the sum of what parties {names} are sent"
            found.append((name, shares[list(rows)].sum(axis=0) % MODULUS))
    if parties > 2:
        for one, other in itertools.combinations(range(parties), 2):
            name = f"the difference of what parties {one + 1} and {other + 1} are sent"
            found.append((name, (shares[one] - shares[other]) % MODULUS))
    return found


SHARING = (adds_up, hides, hides_here)
