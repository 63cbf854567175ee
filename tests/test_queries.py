"""Queries: right answers, exact sensitivity, and records that cannot break anything.

The noise of a query depends on its generator and its public arguments alone, so with the same seed the answers on two
datasets differ by exactly what the data differ. False-alarm rates are stated where something is random; the seeds are
arbitrary.
"""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcourse.datasets import load_adult
from dpcourse.mechanisms import GeometricMechanism
from dpcourse.privacy import Guarantee, Neighbours
from dpcourse.queries import (
    Estimate,
    private_count,
    private_crosstab,
    private_histogram,
    private_mean,
    private_quantile,
    private_sum,
)
from dpcourse.queries.quantile import intervals
from dpcourse.queries.records import numbers_in

ADD, REPLACE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE
BOTH = pytest.mark.parametrize("neighbours", [ADD, REPLACE])

BAD = [math.nan, math.inf, -math.inf, 1e308, -1e308, None, "x", "12", [], {}, object(), 10**400, -(10**400), 1j, True]
BAD += [
    np.datetime64("2020-01-01"),
    pd.NA,
    pd.NaT,
    Decimal("sNaN"),
    Decimal(7),
    np.True_,
    np.float32("nan"),
    (1, 2),
    b"",
]
records = st.one_of(st.sampled_from(BAD), st.floats(), st.integers(-(10**6), 10**6), st.sampled_from(["a", "b", "c"]))
datasets = st.lists(records, max_size=12)


def neighbour(data, record, place, neighbours):
    """`data` with one record more, or with one replaced."""
    place %= max(len(data), 1)
    return data[:place] + [record] + data[place + (neighbours is REPLACE) :]


def queries(data, neighbours, rng):
    """Every query on one dataset: name → estimate."""
    common = {"epsilon": 0.7, "neighbours": neighbours}
    frame = pd.DataFrame({"x": pd.Series(data, dtype=object), "y": pd.Series(data[::-1], dtype=object)})
    tables = {"x": ["a", "b"], "y": ["b", "c"]}
    return {
        "count": private_count(data, rng=rng, **common),
        "sum": private_sum(data, bounds=(-3.7, 10.1), rng=rng, **common),
        "mean": private_mean(data, bounds=(-3.7, 10.1), rng=rng, **common),
        "quantile": private_quantile(data, 0.3, bounds=(-3.7, 10.1), rng=rng, **common),
        "quantile by steps": private_quantile(data, 0.3, bounds=(-3.7, 10.1), step=0.3, rng=rng, **common),
        "histogram": private_histogram(data, categories=["a", "b", 3], rng=rng, **common),
        "crosstab": private_crosstab(frame, ["x", "y"], categories=tables, rng=rng, **common),
    }


@BOTH
@settings(max_examples=80, deadline=None)
@given(data=datasets, record=records, place=st.integers(0, 12))
def test_one_record_of_any_kind_moves_an_answer_by_its_sensitivity_at_most(neighbours, data, record, place):
    if neighbours is REPLACE and not data:
        return
    here = queries(data, neighbours, 1)
    there = queries(neighbour(data, record, place, neighbours), neighbours, 1)
    moved = {name: abs(np.asarray(here[name].value) - np.asarray(there[name].value)) for name in here}
    cells = 1 if neighbours is ADD else 2
    assert moved["count"] <= 1
    assert moved["sum"] <= (10.1 if neighbours is ADD else 13.8) * (1 + 1e-7)
    assert moved["histogram"].sum() <= cells
    for estimate in (here, there):
        assert all(np.isfinite(np.asarray(one.value, dtype=float)).all() for one in estimate.values())
        assert -3.7 <= estimate["mean"].value <= 10.1 and -3.7 <= estimate["quantile"].value <= 10.1
        assert {one.guarantee for one in estimate.values()} == {Guarantee(0.7, 0.0, neighbours)}
    if neighbours is REPLACE:
        assert moved["mean"] <= 13.8 / len(data) * (1 + 1e-7)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(records, records), max_size=10), row=st.tuples(records, records))
def test_one_row_moves_a_crosstab_by_one_cell(rows, row):
    def table(rows):
        frame = pd.DataFrame({"x": pd.Series([x for x, _ in rows], dtype=object), "y": [str(y) for _, y in rows]})
        return private_crosstab(
            frame, ["x", "y"], epsilon=1.0, categories={"x": ["a", 1], "y": ["b", "1"]}, rng=0
        ).value

    assert (table(rows) - table([*rows, row])).abs().to_numpy().sum() <= 1


