"""How long a student waits: each explorer's update, and the check of each exercise's own answer.

Processor time of this process, so that what else the machine does stays out. The explorers are made for a median
update (compute and draw, full size) under 80 ms, the checks for 3 s; `loop` says what kind of machine it was.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import platform
import time
from pathlib import Path
from typing import Any

import nbformat

from dpcourse import widgets
from dpcourse.checks.registry import exercise

SOLUTIONS = Path(__file__).resolve().parents[1] / "notebooks" / "solutions"


def loop() -> float:
    """Seconds that ten million additions take in plain Python."""
    start, total = time.process_time(), 0
    for number in range(10_000_000):
        total += number
    return time.process_time() - start


def timed_checks(path: Path) -> dict[str, float]:
    """Run the cells of one solutions notebook with a `check` that is timed: the seconds of each exercise."""
    seconds: dict[str, float] = {}

    def timed(exercise_id: str, answer: Any) -> Any:
        start = time.process_time()
        result = exercise(exercise_id).grade(answer)
        seconds[exercise_id] = time.process_time() - start
        if not result:
            raise SystemExit(f"{path.name}: {result}")
        return result

    namespace: dict[str, Any] = {"__name__": path.stem}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell.source, path.name, "exec"), namespace)
            if "check" in namespace:
                namespace["check"] = timed
    return seconds


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks lessons", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="rounds over each explorer's settings (default 3)")
    options = parser.parse_args(arguments)

    print(f"Python {platform.python_version()}, {platform.machine()}; ten million additions take {loop():.2f} s")
    print("\n| explorer | median update, ms |\n| --- | ---: |")
    for name in sorted(widgets.EXPLORERS):
        seconds = getattr(widgets, name)().seconds_to_update(repeats=options.repeats)
        print(f"| `{name}` | {seconds * 1000:.0f} |", flush=True)
    print("\n| exercise | check of its own answer, s |\n| --- | ---: |")
    for path in sorted(SOLUTIONS.glob("*.ipynb")):
        for name, seconds in timed_checks(path).items():
            print(f"| {name} | {seconds:.2f} |", flush=True)
