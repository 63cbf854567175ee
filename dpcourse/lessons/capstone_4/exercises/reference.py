"""What the checks compare with: primes, Paillier's encryption, packing, opening by three, and a choice of tests."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dpcourse.checks.once import fresh
from dpcourse.lessons.capstone_4.design import FACTORIAL, NEEDED, Part
from dpcourse.lessons.capstone_4.numbers import exponents

_SMALL = [k for k in range(3, 2000, 2) if all(k % j for j in range(3, math.isqrt(k) + 1, 2))]
_PRODUCT = math.prod((2, *_SMALL))


@dataclass
class Source:
    """Uniform whole numbers below a limit, and how many bits were asked for: what a check hands in as `draw`."""

    rng: np.random.Generator
    bits: float = field(default=0)
    asked_again: ClassVar[bool] = True

    def __call__(self, limit: int) -> int:
        limit = operator.index(limit)
        if limit < 1:
            raise ValueError(f"draw(limit) needs limit ≥ 1, got {limit!r}")
        self.bits += math.log2(limit)
        size = (limit - 1).bit_length()
        while True:
            found = int.from_bytes(self.rng.bytes((size + 7) // 8), "little") >> -size % 8
            if found < limit:
                return found


@dataclass
class OneOdd(Source):
    """Numbers below n that are 1 modulo p, or are so plus 1 where the limit is n − 1; but for one of them, the `odd`th.

    rⁿ of the others has no part of order p' = (p − 1)/2. A share of the key that is off by nq' fails where one has.
    """

    n: int = 0
    p: int = 0
    odd: int = 0

    def __call__(self, limit: int) -> int:
        found = super().__call__(limit)
        if 2 * limit < self.n:
            return found
        self.odd -= 1
        return found if self.odd == -1 else found - found % self.p + (limit != self.n - 1)


def anew(rng: np.random.Generator) -> Source:
    """A source with a generator of its own, so that nothing but its seed comes from the check."""
    return Source(fresh(rng))


def is_prime(number: int) -> bool:
    """Miller and Rabin's test to twelve bases: exact below 3.3e24, and far from wrong on random numbers above."""
    if number < 2000:
        return number == 2 or number in _SMALL
    if math.gcd(number, _PRODUCT) > 1:
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        x = pow(base, odd, number)
        if x in (1, number - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % number
            if x == number - 1:
                break
        else:
            return False
    return True


def prime(bits: int, rng: np.random.Generator, *, safe: bool = False) -> int:
    """A random prime of exactly so many bits, its two highest bits set; `safe` if (prime − 1)/2 is prime too."""
    draw = Source(rng)
    while True:
        found = (3 << bits - 2) | draw(2 ** (bits - 2)) | (3 if safe else 1)
        if safe and (math.gcd(found, _PRODUCT) > 1 or not is_prime(found // 2)):  # what is quickly seen comes first
            continue
        if is_prime(found):
            return found


def primes(bits: int, rng: np.random.Generator, *, safe: bool = False) -> tuple[int, int]:
    """Two different ones, so that n = pq has an inverse modulo (p − 1)(q − 1)."""
    p = prime(bits, rng, safe=safe)
    while (q := prime(bits, rng, safe=safe)) == p:
        pass
    return p, q


def encrypted(plain: int, n: int, draw: Source) -> int:
    while math.gcd(r := draw(n), n) != 1:
        pass
    return (1 + plain * n) * pow(r, n, n * n) % (n * n)


def decrypted(cipher: int, p: int, q: int) -> int:
    n, order = p * q, math.lcm(p - 1, q - 1)
    return (pow(cipher, order, n * n) - 1) // n * pow(order, -1, n) % n


def root(cipher: int, p: int, q: int) -> int:
    """The r of a ciphertext (1 + plain n) rⁿ modulo n²: modulo n only rⁿ is left, and p, q make roots easy."""
    n = p * q
    return pow(cipher % n, pow(n, -1, math.lcm(p - 1, q - 1)), n)


def slots_in(n: int, bits: int) -> int:
    return (n.bit_length() - 1) // bits


def packed(values: Sequence[int], bits: int, n: int) -> list[int]:
    many = slots_in(n, bits)
    groups = [values[start : start + many] for start in range(0, len(values), many)]
    return [sum(int(value) << bits * place for place, value in enumerate(group)) for group in groups]


def unpacked(plain: Sequence[int], bits: int, count: int, n: int) -> list[int]:
    many, mask = slots_in(n, bits), 2**bits - 1
    return [int(plain[k // many]) >> bits * (k % many) & mask for k in range(count)]


def part_of(cipher: int, share: Part, n: int) -> Part:
    return share[0], pow(cipher, 2 * FACTORIAL * share[1], n * n)


def combined(parts: Sequence[Part], n: int) -> int | None:
    """What all triples of different parties agree on; None where there is none, or they do not."""
    first = {number: value for number, value in reversed(parts)}
    found: set[int | None] = set()
    for three in itertools.combinations(sorted(first), NEEDED):
        x = 1
        for number, power in exponents(three).items():
            if math.gcd(first[number], n) != 1:
                return None
            x = x * pow(first[number], 2 * power, n * n) % (n * n)
        found.add((x - 1) // n * pow(4 * FACTORIAL**2, -1, n) % n if x % n == 1 else None)
    return found.pop() if len(found) == 1 else None


def chosen(caught: np.ndarray, cost: np.ndarray, weights: np.ndarray, budget: float) -> np.ndarray:
    """Greedy: again and again the test that adds most weight in its time, among those that still fit."""
    left, spent, tests = np.maximum(weights, 0.0), 0.0, list[int]()
    gain, fits = caught @ left, cost <= budget
    while True:
        rate = np.where(fits, gain / cost, 0.0)
        best = int(rate.argmax())
        if rate[best] <= 1e-9 * max(left.max(initial=0.0), 1e-300):
            return np.array(tests, dtype=int)
        tests.append(best)
        spent += float(cost[best])
        new = np.flatnonzero(caught[best] & (left > 0))
        gain = gain - caught[:, new] @ left[new]
        left[new] = 0.0
        fits &= cost <= budget - spent
        fits[best] = False


def timed(cost: np.ndarray, rng: np.random.Generator, kind: str = "") -> np.ndarray:
    """Times of tests as they are drawn, or whole, of a decimal, or all alike: none of them is 0."""
    kind = kind or str(rng.choice(("drawn", "whole", "decimal", "alike")))
    if kind == "alike":
        return np.full(len(cost), float(rng.choice((1.0, 2.5))))
    decimals = int(kind == "decimal")
    return cost if kind == "drawn" else np.maximum(np.round(cost, decimals), 10.0**-decimals)


def learned(total: np.ndarray, own: Sequence[np.ndarray], parties: int) -> np.ndarray:
    """1 where every other party's cell is certainly 1, 0 where it is certainly 0, −1 where that is open."""
    rest, others = total - sum(own, np.zeros_like(total)), parties - len(own)
    return np.where(rest == others, 1, np.where(rest == 0, 0, -1))


def fractions(rng: np.random.Generator, defects: int) -> list[float]:
    """A little above one defect, and a little below another."""
    return (rng.integers(defects, size=2) + 10 ** rng.uniform(-4, -0.31, 2) * (1, -1)).tolist()


def counted(failures: np.ndarray, defects: int) -> np.ndarray:
    """Chips by their defect; what is no number of a defect counts nowhere."""
    fine = np.asarray(failures, dtype=float)
    fine = fine[np.isin(fine, np.arange(defects))]
    return np.bincount(fine.astype(int), minlength=defects)