@pytest.mark.parametrize("data", [[], [1.0], object()])
@pytest.mark.parametrize("bounds", [(1e16 + 2, 1e16 + 4), (5e15 + 1, 5e15 + 2), (1 + 2**-52, 1 + 2**-51)])
def test_bounds_without_a_candidate_are_refused_whatever_the_data(bounds, data):
    with pytest.raises(ValueError, match="bounds must have a multiple of.*between them") as error:
        private_quantile(data, 0.5, epsilon=1.0, bounds=bounds)
    assert repr(bounds) in str(error.value)


@pytest.mark.parametrize(("bounds", "step", "ends"), [((0.05, 0.3), 0.1, (0.1, 0.3)), ((-7, 7), 2.5, (-5.0, 5.0))])
def test_candidates_lie_within_the_bounds(bounds, step, ends):
    """With an ε of almost nothing every candidate comes up in 400 runs, but for a chance below 1e-50."""
    rng = np.random.default_rng(9)
    values = [private_quantile([], 0.5, epsilon=1e-9, bounds=bounds, step=step, rng=rng).value for _ in range(400)]
    assert (min(values), max(values)) == ends


def test_a_step_without_a_multiple_between_the_bounds_is_refused():
    with pytest.raises(ValueError, match="bounds must have a multiple of 5.0 between them"):
        private_quantile([], 0.5, epsilon=1.0, bounds=(1, 4), step=5)


def test_bounds_with_a_single_candidate_give_it():
    for data in ([], [3.0]):
        assert private_quantile(data, 0.5, epsilon=1.0, bounds=(1e16, 1e16 + 2), rng=0).value == 1e16


@BOTH
@settings(max_examples=100, deadline=None)
@given(
    data=st.lists(st.integers(0, 20), max_size=8),
    record=st.integers(0, 20),
    place=st.integers(0, 8),
    q=st.floats(0, 1),
)
def test_the_exact_privacy_loss_of_a_quantile(neighbours, data, record, place, q):
    """On a grid of 21 points: the probability of every point, on both of two neighbours."""
    if neighbours is REPLACE and not data:
        return

    def probabilities(data):
        starts, sizes, scores = intervals(np.array(data, dtype=np.int64), q, 0, 20)
        assert sizes.sum() == 21 and (np.cumsum(sizes)[:-1] == starts[1:]).all()
        sensitivity = max(q, 1 - q) if neighbours is ADD else 1.0
        weights = np.repeat(np.exp(scores * 0.9 / (2 * sensitivity)), sizes)
        return weights / weights.sum()

    here, there = probabilities(data), probabilities(neighbour(data, record, place, neighbours))
    assert np.abs(np.log(here / there)).max() <= 0.9 * (1 + 1e-9)


def test_quantile_scores_are_ranks_missed():
    data, q = np.array([3, 3, 3, 8, 9, 9, 15]), 0.4
    starts, sizes, scores = intervals(data, q, 0, 20)
    for point, score in zip(range(21), np.repeat(scores, sizes), strict=True):
        below, at_most = (data < point).sum(), (data <= point).sum()
        assert score == pytest.approx(-max(below - q * 7, q * 7 - at_most, 0))
    assert starts[0] == 0


def test_the_quantile_has_the_distribution_of_the_exponential_mechanism():
    """Chi-square on 40 cells of the bounds, 2,000 runs; false alarm 1e-6."""
    data, epsilon = np.array([1.0, 2.0, 2.5, 7.0]), 1.5
    rng = np.random.default_rng(5)
    draws = [private_quantile(data, 0.5, epsilon=epsilon, bounds=(0, 10), rng=rng).value for _ in range(2000)]
    middles = np.arange(0.125, 10, 0.25)
    ranks = np.searchsorted(data, middles)
    weights = np.exp(-np.abs(ranks - 2) * epsilon / (2 * 0.5))
    # A draw on a cell's edge has probability 2^-28.
    counts = np.histogram(draws, np.arange(0, 10.01, 0.25))[0]
    assert stats.chisquare(counts, 2000 * weights / weights.sum()).pvalue > 1e-6


