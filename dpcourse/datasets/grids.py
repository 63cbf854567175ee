"""Grids of numbers that take minutes to measure and that an explorer draws at once: JSON files in ``data/grids/``."""

from __future__ import annotations

import functools
import json
from importlib import resources
from pathlib import Path
from types import SimpleNamespace


@functools.cache
def load_grid(name: str) -> SimpleNamespace:
    """What ``tools/make_grids.py`` measured for a lesson; `about` says in words what each table holds.

    Parameters
    ----------
    name : str
        Such as "lesson_08".

    Raises
    ------
    ValueError
        If there is no such grid.

    Examples
    --------
    >>> load_grid("lesson_08").METRICS
    ['accuracy', 'AUC', 'F1', 'Brier score']
    """
    packaged = Path(str(resources.files("dpcourse") / "data" / "grids"))
    folder = packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "data" / "grids"
    path = folder / f"{name}.json"
    if not path.is_file():
        raise ValueError(f"no grid {name!r}; there are: {', '.join(sorted(p.stem for p in folder.glob('*.json')))}")
    return SimpleNamespace(**json.loads(path.read_text(encoding="utf-8")))
