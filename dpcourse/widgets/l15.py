"""The explorer of lesson 15: ε and a model's scores, group by group."""

from __future__ import annotations

import numpy as np

from dpcourse.plots.l15 import ByGroup, draw_by_group
from dpcourse.widgets import l15_grid
from dpcourse.widgets.base import Explorer, choice, epsilon_slider

DELTA = 1e-5


def scores_by_group(epsilon: float, attribute: str, metric: str) -> ByGroup:
    """The precomputed scores of one attribute's groups, with the measured ε nearest to `epsilon` (in ratio) marked.

    Examples
    --------
    >>> data = scores_by_group(1.0, "sex", "accuracy")
    >>> data.groups, data.means.shape == (2, len(data.epsilons))
    (('Female', 'Male'), True)
    """
    j = l15_grid.METRICS.index(metric)
    measured = np.array(l15_grid.EPSILONS)
    return ByGroup(
        metric,
        tuple(l15_grid.GROUPS[attribute]),
        measured,
        np.array(l15_grid.MEANS[attribute])[:, j],
        np.array(l15_grid.DEVIATIONS[attribute])[:, j],
        np.array(l15_grid.WITHOUT[attribute])[:, j],
        np.array(l15_grid.TESTED[attribute]),
        int(np.argmin(np.abs(np.log(measured / epsilon)))),
    )


def _describe(data: ByGroup) -> str:
    epsilon = data.epsilons[data.here]
    listed = "; ".join(
        f"{name} {mean[data.here]:.1%} ± {2 * deviation[data.here]:.1%} (without noise {plain:.1%})"
        for name, mean, deviation, plain in zip(data.groups, data.means, data.deviations, data.without, strict=True)
    )
    return (
        f"{data.metric} at ε = {epsilon:g}, δ = {DELTA:.0e} (adding or removing one record): {listed}. "
        f"± is the reach of 95% of single releases; how few people were tested is not in it. "
        f"Precomputed on the UCI files: {l15_grid.SPLITS} splits × {l15_grid.DRAWS} models an ε. Nothing is trained "
        "while the slider moves; tools/make_l15_grid.py measured it."
    )


def explore_groups() -> Explorer:
    """Move ε through a precomputed grid and compare a model's scores on the groups of the survey."""
    return Explorer(
        "Who notices the noise?",
        controls={
            "epsilon": epsilon_slider(l15_grid.EPSILONS[0], l15_grid.EPSILONS[-1], 0.1, delta=DELTA),
            "attribute": choice("groups by", {"sex": "sex", "race": "race"}, "race"),
            "metric": choice("score", l15_grid.METRICS),
        },
        compute=scores_by_group,
        draw=draw_by_group,
        describe=_describe,
    )