def test_with_a_step_the_candidates_are_its_multiples_and_exactly_the_exponential_mechanisms():
    """Chi-square on all 11 candidates of 0, 0.1, …, 1, 4,000 runs; false alarm 1e-6."""
    data, epsilon = np.array([0.02, 0.21, 0.24, 0.24, 0.71]), 1.5
    rng = np.random.default_rng(6)
    draws = [private_quantile(data, 0.4, epsilon=epsilon, bounds=(0, 1), step=0.1, rng=rng).value for _ in range(4000)]
    candidates = [float(f"{tenth / 10:.1f}") for tenth in range(11)]
    counts = np.array([draws.count(candidate) for candidate in candidates])
    assert counts.sum() == 4000  # 0.3, and not 0.30000000000000004
    rounded, target = np.array([0, 2, 2, 2, 7]), 2.0
    below, upto = (np.array([compare(rounded, c).sum() for c in range(11)]) for compare in (np.less, np.less_equal))
    scores = -np.maximum(np.maximum(below - target, target - upto), 0)
    weights = np.exp(scores * epsilon / (2 * 0.6))
    assert stats.chisquare(counts, 4000 * weights / weights.sum()).pvalue > 1e-6


@pytest.mark.parametrize(
    ("column", "bounds", "step"), [("hours-per-week", (1, 99), 1), ("capital-gain", (0, 99_999), 500)]
)
def test_a_median_of_values_that_people_share_is_exact_with_a_step(column, bounds, step):
    """500 people at ε = 1, 200 runs: RMSE at most 0.2. A run that misses has a probability below e^-40.

    At ε = 0.1 it has 5e-4 (the next values miss the median's rank by 100), and a fine grid is far off: the gaps next to
    the median hold 2^24 candidates each.
    """
    values = load_adult("twin").frame[column].to_numpy()

    def error(epsilon, step):
        errors = []
        for run in range(200):
            rng = np.random.default_rng([4, run])
            people = values[rng.choice(len(values), 500, replace=False)]
            estimate = private_quantile(people, 0.5, epsilon=epsilon, bounds=bounds, step=step, rng=rng).value
            errors.append(estimate - np.quantile(people, 0.5, method="nearest"))
        return np.sqrt(np.mean(np.square(errors)))

    assert error(1.0, step) <= 0.2
    assert error(0.1, step) < error(0.1, None) / 2


@pytest.mark.parametrize("shape", ["normal", "uniform", "lognormal", "exponential"])
def test_on_continuous_columns_a_step_below_the_error_costs_at_most_a_tenth(shape):
    """2,000 runs each; the ratio's own deviation is about 2.5%, its mean 1.01: a false alarm has p < 1e-3 a shape.

    A step above the error cannot keep this: rounding alone then costs step/√12.
    """
    draw = {"normal": (50, 10), "uniform": (0, 100), "lognormal": (3, 0.7), "exponential": (10,)}[shape]
    errors = {}
    for step in (None, 0.03):
        rng = np.random.default_rng(8)
        samples = (getattr(rng, shape)(*draw, size=500) for _ in range(2000))
        found = [
            private_quantile(x, 0.5, epsilon=1.0, bounds=(0, 200), step=step, rng=rng).value - np.median(x)
            for x in samples
        ]
        errors[step] = np.sqrt(np.mean(np.square(found)))
    assert errors[None] > 0.06  # two steps
    assert errors[0.03] <= 1.1 * errors[None]


@BOTH
def test_with_little_noise_every_query_is_right(neighbours):
    rng = np.random.default_rng(0)
    ages = rng.integers(17, 91, 5000)
    common = {"epsilon": 500.0, "neighbours": neighbours, "rng": 1}
    assert private_count(ages, **common).value == 5000
    assert private_count(ages > 40, **common).value == (ages > 40).sum()
    assert private_sum(ages, bounds=(17, 90), **common).value == pytest.approx(ages.sum(), abs=3)
    assert private_mean(ages, bounds=(17, 90), **common).value == pytest.approx(ages.mean(), abs=1e-2)
    assert private_quantile(ages, 0.25, bounds=(17, 90), **common).value == np.quantile(ages, 0.25, method="nearest")
    labels = np.array(["a", "b", "c"])[ages % 3]
    expected = [(labels == label).sum() for label in "cab"]
    assert private_histogram(labels, categories=list("cab"), **common).value.tolist() == expected
    frame = pd.DataFrame({"label": labels, "old": np.where(ages > 40, "yes", "no"), "third": "only"})
    table = private_crosstab(
        frame, ["label", "old"], categories={"label": ["a", "b", "c"], "old": ["no", "yes"]}, **common
    ).value
    pd.testing.assert_frame_equal(
        table,
        pd.crosstab(frame["label"], frame["old"]),
        check_dtype=False,
        check_index_type=False,
        check_column_type=False,
    )
    three = private_crosstab(
        frame,
        ["third", "label", "old"],
        categories={"label": ["a", "b", "c"], "old": ["no", "yes"], "third": ["only", "never"]},
        **common,
    ).value
    assert three.loc[("only", "b"), "yes"] == table.loc["b", "yes"] and three.loc[("never", "b"), "yes"] == 0
    one = private_crosstab(frame, ["label"], categories={"label": ["a", "b"]}, **common).value
    assert one["count"].tolist() == [(labels == "a").sum(), (labels == "b").sum()]


