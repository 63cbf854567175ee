"""Pictures of lesson 07: who sees what, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.patches import FancyBboxPatch, Rectangle

from dpcourse.lessons.lesson_07.numbers import Protocols
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style, log_axis, series

# Model, then stations as (x, width, words); what travels between two stations is written on the arrow.
_ROWS = (
    ("central", ((1.6, "Marta's phone"), (6.0, "the office"), (10.4, "everybody")), ("the truth", "noisy table")),
    (
        "shuffled",
        ((1.6, "Marta's phone"), (4.4, "shuffler"), (7.9, "the office"), (10.4, "everybody")),
        ("some\nnoise", "no names,\nrandom order", ""),
    ),
    ("local", ((1.6, "Marta's phone"), (6.0, "the office"), (10.4, "everybody")), ("much noise", "noisy table")),
)
_TRUSTED = {"central": (0, 1), "shuffled": (0,), "local": (0,)}
_HALF_TRUSTED = {"shuffled": (1,)}


def draw_trust(*, into: Picture | None = None) -> Picture:
    """Who sees what in the three models: solid boxes must be trusted, dashed ones must only not conspire."""
    if into is not None:
        return into
    with course_style():
        picture = Picture(720, 400)
        axes = picture.subplots()
        axes.set(xlim=(-0.9, 11.6), ylim=(-0.9, 7.1))
        axes.axis("off")
        for row, (model, stations, messages) in enumerate(_ROWS):
            y = 6.0 - 2.4 * row
            axes.text(-0.85, y, model, va="center", fontsize=12, fontweight="bold")
            for i, (x, words) in enumerate(stations):
                colour, line = GREY, ":"
                if i in _TRUSTED[model]:
                    colour, line = VERMILION, "-"
                elif i in _HALF_TRUSTED.get(model, ()):
                    colour, line = BLUE, "--"
                box: dict[str, Any] = {"facecolor": "white", "edgecolor": colour, "linestyle": line, "linewidth": 2}
                axes.add_patch(FancyBboxPatch((x - 0.85, y - 0.5), 1.7, 1.0, boxstyle="round,pad=0.08", **box))
                axes.text(x, y, words.replace(" ", "\n"), ha="center", va="center", fontsize=9.5)
            for (start, _), (end, _), words in zip(stations[:-1], stations[1:], messages, strict=True):
                axes.annotate(
                    "", (end - 0.97, y), (start + 0.97, y), arrowprops={"arrowstyle": "-|>", "color": BLACK, "lw": 1.4}
                )
                axes.text((start + end) / 2, y + 0.12, words, ha="center", va="bottom", fontsize=8.5)
        keys = (
            (VERMILION, "-", "sees the truth: must be trusted"),
            (BLUE, "--", "must not conspire"),
            (GREY, ":", "need not be trusted"),
        )
        for i, (colour, line, words) in enumerate(keys):
            x = (0.2, 5.0, 8.2)[i]
            axes.add_patch(Rectangle((x, -0.78), 0.5, 0.36, fill=False, edgecolor=colour, linestyle=line, linewidth=2))
            axes.text(x + 0.65, -0.6, words, va="center", fontsize=9.5)
        picture.alt = (
            "Three ways an answer travels. Central: Marta's phone sends the truth to the office, which publishes a "
            "noisy table; phone and office see the truth and must be trusted. Shuffled: the phone adds some noise, a "
            "shuffler removes names and order, the office makes a table; the phone must be trusted, the shuffler must "
            "not conspire with the office. Local: the phone adds much noise and sends it to the office; only the phone "
            "must be trusted."
        )
    return picture


def protocol_marks(data: Protocols) -> Panel:
    """The error of three local protocols against ε, and the ε from which randomized response beats OUE.

    Curves are the standard error of a rare answer's count, divided by √n. `crossover` is the ε at which k = 3e^ε + 2;
    at or below 0 where randomized response always wins.
    """
    shapes, drawn = ("o", "s", "t"), []
    for i, (name, curve) in enumerate(data.curves.items()):
        here = data.here[name]
        drawn += [
            marks.line(data.epsilons, curve, name, colour=i, dash=marks.DASHES[i]),
            marks.points(data.epsilon, here, name, colour=i, shape=shapes[i], drag=("epsilon", "x")),
        ]
    low = float(data.epsilons[0])
    return Panel(
        marks.epsilon_axis(low, float(data.epsilons[-1]), "ε of one report"),
        Axis(0.01, 1000, "standard error of a count / √n (log scale)", log=True),
        [
            marks.rule(x=data.crossover if data.crossover > low else np.nan, name="k = 3e^ε + 2", colour=marks.INK,
                       dash="2 3"),
            marks.rule(x=data.epsilon, dash="", width=1),
            *drawn,
        ],
    )  # fmt: skip


@dataclass(frozen=True)
class Days:
    """The ε of reporting for so many days: fresh noise, RAPPOR's two layers, and its ceiling."""

    days: np.ndarray
    fresh: np.ndarray
    rappor: np.ndarray
    ceiling: float


