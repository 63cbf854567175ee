"""What a wrong result may be of the right one: a factor, its opposite, its root. Who is told so finds the step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# What the answer may be of the right result: seen, the question, the key, the relation.
_FACTOR = "Where does a factor of {} come from, or where did it get lost?"
RELATIONS: tuple[tuple[str, str, str, Callable[[Any], Any]], ...] = (
    *(
        (f"{name} the right result", _FACTOR.format(name.removesuffix(" of")), "constant-factor",
         lambda x, f=factor: f * x)
        for name, factor in (
            ("2 times", 2.0), ("half", 0.5), ("4 times", 4.0), ("a quarter of", 0.25), ("√2 times", math.sqrt(2)),
            ("1/√2 of", math.sqrt(0.5)), ("100 times", 100.0), ("a hundredth of", 0.01), ("π times", math.pi),
        )
    ),
    ("the right result with its sign turned", "Which of the two comes first in the difference?", "sign", lambda x: -x),
    ("the absolute value of the right result", "May the result be negative? Where is an abs()?", "absolute", np.abs),
    ("1 divided by the right result", "Which of the two belongs on top of the fraction?", "upside-down",
     lambda x: 1 / x),
    ("1 minus the right result", "Is this the probability of the event, or of its opposite?", "complement",
     lambda x: 1 - x),
    ("1 more than the right result", "What is counted once too often?", "one-too-many", lambda x: x + 1),
    ("1 less than the right result", "What is left out of the count?", "one-too-few", lambda x: x - 1),
    ("the square of the right result", "Is a root missing?", "root-missing", np.square),
    ("the square root of the right result", "Is there a root too many?", "root-too-many", np.sqrt),
    ("the logarithm of the right result", "Is the result wanted, or its logarithm?", "logarithm", np.log),
    ("e to the power of the right result", "Is a logarithm missing?", "logarithm-missing", np.exp),
    ("the right result divided by the natural logarithm of 2", "Which base has your logarithm?", "base-two",
     lambda x: x / math.log(2)),
    ("the right result divided by the natural logarithm of 10", "Which base has your logarithm?", "base-ten",
     lambda x: x / math.log(10)),
    ("the right result in reverse order", "In which order are the results wanted?", "reversed",
     lambda x: x[::-1] if np.ndim(x) else np.nan),
    ("the right result, sorted", "In which order are the results wanted?", "sorted",
     lambda x: np.sort(x) if np.ndim(x) == 1 else np.nan),
)  # fmt: skip

NAMED = {key for _, _, key, _ in RELATIONS} | {"all-zero", "arguments-exchanged", "argument-ignored", "constant-result"}


def holding(pairs: Sequence[tuple[np.ndarray, Any]], same: Callable[[Any, Any], bool]) -> tuple[str, str, str] | None:
    """The relation that holds for all pairs of a result and the right one: what is seen, the question, the key."""

    def all_are(of: Callable[[Any], Any]) -> bool:
        with np.errstate(all="ignore"):
            return all(same(got, of(np.asarray(wanted, dtype=float))) for got, wanted in pairs)

    if all_are(lambda x: 0 * x):
        return "It is 0 on all inputs tried.", "Which of the arguments should it depend on, and how?", "all-zero"
    for seen, ask, key, of in RELATIONS:
        if all_are(of):
            return f"On all {len(pairs)} inputs tried it is {seen}.", ask, key
    return None
