"""Measure the accuracies that the third explorer of lesson 06 draws, and write dpcourse/widgets/l06_grid.py.

    python tools/make_l06_grid.py        # a minute or two; needs the UCI files

Means and standard errors over 20 splits, each with a draw of its own, of models that see the true, the randomized, or
no age and sex column.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from dpcourse.datasets import load_adult
from dpcourse.local.comparison import METRICS, compare_columns

TARGET = Path(__file__).resolve().parents[1] / "dpcourse" / "widgets" / "l06_grid.py"
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)
SPLITS = 20


def main() -> int:
    adult = load_adult()
    if adult.source != "uci":
        print("Refused: the grid is measured on the UCI files, and load_adult() gives the twin.")
        return 1
    X, y = adult.encode()
    clear = X[:, [not name.startswith(("age", "sex")) for name in adult.feature_names]]
    codes = 2 * (adult.frame["age"].to_numpy() >= 40) + (adult.frame["sex"].to_numpy() == "Male")
    found = compare_columns(
        clear,
        codes,
        y,
        as_columns=lambda codes: np.column_stack([codes // 2, codes % 2]),
        k=4,
        epsilons=EPSILONS,
        splits=SPLITS,
        rng=6,
    )

    def table(scores: np.ndarray) -> str:
        mean, (drop, error) = scores.mean(axis=-2), found.drop(scores)
        return repr(np.round([mean, drop, error], 5).tolist())

    lines = [
        '"""Measured by tools/make_l06_grid.py on the UCI files; do not edit by hand.',
        "",
        f"Each table: mean score, mean drop against the true columns, and its standard error over {SPLITS} splits,",
        "by metric (for `RANDOMIZED` by ε, then metric).",
        '"""',
        "",
        "# ruff: noqa: E501",
        f"EPSILONS = {EPSILONS!r}",
        f"METRICS = {METRICS!r}".replace("'", '"'),
        f"SPLITS = {SPLITS}",
        f"TRUE = {table(found.true)}",
        f"DROPPED = {table(found.dropped)}",
        f"RANDOMIZED = {table(found.randomized)}",
    ]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"wrote {TARGET.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
