"""Every explorer, driven over its controls' ends and defaults: it draws and says so in words.

A lesson that adds a line to `registry.EXPLORERS` is tested here without a line of its own.
"""

import base64
import json
import re
import subprocess
import sys

import ipywidgets
import pytest

from dpcourse import widgets
from dpcourse.widgets.base import Explorer

MOST_BYTES = 20_000


@pytest.mark.parametrize("name", sorted(widgets.EXPLORERS))
def test_explorer(name, browser_draws_the_same, labels_stand_apart):
    """All of one explorer in one test: it is built once and each of its settings is visited once."""
    explorer = getattr(widgets, name)()
    assert isinstance(explorer, Explorer) and isinstance(explorer, ipywidgets.VBox)
    readers_without_a_kernel_get_picture_and_text(explorer)
    epsilon_is_explained(explorer)
    first, visits = explorer.front.view, visit(explorer, labels_stand_apart)
    every_control_changes_something(visits)
    assert visits[-1][1] == first, "the picture depends on where the sliders have been"
    assert explorer.title.endswith("?") and len(explorer.answer.split()) >= 15
    views = [view for _, view in visits[:-1]]
    assert len({shape_of(view) for view in views}) == 1, "panels or marks come and go"
    browser_draws_the_same(views, 640)
    explorer.close_all()


def visit(explorer, labels_stand_apart):
    """Every setting of an explorer, in order: the setting, and the view of it."""
    defaults, visits = dict(explorer.values), []
    settings = list(explorer.settings())
    for setting in settings:
        text = explorer.show(**setting)
        assert explorer.values == setting
        assert text and text in repr(explorer) and "nan" not in text.lower()
        view = json.loads(json.dumps(explorer.front.view, allow_nan=False))
        assert not re.search(r"\d[eE][-+]?\d", text), f"an exponent in {text!r}"
        assert len(json.dumps(view).encode()) <= MOST_BYTES
        labels_stand_apart(view)
        visits.append((setting, view))
    assert settings[0] == settings[-1] == defaults
    return visits


def shape_of(view):
    return tuple(tuple(mark["k"] for mark in panel["k"]) for panel in view["p"])


def every_control_changes_something(visits):
    defaults = visits[0][0]
    for control in defaults:
        looks = {
            json.dumps({key: value for key, value in view.items() if key != "words"})
            for setting, view in visits
            if all(setting[other] == defaults[other] for other in defaults if other != control)
        }
        assert len(looks) > 1, control


def readers_without_a_kernel_get_picture_and_text(explorer):
    bundle, _ = explorer._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == explorer.still().png()
    assert explorer.title in bundle["text/plain"] and explorer.text in bundle["text/plain"]
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id


def epsilon_is_explained(explorer):
    for control in explorer.controls.values():
        if control.description == "ε":
            assert "odds" in control.in_words(control.value)


def test_the_room_is_light_until_an_explorer_is_asked_for():
    code = "import sys, dpcourse.widgets as w; dir(w); sys.exit(bool({'ipywidgets', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_explorer_is_an_attribute_error_that_names_those_there_are():
    with pytest.raises(AttributeError, match="explore_count"):
        getattr(widgets, "explore_nothing")  # noqa: B009
