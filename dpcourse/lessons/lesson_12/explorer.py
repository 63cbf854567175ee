"""Explorers of lesson 12: secure aggregation with fabs that drop out, and rounds × noise × participation."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.lesson_12.numbers import FABS, GRID, SCALE, Masking, Tradeoff, masked_sum, tradeoff, updates
from dpcourse.lessons.lesson_12.pictures import masking_marks, tradeoff_marks
from dpcourse.plots.words import number, one_in
from dpcourse.widgets.base import Explorer, stops, switch, whole_slider


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")


def _describe_masking(data: Masking) -> str:
    gone = [name for name, out in zip(data.names, data.dropped, strict=True) if out]
    stay = len(data.names) - len(gone)
    who = f"Dropped out: {', '.join(gone)}." if gone else "Nobody dropped out."
    if data.total is None:
        return (
            f"{who} {stay} left, and {data.threshold} shares are needed to recover a secret: the server learns no "
            "number, and no sum. (Live, with real keys and masks.)"
        )
    pairs = "The masks between the fabs cancel"
    if gone:
        pairs += ", but for those shared with who is gone: these are recovered from shares"
    return (
        f"{who} Adding up what arrived gives noise ({data.uncorrected:.3f} of 2³²). {pairs}. Each has one of "
        f"its own too, recovered from {data.threshold} shares. Then the server reads {_signed(data.total)}; the true "
        f"sum of those who stayed is {_signed(data.left)}, up to rounding to 1/{SCALE:,}. Who knows all numbers in it "
        "but one knows that one too. (Live, with real keys and masks.)"
    )


def explore_masks() -> Explorer:
    """Let fabs drop out of a secure aggregation and watch the sum survive, until too few are left."""
    names = list(updates())

    def compute(threshold: int, **dropped: bool) -> Masking:
        return masked_sum(*(dropped[name] for name in names), threshold=threshold)

    controls = {name: switch(f"{name} drops out", value=name == "Germany") for name in names}
    return Explorer(
        "Does the sum survive?",
        controls={**controls, "threshold": whole_slider("threshold", 2, FABS, 4)},
        compute=compute,
        marks=masking_marks,
        describe=_describe_masking,
        answer=(
            "With a threshold of 4, two of the six fabs may drop out, and the sum of the others still comes out "
            "right: their shares of the missing masks repair it. Below the threshold nothing can be repaired, and the "
            "server learns no sum at all. What arrives from a single fab looks like noise either way. A low threshold "
            "is no gift: that many fabs, together with the server, can unmask any other."
        ),
    )


def _describe_tradeoff(data: Tradeoff) -> str:
    i = int(np.flatnonzero(data.rounds == data.at)[0])
    gap = 100 * (data.without_noise[i] - data.accuracy[i])
    lost = f"{gap:.1f} points lost to the noise" if gap >= 0.05 else "no loss to the noise that shows"
    short = 100 * (data.pooled - data.accuracy[i])
    pool = f"{abs(short):.1f} points {'above' if short < 0 else 'below'} one pool"
    ratio = data.noise_multiplier / (data.sampling_rate * data.clients)
    return (
        f"{data.clients:,} clients with {GRID.WAFERS} wafers each, {data.sampling_rate:.0%} of them in a round on "
        f"average, noise multiplier {data.noise_multiplier:g}: {data.accuracy[i]:.1%} after {data.at} "
        f"round{'s' if data.at > 1 else ''}, {pool} ({lost}; single trainings scatter by "
        f"{100 * data.spread[i]:.1f} points), ε = {number(float(data.epsilon[i]))} at δ = "
        f"{one_in(data.delta)}, adding or removing one client with all its wafers. The noise on the mean update is "
        f"{number(ratio, digits=2)} clip norms in each weight. Measured beforehand, {GRID.SEEDS} trainings each."
    )


def explore_rounds() -> Explorer:
    """Move noise, participation and rounds through a precomputed grid of federated trainings."""
    return Explorer(
        "What do rounds buy, and what do they cost?",
        controls={
            "noise_multiplier": stops("noise multiplier", GRID.NOISE[1:], 16.0),
            "sampling_rate": stops("share of clients", GRID.RATES, 0.3, unit="%"),
            "rounds": stops("rounds", GRID.ROUNDS, 20),
        },
        compute=tradeoff,
        marks=tradeoff_marks,
        describe=_describe_tradeoff,
        answer=(
            "More rounds train further and cost more ε. More noise moves the whole curve left, and some accuracy goes "
            "with it. With more clients in a round the same noise weighs less on their mean, but hiding among those "
            "who did not take part weakens."
        ),
    )
