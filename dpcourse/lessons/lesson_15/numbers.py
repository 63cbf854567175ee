"""Numbers of lesson 15."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.datasets import load_grid

GRID = load_grid("lesson_15")

DELTA = 1e-5


@dataclass(frozen=True)
class ByGroup:
    """A score by ε for each group: means over releases, and the standard deviation of a single release.

    ``means`` and ``deviations`` have shape (groups, ε); ``here`` is the index of the ε that is marked, ``without`` the
    scores without noise, ``tested`` the people measured in a split.
    """

    metric: str
    groups: tuple[str, ...]
    epsilons: np.ndarray
    means: np.ndarray
    deviations: np.ndarray
    without: np.ndarray
    tested: np.ndarray
    here: int


def scores_by_group(epsilon: float, attribute: str, metric: str) -> ByGroup:
    """The precomputed scores of one attribute's groups, with the measured ε nearest to `epsilon` (in ratio) marked.

    Examples
    --------
    >>> data = scores_by_group(1.0, "sex", "accuracy")
    >>> data.groups, data.means.shape == (2, len(data.epsilons))
    (('Female', 'Male'), True)
    """
    j = GRID.METRICS.index(metric)
    measured = np.array(GRID.EPSILONS)
    return ByGroup(
        metric,
        tuple(GRID.GROUPS[attribute]),
        measured,
        np.array(GRID.MEANS[attribute])[:, j],
        np.array(GRID.DEVIATIONS[attribute])[:, j],
        np.array(GRID.WITHOUT[attribute])[:, j],
        np.array(GRID.TESTED[attribute]),
        int(np.argmin(np.abs(np.log(measured / epsilon)))),
    )
