"""Capstone 6.3: five banks find the customers they share, and a list tells nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_6.design import MOST, PRIME
from dpcourse.lessons.capstone_6.exercises.near import as_one, near
from dpcourse.lessons.capstone_6.exercises.office import alike, compares
from dpcourse.lessons.capstone_6.exercises.orders import calls, follow, short
from dpcourse.lessons.capstone_6.numbers import LOW_ORDER, on_curve

PARTS = ("start", "again", "common")
NOT_REPEATABLE = Diagnosis(
    "not-repeatable",
    "The same identifiers under the same key give other points. Two banks never find a common customer so.",
    "A point depends on the identifier and on the key. What else does yours depend on?",
)
IDS = 60  # a hash without the test is on the curve every time with 2^−60


def some_ids(rng: np.random.Generator, size: int) -> list[str]:
    """Different identifiers of nine digits."""
    return [f"{one:09}" for one in rng.choice(10**9, size, replace=False)]


def sent(answer: Answer, ids: list[str], key: bytes) -> tuple[list[bytes], list[int]]:
    """What `start` returns: points of 32 bytes, and the rows that they stand for, each identifier once."""
    given = answer.part(0)(list(ids), key)
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise Refused(Diagnosis("wrong-shape", f"`start` returns {a(given)}; (points, rows) is wanted."))
    points, rows = _points(given[0], "start"), [int(row) for row in given[1]]
    if any(int.from_bytes(one, "little") >= PRIME for one in points):
        seen = "Your `start` sends a point whose coordinate is P or more: the same point as one below P."
        raise Refused(Diagnosis("too-large", seen, "`exchange` returns none. What do you change in its result?"))
    if len(points) != len(rows):
        raise Refused(Diagnosis("wrong-shape", f"`start` returns {len(points)} points and {len(rows)} rows."))
    if sorted(rows) != sorted({one: row for row, one in reversed(list(enumerate(ids)))}.values()):
        raise Refused(
            Diagnosis(
                "rows",
                f"For {len(ids)} identifiers, {len(set(ids))} of them different, your rows are {sorted(rows)[:8]}"
                + ("…" if len(rows) > 8 else "."),
                "points[i] stands for ids[rows[i]]. Of two rows with one identifier the first counts. Which rows are "
                "left?",
            )
        )
    return points, rows


def _points(given: Any, name: str) -> list[bytes]:
    plain = isinstance(given, list | tuple) and all(isinstance(one, bytes | bytearray) for one in given)
    points = [bytes(one) for one in given] if plain else []
    if not plain or any(len(one) != 32 for one in points):
        raise Refused(Diagnosis("wrong-type", f"`{name}` returns {a(given)}; a list of points of 32 bytes is wanted."))
    return points


def starts(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What a bank sends first: on the curve, different under every key, in an order that nobody knows."""
    if not isinstance(answer.value, tuple | list) or len(answer.value) != len(PARTS):
        return Diagnosis("wrong-shape", f"({', '.join(PARTS)}) is wanted, and this is {a(answer.value)}.")
    ids = some_ids(chance.rng, IDS)
    keys = [chance.rng.bytes(32) for _ in range(2)]
    (one, rows), (two, other_rows) = (sent(answer, ids, key) for key in keys)
    if set(one) & set(two):
        return Diagnosis(
            "not-blinded",
            "Under two different keys your `start` sends the same points. So anybody can hash guessed identifiers and "
            "compare: there are only 10⁹.",
            "Where does the key enter?",
        )
    if wrong := _whole_key(answer, ids[:4], keys[0], chance.rng):
        return wrong
    if set(sent(answer, ids, keys[0])[0]) != set(one):
        return NOT_REPEATABLE
    outside = sum(not on_curve(int.from_bytes(point, "little")) for point in one)
    if outside:
        return Diagnosis(
            "twist",
            f"{outside} of {IDS} points are not on the curve but on its twist, and stay there however often they are "
            "blinded. That is one bit of each identifier, for everybody who sees the list (6.2).",
            "Which points does your loop let through? Hash again, with a counter, until `on_curve` says True.",
        )
    if alike(_ranks(rows), _ranks(other_rows)):
        return Diagnosis(
            "order-known",
            "Under two keys your points come in the same order of identifiers, or nearly. An order that does not "
            "depend on anything secret tells who stands where: between 483920175 and 483920181 are only five others.",
            "Which order does not follow from the identifiers? Sort what is blinded, or draw one with `secrets`.",
        )
    if wrong := _short(answer, chance):
        return wrong
    alike_ids = near(ids[0])
    if wrong := as_one(alike_ids, *sent(answer, alike_ids, keys[0])):
        return wrong
    twice = [*ids[:5], ids[0], ids[3]]
    sent(answer, twice, keys[0])  # rows are compared there
    try:
        empty = sent(answer, [], keys[0])
    except AnswerRaised as raised:
        return Diagnosis(
            "empty-raises", f"For a bank without customers `start` stops with {raised}.", "What does such a bank send?"
        )
    return None if empty == ([], []) else Diagnosis("rows", "A bank without customers sends points.")


