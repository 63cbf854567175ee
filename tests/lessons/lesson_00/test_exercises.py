"""The warm-up exercises: right answers pass, each known wrong answer gets its own diagnosis, every time.

A right answer fails a check with probability 1e-6 at most; a wrong answer that slips through fails the test, and at the
seeds here and in rehearsal none did.
"""

import math

import numpy as np
import pytest

from dpcourse.checks import rehearse
from dpcourse.mechanisms import LaplaceMechanism
from tests.lessons.generators import that_ends


def right(flags, epsilon, rng):
    return flags.sum() + rng.laplace(0, 1 / epsilon)


def seen_before(flags, epsilon, rng, memory={}):  # noqa: B006 (the trick is the point)
    """Behaves on the first dataset it meets and releases the truth on every other."""
    memory.setdefault("first", flags.tobytes())
    noise = rng.laplace(0, 1 / epsilon) if flags.tobytes() == memory["first"] else rng.laplace(0, 1e-3)
    return flags.sum() + noise


def geometric(flags, epsilon, rng):
    up, down = rng.geometric(1 - math.exp(-epsilon), size=2)
    return int(flags.sum() + up - down)


def clamped(flags, epsilon, rng):
    """Post-processing: no number below zero, and whole ones."""
    return max(round(float(right(flags, epsilon, rng))), 0)


def draws_again(flags, epsilon, rng):
    while (result := right(flags, epsilon, rng)) < 0:
        pass
    return result


WRONG_COUNTS = {
    "too-much-noise": lambda flags, epsilon, rng: flags.sum() + rng.laplace(0, math.sqrt(2) / epsilon),
    "too-much-noise too": lambda flags, epsilon, rng: flags.sum() + rng.laplace(0, 1.5 / epsilon),
    "cut-decimals": lambda flags, epsilon, rng: int(flags.sum() + rng.laplace(0, 1 / epsilon)),
    "geometric": geometric,
    "constant": lambda flags, epsilon, rng: 100,
    "ignores-data": lambda flags, epsilon, rng: 100 + rng.laplace(0, 1 / epsilon),
    "package-used": lambda flags, epsilon, rng: LaplaceMechanism(epsilon).release(float(flags.sum()), rng=rng),
    "zero-without-noise": lambda flags, epsilon, rng: right(flags, epsilon, rng) if flags.any() else 0.0,
    "reads-n": lambda flags, epsilon, rng: min(right(flags, epsilon, rng), len(flags)),
    "draws-again": draws_again,
    "wrong-count": lambda flags, epsilon, rng: 2 * flags.sum() + rng.laplace(0, 1 / epsilon),
    "noise-per-person": lambda flags, epsilon, rng: (flags + rng.laplace(0, 1 / epsilon, size=len(flags))).sum(),
    "wrong-shape": lambda flags, epsilon, rng: flags + rng.laplace(0, 1 / epsilon, size=len(flags)),
}


def test_a_peek_at_the_dataset_is_caught():
    assert "passed" not in rehearse("00.2", seen_before, times=1, rng=2).keys


class Count(float):
    """The exact count goes with it."""

    exact = 0


def with_the_exact_count(flags, epsilon, rng):
    count = Count(right(flags, epsilon, rng))
    count.exact = flags.sum()
    return count


def turned(flags, epsilon, rng, last={}, drawn={}):  # noqa: B006 (the trick is the point)
    """Every second answer at one ε has the noise of the one before, turned: the mean of the two is exact."""
    noise = rng.laplace(0, 1 / epsilon)
    if (epsilon, noise) not in drawn:
        before = last.pop(epsilon, None)
        drawn[epsilon, noise] = noise if before is None else -before
        if before is None:
            last[epsilon] = noise
    return flags.sum() + drawn[epsilon, noise]


def own_seed(flags, epsilon, rng):
    """At some ε the noise follows from the number of people."""
    return right(flags, epsilon, rng if 0.2 < epsilon < 3.1 else np.random.default_rng(len(flags)))


def plain_for_whole(flags, epsilon, rng):
    return right(flags, epsilon if isinstance(epsilon, float) or epsilon < 4 else 1e9, rng)


INTERVALS = {
    5.99: "five-percent",
    6: "five-percent",
    9: "whole-people",
    18.42: "whole-width",
    2.303: "multiplied",
    7.82: "one-tail",
    10.6: "both-tails-twice",
    7.29: "normal",
    -9.21: "negative",
    0.0201: "the-other-way",
    2.0: "scale",
    4.61: "epsilon-one",
}


def digits_where_epsilon_is_another(flags, epsilon, rng):
    noisy = right(flags, epsilon, rng)
    return noisy if 0.6 < epsilon < 1.6 else round(noisy, 6) + 1e-11 * (int(flags.sum()) % 10_000)


def from_the_one_before(flags, epsilon, rng):
    """Every other count's noise follows from that of the count before, which the generator's spare half word keeps."""
    state = rng.bit_generator.state
    if "has_uint32" not in state:  # the Mersenne twister keeps none
        return right(flags, epsilon, rng)
    kept = state["uinteger"] if state["has_uint32"] else rng.bit_generator.random_raw() >> 32
    u = kept / 2**32 if not state["has_uint32"] else abs(2 * kept / 2**32 - 1)
    after = {"has_uint32": 1 - state["has_uint32"], "uinteger": 0 if state["has_uint32"] else int(kept)}
    rng.bit_generator.state = {**rng.bit_generator.state, **after}
    if state["has_uint32"]:
        rng.bit_generator.random_raw()
    u = min(max(u, 1e-9), 1 - 1e-9)
    return flags.sum() + (np.log(2 * u) if u < 0.5 else -np.log(2 * (1 - u))) / epsilon


RIGHT = [("00.1", 9.21), ("00.1", 2 * math.log(100)), ("00.2", right), ("00.2", clamped)]
WRONG = [
    *(("00.1", key, value) for value, key in INTERVALS.items()),
    *(("00.2", key, answer) for key, answer in WRONG_COUNTS.items()),
    ("00.2", "leaks", with_the_exact_count),
    ("00.2", "noise-ends", that_ends(right)),
    ("00.2", "linked-noise", turned),
    ("00.2", "linked-noise", from_the_one_before),
    ("00.2", "digits-tell", digits_where_epsilon_is_another),
    ("00.2", "linked-noise", own_seed),
    ("00.2", "not-everywhere", plain_for_whole),
]
RIGHT += [("00.3", set("ACDF")), ("00.3", ["F", "D", "C", "A"]), ("00.3", set("acdf"))]
WRONG += [
    ("00.3", "A", set("CDF")),
    ("00.3", "B", set("ABCDF")),
    ("00.3", "C", set("ADF")),
    ("00.3", "D", set("ACF")),
    ("00.3", "E", set("ACDEF")),
    ("00.3", "F", set("ACD")),
    ("00.3", "wrong-type", {"A": True}),
    ("00.3", "wrong-type", {"A", "G"}),
]


@pytest.mark.audit
def test_fifty_peeks_at_the_dataset():
    assert "passed" not in rehearse("00.2", seen_before, times=50).keys
