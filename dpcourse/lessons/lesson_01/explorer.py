"""The explorers of lesson 01: columns until somebody is unique, and tables until one list of people fits."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from dpcourse.attacks import unique_curve
from dpcourse.datasets import load_adult
from dpcourse.lessons.lesson_01.numbers import ORDER, TABLES, Candidates, Uniqueness, cells_of, draw_hamlet, lists_left
from dpcourse.lessons.lesson_01.pictures import candidates_marks, uniqueness_marks
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
            f"Half are unique once the first {half[0] + 1} columns are known."
            if len(half)
            else "Even all columns make fewer than half unique."
        )
        return (
            f"Known: {names}. On {'these' if data.known > 1 else 'this'}, {data.shares[data.known - 1]:.1%} of "
            f"{data.people:,} people are unlike everybody else. {enough}"
        )

    return Explorer(
        "How many columns until you are the only one?",
        controls={
            "known": whole_slider("columns known", 1, len(ORDER), 7),
            "band": choice("age recorded", _BANDS, 1),
            "people": choice("people", {f"{size:,}": size for size in sizes}, 1000),
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


def explore_lists_left(cells: np.ndarray | None = None) -> Explorer:
    """Publish six small tables of a hamlet, one after another, and see how many lists of its people still fit.

    Parameters
    ----------
    cells : ndarray of int, optional
        The cell of each person hamlets are drawn from; those of the twin unless given.
    """
    cells = cells_of(load_adult("twin").frame) if cells is None else cells
    people = {"A": 10, "B": 10, "C": 20, "D": 20, "E": 40, "F": 40}
    rng = np.random.default_rng(1)
    hamlets = {name: draw_hamlet(cells, size, rng) for name, size in people.items()}
    published = tuple(f"+ {first} × {second}" for first, second in TABLES)

    @cache
    def left(hamlet: str) -> tuple[int, ...]:
        return lists_left(hamlets[hamlet])

    def compute(shown: int, hamlet: str) -> Candidates:
        return Candidates(hamlet, (f"{people[hamlet]} people", *published), left(hamlet), shown)

    def describe(data: Candidates) -> str:
        steps = [f"{lists:,}" for lists in data.lists[: data.shown + 1]]
        known = f"{people[data.hamlet]} people live in hamlet {data.hamlet}."
        if data.shown == 0:
            return f"{known} No table is published. Lists of people that fit: {steps[0]}."
        end = "It is the true one." if data.lists[data.shown] == 1 else "The true one is among them."
        tables = "1 small table is" if data.shown == 1 else f"{data.shown} small tables are"
        return f"{known} {tables} published. Lists of people that fit: {' → '.join(steps)}. {end}"

    return Explorer(
        "How many lists of people still fit?",
        controls={
            "shown": whole_slider("tables published", 0, len(TABLES), len(TABLES)),
            "hamlet": choice("hamlet", {f"{name}, {size} people": name for name, size in people.items()}, "A"),
        },
        compute=compute,
        marks=candidates_marks,
        describe=describe,
        answer=(
            "Together the tables remove nearly all of the lists, though none of them shows a person. "
            "In hamlets A to E a single list is left. In F, with 40 people, 30 are left."
        ),
    )
