"""Pictures: same data, same bytes; what is kept from draw to draw never shows; nothing global changes."""

import io
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axis import Axis
from matplotlib.image import imread

from dpcourse.plots import COLOURS, Picture, adjust, bars, course_style, epsilon_axis, log_axis, series


def draw(values, *, into=None):
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            epsilon_axis(axes, 0.01, 10)
            axes.set_ylim(0, 1)
            (picture.parts["line"],) = axes.plot([], [], **series(0))
    picture.parts["line"].set_data(np.geomspace(0.01, 10, len(values)), values)
    picture.alt = f"Ends at {values[-1]:.3g}."
    return picture


def test_the_same_data_give_the_same_bytes_also_after_other_data():
    picture = draw([0.1, 0.9])
    first = picture.png()
    assert first == draw([0.1, 0.9]).png()
    draw([0.9, 0.1], into=picture)
    assert picture.png() != first
    assert draw([0.1, 0.9], into=picture) is picture
    assert picture.png() == first


CHANGES = {
    "data": lambda axes: axes.lines[0].set_data([0, 1], [1, 0.2]),
    "colour": lambda axes: axes.lines[0].set_color("red"),
    "vertical limits": lambda axes: axes.set_ylim(-1, 1),
    "horizontal limits": lambda axes: axes.set_xlim(-1, 1),
    "limits by autoscaling": lambda axes: (axes.relim(), axes.autoscale()),
    "scale": lambda axes: axes.set_xscale("symlog"),
    "title": lambda axes: axes.title.set_text("another title"),
    "colour of a text that stays": lambda axes: axes.title.set_color("green"),
    "size of a text that stays": lambda axes: axes.title.set_fontsize(8),
    "mathematics": lambda axes: axes.title.set_text("$e^{\\varepsilon}$"),
    "words of the legend": lambda axes: axes.get_legend().get_texts()[0].set_text("q"),
    "place of the legend": lambda axes: axes.get_legend().set_loc("lower left"),
    "vertical label": lambda axes: axes.yaxis.label.set_text("people"),
    "horizontal label": lambda axes: axes.xaxis.label.set_text("years"),
    "colour of a label": lambda axes: axes.yaxis.label.set_color("red"),
    "no label": lambda axes: axes.xaxis.label.set_text(""),
    "ticks": lambda axes: axes.set_yticks([0, 0.5], ["none", "half"]),
    "words at a tick": lambda axes: axes.get_yticklabels()[0].set_color("red"),
    "format": lambda axes: axes.yaxis.set_major_formatter("{x:.3f}"),
    "no grid": lambda axes: axes.grid(False),
    "grid above the data": lambda axes: axes.set_axisbelow(False),
    "data below the grid": lambda axes: axes.lines[0].set_zorder(0.1),
    "a new line": lambda axes: axes.plot([0, 1], [0.3, 0.3]),
    "a line less": lambda axes: axes.lines[-1].remove(),
    "background": lambda axes: axes.set_facecolor("#eeeeee"),
    "hidden line": lambda axes: axes.lines[0].set_visible(False),
    "square units": lambda axes: axes.set_aspect("equal"),
    "vertical limits in square units": lambda axes: axes.set_ylim(0, 0.5),
    "an inset": lambda axes: axes.inset_axes([0.6, 0.1, 0.3, 0.3]).plot([0, 1], [0, 1]),
    "within the inset": lambda axes: axes.child_axes[0].set_ylim(0, 3),
    "a text beside the axes": lambda axes: axes.figure.text(0.01, 0.01, "note"),
    "no frame": lambda axes: axes.set_frame_on(False),
    "no axes": lambda axes: axes.set_axis_off(),
    "nothing": lambda axes: axes.set_visible(False),
}


def pixels(picture):
    return np.rint(255 * imread(io.BytesIO(picture.png()))[..., :3]).astype(np.uint8)


