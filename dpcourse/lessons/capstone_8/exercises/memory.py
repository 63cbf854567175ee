"""Capstone 8.3: one remembered answer for each bucket, and the attack that finds when a home changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.again import listens
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Case, Chance
from dpcourse.checks.cases import Attack
from dpcourse.checks.diagnosis import Diagnosis, a
from dpcourse.checks.links import stays
from dpcourse.checks.once import fresh, whole
from dpcourse.checks.real_size import up_to_twice
from dpcourse.datasets import simulate_meters
from dpcourse.lessons.capstone_6.exercises.parts import Part
from dpcourse.lessons.capstone_8.design import BUCKETS
from dpcourse.lessons.capstone_8.exercises.averages import truth_probability
from dpcourse.lessons.capstone_8.exercises.buckets import bucket, codes
from dpcourse.lessons.capstone_8.exercises.corners import few_buckets
from dpcourse.lessons.capstone_8.exercises.independence import possible, possible_together
from dpcourse.lessons.capstone_8.exercises.reports import YEAR, hang_together
from dpcourse.lessons.capstone_8.numbers import FORTNIGHT, MEMORY, remembered_fortnight
from dpcourse.privacy import Guarantee, Neighbours

NAMES = ("memoised", "data", "neighbour", "event")


def _sent(answer: Answer, visited: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    visited.setflags(write=False)
    return codes(answer(visited, epsilon, fresh(rng)), visited.shape)


def keeps(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The same bucket gets the same report, on the next day and after others."""
    for _ in range(40):
        days = up_to_twice(chance.rng, 1, YEAR)
        runs = np.repeat(chance.rng.integers(BUCKETS, size=days), chance.rng.integers(1, 5, days))[:days]
        sent = _sent(answer, runs, float(chance.rng.uniform(0.05, 3)), chance.rng)
        if all(len(set(sent[runs == one].tolist())) == 1 for one in np.unique(runs)):
            continue
        stays = runs[1:] == runs[:-1]
        if (sent[1:] == sent[:-1])[stays].all():
            return Diagnosis(
                "forgets",
                "A home that stays in a bucket keeps its answer. One that comes back to a bucket may get another.",
                "A home goes to and fro a hundred times a year. How many answers for one bucket does that make?",
            )
        other = int((stays & (sent[1:] != sent[:-1])).sum())
        return Diagnosis(
            "fresh",
            f"On {other} of {int(stays.sum())} days on which the bucket is that of the day before, the report is "
            "another one.",
            "One answer for a bucket, drawn once. By what do you look it up: by the day, or by the bucket?",
        )
    return None


