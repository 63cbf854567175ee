"""How an exercise calls its noise, in what is said of a release."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """How an exercise calls things.

    Parameters
    ----------
    scale : str
        The right scale of the noise, as the exercise writes it.
    unit : str
        What errors are measured in, such as " people"; with `of`, errors are in units of the sensitivity, which it
        names: "max(|L|, |U|)".
    cell, draw : str
        One number of several, and how noise of its own is drawn for each: "group", "size=k".
    too_much, too_little, from_data : str
        The question asked of whose noise is too wide, too narrow, or follows the data.
    empty, shared : str
        The question asked where a number that nobody is in has no noise, or where all share one draw.
    check_truth : str
        What to do where the result is wrong before any noise.
    """

    scale: str = "1/ε"
    unit: str = ""
    of: str = ""
    cell: str = "count"
    draw: str = "size=k"
    too_much: str = ""
    too_little: str = ""
    from_data: str = ""
    empty: str = ""
    shared: str = ""
    check_truth: str = "Leave the noise out, and work out five records by hand. What comes out?"
