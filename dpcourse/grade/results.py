"""Grades as files: one table, one page a student, and what Gradescope, Moodle and Canvas read."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import html
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dpcourse.grade.classroom import Graded, latest
from dpcourse.grade.people import person, printable
from dpcourse.grade.submissions import Question, called, references

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{name}</title><style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }}
body {{ overflow-wrap: anywhere; }}
section {{ border-left: .3rem solid #767676; padding-left: 1rem; margin: 1.2rem 0; }}
section.passed {{ border-color: #00734f; }} h3 {{ margin: 0; font-size: 1.05rem; }} p {{ margin: .3rem 0; }}
</style></head><body><h1>{name}</h1><p>{total:g} of {of:g} points.</p>
{body}
</body></html>
"""


def only_assigned(graded: Sequence[Graded], names: Sequence[str]) -> list[Graded]:
    """The same without the points of notebooks that were not set: nobody's grade is out of more for them.

    Parameters
    ----------
    names : sequence of str
        Beginnings of notebooks' names, such as "03" or "2_supplier_benchmarking"; without any, all were set.

    Raises
    ------
    ValueError
        If no notebook is called so.
    """
    known = [reference.name for reference in references()]
    for name in names:
        if not any(called(notebook, name) for notebook in known):
            raise ValueError(f"no notebook is called {name!r}; there are {', '.join(sorted(known))}")

    def left(one: Graded) -> Graded:
        if not one.notebook or not names or any(called(one.notebook, name) for name in names):
            return one
        return dataclasses.replace(one, notebook="", marks=(), error=f"not counted: {one.notebook} was not set")

    return list(map(left, graded))


def handed_in_by_few(graded: Sequence[Graded]) -> dict[str, int]:
    """Notebooks that fewer than half of the students handed in, and how many did."""
    classes = latest(graded)
    many = Counter(notebook for mine in classes.values() for notebook in mine)
    return {notebook: count for notebook, count in sorted(many.items()) if 2 * count < len(classes)}


def write_all(graded: Sequence[Graded], out: Path) -> tuple[Path, list[str]]:
    """Everything, anew from what was graded; the table's path, and the students whose page could not be written."""
    table = write_tables(graded, out)  # first, as it is what a full disk must not cost
    return table, [name for name in sorted({one.student for one in graded}) if not _written(graded, name, out)]


def _written(graded: Sequence[Graded], student: str, out: Path) -> bool:
    try:
        write_student(graded, student, out)
    except OSError:
        return False
    return True


def write_student(graded: Sequence[Graded], student: str, out: Path) -> None:
    """One student's page, and what Gradescope shows them."""
    mine = latest(one for one in graded if one.student == student).get(student, {})
    errors = [one for one in graded if one.student == student and one.error]
    questions = _questions(graded)
    total = sum(mark.points for one in mine.values() for mark in one.marks)
    page = _page(student, mine, errors, total, sum(question.points for question in questions))
    _write(out / "feedback" / f"{_file(student)}.html", page)
    _write(out / "gradescope" / _file(student) / "results.json", _gradescope(mine, errors))


def write_tables(graded: Sequence[Graded], out: Path) -> Path:
    """A row a student in each table; the path of grades.csv."""
    classes, questions = latest(graded), _questions(graded)
    of = sum(question.points for question in questions)
    rows = []
    for student in sorted({one.student for one in graded}):
        marks = {mark.question: mark for one in classes.get(student, {}).values() for mark in one.marks}
        total = sum(mark.points for mark in marks.values())
        rows.append((student, [marks[q.id].points if q.id in marks else 0.0 for q in questions], total))
    _table(
        out / "grades.csv", ["student", *(q.id for q in questions), "total", "of"], ([s, *p, t, of] for s, p, t in rows)
    )
    _table(out / "moodle.csv", ["Identifier", "Grade", "Maximum Grade"], ([person(s)[1], t, of] for s, _, t in rows))
    header = ["Student", "ID", "SIS Login ID", "Section", "dpcourse"]
    people = ([person(s)[0], person(s)[2], "" if person(s)[2] else s, "", t] for s, _, t in rows)
    _table(out / "canvas.csv", header, [["Points Possible", "", "", "", of], *people])
    return out / "grades.csv"


def _questions(graded: Sequence[Graded]) -> list[Question]:
    """Of all notebooks that anybody handed in."""
    notebooks = {one.notebook for one in graded if one.notebook}
    return [question for known in references() if known.name in notebooks for question in known.questions]


def _page(student: str, mine: dict[str, Graded], errors: list[Graded], total: float, of: float) -> str:
    parts = []
    for notebook, one in sorted(mine.items()):
        parts.append(f"<h2>{html.escape(notebook)}</h2>")
        for mark in one.marks:
            parts.append(
                f'<section class="{"passed" if mark.points else "open"}"><h3>{html.escape(mark.question)} '
                f"{html.escape(mark.title)}: {mark.points:g} of {mark.of:g}{', right' if mark.points else ''}</h3>"
            )
            for label, words in (("Seen", mark.seen), ("Next", mark.next)):
                if words:
                    parts.append(f"<p><strong>{label}:</strong> {html.escape(words)}</p>")
            parts.append("</section>")
    for one in errors:
        parts.append(f"<section><h3>{html.escape(one.file)}</h3><p>{html.escape(one.error)}</p></section>")
    return _PAGE.format(name=html.escape(person(student)[0]), total=total, of=of, body="\n".join(parts))


def _gradescope(mine: dict[str, Graded], errors: list[Graded]) -> str:
    tests = [
        {
            "name": f"{mark.question} {mark.title}",
            "score": mark.points,
            "max_score": mark.of,
            "output": "\n".join(filter(None, (mark.seen, mark.next))) or "passed",
        }
        for one in mine.values()
        for mark in one.marks
    ]
    said = "\n".join(f"{one.file}: {one.error}" for one in errors)
    return json.dumps({"tests": tests, "output": said}, ensure_ascii=False, indent=1)


def _file(student: str) -> str:
    """A file name that is one, whatever a student is called, and nobody else's: not even one made like these."""
    name = "".join(c if c.isalnum() or c in "-_.' " else "_" for c in student).strip(". ")
    return (
        name
        if name == student and len(name) < 60 and not re.search("-[0-9a-f]{8}$", name)
        else f"{name[:50]}-{hashlib.sha256(os.fsencode(student)).hexdigest()[:8]}"
    )


def _write(path: Path, text: str) -> None:
    text = "\n".join(map(printable, text.split("\n")))  # whoever prints the file has a terminal that obeys
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="replace")


def _table(path: Path, header: list[str], rows) -> None:
    with open(path, "w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for row in rows:
            writer.writerow([f"{cell:g}" if isinstance(cell, float) else _cell(cell) for cell in row])


def _cell(text: object) -> str:
    """A name must not become a formula in a spreadsheet: where it begins, or behind what some take to part cells."""
    return re.sub(r"""(^|[;|\t]\s*["']*)(?=[=+@＝＋－＠-])""", r"\1'", printable(str(text)))
