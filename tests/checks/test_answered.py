"""An answer that stops or refuses where it should return something is told so, and where."""

import pytest

from dpcourse.checks.answered import HandedOver, answered, heard, stops
from dpcourse.checks.answers import Answer, AnswerRaised
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


class Office(HandedOver):
    def __call__(self, number):
        if number < 0:
            self.refuse("negative", f"You ask for {number}.")
        return number


def says_so(office):
    return office(-1)


def swallows(office):
    try:
        office(-1)
    except Exception:
        return office(1)


def says_something_else(office):
    try:
        return office(-1)
    except Exception as error:
        raise RuntimeError("no number") from error


@pytest.mark.parametrize("answer", [says_so, swallows, says_something_else])
def test_what_was_refused_is_heard_whatever_the_answer_makes_of_it(answer):
    office = Office()
    with pytest.raises(Refused) as refused, heard(office):
        Answer(answer)(office)
    assert (refused.value.diagnosis.key, refused.value.diagnosis.seen) == ("negative", "You ask for -1.")


def test_where_nothing_was_refused_an_answers_error_is_its_own():
    office = Office()
    with heard(office):
        assert Answer(lambda office: office(1))(office) == 1
    with pytest.raises(AnswerRaised, match="ZeroDivisionError"), heard(office):
        Answer(lambda office: office(1) / 0)(office)


def test_what_was_handed_over_is_not_called_in_a_later_run():
    office, kept = Office(), []
    with heard(office):
        kept.append(office)
        office(1)
    with pytest.raises(Refused) as refused:
        kept[0](1)
    assert refused.value.diagnosis.key == "too-late"
