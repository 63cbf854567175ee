"""Exercises and how they are checked: by running the answer and trying to break it.

Declaring an exercise
---------------------
A lesson's exercises are in ``lessons/lesson_NN/exercises.py`` as ``EXERCISES = (Exercise(...), ...)``; the module is
imported on the first ``check("NN.x", …)``. An exercise is an id, a title, how its answer is called, and a tuple of
cases, run in order until one finds something wrong. A release is declared whole (`dpcourse.checks.release`); the cases
of other exercises are built from those of `dpcourse.checks.cases`::

    EXERCISES = (
        Exercise("00.2", "A count with noise", NOISY_COUNT.cases, call="noisy_count(flags, epsilon, rng)"),
        Exercise("04.1", "The smallest σ", (Equals(inputs, expected, mistakes),), call="sigma(epsilon, delta)"),
    )

A case is any function ``case(answer, chance) -> Diagnosis | None``; the building blocks are in `dpcourse.checks.cases`.
`answer` is an `Answer`: call it like the student's function, or read `answer.value`. `chance.rng` is the randomness of
this check and `chance.failure` the probability with which the case may fail a *right* answer by bad luck: 1e-6, shared
among the cases. A statistical case must keep to it.

Rules that keep a check honest
------------------------------
- Data come from a factory that draws them anew from `chance.rng` (sizes, values, order, labels), so that an answer that
  recognises the datasets of the last check has learnt nothing. `check` takes fresh entropy from the operating system
  unless a test passes `rng=`.
- Usefulness is measured on datasets from the same factory as the audit, so that no answer can behave well on small data
  and be useful on large.
- A wrong answer gets the diagnosis of *its* mistake with a next step, and a short `key` that tests compare.
- `chance.failure` bounds how often a right answer fails; `dpcourse.checks.rehearse` measures how often a wrong one is
caught.
- The package's own mechanisms may not be called (`own_work`); `allowed` opens rooms an exercise needs.
- This is a check for learners, not a sandbox: `dpcourse.checks.check` says what it cannot stop.
- Three seconds a check, fifteen for a project. `seconds` is only the point where an endless loop is stopped.

The repr of a passed check holds no random number, so that a solutions notebook can be compared with its stored output.
"""

from __future__ import annotations

import dis
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from dpcourse.checks import kinds
from dpcourse.checks.answers import (
    Answer,
    AnswerRaised,
    LookedAway,
    PackageUsed,
    Unanswered,
    quiet,
)
from dpcourse.checks.clocks import OWN, Clock, TimedOut, time_limit
from dpcourse.checks.diagnosis import NOTHING, Diagnosis, Refused, a
from dpcourse.checks.kept import MOST, Kept
from dpcourse.checks.odd import Odd

FAILURE = 1e-6


@dataclass(frozen=True)
class Chance:
    """What a case is given besides the answer: randomness, and how often bad luck may fail a right answer."""

    rng: np.random.Generator
    failure: float


Case = Callable[[Answer, Chance], "Diagnosis | None"]


@dataclass(frozen=True, repr=False)
class CheckResult:
    """The outcome of a check; true in an ``if`` or an ``assert`` exactly when it passed.

    Attributes
    ----------
    exercise, title : str
    passed : bool
    diagnosis, next_step : str
        Empty when it passed.
    key : str
        "passed", "unanswered", or the short name of the mistake.
    """

    exercise: str
    title: str
    passed: bool
    diagnosis: str = ""
    next_step: str = ""
    key: str = "passed"

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        name = f"Exercise {self.exercise}" if self.exercise[0].isdigit() else self.exercise.capitalize()
        head = f"{name}, {self.title}: "
        if self.passed:
            return head + "passed."
        lines = [head + ("not answered yet." if self.key == "unanswered" else "not yet right.")]
        for label, text in (("Seen", self.diagnosis), ("Next", self.next_step)):
            if text:
                lines.append(textwrap.fill(f"{label}: {text}", 100, initial_indent="  ", subsequent_indent="        "))
        return "\n".join(lines)


