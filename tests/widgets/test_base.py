"""The explorer base: it follows its controls, lets errors out, and never rounds a promise in its own favour."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter

from dpcourse.plots import Picture, course_style
from dpcourse.widgets.base import (
    Explorer,
    choice,
    epsilon_slider,
    log_slider,
    odds_in_words,
    slider,
    switch,
    whole_slider,
)


def draw(numbers, *, into=None):
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            axes.set_xlim(0, 10)
            (picture.parts["line"],) = axes.plot([], [])
    picture.parts["line"].set_data([0, numbers], [0, 1])
    picture.alt = f"A line to {numbers:g}."
    return picture


def make(**controls):
    return Explorer(
        "How far?",
        controls=controls or {"epsilon": epsilon_slider(0.1, 10, 1)},
        compute=lambda **values: float(sum(v for v in values.values())),
        draw=draw,
        describe=lambda numbers: f"As far as {numbers:.3g} < 11.",
    )


def test_moving_a_control_redraws_into_the_same_picture():
    explorer = make()
    picture, before = explorer.picture, explorer._image.value
    explorer.controls["epsilon"].value = 5.0
    assert explorer.picture is picture and explorer._image.value != before
    assert "As far as 5" in explorer.text and "&lt; 11" in explorer._readout.value
    assert explorer._words["epsilon"].value.startswith("ε = 5 (the less private end)")


def test_the_picture_keeps_its_size_on_a_wide_page():
    assert make()._image.layout.width == "640px" and make()._image.layout.max_width == "100%"


def test_settings_reach_both_ends_of_every_kind_of_control():
    explorer = make(
        a=slider("a", 0, 2, 1),
        b=whole_slider("b", 1, 3, 2),
        c=choice("c", {"one": 1, "two": 2}),
        d=switch("d"),
        e=log_slider("e", 0.1, 10, 1),
    )
    reached = list(explorer.settings())
    for name, ends in {"a": (0, 2), "b": (1, 3), "c": (1, 2), "d": (False, True), "e": (0.1, 10)}.items():
        values = [setting[name] for setting in reached]
        assert min(values) == pytest.approx(ends[0]) and max(values) == pytest.approx(ends[1])
    assert explorer.seconds_to_update(repeats=1) > 0
    assert explorer.show(**reached[0]) == explorer.text


def test_an_error_in_computing_is_not_swallowed():
    def compute(epsilon):
        return 1 / (epsilon - 5)

    explorer = Explorer(
        "Breaks?", controls={"epsilon": epsilon_slider(0.1, 10, 1)}, compute=compute, draw=draw, describe=str
    )
    with pytest.raises(ZeroDivisionError):
        explorer.controls["epsilon"].value = 5.0


def test_jupyter_shows_widget_picture_and_text_and_never_a_model_id_as_text():
    explorer = make()
    formatter = DisplayFormatter()
    data, _ = formatter.format(explorer)
    assert set(data) == {"text/plain", "image/png", "application/vnd.jupyter.widget-view+json"}
    assert data["text/plain"] == "<Explorer: How far? (epsilon=1) As far as 1 < 11.>"
    assert explorer.model_id not in data["text/plain"]


@given(st.floats(1e-6, 600))
def test_the_factor_in_words_is_never_below_e_to_the_epsilon(epsilon):
    shown = float(odds_in_words(epsilon).rsplit(" ", 1)[1].replace(",", ""))
    assert shown >= math.exp(epsilon) * (1 - 1e-9)
    assert shown <= math.exp(epsilon) * 1.2 + 0.01
