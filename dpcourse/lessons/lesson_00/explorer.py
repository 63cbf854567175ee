"""The explorer of lesson 00: ε and one count."""

from __future__ import annotations

from dpcourse.lessons.lesson_00.numbers import NoisyCount, noisy_count
from dpcourse.lessons.lesson_00.pictures import count_marks
from dpcourse.plots.words import number
from dpcourse.widgets.base import Explorer, choice, epsilon_slider


def _describe(count: NoisyCount) -> str:
    claim = f"At ε = {number(count.epsilon)} (δ = 0, adding or removing one person), at least {count.level:.0%} of"
    if count.half_width == 0:
        return f"The true count is {count.true_count:,}. {claim} published counts are exactly that."
    share = number(count.half_width / count.true_count, "%")
    low, high = count.true_count - count.half_width, count.true_count + count.half_width
    people = "1 person" if count.half_width == 1 else f"{count.half_width} people"
    return (
        f"The true count is {count.true_count:,}. {claim} published counts lie within {people} of it: from "
        f"{number(low)} to {number(high)}, or ±{share} of the count."
    )


def explore_count() -> Explorer:
    """Move ε and see how far a published count lands from the true one, and how little the count's own size matters."""
    return Explorer(
        "How far from the truth does a private count land?",
        controls={
            "epsilon": epsilon_slider(0.05, 5.0, 0.1),
            "true_count": choice("true count", {f"{n:,} people": n for n in (10, 100, 1000, 10_000)}, 1000),
            "level": choice("share of answers", {"50%": 0.5, "90%": 0.9, "95%": 0.95, "99%": 0.99}, 0.95),
        },
        compute=noisy_count,
        marks=count_marks,
        describe=_describe,
        answer=(
            "Up to ε = 1, half the ε is about twice the distance. The size of the count changes nothing in the "
            "picture: the noise hides one person, and one person counts as one in a hamlet and in a city. As a share "
            "of the count, the same noise is nothing in a large table and everything in a small one."
        ),
    )
