"""Capstone 5.2: one patient more, of any kind, and how a diagnosis tells of it."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.capstone_5.exercises.reference import no_outcome

Stays = tuple[np.ndarray, np.ndarray, np.ndarray]  # readings, outcomes and patients
ODD = (np.nan, 0.5, 2.0)  # outcomes that nobody should have written down


def place(n: int) -> str:
    """A hospital with so many stays.

    >>> place(0), place(1)
    ('In an empty hospital', 'In a hospital with 1 stay')
    """
    return f"In a hospital with {_stays(n)}" if n else "In an empty hospital"


def coming(
    rng: np.random.Generator,
    ward: Stays,
    centre: np.ndarray,
    spread: np.ndarray,
    canary: float,
) -> tuple[Stays, str, bool]:
    """The stays of a ward and of a patient with such readings, in any order; in words; whether outcomes are odd."""
    (X, y, patients), stays = ward, int(rng.choice((1, 2, 5, 40)))
    rows = centre + spread * rng.normal(0, 1, (stays, len(centre)))
    rows[:, rng.integers(len(centre))] = canary
    order = rng.permutation(len(y) + stays)
    labels = rng.choice((0.0, 1.0, *ODD, no_outcome(rng)), stays, p=(0.2, 0.4, 0.1, 0.1, 0.1, 0.1))
    number = np.full(stays, int(patients.max(initial=0)) + 1)
    more = (np.vstack([X, rows])[order], np.append(y, labels)[order], np.append(patients, number)[order])
    odd = np.unique(labels[~np.isin(labels, (0, 1))])
    return more, f"one {'more ' if len(y) else ''}patient comes with {told(stays, canary, odd)}", bool(len(odd))


def told(stays: int, canary: float, odd: np.ndarray) -> str:
    """So many stays with a reading, and with other outcomes than 0 and 1.

    >>> told(1, -np.inf, np.array([0.5]))
    '1 stay, with a reading of −infinity, and with y = 0.5'
    >>> told(40, 1e9, np.array([0.5, 2, np.nan]))
    '40 stays, each with a reading of 1e+09, and some with y = 0.5, 2 or NaN'
    """
    each, some = ("each ", "some ") if stays > 1 else ("", "")
    *first, last = map(_named, odd) if len(odd) else [""]
    names = f"{', '.join(first)} or {last}" if first else last
    return f"{_stays(stays)}, {each}with a reading of {_named(canary)}" + (
        f", and {some}with y = {names}" if last else ""
    )


def _stays(n: int) -> str:
    return f"{n:,} {'stay' if n == 1 else 'stays'}"


def _named(value: float) -> str:
    return {"nan": "NaN", "inf": "infinity", "-inf": "−infinity"}.get(f"{value:g}", f"{value:g}".replace("-", "−"))
