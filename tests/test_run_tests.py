"""`make test` refuses a DPCOURSE_DATA that is set but wrong, whatever else would be found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
