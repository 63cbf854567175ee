"""Capstone 4.3: three of four open a ciphertext together, two do not, and what is noticed of a false part."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, a
from dpcourse.lessons.capstone_4.design import FACTORIAL, NEEDED, PARTIES, Part, deal
from dpcourse.lessons.capstone_4.exercises.paillier import said, whole
from dpcourse.lessons.capstone_4.exercises.reference import anew, encrypted, part_of, primes
from dpcourse.lessons.capstone_4.numbers import forged

PARTS = ("partial", "combine")
LARGEST = 90  # bits of a safe prime in this check
KINDS = ("random", "not-invertible", "crafted")


def _world(rng: np.random.Generator) -> tuple[int, tuple[Part, ...]]:
    p, q = primes(int(LARGEST * rng.uniform(0.3, 1)), rng, safe=True)
    return deal(p, q, anew(rng))


def partials(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A party's part is c to the power 2·4!·share, with its number."""
    if not isinstance(answer.value, tuple | list) or len(answer.value) != len(PARTS):
        return Diagnosis("wrong-shape", f"({', '.join(PARTS)}) is wanted, and this is {a(answer.value)}.")
    for _ in range(3):
        n, shares = _world(chance.rng)
        cipher = encrypted(anew(chance.rng)(n), n, anew(chance.rng))
        for share in shares:
            given = answer.part(0)(cipher, share, n)
            if not isinstance(given, tuple | list) or len(given) != 2 or whole(given[0], "partial") != share[0]:
                seen = f"`partial` of party {share[0]} returns {a(given)}; (number, value) is wanted."
                return Diagnosis("wrong-shape", seen, "share[0] is the party's number: the others need it.")
            got, right = whole(given[1], "partial"), part_of(cipher, share, n)[1]
            if got == right:
                continue
            if got % n**2 == right:
                ask = "Modulo which number is a ciphertext taken?"
                return Diagnosis("not-reduced", "Your part is outside of 1 … n² − 1.", ask)
            known = {
                "not-doubled": (FACTORIAL * share[1], "the 2 is missing from the exponent"),
                "no-factorial": (2 * share[1], "4! is missing from the exponent"),
                "bare-share": (share[1], "the exponent is the share alone"),
            }
            for key, (exponent, what) in known.items():
                if got == pow(cipher, exponent, n * n):
                    return Diagnosis(
                        key,
                        f"In your part {what}.",
                        "4! clears the denominators of Lagrange's formula, and the 2 makes every part a square. Which "
                        "three factors has the exponent?",
                    )
            if got == pow(cipher, 2 * FACTORIAL * share[1], n):
                ask = "Modulo n, (1 + n)^m is 1 for every m. Modulo which number is a ciphertext taken?"
                return Diagnosis("modulo-n", "Your part is taken modulo n, and the plain number has gone from it.", ask)
            return Diagnosis(
                "wrong-part", f"Party {share[0]}'s part is another number.", "c^(2 · 4! · share) modulo n²."
            )
    return None


def opened(answer: Answer, parts: Sequence[Part], n: int) -> int | None:
    given = answer.part(1)([*parts], n)
    return None if given is None else whole(given, "combine")


