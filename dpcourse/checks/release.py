"""A release: the truth plus noise of one law. It is declared once, and its whole check follows.

From the declaration come, in this order: the type and shape of a result; whether it lies around the truth, or around a
wrong truth that is known; whether its numbers have noise of their own, of one size, whatever the data; whether an empty
dataset gets the same noise; whether thousands of errors follow the right law, and what is wrong with them; and audits
of the neighbours that the exercise names. Last, two hundred datasets of all sizes and shapes are asked about once
(`once`).

    NOISY_COUNT = Release(
        data=(few, many),                             # each draws one kind of dataset: arguments without ε and rng
        truth=lambda flags: flags.sum(),
        mistakes=(Mistake("counts-false", lambda flags: (~flags).sum(), "You count those who are False.", "…?"),),
        scales=(Mistake("half", lambda epsilon, flags: 0.5 / epsilon, "Your noise is half as wide …", "…?"),),
        nobody=(np.zeros(0, dtype=bool),),
        neighbours=(Probe(everybody_or_one_fewer, "Does your result know how many there are?", "reads-n"),),
    )
    EXERCISES = (Exercise("00.2", "A count with noise", NOISY_COUNT.cases, call="noisy_count(flags, epsilon, rng)"),)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Case, Chance
from dpcourse.checks.cases.audited import Audited
from dpcourse.checks.cases.exact import Returns
from dpcourse.checks.cases.known import Mistake, Pairs, frozen
from dpcourse.checks.cells import exact_wrong, uneven_wrong
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.digits import digits_tell
from dpcourse.checks.linked import SHARED, follows, shared
from dpcourse.checks.links import Draws, balanced
from dpcourse.checks.noise_laws import Law, Wanted, laplace, noise_wrong
from dpcourse.checks.once import asked_once, fresh, near
from dpcourse.checks.placing import Question, quiet
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.samples import Sample, follows_data, wrong_truth
from dpcourse.checks.vocabulary import Shared
from dpcourse.checks.words import Words
from dpcourse.privacy import Guarantee

ROWS = 600  # results of one dataset whose entries are looked at one by one
Arguments = tuple[Any, ...]
Factory = Callable[[Generator], Arguments]


def plainly(answer: Answer, arguments: Arguments, epsilon: float, rng: Generator) -> Any:
    """The usual call: data and public numbers, ε, and the generator by name."""
    return answer(*arguments, epsilon, rng=rng)


@dataclass(frozen=True)
class Probe:
    """Neighbours to set the auditor on: where noise of the right width everywhere else gives a person away.

    `pairs`, `hint`, `key`, `runs`, `diagnose`, `what` are those of `Audited`. `view` is what the auditor sees of an
    output, rounded (the low bits of floats are lesson 14's): its first number unless given.
    """

    pairs: Pairs
    hint: str
    key: str = "not-private"
    epsilon: float = 1.0
    runs: int = 1000
    view: Callable[[Any], Any] = lambda output: round(float(np.ravel(output)[0]), 3)
    diagnose: Callable[[Answer, Chance, Any], Diagnosis | None] | None = None
    what: str = "output"

    def audited(self, release: Release) -> Case:
        def case(answer: Answer, chance: Chance) -> Diagnosis | None:
            epsilon = self.epsilon if release.claim else near(self.epsilon, chance.rng)

            def call(answer: Answer, arguments: Arguments, rng: Generator) -> Any:
                return release.call(answer, arguments, epsilon, rng)

            claim = release.claim or Guarantee(epsilon)
            audit = Audited(
                self.pairs, claim, self.runs, 1, call, self.view, self.hint, self.key, self.diagnose, what=self.what
            )
            return audit(answer, chance)

        return case


@dataclass(frozen=True)
class Release:
    """An answer ``answer(*arguments, epsilon, rng=rng)`` that gives the truth plus noise.

    Every statistical step refuses a right answer with probability 1e-8 at most, or with `chance.failure`.

    Parameters
    ----------
    data : sequence of callables
        ``data[i](rng) -> arguments``, one for each kind of dataset: few people and many, sparse and dense. The truth
        has to differ between them by many times the noise at ε = 1.
    truth : callable
        ``truth(*arguments)``: a number or an array.
    sensitivity : float or callable
        ``sensitivity(*arguments)``, of the whole result in L1, from public arguments.
    noise : sequence of callables
        ``noise(scale) -> Law``; any of them is right. Without any, the law is left to cases of the exercise's own.
    least : sequence of callables
        The same where wider noise is right as well: `noise` is empty then, and results may not be nearer to the truth.
    records : int
        So many of the arguments, the first ones, hold the records, one entry or row each: with them a dataset can be
        made of any size.
    mistakes : sequence of Mistake
        ``gives(*arguments)`` is a wrong truth.
    scales : sequence of Mistake
        ``gives(epsilon, *arguments)`` is a wrong scale of the noise.
    nobody : tuple, optional
        The arguments of an empty dataset.
    many : callable, optional
        ``many(rng) -> arguments`` where thousands of errors are looked at; the last of `data` unless given.
    anew : callable, optional
        ``anew(rng) -> arguments``: some hundred records or fewer, of a shape of their own (so many questions, groups or
        categories, such a share of yes), where each dataset of `once` is to have its own.
    neighbours : sequence of Probe
        Audited last.
    before, after : sequence of cases
        What no declaration says: before the law of the noise is looked at, and last of all.
    claim : Guarantee, optional
        Where it is not ε under adding or removing a record.
    call : callable
        ``call(answer, arguments, epsilon, rng)``, where it is not ``answer(*arguments, epsilon, rng=rng)``.
    looks : tuple of int
        Datasets of each kind, and releases of each of them.
    epsilons : tuple of float
        Around which the law of the noise is looked at, the smallest first, and far enough apart to see it follow ε.
    words : Words
    """

    data: Sequence[Factory]
    truth: Callable[..., Any]
    sensitivity: float | Callable[..., float] = 1.0
    noise: Sequence[Callable[[float], Law]] = (laplace,)
    least: Sequence[Callable[[float], Law]] = ()
    records: int = 1
    mistakes: Sequence[Mistake] = ()
    scales: Sequence[Mistake] = ()
    nobody: Arguments | None = None
    many: Factory | None = None
    anew: Factory | None = None
    neighbours: Sequence[Probe] = ()
    before: Sequence[Case] = ()
    after: Sequence[Case] = ()
    claim: Guarantee | None = None
    call: Callable[[Answer, Arguments, float, Generator], Any] = plainly
    looks: tuple[int, int] = (1, 200)
    epsilons: tuple[float, ...] = (0.5, 2.0)
    draws: int = 15_000
    words: Words = Words()

    @property
    def cases(self) -> tuple[Case, ...]:
        """What an `Exercise` runs, in order."""
        law = (self.law,) if self.noise else ()
        audits = (pair.audited(self) for pair in self.neighbours)
        once = (self.asked_once,) if self.noise or self.least else ()
        return (self.returns, self.around_the_truth, self.with_nobody, *self.before, *law, *audits, *self.after, *once)

    def scale(self, arguments: Arguments, epsilon: float) -> float:
        """The right scale of the noise."""
        sensitivity = self.sensitivity(*arguments) if callable(self.sensitivity) else self.sensitivity
        return sensitivity / epsilon

    def sample(self, answer: Answer, arguments: Arguments, epsilon: float, runs: int, rng: Generator) -> Sample:
        """Releases of one dataset, less its truth; every other time the answer's arrays can be written to."""
        arguments, own = frozen(arguments), fresh(rng)
        given = deepcopy(arguments) if rng.random() < 0.5 else arguments
        truth = np.asarray(self.truth(*arguments), dtype=float)
        errors = np.empty((runs, truth.size))
        for row in errors:
            row[:] = np.ravel(self.result(answer, given, epsilon, own, truth.shape) - truth)
        return Sample(arguments, truth.ravel(), errors, self.scale(arguments, epsilon))

    def result(
        self, answer: Answer, arguments: Arguments, epsilon: float, rng: Generator, shape: tuple[int, ...]
    ) -> np.ndarray:
        """One release; `Refused` where it is not of this shape, or not finite."""
        public = deepcopy(arguments[self.records :])  # as it was before the answer could write into it
        given = self.call(answer, arguments, epsilon, rng)
        result = np.asarray(only_numbers(given, public), dtype=float)
        if result.shape != shape:
            seen = f"The result has shape {result.shape}, and {shape} is wanted."
            each = f"One number for every {self.words.cell}, whatever is in the data."
            raise Refused(Diagnosis("wrong-shape", seen, each if shape else "One number is wanted."))
        if not np.isfinite(result).all():
            raise Refused(Diagnosis("nan", "The result holds NaN or infinity.", "Is something divided by zero?"))
        return result

    def returns(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """A number or an array of the right shape, which follows the generator."""
        draw = self.data[0]
        shape = np.shape(self.truth(*draw(chance.rng)))
        case = Returns(
            lambda rng: (*draw(rng), float(rng.uniform(0.5, 2))),
            what="array" if shape else "number",
            shape=lambda *arguments: np.shape(self.truth(*arguments[:-1])),
        )
        return case(answer, chance)

    def around_the_truth(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """At ε ≈ 1: what is the noise around, and is it the same noise everywhere?"""
        (datasets, runs), epsilon = self.looks, near(1.0, chance.rng)
        samples = [
            self.sample(answer, d(chance.rng), epsilon, runs, chance.rng) for d in self.data for _ in range(datasets)
        ]
        if not any(np.ptp(sample.errors, axis=0).any() for sample in samples):
            return Shared.NO_NOISE.seen("The same data always give the same result: it has no noise.")
        cell, draw = self.words.cell, self.words.draw
        return (
            exact_wrong(samples, cell, draw, self.words.empty, self.words.shared)
            or wrong_truth(samples, self.mistakes, self.words.check_truth)
            or uneven_wrong(samples, cell, draw)
            or follows_data(samples, self.words.from_data)
            or next(filter(None, (digits_tell(s.truth + s.errors, s.scale) for s in samples)), None)
        )

    def with_nobody(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """A dataset of nobody is a dataset. An error would tell that it is empty.

        At ε = 1 noise of whole numbers is zero 46% of the time: forty times with probability 1e-13.
        """
        if self.nobody is None:
            return None
        try:
            sample = self.sample(answer, self.nobody, near(0.5, chance.rng, 2.0), 40, chance.rng)
        except AnswerRaised as raised:
            return Shared.NOBODY.seen(
                f"When nobody is in the data your function stops with {raised}. An error is an output: it tells the "
                "empty dataset from one with a single person.",
                "Noise around zeros is a fine answer. Does your function get there?",
            )
        if np.ptp(sample.errors, axis=0).any():
            return None
        return Shared.NOBODY.seen("When nobody is in the data, your result has no noise.", "Do zeros need noise, too?")

    def law(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """Thousands of errors at each ε against the law that is asked for."""
        wanted, drawn = [], []
        for around in self.epsilons:
            epsilon = near(around, chance.rng, 1.4)
            samples = self._many(answer, epsilon, chance.rng)
            units = [sample.scale * epsilon if self.words.of else 1.0 for sample in samples]
            errors = [sample.errors.ravel() / unit for sample, unit in zip(samples, units, strict=True)]
            scale = samples[0].scale / units[0]
            wanted.append(Wanted(np.concatenate(errors), epsilon, [law(scale) for law in self.noise]))
            drawn += [(epsilon, sample) for sample in samples]
        w = self.words
        wrong = noise_wrong(wanted, chance.failure, scale=w.scale, unit=w.unit, too_much=w.too_much, few=w.too_little)
        if wrong is None:
            again = any(shared((s.errors / s.scale).ravel(), (s.truth + s.errors).ravel()) for _, s in drawn)
            if again:
                return SHARED
            signs = [Draws.of_signs(one) for _, s in drawn for one in s.errors]
            if balanced(signs, 1e-9):
                seen = f"Noise of one result is on both sides too evenly: over all {self.words.cell}s it adds up to"
                return Shared.LINKED_NOISE.seen(f"{seen} nearly nothing.", "Does each have a draw of its own?")
            wrong = follows([(s.errors.ravel(), s.scale) for _, s in drawn], self.noise)
            return wrong or self._quiet(drawn, chance.rng)
        if wrong.key not in (Shared.TOO_LITTLE_NOISE.key, Shared.TOO_MUCH_NOISE.key):
            return wrong
        for mistake in self.scales:
            for law in self.noise:
                if all(law(mistake.gives(e, *s.arguments)).fits(s.errors.ravel(), 1e-9) for e, s in drawn):
                    return mistake.diagnosis
        return wrong.led_by(f"In units of {w.of}: ") if w.of else wrong

    def _quiet(self, drawn: Sequence[tuple[float, Sample]], rng: Generator) -> Diagnosis | None:
        """An entry with less noise than the others, among hundreds of calls."""
        for epsilon, s in drawn:
            rows = s.errors[:ROWS] if s.truth.size > 1 else ()
            asked = [Question(0, 0, epsilon, s.truth + one, one, s.scale) for one in rows]
            if asked and (wrong := quiet(asked, self.noise, rng)):
                return wrong
        return None

    def asked_once(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """Two hundred datasets of all sizes, each asked about once or a few times, at an ε of its own."""
        return asked_once(self, answer, chance)

    def _many(self, answer: Answer, epsilon: float, rng: Generator) -> list[Sample]:
        """Samples with `draws` errors in all: of one dataset where a release has several numbers, else of ten."""
        draw = self.many or self.data[-1]
        first = draw(rng)
        size = np.size(self.truth(*first))
        datasets = [first] + [draw(rng) for _ in range(9 if size == 1 else 0)]
        runs = -(-self.draws // (size * len(datasets)))
        return [self.sample(answer, arguments, epsilon, runs, rng) for arguments in datasets]
