"""Pictures of lesson 15: the same noise, group by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dpcourse.lessons.lesson_15.effects import Changes
from dpcourse.lessons.lesson_15.numbers import ByGroup
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still
from dpcourse.plots.words import number


def draw_group_counts(
    groups: Sequence[str], sizes: np.ndarray, epsilons: Sequence[float], half_widths: Sequence[int]
) -> Still:
    """The half-width (people) of the 95% interval of a noisy count as a share of the group, by its size."""
    sizes = np.sort(sizes)
    rows = {f"ε = {e:g}: ± {w}": w / sizes for e, w in zip(epsilons, half_widths, strict=True)}
    everything = np.concatenate(list(rows.values()))
    panel = Panel(
        Axis(0.7 * sizes[0], 1.4 * sizes[-1], "people in the group (log scale)", log=True),
        Axis(
            everything.min() / 2,
            2 * everything.max(),
            "± as a share of the group's count (log scale)",
            log=True,
            unit="%",
        ),
        marks.lines(sizes, rows, dots=3.5),
        title="Every group gets the same noise. Its share falls with size",
    )
    ends = "; ".join(
        f"at ε = {e:g}, ± {w} people, it is {_percent(w / sizes[0])} of the smallest group ({sizes[0]:,} people) and "
        f"{_percent(w / sizes[-1])} of the largest ({sizes[-1]:,})"
        for e, w in zip(epsilons, half_widths, strict=True)
    )
    return Still(panel, alt=f"Half-width of the 95% interval as a share of the group's count, log-log: {ends}.")


def draw_changes(data: Changes) -> Still:
    """A row a group: mean change of accuracy, its interval, and the spread of single releases."""
    places, mean = -np.arange(len(data.groups), dtype=float), data.means
    reach = 1.1 * float(np.max(np.abs(mean) + np.maximum(data.single, data.people)))
    names = [f"{name} ({n:,} tested)" for name, n in zip(data.groups, data.tested, strict=True)]
    panel = Panel(
        Axis(-reach, reach, "change of accuracy against the same model without noise (points)"),
        marks.rows(names, above=1.9),
        [
            marks.bars(
                places,
                mean + data.people,
                "had other people been tested",
                base=mean - data.people,
                width=0.55,
                across=True,
                colour=marks.GREY,
                opacity=0.3,
            ),
            marks.rule(x=0, colour=marks.INK, dash="", width=1),
            marks.spans(mean - data.single, places, mean + data.single, places, width=1.6),
            marks.spans(mean - data.errors, places, mean + data.errors, places, colour=marks.VERMILION, width=6),
            marks.points(mean, places, "mean change", colour=marks.INK, size=3),
            *marks.key(
                -reach,
                1.6,
                [("thin: one more release, 95%", marks.BLUE), ("thick: mean over releases", marks.VERMILION)],
                anchor="start",
            ),
            marks.text(reach, 1.6, "grey: had other people been tested", colour=marks.GREY, anchor="end"),
        ],
        title=f"What the noise does to accuracy at ε = {data.epsilon:g}",
    )
    listed = "; ".join(
        f"{name} {mean:+.2f} ± {error:.2f}, single releases ± {one:.2f}, other people ± {people:.2f}"
        for name, mean, error, one, people in zip(
            data.groups, data.means, data.errors, data.single, data.people, strict=True
        )
    )
    alt = f"Change of accuracy in points at ε = {data.epsilon:g}, by group: {listed}."
    return Still(panel, alt=alt, width=720, height=120 + 40 * len(data.groups))


def draw_spread(kinds: Mapping[str, tuple[np.ndarray, np.ndarray]], epsilon: float) -> Still:
    """How much a person's score moves from one release to the next (median over the group, one standard deviation, in
    logits), by the group's size in the training data; `kinds` maps a kind of group to sizes and spreads."""
    top = 1.15 * max(float(spreads.max()) for _, spreads in kinds.values())
    panel = Panel(
        Axis(5, 60_000, "people of the group in the training data (log scale)", log=True),
        Axis(0, top, "spread of a person's score over releases (logits)"),
        [
            *(
                marks.points(np.maximum(sizes, 5), spreads, kind, colour=i, shape=marks.SHAPES[i])
                for i, (kind, (sizes, spreads)) in enumerate(kinds.items())
            ),
            *marks.key(
                60_000,
                0.97 * top,
                [
                    (f"{shape}: {kind}", i)
                    for i, (kind, shape) in enumerate(zip(kinds, ("discs", "squares"), strict=True))
                ],
            ),
        ],
        title=f"Small groups: scores depend more on the draw (ε = {epsilon:g})",
    )
    listed = "; ".join(
        f"{kind}: from {spreads[np.argmin(sizes)]:.2f} in the smallest group ({sizes.min():,.0f} people) to "
        f"{spreads[np.argmax(sizes)]:.2f} in the largest ({sizes.max():,.0f})"
        for kind, (sizes, spreads) in kinds.items()
    )
    return Still(panel, alt=f"Median spread of scores over releases at ε = {epsilon:g}, by group size. {listed}.")


def draw_metrics(
    epsilons: np.ndarray,
    values: Mapping[str, np.ndarray],
    reach: Mapping[str, np.ndarray],
    without: Mapping[str, float],
    ideal: Mapping[str, float],
    groups: str,
) -> Still:
    """Fairness metrics by ε: the mean over releases and where one more lies with 95%, beside the value without noise
    and the ideal one. `values` maps a metric to an array (ε, draws)."""
    panels, listed = [], []
    for name, draws in values.items():
        mean = draws.mean(axis=1)
        low, high = mean - reach[name], mean + reach[name]
        ends = [*low, *high, without[name], ideal[name]]
        margin = 0.1 * np.ptp(ends)
        panels.append(
            Panel(
                marks.epsilon_axis(epsilons[0] / 1.4, epsilons[-1] * 1.4),
                Axis(min(ends) - margin, max(ends) + margin, f"{name}, {groups}"),
                [
                    marks.rule(y=without[name], colour=marks.VERMILION, dash="7 4"),
                    marks.text(
                        epsilons[-1],
                        without[name],
                        "without noise",
                        colour=marks.VERMILION,
                        anchor="end",
                        shift=(0, 20),
                    ),
                    marks.rule(y=ideal[name], colour=marks.INK, dash="2 3"),
                    marks.text(epsilons[-1], ideal[name], "no difference", anchor="end", shift=(0, -10)),
                    marks.line(epsilons, mean, "private, mean", label=""),
                    marks.spans(epsilons, low, epsilons, high),
                    marks.points(epsilons, mean, "private, mean"),
                    marks.text(
                        epsilons[0],
                        low[0],
                        "private: one more release, 95%",
                        colour=marks.BLUE,
                        anchor="start",
                        shift=(4, 8),
                    ),
                ],
            )
        )
        listed.append(
            f"{name}: {mean[0]:.2f} (one more release {low[0]:.2f} to {high[0]:.2f}, with 95%) at ε = {epsilons[0]:g}, "
            f"{mean[-1]:.2f} at ε = {epsilons[-1]:g}, {without[name]:.2f} without noise, "
            f"{ideal[name]:g} would be no difference"
        )
    return Still(panels, alt=f"Two panels over ε for {groups}. {'; '.join(listed)}.", width=760)


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
    return f"{100 * share:,.0f}%" if share >= 1 else number(share, "%", 2)
