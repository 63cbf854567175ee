"""The explorer of lesson 00: ε and one count."""

from __future__ import annotations

from dpcourse.lessons.lesson_00.numbers import NoisyCount, noisy_count
from dpcourse.lessons.lesson_00.pictures import draw_count
from dpcourse.widgets.base import Explorer, choice, epsilon_slider


def _describe(count: NoisyCount) -> str:
    share = 100 * count.half_width / count.true_count
    low, high = count.true_count - count.half_width, count.true_count + count.half_width
    return (
        f"The true count is {count.true_count:,}. At ε = {count.epsilon:.3g}, at least {count.level:.0%} of the "
        f"published counts lie within {count.half_width} people of it: from {low:,} to {high:,}, "
        f"or ±{share:.3g}% of the count. "
        "The noise does not know how large the count is."
    )


def explore_count() -> Explorer:
    """Move ε and see how far a published count lands from the true one, and how little the count's own size matters."""
    return Explorer(
        "How far from the truth does a private count land?",
        controls={
            "epsilon": epsilon_slider(0.05, 5.0, 1.0),
            "true_count": choice("true count", {f"{n:,} people": n for n in (10, 100, 1000, 10_000)}, 1000),
            "level": choice("share of answers", {"50%": 0.5, "90%": 0.9, "95%": 0.95, "99%": 0.99}, 0.95),
        },
        compute=noisy_count,
        draw=draw_count,
        describe=_describe,
    )
