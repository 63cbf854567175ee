"""Measure the grids that explorers draw, and write data/grids/*.json.

    python tools/make_grids.py                 # all, ten minutes or so; needs the UCI files
    python tools/make_grids.py lesson_08       # one

What is measured, and what it costs, stands in the lesson's `measure.py`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MEASURED = sorted(path.parent.name for path in (ROOT / "dpcourse" / "lessons").glob("*/measure.py"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", choices=[*MEASURED, []], metavar="room", help=", ".join(MEASURED))
    for room in parser.parse_args().rooms or MEASURED:
        tables = importlib.import_module(f"dpcourse.lessons.{room}.measure").measure()
        lines = [f" {json.dumps(name)}: {json.dumps(table, ensure_ascii=False)}" for name, table in tables.items()]
        target = ROOT / "data" / "grids" / f"{room}.json"
        target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        print(f"wrote {target.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
