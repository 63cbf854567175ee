"""What the site adds to Sphinx: pictures that load when they are looked at, and buttons where a repository is named."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path
from typing import Any

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


def finish(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """The page's HTML as it leaves."""
    body = context.get("body")
    if not body:
        return
    body = re.sub(r"<img (?![^>]*loading=)", '<img loading="lazy" decoding="async" ', body)
    # Links inside HTML that a cell printed are not Sphinx's to resolve.
    body = re.sub(r'href="(?![^"]*_downloads/)([^":#]+)\.(?:ipynb|md)(#[^"]*)?"', r'href="\1.html\2"', body)
    if app.config.dpcourse_repository and re.match(r"notebooks/(\w+/)?\d", pagename):
        start = re.sub(r"^notebooks/capstones/(?=\d)", "notebooks/capstones/student/", pagename)
        buttons = BUTTONS.format(repository=app.config.dpcourse_repository, path=f"{start}.ipynb")
        body = body.replace("</h1>", f"</h1>\n{buttons}", 1)
    if "dpx-data" in body:
        body += EXPLORERS.format(style=asset("explorer.css"), script=asset("explorer.js"))
    context["body"] = body


def put_mathjax(app: Any) -> None:
    """MathJax and its fonts, from the package that carries them: the site asks no other host."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    assert spec and spec.origin
    source, target = Path(spec.origin).parent / "static" / "mathjax", Path(app.outdir) / "_static" / "mathjax"
    fonts = Path("output", "chtml", "fonts", "woff-v2")
    if not (target / fonts).is_dir():
        shutil.copytree(source / fonts, target / fonts)
        shutil.copy2(source / "tex-chtml.js", target)


def keep_whole(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """napoleon takes what stands before a colon in a property's first line for its type, unless that line is empty."""
    if what in ("attribute", "data", "property"):
        lines.insert(0, "")


def setup(app: Any) -> dict[str, Any]:
    app.add_config_value("dpcourse_repository", os.environ.get("REPOSITORY", ""), "html")
    app.connect("builder-inited", put_mathjax)
    app.connect("html-page-context", finish)
    app.connect("autodoc-process-docstring", keep_whole, priority=400)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}
