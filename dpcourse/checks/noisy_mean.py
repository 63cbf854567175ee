"""Rows clipped to a length, added, given Gaussian noise and divided by a public number: a step of private training.

The law of a right answer is known exactly, and so are those of mistakes. A mistake is named if its law explains the
outputs on every problem drawn: by chance it may look like another on one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Case, Chance
from dpcourse.checks.cases import Audited, Mistake, Returns, either_order, frozen
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.digits import FEWEST, digits_tell
from dpcourse.checks.entries import quiet_number
from dpcourse.checks.gaussian import compared, linked, noise_ends, not_gaussian
from dpcourse.checks.mean_laws import Problem, anywhere, odd_rows
from dpcourse.checks.once import fresh, spread
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.scores import off_in_calls
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee

SETTINGS = 60  # with two calls each


_Seen = tuple[Problem, np.ndarray]  # a problem, and the outputs for it


@dataclass(frozen=True)
class NoisyMean:
    """An answer ``answer(rows, C, sigma, size, rng=rng)`` whose outputs have the Gaussian law of its problem.

    Parameters
    ----------
    draws : sequence of callables
        ``draw(rng) -> Problem``, one for each dataset. Means show under little noise, deviations under any.
    mistakes : sequence of Mistake
        ``gives(problem)`` are the laws it may have. In its words {p.…} is the problem, {z}, {one}, {size} as below.
    claim, runs : Guarantee, int
        What Gaussian noise of multiplier 2 costs; and releases of each problem, and in the audit.
    z, one, size, divisor : str
        What the noise multiplier, a record and the divisor are called, the divisor also as an argument.
    recipe : str
        The next step for outputs that no law explains.
    broken : bool
        Whether rows may hold NaN or infinity.
    most : int
        Of how many rows it is asked about at most: twice as many as in the lesson.
    """

    draws: Sequence[Callable[[Generator], Problem]]
    mistakes: Sequence[Mistake]
    recipe: str
    z: str
    one: str
    size: str
    divisor: str = "expected_size"
    broken: bool = False
    runs: int = 600
    most: int = 3000
    claim: Guarantee = Guarantee(1.9931, 1e-5)

    @property
    def cases(self) -> tuple[Case, ...]:
        return (self.returns, self.has_the_law, self.for_few, self.audited, self.for_odd, self.everywhere)

    def outputs(self, answer: Answer, p: Problem, runs: int, rng: Generator) -> np.ndarray:
        rows = frozen(p.rows)
        given = (only_numbers(answer(rows, p.C, p.sigma, p.size, rng=rng)) for _ in range(runs))
        return np.array(list(given), dtype=float)

    def returns(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        def arguments(rng: Generator) -> tuple[Any, ...]:
            p = self.draws[0](rng)
            return p.fine, p.C, p.sigma, p.size

        wrong = Returns(arguments, what="array", shape=lambda rows, *_: rows.shape[1:])(answer, chance)
        ask = "Draw from the `rng` you are given: rng.normal(...)."
        return replace(wrong, ask=ask) if wrong and wrong.key == "own-generator" else wrong

    def has_the_law(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        problems = [draw(chance.rng) for draw in self.draws]
        outputs = [self.outputs(answer, problem, self.runs, chance.rng) for problem in problems]
        level = chance.failure / (3 * len(problems))
        pairs = list(zip(problems, outputs, strict=True))
        refuted = [(p, seen) for p, seen in pairs if not p.law().explains(seen, level)]
        if not refuted:
            standard = [(seen - p.right) / p.noise for p, seen in pairs]
            if any(linked(values, level / 2) for values in standard):
                return self._linked()
            if where := next(filter(None, (quiet_number(list(values), level / 2) for values in standard)), ""):
                seen = f"In {self.runs:,} calls {where}."
                return Shared.TOO_LITTLE_NOISE.seen(seen, "Which numbers of your result get less noise than others?")
            if told := noise_ends(np.concatenate(list(map(np.ravel, standard))), chance.failure / 3):
                return told
            return next(filter(None, (digits_tell(seen, p.noise) for p, seen in pairs)), None)
        for mistake in self.mistakes:
            for laws in zip(*(mistake.gives(problem) for problem in problems), strict=True):
                if all(law.explains(seen, 1e-6) for law, seen in zip(laws, outputs, strict=True)):
                    return self._told(mistake, problems[0])
        fine = {p.m for p in problems} - {p.m for p, _ in refuted}
        return self._sometimes(refuted, fine) or self._unexplained(*refuted[0])

    def _sometimes(self, refuted: list[_Seen], fine: set[int]) -> Diagnosis | None:
        """A mistake that is made with some numbers of rows only, where no other explains the same outputs."""
        found = {
            mistake.seen: self._told(mistake, refuted[0][0])
            for mistake in self.mistakes
            for laws in zip(*(mistake.gives(p) for p, _ in refuted), strict=True)
            if all(law.explains(seen, 1e-6) for law, (_, seen) in zip(laws, refuted, strict=True))
        }
        if len(found) != 1 or not fine:
            return None
        (told,), bad = found.values(), {p.m for p, _ in refuted}
        right, wrong = (" or ".join(map(str, sorted(some))) for some in (fine, bad))
        seen = f"Your result is right with {right} rows, and wrong with {wrong}. {told.seen}"
        return Diagnosis("wrong-law", seen, told.ask)

    def _told(self, mistake: Mistake, problem: Problem) -> Diagnosis:
        seen, ask = (
            words.format(p=problem, z=self.z, one=self.one, size=self.size) for words in (mistake.seen, mistake.ask)
        )
        return Mistake(mistake.key, None, seen, ask).diagnosis

    def _linked(self) -> Diagnosis:
        return Shared.LINKED_NOISE.seen(
            "Some weights share their noise: their sum or their difference has less of it than it should, or none.",
            "rng.normal(..., size=...) draws one for each weight.",
        )

    def _unexplained(self, problem: Problem, outputs: np.ndarray) -> Diagnosis:
        spread = outputs - outputs.mean(axis=0)
        if spread.std() > 0 and spread.mean(axis=1).std() > 0.9 * spread.std():
            return Shared.SHARED_NOISE.seen(
                "All coordinates get the same noise: a difference of two coordinates has none.",
                "rng.normal(..., size=...) draws one for each.",
            )
        if not_gaussian(outputs, problem.law()):
            if np.abs(spread.sum(axis=1)).max() < 1e-6 * spread.std():
                seen = "Your noise adds up to 0 over the entries: the sum of your result has none."
                return Diagnosis("not-gaussian", seen, "What do you do to the noise after the draw?")
            return Diagnosis(
                "not-gaussian",
                "Mean and deviation of your result are right, but its noise is not independent Gaussian noise. The "
                "accountant is told that it is, and counts what Gaussian noise costs.",
                "rng.normal(..., size=...) on every coordinate.",
            )
        return self._off(outputs, problem) or Diagnosis("wrong-law", compared(outputs, problem.law()), self.recipe)

    def _off(self, outputs: np.ndarray, p: Problem) -> Diagnosis | None:
        """Noise alone, entries in other places, or noise of another size: of the rest it is said that it is right."""
        mean, deviation = outputs.mean(axis=0), outputs.std(axis=0).mean()
        error = 6 * deviation / np.sqrt(len(outputs))
        if (np.abs(mean) < error).all():
            return Shared.IGNORES_DATA.seen("Your result lies around 0: that is noise alone.")
        if (np.abs(np.sort(mean) - np.sort(p.right)) < error).all() and (np.abs(mean - p.right) > 3 * error).any():
            return Shared.WRONG_ORDER.seen("Your result has the right entries, but in other places.")
        if (np.abs(mean - p.right) < error).all() and abs(deviation / p.noise - 1) > 3 / np.sqrt(outputs.size):
            times = f"{deviation / p.noise:.2g} times the deviation {self.z}C/({self.size})"
            seen = f"Your result lies around the right one, and its noise has {times}."
            return (Shared.TOO_LITTLE_NOISE if deviation < p.noise else Shared.TOO_MUCH_NOISE).seen(seen)
        return None

    def for_few(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """A Poisson sample may hold nobody, or one record or two. An error, or a result without noise, would say so."""
        for m in (0, 1, 2):
            drawn = self.draws[0](chance.rng)
            lengths = np.argsort(np.linalg.norm(drawn.fine, axis=1))  # one alone shall be long
            few = Problem(drawn.fine[lengths[[-1, len(lengths) // 2]][:m]], drawn.C, drawn.sigma, drawn.size)
            try:
                seen = self.outputs(answer, few, 100, chance.rng)
            except AnswerRaised as raised:
                return Shared.NOBODY.seen(
                    f"With {m} rows your function stops with {raised}. Poisson samples are empty now and then, and an "
                    "error is an output: it tells that nobody was in it.",
                    "With nobody in the batch the sum is zero. What is the noise then?",
                )
            if words := self._not_the_law(seen, few, chance.failure / 3):
                told = f"With {m} row{'s' * (m != 1)} your result {words} How many there are is as secret as who."
                return Shared.NOBODY.seen(told, "Do the noise and the division depend on how many rows there are?")
        return None

    def _not_the_law(self, seen: np.ndarray, p: Problem, failure: float) -> str:
        """What is said of outputs that have another law than they should; "" if they have it."""
        if seen.shape == (len(seen), p.rows.shape[1]) and p.law().explains(seen, failure):
            return ""
        if np.ptp(seen, axis=0).max() < 1e-9 * p.noise:
            return "has no noise."
        return f"is not the clipped sum with noise of {self.z}C, over `{self.divisor}`."

    def audited(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """One row more, far longer than C, in a direction that nobody else has."""

        def pairs(rng: Generator) -> tuple[Any, Any]:
            p = self.draws[0](rng)
            rows = np.nan_to_num(p.rows, nan=0.0, posinf=0.0, neginf=0.0)
            rows[:, 1] = 0.0
            canary = float(rng.choice([1e3, 1e6])) * p.C * (np.arange(rows.shape[1]) == 1)
            more = np.insert(rows, rng.integers(len(rows) + 1), canary, axis=0)
            return either_order((rows, p.C), (more, p.C), rng)

        return Audited(
            pairs,
            self.claim,
            runs=3000,
            call=lambda answer, data, rng: answer(*data, 2.0, 50.0, rng=rng),
            view=lambda output: round(float(np.ravel(output)[1]), 6),
            hint="One of these rows is far longer than C. What does your function do then, and not on other rows?",
        )(answer, chance)

    def for_odd(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """Rows that are rare where many are drawn, and are all there is in a small sample."""
        some = odd_rows(self.draws[0](chance.rng), self.broken, chance.rng)
        for called, problem in some.items():
            seen = self.outputs(answer, problem, 100, chance.rng)
            if words := self._not_the_law(seen, problem, chance.failure / len(some)):
                ask = (
                    "For which rows does your function do something else? What a row holds is as secret as whose it is."
                )
                return Shared.NOT_EVERYWHERE.seen(f"With {called} your result {words}", ask)
        return None

    def everywhere(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """Problems of all sizes, each asked about twice: every output has the law of its own problem.

        Of two outputs for one problem, signs and sizes are no more alike than by chance: noise whose side follows from
        the data has the right law for each of them, and tells which of two neighbours is there.
        """
        answer.renew()
        asked = []
        for m in spread(chance.rng, 1, self.most, SETTINGS):
            problem = anywhere(chance.rng, self.broken, round(m))
            setting: dict[str, float | str] = {"m": problem.m, "d": problem.rows.shape[1], "C": problem.C}
            setting |= {self.z: problem.sigma, self.divisor: int(problem.size)}
            setting |= problem.kinds(self.z, self.divisor)
            both = []
            for _ in range(2):
                own = fresh(chance.rng)
                seen = np.asarray(answer(problem.rows, problem.C, problem.sigma, problem.size, rng=own), dtype=float)
                if wrong := _no_mean(seen, problem):
                    return wrong
                both.append((seen - problem.right) / problem.noise)
            asked.append((setting, both))
        words = off_in_calls(asked, chance.failure, chance.rng)
        ask = f"For which m, d, {self.z} or C, or for which types, does yours do something else?"
        return Shared.NOT_EVERYWHERE.seen(words, ask) if words else self._digits(answer, chance.rng)

    def _digits(self, answer: Answer, rng: Generator) -> Diagnosis | None:
        """What low digits tell in problems of all sizes; those of a right answer do with probability 1e-8 at most."""
        for m in spread(rng, 1, self.most, 6):
            problem = anywhere(rng, self.broken, round(m))
            if told := digits_tell(self.outputs(answer, problem, FEWEST, rng), problem.noise):
                return told
        return None


def _no_mean(seen: np.ndarray, p: Problem) -> Diagnosis | None:
    d, what = p.rows.shape[1], f"For rows of shape {p.rows.shape} your result has shape {seen.shape}"
    if seen.shape == (d,) and np.isfinite(seen).all():
        return None
    what = f"{what}; ({d},) is wanted." if seen.shape != (d,) else f"{what}, with NaN or infinity."
    return Diagnosis("wrong-shape", what, "One finite number for each column.")
