"""Exercises of lesson 01: the attacks, written by the reader and run on people drawn anew."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpcourse.attacks import records
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Exercise, Trial, Wrong
from dpcourse.checks.cases import Equals, Mistake, Returns

_ALL = ["street", "age", "sex", "job"]


def _people(rng: np.random.Generator, n: int | None = None) -> pd.DataFrame:
    """A small table in which some are unique, some are twins, and the columns matter."""
    n = int(rng.integers(60, 200)) if n is None else n
    return pd.DataFrame(
        {
            "street": rng.choice(["Elm", "Oak", "Ash", "Fir"], n),
            "age": rng.integers(20, 20 + int(rng.integers(20, 40)), n),
            "sex": rng.choice(["F", "M"], n),
            "job": rng.choice(["baker", "nurse", "clerk"], n),
            "rich": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
        }
    )


def _table_and_columns(rng: np.random.Generator) -> tuple[pd.DataFrame, list[str]]:
    """Two or three columns of a table that has more, so that ignoring `columns` shows."""
    columns = rng.permutation(_ALL)[: int(rng.integers(2, 4))].tolist()
    return _people(rng), columns if "age" in columns else [*columns[:-1], "age"]


def _distinct(frame: pd.DataFrame, columns: list[str]) -> int:
    return int(records.group_numbers(frame, columns).max()) + 1


def _alone(frame: pd.DataFrame, columns: list[str]) -> int:
    return int((records.group_sizes(frame, columns) == 1).sum())


UNIQUE = (
    Returns(_table_and_columns, what="number", random=False),
    Equals(
        _table_and_columns,
        expected=records.unique_share,
        mistakes=(
            Mistake(
                lambda frame, columns: _distinct(frame, columns) / len(frame),
                Wrong(
                    "That is the number of different combinations over the number of people: people who are not unique "
                    "are in it too.",
                    "Count only the combinations that exactly one person has.",
                    "distinct-values",
                ),
            ),
            Mistake(
                lambda frame, columns: _alone(frame, columns) / _distinct(frame, columns),
                Wrong(
                    "That is the share of *combinations* that one person has; the share of *people* is asked for.",
                    "Divide by the number of people.",
                    "share-of-groups",
                ),
            ),
            Mistake(
                _alone,
                Wrong("That is how many people are unique, not their share.", "Divide by their number.", "a-count"),
            ),
            Mistake(
                lambda frame, columns: 1 - records.unique_share(frame, columns),
                Wrong("That is the share of people who have a twin.", "Which of the two is asked for?", "complement"),
            ),
            Mistake(
                lambda frame, columns: records.unique_share(frame, list(frame.columns)),
                Wrong("You compare people on every column of the table.", "Use `columns` only.", "all-columns"),
            ),
            Mistake(
                lambda frame, columns: 100 * records.unique_share(frame, columns),
                Wrong("That is a percentage.", "A share lies between 0 and 1.", "percent"),
            ),
        ),
    ),
)


def _release_and_register(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """A release, and a register of whom some are in it once, some fit several rows and some none."""
    everyone = _people(rng, int(rng.integers(100, 160)))
    columns = rng.permutation(["street", "age", "sex"]).tolist()
    order = rng.permutation(len(everyone))
    released = everyone.iloc[order[: len(order) * 2 // 3]].reset_index(drop=True)
    register = everyone.iloc[order[len(order) // 3 :]][columns].reset_index(drop=True)
    return released, register, columns


def _first_match(released: pd.DataFrame, register: pd.DataFrame, on: list[str], last: bool = False) -> np.ndarray:
    groups = records.group_numbers(pd.concat([released[on], register[on]], ignore_index=True), on)
    positions = range(len(released)) if last else reversed(range(len(released)))
    row = {groups[i]: i for i in positions}
    return np.array([row.get(group, -1) for group in groups[len(released) :]])


def _match(released: pd.DataFrame, register: pd.DataFrame, on: list[str]) -> np.ndarray:
    return records.link(released, register, on).match


_GUESSED = Wrong(
    "Where several released rows fit a person you name one of them. The attacker cannot know which is theirs.",
    "Answer −1 unless exactly one row fits.",
    "names-one-of-several",
)

LINK = (
    Returns(_release_and_register, what="array", shape=lambda released, register, on: (len(register),), random=False),
    Equals(
        _release_and_register,
        expected=_match,
        mistakes=(
            Mistake(_first_match, _GUESSED),
            Mistake(lambda released, register, on: _first_match(released, register, on, last=True), _GUESSED),
            Mistake(
                lambda released, register, on: records.link(released, register, on).candidates,
                Wrong(
                    "You give how many released rows fit each person.",
                    "Where that number is 1, which row is it? Elsewhere answer −1.",
                    "counts",
                ),
            ),
            Mistake(
                lambda released, register, on: records.link(released, register, on).claimed,
                Wrong("You say whether each person is found.", "Give the position of the row found.", "yes-or-no"),
            ),
            Mistake(
                lambda released, register, on: _match(released, register, on[:1]),
                Wrong("You compare people on the first column only.", "All columns of `on` must agree.", "one-column"),
            ),
            Mistake(
                lambda released, register, on: np.maximum(_match(released, register, on), 0),
                Wrong("People who are not found are given row 0.", "Answer −1 for them.", "zero-for-none"),
            ),
        ),
    ),
)


class Office:
    """Counts the people of a group who have the secret; silent (None) about groups below `SMALLEST`."""

    SMALLEST = 20

    def __init__(self, secret: np.ndarray) -> None:
        self._secret, self.asked = secret, []

    def __call__(self, members: np.ndarray) -> int | None:
        members = np.asarray(members)
        if members.dtype != bool or members.shape != self._secret.shape:
            raise ValueError(
                f"members must be {len(self._secret)} booleans, got {members.dtype} of shape {members.shape}"
            )
        self.asked.append(members.copy())
        return int(self._secret[members].sum()) if members.sum() >= self.SMALLEST else None


def _reveals(answer: Answer, trial: Trial) -> Wrong | None:
    """The answer finds out one person's secret from an office that never speaks about small groups."""
    results, secrets, counts, offices = [], [], [], []
    for _ in range(40):
        n = int(trial.rng.integers(30, 80))
        secret = trial.rng.random(n) < 0.5
        person, office = int(trial.rng.integers(n)), Office(secret)
        results.append(answer(office, n, person))
        secrets.append(int(secret[person]))
        counts.append(int(secret.sum()))
        offices.append((office, person))
    if all(result is None for result in results):
        alone = any(members.sum() < Office.SMALLEST for office, _ in offices for members in office.asked)
        if alone:
            return Wrong(
                "The office keeps silent about groups of fewer than 20 people, and you asked about one.",
                "Which two large groups differ by this person alone?",
                "asks-about-few",
            )
        return Wrong("Your function returns nothing (None).", "Is a `return` missing?", "returns-nothing")
    found = np.array([np.nan if result is None else float(result) for result in results])
    wanted = np.array(secrets)
    if np.array_equal(found, wanted):
        return None
    if np.array_equal(found, -wanted):
        return Wrong(
            "You give −1 where the secret is yes.",
            "Subtract the count without the person from the one with.",
            "reversed",
        )
    if not any(office.asked for office, _ in offices):
        return Wrong("You ask the office nothing.", "A guess is right half of the time; ask.", "guesses")
    if all(len(office.asked) == 1 for office, _ in offices) or np.array_equal(found, counts):
        return Wrong(
            "You give the count of one group.", "Ask about a second group that differs by one person.", "one-count"
        )
    for office, person in offices:
        pairs = [office.asked[i] ^ office.asked[i + 1] for i in range(len(office.asked) - 1)]
        if not any(pair.any() for pair in pairs):
            return Wrong("You ask about the same group twice.", "Leave the person out of one of them.", "same-group")
        if all(pair.sum() != 1 for pair in pairs):
            return Wrong(
                "Your two groups differ by more than one person, so their counts do too.",
                "Everybody else must be in both groups or in neither.",
                "more-than-one",
            )
        if not any(pair[person] for pair in pairs):
            return Wrong(
                "Your two groups do not differ by the person asked about.",
                "The person at position `person` is in one of them and not in the other.",
                "wrong-person",
            )
    return Wrong(
        f"You give {results[0]!r} where the secret is {secrets[0]}.",
        "Give 1 for yes, 0 for no.",
        "wrong-value",
    )


