"""One call in the forms in which people write it.

A number may be Python's or NumPy's. An array may own its memory, be a view, or lie in it with gaps, column by column or
from its end. A generator may come from the seed 0 or from one of forty digits, be another's child, have given half of
its last word already, have just been made, or be of another kind than `np.random.default_rng` makes, and it may come by
its name or in its place. None of this may change what an answer is: so it is changed from call to call, for an answer
could tell by it that a check asks.

The grader's worker has this file beside it: it imports nothing of the package.
"""

from __future__ import annotations

import functools
import inspect
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, Generator, Philox, SeedSequence

KINDS: tuple[Callable[[int], Any], ...] = (PCG64, MT19937, Philox, SFC64, PCG64DXSM)
SCALARS = {float: np.float64, bool: np.bool_}
SHIFTS = (0, 48, 97, 97)  # bits that a seed has not of its 128: half have 31 or fewer, as people write them
SMALL = 2**15  # two of them may be multiplied in 32 bits
NUMBERS = {bool, int, float, type(None), np.float64, np.int64, np.bool_}  # most members of most lists
FLAT = {*NUMBERS, str}
LARGE = 2**20  # bytes of an array that is laid out anew in one of sixteen calls only


def call(function: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """What the function gives; half of the calls with a generator take a form that follows from the generator's state.

    Without a generator half of the arrays do, by what they hold. The form is the same for the same state. Lists, dicts,
    sets and arrays that may be written to are copies: what the function does to them, the check does not take for the
    data. What is done to the generator is done to the one that was given. Distributions stay what they are; sums of
    numbers may differ in their last bits.
    """
    rng = next((value for value in (*arguments, *keywords.values()) if type(value) is Generator), None)
    arguments, keywords = [_kept(value) for value in arguments], {key: _kept(keywords[key]) for key in keywords}
    if rng is None:
        return function(*map(_laid_out, arguments), **{key: _laid_out(value) for key, value in keywords.items()})
    if type(rng.bit_generator) is not PCG64:
        return function(*arguments, **keywords)
    word = int(rng.bit_generator.state["state"]["state"] >> 64)
    if word & 1:
        return function(*arguments, **keywords)
    return _formed(function, arguments, keywords, rng, word >> 1)


def _formed(function: Callable[..., Any], placed: list[Any], named: dict[str, Any], rng: Generator, word: int) -> Any:
    other = _generator(rng, word)
    places: tuple[Any, ...] = (placed, range(len(placed))), (named, list(named))
    for values, keys in places:
        for key in keys:
            value = values[key]
            if value is rng:
                values[key] = other
            elif type(value) in SCALARS and word & 1:
                values[key] = SCALARS[type(value)](value)
            elif type(value) is np.ndarray:
                values[key] = _array(value, word >> 1)
    if word & 2 and named.keys() == {"rng"} and _takes(function, len(placed) + 1):
        placed.append(named.pop("rng"))
    try:
        return function(*placed, **named)
    finally:
        if _draws_the_same(word):
            rng.bit_generator.state = other.bit_generator.state


def _kept(value: Any) -> Any:
    """Another one that holds the same, all the way down; things that are no plain containers stay what they are."""
    if type(value) is np.ndarray:
        return value.copy() if value.flags.writeable else value
    if type(value) is dict:
        return {key: _kept(held) for key, held in value.items()}
    if type(value) in (list, tuple):
        return value[:] if FLAT.issuperset(map(type, value)) else type(value)(map(_kept, value))
    return value.copy() if type(value) is set else value


def _generator(rng: Generator, word: int) -> Generator:
    """One that draws the same, or from the same law: of some seed, a child, with half a word left, new, of any kind."""
    if _draws_the_same(word):
        # Its children come after many others, so that those of equal small seeds differ.
        whole = rng.bit_generator.state["state"]["state"]
        seed, children = whole >> (word & 31) + SHIFTS[word >> 5 & 3], word >> 20 & 0xFFFFFFFF
        family = (word >> 52,) if word >> 4 & 1 else ()
        same = Generator(PCG64(SeedSequence(seed, spawn_key=family, n_children_spawned=children)))
        same.bit_generator.state = rng.bit_generator.state
        return same
    raw = rng.bit_generator.random_raw()
    if (word >> 2) % 3 == 1:
        rng.bit_generator.state = {**rng.bit_generator.state, "has_uint32": 1, "uinteger": raw & 0xFFFFFFFF}
        return rng
    return Generator(KINDS[(word >> 4) % len(KINDS)](raw))


def _laid_out(value: Any) -> Any:
    """Half of all arrays in another layout, the same for the same numbers, which stay as wide as they are."""
    if type(value) is not np.ndarray or value.dtype.kind not in "biuf":
        return value
    word = zlib.crc32(value.flat[:16].tobytes(), value.size)
    return _array(value, word >> 1 | 3 << 12) if word & 1 else value


def _draws_the_same(word: int) -> bool:
    return (word >> 2) % 3 == 0


def _array(value: np.ndarray, word: int) -> np.ndarray:
    """A view: as it is, with gaps, from the end; or a copy column by column that may be written to.

    Small whole numbers may have half as many bits.
    """
    form = (word >> 4) % 4
    if value.dtype == np.int64 and not word >> 12 & 3 and np.abs(value).max(initial=0) < SMALL:
        value, locked = value.astype(np.int32), not value.flags.writeable
        value.flags.writeable = not locked
    if form == 0 or value.nbytes > LARGE and word >> 8 & 15:
        return value[...]
    if form == 1:
        wide = np.empty((*value.shape, 2), value.dtype)
        wide[..., 0] = value
        wide.flags.writeable = value.flags.writeable
        return wide[..., 0]
    if form == 2:
        from_its_end = np.flip(np.flip(value).copy())
        from_its_end.flags.writeable = value.flags.writeable
        return from_its_end
    return np.array(value, order="F")


@functools.lru_cache(maxsize=64)
def _binds(function: Callable[..., Any], many: int) -> bool:
    try:
        inspect.signature(function).bind(*range(many))
    except (TypeError, ValueError):  # takes another number of arguments, or does not say
        return False
    return True


def _takes(function: Callable[..., Any], many: int) -> bool:
    """Whether it can be called with so many arguments in their places."""
    try:
        return _binds(function, many)
    except TypeError:  # a function that has no hash
        return False
