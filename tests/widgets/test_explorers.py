"""Every explorer, driven over its controls' ends and defaults: it draws and says so in words.

A lesson that adds a line to `widgets.EXPLORERS` is tested here without a line of its own.
"""

import base64
import subprocess
import sys

import ipywidgets
import pytest

from dpcourse import widgets
from dpcourse.widgets.base import Explorer

needs_all = pytest.mark.parametrize("name", sorted(widgets.EXPLORERS))


@pytest.fixture(scope="module")
def built():
    made = {}

    def get(name):
        if name not in made:
            made[name] = getattr(widgets, name)()
        return made[name]

    yield get
    for explorer in made.values():
        explorer.close_all()


@pytest.fixture(scope="module")
def visited(built):
    """Every setting of an explorer, each visited once: the setting, what the explorer then said, and its picture."""
    kept = {}

    def get(name):
        if name not in kept:
            explorer = built(name)
            kept[name] = []
            for setting in explorer.settings():
                text = explorer.show(**setting)
                assert explorer.values == pytest.approx(setting) if all_numbers(setting) else explorer.values == setting
                assert text and text in repr(explorer) and "nan" not in text.lower()
                assert explorer.picture.alt and "nan" not in explorer.picture.alt.lower()
                assert explorer._image.value[:4] == b"\x89PNG"
                kept[name].append((setting, text, explorer._image.value))
        return kept[name]

    yield get


@needs_all
def test_every_setting_draws_and_says_what(name, built, visited):
    explorer = built(name)
    assert isinstance(explorer, Explorer) and isinstance(explorer, ipywidgets.VBox)
    defaults, first = dict(explorer.values), explorer._image.value
    (start, _, _), *_, (end, _, last) = visits = visited(name)
    assert start == end == defaults
    assert len({picture for _, _, picture in visits}) > 1, "no control changes the picture"
    assert last == first, "the picture depends on where the sliders have been"


@needs_all
def test_every_control_changes_something(name, visited):
    visits = visited(name)
    defaults = visits[0][0]
    for control in defaults:
        looks = {
            (text, picture)
            for setting, text, picture in visits
            if all(setting[other] == defaults[other] for other in defaults if other != control)
        }
        assert len(looks) > 1, control


@needs_all
def test_pictures_are_full_size(name, built):
    png = built(name)._image.value
    assert int.from_bytes(png[16:20]) >= 600 and int.from_bytes(png[20:24]) >= 400


@needs_all
def test_readers_without_a_kernel_get_picture_and_text(name, built):
    explorer = built(name)
    bundle = explorer._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == explorer._image.value
    assert explorer.title in bundle["text/plain"] and explorer.text in bundle["text/plain"]
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id


@needs_all
def test_epsilon_controls_are_logarithmic_and_explained(name, built):
    explorer = built(name)
    for control in explorer.controls.values():
        if getattr(control, "description", "") == "ε":
            assert isinstance(control, ipywidgets.FloatLogSlider) and "private" in control.in_words(control.value)


def all_numbers(setting):
    return all(isinstance(value, int | float) for value in setting.values())


def test_the_room_is_light_until_an_explorer_is_asked_for():
    code = "import sys, dpcourse.widgets as w; dir(w); sys.exit(bool({'ipywidgets', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_explorer_is_an_attribute_error_that_names_those_there_are():
    with pytest.raises(AttributeError, match="explore_count"):
        getattr(widgets, "explore_nothing")  # noqa: B009
