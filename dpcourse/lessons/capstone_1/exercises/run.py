"""Capstone 1.5: how a check runs a training, what it hands in as `secure_sum`, and what several runs of it show."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dpcourse.checks.answered import HandedOver, heard
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.told import beside_data, known_to_all, other_sums, quiet_in_earnest, quieter, same_weights
from dpcourse.datasets.fabs import Wafers
from dpcourse.lessons.capstone_1.exercises.earnest import LOOKED_AT, sums_of
from dpcourse.lessons.capstone_1.exercises.noise import noise_wrong
from dpcourse.lessons.capstone_1.numbers import DELTA, WEIGHTS

ONLY_HERE = (
    "On fabs whose wafers are all broken we saw nothing wrong with your noise. Here the wafers can be read, and we do. "
)


@dataclass
class Sums(HandedOver):
    """What the check hands in as `secure_sum`: it adds up, loses those who drop out, and notes what it was sent.

    With `said` it gives these sums instead: then the weights are the same, whatever the noise.
    """

    gone: tuple[str, ...] = ()
    said: list[np.ndarray] | None = None
    sent: list[dict[str, np.ndarray]] = field(default_factory=list)
    gave: list[np.ndarray] = field(default_factory=list)
    asked_again: ClassVar[bool] = True

    def __call__(self, vectors: Mapping[str, np.ndarray]) -> np.ndarray:
        kept = {name: self.numbers(vector) for name, vector in dict(vectors).items()}
        if any(vector.shape != (WEIGHTS,) for vector in kept.values()):
            seen = f"secure_sum is sent something else than {WEIGHTS} numbers from each fab."
            self.refuse("wrong-shape", seen, "A dict: for each fab its clipped sum and its share of the noise.")
        for name, vector in kept.items():
            if not np.isfinite(vector).all():
                seen = f"What {name} sends in round {len(self.sent) + 1} has {vector[~np.isfinite(vector)][0]:g} in it."
                self.refuse("not-finite", seen, "What does a wafer add that has a reading of NaN, of ∞ or of −∞?")
        self.sent.append(kept)
        if self.said is not None:
            return self.said[min(len(self.sent), len(self.said)) - 1].copy()
        self.gave.append(np.sum([vector for name, vector in kept.items() if name not in self.gone], axis=0))
        return self.gave[-1].copy()


def fitted(
    answer: Answer, fabs: Mapping[str, Wafers], epsilon: float, sums: Sums, seed: int, delta: float = DELTA
) -> np.ndarray:
    """The weights, after the look at what was sent."""
    data = {name: (X.copy(), y.copy()) for name, (X, y) in fabs.items()}
    with heard(sums):
        given = answer(data, epsilon, delta, sums, np.random.default_rng(seed))
    weights = np.asarray(only_numbers(given), dtype=float)
    if weights.shape != (WEIGHTS,) or not np.isfinite(weights).all():
        raise Refused(
            Diagnosis("wrong-shape", f"{WEIGHTS} finite weights are wanted.", "Return an array, the constant last.")
        )
    if not sums.sent:
        ask = "How do the fabs' vectors reach the weights? Everything of a fab has to go through secure_sum."
        raise Refused(Diagnosis("bypasses", "Your training never calls secure_sum.", ask))
    for number, sent in enumerate(sums.sent, 1):
        if set(sent) != set(fabs):
            seen = f"Call {number} of secure_sum has vectors of {', '.join(map(str, sent)) or 'nobody'}. The fabs are "
            ask = "Every round needs one vector of each fab. Which fab do you leave out, or rename?"
            raise Refused(Diagnosis("bypasses", f"{seen}{', '.join(fabs)}.", ask))
    return weights


def seed_of(rng: np.random.Generator) -> int:
    return int(rng.integers(2**63))


def looked_at(
    answer: Answer,
    fabs: Mapping[str, Wafers],
    others: Mapping[str, Wafers],
    epsilon: float,
    delta: float,
    gone: tuple[str, ...],
    chance: Chance,
) -> tuple[np.ndarray, Diagnosis | None, Callable[..., Diagnosis | None]]:
    """The weights of a run in earnest; and three runs that are told its sums: what is sent differs by draws of noise.

    The noise of two of them is looked at in every round, and the run in earnest has as much. `others`, told these sums
    but for their ninth digits: the weights stay as they are, but for the sixth. The digits are for an answer that
    remembers which weights came with which sums. The last that is returned looks at what was sent besides noise, where
    this is right: `_clipped_sums`.
    """
    first, seed = Sums(gone), seed_of(chance.rng)
    weights = fitted(answer, fabs, epsilon, first, seed, delta)
    told = Sums(said=first.gave), Sums(said=first.gave)
    fitted(answer, fabs, epsilon, told[0], seed_of(chance.rng), delta)
    answer.renew()
    elsewhere = Sums(said=[one * (1 + 1e-9 * chance.rng.normal(size=one.shape)) for one in first.gave])
    again = fitted(answer, others, epsilon, elsewhere, seed, delta)
    fitted(answer, fabs, epsilon, told[1], seed_of(chance.rng), delta)
    wrong = _same(weights, again) or _noise((first, *told), fabs, epsilon, delta, chance)
    runs = (first, elsewhere), epsilon, delta, seed, chance.rng
    return weights, wrong, functools.partial(_clipped_sums, answer, (fabs, others), *runs)


def _same(weights: np.ndarray, again: np.ndarray) -> Diagnosis | None:
    if same_weights(weights, again, 1e-6):
        return None
    return Diagnosis(
        "weights-elsewhere",
        "A second run had other wafers. secure_sum gave it the same sums (to eight digits), `rng` was the same, and "
        f"yet your weights differ by up to {np.abs(weights - again).max():.2g}.",
        "Weights from the sums and public numbers: what else of the fabs enters?",
    )


def _noise(
    runs: tuple[Sums, ...], fabs: Mapping[str, Wafers], epsilon: float, delta: float, chance: Chance
) -> Diagnosis | None:
    """The noise of two runs that were told the sums of the first, in every round; and whether that has as much."""
    real, one, other = (np.array([[sent[name] for name in fabs] for sent in run.sent]) for run in runs)
    if not real.shape == one.shape == other.shape:
        rounds = f"You take {len(real)} rounds, and told the same sums {len(one)} and {len(other)}."
        return Diagnosis("rounds", rounds, "Their number is public.")
    noise = (one - other) / math.sqrt(2)
    # Of 105 normal numbers a round, or more: a variance deviates by 13.8%, and is below 0.3 with probability 3e-13.
    quiet = int((noise.var(axis=(1, 2)) <= 0.3 * noise.var()).sum())
    if quiet:
        return Diagnosis(
            "quiet-rounds",
            f"Where wafers can be read, {quiet} of {len(noise)} rounds have far less noise than the rest, or none."
            if noise.any()
            else "Where wafers can be read, no round has any noise.",
            "What decides whether a fab adds its share?",
        )
    if wrong := noise_wrong(noise, epsilon, delta, {name: len(y) for name, (_, y) in fabs.items()}, chance):
        return wrong if wrong.key == "uneven-noise" else wrong.led_by(ONLY_HERE)
    part = quieter(real, (one, other), chance.failure / 8)
    if part is None:
        some = real[np.sort(chance.rng.permutation(len(real))[:LOOKED_AT])]
        part = beside_data(some, sums_of([*fabs.values()]), chance.failure / 8, noise)
    return quiet_in_earnest(part, "fabs")


def _clipped_sums(
    answer: Answer,
    fabs: tuple[Mapping[str, Wafers], Mapping[str, Wafers]],
    runs: tuple[Sums, Sums],
    epsilon: float,
    delta: float,
    seed: int,
    rng: np.random.Generator,
    others: bool = True,
) -> Diagnosis | None:
    """What is sent less its noise: the clipped sums of these fabs and those, at the same weights, in a few rounds.

    Those are left out without `others`: where weights grow without bound, which they do in no useful training, the same
    sums say little of them. The noise is what is sent with the same draws and sums, and no wafer that can be read.
    With other draws it is another.
    """
    silent = {name: Wafers(np.full(X.shape, np.nan), y) for name, (X, y) in fabs[0].items()}
    quiet = Sums(said=runs[0].gave), Sums(said=runs[0].gave)
    for run, one_seed in zip(quiet, (seed, seed_of(rng)), strict=True):
        fitted(answer, silent, epsilon, run, one_seed, delta)
    if len({len(run.sent) for run in (*runs, *quiet)}) > 1:
        seen = f"You take {len(runs[0].sent)} rounds, and {len(quiet[0].sent)} where no wafer can be read."
        return Diagnosis("rounds", seen, "Their number is public.")
    *sent, noise, other = (np.array([[one[name] for name in silent] for one in run.sent]) for run in (*runs, *quiet))
    rounds = np.sort(rng.permutation(len(noise))[:LOOKED_AT])
    if wrong := known_to_all(noise, other):
        return wrong
    signals = [(one - noise)[rounds] for one in sent]
    sums = [sums_of([*some.values()]) for some in fabs[: 1 + others]]
    seen = other_sums(signals, noise, sums, [*silent], (rounds + 1).tolist())
    if not seen:
        return None
    return Diagnosis("other-sums", seen, "Milestone 1.2: what does a fab add up, and at which weights?")
