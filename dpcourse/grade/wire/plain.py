"""What is plain enough to cross as it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from .messages import WireError

DEEPEST = 40  # containers within one another
PLAIN = (bool, int, float, str)
LONGEST = 60  # letters of a class's name
KINDS = "biufcUS"  # of arrays that may cross
SCALARS = (np.float64, np.int64, np.bool_)  # what answers return most


def short(text: Any) -> str:
    if not isinstance(text, str) or len(text) > 2000:
        raise WireError("a number of more than 2,000 characters")
    return text
