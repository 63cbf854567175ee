"""Pictures: same data, same bytes; crisp, described in words; nothing global changes."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

from dpcourse.plots import Picture
from dpcourse.plots.style import COLOURS, course_style, epsilon_axis, log_axis, series


def draw(values):
    with course_style():
        picture = Picture(alt=f"Ends at {values[-1]:.3g}.")
        axes = picture.subplots()
        epsilon_axis(axes, 0.01, 10)
        axes.plot(np.geomspace(0.01, 10, len(values)), values, **series(0))
    return picture


def test_the_same_data_give_the_same_bytes():
    picture = draw([0.1, 0.9])
    first = picture.png()
    assert first == picture.png() == draw([0.1, 0.9]).png() != draw([0.9, 0.1]).png()


def test_png_holds_no_date_and_no_version():
    png = draw([0.0, 1.0]).png()
    assert b"tEXt" not in png and b"tIME" not in png and b"iTXt" not in png


def test_two_pixels_a_point():
    png, shown = Picture(610, 405)._repr_png_()
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (1220, 810)
    assert shown == {"width": 610, "height": 405}


def test_text_alternative_is_the_repr():
    assert repr(draw([0.0, 0.5])) == "<Picture: Ends at 0.5.>"


def test_style_is_a_context_and_hides_the_readers_own():
    plain = draw([0.2, 0.8]).png()
    before = dict(mpl.rcParams)
    with mpl.rc_context({"axes.facecolor": "black", "font.size": 30, "lines.linewidth": 9}):
        assert draw([0.2, 0.8]).png() == plain
    assert dict(mpl.rcParams) == before
    with pytest.raises(RuntimeError), course_style():
        raise RuntimeError
    assert dict(mpl.rcParams) == before


def test_pyplot_is_not_imported():
    code = "import sys, dpcourse.plots as p; p.Picture().png(); sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_series_differ_by_more_than_colour():
    kinds = [series(i) for i in range(len(COLOURS))]
    without_colour = [{k: v for k, v in kind.items() if k != "color"} for kind in kinds]
    assert all(a != b for i, a in enumerate(without_colour) for b in without_colour[:i])


def test_colours_stand_out_on_white():
    """Relative luminance contrast of at least 3 against white (WCAG's formula)."""

    def luminance(colour):
        channels = np.array(mpl.colors.to_rgb(colour))
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    assert min(1.05 / (luminance(colour) + 0.05) for colour in COLOURS) >= 3


def test_epsilon_axis_is_logarithmic_and_says_which_way_is_private():
    picture = Picture()
    left, right = picture.subplots(1, 2)
    epsilon_axis(left, 0.01, 10)
    assert left.get_xscale() == "log" and "← more private" in left.get_xlabel() and "ε" in left.get_xlabel()
    epsilon_axis(right, 0.1, 10, which="y")
    assert right.get_yscale() == "log" and "more private ↓" in right.get_ylabel()
    log_axis(right, 1e-6, 1e3, label="δ")
    picture.png()
    assert "0.1" in [text.get_text() for text in left.get_xticklabels()]
