"""What several rooms of tests use: the browser's drawing beside Python's."""

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from dpcourse.plots.still import boxes, place_labels, placed
from tools.turns import due

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "dpcourse" / "widgets" / "explorer.js"
HALF_A_PIXEL = 0.5

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_addoption(parser):
    parser.addoption(
        "--rehearse",
        choices=("short", "full"),
        default="short",
        help="full: audits of exercises hand in each right answer 300 times, each wrong one 50 times; else 60 and 15",
    )
    parser.addoption(
        "--part",
        choices=("all", "due", "daily", "thorough"),
        default="all",
        help="due: of the tests marked `in_turn` an eighth, another one at each commit; daily: of these all but the "
        "ones marked `thorough` and those of the projects; thorough: these alone; all: everything",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    part = config.getoption("--part")
    if part == "all":
        return
    parts = {"daily": [], "thorough": [], "another time": []}
    for item in items:
        late = item.get_closest_marker("thorough") or "capstone" in item.nodeid
        waits = item.get_closest_marker("in_turn") and not due(item.nodeid)
        parts["another time" if waits else "thorough" if late else "daily"].append(item)
    waiting = parts.pop("another time")
    items[:] = parts.pop(part) if part != "due" else parts.pop("daily") + parts.pop("thorough")
    config.hook.pytest_deselected(items=[item for others in (waiting, *parts.values()) for item in others])


def pytest_terminal_summary(terminalreporter):
    """The table of rehearsals. Here, because only this file is loaded where tests run in other processes."""
    found = defaultdict(list)
    for reports in list(terminalreporter.stats.values()):
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "rehearsal" and value and report.when == "call":
                    found[value[0]].append(value[1:])
    if not found:
        return
    terminalreporter.section("rehearsals of the exercise checks")
    terminalreporter.line("exercise  right answers accepted  wrong answers given their own diagnosis  slowest check")
    for exercise, rows in sorted(found.items()):
        right, wrong = ([row for row in rows if (row[0] == "passed") is passed] for passed in (True, False))
        cells = [f"{sum(row[2] for row in some)} of {sum(row[1] for row in some)}" for some in (right, wrong)]
        slowest = max(row[3] for row in rows)
        terminalreporter.line(
            f"{exercise:<8}  {cells[0]:>12} ({len(right)})         {cells[1]:>20} ({len(wrong)})    {slowest:>15.2f} s"
        )


@pytest.fixture
def often(request):
    """How often an answer is checked that `make rehearse` checks `times` times."""
    full = request.config.getoption("--rehearse") == "full"
    return lambda times, right: times if full else times // 5 if right else 3 * times // 10


def drawn_in_the_browser(views, width):
    """The text of the SVG element that explorer.js makes of each view."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node runs the browser's side")
    program = (
        f"import {{ drawing }} from {json.dumps(SCRIPT.as_uri())};"
        "import { readFileSync } from 'node:fs';"
        f"const views = JSON.parse(readFileSync(0)); console.log(JSON.stringify(views.map(v => drawing(v, {width}))));"
    )
    run = subprocess.run(
        [node, "--input-type=module", "-e", program],
        input=json.dumps(views),
        text=True,
        capture_output=True,
        check=True,
        timeout=60,
    )
    return json.loads(run.stdout)


def shapes_of(svg):
    """What stands in an SVG: its kind, the numbers of its places in pixels, and its words."""
    found = []

    def visit(element, dx, dy):
        for child in element:
            tag, of = child.tag.rpartition("}")[2], child.attrib
            if tag == "svg":
                visit(child, float(of["x"]), float(of["y"]))
            elif tag == "text":
                found.append(("text", [float(of["x"]), float(of["y"])], ("".join(child.itertext()), of["text-anchor"])))
            elif tag == "rect":
                numbers = [float(of["x"]) + dx, float(of["y"]) + dy, float(of["width"]), float(of["height"])]
                found.append(("rect", numbers, None))
            elif tag == "path" and "data-at" in of:
                found.append(("dot", [float(part) for part in of["data-at"].split(",")], None))
            elif tag == "path":
                numbers = [float(part) for part in re.findall(r"-?\d+\.?\d*", of["d"])]
                if of.get("class") == "dpx-grid":
                    found.append(("grid", numbers, None))
                else:
                    shifted = [n + (dy if i % 2 else dx) for i, n in enumerate(numbers)]
                    found.append(("path", shifted, None))

    visit(ET.fromstring(svg), 0, 0)
    return [shape for shape in found if shape[1]]


def shapes_in_python(view, width):
    found = []
    for shape in placed(view, width):
        kind = shape["k"]
        if kind == "text":
            found.append((kind, [shape["x"], shape["y"]], (shape["t"], shape["a"])))
        elif kind == "rect":
            found.append((kind, [shape["x"], shape["y"], shape["w"], shape["h"]], None))
        elif kind == "dot":
            found.append((kind, [shape["x"], shape["y"]], None))
        elif kind == "grid":
            numbers = []
            for (x, y), (x2, y2) in shape["p"]:
                numbers += [x, y, x2 - x + y2 - y]
            found.append((kind, numbers, None))
        else:
            pieces = shape["p"] if kind == "line" else [shape["p"]]
            found.append(("path", [n for piece in pieces for place in piece for n in place], None))
    return [shape for shape in found if shape[1]]


@pytest.fixture
def browser_draws_the_same():
    """``browser_draws_the_same(views, width)``: explorer.js puts every mark where `placed` does, to half a pixel."""
    return assert_the_same


def assert_the_same(views, width, python=None):
    for view, svg in zip(python or views, drawn_in_the_browser(views, width), strict=True):
        compare_drawing(view, svg, width)


def compare_drawing(view, svg, width):
    theirs, ours = shapes_of(svg), shapes_in_python(view, width)
    assert [(kind, words) for kind, _, words in theirs] == [(kind, words) for kind, _, words in ours]
    for (kind, a, _), (_, b, _) in zip(theirs, ours, strict=True):
        assert len(a) == len(b), kind
        assert np.abs(np.subtract(a, b)).max() < HALF_A_PIXEL, kind


def labels_stand_apart(view, widths=(640, 560)):
    """No label of a panel lies on another."""
    for width in widths:
        for panel, box in zip(view["p"], boxes(view, width)[0], strict=True):
            places = [(one["x"], one["y"], one) for one in place_labels(panel["s"], box, width) if one["t"]]
            for i, (x, y, one) in enumerate(places):
                for x2, y2, other in places[:i]:
                    assert abs(y - y2) >= 13 or abs(_left(one, x) - _left(other, x2)) > 12, (one["t"], other["t"])


def _left(label, x):
    return x - {"start": 0, "middle": 3.15, "end": 6.3}[label["a"]] * len(label["t"])


def words_of(panel):
    return [
        panel["t"],
        *(panel[axis][part] for axis in "xy" for part in "lu"),
        *panel["x"]["n"],
        *panel["y"]["n"],
        *(label["t"] for label in panel["s"]),
    ]


@pytest.fixture
def picture_says():
    """``picture_says(draw, first, second, words)``: picture and words follow the numbers, as a person writes them."""

    def check(draw, first, second, words):
        picture, other = draw(*first), draw(*second)
        assert words in other.alt and words not in picture.alt, other.alt
        assert picture.view == draw(*first).view and picture.view != other.view
        for one in (picture, other):
            said = [one.alt, *(words for panel in one.view["p"] for words in words_of(panel))]
            assert len(one.alt) > 60 and not re.search(r"\bnan\b|\d[eE][-+]?\d", " ".join(said)), said
            labels_stand_apart(one.view, [one.width])
        assert picture.png()[:4] == b"\x89PNG"

    return check


@pytest.fixture(name="labels_stand_apart")
def labels_stand_apart_fixture():
    return labels_stand_apart


# What an explorer in the browser (its `.dpx`) says and draws; a state, set as a reader's hand would leave it, each
# input moved with its event; and the stops where its inputs stand.
SHOWN = """box => {
    const svg = box.querySelector('.dpx-picture svg');
    const told = Array.from(box.querySelectorAll('[data-name]'), input =>
        [input.dataset.name, input.closest('.dpx-row').querySelector('.dpx-words').textContent]);
    return {text: box.querySelector('[role=status]').textContent, svg: new XMLSerializer().serializeToString(svg),
            alt: svg.getAttribute('aria-label'), width: +svg.getAttribute('width'), words: Object.fromEntries(told)};
}"""
SET = f"""(box, at) => {{
    for (const input of box.querySelectorAll('[data-name]')) {{
        const stop = at[input.dataset.name];
        if (input.type === 'checkbox') input.checked = !!stop; else input.value = stop;
        input.dispatchEvent(new Event(input.type === 'range' ? 'input' : 'change'));
    }}
    return ({SHOWN})(box);
}}"""
STOPS = """box => Object.fromEntries(Array.from(box.querySelectorAll('[data-name]'), input =>
    [input.dataset.name, input.type === 'checkbox' ? +input.checked : +input.value]))"""


class Reader:
    """An explorer in Python and its place in the browser, side by side."""

    def __init__(self, explorer, place):
        self.explorer, self.place = explorer, place
        place.locator("svg").first.wait_for()  # drawn when the browser has told its width, after the page's load

    def control(self, name):
        return self.place.locator(f'[data-name="{name}"]')

    def shown(self):
        return self.place.evaluate(SHOWN)

    def compare(self, shown=None):
        """The page says and draws what Python does at the stops where the inputs stand."""
        shown = shown or self.shown()
        view = self.explorer.front.view
        words = {name: view["words"].get(name, "") for name in self.explorer.controls}
        said = shown["text"].replace("\xa0", " ")  # lines do not break within "ε = 1"
        assert (said, shown["alt"], shown["words"]) == (self.explorer.text, view["alt"], words)
        compare_drawing(json.loads(json.dumps(view)), shown["svg"], shown["width"])

    def follow(self):
        """Python goes where the reader has gone."""
        at = self.place.evaluate(STOPS)
        self.explorer.show(**{name: self.explorer.controls[name].options[i] for name, i in at.items()})
        return at

    def random_states(self, draw, states):
        """So many states, drawn at random: in each, page and Python agree."""
        for _ in range(states):
            at = {name: draw.randrange(len(control.options)) for name, control in self.explorer.controls.items()}
            shown = self.place.evaluate(SET, at)
            assert self.follow() == at
            self.compare(shown)


@pytest.fixture
def reader_of():
    """``reader_of(explorer, place)``: an explorer in Python beside its `.dpx` on a page."""
    return Reader


@pytest.fixture(scope="session")
def browser():
    """A Chromium, started."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        known = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
        found = next(filter(None, map(shutil.which, known)), None)
        # By name on the path, else where Chrome installs itself on this system, else Playwright's own.
        ways = [{"executable_path": found}] if found else [{"channel": "chrome"}, {}]
        browser = None
        for way in ways:
            try:
                browser = playwright.chromium.launch(args=FLAGS, **way)
                break
            except Error as error:
                reason = str(error).strip().splitlines()[0]
        if browser is None:
            if os.environ.get("DPCOURSE_REQUIRE_BROWSER") == "1":
                pytest.fail(f"DPCOURSE_REQUIRE_BROWSER=1 and no Chromium starts here: {reason}")
            pytest.skip(f"no Chromium starts here: {reason}")
        yield browser
        browser.close()
