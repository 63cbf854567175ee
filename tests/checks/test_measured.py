"""Half of the data are as drawn, half are rounded, to their own size."""

import numpy as np
import pytest

from dpcourse.checks.measured import as_measured, in_a_file, to_decimals


@pytest.mark.parametrize("size", [1e-3, 1.0, 350.0])
def test_numbers_of_any_size_are_drawn_or_have_a_digit_or_two(size):
    rng = np.random.default_rng(1)
    values = size * rng.uniform(1.0, 9.9, size=50)
    values.flags.writeable = False
    digits = [
        max(len(f"{x:.12e}"[0:14].rstrip("0").replace(".", "")) for x in as_measured(values, rng)) for _ in range(400)
    ]
    shares = [np.mean([few(many) for many in digits]) for few in (lambda m: m == 1, lambda m: m == 2, lambda m: m > 2)]
    assert shares == pytest.approx([0.25, 0.25, 0.5], abs=0.12)  # 5.5 deviations of the first two, 4.8 of the third


def test_what_is_rounded_stays_near_keeps_its_type_and_has_zeros():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(200, 3)).astype(np.float32)
    for measured in (as_measured(values, rng) for _ in range(20)):
        assert measured.dtype == np.float32 and np.abs(measured - values).max() <= 0.5
        assert (measured == 0).any() or np.array_equal(measured, values)


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [np.inf, 1.5], [np.nan, 1.5]])
def test_what_has_no_size_is_left_as_it_is(values):
    given = np.array(values)
    assert all(as_measured(given, np.random.default_rng(seed)) is given for seed in range(10))


def test_decimals_are_few_half_the_time_and_whole_ends_are_kept():
    rng = np.random.default_rng(3)
    values = rng.uniform(-1, 24, size=500)
    found = [to_decimals(values, rng) for _ in range(400)]
    shares = [np.mean([np.array_equal(one, np.round(one, places)) for one in found]) for places in (0, 1)]
    assert shares == pytest.approx([0.25, 0.5], abs=0.12)
    assert all(-1 <= one.min() and one.max() <= 24 and not np.signbit(one[one == 0]).any() for one in found)


def test_a_quarter_of_the_files_are_in_order_and_none_loses_a_record():
    rng = np.random.default_rng(4)
    values = rng.permutation(100)
    found = [in_a_file(values, rng) for _ in range(800)]
    in_order = [one for one in found if not np.array_equal(one, values)]
    assert len(in_order) / 800 == pytest.approx(0.25, abs=0.08)  # 5.2 deviations
    assert all(np.array_equal(one, np.arange(100)) for one in in_order)
