"""One name and one question for a mistake that many exercises share."""

import ast
from pathlib import Path

import pytest

import dpcourse
from dpcourse.checks.vocabulary import Shared

PACKAGE = Path(dpcourse.__file__).parent
SOURCES = sorted([*PACKAGE.glob("lessons/lesson_*/exercises*"), PACKAGE / "checks"])
FILES = [path for source in SOURCES for path in ([source] if source.is_file() else sorted(source.rglob("*.py")))]
NAMES = {mistake.key for mistake in Shared}


def test_names_and_questions_are_told_apart():
    assert len(NAMES) == len({mistake.question for mistake in Shared}) == len(Shared)
    assert all(mistake.question.rstrip(".").endswith("?") or "Average" in mistake.question for mistake in Shared)


def test_a_closer_question_may_take_the_place_of_the_shared_one():
    assert Shared.EPSILON_IGNORED.seen("Seen.").ask == Shared.EPSILON_IGNORED.question
    assert Shared.EPSILON_IGNORED.seen("Seen.", "And now?").ask == "And now?"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_shared_mistakes_are_not_named_by_hand(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Diagnosis", "Mistake"):
            for argument in node.args[:1]:
                assert not isinstance(argument, ast.Constant) or argument.value not in NAMES, (path, argument.value)
