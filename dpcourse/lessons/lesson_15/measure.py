"""Measures the grid that an explorer of lesson 15 draws: `tools/make_grids.py lesson_15`.

For each ε, `SPLITS` splits of 70/30 and `DRAWS` private models on each: means over all of them, and the standard
deviation of a single model around the mean of its split. The numbers are exact statistics of Adult, which is public.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.datasets import load_adult
from dpcourse.learning.sweep import fit_sweep

EPSILONS = (0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 10.0)
METRICS = ("accuracy", "share predicted to earn more", "true positive rate")
ATTRIBUTES = ("sex", "race")
SPLITS, DRAWS, STEPS, RATE = 5, 8, 60, 2.0


def measure() -> dict[str, Any]:
    """The tables of the grid by name."""
    adult = load_adult("uci")
    X, y = adult.encode()
    rng = np.random.default_rng(15)
    groups = {name: adult.schema.categories[name] for name in ATTRIBUTES}
    scores: dict[str, list] = {name: [] for name in ATTRIBUTES}  # split → (group, metric, ε, draw)
    tested: dict[str, list] = {name: [] for name in ATTRIBUTES}
    for _ in range(SPLITS):
        training = rng.random(adult.schema.n) < 0.7
        sweep = fit_sweep(
            X[training],
            y[training],
            epsilons=(*EPSILONS, np.inf),
            seeds=DRAWS,
            dataset_size=round(0.7 * adult.schema.n),
            classes=(0, 1),
            clip_norm=1.0,
            sampling_rate=1.0,
            steps=STEPS,
            learning_rate=RATE,  # the same for all, so that nothing but the noise differs
            momentum=0.9,
            rng=rng,
        )
        says, earns = sweep.decision_function(X[~training]) > 0, y[~training] == 1
        for name in ATTRIBUTES:
            value = adult.frame[name].to_numpy()[~training]
            masks = [value == group for group in groups[name]]
            rows = [
                [(says == earns)[..., m].mean(-1), says[..., m].mean(-1), says[..., m & earns].mean(-1)] for m in masks
            ]
            scores[name].append(rows)
            tested[name].append([m.sum() for m in masks])

    tables: dict[str, dict[str, Any]] = {
        "GROUPS": groups,
        "MEANS": {},
        "DEVIATIONS": {},
        "WITHOUT": {},
        "TESTED": {},
    }
    for name in ATTRIBUTES:
        values = np.array(scores[name])  # (split, group, metric, ε, draw)
        spread = np.sqrt(values.var(axis=-1, ddof=1).mean(axis=0))
        tables["MEANS"][name] = values.mean(axis=(0, -1))[..., :-1].round(4).tolist()
        tables["DEVIATIONS"][name] = spread[..., :-1].round(4).tolist()
        tables["WITHOUT"][name] = values.mean(axis=(0, -1))[..., -1].round(4).tolist()
        tables["TESTED"][name] = np.mean(tested[name], axis=0).round(0).tolist()
    about = (
        "By attribute: MEANS and DEVIATIONS by group, metric and ε; WITHOUT (clipped, no noise) by group and metric; "
        "TESTED, the people of each group in a split, on average."
    )
    settings = {"EPSILONS": EPSILONS, "METRICS": METRICS, "SPLITS": SPLITS, "DRAWS": DRAWS, "STEPS": STEPS}
    return {"about": about, **settings, **tables}
