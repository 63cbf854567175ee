"""The README promises what is there, and nothing else."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))


def test_every_link_leads_somewhere():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    missing = [link for link in links if not (ROOT / link).exists()]
    assert links and not missing


def test_every_picture_says_what_it_shows():
    pictures = re.findall(r"!\[(.*?)\]\((.+?)\)", README)
    assert len(pictures) >= 2 and all(len(text) > 40 for text, _ in pictures)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_lesson_is_listed_under_its_title(path):
    title = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]).splitlines()[0]
    assert f"[{title.lstrip('# ').strip()}](notebooks/{path.name})" in README
