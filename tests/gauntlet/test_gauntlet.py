"""The auditor flags every bug and no repaired twin; it is told nothing but the mechanism, the neighbours and the claim.

False alarms: at 99.9% confidence a repaired twin is refuted with probability 1e-3 at most, each.
"""

import math

import pytest

from dpcourse.audit import audit
from dpcourse.gauntlet import EXHIBITS

NAMES = [exhibit.name for exhibit in EXHIBITS]
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.audit) for seed in range(1, 20))]


def judged(exhibit, mechanism, seed):
    return audit(
        mechanism, exhibit.data, exhibit.neighbour, claim=exhibit.claim, runs=exhibit.runs, confidence=0.999, rng=seed
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("exhibit", EXHIBITS, ids=NAMES)
def test_the_bug_is_flagged_and_its_repair_is_not(exhibit, seed):
    found = judged(exhibit, exhibit.broken, seed)
    assert found.violated, str(found)
    assert found.epsilon_lower <= exhibit.truth
    assert not judged(exhibit, exhibit.repaired, 1000 + seed).violated


def test_one_call_gives_one_output():
    """The auditor takes mechanisms without a batch form too."""
    exhibit = next(e for e in EXHIBITS if e.name == "sensitivity forgotten")
    plain = lambda data, rng: exhibit.broken(data, rng)  # noqa: E731
    assert judged(exhibit, plain, 5).violated


def test_every_exhibit_is_told_apart_by_name_and_says_where_it_comes_from():
    assert len(set(NAMES)) == len(EXHIBITS) >= 24
    for exhibit in EXHIBITS:
        assert exhibit.reference and exhibit.bug.endswith(".")
        assert exhibit.truth > exhibit.claim.epsilon and math.isfinite(exhibit.claim.epsilon)
        assert str(exhibit.claim) in str(exhibit)
