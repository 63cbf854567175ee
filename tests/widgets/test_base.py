"""The explorer base: it follows its controls, lets errors out, and never rounds a promise in its own favour."""

import json
import math

import pytest
import traitlets
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter

from dpcourse.plots.marks import Axis, Panel, line, points
from dpcourse.widgets.base import (
    Explorer,
    choice,
    epsilon_slider,
    epsilon_stops,
    log_slider,
    odds_in_words,
    slider,
    stops,
    switch,
    whole_slider,
)
from dpcourse.widgets.grid import site_grid, view_at


def panel(numbers):
    return Panel(Axis(0, 10), Axis(0, 1), [line([0, numbers], [0, 1]), points([numbers], [1], drag=("epsilon", "x"))])


def make(**controls):
    return Explorer(
        "How far?",
        controls=controls or {"epsilon": epsilon_slider(0.1, 10, 1)},
        compute=lambda **values: float(sum(v for v in values.values())),
        marks=panel,
        describe=lambda numbers: f"As far as {numbers:.3g} < 11.",
        answer="Further with more.",
    )


def test_moving_a_control_from_python_draws_anew():
    explorer = make()
    explorer.controls["epsilon"].value = 5.0
    view = explorer.front.view
    assert view["p"][0]["k"][0]["x"] == [0, 2000] and view["text"] == explorer.text == "As far as 5 < 11."
    assert view["words"]["epsilon"].startswith("Less private: one person changes the odds")
    assert explorer.controls["epsilon"].labels[explorer.front.at["epsilon"]] == "5"


def test_moving_a_control_in_the_browser_is_seen_in_python():
    explorer = make(x=slider("x", 0, 2, 1), on=switch("on"))
    explorer.front.at = {"x": 50, "on": 1}  # what the front end sends
    assert explorer.values == {"x": 2, "on": True}
    assert explorer.text == "As far as 3 < 11." == explorer.front.view["text"]
    explorer.controls["on"].value = False
    assert explorer.front.at == {"x": 50, "on": 0} and explorer.numbers == 2


def test_python_may_set_a_value_between_two_stops():
    explorer = make()
    explorer.show(epsilon=1.234)
    assert explorer.values == {"epsilon": 1.234} and explorer.front.view["off"] == {"epsilon": "1.23"}
    explorer.front.at = {"epsilon": 0}
    assert explorer.values == {"epsilon": 0.1} and "off" not in explorer.front.view


@pytest.mark.parametrize(
    "control, wrong", [(choice("c", ["a", "b"]), "c"), (slider("x", 0, 1, 0), 2), (stops("n", [1, 5], 5), 0.5)]
)
def test_a_value_that_a_control_cannot_take_is_refused(control, wrong):
    with pytest.raises(traitlets.TraitError, match="not one of its values"):
        control.value = wrong


def test_settings_reach_both_ends_of_every_kind_of_control():
    explorer = make(
        a=slider("a", 0, 2, 1),
        b=whole_slider("b", 1, 3, 2),
        c=choice("c", {"one": 1, "two": 2}),
        d=switch("d"),
        e=log_slider("e", 0.1, 10, 1),
        f=epsilon_stops([0.1, 1, 8], 1),
    )
    reached = list(explorer.settings())
    for name, ends in {"a": (0, 2), "b": (1, 3), "c": (1, 2), "d": (0, 1), "e": (0.1, 10), "f": (0.1, 8)}.items():
        values = [setting[name] for setting in reached]
        assert min(values) == pytest.approx(ends[0]) and max(values) == pytest.approx(ends[1])
    assert explorer.seconds_to_update(repeats=1) > 0
    assert explorer.show(**reached[0]) == explorer.text


def test_a_slider_over_measured_points_stops_at_them_only():
    control = stops("runs", [10, 100, 20_000], 100)
    assert control.spec() == {"kind": "range", "label": "runs", "labels": ["10", "100", "20,000"]}


@given(st.floats(1e-3, 1), st.floats(2, 1e4), st.floats(0, 1))
def test_a_logarithmic_slider_stops_at_its_ends_and_at_its_value(low, ratio, part):
    high = low * ratio
    value = min(max(low * ratio**part, low), high)
    options = log_slider("x", low, high, value).options
    assert options == sorted(set(options)) and {low, high, value} <= set(options)
    assert options[0] == low and options[-1] == high


def test_an_error_in_computing_is_not_swallowed():
    def compute(epsilon):
        return 1 / (epsilon - 5)

    explorer = Explorer(
        "Breaks?", controls={"epsilon": epsilon_slider(0.1, 10, 1)}, compute=compute, marks=panel, describe=str
    )
    with pytest.raises(ZeroDivisionError):
        explorer.controls["epsilon"].value = 5.0


def test_jupyter_shows_widget_picture_and_text_and_never_a_model_id_as_text():
    explorer = make()
    data, metadata = DisplayFormatter().format(explorer)
    assert set(data) == {"text/plain", "image/png", "application/vnd.jupyter.widget-view+json"}
    assert data["text/plain"] == "<Explorer: How far? (epsilon=1) As far as 1 < 11.>"
    assert explorer.model_id not in data["text/plain"]
    assert metadata["image/png"]["width"] == 640


def test_a_point_that_is_dragged_knows_where_its_control_can_be():
    explorer = make()
    control, along, places = explorer.front.view["p"][0]["k"][1]["g"]
    assert (control, along, len(places)) == ("epsilon", "x", len(explorer.controls["epsilon"].options))
    assert places[-1] == 4000


def test_a_grid_holds_the_view_of_every_state_and_keeps_a_part_over_what_it_depends_on():
    explorer = make(epsilon=epsilon_slider(0.1, 10, 1), x=slider("x", 0, 1, 0), on=switch("on"))
    data = site_grid(explorer, most=300)
    sizes = [len(control["labels"]) for control in data["spec"]["controls"]]
    assert math.prod(sizes) <= 300 and sizes[2] == 2
    for state in ([0, 0, 0], [3, 2, 1], [size - 1 for size in sizes]):
        at = dict(zip(("epsilon", "x", "on"), state, strict=True))
        explorer.show(**{name: explorer.controls[name].options[i] for name, i in at.items()})
        assert json.loads(json.dumps(view_at(data, at))) == json.loads(json.dumps(explorer.front.view))
    words = data["view"]["words"]["epsilon"]["$"]
    assert {tuple(data["leaves"][part]["d"]) for part in words if isinstance(part, int)} == {(0,)}


@given(st.floats(1e-6, 600))
def test_the_factor_in_words_is_never_below_e_to_the_epsilon(epsilon):
    shown = float(odds_in_words(epsilon).rsplit(" ", 1)[1].replace(",", ""))
    assert shown >= math.exp(epsilon) * (1 - 1e-9)
    assert shown <= math.exp(epsilon) * 1.2 + 0.01
