"""The explorer of lesson 05: k, ε₀ and δ against the total ε by five methods."""

from __future__ import annotations

from dpcourse.lessons.lesson_05.numbers import NOISES, Prices, five_prices
from dpcourse.lessons.lesson_05.pictures import draw_methods
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider


def _describe(prices: Prices) -> str:
    values = ", ".join(f"{name} {value:.3g}" for name, value in prices.here.items())
    better = prices.here["advanced"] < prices.here["basic"]
    verdict = (
        f"Advanced composition in its textbook form {'beats adding up' if better else 'is worse than adding up'} here."
    )
    return (
        f"{prices.k:,} answers of ε₀ = {prices.epsilon:.3g} each cost, at δ = {prices.delta:.0e}, ε = {values}. "
        f"{verdict} Each is a true statement at its δ; basic holds at δ = 0 too."
    )


def explore_composition() -> Explorer:
    """Move the number of answers, ε₀ and δ, and see what five methods say the total is."""
    return Explorer(
        "What do k answers cost together?",
        controls={
            "epsilon": epsilon_slider(0.01, 2.0, 0.1),
            "k": log_slider("answers k", 1, 10_000, 100),
            "delta": choice("total δ", {f"{d:.0e}": d for d in (1e-3, 1e-5, 1e-7, 1e-9)}, 1e-5),
            "noise": choice("noise", NOISES),
        },
        compute=five_prices,
        draw=draw_methods,
        describe=_describe,
    )
