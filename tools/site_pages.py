"""The pages of the web site that are lists of others: lessons, exercises, explorers, capstones, the package, about.

`tools/make_site.py` writes them beside the pages of the notebooks.
"""

from __future__ import annotations

import base64
import html
import importlib
import inspect
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"

HELPER_ROOMS = (  # the small helper package, floor by floor
    ("Claims and losses", ("privacy", "accounting")),
    ("One release each", ("mechanisms",)),
    ("Private algorithms", ("queries", "local", "learning", "pate", "federated", "synthetic", "budget")),
    ("Data", ("datasets",)),
)
ABOUT = {
    "benchmarks/README": "The package beside other libraries: the same answers, and how long they take.",
    "data/README": "A private synthetic copy of the course's data, and how it was made.",
    "CONTRIBUTING": "How the course is built, and how to change it.",
    "SECURITY": "What the code does not protect against.",
}
NAVIGATION = (
    "lessons",
    "exercises",
    "explorers",
    "notebooks/capstones/README",
    "Glossary <notebooks/GLOSSARY>",
    "Teaching <notebooks/TEACHING>",
    "Package <api>",
    "about",
)
EXERCISES = """An exercise asks for a function. `check` runs it on fresh data, tries to break it, says what it saw and
asks one question. Here you read the exercises; they run in JupyterLab (`make lab`).
"""
EXPLORERS = "Pictures that you move. Each asks a question: choose one, and it is alive in its lesson.\n"
LESSON = re.compile(r"^\| (\[(\d\d) .*?\]\(notebooks/\S+\)) \| (.*) \|$", re.M)
EXPLORER = re.compile(r"widgets\.(explore_\w+\([^()]*\))")
ASKED = re.compile(r"^<Explorer: (.*?\?) \(", re.M)


def contents(pages: Iterable[str], depth: int = 1, *, hidden: bool = False) -> str:
    """A list of pages, shown or only the order in which they are read."""
    listed = "\n".join(page if page.endswith(">") else f"/{page}" for page in pages)
    return f"\n```{{toctree}}\n:maxdepth: {depth}\n{':hidden:' if hidden else ''}\n\n{listed}\n```\n"


def beside(lesson: Path) -> dict[str, str]:
    """What belongs to a lesson: its exercises and its companion, by the name they have in lists."""
    found = {}
    for name, folder in (("Exercises", "exercises"), ("Deeper ★", "deeper")):
        for path in (NOTEBOOKS / folder).glob(f"{lesson.name[:2]}_*.ipynb"):
            found[name] = path.relative_to(ROOT).as_posix().removesuffix(".ipynb")
    return found


def numbered(folder: str) -> list[str]:
    """The notebooks of a folder, in order."""
    paths = sorted((NOTEBOOKS / folder).glob("[0-9]*_*.ipynb"))
    return [path.relative_to(ROOT).as_posix().removesuffix(".ipynb") for path in paths]


def lists() -> Iterator[tuple[str, str | bytes]]:
    """Each page's path and text; pictures too."""
    yield "lessons.md", lessons()
    yield "exercises.md", "# Exercises\n\n" + EXERCISES + contents(numbered("exercises"), 2)
    yield from explorers()
    yield from api()
    about = "".join(f"- [](/{page}.md): {words}\n" for page, words in ABOUT.items())
    yield "about.md", f"# About\n\n{about}{contents(ABOUT, hidden=True)}"


def lessons() -> str:
    """README's table of lessons, each with its exercises and its companion."""
    told = "Each says what you need and how long it takes. A newcomer may skip what goes deeper (★)."
    lines = ["# Lessons", "", told, ""]
    lines += ["| lesson | what is in it | more |", "| --- | --- | --- |"]
    for link, number, words in LESSON.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        more = beside(Path(number)).items()
        links = ", ".join(f"[{name.lower()}]({page}.ipynb)" for name, page in more)
        lines.append(f"| {link} | {words} | {links} |")
    return "\n".join(lines) + "\n" + contents(numbered(""), hidden=True)


def explorers() -> Iterator[tuple[str, str | bytes]]:
    """Every explorer of lessons and companions: its stored picture, the question it asks, and where it is."""
    cards = []
    for page in (*numbered(""), *numbered("deeper")):
        cells = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
        title = "".join(cells[0]["source"]).splitlines()[0].lstrip("# ")
        for cell in cells:
            call = EXPLORER.search("".join(cell["source"]))
            for data in (output.get("data", {}) for output in cell.get("outputs", ()) if call):
                asked = ASKED.search("".join(data.get("text/plain", "")))
                if call and asked:
                    name = call[1].partition("(")[0]
                    yield f"explorers/{name}.png", base64.b64decode("".join(data["image/png"]))
                    link = f"<a href='{page}.html#{name}'>{html.escape(asked[1])}</a>"
                    cards.append(CARD.format(picture=f"explorers/{name}.png", alt=asked[1], link=link, lesson=title))
    yield "explorers.md", f"# Explorers\n\n{EXPLORERS}\n````{{container}} cards\n{''.join(cards)}````\n"


CARD = """
```{{figure}} {picture}
:alt: The explorer as it opens. {alt}

{link}<br>{lesson}
```
"""


def api() -> Iterator[tuple[str, str | bytes]]:
    """The helper package, floor by floor, and a page for each of its rooms."""
    lines = ["# The helper package", "", "What a lesson imports to do differential privacy, floor by floor.", ""]
    for title, rooms in HELPER_ROOMS:
        lines += [f"## {title}", ""]
        for room in rooms:
            module = importlib.import_module(f"dpcourse.{room}")
            lines.append(f"- [{room}](/api/{room}.md): {(module.__doc__ or '').splitlines()[0].replace('`', '')}")
            page = [f"# dpcourse.{room}", "", "```{eval-rst}"]
            page += [f".. automodule:: dpcourse.{room}", "   :no-members:", ""]
            for name in public(room):
                kind = "class" if inspect.isclass(getattr(module, name)) else "function"
                kind = kind if callable(getattr(module, name)) else "data"
                page += [f".. auto{kind}:: {name}", *(["   :members:"] if kind == "class" else []), ""]
            yield f"api/{room}.md", "\n".join([*page, "```", ""])
        lines.append("")
    rooms = (f"api/{room}" for _, rooms in HELPER_ROOMS for room in rooms)
    yield "api.md", "\n".join(lines) + contents(rooms, hidden=True)


def public(room: str) -> list[str]:
    """The public names of a room."""
    module = importlib.import_module(f"dpcourse.{room}")
    names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    return sorted(n for n in names if getattr(getattr(module, n), "__module__", "").startswith(f"dpcourse.{room}"))
