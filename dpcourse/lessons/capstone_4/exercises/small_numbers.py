"""Capstone 4.1: cells of one test are 0 or 1, so small plain numbers are the usual ones; each has an r of its own."""

from __future__ import annotations

import math

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.lessons.capstone_4.exercises.paillier import key_of, whole, with_n
from dpcourse.lessons.capstone_4.exercises.reference import anew, primes, root

LEAST = 20  # small numbers, and as many near n
FEWER = 44  # bits by which a right r is shorter once in 10^13


def own_r(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Each number twice, with an n of 100 bits and more: no r comes twice, and none is so short that it can be tried.

    Of a right answer two of a hundred r are the same with probability 1e-26 at most, and one is that short with 1e-11.
    """
    p, q = primes(int(chance.rng.integers(50, 90)), chance.rng)
    n, draw = p * q, anew(chance.rng)
    key_of(answer, p, q)
    small = [*range(LEAST), *(2**k for k in range(5, 9)), *(n - k for k in range(1, LEAST))]
    for plain in small:
        ciphers = [whole(answer.part(1)(plain, n, draw), "encrypt") for _ in range(2)]
        if any(math.gcd(c, n) != 1 for c in ciphers):
            continue  # once in 10^14
        name = f"{plain}" if plain < n // 2 else f"n − {n - plain}"
        roots = [root(c, p, q) for c in ciphers]
        if roots[0] == roots[1]:
            r = f"r = {roots[0]}" if roots[0] < 1000 else "the same r"
            ask = "Anybody can encrypt this number and compare. Where does its r come from?"
            return Diagnosis("fixed-r", f"{with_n(n)} you encrypted {name} twice, both times with {r}.", ask)
        if (bits := min(roots).bit_length()) < n.bit_length() - FEWER:
            seen = f"{with_n(n)} you encrypted {name}, and its r has {bits} bits. Right r go up to n."
            return Diagnosis("not-uniform", seen, "How large may the number be that `draw` gives you?")
    return None
