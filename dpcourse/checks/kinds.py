"""A whole ε may be written with a point or without: 2 and 2.0 give the same result."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dpcourse.checks.answers import Answer
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.kept import Call, Kept, alike, copied

MOST = 8  # calls that are asked again: noise of whole numbers is 0 in all of them with probability 0.002 or less


def with_or_without_a_point(answer: Answer, call: str, kept: Kept) -> Diagnosis | None:
    """Some of the calls again, with ε = 1 or 2: the same but for its type, so right answers give the same."""
    place = _place(call)
    if place is None:
        return None
    for path, one in list(kept)[:MOST]:
        if path or not isinstance(given := _epsilon(one, place), float):
            continue
        epsilon = 1 if given < 1.5 else 2
        results = [answer(*arguments, **keywords) for arguments, keywords in _written(one, place, epsilon)]
        if not alike(*results):
            seen = (
                f"Asked the same with `epsilon` as {epsilon} and as {epsilon}.0, and with generators of the same state,"
            )
            ask = "Which line looks at the type of `epsilon`?"
            return Diagnosis("whole-epsilon", f"{seen} your function gave two results.", ask)
    return None


def _place(call: str) -> int | None:
    """Which argument is called epsilon, where one is the generator.

    >>> _place("noisy_count(flags, epsilon, rng)"), _place("moved(mechanism, data)")
    (1, None)
    """
    names = re.findall(r"\w+", call.partition("(")[2])
    return names.index("epsilon") if {"epsilon", "rng"} <= set(names) else None


def _epsilon(call: Call, place: int) -> object:
    return call.keywords.get("epsilon", call.arguments[place] if place < len(call.arguments) else None)


def _written(call: Call, place: int, epsilon: int) -> Iterator[tuple[tuple, dict]]:
    for value in (epsilon, float(epsilon)):
        arguments, keywords = list(copied(call.arguments)), copied(call.keywords)
        if "epsilon" in keywords:
            keywords["epsilon"] = value
        else:
            arguments[place] = value
        yield tuple(arguments), keywords
