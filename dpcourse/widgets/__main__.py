"""Write explorers into a page that needs neither a kernel nor a network.

python -m dpcourse.widgets OUT.html explore_clipping
python -m dpcourse.widgets OUT.html explore_count explore_attacker     # several on one page
"""

from __future__ import annotations

import argparse
from pathlib import Path

from dpcourse import widgets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT.html")
    parser.add_argument("explorers", nargs="+", choices=sorted(widgets.EXPLORERS), metavar="EXPLORER")
    arguments = parser.parse_args()
    from dpcourse.widgets.page import page

    made = page(*(getattr(widgets, name)() for name in arguments.explorers))
    arguments.out.write_text(made, encoding="utf-8")
    print(f"wrote {arguments.out.name}, {len(made.encode()) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
