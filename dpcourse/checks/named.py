"""Names: other ones for those who take part, which an answer may know by heart, and words without a digit."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

_SYLLABLES = "ka lo mi ne ru sta ve zor ti pan".split()


def named(names: Sequence[str], rng: Generator, always: bool = False) -> dict[str, str]:
    """What each is called: half of the time as before, else (or always) by another name.

    The generator's draws stay as they are.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> named(("north", "east"), rng), named(("north", "east"), rng)
    ({'north': 'site 174', 'east': 'site 830'}, {'north': 'north', 'east': 'east'})
    """
    (own,) = rng.spawn(1)
    if own.random() < 0.5 and not always:
        return {name: name for name in names}
    kind, numbers = own.choice(("plant", "Werk", "site")), own.choice(1000, len(names), replace=False)
    return {name: f"{kind} {number}" for name, number in zip(names, numbers, strict=True)}


def word(number: int) -> str:
    """A word of three syllables for each number below a thousand.

    >>> word(7), word(142)
    ('kakazor', 'lorumi')
    """
    return "".join(_SYLLABLES[int(digit)] for digit in f"{number:03}")
