"""Do the numbers of releases hang together, within one or from call to call?

Each of them may have the right law alone: what two share falls out when one is subtracted from the other. Errors are
looked at in units of their scale. Right ones are independent, so that no two are the same noise, turned or not, and no
product of two places is large on average. A right answer is refused with probability 1e-8 at most in all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dpcourse.checks import links
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.noise_laws import Law, finest
from dpcourse.checks.vocabulary import Shared

if TYPE_CHECKING:
    from dpcourse.checks.placing import Question

SAME = 1e-9  # scales: errors nearer than this are one draw
OFTEN = 20  # of N ≤ 20,000 numbers, so many are that near to another with probability below 1e-9
_FAILURE = 1e-9  # of each look
_BOUND = -float(np.log(_FAILURE / 2))
SHARED = Shared.LINKED_NOISE.seen(
    "Some of your results have the same noise, or the same with its sign turned.",
    "Where does a draw come back: in two numbers of one result, from a seed of your own, from one call to the next?",
)


def linked(asked: Sequence[Question], places: np.ndarray, wider: bool = False) -> Diagnosis | None:
    """Whether numbers of one question share noise, or the same question asked again does; `places` in their laws.

    Where wider noise is right too, places are not uniform, and only equal noise is refused.
    """
    results = np.concatenate([one.results for one in asked])
    if shared(np.concatenate([one.errors / one.scale for one in asked]), results):
        return SHARED
    step = finest(np.concatenate([one.errors for one in asked]))
    if _again(asked, max(step, finest(results))):
        return Shared.LINKED_NOISE.seen(
            "Asked again, with another `rng`, you often add the same noise, or its opposite."
        )
    apart = np.split(places, np.cumsum([one.errors.size for one in asked])[:-1])
    where = "" if wider else links.mapped(apart, _FAILURE)
    for fold in () if wider else (lambda u: u, lambda u: np.abs(2 * u - 1)):
        where = links.linked([links.Draws.of_places(fold(some)) for some in apart], _FAILURE) or where
    return Shared.LINKED_NOISE.seen(f"Numbers of one result share noise: {where}.") if where else None


def shared(errors: np.ndarray, results: np.ndarray) -> bool:
    """Whether many of these errors are the same draw of continuous noise, or the same with its sign turned.

    Of N independent Laplace errors, N²·SAME/2 pairs are so near to one another on average, 0.2 of 20,000; if 20 are
    near to the next one, ten pairs apart are, which has probability 0.2¹⁰/10! (normal ones: 0.23¹⁰/10!). Results on a
    grid, which share their noise by chance, are left out.
    """
    fine = results != 0  # cut at 0, which is harmless
    if not fine.any() or finest(errors) or finest(results) or (results == results.astype(np.float32)).all():
        return False
    return int((np.diff(np.sort(np.abs(errors[fine]))) < SAME).sum()) >= OFTEN


def follows(errors: Sequence[tuple[np.ndarray, float]], laws: Sequence[Callable[[float], Law]]) -> Diagnosis | None:
    """Whether noise follows from noise before it, in one result or from call to call, whichever of these laws it has.

    Errors in the order in which they came, with the scale of their noise. Those on a grid are left out.
    """
    some = [(one, scale) for one, scale in errors if not finest(one)]
    fitting = [law for law in laws if all(law(scale).fits(one, _FAILURE) for one, scale in some)]
    words = [links.mapped([law(scale).below(one) for one, scale in some], _FAILURE) for law in fitting]
    if not some or not words or not all(words):
        return None
    return Shared.LINKED_NOISE.seen(f"What noise comes follows from other noise: {words[0]}.")


def _again(asked: Sequence[Question], step: float) -> bool:
    """Whether the same question has the same noise too often, by bets on it in order of ε, from either end.

    Noise on a grid is that of another call, its sign aside, with probability step/scale at most: a purse of which a
    tenth is bet on it at fair odds grows to 10⁹ times with probability 10⁻⁹ at most (Ville 1939).
    """
    both = [(one, two) for one, two in zip(asked, asked[1:], strict=False) if two.before]
    both.sort(key=lambda pair: pair[0].epsilon)
    same = np.array([one.results.any() and _equal(one.errors / one.scale, two.errors / two.scale) for one, two in both])
    odds = np.array([1 / max(min(step / one.scale, 1.0), 1e-6) for one, _ in both])
    won = np.where(same, np.log(0.9 + 0.1 * odds), np.log(0.9))
    return any(np.cumsum(some).max(initial=0.0) > _BOUND for some in (won, won[::-1]))


def _equal(errors: np.ndarray, others: np.ndarray) -> bool:
    return bool((np.abs(np.abs(errors) - np.abs(others)) < SAME).all())
