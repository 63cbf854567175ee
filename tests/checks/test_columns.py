"""The counts of a table are told from what else could be released in their place."""

import numpy as np
import pytest

from dpcourse.checks.columns import counts_wrong

RNG = np.random.default_rng(4)
FLAGS = RNG.random((3000, 10)) < RNG.permutation(np.linspace(0.2, 0.8, 10))
COUNTS = FLAGS.sum(axis=0)


@pytest.mark.parametrize(
    ("key", "released", "scale"),
    [
        (None, COUNTS, 20.0),
        (None, np.rint(COUNTS + 0.2), 1e-3),
        ("no-counts", np.zeros(10), 20.0),
        ("no-counts", FLAGS.mean(axis=0), 20.0),
        ("shares", FLAGS.mean(axis=0), 0.02),
        ("counts-no", 3000 - COUNTS, 20.0),
        ("counts-everybody", np.full(10, 3000), 20.0),
        ("wrong-order", COUNTS[::-1], 20.0),
        ("wrong-counts", np.roll(COUNTS, 1), 20.0),
        ("wrong-counts", COUNTS + 30, 20.0),
    ],
)
def test_what_is_released_is_named(key, released, scale):
    outputs = released + np.random.default_rng(5).laplace(0, scale, (400, 10))
    wrong = counts_wrong(outputs, FLAGS, 1e-7)
    assert (wrong and wrong.key) == key
