"""The exercise of lesson 00 in which the student decides which releases give a person away."""

from __future__ import annotations

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, a

# Letter -> whether the release can make Boris certain, and what is said to somebody who decides otherwise.
RELEASES = {
    "A": (
        True,
        "A: Boris knows the rows of everybody else, so he can count them himself.",
        "What does he see when he subtracts his count from Mara's?",
    ),
    "B": (
        False,
        "B: any difference between the two days can come up whether Ana earns more or not.",
        "Is there a difference that only one of the two cases can produce?",
    ),
    "C": (
        True,
        "C: with the same seed both days have the same noise.",
        "What is left when Boris subtracts one day from the other?",
    ),
    "D": (
        True,
        "D: rounding is not random. Often it hides Ana, and sometimes it does not.",
        "Suppose the exact count of all the others is 1,204. What is published if Ana earns more, and what if not?",
    ),
    "E": (
        False,
        "E: setting a negative number to 0 does not look at the rows again.",
        "Is there a published number that only one of the two cases can produce?",
    ),
    "F": (
        True,
        "F: this noise has a largest value.",
        "Suppose the exact count of all the others is 1,204. Which numbers can come out if Ana earns more, and which "
        "if not?",
    ),
}
_FORM = 'Write the letters in a set: certain = {"A", "B"} says that A and B can make Boris certain.'


def decided(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The letters are those of the releases that can make Boris certain."""
    letters = list(answer.value) if isinstance(answer.value, str | set | frozenset | list | tuple) else None
    if letters is None:
        return Diagnosis("wrong-type", f"A set of letters is wanted, and this is {a(answer.value)}.", _FORM)
    letters = [letter.upper() if isinstance(letter, str) else letter for letter in letters]
    if strange := [letter for letter in letters if letter not in RELEASES]:
        return Diagnosis("wrong-type", f"There is no release {strange[0]!r}.", _FORM)
    for letter, (gives_away, seen, ask) in RELEASES.items():
        if (letter in letters) is not gives_away:
            return Diagnosis(letter, seen, ask)
    return None


DECISION = (decided,)
