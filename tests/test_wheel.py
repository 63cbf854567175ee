"""The wheel, built and installed where there is no checkout: it brings its data, and the declared packages suffice."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Modules that need an extra, or are started by path, say so here; every other one has to import with the core
# dependencies alone.
NEEDS_AN_EXTRA = {
    "dpcourse.flower_app.apps",
    "dpcourse.flower_app.secagg",
    "dpcourse.grade.export",
    "dpcourse.grade.worker",
    "dpcourse.lessons.capstone_1.flower",
}

PROGRAM = f"""
import importlib, pkgutil, sys
from pathlib import Path

import dpcourse
from dpcourse.datasets import load_adult
from dpcourse.mechanisms import LaplaceMechanism

home = Path(dpcourse.__file__).parent
assert home.is_relative_to(sys.prefix), home
adult = load_adult()
assert (adult.source, len(adult.frame)) == ("twin", 45_222), (adult.source, len(adult.frame))
mechanism = LaplaceMechanism(epsilon=1.0)
assert abs(mechanism.release(100.0, rng=0) - 100) < 100
for module in pkgutil.walk_packages([str(home)], "dpcourse."):
    if module.name not in {NEEDS_AN_EXTRA!r}:
        importlib.import_module(module.name)
print(mechanism.guarantee)
"""


def run(*command: str | Path, cwd: Path, environment: dict[str, str] | None = None) -> str:
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
    )
    assert result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stdout}"
    return result.stdout


def lend_bytecode(python: Path) -> None:
    """Give a fresh environment the compiled modules of this one: to compile them again takes longer than all else.

    Python believes a compiled module only where its source has the same size and time; it is recompiled otherwise.
    """
    printed = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=python.parent)
    ours, theirs = Path(sysconfig.get_path("purelib")), Path(printed.strip())
    for folder, _, files in os.walk(theirs):
        compiled = ours / Path(folder).relative_to(theirs) / "__pycache__"
        if any(name.endswith(".py") for name in files) and compiled.is_dir():
            try:
                (Path(folder) / "__pycache__").symlink_to(compiled, target_is_directory=True)
            except OSError:  # Windows does not let everybody
                return


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_holds_the_package_and_its_data_and_no_more(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    wanted = {"dpcourse/__init__.py", "dpcourse/py.typed", "dpcourse/data/adult_twin.csv.gz"}
    wanted |= {"dpcourse/widgets/explorer.js", "dpcourse/widgets/explorer.css"}
    assert wanted | {"dpcourse/data/adult_marginals.json.gz"} <= set(names)
    assert {name.partition("/")[0] for name in names} == {"dpcourse", "dpcourse-0.1.0.dist-info"}
    assert len(names) == len(set(names))


def test_wheel_works_in_a_clean_environment(wheel, tmp_path):
    uv = (sys.executable, "-m", "uv")
    run(*uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv", cwd=tmp_path)
    (python,) = (p for p in (tmp_path / "venv/bin/python", tmp_path / "venv/Scripts/python.exe") if p.exists())
    install = (*uv, "pip", "install", "--python", python, "-c", ROOT / "requirements.lock", wheel)
    try:
        # What the lock names has been fetched for this environment already, so that no network is needed ...
        run(*install, "--offline", cwd=tmp_path)
    except AssertionError:
        # ... unless the cache was emptied since.
        run(*install, cwd=tmp_path)
    run(*uv, "pip", "check", "--python", python, cwd=tmp_path)

    environment = {key: value for key, value in os.environ.items() if not key.startswith(("DPCOURSE_", "PYTHON"))}
    environment |= {"DPCOURSE_SOURCE": "twin", "PYTHONIOENCODING": "utf-8"}
    lend_bytecode(python)
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # what is lent is not written to
    printed = run(python, "-W", "error", "-c", PROGRAM, cwd=tmp_path, environment=environment)
    assert printed.strip().endswith("(ε=1, δ=0)-DP, adding or removing one record")
