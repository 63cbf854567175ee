"""A question asked the way people ask: at any ε and of any shape, where each result has a law that is known.

The other looks at a choice or a report ask thousands of times at an ε and a shape or two, which an answer can tell from
earnest: it may be right there, and tell the truth elsewhere. `once` asks releases everywhere, and `places` where a few
calls show much; here are results from finite sets, of which each says little, at thousands of settings.

Of each result the exercise says how many times as likely it is if something is wrong as if the answer is right: if it
is the exact one (`EXACT`), if it is drawn as at a larger ε (`NARROW`) or at a smaller one (`WIDE`). Gamblers bet on
that, a share of their purse a call, at fair odds. Against a right answer a gambler's purse grows on average by
nothing, whatever the order of the calls, so it is ever 1/f times as large with probability f at most (Ville 1939).
That holds for the mean of many gamblers too: those who bet much or little, and who begin early or late, in the order
of the calls, of ε, or of any size. So a right answer is refused with the stated probability at most, however many
looks there are; and an answer that is exact at a fifth of the settings, or at a tenth that lie next to one another,
soon makes somebody rich. A tenth that are scattered do so sometimes: in 17 of 32 checks of four exercises. One call in
twenty is asked again (`again.Again`): other gamblers bet that another generator changes nothing (`SAME`). Last, a few
settings with a small ε, a large one, and many of what may be many are asked hundreds of times each.

    def draw(rng):
        epsilon, k = any_epsilon(rng), whole(rng, 2, 60)
        votes = …
        return Setting((votes, epsilon), {"ε": epsilon, "classes": k}, among(range(k), law(votes, epsilon), best))

    Everywhere(draw)  # a case, among the last: answer(*arguments, rng=…)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.again import Again
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases.known import frozen
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import SMALL, near
from dpcourse.checks.vocabulary import Shared

EXACT, NARROW, WIDE, SAME = "exact", "narrow", "wide", "same"
SHARES = (0.05, 0.1, 0.3, 0.6, 0.9)  # of a purse, bet at each call
AGAIN = 0.05  # of the calls are asked again
STARTS = 20  # where in an order gamblers begin
EPSILONS = (0.05, 5.0)


@dataclass(frozen=True)
class Seen:
    """What one result says.

    Parameters
    ----------
    odds : dict
        `EXACT`, `NARROW`, `WIDE`, or some of them: the logarithm of how many times as likely the result is then as
        from a right answer. What a right answer cannot give has odds of infinity.
    exact : bool
        Whether it is what an answer without randomness gives.
    chance : float
        With which probability a right answer gives that.
    own : float
        With which probability, at most, a right answer gives the same again with another generator.
    """

    odds: Mapping[str, float]
    exact: bool
    chance: float
    own: float = 0.0


@dataclass(frozen=True)
class Setting:
    """One way to ask.

    Parameters
    ----------
    arguments : tuple
        What the answer is called with, `rng` left out.
    sizes : dict
        Public numbers by name, "ε" and what may be few or many: {"ε": 0.3, "candidates": 12}.
    judge : callable
        ``judge(result) -> Seen``; it raises `Refused` where a result is none.
    """

    arguments: tuple[Any, ...]
    sizes: Mapping[str, float]
    judge: Callable[[Any], Seen]


@dataclass(frozen=True)
class Everywhere:
    """The answer is right at every setting; a right one fails with probability `chance.failure` at most.

    Parameters
    ----------
    draw : callable
        ``draw(rng) -> Setting``, ε and shape drawn as widely as people will ask. It shows most where the exact result
        has a chance of 0.05 to 0.3.
    settings, often : int
        How many are drawn; and how often a few of them are asked about, those at the ends, or 0.
    asked : sequence of int
        Calls to a setting, one of these.
    call : callable
        ``call(answer, arguments, rng)``, where it is not ``answer(*arguments, rng=rng)``.
    exact : str
        What happened in an exact call, after "at ε = …, ": "your answer was the exact one".
    ask : str
        The question.
    """

    draw: Callable[[Generator], Setting]
    settings: int = 2000
    often: int = 400
    asked: Sequence[int] = (1, 1, 2)
    call: Callable[[Answer, tuple[Any, ...], Generator], Any] = lambda answer, arguments, rng: answer(
        *arguments, rng=rng
    )
    exact: str = "your answer was the exact one"
    ask: str = "You were asked once or a few times each, at many ε and many sizes. What does your randomness depend on?"

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        answer.renew()
        again, repeated = Again(answer, chance.rng, AGAIN), list[Call]()
        settings = ((self.draw(chance.rng), int(chance.rng.choice(self.asked))) for _ in range(self.settings))
        calls = [
            call for setting, times in settings for call in self._calls(again, setting, times, chance.rng, repeated)
        ]
        named = _richest(calls, 0.5 * chance.failure)
        corners = [] if named or not self.often else self._corners(chance.rng)
        for setting in corners:
            calls = list(self._calls(again, setting, self.often, chance.rng, repeated))
            named = named or _richest(calls, 0.1 * chance.failure / len(corners))
        if named:
            return Shared.NOT_EVERYWHERE.seen(self._said(*named), self.ask)
        return deaf(repeated, 0.4 * chance.failure)

    def _corners(self, rng: Generator) -> list[Setting]:
        """A setting among those of the smallest ε, and one among the largest by each of its public numbers."""
        pool, some = [self.draw(rng) for _ in range(60)], 10
        sorted_by = {name: sorted(pool, key=lambda one: one.sizes[name]) for name in pool[0].sizes}
        return [sorted_by["ε"][rng.integers(some)], *(most[-1 - rng.integers(some)] for most in sorted_by.values())]

    def _calls(
        self, again: Again, setting: Setting, times: int, rng: Generator, repeated: list[Call]
    ) -> Iterator[Call]:
        given = frozen(setting.arguments)
        again.expect(times)
        for _ in range(times):
            seen = setting.judge(self.call(again, given, rng))
            if again.same is not None:
                repeated.append(Call.again(setting.sizes, seen.own, again.same))
            yield Call(setting.sizes, seen)

    def _said(self, kind: str, where: str, group: Sequence[Call]) -> str:
        exact, expected = sum(one.seen.exact for one in group), sum(one.seen.chance for one in group)
        seen = (
            f"{where}, {self.exact} in {exact:,} of {len(group):,} calls; the usual right answer: {_about(expected)}."
        )
        if kind == NARROW:
            return f"{seen} Your results there are nearer to the truth than ε allows."
        if kind == WIDE:
            return f"{seen} Your results there are farther from the truth than this ε asks for."
        return seen


@dataclass(frozen=True)
class Call:
    """One call: the public numbers, and what its result says."""

    sizes: Mapping[str, float] = field(repr=False)
    seen: Seen

    @classmethod
    def again(cls, sizes: Mapping[str, float], own: float, same: bool) -> Call:
        """Asked again with another generator: whether the result stayed the same, which has this probability at most.

        A right answer may round its results: nothing is taken for less likely than one in a hundred.
        """
        return cls(sizes, Seen({SAME: _odds(float(same), max(own, 0.01))}, same, own))


def deaf(repeated: Sequence[Call], failure: float) -> Diagnosis | None:
    """Whether another generator changes results too seldom, wherever that is; by chance with this probability at most.

    Given the first result, the second is the same with its probability. So the gambler's odds are fair, or worse.
    """
    named = _richest(repeated, failure) if repeated else None
    if named is None:
        return None
    _, where, group = named
    same, expected = sum(one.seen.exact for one in group), sum(one.seen.chance for one in group)
    return Diagnosis(
        "own-generator",
        f"{where}, your result was the same with another generator in {same:,} of {len(group):,} calls; chance "
        f"explains {_about(expected)}. Anyone who can foresee your noise can subtract it.",
        "Draw from the `rng` you are given, at every ε and every size, and seed no generator of your own.",
    )


def _about(expected: float) -> str:
    return f"about {expected:,.0f}" if expected >= 1.5 else "one" if expected >= 0.5 else "hardly any"


def any_epsilon(rng: Generator, low: float = EPSILONS[0], high: float = EPSILONS[1]) -> float:
    """As likely between 0.05 and 0.5 as between 0.5 and 5, and smaller once in ten times; every other time round."""
    low, high = SMALL if low == EPSILONS[0] and rng.random() < 0.1 else (low, high)
    return near(float(low * (high / low) ** rng.random()), rng, 1.0)


def among(
    outcomes: Sequence[Hashable],
    right: np.ndarray,
    exact: int,
    *,
    narrow: np.ndarray | None = None,
    wide: np.ndarray | None = None,
) -> Callable[[Any], Seen]:
    """A judge of results from a finite set, whose law is `right`, shape (len(outcomes),).

    `exact` is the place of what an answer without randomness gives; `narrow` and `wide` are laws at a larger and a
    smaller ε.

    Examples
    --------
    >>> judge = among(["no", "yes"], np.array([0.25, 0.75]), 1, wide=np.array([0.5, 0.5]))
    >>> {name: round(float(np.exp(odds)), 2) for name, odds in judge("yes").odds.items()}
    {'exact': 1.33, 'wide': 0.67}
    """
    places = {outcome: place for place, outcome in enumerate(outcomes)}
    others = {EXACT: np.arange(len(outcomes)) == exact}
    others |= {name: law for name, law in ((NARROW, narrow), (WIDE, wide)) if law is not None}

    def judge(result: Any) -> Seen:
        try:
            place = places[result]
        except (KeyError, TypeError):
            seen = f"You return {str(result)[:80]!r}, which is none of the results that can be."
            raise Refused(Diagnosis("outside", seen)) from None
        odds = {name: _odds(float(law[place]), float(right[place])) for name, law in others.items()}
        return Seen(odds, place == exact, float(right[exact]), float(right[place]))

    return judge


def _odds(wrong: float, right: float) -> float:
    """The logarithm of wrong/right."""
    if right <= 0:
        return math.inf
    return math.log(wrong / right) if wrong > 0 else -math.inf


def _richest(calls: Sequence[Call], failure: float) -> tuple[str, str, list[Call]] | None:
    """On what, and where, gamblers became as rich as a right answer makes them with this probability; or None."""
    kinds = [kind for kind in (EXACT, NARROW, WIDE, SAME) if kind in calls[0].seen.odds]
    orders = [*calls[0].sizes, ""]
    enough = math.log(len(kinds) * len(orders) / failure)
    for kind in kinds:
        found = [(*_purse([calls[place] for place in _order(calls, name)], kind), name) for name in orders]
        purse, start, stop, name = max(found)
        if purse >= enough:
            group = [calls[place] for place in _order(calls, name)][start:stop]
            return kind, _where(group, name, (start, stop)), group
    return None


def _order(calls: Sequence[Call], name: str) -> np.ndarray:
    """The calls by a public number, the smallest first; in their own order where it has no name."""
    return np.argsort([one.sizes[name] if name else 0.0 for one in calls], kind="stable")


def _purse(calls: Sequence[Call], kind: str) -> tuple[float, int, int]:
    """The logarithm of the largest mean purse of those who bet on `kind`, and from where to where one won most."""
    odds = np.clip([one.seen.odds[kind] for one in calls], -1e4, 1e4)
    grown = np.array([np.logaddexp(math.log1p(-share), math.log(share) + odds) for share in SHARES])
    grown = np.concatenate([np.zeros((len(SHARES), 1)), np.cumsum(grown, axis=1)], axis=1)
    starts = np.unique(np.arange(STARTS) * len(calls) // STARTS)
    purses = np.zeros((len(starts), *grown.shape))  # who has not begun has 1
    for row, start in zip(purses, starts, strict=True):
        row[:, start:] = grown[:, start:] - grown[:, [start]]
    together = np.logaddexp.reduce(purses.reshape(-1, grown.shape[1]), axis=0) - math.log(len(starts) * len(SHARES))
    stop = int(together.argmax())
    start = int(starts[purses[:, :, stop].max(axis=1).argmax()])
    return float(together[stop]), start, stop


def _where(group: Sequence[Call], name: str, calls: tuple[int, int]) -> str:
    if not name:
        return f"In calls {calls[0] + 1:,} to {calls[1]:,}, at many ε and sizes"
    low, high = group[0].sizes[name], group[-1].sizes[name]
    if name == "ε":
        return f"At ε = {low:.2g}" + (f" to {high:.2g}" if f"{low:.2g}" != f"{high:.2g}" else "")
    return f"With {low:,.6g} " + (f"to {high:,.6g} " if low != high else "") + name
