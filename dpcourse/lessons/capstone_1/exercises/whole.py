"""Capstone 1.5: the whole training, judged on what every fab sends, on its noise, and on the model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dpcourse.checks.answered import HandedOver, heard
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.measured import to_decimals
from dpcourse.checks.once import between, near, whole
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.told import beside_data, known_to_all, other_sums, quiet_in_earnest, quieter, same_weights
from dpcourse.datasets import load_fabs
from dpcourse.datasets.fabs import FAB_SIZES, Wafers
from dpcourse.lessons.capstone_1.exercises.earnest import LOOKED_AT, sums_of
from dpcourse.lessons.capstone_1.exercises.noise import noise_wrong
from dpcourse.lessons.capstone_1.numbers import (
    DELTA,
    WEIGHTS,
    clipped_sum,
    right,
    train,
)

WORLDS = 6  # in which the model is tried
ALL_NAMES = (*FAB_SIZES, "Fab 7", "New Mexico", "Oregon")
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


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**63))


def private(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Fabs whose wafers are all broken, in one reading or more, send noise and nothing else: so it shows.

    They have one wafer up to twice as many as the project's largest, and one of them as many as that or more.
    """
    for around in (3.0, 0.3, 9.0):
        epsilon, delta = near(around, chance.rng), between(chance.rng, 1e-8, 1e-4)
        names = _names(chance.rng)
        sizes = {name: whole(chance.rng, 900 if name == names[0] else 1, 1800) for name in names}
        broken = {name: Wafers(_broken(n, chance.rng), chance.rng.integers(0, 2, n)) for name, n in sizes.items()}
        sums = Sums()
        try:
            fitted(answer, broken, epsilon, sums, _seed(chance.rng), delta)
        except AnswerRaised as raised:
            return Diagnosis(
                "raises", f"Where wafers cannot be read your training stops: {raised}.", "They count as zero."
            )
        except Refused as refused:
            if refused.diagnosis.key != "not-finite":
                raise
            raise Refused(refused.diagnosis.led_by("Each wafer has a reading that is NaN, ∞ or −∞. ")) from refused
        noise = np.array([[sent[name] for name in broken] for sent in sums.sent])
        if not noise.any():
            seen = "Where no wafer can be read, the fabs send zeros: they add no noise."
            return Diagnosis(
                "too-little-noise", seen, "What hides one wafer in a fab's sum, and does every fab add it?"
            )
        if wrong := noise_wrong(noise, epsilon, delta, sizes, chance):
            return wrong
    return None


def _broken(n: int, rng: np.random.Generator) -> np.ndarray:
    """Wafers each of which has a reading or more that is NaN, ∞ or −∞."""
    X = rng.uniform(-1, 1, (n, 20))
    odd = rng.random((n, 20)) < 0.1
    odd[np.arange(n), rng.integers(20, size=n)] = True
    return np.where(odd, rng.choice((np.nan, np.inf, -np.inf), (n, 20)), X)


def _names(rng: np.random.Generator) -> list[str]:
    """Five to nine fabs, some of which are none of the notebook's."""
    return rng.permutation(ALL_NAMES).tolist()[: rng.integers(5, 10)]


def _renamed(names: list[str], rng: np.random.Generator) -> dict[str, Wafers]:
    """Fabs as they are, by other names; where there are more than six, the largest are made two each.

    Half of them have readings that are whole, or have one decimal.
    """
    fabs = [*load_fabs(heterogeneity=1.0, rng=rng).clients.values()]
    for place in range(len(names) - len(fabs)):
        X, y = fabs[place]
        fabs[place], half = Wafers(X[::2], y[::2]), Wafers(X[1::2], y[1::2])
        fabs.append(half)
    return {name: Wafers(to_decimals(X, rng), y) for name, (X, y) in zip(names, fabs, strict=False)}


def everywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Fabs as they are, by any names, and any ε and δ: what they send is noise and sums, and weights follow from these.

    A right answer fails as often as the looks at its noise allow.
    """
    epsilon, delta = near(1.0, chance.rng, 4.0), between(chance.rng, 1e-8, 1e-4)
    names = _names(chance.rng)
    fabs = _renamed(names, chance.rng)
    return looked_at(answer, fabs, _renamed(names, chance.rng), epsilon, delta, (), chance)[1]


def looked_at(
    answer: Answer,
    fabs: Mapping[str, Wafers],
    others: Mapping[str, Wafers],
    epsilon: float,
    delta: float,
    gone: tuple[str, ...],
    chance: Chance,
    sums: bool = False,
) -> tuple[np.ndarray, Diagnosis | None]:
    """The weights of a run in earnest; and three runs that are told its sums: what is sent differs by draws of noise.

    The noise of two of them is looked at in every round, and the run in earnest has as much. `others`, told these sums
    but for their ninth digits: the weights stay as they are, but for the sixth. The digits are for an answer that
    remembers which weights came with which sums. With `sums`, a run in which no wafer can be read shows the noise that
    the run in earnest had, and so what else it sent.
    """
    first, seed = Sums(gone), _seed(chance.rng)
    weights = fitted(answer, fabs, epsilon, first, seed, delta)
    told = Sums(said=first.gave), Sums(said=first.gave)
    fitted(answer, fabs, epsilon, told[0], _seed(chance.rng), delta)
    answer.renew()
    nearly = [one * (1 + 1e-9 * chance.rng.normal(size=one.shape)) for one in first.gave]
    again = fitted(answer, others, epsilon, Sums(said=nearly), seed, delta)
    if not same_weights(weights, again, 1e-6):
        return weights, Diagnosis(
            "weights-elsewhere",
            "A second run had other wafers. secure_sum gave it the same sums (to eight digits), `rng` was the same, "
            f"and yet your weights differ by up to {np.abs(weights - again).max():.2g}.",
            "Weights from the sums and public numbers: what else of the fabs enters?",
        )
    fitted(answer, fabs, epsilon, told[1], _seed(chance.rng), delta)
    real, one, other = (np.array([[sent[name] for name in fabs] for sent in sums.sent]) for sums in (first, *told))
    if not real.shape == one.shape == other.shape:
        rounds = f"You take {len(real)} rounds, and told the same sums {len(one)} and {len(other)}."
        return weights, Diagnosis("rounds", rounds, "Their number is public.")
    noise = (one - other) / math.sqrt(2)
    # Of 105 normal numbers a round, or more: a variance deviates by 13.8%, and is below 0.3 with probability 3e-13.
    quiet = int((noise.var(axis=(1, 2)) <= 0.3 * noise.var()).sum())
    if quiet:
        return weights, Diagnosis(
            "quiet-rounds",
            f"Where wafers can be read, {quiet} of {len(noise)} rounds have far less noise than the rest, or none."
            if noise.any()
            else "Where wafers can be read, no round has any noise.",
            "What decides whether a fab adds its share?",
        )
    if wrong := noise_wrong(noise, epsilon, delta, {name: len(y) for name, (_, y) in fabs.items()}, chance):
        return weights, wrong if wrong.key == "uneven-noise" else wrong.led_by(ONLY_HERE)
    part = quieter(real, (one, other), chance.failure / 8)
    if part is None:
        some = real[np.sort(chance.rng.permutation(len(real))[:LOOKED_AT])]
        part = beside_data(some, sums_of([*fabs.values()]), chance.failure / 8, noise)
    wrong = quiet_in_earnest(part, "fabs")
    if sums and not wrong:
        silent = {name: Wafers(np.full(X.shape, np.nan), y) for name, (X, y) in fabs.items()}
        nobody = Sums(said=first.gave), Sums(said=first.gave)
        for run, one_seed in zip(nobody, (seed, _seed(chance.rng)), strict=True):
            fitted(answer, silent, epsilon, run, one_seed, delta)
        wrong = _clipped_sums(first, *nobody, fabs, chance.rng)
    return weights, wrong


def _clipped_sums(
    first: Sums, nobody: Sums, again: Sums, fabs: Mapping[str, Wafers], rng: np.random.Generator
) -> Diagnosis | None:
    """What is sent less its noise: the fabs' clipped sums, at the same weights, in a few rounds; and whose noise it is.

    `nobody` had the same draws and no wafer, and `again` others.
    """
    if not len(first.sent) == len(nobody.sent) == len(again.sent):
        seen = f"You take {len(first.sent)} rounds, and {len(nobody.sent)} where no wafer can be read."
        return Diagnosis("rounds", seen, "Their number is public.")
    real, noise, other = (
        np.array([[sent[name] for name in fabs] for sent in run.sent]) for run in (first, nobody, again)
    )
    rounds = np.sort(rng.permutation(len(real))[:LOOKED_AT])
    seen = other_sums(real[rounds], noise[rounds], sums_of([*fabs.values()]), [*fabs], (rounds + 1).tolist())
    if seen:
        return Diagnosis("other-sums", seen, "Milestone 1.2: what does a fab add up, and at which weights?")
    return known_to_all(noise, other)


def same_sums(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Fabs by any names, and any ε and δ, once more: without its noise, they send what milestone 1.2 adds up."""
    names = _names(chance.rng)
    fabs, others = (_renamed(names, chance.rng) for _ in range(2))
    epsilon, delta = near(1.0, chance.rng, 4.0), between(chance.rng, 1e-8, 1e-4)
    return looked_at(answer, fabs, others, epsilon, delta, (), chance, sums=True)[1]


