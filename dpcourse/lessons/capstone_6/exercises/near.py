"""Capstone 6.3: identifiers that are different, and that a point may take for one."""

from __future__ import annotations

from dpcourse.checks.diagnosis import Diagnosis

# Pairs whose digests begin, or end, with the same five bytes: SHA-256, SHA-512, SHA-1 and MD5.
HASHED_ALIKE = (
    ("781285894", "791279152"),
    ("301072211", "326867517"),
    ("075010347", "015437256"),
    ("712731647", "114732206"),
    ("404033230", "516536445"),
    ("059490944", "252954719"),
    ("755847763", "469107579"),
    ("367975045", "582756153"),
)
FEW_BITS = "How many different points are there, and how many pairs do 50,000 identifiers make?"


def near(one: str) -> list[str]:
    """An identifier, nine that differ from it in one digit each, and pairs whose hashes begin or end alike."""
    turned = [f"{one[:k]}{(int(one[k]) + 1) % 10}{one[k + 1 :]}" for k in range(len(one))]
    return list(dict.fromkeys([one, *turned, *(other for pair in HASHED_ALIKE for other in pair)]))


def as_one(ids: list[str], points: list[bytes], rows: list[int]) -> Diagnosis | None:
    """Whether two identifiers have the same point: of `near` ones, or of many."""
    owner: dict[bytes, str] = {}
    for point, row in zip(points, rows, strict=True):
        other = owner.setdefault(point, ids[row])
        if other != ids[row]:
            one, other = sorted((other, ids[row]))
            far = sum(a != b for a, b in zip(one, other, strict=True))
            ask = "Which part of the identifier does your point stand for?" if far <= 2 else FEW_BITS
            return Diagnosis(
                "two-as-one",
                f"Of {len(ids):,} identifiers at least two get the same point, {one} and {other}: they would be one "
                "customer.",
                ask,
            )
    return None
