"""The web site: built from what is stored, whole without another host, and small."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"

pytestmark = pytest.mark.site


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


@pytest.fixture(scope="module")
def pages() -> dict[Path, Page]:
    began = time.perf_counter()
    made = subprocess.run([sys.executable, "tools/make_site.py"], cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[-3000:]
    assert time.perf_counter() - began < 180
    return {path: Page(path) for path in SITE.rglob("*.html")}


def test_every_lesson_and_exercise_is_there(pages):
    for folder in ("", "deeper", "capstones", "exercises"):
        for notebook in (ROOT / "notebooks" / folder).glob("[0-9]*_*.ipynb"):
            assert SITE / notebook.relative_to(ROOT).with_suffix(".html") in pages
    assert not list(SITE.rglob("*solutions*"))


def test_nothing_is_asked_of_another_host(pages):
    for path, page in pages.items():
        away = [address for address in page.loaded + page.lazy if urlsplit(address).netloc]
        assert not away, (path, away)
    for sheet in SITE.rglob("*.css"):
        fetched = re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//[^)\"']+", sheet.read_text(encoding="utf-8"))
        assert not fetched, (sheet, fetched)


def test_no_link_is_dead(pages):
    dead = []
    for path, page in pages.items():
        for link in page.links:
            target = urlsplit(link)
            if target.scheme or target.netloc or link == "#":
                continue
            there = (path.parent / unquote(target.path)).resolve() if target.path else path
            there = there / "index.html" if there.is_dir() else there
            if not there.is_file():
                dead.append((path.name, link))
            elif target.fragment and there in pages and unquote(target.fragment) not in pages[there].anchors:
                dead.append((path.name, link))
    assert not dead


def test_every_picture_says_what_it_shows(pages):
    for path, page in pages.items():
        if "notebooks" in path.parts:
            bare = [picture for picture in page.pictures if len(picture.get("alt") or "") < 20]
            assert not bare, (path.name, bare)


def test_the_first_view_of_a_lesson_is_small(pages):
    """Page, styles and scripts, each gzipped; MathJax and its fonts among them, pictures not: they load when seen."""
    sizes: dict[Path, int] = {}

    def packed(path: Path) -> int:
        if path not in sizes:
            sizes[path] = len(gzip.compress(path.read_bytes(), 6))
        return sizes[path]

    for path, page in pages.items():
        if path.parent.name == "notebooks":
            files = {(path.parent / unquote(urlsplit(address).path)).resolve() for address in page.loaded}
            total = packed(path) + sum(packed(file) for file in files if file.is_file())
            assert total < 1_500_000, (path.name, total)
    assert sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file()) < 80_000_000


def test_search_finds_sensitivity(pages):
    index = (SITE / "searchindex.js").read_text(encoding="utf-8")
    terms = re.search(r"\bsensit\w*:\[?", index) or re.search(r'"sensit\w*":\[?', index)
    assert terms


KINDS = (
    "index.html",
    "lessons.html",
    "notebooks/03_laplace_and_sensitivity.html",
    "notebooks/exercises/03_laplace_and_sensitivity_exercises.html",
    "api/queries.html",
    "search.html",
)
# Markup of the theme and of MyST-NB, which is not ours to mend: code cells of the theme are not reachable by Tab.
THEIRS = {"scrollable-region-focusable"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_accessible(browser, pages, kind, scheme):
    """Opened from the file system with the network off: nothing serious or critical, as axe counts it."""
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(offline=True, color_scheme=scheme)
    page = context.new_page()
    page.goto((SITE / kind).as_uri())
    found = [v for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    context.close()
    ours = {v["id"]: v["nodes"][0]["html"][:200] for v in found if v["id"] not in THEIRS}
    assert not ours


def test_formulas_are_drawn(browser, pages):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((SITE / "notebooks/03_laplace_and_sensitivity.html").as_uri())
    page.wait_for_selector("mjx-container", timeout=20_000)
    assert page.locator("mjx-container").count() > 1 and not page.locator("mjx-merror").count()
    context.close()


def test_every_explorer_moves(browser, pages):
    """By keyboard, from the file system, the network off: its words change, and what they say is Python's own."""
    context = browser.new_context(offline=True)
    page, problems, moved = context.new_page(), [], 0
    page.on("pageerror", lambda error: problems.append(str(error)))
    for path in sorted(path for path, found in pages.items() if "dpx-data" in path.read_text(encoding="utf-8")):
        page.goto(path.as_uri())
        places = page.locator(".dpx")
        assert places.count() == path.read_text(encoding="utf-8").count('class="dpx-data"'), path.name
        for i in range(places.count()):
            readout = places.nth(i).get_by_role("status")
            before = readout.inner_text()
            control = places.nth(i).locator("input, select").first
            control.focus()
            page.keyboard.press("Space" if control.get_attribute("type") == "checkbox" else "ArrowLeft")
            if readout.inner_text() == before:
                page.keyboard.press("ArrowRight")
                page.keyboard.press("ArrowRight")
            assert readout.inner_text() != before, (path.name, i)
            moved += 1
    context.close()
    assert moved >= 16 and not problems
