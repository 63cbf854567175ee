"""The state of a PCG64 generator, as text."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from .messages import WireError
from .plain import short


def rng_state(rng: np.random.Generator) -> str:
    """Of a PCG64 generator, as text: it crosses with every result of a function that draws."""
    state: Any = rng.bit_generator.state
    inner = state["state"]
    return f"{inner['state']:x} {inner['inc']:x} {state['has_uint32']:x} {state['uinteger']:x}"


def generator(state: str) -> np.random.Generator:
    """One in this state. Its children follow from the state, as they would from the seed that does not cross."""
    seed = int.from_bytes(hashlib.sha256(short(state).encode(errors="replace")).digest()[:8], "big") // 2
    return set_rng_state(np.random.Generator(np.random.PCG64(seed)), state)


def set_rng_state(rng: np.random.Generator, state: str) -> np.random.Generator:
    whole, inc, has, left = (int(part, 16) for part in short(state).split(" "))
    if inc % 2 == 0:
        raise WireError("not the state of a generator: it would repeat itself, and rejection sampling never end")
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": whole, "inc": inc},
        "has_uint32": has,
        "uinteger": left,
    }
    return rng
