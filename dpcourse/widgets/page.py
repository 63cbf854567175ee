"""Pages that hold an explorer and need nothing else: no kernel, no network."""

from __future__ import annotations

import html
import json
from typing import Any

from dpcourse.widgets.base import Explorer, asset
from dpcourse.widgets.grid import site_grid

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
h1 {{ position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }}
body {{ margin: 0 auto; padding: 12px; max-width: 1000px; background: light-dark(#fff, #161616); }}
{style}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{places}
</main>
<script type="module">
{script}
for (const place of document.querySelectorAll(".dpx-data")) page(place.previousElementSibling, JSON.parse(place.text));
</script>
</body>
</html>
"""


def fragment(explorer: Explorer | dict[str, Any]) -> str:
    """The place of one explorer on a page and its numbers, as HTML; the page loads explorer.js and explorer.css."""
    data = site_grid(explorer) if isinstance(explorer, Explorer) else explorer
    numbers = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return f'<div></div><script type="application/json" class="dpx-data">{numbers}</script>'


def page(*explorers: Explorer | dict[str, Any]) -> str:
    """One self-contained page with these explorers."""
    datas = [site_grid(one) if isinstance(one, Explorer) else one for one in explorers]
    return _PAGE.format(
        title=html.escape(datas[0]["spec"]["title"]),
        style=asset("explorer.css"),
        places="\n".join(fragment(data) for data in datas),
        script=asset("explorer.js"),
    )
