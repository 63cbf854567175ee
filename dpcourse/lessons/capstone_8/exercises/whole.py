"""Capstone 8.6: a year of messages, judged on what is counted, on its noise and claim, and on its error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.again import listens
from dpcourse.checks.answered import stops
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import between, fresh, spread, whole
from dpcourse.checks.plain import parts
from dpcourse.lessons.capstone_8.design import CAP, DELTA, sigma, year_norm
from dpcourse.lessons.capstone_8.exercises.means import AUDITED, CALLS, LOUD, certified, near
from dpcourse.lessons.capstone_8.exercises.noise import SCALES, example, likeliest, noise_wrong
from dpcourse.lessons.capstone_8.exercises.readings import STRANGE, broken, counting, of_homes
from dpcourse.lessons.capstone_8.exercises.shares import SHARED, Reported, by_days, claim_wrong, words_of, wrong_size
from dpcourse.lessons.capstone_8.exercises.world import DAYS, FEW, MIXES, Message, around, beside, mixed, names
from dpcourse.mechanisms.additive.gaussian import gaussian_delta
from dpcourse.privacy import Guarantee, Neighbours

MANY = 2000  # homes, below which all kinds of messages that do not count come where noise is looked at by size
MOST = 600  # messages of a kind that do not count, for a day
LONG = (1000, 4000)  # days of a world that is there for its many numbers
STRANGERS = (
    "With readings that are NaN, infinite, below 0 or above 24, second messages, strangers, and days such as −1 or 2.5"
)
AMONG = "Which of these does your code not expect, and what does the task say about it?"
WANTED = ("means", "reported", "claim")


def released(
    answer: Answer,
    messages: list[Message],
    homes: list[str],
    days: int,
    epsilon: float,
    delta: float,
    shares: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """What the answer returns, its parts of the right kind."""
    given = answer(list(messages), set(homes), days, epsilon, delta, shares, fresh(rng))
    parts(given, WANTED)
    means, reported = (np.asarray(given[key], dtype=float) for key in ("means", "reported"))
    if means.shape != (days,) or reported.shape != (days,):
        shapes = f"`means` has shape {means.shape}, `reported` {reported.shape}, for {days} days"
        raise Refused(Diagnosis("wrong-shape", f"{shapes}.", "One number a day in each."))
    return {"means": means, "reported": reported, "claim": given["claim"]}


def robust(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a huge ε the noise is gone, so what was added up shows; and days with too few homes are not published."""
    for kind, (what, ask) in MIXES.items():
        for _ in range(3):
            messages, homes, sums, reported = mixed(chance.rng, kind)
            with stops(kind, what, ask):
                given = [released(answer, messages, homes, DAYS, LOUD, 1e-6, FEW, chance.rng) for _ in range(CALLS)]
            found = _miscounted(given, sums, reported)
            if found:
                key = "too-few" if kind == "few" and "published" in found else kind
                more, closer = _instead(given, messages, homes, sums, reported) if kind == "plain" else ("", "")
                return Diagnosis(key, f"{what}, {found}{more}", closer or ask)
    with stops("few", none := "Without any message", "What is published for a day without reports?"):
        given = [released(answer, [], homes, DAYS, LOUD, 1e-6, FEW, chance.rng)]
    if found := _miscounted(given, np.zeros(DAYS), np.zeros(DAYS, dtype=int)):
        return Diagnosis("too-few", f"{none}, {found}", "How many homes reported?")
    sizes = whole(chance.rng, 20, 2000), whole(chance.rng, 200_000, 210_000)
    return next(filter(None, (_too_few(answer, chance.rng, many) for many in sizes)), None)


