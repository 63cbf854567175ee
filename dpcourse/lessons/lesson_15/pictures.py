"""Pictures of lesson 15: the same noise, group by group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_15.numbers import ByGroup
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style, epsilon_axis, log_axis, series


@dataclass(frozen=True)
class GroupCounts:
    """Groups, their sizes (people), and the half-width of the 95% interval of a noisy count at each ε (people)."""

    groups: tuple[str, ...]
    sizes: np.ndarray
    epsilons: tuple[float, ...]
    half_widths: tuple[int, ...]


def draw_group_counts(data: GroupCounts, *, into: Picture | None = None) -> Picture:
    """The 95% interval of each group's noisy count as a share of the group, by its size, one line an ε."""
    picture = into or Picture(680, 420)
    order = np.argsort(data.sizes)
    sizes = data.sizes[order]
    with course_style():
        picture.clear()
        axes = picture.subplots()
        for i, (epsilon, width) in enumerate(zip(data.epsilons, data.half_widths, strict=True)):
            axes.plot(sizes, width / sizes, label=f"ε = {epsilon:g}: ± {width} people", **series(i))
        log_axis(axes, 0.7 * sizes[0], 1.4 * sizes[-1], label="people in the group (log scale)")
        log_axis(axes, 1e-5, 20, which="y", label="± share of the group's count (log scale)")
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
        axes.legend(loc="upper right")
        axes.set_title("Every group gets the same noise. Its share falls with size")
    ends = "; ".join(
        f"at ε = {epsilon:g}, ± {width} people, it is {_percent(width / sizes[0])} of the smallest group "
        f"({sizes[0]:,} people) and {_percent(width / sizes[-1])} of the largest ({sizes[-1]:,})"
        for epsilon, width in zip(data.epsilons, data.half_widths, strict=True)
    )
    picture.alt = f"Half-width of the 95% interval as a share of the group's count, log-log: {ends}."
    return picture


@dataclass(frozen=True)
class Changes:
    """What noise does to each group's accuracy, in points: the mean change over draws with its 95% interval (half-width
    `errors`), where the next single draw falls with 95% (half-width `single`), and how far the mean could be off had
    other people of the group been tested (half-width `people`)."""

    groups: tuple[str, ...]
    tested: np.ndarray
    means: np.ndarray
    errors: np.ndarray
    single: np.ndarray
    people: np.ndarray
    epsilon: float


def draw_changes(data: Changes, *, into: Picture | None = None) -> Picture:
    """A row a group: mean change of accuracy, its interval, and the spread of single releases."""
    picture = into or Picture(760, 90 + 50 * len(data.groups))
    place = np.arange(len(data.groups))[::-1]
    with course_style():
        picture.clear()
        axes = picture.subplots()
        axes.barh(place, 2 * data.people, left=data.means - data.people, height=0.55, color=GREY, alpha=0.25,
                  label="had other people been tested")  # fmt: skip
        axes.errorbar(data.means, place, xerr=data.single, fmt="none", color=BLUE, capsize=4, linewidth=1.4,
                      label="95% of single releases")  # fmt: skip
        axes.errorbar(data.means, place, xerr=data.errors, fmt="none", color=VERMILION, linewidth=5,
                      label="mean over releases")  # fmt: skip
        axes.plot(data.means, place, linestyle="none", marker="o", color=BLACK, markersize=4)
        axes.plot([0, 0], [-0.6, len(data.groups) - 0.4], color=BLACK, linestyle="-", linewidth=1)
        axes.set_yticks(place, [f"{name}\n({n:,} tested)" for name, n in zip(data.groups, data.tested, strict=True)])
        axes.grid(axis="y", visible=False)
        axes.set_ylim(-0.6, len(data.groups) + 0.9)
        axes.set_xlabel("change of accuracy against the same model without noise (points)")
        axes.legend(loc="upper center", ncols=3, fontsize=8.5, columnspacing=1.2, handlelength=1.5)
        axes.set_title(f"What the noise does to accuracy at ε = {data.epsilon:g}")
    listed = "; ".join(
        f"{name} {mean:+.2f} ± {error:.2f}, single releases ± {one:.2f}, other people ± {people:.2f}"
        for name, mean, error, one, people in zip(
            data.groups, data.means, data.errors, data.single, data.people, strict=True
        )
    )
    picture.alt = f"Change of accuracy in points at ε = {data.epsilon:g}, by group: {listed}."
    return picture


@dataclass(frozen=True)
class Spread:
    """How much a person's score moves from one release to the next: for each group its size in the training data and
    the median spread (one standard deviation, in logits); `kinds` maps a kind of group to sizes and spreads."""

    kinds: Mapping[str, tuple[np.ndarray, np.ndarray]]
    epsilon: float