def _whole_key(answer: Answer, ids: list[str], key: bytes, rng: np.random.Generator) -> Diagnosis | None:
    """Keys that differ in one bit of the middle 30 bytes, all of which X25519 reads, give other points."""
    points = set(sent(answer, ids, key)[0])
    for least, most in ((1, 2), (2, 16), (16, 31)):
        place, other = int(rng.integers(least, most)), bytearray(key)
        other[place] ^= 1 << int(rng.integers(8))
        if points & set(sent(answer, ids, bytes(other))[0]):
            return Diagnosis(
                "part-of-key",
                f"Two keys that differ in byte {place} alone, of 0 to 31, give the same points in your `start`. The "
                "less of a key counts, the fewer keys have to be tried until the list can be read.",
                "Which bytes of the key does your function use?",
            )
    return None


def _short(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The same short list under different keys, until one order in all of them says that it is kept."""
    for size in short(chance.rng):
        ids, many = some_ids(chance.rng, size), calls(size, failure := chance.failure / 16)
        if follow([_ranks(sent(answer, ids, chance.rng.bytes(32))[1]) for _ in range(many)], failure):
            return Diagnosis(
                "order-known",
                f"Under {many} keys your points of {size} identifiers come in the same order, or nearly: it does not "
                "depend on anything secret.",
                "In a list of 60 it does. What is different in a short one?",
            )
    return None


def _ranks(rows: list[int]) -> np.ndarray:
    """Where each row stands."""
    return np.argsort(rows)


def continues(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Blinding commutes and keeps the order; a list that no honest bank sends is refused.

    Whoever blinds a list on has not seen its owner's identifiers, and cannot tell by their places which points of two
    lists belong together.
    """
    rng, ids, elsewhere = chance.rng, some_ids(chance.rng, 12), some_ids(chance.rng, 4)
    keys = [rng.bytes(32) for _ in range(3)]
    begun = [sent(answer, ids, key) for key in (keys[0], keys[-1])]
    before = sent(answer, elsewhere, keys[0])[0]
    answer.renew()
    if set(sent(answer, elsewhere, keys[0])[0]) != set(before):
        return NOT_REPEATABLE
    again, twice = answer.part(1), []
    for (points, rows), others in zip(begun, (keys[1:], keys[-2::-1]), strict=True):
        order = rng.permutation(len(points))
        points, rows = [points[i] for i in order], [rows[i] for i in order]
        done = points
        for other in others:
            given = again(list(done), other)
            if given is None:
                return Diagnosis("refuses-all", "An honest list is refused by your `again`.")
            done = _points(given, "again")
            if len(done) != len(points):
                return Diagnosis("wrong-shape", f"`again` returns {len(done)} points of {len(points)}.")
        twice.append({ids[row]: point for row, point in zip(rows, done, strict=True)})
    if twice[0] != twice[1]:
        moved = set(twice[0].values()) == set(twice[1].values())
        return Diagnosis(
            "order-lost" if moved else "not-commuting",
            "Blinded by three keys, one identifier gives different points, depending on which key came first."
            + (" The points are the same, but stand elsewhere in the list." if moved else ""),
            "The owner finds its customers by their place. At which place of your result is points[i], blinded?"
            if moved
            else "Is a point hashed again, or blinded by something else than `key`?",
        )
    long = (f"more than {MOST:,} points", "too-many", _Long(points))
    if wrong := _taken(again, [*_strange(points, rng), long], keys[0]):
        return wrong
    given = again([], keys[0])
    if given is None or len(given):
        seen = "For an empty list your `again` does not return an empty list."
        return Diagnosis("refuses-all", seen, "What does a bank without customers send, and is it honest?")
    return _by_x25519(answer, rng)


def _taken(again: Answer, lists: list[tuple[str, str, list[bytes]]], key: bytes) -> Diagnosis | None:
    """Whether one of these lists, which no honest bank sends, is not refused."""
    for what, name, strange in lists:
        try:
            given = again(list(strange), key)
        except AnswerRaised as raised:
            return Diagnosis(
                f"{name}-raises",
                f"A bank sends {what}, and `again` stops with {raised}.",
                "No honest bank sends such a list. What does the task want then?",
            )
        if given is not None and len(given) == 0:
            return Diagnosis(
                "empty-list",
                f"A bank sends {what}, and `again` returns an empty list. The next bank would go on with it.",
                "How does the task want a list to be refused?",
            )
        if given is not None:
            return Diagnosis(
                name,
                f"A bank sends {what}, and `again` answers all the same.",
                "No honest bank sends such a list. What does the task want then?",
            )
    return None


def _by_x25519(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """Points that come from elsewhere are blinded on as X25519 does, and so are those of `start` by others' keys."""
    keys, ids = [rng.bytes(32) for _ in range(2)], some_ids(rng, 6)
    for size in (whole(rng, 4, 8), 3, 2, 1):
        theirs = _on_curve(rng, size)
        given = answer.part(1)(list(theirs), keys[0])
        if given is None:
            return Diagnosis(
                "refuses-all", f"A list of {size} points that are on the curve is refused by your `again`."
            )
        if _points(given, "again") != [_exchanged(point, keys[0]) for point in theirs]:
            return Diagnosis(
                "not-x25519",
                f"Given a list of {size} that another bank sends, your `again` returns other points than X25519 does "
                "under this key.",
                "What does `exchange` give for a point and a key? Which other way do you use?",
            )
    both = []
    for key, other in (keys, keys[::-1]):
        points, rows = sent(answer, ids, key)
        both.append({ids[row]: _exchanged(point, other) for point, row in zip(points, rows, strict=True)})
    if both[0] == both[1]:
        return None
    return Diagnosis(
        "not-x25519",
        "The points of your `start`, blinded on by X25519 under another bank's key, are not those that the other bank "
        "starts with, blinded on under yours.",
        "Hash the identifier to a point, and blind that: is it `exchange` that your `start` blinds with?",
    )


def _on_curve(rng: np.random.Generator, size: int) -> list[bytes]:
    points: list[bytes] = []
    while len(points) < size:
        point = (int.from_bytes(rng.bytes(32), "little") % PRIME).to_bytes(32, "little")
        points += [point] if on_curve(int.from_bytes(point, "little")) else []
    return points


def _exchanged(point: bytes, key: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(key).exchange(X25519PublicKey.from_public_bytes(point))


def _strange(points: list[bytes], rng: np.random.Generator) -> list[tuple[str, str, list[bytes]]]:
    """Lists that no honest bank sends, by what is wrong with them: among the last points, where they are many."""
    place = len(points) - 1 - int(rng.integers(min(len(points), 12)))

    def with_(point: bytes) -> list[bytes]:
        return [*points[:place], point, *points[place + 1 :]]

    disguised = bytearray(points[place])
    disguised[31] |= 128  # the curve's arithmetic ignores this bit
    named = {u: f"a point of low order, u = {u if u < 2 else f'{u:.3g}'}" for u in LOW_ORDER}
    low = [(what, "low-order", with_(u.to_bytes(32, "little"))) for u, what in named.items()]
    return [
        *low,
        ("a point of 31 bytes", "length", with_(points[place][:31])),
        ("one point twice", "repeated", [*points, points[place]]),
        ("one point twice, the second time with its highest bit set", "disguised", [*points, bytes(disguised)]),
        ("a point with its highest bit set", "too-large", with_(bytes(disguised))),
        ("a coordinate of P or more", "too-large", with_((PRIME + int(rng.integers(2, 19))).to_bytes(32, "little"))),
    ]


class _Long(list):  # a long list of different points, without the time to make one
    def __init__(self, points: list[bytes]) -> None:
        base = int.from_bytes(points[0], "little") >> 20 << 20
        super().__init__(((base + k) % PRIME).to_bytes(32, "little") for k in range(MOST + 1))


def in_numbers(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A list as long as the pilot's: every identifier has the point that it has in a shorter one, and is blinded on.

    A bank has 25,000 customers in the plan. That takes eight times as long, so no list here is longer. Some identifiers
    stand there twice. Of the points some hundred are sent on with a strange one among the last, and a thousand or more
    with one that stands there twice.
    """
    rng = chance.rng
    ids, (key, other) = some_ids(rng, size := whole(rng, 3000, 3010)), (rng.bytes(32) for _ in range(2))
    few = [ids[row] for row in rng.permutation(size)[: whole(rng, 2, 12)]]
    points, rows = sent(answer, [*ids, *ids[: whole(rng, 1, 7)][::-1]], key)
    if wrong := as_one(ids, points, rows):
        return wrong
    known = {few[row]: point for point, row in zip(*sent(answer, few, key), strict=True)}
    where = f"In a list of {size:,} identifiers"
    if any(known.get(ids[row], point) != point for point, row in zip(points, rows, strict=True)):
        seen = f"{where} your `start` gives one another point than in a list of {len(few)}, under the same key."
        ask = "A point follows from the identifier and the whole key. Which key blinds the long list?"
        return Diagnosis("not-blinded", seen, ask)
    if any(alike(_ranks(rows), one) for one in (np.arange(size), np.argsort(np.argsort(ids)))):
        seen = f"{where} the points stand in the order of the identifiers, or nearly."
        return Diagnosis("order-known", seen, "In shorter lists they do not. What orders them here?")
    given = answer.part(1)(list(points), other)
    done = [] if given is None else _points(given, "again")
    places = rng.permutation(size)[:20]
    if len(done) != size or any(done[place] != _exchanged(points[place], other) for place in places):
        seen = f"Of a list of {size:,} points your `again` does not return each blinded by `exchange`, in its order."
        return Diagnosis("not-x25519", seen, "In shorter lists it does. What is different in a long one?")
    some, more = points[: whole(rng, 100, 200)], points[: whole(rng, 1050, 2000)]
    for sent_on, lists in (
        (some, _strange(some, rng)),
        (more, [("one point twice", "repeated", [*more, more[-1 - int(rng.integers(12))]])]),
    ):
        if wrong := _taken(answer.part(1), lists, other):
            return wrong.led_by(f"In a list of {len(sent_on):,}: ")
    return None


MEETING = (starts, continues, compares, in_numbers)
