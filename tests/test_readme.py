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


HELPER = {  # the floors a lesson stands on: claims, mechanisms, private algorithms, data
    "`privacy`, `accounting`": ("privacy", "accounting"),
    "`mechanisms`": ("mechanisms",),
    "`queries`, `local`": ("queries", "local"),
    "`learning`, `pate`, `federated`, `synthetic`": ("learning", "pate", "federated", "synthetic"),
    "`budget`": ("budget",),
    "`datasets`": ("datasets",),
}


def lines_of(room: str) -> int:
    """Of one room, comments and docstrings included."""
    place = ROOT / "dpcourse" / room
    files = place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


def test_the_helper_package_is_counted():
    """To 5% or a hundred lines, so that a change of a few lines is no change of README."""
    whole = sum(
        lines_of(path.stem) for path in (ROOT / "dpcourse").iterdir() if path.name[0] not in "_." and path.stem != "py"
    )
    parts = {rooms: sum(map(lines_of, names)) for rooms, names in HELPER.items()}
    for rooms, lines in {**parts, "together": sum(parts.values()), "of": whole}.items():
        pattern = rf"\| {re.escape(rooms)} \|.*\| ([\d,]+) \|" if rooms != "of" else r"\| of ([\d,]+) in `dpcourse/` \|"
        stated = re.search(pattern, README)
        assert stated, rooms
        assert abs(int(stated[1].replace(",", "")) - lines) <= max(100, 0.05 * lines), (rooms, stated[1], lines)


def test_readme_is_short():
    """900 words, what pictures show in words aside."""
    text = re.sub(r"!\[.*?\]\(.*?\)", "", README)
    assert len([word for word in text.split() if re.search(r"\w", word)]) <= 900


def test_the_diagnosis_shown_is_a_real_diagnosis():
    from dpcourse.checks import check

    def noisy_count(flags, epsilon, rng):
        return flags.sum() + rng.laplace(0, epsilon)

    assert f"```\n{check('00.2', noisy_count, rng=0)!r}\n```" in README


def test_pictures_are_small():
    assert sum(path.stat().st_size for path in (ROOT / ".github" / "pictures").iterdir()) < 2_000_000
