"""The questions of lesson 04: claims and counts belong together."""

import numpy as np

from dpcourse.datasets import load_adult
from dpcourse.lessons import lesson_04 as l04


def test_twelve_questions_overlap():
    flags = l04.twelve_questions(load_adult("twin").frame)
    assert flags.shape[1] == 12 and set(flags.dtypes) == {np.dtype(bool)}
    assert flags.sum(axis=1).max() > 9 and 0 < flags.mean().min() < flags.mean().max() < 1


def test_a_claim_counts_those_it_is_true_of():
    frame = load_adult("twin").frame
    claims, counts = l04.claims(frame, 40, np.random.default_rng(4))
    assert len({tuple(claim.items()) for claim in claims}) == 40 and counts.max() > 0
    assert [
        len(frame.query(" and ".join(f"`{c}` == '{v}'" for c, v in claim.items()))) for claim in claims
    ] == counts.tolist()