def draw_days(data: Days, *, into: Picture | None = None) -> Picture:
    """What repeated reports cost with and without memory."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes, parts = picture.subplots(), picture.parts
            (parts["fresh"],) = axes.plot([1], [1], label="fresh noise every day", markevery=5, **series(0))
            (parts["rappor"],) = axes.plot([1], [1], label="RAPPOR: two layers, exact", markevery=5, **series(1))
            parts["ceiling"] = axes.axhline(1, color=BLACK, linestyle=":", label="permanent layer, for ever")
            log_axis(axes, float(data.days[0]), float(data.days[-1]), label="days (log scale)")
            log_axis(axes, 0.1, 300, which="y", label="more private ↓        ε of all reports (log scale)")
            axes.set_title("Memory puts a ceiling on the cost of repetition")
            axes.legend(loc="upper left")
    picture.parts["fresh"].set_data(data.days, data.fresh)
    picture.parts["rappor"].set_data(data.days, data.rappor)
    picture.parts["ceiling"].set_ydata([data.ceiling] * 2)
    picture.alt = (
        f"ε of all reports against days, log-log: fresh noise grows from {data.fresh[0]:.3g} to {data.fresh[-1]:.3g} "
        f"in {data.days[-1]} days; RAPPOR grows from {data.rappor[0]:.3g} and flattens at {data.rappor[-1]:.3g}, "
        f"under its ceiling of {data.ceiling:.3g}."
    )
    return picture


@dataclass(frozen=True)
class Shuffling:
    """ε of shuffled reports by number of people: exact (two answers) and by the general theorem."""

    people: np.ndarray
    exact: np.ndarray
    theorem: np.ndarray
    local: float
    delta: float


def draw_shuffling(data: Shuffling, *, into: Picture | None = None) -> Picture:
    """What shuffling gains as the crowd grows."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes, parts = picture.subplots(), picture.parts
            parts["local"] = axes.axhline(1, color=BLACK, linestyle=":", label="ε₀ of one report, names attached")
            (parts["theorem"],) = axes.plot([1], [1], label="formula, for every randomizer", **series(0))
            (parts["exact"],) = axes.plot([1], [1], label="exact, two answers", **series(1))
            log_axis(
                axes,
                float(data.people[0]),
                float(data.people[-1]),
                label="people whose reports are shuffled (log scale)",
            )
            log_axis(axes, 0.01, 3, which="y", label="more private ↓        ε after shuffling (log scale)")
            axes.legend(loc="lower left")
            parts["title"] = axes.set_title(" ")
    parts = picture.parts
    parts["theorem"].set_data(data.people, data.theorem)
    parts["exact"].set_data(data.people, data.exact)
    parts["local"].set_ydata([data.local] * 2)
    parts["title"].set_text(f"Hiding in a crowd: ε₀ = {data.local:g}, δ = {data.delta:.0e}")
    picture.alt = (
        f"ε after shuffling against the number of people, log-log, for ε₀ = {data.local:g} and δ = {data.delta:.0e}: "
        f"exact from {data.exact[0]:.2g} at {data.people[0]} people to {data.exact[-1]:.2g} at {data.people[-1]:,}; "
        f"the formula from {data.theorem[0]:.2g} to {data.theorem[-1]:.2g}, above it everywhere."
    )
    return picture


@dataclass(frozen=True)
class Models:
    """One histogram by three models: how far one release was off, and its standard error, by category (people)."""

    categories: Sequence[str]
    off: Mapping[str, np.ndarray]
    deviations: Mapping[str, np.ndarray]


def draw_models(data: Models, *, into: Picture | None = None) -> Picture:
    """The errors of all models on one question: lines are standard errors, markers what one release was off."""
    picture = into
    places = np.arange(len(data.categories))
    if picture is None:
        with course_style():
            picture = Picture(720, 460)
            axes, parts = picture.subplots(), picture.parts
            for i, name in enumerate(data.off):
                style = series(i)
                (parts[name],) = axes.plot([0], [1], label=f"{name}, this release", **style | {"linestyle": "none"})
                line = style | {"marker": None, "linewidth": 1.6}
                (parts[f"{name} line"],) = axes.plot([0], [1], label="its standard error", **line)
            axes.set_xlim(-0.6, len(places) - 0.4)
            axes.set_xticks(places, data.categories, rotation=55, ha="right", fontsize=9)
            log_axis(axes, 0.5, 2e4, which="y", label="error of the count (people, log scale)")
            axes.set_title("One question, one ε: what trust is worth")
            axes.legend(loc="upper left", ncols=3, fontsize=8.5)
    for name in data.off:
        picture.parts[name].set_data(places, np.maximum(np.abs(data.off[name]), 0.6))
        picture.parts[f"{name} line"].set_data(places, data.deviations[name])
    picture.alt = (
        f"Error of each of {len(data.categories)} counts, in people, on a log scale, for one release of each model, "
        "around its standard error: "
        + ", ".join(f"{name} about {np.mean(deviation):.3g}" for name, deviation in data.deviations.items())
        + ". Errors below one person are drawn at 0.6."
    )
    return picture


@dataclass(frozen=True)
class Scaling:
    """Standard error of a share against the number of people, by model."""

    people: np.ndarray
    shares: Mapping[str, np.ndarray]


def draw_scaling(data: Scaling, *, into: Picture | None = None) -> Picture:
    """How the error of a share falls with the number of people in each model."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes, parts = picture.subplots(), picture.parts
            for i, name in enumerate(data.shares):
                (parts[name],) = axes.plot([1], [1], label=name, markevery=3, **series(i))
            log_axis(axes, float(data.people[0]), float(data.people[-1]), label="people (log scale)")
            axes.set(yscale="log", ylim=(1e-8, 1))
            axes.set_ylabel("standard error of a share (log scale)")
            axes.set_title("Everybody adds noise, or somebody does")
            axes.legend(loc="lower left")
    for name, share in data.shares.items():
        picture.parts[name].set_data(data.people, share)
    picture.alt = "Standard error of a share against the number of people, log-log: " + "; ".join(
        f"{name} falls from {share[0]:.2g} at {data.people[0]:,.0f} people to {share[-1]:.2g} at {data.people[-1]:,.0f}"
        for name, share in data.shares.items()
    )
    return picture
