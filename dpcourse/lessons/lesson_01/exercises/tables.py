"""Exercises 01.1 and 01.4: what k-anonymity removes from a table without names, and what it leaves open."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpcourse.attacks import records
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake, Returns
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.lessons.lesson_01.exercises.texts import reworded, texts

_ALL = ["street", "age", "sex", "job"]
_SECRETS = ("winter", "spring", "ill")  # what somebody had
_OTHERS = ["workclass", "education-num", "marital-status", "occupation", "relationship", "race", "capital-gain"]
_OTHERS += ["capital-loss", "hours-per-week", "native-country"]
_ADULT = 45_222  # people in the lesson's table


def people(rng: np.random.Generator, n: int | None = None) -> pd.DataFrame:
    """A small table in which some are unique, some are twins, and the columns matter."""
    n = int(rng.integers(60, 200)) if n is None else n
    return pd.DataFrame(
        {
            "street": rng.choice(["Elm", "Oak", "Ash", "Fir"], n),
            "age": rng.integers(20, 20 + int(rng.integers(20, 40)), n),
            "sex": rng.choice(["F", "M"], n),
            "job": rng.choice(["baker", "nurse", "clerk"], n),
            # Floor 1, flat 11 and floor 11, flat 1 are two homes, unless somebody glues the numbers together.
            "floor": rng.choice([1, 11, 111], n),
            "flat": rng.choice([1, 11, 111], n),
            "rich": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
        }
    )


def _table_and_columns(rng: np.random.Generator) -> tuple[pd.DataFrame, list[str]]:
    """Two or three columns of a table that has more, so that ignoring `columns` shows."""
    if rng.random() < 0.7:
        return people(rng), ["floor", "flat", "age"]
    columns = rng.permutation(_ALL)[: int(rng.integers(2, 4))].tolist()
    return people(rng), columns if "age" in columns else [*columns[:-1], "age"]


def _distinct(frame: pd.DataFrame, columns: list[str]) -> int:
    return int(records.group_numbers(frame, columns).max()) + 1


def _glued(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """One column, the values of `columns` written one after the other."""
    return pd.DataFrame({"glued": frame[columns].astype(str).agg("".join, axis=1)})


_GLUE = Diagnosis(
    "glued",
    "You glue the values of a row together, so that floor 1, flat 11 and floor 11, flat 1 become one home.",
    "Compare the columns one by one (groupby takes a list), or put a sign between the values that none of them holds.",
)


def _table_columns_and_k(rng: np.random.Generator) -> tuple[pd.DataFrame, list[str], int]:
    frame, columns = _table_and_columns(rng)
    return frame.assign(age=frame["age"] // 5 * 5), columns, int(rng.integers(3, 6))


def _adult(rng: np.random.Generator) -> tuple[pd.DataFrame, list[str]]:
    """As many people as in the lesson, or up to twice as many, in fifty streets: some are unique on all columns."""
    n = whole(rng, _ADULT, 2 * _ADULT)
    frame = people(rng, n).assign(street=rng.integers(50, size=n))
    return frame, frame.columns.drop("rich").tolist()


def _any_table(rng: np.random.Generator) -> tuple[pd.DataFrame, list[str], int]:
    frame = selected(reworded(_wider(people(rng, whole(rng, 1, 2 * _ADULT)), rng), rng), rng)
    columns = _some(rng, frame.columns if rng.random() < 0.5 else texts(frame))
    called = _called(frame, rng)
    return called, called.columns[frame.columns.get_indexer(columns)].tolist(), whole(rng, 1, 200)


def _wider(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Half of the time with one to ten columns more, which have names of the lesson's own table."""
    more = rng.permutation(_OTHERS)[: int(rng.integers(1, 11)) if rng.random() < 0.5 else 0]
    return frame.assign(**{name: rng.integers(int(rng.integers(1, 4)), size=len(frame)) for name in more})


