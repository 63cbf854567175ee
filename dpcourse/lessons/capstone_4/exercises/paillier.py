"""Capstone 4.1: encryption that adds up, with fresh randomness in every ciphertext."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.again import follows
from dpcourse.checks.answered import stops
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.lessons.capstone_4.design import TOY_PRIMES
from dpcourse.lessons.capstone_4.exercises.reference import anew, decrypted, encrypted, primes, root

PARTS = ("key", "encrypt", "add", "decrypt")
SIZES = (12, 24, 48, 90, 200)  # bits of a prime, and up to a third more: n has twice as many
TESTS = 8  # χ² tests in a check
NO_CIPHER = "A ciphertext is in 1 … n² − 1 and has no factor in common with n. Which of the two do you check?"
LONGER = "With a smaller n it was right. Which of your numbers loses digits: is one a float, or has it 64 bits only?"


def whole(given: Any, name: str) -> int:
    """What a part of the answer returns, as one of Python's own whole numbers."""
    if isinstance(given, bool | np.bool_) or not hasattr(given, "__index__"):
        raise Refused(Diagnosis("wrong-type", f"`{name}` returns {a(given)}; a whole number is wanted."))
    return operator.index(given)


def said(number: int) -> str:
    """A number as one reads it: its size in bits where it is long."""
    return f"{number:,}" if abs(number) < 10**9 else f"a number of {abs(number).bit_length()} bits"


def with_n(n: int) -> str:
    return f"With n = {n:,}" if n < 10**9 else f"With an n of {n.bit_length()} bits"


def key_of(answer: Answer, p: int, q: int) -> Any:
    given = answer.part(0)(p, q)
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise Refused(Diagnosis("wrong-shape", f"`key` returns {a(given)}; (n, secret) is wanted."))
    if whole(given[0], "key") != p * q:
        raise Refused(
            Diagnosis(
                "wrong-n", f"For the primes {said(p)} and {said(q)} your n is {said(given[0])}.", "n is their product."
            )
        )
    return given[1]


