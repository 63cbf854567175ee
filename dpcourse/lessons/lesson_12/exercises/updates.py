"""Exercises 12.1 and 12.2: what an update gives away, and masks that hide it until all are added up."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake, Returns
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.measured import as_measured
from dpcourse.checks.once import between, spread, whole

# 12.1 Read a wafer off an update


def _update(rng: Generator, d: int | None = None) -> tuple[np.ndarray]:
    """What a client with one wafer sends after a few local steps from weights it was given.

    Of a wafer with a given number of readings these are as measured, and half the time in another unit: 100 times
    smaller to 100 times larger, with weights and a rate that go with it.
    """
    x, y = rng.uniform(-1, 1, d or int(rng.integers(4, 30))), float(rng.integers(2))
    by = between(rng, 0.01, 100.0) if d and rng.random() < 0.5 else 1.0
    x, d = as_measured(by * x, rng) if d else x, x.size
    weights, rate = rng.normal(size=d + 1) / max(2, math.sqrt(d)), float(rng.uniform(0.3, 2)) / max(1.0, by) ** 2
    weights[:-1] /= by
    local = weights.copy()
    for _ in range(int(rng.integers(1, 6))):
        local -= rate * (expit(x @ local[:-1] + local[-1]) - y) * np.append(x, 1)
    return (local - weights,)


RECONSTRUCT = (
    Returns(_update, what="array", shape=lambda update: (len(update) - 1,), random=False),
    Equals(
        _update,
        lambda update: update[:-1] / update[-1],
        mistakes=(
            Mistake(
                "not-divided",
                lambda update: update[:-1],
                "That is the update without its last entry: the readings times a number you do not know yet.",
                "The last entry is that number, because the row ends with a 1.",
            ),
            Mistake(
                "sign",
                lambda update: -update[:-1] / update[-1],
                "All signs are turned around. A minus in front of the update is in front of its last entry too.",
                "Does the sign survive the division?",
            ),
            Mistake(
                "sign-of-the-label",
                lambda update: update[:-1] / abs(update[-1]),
                "On wafers with one of the two labels all signs are turned around.",
                "Divide by the entry itself, sign included.",
            ),
            Mistake(
                "divided-by-the-norm",
                lambda update: update[:-1] / np.linalg.norm(update),
                "You divide by the update's norm. The size is wrong, and for one of the two labels the sign too.",
                "Which entry belongs to the constant 1?",
            ),
            Mistake(
                "divided-by-the-norm",
                lambda update: update[:-1] / np.linalg.norm(update[:-1]),
                "You divide by a norm. The size is wrong, and for one of the two labels the sign too.",
                "Which entry belongs to the constant 1?",
            ),
            Mistake(
                "wrong-end",
                lambda update: update[1:] / update[0],
                "You take the first entry for the intercept's. It is the last.",
                "The row is (x, 1).",
            ),
        ),
        rtol=1e-6,
        wide=lambda rng: _update(rng, whole(rng, 1, 2000)),
    ),
)


# 12.2 Masks that cancel


def _seeds(n: int, rng: Generator) -> dict[tuple[int, int], int]:
    drawn = iter(rng.choice(2**31, size=n * (n - 1) // 2, replace=False).tolist())
    return {(i, j): next(drawn) for i in range(n) for j in range(i + 1, n)}


def _of(seeds: dict[tuple[int, int], int], me: int, n: int) -> dict[int, int]:
    return {other: seeds[min(me, other), max(me, other)] for other in range(n) if other != me}


def _sending(rng: Generator) -> tuple[np.ndarray, int, dict[int, int], int]:
    n, modulus = int(rng.integers(3, 8)), 2 ** int(rng.integers(16, 33))
    me = int(rng.integers(1, n - 1))  # somebody above, somebody below
    return rng.integers(0, modulus, int(rng.integers(3, 9))), me, _of(_seeds(n, rng), me, n), modulus


def mask(seed: int, modulus: int, size: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, modulus, size)


def _signed(vector: np.ndarray, me: int, seeds: dict[int, int], modulus: int, sign) -> np.ndarray:
    total = vector.astype(np.int64).copy()
    for other, seed in seeds.items():
        total += sign(me, other) * mask(seed, modulus, len(vector))
    return total


def masked(vector: np.ndarray, me: int, seeds: dict[int, int], modulus: int) -> np.ndarray:
    return _signed(vector, me, seeds, modulus, lambda a, b: 1 if a < b else -1) % modulus


def _they_cancel(answer: Answer, chance: Chance) -> Diagnosis | None:
    """All clients of one round add up to the sum of their vectors, modulo the modulus, and each of them is masked.

    The vectors are short of the modulus by far, or the modulus is small: neither may change what is done.
    """
    rng = chance.rng
    for modulus in (2 ** int(rng.integers(16, 33)), int(rng.integers(100, 1000))):
        n, size = int(rng.integers(3, 8)), 20
        seeds, vectors = _seeds(n, rng), rng.integers(0, min(modulus, 2**10), (n, size))
        sent = [np.asarray(answer(vectors[i].copy(), i, _of(seeds, i, n), modulus), dtype=np.int64) for i in range(n)]
        if not np.array_equal(np.sum(sent, axis=0) % modulus, vectors.sum(axis=0) % modulus):
            return Diagnosis(
                "do-not-cancel",
                f"The masked vectors of all {n} clients do not add up to the sum of their vectors modulo {modulus:,}.",
                "Of every pair one adds the mask and the other takes the same mask away.",
            )
        for i, vector in enumerate(sent):
            if not np.array_equal(vector, masked(vectors[i], i, _of(seeds, i, n), modulus)):
                return Diagnosis(
                    "not-always-masked",
                    f"The sum is right, but client {i} does not send its vector with the masks of the exercise. A sum "
                    "is right without any mask, too.",
                    "Mask every vector in the same way, whatever it holds.",
                )
    return None


def _of_any_length(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Vectors of 1 to 10,000 entries, small ones and large, of rounds of 2 to 2,000 clients, modulo anything.

    One round has two clients for sure, and one has three.

    Every other time some numbers of clients are left out, as if these had gone before, and seeds come in any order.
    """
    rng = chance.rng
    for clients in (2, 3, *spread(rng, 2, 2000, 18)):
        n, modulus = round(clients), whole(rng, 2, 2**40)
        gaps, vector = rng.random() < 0.5, rng.integers(0, whole(rng, 1, modulus), whole(rng, 1, 10_000))
        me, *others = rng.permutation(2 * n if gaps else n)[:n].tolist()
        seeds = {other: int(rng.integers(2**31)) for other in (others if gaps else sorted(others))}
        sent = np.asarray(answer(vector.copy(), me, dict(seeds), modulus))
        if np.array_equal(sent, masked(vector, me, seeds, modulus)):
            continue
        numbers = "with gaps between their numbers" if gaps else f"from 0 to {n - 1}"
        whose = f"Client {me} of {n} ({numbers}) has a vector of length {len(vector):,}, modulo {modulus:,}. It"
        bare = "goes out as it is." if np.array_equal(sent, vector) else "does not go out with the exercise's masks."
        return Diagnosis("not-always-masked", f"{whose} {bare}", "Is every vector masked in the same way?")
    return None


