"""Capstone 3.2: one bit a device, and a mean without bias."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcourse.checks.again import listens
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import NOTHING, Diagnosis, Refused
from dpcourse.checks.links import Draws, linked, repeated
from dpcourse.checks.measured import in_a_file
from dpcourse.checks.once import fresh, near
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.rare import MANY, rare_lies, too_rare
from dpcourse.lessons.capstone_3.exercises.places import certain_place
from dpcourse.lessons.capstone_3.exercises.tools import decades, leaning, people, reach
from dpcourse.privacy import Guarantee, Neighbours

MILLION = 10**6  # devices, as many as the project has
ODD = (np.nan, np.inf, -np.inf, -3.0, 7.0, 1e300)
Law = Callable[[np.ndarray, float], np.ndarray]  # readings as they are, ε -> the probability of a 1


def seen_as(readings: np.ndarray) -> np.ndarray:
    """NaN counts as 0, the rest is cut to [0, 1]."""
    return np.clip(np.where(np.isnan(readings), 0.0, readings), 0, 1)


def shares(readings: np.ndarray, epsilon: float) -> np.ndarray:
    """The right probabilities."""
    return 0.5 + (seen_as(readings) - 0.5) * math.tanh(epsilon / 2)


def right_mean(bits: np.ndarray, epsilon: float) -> float:
    return float(0.5 + (bits.mean() - 0.5) / math.tanh(epsilon / 2))


@dataclass(frozen=True)
class Asked:
    """One call: what was asked, and the bits that came."""

    kind: str
    readings: np.ndarray
    epsilon: float
    bits: np.ndarray
    mean: float

    @property
    def draws(self) -> Draws:
        p = shares(self.readings, self.epsilon)
        return Draws(self.bits - p, p * (1 - p))

    def off(self, law: Law, failure: float) -> float:
        """How far the number of ones is from what a law wants, in units of what chance allows."""
        p = law(self.readings, self.epsilon)
        p = np.clip(p, 0, 1)
        return abs(float(self.bits.sum() - p.sum())) / reach(float((p * (1 - p)).sum()), failure)

    def leaning(self, failure: float) -> float:
        """The same of how bits follow their own device's reading, where their sum is right."""
        return leaning(seen_as(self.readings), self.bits, shares(self.readings, self.epsilon), failure)


def _of_largest(readings: np.ndarray, epsilon: float) -> np.ndarray:
    return shares(seen_as(readings) / max(float(seen_as(readings).max()), 1e-300), epsilon)


LAWS: tuple[tuple[str, Law, str, str], ...] = (
    (
        "no-noise",
        lambda x, e: seen_as(x),
        "Each bit is 1 with probability x itself, as far as can be seen. Then a device at 0 never sends a 1, and "
        "whoever gets a 1 from a device knows that it is not at 0.",
        "How likely is a 1 at x = 0, if it is e^ε times as likely at x = 1?",
    ),
    (
        "no-noise",
        lambda x, e: (seen_as(x) >= 0.5).astype(float),
        "Each bit says whether x is at least ½, without any chance.",
        "How likely is a 1 at x = 0, if it is e^ε times as likely at x = 1?",
    ),
    (
        "rounded-first",
        lambda x, e: shares((seen_as(x) >= 0.5).astype(float), e),
        "A reading of 0.6 is treated as 1, and one of 0.4 as 0: the mean of many readings of 0.6 comes out as 1.",
        "How can chance round 0.6, so that it is right on average?",
    ),
    (
        "twice-epsilon",
        lambda x, e: shares(x, 2 * e),
        "Your bits spend twice `epsilon`: a 1 is e^(2ε) times as likely at x = 1 as at x = 0.",
        "Divide the probability of a 1 at x = 1 by that at x = 0.",
    ),
    (
        "half-epsilon",
        lambda x, e: shares(x, e / 2),
        "Your bits spend half of `epsilon`, and the mean is noisier than it has to be.",
        "Divide the probability of a 1 at x = 1 by that at x = 0.",
    ),
    (
        "upside-down",
        lambda x, e: shares(x, -e),
        "A device at 0 sends more ones than a device at 1.",
        "At which end must a 1 be more likely?",
    ),
    (
        "scale-from-data",
        _of_largest,
        "You divide by the largest reading. So the bit of one device depends on another device.",
        "Readings are scaled to lie between 0 and 1 already. What does a device know about the others?",
    ),
    (
        "never-at-zero",
        lambda x, e: seen_as(x) * math.exp(e) / (math.exp(e) + 1),
        "A device at 0 never sends a 1. Whoever gets a 1 knows that x was not 0.",
        "How likely must a 1 be at x = 0?",
    ),
    (
        "ignores-data",
        lambda x, e: np.full(len(x), 0.5),
        "Your bits do not follow the readings.",
        "Where do the readings enter?",
    ),
)


