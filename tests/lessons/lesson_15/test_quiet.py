"""What AIF360 says at import is not heard, and what is said afterwards is."""

import logging
import warnings

import pytest

from dpcourse.lessons.lesson_15 import quietly


def test_it_is_quiet_inside_and_nowhere_else(caplog):
    with quietly():
        logging.warning("No module named 'tensorflow'")
        warnings.warn_explicit("invalid escape sequence", SyntaxWarning, "MDSS.py", 24)
    assert not caplog.records
    logging.warning("heard")
    assert [record.message for record in caplog.records] == ["heard"]
    with pytest.raises(SyntaxWarning):  # here warnings are errors
        warnings.warn_explicit("invalid escape sequence", SyntaxWarning, "MDSS.py", 24)


def test_whoever_had_switched_it_off_finds_it_off():
    logging.disable(logging.ERROR)
    try:
        with pytest.raises(ZeroDivisionError), quietly():
            raise ZeroDivisionError
        assert logging.root.manager.disable == logging.ERROR
    finally:
        logging.disable(logging.NOTSET)
