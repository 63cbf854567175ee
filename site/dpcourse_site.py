"""What the site adds to Sphinx.

Typed powers are raised, papers are linked, "Predict." is set off, the search knows the glossary, pictures load
when they are looked at, and buttons appear where a repository is named.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

from dpcourse.plots.words import powers
from dpcourse.widgets.base import asset

BUTTONS = (
    '<p class="run-it">Run it yourself: '
    '<a href="https://mybinder.org/v2/gh/{repository}/HEAD?labpath={path}">Binder</a>, '
    '<a href="https://github.com/codespaces/new?repo={repository}">Codespaces</a>, '
    '<a href="https://github.com/{repository}/blob/HEAD/{path}">source</a></p>'
)

# Inline: a page opened from the file system may not load a module from a file of its own.
EXPLORERS = """<style>{style}</style>
<script type="module">
{script}
for (const place of document.querySelectorAll(".dpx-data")) page(place.previousElementSibling, JSON.parse(place.text));
</script>"""

# Text in which a caret is a caret, in a document and in HTML.
AS_TYPED = (nodes.literal, nodes.FixedTextElement, nodes.math, nodes.raw, nodes.Invisible, addnodes.desc_signature)
SIGNED = re.compile(r"([+−-]?\d[\d.]*e-\d+|(?<![\w-])-\d[\d.,]*%?)")
CARET = re.compile(r"\^")
CITED = re.compile(r"(doi:10\.\d{4,9}/[^\s;,)]*[^\s;,).]|arXiv:\d{4}\.\d{4,5})")
PRINTED = re.compile(r'(<div class="output [^>]*>\s*<div class="highlight"><pre)(>.*?</pre>)', re.S)
COLUMNS = re.compile(r"\S {3,}\S|\S {2,}\S.*\S {2,}\S")
TAG = re.compile(r"(<(script|style|pre|code|svg|textarea)\b.*?</\2>|<[^>]*>)", re.S)


def set_prose(app: Any, doctree: nodes.document) -> None:
    """Typed powers are raised, in titles and the search too; papers are linked, and numbers stay whole.

    What the reader is asked to do first is set off.
    """
    for wanted, made in ((CARET.search, with_powers), (CITED.search, cited), (SIGNED.search, whole_numbers)):
        for text in list(doctree.findall(nodes.Text)):
            if wanted(text) and not typed(text.parent):
                text.parent.replace(text, made(text))
    for raw in doctree.findall(nodes.raw):
        if "html" in raw.get("format", "").split() and "^" in raw.astext():
            raw.children = [nodes.Text(raised(raw.astext()))]
            raw.rawsource = raw.astext()
    for strong in doctree.findall(nodes.strong):
        if strong.astext() == "Predict." and isinstance(strong.parent, nodes.paragraph):
            strong.parent["classes"].append("predict")


def with_powers(text: str) -> list[nodes.Node]:
    return [part for on, up in powers(text) for part in lifted(on, up)]


def whole_numbers(text: str) -> list[nodes.Node]:
    """A number does not break at its minus."""
    pieces = enumerate(SIGNED.split(text))
    return [nodes.inline("", piece, classes=["number"]) if i % 2 else nodes.Text(piece) for i, piece in pieces if piece]


def cited(text: nodes.Text) -> list[nodes.Node]:
    """What names a paper leads to it."""
    if isinstance(text.parent, nodes.reference | nodes.title):
        return [text]
    found: list[nodes.Node] = []
    for i, piece in enumerate(CITED.split(text)):
        kind, _, number = piece.partition(":")
        address = f"https://{'doi.org' if kind == 'doi' else 'arxiv.org/abs'}/{number}"
        found.append(nodes.reference("", piece, refuri=address) if i % 2 else nodes.Text(piece))
    return found


def typed(node: Any) -> bool:
    while node is not None:
        if isinstance(node, AS_TYPED):
            return True
        node = node.parent
    return False


def index_terms(app: Any, doctree: nodes.document) -> None:
    """What the glossary explains is an index entry, so the search finds its row first; a symbol by its name."""
    if app.env.docname != "notebooks/GLOSSARY":
        return
    for i, row in enumerate(row for body in doctree.findall(nodes.tbody) for row in body.findall(nodes.row)):
        term = row[0].astext()
        names = re.findall(r"“(.*?)”", term) or ([term] if len(term) > 2 else [])
        row["ids"].append(f"row-{i}")
        row[0].insert(0, addnodes.index(entries=[("single", name, f"row-{i}", "main", None) for name in names]))


def keep_index(app: Any, env: Any) -> None:
    """Sphinx forgets the index entries of pages that it does not write again: the glossary's are told every time."""
    page = "notebooks/GLOSSARY"
    if page in env.found_docs:
        entries = (entry for node in env.get_doctree(page).findall(addnodes.index) for entry in node["entries"])
        env._search_index_index_entries[page] = [(name, target, main) for _, name, target, main, _ in entries]


def bare(up: str) -> tuple[str, str, str]:
    """What is raised, between the caret and brackets it was typed with; these stay, unseen, for copies."""
    return ("^(", up[1:-1], ")") if up.startswith("(") else ("^", up, "")


