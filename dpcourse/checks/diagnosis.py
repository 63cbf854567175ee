"""What is wrong with an answer, in words: what was seen, and one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpcourse.checks.elsewhere import Elsewhere

MOST_WORDS = 2000  # characters of what is seen, and of what is asked


def cut(words: str) -> str:
    """Without its middle if it is very long: a diagnosis shows what an answer gave, which may be of any length.

    >>> cut(f"You return {'x' * 10**6}; right is 3.")[-20:]
    'xxxxxxx; right is 3.'
    """
    return words if len(words) <= MOST_WORDS else f"{words[: MOST_WORDS - 200]} … {words[-200:]}"


@dataclass(frozen=True)
class Diagnosis:
    """What is wrong with an answer.

    Parameters
    ----------
    key : str
        A short stable name of the mistake, for tests.
    seen : str
        What the check saw, with its numbers: one or two sentences.
    ask : str
        What to look at; a question is better than the solution.
    """

    key: str
    seen: str
    ask: str = ""

    def __post_init__(self) -> None:
        for name in ("seen", "ask"):
            object.__setattr__(self, name, cut(getattr(self, name)))

    def led_by(self, words: str) -> Diagnosis:
        """The same, of a part of the answer that these words name: "The count. "."""
        return Diagnosis(self.key, words + self.seen, self.ask)


class Refused(Exception):
    """What a case's helper raises when it sees at once what is wrong."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        super().__init__(diagnosis.seen)
        self.diagnosis = diagnosis


NOTHING = Diagnosis("returns-nothing", "Your function returns nothing (None).", "Is a `return` missing?")
TWICE = Diagnosis(
    "own-generator",
    "Asked twice the same, with generators of the same state, your function gave two results.",
    "Where else do your draws come from, or what does your function remember of earlier calls?",
)


def a(thing: Any) -> str:
    """Its type with an article: "an int", "a list"."""
    name = thing.of if isinstance(thing, Elsewhere) else type(thing).__name__
    return f"an {name}" if name[:1].lower() in tuple("aeio") or name == "ndarray" else f"a {name}"
