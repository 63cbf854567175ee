"""What several rooms of tests use: the browser's drawing beside Python's."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from dpcourse.plots.still import placed

SCRIPT = Path(__file__).resolve().parents[1] / "dpcourse" / "widgets" / "explorer.js"
HALF_A_PIXEL = 0.5


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
    run = subprocess.run([node, "--input-type=module", "-e", program], input=json.dumps(views), text=True,
                         capture_output=True, check=True, timeout=60)  # fmt: skip
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
                found.append(("text", [float(of["x"]), float(of["y"])], (child.text, of["text-anchor"])))
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
        theirs, ours = shapes_of(svg), shapes_in_python(view, width)
        assert [(kind, words) for kind, _, words in theirs] == [(kind, words) for kind, _, words in ours]
        for (kind, a, _), (_, b, _) in zip(theirs, ours, strict=True):
            assert len(a) == len(b), kind
            assert np.abs(np.subtract(a, b)).max() < HALF_A_PIXEL, kind
