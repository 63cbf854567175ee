"""Capstone 2.1: shares add up to the value, and all but one of them say nothing about it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy import stats

from dpcourse.checks.again import follows
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.links import uneven_bit
from dpcourse.checks.once import whole
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
    asked_again: ClassVar[bool] = True

    def __call__(self, modulus: int, size: Any) -> np.ndarray:
        numbers = self.rng.integers(0, modulus, size)
        self.bits += numbers.size * math.log2(modulus)
        return numbers


def shares_of(answer: Answer, values: np.ndarray, parties: int, modulus: int, source: Source) -> np.ndarray:
    """What `share` returns, as int64 of shape (parties, values): shares that add up, in every call."""
    made = np.asarray(only_numbers(answer.part(0)(values.copy(), parties, modulus, source)))
    if made.shape != (parties, len(values)):
        what = f"`share` returns {a(made)} of shape {made.shape}; {(parties, len(values))} is wanted"
        raise Refused(Diagnosis("wrong-shape", f"{what}: a row for each party."))
    whole = np.array([[int(x) for x in row] for row in made]) if made.dtype == object else made
    if whole.dtype.kind not in "iu" and not np.array_equal(whole, np.round(whole)):
        raise Refused(
            Diagnosis(
                "not-whole",
                f"Your shares are no whole numbers: one is {float(whole[whole != np.round(whole)][0]):,.3f}.",
                "`draw` gives whole numbers, and modulo `modulus` they hide everything. What do you do to them?",
            )
        )
    outside = whole[(whole < 0) | (whole >= modulus)]
    if outside.size:
        raise Refused(
            Diagnosis(
                "not-reduced",
                f"With modulus {_power(modulus)} one of your shares is {outside[0]:,}, outside of 0 … modulus − 1. A "
                "difference that is not reduced may tell about the value: v − mask is v at most.",
                "What is missing between the difference and the share that is sent?",
            )
        )
    summed = whole.astype(np.int64)
    if ((summed.sum(axis=0) - values) % modulus).any():
        what = "shares of zeros" if not values.any() else f"shares of a vector of {len(values):,}"
        raise Refused(
            Diagnosis(
                "not-additive",
                f"For {parties} parties your {what} do not add up to the values modulo {_power(modulus)}.",
                "Servers only add what they are sent. Which share is not drawn but computed?",
            )
        )
    return summed


def adds_up(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Reconstruction, negative values, the sum of two people's shares, and shares that others made.

    Vectors are as long as the project's, of any length, or of one value, and values of all sizes, as noisy counts are;
    two fifths of the vectors are zeros.
    """
    if not isinstance(answer.value, tuple | list) or len(answer.value) != 2:
        return Diagnosis("wrong-shape", f"(share, reconstruct) is wanted, and this is {a(answer.value)}.")
    for parties, length in ((k, long) for k in (2, 3, 4, 5, 6, 9) for long in (BINS, whole(chance.rng, 1, 1000), 1)):
        source, most = Source(chance.rng), 2 ** int(chance.rng.integers(4, 30))
        mine, yours = chance.rng.integers(-most, most, (2, length)) * (chance.rng.random((2, 1)) < 0.6)
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
                place = int(np.flatnonzero(got != values)[0])
                return Diagnosis(
                    "negatives",
                    f"Your `reconstruct` is right up to multiples of the modulus 2^32: of {length:,} values, "
                    f"{values[place]:,} comes back as {got[place]:,.0f}.",
                    "A count with noise may be negative. Which half of 0 … modulus − 1 stands for negative numbers?",
                )
            return Diagnosis(
                "wrong-sum" if what == "the values" else "not-additive",
                f"For {parties} parties and vectors of {length:,} `reconstruct` does not give back {what}. And the "
                "shares are right: they add up to the values modulo the modulus.",
                "Does `reconstruct` add up all of them, and nothing else?",
            )
        if not source.bits:
            ask = "draw(modulus, size) gives uniform whole numbers. How many of the shares does it have to give?"
            seen = f"With {parties} parties your `share` does not call `draw`"
            if (row := _as_it_is(sent[0], mine)) is not None:
                seen += f", and party {row + 1} is sent the values themselves. (−1 is sent as 2^32 − 1.)"
                return Diagnosis("plain", seen, ask)
            seen += ". Masks from elsewhere are only as secret as what they are made of, such as a seed."
            return Diagnosis("own-generator", seen, ask)
    return None