@BOTH
def test_the_noise_is_as_stated(neighbours):
    """Mean squared error over its expectation, 1,500 runs of a sum and a histogram: five standard errors, 6e-7 each."""
    data = [3.0, 50.0, math.nan]
    rng = np.random.default_rng(2)
    sums = [private_sum(data, epsilon=0.5, bounds=(-20, 40), neighbours=neighbours, rng=rng) for _ in range(1500)]
    truth = 3 + 40 + 10
    noise = (np.array([estimate.value for estimate in sums]) - truth) / sums[0].standard_error
    width = (40 if neighbours is ADD else 60) / 0.5
    assert sums[0].standard_error == pytest.approx(math.sqrt(2) * width, rel=1e-6)
    # The squared Laplace has variance 5 around its mean (in units of its variance).
    assert abs((noise**2).mean() - 1) < 5 * math.sqrt(5 / 1500)
    assert abs(noise.mean()) < 5 / math.sqrt(1500)
    table = private_histogram(["a"], epsilon=0.5, categories=["a", "b"], neighbours=neighbours, rng=rng)
    scale = GeometricMechanism(0.5, 1 if neighbours is ADD else 2, neighbours)
    assert table.standard_error == pytest.approx(math.sqrt(scale.variance))


def test_the_stated_error_of_a_mean_under_add_remove():
    """The spread of 2,000 answers against the median of their stated errors: within 12%, five standard errors."""
    data = np.full(2000, 80.0)
    estimates = [
        private_mean(data, epsilon=0.5, bounds=(0, 100), rng=rng) for rng in np.random.default_rng(3).spawn(2000)
    ]
    spread = np.std([estimate.value for estimate in estimates])
    stated = np.median([estimate.standard_error for estimate in estimates])
    assert spread == pytest.approx(stated, rel=0.12)


@BOTH
def test_no_data_gives_noise(neighbours):
    for seed in range(3):
        found = queries([], neighbours, seed)
        assert found["count"].value in range(-60, 60)
        assert -3.7 <= found["mean"].value <= 10.1
    values = {private_sum([], epsilon=1.0, bounds=(0, 1), neighbours=neighbours, rng=seed).value for seed in range(9)}
    assert len(values) > 5
    assert private_quantile(np.array([]), 0.5, epsilon=1.0, bounds=(5, 6), neighbours=neighbours, rng=1).value >= 5


def test_records_are_read_one_by_one():
    """What one person writes must not change how another is read (as NumPy's choice of a common type does)."""
    common = {"epsilon": 1e3, "rng": 0}
    for stranger in BAD:
        assert private_histogram([1, 2, 1, stranger], categories=[1, 2], **common).value[1] == 1
        assert private_histogram(["1", "2", stranger], categories=["1", "2"], **common).value.tolist() == [1, 1]
        total = private_sum([1, 2.5, stranger], bounds=(0, 10), **common).value
        assert 3.4 <= total <= 13.6
    assert private_count([True, False, None, math.nan], **common).value == 3


@pytest.mark.parametrize(
    "odd", [1j, np.complex128(3 + 1j), "x", None, 10**400, pd.Timestamp(0), np.timedelta64(5, "s")]
)
@pytest.mark.parametrize("dtype", ["int64", "bool", "Int64", "complex64", "m8[ns]", "M8[ns]", object])
def test_a_record_may_change_the_dtype_but_not_the_others(dtype, odd):
    column = pd.Series([1, 0, 1], dtype=dtype)
    joined = pd.concat([column, pd.Series([odd])], ignore_index=True)
    read = [numbers_in(values, (0, 10), 5) for values in (column, joined, column.to_numpy())]
    assert read[0].tolist() == read[1][:3].tolist() == read[2].tolist()
    assert numbers_in([odd], (0, 10), 5).tolist() == [5]


