"""Is one person more in a cell hidden, by many draws of its noise at once; and is no more noise there than it takes?"""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpcourse.checks.base import Trial, Wrong
from dpcourse.privacy import Guarantee


def follows_epsilon(size: dict[float, float]) -> Wrong | None:
    """Mean errors of 8,000 draws or more: half of ε is 2 times the noise, or 2.26 for whole numbers, up to 1 in 20."""
    ratio = size[0.5] / max(size[1.0], 1e-12)
    if 1.7 < ratio < 2.7:
        return None
    seen = f"Your noise at ε = 0.5 is {ratio:.2g} times as wide as at ε = 1; it has to be twice as wide."
    if ratio < 0.7:
        return Wrong(seen, "Smaller ε is more private: is the scale ε, or 1/ε?", "scale-upside-down")
    if ratio < 1.2:
        return Wrong(seen, "Your function is given `epsilon`. Where does it enter?", "ignores-epsilon")
    return Wrong(seen, "The scale of Laplace noise is Δ/ε: neither its root nor its square.", "wrong-power")


def audited(seen: tuple[np.ndarray, ...], epsilon: float, trial: Trial, cell: str, hint: str, key: str) -> Wrong | None:
    """`seen`: noisy counts less the people known, whether one more was there, whether the cell was else empty."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    shown, more, alone = seen
    shown = np.round(shown, 2)  # the low bits of a float tell more than the exercise is about (lesson 14)
    for some, where in ((np.ones_like(more), f"in a {cell}"), (alone, f"in a {cell} with nobody else")):
        sides = [shown[some & (more == more_here)] for more_here in (False, True)]
        runs = min(len(side) for side in sides)
        confidence = 1 - trial.failure / 4  # two looks at each of two ε
        result = audit_outputs(
            *(side[:runs].tolist() for side in sides), claim=Guarantee(epsilon), confidence=confidence
        )
        if result.violated:
            return Wrong(
                f"Your counts tell whether one more person is {where}: ε ≥ {result.epsilon_lower:.3g} at 99.9999% "
                f"confidence, you claim {Guarantee(epsilon)}. What gives it away, people known subtracted: "
                f"{result.event}.",
                hint,
                key,
            )
    return None


def amount(errors: np.ndarray, epsilon: float, cell: str, trial: Trial) -> Wrong | None:
    """Neither somewhat too little noise nor twice of it.

    Geometric noise, the least there is for counts (Ghosh, Roughgarden, Sundararajan 2009, arXiv:0811.2841), errs by
    1/sinh(ε) on average: at ε = 0.5, 0.96 of what Laplace noise does; the mean of 14,000 errors deviates by 0.01. Two
    scales hold 86.5% of Laplace noise, and 63% of noise of twice the scale.
    """
    size = float(np.abs(errors).mean())
    if size < 0.88 / epsilon:
        return Wrong(
            f"At ε = {epsilon} your counts are off by {size:.2f} people on average; Laplace noise of scale 1/ε is off "
            f"by {1 / epsilon:g}.",
            "What can one person change, and which scale does that need?",
            "too-little-noise",
        )
    good = int((np.abs(errors) <= 2 / epsilon).sum())
    if stats.beta.ppf(1 - trial.failure, good + 1, max(errors.size - good, 1)) >= 0.8:
        return None
    return Wrong(
        f"At ε = {epsilon} your counts are off by {size:.3g} people on average; {1 / epsilon:g} is enough.",
        f"The {cell}s are disjoint: one person is in one of them. Does ε have to be shared among them?",
        "not-useful",
    )