def opens(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Every three, in any order, and all four; no two."""
    for _ in range(3):
        n, shares = _world(chance.rng)
        for plain in (0, 1, n - 1, anew(chance.rng)(n)):
            cipher = encrypted(plain, n, anew(chance.rng))
            parts = [part_of(cipher, share, n) for share in shares]
            for size in (3, 4):
                for some in itertools.combinations(parts, size):
                    mixed = [some[k] for k in chance.rng.permutation(size)]
                    who = ", ".join(str(i) for i, _ in mixed)
                    try:
                        got = opened(answer, mixed, n)
                    except AnswerRaised as raised:
                        return Diagnosis(
                            "combine-raises",
                            f"With the parts of {who}, `combine` stops with {raised}.",
                            "A coefficient may be negative: pow(x, −2, n*n) inverts. Is it a whole number of Python's?",
                        )
                    if got == plain:
                        continue
                    if got is None:
                        seen = f"With the right parts of {who}, in this order, `combine` returns None."
                        return Diagnosis("refuses-right", seen, "Is the product 1 modulo n?")
                    if got * pow(4 * FACTORIAL**2, -1, n) % n == plain or got == plain * 4 * FACTORIAL**2 % n:
                        return Diagnosis(
                            "not-divided",
                            f"{said(plain).capitalize()} was encrypted, and your result is 4 · 24² = 2,304 times as "
                            "much, modulo n.",
                            "The exponent of a part has 2 · 24, and 2μᵢ has as much again. What undoes that, modulo n?",
                        )
                    return Diagnosis(
                        "wrong-plain",
                        f"The parts of {who} give {said(got)}; {said(plain)} was encrypted.",
                        "The coefficient of party i is 4! times the product of j/(j − i) over the other two.",
                    )
    return None


def too_few(answer: Answer, chance: Chance) -> Diagnosis | None:
    n, shares = _world(chance.rng)
    parts = [part_of(encrypted(1, n, anew(chance.rng)), share, n) for share in shares]
    return of_two(answer, parts, n, chance.rng)


def of_two(answer: Answer, parts: list[Part], n: int, rng: np.random.Generator) -> Diagnosis | None:
    """Two parties, whatever they send."""
    one, two = (parts[k] for k in rng.choice(PARTIES, 2, replace=False))
    for sent, what in (
        ([], "No part came"),
        ([one], "One part came"),
        ([one, two], "Two parts came"),
        ([one, two, one], "Three parts came, from two parties"),
        ([one, two, (one[0], two[1])], "Three parts came, from two parties"),
    ):
        try:
            got = opened(answer, sent, n)
        except AnswerRaised as raised:
            return Diagnosis("too-few-raises", f"{what}, and `combine` stops with {raised}.", "Return None.")
        if got is not None:
            ask = f"{NEEDED} different parties are needed. How many are there? Return None."
            return Diagnosis("too-few", f"{what}, and `combine` returns a number.", ask)
    return None


def false_parts(answer: Answer, chance: Chance) -> Diagnosis | None:
    for _ in range(2):
        n, shares = _world(chance.rng)
        plain = anew(chance.rng)(n)
        cipher = encrypted(plain, n, anew(chance.rng))
        parts = [part_of(cipher, share, n) for share in shares]
        if wrong := notices(answer, parts, range(PARTIES), plain, n, chance.rng):
            return wrong
    return None


def notices(
    answer: Answer, parts: list[Part], liars: Sequence[int], plain: int, n: int, rng: np.random.Generator
) -> Diagnosis | None:
    """A part at random, one that has no inverse, one made to shift the sum, and a message that comes twice."""
    wish = int(rng.integers(1, 8))
    false = [one for liar in liars for one in _false(parts, liar, wish, n, rng)]
    for kind, what, changed, liar in sorted(false, key=lambda one: KINDS.index(one[0])):
        threes = [[*some] for some in itertools.combinations(changed, NEEDED) if changed[liar] in some]
        for sent in [changed] if kind == "crafted" else [*threes, changed]:
            try:
                got = opened(answer, [sent[k] for k in rng.permutation(len(sent))], n)
            except AnswerRaised as raised:
                seen = f"{what}, and `combine` stops with {raised}."
                ask = "Return None. Where is that part inverted, and can it be?"
                return Diagnosis(f"{kind}-raises", seen, ask if kind == "not-invertible" else "Return None.")
            if got is not None:
                return _taken(kind, what, len(sent))
    liar = int(rng.integers(PARTIES))
    for place in range(liar + 1, PARTIES + 1):
        if opened(answer, [*parts[:place], (parts[liar][0], 1), *parts[place:]], n) != plain:
            return Diagnosis(
                "repeated",
                f"Party {liar + 1} sends its part, and later a second message. What you return is not the plain "
                "number.",
                "The first message of a party counts. Which of the two do you use?",
            )
    return None


def _false(
    parts: list[Part], liar: int, wish: int, n: int, rng: np.random.Generator
) -> list[tuple[str, str, Any, int]]:
    def with_(value: int) -> list[Part]:
        return [*parts[:liar], (parts[liar][0], value), *parts[liar + 1 :]]

    name = f"Party {liar + 1} of 4"
    crafted = forged([*parts], [parts[liar][0]], wish, n)
    return [
        ("random", f"{name} sends a random number as its part", with_(anew(rng)(n * n - 2) + 2), liar),
        *(
            ("not-invertible", f"{name} sends a part that has no inverse modulo n²", with_(none), liar)
            for none in (0, n * (1 + anew(rng)(n - 1)))
        ),
        ("crafted", f"{name} multiplies its part by (1 + n)^k", crafted, liar),
    ]


def _taken(kind: str, what: str, came: int) -> Diagnosis:
    if kind == "crafted":
        return Diagnosis(
            "crafted",
            f"{what}, four parts came, and you return a number. What opens in the threes with this party is off by "
            "as much as it likes.",
            "Each three open a number of their own. Four parts are four such threes: do they all agree?",
        )
    if kind == "random" and came == PARTIES:
        return Diagnosis(
            "random-of-four",
            f"{what}, four parts came, and you return a number. The four threes do not agree: only the three without "
            "this party opens.",
            "Do you look at all four threes? If two parties lie together, the only three that opens may be theirs.",
        )
    return Diagnosis(
        kind,
        f"{what}, {'four' if came == PARTIES else 'three'} parts came, and you return a number all the same.",
        "The product of right parts is 1 modulo n, whatever the plain number is. Is it here?",
    )


THRESHOLD = (partials, opens, too_few, false_parts)
