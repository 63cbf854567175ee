"""Calls alike are asked for ahead, as many as are likely to be wanted and can be sent at once."""

import numpy as np
import pytest

from dpcourse.grade import sandbox, wire
from dpcourse.grade.remote import Remote
from dpcourse.grade.staging import stage
from dpcourse.grade.student import Student

DRAWS = """import numpy as np
def draws(n, rng):
    return rng.normal(size=n), [rng.random()]
"""


class Counting:
    """A student's process that draws one number a call, and notes how many calls it is asked for."""

    def __init__(self):
        self.asked = []

    def call(self, number, given, named, kept, states, ahead):
        self.asked.append(ahead)
        rngs = [wire.generator(state) for state in states]
        rngs += rngs[-1:] * (ahead - len(rngs))
        return [[rng.random(), wire.rng_state(rng)] for rng in rngs]


def test_with_one_generator_that_goes_on_more_and_more_are_asked_for():
    process, rng, same = Counting(), np.random.default_rng(1), np.random.default_rng(1)
    answer = Remote(process, 1)
    assert [answer([1, 2], rng=rng) for _ in range(32)] == list(same.random(32))
    assert process.asked == [1, 1, 2, 4, 8, 16]


def test_with_another_generator_every_time_none_is_asked_for_in_vain():
    process = Counting()
    answer = Remote(process, 1)
    for seed in range(20):
        assert answer([1, 2], rng=np.random.default_rng(seed)) == np.random.default_rng(seed).random()
    assert process.asked == [1] * 20


@pytest.mark.parametrize("argument", [lambda: 0.1 + 0.2, lambda: [1, 2], lambda: np.arange(3.0)])
def test_announced_generators_are_sent_together(argument):
    """Whether the arguments are the same objects or alike."""
    process = Counting()
    answer = Remote(process, 1)
    seeds = range(50)
    answer.announce([np.random.default_rng(seed) for seed in seeds])
    right = [np.random.default_rng(seed).random() for seed in seeds]
    assert [answer(argument(), rng=np.random.default_rng(seed)) for seed in seeds] == right
    assert process.asked == [16, 32, 2]
    assert answer(argument(), rng=np.random.default_rng(7)) == right[7] and process.asked[3:] == [1]


def test_a_call_that_nobody_announced_may_come_between():
    """As another time the same question, with the same generator, is asked again."""
    process = Counting()
    answer = Remote(process, 1)
    answer.announce([np.random.default_rng(seed) for seed in range(12)])
    for seed in range(12):
        right = np.random.default_rng(seed).random()
        assert answer(1.5, rng=np.random.default_rng(seed)) == right
        if seed == 5:
            assert answer([2.5], rng=np.random.default_rng(seed)) == right
    assert process.asked == [12, 1, 6]


def test_other_arguments_are_another_call_whoever_was_announced():
    process = Counting()
    answer = Remote(process, 1)
    answer.announce([np.random.default_rng(seed) for seed in range(3)])
    for seed in range(3):
        answer(seed, rng=np.random.default_rng(seed))
    assert process.asked == [3, 2, 1]


class Stopping(Counting):
    """One whose calls raise when they are told to."""

    stops = False

    def call(self, number, given, named, kept, states, ahead):
        if self.stops:
            raise ValueError("no")
        return super().call(number, given, named, kept, states, ahead)


def test_what_was_asked_for_ahead_is_no_result_of_another_call():
    """Nor of one that raised, and is asked again with the generator that stands where it stood."""
    process, rng = Stopping(), np.random.default_rng(4)
    answer = Remote(process, 1)
    for _ in range(5):  # the fifth finds two more that are ready
        answer(1, rng=rng)
    process.stops = True
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            answer(2, rng=rng)
    assert process.asked == [1, 2, 4]


@pytest.mark.grade
def test_a_list_that_the_check_changed_is_sent_anew():
    """And one into which it put the same things is the same."""
    process, rng, sent = Counting(), np.random.default_rng(1), []
    call = process.call
    process.call = lambda number, given, *rest: sent.append(list(given[0])) or call(number, given, *rest)
    answer, names = Remote(process, 1), ["a", "b"]
    for _ in range(4):
        answer(names, rng=rng)
    names[1] = "c"
    answer(names, rng=rng)
    names[:] = list(names)
    answer(names, rng=rng)
    assert sent == [["a", "b"]] * 3 + [["a", "c"]] * 2 and process.asked == [1, 2, 4, 1, 2]


def test_large_results_come_a_few_at_a_time(tmp_path):
    """A hundred of them at once would be more than may cross."""
    process = sandbox.start(stage(frozenset(), tmp_path / "in"), sandbox.Limits(), sandboxed=False)
    student = Student(process, 10.0)
    try:
        student.run_cell(DRAWS, "a")
        answer, rng = student.answer("draws"), np.random.default_rng(2)
        assert 128 * 8 * 100_000 > wire.LARGEST
        drawn = [answer(100_000, rng=rng) for _ in range(300)]
        assert {many.shape for many, _ in drawn} == {(100_000,)}
        assert len({float(many[0]) for many, _ in drawn}) == len({one for _, (one,) in drawn}) == 300
    finally:
        student.close()


@pytest.mark.parametrize("results", [[1, 2], "12", None])
def test_more_results_than_were_asked_for_are_refused(results):
    """They would be kept for calls that never come."""
    student = object.__new__(Student)
    student._ask = lambda *_: [results, []]
    with pytest.raises(wire.WireError, match="asked for"):
        student.call(0, [], {}, [], "", 1)
