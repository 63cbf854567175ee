"""Results are numbers and nothing else: what their spare bits could say is refused."""

import numpy as np
import pytest

from dpcourse.checks.diagnosis import Refused
from dpcourse.checks.plain import only_numbers

TELLING = np.array([0x7FF8000000000000 + 1234], dtype=np.uint64).view(float)


@pytest.mark.parametrize(
    "given", [True, np.array([True, False]), np.nan, np.array([np.nan, -np.nan, np.inf - np.inf]), np.float32("nan")]
)
def test_truth_values_and_nan_pass_as_they_are_computed(given):
    assert only_numbers(given) is given


@pytest.mark.parametrize("given", [np.array([0, 1, 7], np.uint8).view(bool), TELLING, -TELLING, [1.0, TELLING[0]]])
def test_a_number_in_spare_bits_leaks(given):
    with pytest.raises(Refused) as refused:
        only_numbers(given)
    assert refused.value.diagnosis.key == "leaks"
