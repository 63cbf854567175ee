"""What 14.2 is asked to spend: decimal strings and a budget, and the names of queries."""

from __future__ import annotations

from decimal import Decimal

import numpy as np


def requests(rng: np.random.Generator, kind: int) -> tuple[list[str], str]:
    """Decimal strings and a budget: equal ones that fill it, a hair too much, ordinary ones, some of up to nine
    decimals that fill it, two that fill it.

    The first and the last are more than the budget where floats are added up.
    """
    if kind == 0:
        many, cost = 20, 5
        while sum([cost / 100] * many) <= round(cost * many / 100, 2):
            many, cost = int(rng.integers(5, 30)), int(rng.integers(1, 30))
        return [text(cost)] * (many + 1), text(cost * many)
    if kind == 1:
        half, rest = (int(part) for part in rng.integers(20, 80, size=2))
        return [text(half), text(rest), "0.000000000001", "0.1"], text(half + rest)
    if kind == 2:
        costs = rng.integers(5, 40, size=8)
        return [text(cost) for cost in costs], text(rng.integers(40, costs.sum() + 1))
    if kind == 3:
        parts = [
            Decimal(int(rng.integers(1, 40 * 10**more))).scaleb(-2 - more)
            for more in rng.integers(1, 8, size=8).tolist()
        ]
        return [f"{part:f}" for part in parts], f"{sum(parts[: int(rng.integers(3, 8))]):f}"
    one = two = 0
    while one / 100 + two / 100 <= (one + two) / 100:
        one, two = (int(part) for part in rng.integers(1, 100, size=2))
    return [text(one), text(two), "0.01"], text(one + two)


def text(cents: int) -> str:
    return f"{Decimal(int(cents)) / 100:f}"


def query_ids(rng: np.random.Generator, many: int) -> list[str]:
    """Names of queries, no two alike."""
    word = str(rng.choice(["q", "query ", "ages by state ", "hours-", ""]))
    return [f"{word}{number}" for number in rng.choice(10**5, many, replace=False)]
