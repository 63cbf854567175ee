"""What tests of lessons share: a project's own answers, and rehearsals for `make audit` with a table at the end."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from dpcourse.checks import rehearse

CAPSTONES = Path(__file__).parents[2] / "notebooks" / "capstones"


@pytest.fixture(scope="module")
def reference(request):
    """The functions of a project's own answers: of capstone N in `tests/lessons/capstone_N`."""
    number = request.path.parent.name.removeprefix("capstone_")
    (notebook,) = CAPSTONES.glob(f"{number}_*.ipynb")
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    namespace = {}
    for cell in cells[1:3] + [cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("solution")]:
        exec("".join(cell["source"]), namespace)
    return namespace


@pytest.fixture
def always(record_property, often):
    """Ask for one outcome of every check of an answer.

    ``always(exercise, answer, key, times)`` fails unless each outcome is `key`. A right answer's key is ``"passed"``.
    False alarms: at most 1e-6 a check, so 3e-4 over three hundred. Every run draws anew. Of a wrong answer, `also` are
    diagnoses that are true of it too, and `but` is how many others it may get, where some draws make two mistakes look
    alike; it never passes. `make rehearse` asks so often; `make audit`, which asks all, a fifth and three tenths.
    """

    def ask(exercise, answer, key, times, also=(), but=0):
        times = often(times, key == "passed")
        rehearsal = rehearse(exercise, answer, times=times)
        record_property("rehearsal", [exercise, key, times, rehearsal.keys[key], rehearsal.slowest])
        assert sum(rehearsal.keys[known] for known in {key, *also}) >= times - but, rehearsal.keys
        assert key == "passed" or not rehearsal.keys["passed"], rehearsal.keys

    return ask


def pytest_terminal_summary(terminalreporter):
    found = defaultdict(list)
    for reports in list(terminalreporter.stats.values()):
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "rehearsal" and report.when == "call":
                    found[value[0]].append(value[1:])
    if not found:
        return
    terminalreporter.section("rehearsals of the exercise checks")
    terminalreporter.line("exercise  right answers accepted  wrong answers given their own diagnosis  slowest check")
    for exercise, rows in sorted(found.items()):
        right, wrong = ([row for row in rows if (row[0] == "passed") is passed] for passed in (True, False))
        cells = [f"{sum(row[2] for row in some)} of {sum(row[1] for row in some)}" for some in (right, wrong)]
        slowest = max(row[3] for row in rows)
        terminalreporter.line(
            f"{exercise:<8}  {cells[0]:>12} ({len(right)})         {cells[1]:>20} ({len(wrong)})    {slowest:>15.2f} s"
        )
