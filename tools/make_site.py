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
from pathlib import Path

from site_pages import ABOUT, EXPLORER, NAVIGATION, beside, contents, lists, numbered

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TARGET, CACHE = ROOT / "build" / "site-source", ROOT / "build" / "site", ROOT / "build" / "site-cache"

STUDENT_FORM = """
*This page is the project as students get it: [download the notebook](student/{}). The outputs are those of a finished
project, so what stands where you write is not shown.*
"""
FORMS = re.compile(r"^`N_name\.ipynb`.*$", re.M)  # which file is which
NO_ANSWERS = (
    "A page shows where its project leads, without the answers. To do the project, download its *student form*."
)
OTHER_NUMBERS = "<p class='dpx-note'>Computed for this page on example data: other numbers than in the lesson.</p>"
PHONE = 760  # pixels: the words of a wider picture are too small where it is shrunk to a phone
TERM = re.compile(r"^(\| [^|]+ \| [^|]+?) \| ([^|]*?) ?\| (\[\d\d\]\([^)]+\) \|)$", re.M)
PLAIN = re.compile(r"<(Picture|Explorer): (.*)>\Z", re.S)


def write(path: str, text: str | bytes, kept: set[Path]) -> None:
    """Write a source if its text is new."""
    target = SOURCE / path
    data = text.encode() if isinstance(text, str) else text
    kept.add(target)
    if not target.is_file() or target.read_bytes() != data:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


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
                width = output.get("metadata", {}).get("image/png", {}).get("width", 0)
                wide = {"classes": "wide"} if width > PHONE else {}
                cell["metadata"]["mystnb"] = {"image": {"alt": alt, **wide}}
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


def glossary(text: str) -> str:
    """A term's formula stands below its sentence: a phone has no room for a column that is empty in most rows."""
    symbols, head, terms = text.partition(" | formula | first in |\n| --- | --- | --- | --- |\n")
    assert head
    rows = TERM.sub(lambda m: f"{m[1]}{below(m[2])} | {m[3]}", terms)
    return f"{symbols} | first in |\n| --- | --- | --- |\n{rows}"


def below(formula: str) -> str:
    return f' <br><span class="formula">{formula}</span>' if formula else ""


def as_students_get_it(reference: dict, student: dict, name: str) -> dict:
    """A capstone without its answers. The outputs are the stored ones, so the page shows where the project leads."""
    kept = [cell for cell in reference["cells"] if "solution" not in cell["metadata"].get("tags", [])]
    for cell, given in zip(kept, student["cells"], strict=True):
        cell["source"] = given["source"]
    title, *rest = "".join(kept[0]["source"]).splitlines(keepends=True)
    kept[0]["source"] = [title, STUDENT_FORM.format(name), *rest]
    return {**reference, "cells": kept}


def sources() -> set[Path]:
    """Write all pages; what was written or kept."""
    kept: set[Path] = set()
    notebooks = ROOT / "notebooks"
    for folder in ("", "deeper", "capstones", "exercises"):
        for path in sorted((notebooks / folder).glob("[0-9]*_*.ipynb")):
            notebook = json.loads(path.read_text(encoding="utf-8"))
            if folder == "capstones":
                given = (notebooks / "capstones" / "student" / path.name).read_text(encoding="utf-8")
                notebook = as_students_get_it(notebook, json.loads(given), path.name)
                write(f"notebooks/capstones/student/{path.name}", given, kept)  # to download
            page = page_of(notebook)
            if not folder:
                below = [f"{name} </{page}>" for name, page in beside(path).items()]
                page["cells"].append(
                    {"id": "below", "cell_type": "markdown", "metadata": {}, "source": contents(below, hidden=True)}
                )
            write(path.relative_to(ROOT).as_posix(), json.dumps(page, ensure_ascii=False, indent=1), kept)
    for path in [*sorted(notebooks.glob("*.md")), *(ROOT / f"{name}.md" for name in ABOUT)]:
        text = relinked(path.read_text(encoding="utf-8"))
        text = glossary(text) if path.stem == "GLOSSARY" else text
        write(path.relative_to(ROOT).as_posix(), text, kept)
    for picture in sorted((ROOT / ".github" / "pictures").iterdir()):
        write(f".github/pictures/{picture.name}", picture.read_bytes(), kept)
    for page, text in lists():
        write(page, text, kept)
    capstones = FORMS.sub(NO_ANSWERS, relinked((notebooks / "capstones" / "README.md").read_text(encoding="utf-8")))
    write("notebooks/capstones/README.md", capstones + contents(numbered("capstones"), hidden=True), kept)
    write("index.md", front_page() + contents(NAVIGATION, hidden=True), kept)
    return kept


def front_page() -> str:
    text = (ROOT / "site" / "front.md").read_text(encoding="utf-8").replace("{{ caught }}", caught())
    return text.replace("{{ forge }}", f"```{{raw}} html\n{live('explore_forge()')}\n```")


def caught() -> str:
    """The diagnosis of a real check of a wrong answer, with a fixed seed so that the page is the same every time."""
    from dpcourse.checks import check

    def noisy_count(flags, epsilon, rng):
        return flags.sum() + rng.laplace(0, epsilon)

    return repr(check("00.2", noisy_count, rng=0))


def clean(kept: set[Path]) -> None:
    """Delete pages whose sources are gone."""
    for path in SOURCE.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


def fingerprint() -> str:
    """Of the files that make the pages."""
    inside = ("widgets/explorer.js", "widgets/explorer.css", "plots/words.py")  # stands in the pages themselves
    made_by = [
        Path(__file__),
        Path(__file__).with_name("site_pages.py"),
        *(ROOT / "dpcourse" / path for path in inside),
    ]
    made_by += sorted((ROOT / "site").rglob("*.*"))
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
