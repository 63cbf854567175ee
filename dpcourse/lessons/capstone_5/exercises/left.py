"""Capstone 5.4: what is left of a claim after hospitals dropped out, and if others tell what they know."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis, a
from dpcourse.checks.named import word
from dpcourse.checks.real_size import up_to_twice
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_5.design import epsilon_of
from dpcourse.lessons.capstone_5.exercises.reference import numbers_of, patient_epsilon, spread_out, whole

RUNS = 30  # of all sizes


def _names(many: int) -> list[str]:
    return [f"hospital {number + 1:02}" for number in range(many)]


def _called(many: int, rng: np.random.Generator) -> list[str]:
    """Every other time, words."""
    return [word(number) for number in range(many)] if rng.random() < 0.5 else _names(many)


def _run(rng: np.random.Generator) -> tuple:
    """A run with a patient in two hospitals or more, colluders, dropouts, and rounds in which too few arrive."""
    many = int(rng.integers(8, 40))
    names = rng.permutation(_names(many)).tolist()
    at = set(names[: int(rng.integers(2, 5))])
    threshold = int(rng.integers(many // 2 + 2, many - 1))
    colluders = set(names[-int(rng.integers(1, max(2, threshold // 2))) :]) - at
    arrived = []
    for turn in range(whole(rng, 8, 120)):
        few = turn % 4 == 1
        stay = int(rng.integers(2, threshold)) if few else int(rng.integers(threshold, many + 1))
        some = set(rng.permutation(names)[:stay].tolist())
        arrived.append(some if some - colluders else some | at)
    clip, delta, mu = spread_out(rng, 0.05, 20), spread_out(rng, 1e-9, 1e-3), spread_out(rng, 0.4, 6)
    squared = sum(len(at & some) ** 2 / len(some - colluders) for some in arrived if len(some) >= threshold)
    return at, arrived, colluders, threshold, clip * math.sqrt(squared) / mu, clip, delta


def _any_run(rng: np.random.Generator) -> tuple:
    """The same for a patient in 1 to 10 hospitals of 3 to 100, in 1 to 300 rounds, any threshold, colluders or none."""
    many = up_to_twice(rng, 3, 50)
    names = rng.permutation(_called(many, rng)).tolist()
    at = set(names[: whole(rng, 1, min(10, many - 1))])
    threshold = int(rng.integers(many // 2 + 1 if rng.random() < 0.5 else 1, many + 1))
    others = [name for name in names if name not in at]
    most = min(len(others), threshold - 1)
    colluders = set(others[: whole(rng, 1, most) if most and rng.random() < 2 / 3 else 0])
    arrived = []
    for _ in range(up_to_twice(rng, 1, 150)):
        some = set(rng.permutation(names)[: int(rng.integers(max(1, threshold - 2), many + 1))].tolist())
        arrived.append(some if some - colluders else some | at)
    arrived[0] = set(names)
    clip, delta, mu = spread_out(rng, 0.05, 20), spread_out(rng, 1e-9, 1e-3), spread_out(rng, 0.3, 10)
    squared = sum(len(at & some) ** 2 / len(some - colluders) for some in arrived if len(some) >= threshold)
    return at, arrived, colluders, threshold, clip * math.sqrt(squared) / mu, clip, delta


def _with(
    moved=lambda k: k, noise=lambda some, colluders: len(some - colluders), counts=lambda some, t: len(some) >= t
):
    """The right formula with one part of it changed."""

    def gives(at, arrived, colluders, threshold, share, clip, delta) -> float:
        squared = sum(
            (moved(len(at & some)) * clip / share) ** 2 / noise(some, colluders)
            for some in arrived
            if counts(some, threshold)
        )
        return epsilon_of(math.sqrt(squared), 1.0, delta)

    return gives


def _always(at, arrived, colluders, threshold, share, clip, delta) -> float:
    """As if the patient's hospitals were in every sum."""
    return patient_epsilon(
        at,
        [some | at if len(some) >= threshold else some for some in arrived],
        colluders,
        threshold,
        share,
        clip,
        delta,
    )


def _added(at, arrived, colluders, threshold, share, clip, delta) -> float:
    return sum(patient_epsilon(at, [some], colluders, threshold, share, clip, delta) for some in arrived)


def _worst(at, arrived, colluders, threshold, share, clip, delta) -> float:
    mus = [(len(at & some) * clip / share) ** 2 / len(some - colluders) for some in arrived if len(some) >= threshold]
    return epsilon_of(math.sqrt(len(mus) * max(mus)), 1.0, delta)


def _planned(at, arrived, colluders, threshold, share, clip, delta) -> float:
    kept = [some for some in arrived if len(some) >= threshold]
    squared = sum((len(at & some) * clip / share) ** 2 / threshold for some in kept)
    return epsilon_of(math.sqrt(squared), 1.0, delta)


def _times(at, arrived, colluders, threshold, share, clip, delta) -> float:
    one = _with(moved=lambda k: min(k, 1))(at, arrived, colluders, threshold, share, clip, delta)
    return len(at) * one


