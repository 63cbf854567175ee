"""The still says what the numbers say, and explorer.js draws the same."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcourse.plots.marks import Axis, Panel, area, bars, categories, line, points, rule, spans, text
from dpcourse.plots.scene import GAP, STEPS, scene, steps
from dpcourse.plots.still import Still, boxes, place_labels
from dpcourse.plots.words import number

every_kind = [
    Panel(
        Axis(0.1, 10, "ε", log=True),
        Axis(0, 1, "share", unit="%"),
        [
            area([0.1, 1, 10], [0.1, 0.2, 0.3], [0.4, 0.6, 0.9]),
            line([0.1, 0.5, 1, 5, 10], [0.1, np.nan, 0.3, 0.4, 2.0], "broken & leaving"),
            line([0.1, 1, 10], [0.2, 0.5, 0.7], "stairs", step=True, colour=1, dash="7 4"),
            line([0.1, 10], [0.71, 0.71], "close to the stairs", colour=2),
            points([0.5, 2, 50], [0.5, 0.6, 0.7], "points", shape="d", hollow=True, drag=("epsilon", "x")),
            rule(x=2, name="here"),
            rule(y=0.5, name="half"),
            spans([1, 2], [0.1, 0.2], [1, 2], [0.3, 0.4]),
            text(5, 0.9, "words <at> a place"),
        ],
        title="A panel",
    ),
    Panel(
        categories(["one", "two", "three"]),
        Axis(-20_000, 20_000, "dollars", unit="$"),
        [
            bars([0, 1, 2], [-5000, 10_000, 20_000], "gain"),
            bars([0, 1], [1, 2], across=True),
            points([0], [3], shape="x"),
        ],
        share=0.7,
    ),
]


@pytest.mark.parametrize("width", [640, 901.0, 360])
def test_the_browser_draws_what_python_draws(width, browser_draws_the_same):
    browser_draws_the_same([scene(every_kind, {"epsilon": [0.1, 1, 10]})], width)


def test_a_difference_between_the_two_would_be_seen(browser_draws_the_same):
    view = scene(every_kind)
    moved = json.loads(json.dumps(view))
    moved["p"][0]["k"][0]["y"][1] += 10
    with pytest.raises(AssertionError, match="path"):
        browser_draws_the_same([view], 640, python=[moved])


@given(st.floats(1e-3, 1e6), st.floats(1.5, 1e6), st.floats(0, 1), st.booleans())
def test_a_place_is_within_half_a_step_of_its_value(low, ratio, part, log):
    axis = Axis(low, low * ratio, log=log)
    value = low * ratio**part if log else low + part * (axis.high - low)
    assert abs(steps(axis, [value])[0] - part * STEPS) <= 0.5 + 1e-6


def test_what_has_no_place_breaks_a_line():
    assert steps(Axis(0, 1), [0, math.nan, 1]) == [0, GAP, STEPS]
    assert steps(Axis(1, 10, log=True), [1, 0])[1] < -STEPS


def test_labels_keep_apart_and_in_order():
    lines = [line([0, 1], [0, 0.5 + i / 1000], f"line number {i}") for i in range(6)]
    view = scene([Panel(Axis(0, 1), Axis(0, 1), lines)])
    for width in (640, 360):
        box = boxes(view, width)[0][0]
        places = [label["y"] for label in place_labels(view["p"][0]["s"], box, width)]
        assert np.diff(places).max() <= -13.9  # a later line ends higher, and pixels are counted from above


def test_the_still_shows_every_mark_and_is_the_same_each_time():
    still = Still(every_kind, alt="All kinds of marks.", title="Which?", note="ε: 1")
    assert still.png() == still.png()
    data, metadata = still._repr_mimebundle_()
    assert data["text/plain"] == "<Picture: All kinds of marks.>"
    assert metadata["image/png"] == dict(zip(("width", "height"), map(round, still.size()), strict=True))
    bare = Still([Panel(panel.x, panel.y, []) for panel in every_kind], alt="No marks.")
    assert len(still.png()) > 1.5 * len(bare.png())


@pytest.mark.parametrize(
    "axis, words",
    [
        (Axis(0, 1, unit="%"), ["0%", "20%", "40%", "60%", "80%", "100%"]),
        (Axis(1e-5, 1, log=True), ["10⁻⁵", "0.0001", "0.001", "0.01", "0.1", "1"]),
        (Axis(0, 40_000, unit="$"), ["$0", "$10,000", "$20,000", "$30,000", "$40,000"]),
        (Axis(1, 20, log=True), ["1", "2", "5", "10", "20"]),
        (Axis(0.8225, 0.8375), ["0.8225", "0.825", "0.8275", "0.83", "0.8325", "0.835", "0.8375"]),
        (Axis(0, 1, ticks=(1 / 3, 2 / 3)), ["0.333", "0.667"]),
    ],
)
def test_ticks_are_written_as_a_person_writes_them(axis, words):
    assert scene([Panel(axis, Axis(0, 1), [])])["p"][0]["x"]["n"] == words


@given(st.floats(1e-12, 1e12))
def test_a_number_in_words_keeps_three_digits_and_has_no_e(value):
    words = number(value)
    assert "e" not in words
    shown = words.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    shown = shown.replace(" million", "e6").replace(" × 10", "e").replace(",", "")
    shown = re.sub(r"^10(-\d+)$", r"1e\1", shown)
    assert float(shown) == pytest.approx(value, rel=0.006)
