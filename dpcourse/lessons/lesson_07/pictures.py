"""Pictures of lesson 07: who sees what, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.patches import FancyBboxPatch

from dpcourse.lessons.lesson_07.numbers import Protocols
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.still import Still
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style
from dpcourse.plots.words import number

# Whom one has to trust with what: colour and line of a box, and what it means.
_SEES, _APART, _NEED_NOT = (
    (VERMILION, "-", "sees the truth: must be trusted"),
    (BLUE, "--", "must not conspire"),
    (GREY, ":", "need not be trusted"),
)
# Model, then stations as (x, words, trust); what travels between two stations is written on the arrow.
_PHONE, _ALL = (1.6, "Ana's\nphone", _SEES), (10.4, "everybody", _NEED_NOT)
_MODELS = {
    "central": ((_PHONE, (6.0, "the\noffice", _SEES), _ALL), ("the truth", "noisy table")),
    "shuffled": (
        (_PHONE, (4.4, "shuffler", _APART), (7.9, "the\noffice", _NEED_NOT), _ALL),
        ("some\nnoise", "no names,\nrandom order", ""),
    ),
    "local": ((_PHONE, (6.0, "the\noffice", _NEED_NOT), _ALL), ("much noise", "noisy table")),
}


def draw_trust() -> Picture:
    """Who sees what in the three models: solid boxes must be trusted, dashed ones must only not conspire."""
    with course_style():
        picture = Picture(720, 400)
        axes = picture.subplots()
        axes.set(xlim=(-0.9, 11.6), ylim=(-0.9, 7.1))
        axes.axis("off")

        def box(x: float, y: float, wide: float, high: float, trust: tuple[str, str, str]) -> None:
            edge, line, _ = trust
            axes.add_patch(
                FancyBboxPatch(
                    (x - wide / 2, y - high / 2),
                    wide,
                    high,
                    boxstyle="round,pad=0.08",
                    facecolor="white",
                    edgecolor=edge,
                    linestyle=line,
                    linewidth=2,
                )
            )

        for row, (model, (stations, messages)) in enumerate(_MODELS.items()):
            y = 6.0 - 2.4 * row
            axes.text(-0.85, y, model, va="center", fontsize=12, fontweight="bold")
            for x, words, trust in stations:
                box(x, y, 1.7, 1.0, trust)
                axes.text(x, y, words, ha="center", va="center", fontsize=9.5)
            for (start, *_), (end, *_), words in zip(stations[:-1], stations[1:], messages, strict=True):
                arrow = {"arrowstyle": "-|>", "color": BLACK, "lw": 1.4}
                axes.annotate("", (end - 0.97, y), (start + 0.97, y), arrowprops=arrow)
                axes.text((start + end) / 2, y + 0.12, words, ha="center", va="bottom", fontsize=8.5)
        for x, trust in zip((0.4, 5.2, 8.4), (_SEES, _APART, _NEED_NOT), strict=True):
            box(x, -0.6, 0.4, 0.2, trust)
            axes.text(x + 0.45, -0.6, trust[2], va="center", fontsize=9.5)
    picture.alt = (
        "Three ways an answer travels. Central: Ana's phone sends the truth to the office, which publishes a noisy "
        "table; phone and office see the truth and must be trusted. Shuffled: the phone adds some noise, a shuffler "
        "removes names and order, the office makes a table; the phone must be trusted, the shuffler must not conspire "
        "with the office. Local: the phone adds much noise and sends it to the office; only the phone must be trusted."
    )
    return picture


def protocol_marks(data: Protocols) -> Panel:
    """The error of three local protocols against ε, and the ε from which randomized response beats OUE.

    Curves are the standard error of a rare answer's count, divided by √n. `crossover` is the ε at which k = 3e^ε + 2;
    at or below 0 where randomized response always wins.
    """
    low, here = float(data.epsilons[0]), [data.here[name] for name in data.curves]
    return Panel(
        marks.epsilon_axis(low, float(data.epsilons[-1]), "ε of one report"),
        Axis(0.01, 1000, "standard error of a count / √n (log scale)", log=True),
        [
            marks.rule(
                x=data.crossover if data.crossover > low else np.nan, name="k = 3e^ε + 2", colour=marks.INK, dash="2 3"
            ),
            # The chosen ε; it ends below the name of the other line, which it would cross.
            marks.spans(data.epsilon, 0.01, data.epsilon, 300, colour=marks.GREY, width=1),
            *marks.lines(data.epsilons, data.curves, here=(data.epsilon, here), drag=("epsilon", "x")),
        ],
    )


def draw_days(days: np.ndarray, fresh: np.ndarray, rappor: np.ndarray, ceiling: float) -> Still:
    """The ε of reporting for so many days: with fresh noise, by RAPPOR's two layers, and the ceiling of these."""
    panel = Panel(
        Axis(days[0], days[-1], "days (log scale)", log=True),
        Axis(0.6 * rappor[0], 1.5 * fresh[-1], "ε of all reports (log scale; ↓ more private)", log=True),
        [
            marks.line(days, fresh, "fresh noise every day", label_at="top", shift=(-60, 6)),
            marks.rule(y=ceiling, colour=marks.INK, dash="2 3"),
            marks.text(days[-1], ceiling, f"permanent layer, for ever: {number(ceiling)}", shift=(0, -10)),
            marks.line(days, rappor, "RAPPOR: two layers, exact", colour=marks.VERMILION, dash="7 4", label=""),
            marks.text(days[-1], rappor[-1], "RAPPOR: two layers, exact", colour=marks.VERMILION, shift=(0, 16)),
        ],
        title="Memory puts a ceiling on the cost of repetition",
    )
    alt = (
        f"ε of all reports against days, log-log: fresh noise grows from {fresh[0]:.3g} to {fresh[-1]:.3g} in "
        f"{days[-1]} days; RAPPOR grows from {rappor[0]:.3g} and flattens at {rappor[-1]:.3g}, under its ceiling of "
        f"{ceiling:.3g}."
    )
    return Still(panel, alt=alt)


