"""Capstone 1.5: the whole training, judged on what every fab sends, on its noise, and on the model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from dpcourse.checks.answered import HandedOver, heard
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.measured import to_decimals
from dpcourse.checks.once import between, fresh, near, whole
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.told import beside_data, quiet_in_earnest, quieter
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
        return np.sum([vector for name, vector in kept.items() if name not in self.gone], axis=0)


def fitted(
    answer: Answer, fabs: Mapping[str, Wafers], epsilon: float, sums: Sums, rng: Any, delta: float = DELTA
) -> np.ndarray:
    """The weights, after the look at what was sent."""
    data = {name: (X.copy(), y.copy()) for name, (X, y) in fabs.items()}
    with heard(sums):
        given = answer(data, epsilon, delta, sums, np.random.default_rng(rng))
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
            fitted(answer, broken, epsilon, sums, chance.rng, delta)
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
    return rng.permutation([*FAB_SIZES, "Fab 7", "New Mexico", "Oregon"]).tolist()[: rng.integers(5, 10)]


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
    """Fabs as they are, once in earnest and twice told its sums: what they send differs by two draws of noise.

    The noise of the two is looked at in every round, and the run in earnest has as much. Other wafers, told these sums
    but for their ninth digits: the weights stay as they are, but for the sixth. The digits are for an answer that
    remembers which weights came with which sums; a right answer never fails.
    """
    epsilon, delta = near(1.0, chance.rng, 4.0), between(chance.rng, 1e-8, 1e-4)
    names = _names(chance.rng)
    fabs = _renamed(names, chance.rng)
    first, seed = Sums(), int(chance.rng.integers(2**32))
    weights = fitted(answer, fabs, epsilon, first, seed, delta)
    said = [np.sum(list(sent.values()), axis=0) for sent in first.sent]
    told = Sums(said=said), Sums(said=said)
    fitted(answer, fabs, epsilon, told[0], chance.rng, delta)
    answer.renew()
    others = _renamed(names, chance.rng)
    nearly = [one * (1 + 1e-9 * chance.rng.normal(size=one.shape)) for one in said]
    again = fitted(answer, others, epsilon, Sums(said=nearly), seed, delta)
    if not np.allclose(weights, again, rtol=1e-6, atol=1e-6 * float(np.abs(weights).max())):
        return Diagnosis(
            "weights-elsewhere",
            "A second run had other wafers. secure_sum gave it the same sums (to eight digits), `rng` was the same, "
            f"and yet your weights differ by up to {np.abs(weights - again).max():.2g}.",
            "Weights from the sums and public numbers: what else of the fabs enters?",
        )
    fitted(answer, fabs, epsilon, told[1], chance.rng, delta)
    real, one, other = (np.array([[sent[name] for name in fabs] for sent in sums.sent]) for sums in (first, *told))
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


def sends(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One wafer more, the same generator: the first round's vectors of that fab differ by its clipped gradient."""
    world = load_fabs(heterogeneity=1.0, rng=chance.rng)
    seed = int(chance.rng.integers(2**32))
    name = str(chance.rng.choice(list(world.clients)))
    X, y = world.clients[name]
    row = np.vstack([X, np.full(20, 0.9)])
    more = {**world.clients, name: Wafers(row, np.append(y, 0))}
    runs = [Sums(), Sums()]
    for fabs, sums in zip((world.clients, more), runs, strict=True):
        fitted(answer, fabs, 3.0, sums, seed)
    first = [sums.sent[0] for sums in runs]
    moved = float(np.linalg.norm(first[1][name] - first[0][name]))
    expected = float(np.linalg.norm(clipped_sum(np.zeros(WEIGHTS), row[-1:], np.zeros(1))))
    if moved > 1 + 1e-6:
        repeated = Sums()
        fitted(answer, world.clients, 3.0, repeated, seed)
        if (off := float(np.linalg.norm(repeated.sent[0][name] - first[0][name]))) > 1e-9:
            seen = (
                f"Twice with the same wafers and the same seed of `rng`, what {name} sends first differs by {off:.3g}."
            )
            return Diagnosis("own-generator", seen, "Which of your draws does not come from `rng`?")
        return Diagnosis(
            "moves-more",
            f"One wafer more moves what {name} sends in the first round by {moved:.3g}; the noise is for 1.",
            "How long is one wafer's part in what a fab sends?",
        )
    if moved < 0.2 * expected:
        return Diagnosis(
            "sends-mean",
            f"One wafer more moves what {name} sends by {moved:.2g}; its clipped gradient is {expected:.2g} long.",
            "Is the noise for a sum added to a mean?",
        )
    others = [other for other in first[0] if other != name and not np.array_equal(first[0][other], first[1][other])]
    if others:
        return Diagnosis(
            "not-local", f"A wafer of {name} changes what {others[0]} sends.", "Each fab computes from its own."
        )
    return None


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At ε = 3, a fab gone, better than alone by two points over six worlds: right answers are by 5 ± 0.5."""
    gains = []
    for world in chance.rng.spawn(6):
        fabs = load_fabs(heterogeneity=1.0, rng=world)
        alone = np.mean([right(train([data], [0.0]), fabs.test).mean() for data in fabs.clients.values()])
        gone = str(world.choice(["Germany", "Israel", "China"]))
        weights = fitted(answer, fabs.clients, 3.0, Sums((gone,)), fresh(world))
        gains.append(right(weights, fabs.test).mean() - alone)
    if np.mean(gains) >= 0.02:
        return None
    gain = 100 * float(np.mean(gains))
    seen = f"At ε = 3 the model is {abs(gain):.1f} points {'better' if gain >= 0 else 'worse'} than the fabs alone, "
    seen += "in the mean over six worlds; five points better are within reach."
    ask = (
        "Steps of size 2 on sum/n, momentum 0.9 and the mean of the later weights get there. What do you do otherwise?"
    )
    return Diagnosis("not-useful", seen, ask if gain > -20 else "Do your steps go up the gradient, or down?")


WHOLE = (private, sends, everywhere, useful)
