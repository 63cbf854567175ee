"""What crosses between the grader and a student's process: JSON and plain arrays, never pickle.

This room is used on both sides, so it imports nothing of the package. A message is four bytes of length, JSON, and the
buffers of its arrays. Whatever is neither data nor a generator (a function, an object) stays where it is and crosses as
a handle.
"""

from .decoder import Decoder
from .encoder import Encoder
from .generators import generator, rng_state, set_rng_state
from .messages import LARGEST, WireError, pack, unpack

__all__ = [
    "LARGEST",
    "Decoder",
    "Encoder",
    "WireError",
    "generator",
    "pack",
    "rng_state",
    "set_rng_state",
    "unpack",
]
