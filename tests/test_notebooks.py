"""The rules every stored notebook keeps, so that it reads well without a kernel and runs the same with one."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("*.ipynb"))
COMPANIONS = sorted(NOTEBOOKS.glob("deeper/*.ipynb"))
SOLUTIONS = sorted(NOTEBOOKS.glob("solutions/*.ipynb"))
EXERCISES = sorted(NOTEBOOKS.glob("exercises/*.ipynb"))
CAPSTONES = sorted(NOTEBOOKS.glob("capstones/*.ipynb"))
STUDENTS = sorted(NOTEBOOKS.glob("capstones/student/*.ipynb"))

SHORT, LONG = 15, 40  # lines of a cell; of the one cell that defines the lesson's algorithm

FORBIDDEN_CODE = {
    "a magic or a shell command": r"^\s*[%!]|get_ipython\(",
    "a trailing semicolon": r";\s*$",
    "the global NumPy generator": r"np\.random\.(seed|rand|randn|normal|laplace|choice|randint)\(",
    "interact()": r"\binteract(ive|_manual)?\(",
    "an Output widget": r"\bOutput\(",
    "pyplot": r"\bpyplot\b|\bplt\.",
}

FORBIDDEN_OUTPUT = {
    "an address in memory": r"\b0x[0-9a-fA-F]{6,}",
    "a path of one machine": rf"/(?:home|Users|root|tmp|opt|var)/\w|[A-Z]:\\Users|site-packages|{re.escape(str(ROOT))}",
}


def name_of(path: Path) -> str:
    return path.relative_to(NOTEBOOKS).as_posix()


@functools.cache
def notebook_at(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


@functools.cache
def cells_of(path: Path, kind: str) -> list[dict]:
    """The cells of one kind, sources joined."""
    cells = notebook_at(path)["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in cells if cell["cell_type"] == kind]


def text_of(output: dict) -> str:
    """All the text of an output, whatever its form."""
    data = {key: value for key, value in output.get("data", {}).items() if not key.startswith("image/")}
    parts = [output.get("text", ""), *data.values()]
    return "\n".join("".join(p) if isinstance(p, list | str) else json.dumps(p, ensure_ascii=False) for p in parts)


STORED = LESSONS + COMPANIONS + SOLUTIONS + CAPSTONES
stored = pytest.mark.parametrize("path", STORED, ids=name_of)
every = pytest.mark.parametrize("path", STORED + EXERCISES + STUDENTS, ids=name_of)
lessons = pytest.mark.parametrize("path", LESSONS, ids=name_of)


def test_there_are_lessons():
    assert LESSONS


@every
def test_name_tells_number_and_kind(path):
    suffix = {"deeper": "_deeper", "solutions": "_solutions", "exercises": "_exercises"}.get(path.parent.name, "")
    number = r"\d" if path in CAPSTONES + STUDENTS else r"\d\d"
    assert re.fullmatch(rf"{number}_[a-z0-9_]+{suffix}\.ipynb", path.name)


@every
def test_title_and_kernel(path):
    notebook = notebook_at(path)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert notebook["nbformat"] == 4
    first = notebook["cells"][0]
    assert first["cell_type"] == "markdown"
    number = f"Capstone {path.name[0]}:" if path in CAPSTONES + STUDENTS else path.name[:2]
    assert re.match(rf"# {number} \S", "".join(first["source"]))


@lessons
def test_lesson_says_what_for_what_with_and_how_long(path):
    opening = "\n".join(cell["source"] for cell in cells_of(path, "markdown")[:2])
    assert [word for word in ("**You will", "**You need", "**Time") if word not in opening] == []


@stored
def test_run_once_from_top_to_bottom(path):
    counts = [cell["execution_count"] for cell in cells_of(path, "code")]
    assert counts == list(range(1, len(counts) + 1))


@stored
def test_outputs_are_kept_and_hold_no_error_and_no_stderr(path):
    outputs = [output for cell in cells_of(path, "code") for output in cell["outputs"]]
    assert outputs
    assert not [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"]


@stored
@pytest.mark.parametrize("what", FORBIDDEN_OUTPUT)
def test_output_is_free_of(path, what):
    for number, cell in enumerate(cells_of(path, "code")):
        for output in cell["outputs"]:
            found = re.search(FORBIDDEN_OUTPUT[what], text_of(output))
            assert not found, f"code cell {number} shows {what}: {found}"


@stored
def test_no_output_names_a_widget_that_died_with_its_kernel(path):
    """Jupyter would say "model not found" where the still stands."""
    kinds = {kind for cell in cells_of(path, "code") for output in cell["outputs"] for kind in output.get("data", {})}
    assert not [kind for kind in kinds if "widget" in kind]


@stored
def test_stored_pictures_have_a_text_alternative(path):
    for number, cell in enumerate(cells_of(path, "code")):
        for data in (output.get("data", {}) for output in cell["outputs"]):
            if any(kind.startswith("image/") for kind in data):
                text = "".join(data.get("text/plain", ""))
                # The repr of a class, or matplotlib's own, is no description.
                says_nothing = len(text) < 20 or re.match(r"<[\w. ]+ (size \d|object)", text)
                assert not says_nothing, f"code cell {number}: {text!r} describes no picture"


@every
def test_linked_pictures_have_alt_text(path):
    for cell in cells_of(path, "markdown"):
        assert not re.search(r"!\[\s*\]\(", cell["source"])
        assert all(re.search(r'alt="[^"]+"', tag) for tag in re.findall(r"<img\b[^>]*>", cell["source"]))


@every
@pytest.mark.parametrize("what", FORBIDDEN_CODE)
def test_code_is_free_of(path, what):
    for number, cell in enumerate(cells_of(path, "code")):
        found = re.search(FORBIDDEN_CODE[what], cell["source"], flags=re.MULTILINE)
        assert not found, f"code cell {number} has {what}: {found}"


@stored
def test_cells_are_short(path):
    lengths = [len(cell["source"].splitlines()) for cell in cells_of(path, "code")]
    assert min(lengths) > 0, "an empty code cell"
    if path in LESSONS:
        assert sum(length > SHORT for length in lengths) <= 1
    assert max(lengths) <= LONG


@pytest.mark.parametrize("path", COMPANIONS, ids=name_of)
def test_a_companion_belongs_to_a_lesson_and_leads_back(path):
    lesson = path.name.replace("_deeper", "")
    assert (NOTEBOOKS / lesson).exists()
    text = "".join(cell["source"] for cell in cells_of(path, "markdown"))
    links = set(re.findall(r"\]\(([^)\s]+\.(?:ipynb|md))", text))
    assert f"../{lesson}" in links and not [link for link in links if not (path.parent / link).exists()]
    assert "★" in text.splitlines()[0]


PARTS = ("Brief", "Data", "The proposal", "Milestones", "Deliver", "Report", "Go further")


@pytest.mark.parametrize("path", CAPSTONES, ids=name_of)
def test_a_capstone_has_its_parts_and_promises_no_money(path):
    text = "\n".join(cell["source"] for cell in cells_of(path, "markdown"))
    assert tuple(re.findall(r"^## ([^\n]+?)$", text, flags=re.MULTILINE)) == PARTS
    assert not re.search(r"\$\d|✅|€|\bcompliant\b", text)
    assert path.name in (NOTEBOOKS / "capstones" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SOLUTIONS + CAPSTONES, ids=name_of)
def test_a_wrong_answer_costs_points(path):
    """nbgrader gives a cell's points unless it raises, and `check` never does: a graded cell asserts."""
    graded = [cell for cell in cells_of(path, "code") if cell["metadata"].get("nbgrader", {}).get("grade")]
    assert graded
    assert not [cell["source"] for cell in graded if "assert " not in cell["source"]]


@pytest.mark.parametrize("path", EXERCISES + STUDENTS, ids=name_of)
def test_exercise_notebooks_hold_no_outputs(path):
    assert not [cell for cell in cells_of(path, "code") if cell["outputs"] or cell["execution_count"] is not None]


@pytest.mark.parametrize("path", EXERCISES, ids=name_of)  # those of projects are a pass of `make test ARGS=all`
def test_exercises_run_to_the_last_cell_unanswered(path, monkeypatch):
    monkeypatch.setenv("DPCOURSE_SOURCE", "twin")
    namespace = {"__name__": "__main__"}
    for cell in cells_of(path, "code"):
        exec(compile(cell["source"], path.name, "exec"), namespace)
