"""The explorer of lesson 05: k, ε₀ and δ against the total ε by five methods."""

from __future__ import annotations

from dpcourse.lessons.lesson_05.numbers import NOISES, Prices, five_prices
from dpcourse.lessons.lesson_05.pictures import method_marks
from dpcourse.plots.words import number, one_in
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider


def _describe(prices: Prices) -> str:
    values = ", ".join(f"{name} {number(value)}" for name, value in prices.here.items())
    better = prices.here["advanced"] < prices.here["basic"]
    asked = "One answer" if prices.k == 1 else f"{prices.k:,} answers"
    each = "costs" if prices.k == 1 else "each cost"
    verdict = f"The textbook's advanced composition {'beats adding up' if better else 'is worse than adding up'} here."
    return (
        f"{asked} of ε₀ = {number(prices.epsilon)} {each}, at δ = {one_in(prices.delta)} in all "
        f"(adding or removing one person), ε = {values}. {verdict} Each is a true statement; adding up holds at δ = 0 "
        "too."
    )


def explore_composition() -> Explorer:
    """Move the number of answers, ε₀ and δ, and see what five methods say the total is."""
    return Explorer(
        "What do k answers cost together?",
        controls={
            "epsilon": epsilon_slider(0.01, 2.0, 0.1, label="ε₀ of one answer"),
            "k": log_slider("answers k", 1, 10_000, 100, whole=True),
            "delta": choice("total δ", {one_in(d): d for d in (1e-3, 1e-5, 1e-7, 1e-9)}, 1e-5),
            "noise": choice("noise", NOISES),
        },
        compute=five_prices,
        marks=method_marks,
        describe=_describe,
        answer=(
            "For one answer nothing beats adding up by more than the little that δ buys. From some tens of small "
            "answers on, the others win, and the loss distribution is the lowest everywhere: it is nearly exact. With "
            "large ε₀ the textbook's advanced formula is worse than adding up for any number of answers. Switch to the "
            "worst noise of this ε₀ to see what knowing the noise is worth."
        ),
        site={"epsilon": 10, "k": 9},
    )
