"""The sealed mechanisms: what is broken is refuted, what is not is not, and nothing tells them apart from outside."""

import numpy as np
import pytest

from dpcourse.audit import audit
from dpcourse.gauntlet.sealed import seal


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=pytest.mark.audit) for s in range(1, 100))])
def test_an_audit_opens_every_seal(seed):
    """At 1 − 1e-8 each, so that a correct one is accused in one box of ten million."""
    sealed, open_seals = seal(seed)
    verdicts = {
        m.name: audit(m, m.data, m.neighbour, claim=m.claim, runs=4000, confidence=1 - 1e-8, rng=seed).violated
        for m in sealed
    }
    assert verdicts == open_seals()


def test_a_box_tells_nothing_from_outside():
    boxes = [seal(seed) for seed in range(30)]
    assert {sum(open_seals().values()) for _, open_seals in boxes} == {3, 4, 5}
    assert len({tuple(open_seals().values()) for _, open_seals in boxes}) > 20
    for sealed, open_seals in boxes:
        assert [m.name for m in sealed] == list(open_seals()) == list("ABCDEFGH")
        for mechanism in sealed:
            assert repr(mechanism) == f"<Sealed mechanism {mechanism.name}: claims {mechanism.claim}>"
            assert not hasattr(mechanism, "__dict__")


def test_one_call_gives_one_output():
    for mechanism in seal(3)[0]:
        output = mechanism(mechanism.data, np.random.default_rng(0))
        many = mechanism.batch(mechanism.data, 5, np.random.default_rng(0))
        assert len(many) == 5 and np.shape(output) == np.shape(many[0])


def test_whoever_knows_the_generator_does_not_know_the_draws():
    for mechanism in seal(4)[0]:
        kept = mechanism.behind(7)
        one, again, before = (repr(list(m.batch(m.data, 5, np.random.default_rng(1)))) for m in (kept, kept, mechanism))
        assert one == again and repr(kept) == repr(mechanism) and kept.claim is mechanism.claim
        if one != repr([None] * 5):
            assert len({one, before, repr(list(mechanism.behind(8).batch(kept.data, 5, np.random.default_rng(1))))}) > 1


def test_the_next_draws_are_others():
    mechanism, rng = seal(4)[0][0].behind(7), np.random.default_rng(1)
    assert repr(mechanism.batch(mechanism.data, 50, rng)) != repr(mechanism.batch(mechanism.data, 50, rng))