def lifted(on: str, up: str) -> list[nodes.Node]:
    found: list[nodes.Node] = [nodes.Text(on)] if on else []
    if up:
        left, inside, right = (nodes.Text(part) for part in bare(up))
        unseen = [nodes.inline("", "", part, classes=["caret"]) for part in (left, right)]
        found.append(nodes.superscript("", "", unseen[0], inside, *(unseen[1:] if right else ())))
    return found


def raised(html: str) -> str:
    """The same in HTML that stands outside tags, scripts and code."""
    pieces = TAG.split(html)
    for i in range(0, len(pieces), 3):  # what is between two tags; then the tag, and its name if it is a whole element
        pieces[i] = "".join(on + (raised_html(up) if up else "") for on, up in powers(pieces[i]))
    return "".join(piece for i, piece in enumerate(pieces) if i % 3 != 2 and piece)


def raised_html(up: str) -> str:
    left, inside, right = bare(up)
    after = f'<span class="caret">{right}</span>' if right else ""
    return f'<sup><span class="caret">{left}</span>{inside}{after}</sup>'


def finish(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """The page's HTML as it leaves."""
    body = context.get("body")
    if not body:
        return
    body = re.sub(r"<img (?![^>]*loading=)", '<img loading="lazy" decoding="async" ', body)
    body = PRINTED.sub(lambda m: m[0] if aligned(m[2]) else f'{m[1]} class="sentences"{m[2]}', body)
    # Links inside HTML that a cell printed are not Sphinx's to resolve.
    body = re.sub(r'href="(?![^"]*_downloads/)([^":#]+)\.(?:ipynb|md)(#[^"]*)?"', r'href="\1.html\2"', body)
    if app.config.dpcourse_repository and re.match(r"notebooks/(\w+/)?\d", pagename):
        start = re.sub(r"^notebooks/capstones/(?=\d)", "notebooks/capstones/student/", pagename)
        buttons = BUTTONS.format(repository=app.config.dpcourse_repository, path=f"{start}.ipynb")
        body = body.replace("</h1>", f"</h1>\n{buttons}", 1)
    if "dpx-data" in body:
        body += EXPLORERS.format(style=asset("explorer.css"), script=asset("explorer.js"))
    context["body"] = body


def aligned(printed: str) -> bool:
    """Is it a table whose columns are aligned by spaces? All else wraps."""
    return sum(bool(COLUMNS.search(line)) for line in printed.splitlines()) > 1


def name_toggles(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """What unfolds a lesson in the sidebar has a name: the theme gives it none."""
    make = context.get("generate_toctree_html")
    if make:
        bare = '<summary><span class="toctree-toggle"'
        named = bare.replace("<summary>", '<summary aria-label="What belongs to it">')
        context["generate_toctree_html"] = lambda *a, **k: str(make(*a, **k)).replace(bare, named)


def put_mathjax(app: Any) -> None:
    """MathJax and its fonts, from the package that carries them: the site asks no other host."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    assert spec and spec.origin
    source, target = Path(spec.origin).parent / "static" / "mathjax", Path(app.outdir) / "_static" / "mathjax"
    fonts = Path("output", "chtml", "fonts", "woff-v2")
    if not (target / fonts).is_dir():
        shutil.copytree(source / fonts, target / fonts)
        shutil.copy2(source / "tex-chtml.js", target)


# What an excerpt is not taken from, and tags. Sections and rows stay, because a search result may lead there.
UNREAD = re.compile(r'<(script|style|svg)\b.*?</\1>|<a class="headerlink".*?</a>|<(?!/?(?:section|tr)\b)[^>]*>', re.S)


def put_texts(app: Any, exception: Any) -> None:
    """The pages' words in one script: a browser does not let the search read pages opened from the file system."""
    texts = {}
    for name in sorted(app.env.found_docs):
        page = Path(app.outdir, f"{name}.html").read_text(encoding="utf-8")
        article = re.search(r'<article class="bd-article">(.*?)</article>', page, re.S)
        words = UNREAD.sub("", article[1]) if article else ""
        texts[name] = " ".join(re.sub(r"(</?)tr\b", r"\1div", words).split())  # a row alone is no HTML
    script = f"const TEXTS = {json.dumps(texts, ensure_ascii=False)};\n"
    Path(app.outdir, "_static", "texts.js").write_text(script, encoding="utf-8")


def keep_whole(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """napoleon takes what stands before a colon in a property's first line for its type: an empty comment is first."""
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]


def setup(app: Any) -> dict[str, Any]:
    app.add_config_value("dpcourse_repository", os.environ.get("REPOSITORY", ""), "html")
    app.connect("builder-inited", put_mathjax)
    app.connect("doctree-read", set_prose, priority=400)  # before titles are collected
    app.connect("doctree-read", index_terms)
    app.connect("env-updated", keep_index)
    app.connect("build-finished", put_texts)
    app.connect("html-page-context", finish)
    app.connect("html-page-context", name_toggles, priority=900)  # after the theme
    app.connect("autodoc-process-docstring", keep_whole, priority=400)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}
