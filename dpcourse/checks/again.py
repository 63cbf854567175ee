"""The same question again: noise comes from the generator that is given, and from nowhere else.

An answer that seeds a generator of its own, or makes noise of its arguments, has results of the right law. But whoever
knows it subtracts its noise.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Case, Chance
from dpcourse.checks.diagnosis import TWICE, Diagnosis, Refused
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.vocabulary import Shared


class Again(Answer):
    """An answer each of whose calls gets a generator of its own; a share of the calls is asked again.

    Once more with a generator of the same state: a result that differs is `Refused`. And once with another: `same` says
    whether the result of the last call stayed the same, and is None where it was not asked again. Results that carry
    more than numbers, or numbers that are not whole where they have to be, are `Refused`. With `anew` the check's
    generator goes on from another state after a call: what was drawn before may be the same each time.
    """

    def __init__(
        self, answer: Answer, rng: Generator, share: float, whole: bool = False, *, anew: bool = False
    ) -> None:
        self._answer, self._rng, self._share, self._whole, self._anew = answer, rng, share, whole, anew
        self._coming: list[tuple[int, bool, Generator]] = []  # the next call's last
        self.same: bool | None = None
        self.first: Any = None  # argument of the last call

    def expect(self, times: int) -> None:
        """The next calls will be so many of the same."""
        coming = [self._drawn() for _ in range(times)]
        self._answer.announce([rng for seed, again, own in coming for rng in (own, *(_twice(seed) if again else ()))])
        self._coming = coming[::-1]

    def _drawn(self) -> tuple[int, bool, Generator]:
        """A call's seed, whether it is asked again, and its generator."""
        seed, again = int(self._rng.integers(2**63)), bool(self._rng.random() < self._share)
        return seed, again, np.random.default_rng(seed)

    def __call__(self, *arguments: Any, rng: Generator) -> Any:
        """`rng` is the check's own, and stays with it."""
        seed, again, own = self._coming.pop() if self._coming else self._drawn()
        self.same, self.first = None, arguments[0]
        kept = _copied(arguments) if again else ()

        def asked(arguments: tuple[Any, ...], rng: Generator) -> Any:
            result = self._answer(*arguments, rng=rng)
            if result is not None and type(result) not in (str, np.str_):
                only_numbers(result)
            if self._whole:
                _only_whole(result)
            return result

        result = asked(arguments, own)
        if again:
            other, repeated = _twice(seed)
            self.same = _alike(result, asked(_copied(kept), other))
            if not _alike(result, asked(kept, repeated)):
                raise Refused(TWICE)
        if self._anew:
            rng.bit_generator.state = np.random.default_rng(self._rng.integers(2**63)).bit_generator.state
        return result


def _copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Of what may be written to, copies; the rest are the same objects, so that the call is seen to be the same."""
    return tuple(
        one if isinstance(one, np.ndarray) and not one.flags.writeable else copy.deepcopy(one) for one in arguments
    )


def _twice(seed: int) -> tuple[Generator, Generator]:
    """The generators with which a call is asked again: another one, and the same."""
    return np.random.default_rng(seed + 1), np.random.default_rng(seed)


def drawn_elsewhere(noise: Callable[[int], np.ndarray], rng: Generator, still: bool = True) -> Diagnosis | None:
    """`noise(seed)` is made with a generator of this seed: the same for the same, another for another.

    The same but for last digits: how NumPy adds up depends on where an array lies. A right answer fails only where its
    noise is the same twice by chance: ask for noise that is large and long. With `still`, what is the same number
    everywhere, such as 0, is left to looks that come later.
    """
    seed = int(rng.integers(2**62))
    first, again, other = (np.asarray(noise(at), dtype=float) for at in (seed, seed, seed + 1))
    most = float(np.abs(np.nan_to_num(first)).max(initial=0))
    if first.shape != again.shape or not np.allclose(first, again, rtol=0, atol=1e-9 * most, equal_nan=True):
        return TWICE
    if still and first.size > 1 and np.ptp(first) == 0:
        return None
    if np.isnan(first).all() or not first.size:  # None is NaN here
        what = "an empty array" if not first.size else "only NaN" if first.ndim else "None or NaN"
        seen = f"In a later call your function gave {what}."
        return Shared.NOT_EVERYWHERE.seen(seen, "Which line returns that, and when does it run?")
    if first.size > 1 and np.ptp(first) == 0:
        seen = f"In a later call your function gave {first.flat[0]:g} in each of {first.size:,} places."
        return Shared.NO_NOISE.seen(seen)
    if not _alike(first, other):
        return None
    seen = "Asked twice the same, with two different generators, your function gave exactly the same noise."
    return Diagnosis("own-generator", seen, "Where does your function draw from the `rng` that it is given?")


def follows(answer: Answer, ask: Callable[[int], Any], rng: Generator, source: str) -> Diagnosis | None:
    """Whether many large numbers follow from the draws that an answer asks for, each of them, and from nothing else.

    ``ask(seed)`` calls the answer with a source of this seed. Between two calls with the same one lies another, in a
    process that remembers nothing. What is asked for and thrown away is seen by that. Two numbers of a right answer are
    the same for another seed only where they are 0, or by chance: ask for large ones.
    """
    seed = int(rng.integers(2**62))
    first = np.asarray(ask(seed), dtype=float)
    answer.renew()
    other, again = (np.asarray(ask(at), dtype=float) for at in (seed + 1, seed))
    if first.shape != again.shape or not np.allclose(first, again, rtol=0, atol=1e-9 * np.abs(first).max(initial=0)):
        seen = f"Asked twice the same, and given the same by `{source}`, your function gave two results."
        return Diagnosis("own-generator", seen, TWICE.ask)
    if not first.any():
        what, then = ("only zeros", "") if first.size else ("nothing", "Nothing was missing there. Why does it refuse?")
        return Shared.NO_NOISE.seen(f"In a later call your function gave {what}.", then)
    same = int(((first == other) & (first != 0)).sum()) if first.shape == other.shape else 0
    if same <= 1:
        return None
    once_more = f"{same:,} of {first.size:,} numbers once more"
    return Diagnosis(
        "own-generator",
        f"Asked twice the same, and given other numbers by `{source}`, your function gave {once_more}.",
        f"Which of the numbers that `{source}` gives are in your result, and which are thrown away?",
    )


def listens(inputs: Callable[[Generator], tuple[Any, ...]], ask: Callable[..., Any], times: int = 3) -> Case:
    """The case that so many questions are answered with draws from the generator given, and from no other.

    ``ask(answer, *inputs(rng), own)`` calls the answer with the generator `own`. Its result holds so many random
    numbers that they never come again with another state.
    """

    def case(answer: Answer, chance: Chance) -> Diagnosis | None:
        for _ in range(times):
            given = inputs(chance.rng)

            def noise(seed: int, given: tuple[Any, ...] = given) -> Any:
                return ask(answer, *given, np.random.default_rng(seed))

            if wrong := drawn_elsewhere(noise, chance.rng, still=False):
                return wrong
        return None

    return case


def _alike(one: Any, other: Any) -> bool:
    return np.array_equal(np.asarray(one), np.asarray(other))


def _only_whole(given: Any) -> None:
    """`Refused` where there is something behind the point, or a 0 with a minus, which says something too."""
    array = np.asarray(given)
    if array.dtype.kind in "biu":
        return
    strange = (array != np.rint(array)) | (array == 0) & np.signbit(array)
    if strange.any():
        one = float(np.extract(strange, array)[0])
        raise Refused(Diagnosis("wrong-type", f"Whole numbers are wanted; you return {one!r}.", "What is this part?"))
