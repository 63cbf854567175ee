"""A right answer may do to its messages what it likes: the check has its own."""

import copy

import pytest

from dpcourse.checks import rehearse
from tests.lessons.test_answers import right


@pytest.mark.in_turn
@pytest.mark.thorough
@pytest.mark.parametrize("exercise", ["capstone 2.6", "capstone 4.6", "capstone 7.6", "capstone 8.6"])
def test_messages_may_be_taken_off_the_list(exercise):
    answer = next(answer for id, answer in right(exercise.partition(".")[0]) if id == exercise)

    def taking(messages, *rest):
        mine = copy.deepcopy(messages)
        for _, *of in messages:
            for one in (one for one in of if hasattr(one, "fill")):
                one.fill(-1)
        messages.clear()
        return answer(mine, *rest)

    assert rehearse(exercise, taking, times=1, rng=0).keys == {"passed": 1}