MISTAKES = (
    Mistake(
        "counts-colluders",
        _with(noise=lambda some, colluders: len(some)),
        "You count the noise of hospitals that collude. They tell the server their noise, and it takes it off.",
        "Whose noise does the onlooker not know?",
    ),
    Mistake(
        "one-hospital",
        _with(moved=lambda k: min(k, 1)),
        "You let the patient move each sum by `clip`, in however many hospitals they have stays.",
        "Each of the patient's hospitals clips for itself. By how much do two of them together move the sum?",
    ),
    Mistake(
        "root-of-hospitals",
        _with(moved=math.sqrt),
        "With k hospitals you let the patient move a sum by √k times the clip. That is so where the k parts are "
        "perpendicular to each other.",
        "A patient has the same illness in both hospitals. Which way do the parts point at worst?",
    ),
    Mistake(
        "times-hospitals",
        _times,
        "You multiply ε by the number of hospitals. Normal noise costs more than that: for twice the change ε grows "
        "to more than twice.",
        "By how much does the patient move the sum, in units of its noise?",
    ),
    Mistake(
        "no-threshold",
        _with(counts=lambda some, t: len(some) > 0),
        "You count rounds in which fewer hospitals arrived than the threshold.",
        "What does the server see of such a round?",
    ),
    Mistake(
        "not-in-the-sum",
        _always,
        "You count all of the patient's hospitals in every round. Some of them dropped out in some rounds.",
        "If the vector of a hospital did not arrive, what of the patient is in the sum?",
    ),
    Mistake(
        "planned-noise",
        _planned,
        "You count `threshold` shares of noise in every sum.",
        "In a round all hospitals that arrived have added a share. Which of these does the onlooker not know?",
    ),
    Mistake(
        "adds-up",
        _added,
        "You add up the ε of the rounds, each at the whole δ. Then δ adds up as well.",
        "Many rounds of normal noise are together like one. What adds up over the rounds, before you ask for ε once?",
    ),
    Mistake(
        "worst-round",
        _worst,
        "You count every round as if it were the worst one. That is valid, and more than this run cost.",
        "What did each round cost?",
    ),
    Mistake(
        "shares-as-deviations",
        _with(noise=lambda some, colluders: len(some - colluders) ** 2),
        "You multiply the deviation of a share by the number of hospitals that do not collude.",
        "Their noise is independent. What adds up, deviations or variances?",
    ),
    Mistake(
        "one-share",
        _with(noise=lambda some, colluders: 1),
        "You count one share of noise. One hospital's vector would have that, and the server sees the sum.",
        "How many honest hospitals' noise is in the sum?",
    ),
)


def absent(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Nothing of the patient in any sum, or no sum at all: ε = 0."""
    at, arrived, colluders, threshold, share, clip, delta = _run(chance.rng)
    nobody = [some - at for some in arrived if len(some - at) >= threshold]
    for rounds, what in (
        ([], "no round was made"),
        ([set(list(some)[: threshold - 1]) for some in arrived], "too few hospitals arrived in every round"),
        (nobody, "the patient's hospitals dropped out in every round"),
    ):
        try:
            given = answer(set(at), [set(some) for some in rounds], set(colluders), threshold, share, clip, delta)
        except AnswerRaised as raised:
            ask = "What did the server learn about the patient? Which ε is that?"
            return Diagnosis("absent", f"Where {what}, your function stops: {raised}.", ask)
        if numbers_of(given).shape != () or not abs(float(numbers_of(given))) < 1e-9:
            return Diagnosis(
                "absent",
                f"Where {what}, you give ε = {given!r}.",
                "Nothing about the patient is in any sum. Which ε is that?",
            )
    return None


def anywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Runs of all sizes, up to twice those of the study; told by the smallest on which the answer is wrong."""
    wrong = list[tuple[int, str]]()
    for _ in range(RUNS):
        at, arrived, colluders, threshold, share, clip, delta = _any_run(chance.rng)
        right = patient_epsilon(at, arrived, colluders, threshold, share, clip, delta)
        given = answer(set(at), [set(some) for some in arrived], set(colluders), threshold, share, clip, delta)
        if np.shape(given) == () and abs(float(numbers_of(given)) / right - 1) < 0.01:
            continue
        many, summed = len(arrived[0]), sum(len(some) >= threshold for some in arrived)
        mine = f"{float(numbers_of(given)):.4g}" if np.shape(given) == () else a(given)
        where = (
            f"{many} hospitals, the patient in {len(at)} of them, {len(colluders)} colluding, a sum in {summed} of "
            f"{len(arrived)} rounds, threshold = {threshold}, share = {share:.2g}, clip = {clip:.2g} and delta = "
            f"{delta:.1g} your ε is {mine}; right is {right:.4g}."
        )
        wrong.append((many * len(arrived), where))
    if not wrong:
        return None
    seen = f"Of {RUNS} runs of other sizes you are wrong in {len(wrong)}. With {min(wrong)[1]}"
    return Shared.NOT_EVERYWHERE.seen(seen, "What have those runs in common? Which case did you leave out?")


LEFT = (Equals(_run, patient_epsilon, MISTAKES, rtol=0.01), absent, anywhere)
