"""Code is laid out by `ruff format`; a table that reads better by hand says so, and there are few."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("dpcourse", "tests", "tools", "benchmarks")
BY_HAND = re.compile(r"#\s*fmt: (skip|off)")


def test_all_code_is_formatted():
    ruff = [sys.executable, "-m", "ruff", "format", "--check", *ROOMS]
    assert not subprocess.run(ruff, cwd=ROOT, capture_output=True, check=False).returncode


def test_few_places_are_laid_out_by_hand():
    sources = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    by_hand = [path.name for path in sources for _ in BY_HAND.finditer(path.read_text(encoding="utf-8"))]
    assert 0 < len(by_hand) <= 10, by_hand
