"""One message: its lengths, JSON, and buffers."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

LARGEST = 64 * 2**20  # bytes of one message
MOST_PARTS = 2**20  # lists in it, each of which is ninety bytes or more when it is read
_JSON = json.JSONEncoder(separators=(",", ":"), check_circular=False)  # `Encoder` has copied it, and stops in the deep


class WireError(Exception):
    """What came over the wire is not of this form, or too large."""


def pack(message: Any, buffers: list[bytes]) -> bytes:
    """One message as bytes."""
    text = _JSON.encode(message).encode()
    size = len(text) + sum(map(len, buffers))
    if size > LARGEST:
        raise WireError(f"{size:,} bytes are more than {LARGEST:,}")
    return b"".join([struct.pack("<II", len(text), size), text, *buffers])


def unpack(read: Callable[[int], bytes]) -> tuple[Any, memoryview]:
    """The next message, and the buffers of its arrays."""
    text, size = struct.unpack("<II", read(8))
    if not text <= size <= LARGEST:
        raise WireError(f"a message of {size:,} bytes")
    body = read(size)
    if body.count(b"[", 0, text) + body.count(b"{", 0, text) > MOST_PARTS:
        raise WireError(f"a message of more than {MOST_PARTS:,} parts")
    try:
        return json.loads(body[:text]), memoryview(body)[text:]
    except (ValueError, RecursionError) as error:
        raise WireError(f"not JSON: {error}") from None
