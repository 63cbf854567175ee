"""What `make test` and `.ci/run` run: passes, most one after another, and a summary of how they ended.

    python tools/run_tests.py                    # those of every day
    python tools/run_tests.py all                # types, companions, solutions, capstones, twin too, as `.ci/run` does
    python tools/run_tests.py tests browser      # these

Environment
-----------
DPCOURSE_DATA              folder that holds adult.data and adult.test; a folder that does not is an error
DPCOURSE_REQUIRE_BROWSER   1: no Chromium is a failure instead of a skipped test
DPCOURSE_REQUIRE_FLOWER    1: no Flower in .venv-flower is a failure instead of skipped tests
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from turns import due

ROOT = Path(__file__).resolve().parents[1]

# For two cores, as the machines that run this have. `loadscope` keeps the cells of a notebook in one worker. It mostly
# waits for its kernel: three of them keep two cores busy.
WORKERS = ["-n", "2", "--dist", "worksteal"]
BY_FILE = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
BY_NOTEBOOK = ["-n", "3", "--dist", "loadscope", "--no-loadscope-reorder"]
NBVAL = ["--nbval-current-env", "--nbval-sanitize-with=tests/nbval_sanitize.cfg", "--nbval-cell-timeout=120"]
NBVAL += ["-p", "tools.start_kernels", *BY_NOTEBOOK]
# pytest's own filter makes warnings errors; in a notebook it is text on stderr that is one (tests/test_notebooks.py).
NBVAL += ["-o", "addopts=", "-W", "default"]
# The longest first, so that no worker is left alone with one of them at the end.
LONGEST = ("08", "06", "09", "13")
LESSONS = sorted(
    (path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").glob("*.ipynb")),
    key=lambda path: (not Path(path).name.startswith(LONGEST), path),
)
GRADE = sorted(
    (path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / "grade").glob("test_*.py")),
    key=lambda path: (not path.endswith("test_nbgrader.py"), path),
)
SOLUTIONS, EXERCISES, COMPANIONS = ["notebooks/solutions"], ["notebooks/exercises"], ["notebooks/deeper"]
CAPSTONES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks/capstones").glob("*.ipynb"))
STUDENTS = ["notebooks/capstones/student"]


# Large packages that the tests import, in two lots that have little in common.
LOTS = (
    "scipy.stats, sklearn.linear_model, sklearn.metrics",
    "hypothesis, ipywidgets, matplotlib.pyplot, nbformat, pandas",
)


@dataclass(frozen=True)
class Pass:
    """One command, what it shows, and the environment it needs beyond ours."""

    name: str
    shows: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    every_day: bool = True
    beside: bool = False  # it waits much, or leaves a core idle, and runs beside the others


def data_source() -> str:
    """`uci` or `twin`: what load_adult() finds here. Exits where DPCOURSE_DATA is set but wrong."""
    from dpcourse.datasets import load_adult

    folder = os.environ.get("DPCOURSE_DATA")
    if not folder:
        return load_adult().source
    # Kernels start in the folder of their notebook, where a relative path would mean something else.
    folder = os.environ["DPCOURSE_DATA"] = str(Path(folder).expanduser().resolve())
    missing = [name for name in ("adult.data", "adult.test") if not (Path(folder) / name).is_file()]
    if missing:
        sys.exit(f"DPCOURSE_DATA={folder} does not hold {' and '.join(missing)}. Correct it or unset it.")
    try:
        load_adult(source="uci")
    except Exception as error:
        sys.exit(f"DPCOURSE_DATA={folder} is set but cannot be used: {error}")
    return load_adult().source


def compile_once() -> None:
    """Import the large packages after an installation, before two workers at once compile each of them twice."""
    found = importlib.util.find_spec("sklearn")
    if found is None or not Path(importlib.util.cache_from_source(str(found.origin))).is_file():
        for process in [subprocess.Popen([sys.executable, "-c", f"import {lot}"]) for lot in LOTS]:
            process.wait()


def unlocked_versions() -> list[str]:
    """The installed packages whose version is not one of those in requirements.lock."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==(\S+)", lock, flags=re.MULTILINE):
        locked.setdefault(name, set()).add(version)
    installed = {re.sub(r"[-_.]+", "-", d.name).lower(): d.version for d in importlib.metadata.distributions()}
    return sorted(name for name in locked if name in installed and installed[name] not in locked[name])