def _called(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Every other time its columns have names that are no words, and as often all are of type object."""
    frame = frame.astype(object) if rng.random() < 0.5 else frame
    return frame.rename(columns=str(rng.choice(["{}", "{}", "{}-status", "{} (2024)"])).format)


def selected(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Every third time its index is that of rows selected from a larger table, in any order."""
    n = len(frame)
    return frame if rng.random() < 2 / 3 else frame.set_axis(rng.permutation(3 * n)[:n], axis=0)


def _some(rng: np.random.Generator, names: pd.Index) -> list[str]:
    return rng.permutation(names.to_numpy(str))[: int(rng.integers(1, len(names) + 1))].tolist()


def _removed(frame: pd.DataFrame, columns: list[str], k: int) -> float:
    return float((records.group_sizes(frame, columns) < k).mean())


def _small_groups(frame: pd.DataFrame, columns: list[str], k: int) -> int:
    return int((np.bincount(records.group_numbers(frame, columns)) < k).sum())


REMOVED = (
    Returns(_table_columns_and_k, what="number", random=False),
    Equals(
        _table_columns_and_k,
        expected=_removed,
        wide=_any_table,
        full=lambda rng: (*_adult(rng), whole(rng, 3, 200)),
        mistakes=(
            Mistake(
                "only-the-unique",
                lambda frame, columns, k: records.unique_share(frame, columns),
                "You remove only people who are alone in their group, whatever `k` is.",
                "How large is a group that may stay?",
            ),
            Mistake(
                "k-itself",
                lambda frame, columns, k: _removed(frame, columns, k + 1),
                "You also remove groups of exactly `k` people.",
                "Is a group of k large enough?",
            ),
            Mistake(
                "distinct-values",
                lambda frame, columns, k: _small_groups(frame, columns, k) / len(frame),
                "That is the number of groups that are too small over the number of people.",
                "How many people are in these groups?",
            ),
            Mistake(
                "share-of-groups",
                lambda frame, columns, k: _small_groups(frame, columns, k) / _distinct(frame, columns),
                "That is the share of *groups* that are too small; the share of *people* is asked for.",
                "How many people does each group stand for?",
            ),
            Mistake(
                "a-count",
                lambda frame, columns, k: int((records.group_sizes(frame, columns) < k).sum()),
                "That is how many people are removed, not their share.",
                "Out of how many?",
            ),
            Mistake(
                "complement",
                lambda frame, columns, k: 1 - _removed(frame, columns, k),
                "That is the share of people who stay.",
                "Which of the two is asked for?",
            ),
            Mistake(
                "all-columns",
                lambda frame, columns, k: _removed(frame, list(frame.columns), k),
                "You compare people on every column of the table.",
                "Which columns does the function get?",
            ),
            Mistake(
                "percent",
                lambda frame, columns, k: 100 * _removed(frame, columns, k),
                "That is a percentage.",
                "Between which numbers does a share lie?",
            ),
            Mistake.told(_GLUE, lambda frame, columns, k: _removed(_glued(frame, columns), ["glued"], k)),
        ),
    ),
)


def _quasi_and_sensitive(rng: np.random.Generator) -> tuple[pd.DataFrame, list[str], str]:
    frame, columns = _table_and_columns(rng)
    return _with_secrets(frame.assign(age=frame["age"] // 5 * 5), columns, rng)


def _any_secret(rng: np.random.Generator) -> tuple[pd.DataFrame, list[str], str]:
    some = _wider(people(rng, whole(rng, 1, 2 * _ADULT)), rng)
    frame, _, secret = _with_secrets(selected(some, rng), [], rng)
    called = _called(reworded(frame, rng), rng)
    open_ = called.columns[~frame.columns.isin(["rich", *_SECRETS])]
    return called, _some(rng, open_), called.columns[frame.columns.get_loc(secret)]


def _with_secrets(
    frame: pd.DataFrame, columns: list[str], rng: np.random.Generator
) -> tuple[pd.DataFrame, list[str], str]:
    secrets = {name: rng.choice(["no", "flu", "cold"], len(frame), p=[0.8, 0.1, 0.1]) for name in _SECRETS}
    return frame.assign(**secrets), columns, str(rng.choice(["rich", *_SECRETS]))


def _alike(frame: pd.DataFrame, columns: list[str], sensitive: str) -> np.ndarray:
    return records.diversity(frame, columns, sensitive) == 1


def _alike_share_of_groups(frame: pd.DataFrame, columns: list[str], sensitive: str) -> float:
    first = ~frame.duplicated(subset=columns)
    return float(_alike(frame, columns, sensitive)[first].mean())


def _alike_in(frame: pd.DataFrame, columns: list[str], sensitive: str) -> float:
    return float(_alike(frame, columns, sensitive).mean())


def _alike_in_company(frame: pd.DataFrame, columns: list[str], sensitive: str) -> np.ndarray:
    return _alike(frame, columns, sensitive) & (records.group_sizes(frame, columns) > 1)


def _alike_in_company_only(frame: pd.DataFrame, columns: list[str], sensitive: str) -> float:
    return float(_alike(frame, columns, sensitive)[records.group_sizes(frame, columns) > 1].mean())


_LONELY = Diagnosis(
    "alone-left-out",
    "You leave out people who are alone in their group.",
    "How many values has the sensitive column in a group of one? Is that person exposed?",
)
_FIXED = Diagnosis(
    "fixed-column", "You look at the same column of the table whichever is asked about.", "Its name is in `sensitive`."
)


def _mean_of_text(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The lesson takes the mean of True and False, and looks for 0 and 1."""
    frame, columns, _ = _quasi_and_sensitive(chance.rng)
    try:
        answer(frame, columns, _SECRETS[0])
    except AnswerRaised as raised:
        if isinstance(raised.error, TypeError) and ("dtype" in str(raised) or "convert" in str(raised)):
            return Diagnosis(
                "mean-of-text",
                f"The column {_SECRETS[0]!r} holds text, such as 'flu', and your code stopped with {raised}.",
                "A mean of 0 or 1 says that all in a group are alike, if there are two values. What says it of any?",
            )
        raise
    return None


EXPOSED = (
    _mean_of_text,
    Returns(_quasi_and_sensitive, what="number", random=False),
    Equals(
        _quasi_and_sensitive,
        expected=lambda frame, columns, sensitive: float(_alike(frame, columns, sensitive).mean()),
        wide=_any_secret,
        full=lambda rng: _with_secrets(*_adult(rng), rng),
        mistakes=(
            Mistake(
                "a-count",
                lambda frame, columns, sensitive: int(_alike(frame, columns, sensitive).sum()),
                "That is how many people are exposed, not their share.",
                "Out of how many?",
            ),
            Mistake(
                "percent",
                lambda frame, columns, sensitive: 100 * _alike_in(frame, columns, sensitive),
                "That is a percentage.",
                "Between which numbers does a share lie?",
            ),
            Mistake.told(
                _LONELY, lambda frame, columns, sensitive: _alike_in_company(frame, columns, sensitive).mean()
            ),
            Mistake.told(_LONELY, _alike_in_company_only),
            Mistake(
                "share-of-groups",
                _alike_share_of_groups,
                "That is the share of groups in which all are alike; the share of people is asked for.",
                "How many people does each group stand for?",
            ),
            Mistake(
                "only-the-unique",
                lambda frame, columns, sensitive: records.unique_share(frame, columns),
                "That is the share of people who are alone in their group. Ten who all say the same are "
                "exposed too, all ten.",
                "Look at the sensitive value within each group.",
            ),
            Mistake(
                "worst-group",
                lambda frame, columns, sensitive: float(records.diversity(frame, columns, sensitive).min()),
                "That is the ℓ of the table: its worst group.",
                "How many people are in groups with only one value?",
            ),
            Mistake(
                "grouped-by-sensitive",
                lambda frame, columns, sensitive: records.unique_share(frame, [*columns, sensitive]),
                "You group by the sensitive column too: the attacker does not know it.",
                "Group by `columns`, then look at `sensitive`.",
            ),
            Mistake(
                "only-yes",
                lambda frame, columns, sensitive: float(
                    (_alike(frame, columns, sensitive) & (frame[sensitive] != "no")).mean()
                ),
                "You leave out groups in which all say no. That is as telling.",
                "Count every group with one value, whichever it is.",
            ),
            Mistake(
                "complement",
                lambda frame, columns, sensitive: 1 - float(_alike(frame, columns, sensitive).mean()),
                "That is the share of people whose group is mixed.",
                "Which is asked for?",
            ),
            Mistake.told(_FIXED, lambda frame, columns, sensitive: _alike_in(frame, columns, "rich")),
            Mistake.told(_FIXED, lambda frame, columns, sensitive: _alike_in(frame, columns, frame.columns[-1])),
            Mistake.told(
                _GLUE,
                lambda frame, columns, sensitive: _alike_in(
                    _glued(frame, columns).assign(**{sensitive: frame[sensitive]}), ["glued"], sensitive
                ),
            ),
        ),
    ),
)
