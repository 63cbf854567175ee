"""What a lesson looks like: its length, its rhythm of predictions, the time it states, and where it leads."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
LESSONS = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))

WORDS, FOLDED, CELLS, LINES = 1800, 700, 20, 160
PROOFS, PROOF_LINES = 8, 60
CELL, ALGORITHM = 8, 30  # lines of a cell; of the one that defines the lesson's algorithm
BETWEEN = 6  # cells from one question to the next

# What follows these headings is not read in one sitting with the lesson: it is looked up.
END_MATTER = ("Common mistakes", "Recall", "You can now", "Summary", "Where to go", "References")
DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL)
FORMULA = re.compile(r"\$\$.*?\$\$", re.DOTALL)


@functools.cache
def cells_of(name: str) -> list[dict]:
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in cells]


def is_proof(cell: dict) -> bool:
    return "proof" in cell["metadata"].get("tags", ())


def code_of(name: str) -> list[dict]:
    return [cell for cell in cells_of(name) if cell["cell_type"] == "code" and not is_proof(cell)]


def prose_of(name: str) -> str:
    """The markdown of a lesson without its end matter."""
    text = "\n\n".join(cell["source"] for cell in cells_of(name) if cell["cell_type"] == "markdown")
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return "".join(part for part in sections if not re.match(rf"## ({'|'.join(END_MATTER)})", part))


def words(text: str) -> int:
    return len([word for word in FORMULA.sub(" ", text).split() if re.search(r"\w", word)])


def shown(cell: dict) -> str:
    """What a cell prints, and the text alternatives of what it draws."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell["outputs"]]
    return "\n".join("".join(text) for text in texts)


def minutes(name: str) -> float:
    """How long a lesson takes to read and run, exercises aside."""
    read = words(DETAILS.sub(" ", prose_of(name))) / 90
    return read + 2.25 * len(code_of(name)) + 2 * len(FORMULA.findall(prose_of(name)))


every_lesson = pytest.mark.parametrize("name", LESSONS)


@every_lesson
def test_a_sitting_is_not_too_long(name):
    prose, folded = prose_of(name), DETAILS.findall("\n".join(cell["source"] for cell in cells_of(name)))
    lines = [len(cell["source"].splitlines()) for cell in code_of(name)]
    assert words(DETAILS.sub(" ", prose)) <= WORDS
    assert words(" ".join(folded)) <= FOLDED
    assert len(lines) <= CELLS and sum(lines) <= LINES
    assert sum(length > CELL for length in lines) <= 1 and max(lines) <= ALGORITHM


@every_lesson
def test_asserts_stand_in_collapsed_proofs(name):
    proofs = [cell for cell in cells_of(name) if is_proof(cell)]
    assert 0 < len(proofs) <= PROOFS
    assert sum(len(cell["source"].splitlines()) for cell in proofs) <= PROOF_LINES
    assert all(cell["metadata"].get("jupyter", {}).get("source_hidden") for cell in proofs)
    assert all("assert " in cell["source"] and not cell["outputs"] for cell in proofs)
    assert not [cell["source"] for cell in code_of(name) if re.search(r"^\s*assert ", cell["source"], re.MULTILINE)]


@every_lesson
def test_the_stated_time_is_true(name):
    stated = re.search(r"\*\*Time\*\* about (\d+) minutes", cells_of(name)[0]["source"])
    assert stated, "**Time** about N minutes"
    assert int(stated[1]) <= 75
    assert abs(int(stated[1]) / minutes(name) - 1) <= 0.15, f"by the formula {minutes(name):.0f} minutes"


@every_lesson
def test_questions_come_often_and_fold_their_answers(name):
    """Every four to six cells there is a **Predict** or **Check yourself**, with a folded answer in the same cell."""
    end = next(i for i, cell in enumerate(cells_of(name)) if re.search(r"^## Recall", cell["source"], re.MULTILINE))
    asked = [-1]
    for i, cell in enumerate(cells_of(name)[: end + 1]):
        questions = len(re.findall(r"\*\*(?:Predict|Check yourself)\.\*\*", cell["source"]))
        assert len(DETAILS.findall(cell["source"])) >= questions, f"cell {i} asks and does not fold its answer"
        if questions:
            asked.append(i)
    asked.append(end)
    gaps = [
        sum(not is_proof(cell) for cell in cells_of(name)[a + 1 : b]) for a, b in zip(asked, asked[1:], strict=False)
    ]
    assert max(gaps) <= BETWEEN


@every_lesson
def test_a_prediction_stands_before_the_output_that_settles_it(name):
    """What an answer prints in bold is printed by a code cell after it and before the next prediction, and by none
    before it."""
    earlier, waiting = "", []
    for cell in cells_of(name):
        if cell["cell_type"] == "code":
            waiting = [answer for answer in waiting if not _says(shown(cell), answer)]
            earlier += shown(cell) + "\n"
            continue
        for block in re.findall(r"\*\*Predict\.\*\*.*?</details>", cell["source"], re.DOTALL):
            assert not waiting, f"nothing printed {waiting} before the next prediction"
            folded = DETAILS.search(block)
            answer = re.search(r"\*\*(.+?)\*\*", folded[0]) if folded else None
            assert answer, f"the folded answer says nothing in bold: {block[:60]}"
            assert not _says(earlier, answer[1]), f"{answer[1]} was printed before it was asked"
            waiting.append(answer[1])
    assert not waiting, f"nothing prints {waiting}"


def _says(text: str, answer: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(answer)}(?![\w])", text) is not None


@every_lesson
def test_it_ends_as_every_lesson_does(name):
    text = "\n\n".join(cell["source"] for cell in cells_of(name) if cell["cell_type"] == "markdown")
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert re.match(r"# \d\d \w+", text) and all(part in text for part in ("**You will**", "**You need**"))
    assert len(re.findall(r"^\d\. ", parts["Recall"], re.MULTILINE)) == len(DETAILS.findall(parts["Recall"])) == 5
    assert len(re.findall(r"^- ", parts["Common mistakes"], re.MULTILINE)) <= 5
    assert {"You can now", "Summary", "References"} <= parts.keys()


@every_lesson
def test_it_leads_on(name):
    """To the lessons before and after it, its exercises, its companion if there is one, and the glossary."""
    text = "\n".join(cell["source"] for cell in cells_of(name))
    links = set(re.findall(r"\]\(([^)\s]+\.(?:ipynb|md))", text))
    here = LESSONS.index(name)
    wanted = {f"{LESSONS[i]}.ipynb" for i in (here - 1, here + 1) if 0 <= i < len(LESSONS)}
    wanted |= {f"exercises/{name}_exercises.ipynb", "GLOSSARY.md"}
    if (NOTEBOOKS / "deeper" / f"{name}_deeper.ipynb").exists():
        wanted.add(f"deeper/{name}_deeper.ipynb")
    assert wanted <= links
    assert not [link for link in links if not (NOTEBOOKS / link).exists()]
