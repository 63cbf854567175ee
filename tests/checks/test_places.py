"""Answers that are right on what a check asks a thousand times, and nowhere else."""

import dataclasses
import functools
import inspect

import pytest

from dpcourse.checks.everywhere import Everywhere
from dpcourse.checks.places import Placed
from dpcourse.checks.registry import exercise
from tests.lessons.test_answers import RIGHT

# What a check asks about often, and an ε at which no answer is random.
OFTEN = {
    "02.1": (lambda epsilon: 0.4 <= epsilon <= 2, 40.0),
    "03.2": (lambda epsilon: epsilon in (0.5, 1.0, 2.0), 1e9),
    "04.3": (lambda epsilon: epsilon == 1.0 or 0.6 <= epsilon <= 0.75, 1e4),
    "04.4": (lambda epsilon: epsilon == 1.0 or 1.4 <= epsilon <= 1.6, 1e6),
    "04.5": (lambda epsilon: epsilon in (0.25, 1.0, 2.5, 4.0), 300.0),
    "06.1": (lambda epsilon: 0.4 <= epsilon <= 1.6, 40.0),
    "07.2": (lambda epsilon: 0.5 <= epsilon <= 2.2, 40.0),
    "07.6": (lambda epsilon: 0.5 <= epsilon <= 3, 40.0),
    "09.1": (lambda epsilon: 0.4 <= epsilon <= 2.5, 1e9),
    "09.4": (lambda epsilon: epsilon in (0.5, 2.0, 2.75), 1e9),
    "13.3": (lambda epsilon: 0.4 <= epsilon <= 1.6 or 2.6 <= epsilon <= 3.2, 1e3),
    "14.5": (lambda epsilon: 0.5 <= epsilon <= 2, 1e9),
}
SOME = [(id, answer) for id, answer in RIGHT if id in OFTEN]


def alone(id):
    """The exercise with these cases only; some have a function around them that says more."""
    cases = [
        c
        for c in exercise(id).cases
        if isinstance(c, Placed | Everywhere) or "everywhere" in getattr(c, "__name__", "")
    ]
    assert cases, id
    return dataclasses.replace(exercise(id), cases=tuple(cases))


def where_asked_often(id, answer):
    signature, (often, sharp) = inspect.signature(answer), OFTEN[id]

    @functools.wraps(answer)
    def cheat(*arguments, **keywords):
        given = signature.bind(*arguments, **keywords).arguments
        return answer(**given | ({} if often(given["epsilon"]) else {"epsilon": sharp}))

    return cheat


@pytest.mark.in_turn
@pytest.mark.thorough
@pytest.mark.parametrize("id", OFTEN)
def test_right_where_it_is_asked_often_is_refused(id):
    cheat = where_asked_often(id, next(answer for known, answer in SOME if known == id))
    assert [alone(id).grade(cheat, rng=seed).key for seed in range(3)] == ["not-everywhere"] * 3


@pytest.mark.in_turn
@pytest.mark.thorough
@pytest.mark.parametrize("id", ["02.1", "03.2", "04.3", "04.4", "04.5", "06.1"])
def test_no_noise_in_a_narrow_band_is_seen(id):
    """The band is a tenth of the ε that are drawn, and lies in their middle."""
    answer = next(answer for known, answer in SOME if known == id)
    signature, sharp = inspect.signature(answer), OFTEN[id][1]

    @functools.wraps(answer)
    def cheat(*arguments, **keywords):
        given = signature.bind(*arguments, **keywords).arguments
        return answer(**given | ({"epsilon": sharp} if 0.35 < given["epsilon"] < 0.58 else {}))

    assert [alone(id).grade(cheat, rng=seed).key for seed in range(3)] == ["not-everywhere"] * 3


@pytest.mark.in_turn
@pytest.mark.thorough
@pytest.mark.parametrize("id", OFTEN)
def test_memory_does_not_help(id):
    """Each case asks in a process that has forgotten all calls."""
    renewed = []
    answer = next(answer for known, answer in SOME if known == id)
    dataclasses.replace(alone(id), again=lambda: renewed.append(1) or answer).grade(answer, rng=0)
    assert renewed == [1] * len(alone(id).cases)
