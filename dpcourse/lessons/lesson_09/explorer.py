"""The explorer of lesson 09: a vote of teachers under noise."""

from __future__ import annotations

from dpcourse.lessons.lesson_09.numbers import (
    Votes,
    vote,
    vote_epsilon,
)
from dpcourse.lessons.lesson_09.pictures import draw_votes
from dpcourse.widgets.base import Explorer, log_slider, slider, whole_slider


def _describe(numbers: Votes) -> str:
    one = float(vote_epsilon(numbers.sigma, 1))
    return (
        f"{numbers.counts[0]:.0f} of {numbers.teachers} teachers are right. With noise of standard deviation "
        f"{numbers.sigma:.3g} votes on each count the right class wins {numbers.chance:.1%} of the time. "
        f"One answer costs ε = {one:.3g}, and {numbers.answers:,} cost ε = {numbers.epsilon:.3g} together "
        f"(δ = {numbers.delta:g}, adding or removing one record, whatever the votes)."
    )


def explore_votes() -> Explorer:
    """Move the number of teachers, their agreement and the noise; see how often the right class wins, and the ε."""
    return Explorer(
        "How many teachers does an answer need?",
        controls={
            "teachers": whole_slider("teachers", 10, 1000, 250, step=10),
            "share": slider("share who are right", 0.5, 1.0, 0.8),
            "sigma": log_slider("noise σ, in votes", 1, 1000, 150),
            "answers": whole_slider("answers", 1, 1000, 400),
        },
        compute=vote,
        draw=draw_votes,
        describe=_describe,
    )
