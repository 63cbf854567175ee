"""A search is given no pair, finds most bugs of the gauntlet, and accuses no right mechanism more often than said."""

import time

import numpy as np
import pytest
from scipy import stats

from dpcourse.audit import Generated, Records, Scores, number_between, one_of, search_neighbours
from dpcourse.datasets.schema import Categorical, Numeric, Schema
from dpcourse.gauntlet import EXHIBITS
from dpcourse.local import RandomizedResponse
from dpcourse.mechanisms.sampling import discrete_laplace
from dpcourse.privacy import Guarantee, Neighbours
from tests.pace import in_time

RUNS = 100_000
QUICK = {
    "sensitivity forgotten", "bounds read from the data", "NaN passes the clip", "two answers' coin for four answers",
    "sparse vector without noise on the queries", "exponential mechanism overflows", "best of five tuning runs",
}  # fmt: skip


def test_quick_exhibits_are_exhibits():
    assert QUICK <= {exhibit.name for exhibit in EXHIBITS}


@pytest.mark.parametrize("exhibit", [e for e in EXHIBITS if e.name in QUICK], ids=lambda exhibit: exhibit.name)
def test_a_bug_is_found_without_a_pair_and_its_repair_is_not_accused(exhibit):
    """False alarms: a repaired twin is refuted with probability 1e-3 at most, each."""
    found = search_neighbours(exhibit.broken, exhibit.datasets, claim=exhibit.claim, runs=RUNS, rng=0)
    assert found.violated and found.runs <= RUNS, str(found)
    assert not search_neighbours(exhibit.repaired, exhibit.datasets, claim=exhibit.claim, runs=RUNS, rng=1).violated


@pytest.mark.audit
@pytest.mark.parametrize("seed", range(5))
def test_most_of_the_gauntlet_is_found_without_a_pair(seed):
    """All 27, 100,000 runs and two minutes each at most; the 27 twins are accused with probability 2.7% at most.

    Not found with every seed: "deviation for variance" and "microbatch accounted as an example", which need 60,000 and
    200,000 runs a side on a good pair to be found by nearly all audits, and "split at the data's own median", which
    shows on datasets with ties at the median only.
    """
    missed = []
    for exhibit in EXHIBITS:
        for mechanism in (exhibit.broken, exhibit.repaired):
            start = time.process_time()
            found = search_neighbours(mechanism, exhibit.datasets, claim=exhibit.claim, runs=RUNS, rng=seed)
            assert in_time(time.process_time() - start, 120) and found.runs <= RUNS
            if mechanism is exhibit.repaired:
                assert not found.violated, str(found)
            elif not found.violated:
                missed.append(exhibit.name)
    print(f"seed {seed}: {len(EXHIBITS) - len(missed)} of {len(EXHIBITS)} found; missed: {missed}")
    assert len(EXHIBITS) - len(missed) >= 22


class Right:
    """Noise of the right scale on a sum of records in 0..1, or randomized response: both are tight."""

    def __init__(self, batch):
        self.batch = batch

    def __call__(self, data, rng):
        return self.batch(data, 1, rng)[0]


RESPONSE = RandomizedResponse(1.0, 4)
TIGHT = {
    "noisy sum": (
        Right(lambda x, runs, rng: np.rint(64 * np.sum(x)) + discrete_laplace(64, runs, rng=rng)),
        Records(number_between(0, 1), Neighbours.ADD_REMOVE),
        Guarantee(1.0),
    ),
    "report": (
        Right(lambda x, runs, rng: RESPONSE.randomize(np.full(runs, x[0]), rng=rng)),
        Records(one_of(range(4)), Neighbours.REPLACE_ONE, least=1, most=1),
        RESPONSE.guarantee,
    ),
    "exponential": (
        Right(lambda u, runs, rng: (u / 2 + rng.gumbel(size=(runs, len(u)))).argmax(axis=1)),
        Scores(4),
        Guarantee(1.0),
    ),
}


@pytest.mark.parametrize("searches", [4, pytest.param(100, marks=pytest.mark.audit)])
def test_a_right_mechanism_is_accused_no_oftener_than_said(searches):
    """At 95%: a twentieth of the searches at most, binomial band at 1e-3 above. The three are as tight as can be."""
    alarms = {
        name: sum(
            search_neighbours(mechanism, source, claim=claim, runs=4000, confidence=0.95, rng=rng).violated
            for rng in np.random.default_rng([17, len(name)]).spawn(searches)
        )
        for name, (mechanism, source, claim) in TIGHT.items()
    }
    print(alarms, "of", searches, "each")
    assert sum(alarms.values()) <= stats.binom.isf(1e-3, 3 * searches, 0.05)


def test_runs_that_chose_the_pair_certify_nothing():
    """A mechanism that leaks everything until 3,000 runs are over, and nothing from then on."""
    calls = []

    def leaks_at_first(data, rng):
        calls.append(data)
        return data if len(calls) <= 3_000 else 0

    source = Generated(lambda rng: int(rng.integers(5)), lambda n, rng: n + 1)
    found = search_neighbours(leaks_at_first, source, claim=Guarantee(1.0), runs=10_000, rng=8)
    assert not found.violated and found.audit.epsilon_lower == 0
    assert len(calls) == found.runs <= 10_000 and found.runs > 9_900


@pytest.mark.parametrize("runs", [2_000, 2_001, 30_000])
def test_the_budget_of_runs_is_kept(runs):
    calls = []
    count = lambda x, rng: calls.append(0) or round(len(x) + rng.laplace(), 3)  # noqa: E731
    found = search_neighbours(
        count, Records(one_of("a"), Neighbours.ADD_REMOVE), claim=Guarantee(1.0), runs=runs, rng=8
    )
    assert len(calls) == found.runs <= runs
    assert str(found.runs)[:1] in str(found) and "pairs of neighbours" in str(found)


def test_a_schema_is_enough():
    """The mean of hours over the women there are: with one of them the noise is for one, with none the query fails."""
    schema = Schema(
        (Numeric("hours", 1, 99, (1, 100), "two digits"), Categorical("sex", ("F", "M"), "printed")), "sex", 40, "known"
    )

    def mean_of_women(table, rng):
        hours = table["hours"][table["sex"] == "F"]
        return round(sum(hours) / len(hours) + rng.laplace(scale=98 / len(hours)), 3)

    found = search_neighbours(mean_of_women, schema, claim=Guarantee(1.0), runs=4_000, rng=8)
    assert found.violated and {"hours", "sex"} == set(found.data.columns)
    assert "ZeroDivisionError" in found.audit.event


def test_a_clear_leak_needs_few_runs():
    source = Records(number_between(0, 100), Neighbours.ADD_REMOVE)
    found = search_neighbours(lambda x, rng: float(x.sum()), source, claim=Guarantee(1.0), runs=20_000, rng=8)
    assert found.violated and found.runs < 7_000
    assert abs(len(found.data) - len(found.neighbour)) == 1


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        ({"claim": 1.0}, TypeError, "claim"),
        ({"runs": 100}, ValueError, "runs.*100"),
        ({"confidence": 1.0}, ValueError, "confidence"),
        ({"datasets": [1, 2]}, TypeError, r"datasets.*\[1, 2\]"),
        ({"mechanism": 3}, TypeError, "mechanism.*3"),
    ],
)
def test_refuses_bad_arguments_by_name(change, error, named):
    good = {"mechanism": lambda x, rng: 0, "datasets": Scores(2), "claim": Guarantee(1.0)}
    with pytest.raises(error, match=named):
        search_neighbours(**(good | change))