def draw_spread(data: Spread, *, into: Picture | None = None) -> Picture:
    """The spread of scores over releases, by the size of the group, one dot a group."""
    picture = into or Picture(640, 400)
    with course_style():
        picture.clear()
        axes = picture.subplots()
        for i, (kind, (sizes, spreads)) in enumerate(data.kinds.items()):
            axes.plot(np.maximum(sizes, 0.5), spreads, label=kind, **series(i, line=False))
        log_axis(axes, 0.4, 60_000, label="people of the group in the training data (log scale)")
        axes.set_ylim(0, 1.15 * max(float(spreads.max()) for _, spreads in data.kinds.values()))
        axes.set_ylabel("spread of a person's score\nover releases (logits)")
        axes.legend(loc="lower left")
        axes.set_title(f"Small groups: scores depend more on the draw (ε = {data.epsilon:g})")
    listed = "; ".join(
        f"{kind}: from {spreads[np.argmin(sizes)]:.2f} in the smallest group ({sizes.min():,.0f} people) to "
        f"{spreads[np.argmax(sizes)]:.2f} in the largest ({sizes.max():,.0f})"
        for kind, (sizes, spreads) in data.kinds.items()
    )
    picture.alt = f"Median spread of scores over releases at ε = {data.epsilon:g}, by group size. {listed}."
    return picture


@dataclass(frozen=True)
class Metrics:
    """Fairness metrics over ε: for each metric an array (ε, draws), the reach of 95% of single releases at each ε, its
    value without noise, and its ideal value."""

    epsilons: np.ndarray
    values: Mapping[str, np.ndarray]
    reach: Mapping[str, np.ndarray]
    without: Mapping[str, float]
    ideal: Mapping[str, float]
    groups: str


def draw_metrics(data: Metrics, *, into: Picture | None = None) -> Picture:
    """Each metric by ε: the mean over releases, and the reach of 95% of single ones."""
    picture = into or Picture(820, 390)
    listed = []
    with course_style():
        picture.clear()
        panels = picture.subplots(1, len(data.values))
        for axes, (name, draws) in zip(panels, data.values.items(), strict=True):
            mean = draws.mean(axis=1)
            low, high = mean - data.reach[name], mean + data.reach[name]
            label = "private; bars: 95% of single releases"
            axes.errorbar(data.epsilons, mean, yerr=data.reach[name], capsize=3, label=label, **series(0))
            axes.axhline(data.without[name], color=VERMILION, linestyle="--", label="without noise")
            axes.axhline(data.ideal[name], color=BLACK, linestyle=":", label="no difference")
            epsilon_axis(axes, data.epsilons[0] / 1.4, data.epsilons[-1] * 1.4, label="ε")
            axes.set_title(name, fontsize=11)
            listed.append(
                f"{name}: {mean[0]:.2f} (95% of releases {low[0]:.2f} to {high[0]:.2f}) at ε = {data.epsilons[0]:g}, "
                f"{mean[-1]:.2f} at ε = {data.epsilons[-1]:g}, {data.without[name]:.2f} without noise, "
                f"{data.ideal[name]:g} would be no difference"
            )
        panels[0].legend(loc="center right", fontsize=9)
        panels[0].set_ylabel(data.groups)
    picture.alt = f"Two panels over ε for {data.groups}. {'; '.join(listed)}."
    return picture


MOST_GROUPS = 5
_METRIC_RANGE = {"accuracy": (0.7, 0.96), "share predicted to earn more": (0.0, 0.5), "true positive rate": (0.2, 1.0)}


def group_marks(data: ByGroup) -> Panel:
    """A score by ε, one line a group (at most five), with the reach of single releases at the chosen ε."""
    epsilon, shown = float(data.epsilons[data.here]), len(data.groups)
    drawn = [marks.rule(x=epsilon, width=1)]
    for i in range(MOST_GROUPS):
        there = i < shown
        mean = data.means[i] if there else np.full(len(data.epsilons), np.nan)
        reach = 2 * data.deviations[i, data.here] if there else np.nan
        nudge = epsilon * 1.08 ** (i - (shown - 1) / 2)  # side by side, so that none hides another
        middle, name = mean[data.here], data.groups[i] if there else ""
        drawn += [
            marks.line(data.epsilons, mean, name, colour=i, dash=marks.DASHES[i]),
            marks.points(data.epsilons, mean, name, colour=i, size=2.5),
            marks.spans(nudge, middle - reach, nudge, middle + reach, colour=i, width=4),
        ]
    return Panel(
        marks.epsilon_axis(data.epsilons[0] / 1.25, data.epsilons[-1] * 1.25),
        Axis(*_METRIC_RANGE.get(data.metric, (0, 1)), data.metric, unit="%"),
        drawn,
        right=130,
    )


def _percent(share: float) -> str:
    return f"{100 * share:,.0f}%" if share >= 1 else f"{100 * share:.2g}%"
