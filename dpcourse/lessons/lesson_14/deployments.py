"""Where the noise is added: three deployments as diagrams, with the boundary of what must be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, course_style


@dataclass(frozen=True)
class Pattern:
    """A deployment: boxes at (column, row), arrows between them, and the columns nobody outside may see."""

    title: str
    boxes: Mapping[str, tuple[float, float]]
    arrows: Sequence[tuple[str, str]]
    trusted: tuple[float, float]  # first and last column inside the trust boundary
    alt: str


CENTRAL = Pattern(
    "Central: one trusted curator",
    {
        "Raw data\nstore": (0, 1),
        "Clip, bound\n(sensitivity)": (1, 1),
        "DP\nmechanism": (2, 1),
        "Answer\ncache": (3, 1),
        "Analysts": (4, 1),
        "Budget ledger:\npaid first": (2, 0),
        "Audit log": (3, 0),
    },
    (
        ("Raw data\nstore", "Clip, bound\n(sensitivity)"),
        ("Clip, bound\n(sensitivity)", "DP\nmechanism"),
        ("DP\nmechanism", "Answer\ncache"),
        ("Answer\ncache", "Analysts"),
        ("Budget ledger:\npaid first", "DP\nmechanism"),
        ("Budget ledger:\npaid first", "Audit log"),
    ),
    (0, 2),
    "Raw data go to clipping and bounding, then to the mechanism, then to a cache of answers, then to analysts. The "
    "budget ledger is paid before the mechanism runs, and keeps the audit log. Inside the trust boundary: data, "
    "clipping, mechanism and ledger.",
)
LOCAL = Pattern(
    "Local: nobody but her own device",
    {
        "Person's\nvalue": (0, 1),
        "Randomizer\n(on the device)": (1, 1),
        "Collector": (2, 1),
        "Estimator with\nerror bars": (3, 1),
        "Analysts": (4, 1),
        "Budget per\nperson": (1, 0),
        "Utility monitor": (3, 0),
    },
    (
        ("Person's\nvalue", "Randomizer\n(on the device)"),
        ("Randomizer\n(on the device)", "Collector"),
        ("Collector", "Estimator with\nerror bars"),
        ("Estimator with\nerror bars", "Analysts"),
        ("Budget per\nperson", "Randomizer\n(on the device)"),
        ("Estimator with\nerror bars", "Utility monitor"),
    ),
    (0, 1),
    "A person's value goes to a randomizer on her own device, then to the collector, the estimator and the analysts. "
    "The "
    "budget is kept per person on the device; a utility monitor reads the estimator. Inside the trust boundary: her "
    "own "
    "device only.",
)
TRAINING = Pattern(
    "Training: the model is the answer",
    {
        "Training\ndata": (0, 1),
        "Poisson\nbatch": (1, 1),
        "Gradient of each\nexample, clipped": (2, 1),
        "Sum + noise\nσC": (3, 1),
        "Model": (4, 1),
        "Privacy accountant:\nq, σ, steps": (3, 0),
    },
    (
        ("Training\ndata", "Poisson\nbatch"),
        ("Poisson\nbatch", "Gradient of each\nexample, clipped"),
        ("Gradient of each\nexample, clipped", "Sum + noise\nσC"),
        ("Sum + noise\nσC", "Model"),
        ("Privacy accountant:\nq, σ, steps", "Sum + noise\nσC"),
    ),
    (0, 3),
    "Training data go to a Poisson batch, to the gradient of each example clipped to C, to the sum with noise σC, to "
    "the "
    "model, which is what leaves. The accountant prices sampling rate, noise and steps before training. Inside the "
    "trust "
    "boundary: everything but the model.",
)
PATTERNS = {"central": CENTRAL, "local": LOCAL, "training": TRAINING}


def draw_deployments(patterns: Sequence[Pattern] = tuple(PATTERNS.values())) -> Picture:
    """The places of data, noise, budget and trust in each deployment, one row a pattern."""
    with course_style():
        picture = Picture(960, 230 * len(patterns))
        for axes, pattern in zip(np.ravel(picture.subplots(len(patterns), 1)), patterns, strict=True):
            _draw_pattern(axes, pattern)
    picture.alt = " ".join(f"{pattern.title}. {pattern.alt}" for pattern in patterns)
    return picture


def _draw_pattern(axes: Any, pattern: Pattern) -> None:
    axes.set(xlim=(-0.55, 4.55), ylim=(-0.5, 1.62), xticks=[], yticks=[], title=pattern.title)
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    low, high = pattern.trusted
    inside: Any = {"facecolor": "#eef4fa", "edgecolor": BLUE, "linestyle": "--", "linewidth": 1.4, "zorder": 0}
    axes.add_patch(Rectangle((low - 0.5, -0.46), high - low + 1.0, 2.02, **inside))
    axes.text(low - 0.46, -0.43, "sees the data: must be trusted", color=BLUE, fontsize=8.5, va="bottom")
    for text, (x, y) in pattern.boxes.items():
        style: Any = {"boxstyle": "round,pad=0.02", "facecolor": "white", "edgecolor": BLACK, "zorder": 3}
        axes.add_patch(FancyBboxPatch((x - 0.39, y - 0.27), 0.78, 0.54, **style))
        axes.text(x, y, text, ha="center", va="center", fontsize=9, zorder=4)
    for start, end in pattern.arrows:
        (x0, y0), (x1, y1) = pattern.boxes[start], pattern.boxes[end]
        ends = (
            ((x0 + 0.42, y0), (x1 - 0.42, y1))
            if y0 == y1
            else ((x0, y0 - 0.3 * np.sign(y0 - y1)), (x1, y1 + 0.3 * np.sign(y0 - y1)))
        )
        axes.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=13, color=GREY, zorder=2))
