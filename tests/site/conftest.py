"""The site, made once for all its tests."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.pace import in_time

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"


class Page(HTMLParser):
    """What a page loads at once, what it loads when looked at, where its links go, and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.lazy: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.pictures: list[dict[str, str | None]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors |= {found[name] or "" for name in ("id", "name") if name in found}
        if tag == "img":
            self.pictures.append(found)
            (self.lazy if found.get("loading") == "lazy" else self.loaded).append(found.get("src") or "")
        elif tag in ("script", "iframe", "source") and found.get("src"):
            self.loaded.append(found["src"] or "")
        elif tag == "link" and found.get("rel") in ("stylesheet", "preload", "icon", "shortcut icon", "modulepreload"):
            self.loaded.append(found.get("href") or "")
        elif tag == "a" and found.get("href"):
            self.links.append(found["href"] or "")


def make() -> float:
    """Make the site; the seconds of processor time it took, because others may use the machine."""
    before = os.times()
    made = subprocess.run([sys.executable, "tools/make_site.py"], cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[-3000:]
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


@pytest.fixture(scope="session")
def pages() -> dict[Path, Page]:
    assert in_time(make(), 180)
    return {path: Page(path) for path in SITE.rglob("*.html")}
