"""Exercise 03.7: a release of four numbers under one ε, each as close to the truth as was asked."""

from __future__ import annotations

import math
import numbers

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, a

EPSILON, MISSES, HOURS = 0.8, 0.05, 60
WIDTHS = {"day": 10.0, "night": 10.0, "staff": 15.0, "hours": 450.0}
PEOPLE = ("day", "night", "staff")
_FORM = 'Write plan = {"day": …, "night": …, "staff": …, "hours": …}, each a scale or None.'

_SINGLE = "Noise of scale b is farther than w from 0 with probability e^(−w/b). Which b is small enough?"
_COMPUTED = (
    "`{name}` carries the noise of both numbers that it is computed from. Is there another number that could be "
    "computed and may be farther off?"
)

Plan = dict[str, float | None]


def chance_to_miss(scale: float, other: float, width: float) -> float:
    """The chance that the sum of two independent Laplace noises is farther than `width` from 0; `other` may be 0.

    Examples
    --------
    >>> round(chance_to_miss(1.0, 0.0, math.log(20)), 6)
    0.05
    >>> round(chance_to_miss(1.0, 1.0, 2.0), 6) == round(2 * math.exp(-2), 6)
    True
    """
    if math.isclose(scale, other, rel_tol=1e-4):
        b = (scale + other) / 2
        return (1 + width / (2 * b)) * math.exp(-width / b)
    large, small = max(scale, other), min(scale, other)
    tails = large**2 * math.exp(-width / large) - (small**2 * math.exp(-width / small) if small else 0.0)
    return tails / (large**2 - small**2)


def price(plan: Plan) -> float:
    """The ε of a plan (δ = 0, adding or removing one person): what the person pays who pays more."""
    shifts = [sum(1 / scale for scale in (plan[shift], plan["staff"]) if scale) for shift in ("day", "night")]
    return max(shifts) + HOURS / float(plan["hours"] or math.inf)


def _formed(plan: object) -> Diagnosis | None:
    if not isinstance(plan, dict):
        return Diagnosis("wrong-type", f"A dictionary is wanted, and this is {a(plan)}.", _FORM)
    if set(plan) != set(WIDTHS):
        more = [f" `{name}` is missing." for name in WIDTHS if name not in plan]
        more += [f" `{name}` is not asked for." for name in plan if name not in WIDTHS]
        seen = f"Your plan is for {', '.join(map(str, plan)) or 'nothing'}.{''.join(more)}"
        return Diagnosis("wrong-shape", seen, _FORM)
    for name, scale in plan.items():
        number = isinstance(scale, numbers.Real) and not isinstance(scale, bool)
        if scale is not None and not (number and 0 < float(scale) < math.inf):
            return Diagnosis("wrong-type", f"A scale is a number above 0, or None; {name} has {scale!r}.", _FORM)
    if plan["hours"] is None:
        return Diagnosis(
            "hours-not-bought", "Nothing else says how many hours are worked.", "Which scale do they need?"
        )
    if sum(plan[name] is None for name in PEOPLE) > 1:
        return Diagnosis(
            "cannot-compute", "Two of day, night and staff are None.", "From what should they be computed?"
        )
    return None


def _planned(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Every number is close enough often enough, and all together cost ε = 0.8 at most. Exact: nothing is drawn."""
    plan = answer.value
    return _formed(plan) or _hours(plan) or _close_enough(plan) or _cheap_enough(plan)


def _hours(plan: Plan) -> Diagnosis | None:
    scale = float(plan["hours"] or 0.0)
    if all(value is None or value < 1 for value in plan.values()):
        return Diagnosis(
            "epsilon-for-scale", "All your scales are below 1.", "Are they shares of ε? How does a scale follow from ε?"
        )
    if scale < HOURS / EPSILON:
        return Diagnosis(
            "hours-too-sharp",
            f"One person changes the hours by up to {HOURS}. With noise of scale {scale:.3g} they alone cost "
            f"ε = {HOURS / scale:.3g}.",
            "Which scale does the width of 450 hours allow?",
        )
    return None


def _close_enough(plan: Plan) -> Diagnosis | None:
    for name, width in WIDTHS.items():
        if plan[name] is None:
            first, second = (float(plan[other] or 0.0) for other in PEOPLE if other != name)
            source = "computed from two noisy numbers, "
        else:
            first, second, source = float(plan[name] or 0.0), 0.0, ""
        miss = chance_to_miss(first, second, width)
        if miss > 1.01 * MISSES:  # room for a rounded scale
            return Diagnosis(
                "computed-too-far-off" if source else "too-far-off",
                f"{name.capitalize()}: {source}it is more than {width:g} off in {miss:.1%} of releases. "
                f"{MISSES:.0%} are allowed.",
                _COMPUTED.format(name=name) if source else _SINGLE,
            )
    return None


def _cheap_enough(plan: Plan) -> Diagnosis | None:
    cost = price(plan)
    if cost <= EPSILON * (1 + 1e-9):
        return None
    seen = f"Every number is close enough, and all together cost ε = {cost:.3g}. Only {EPSILON} is allowed."
    if None not in plan.values():
        return Diagnosis("everything-bought", seen, "Does one of the four numbers follow from two others?")
    if plan["staff"] is not None:
        return Diagnosis(
            "pays-twice",
            seen,
            "A person is counted in `staff` and in one shift. Could you buy numbers that no person is in twice?",
        )
    return Diagnosis("over-budget", seen, "Some noise is smaller than it has to be. Where?")


PLAN = (_planned,)
