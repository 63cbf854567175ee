"""What a clip, noise and a learning rate do to each group's accuracy, over several splits of the people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.learning.sweep import fit_sweep


@dataclass(frozen=True)
class Recipe:
    """How models are trained: ε (infinity: without noise), clip norm, learning rate; and what they are compared to."""

    epsilon: float
    clip_norm: float
    learning_rate: float
    against: str


@dataclass(frozen=True)
class Change:
    """A mean change of accuracy in points, with its 95% errors: of the draws of noise, and of the people tested."""

    mean: float
    draws: float
    people: float

    @property
    def error(self) -> float:
        """Both errors together."""
        return float(np.hypot(self.draws, self.people))

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ± {self.draws:.1f} ± {self.people:.1f}"


def changes_by_recipe(
    X: np.ndarray,
    y: np.ndarray,
    groups: Mapping[str, np.ndarray],
    recipes: Mapping[str, Recipe],
    settings: Mapping[str, Any],
    *,
    splits: int = 5,
    draws: int = 8,
    rng=None,
) -> dict[str, dict[str, Change]]:
    """Train every recipe on the same random 70% of the people, several times over; how accuracy changes, by group.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    y : ndarray of 0 and 1, shape (n,)
    groups : mapping of str to ndarray of bool, shape (n,)
    recipes : mapping of str to Recipe
        In the order in which they are trained. One without noise is trained once a split, others `draws` times.
    settings : mapping
        What `fit_sweep` takes beside, the same for all.

    Returns
    -------
    dict of str to dict of str to Change
        By group, then by recipe. A person's change is the mean over the splits in which this person was tested. The
        error of the draws is by Student's t, given the splits; that of the people takes them as independent.
    """
    rng = np.random.default_rng(rng)
    n = len(y)
    tested = np.zeros(n)
    right = {name: np.zeros(n) for name in recipes}
    single: dict[str, list] = {name: [] for name in recipes}  # (split, group, draw): a model's accuracy
    for _ in range(splits):
        here = rng.random(n) < 0.7
        tested[~here] += 1
        for name, recipe in recipes.items():
            fit = fit_sweep(
                X[here],
                y[here],
                epsilons=[recipe.epsilon],
                seeds=draws if np.isfinite(recipe.epsilon) else 1,
                **{**settings, "clip_norm": recipe.clip_norm, "learning_rate": recipe.learning_rate},
                rng=rng,
            )
            good = (fit.decision_function(X[~here])[0] > 0) == (y[~here] == 1)
            right[name][~here] += good.mean(axis=0)
            single[name].append([good[:, of[~here]].mean(axis=1) for of in groups.values()])

    def change(name: str, place: int, of: np.ndarray) -> Change:
        of = of & (tested > 0)
        each = 100 * (right[name] - right[recipes[name].against])[of] / tested[of]
        models = 100 * np.array([split[place] for split in single[name]])
        freedom = models.size - splits
        error = (
            stats.t.ppf(0.975, freedom) * np.sqrt(models.var(axis=1, ddof=1).mean() / models.size) if freedom else 0.0
        )
        return Change(float(each.mean()), float(error), float(1.96 * each.std(ddof=1) / np.sqrt(each.size)))

    return {
        group: {name: change(name, place, of) for name, recipe in recipes.items() if recipe.against != name}
        for place, (group, of) in enumerate(groups.items())
    }