MASKED = (
    Returns(_sending, what="array", shape=lambda vector, *_: vector.shape, random=False),
    Equals(
        _sending,
        masked,
        mistakes=(
            Mistake(
                "all-added",
                lambda vector, me, seeds, modulus: _signed(vector, me, seeds, modulus, lambda a, b: 1) % modulus,
                "You add every mask, and so does the other client of each pair: in the sum they are there twice.",
                "The client with the lower number adds, the other takes away.",
            ),
            Mistake(
                "signs-reversed",
                lambda vector, me, seeds, modulus: (
                    _signed(vector, me, seeds, modulus, lambda a, b: 1 if a > b else -1) % modulus
                ),
                "Your signs are the other way round. That would cancel too, if everybody did it; here the client "
                "with the lower number adds.",
                "Compare `me` with the other's number.",
            ),
            Mistake(
                "not-reduced",
                lambda vector, me, seeds, modulus: _signed(vector, me, seeds, modulus, lambda a, b: 1 if a < b else -1),
                "Your numbers are not reduced modulo the modulus. An unreduced number shows its size: a large "
                "vector gives larger numbers, and the mask no longer hides it fully.",
                "Take the result % modulus.",
            ),
            Mistake(
                "one-mask-for-all",
                lambda vector, me, seeds, modulus: (
                    (vector + sum((1 if me < o else -1) * mask(s, modulus, 1) for o, s in seeds.items())) % modulus
                ),
                "All entries of your vector get the same mask: the difference of two entries has none.",
                "As many entries as the vector.",
            ),
            *(
                Mistake(
                    "one-pair-only",
                    lambda vector, me, seeds, modulus, which=which: masked(
                        vector, me, dict([list(seeds.items())[which]]), modulus
                    ),
                    f"You use the mask of one client only, the {told} in `seeds`. Those of the others are missing.",
                    "Does your loop go through all of `seeds` before it returns?",
                )
                for which, told in ((0, "first"), (-1, "last"))
            ),
            Mistake(
                "not-masked",
                lambda vector, me, seeds, modulus: vector,
                "The vector goes out as it is.",
                "Add the masks.",
            ),
            Mistake(
                "only-above",
                lambda vector, me, seeds, modulus: (
                    _signed(vector, me, {o: s for o, s in seeds.items() if o > me}, modulus, lambda a, b: 1) % modulus
                ),
                "You use the masks of the clients above you only. Those below you add theirs, and nobody takes "
                "them away.",
                "Both directions: add for o > me, subtract for o < me.",
            ),
        ),
        times=4,
    ),
    _they_cancel,
    _of_any_length,
)
