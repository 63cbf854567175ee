"""Capstones 4.1, 4.3 and 4.6: keys of full size, where what was right with small ones has to be right, too."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, a
from dpcourse.checks.whole_noise import missing
from dpcourse.datasets.centres import NAMES
from dpcourse.lessons.capstone_4.design import NEEDED, PARTIES, TOY_PRIMES, deal
from dpcourse.lessons.capstone_4.exercises.paillier import LONGER, key_of, said, whole, with_n
from dpcourse.lessons.capstone_4.exercises.reference import anew, combined, counted, decrypted, encrypted, root
from dpcourse.lessons.capstone_4.exercises.threshold import notices, of_two, opened
from dpcourse.lessons.capstone_4.exercises.world import Message, Office, released

MIDDLE_PRIMES = (  # safe ones of 512 bits, made as `TOY_PRIMES` are: with these six uploads take a tenth of a second
    int(
        "DEB3BA3EDA396E9D4028C1324DD097BEA71838C3FBA136C89C234685CD8C0EE98E7049306BBF63169FD5E9AAD5853B46A8A36A223B294D3F"
        "11934588294C59D3",
        16,
    ),
    int(
        "F5BB3363D11C229D228CAB4F26EA5864D3EECB71A6E970F67CB74A952B206E82308F9E95A4B7F1E94523B6F2619DFDB633E8DA28A5E50298"
        "4275179CE1E826D3",
        16,
    ),
)


def full_key(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A key of full size: what is encrypted twice adds up, and its r are long, drawn, and not the same.

    A right r is shorter by 64 bits with probability 2^−64.
    """
    (p, q), draw = TOY_PRIMES, anew(chance.rng)
    n, plain = p * q, anew(chance.rng)(p * q // 2)
    secret = key_of(answer, p, q)
    ciphers = [whole(answer.part(1)(plain, n, draw), "encrypt") for _ in range(2)]
    if any(not 0 < c < n * n or math.gcd(c, n) != 1 for c in ciphers):
        return Diagnosis("not-reduced", f"{with_n(n)}, `encrypt` returns no ciphertext.", LONGER)
    roots = [root(c, p, q) for c in ciphers]
    if roots[0] == roots[1]:
        seen = f"{with_n(n)}, two ciphertexts of one number are the same."
        return Diagnosis("fixed-r", seen, "With a smaller n they were not. What is your r here?")
    if min(roots).bit_length() < n.bit_length() - 64:
        seen = f"{with_n(n)}, one of your r has {min(roots).bit_length()} bits. Right r go up to n."
        return Diagnosis("not-uniform", seen, "How large may the number be that `draw` gives you?")
    if draw.bits < 2 * math.log2(n) - 2:
        seen = f"{with_n(n)}, for two r your `encrypt` draws only {draw.bits:.0f} bits with `draw`."
        return Diagnosis("own-generator", seen, "draw(n) gives all of r at once. Where do the other bits come from?")
    total = whole(answer.part(2)(*ciphers, n), "add")
    if math.gcd(total, n) != 1 or decrypted(total, p, q) != 2 * plain:
        seen = f"{with_n(n)}, the sum of two of your ciphertexts does not decrypt to the sum."
        return Diagnosis("wrong-sum", seen, LONGER)
    if (got := whole(answer.part(3)(total, n, secret), "decrypt")) != 2 * plain:
        seen = f"{with_n(n)}, `decrypt` returns {said(got)} where {said(2 * plain)} is right."
        return Diagnosis("wrong-plain", seen, LONGER)
    return None


def full_parts(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A key of full size: the answer's own three parts open, by the answer's formula and by ours; false ones do not."""
    n, shares = deal(*TOY_PRIMES, anew(chance.rng))
    plain = anew(chance.rng)(2**64)
    cipher = encrypted(plain, n, anew(chance.rng))
    parts = [answer.part(0)(cipher, share, n) for share in shares]
    seen = f"With a key of full size, an n of {n.bit_length():,} bits,"
    if any(not isinstance(part, tuple | list) or len(part) != 2 for part in parts):
        return Diagnosis("wrong-shape", f"{seen} `partial` returns {a(parts[0])}; (number, value) is wanted.")
    for (number, secret), part in zip(shares, parts, strict=True):
        if whole(part[0], "partial") != number or whole(part[1], "partial") == secret:
            ask = "Whoever has three of them opens every upload. What does a party send?"
            return Diagnosis("wrong-part", f"{seen} `partial` gives away the party's share of the key itself.", ask)
    parts = [(int(i), int(value)) for i, value in parts]
    if combined(parts, n) != plain:
        ask = "With a smaller key they did. What depends on how large n is?"
        return Diagnosis("wrong-part", f"{seen} your parts do not open what was encrypted.", ask)
    three = [parts[k] for k in chance.rng.permutation(PARTIES)[:NEEDED]]
    if (got := opened(answer, three, n)) != plain:
        given = "None" if got is None else said(got)
        return Diagnosis(
            "wrong-plain",
            f"{seen} `combine` returns {given}; {said(plain)} was encrypted.",
            "With a smaller key it was right.",
        )
    liar = [int(chance.rng.integers(PARTIES))]
    wrong = of_two(answer, parts, n, chance.rng) or notices(answer, parts, liar, plain, n, chance.rng)
    return wrong and wrong.led_by(f"{seen[:-1]}: ")


def longer_key(answer: Answer, chance: Chance) -> Diagnosis | None:
    """An n of 1,024 bits, one test and 30 defects: the noise of two centres is whole there, too.

    With the project's own 2,048 bits the same takes more than a second. A right answer fails with probability
    `chance.failure` at most (`missing`).
    """
    rng, epsilon, defects = chance.rng, float(0.05 * 20 ** chance.rng.uniform()), 30
    _, shares = deal(*MIDDLE_PRIMES, anew(rng))
    messages: list[Message] = [
        (name, np.ones((1, defects)), rng.integers(defects, size=int(rng.integers(2000))).astype(float))
        for name in NAMES
    ]
    given = released(answer, messages, Office(*MIDDLE_PRIMES, shares, np.ones(1), 1.0), epsilon, rng)
    seen = "With a key of 1,024 bits"
    if given is None:
        return Diagnosis("refuses-all", f"{seen} four centres sent something, and you refuse.")
    noise = [given.noisy[name] - counted(chips, defects) for name, _, chips in messages]
    pairs = np.concatenate([noise[0] + noise[1], noise[2] + noise[3]])
    if not missing(pairs, np.full(len(pairs), epsilon), rng, chance.failure):
        return None
    size, right = np.abs(pairs).mean(), 1 / math.sinh(epsilon)
    seen += f", at ε = {epsilon:.3g}, the noise of two centres together is not whole: its mean size is {size:.2g}, not "
    ask = "With a smaller key it was whole. What does your noise depend on besides ε?"
    return Diagnosis("not-everywhere", f"{seen}{right:.2g}.", ask)
