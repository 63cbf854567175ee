"""Capstone 4.1: encryption that adds up, with fresh randomness in every ciphertext."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis, Refused, a
from dpcourse.lessons.capstone_4.exercises.reference import anew, decrypted, encrypted, primes, root

PARTS = ("key", "encrypt", "add", "decrypt")
SIZES = (12, 24, 48, 90, 200)  # bits of a prime, and up to a third more: n has twice as many
TESTS = 8  # χ² tests in a check


def whole(given: Any, name: str) -> int:
    """What a part of the answer returns, as one of Python's own whole numbers."""
    if isinstance(given, bool | np.bool_) or not hasattr(given, "__index__"):
        raise Refused(Diagnosis("wrong-type", f"`{name}` returns {a(given)}; a whole number is wanted."))
    return operator.index(given)


def _key(answer: Answer, p: int, q: int) -> Any:
    given = answer.part(0)(p, q)
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise Refused(Diagnosis("wrong-shape", f"`key` returns {a(given)}; (n, secret) is wanted."))
    if whole(given[0], "key") != p * q:
        raise Refused(Diagnosis("wrong-n", f"For the primes {p} and {q} your n is {given[0]}.", "n is their product."))
    return given[1]


def works(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What is encrypted comes back, by the answer's own parts and by ours; a product is a sum, modulo n."""
    if not isinstance(answer.value, tuple | list) or len(answer.value) != len(PARTS):
        return Diagnosis("wrong-shape", f"({', '.join(PARTS)}) is wanted, and this is {a(answer.value)}.")
    for least in SIZES:
        p, q = primes(int(least * chance.rng.uniform(1, 1.33)), chance.rng)
        n, secret, draw = p * q, _key(answer, p, q), anew(chance.rng)
        some = [0, 1, n - 1, *(anew(chance.rng)(n) for _ in range(4))]
        mine = [whole(answer.part(1)(m, n, draw), "encrypt") for m in some]
        ours = [encrypted(m, n, anew(chance.rng)) for m in some]
        if not draw.bits:
            return Diagnosis(
                "own-generator",
                "Your `encrypt` never calls `draw`. Then either nothing is random in a ciphertext, or it is as secret "
                "as the seed of some other generator.",
                "draw(limit) gives a whole number in 0 … limit − 1.",
            )
        if any(not 0 < c < n * n for c in mine):
            return Diagnosis(
                "not-reduced", f"For n = {n} a ciphertext is outside of 1 … n² − 1.", "All is taken modulo n²."
            )
        if any(math.gcd(c, n) != 1 for c in mine):
            return _no_unit(n)
        for c, m in zip(mine, some, strict=True):
            if decrypted(c, p, q) != m:
                return Diagnosis(
                    "wrong-ciphertext",
                    f"For n = {n} your ciphertext of {m} is one of {decrypted(c, p, q)}.",
                    "(1 + plain·n) · rⁿ modulo n². Which power does r have, and which modulus?",
                )
        wrong = _reads(answer, ours, some, n, secret) or _adds(answer, ours, some, n, p, q)
        if wrong:
            return wrong
    return None


def _no_unit(n: int) -> Diagnosis:
    return Diagnosis(
        "no-unit",
        f"For n = {n} a ciphertext has a factor in common with n. It cannot be decrypted, and it gives n's factors "
        "away.",
        "Draw r again until gcd(r, n) is 1. With large primes that never happens, with small ones it does.",
    )


def _reads(answer: Answer, ours: list[int], some: list[int], n: int, secret: Any) -> Diagnosis | None:
    for c, m in zip(ours, some, strict=True):
        got = answer.part(3)(c, n, secret)
        if whole(got, "decrypt") == m:
            continue
        if m == n - 1 and got == -1:
            return Diagnosis("signed", f"For n = {n}, `decrypt` makes −1 of n − 1.", "Plain numbers are 0 … n − 1.")
        return Diagnosis(
            "wrong-plain",
            f"For n = {n}, `decrypt` makes {got} of a ciphertext of {m}.",
            "c to the power λ = lcm(p − 1, q − 1) is 1 + plain·λ·n modulo n². What is left to divide by?",
        )
    return None


def _adds(answer: Answer, ours: list[int], some: list[int], n: int, p: int, q: int) -> Diagnosis | None:
    for one, c in zip(some, ours, strict=True):
        for other, b in zip(some, ours, strict=True):
            got = whole(answer.part(2)(c, b, n), "add")
            if got % n == 0 or math.gcd(got, n) != 1 or decrypted(got, p, q) != (one + other) % n:
                seen = f"For n = {n}, your sum of ciphertexts of {one} and {other} is none of {(one + other) % n}."
                return Diagnosis(
                    "wrong-sum", seen, "(1 + n)^a · (1 + n)^b is (1 + n)^(a + b). Which operation is that?"
                )
            if not 0 < got < n * n:
                return Diagnosis("not-reduced", f"For n = {n} a sum is outside of 1 … n² − 1.", "Modulo n².")
    return None


def refuses(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What is no plain number and no ciphertext is refused by a ValueError."""
    for least in (16, 60):
        p, q = primes(int(least * chance.rng.uniform(1, 1.5)), chance.rng)
        n, secret, k = p * q, _key(answer, p, q), int(chance.rng.integers(2, 50))
        good = encrypted(5, n, anew(chance.rng))
        for strange in (-1, -k, n, n + k, n * k):
            if not _stops(answer.part(1), strange, n, anew(chance.rng)):
                what = "−1" if strange == -1 else "n" if strange == n else "less than 0" if strange < 0 else "above n"
                seen = f"`encrypt` takes a number that is {what}, and what comes back is another one."
                ask = "A plain number is in 0 … n − 1. Raise a ValueError for any other."
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
                    f"`decrypt` is given {what}, which is no ciphertext, and returns a number all the same.",
                    "A ciphertext is in 1 … n² − 1 and has no factor in common with n. Raise a ValueError.",
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
        return _no_unit(n)
    place = {r: k for k, r in enumerate(units)}
    found = np.array([place[root(c, p, q)] for c in ciphers])
    if np.ptp(found) == 0 or np.ptp(found[1::2]) == 0:
        return Diagnosis(
            "fixed-r",
            f"Two encryptions of {plain[0]} are the same number. Most cells are 0 or 1: whoever encrypts both has read "
            "the matrix.",
            "A new r for every ciphertext.",
        )
    level, size = chance.failure / TESTS, len(units)
    if stats.chisquare(np.bincount(found, minlength=size)).pvalue < level:
        return _uneven(n)
    few = found * 4 // size
    plain_class = np.minimum(np.array(plain) * 4 // n, 3)
    linked = (few[:-1] + 4 * few[1:], few[:-2] + 4 * few[2:], (few + 4 * plain_class)[::2])
    for codes, classes in zip(linked, (few, few, plain_class[::2]), strict=True):
        table = np.bincount(codes, minlength=16).reshape(4, 4)
        if np.unique(classes).size > 1 and stats.chi2_contingency(table + 0)[1] < level:
            return Diagnosis(
                "linked-r",
                f"The r of a ciphertext hangs together with the one before, or with what is encrypted (n = {n}).",
                "A new number from `draw` for every ciphertext, and nothing else.",
            )
    return _large(answer, chance, level)


def _large(answer: Answer, chance: Chance, level: float) -> Diagnosis | None:
    """The same where n is large: r over all of its range, high and low, and every bit below the highest eight is free.

    Among 320 right r up to 240 bits are linearly independent but with probability 2^−72.
    """
    p, q = primes(int(chance.rng.integers(30, 120)), chance.rng)
    n, secret = p * q, 320
    draws = [anew(chance.rng) for _ in range(secret)]
    roots = [root(whole(answer.part(1)(5, n, draw), "encrypt"), p, q) for draw in draws]
    for classes in ([r * 8 // n for r in roots], [r % 8 for r in roots]):
        if stats.chisquare(np.bincount(classes, minlength=8)).pvalue < level:
            return _uneven(n)
    bits = n.bit_length() - 8
    free = _independent([(r ^ roots[0]) % 2**bits for r in roots])
    if free < bits:
        return Diagnosis(
            "not-uniform",
            f"Of the last {bits} bits of your r only {free} are free: the others are fixed, or follow from these. So "
            f"there are {2**free:.3g} different r, where {2**bits:.3g} are wanted.",
            "draw(n) is uniform on 0 … n − 1. Is anything done to it before it is r?",
        )
    fewest = min(draw.bits for draw in draws)
    if fewest < math.log2(n) - 1:
        return Diagnosis(
            "own-generator",
            f"For an r of {n.bit_length()} bits your `encrypt` draws {fewest:.0f} with `draw`. The rest follows from "
            "them: whoever tries all that you can have drawn reads the cell.",
            "draw(n) gives all of r at once.",
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


def _uneven(n: int) -> Diagnosis:
    return Diagnosis(
        "not-uniform",
        f"For n = {n} some r come more often than others.",
        "draw(n) is uniform on 0 … n − 1. Which of these numbers may be kept, and is anything done to them?",
    )


PAILLIER = (works, refuses, hides)