def _readings(rng: np.random.Generator, kind: str, n: int) -> np.ndarray:
    if kind == "ends":
        return np.full(n, float(rng.integers(2)))
    if kind == "same":
        return np.full(n, rng.uniform(0.25, 0.75))
    if kind == "low":
        return rng.uniform(0, rng.uniform(0.2, 0.4), n)
    if kind.startswith("odd"):
        odd = rng.choice(ODD, n) if kind == "odd" else float(kind.removeprefix("odd "))
        return np.where(rng.random(n) < 0.5, odd, rng.random(n))
    width = 10 ** -rng.uniform(0.3, 2) if kind == "narrow" else 1.0  # as of devices that are all alike
    return (1 - width) * rng.random() + width * rng.beta(rng.uniform(0.5, 3), rng.uniform(0.5, 3), n)


def reported(answer: Answer, rng: np.random.Generator, kind: str, n: int, epsilon: float) -> Asked:
    readings = in_a_file(_readings(rng, kind, n), rng)
    handed = readings.copy()
    handed.setflags(write=False)
    given = answer(handed, epsilon, rng=fresh(rng))
    if given is None:
        raise Refused(NOTHING)
    if not isinstance(given, tuple | list) or len(given) != 2 or np.shape(given[0]) != (n,) or np.ndim(given[1]):
        ask = "Return (bits, mean): an array with one bit a device, and a number."
        raise Refused(Diagnosis("wrong-shape", f"For {n} readings your function does not return a pair of these.", ask))
    bits = np.asarray(only_numbers(given)[0], dtype=float)
    none = ~np.isin(bits, (0, 1)) | np.signbit(bits)
    if none.any():
        odd, strange = bits[none][0], not ((readings >= 0) & (readings <= 1))[none].any()
        where = " from a reading that is NaN, infinite or outside of [0, 1]" if strange else ""
        ask = "A device sends a 0 or a 1 and nothing else, whatever its reading is."
        raise Refused(Diagnosis("not-bits", f"`bits` holds {odd:.4g}{where}.", ask))
    return Asked(kind, readings, epsilon, bits, float(given[1]))


