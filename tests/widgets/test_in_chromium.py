"""Every explorer on a page of its own, from the file system, the network off: each control driven by hand.

Whatever the reader does, the page says what Python's `describe` says and draws what Python's marks say, to half a
pixel; a screen reader hears each control's name and value; the keyboard alone reaches everything.
"""

from __future__ import annotations

import random

import pytest

from dpcourse import widgets
from dpcourse.lessons.two_hills.explorer import VIEWS
from dpcourse.plots.scene import STEPS
from dpcourse.plots.still import boxes
from dpcourse.widgets.grid import site_grid
from dpcourse.widgets.page import page as page_of

pytestmark = pytest.mark.explorers

STATES = 30
CASES = [(name, ()) for name in sorted(widgets.EXPLORERS)]
CASES += [("explore_two_hills", (view,)) for view in VIEWS if view != "laplace"]


@pytest.fixture
def reader(request, browser, reader_of, tmp_path):
    name, arguments = request.param
    explorer = getattr(widgets, name)(*arguments)
    path = tmp_path / "explorer.html"
    path.write_text(page_of(site_grid(explorer)), encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1366, "height": 768})
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda asked: problems.append(asked.url) if not asked.url.startswith("file:") else None)
    page.goto(path.as_uri())
    yield reader_of(explorer, page.locator(".dpx"))
    context.close()
    explorer.close_all()
    assert not problems


@pytest.mark.parametrize("reader", CASES, indirect=True, ids=lambda case: "-".join((case[0], *case[1])))
def test_an_explorer_in_the_hands_of_a_reader(reader):
    reader.compare()
    it_is_whole_on_a_laptop(reader)
    everything_is_reached_by_tab(reader)
    for name, control in reader.explorer.controls.items():
        a_control_is_moved_by_keys(reader, name, control)
    points_are_dragged(reader)
    reader.random_states(random.Random(18), STATES)
    nothing_serious_is_found_by_axe(reader.place.page)


def it_is_whole_on_a_laptop(reader):
    box = reader.place.page.locator(".dpx").bounding_box()
    assert box["x"] >= 0 and box["y"] >= 0 and box["x"] + box["width"] <= 1366 and box["y"] + box["height"] <= 768


def everything_is_reached_by_tab(reader):
    found = []
    for _ in range(len(reader.explorer.controls) + 1):
        reader.place.page.keyboard.press("Tab")
        found.append(
            reader.place.page.evaluate("() => document.activeElement.dataset.name || document.activeElement.tagName")
        )
    assert found == [*reader.explorer.controls, "SUMMARY"]
    reader.place.page.keyboard.press("Enter")
    assert reader.place.page.locator(".dpx details p").is_visible()


def a_control_is_moved_by_keys(reader, name, control):
    """Through all its stops where they are few, else to both ends and a few between; each time the words are right."""
    place, last = reader.control(name), len(control.options) - 1
    assert reader.place.page.get_by_label(control.description, exact=True).get_attribute("data-name") == name
    place.focus()
    if control.kind == "check":
        keys = ["Space", "Space"]
    elif control.kind == "select":
        keys = ["Home", *["ArrowDown"] * last, *["ArrowUp"] * last]
    else:
        keys = ["Home", "ArrowRight", "ArrowUp", "PageUp", "End", "ArrowLeft", "ArrowDown"]
    visited = set()
    for key in keys:
        reader.place.page.keyboard.press(key)
        at = reader.follow()[name]
        visited.add(at)
        reader.compare()
        if control.kind == "range":
            assert place.get_attribute("aria-valuetext") == control.labels[at]
    assert {0, last} <= visited and (control.kind == "range" or len(visited) == last + 1), (name, visited)


def points_are_dragged(reader):
    """Each kind of point that can be pulled, pulled to both ends of the panel and to its middle."""
    pulled = {mark["g"][0] for panel in reader.explorer.front.view["p"] for mark in panel["k"] if "g" in mark}
    for name in sorted(pulled):
        for part in (0.98, 0.02, 0.5):
            view, width = reader.explorer.front.view, reader.shown()["width"]
            frame = reader.place.page.locator(".dpx-picture").bounding_box()
            box, mark = next(
                (box, mark)
                for panel, box in zip(view["p"], boxes(view, width)[0], strict=True)
                for mark in panel["k"]
                if mark.get("g", [""])[0] == name
            )
            seen = [
                i
                for i, (x, y) in enumerate(zip(mark["x"], mark["y"], strict=True))
                if 0 <= min(x, y) <= max(x, y) <= STEPS
            ]
            if not seen:  # outside the picture in this state: its slider has to bring it back
                continue
            across = frame["x"] + box["x"] + mark["x"][seen[0]] / STEPS * box["w"]
            down = frame["y"] + box["y"] + box["h"] * (1 - mark["y"][seen[0]] / STEPS)
            reader.place.page.mouse.move(across, down)
            reader.place.page.mouse.down()
            if mark["g"][1] == "x":
                reader.place.page.mouse.move(frame["x"] + box["x"] + part * box["w"], down, steps=3)
            else:
                reader.place.page.mouse.move(across, frame["y"] + box["y"] + (1 - part) * box["h"], steps=3)
            reader.place.page.mouse.up()
            away = [abs(place - part * STEPS) for place in mark["g"][2]]
            assert away[reader.follow()[name]] <= min(away) + STEPS / box["w"], (name, part)  # to the pixel
            reader.compare()


def nothing_serious_is_found_by_axe(page):
    from axe_playwright_python.sync_playwright import Axe

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = [v for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
        assert not found, (scheme, [(v["id"], v["nodes"][0]["html"][:200]) for v in found])
