"""A whole ε with a point or without, data of single precision: who tells them apart is refused."""

import numpy as np
import pytest

from dpcourse.checks import Exercise


def asks(answer, chance):
    """A case that asks three times at an ε that is never whole, and finds nothing wrong."""
    for epsilon in (0.3, 1.2, 2.7):
        answer(np.linspace(0, 1, 5), epsilon, rng=np.random.default_rng(chance.rng.integers(2**63)))


def noisy(data, epsilon, rng):
    return data.sum() + rng.laplace(0, 1 / epsilon)


def quiet_where(whole):
    return lambda data, epsilon, rng: noisy(data, epsilon, rng) if not whole(epsilon) else data.sum()


def graded(answer, call="noisy(data, epsilon, rng)"):
    return Exercise("00.9", "A sum", (asks,), call=call).grade(answer, rng=0)


@pytest.mark.parametrize(
    "whole", [lambda epsilon: isinstance(epsilon, int), lambda epsilon: epsilon == 1 and isinstance(epsilon, float)]
)
def test_who_adds_no_noise_at_a_whole_epsilon_of_one_type_is_refused(whole):
    result = graded(quiet_where(whole))
    assert result.key == "whole-epsilon"
    assert "as 1 and as 1.0" in result.diagnosis and "the int 1" in result.next_step


def test_who_does_not_look_at_the_type_passes():
    assert graded(noisy)


def test_where_no_generator_is_handed_over_nothing_is_asked():
    """A formula may be asked about at an ε that it is not for."""
    assert graded(quiet_where(lambda epsilon: isinstance(epsilon, int)), call="noisy(data, epsilon)")


def test_who_adds_no_noise_to_data_of_single_precision_is_refused():
    result = graded(lambda data, epsilon, rng: noisy(data, epsilon, rng) if data.dtype == np.float64 else data.sum())
    assert result.key == "single-precision" and "as float64 and as float32" in result.diagnosis


def own_for_few(data, epsilon, rng):
    """A generator of its own where data are few, as they are here."""
    return noisy(data, epsilon, np.random.default_rng() if len(data) < 8 else rng)


@pytest.mark.parametrize("call", ["noisy(data, epsilon, rng)", "noisy(data, rng)"], ids=["epsilon", "data"])
def test_who_takes_a_generator_of_their_own_is_told_of_that_and_not_of_types(call):
    result = graded(own_for_few, call)
    assert result.key == "own-generator" and "Asked twice the same" in result.diagnosis


def test_a_yes_or_no_that_is_the_same_by_chance_is_asked_more_often():
    own = np.random.default_rng(1)
    keys = {graded(lambda data, epsilon, rng: bool(own.random() < 0.5)).key for _ in range(30)}
    assert keys == {"own-generator", "passed"}  # where the first two are the same in all calls


def test_who_looks_at_whether_data_may_be_written_to_is_refused():
    def locked(answer, chance):
        data = np.linspace(0, 1, 5)
        data.flags.writeable = False
        answer(data)

    exercise = Exercise("00.9", "A sum", (locked,), call="added(data)")
    result = exercise.grade(lambda data: 0.0 if data.flags.writeable else data.sum(), rng=0)
    assert result.key == "writeable" and "generators" not in result.diagnosis
    assert exercise.grade(lambda data: data.sum(), rng=0)


def test_what_single_precision_costs_is_no_difference():
    assert graded(lambda data, epsilon, rng: np.float32(noisy(data, epsilon, rng)))


def between_bounds(data, high, rng):
    """As a median goes through the gaps between records and bounds: none of them may be shorter than nothing."""
    return rng.uniform(0, high - float(np.clip(data, 0, high).max()))


def test_data_in_single_precision_stay_between_bounds():
    """The nearest number that single precision has is larger than a bound of 0.1, 0.3 or 1/3."""

    def asks_with_bounds(answer, chance):
        for high in (0.1, 0.3, 1 / 3):
            answer(np.array([0, high]), high, rng=np.random.default_rng(chance.rng.integers(2**63)))

    exercise = Exercise("00.9", "A gap", (asks_with_bounds,), call="between_bounds(data, high, rng)")
    assert exercise.grade(between_bounds, rng=0)


def by_name(*given, **named):
    values = dict(zip(("data", "epsilon", "rng"), given, strict=False)) | named
    return values["data"].sum() if "epsilon" in named else noisy(**values)


def test_who_adds_no_noise_where_epsilon_comes_by_its_name_is_refused():
    result = graded(by_name)
    assert result.key == "by-name" and "by their names" in result.diagnosis


def test_who_has_other_names_passes():
    assert graded(lambda x, eps, rng: noisy(x, eps, rng))


def test_who_is_the_same_with_another_generator_is_refused_where_that_never_is():
    def of_the_data(data, epsilon, rng):
        return noisy(data, epsilon, np.random.default_rng(round(10 * epsilon)) if epsilon > 2 else rng)

    def restless(result, data, epsilon, rng=None):
        return epsilon > 2.5

    for where, key in (
        (restless, "own-generator"),
        (lambda result, data, epsilon: epsilon < 2, "passed"),
        (None, "passed"),
    ):
        exercise = Exercise("00.9", "A sum", (asks,), call="noisy(data, epsilon, rng)", restless=where)
        assert exercise.grade(of_the_data, rng=0).key == key and exercise.grade(noisy, rng=0)


def test_who_remembers_the_data_is_asked_in_another_process():
    def renewed():
        seen = set()

        def answer(data, epsilon, rng):
            known = epsilon in seen
            seen.add(epsilon)
            return noisy(data, epsilon, rng if known else np.random.default_rng(round(10 * epsilon)))

        return answer

    exercise = Exercise(
        "00.9", "A sum", (asks,), call="noisy(data, epsilon, rng)", restless=lambda *_: True, again=renewed
    )
    assert exercise.grade(renewed(), rng=0).key == "own-generator"