def _too_few(answer: Answer, rng: np.random.Generator, many: int) -> Diagnosis | None:
    """Days on which fewer homes report than `shares`, in a larger network; of the brief's, up to 2,000 do."""
    homes, shares = names(many), int(rng.integers(many // 2, many))
    reported = [0, whole(rng, 1, most := min(shares - 1, 2000)), most]
    messages: list[Message] = [(home, day, 9.0) for day, some in enumerate(reported) for home in homes[:some]]
    means = released(answer, messages, homes, len(reported), 1.0, DELTA, shares, rng)["means"]
    for some in np.array(reported)[~np.isnan(means)].tolist():
        seen = f"{some:,} of {many:,} homes reported on a day, and `shares` is {shares:,}. You published that day."
        return Diagnosis("too-few", seen, "What is published for such a day, and what for the others?")
    return None


def _miscounted(given: list[dict[str, Any]], sums: np.ndarray, reported: np.ndarray) -> str:
    """What is wrong with counts and means of several calls, in a sentence."""
    whole = reported >= FEW
    for one in given:
        silent = np.isnan(one["means"])
        if (silent & whole).any():
            return f"you do not publish a day on which {reported[silent & whole][0]} homes reported."
        if (~silent & ~whole).any():
            return f"you published a day on which {reported[~silent & ~whole][0]} homes reported."
        if not np.array_equal(one["reported"], reported):
            day = int(np.argmax(one["reported"] != reported))
            return f"`reported` is {one['reported'][day]:g} on a day on which {reported[day]} homes reported."
    if not whole.any():
        return ""
    means, right = np.array([one["means"] for one in given])[:, whole], (sums / np.maximum(reported, 1))[whole]
    if near(means, right, year_norm(DAYS) * sigma(LOUD, 1e-6) / np.sqrt(FEW * reported[whole])):
        return ""
    day = int(np.nan_to_num(np.abs(means[0] - right), nan=np.inf).argmax())
    mean = means[0][day]
    shown = f"{mean:.3g} kWh" if abs(mean) < 1e4 else "far below 0" if mean < 0 else "far above 24 kWh"
    seen = f"a day's mean is {shown}; {right[day]:.3g} kWh is right"
    return f"{seen} (at ε = {LOUD:g}, where there is little noise)."


def _instead(
    given: list[dict[str, Any]], messages: list[Message], homes: list[str], sums: np.ndarray, reported: np.ndarray
) -> tuple[str, str]:
    """What is said and asked where sums are divided by the number of all homes, or not capped; "" if neither."""
    whole, noise = (reported >= FEW) & (reported < len(homes)), year_norm(DAYS) * sigma(LOUD, 1e-6)
    means = np.array([one["means"] for one in given])[:, whole]
    if not whole.any():
        return "", ""
    if near(means, sums[whole] / len(homes), noise / len(homes)):
        return f" You divide by all {len(homes)} homes.", "By what do you divide a day's sum?"
    as_they_are = np.bincount([int(day) for _, day, _ in messages], [kwh for *_, kwh in messages], DAYS)[whole]
    if near(means, as_they_are / reported[whole], noise / np.sqrt(FEW * reported[whole])):
        return " Readings above 24 kWh count in full.", "What does the task count such a reading as?"
    return "", ""


def honest(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The claim, and the law of the noise where just enough homes report, where all do, and where it changes.

    Some worlds have a few homes and thousands of days: so many numbers that a deviation that is 5% off is seen. Every
    other world has days on which meters say one strange thing, in some homes or in all; and if it is short, so many
    messages that do not count that they would show in the noise. The other short ones have a few, of one kind.
    """
    found, by_kind, rng = [], [], chance.rng
    for number in range(18):
        long = number % 3 == 0
        days = int(rng.integers(*(LONG if long else (10, 60))))
        shares = int(rng.integers(1, 3) if long else rng.integers(3, 12))
        epsilon, delta = float(np.exp(rng.uniform(-3, 2.5))), between(rng, 1e-10, 1e-3)
        homes = names(int(shares * rng.uniform(1.4, 2.5)) + 1)
        least, most = ((shares, shares), (len(homes), len(homes)), (shares, len(homes)))[number // 3 % 3]
        there = [rng.permutation(len(homes))[: int(rng.integers(least, most + 1))] for _ in range(days)]
        readings = of_homes(rng, len(homes), days) * (number % 4 > 0)
        kinds = np.full(days, "", dtype=object)
        if number % 2:
            said = rng.choice(STRANGE, days)
            told = rng.random(readings.shape) < rng.choice((0, 0.5, 1), days)
            readings = np.where(told, said, readings)
            hit = [day for day, some in enumerate(there) if told[some, day].any()]
            kinds[hit] = [f"{value:g}" for value in said[hit]]
        many = np.array([len(some) for some in there])
        messages: list[Message] = [
            (homes[home], day, float(readings[home, day])) for day, some in enumerate(there) for home in some
        ]
        if number % 2 and not long:
            more = min(MOST, int(16 * sigma(epsilon, delta) * math.sqrt(days)) + 1)
            messages, others = around(messages, homes, days, more, rng)
            kinds[list(others)] = list(others.values())
        elif not long:
            messages = beside(messages, ("stranger", "repeated", "no-day")[number // 3 % 3], homes, days, 9, rng)
        try:
            many_times = [released(answer, messages, homes, days, epsilon, delta, shares, rng) for _ in range(2 - long)]
        except AnswerRaised as raised:
            if not number % 2:
                raise
            return Diagnosis("strange-raises", f"{STRANGERS}, your function stops with {raised}.", AMONG)
        wrong = claim_wrong(many_times[-1]["claim"], epsilon, delta)
        if wrong:
            return wrong
        means = np.array([given["means"] for given in many_times])
        if np.isnan(means).any():
            if number % 2 and not np.isnan(means[:, kinds == ""]).any():
                day = min(np.flatnonzero(np.isnan(means).any(axis=0)), key=lambda day: kinds[day] in MIXES)
                where, ask = (STRANGERS, AMONG) if kinds[day] in MIXES else words_of(kinds[day], MIXES)
                seen = f"{where}, your mean is NaN, although {many[day]} homes reported and `shares` is {shares}."
                return Diagnosis("strange", seen, ask)
            seen = (
                f"At least {shares} homes reported on every day, and `shares` is {shares}. Some of your means are NaN."
            )
            return Diagnosis("refuses-all", seen, "For which days does the task want NaN?")
        if wrong := recounted(many_times[-1]["reported"], many, kinds, epsilon):
            return wrong
        exact = np.array([counting(readings[some, day]).sum() for day, some in enumerate(there)]) / many
        unit = year_norm(days) * sigma(epsilon, delta) * np.sqrt(many / shares) / many
        standard = (means - exact) / unit
        negative = int((means < 0).sum()), len(means) * float(stats.norm.cdf(-exact / unit).sum())
        found.append(Reported(shares, days, epsilon, delta, standard, *negative, many=many, declared=len(homes)))
        by_kind.append((kinds, standard, epsilon))
    if wrong := by_days(by_kind, MIXES, chance.failure / 2):
        return wrong
    known = likeliest(found, (*SHARED, *SCALES))
    if known in SHARED:
        return Diagnosis(known[0], f"{example(found, known[1])}. {known[2]}", known[3])
    return noise_wrong(found, chance.failure / 2, rng)


def recounted(given: np.ndarray, right: np.ndarray, kinds: np.ndarray, epsilon: float) -> Diagnosis | None:
    """Whether `reported` is right also where there is noise; `kinds` says what there is on a day."""
    wrong = np.flatnonzero(given != right)
    if not wrong.size:
        return None
    day = wrong[0]
    key = kinds[day] if kinds[day] in MIXES else "strange" if kinds[day] else "plain"
    what, ask = MIXES[key]
    seen = f"{what}, `reported` is {given[day]:g} on a day on which {right[day]} homes reported (at ε = {epsilon:.2g})."
    return Diagnosis(key, seen, ask)


def hides(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The auditor: a home at the cap on every day, or at zero, among just enough others."""
    noise = float(chance.rng.uniform(0.7, 1.2))
    claim = Guarantee(AUDITED, gaussian_delta(AUDITED, noise), Neighbours.REPLACE_ONE)
    homes, days = names(3), 6
    there = chance.rng.random(1000) < 0.5
    shown = np.empty(len(there))
    for run, here in enumerate(there):
        messages: list[Message] = [
            (home, day, (CAP if here else 0.0) if home == homes[1] else 12.0) for day in range(days) for home in homes
        ]
        given = released(answer, messages, homes, days, claim.epsilon, claim.delta, len(homes), chance.rng)
        shown[run] = given["means"].sum() * len(homes) / year_norm(days) / math.sqrt(days)
    found = certified(shown, there, claim, chance.failure)
    if found is None:
        return None
    return Diagnosis(
        "not-private",
        f"Added up over {days} days, your means tell a home at 24 kWh from one at 0: the auditor certifies "
        f"ε ≥ {found:.3g}, and you claim ε = 1 (at δ = {claim.delta:.2g}).",
        "Is the noise made for a whole year of one home?",
    )


def sizes(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Thirty homes to those of the brief, any ε and δ, up to twenty days: noise at every size."""
    rng, sums, by_kind = chance.rng, [], []
    for many in map(round, sorted((*spread(rng, 30, 9000, 4), rng.uniform(200_000, 210_000)))):
        days = min(20, 8000 // many + 1)
        shares, homes = int(rng.integers(many // 2, many * 4 // 5)), names(many)
        epsilon, delta = float(0.1 * 50 ** rng.uniform()), between(rng, 1e-10, 1e-4)
        kinds = rng.choice(np.array(["", "strange"], dtype=object), days)
        readings = broken(of_homes(rng, many, days), 0.3 * (kinds == "strange"), rng)
        there = rng.random((many, days)) < 0.97
        there[:shares] = True
        messages: list[Message] = [
            (homes[home], int(day), float(readings[home, day])) for home, day in np.argwhere(there)
        ]
        if many < MANY:
            messages, others = around(messages, homes, days, many, rng)
            kinds[list(others)] = list(others.values())
        elif days > 1:
            messages, kinds[0] = beside(messages, "repeated", homes, days, many * 2 // 3, rng, 0), "repeated"
        exact, reported = np.where(there, counting(readings), 0).sum(axis=0), there.sum(axis=0)
        calls = [
            released(answer, messages, homes, days, epsilon, delta, shares, rng) for _ in range(2 if many < 1000 else 1)
        ]
        if wrong := recounted(calls[-1]["reported"], reported, kinds, epsilon):
            return wrong
        sums.append((reported, shares, epsilon, delta, [one["means"] * reported - exact for one in calls]))
        unit = year_norm(days) * sigma(epsilon, delta) * np.sqrt(reported / shares)
        by_kind.append((kinds, np.array(sums[-1][-1]) / unit, epsilon))
    named = by_days(by_kind, MIXES, chance.failure / 2)
    if named and named.key != "no-share":
        return named
    return wrong_size(sums, chance.failure / 2, rng) or named  # too little noise may be so by the size alone


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Six hundred homes for twenty days at ε = 1, some of them missing: the RMS is about that of the noise."""
    homes, days, shares = names(600), 20, 550
    readings = np.minimum(np.exp(chance.rng.normal(2, 0.5, (600, days))), 40)
    there = chance.rng.random(readings.shape) < 0.97
    messages: list[Message] = [(homes[home], int(day), float(readings[home, day])) for home, day in np.argwhere(there)]
    given = released(answer, messages, homes, days, 1.0, DELTA, shares, chance.rng)
    exact = np.where(there, counting(readings), 0).sum(axis=0) / there.sum(axis=0)
    error = float(np.sqrt(np.mean((given["means"] - exact) ** 2)))
    expected = year_norm(days) * sigma(1.0) * math.sqrt(there.sum() / days / shares) / (there.sum() / days)
    if error < 2 * expected:  # the root of a mean of 20 squares: above twice the expected with probability 2e-9
        reported = there.sum(axis=0)
        sums = [(reported, shares, 1.0, DELTA, [(given["means"] - exact) * reported])]
        return wrong_size(sums, chance.failure / 2, chance.rng)
    return Diagnosis(
        "not-useful",
        f"With 600 homes and 20 days at ε = 1 your means are off by {error:.3g} kWh (RMS); {expected:.2g} is what "
        "the noise makes.",
        "At this size, with homes missing: what do you add up, and what do you divide by?",
    )


def _any(rng: np.random.Generator) -> tuple[Any, ...]:
    """Days on which all homes reported."""
    homes, days = names(whole(rng, 3, 300)), whole(rng, 2, 40)
    readings = of_homes(rng, len(homes), days)
    messages: list[Message] = [
        (name, day, float(readings[row, day])) for row, name in enumerate(homes) for day in range(days)
    ]
    asked = float(np.exp(rng.uniform(-3, 2.5))), between(rng, 1e-10, 1e-3)
    return messages, homes, days, *asked, int(rng.integers(1, len(homes) + 1))


def _means(answer: Answer, *asked: Any) -> np.ndarray:
    return released(answer, *asked)["means"]


WHOLE = (robust, honest, hides, sizes, useful, listens(_any, _means))
