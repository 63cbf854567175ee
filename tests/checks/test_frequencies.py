"""Several questions judged together: a right answer passes, and of two mistakes alike in one the right one is named."""

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Frequencies, Mistake


def laws(chances):
    return [{True: chance, False: 1 - chance} for chance in chances]


CASE = Frequencies(
    lambda rng: ([0, 1], laws([0.5, 0.5])),
    call=lambda answer, question, rng: answer(question, rng=rng),
    runs=2000,
    mistakes=[
        Mistake("first", lambda questions: laws([0.8, 0.5]), ""),
        Mistake("both", lambda questions: laws([0.8, 0.8]), ""),
    ],
    words=lambda question, output: f"To {question} you say {output}",
    hint="",
)


def key(*chances):
    answer = Answer(lambda question, rng: bool(rng.random() < chances[question]))
    wrong = CASE(answer, Chance(np.random.default_rng(1), 1e-6))
    return wrong and wrong.key


def test_the_mistake_that_fits_everywhere_is_named():
    assert key(0.5, 0.5) is None
    assert key(0.8, 0.5) == "first"
    assert key(0.8, 0.8) == "both"
    assert key(0.5, 0.8) == "wrong-frequency"


def test_an_output_that_cannot_be_is_seen_and_named():
    wrong = CASE(Answer(lambda question, rng: 7), Chance(np.random.default_rng(1), 1e-6))
    assert wrong.key == "wrong-frequency" and "you say" in wrong.seen


def test_many_outputs_at_once():
    uniform = Mistake("uniform", lambda questions: [{0: 1 / 3, 1: 1 / 3, 2: 1 / 3}], "uniform")
    case = Frequencies(lambda rng: ([8000], [{0: 0.5, 1: 0.25, 2: 0.25}]), 1, "", mistakes=(uniform,))

    def found(answer):
        wrong = case(Answer(answer), Chance(np.random.default_rng(2), 1e-6))
        return wrong and wrong.key

    assert found(lambda n, rng: rng.choice(3, p=[0.5, 0.25, 0.25], size=n)) is None
    assert found(lambda n, rng: rng.integers(3, size=n)) == "uniform"
    assert found(lambda n, rng: np.full(n, 7)) == "wrong-frequency"


def test_outputs_that_hang_together_are_seen_whatever_their_law():
    case = Frequencies(
        lambda rng: ([0], [{"rare": 0.2, "often": 0.5, "other": 0.3}]),
        (2000,),
        "",
        call=lambda answer, question, rng: answer(rng=rng),
    )

    def draws(again):
        rng = np.random.default_rng()
        while True:
            u = rng.random()
            yield u
            if again:
                yield 1 - u

    def wrong(again, failure):
        stream = draws(again)
        answer = Answer(lambda rng: ["rare", "often", "other"][int(np.searchsorted([0.2, 0.7], next(stream)))])
        return case(answer, Chance(np.random.default_rng(), failure))

    assert wrong(again=True, failure=1e-6).key == "linked-noise"
    # At a failure of 0.05, five right answers of 100 are refused on average at most; eighteen with probability 2e-6.
    assert sum(wrong(again=False, failure=0.05) is not None for _ in range(100)) < 18
