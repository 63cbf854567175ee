"""At many settings, each result against its law: right answers pass, and a tenth of exact ones shows. Seeded."""

from dataclasses import replace

import numpy as np
import pytest

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Refused
from dpcourse.checks.everywhere import Everywhere, Setting, among, any_epsilon
from dpcourse.checks.once import whole
from dpcourse.checks.selection import softmax


def law(votes, epsilon):
    return softmax(epsilon * votes / 2)


def draw(rng):
    epsilon, k = any_epsilon(rng), whole(rng, 2, 60)
    votes = np.zeros(k)
    best = int(rng.integers(k))
    votes[best] = 2 / epsilon * np.log(k * np.exp(rng.uniform(-3, -1)) + 1)
    laws = (law(votes, epsilon * by) for by in (1, 4, 0.25))
    right, narrow, wide = laws
    judge = among(range(k), right, best, narrow=narrow, wide=wide)
    return Setting((votes, epsilon), {"ε": epsilon, "classes": k}, judge)


CASE = Everywhere(draw)


def winner(epsilon_of=lambda votes, epsilon, rng: epsilon):
    def answer(votes, epsilon, rng):
        return int(rng.choice(len(votes), p=law(votes, epsilon_of(votes, epsilon, rng))))

    return Answer(answer)


def asked(answer, seed, failure=1e-6, settings=2000):
    return replace(CASE, settings=settings)(answer, Chance(np.random.default_rng(seed), failure))


WRONG = {
    "one ε in ten": lambda votes, epsilon, rng: 1e6 if 0.3 < epsilon < 0.3 * 100**0.1 else epsilon,
    "one size in ten": lambda votes, epsilon, rng: 1e6 if 10 < len(votes) < 10 * 31**0.1 + 1 else epsilon,
    "one call in ten": lambda votes, epsilon, rng: 1e6 if rng.random() < 0.1 else epsilon,
    "the largest": lambda votes, epsilon, rng: 1e6 if epsilon > 3.2 else epsilon,
    "four times ε": lambda votes, epsilon, rng: 4 * epsilon if epsilon < 0.2 else epsilon,
    "a fourth of ε": lambda votes, epsilon, rng: epsilon / 4 if epsilon < 0.2 else epsilon,
}


@pytest.mark.in_turn
@pytest.mark.thorough
@pytest.mark.parametrize("cheat", WRONG)
def test_what_is_wrong_at_a_tenth_of_the_settings_is_seen(cheat):
    for seed in range(5):
        assert asked(winner(WRONG[cheat]), seed).key == "not-everywhere", seed


def test_words_say_where_and_how_often():
    wrong = asked(winner(WRONG["the largest"]), 1)
    assert wrong.seen.startswith("At ε = ") and "your answer was the exact one in " in wrong.seen


@pytest.mark.thorough
def test_right_answers_are_refused_as_rarely_as_is_said():
    """With a failure of 0.05 a checker of forty refuses eight with probability 1e-3 at most."""
    assert sum(asked(winner(), seed, 0.05, 200) is not None for seed in range(40)) < 8


@pytest.mark.audit
def test_right_answers_are_refused_as_rarely_as_is_said_in_a_thousand():
    """A binomial of 1,000 and 0.05 is 80 or more with probability 4e-5."""
    assert sum(asked(winner(), seed, 0.05, 200) is not None for seed in range(1000)) < 80


def test_a_result_that_cannot_be_is_refused():
    with pytest.raises(Refused, match="none of the results"):
        asked(Answer(lambda votes, epsilon, rng: -1), 1)
