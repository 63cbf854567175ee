"""The explorer of lesson 01: how many columns until unique."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from dpcourse.attacks import unique_curve
from dpcourse.datasets import load_adult
from dpcourse.lessons.lesson_01.numbers import ORDER, Uniqueness
from dpcourse.lessons.lesson_01.pictures import uniqueness_marks
from dpcourse.widgets.base import Explorer, choice, whole_slider

_BANDS = {"in years": 1, "in bands of 5 years": 5, "in bands of 10 years": 10, "in bands of 20 years": 20}


def explore_uniqueness(frame: pd.DataFrame | None = None) -> Explorer:
    """Choose how many columns an attacker knows, how exactly age is recorded, and how many people are in the table.

    Parameters
    ----------
    frame : DataFrame, optional
        Adult's columns; ``load_adult().frame`` unless given.
    """
    frame = load_adult().frame if frame is None else frame
    codes = pd.DataFrame({column: pd.factorize(frame[column])[0] for column in ORDER})
    age = frame["age"].to_numpy()
    mixed = np.random.default_rng(1).permutation(len(frame))
    sizes = [size for size in (100, 1000, 10_000) if size < len(frame)] + [len(frame)]

    @cache
    def curve(band: int, people: int) -> np.ndarray:
        chosen = mixed[:people]
        return unique_curve(codes.iloc[chosen].assign(age=age[chosen] // band), ORDER)

    def compute(known: int, band: int, people: int) -> Uniqueness:
        return Uniqueness(ORDER, curve(band, people), known, people)

    def describe(data: Uniqueness) -> str:
        half = np.flatnonzero(data.shares >= 0.5)
        names = ", ".join(data.columns[: data.known])
        enough = (
            f"Half are unique once {half[0] + 1} columns are known." if len(half) else "No number makes half unique."
        )
        return (
            f"Known: {names}. On {'these' if data.known > 1 else 'this'}, {data.shares[data.known - 1]:.1%} of "
            f"{data.people:,} people are unlike everybody else. {enough}"
        )

    return Explorer(
        "How many columns until you are the only one?",
        controls={
            "known": whole_slider("columns known", 1, len(ORDER), 5),
            "band": choice("age recorded", _BANDS, 1),
            "people": choice("people", {f"{size:,}": size for size in sizes}, len(frame)),
        },
        compute=compute,
        marks=uniqueness_marks,
        describe=describe,
        answer=(
            "A handful of ordinary columns, none of them a name, makes many people unique, and nobody can tell "
            "beforehand which ones Boris knows. Coarser ages help, but the other columns make up for much of it. In a "
            "smaller table fewer columns are enough."
        ),
    )
