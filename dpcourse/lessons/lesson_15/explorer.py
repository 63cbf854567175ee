"""The explorer of lesson 15: ε and a model's scores, group by group."""

from __future__ import annotations

from dpcourse.lessons.lesson_15.numbers import DELTA, GRID, ByGroup, scores_by_group
from dpcourse.lessons.lesson_15.pictures import draw_by_group
from dpcourse.widgets.base import Explorer, choice, epsilon_slider


def _describe(data: ByGroup) -> str:
    epsilon = data.epsilons[data.here]
    listed = "; ".join(
        f"{name} {mean[data.here]:.1%} ± {2 * deviation[data.here]:.1%} (without noise {plain:.1%})"
        for name, mean, deviation, plain in zip(data.groups, data.means, data.deviations, data.without, strict=True)
    )
    return (
        f"{data.metric} at ε = {epsilon:g}, δ = {DELTA:.0e} (adding or removing one record): {listed}. "
        f"± is the reach of 95% of single releases; how few people were tested is not in it. "
        f"Precomputed on the UCI files: {GRID.SPLITS} splits × {GRID.DRAWS} models an ε. Nothing is trained "
        "while the slider moves; tools/make_grids.py measured it."
    )


def explore_groups() -> Explorer:
    """Move ε through a precomputed grid and compare a model's scores on the groups of the survey."""
    return Explorer(
        "Who notices the noise?",
        controls={
            "epsilon": epsilon_slider(GRID.EPSILONS[0], GRID.EPSILONS[-1], 0.1, delta=DELTA),
            "attribute": choice("groups by", {"sex": "sex", "race": "race"}, "race"),
            "metric": choice("score", GRID.METRICS),
        },
        compute=scores_by_group,
        draw=draw_by_group,
        describe=_describe,
    )
