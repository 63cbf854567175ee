"""The web site: built from what is stored, whole without another host, and small."""

from __future__ import annotations

import functools
import gzip
import html
import http.server
import importlib.util
import json
import random
import re
import threading
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest

from dpcourse import widgets
from tests.pace import in_time
from tests.site.conftest import ROOT, SITE, make

pytestmark = pytest.mark.site


def test_every_lesson_and_exercise_is_there(pages):
    for folder in ("", "deeper", "capstones", "exercises"):
        for notebook in (ROOT / "notebooks" / folder).glob("[0-9]*_*.ipynb"):
            assert SITE / notebook.relative_to(ROOT).with_suffix(".html") in pages
    assert not list(SITE.rglob("*solutions*"))


def test_made_again_nothing_is_written(pages):
    def written():  # Sphinx's own lists aside: it writes them every time
        own = ("search.html", "genindex.html", "py-modindex.html")
        return {path: path.stat().st_mtime_ns for path in SITE.rglob("*.html") if path.name not in own}

    before = written()
    assert in_time(make(), 30)
    assert written() == before


def test_the_repository_is_named_where_it_is_set():
    """Buttons open what a student starts from; without a repository there is none."""
    spec = importlib.util.spec_from_file_location("dpcourse_site", ROOT / "site" / "dpcourse_site.py")
    assert spec and spec.loader
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    for page, opened in (
        ("02_a", "02_a"),
        ("exercises/02_b", "exercises/02_b"),
        ("capstones/1_c", "capstones/student/1_c"),
    ):
        for repository in ("", "someone/dpcourse"):
            context = {"body": "<h1>A title</h1>"}
            app = SimpleNamespace(config=SimpleNamespace(dpcourse_repository=repository))
            extension.finish(app, f"notebooks/{page}", "page.html", context, None)
            links = re.findall(r'href="([^"]+)"', context["body"])
            assert len(links) == (3 if repository else 0)
            assert all(repository in link for link in links)
            assert sum(link.endswith(f"notebooks/{opened}.ipynb") for link in links) == (2 if repository else 0)


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
            pictures = [picture for picture in page.pictures if "logo" not in (picture.get("class") or "")]
            bare = [picture for picture in pictures if len(picture.get("alt") or "") < 20]
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


KINDS = (
    "index.html",
    "lessons.html",
    "explorers.html",
    "exercises.html",
    "notebooks/03_laplace_and_sensitivity.html",
    "notebooks/deeper/03_laplace_and_sensitivity_deeper.html",
    "notebooks/capstones/README.html",
    "notebooks/capstones/1_cross_fab_yield.html",
    "notebooks/exercises/03_laplace_and_sensitivity_exercises.html",
    "notebooks/GLOSSARY.html",
    "notebooks/TEACHING.html",
    "api.html",
    "api/queries.html",
    "about.html",
    "benchmarks/README.html",
    "genindex.html",
    "search.html",
)


@pytest.mark.in_turn
@pytest.mark.parametrize(("scheme", "width"), [("light", 1366), ("dark", 1366), ("light", 400)])
@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_accessible(browser, pages, kind, scheme, width):
    """Opened from the file system with the network off: nothing serious or critical, as axe counts it."""
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(offline=True, color_scheme=scheme, viewport={"width": width, "height": 768})
    page = context.new_page()
    page.goto((SITE / kind).as_uri())
    found = [v for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    context.close()
    assert not {v["id"]: v["nodes"][0]["html"][:200] for v in found}


def test_no_sentence_of_a_property_is_taken_for_its_type(pages):
    of_the_package = [path for path in pages if path.parent.name == "api"]
    assert of_the_package
    assert not [path.name for path in of_the_package if "Type<span" in path.read_text(encoding="utf-8")]


SLIDES = """() => {
    const article = document.querySelector('.bd-article-container');
    const pictures = document.querySelectorAll('a.image-reference img:not(.wide)');
    return (article ? article.scrollWidth > article.clientWidth : false) || document.body.scrollWidth > innerWidth ||
        Array.from(pictures).some(one => one.width > innerWidth);
}"""


def test_nothing_slides_sideways_on_a_phone(browser, pages):
    """Tables, code and the few wide pictures do, each in its own box."""
    context = browser.new_context(offline=True, viewport={"width": 400, "height": 800})
    page, slides = context.new_page(), []
    for path in sorted(pages):
        page.goto(path.as_uri())
        if page.evaluate(SLIDES):
            slides.append(path.name)
    context.close()
    assert not slides


# What can be used, whatever is folded or hidden aside; each is given a number.
USABLE = """() => {
    const all = document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]');
    const seen = Array.from(all).filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.disabled &&
        e.tabIndex >= 0 && e.getClientRects().length);
    seen.forEach((e, i) => { e.dataset.number = i; });
    return seen.length;
}"""
FOCUSED = """() => document.activeElement.dataset.number || document.activeElement.tagName"""
NAMED = """missing => missing.map(i => document.querySelector(`[data-number="${i}"]`).outerHTML.slice(0, 150))"""


@pytest.mark.in_turn
@pytest.mark.parametrize("kind", KINDS)
def test_tab_reaches_everything(browser, pages, kind):
    context = browser.new_context(offline=True, viewport={"width": 1366, "height": 768})
    page = context.new_page()
    page.goto((SITE / kind).as_uri())
    page.wait_for_timeout(500)  # what the theme adds by script
    count = page.evaluate(USABLE)
    reached = set()
    for _ in range(2 * count + 20):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(FOCUSED))
        if len(reached - {"BODY"}) >= count:
            break
    missing = [i for i in range(count) if str(i) not in reached]
    assert count > 5 and not missing, page.evaluate(NAMED, missing)
    context.close()


