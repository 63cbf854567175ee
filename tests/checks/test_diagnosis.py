"""What is wrong, in words."""

import numpy as np

from dpcourse.checks import Diagnosis, Exercise
from dpcourse.checks.diagnosis import a


def test_types_have_their_article():
    assert [a(thing) for thing in (1, 1.0, [], np.ones(1))] == ["an int", "a float", "a list", "an ndarray"]


def test_what_an_answer_gave_is_shown_in_part():
    exercise = Exercise("00.0", "", (lambda answer, chance: Diagnosis("k", f"You return {answer()!r}; not 3."),), "f()")
    result = exercise.grade(lambda: "x" * 10**7)
    assert len(result.diagnosis) < 3000
    assert result.diagnosis.startswith("You return 'xx") and result.diagnosis.endswith("xx'; not 3.")


def test_a_diagnosis_may_name_the_part_that_it_is_of():
    led = Diagnosis("k", "It is 3.", "Why?").led_by("The count. ")
    assert (led.key, led.seen, led.ask) == ("k", "The count. It is 3.", "Why?")