def _as_it_is(shares: np.ndarray, values: np.ndarray) -> int | None:
    """Which row is the values themselves, modulo 2^32; None where none is."""
    found = np.flatnonzero((shares == values % MODULUS).all(axis=1))
    return int(found[0]) if len(found) else None


def _power(modulus: int) -> str:
    return "2^32" if modulus == MODULUS else f"{modulus}"


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
                f"Party {plain[0] + 1} of {parties} is sent the value itself: for {value} modulo {SMALL}, nearly "
                f"always {value % SMALL}.",
                "What in this share hides the value from this party?",
            )
        if (np.ptp(first, axis=1) == 0).all():
            return Diagnosis(
                "one-mask",
                "One mask serves all entries of a vector. So the difference of two entries of a computed share is the "
                "difference of two counts.",
                "How many numbers does a vector of 21 counts need from `draw`, for each share that is drawn?",
            )
        if np.array_equal(first, second):
            return Diagnosis(
                "reused",
                "Two calls with the same values give the same shares: the masks come again. Next quarter's computed "
                "share minus this quarter's is what changed at that supplier, in clear.",
                "Which of your masks are the numbers that `draw` gave in this very call?",
            )
        for few in itertools.combinations(range(parties), parties - 1):
            if _tells(first[list(few)], chance.failure / TESTS):
                return Diagnosis(
                    "not-uniform",
                    f"What {_names(few)} sent is not uniform. In {VALUES:,} sharings of {value} among {parties}, "
                    f"modulo {SMALL}, {_uneven(first[list(few)])}",
                    "Whichever share is left out, the others must be like draws of their own from 0 … modulus − 1. "
                    "Where do yours come from?",
                )
            for row in few:
                linked = ([first[row], second[row]], [first[row][:-1], first[row][1:]])
                if any(_tells(np.array(two), chance.failure / TESTS) for two in linked):
                    return Diagnosis(
                        "reused",
                        f"Party {row + 1}'s shares are not independent, from one entry to the next or from one call to "
                        "the next.",
                        "Does every entry have a new number from `draw`, in every call?",
                    )
    return None


def _tells(shares: np.ndarray, level: float) -> bool:
    """χ² of the joint values of some shares, shape (k, n), against the uniform law on all SMALL^k of them."""
    return bool(stats.chisquare(_often(shares)).pvalue < level)


def _often(shares: np.ndarray) -> np.ndarray:
    """How often each of the joint values came."""
    codes = (shares * SMALL ** np.arange(len(shares))[:, None]).sum(axis=0)
    return np.bincount(codes, minlength=SMALL ** len(shares))


