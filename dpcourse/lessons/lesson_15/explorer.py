"""The explorer of lesson 15: ε and a model's scores, group by group."""

from __future__ import annotations

from dpcourse.lessons.lesson_15.numbers import DELTA, GRID, ByGroup, scores_by_group
from dpcourse.lessons.lesson_15.pictures import group_marks
from dpcourse.plots.words import number, one_in
from dpcourse.widgets.base import Explorer, choice, epsilon_stops


def _describe(data: ByGroup) -> str:
    epsilon = float(data.epsilons[data.here])
    listed = "; ".join(
        f"{name} {mean[data.here]:.1%} ± {2 * deviation[data.here]:.1%} (without noise "
        f"{plain:.1%}, {tested:,.0f} tested)"
        for name, mean, deviation, plain, tested in zip(
            data.groups, data.means, data.deviations, data.without, data.tested, strict=True
        )
    )
    counted = ", and only those of them count who earn more" if data.metric == "true positive rate" else ""
    return (
        f"{data.metric[0].upper()}{data.metric[1:]} at ε = {number(epsilon)}, δ = {one_in(DELTA)} (adding or removing "
        f"one record): {listed}. ± is two standard deviations of single releases; how few people were tested is not in "
        f"it{counted}. "
        f"Measured beforehand on the UCI files: {GRID.SPLITS} splits × {GRID.DRAWS} models an ε."
    )


def explore_groups() -> Explorer:
    """Move ε through a precomputed grid and compare a model's scores on the groups of the survey."""
    return Explorer(
        "Who notices the noise?",
        controls={
            "epsilon": epsilon_stops(GRID.EPSILONS, 0.1, delta=DELTA),
            "attribute": choice("groups by", {"sex": "sex", "race": "race"}, "race"),
            "metric": choice("score", GRID.METRICS),
        },
        compute=scores_by_group,
        marks=group_marks,
        describe=_describe,
        answer=(
            "At large ε every group scores as it does without noise. As ε falls, single releases scatter more, and "
            "the bars of small groups are the longest: the same noise, fewer people to outweigh it. Look at the "
            "differences between groups without noise, too. Privacy did not make those."
        ),
    )
