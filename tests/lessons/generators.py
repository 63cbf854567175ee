"""Right answers whose draws come from elsewhere than the `rng` they are given: who knows where takes off the noise."""

import functools
import zlib

import numpy as np


def known_to_all(answer):
    """Every generator that is handed in is thrown away for one of the module's."""
    known = np.random.default_rng(42)
    return _instead(answer, lambda arguments: known)


def made_of_arguments(answer):
    """Each call has a generator of its own, seeded by what it is asked."""
    return _instead(answer, lambda arguments: np.random.default_rng(zlib.crc32(" ".join(map(str, arguments)).encode())))


def _instead(answer, other):
    @functools.wraps(answer)
    def wrapped(*arguments, **named):
        asked = [one for one in (*arguments, *named.values()) if not isinstance(one, np.random.Generator)]
        rng = other(asked)

        def instead(value):
            return rng if isinstance(value, np.random.Generator) else value

        return answer(*map(instead, arguments), **{name: instead(value) for name, value in named.items()})

    return wrapped
