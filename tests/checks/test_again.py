"""Calls asked again: right answers pass; whoever draws from another generator than the one given does not. Seeded."""

import numpy as np
import pytest

from dpcourse.checks.again import Again, follows, listens
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Refused
from dpcourse.checks.elsewhere import Elsewhere
from dpcourse.checks.places import Placed, place


def choice(epsilon, k, rng):
    """0 with probability 1/2, else one of the others."""
    return int(rng.integers(1, k)) if rng.random() < 0.5 else 0


def ask(answer, epsilon, k, rng):
    chosen, lie = answer(epsilon, k, rng=rng), 0.5 / (k - 1)
    return [place(0.5 + (chosen - 1) * lie, lie, rng) if chosen else place(0, 0.5, rng)]


def found(answer, seed, failure=1e-6, **more):
    return Placed(ask, **more)(Answer(answer), Chance(np.random.default_rng(seed), failure))


def test_who_can_be_foreseen_at_some_epsilon_is_refused():
    def seeded(epsilon, k, rng):
        return choice(epsilon, k, rng if epsilon > 1 else np.random.default_rng(int(1e9 * epsilon)))

    wrong = found(seeded, 0)
    assert wrong.key == "own-generator" and "the same with another generator" in wrong.seen


@pytest.mark.thorough
def test_who_listens_is_refused_as_rarely_as_is_said():
    """With a failure of 0.05 a checker of a hundred refuses sixteen with probability 4e-5 at most."""
    assert sum(found(choice, seed, 0.05, times=60) is not None for seed in range(100)) < 16


def test_the_same_state_has_to_give_the_same():
    again = Again(Answer(lambda epsilon, rng: np.random.default_rng().random()), np.random.default_rng(0), 1.0)
    with pytest.raises(Refused, match="two results"):
        again(1.0, rng=np.random.default_rng(1))


@pytest.mark.parametrize("result", [np.array([0.0, -0.0]), 3.0001, [1, 2.5]])
def test_whole_numbers_are_whole(result):
    again = Again(Answer(lambda epsilon, rng: result), np.random.default_rng(0), 1.0, whole=True)
    with pytest.raises(Refused, match="Whole numbers"):
        again(1.0, rng=np.random.default_rng(1))


KNOWN = np.random.default_rng(1)


def numbers(draw):
    """All that is drawn, behind a number that is always there."""
    return np.concatenate([[5.0, 0.0, 0.0], draw(30)])


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (numbers, ""),
        (lambda draw: 1e9 * np.repeat(draw(1), 30), ""),
        (lambda draw: [draw(30), KNOWN.random(30)][1], "given the same by `draw`, your function gave two results"),
        (lambda draw: [draw(30), np.arange(1, 31)][1], "given other numbers by `draw`, your function gave 30 of 30"),
        (lambda draw: np.append(draw(28), [7, 8]), "gave 2 of 30 numbers once more"),
    ],
    ids=["one fixed number", "one draw", "known to all", "none", "some fixed"],
)
def test_what_is_drawn_has_to_be_in_the_result(answer, says):
    asked = Answer(answer)
    wrong = follows(asked, lambda seed: asked(np.random.default_rng(seed).random), np.random.default_rng(0), "draw")
    assert (wrong.seen if wrong else "").count(says) and bool(wrong) == bool(says)


def call(answer, n, own):
    return answer(n, rng=own)


@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        (lambda n, rng: KNOWN.normal(size=n), "gave two results"),
        (lambda n, rng: np.random.default_rng(1).normal(size=n), "exactly the same noise"),
    ],
)
def test_noise_from_elsewhere_is_refused(answer, seen):
    wrong = listens(lambda rng: (9,), call)(Answer(answer), Chance(np.random.default_rng(0), 1e-6))
    assert wrong.key == "own-generator" and seen in wrong.seen


@pytest.mark.parametrize("last", [0.0, np.nan])
def test_last_digits_and_places_without_a_number_are_not_looked_at(last):
    calls = iter(range(100))

    def right(n, rng):
        return np.append(rng.normal(size=n) * (1 + 1e-13 * next(calls)), last)

    assert listens(lambda rng: (9,), call)(Answer(right), Chance(np.random.default_rng(0), 1e-6)) is None


class Far(Elsewhere):
    """A function in another process, which notes what it was told would come and what came."""

    def __init__(self):
        self.announced, self.came = [], []

    def announce(self, rngs):
        self.announced += [rng.bit_generator.state["state"]["state"] for rng in rngs]

    def __call__(self, n, rng):
        self.came.append(rng.bit_generator.state["state"]["state"])
        return int(rng.integers(n))


def test_what_is_announced_is_what_comes():
    """With what is asked again between, twice each."""
    far, rng = Far(), np.random.default_rng(3)
    again = Again(Answer(far), rng, 0.3)
    again.expect(20)
    for _ in range(20):
        again(1000, rng=rng)
    asked_again = len(far.came) - 20
    assert far.announced == far.came and 0 < asked_again < 30 and asked_again % 2 == 0
    again(1000, rng=rng)  # nobody has expected it
    assert far.came[20 + asked_again] not in far.announced