def _uneven(shares: np.ndarray) -> str:
    """The joint values that came most often and least often, in words."""
    often, size = _often(shares), len(shares)
    most, least = (
        ", ".join(str(code // SMALL**place % SMALL) for place in range(size))
        for code in (often.argmax(), often.argmin())
    )
    most, least = (one if size == 1 else f"({one})" for one in (most, least))
    times = f"{often.min():,} times" if often.min() else "never"
    return f"{most} came {often.max():,} times and {least} {times}; about {often.mean():.0f} times is right."


def _names(rows: tuple[int, ...]) -> str:
    names = " and ".join(str(row + 1) for row in rows)
    return f"party {names} is" if len(rows) == 1 else f"parties {names} together are"


def hides_here(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At the project's modulus and all lengths: shares, sums of them and differences, the lowest bits and the highest.

    Values are small counts, as in the project: far from uniform, so that whatever follows them shows. Of 2 to 6
    parties all sums of up to parties − 1 shares and all differences of two are uniform: 296 χ² tests of 1,500 numbers
    in 16 classes, and all their bits (`uneven_bit`). A right answer fails with probability `chance.failure` at most.
    """
    source, tests, masks = Source(chance.rng), 296, 0
    for parties in (2, 3, 4, 5, 6):
        lengths = [BINS] * 25 + [450]
        while sum(lengths) < 1500:
            lengths.append(whole(chance.rng, 1, 150))
        counts = [chance.rng.poisson(chance.rng.uniform(0.5, 6), length) for length in lengths]
        shares = np.hstack([shares_of(answer, some, parties, MODULUS, source) for some in counts])
        masks += shares[1:].size
        if (row := _as_it_is(shares, np.hstack(counts))) is not None:
            seen = f"Modulo 2^32, in vectors of {BINS} counts and other lengths, party {row + 1} of {parties} is sent"
            ask = "Shares have to be uniform at every modulus and length. Where does your function look at them?"
            return Diagnosis("not-uniform-here", f"{seen} the counts themselves.", ask)
        for name, found in combined(shares):
            if bits := uneven_bits(found, chance.failure / 2 / tests):
                return Diagnosis(
                    "not-uniform-here",
                    f"Modulo 2^32, in vectors of {BINS} counts and other lengths, {name} of {parties} parties is not "
                    f"uniform: {bits}.",
                    "Shares have to be uniform at every modulus and length. Where does your function look at them?",
                )
            if (bit := uneven_bit(found, 32, chance.failure / tests)) is not None:
                ones = float((found >> bit & 1).mean())
                return Diagnosis(
                    "not-uniform-here",
                    f"Modulo 2^32, {name} of {parties} parties is not uniform: bit {bit} (the lowest is bit 0) is 1 in "
                    f"{ones:.0%} of {found.size:,} numbers, and half would be right.",
                    "Shares have to be uniform at every modulus and length. Which bits of yours come from `draw`?",
                )
    return few_bits(source.bits, masks * math.log2(MODULUS))


def few_bits(drawn: float, wanted: float) -> Diagnosis | None:
    """Whether masks are made of fewer random bits than they have: then there are few of them, and all can be tried."""
    if drawn > wanted * (1 - 1e-9):
        return None
    seen = f"In the check all masks together are {wanted:,.0f} bits long, and {drawn:,.0f} bits come from `draw`."
    return Diagnosis(
        "own-generator",
        f"{seen} If the others are made of these few, somebody can try them all and find the masks.",
        "Where do the other bits of your masks come from?",
    )


def uneven_bits(found: np.ndarray, failure: float) -> str:
    """Whether the lowest four bits of numbers modulo 2^32, or the highest, are uneven, in words: two χ² tests."""
    for shift, bits in ((0, "lowest"), (28, "highest")):
        sixteenths = np.bincount((found >> shift) & 15, minlength=16)
        if stats.chisquare(sixteenths).pvalue < failure:
            often = int(sixteenths.argmax())
            part = f"{often:04b} in {sixteenths[often] / found.size:.0%} of {found.size:,} numbers"
            return f"its {bits} four bits are {part}, and about 6% would be right"
    return ""


def combined(shares: np.ndarray) -> list[tuple[str, np.ndarray]]:
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


def drawn(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Shares follow from what `draw` gives: a number modulo 2^32 is the same twice once in four billion."""
    counts = chance.rng.poisson(3, BINS)

    def shares(seed: int) -> np.ndarray:
        return shares_of(answer, counts, 3, MODULUS, Source(np.random.default_rng(seed)))

    return follows(answer, shares, chance.rng, "draw")


SHARING = (adds_up, hides, hides_here, drawn)
