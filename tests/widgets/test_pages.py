"""Explorers on a page without a kernel: whatever the reader sets, the page says and draws what Python does.

Three of them, in Node; `test_in_chromium.py` drives all of them in a browser.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dpcourse import widgets
from dpcourse.widgets.base import asset
from dpcourse.widgets.grid import site_grid, view_at
from dpcourse.widgets.page import fragment, page

SCRIPT = Path(__file__).resolve().parents[2] / "dpcourse" / "widgets" / "explorer.js"
STATES = 30


def unpacked_in_the_browser(data, states):
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node runs the browser's side")
    program = (
        f"import {{ unpack }} from {json.dumps(SCRIPT.as_uri())};"
        "import { readFileSync } from 'node:fs';"
        "const [data, states] = JSON.parse(readFileSync(0)), view = unpack(data);"
        "console.log(JSON.stringify(states.map(view)));"
    )
    run = subprocess.run(
        [node, "--input-type=module", "-e", program],
        input=json.dumps([data, states]),
        text=True,
        capture_output=True,
        check=True,
        timeout=60,
    )
    return json.loads(run.stdout)


def check(name, browser_draws_the_same):
    """Python's words and numbers at random states of an explorer's grid against what the page makes of the grid."""
    explorer = getattr(widgets, name)()
    data = site_grid(explorer)
    sizes = {control["name"]: len(control["labels"]) for control in data["spec"]["controls"]}
    assert math.prod(sizes.values()) <= 2000
    assert len(gzip.compress(fragment(data).encode())) <= 200_000
    draw = random.Random(18)
    states = [{name: draw.randrange(size) for name, size in sizes.items()} for _ in range(STATES)]
    views = unpacked_in_the_browser(data, states)
    for at, view in zip(states, views, strict=True):
        explorer.show(**{name: explorer.controls[name].options[i] for name, i in at.items()})
        assert view == json.loads(json.dumps(explorer.front.view)) == json.loads(json.dumps(view_at(data, at)))
    browser_draws_the_same(views, 640)
    explorer.close_all()


@pytest.mark.parametrize("name", ["explore_attacker", "explore_groups", "explore_masks"])
def test_a_page_says_and_draws_what_python_does(name, browser_draws_the_same):
    check(name, browser_draws_the_same)


def test_a_page_needs_nothing_else():
    made = page(widgets.explore_accuracy(), widgets.explore_groups())
    assert not re.search(r"""(?:src|href)=|@import|url\(|fetch\(|https?://(?!www\.w3\.org)""", made)
    assert made.count('class="dpx-data"') == 2


def test_the_script_is_small():
    assert len(gzip.compress((asset("explorer.js") + asset("explorer.css")).encode())) <= 15_000
