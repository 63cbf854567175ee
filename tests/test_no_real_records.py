"""No stored output shows a record of a real person.

A record in an output is a line of a printed table, a row of an HTML table, a dict or tuple, or a printed column (one
field a line). It is taken to be of a real person when somebody in the UCI files explains more of what it shows than
anybody in the twin does: lessons show people of the twin, who may share a common profile with real ones. Tables of
counts fall below `FEWEST_FIELDS`. Records already encoded as numbers, and records in pictures, are not recognised.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpcourse.datasets import load_adult

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
STORED = [path for folder in (".", "deeper", "solutions") for path in sorted((NOTEBOOKS / folder).glob("*.ipynb"))]

FEWEST_FIELDS = 5
"""Categorical fields and the age together; fewer describe a group."""

CATEGORICAL = (
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
)
NUMERIC = ("age", "education-num", "hours-per-week", "capital-gain", "capital-loss")
TAG = re.compile(r"</?[a-z][^<>]*>")
TOKEN = re.compile(r"[^\s,;:|'\"\[\](){}=]+(?:\([\w-]+\))?")


@dataclass(frozen=True)
class Fields:
    """What one line shows of a person: categories by column, and the numbers, whose columns are not known."""

    categories: dict[str, str]
    numbers: frozenset[float]


class Register:
    """The people of one frame, to be looked up by whatever fields are shown."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.codes, self.levels = {}, {}
        for column in CATEGORICAL:
            self.codes[column], levels = pd.factorize(frame[column].astype(str))
            self.levels[column] = {level: code for code, level in enumerate(levels)}
        self.numbers = frame[list(NUMERIC)].to_numpy(dtype=float)
        self.weight = frame["fnlwgt"].to_numpy(dtype=float) if "fnlwgt" in frame else None

    def matches(self, fields: Fields) -> np.ndarray:
        """A mask of the people who have all the categories shown."""
        mask = np.ones(len(self.numbers), dtype=bool)
        for column, value in fields.categories.items():
            mask &= self.codes[column] == self.levels[column].get(value, -1)
        return mask

    def explained(self, fields: Fields) -> int:
        """How many of the numbers one person explains, at best, who has all the categories and an age among them."""
        people = self.numbers[self.matches(fields)]
        people = people[np.isin(people[:, NUMERIC.index("age")], list(fields.numbers))]
        hits = sum((people == number).any(axis=1).astype(int) for number in fields.numbers)
        return int(np.max(hits, initial=0))

    def has_weighed(self, fields: Fields) -> bool:
        """Whether somebody has all the categories shown and a survey weight among the numbers."""
        return self.weight is not None and bool(
            (self.matches(fields) & np.isin(self.weight, list(fields.numbers))).any()
        )


class Detector:
    """Finds real people in the text of outputs."""

    def __init__(self, real: pd.DataFrame, twin: pd.DataFrame) -> None:
        self.real, self.twin = Register(real), Register(twin)
        self.column_of = {value: column for column in CATEGORICAL for value in self.real.levels[column]}

    def fields(self, text: str) -> Fields | None:
        """The fields a piece of text shows; None if it shows two values of a column, as a list of categories does."""
        categories: dict[str, str] = {}
        numbers = set()
        for token in TOKEN.findall(text):
            if token in self.column_of:
                if categories.setdefault(self.column_of[token], token) != token:
                    return None
            elif re.fullmatch(r"\d+(\.\d+)?", token):
                numbers.add(float(token))
        return Fields(categories, frozenset(numbers))

    def is_real(self, fields: Fields | None) -> bool:
        if fields is None or not fields.numbers:
            return False
        if len(fields.categories) >= 3 and self.real.has_weighed(fields):
            return True  # the twin has no weights
        shown = len(fields.categories) + 1
        return shown >= FEWEST_FIELDS and self.real.explained(fields) > self.twin.explained(fields)

    def find(self, text: str) -> list[str]:
        """The pieces of `text` that show a real person."""
        return [piece for piece in pieces(text) if self.is_real(self.fields(piece))]


