"""The glossary and the lessons stay in step: what one introduces, the other explains, and every link leads there."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
LESSONS = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))
GLOSSARY = (NOTEBOOKS / "GLOSSARY.md").read_text(encoding="utf-8")
SYMBOLS, TERMS = re.split(r"^## Terms$", GLOSSARY, flags=re.MULTILINE)
# Bold words that structure a lesson and name nothing.
STRUCTURE = {"you will", "you need", "time", "predict", "check yourself"}


@functools.cache
def text_of(name: str) -> str:
    """A lesson's prose."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def taught_in(name: str) -> str:
    """The prose without folded answers and without what follows "In practice"."""
    main = re.split(r"^## (?:In practice|Common mistakes)", text_of(name), flags=re.MULTILINE)[0]
    return re.sub(r"<details>.*?</details>", " ", main, flags=re.DOTALL)


# Lessons join by linking to the glossary.


def rows(part: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def symbols() -> dict[str, str]:
    """Symbol -> lesson; a row may hold several."""
    named = [(re.sub(r"\(.*?\)", "", row[0]), row[-1]) for row in rows(SYMBOLS)]
    return {symbol.strip(): link for names, link in named for symbol in names.split(",")}


def terms() -> dict[str, str]:
    return {row[0]: row[-1] for row in rows(TERMS)}


def lesson_of(link: str) -> str:
    found = re.fullmatch(r"\[(\d\d)\]\((\1_\w+)\.ipynb\)", link)
    assert found, f"{link} is no link to a lesson"
    return found[2]


def bold(name: str) -> set[str]:
    """What a lesson introduces in bold, in small letters: a sentence in bold ends with a full stop, and is no term."""
    found = re.findall(r"\*\*(.+?)\*\*", taught_in(name), re.DOTALL)
    short = {" ".join(word.split()) for word in found if not re.search(r"[.?!]$", word) and len(word.split()) <= 4}
    return {word.lower() for word in short} - STRUCTURE


def test_every_row_is_complete_and_none_is_there_twice():
    for row in rows(SYMBOLS) + rows(TERMS):
        assert all(row[:2]) and row[1].endswith("."), row
        assert lesson_of(row[-1]) in LESSONS
    for part in (SYMBOLS, TERMS):
        names = [row[0].lower() for row in rows(part)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("term", terms())
def test_a_term_stands_in_the_lesson_it_is_linked_to(term):
    assert term.lower() in text_of(lesson_of(terms()[term])).lower()


@pytest.mark.parametrize("symbol", symbols())
def test_a_symbol_stands_in_the_lesson_it_is_linked_to(symbol):
    latex = {"ε": r"\varepsilon", "δ": r"\delta", "Δ": r"\Delta"}.get(symbol, symbol)
    text = text_of(lesson_of(symbols()[symbol]))
    assert re.search(rf"(?<![A-Za-z]){re.escape(symbol)}(?![A-Za-z′])", text) or latex in text


@pytest.mark.parametrize("name", LESSONS)
def test_what_a_lesson_introduces_is_explained(name):
    known = {term.lower() for term in terms()} | {symbol.lower() for symbol in symbols()}
    assert bold(name) - known == set()


@pytest.mark.parametrize("name", LESSONS)
def test_nothing_is_introduced_twice(name):
    """A term that a lesson introduces is linked to it, or to one before it."""
    for term, link in terms().items():
        if term.lower() in bold(name):
            assert lesson_of(link) <= name, f"{term} is introduced in {name}, and the glossary says {link}"


@pytest.mark.parametrize("name", LESSONS)
def test_every_greek_letter_and_every_letter_of_a_formula_is_explained(name):
    text = taught_in(name)
    greek = set(re.findall(r"[α-ωΑ-Ω]", text))
    formulas = re.sub(r"\\\w+(\{\w+\})?", " ", " ".join(re.findall(r"\$\$(.*?)\$\$", text, re.DOTALL)))
    letters = set(re.findall(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])", formulas)) - {"e", "P", "o"}
    assert greek | letters <= {name[0] for name in symbols()}
