"""What tests of lessons share: a project's own answers, and rehearsals for `make audit`."""

import functools
import hashlib
import json
import re
from pathlib import Path

import pytest

from dpcourse.checks import rehearse

ROOT = Path(__file__).parents[2]
CAPSTONES = ROOT / "notebooks" / "capstones"


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


def lesson_of(nodeid):
    """Of what a rehearsal is: "lesson_04" or "capstone_2"; "" where it is something else."""
    found = re.search(r"\[(capstone )?(\d+)\.", nodeid)
    return found and f"{'capstone' if found[1] else 'lesson'}_{found[2]}" or ""


@functools.cache
def code_of(lesson):
    """A digest of what a rehearsal of this lesson runs: all of the package but the grader and other lessons."""
    package = ROOT / "dpcourse"
    files = [file for file in package.rglob("*.py") if file.relative_to(package).parts[0] not in ("grade", "lessons")]
    files += [*(package / "lessons" / lesson).rglob("*.py"), *Path(__file__).parent.glob("*.py")]
    files += Path(__file__).with_name(lesson).glob("*.py")
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()[:16]


class Rehearsed:
    """`make rehearse`, stopped and asked for again, goes on: what passed is kept while the code is the same."""

    def __init__(self, config):
        self.config, self.passed = config, functools.cache(self._passed)

    def _kept(self, lesson):
        return self.config.cache.mkdir("rehearsed") / f"{lesson}-{code_of(lesson)}.jsonl"

    def _passed(self, lesson):
        kept = self._kept(lesson)
        return dict(map(json.loads, kept.read_text(encoding="utf-8").splitlines() if kept.exists() else ()))

    def pytest_pyfunc_call(self, pyfuncitem):
        if pyfuncitem.nodeid not in self.passed(lesson_of(pyfuncitem.nodeid)):
            return None
        pyfuncitem.user_properties.append(("rehearsal", self.passed(lesson_of(pyfuncitem.nodeid))[pyfuncitem.nodeid]))
        return True  # instead of a call

    def pytest_runtest_logreport(self, report):
        lesson = lesson_of(report.nodeid)
        if report.when != "call" or not report.passed or not lesson or hasattr(self.config, "workerinput"):
            return
        if report.nodeid not in self.passed(lesson):
            line = json.dumps([report.nodeid, dict(report.user_properties).get("rehearsal")])
            with self._kept(lesson).open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")


def pytest_configure(config):
    if config.getoption("--rehearse") == "full":
        config.pluginmanager.register(Rehearsed(config), "rehearsed")
