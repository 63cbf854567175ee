"""The explorer of lesson 09: a vote of teachers under noise."""

from __future__ import annotations

from dpcourse.lessons.lesson_09.numbers import Votes, vote, vote_epsilon
from dpcourse.lessons.lesson_09.pictures import vote_marks
from dpcourse.plots.words import number, one_in, plural, share
from dpcourse.widgets.base import Explorer, log_slider, slider, whole_slider


def _describe(numbers: Votes) -> str:
    claim = f"(δ = {one_in(numbers.delta)}, adding or removing one record, whatever the votes)"
    cost = f"One answer costs ε = {number(float(vote_epsilon(numbers.sigma, 1)))} {claim}."
    if numbers.answers > 1:
        cost = f"{numbers.answers:,} answers cost ε = {number(numbers.epsilon)} {claim}. {cost.partition(' (')[0]}."
    return (
        f"{numbers.counts[0]:.0f} of {numbers.teachers} teachers are right. With noise of standard deviation "
        f"{plural(numbers.sigma, 'vote')} on each count the right class wins {share(numbers.chance)} of the time. "
        f"{cost}"
    )


def explore_votes() -> Explorer:
    """Move the number of teachers, their agreement and the noise; see how often the right class wins, and the ε."""
    return Explorer(
        "How many teachers does an answer need?",
        controls={
            "teachers": whole_slider("teachers", 10, 1000, 250, step=10),
            "share": slider("share who are right", 0.5, 1.0, 0.8, unit="%"),
            "sigma": log_slider("noise σ, in votes", 1, 1000, 150),
            "answers": whole_slider("answers", 1, 1000, 400),
        },
        compute=vote,
        marks=vote_marks,
        describe=_describe,
        site={"teachers": 7, "share": 6, "sigma": 9, "answers": 5},
        answer=(
            "Twice the teachers, the same noise: the counts stand twice as far apart, and ε stays what it was. So more "
            "teachers buy either surer answers or more noise. While ε is small, a quarter of the answers costs about "
            "half of it. If half of the teachers are wrong, no noise is small enough."
        ),
    )
