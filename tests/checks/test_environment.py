"""The environment check names what is missing and how to mend it."""

import importlib
import sys

import pytest

from dpcourse.checks import check_environment


def test_all_is_well_here_and_no_version_is_printed():
    found = check_environment()
    assert found and repr(found).endswith("This machine runs the course.")
    assert importlib.import_module("numpy").__version__ not in repr(found)


def test_a_missing_library_and_an_old_python_come_with_a_fix(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp", None)
    monkeypatch.setattr(sys, "version_info", (3, 9, 0))
    found = check_environment()
    assert not found
    assert "missing  opendp" in repr(found) and "pip install opendp" in repr(found)
    assert "missing  Python 3.11" in repr(found) and "Mend what is missing" in repr(found)


@pytest.mark.parametrize(("version", "met"), [("7.6.5", False), ("7.7.1", True), ("8.1.5", True), ("10.0", True)])
def test_old_widgets_are_named(monkeypatch, version, met):
    monkeypatch.setattr(importlib.import_module("ipywidgets"), "__version__", version)
    assert bool(check_environment()) is met
