"""Two hills: the picture that carries the course, in five views."""

from __future__ import annotations

import math
from typing import Any

from dpcourse.lessons.two_hills.numbers import (
    Hills,
    Threshold,
    coin_hills,
    composed_hills,
    epsilon_by_answers,
    gaussian_hills,
    laplace_hills,
    threshold_on,
)
from dpcourse.lessons.two_hills.pictures import DELTA, coin_marks, composition_marks, hills_marks, threshold_marks
from dpcourse.plots.words import at_most, number, one_in
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, epsilon_stops, log_slider, slider

_RELATION = "adding or removing one person"


def _verdict(hills: Hills, relation: str = _RELATION) -> str:
    claim = f"ε = {number(hills.claim)}"
    if hills.delta < 1e-12:
        return f"The claim {claim}, δ = 0 ({relation}) is true: the ratio (black) never leaves the green band."
    return (
        f"The claim {claim} with δ = 0 ({relation}) is false: the dashed hill rises above what it allows. The shaded "
        f"area is the missing {_delta(hills, '≈')}. With that δ the claim is true{_worth(hills)}."
    )


def _worth(hills: Hills) -> str:
    return ", but worth little: δ should be far below 1 divided by the number of people" if hills.delta >= 0.01 else ""


def _delta(hills: Hills, sign: str = "=") -> str:
    return f"δ {sign} {number(hills.delta, digits=2)}" if hills.delta >= 1e-9 else "a δ of less than one in a billion"


def _bets(hills: Hills) -> str:
    return f"Boris bets whether she is in the data and wins {number(hills.accuracy, '%')}; guessing wins 50%."


def _describe_laplace(hills: Hills) -> str:
    factor = at_most(math.exp(hills.noise))
    return (
        f"Laplace noise of scale {number(1 / hills.noise)}. No number is more than e^ε = {factor} times as likely with "
        f"Ana as without her, or the other way round. {_bets(hills)} {_verdict(hills)}"
    )


def _describe_gaussian(hills: Hills) -> str:
    return (
        f"Gaussian noise, σ = {number(hills.noise)} people. The ratio grows without end to the right and falls to "
        f"0 to the left, so no ε alone covers every number. With ε = {number(hills.claim)} the shaded area is "
        f"{_delta(hills)} ({_RELATION}). {_bets(hills)}"
    )


def _describe_coin(hills: Hills) -> str:
    truth = float(hills.with_ana[1])
    relation = "replacing Ana's answer"
    end = (
        f"The claim ε = {number(hills.claim)}, δ = 0 ({relation}) is true: no bar is above its green mark."
        if hills.delta < 1e-12
        else f"The claim ε = {number(hills.claim)} with δ = 0 ({relation}) is false: the tops marked δ "
        f"are above what it allows, by {_delta(hills)}."
    )
    return (
        f"Ana tells the truth {number(truth, '%')} of the time. “Yes” is e^ε = {number(math.exp(hills.noise))} times "
        f"as likely if she smokes as if she does not. Boris, who believes her, is right {number(hills.accuracy, '%')} "
        f"of the time. {end}"
    )


def _describe_threshold(cut: Threshold) -> str:
    hills = cut.hills
    claim = hills.claim
    text = (
        f"Boris says “Ana is there” above {number(cut.threshold, digits=4)}. If she is not, he says so "
        f"{number(cut.false_alarms, '%')} of the time (blue). If she is, {number(cut.right_alarms, '%')} (both "
        f"colours). He is right {number((1 + cut.right_alarms - cut.false_alarms) / 2, '%')} of the time."
    )
    if hills.epsilon < math.inf:
        return (
            f"{text} A claim of ε = {number(claim)}, δ = 0 ({_RELATION}) keeps every attack under the green line. "
            "Laplace noise runs along its two sides and cuts the corner off."
        )
    return (
        f"{text} Gaussian noise of the same standard deviation, {number(hills.noise)}, has no ε at δ = 0 "
        f"({_RELATION}): at ε = {number(claim)} it has {_delta(hills)}."
    )


def _describe_composition(hills: Hills) -> str:
    answers, epsilons = epsilon_by_answers(hills.noise, DELTA)
    one = float(epsilons[0])
    apart = math.sqrt(hills.answers) / hills.noise
    many = "One answer" if hills.answers == 1 else f"{hills.answers} answers"
    return (
        f"{many}, each with Gaussian noise of σ = {number(hills.noise)} people: the hills stand {number(apart)} "
        f"standard deviations apart. {_bets(hills)} One answer has ε = {number(one)} at δ = {one_in(DELTA)} "
        f"({_RELATION}). At the claimed ε = {number(hills.claim)}, all together have {_delta(hills)}."
    )


_CLAIMS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.1, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)


