"""The dashboard of a pipeline run: six panels on what privacy costs, what it buys, and what to choose."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from dpcourse.pipeline.recommend import BASELINE, half_width
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, COLOURS, GREY, HATCHES, MARKERS, course_style, epsilon_axis, series
from dpcourse.privacy.claim import rounded_up

_WHO = ["method", "level", "seed"]
_ROUND_STEPS = [1, 2, 5, 10]  # ticks at 77.5 would be labelled 78
_WHISKER = {"linewidth": 1, "color": BLACK, "linestyle": "-"}


def draw_dashboard(frame: pd.DataFrame, recommendation: str = "", *, alt: str = "") -> Picture:
    """Draw the table that `dpcourse.pipeline.run` returns.

    Parameters
    ----------
    frame : DataFrame
        A row for each model, seed and attack, the baseline under the method "no privacy".
    recommendation : str
        What the sixth panel says.
    alt : str
        Words to add to the text alternative, which otherwise holds the means of the table.

    Returns
    -------
    Picture
        1,500 × 900 pixels.
    """
    models = frame.drop_duplicates(_WHO)
    private = models[models["method"] != BASELINE]
    plain = models[models["method"] == BASELINE]
    methods = list(private["method"].unique())
    levels = list(private["level"].unique())
    claims = _claims(private)
    with course_style():
        picture = Picture(1500, 900)
        panels = picture.subplots(2, 3).ravel()
        _epsilon_against_utility(panels[0], private, plain, methods)
        _attack_reduction(panels[1], frame, claims)
        _trade_off(panels[2], frame, methods)
        _comparison(panels[3], private, plain, methods, levels)
        _robustness(panels[4], private, claims)
        _advice(panels[5], recommendation)
        picture.suptitle(_headline(models), x=0.01, ha="left", fontsize=11, color=GREY)
    picture.alt = " ".join(filter(None, [_in_words(private, plain, frame), recommendation, alt]))
    return picture


def _epsilon_against_utility(axes: Axes, private: pd.DataFrame, plain: pd.DataFrame, methods: Sequence[str]) -> None:
    for i, method in enumerate(methods):
        part = private[private["method"] == method].copy()
        part["epsilon"] = part.groupby("level")["epsilon"].transform("mean")
        sns.lineplot(
            part,
            x="epsilon",
            y="accuracy",
            errorbar="sd",
            err_style="bars",
            err_kws={"capsize": 3},
            ax=axes,
            label=method,
            **series(i),
        )
    axes.axhline(plain["accuracy"].mean(), color=BLACK, linewidth=1.4, label=BASELINE)
    axes.axhline(plain["majority"].mean(), color=GREY, linewidth=1.2, linestyle=":", label="always the same answer")
    low, high = private["epsilon"].min(), private["epsilon"].max()
    epsilon_axis(axes, low / 1.5, high * 1.5, label=f"ε, {_relation(private)}")
    axes.set_xlabel(f"{axes.get_xlabel()}\n{_deltas(private)}", fontsize=9)
    axes.set(title="Privacy and utility", ylabel="accuracy (mean ± deviation over seeds)")
    axes.yaxis.set_major_locator(MaxNLocator(7, steps=_ROUND_STEPS))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g}%"))
    axes.legend(loc="lower right", fontsize=8.5)


def _attack_reduction(axes: Axes, frame: pd.DataFrame, claims: Mapping[tuple[str, str], str]) -> None:
    shown = frame.assign(model=[claims.get(who, BASELINE) for who in zip(frame["method"], frame["level"], strict=True)])
    attacks = list(shown["attack"].unique())
    sns.barplot(
        shown,
        x="advantage",
        y="model",
        hue="attack",
        errorbar=_interval,
        capsize=0.3,
        ax=axes,
        palette=dict(zip(attacks, COLOURS, strict=False)),
        err_kws=_WHISKER,
        saturation=1,
    )
    for hatch, container in zip(HATCHES, axes.containers, strict=False):
        for bar in container:
            bar.set(hatch=hatch, edgecolor="white")
    edge = max(0.05, 1.6 * float(shown.groupby(["model", "attack"])["advantage"].mean().max()))
    axes.set_xlim(min(-0.02, -0.4 * edge), edge)
    axes.locator_params(axis="x", nbins=6)  # so that their labels do not meet
    bounds = shown.groupby("model", sort=False)["advantage_bound"].max()
    for row, bound in enumerate(bounds):
        # A bound is never rounded down.
        axes.text(
            edge, row, f"≤ {math.ceil(100 * bound) / 100:.2f} ", ha="right", va="center", fontsize=8.5, color=GREY
        )
    axes.text(edge, -0.75, "allowed ", ha="right", fontsize=8.5, color=GREY)
    axes.axvline(0, color=BLACK, linewidth=0.8)
    axes.tick_params(axis="y", labelsize=8.5)
    axes.set(title="What the attacker gains", ylabel="", xlabel="advantage TPR − FPR (mean, 95% interval)")
    # Room for the legend below the last bar.
    axes.set_ylim(len(bounds) - 0.5 + 1.2 * math.ceil(len(attacks) / 2), -0.5)
    axes.legend(loc="lower center", fontsize=8.5, ncols=2)


def _trade_off(axes: Axes, frame: pd.DataFrame, methods: Sequence[str]) -> None:
    strongest = frame[frame["method"] == BASELINE].groupby("attack")["advantage"].mean().idxmax()
    shown = frame[(frame["attack"] == strongest) & (frame["method"] != BASELINE)]
    for i, method in enumerate(methods):
        part = shown[shown["method"] == method].groupby("level", sort=False)[["privacy_gain", "utility_loss"]]
        mean, error = part.mean(), part.agg(half_width)
        axes.errorbar(
            mean["privacy_gain"],
            100 * mean["utility_loss"],
            xerr=error["privacy_gain"],
            yerr=100 * error["utility_loss"],
            label=method,
            elinewidth=0.9,
            linewidth=0.9,
            **(series(i) | {"linestyle": "none"}),
        )
        points = zip(mean.index, mean["privacy_gain"], 100 * mean["utility_loss"], strict=True)
        for j, (level, x, y) in enumerate(points):
            # Above and below in turn: neighbouring levels often lie side by side.
            place = (5, 4) if j % 2 == 0 else (5, -11)
            axes.annotate(level, (x, y), place, textcoords="offset points", fontsize=8, color=COLOURS[i])
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.axvline(0, color=GREY, linewidth=0.8)
    axes.set(title="The trade: down and to the right is better", ylabel="accuracy lost (points)")
    axes.set_xlabel(
        f"privacy gain: advantage of {strongest} taken away\n(mean over seeds, 95% intervals by Student's t)"
    )
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=_ROUND_STEPS))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.14 * (high - low) * math.ceil(len(methods) / 2))  # room for the legend
    axes.legend(loc="upper center", fontsize=8.5, ncols=2)


def _comparison(
    axes: Axes, private: pd.DataFrame, plain: pd.DataFrame, methods: Sequence[str], levels: Sequence[str]
) -> None:
    sns.barplot(
        private,
        x="method",
        y="auc",
        hue="level",
        order=methods,
        hue_order=levels,
        errorbar="sd",
        capsize=0.15,
        ax=axes,
        palette=dict(zip(levels, COLOURS, strict=False)),
        err_kws=_WHISKER,
        saturation=1,
    )
    for hatch, container in zip(HATCHES, axes.containers, strict=False):
        for bar in container:
            bar.set(hatch=hatch, edgecolor="white")
    axes.axhline(plain["auc"].mean(), color=BLACK, linewidth=1.4)
    axes.text(-0.45, plain["auc"].mean() + 0.005, BASELINE, fontsize=8.5, va="bottom")
    axes.axhline(0.5, color=GREY, linewidth=1.2, linestyle=":")
    axes.set_ylim(0, 1.12)
    axes.tick_params(axis="x", labelsize=9)
    axes.set(title="The methods side by side", xlabel="", ylabel="the models' ROC AUC (½ is a coin)")
    axes.legend(title="", loc="upper right", fontsize=8.5, ncols=len(levels))


def _robustness(axes: Axes, private: pd.DataFrame, claims: Mapping[tuple[str, str], str]) -> None:
    who = zip(private["method"], private["level"], strict=True)
    shown = private.assign(model=[claims[one] for one in who], points=100 * private["utility_loss"])
    methods = list(shown["method"].unique())
    for i, method in enumerate(methods):
        sns.stripplot(
            shown[shown["method"] == method],
            x="points",
            y="model",
            order=list(claims.values()),
            jitter=False,
            ax=axes,
            color=COLOURS[i],
            marker=MARKERS[i],
            size=6,
            alpha=0.75,
            linewidth=0.5,
            edgecolor="white",
        )
    means = shown.groupby("model", sort=False)["points"].mean()
    axes.plot(means, np.arange(len(means)), "|", color=BLACK, markersize=14, markeredgewidth=1.6)
    axes.set_ylim(len(means) - 0.5, -0.5)
    axes.axvline(0, color=GREY, linewidth=0.8)
    axes.tick_params(axis="y", labelsize=8.5)
    seeds = shown["seed"].nunique()
    axes.set(title="Every seed", ylabel="", xlabel=f"accuracy lost (points): {seeds} seeds, bar at their mean")


def _advice(axes: Axes, recommendation: str) -> None:
    axes.set_axis_off()
    axes.set_title("Recommendation")
    text = recommendation or "None was asked for."
    paragraphs = [textwrap.fill(part, 58) for part in text.replace(" The rule: ", "\nThe rule: ").split("\n")]
    axes.text(0.0, 0.97, "\n\n".join(paragraphs), va="top", fontsize=10.5, linespacing=1.35)


def _interval(values: pd.Series) -> tuple[float, float]:
    """The 95% interval that seaborn draws around a mean."""
    return values.mean() - half_width(values), values.mean() + half_width(values)


def _claims(private: pd.DataFrame) -> dict[tuple[str, str], str]:
    """A label with its promise for every private model."""
    found = private.groupby(["method", "level"], sort=False)[["epsilon", "delta"]].max()
    return {
        who: f"{who[0]}\nε={rounded_up(epsilon)}, δ={rounded_up(delta)}"
        for who, epsilon, delta in zip(found.index, found["epsilon"], found["delta"], strict=True)
    }


def _deltas(private: pd.DataFrame) -> str:
    """Which δ goes with which curve."""
    found = private.groupby("level", sort=False)["delta"].max()
    said = "δ: " + ", ".join(f"{rounded_up(delta)} {level}" for level, delta in found.items())
    pure = private.groupby("method", sort=False)["delta"].max()
    return said + "".join(f"; 0 for {method}" for method in pure.index[pure == 0])


def _relation(private: pd.DataFrame) -> str:
    (relation,) = private["neighbours"].unique()
    return {"replace-one": "replacing one record", "add-remove": "adding or removing one record"}[relation]


def _headline(models: pd.DataFrame) -> str:
    private = models[models["method"] != BASELINE]
    source = {"uci": "Adult (UCI)", "twin": "Adult’s synthetic twin"}[models["source"].iloc[0]]
    return (
        f"{source}. Every (ε, δ) is that of one released model, {_relation(private)}; publishing several adds up. "
        "Measured on the records without noise: not for publication."
    )


def _in_words(private: pd.DataFrame, plain: pd.DataFrame, frame: pd.DataFrame) -> str:
    advantage = frame.groupby(["method", "level", "attack"])["advantage"].mean().groupby(["method", "level"]).max()
    said = []
    for (method, level), part in private.groupby(["method", "level"], sort=False):
        said.append(
            f"{method} at ε={rounded_up(part['epsilon'].max())}, δ={rounded_up(part['delta'].max())}: accuracy "
            f"{part['accuracy'].mean():.1%}, best attack's advantage {advantage[method, level]:.3f}"
        )
    base = advantage.xs(BASELINE, level="method").iloc[0]
    return (
        f"Six panels on {private.groupby(['method', 'level']).ngroups} private models, {_relation(private)}, mean over "
        f"{private['seed'].nunique()} seeds. No privacy: accuracy {plain['accuracy'].mean():.1%}, best attack's "
        f"advantage {base:.3f}. {'; '.join(said)}."
    )