def draw_shuffling(people: np.ndarray, exact: np.ndarray, theorem: np.ndarray, local: float, delta: float) -> Still:
    """What shuffling gains as the crowd grows: ε of the worst of three crowds (two answers), and by the theorem."""
    third = len(people) // 3
    panel = Panel(
        Axis(people[0], people[-1], "people whose reports are shuffled (log scale)", log=True),
        Axis(0.5 * exact[-1], 1.6 * local, "ε after shuffling (log scale; ↓ more private)", log=True),
        [
            marks.rule(y=local, colour=marks.INK, dash="2 3"),
            marks.text(people[-1], local, "ε₀ of one report, names attached", shift=(0, -10)),
            marks.line(people, theorem, "formula, for every randomizer", label=""),
            marks.text(
                people[2 * third],
                theorem[2 * third],
                "formula, for every randomizer",
                colour=marks.BLUE,
                anchor="start",
                shift=(4, -18),
            ),
            marks.line(
                people, exact, "worst of three crowds, two answers", colour=marks.VERMILION, dash="7 4", label=""
            ),
            marks.text(
                people[third],
                exact[third],
                "worst of three crowds, two answers",
                colour=marks.VERMILION,
                anchor="end",
                shift=(-4, 14),
            ),
        ],
        title=f"Hiding in a crowd: ε₀ = {local:g}, δ = {number(delta)}",
    )
    alt = (
        f"ε after shuffling against the number of people, log-log, for ε₀ = {local:g} and δ = {number(delta)}: "
        f"the worst of three crowds from {exact[0]:.2g} at {people[0]} people to {exact[-1]:.2g} at {people[-1]:,}; "
        f"the formula from {theorem[0]:.2g} to {theorem[-1]:.2g}, above it everywhere."
    )
    return Still(panel, alt=alt)


def draw_models(
    categories: Sequence[str], off: Mapping[str, np.ndarray], deviations: Mapping[str, np.ndarray]
) -> Still:
    """One histogram by three models, a row a category: points: what one release was off, lines: standard errors."""
    places = -np.arange(len(categories), dtype=float)
    drawn = []
    for i, (name, errors) in enumerate(off.items()):
        wide = deviations[name]
        drawn += [
            marks.line(wide, places, f"{name}, standard error", colour=i, dash=marks.DASHES[i], label=""),
            marks.points(np.maximum(errors, 0.6), places, f"{name}, this release", colour=i, shape=marks.SHAPES[i]),
            marks.text(wide[0], 1, name, colour=i, anchor="middle"),
        ]
    panel = Panel(
        Axis(
            0.5,
            2 * float(max(map(np.max, (*off.values(), *deviations.values())))),
            "error of the count (people, log scale); lines: standard errors, points: this release",
            log=True,
        ),
        marks.rows(categories, above=1.5),
        drawn,
        title="One question, one ε: what trust is worth",
    )
    alt = (
        f"Error of each of {len(categories)} counts, in people, on a log scale, for one release of each model, around "
        "its standard error: "
        + ", ".join(f"{name} about {number(np.mean(wide))}" for name, wide in deviations.items())
        + ". Errors below one person are drawn at 0.6."
    )
    return Still(panel, alt=alt, height=440)


def draw_scaling(people: np.ndarray, shares: Mapping[str, np.ndarray]) -> Still:
    """Standard error of a share against the number of people, one line a model."""
    panel = Panel(
        Axis(people[0], people[-1], "people (log scale)", log=True),
        Axis(
            0.5 * min(map(np.min, shares.values())),
            2 * max(map(np.max, shares.values())),
            "standard error of a share (log scale)",
            log=True,
        ),
        marks.lines(people, shares),
        title="Everybody adds noise, or somebody does",
    )
    alt = "Standard error of a share against the number of people, log-log: " + "; ".join(
        f"{name} falls from {number(share[0], digits=2)} at {people[0]:,.0f} people to "
        f"{number(share[-1], digits=2)} at {people[-1]:,.0f}"
        for name, share in shares.items()
    )
    return Still(panel, alt=alt)