def pieces(text: str) -> list[str]:
    """Where a record may stand in `text`: a line, a bracketed part, an HTML row, a run of `name value` lines."""
    rows = re.findall(r"<tr\b.*?</tr>", text, flags=re.DOTALL)
    found = [html.unescape(TAG.sub(" ", row)) for row in rows]
    plain = html.unescape(TAG.sub(" ", text))
    found += plain.splitlines()
    # One kind of bracket at a time, for a list of tuples is found as a list first.
    for bracketed in (r"\{[^{}]*\}", r"\[[^\[\]]*\]", r"\((?:[^()]|\([\w-]+\))*\)"):
        found += re.findall(bracketed, plain)
    run: list[str] = []
    for line in [*plain.splitlines(), ""]:
        # One field a line: a name and a value, as a printed Series or a pretty-printed dict has it.
        if len(TOKEN.findall(line)) == 2:
            run.append(line)
            continue
        if len(run) >= FEWEST_FIELDS:
            found.append(" ".join(run))
        run = []
    return found


def texts(notebook: dict) -> list[str]:
    """Every text of every output, JSON included."""
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            for kind, value in [("text", output.get("text", "")), *output.get("data", {}).items()]:
                if not kind.startswith("image/"):
                    joined = isinstance(value, str) or (
                        isinstance(value, list) and all(isinstance(line, str) for line in value)
                    )
                    found.append("".join(value) if joined else json.dumps(value, ensure_ascii=False, indent=0))
    return found


@pytest.fixture(scope="module")
def real() -> pd.DataFrame:
    try:
        return load_adult(source="uci").frame
    except Exception as error:  # whichever sentence says that the files are not here
        pytest.skip(f"no UCI files to compare with: {error}")


@pytest.fixture(scope="module")
def twin() -> pd.DataFrame:
    return load_adult(source="twin").frame


@pytest.fixture(scope="module")
def detector(real, twin) -> Detector:
    return Detector(real, twin)


def unlike_the_twin(detector: Detector, frame: pd.DataFrame) -> pd.DataFrame:
    """The first few people of a frame whom nobody in the twin resembles."""
    kept = []
    for place in range(len(frame)):
        row = frame.iloc[place]
        fields = Fields({column: str(row[column]) for column in CATEGORICAL}, frozenset({float(row["age"])}))
        if not detector.twin.explained(fields):
            kept.append(place)
        if len(kept) == 6:
            break
    return frame.iloc[kept]


WAYS_TO_SHOW = {
    "table": lambda frame: frame.to_string(),
    "wide table without weights": lambda frame: frame.drop(columns="fnlwgt").to_string(index=False),
    "html": lambda frame: frame.to_html(),
    "csv": lambda frame: frame.to_csv(),
    "dicts": lambda frame: str(frame.drop(columns="fnlwgt").to_dict("records")),
    "tuples": lambda frame: str([tuple(row) for row in frame.drop(columns="fnlwgt").to_numpy()]),
    "array": lambda frame: str(frame.to_numpy()[0]),
    "printed row": lambda frame: frame.iloc[0].to_string(),
    "json": lambda frame: json.dumps(json.loads(frame.to_json(orient="records")), ensure_ascii=False, indent=0),
}


@pytest.mark.parametrize("way", WAYS_TO_SHOW)
def test_a_real_record_would_be_found(way, detector, real):
    assert detector.find(WAYS_TO_SHOW[way](unlike_the_twin(detector, real)))


@pytest.mark.parametrize("way", WAYS_TO_SHOW)
def test_records_of_the_twin_may_be_shown(way, detector, twin):
    shown = WAYS_TO_SHOW[way](twin.head(50).assign(fnlwgt=0))
    assert not detector.find(shown)


def test_counts_may_be_shown(detector, real):
    assert not detector.find(real.groupby(["race", "sex"]).size().to_string())
    assert not detector.find(pd.crosstab(real["education"], real["sex"]).to_html())
    assert not detector.find(str({column: sorted(set(real[column])) for column in CATEGORICAL}))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_no_output_shows_a_real_person(path, detector):
    for text in texts(json.loads(path.read_text(encoding="utf-8"))):
        found = detector.find(text)
        # Counted, and kept from pytest, which would quote them: the message of a failing test is an output as well.
        if found:
            pytest.fail(f"{len(found)} records of real people in one output", pytrace=False)