def test_where_bad_records_go():
    common = {"epsilon": 1e4, "rng": 0}
    place = {math.nan: 5, math.inf: 10, -math.inf: 0, 1e300: 10, -5: 0, None: 5, "7": 5}
    for record, counted in place.items():
        assert private_sum([record], bounds=(0, 10), **common).value == pytest.approx(counted, abs=0.02)
    assert private_sum([math.nan], bounds=(0, 10), missing=2, **common).value == pytest.approx(2, abs=0.02)
    labels = ["a", "?", None, math.nan, []]
    assert private_histogram(labels, categories=["a", "b"], **common).value.tolist() == [1, 0]
    assert private_histogram(labels, categories=["a", "b"], other="b", **common).value.tolist() == [1, 4]
    frame = pd.DataFrame({"x": labels, "y": ["u"] * 5})
    table = private_crosstab(
        frame, ["x", "y"], categories={"x": ["a", "b"], "y": ["u"]}, other={"x": "b"}, **common
    ).value
    assert table["u"].tolist() == [1, 4]


@pytest.mark.parametrize(
    "wrap", [list, tuple, np.array, pd.Series, lambda data: pd.Series(data, dtype="Float64"), iter]
)
def test_any_kind_of_column_will_do(wrap):
    data = [1.0, 2.0, 4.0, math.nan]
    assert private_sum(wrap(data), epsilon=1e4, bounds=(0, 8), rng=0).value == pytest.approx(11, abs=0.02)
    assert private_count(wrap(data), epsilon=1e4, rng=0).value == 4
    assert private_histogram(wrap(data), epsilon=1e4, categories=[1, 2], rng=0).value.tolist() == [1, 1]


@settings(max_examples=60, deadline=None)
@given(
    low=st.floats(-1e12, 1e12),
    width=st.floats(1e-9, 1e12),
    epsilon=st.floats(1e-6, 1e6),
    data=st.lists(st.floats(-1e13, 1e13), max_size=20),
)
def test_a_sum_of_steps_has_an_exact_integer_sensitivity(low, width, epsilon, data):
    from dpcourse.queries.records import Steps

    high = low + width
    if not low < high:
        return
    for centre in (0.0, low / 2 + high / 2):
        steps = Steps((low, high), centre, epsilon)
        records = numbers_in(data, (low, high), low)
        each = [steps.total(records[i : i + 1]) for i in range(len(records))]
        assert steps.total(records) == sum(each)
        assert all(steps.lowest <= one <= steps.highest for one in each)
        assert steps.sensitivity(ADD) == max(abs(steps.lowest), abs(steps.highest)) < 2**28
        assert steps.sensitivity(REPLACE) == steps.highest - steps.lowest
        assert math.frexp(steps.size)[0] == 0.5, "a step is a power of two"


