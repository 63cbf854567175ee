"""An answer that stops or refuses where it should return something is told so, and where."""

import pytest

from dpcourse.checks.answered import answered, stops
from dpcourse.checks.answers import Answer
from dpcourse.checks.diagnosis import Refused

WHERE = ("nobody", "With no message", "What is the sum of nothing?")


@pytest.mark.parametrize("answer", [lambda messages: sum(messages), lambda messages: False, lambda messages: []])
def test_what_is_returned_is_handed_on_though_it_is_false(answer):
    assert answered(*WHERE, Answer(answer), messages=[]) == answer([])


def test_one_that_stops_is_told_with_what():
    with pytest.raises(Refused) as refused:
        answered(*WHERE, Answer(lambda messages: sum(messages) / len(messages)), [])
    assert refused.value.diagnosis.key == "nobody-raises"
    assert refused.value.diagnosis.seen.startswith("With no message, your function stops with ZeroDivisionError: ")
    assert refused.value.diagnosis.ask == WHERE[2]


def test_one_that_returns_none_is_told_that_it_refuses():
    with pytest.raises(Refused) as refused:
        answered(*WHERE, Answer(lambda messages: None), [])
    assert refused.value.diagnosis.key == "nobody-refused"
    assert refused.value.diagnosis.seen == "With no message, you return None, and there is no reason to."


def test_an_error_of_the_check_itself_is_not_the_answers():
    with pytest.raises(KeyError), stops(*WHERE):
        raise KeyError("the check's own")
