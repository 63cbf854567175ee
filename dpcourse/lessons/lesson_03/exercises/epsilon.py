"""What the exercises on noise have in common: the noise follows the ε it is given, and its tails are heavy enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Audited
from dpcourse.checks.cases.known import Pairs
from dpcourse.privacy import Guarantee

SMALL, LARGE = 0.25, 1.0
RUNS = 600

Release = Callable[[Answer, Any, float, np.random.Generator], Any]


def follows_epsilon(release: Release, data: Callable[[np.random.Generator], Any]):
    """A case: at a quarter of ε there is four times the noise.

    `release(answer, data, epsilon, rng)` gives one number or several. The mean distance from the median is compared at
    ε = 0.25 and 1 over `RUNS` answers each. The ratio is 4 for Laplace noise, up to 4.7 for integer noise of
    sensitivity 1, and its logarithm has a standard deviation of 0.065: between 2.6 and 7 but for a chance of 1e-9.
    """

    def spread(answer: Answer, people: Any, epsilon: float, rng: np.random.Generator) -> np.ndarray:
        results = [np.ravel(np.asarray(release(answer, people, epsilon, rng), dtype=float)) for _ in range(RUNS)]
        return np.abs(np.array(results) - np.median(results, axis=0)).mean(axis=0)

    def case(answer: Answer, trial: Trial) -> Wrong | None:
        people = data(trial.rng)
        at_small, at_large = (spread(answer, people, epsilon, trial.rng) for epsilon in (SMALL, LARGE))
        ratio = at_small / np.maximum(at_large, 1e-12)
        if ((ratio >= 2.6) & (ratio <= 7)).all():
            return None
        one = float(ratio[np.argmax(np.abs(np.log(np.maximum(ratio, 1e-12) / 4)))])
        seen = f"Your noise at ε = {SMALL} is {one:.2g} times that at ε = {LARGE:g}; it has to be 4 times as wide."
        if one < 0.7:
            return Wrong(seen, "Smaller ε is more private, so it needs more noise: Δ/ε, not Δ·ε.", "scale-upside-down")
        if one < 1.5:
            return Wrong(seen, "Your function is given `epsilon`. Where does it enter?", "ignores-epsilon")
        return Wrong(seen, "The scale of Laplace noise is Δ/ε: neither its root nor its square.", "wrong-power")

    return case


def heavy_tails(release: Release, pairs: Pairs, view: Callable[[Any], Any], epsilon: float = 3.0, claim: float = 3.0):
    """A case: an audit at ε = 3, where normal noise of Laplace noise's width is farthest from private for few runs.

    At ε = 1 the two are too alike, at ε = 5 what tells them apart is too rare. `release` is called with `epsilon`; what
    `view` shows of it has to keep `claim`.
    """

    def call(answer: Answer, data: Any, rng: np.random.Generator) -> Any:
        return release(answer, data, epsilon, rng)

    hint = "Noise that falls faster than e^(−ε|x|/Δ), as normal noise does, gives a person away however wide it is."
    return Audited(pairs, Guarantee(claim), runs=6500, call=call, view=view, hint=hint, key="thin-tails")
