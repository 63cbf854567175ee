"""Candidates that a choice leaves out because they are far behind."""

import numpy as np
import pytest

from dpcourse.checks.selection import far_behind, softmax


@pytest.mark.parametrize("dropped, key", [(np.inf, None), (7.0, "far-behind"), (4.0, "far-behind")])
def test_who_leaves_out_the_far_ones_is_seen(dropped, key):
    """A right choice is refused with probability 3 · 2⁻⁵⁰."""
    rng = np.random.default_rng(2)

    def choose(behind):
        return int(rng.choice(len(behind), p=softmax(np.where(behind > dropped, -np.inf, -behind))))

    found = far_behind(choose, rng)
    assert (found and found.key) == key
