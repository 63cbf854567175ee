"""What stands on the site's pages: no answers, everything in its place, powers raised."""

from __future__ import annotations

import html
import json
import re

import pytest

from dpcourse import widgets
from tests.site.conftest import ROOT, SITE

pytestmark = pytest.mark.site


def test_a_capstone_shows_no_answer(pages):
    """Of each answer no line longer than twenty characters stands on the page, unless students are given it too."""
    for notebook in (ROOT / "notebooks" / "capstones").glob("[0-9]*_*.ipynb"):
        shown = html.unescape(re.sub(r"<[^>]+>", "", (SITE / f"notebooks/capstones/{notebook.stem}.html").read_text()))
        given = (notebook.parent / "student" / notebook.name).read_text(encoding="utf-8")
        answers = [
            line.strip()
            for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]
            for answer in re.findall(r"### BEGIN SOLUTION(.*?)### END SOLUTION", "".join(cell["source"]), re.S)
            for line in answer.splitlines()
        ]
        secret = [
            line for line in answers if len(line) > 20 and json.dumps(line, ensure_ascii=False)[1:-1] not in given
        ]
        assert len(secret) > 10 and not [line for line in secret if line in shown], notebook.name
        assert "passed." in shown  # the stored outputs are there


def test_exercises_and_companion_stand_under_their_lesson(pages):
    for companion in (ROOT / "notebooks" / "deeper").glob("[0-9]*_*.ipynb"):
        lesson = companion.stem.removesuffix("_deeper")
        sidebar = (SITE / f"notebooks/{lesson}.html").read_text(encoding="utf-8").partition('class="bd-main')[0]
        for below in (f"exercises/{lesson}_exercises.html", f"deeper/{companion.stem}.html"):
            assert below in sidebar, (lesson, below)


def test_no_power_is_left_typed(pages):
    """A caret outside code and formulas is one that `set_prose` keeps, unseen, in what it raised."""
    code = re.compile(r"<(script|style|pre|code|svg|textarea|title)\b.*?</\1>|<(span|div) class=\"math.*?</\2>", re.S)
    raised = 0
    for path in pages:
        text = code.sub("", path.read_text(encoding="utf-8"))
        kept = text.count('<span class="caret">^')
        raised += kept
        assert len(re.findall(r">[^<]*\^", text)) == kept, path.name
    assert raised > 100


def test_no_subscript_is_left_typed(pages):
    """N_v is a formula, or code."""
    code = re.compile(r"<(script|style|pre|code|svg|title)\b.*?</\1>|<(span|div) class=\"math.*?</\2>|<[^>]*>", re.S)
    typed = re.compile(r"(?<![\w./-])(?:[^\W\d_]\u0302?|TPR|FPR)_\w{1,3}\b")
    assert typed.findall("N_v and σ_in, TPR_lo; x86_64, max_hits") == ["N_v", "σ_in", "TPR_lo"]
    left = {path.name: typed.findall(html.unescape(code.sub("", path.read_text(encoding="utf-8")))) for path in pages}
    assert not {name: found for name, found in left.items() if found}


def test_the_glossary_has_three_columns(pages):
    """A term's formula stands in the cell of its sentence."""
    text = (SITE / "notebooks" / "GLOSSARY.html").read_text(encoding="utf-8").partition('id="terms"')[2]
    rows = [row.count("<td") for row in re.findall(r"<tr\b.*?</tr>", text, re.S)]
    assert len(rows) > 40 and set(rows[1:]) == {3}
    assert text.count('class="formula"') > 10


def test_every_explorer_has_its_picture(pages):
    text = (SITE / "explorers.html").read_text(encoding="utf-8")
    bare = {name for name in widgets.EXPLORERS if not re.search(rf'loading="lazy"[^>]*/{name}\.png', text)}
    assert not bare
    pictures = pages[SITE / "explorers.html"].pictures
    assert all(len(p["alt"] or "") > 20 for p in pictures if "logo" not in (p.get("class") or ""))