@dataclass(frozen=True)
class Exercise:
    """An exercise and the cases that check it.

    Parameters
    ----------
    id : str
        Lesson and number, such as "03.2"; of a project, "capstone 2.1".
    title : str
        A few words, without a full stop.
    cases : tuple of callables
        ``case(answer, chance) -> Diagnosis | None``.
    call : str
        How a function answer is called, such as ``"noisy_count(flags, epsilon, rng)"``; empty where the answer is a
        value.
    own_work : bool
        Whether calling this package's implementation counts as wrong.
    allowed : tuple of str
        Parts of the package the answer may call all the same, such as ``"accounting"``.
    seconds : float
        When a check that is still running is stopped: see `time_limit`.
    clock : Clock
        Whose time it is.
    odd : tuple of str
        What right results may have: "nan", or more dimensions in one call than in another ("wrong-shape"). Elsewhere
        an answer that passes all cases, and returned such a thing in some call, does not pass (`checks.odd`).
    again : callable, optional
        ``again()`` gives the same answer from a process that has forgotten all calls: see `Answer.renew`.
    kept : Kept, optional
        Where some of the calls are kept, to be asked again.
    restless : callable, optional
        ``restless(result, *arguments) -> bool``: whether a right answer, given another generator, gives something else
        in this call, but for a chance of 1e-10. Where looks at the law of results ask nothing twice, noise could follow
        from the data.
    """

    id: str
    title: str
    cases: tuple[Case, ...]
    call: str = ""
    own_work: bool = True
    allowed: tuple[str, ...] = ()
    seconds: float = 60.0
    clock: Clock = OWN
    odd: tuple[str, ...] = ()
    again: Callable[[], Any] | None = None
    kept: Kept | None = None
    restless: Callable[..., bool] | None = None

    def grade(self, answer: Any, *, rng: np.random.Generator | int | None = None) -> CheckResult:
        """Run the cases on an answer. Never raises because of the answer, except when a person interrupts the
        kernel."""
        wrong = _not_an_answer(self, answer) or self._first_wrong(answer, np.random.default_rng(rng))
        if wrong is None:
            return CheckResult(self.id, self.title, True)
        return CheckResult(self.id, self.title, False, wrong.seen, wrong.ask, wrong.key)

    def _first_wrong(self, value: Any, rng: np.random.Generator) -> Diagnosis | None:
        # Of the case that looks at the form of a result (`Returns`), so that no other call has another.
        shape = next((case.wanted for case in self.cases if hasattr(case, "wanted")), None)
        odd, kept = Odd(self.odd), self.kept if self.kept is not None else Kept(MOST if self.restless else kinds.MOST)
        answer = Answer(
            value, own_work=self.own_work, allowed=self.allowed, again=self.again, odd=odd, kept=kept, shape=shape
        )
        wrong = self._found(answer, rng, kept) or odd.diagnosis
        # A function that prints its result and returns None: whatever the case that met it made of that.
        unclear = wrong is not None and wrong.key in ("wrong-type", "wrong-shape", "unusable", "wrong-value", "outside")
        return NOTHING if unclear and answer.silent else wrong

    def _found(self, answer: Answer, rng: np.random.Generator, kept: Kept) -> Diagnosis | None:
        failure = FAILURE / max(len(self.cases), 1)
        called = f"It is called as {self.call}." if self.call else ""
        try:
            with quiet(), time_limit(self.seconds, self.clock):
                for case, case_rng in zip(self.cases, rng.spawn(len(self.cases)), strict=True):
                    answer.hide(case_rng)
                    wrong = case(answer, Chance(case_rng, failure))
                    if wrong is not None:
                        return wrong
                deaf = self.restless and kinds.deaf(answer, self.restless, kept)
                return deaf or kinds.of_other_types(answer, self.call, kept)
        except Unanswered:
            return _UNANSWERED
        except Refused as refused:
            return refused.diagnosis
        except AnswerRaised as raised:
            return _raised(raised, called)
        except TimedOut as late:
            return Diagnosis(
                "too-slow",
                f"Your answer was {late}, in which it was {_times(answer.calls)}.",
                "Does a loop never end, or does it go over people one by one where one NumPy operation would do?",
            )
        except LookedAway as how:
            return Diagnosis(
                "not-an-answer",
                f"Your answer {how}. It is the question that is to be answered.",
                "Write the function from its definition, with what it is given.",
            )
        except PackageUsed as used:
            if str(used).startswith("lessons."):
                return Diagnosis(
                    "package-used",
                    f"Your answer calls dpcourse.{used}. The notebook's own functions are for looking.",
                    "Write what you need yourself, from what the exercise gives you.",
                )
            return Diagnosis(
                "package-used",
                f"Your answer uses dpcourse.{_public(str(used))}. Here you write this step yourself.",
                "Which definition of the lesson does it follow? Write that down, with NumPy, pandas or SciPy.",
            )
        except Exception as error:
            # A case that stumbles over an answer of the wrong kind: the student sees a sentence, not our traceback.
            return Diagnosis(
                "unusable",
                f"Your answer gave something this check could not use ({type(error).__name__}: {error}).",
                f"Compare the type and shape of what you return with the exercise. {called}".strip(),
            )
        return None


