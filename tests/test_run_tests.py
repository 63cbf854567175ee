"""`make test` refuses a DPCOURSE_DATA that is set but wrong, starts a dead kernel again, and takes turns."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from tools import start_kernels, turns

TOOL = Path(__file__).resolve().parents[1] / "tools" / "run_tests.py"


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"DPCOURSE_DATA": str(folder), "DPCOURSE_SOURCE": "auto", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(TOOL), "no-such-pass"]
    return subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", timeout=60, cwd=TOOL.parents[1]
    )


def test_a_folder_without_the_files(tmp_path):
    result = run(tmp_path)
    assert result.returncode == 1
    assert "does not hold adult.data and adult.test" in result.stderr


def test_files_that_are_not_the_published_ones(tmp_path):
    for name in ("adult.data", "adult.test"):
        (tmp_path / name).write_text("39, State-gov\n")
    result = run(tmp_path)
    assert result.returncode == 1
    assert "is set but cannot be used" in result.stderr and "sha256" in result.stderr
    assert (tmp_path / "adult.data").read_text() == "39, State-gov\n"


@pytest.mark.parametrize("dead", [1, 2, 3])
def test_a_kernel_that_does_not_start_is_started_again(dead, monkeypatch):
    tries = []

    def start(self, *arguments, **keywords):
        tries.append(keywords)
        if len(tries) <= dead:
            raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(start_kernels.RunningKernel, "__init__", start)
    with pytest.raises(RuntimeError) if dead == start_kernels.TRIES else nullcontext():
        start_kernels.PatientKernel("python", startup_timeout=60)
    assert len(tries) == min(dead + 1, start_kernels.TRIES) and tries[-1] == {"startup_timeout": 60}


def test_everything_has_its_turn(monkeypatch):
    first, names = turns.commit(), [f"tests/test_{i}.py" for i in range(200)]
    counts = dict.fromkeys(names, 0)
    for commit in range(first, first + turns.TURNS):
        monkeypatch.setattr(turns, "commit", lambda commit=commit: commit)
        due = [name for name in names if turns.due(name)]
        assert 0 < len(due) < 60
        counts |= {name: counts[name] + 1 for name in due}
    assert set(counts.values()) == {1}