def _quasi_and_sensitive(rng: np.random.Generator) -> tuple[pd.DataFrame, list[str], str]:
    frame, columns = _table_and_columns(rng)
    return frame.assign(age=frame["age"] // 5 * 5), columns, "rich"


def _alike(frame: pd.DataFrame, columns: list[str], sensitive: str) -> np.ndarray:
    return records.diversity(frame, columns, sensitive) == 1


def _alike_share_of_groups(frame: pd.DataFrame, columns: list[str], sensitive: str) -> float:
    first = ~frame.duplicated(subset=columns)
    return float(_alike(frame, columns, sensitive)[first].mean())


EXPOSED = (
    Returns(_quasi_and_sensitive, what="number", random=False),
    Equals(
        _quasi_and_sensitive,
        expected=lambda frame, columns, sensitive: float(_alike(frame, columns, sensitive).mean()),
        mistakes=(
            Mistake(
                _alike_share_of_groups,
                Wrong(
                    "That is the share of groups in which all are alike; the share of people is asked for.",
                    "Weigh each group by its size.",
                    "share-of-groups",
                ),
            ),
            Mistake(
                lambda frame, columns, sensitive: records.unique_share(frame, columns),
                Wrong(
                    "That is the share of people who are alone in their group. Ten who all say the same are "
                    "exposed too, all ten.",
                    "Look at the sensitive value within each group.",
                    "only-the-unique",
                ),
            ),
            Mistake(
                lambda frame, columns, sensitive: float(records.diversity(frame, columns, sensitive).min()),
                Wrong(
                    "That is the ℓ of the table: its worst group.", "How many people are in such?", "worst-group"
                ),
            ),
            Mistake(
                lambda frame, columns, sensitive: records.unique_share(frame, [*columns, sensitive]),
                Wrong(
                    "You group by the sensitive column too: the attacker does not know it.",
                    "Group by `columns`, then look at `sensitive`.",
                    "grouped-by-sensitive",
                ),
            ),
            Mistake(
                lambda frame, columns, sensitive: float(
                    (_alike(frame, columns, sensitive) & (frame[sensitive] == "yes")).mean()
                ),
                Wrong(
                    "You count groups where all say yes. All saying no is as telling.",
                    "Count every group with one value, whichever it is.",
                    "only-yes",
                ),
            ),
            Mistake(
                lambda frame, columns, sensitive: 1 - float(_alike(frame, columns, sensitive).mean()),
                Wrong("That is the share of people whose group is mixed.", "Which is asked for?", "complement"),
            ),
        ),
    ),
)


def _reconstructs(answer: Answer, trial: Trial) -> Wrong | None:
    """The answer recovers at least 95% of the bits of 40 people from 240 counts that are off by up to one."""
    draws = []
    for i in range(5):
        # Few yeses, then many: whoever always says half yes is off both ways.
        yeses = trial.rng.integers(12, 18) if i % 2 else trial.rng.integers(23, 29)
        secret = trial.rng.permutation(np.arange(40) < yeses).astype(int)
        queries = trial.rng.integers(2, size=(240, 40))
        answers = queries @ secret + trial.rng.uniform(-1, 1, size=240)
        result = answer(queries.copy(), answers.copy())
        if result is None:
            return Wrong(
                "Your function returns nothing (None).",
                "Is a `return` missing, or has your programme no solution? With noise no table fits exactly: ask for "
                "the closest.",
                "returns-nothing",
            )
        bits = np.asarray(result)
        if bits.shape != (40,):
            return Wrong(f"One bit a person is wanted, shape (40,); yours is {bits.shape}.", "", "wrong-shape")
        if not np.isin(bits, (0, 1)).all():
            return Wrong(
                f"You return values such as {float(bits[~np.isin(bits, (0, 1))][0]):.3g}.",
                "A secret is 0 or 1: round what the programme gives.",
                "not-bits",
            )
        draws.append((bits.astype(int), secret, queries, answers))
    right = min(float((bits == secret).mean()) for bits, secret, _, _ in draws)
    return None if right >= 0.95 else _why_wrong(draws, right)


def _why_wrong(draws: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]], right: float) -> Wrong:
    if all((bits == secret).mean() <= 0.05 for bits, secret, _, _ in draws):
        return Wrong("Each bit you return is the opposite of the right one.", "Is 1 a yes?", "flipped")
    if len({bits.tobytes() for bits, _, _, _ in draws}) == 1:
        return Wrong(
            f"You say the same whatever the answers are; that is right for {right:.0%} of the people.",
            "The published counts must enter.",
            "constant",
        )
    if all(np.array_equal(bits, _first_equations(queries, answers)) for bits, _, queries, answers in draws):
        return Wrong(
            f"You solve 40 equations for 40 people, which makes the noise larger: {right:.0%} right.",
            "All 240 answers count: find the bits that fit all of them best.",
            "few-equations",
        )
    if all((bits >= secret).all() for bits, secret, _, _ in draws):
        return Wrong(
            f"Every mistake you make is a 1 where 0 is right ({right:.0%} right).",
            "Where do you cut the fractions? ½ is in the middle.",
            "rounds-up",
        )
    return Wrong(
        f"You recover {right:.0%} of the secrets; 95% is possible from these answers.",
        "Do your variables stand for all people together, and does every answer enter?",
        "too-few",
    )


def _first_equations(queries: np.ndarray, answers: np.ndarray) -> np.ndarray:
    n = queries.shape[1]
    return (np.linalg.lstsq(queries[:n].astype(float), answers[:n], rcond=None)[0] > 0.5).astype(int)


EXERCISES = (
    Exercise("01.1", "The share of unique people", UNIQUE, call="unique_share(frame, columns)"),
    Exercise("01.2", "Link a register to a release", LINK, call="link(released, register, on)"),
    Exercise("01.3", "One secret from two large groups", (_reveals,), call="reveal(count, n, person)"),
    Exercise("01.4", "What a k-anonymous table still tells", EXPOSED, call="exposed_share(frame, columns, sensitive)"),
    Exercise("01.5", "Reconstruct secrets from noisy counts", (_reconstructs,), call="reconstruct(queries, answers)"),
)