@pytest.fixture(scope="module")
def served(pages):
    """The site below a path of a server."""
    handler = functools.partial(Quiet, directory=str(SITE.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{SITE.name}"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.mark.parametrize("where", ["from the file system", "below a path of a server"])
def test_search_finds_sensitivity(browser, served, where):
    files = where == "from the file system"
    context = browser.new_context(offline=files)
    page, away = context.new_page(), []
    base = SITE.as_uri() if files else served
    page.on("request", lambda asked: away.append(asked.url) if not asked.url.startswith(base) else None)
    page.goto(f"{base}/search.html?q=sensitivity")
    page.wait_for_selector("ul.search li a")
    page.wait_for_selector("ul.search li p.context")
    found = page.locator("ul.search li > a").evaluate_all("links => links.map(link => link.href)")
    assert "GLOSSARY.html#row-" in found[0]
    assert "The most that one person can change" in page.locator("ul.search li").first.inner_text()
    assert len(found) > 3 and any("03_laplace_and_sensitivity.html" in link for link in found)
    page.goto(f"{base}/notebooks/03_laplace_and_sensitivity.html")
    page.wait_for_selector("mjx-container")
    page.wait_for_selector(".dpx svg")
    context.close()
    assert not away


def test_formulas_are_drawn(browser, pages):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((SITE / "notebooks/03_laplace_and_sensitivity.html").as_uri())
    page.wait_for_selector("mjx-container", timeout=20_000)
    assert page.locator("mjx-container").count() > 1 and not page.locator("mjx-merror").count()
    context.close()


STATES = 10
PLACE = re.compile(
    r'data-call="(.*?)"></div><div></div><script type="application/json" class="dpx-data">(.*?)</script>'
)


def test_every_explorer_says_and_draws_what_python_does(browser, pages, reader_of):
    """From the file system, the network off: moved by keys, then in ten states each, drawn with a seed."""
    context = browser.new_context(offline=True, viewport={"width": 1366, "height": 768})
    page, problems, moved = context.new_page(), [], set()
    page.on("pageerror", lambda error: problems.append(str(error)))
    for path in sorted(pages):
        places = PLACE.findall(path.read_text(encoding="utf-8"))
        if not places:
            continue
        page.goto(path.as_uri())
        for i, (call, data) in enumerate(places):
            explorer = eval(f"widgets.{html.unescape(call)}", {"widgets": widgets})
            keep_the_stops(explorer, json.loads(data))
            reader = reader_of(explorer, page.locator(".dpx").nth(i))
            reader.compare()
            name, control = next(iter(explorer.controls.items()))
            before = explorer.text
            reader.control(name).focus()
            page.keyboard.press("Space" if control.kind == "check" else "ArrowLeft" if control.index else "ArrowRight")
            reader.follow()
            reader.compare()
            assert explorer.text != before, call
            reader.random_states(random.Random(22), STATES)
            explorer.close_all()
            moved.add(call.partition("(")[0])
        assert page.locator(".dpx").count() == len(places), path.name
    context.close()
    assert moved == set(widgets.EXPLORERS) and not problems


def keep_the_stops(explorer, data):
    """Of the stops of each control, those that the page has."""
    for control in data["spec"]["controls"]:
        mine = explorer.controls[control["name"]]
        kept = [mine.labels.index(label) for label in control["labels"]]
        mine.options, mine.labels = [mine.options[i] for i in kept], control["labels"]
    explorer.show()
