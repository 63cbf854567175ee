"""Who a student is, as the platform names them, and how their name is shown."""

from __future__ import annotations

import re
import unicodedata

_MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_")  # a folder of "download all submissions"
_NUMBERED = re.compile(r"(?=_\d+_assignsubmission_)")
_CANVAS = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d+)_\d+_")  # a file of "download submissions"

_OBEYED = {"Cc", "Cs", "Zl", "Zp"}  # control characters, halves of pairs, ends of lines


def person(student: str) -> tuple[str, str, str]:
    """Name, Moodle's identifier and Canvas's number of a folder or file as the platform names it.

    >>> person("Ana López_184201_assignsubmission_file")
    ('Ana López', 'Participant 184201', '')
    >>> person("lopezana_90212_771202_03_laplace_and_sensitivity_exercises")
    ('lopezana', 'lopezana', '90212')

    A name that looks like another student's number names nobody: its points are for the teacher to enter.

    >>> person("Bo_7_assignsubmission__184201_assignsubmission_file")[1]
    'Bo_7_assignsubmission__184201_assignsubmission_file'
    >>> person("ana")
    ('ana', 'ana', '')
    """
    moodle, canvas = _MOODLE.match(student), _CANVAS.match(student)
    if len(_NUMBERED.findall(student)) > 1:
        return student, student, ""
    if moodle:
        return moodle["name"], f"Participant {moodle['id']}", ""
    return (canvas["name"], canvas["name"], canvas["id"]) if canvas else (student, student, "")


def printable(name: str) -> str:
    """On one line and without what a terminal or a spreadsheet would obey.

    >>> printable("z\\x1b]0;owned\\n=1")
    'z�]0;owned�=1'
    """
    return "".join("�" if unicodedata.category(letter) in _OBEYED else letter for letter in name)
