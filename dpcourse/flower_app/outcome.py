"""How a run tells what came out of it: one JSON file, which appears when it is whole."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class FlowerFailed(RuntimeError):
    """A run without a result; the message says why, or holds the end of the logs."""


@contextlib.contextmanager
def recording(output: Path) -> Iterator[dict[str, Any]]:
    """A dictionary to fill; it is written to `output` at the end, or what went wrong is.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with recording(Path(folder) / "outcome.json") as outcome:
    ...         outcome |= {"weights": [0.5]}
    ...     read(Path(folder) / "outcome.json")
    {'weights': [0.5]}
    """
    outcome: dict[str, Any] = {}
    try:
        yield outcome
    except Exception as error:
        outcome = {"error": f"{type(error).__name__}: {error}"}
        raise
    finally:
        partial = output.with_suffix(".part")
        partial.write_text(json.dumps(outcome), encoding="utf-8")
        os.replace(partial, output)


def read(output: Path) -> dict[str, Any]:
    """What was written; `FlowerFailed` if that is an error."""
    outcome = json.loads(output.read_text(encoding="utf-8"))
    if "error" in outcome:
        raise FlowerFailed(outcome["error"])
    return outcome
