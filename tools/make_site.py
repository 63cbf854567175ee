"""Build the web site into build/site, from the stored notebooks: nothing is executed, and only what changed is rebuilt.

    python tools/make_site.py            # make site calls this
    REPOSITORY=owner/name python tools/make_site.py      # with source links and "run it yourself" buttons

A copy of every page is written to build/site-source, as Sphinx wants it; a file is touched only when its text changes,
so that Sphinx rebuilds only those pages.
"""

from __future__ import annotations

import ast
import copy
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

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TARGET, CACHE = ROOT / "build" / "site-source", ROOT / "build" / "site", ROOT / "build" / "site-cache"

HELPER_ROOMS = (  # the small helper package, floor by floor
    ("Claims and losses", ("privacy", "accounting")),
    ("One release each", ("mechanisms",)),
    ("Private algorithms", ("queries", "local", "learning", "pate", "federated", "synthetic", "budget")),
    ("Data", ("datasets",)),
)
ABOUT = ("data/README", "benchmarks/README", "CONTRIBUTING", "SECURITY")
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


def live(call: str) -> str | None:
    """The place of an explorer and its numbers, as HTML: None while it has no numbers to be drawn from.

    Computed once, and again when its room or what that stands on has changed.
    """
    from dpcourse import widgets
    from dpcourse.registry import EXPLORERS
    from dpcourse.widgets.page import fragment

    name = call.partition("(")[0]
    rooms = [path for path in (ROOT / "dpcourse").rglob("*.py") if "lessons" not in path.parts]
    rooms += [*(ROOT / "dpcourse" / "lessons" / EXPLORERS[name]).rglob("*.py"), *(ROOT / "data").rglob("*.json*")]
    key = hashlib.sha256(call.encode() + b"".join(path.read_bytes() for path in sorted(rooms))).hexdigest()[:32]
    kept = ROOT / "build" / "site-explorers" / f"{key}.html"
    if not kept.is_file():
        named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in ast.parse(call).body[0].value.keywords}
        explorer = getattr(widgets, name)(**named)
        if getattr(explorer, "_draw", None) is not None:
            return None
        kept.parent.mkdir(parents=True, exist_ok=True)
        words = html.escape(repr(explorer).removeprefix("<").removesuffix(">"))
        kept.write_text(f"{fragment(explorer)}<noscript><p>{words}</p></noscript>", encoding="utf-8")
    return kept.read_text(encoding="utf-8")


def page_of(notebook: dict) -> dict:
    """A stored notebook as the site shows it: alt texts on pictures, asserts folded, no links to what is not there."""
    shown = copy.deepcopy(notebook)
    for cell in shown["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            cell["source"] = without_solutions(text)
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
                place = live(call[1]) if call else None
                if place:
                    output["data"] = {"text/html": place, "text/plain": data["text/plain"]}
    shown["metadata"].pop("widgets", None)
    return shown


def without_solutions(text: str) -> str:
    """Links to solutions and to capstones' student forms become words: the site has neither."""
    return re.sub(r"\[([^\]]+)\]\((?:\.\./)?(?:solutions|student)/[^)]+\)", r"\1", text)


def title_of(notebook: dict) -> str:
    return "".join(notebook["cells"][0]["source"]).splitlines()[0].lstrip("# ").strip()


def sources() -> set[Path]:
    """Write all pages; what was written or kept."""
    kept: set[Path] = set()
    lists: dict[str, list[str]] = {}
    for folder in ("", "deeper", "capstones", "exercises"):
        for path in sorted((ROOT / "notebooks" / folder).glob("[0-9]*_*.ipynb")):
            notebook = json.loads(path.read_text(encoding="utf-8"))
            name = path.relative_to(ROOT).as_posix()
            write(name, json.dumps(page_of(notebook), ensure_ascii=False, indent=1), kept)
            lists.setdefault(folder, []).append(name.removesuffix(".ipynb"))
    for path in [
        *sorted((ROOT / "notebooks").glob("*.md")),
        *sorted((ROOT / "notebooks").glob("*/*.md")),
        *(ROOT / f"{name}.md" for name in ABOUT),
    ]:
        write(path.relative_to(ROOT).as_posix(), without_solutions(path.read_text(encoding="utf-8")), kept)
    for picture in sorted((ROOT / ".github" / "pictures").iterdir()):
        target = SOURCE / ".github" / "pictures" / picture.name
        kept.add(target)
        if not target.is_file() or target.read_bytes() != picture.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(picture.read_bytes())
    write("lessons.md", contents("Lessons", lists.get("", [])), kept)
    more = [(title, title.lower()) for title in ("Deeper", "Capstones", "Exercises") if lists.get(title.lower())]
    for title, folder in more:
        index = [f"notebooks/{folder}/README"] if (ROOT / "notebooks" / folder / "README.md").is_file() else []
        write(f"{folder}.md", contents(title, index + lists[folder]), kept)
    reference = [f"notebooks/{path.stem}" for path in sorted((ROOT / "notebooks").glob("*.md"))]
    write("reference.md", contents("Reference", [*reference, *ABOUT]), kept)
    write("api.md", api(kept), kept)
    pages = ["lessons", *(folder for _, folder in more), "api", "reference"]
    write("index.md", front_page() + "\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n", kept)
    return kept


def contents(title: str, pages: list[str]) -> str:
    return f"# {title}\n\n```{{toctree}}\n:maxdepth: 1\n\n" + "\n".join(f"/{page}" for page in pages) + "\n```\n"


def front_page() -> str:
    from dpcourse.registry import EXPLORERS

    text = (ROOT / "site" / "front.md").read_text(encoding="utf-8").replace("{{ caught }}", caught())
    place = live("explore_forge()") if "explore_forge" in EXPLORERS else None
    return text.replace("{{ forge }}", f"```{{raw}} html\n{place}\n```" if place else "")


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
        lines += [f"## {title}", "", "```{toctree}", ":maxdepth: 1", "", *(f"/api/{room}" for room in rooms), "```", ""]
        for room in rooms:
            module = importlib.import_module(f"dpcourse.{room}")
            page = [f"# {room}", "", "```{eval-rst}", f".. automodule:: dpcourse.{room}", "   :no-members:", ""]
            for name in public(room):
                kind = "class" if inspect.isclass(getattr(module, name)) else "function"
                kind = kind if callable(getattr(module, name)) else "data"
                page += [f".. auto{kind}:: {name}", *(["   :members:"] if kind == "class" else []), ""]
            write(f"api/{room}.md", "\n".join([*page, "```", ""]), kept)
    return "\n".join(lines)


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
