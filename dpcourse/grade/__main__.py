"""``python -m dpcourse.grade SUBMISSIONS --out GRADES``: grade a class; what was graded before is not graded again."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from pathlib import Path

from dpcourse.grade import sandbox
from dpcourse.grade.classroom import Graded, grade_class
from dpcourse.grade.people import printable
from dpcourse.grade.results import handed_in_by_few, only_assigned, write_all, write_student, write_tables


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m dpcourse.grade", description=__doc__)
    parser.add_argument("submissions", type=Path, help="a folder with a folder for each student")
    parser.add_argument("--out", type=Path, default=Path("grades"), help="where the grades go (default: grades)")
    parser.add_argument(
        "--assigned",
        nargs="+",
        default=[],
        metavar="NAME",
        help="what was set, such as 03 11 2_supplier_benchmarking: the rest does not count (default: all handed in)",
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="notebooks at a time")
    parser.add_argument(
        "--seconds",
        type=float,
        default=10.0,
        help="of computing, for one cell or one call (default: 10); four times as many by the clock",
    )
    parser.add_argument("--no-sandbox", action="store_true", help="do not use bubblewrap even where it is there")
    asked = parser.parse_args()
    if not asked.submissions.is_dir():
        parser.error(f"{asked.submissions} is no folder")
    sandboxed = not asked.no_sandbox and sandbox.bubblewrap() is not None
    if sandboxed:
        print("Each notebook runs under bubblewrap: no network, no files but its own, no processes.")
    else:
        print("Bubblewrap is not used. A hostile notebook can then:")
        print("".join(f"  - {attack}\n" for attack in sandbox.WITHOUT), end="")
    if sandboxed and (why := sandbox.unfit((asked.submissions.resolve(), asked.out.resolve()))):
        parser.error(f"Python does not start under bubblewrap here ({why}). --no-sandbox grades without it.")
    limits = sandbox.Limits(seconds=asked.seconds)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # of a worker, each of which has a processor
        os.environ.setdefault(name, "1")

    def ready(done: list[Graded], student: str) -> None:
        done = only_assigned(done, asked.assigned)
        with contextlib.suppress(OSError):  # all of it is written again at the end
            write_student(done, student, asked.out)
        with contextlib.suppress(OSError):
            write_tables(done, asked.out)

    try:
        only_assigned([], asked.assigned)
        graded = grade_class(
            asked.submissions,
            asked.out,
            workers=asked.workers,
            limits=limits,
            sandboxed=sandboxed,
            assigned=asked.assigned,
            ready=ready,
        )
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("Stopped. The same command goes on where it was.")
        return 130
    graded = only_assigned(graded, asked.assigned)
    table, missing = write_all(graded, asked.out)
    print(f"{len(graded)} notebooks; the grades are in {table}, feedback in {asked.out / 'feedback'}")
    if again := [one for one in graded if one.again]:
        first = printable(f"{again[0].student}, {again[0].file}: {again[0].error}")
        print(f"{len(again)} without a grade yet. {first}.")
    if few := handed_in_by_few(graded):
        said = ", ".join(f"{notebook} ({count})" for notebook, count in few.items())
        print(f"Few handed in {said}; all are graded out of these points, too. --assigned says what was set.")
    if missing:
        names = ", ".join(map(printable, missing))
        print(f"No feedback could be written for {names}. Is the disk full? Run the same command again.")
    return 1 if missing or again else 0


if __name__ == "__main__":
    sys.exit(main())