def sends(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One wafer more, the same generator and sums: that fab's vectors differ by its clipped gradient, in every round.

    Without it there is one that cannot be read, so that fabs are as large. Once it passed and once it did not: one of
    the two gradients is longer than the clip.
    """
    clients = load_fabs(heterogeneity=1.0, rng=chance.rng).clients
    seed, name = _seed(chance.rng), str(chance.rng.choice(list(clients)))
    X, y = clients[name]

    place = int(chance.rng.integers(len(y) + 1))

    def with_one(row: np.ndarray, label: int) -> dict[str, Wafers]:
        return {**clients, name: Wafers(np.insert(X, place, row, axis=0), np.insert(y, place, label))}

    row = chance.rng.choice((-1, 1), 20) * chance.rng.uniform(0.8, 1, 20)
    fabs, first = with_one(np.full(20, np.nan), 0), Sums()
    fitted(answer, fabs, 3.0, first, seed)
    for label in (0, 1):
        told = Sums(said=first.gave)
        fitted(answer, with_one(row, label), 3.0, told, seed)
        for number, (before, after) in enumerate(zip(first.sent, told.sent, strict=False), 1):
            moved = float(np.linalg.norm(after[name] - before[name]))
            if moved > 1 + 1e-6:
                return _own_generator(answer, fabs, first, seed, name) or Diagnosis(
                    "moves-more",
                    f"One wafer more moves what {name} sends in round {number} by {moved:.3g}; the noise is for 1.",
                    "How long is one wafer's part in what a fab sends?",
                )
            expected = float(np.linalg.norm(clipped_sum(np.zeros(WEIGHTS), row[None], np.array([label]))))
            if number == 1 and moved < 0.2 * expected:
                return Diagnosis(
                    "sends-mean",
                    f"One wafer more moves what {name} sends by {moved:.2g}; its clipped gradient is {expected:.2g} "
                    "long.",
                    "Is the noise for a sum added to a mean?",
                )
            if others := [one for one in fabs if one != name and not np.array_equal(before[one], after[one])]:
                seen = f"A wafer of {name} changes what {others[0]} sends in round {number}."
                return Diagnosis("not-local", seen, "Each fab computes from its own, and the sums.")
    return None


def _own_generator(answer: Answer, fabs: Mapping[str, Wafers], first: Sums, seed: int, name: str) -> Diagnosis | None:
    """Whether the same wafers and the same seed make other vectors."""
    repeated = Sums(said=first.gave)
    fitted(answer, fabs, 3.0, repeated, seed)
    off = max(
        float(np.linalg.norm(again[name] - sent[name])) for again, sent in zip(repeated.sent, first.sent, strict=False)
    )
    if off <= 1e-9:
        return None
    seen = f"Twice with the same wafers, sums and seed of `rng`, what {name} sends differs by up to {off:.3g}."
    return Diagnosis("own-generator", seen, "Which of your draws does not come from `rng`?")


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A fab gone, better than alone by two points over six worlds: right answers are by 5 ± 0.5 at ε = 3.

    Half of the worlds are the notebook's, and the others have other names and numbers near it. In each of them weights
    follow from noisy sums: `looked_at`.
    """
    gains = []
    for number, world in enumerate(chance.rng.spawn(WORLDS)):
        own = number % 2 == 0
        epsilon, delta = (3.0, DELTA) if own else (near(3.5, world), between(world, 1e-6, 1e-4))
        names = [*FAB_SIZES] if own else world.permutation(ALL_NAMES)[: len(FAB_SIZES)].tolist()
        drawn, others = (load_fabs(heterogeneity=1.0, rng=world) for _ in range(2))
        fabs, strangers = (dict(zip(names, one.clients.values(), strict=True)) for one in (drawn, others))
        alone = np.mean([right(train([data], [0.0]), drawn.test).mean() for data in fabs.values()])
        gone = str(world.choice(names[3:]))
        each = Chance(world, chance.failure / WORLDS)
        weights, wrong = looked_at(answer, fabs, strangers, epsilon, delta, (gone,), each, sums=True)
        if wrong:
            return wrong
        gains.append(right(weights, drawn.test).mean() - alone)
    if np.mean(gains) >= 0.02:
        return None
    gain = 100 * float(np.mean(gains))
    seen = f"At ε ≈ 3 the model is {abs(gain):.1f} points {'better' if gain >= 0 else 'worse'} than the fabs alone, "
    seen += "in the mean over six worlds; five points better are within reach."
    ask = (
        "Steps of size 2 on sum/n, momentum 0.9 and the mean of the later weights get there. What do you do otherwise?"
    )
    return Diagnosis("not-useful", seen, ask if gain > -20 else "Do your steps go up the gradient, or down?")


WHOLE = (private, everywhere, sends, same_sums, useful)
