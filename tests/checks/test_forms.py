"""Forms of a call: each comes, changes no law and no data, and leaves the generator as the function left it."""

import numpy as np
import pytest
from scipy import stats

from dpcourse.checks import forms
from dpcourse.checks.answers import Answer


def asked(function, *arguments, times=400, **keywords):
    """Results of as many calls, each with a generator of its own."""
    return [forms.call(function, arguments, {**keywords, "rng": np.random.default_rng(seed)}) for seed in range(times)]


TOLD_BY = {
    "the number's type": lambda data, epsilon, rng=None: isinstance(epsilon, np.floating),
    "a view": lambda data, epsilon, rng=None: not data.flags.owndata,
    "gaps": lambda data, epsilon, rng=None: not data.flags.c_contiguous,
    "an end first": lambda data, epsilon, rng=None: data.strides[0] < 0,
    "writing": lambda data, epsilon, rng=None: data.flags.writeable,
    "a small seed": lambda data, epsilon, rng=None: rng.bit_generator.seed_seq.entropy < 10**9,
    "a seed as large as none": lambda data, epsilon, rng=None: rng.bit_generator.seed_seq.entropy >= 2**64,
    "a child": lambda data, epsilon, rng=None: bool(rng.bit_generator.seed_seq.spawn_key),
    "half a word": lambda data, epsilon, rng=None: bool(rng.bit_generator.state.get("has_uint32")),
    "another kind": lambda data, epsilon, rng=None: type(rng.bit_generator) is not np.random.PCG64,
    "its place": lambda data, epsilon, placed=None, rng=None: placed is not None,
}


def test_some_are_newly_made():
    """In the grader no generator is in the state of its seed but these."""
    rng = np.random.default_rng(3)
    given = np.random.Generator(np.random.PCG64(5))

    def new(rng):
        kind = type(rng.bit_generator)
        return kind is np.random.PCG64 and rng.bit_generator.state == kind(rng.bit_generator.seed_seq).state

    told = 0
    for _ in range(900):
        given.bit_generator.state = np.random.default_rng(rng.integers(2**63)).bit_generator.state
        told += forms.call(new, (), {"rng": given})
    assert 0.01 < told / 900 < 0.1


@pytest.mark.parametrize("kind", forms.KINDS[1:], ids=lambda kind: kind.__name__)
def test_each_other_kind_comes(kind):
    """One call in thirty, and none of 900 with a probability of 1e-13."""
    generators = (np.random.default_rng(2**40 + seed) for seed in range(900))
    assert any(forms.call(lambda rng: type(rng.bit_generator) is kind, (), {"rng": rng}) for rng in generators)


@pytest.mark.parametrize("function", TOLD_BY.values(), ids=TOLD_BY)
@pytest.mark.parametrize("data", [np.arange(12.0), np.eye(4)], ids=["row", "table"])
def test_who_tells_by_the_form_is_told_both(function, data):
    data.flags.writeable = False
    generators = (np.random.default_rng(2**40 + seed) for seed in range(400))
    told = np.mean([forms.call(function, (data, 1.0), {"rng": rng}) for rng in generators])
    assert 0.05 < told < 0.95


@pytest.mark.parametrize(
    "told",
    [lambda x: not x.flags.owndata, lambda x: not x.flags.c_contiguous, lambda x: x.strides[0] < 0],
    ids=["a view", "gaps", "an end first"],
)
@pytest.mark.parametrize("shape", [(5,), (4, 3)], ids=["row", "table"])
def test_arrays_without_a_generator_are_laid_out_in_several_ways(told, shape):
    given = [np.random.default_rng(seed).random(shape) for seed in range(200)]
    found = [forms.call(told, (x,), {}) for x in given]
    assert 0.05 < np.mean(found) < 0.6
    assert found == [forms.call(told, (), {"x": x}) for x in given]
    assert all(forms.call(lambda x, one=one: (x == one).all() and x.dtype == one.dtype, (one,), {}) for one in given)


def test_the_same_state_has_the_same_form_and_result():
    def draws(data, epsilon, rng):
        return type(epsilon), data.flags.owndata, rng.integers(2**31, dtype=np.int32), rng.laplace()

    assert asked(draws, np.arange(5.0), 1.0) == asked(draws, np.arange(5.0), 1.0)


def test_a_generator_goes_on_in_its_own_stream():
    """The grader takes no state of another."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        stream, before = rng.bit_generator.state["state"]["inc"], rng.bit_generator.state
        forms.call(lambda rng: rng.random(), (), {"rng": rng})
        assert rng.bit_generator.state["state"]["inc"] == stream and rng.bit_generator.state != before


def test_draws_keep_their_law():
    """p-values of fixed seeds; a right one falls below 1e-4 once in 10,000 draws of the seeds."""
    noise = asked(lambda scale, rng: rng.laplace(0, scale), 2.0, times=4000)
    assert stats.kstest(noise, stats.laplace(scale=2).cdf).pvalue > 1e-4
    rng = np.random.default_rng(0)
    on = [forms.call(lambda rng: rng.integers(0, 10, dtype=np.int32), (), {"rng": rng}) for _ in range(4000)]
    assert stats.chisquare(np.bincount(on, minlength=10)).pvalue > 1e-4


def test_children_of_small_seeds_are_no_twins():
    firsts = asked(lambda rng: rng.spawn(1)[0].random(), times=3000)
    assert len(set(firsts)) == 3000


@pytest.mark.parametrize("data", [np.zeros(6), np.zeros((3, 2))], ids=["row", "table"])
def test_the_data_stay_as_they_are(data):
    asked(lambda x, rng: x.__setitem__(..., x + 1), data)
    assert (data == 0).all()


@pytest.mark.parametrize("named", [{}, {"rng": np.random.default_rng(1)}], ids=["without", "with a generator"])
def test_what_is_done_to_lists_and_the_like_is_not_done_to_the_check(named):
    def empties(flat, deep, table, some, array, rng=None):
        deep[0][1][:] = 7
        array[:] = 7
        for one in (flat, deep, table, some):
            one.clear()

    given = [1, 2], [(3, np.zeros(2))], {"a": [4]}, {5}, np.zeros(2)
    forms.call(empties, given, named)
    assert repr(given) == repr(([1, 2], [(3, np.zeros(2))], {"a": [4]}, {5}, np.zeros(2)))


def test_the_generator_goes_on():
    rng = np.random.default_rng(1)
    answer = Answer(lambda n, rng: rng.random())
    assert len({answer(3, rng=rng) for _ in range(500)}) == 500


def test_who_takes_it_by_name_only_is_asked_so():
    assert asked(lambda data, *, rng: rng.random() >= 0, np.zeros(3)) == [True] * 400
    assert forms.call(max, ([1, 2],), {}) == 2


def test_an_error_stays_what_it_is():
    data = np.zeros(3)
    data.flags.writeable = False
    raised = 0
    for seed in range(60):
        try:
            forms.call(lambda x, rng: x.sort(), (data,), {"rng": np.random.default_rng(seed)})
        except ValueError as error:
            raised += "read-only" in str(error)
    assert raised > 30 and (data == 0).all()