def plan(source: str) -> list[Pass]:
    """The passes, in order."""
    pytest = [sys.executable, "-m", "pytest", "-q"]
    unlocked = unlocked_versions()
    if source != "uci":
        loose = "no UCI files here"
    elif platform.system() != "Linux":
        loose = "outputs are stored on Linux"
    elif unlocked:
        loose = f"versions differ from the lock: {', '.join(unlocked)}"
    else:
        loose = ""
    how = f"executed, outputs not compared ({loose})" if loose else "compared with the stored outputs"

    people = "the UCI files" if source == "uci" else "the twin"
    compare = [*pytest, "--nbval-lax" if loose else "--nbval", *NBVAL]
    said = {"DPCOURSE_SOURCE": source}  # outright, so that no kernel looks for a network first
    # With the UCI files, lessons run on them; `all` runs some on the twin as well, as readers without the files do.
    twin = [path for path in LESSONS + COMPANIONS if source == "uci" and due(path)] + EXERCISES
    return [
        Pass("lint", "ruff", [sys.executable, "-m", "ruff", "check", "--quiet", "."]),
        Pass("types", "mypy", [sys.executable, "-m", "mypy"], every_day=False, beside=True),
        Pass(
            "tests",
            "units, properties, oracles, doctests, notebook rules, right answers in turn, the built wheel",
            [*pytest, *WORKERS, "--part=daily"],
        ),
        Pass(
            "thorough",
            "known wrong answers and cheats in turn, projects",
            [*pytest, *WORKERS, "--part=thorough", "tests"],
            every_day=False,
        ),
        Pass("lessons", f"on {people}: {how}", [*compare, *LESSONS], said),
        Pass("companions", f"on {people}: {how}", [*compare, *COMPANIONS], said, every_day=False),
        Pass("solutions", f"on {people}: {how}", [*compare, *SOLUTIONS], said, every_day=False),
        Pass("capstones", f"simulated data: {how}", [*compare, *CAPSTONES], said, every_day=False),
        Pass(
            "students",
            "what students are given of the capstones: executed unanswered",
            [*pytest, "--nbval-lax", *NBVAL, *STUDENTS],
            said,
            every_day=False,
        ),
        Pass(
            "twin",
            f"{'lessons and companions in turn, ' if source == 'uci' else ''}exercises on the twin: executed",
            [*pytest, "--nbval-lax", *NBVAL, *twin],
            {"DPCOURSE_SOURCE": "twin"},
            every_day=False,
        ),
        Pass(
            "flower",
            "federated rounds on Flower: simulation, and processes over loopback",
            [*pytest, "-rs", "-m", "flower", "tests/federated/test_flower.py"],
            every_day=False,
            beside=True,
        ),
        Pass(
            "grade",
            "classes of notebooks, graded",
            [*pytest, *BY_FILE, "--part=due", "-m", "grade and not audit", *GRADE],
            every_day=False,
            beside=True,
        ),
        Pass(
            "site",
            "the web site: whole, without another host, no dead link",
            [*pytest, "--part=due", "-m", "site", "tests/site"],
            every_day=False,
            beside=True,
        ),
        Pass(
            "explorers",
            "every control of every explorer, driven in Chromium without a network, beside Python",
            [*pytest, "-n", "2", "--dist", "loadgroup", "-m", "explorers", "tests/widgets", "tests/test_browser.py"],
            every_day=False,
        ),
        Pass("browser", "JupyterLab in Chromium", [*pytest, "-rs", "-s", "-m", "browser", "tests/test_browser.py"]),
    ]


@dataclass(frozen=True)
class Ended:
    """How a pass ended: its row in the summary, and what it printed where that was kept."""

    passed: bool
    row: str
    printed: str = ""


def run(step: Pass) -> Ended:
    """Run one pass; its output goes to ours, or is kept where it runs beside others."""
    began, kept = time.perf_counter(), [f"\n=== {step.name}: {step.shows}\n"]
    if not step.beside:
        print(kept.pop(), end="", flush=True)
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **os.environ, **step.environment}
    last = ""
    with subprocess.Popen(
        step.command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        for line in process.stdout or []:
            if step.beside:
                kept.append(line)
            else:
                print(line, end="", flush=True)
            last = line.strip() or last
    passed, seconds = process.returncode == 0, time.perf_counter() - began
    row = f"{step.name:<10} {seconds:5.0f} s  {step.shows}: {last.strip('= ') or 'clean'}"
    return Ended(passed, f"{'passed' if passed else 'FAILED'}  {row}", "".join(kept))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passes", nargs="*", help="which passes (default: those of every day), or all")
    chosen = set(parser.parse_args().passes)

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    start = time.perf_counter()
    compile_once()
    source = data_source()
    print(f"Adult: {source}. Python {platform.python_version()} on {platform.system()}.")
    steps = plan(source)
    names = [step.name for step in steps]
    if unknown := chosen - {*names, "all"}:
        sys.exit(f"No such pass here: {', '.join(sorted(unknown))}. There are: {', '.join(names)}, all.")
    if not chosen:
        steps = [step for step in steps if step.every_day]
    elif "all" not in chosen:
        steps = [step for step in steps if step.name in chosen]

    others = ThreadPoolExecutor(max_workers=1)
    try:
        beside = [others.submit(run, step) for step in steps if step.beside]
        ended = [run(step) for step in steps if not step.beside]
        ended += [other.result() for other in beside]
    finally:
        others.shutdown(cancel_futures=True)

    print("".join(one.printed for one in ended), end="")
    failed = not all(one.passed for one in ended)
    print("\n=== Passes that ran\n" + "\n".join(one.row for one in ended))
    print(f"{'FAILED' if failed else 'All passed'} in {time.perf_counter() - start:.0f} s")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