def _public(name: str) -> str:
    """The part of a name that a student may have written.

    >>> _public("mechanisms.additive.laplace.LaplaceMechanism.__post_init__")
    'mechanisms.additive.laplace.LaplaceMechanism'
    """
    return re.sub(r"\._.*", "", name)


def _times(calls: int) -> str:
    return {0: "read", 1: "called once, and did not return"}.get(calls, f"called {calls:,} times")


_UNANSWERED = Diagnosis("unanswered", "", "Replace the ... by your answer and run the cell again.")


def _not_an_answer(exercise: Exercise, answer: Any) -> Diagnosis | None:
    if answer is ... or answer is None or _is_stub(answer):
        return _UNANSWERED
    if exercise.call and not callable(answer) and not isinstance(answer, tuple | list | dict):
        return Diagnosis(
            "not-a-function",
            f"A function is wanted here, and this is {a(answer)}.",
            f"Pass the function itself, without brackets behind its name. It will be called as {exercise.call}.",
        )
    if not exercise.call and callable(answer):
        return Diagnosis(
            "not-a-value", "A value is wanted here, and this is a function.", "Call it, and pass what it returns."
        )
    return None


def _is_stub(answer: Any) -> bool:
    """Whether this is a `def` with an empty body (`...`, `pass` or a docstring), or one of several is."""
    if isinstance(answer, tuple | list):
        return any(_is_stub(member) for member in answer if callable(member))
    if not isinstance(answer, FunctionType):  # which no frame of pandas is, whose attributes are its labels
        return False
    code = answer.__code__
    steps = {(step.opname, step.argval) for step in dis.get_instructions(code)} - {("RESUME", 0), ("NOP", None)}
    empty = steps <= {("LOAD_CONST", None), ("RETURN_VALUE", None), ("RETURN_CONST", None)}
    return empty and code.co_name != "<lambda>"


def _raised(raised: AnswerRaised, called: str) -> Diagnosis:
    error = raised.error
    if isinstance(error, ValueError) and "read-only" in str(error):
        return Diagnosis(
            "changes-data",
            "Your function changes the data it is given; the next call would see other data.",
            "Work on a copy: np.sort(x) instead of x.sort(), x = x + 1 instead of x += 1.",
        )
    hint = called if isinstance(error, TypeError) else "Call it yourself on a small example."
    unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error)) if isinstance(error, TypeError) else None
    if unknown and f"{unknown[1]}" in called:
        hint = f"`{unknown[1]}` is passed by name, so a parameter of yours has to have just this name. {called}"
    if isinstance(error, ValueError) and "broadcast" in str(error):
        hint = "Print the shapes of the two arrays that meet there. Is one shorter where nobody is in some category?"
    return Diagnosis("raised", f"Your code stopped with {raised}.", hint)
