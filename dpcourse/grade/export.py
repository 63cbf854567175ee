"""nbgrader's gradebook as one table with a column for each question."""

from __future__ import annotations

import csv
from typing import Any

from nbgrader.plugins import ExportPlugin

from dpcourse.grade.results import _cell


class QuestionExporter(ExportPlugin):
    """``nbgrader export --exporter=dpcourse.grade.export.QuestionExporter``: one row a student and assignment.

    Questions are named as in `check`: "03.2" for the cell ``check-03-2``, "capstone 1.2" for ``check-capstone-1-2``.
    """

    def export(self, gradebook: Any) -> None:
        rows, questions = [], set[str]()
        for submission in (s for a in gradebook.assignments for s in a.submissions):
            scores = {
                ".".join(grade.name.removeprefix("check-").rsplit("-", 1)).replace("-", " "): grade.score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            questions |= scores.keys()
            rows.append(
                (submission.student.id, submission.assignment.name, scores, submission.score, submission.max_score)
            )
        names = sorted(questions)
        with open(self.to or "grades.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["student", "assignment", *names, "total", "of"])
            for student, assignment, scores, total, of in rows:
                writer.writerow([_cell(student), assignment, *(scores.get(name, "") for name in names), total, of])
