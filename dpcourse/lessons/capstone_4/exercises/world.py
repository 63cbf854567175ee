"""Capstone 4.6: small catalogues with toy keys, messages that went wrong, and uploads opened to look at them."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.named import named
from dpcourse.checks.once import between, fresh
from dpcourse.checks.plain import parts
from dpcourse.datasets.centres import NAMES
from dpcourse.lessons.capstone_4.design import BITS, COUNT_BITS, OFFSET, Part, deal
from dpcourse.lessons.capstone_4.exercises.leaves import STRANGE
from dpcourse.lessons.capstone_4.exercises.paillier import whole
from dpcourse.lessons.capstone_4.exercises.reference import (
    Source,
    anew,
    counted,
    decrypted,
    packed,
    primes,
    root,
    slots_in,
    timed,
    unpacked,
)

WANTED = ("uploads", "total", "counts", "tests", "claim")
LOUD = 60.0  # an ε at which the noise is 0 but for e^−30 a share
CELLS = (*STRANGE, 2.0, -2.0, 7.0)
Message = tuple[str, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Office:
    """A toy key, its factors, and the catalogue."""

    p: int
    q: int
    shares: tuple[Part, ...]
    cost: np.ndarray
    budget: float

    @property
    def n(self) -> int:
        return self.p * self.q


def office(rng: np.random.Generator, tests: int, bits: int = 34) -> Office:
    """Times and budget are whole, or of a decimal, in half of them; in a quarter all tests take as long."""
    p, q = primes(bits + int(rng.integers(0, 8)), rng, safe=True)
    _, shares = deal(p, q, anew(rng))
    drawn = rng.lognormal(0, 0.65, tests) * between(rng, 1e-1, 1e1)
    cost = timed(drawn, rng)
    budget = float(cost.sum() * rng.uniform(0.2, 0.5))
    return Office(p, q, shares, cost, budget if cost is drawn or budget < 5 else float(round(budget)))


def cleaned(matrix: np.ndarray) -> np.ndarray:
    """1 where a cell is exactly 1, and 0 elsewhere."""
    return (np.asarray(matrix, dtype=float) == 1).astype(int)


@dataclass(frozen=True)
class Release:
    """What the answer published, and what we find in its uploads: each centre's noisy counts, and rⁿ modulo n."""

    total: np.ndarray
    counts: np.ndarray
    tests: np.ndarray
    claim: Any
    noisy: dict[str, np.ndarray]
    roots: list[int]


