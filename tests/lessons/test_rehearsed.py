"""`make rehearse` can be stopped and taken up again."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.thorough
def test_what_passed_is_not_run_again_while_the_code_is_the_same(tmp_path):
    command = [sys.executable, "-m", "pytest", "-q", "-m", "audit", "--rehearse=full", "-o", f"cache_dir={tmp_path}"]
    command += ["tests/lessons/test_answers.py::test_fifty_of_each_wrong", "-k", "10.3-wrong-shape"]

    def told():
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300).stdout

    assert "50 of 50 (1)" in told()
    (kept,) = (tmp_path / "d" / "rehearsed").iterdir()
    line = kept.read_text(encoding="utf-8")
    kept.write_text(line.replace("50, 50", "50, 49"), encoding="utf-8")  # a mark, to be seen where it is read
    assert "49 of 50 (1)" in told()
    kept.rename(kept.with_name("lesson_10-of-other-code.jsonl"))
    assert "50 of 50 (1)" in told()