def _claim(value: float = 1.0) -> Any:
    control = epsilon_stops(_CLAIMS, value, label="ε claimed")
    control.in_words = lambda epsilon: f"A claim, true or not: every ratio is at most {at_most(math.exp(epsilon))}."
    return control


VIEWS = {
    "coin": "What does a coin hide about Ana's answer?",
    "laplace": "How well can Boris tell the two hills apart?",
    "gaussian": "Where does Gaussian noise leave the band?",
    "threshold": "Where should Boris put his threshold?",
    "composition": "What happens when Boris sees many answers?",
}


def explore_two_hills(view: str = "laplace") -> Explorer:
    """Two distributions of what is published, with Ana in the data and without her; ε is how far apart they may be.

    Parameters
    ----------
    view : {"laplace", "coin", "gaussian", "threshold", "composition"}
        A count with Laplace noise; Ana's own answer under a coin; a count with Gaussian noise; Boris's threshold on a
        count and the false and right alarms it gives him; many answers, whose hills drift apart.
    """
    if view not in VIEWS:
        raise ValueError(f"view must be one of {', '.join(VIEWS)}, got {view!r}")
    noise = epsilon_slider(
        0.1,
        5,
        1.0,
        label="ε of the noise",
        words=lambda e: f"Laplace noise of scale {number(1 / e)}: smaller ε, more noise.",
    )
    spread = epsilon_slider(
        0.1, 5, 1.0, label="ε of the noise", words=lambda e: f"Noise of standard deviation {number(math.sqrt(2) / e)}."
    )
    coin = epsilon_slider(
        0.1,
        5,
        math.log(3),
        label="ε of the coin",
        words=lambda e: f"The truth {number(1 / (1 + math.exp(-e)), '%')} of the time.",
    )
    declared: dict[str, dict[str, Any]] = {
        "laplace": {
            "controls": {"noise": noise, "claim": _claim(0.5)},
            "compute": laplace_hills,
            "marks": hills_marks,
            "describe": _describe_laplace,
            "answer": (
                "A smaller ε of the noise makes both hills low and wide (the axes follow), until Boris can hardly tell "
                "them apart: ε = 1 wins him 69.7% of his bets, ε = 0.1 only 52.4%. The ratio of the heights never "
                "leaves a band from 1/e^ε to e^ε. That sentence is the definition. Claim less ε than the noise has, "
                "and the excess is shaded: that is the δ you would have to admit."
            ),
        },
        "coin": {
            "controls": {"noise": coin, "claim": _claim(1.1)},
            "compute": coin_hills,
            "marks": coin_marks,
            "describe": _describe_coin,
            "answer": (
                "Two outputs, two ratios: e^ε and 1/e^ε. At ε = 1.1, which is ln 3, she tells the truth three times in "
                "four. A claim that is too small shows at once: the bars rise above the green marks."
            ),
        },
        "gaussian": {
            "controls": {"sigma": log_slider("noise σ (people)", 0.5, 10, 2.0), "claim": _claim()},
            "compute": gaussian_hills,
            "marks": hills_marks,
            "describe": _describe_gaussian,
            "answer": (
                "The ratio is a straight line on its logarithmic axis. Far out it leaves every band, but hardly "
                "anything is published there. δ is the shaded area: the chance mass above what e^ε allows. More noise "
                "or a larger ε makes it small, never zero."
            ),
        },
        "threshold": {
            "controls": {
                "noise": spread,
                "threshold": slider("threshold", 55, 68, 61.5, step=0.25),
                "kind": choice("noise", ("Laplace", "Gaussian")),
            },
            "compute": threshold_on,
            "marks": threshold_marks,
            "describe": _describe_threshold,
            "answer": (
                "Halfway between the counts, at 61.5, Boris is right most often. Every threshold between 61 and 62 "
                "is a point on the curve; the ends of that stretch touch the green limit. Further right he makes "
                "fewer false alarms and misses her more often. No threshold of any attack gets above the green line, "
                "and the corner is the most often that anybody can be right: that is what ε means for an attacker."
            ),
        },
        "composition": {
            "controls": {
                "sigma": log_slider("noise σ (people)", 1, 30, 10.0),
                "answers": log_slider("answers k", 1, 100, 25, whole=True),
                "claim": _claim(),
            },
            "compute": composed_hills,
            "marks": composition_marks,
            "describe": _describe_composition,
            "answer": (
                "Each answer moves the hills apart by less than the one before: a hundred answers are ten times as far "
                "apart as one, not a hundred times. Adding up the ε of single answers is safe, but wasteful. To keep "
                "the hills where they were, the noise must grow with the square root of the answers."
            ),
        },
    }
    return Explorer(VIEWS[view], site={"noise": 21, "sigma": 15}, **declared[view])
