"""Replies that raise, or would, when the server looks at them: refused, counted as zero, and the round goes on."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from dpcourse.federated import FederatedClient, FederatedServer, LocalTraining, Reply, run_rounds

D = 3
DATA = np.eye(D - 1), np.array([0, 1])


def spring(*args, **kwargs):
    raise RuntimeError("sprung")


def springs(*touches):
    return {f"__{touch}__": spring for touch in touches}


ClassTrap = type("ClassTrap", (), {"__class__": property(spring)})
ArrayTrap = type("ArrayTrap", (), springs("array"))
SequenceTrap = type("SequenceTrap", (), springs("len", "getitem", "iter"))
NameTrap = type("NameTrap", (str,), springs("eq", "ne", "hash", "str", "format"))
NumberTrap = type("NumberTrap", (int,), springs("eq", "ne", "float", "le", "format", "bool", "index"))
ReplyTrap = type("ReplyTrap", (Reply,), {"update": property(spring)})
LOOP: list = []
LOOP.append(LOOP)

PARTS = {
    "weight": {
        "huge": 10**400,
        "a huge fraction": Fraction(10**400, 3),
        "a fraction": Fraction(1, 3),
        "an array": np.ones(2),
        "number trap": NumberTrap(2),
        "class trap": ClassTrap(),
    },
    "round": {
        "an array": np.array([1, 2]),
        "empty": np.array([]),
        "a series": pd.Series([1, 2]),
        "a word": "1",
        "complex": 1 + 1j,
        "nothing": None,
        "huge": 10**5000,
        "NaN": np.nan,
        "number trap": NumberTrap(1),
        "class trap": ClassTrap(),
    },
    "client": {
        "an array": np.array(["bad", "good"]),
        "a series": pd.Series(["bad", "bad"]),
        "bytes": b"bad",
        "nothing": None,
        "name trap": NameTrap("bad"),
        "class trap": ClassTrap(),
    },
    "update": {
        "array trap": ArrayTrap(),
        "sequence trap": SequenceTrap(),
        "class trap": ClassTrap(),
        "traps inside": [ArrayTrap()] * D,
        "objects": np.full(D, None),
        "huge": [10**400] * D,
        "huge in long doubles": np.full(D, np.finfo(np.longdouble).max),
        "records": np.zeros(D, dtype=[("a", float)]),
        "dates": np.zeros(D, dtype="datetime64[s]"),
        "truths": np.zeros(D, dtype=bool),
        "a list of itself": LOOP,
        "a generator": (1.0 for _ in range(D)),
        "masked": np.ma.masked_array(np.full(D, np.nan), mask=True),
        "a matrix": np.ones((1, D)).view(np.matrix),
        "a trillion zeros": np.broadcast_to(0.0, 10**12),
    },
}
ANSWERS = {
    "class trap": ClassTrap(),
    "array trap": ArrayTrap(),
    "reply trap": object.__new__(ReplyTrap),
    "an empty reply": object.__new__(Reply),
}


def rounds(update):
    """The report of one round of a good client and this one, and the weights after it."""
    clients = [FederatedClient("good", DATA, LocalTraining()), FederatedClient("bad", DATA, update)]
    server = FederatedServer(np.zeros(D), clip_norm=0.5, noise_multiplier=0.3, total_weight=2)
    return run_rounds(server, clients, 1, rng=12)[0], server.weights


def refuses(answer):
    report, weights = rounds(lambda weights, data, rng: answer)
    _, without = rounds(lambda weights, data, rng: np.zeros(D))
    assert report.accepted == ("good",) and set(report.rejected) == {"bad"}
    assert report.rejected["bad"] in str(report)
    np.testing.assert_array_equal(weights, without)


# By name: pytest would look at the traps.


@pytest.mark.parametrize(("part", "kind"), [(part, kind) for part, kinds in PARTS.items() for kind in kinds])
def test_a_part_that_raises_is_refused(part, kind):
    refuses(Reply(**{"client": "bad", "round": 1, "update": np.ones(D), part: PARTS[part][kind]}))


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_that_raises_is_refused(kind):
    refuses(ANSWERS[kind])


@pytest.mark.parametrize("round", [1, 1.0, np.int64(1), np.float32(1)])
def test_any_real_number_may_name_the_round(round):
    assert "bad" in rounds(lambda weights, data, rng: Reply(np.str_("bad"), round, np.ones(D), Fraction(2)))[0].accepted
