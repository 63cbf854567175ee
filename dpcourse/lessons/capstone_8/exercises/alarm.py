"""Capstone 8.5: an alarm that runs at home, sees one home's readings and the published means, and sends nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.once import whole
from dpcourse.checks.vocabulary import Shared
from dpcourse.datasets.meters import simulate_meters
from dpcourse.lessons.capstone_8.design import CAP
from dpcourse.lessons.capstone_8.exercises.readings import STRANGE, shown

HOMES, LARGE = 150, 6.0  # the last third of the homes is so many times as large: always above the cap
BREAKS, WITHIN, TWICE = (110, 330), 14, 2.0  # when something breaks, when it has to be found, what is used from then on
BEFORE, AFTER = (110, 160), (14, 45)  # of the year, a home knows so many days before something breaks, and after
HEAT, HEAT_DAYS, HEAT_STARTS = 2.0, 14, (110, 200)  # a heat wave: everybody cools
FOUND, FALSE, ALLOWED = 0.8, 0.02, 0.035  # what is asked for, and the share of false days above which a check refuses
YEAR, LATE = 5, (220, 330)  # every so many homes a whole year is known, and when something breaks in it
ALIKE = 60  # homes that use more when all others do
ANYWAY = 0.25  # of homes in which nothing breaks may have an alarm on those days: with 2% of days it is 25%
METERS = (9, 9, 1, 0)  # decimals of the meters of one home after another
SETTLED = 60  # days on which an alarm may still learn: false alarms are few with them and without


RANDOM = Diagnosis(
    "random",
    "Two calls with the same readings give different alarms.",
    "Nothing leaves the home here. What is the noise for?",
)


def alarms(answer: Answer, readings: np.ndarray, means: np.ndarray) -> np.ndarray:
    for array in (readings, means):
        array.setflags(write=False)
    given = np.asarray(answer(readings, means))
    if given.shape != readings.shape or not np.isin(given, (0, 1)).all():
        what = f"an array of shape {given.shape}" if given.shape else a(given)
        raise Refused(
            Diagnosis("wrong-shape", f"For {len(readings)} days you return {what}; True or False for each is wanted.")
        )
    return given.astype(bool)


@dataclass(frozen=True)
class Home:
    """A home's readings from some day of the year on, the published means, where something breaks, and a heat wave.

    The meter has so many decimals, and what is published one more.
    """

    readings: np.ndarray
    means: np.ndarray
    breaks: int
    hot: np.ndarray
    decimals: int = 9

    def alarms(self, answer: Answer, until: int | None = None) -> np.ndarray:
        readings, means = self.readings[:until], self.means[:until]
        return alarms(answer, np.round(readings, self.decimals), np.round(means, self.decimals + 1))

    def unbroken(self) -> Home:
        readings = self.readings.copy()
        readings[self.breaks :] /= TWICE
        return replace(self, readings=readings)

    def with_all_others(self) -> Home:
        """Nothing breaks: from that day on everybody uses so much more."""
        means = self.means.copy()
        means[self.breaks :] *= TWICE
        return replace(self, means=means)

    def rings(self, given: np.ndarray) -> bool:
        """Whether these alarms come in time."""
        return bool(given[self.breaks :][:WITHIN].any())


def broken(chance: Chance, many: int = HOMES) -> list[Home]:
    """Homes of one year or of a part of it. In each, everything used is doubled from some day on."""
    rng = chance.rng
    meters = simulate_meters(2000, rng=rng)
    heat = int(rng.integers(*HEAT_STARTS))
    hot = np.zeros(meters.used.shape[1], dtype=bool)
    hot[heat : heat + HEAT_DAYS] = True
    used = meters.used.astype(float)
    used[:, hot] *= HEAT
    means = np.minimum(used, CAP).mean(axis=0) + rng.normal(0, 0.03, used.shape[1])
    homes = []
    for number, home in enumerate(used[:many]):
        year = number % YEAR == 0
        day = int(rng.integers(*(LATE if year else BREAKS)))
        home[day:] *= TWICE
        seen = slice(max(0, day - int(rng.integers(*BEFORE))), day + int(rng.integers(*AFTER)))
        seen = slice(0, len(home)) if year else seen
        size = LARGE if number >= 2 * many // 3 else 1.0
        decimals = METERS[number % len(METERS)]
        homes.append(Home(size * home[seen], means[seen], day - seen.start, hot[seen], decimals))
    return homes


def at_home(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Nothing of tomorrow, no luck, and no stumbling over readings or means that are missing, or few.

    It is asked with fewer days first, from one on, so that a memory of the later days tells nothing.
    """
    homes = broken(chance, 9)
    days = [
        (home.breaks + WITHIN, home.breaks + WITHIN - WITHIN // 2, whole(chance.rng, 1, home.breaks)) for home in homes
    ]
    early = [[home.alarms(answer, until) for until in some] for home, some in zip(homes, days, strict=True)]
    answer.renew()  # so that what was said of the beginning is forgotten
    for home, some, said in zip(homes, days, early, strict=True):
        full = home.alarms(answer)
        if not np.array_equal(full, home.alarms(answer)):
            return RANDOM
        for until, before in zip(some, said, strict=True):
            if not np.array_equal(full[:until], before):
                if any(not np.array_equal(full, home.alarms(answer)) for _ in range(10)):
                    return RANDOM
                first = f"the first {until} days" if until > 1 else "the first day"
                return Diagnosis(
                    "looks-ahead",
                    f"Given {len(full)} days, you give other alarms for {first} than when you are given no more.",
                    "An alarm rings on its day. What does the home know by then?",
                )
    for value in STRANGE:
        readings, known = homes[0].readings.copy(), homes[0].means.copy()
        readings[chance.rng.random(len(readings)) < 0.1] = value
        known[chance.rng.random(len(known)) < 0.05] = np.nan
        for given, means, where in (
            (readings, known, "on some days and means that were not published on others"),
            (np.full(30, value), known[:30].copy(), "on all of 30 days"),
            *((readings[:n].copy(), known[:n].copy(), f"on some of {n} days, or on none") for n in (1, 2, 3, 8)),
        ):
            try:
                alarms(answer, given, means)
            except AnswerRaised as raised:
                return Diagnosis(
                    "raises",
                    f"With readings of {shown(value)} {where}, your function stops: {raised}.",
                    "A meter fails, and a day has too few reports. What should the alarm do then?",
                )
    return None


def rings_all_the_same(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One to five readings are none, and as many means are missing: if eight in ten homes are found all the same,
    all ten fail once in two million times.
    """
    rng = chance.rng
    for value in (np.nan, np.inf, -np.inf, 0.0, -1.0):
        homes, many = broken(chance, 10), int(rng.integers(1, 6))
        for home in homes:
            readings, means = home.readings.copy(), home.means.copy()
            readings[rng.permutation(home.breaks)[:many]] = value
            means[rng.permutation(home.breaks)[:many]] = np.nan
            if home.rings(replace(home, readings=readings, means=means).alarms(answer)):
                break
        else:
            return Diagnosis(
                "never-rings",
                f"In none of {len(homes)} homes you find what breaks, where the reading is {shown(value)} on {many} of "
                f"the days before, and the mean was not published on {many}.",
                "A day that cannot be read says nothing. What do the others say?",
            )
    return None


def _share(given: list[np.ndarray], some: list[np.ndarray]) -> float:
    """The share of these days that have an alarm."""
    return float(np.concatenate([one[days] for one, days in zip(given, some, strict=True)]).mean())


def _asked(answer: Answer, groups: list[list[Home]], chance: Chance) -> list[list[np.ndarray]]:
    """The alarms of each group's homes. They are asked in no order: a memory of what was asked before tells nothing."""
    answer.renew()
    found: list[list[np.ndarray]] = [[np.empty(0)] * len(group) for group in groups]
    places = [(number, place) for number, group in enumerate(groups) for place in range(len(group))]
    for number, place in chance.rng.permutation(places).tolist():
        found[number][place] = groups[number][place].alarms(answer)
    return found


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What breaks is found within two weeks, and false alarms are few, in large homes and in a heat wave too."""
    homes = broken(chance)
    quiet = [home.unbroken() for home in broken(chance)]
    alike = [home.with_all_others() for home in broken(chance, ALIKE)]
    given, *others = _asked(answer, [homes, quiet, alike], chance)
    rings, joins = (
        np.array([home.rings(one) for home, one in zip(some, said, strict=True)])
        for some, said in zip((quiet, alike), others, strict=True)
    )
    before = [np.arange(len(home.readings)) < home.breaks for home in homes]
    later = [days & (np.arange(len(days)) >= SETTLED) for days in before]
    false, small = max(_share(given, before), _share(given, later)), 2 * HOMES // 3
    waves = [days & home.hot for days, home in zip(before, homes, strict=True)]
    hot = _share(given, waves) if any(days.any() for days in waves) else 0.0
    through = [one[days].any() for one, days in zip(given, waves, strict=True) if days.sum() == HEAT_DAYS]
    found = np.array([home.rings(one) for one, home in zip(given, homes, strict=True)])
    if false > ALLOWED or hot > 0.2:
        which = f", the first {SETTLED} left out," if false > _share(given, before) else ""
        seen = f"{false:.1%} of the days before anything breaks{which} have an alarm; at most {FALSE:.0%} is asked for."
        if hot > max(0.2, 2.5 * false):
            return Diagnosis(
                "weather",
                f"{seen} In a heat wave, when every home uses {HEAT:g} times as much, it is {hot:.0%}.",
                "The published means know about the weather. Where do they enter?",
            )
        big = _share(given[small:], before[small:])
        if big > 2 * _share(given[:small], before[:small]):
            return Diagnosis(
                "one-size",
                f"{seen} Of the days of large homes it is {big:.0%}.",
                "What is much for one home is usual for another. What does a home know about itself?",
            )
        return Diagnosis("false-alarms", seen, "How far from its own usual use does a home go on an ordinary day?")
    failure = 0.2 * chance.failure
    if stats.binom.sf(sum(through) - 1, len(through), ANYWAY) < failure:
        return Diagnosis(
            "weather",
            f"In {np.mean(through):.0%} of {len(through)} homes you give an alarm during a heat wave of {HEAT_DAYS} "
            f"days, when every home uses {HEAT:g} times as much.",
            "The published means know about the weather. Where do they enter?",
        )

    def enough(some: np.ndarray) -> bool:
        return bool(stats.binom.cdf(int(some.sum()), len(some), FOUND) >= failure)

    if enough(found) and not enough(found[::YEAR]):
        return Diagnosis(
            "not-found",
            f"You find {found.mean():.0%} of what breaks, and {found[::YEAR].mean():.0%} where a whole year is known.",
            "What does your alarm do later in the year, or with more days than you tried it on?",
        )
    if enough(found[:small]) and not enough(found[small:]):
        return Diagnosis(
            "large-homes",
            f"You find {found[small:].mean():.0%} of what breaks in large homes, and {found[:small].mean():.0%} in the "
            "others.",
            "The cap is for what leaves the home. What may the alarm look at?",
        )
    for decimals in (0, 1):
        some = np.array([home.decimals == decimals for home in homes])
        if enough(found) and not enough(found[some]):
            seen = f"You find {found.mean():.0%} of what breaks, and {found[some].mean():.0%} where the meter shows "
            return Diagnosis(
                "not-found",
                f"{seen}{'one decimal' if decimals else 'whole kWh'}.",
                "What does your alarm do with readings that are rounded, or often the same?",
            )
    if not enough(found):
        seen = (
            f"When a home uses twice as much from one day on, you give an alarm within {WITHIN} days in "
            f"{found.mean():.0%} of {HOMES} homes; {FOUND:.0%} is asked for."
        )
        ask = "You compare some number with a threshold. How far does that number move when a home's use doubles?"
        if not any(one.any() for one in given):
            seen, ask = f"{seen} You never give an alarm.", "What do a week's readings say, compared with weeks before?"
        return Diagnosis("not-found", seen, ask)
    if stats.binom.sf(rings.sum() - 1, HOMES, ANYWAY) < failure:
        return Shared.IGNORES_DATA.seen(
            f"In {found.mean():.0%} of homes you give an alarm within {WITHIN} days after something breaks. In "
            f"{rings.mean():.0%} of other homes you give one within {WITHIN} such days, though nothing breaks there.",
            "What in a home's readings makes your alarm ring?",
        )
    if stats.binom.sf(joins.sum() - 1, ALIKE, ANYWAY) < failure:
        return Diagnosis(
            "weather",
            f"In {joins.mean():.0%} of {ALIKE} homes you give an alarm within {WITHIN} days after a day from which on "
            f"that home and all others use {TWICE:g} times as much.",
            "The published means know about the weather. Where do they enter?",
        )
    return None


ALARM = (at_home, useful, rings_all_the_same)
