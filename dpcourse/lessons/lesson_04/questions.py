"""The questions that a newspaper asks in lesson 04."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpcourse.datasets import ADULT_SCHEMA

COLUMNS = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex")


def twelve_questions(frame: pd.DataFrame) -> pd.DataFrame:
    """Who says yes to what: True and False, one row a person of Adult, one column a question."""
    return pd.DataFrame(
        {
            "over 40": frame["age"] > 40,
            "over 40 hours": frame["hours-per-week"] > 40,
            "capital gain": frame["capital-gain"] > 0,
            "capital loss": frame["capital-loss"] > 0,
            "a bachelor's degree": frame["education-num"] >= 13,
            "married, living together": frame["marital-status"] == "Married-civ-spouse",
            "private employer": frame["workclass"] == "Private",
            "born in the US": frame["native-country"] == "United-States",
            "man": frame["sex"] == "Male",
            "white": frame["race"] == "White",
            "professional": frame["occupation"] == "Prof-specialty",
            "over $50,000": frame["income-per-year"].str.startswith(">50K"),
        }
    ).astype(bool)


def claims(frame: pd.DataFrame, number: int, rng: np.random.Generator) -> tuple[list[dict[str, str]], np.ndarray]:
    """`number` different claims "both A and B", drawn from the schema alone: column -> value for each, and how many
    people they are true of (floats)."""
    found: list[dict[str, str]] = []
    counts: list[float] = []
    while len(found) < number:
        a, b = sorted(rng.choice(COLUMNS, 2, replace=False))
        claim = {str(column): str(rng.choice(ADULT_SCHEMA.categories[column])) for column in (a, b)}
        if claim not in found:
            found.append(claim)
            counts.append(float(((frame[a] == claim[a]) & (frame[b] == claim[b])).sum()))
    return found, np.array(counts)