def released(
    answer: Answer,
    messages: list[Message],
    at: Office,
    epsilon: float,
    rng: np.random.Generator,
    renamed: bool = False,
    draw: Source | None = None,
) -> Release | None:
    """What the answer returns, its uploads opened with the factors and compared; None where it refuses.

    To the answer the centres have other names in half of the calls; in all that are `renamed`.
    """
    draw, noise = draw or anew(rng), fresh(rng)
    called = named(NAMES, rng, renamed)
    names = tuple(called.values())
    messages = [(called.get(name, name), cells, chips) for name, cells, chips in messages]
    given = answer(copy.deepcopy(messages), names, at.cost.copy(), at.budget, epsilon, (at.n, at.shares), draw, noise)
    if given is None:
        return None
    parts(given, WANTED)
    first = {name: (cells, chips) for name, cells, chips in reversed(messages) if name in names}
    uploads, shape = given["uploads"], next(iter(first.values()))[0].shape
    if not isinstance(uploads, dict) or set(uploads) != set(first):
        who = sorted(map(str, uploads)) if isinstance(uploads, dict) else a(uploads)
        if isinstance(uploads, dict) and set(uploads) & {name for name, *_ in messages} - set(names):
            others = ", ".join(map(repr, sorted(set(uploads) - set(names), key=str)))
            seen = f"`uploads` has entries for {who}. Of these, not in `centres`: {others}."
            raise Refused(Diagnosis("stranger", seen, MIXES["stranger"][1]))
        seen = f"`uploads` has {f'entries for {who}' if isinstance(uploads, dict) else f'the wrong type: {who}'}; "
        seen += f"messages came from {', '.join(sorted(first))}."
        ask = "One entry for each centre that sent something. Which is too many, or missing?"
        raise Refused(Diagnosis("wrong-uploads", seen, ask))
    total, counts = (np.asarray(given[key], dtype=float) for key in ("total", "counts"))
    if total.shape != shape or counts.shape != shape[1:]:
        shapes = f"`total` has shape {total.shape} and `counts` {counts.shape}; {shape} and {shape[1:]} are wanted."
        raise Refused(Diagnosis("wrong-shape", shapes))
    plain = {name: _plain(name, ciphers, at, shape) for name, ciphers in uploads.items()}
    roots = [int(one) % at.n for ciphers in uploads.values() for one in ciphers]  # another for another r
    _fresh(uploads, at, draw.bits, roots)
    split = -(-shape[0] * shape[1] // slots_in(at.n, BITS))
    for name, one in plain.items():
        cells = [packed(cleaned(sent).ravel().tolist(), BITS, at.n) for who, sent, _ in messages if who == name]
        if one[:split] in cells[1:] and one[:split] != cells[0]:
            seen = f"{name.capitalize()} sent several messages, and the cells in its upload are not those of the first."
            raise Refused(Diagnosis("repeated", seen, MIXES["repeated"][1]))
        if one[:split] != cells[0]:
            raise Refused(
                Diagnosis(
                    "wrong-upload",
                    f"The first {f'{split} ciphertexts of {name} do' if split > 1 else f'ciphertext of {name} does'} "
                    f"not hold its {shape[0]} × {shape[1]} cells, row by row, {BITS} bits each.",
                    "A cell that is exactly 1 counts as 1, any other as 0. Is it packed as in 4.2?",
                )
            )
        if one[split:] != packed(unpacked(one[split:], COUNT_BITS, shape[1], at.n), COUNT_BITS, at.n):
            seen = f"{name.capitalize()}'s upload holds something beyond the slots of its {shape[1]} counts."
            ask = "Everything that is uploaded is opened. What may stand in a slot that no count needs?"
            raise Refused(Diagnosis("wrong-upload", seen, ask))
    opened = [sum(column) % at.n for column in zip(*plain.values(), strict=True)]
    _compare(opened, split, total, counts, at, len(plain))
    old = dict(zip(names, NAMES, strict=True))
    noisy = {
        old[name]: np.array(unpacked(one[split:], COUNT_BITS, shape[1], at.n)) - OFFSET for name, one in plain.items()
    }
    tests = np.asarray(given["tests"])  # of an empty list, numbers with a point
    return Release(total, counts, tests if tests.size else tests.astype(int), given["claim"], noisy, roots)


def columns(shape: tuple[int, ...], n: int) -> int:
    """How many ciphertexts an upload has."""
    return -(-shape[0] * shape[1] // slots_in(n, BITS)) - (-shape[1] // slots_in(n, COUNT_BITS))


def _plain(name: str, ciphers: Any, at: Office, shape: tuple[int, ...]) -> list[int]:
    wanted = columns(shape, at.n)
    if not isinstance(ciphers, list | tuple) or len(ciphers) != wanted:
        many = len(ciphers) if isinstance(ciphers, list | tuple) else a(ciphers)
        seen = f"The upload of {name} has {many} ciphertexts; {wanted} are wanted."
        raise Refused(Diagnosis("wrong-upload", seen, "First the cells, then the counts, as few as hold them."))
    numbers = [whole(one, "uploads") for one in ciphers]
    if any(not 0 < one < at.n**2 or one % at.p == 0 or one % at.q == 0 for one in numbers):
        seen = f"In the upload of {name} is a number that is no ciphertext."
        raise Refused(Diagnosis("no-ciphertext", seen, "What does 4.1 say of a ciphertext?"))
    return [decrypted(one, at.p, at.q) for one in numbers]


def _fresh(uploads: dict[str, Any], at: Office, drawn: float, roots: list[int]) -> None:
    """Every ciphertext has an r of its own, drawn by `draw`, up to n. All of right ones are small once in 10^12."""
    if len(set(roots)) < len(roots):
        raise Refused(
            Diagnosis(
                "reused-r",
                f"Your {len(roots)} ciphertexts have only {len(set(roots))} different r. Anybody can divide two with "
                "the same r: what is left shows the difference of their plain numbers.",
                "How often do you draw an r?",
            )
        )
    if drawn < len(roots) * (math.log2(at.n) - 1):
        seen = (
            f"For {len(roots)} ciphertexts with an r of {at.n.bit_length()} bits each you draw {drawn:,.0f} bits in all"
        )
        ask = "draw(n) gives all of r at once. Where does yours come from?"
        raise Refused(Diagnosis("own-generator", f"{seen} with `draw`. If the rest is guessed, so are they.", ask))
    some = [int(one) for ciphers in uploads.values() for one in ciphers[-3:]]  # that need not be all
    largest = max(root(one, at.p, at.q) for one in some)
    if largest < at.n * 1e-12 ** (1 / len(some)):
        seen = f"Your r are small: n has {at.n.bit_length()} bits, and the largest of {len(some)} r has "
        seen += f"{largest.bit_length()}."
        raise Refused(Diagnosis("small-r", seen, "How large may the number be that `draw` gives you?"))


def _compare(opened: list[int], split: int, total: np.ndarray, counts: np.ndarray, at: Office, came: int) -> None:
    """What is published against what the uploads add up to."""
    cells = unpacked(opened[:split], BITS, total.size, at.n)
    if not np.array_equal(total.ravel(), cells):
        seen = "`total` is not the sum of what was uploaded."
        raise Refused(Diagnosis("wrong-total", seen, "Which ciphertexts do you multiply, and what do you unpack?"))
    added = np.array(unpacked(opened[split:], COUNT_BITS, counts.size, at.n)) - came * OFFSET
    if np.array_equal(counts, added):
        return
    off = counts - added
    if np.ptp(off) == 0 and off[0] % OFFSET == 0:
        raise Refused(
            Diagnosis(
                "offset",
                f"With {came} centres every count is {abs(off[0]) / OFFSET:g} times OFFSET too "
                f"{'large' if off[0] > 0 else 'small'}.",
                "How many centres added it?",
            )
        )
    seen = f"`counts` is not the sum of what was uploaded: one count is off by {np.abs(off).max():,.4g}."
    ask = "The noise belongs in the uploads. What do you do to the opened counts besides taking off the offsets?"
    raise Refused(Diagnosis("counts-elsewhere", seen, ask))


def _nearly_one(rng: np.random.Generator) -> np.ndarray:
    """Cells a little below 1 and a little above, up to 0 and 2."""
    return 1 + 10 ** rng.uniform(-6, -0.01, 4) * (1, -1, 1, -1)


def mixed(
    rng: np.random.Generator, kind: str, crowd: int = 0, large: bool = False
) -> tuple[list[Message], Office, np.ndarray, np.ndarray]:
    """Messages, the office, and the sums of what counts.

    Through noise only crowds are seen: with `crowd` each message that does not count has so many chips of each defect,
    each label that does not count comes so often, and defects are enough to see the noise itself.
    """
    tests, defects = (int(x) for x in rng.integers(*((16, 50) if large else (2, 14)), 2))
    if crowd:
        tests, defects = 2, int(rng.integers(50, 80))
    at = office(rng, tests)
    came = rng.permutation(NAMES)[: int(rng.integers(3, 5))]

    def message(name: str, each: int = 0) -> Message:
        cells = (rng.random((tests, defects)) < 0.4).astype(float)
        chips = rng.integers(0, defects, int(10 ** rng.uniform(0, 3)))
        return str(name), cells, np.append(chips, np.tile(np.arange(defects), each)).astype(float)

    messages = [message(name) for name in came]
    if kind == "strange":
        for place, (name, cells, chips) in enumerate(messages):
            some = rng.choice((*CELLS, *_nearly_one(rng)), many := max(3, tests * defects // 8))
            cells[rng.integers(tests, size=many), rng.integers(defects, size=many)] = some
            labels = [*STRANGE, float(defects)]
            strange = np.repeat(labels, crowd) if crowd else rng.choice(labels, 3)
            messages[place] = name, cells, rng.permutation(np.append(chips, strange))
    if kind == "empty":
        messages[0] = (messages[0][0], np.zeros((tests, defects)), np.array([]))
    total = np.sum([cleaned(cells) for _, cells, _ in messages], axis=0)
    counts = np.sum([counted(chips, defects) for _, _, chips in messages], axis=0)
    if kind == "repeated":
        messages.extend(message(str(name), crowd) for name in rng.choice(came, 2))
    if kind == "stranger":
        messages[1:1] = [message("centre", crowd), message("", crowd)]
    return messages, at, total, counts


COUNTS = "What stands in each upload's counts: is it the centre's own `chip_report` of 4.5, with this ε?"  # if plain
MIXES = {
    "plain": (
        "With three or four centres, each once",
        "Does every centre in `centres` that sent something count, and open with its own share of the key?",
    ),
    "strange": (
        "With cells that are NaN, −1 or 2, and failures that are no defect",
        "A cell that is exactly 1 counts as 1, any other as 0. A failure that is no defect counts nowhere. Where do "
        "you see to that?",
    ),
    "empty": (
        "With a centre that has no catch and no failing chip",
        "Such a centre takes part all the same. What does it upload?",
    ),
    "repeated": ("When a centre's second message arrives", "Of several messages from one centre, which one counts?"),
    "stranger": (
        "When a stranger sends a message",
        "`centres` has the names of those who take part. Whose messages count?",
    ),
}
