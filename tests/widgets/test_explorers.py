"""Every explorer, driven over its controls' ends and defaults: it draws and says so in words.

A lesson that adds a line to `widgets.EXPLORERS` is tested here without a line of its own.
"""

import base64
import io
import subprocess
import sys

import ipywidgets
import numpy as np
import pytest
from matplotlib.image import imread

from dpcourse import widgets
from dpcourse.plots import course_style
from dpcourse.widgets.base import Explorer


@pytest.mark.parametrize("name", sorted(widgets.EXPLORERS))
def test_explorer(name):
    """All of one explorer in one test: it is built once and each of its settings is visited once."""
    explorer = getattr(widgets, name)()
    assert isinstance(explorer, Explorer) and isinstance(explorer, ipywidgets.VBox)
    readers_without_a_kernel_get_picture_and_text(explorer)
    epsilon_is_logarithmic_and_explained(explorer)
    first, visits = explorer._image.value, visit(explorer)
    every_control_changes_something(visits)
    assert len({picture for _, _, picture in visits}) > 1, "no control changes the picture"
    assert visits[-1][2] == first, "the picture depends on where the sliders have been"
    explorer.close_all()


def visit(explorer):
    """Every setting of an explorer, in order: the setting, what the explorer then said, and its picture."""
    defaults, visits = dict(explorer.values), []
    settings = list(explorer.settings())
    for setting in settings:
        text = explorer.show(**setting)
        assert explorer.values == pytest.approx(setting) if all_numbers(setting) else explorer.values == setting
        assert text and text in repr(explorer) and "nan" not in text.lower()
        assert explorer.picture.alt and "nan" not in explorer.picture.alt.lower()
        labels_lie_within_the_picture(explorer.picture)
        visits.append((setting, text, explorer._image.value))
        if len(visits) == len(settings) - 1:
            nothing_kept_from_earlier_settings_shows(explorer)
    assert settings[0] == settings[-1] == defaults
    return visits


def labels_lie_within_the_picture(picture):
    """The layout is that of the first setting; numbers beside an axis may be wider at others."""
    for axes in picture.axes:
        for label in (axes.xaxis.label, axes.yaxis.label):
            box = label.get_window_extent()
            assert not label.get_text() or picture.bbox.padded(1).containsx(box.x0), label
            assert not label.get_text() or picture.bbox.padded(1).containsy(box.y0), label


def nothing_kept_from_earlier_settings_shows(explorer):
    """The picture is what matplotlib's `savefig` draws, which draws all anew and in an order of its own."""
    picture, buffer = explorer.picture, io.BytesIO()
    with course_style():
        picture.savefig(buffer, format="rgba", dpi=picture.dpi)
    shown = np.rint(255 * imread(io.BytesIO(explorer._image.value))[..., :3]).astype(np.uint8)
    assert shown.shape[0] >= 400 and shown.shape[1] >= 600, "not full size"
    assert np.array_equal(np.frombuffer(buffer.getvalue(), np.uint8).reshape(*shown.shape[:2], 4)[:, :, :3], shown)


def every_control_changes_something(visits):
    defaults = visits[0][0]
    for control in defaults:
        looks = {
            (text, picture)
            for setting, text, picture in visits
            if all(setting[other] == defaults[other] for other in defaults if other != control)
        }
        assert len(looks) > 1, control


def readers_without_a_kernel_get_picture_and_text(explorer):
    bundle = explorer._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == explorer._image.value
    assert explorer.title in bundle["text/plain"] and explorer.text in bundle["text/plain"]
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id


def epsilon_is_logarithmic_and_explained(explorer):
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
