"""Exercises 14.1 and 14.3: ε from an advantage, and a Rényi filter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpcourse.checks.cases import Equals, Mistake, Returns
from dpcourse.checks.once import between, whole

# 14.1 ε from an attacker's advantage


def _epsilon_for(advantage: float, delta: float) -> float:
    return math.log((1 + advantage - 2 * delta) / (1 - advantage))


def _an_advantage(rng: np.random.Generator) -> tuple[float, float]:
    """δ up to a tenth of the advantage, so that leaving it out shows."""
    advantage = float(rng.uniform(0.02, 0.95))
    return advantage, float(advantage * rng.uniform(0.01, 0.1))


def _any_advantage(rng: np.random.Generator) -> tuple[float, float]:
    advantage = float(rng.choice([between(rng, 1e-3, 0.9), 1 - between(rng, 1e-5, 0.1)]))
    return advantage, float(rng.choice([0.0, between(rng, 1e-12, 0.9 * advantage)]))


EPSILON = (
    Returns(_an_advantage, what="number", random=False),
    Equals(
        _an_advantage,
        expected=_epsilon_for,
        times=20,
        wide=_any_advantage,
        mistakes=(
            Mistake(
                "no-delta",
                lambda advantage, delta: math.log((1 + advantage) / (1 - advantage)),
                "That is right for δ = 0. With δ the attacker has a part of his advantage already.",
                "Put δ into the bound before solving: advantage = (e^ε − 1 + 2δ)/(e^ε + 1).",
            ),
            Mistake(
                "one-delta",
                lambda advantage, delta: math.log((1 + advantage - delta) / (1 - advantage)),
                "δ enters once in your formula, and twice in the bound on TPR − FPR.",
                "It helps him in both directions: to say “in” rightly, and to say “out” rightly.",
            ),
            Mistake(
                "one-sided",
                lambda advantage, delta: math.log(1 + advantage),
                "From TPR ≤ e^ε·FPR you conclude TPR − FPR ≤ e^ε − 1. That is for δ = 0, and loose even there.",
                "The false negative rate is bounded as well; use (e^ε − 1 + 2δ)/(e^ε + 1).",
            ),
            Mistake(
                "accuracy",
                lambda advantage, delta: math.log((advantage - delta) / (1 - advantage)),
                "You treat the advantage as if it were the share of right guesses, (e^ε + δ)/(e^ε + 1).",
                "An advantage a means being right (1 + a)/2 of the time.",
            ),
            Mistake(
                "accuracy",
                lambda advantage, delta: math.log(advantage / (1 - advantage)),
                "You treat the advantage as if it were the share of right guesses, e^ε/(e^ε + 1).",
                "An advantage a means being right (1 + a)/2 of the time.",
            ),
            Mistake(
                "twice",
                lambda advantage, delta: 2 * _epsilon_for(advantage, delta),
                "Twice the right value.",
                "tanh(ε/2) is the advantage at δ = 0, not tanh(ε/4).",
            ),
        ),
    ),
)

# 14.3 A Rényi filter


def _divergence(cost: float, order: Any) -> Any:
    """Of randomized response, the worst ε-DP mechanism: ln(p^α q^(1−α) + q^α p^(1−α))/(α − 1), at one or many α."""
    truth, lie = -math.log1p(math.exp(-cost)), -math.log1p(math.exp(cost))
    return np.logaddexp(order * truth + (1 - order) * lie, order * lie + (1 - order) * truth) / (order - 1)


def _allowance(epsilon: float, delta: float, order: float) -> float:
    return epsilon - math.log1p(-1 / order) + math.log(delta * order) / (order - 1)


def _grant(
    requests: list[float],
    limit: float,
    price: Callable[[float], float],
    *,
    after: bool = False,
    charge_refused: bool = False,
) -> list[bool]:
    spent, answers = 0.0, []
    for request in requests:
        fits = spent <= limit if after else spent + price(request) <= limit
        answers.append(bool(fits))
        spent += price(request) if fits or charge_refused else 0.0
    return answers


def _right(requests: list[float], epsilon: float, delta: float, order: float) -> list[bool]:
    return _grant(requests, _allowance(epsilon, delta, order), lambda cost: _divergence(cost, order))


def _session(
    rng: np.random.Generator, many: int = 30, admits: float = 10.0, decimals: int = 3, wide: bool = False
) -> tuple[list[float], float, float, float]:
    """A filter that admits some ten of the requests, with large ones that are refused in between."""
    while True:
        epsilon, delta = float(rng.uniform(0.5, 4)), between(rng, 1e-8, 1e-3)
        order = float(rng.uniform(2, 40))
        if wide:
            epsilon, order = between(rng, 0.3, 20.0), 1 + between(rng, 0.2, 100.0)
        limit = _allowance(epsilon, delta, order)
        if limit <= 0.05 * epsilon:
            continue
        typical = math.sqrt(2 * limit / order / (admits * rng.uniform(0.4, 1.5)))
        requests = np.round(typical * rng.uniform(0.3, 2.2, size=many), decimals).clip(10.0**-decimals)
        prices = np.array([_divergence(cost, order) for cost in requests])
        # Far from ties: whoever rounds differently must not be accused.
        spent, margin = 0.0, math.inf
        for price in prices:
            margin = min(margin, abs(spent + price - limit))
            spent += price if spent + price <= limit else 0.0
        if margin > 1e-7:
            return requests.tolist(), epsilon, delta, order


def _any_session(rng: np.random.Generator) -> tuple[list[float], float, float, float]:
    """None to 1,000 requests of so many decimals, of which none, one or hundreds would fit."""
    return _session(rng, whole(rng, 1, 1001) - 1, between(rng, 0.5, 300.0), int(rng.integers(4)), True)


def _mistake(price: Callable[[float, float], float] = _divergence, limit=_allowance, **how: bool):
    def gives(requests: list[float], epsilon: float, delta: float, order: float) -> list[bool]:
        return _grant(requests, limit(epsilon, delta, order), lambda cost: price(cost, order), **how)

    return gives


def _best_order_each_time(requests: list[float], epsilon: float, delta: float, order: float) -> list[bool]:
    """Allowed while *some* order still proves the budget."""
    orders = 1 + np.geomspace(0.05, 500, 120)
    limits = np.array([_allowance(epsilon, delta, alpha) for alpha in orders])
    spent, answers = np.zeros(orders.size), []
    for request in requests:
        price = _divergence(request, orders)
        fits = bool((spent + price <= limits).any())
        answers.append(fits)
        spent = spent + price if fits else spent
    return answers


GRANT = (
    Equals(
        _session,
        expected=_right,
        times=25,
        wide=_any_session,
        mistakes=(
            Mistake(
                "old-conversion",
                _mistake(limit=lambda epsilon, delta, order: epsilon + math.log(delta) / (order - 1)),
                "You convert with ε = r + ln(1/δ)/(α − 1). It is valid, and refuses questions the better "
                "conversion "
                "lets in.",
                "ε = r + ln(1 − 1/α) − ln(δα)/(α − 1).",
            ),
            Mistake(
                "zcdp-price",
                _mistake(price=lambda cost, order: order * cost**2 / 2),
                "You charge αε²/2, which is an upper bound of the divergence: valid, and dearer than needed.",
                "The exact divergence of randomized response is a sum of two terms.",
            ),
            Mistake(
                "laplace-price",
                _mistake(
                    price=lambda cost, order: float(
                        np.logaddexp(
                            math.log(order / (2 * order - 1)) + (order - 1) * cost,
                            math.log((order - 1) / (2 * order - 1)) - order * cost,
                        )
                        / (order - 1)
                    )
                ),
                "You charge what Laplace noise costs. These requests are ε-DP mechanisms of which nothing else is "
                "known, and randomized response costs more.",
                "Take the divergence of the worst ε-DP mechanism.",
            ),
            Mistake(
                "charges-epsilon",
                _mistake(price=lambda cost, order: cost),
                "You charge ε itself. D_α ≤ ε for every order, so it is valid, and it throws away what the filter "
                "is "
                "for.",
                "What is the divergence at this order?",
            ),
            Mistake(
                "no-conversion",
                _mistake(limit=lambda epsilon, delta, order: epsilon),
                "You let the divergence grow to ε. The conversion to (ε, δ) costs something, so the total leaves "
                "the "
                "budget.",
                "Solve ε = r + ln(1 − 1/α) − ln(δα)/(α − 1) for r first.",
            ),
            Mistake(
                "moving-order",
                _best_order_each_time,
                "You look for the best order anew at every request. Each order is a filter of its own; switching "
                "between them after seeing answers is not.",
                "Use the order you are given, which was fixed at opening.",
            ),
            Mistake(
                "overspends",
                _mistake(after=True),
                "You look at what was spent before the request, not at what it would be with it: the last one "
                "overspends.",
                "Admit a request only if the total including it stays inside.",
            ),
            Mistake(
                "refused-pay",
                _mistake(charge_refused=True),
                "After the first refusal you refuse everything. Smaller requests may still fit.",
                "A refused request costs nothing and ends nothing.",
            ),
        ),
    ),
)
