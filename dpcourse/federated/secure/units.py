"""What one record is in a sum of rounded vectors: a whole client, or one of the records that a client adds up."""

from __future__ import annotations

import math

from dpcourse.privacy import arguments

_UNITS = {
    "client": "a record is one client's vector",
    "record": "a record is one of those that a client adds up to its vector",
}


def check_unit(unit: str) -> str:
    """`unit` if it is "client" or "record"."""
    if not isinstance(unit, str) or unit not in _UNITS:
        raise ValueError(f'unit must be "client" or "record", got {unit!r}')
    return unit


def condition(unit: str, clients: int) -> str:
    """What a claim about the sum rests on."""
    return (
        f"{_UNITS[unit]}, that the client takes part is public, and at least {clients} of "
        "those in the sum keep their noise to themselves"
    )


def steps_sensitivity(clip: float, scale: float, dimension: int, *, unit: str = "client", norm: int = 2) -> float:
    """How far one record moves the sum of rounded vectors, in steps of 1/scale.

    Rounding to the nearest moves a coordinate by at most half a step. A client's vector of norm at most `clip` is
    rounded once, and its neighbour is a vector of zeros: clip · scale + √dimension/2 in the L2 norm. A record inside a
    client's vector makes the difference between two rounded vectors, which may be rounded apart: clip · scale +
    √dimension. In the L1 norm the two are clip · scale + dimension/2 and clip · scale + dimension, rounded down, since
    the vectors are whole.

    Integers (counts) at a whole scale are not rounded: there the sensitivity is clip · scale for both.

    Parameters
    ----------
    clip : float
        The largest norm of a client's vector, or of what one record adds to it.
    scale : float
        Steps per unit.
    dimension : int
    unit : {"client", "record"}
    norm : {1, 2}

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> steps_sensitivity(clip=1.0, scale=1000, dimension=64)
    1004.0
    >>> steps_sensitivity(clip=1.0, scale=1000, dimension=64, unit="record")
    1008.0
    """
    dimension = arguments.integer("dimension", dimension, minimum=1)
    if norm not in (1, 2):
        raise ValueError(f"norm must be 1 or 2, got {norm!r}")
    nominal = arguments.positive("clip", clip) * arguments.positive("scale", scale)
    if math.isinf(nominal):
        raise ValueError(f"clip · scale must fit a float, got {clip!r} · {scale!r}")
    rounding = (dimension if norm == 1 else math.sqrt(dimension)) / (2 if check_unit(unit) == "client" else 1)
    return float(math.floor(nominal + rounding)) if norm == 1 else nominal + rounding