def works(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What is encrypted comes back, by the answer's own parts and by ours; a product is a sum, modulo n."""
    if not isinstance(answer.value, tuple | list) or len(answer.value) != len(PARTS):
        return Diagnosis("wrong-shape", f"({', '.join(PARTS)}) is wanted, and this is {a(answer.value)}.")
    for look, least in enumerate(SIZES):
        p, q = primes(int(least * chance.rng.uniform(1, 1.33)), chance.rng)
        n, secret, draw = p * q, key_of(answer, p, q), anew(chance.rng)
        some = [0, 1, n - 1, *(anew(chance.rng)(n) for _ in range(4))]
        mine = [whole(answer.part(1)(m, n, draw), "encrypt") for m in some]
        ours = [encrypted(m, n, anew(chance.rng)) for m in some]
        if not draw.bits:
            return _not_drawn({c % n for c in mine})
        if any(not 0 < c < n * n for c in mine):
            seen = f"{with_n(n)}, `encrypt` returns a number outside of 1 … n² − 1."
            return Diagnosis("not-reduced", seen, "Modulo which number is a ciphertext taken?")
        if any(math.gcd(c, n) != 1 for c in mine):
            return _no_unit(n, mine)
        for c, m in zip(mine, some, strict=True):
            if decrypted(c, p, q) != m:
                ask = "(1 + plain·n) · rⁿ modulo n². Which power does r have, and which modulus?"
                return Diagnosis(
                    "wrong-ciphertext",
                    f"{with_n(n)} you encrypt {said(m)}, and what you return decrypts to {said(decrypted(c, p, q))}.",
                    LONGER if look else ask,
                )
        wrong = _reads(answer, ours, some, secret, p, q, look > 0) or _adds(answer, ours, some, n, p, q)
        if wrong:
            return wrong
        with stops("plain-cipher", f"{with_n(n)} and a ciphertext whose r is 1, such as 1, which holds 0", NO_CIPHER):
            wrong = _reads(answer, [1 + m * n for m in some], some, secret, p, q, look > 0)
        if wrong:
            return wrong
    return None


def _not_drawn(roots: set[int]) -> Diagnosis:
    """Without a call of `draw`: what is left of the ciphertexts modulo n is rⁿ."""
    ask = "draw(limit) gives a uniform whole number in 0 … limit − 1. Where does your r come from?"
    if len(roots) == 1:
        seen = "Your `encrypt` never calls `draw`, and nothing in its ciphertexts is new: modulo n all are the same."
        return Diagnosis("fixed-r", f"{seen} So anybody can encrypt a 0 and a 1 and compare.", ask)
    seen = "Your `encrypt` never calls `draw`, so its r comes from elsewhere. If it can be guessed, so can the cells."
    return Diagnosis("own-generator", seen, ask)


def _no_unit(n: int, ciphers: list[int]) -> Diagnosis:
    common = next(math.gcd(c, n) for c in ciphers if math.gcd(c, n) != 1)
    seen = f"{with_n(n)} you return a ciphertext whose gcd with n is {said(common)}. It cannot be decrypted"
    seen += ", and anybody who sees it knows a factor of n." if common < n else "."
    ask = "Which r does the task rule out? With large primes you practically never draw one, with small ones you do."
    return Diagnosis("no-unit", seen, ask)


def _reads(
    answer: Answer, ours: list[int], some: list[int], secret: Any, p: int, q: int, later: bool
) -> Diagnosis | None:
    n, powers = p * q, {"λ": math.lcm(p - 1, q - 1), "(p − 1)(q − 1)": (p - 1) * (q - 1)}
    for c, m in zip(ours, some, strict=True):
        got = answer.part(3)(c, n, secret)
        if whole(got, "decrypt") == m:
            continue
        if m == n - 1 and got == -1:
            ask = "Plain numbers are 0 … n − 1. Which of them is −1 modulo n?"
            return Diagnosis("signed", f"{with_n(n)}, `decrypt` returns −1 where n − 1 was encrypted.", ask)
        seen = f"{with_n(n)}, `decrypt` returns {said(got)} where {said(m)} was encrypted."
        ask = "c to the power λ = lcm(p − 1, q − 1) is 1 + plain·λ·n modulo n². What is left to divide by, modulo n?"
        times = [name for name, power in powers.items() if got == m * power % n]
        if times:
            return Diagnosis("wrong-plain", f"{seen} That is {times[0]} times as much, modulo n.", ask)
        return Diagnosis("wrong-plain", seen, LONGER if later else ask)
    return None


def _adds(answer: Answer, ours: list[int], some: list[int], n: int, p: int, q: int) -> Diagnosis | None:
    for one, c in zip(some, ours, strict=True):
        for other, b in zip(some, ours, strict=True):
            got = whole(answer.part(2)(c, b, n), "add")
            if got % n == 0 or math.gcd(got, n) != 1 or decrypted(got, p, q) != (one + other) % n:
                seen = f"{with_n(n)} you add ciphertexts of {said(one)} and {said(other)}. What you return does "
                seen += f"not decrypt to {said((one + other) % n)}."
                return Diagnosis(
                    "wrong-sum", seen, "(1 + n)^a · (1 + n)^b is (1 + n)^(a + b). Which operation is that?"
                )
            if not 0 < got < n * n:
                seen = f"{with_n(n)}, `add` returns a number outside of 1 … n² − 1."
                return Diagnosis("not-reduced", seen, "Modulo which number is a ciphertext taken?")
    return None


def refuses(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What is no plain number and no ciphertext is refused by a ValueError, with a key of full size too."""
    small = [primes(int(least * chance.rng.uniform(1, 1.5)), chance.rng) for least in (16, 60)]
    for p, q in (*small, TOY_PRIMES):
        n, secret, k = p * q, key_of(answer, p, q), int(chance.rng.integers(2, 50))
        good = 1 + 5 * n  # with r = 1
        for strange in (-1, -k, n, n + k, n * k):
            if not _stops(answer.part(1), strange, n, anew(chance.rng)):
                names = {-1: "−1", n: "n"}
                what = names.get(strange, "a number below 0" if strange < 0 else "a number above n")
                seen = f"{with_n(n)}, `encrypt` takes {what} and raises no ValueError."
                ask = (
                    "What can `decrypt` return of it? A plain number is in 0 … n − 1. Raise a ValueError for any other."
                )
                return Diagnosis("takes-any-plain", seen, ask)
        for what, strange in (
            ("0", 0),
            ("−1 times a ciphertext", -good),
            ("n²", n * n),
            ("a ciphertext and n² more", good + n * n),
            ("a multiple of p", p * k),
            ("a multiple of n", n * k),
        ):
            if not _stops(answer.part(3), strange, n, secret):
                return Diagnosis(
                    "takes-any-cipher",
                    f"{with_n(n)}, `decrypt` takes {what}, which is no ciphertext, and raises no ValueError.",
                    NO_CIPHER,
                )
    return None


def _stops(part: Answer, *arguments: Any) -> bool:
    try:
        part(*arguments)
    except AnswerRaised as raised:
        if isinstance(raised.error, ValueError):
            return True
        raise
    return False


def hides(answer: Answer, chance: Chance) -> Diagnosis | None:
    """With small primes we take r out of a ciphertext again: uniform, new every time, whatever is encrypted."""
    pairs = [(7, 11), (11, 13), (7, 17), (11, 17), (13, 17), (13, 19), (11, 19)]
    p, q = pairs[int(chance.rng.integers(len(pairs)))]
    n, draw = p * q, anew(chance.rng)
    units = [r for r in range(n) if math.gcd(r, n) == 1]
    plain = [int(x) for x in chance.rng.integers(0, n, 16 * len(units))]
    plain[1::2] = [plain[0]] * len(plain[1::2])
    ciphers = [whole(answer.part(1)(m, n, draw), "encrypt") for m in plain]
    if any(math.gcd(c, n) != 1 for c in ciphers):
        return _no_unit(n, ciphers)
    place = {r: k for k, r in enumerate(units)}
    found = np.array([place[root(c, p, q)] for c in ciphers])
    if np.ptp(found) == 0 or np.ptp(found[1::2]) == 0:
        return Diagnosis(
            "fixed-r",
            f"You encrypted {plain[0]} several times, and all of these ciphertexts are the same number. So anybody can "
            "encrypt a guess and compare, and a cell is 0 or 1.",
            "How does the number that you draw enter the ciphertext, and is it drawn anew for each?",
        )
    level, size = chance.failure / TESTS, len(units)
    often = np.bincount(found, minlength=size)
    if stats.chisquare(often).pvalue < level:
        most, least = int(often.argmax()), int(often.argmin())
        seen = (
            f"For n = {n} you made {len(found):,} ciphertexts, and about {len(found) / size:.0f} of each r are right."
        )
        return _uneven(
            f"{seen} r = {units[most]} came {often[most]} times, and r = {units[least]} came {often[least]} times."
        )
    few = found * 4 // size
    plain_class = np.minimum(np.array(plain) * 4 // n, 3)
    linked = (
        (few[:-1] + 4 * few[1:], few, "the r of the ciphertext before"),
        (few[:-2] + 4 * few[2:], few, "the r two ciphertexts before"),
        ((few + 4 * plain_class)[::2], plain_class[::2], "the plain number"),
    )
    for codes, classes, what in linked:
        table = np.bincount(codes, minlength=16).reshape(4, 4)
        if np.unique(classes).size > 1 and stats.chi2_contingency(table + 0)[1] < level:
            return Diagnosis(
                "linked-r",
                f"For n = {n} we took r out of your ciphertexts again. Anybody who knows {what} can guess better "
                "than by chance how large r is.",
                "Does anything enter r besides a new number from `draw`?",
            )
    return _large(answer, chance, level)


def _large(answer: Answer, chance: Chance, level: float) -> Diagnosis | None:
    """The same where n is large: r over all of its range, high and low, and every bit below the highest eight is free.

    Among 320 right r up to 240 bits are linearly independent but with probability 2^−72.
    """
    p, q = primes(int(chance.rng.integers(30, 120)), chance.rng)
    n, secret = p * q, 320
    draws = [anew(chance.rng) for _ in range(secret)]
    plain = anew(chance.rng)  # of any size, as cells side by side are
    roots = [root(whole(answer.part(1)(plain(n), n, draw), "encrypt"), p, q) for draw in draws]
    if (longest := max(roots).bit_length()) < n.bit_length() - 16:
        seen = f"n has {n.bit_length()} bits, and the longest of {secret} r has {longest}. Right r go up to n."
        return Diagnosis("not-uniform", seen, "How large may the number be that `draw` gives you?")
    for classes, where in (
        ([r * 8 // n for r in roots], "in one eighth of 0 … n"),
        ([r % 8 for r in roots], "modulo 8"),
    ):
        often = np.bincount(classes, minlength=8)
        if stats.chisquare(often).pvalue < level:
            what = f"{often.max()} of {secret} r are {'the same ' if where == 'modulo 8' else ''}{where}"
            return _uneven(f"With an n of {n.bit_length()} bits {what}, and about {secret // 8} are right.")
    bits = n.bit_length() - 8
    free = _independent([(r ^ roots[0]) % 2**bits for r in roots])
    if free < bits:
        return Diagnosis(
            "not-uniform",
            f"Of the last {bits} bits of your r only {free} are free. The others are fixed, or follow from these: so "
            f"these bits take at most 2^{free} values, where 2^{bits} are right.",
            "draw(n) is uniform on 0 … n − 1. Is anything done to it before it is r?",
        )
    fewest = min(draw.bits for draw in draws)
    if fewest < math.log2(n) - 1:
        return Diagnosis(
            "own-generator",
            f"For an r of {n.bit_length()} bits your `encrypt` draws only {fewest:.0f} bits with `draw`. If the others "
            f"follow from these, anybody can try all 2^{fewest:.0f} draws and read the cell.",
            "draw(n) gives all of r at once. Where do the other bits of yours come from?",
        )
    return None


def _independent(numbers: list[int]) -> int:
    """How many of these are no exclusive or of others: the rank of their bits."""
    basis: dict[int, int] = {}
    for one in numbers:
        while one and (other := basis.get(one.bit_length())):
            one ^= other
        if one:
            basis[one.bit_length()] = one
    return len(basis)


def _uneven(seen: str) -> Diagnosis:
    ask = "draw(n) is uniform on 0 … n − 1. Which of these numbers do you keep, and what do you do to them?"
    return Diagnosis("not-uniform", seen, ask)


def drawn(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Ciphertexts follow from what `draw` gives: one of 80 bits and more is never the same twice."""
    p, q = primes(40, chance.rng)
    any_plain = anew(chance.rng)
    plain = [any_plain(p * q) for _ in range(8)]

    def ciphers(seed: int) -> list[int]:
        draw = anew(np.random.default_rng(seed))
        return [whole(answer.part(1)(one, p * q, draw), "encrypt") for one in plain]

    return follows(answer, ciphers, chance.rng, "draw")


PAILLIER = (works, refuses, hides, drawn)
