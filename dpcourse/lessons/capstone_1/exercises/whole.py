"""Capstone 1.5: the whole training, judged on what every fab sends, on its noise, and on the model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.measured import to_decimals
from dpcourse.checks.once import between, near, whole
from dpcourse.datasets import load_fabs
from dpcourse.datasets.fabs import FAB_SIZES, Wafers
from dpcourse.lessons.capstone_1.exercises.noise import noise_wrong
from dpcourse.lessons.capstone_1.exercises.run import Sums, fitted, looked_at, seed_of
from dpcourse.lessons.capstone_1.numbers import DELTA, SHARES, WEIGHTS, clipped_sum, right, train

WORLDS = 6  # in which the model is tried
ALL_NAMES = (*FAB_SIZES, "Fab 7", "New Mexico", "Oregon")


def private(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Fabs whose wafers are all broken, in one reading or more, send noise and nothing else: so it shows.

    They have one wafer up to twice as many as the project's largest, and one of them as many as that or more. The first
    are four; of the others one has no wafer at all, and adds its share all the same.
    """
    for around, only_four in ((3.0, True), (0.3, False), (9.0, False)):
        epsilon, delta = near(around, chance.rng), between(chance.rng, 1e-8, 1e-4)
        names = _names(chance.rng)[: SHARES if only_four else None]
        sizes = {name: whole(chance.rng, 900 if name == names[0] else 1, 1800) for name in names}
        if not only_four:
            sizes[names[-1]] = 0
        broken = {name: Wafers(_broken(n, chance.rng), chance.rng.integers(0, 2, n)) for name, n in sizes.items()}
        sums, none = Sums(), "" if only_four else ", and one fab has none,"
        try:
            fitted(answer, broken, epsilon, sums, seed_of(chance.rng), delta)
        except AnswerRaised as raised:
            return Diagnosis(
                "raises", f"Where wafers cannot be read{none} your training stops: {raised}.", "They count as zero."
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

    Half of them have readings that are whole, or have one decimal; some have wafers that cannot be read.
    """
    fabs = [*load_fabs(heterogeneity=1.0, rng=rng).clients.values()]
    for place in range(len(names) - len(fabs)):
        X, y = fabs[place]
        fabs[place], half = Wafers(X[::2], y[::2]), Wafers(X[1::2], y[1::2])
        fabs.append(half)
    fabs = [Wafers(to_decimals(X, rng), y) for X, y in fabs]
    for place in rng.permutation(len(fabs))[: rng.integers(1, len(fabs))]:
        X, y = fabs[place]
        some = rng.permutation(len(y))[: int(rng.integers(1, len(y) // 4))]
        X[some] = _broken(len(some), rng)
    return dict(zip(names, fabs, strict=False))


def everywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Fabs as they are, by any names, and any ε and δ: what they send is noise and sums, and weights follow from these.

    Before the last look at sums comes one that says more of what is wrong with them. A right answer fails as often as
    the looks at its noise allow.
    """
    epsilon, delta = near(1.0, chance.rng, 4.0), between(chance.rng, 1e-8, 1e-4)
    names = _names(chance.rng)
    fabs = _renamed(names, chance.rng)
    _, wrong, sums = looked_at(answer, fabs, _renamed(names, chance.rng), epsilon, delta, (), chance)
    return wrong or _sends(answer, chance) or sums(others=False)


def _sends(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One wafer more, the same generator and sums: that fab's vectors differ by its clipped gradient, in every round.

    Without it there is one that cannot be read, so that fabs are as large. Once it passed and once it did not: one of
    the two gradients is longer than the clip. The third time one of its readings is large.
    """
    clients = load_fabs(heterogeneity=1.0, rng=chance.rng).clients
    seed, name = seed_of(chance.rng), str(chance.rng.choice(list(clients)))
    X, y = clients[name]
    place = int(chance.rng.integers(len(y) + 1))

    def with_one(row: np.ndarray, label: int) -> dict[str, Wafers]:
        return {**clients, name: Wafers(np.insert(X, place, row, axis=0), np.insert(y, place, label))}

    usual = chance.rng.choice((-1, 1), 20) * chance.rng.uniform(0.8, 1, 20)
    large = np.where(np.arange(20) == chance.rng.integers(20), 10 ** chance.rng.uniform(2, 6), usual)
    fabs, first = with_one(np.full(20, np.nan), 0), Sums()
    fitted(answer, fabs, 3.0, first, seed)
    for row, label in ((usual, 0), (usual, 1), (large, int(chance.rng.integers(2)))):
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
    gains, looks = [], []
    for number, world in enumerate(chance.rng.spawn(WORLDS)):
        own = number % 2 == 0
        epsilon, delta = (3.0, DELTA) if own else (near(3.5, world), between(world, 1e-6, 1e-4))
        names = [*FAB_SIZES] if own else world.permutation(ALL_NAMES)[: len(FAB_SIZES)].tolist()
        drawn, others = (load_fabs(heterogeneity=1.0, rng=world) for _ in range(2))
        fabs, strangers = (dict(zip(names, one.clients.values(), strict=True)) for one in (drawn, others))
        alone = np.mean([right(train([data], [0.0]), drawn.test).mean() for data in fabs.values()])
        gone = str(world.choice(names[3:]))
        each = Chance(world, chance.failure / WORLDS)
        weights, wrong, sums = looked_at(answer, fabs, strangers, epsilon, delta, (gone,), each)
        if wrong:
            return wrong
        looks.append(sums)
        gains.append(right(weights, drawn.test).mean() - alone)
    if np.mean(gains) >= 0.02:
        return next(filter(None, (look() for look in looks)), None)
    gain = 100 * float(np.mean(gains))
    seen = f"At ε ≈ 3 the model is {abs(gain):.1f} points {'better' if gain >= 0 else 'worse'} than the fabs alone, "
    seen += "in the mean over six worlds; five points better are within reach."
    ask = (
        "Steps of size 2 on sum/n, momentum 0.9 and the mean of the later weights get there. What do you do otherwise?"
    )
    return Diagnosis("not-useful", seen, ask if gain > -20 else "Do your steps go up the gradient, or down?")


WHOLE = (private, everywhere, useful)