def law(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What is remembered is randomized response: for every bucket, for two buckets together, and for every home.

    Homes know from 8 days to two years. Others, of 1 to 7 days, have all of them in one bucket.
    """
    told_in_all, draws, failure = 0, list[tuple[int, float]](), chance.failure / 64
    for epsilon in 0.1 * 70 ** ((np.arange(4) + chance.rng.random(4)) / 4):  # up to 7, where one answer in 157 is a lie
        p, homes = truth_probability(float(epsilon)), 700
        order = [chance.rng.permutation(BUCKETS) for _ in range(homes)]
        days = [np.resize(some, up_to_twice(chance.rng, BUCKETS, YEAR)) for some in order]
        sent = [_sent(answer, one, float(epsilon), chance.rng) for one in days]
        kept = np.array([[out[one == k][0] for k in range(BUCKETS)] for one, out in zip(days, sent, strict=True)])
        away = (kept - np.arange(BUCKETS)) % BUCKETS
        if (kept == kept[0]).all():
            return Diagnosis(
                "remembers-others",
                f"{homes} homes, each with a generator of its own, send the same answers.",
                "Every home needs answers of its own. Do yours outlive the call, or come from another generator?",
            )
        true = away == 0
        if wrong := _long(true, np.array([len(one) >= YEAR for one in days]), float(epsilon), failure):
            return wrong
        told, all_of = int(true.sum()), true.size
        pairs = int((true[:, ::2] & true[:, 1::2]).sum())
        # Of independent answers the homes' counts have 1 times this variance, of answers that are all true or none 8.
        together = float(true.sum(axis=1).var()) > 5 * BUCKETS * true.mean() * (1 - true.mean())
        if not possible(pairs, all_of // 2, p * p, failure) and (together or possible(told, all_of, p, 1e-3)):
            return Diagnosis(
                "linked-answers",
                f"At ε = {epsilon:.2g}, a home's answers for two buckets are both true in {2 * pairs / all_of:.0%} of "
                f"cases; {p * p:.0%} is right.",
                "Each bucket needs a draw of its own. What do your answers have in common?",
            )
        lies = np.bincount(away.ravel(), minlength=BUCKETS)[1:]
        if possible(told, all_of, p, failure):
            many, each = int(lies.sum()), 1 / (BUCKETS - 1)
            rare = stats.binom.cdf(lies.min(), many, each) <= failure / BUCKETS
            if not rare and stats.binom.sf(lies.max() - 1, many, each) > failure / BUCKETS:
                found = hang_together([(away.ravel(), float(epsilon))], chance.failure / 16)
                if found := found or _equal_lies(away, chance):
                    return Diagnosis(
                        "linked-answers", found, "Each bucket of each home needs a draw of its own. Which share one?"
                    )
                if _stays(answer, chance, float(epsilon), failure):
                    return LISTENS(answer, chance) or Diagnosis(
                        "linked-answers",
                        f"At ε = {epsilon:.2g}, homes that draw anew, in the same buckets on the same days, remember "
                        "the same answers more often than by chance.",
                        "Every answer needs a draw of its own, from `rng`. What else do yours follow from?",
                    )
                if wrong := _short(answer, chance, float(epsilon), failure) or _lived(
                    answer, chance, float(epsilon), failure
                ):
                    return LISTENS(answer, chance) or wrong
                told_in_all += told
                draws.append((all_of, p))
                continue
            share = (lies.min() if rare else lies.max()) / many
            seen = f"At ε = {epsilon:.2g} one of the seven lies is {share:.0%} of all lies, not 14%."
            return Diagnosis(
                "uneven-lies", seen, "Every bucket but the true one is equally likely. Among how many do you draw?"
            )
        return Diagnosis(
            "wrong-rate",
            f"At ε = {epsilon:.2g}, {told / all_of:.1%} of the remembered answers are true; e^ε/(e^ε + 7) is {p:.1%}.",
            "`epsilon` is that of one remembered answer, as in 8.1. Which ε do you draw it with?",
        )
    if possible_together(told_in_all, draws, failure):
        return None
    of, right = sum(n for n, _ in draws), sum(n * p for n, p in draws)
    return Diagnosis(
        "wrong-rate",
        f"At {len(draws)} ε together, {told_in_all / of:.1%} of {of:,} remembered answers are true; with "
        f"e^ε/(e^ε + 7) it would be {right / of:.1%}.",
        "A bucket has one truth and seven lies. How much likelier may the truth be than each of them?",
    )


def _equal_lies(away: np.ndarray, chance: Chance) -> str:
    """What is wrong with lies of two buckets: one in seven such pairs are as far from the truth, which is exact."""
    one, other = np.split(away[:, chance.rng.permutation(BUCKETS)], 2, axis=1)
    both = (one > 0) & (other > 0)
    same, many, share = int((one == other)[both].sum()), int(both.sum()), 1 / (BUCKETS - 1)
    if possible(same, many, share, chance.failure / 64):
        return ""
    return (
        f"Of {many:,} pairs of buckets of a home that both have a lie, in {same / many:.1%} both lies are as far from "
        f"the truth; {share:.1%} is right."
    )


def _stays(answer: Answer, chance: Chance, epsilon: float, failure: float) -> bool:
    """Whether 150 homes that draw anew remember the same more often than by chance."""
    p, same = truth_probability(epsilon), []
    for _ in range(150):
        days = np.resize(chance.rng.permutation(BUCKETS), whole(chance.rng, BUCKETS, 2 * YEAR))
        one, other = (_sent(answer, days, epsilon, chance.rng)[:BUCKETS] for _ in range(2))
        same += (one == other).tolist()
    return stays(np.array(same), np.full(len(same), p**2 + (1 - p) ** 2 / (BUCKETS - 1)), failure)


def _long(true: np.ndarray, long: np.ndarray, epsilon: float, failure: float) -> Diagnosis | None:
    """What is wrong with homes that know a year or more, and much less with the others."""
    p, told = truth_probability(epsilon), int(true[long].sum())
    off = abs(true[long].mean() - p), abs(true[~long].mean() - p)
    if possible(told, true[long].size, p, failure) or off[0] < 2 * off[1]:
        return None
    return Diagnosis(
        "wrong-rate",
        f"At ε = {epsilon:.2g}, {told / true[long].size:.1%} of the remembered answers are true in homes that know "
        f"{YEAR} days or more; e^ε/(e^ε + 7) is {p:.1%}.",
        "Homes that know fewer days are nearer to it. What does your probability depend on?",
    )


def _short(answer: Answer, chance: Chance, epsilon: float, failure: float) -> Diagnosis | None:
    """Homes that are in one bucket for so many days: how many of their answers are true."""
    for days in range(1, BUCKETS):
        there = chance.rng.integers(BUCKETS, size=100)
        told = sum(int(_sent(answer, np.full(days, one), epsilon, chance.rng)[0] == one) for one in there)
        if not possible(told, len(there), truth_probability(epsilon), failure / BUCKETS):
            return Diagnosis(
                "wrong-rate",
                f"At ε = {epsilon:.2g}, {told} of {len(there)} homes that know {days} day{'s' * (days > 1)} "
                f"report their true bucket; e^ε/(e^ε + 7) is {truth_probability(epsilon):.1%}.",
                "Homes that know more days keep to it. What does your probability depend on?",
            )
    return None


def _lived(answer: Answer, chance: Chance, epsilon: float, failure: float) -> Diagnosis | None:
    """Homes of the project: of the buckets in which they were, how many of the answers are true."""
    told, visited = 0, 0
    for row in simulate_meters(100, 2 * YEAR, rng=fresh(chance.rng)).used:
        days = bucket(row[: up_to_twice(chance.rng, 1, YEAR)].astype(float))
        there, first = np.unique(days, return_index=True)
        told += int((_sent(answer, days, epsilon, chance.rng)[first] == there).sum())
        visited += len(there)
    if possible(told, visited, truth_probability(epsilon), failure):
        return None
    return Diagnosis(
        "wrong-rate",
        f"At ε = {epsilon:.2g}, homes as in `simulate_meters` have {told} true answers of {visited}; e^ε/(e^ε + 7) is "
        f"{truth_probability(epsilon):.1%}.",
        "Homes that go through all buckets keep to it. What does your probability depend on?",
    )


def _domain(records: list[Any]) -> str | None:
    if len(records) == 1 and isinstance(records[0], tuple) and len(records[0]) == FORTNIGHT:
        if all(isinstance(day, int) and 0 <= day < BUCKETS for day in records[0]):
            return None
    return f"A dataset holds one home: a list with one tuple of {FORTNIGHT} buckets from 0 to {BUCKETS - 1}."


def _pattern(record: tuple[int, ...]) -> list[int]:
    """Which days are alike: the place where each bucket first came."""
    return [record.index(day) for day in record]


def _alike(data: list[Any], neighbour: list[Any]) -> Diagnosis | None:
    if _pattern(data[0]) != _pattern(neighbour[0]):
        return None
    return Diagnosis(
        "same-pattern",
        "In your two fortnights the same days are alike, so reports are equal on the same days for both.",
        "What can a home do that changes which reports are equal?",
    )


LEAK = Attack(
    remembered_fortnight,
    Guarantee(BUCKETS * MEMORY, neighbours=Neighbours.REPLACE_ONE),
    shows=5.0,
    wants="attack",
    domain=_domain,
    runs=6000,
    look=_alike,
    question="Print `project.remembered_fortnight(data, rng)` a few times for both. What never happens for one?",
)


def leak(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The last three of the four."""
    if not isinstance(answer.value, tuple | list) or len(answer.value) != len(NAMES):
        return Diagnosis("wrong-shape", f"({', '.join(NAMES)}) is wanted, and this is {a(answer.value)}.")
    return LEAK(answer.some(1, 2, 3), chance)


def _homes(rng: np.random.Generator) -> tuple[list[np.ndarray], float]:
    """Forty homes in all buckets: what they remember comes again with probability 1e-40 at most."""
    homes = [np.resize(rng.permutation(BUCKETS), whole(rng, BUCKETS, 200)) for _ in range(40)]
    return homes, float(0.1 * 20 ** rng.random())


def _all_sent(answer: Answer, homes: list[np.ndarray], epsilon: float, own: np.random.Generator) -> np.ndarray:
    return np.concatenate([_sent(answer, one, epsilon, own) for one in homes])


LISTENS = listens(_homes, _all_sent)
MEMORISED: tuple[Case, ...] = (*(Part(NAMES, "memoised", case) for case in (keeps, law, LISTENS, few_buckets)), leak)