def drawn_by_matplotlib(picture):
    """The pixels of `savefig`, which draws all of a picture, in matplotlib's own order."""
    buffer = io.BytesIO()
    with course_style():
        picture.savefig(buffer, format="rgba", dpi=picture.dpi)
    return np.frombuffer(buffer.getvalue(), np.uint8).reshape(round(picture.bbox.height), -1, 4)[:, :, :3]


def two_panels():
    with course_style():
        picture = Picture(320, 160)
        left, right = picture.subplots(1, 2)
        left.plot([0, 1], [0, 1], label="a")
        left.set(title="a title", xlabel="x", ylabel="y")
        left.legend()
        right.set(xticks=[0, 1], yticks=[0, 1])
    return picture


def test_whatever_changes_the_picture_is_as_if_all_were_drawn_anew():
    picture, checked = two_panels(), two_panels()
    assert np.array_equal(pixels(picture), drawn_by_matplotlib(checked))
    checked.set_layout_engine("none")  # as `Picture` does after the first time
    for name, change in CHANGES.items():
        for each in (picture, checked):
            change(each.axes[0])
        assert np.array_equal(pixels(picture), drawn_by_matplotlib(checked)), name


def test_a_change_is_seen_though_another_has_drawn_the_picture_meanwhile():
    picture, other = two_panels(), two_panels()
    for each in (picture, other):
        each.png()
        each.axes[0].set_xlim(-3, 3)
    drawn_by_matplotlib(picture)
    assert picture.png() == other.png()


def test_a_draw_that_failed_leaves_nothing_behind(monkeypatch):
    picture, other = two_panels(), two_panels()
    for each in (picture, other):
        each.png()
        each.axes[0].set_xlim(-3, 3)
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(picture.axes[0].yaxis, "draw", lambda renderer: 1 / 0)
        picture.png()
    assert picture.png() == other.png()


def test_axes_that_stay_the_same_are_not_drawn_again(monkeypatch):
    picture, drawn, real = two_panels(), [], Axis.draw
    picture.png()
    monkeypatch.setattr(Axis, "draw", lambda axis, renderer: (drawn.append(axis), real(axis, renderer)))
    axes = picture.axes[0]
    axes.lines[0].set_ydata([1, 0])
    axes.title.set_text("moved")
    axes.get_legend().get_texts()[0].set_text("b")
    adjust(axes, xlim=axes.get_xlim(), ylim=axes.get_ylim(), ylabel="y")
    picture.png()
    assert not drawn
    adjust(axes, ylim=(0, 3))
    picture.png()
    assert axes.yaxis in drawn and axes.xaxis not in drawn


def test_texts_are_kept_but_not_without_end(monkeypatch):
    monkeypatch.setattr("dpcourse.plots.canvas._KEPT", 20)
    picture = two_panels()
    for i in range(25):
        picture.axes[0].title.set_text(f"{i}")
        picture.png()
    assert len(picture._agg.get_renderer()._texts) == 20


def test_png_holds_no_date_and_no_version():
    png = draw([0.0, 1.0]).png()
    assert b"tEXt" not in png and b"tIME" not in png and b"iTXt" not in png


def test_size_in_pixels():
    png = Picture(610, 405).png()
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (610, 405)


def test_text_alternative_is_the_repr():
    assert repr(draw([0.0, 0.5])) == "<Picture: Ends at 0.5.>"
    assert draw([0.0, 0.5])._repr_png_()[:4] == b"\x89PNG"


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
    for of in (series, bars):
        kinds = [of(i) for i in range(len(COLOURS))]
        without_colour = [{k: v for k, v in kind.items() if k not in ("color", "facecolor")} for kind in kinds]
        assert all(a != b for i, a in enumerate(without_colour) for b in without_colour[:i])


def test_colours_stand_out_on_white():
    """Relative luminance contrast of at least 2.2 against white (WCAG's formula); only sky and orange are below 3."""

    def luminance(colour):
        channels = np.array(mpl.colors.to_rgb(colour))
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    assert min(1.05 / (luminance(colour) + 0.05) for colour in COLOURS) > 2.2


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
