"""Build the web site into build/site, from the stored notebooks: nothing is executed, and only what changed is rebuilt.

    python tools/make_site.py            # make site calls this
    REPOSITORY=owner/name python tools/make_site.py      # with source links and "run it yourself" buttons

A copy of every page is written to build/site-source, as Sphinx wants it; a file is touched only when its text changes,
so that Sphinx rebuilds only those pages.
"""

from __future__ import annotations

import ast
import copy
import functools
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TARGET, CACHE = ROOT / "build" / "site-source", ROOT / "build" / "site", ROOT / "build" / "site-cache"

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
STUDENT_FORM = "\n*This page holds the answers.* [Download the notebook without them](student/{}): start there.\n"
OTHER_NUMBERS = "<p class='dpx-note'>Computed for this page on example data: other numbers than in the lesson.</p>"
LESSON = re.compile(r"^\| (\[(\d\d) .*?\]\(notebooks/\S+\)) \| (.*) \|$", re.M)
EXPLORER = re.compile(r"widgets\.(explore_\w+\([^()]*\))")
PLAIN = re.compile(r"<(Picture|Explorer): (.*)>\Z", re.S)


def write(path: str, text: str, kept: set[Path]) -> None:
    """Write a source if its text is new."""
    target = SOURCE / path
    kept.add(target)
    if target.is_file() and target.read_text(encoding="utf-8") == text:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


@functools.cache
def data_source() -> str:
    """Where Adult comes from on this machine, asked once: the UCI files or the twin."""
    from dpcourse.datasets import load_adult

    return str(load_adult().source)


def live(call: str) -> str:
    """The place of an explorer and its numbers, as HTML.

    Computed once, and again when its room, what that stands on or the data has changed.
    """
    from dpcourse import widgets
    from dpcourse.registry import EXPLORERS
    from dpcourse.widgets.page import fragment

    name = call.partition("(")[0]
    rooms = [path for path in (ROOT / "dpcourse").rglob("*.py") if "lessons" not in path.parts]
    rooms += [*(ROOT / "dpcourse" / "lessons" / EXPLORERS[name]).rglob("*.py"), *(ROOT / "data").rglob("*.json*")]
    told = f"{call} {data_source()}".encode()
    key = hashlib.sha256(told + b"".join(path.read_bytes() for path in sorted(rooms))).hexdigest()[:32]
    kept = ROOT / "build" / "site-explorers" / f"{key}.html"
    if not kept.is_file():
        # A name in the call stands for data that the lesson has loaded: the explorer's own take its place.
        told = [part.value for part in ast.parse(call).body[0].value.args if isinstance(part, ast.Constant)]
        explorer = getattr(widgets, name)(*told)
        place = f'<div id="{name}" data-call="{html.escape(name + repr(tuple(told)))}"></div>{fragment(explorer)}'
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(f"{place}<noscript><p>{words_of(repr(explorer))}</p></noscript>", encoding="utf-8")
    return kept.read_text(encoding="utf-8")


def words_of(said: str) -> str:
    return html.escape(said.removeprefix("<").removesuffix(">"))


