"""Numbers of lesson 01."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# What a neighbour sees, what a colleague knows, what only a tax office knows. The census weight fnlwgt is left out.
ORDER = (
    "sex",
    "age",
    "race",
    "native-country",
    "marital-status",
    "education",
    "occupation",
    "workclass",
    "relationship",
    "hours-per-week",
    "capital-gain",
    "capital-loss",
    "income-per-year",
)


@dataclass(frozen=True)
class Uniqueness:
    """The share of unique people as columns are added one after another, and how many of them the attacker knows."""

    columns: tuple[str, ...]
    shares: np.ndarray
    known: int
    people: int