def law(answer: Answer, chance: Chance) -> Diagnosis | None:
    """How many ones came, in calls of all sizes, at every ε, and whether they came independently."""
    rng, calls = chance.rng, list[Asked]()
    plan = [(kind, people(rng, 1, 20_000), 0.02) for kind in ("ends", "low", "odd", "plain") for _ in range(6)]
    plan += [("plain", people(rng, 1, 100), 0.02) for _ in range(40)]
    plan += [("narrow", people(rng, 100, 10_000), 0.02) for _ in range(12)]
    plan += [("ends", 400_000, 0.02), ("plain", people(rng, MILLION, MILLION * 5 // 4), 0.02), ("low", 100_000, 0.5)]
    plan += [(f"odd {value}", 20_000, 0.5) for value in ODD]
    for kind, n, least in (plan[place] for place in rng.permutation(len(plan))):
        epsilon = near(decades(rng, least, 6), rng, 1.0)
        calls.extend(reported(answer, rng, kind, n, epsilon) for _ in range(2 if n < 2000 else 1))
    failure = chance.failure / (8 * len(calls))
    wrong = [one for one in calls if one.off(shares, failure) > 1]
    if wrong:
        return _named(wrong, calls, failure)
    if any(one.leaning(failure) > 1 for one in calls):
        return Diagnosis(
            "others-readings",
            "As many devices send a 1 as should, but others than should: a bit does not follow its own reading alone.",
            "What does a device know about the others?",
        )
    return mean_wrong(calls) or _together(answer, calls, chance)


def _named(wrong: list[Asked], calls: list[Asked], failure: float) -> Diagnosis:
    sizes, asked = [len(one.bits) for one in wrong], [one.epsilon for one in wrong]
    which = (
        f"In {len(wrong)} of {len(calls)} calls (of {min(sizes):,} devices or more, at epsilon = {min(asked):.2g} to "
    )
    for some, where in ((calls, ""), (wrong, f"{which}{max(asked):.2g}): ")):
        plain = [one for one in some if not one.kind.startswith("odd")]
        for key, other, seen, ask in LAWS:
            if plain and all(one.off(other, failure) <= 1 for one in plain):
                return Diagnosis(key, where + seen, ask)
    named = [one for one in wrong if one.kind != "odd"] or wrong  # what half of the readings are is said of these
    worst = max(named, key=lambda one: one.off(shares, failure))
    got, wanted = worst.bits.mean(), shares(worst.readings, worst.epsilon).mean()
    alike = [one for one in wrong if one.bits.std() == 0 and len(one.bits) > 50]
    if alike:
        one = alike[0]
        seen = f"{len(one.bits):,} devices, with readings around {seen_mean(one):.2g}, all send the same bit at epsilon"
        ask = "Is there a draw of `rng` for each device, and may any of them send either bit?"
        return Diagnosis("same-for-all", f"{seen} = {one.epsilon:.3g}.", ask)
    seen = f"{len(worst.bits):,} devices at epsilon = {worst.epsilon:.3g}: {got:.4f} of the bits are 1, "
    if all(one.kind.startswith("odd") for one in wrong):
        odd = (
            worst.kind.removeprefix("odd ").replace("nan", "NaN")
            if worst.kind != "odd"
            else "NaN, infinite or outside of [0, 1]"
        )
        ask = "NaN counts as 0. Everything else is cut to [0, 1], infinity too. What is it in yours?"
        return Diagnosis("odd-readings", f"{seen}{wanted:.4f} would be right. Half of the readings are {odd}.", ask)
    ask = "What has to come out at x = 0, at x = 1, and in the middle?"
    return Diagnosis("wrong-law", f"{seen}{wanted:.4f} would be right (mean reading {seen_mean(worst):.3g}).", ask)


def seen_mean(asked: Asked) -> float:
    return float(seen_as(asked.readings).mean())


def mean_wrong(calls: list[Asked]) -> Diagnosis | None:
    """The mean is made from the bits, without bias."""

    def fits(wanted: Callable[[Asked], float]) -> bool:
        return all(math.isclose(one.mean, wanted(one), rel_tol=1e-6, abs_tol=1e-6) for one in calls)

    if fits(lambda one: right_mean(one.bits, one.epsilon)):
        return None
    if fits(lambda one: float(one.bits.mean())):
        ask = "If all devices read x, which share of them sends a 1? Solve that for x."
        return Diagnosis("share-of-ones", "Your mean is the share of ones, and devices at 0 send some, too.", ask)
    if fits(lambda one: float(np.clip(right_mean(one.bits, one.epsilon), 0, 1))):
        return Diagnosis(
            "cut",
            "You cut the mean to [0, 1]. Near 0 the errors below are cut and those above stay, so it is too large on "
            "average. Near 1 it is too small.",
            "All devices read 0. What is the average of your mean over many calls?",
        )
    if fits(lambda one: seen_mean(one)):
        return Diagnosis(
            "exact-mean",
            "Your mean is the exact mean of the readings. The server has the bits only.",
            "Which formula of `bits` is right on average?",
        )
    one = next(one for one in calls if not math.isclose(one.mean, right_mean(one.bits, one.epsilon), abs_tol=1e-6))
    seen = f"At epsilon = {one.epsilon:.3g} a share of {one.bits.mean():.4f} ones gives {one.mean:.4g}; on average "
    ask = "Which mean reading would give that share of ones on average?"
    return Diagnosis("biased-mean", f"{seen}{right_mean(one.bits, one.epsilon):.4g} would be right.", ask)


def _together(answer: Answer, calls: list[Asked], chance: Chance) -> Diagnosis | None:
    """An auditor; and whether bits hang together, of one device in several calls or of several devices in one."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    rng, epsilon = chance.rng, decades(chance.rng, 0.2, 3)
    sides = []
    for end in (0.0, 1.0):
        sides.append(np.asarray(answer(np.full(20_000, end), epsilon, rng=fresh(rng))[0], dtype=int).tolist())
    claim = Guarantee(epsilon, neighbours=Neighbours.REPLACE_ONE)
    found = audit_outputs(*sides, claim=claim, confidence=1 - chance.failure / 4)
    if found.violated:
        seen = f"The bit of a device tells 0 from 1: ε ≥ {found.epsilon_lower:.3g}, and epsilon = {epsilon:.3g}."
        return Diagnosis("not-private", seen, "Divide the probability of a 1 at x = 1 by that at x = 0.")
    return _linked(calls, chance.failure / 2)


def _linked(calls: list[Asked], failure: float) -> Diagnosis | None:
    drawn = [one.draws for one in calls]
    if repeated(drawn, failure / 2):
        return Diagnosis("same-bits", "Asked again, devices draw as before.", "Which of your draws come from `rng`?")
    if where := linked(drawn, failure / 2):
        seen = f"The devices' bits are not independent: {where} are alike or unlike more often than by chance."
        return Diagnosis("linked-bits", seen, "Does each device have a draw of its own?")
    return None


def same(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Some hundred devices that all read the same, sixty times: the sum of their bits varies, and no bit is certain.

    With readings in the middle and ε around 1 a fair bit is nearly a fair coin, so both show best.
    """
    rng = chance.rng
    calls = [reported(answer, rng, "same", people(rng, 400, 800), decades(rng, 0.2, 1.5)) for _ in range(60)]
    if wrong := _linked(calls, chance.failure / 2):
        return wrong
    told = []
    for one in calls:
        high, p = one.readings > 0.5, shares(one.readings, one.epsilon)
        told.append(((one.bits > 0) == high, np.where(high, p, 1 - p)))
    place = certain_place(told, chance.failure / 2)
    if place is None:
        return None
    seen = f"In {len(calls)} calls the bit at index {place} says too often whether the reading is above ½."
    return Diagnosis("no-noise", seen, "Does every device draw, wherever it stands?")


def _many(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Readings of 120 devices or more: all their bits come again with probability 1e-20 at most."""
    return rng.random(people(rng, 120, 4000)), decades(rng, 0.02, 6)


def _rarely(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Devices that read 1, at an ε at which their bit is hardly ever 0."""
    epsilon, share = rare_lies(chance.rng)
    bits = np.asarray(answer(np.ones(MANY), epsilon, rng=fresh(chance.rng))[0])
    return too_rare(int((bits == 0).sum()), share, epsilon, chance.failure)


MEAN = (law, same, listens(_many, lambda answer, x, epsilon, own: answer(x.copy(), epsilon, rng=own)[0]), _rarely)