def page_of(notebook: dict) -> dict:
    """A stored notebook as the site shows it: alt texts on pictures, asserts folded, no links to what is not there."""
    shown = copy.deepcopy(notebook)
    for cell in shown["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            cell["source"] = relinked(text)
            continue
        tags = cell["metadata"].setdefault("tags", [])
        if "proof" in tags:
            tags.append("hide-cell")
        for output in cell["outputs"]:
            data = output.get("data", {})
            words = PLAIN.match("".join(data.get("text/plain", "")))
            if "image/png" in data and words:
                alt = " ".join(words[2].replace('"', "”").split())
                cell["metadata"]["mystnb"] = {"image": {"alt": alt}}
                call = EXPLORER.search(text) if words[1] == "Explorer" else None
                if call:
                    place = live(call[1])
                    if words_of(words[0]) not in place:
                        place += OTHER_NUMBERS
                    output["data"] = {"text/html": place, "text/plain": data["text/plain"]}
    shown["metadata"].pop("widgets", None)
    return shown


def relinked(text: str) -> str:
    """Links to solutions become words: the site has none. Capstones' student forms are downloaded."""
    text = re.sub(r"\[([^\]]+)\]\((?:\.\./)?solutions/[^)]+\)", r"\1", text)
    return re.sub(r"\[([^\]]+)\]\((student/[^)]+)\)", r"{download}`\1 <\2>`", text)


def sources() -> set[Path]:
    """Write all pages; what was written or kept."""
    kept: set[Path] = set()
    lists: dict[str, list[str]] = {}
    for folder in ("", "deeper", "capstones", "exercises"):
        for path in sorted((ROOT / "notebooks" / folder).glob("[0-9]*_*.ipynb")):
            notebook = json.loads(path.read_text(encoding="utf-8"))
            name = path.relative_to(ROOT).as_posix()
            if folder == "capstones":
                title, *rest = "".join(notebook["cells"][0]["source"]).splitlines(keepends=True)
                notebook["cells"][0]["source"] = [title, STUDENT_FORM.format(path.name), *rest]
            write(name, json.dumps(page_of(notebook), ensure_ascii=False, indent=1), kept)
            lists.setdefault(folder, []).append(name.removesuffix(".ipynb"))
    for path in [
        *sorted((ROOT / "notebooks").glob("*.md")),
        *(ROOT / f"{name}.md" for name in ABOUT),
    ]:
        write(path.relative_to(ROOT).as_posix(), relinked(path.read_text(encoding="utf-8")), kept)
    for picture in sorted((ROOT / ".github" / "pictures").iterdir()):
        target = SOURCE / ".github" / "pictures" / picture.name
        kept.add(target)
        if not target.is_file() or target.read_bytes() != picture.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(picture.read_bytes())
    for student in sorted((ROOT / "notebooks" / "capstones" / "student").glob("*.ipynb")):
        write(student.relative_to(ROOT).as_posix(), student.read_text(encoding="utf-8"), kept)  # to download
    write("lessons.md", lessons(lists), kept)
    write("explorers.md", explorers(), kept)
    write("exercises.md", "# Exercises\n\n" + EXERCISES + contents(lists["exercises"], 2), kept)
    capstones = relinked((ROOT / "notebooks" / "capstones" / "README.md").read_text(encoding="utf-8"))
    write("notebooks/capstones/README.md", capstones + contents(lists["capstones"], hidden=True), kept)
    write("api.md", api(kept), kept)
    about = "".join(f"- [](/{page}.md): {words}\n" for page, words in ABOUT.items())
    write("about.md", f"# About\n\n{about}{contents(ABOUT, hidden=True)}", kept)
    write("index.md", front_page() + contents(NAVIGATION, hidden=True), kept)
    return kept


def contents(pages: Iterable[str], depth: int = 1, *, hidden: bool = False) -> str:
    """A list of pages, shown or only the order in which they are read."""
    listed = "\n".join(page if page.endswith(">") else f"/{page}" for page in pages)
    return f"\n```{{toctree}}\n:maxdepth: {depth}\n{':hidden:' if hidden else ''}\n\n{listed}\n```\n"


def lessons(lists: dict[str, list[str]]) -> str:
    """README's table of lessons, each with its exercises and its companion."""
    of = {(folder, Path(page).name[:2]): page for folder in ("exercises", "deeper") for page in lists[folder]}
    told = "Each says what you need and how long it takes. A newcomer may skip what goes deeper (★)."
    lines = ["# Lessons", "", told, ""]
    lines += ["| lesson | what is in it | more |", "| --- | --- | --- |"]
    for link, number, words in LESSON.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        more = {"exercises": of.get(("exercises", number)), "deeper ★": of.get(("deeper", number))}
        links = ", ".join(f"[{name}]({page}.ipynb)" for name, page in more.items() if page)
        lines.append(f"| {link} | {words} | {links} |")
    return "\n".join(lines) + "\n" + contents([*lists[""], *lists["deeper"]], hidden=True)


def explorers() -> str:
    """Every explorer of the lessons: the question it asks, and where it is."""
    lines = [
        "# Explorers",
        "",
        "Pictures that you move. Each asks a question.",
        "",
        "| explorer | lesson |",
        "| --- | --- |",
    ]
    for path in [
        path for folder in ("", "deeper") for path in sorted((ROOT / "notebooks" / folder).glob("[0-9]*_*.ipynb"))
    ]:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        title = "".join(cells[0]["source"]).splitlines()[0].lstrip("# ")
        for cell in cells:
            call = EXPLORER.search("".join(cell["source"]))
            shown = ["".join(output.get("data", {}).get("text/plain", "")) for output in cell.get("outputs", ())]
            asked = re.search(r"^<Explorer: (.*?\?) \(", "".join(shown), re.M)
            if call and asked:
                place = f"{path.relative_to(ROOT).with_suffix('.html').as_posix()}#{call[1].partition('(')[0]}"
                lines.append(f"| <a href='{place}'>{html.escape(asked[1])}</a> | {title} |")
    return "\n".join(lines) + "\n"


def front_page() -> str:
    text = (ROOT / "site" / "front.md").read_text(encoding="utf-8").replace("{{ caught }}", caught())
    return text.replace("{{ forge }}", f"```{{raw}} html\n{live('explore_forge()')}\n```")


def caught() -> str:
    """The diagnosis of a real check of a wrong answer, with a fixed seed so that the page is the same every time."""
    from dpcourse.checks import check

    def noisy_count(flags, epsilon, rng):
        return flags.sum() + rng.laplace(0, epsilon)

    return repr(check("00.2", noisy_count, rng=0))


def api(kept: set[Path]) -> str:
    """The helper package, floor by floor, and a page for each of its rooms."""
    import importlib
    import inspect

    lines = ["# The helper package", "", "What a lesson imports to do differential privacy, floor by floor.", ""]
    for title, rooms in HELPER_ROOMS:
        lines += [f"## {title}", ""]
        for room in rooms:
            module = importlib.import_module(f"dpcourse.{room}")
            lines.append(f"- [{room}](/api/{room}.md): {(module.__doc__ or '').splitlines()[0].replace('`', '')}")
            page = [f"# {room}", "", "```{eval-rst}", f".. automodule:: dpcourse.{room}", "   :no-members:", ""]
            for name in public(room):
                kind = "class" if inspect.isclass(getattr(module, name)) else "function"
                kind = kind if callable(getattr(module, name)) else "data"
                page += [f".. auto{kind}:: {name}", *(["   :members:"] if kind == "class" else []), ""]
            write(f"api/{room}.md", "\n".join([*page, "```", ""]), kept)
        lines.append("")
    return "\n".join(lines) + contents((f"api/{room}" for _, rooms in HELPER_ROOMS for room in rooms), hidden=True)


def public(room: str) -> list[str]:
    """The public names of a room."""
    import importlib

    module = importlib.import_module(f"dpcourse.{room}")
    names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    return sorted(n for n in names if getattr(getattr(module, n), "__module__", "").startswith(f"dpcourse.{room}"))


def clean(kept: set[Path]) -> None:
    """Delete pages whose sources are gone."""
    for path in SOURCE.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


def fingerprint() -> str:
    """Of the files that make the pages."""
    made_by = [Path(__file__), *sorted((ROOT / "site").rglob("*.*"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in made_by if path.suffix != ".pyc")).hexdigest()


def main() -> int:
    began = time.perf_counter()
    clean(sources())
    environment = os.environ | {"DPCOURSE_ROOT": str(ROOT), "PYTHONPATH": str(ROOT)}
    stamp, made_by = CACHE / "made-by", fingerprint()
    if not stamp.is_file() or stamp.read_text() != made_by:
        shutil.rmtree(CACHE, ignore_errors=True)  # what makes the pages has changed: all of them are made anew
    options = ["-q", "-W", "--keep-going", "-j", "2", "-b", "html", "-d", str(CACHE), "-c", str(ROOT / "site")]
    done = subprocess.run([sys.executable, "-m", "sphinx", *options, str(SOURCE), str(TARGET)], env=environment)
    if done.returncode == 0:
        stamp.write_text(made_by)
        print(f"The site is in {TARGET.relative_to(ROOT)}/index.html ({time.perf_counter() - began:.0f} s)")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