def test_the_sum_cannot_wrap():
    steps_at_most, records_in_memory = 2**27, 2**35
    assert steps_at_most * records_in_memory <= 2**62
    data = np.full(1_000_000, 1e12)
    assert private_sum(data, epsilon=1.0, bounds=(0, 1e12), rng=0).value == pytest.approx(1e18, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "bad", "kind"),
    [
        *[("epsilon", value, ValueError) for value in (0, -1, math.nan, math.inf)],
        *[("epsilon", value, TypeError) for value in ("1", None, True)],
        *[("bounds", value, ValueError) for value in ((5, 5), (6, 5), (math.nan, 1), (0, math.inf), (0, 1e300))],
        *[("bounds", value, TypeError) for value in (None, 5, (1, 2, 3), ("a", "b"))],
        *[("q", value, ValueError) for value in (-0.1, 1.1, math.nan)],
        *[("q", value, TypeError) for value in ("half", None)],
        ("missing", 11, ValueError),
        ("missing", "x", TypeError),
        *[("neighbours", value, TypeError) for value in ("add-remove", None)],
        *[("categories", value, ValueError) for value in ([], ["a", "a"], [math.nan], ["a", pd.NA], [pd.NaT])],
        *[("categories", value, TypeError) for value in (None, "ab", 5, [[1]])],
        ("other", "z", ValueError),
        *[("other", value, TypeError) for value in ([1], (1, []))],
        *[("values", value, TypeError) for value in (5, None, "abc", {"a": 1})],
        ("values", np.zeros((2, 2)), ValueError),
        ("columns", ["z"], ValueError),
        ("columns", [], ValueError),
        ("columns", "x", TypeError),
        ("frame", [1], TypeError),
        ("step", 0, ValueError),
        ("step", -1.0, ValueError),
        ("step", float("inf"), ValueError),
        ("step", float("nan"), ValueError),
        ("step", 1e-15, ValueError),
        ("step", "1", TypeError),
        ("step", True, TypeError),
    ],
)
def test_bad_public_arguments_are_refused_by_name_and_value(name, bad, kind):
    frame = pd.DataFrame({"x": ["a"]})
    given = {"epsilon": 1.0, "neighbours": ADD, "bounds": (0, 10), "missing": None, "q": 0.5, "values": [1.0, 2.0]}
    given["step"] = None
    given |= {"categories": ["a", "b"], "other": None, "frame": frame, "columns": ["x"]} | {name: bad}
    shared = {key: given[key] for key in ("epsilon", "neighbours")}
    numeric = shared | {key: given[key] for key in ("bounds", "missing")}
    counts = shared | {key: given[key] for key in ("categories", "other")}
    tables = {"x": given["categories"]} if name != "categories" else {"x": bad}
    calls = {
        private_count: lambda: private_count(given["values"], **shared),
        private_sum: lambda: private_sum(given["values"], **numeric),
        private_mean: lambda: private_mean(given["values"], **numeric),
        private_quantile: lambda: private_quantile(given["values"], given["q"], step=given["step"], **numeric),
        private_histogram: lambda: private_histogram(given["values"], **counts),
        private_crosstab: lambda: private_crosstab(
            given["frame"],
            given["columns"],
            categories=tables,
            other=None if given["other"] is None else {"x": given["other"]},
            **shared,
        ),
    }
    uses = {
        "epsilon": calls,
        "neighbours": calls,
        "bounds": [private_sum, private_mean, private_quantile],
        "missing": [private_sum, private_mean, private_quantile],
        "q": [private_quantile],
        "step": [private_quantile],
        "categories": [private_histogram, private_crosstab],
        "other": [private_histogram, private_crosstab],
        "values": [private_count, private_sum, private_mean, private_quantile, private_histogram],
        "columns": [private_crosstab],
        "frame": [private_crosstab],
    }[name]
    for query in uses:
        with pytest.raises(kind, match=name) as error:
            calls[query]()
        told = bad[0] if name == "columns" and bad == ["z"] else bad
        if name not in ("values", "bounds", "categories"):
            assert repr(told) in str(error.value)


def test_a_mean_of_too_small_an_epsilon_is_refused_by_the_epsilon_given():
    for values in ([1.0], 5):
        with pytest.raises(ValueError, match="epsilon must be ≥ 2e-12.*got 1.5e-12"):
            private_mean(values, epsilon=1.5e-12, bounds=(0, 1))
    assert private_mean([1.0], epsilon=1.5e-12, bounds=(0, 1), neighbours=REPLACE, rng=0).value in (0.0, 1.0)


@BOTH
def test_with_a_huge_epsilon_answers_are_right(neighbours):
    data = [1.0, 2.0, 2.0, 9.0]
    for epsilon in (1e25, 1e300):
        shared = {"epsilon": epsilon, "neighbours": neighbours}
        assert private_count(data, **shared).value == 4
        assert private_sum(data, bounds=(0, 8), **shared).value == 13.0
        assert private_mean(data, bounds=(0, 8), **shared).value == 3.25
        assert private_quantile(data, 0.5, bounds=(0, 8), **shared).value == 2.0
        assert private_histogram(data, categories=[1.0, 2.0], **shared).value.tolist() == [1, 2]
    assert private_quantile(data, 0.5, epsilon=1e308, bounds=(0, 8), neighbours=neighbours).value == 2.0


def test_an_estimate_reads_well():
    assert str(Estimate(12_345, 1.5, Guarantee(1.0))).startswith("12,345 (standard error of the noise 1.5); (ε=1")
    assert "not known" in str(private_quantile([1, 2], 0.5, epsilon=1.0, bounds=(0, 3), rng=0))
    assert "each" in str(private_histogram(["a"], epsilon=1.0, categories=["a", "b"], rng=0))
