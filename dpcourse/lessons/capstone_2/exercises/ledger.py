"""Capstone 2.5: a quarter's lots have one budget for good, whoever asks, however often, whatever the date."""

from __future__ import annotations

import contextlib
import math
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.once import between, whole

_UNIT, _BUDGET = 10**6, 2 * 10**6  # what is spent is counted in millionths
_COARSE = 1000  # whoever keeps a cost in thousandths, rounded up, is right too
_WORDS = ("query ", "", "rate-", "benchmark ", "women's pay ", "Größe ")  # begin a query's name
_COUNTS_ALL = "Does each cost count, however large or small it is, and in every quarter?"
_WHEN_REFUSED = "When is a query refused, and does yours look at anything else?"


@contextlib.contextmanager
def empty_folder() -> Iterator[Path]:
    """A new folder, removed afterwards even where a ledger in it is still open."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        yield Path(name)


def _asked(answer: Answer, folder: Path, quarter: str, query_id: str, epsilon: float, may_stop: bool = False) -> bool:
    """What the answer says; with `may_stop` an error counts as a refusal."""
    try:
        given = answer(folder, quarter, query_id, epsilon)
    except AnswerRaised as raised:
        if may_stop:
            return False
        if folder.exists():
            seen = f'Asked about {quarter} for "{query_id}" at ε = {epsilon:g}, your function stops with {raised}.'
            ask = "Does this query have to be refused? A refusal is an answer: return False."
            raise Refused(Diagnosis("raises", seen, ask)) from raised
        seen = f"The folder is not there yet, and your function stops with {raised}."
        raise Refused(Diagnosis("no-folder", seen, "Who makes the folder?")) from raised
    if not isinstance(given, bool | np.bool_):
        raise Refused(Diagnosis("wrong-type", f"True or False is wanted; you return {a(given)}."))
    return bool(given)


def one_quarter(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Over-budget, repeated and strange costs, in one quarter; and what a refused query leaves behind."""
    return _one_quarter(answer, "benchmark", chance.rng) or _one_quarter(answer, next(_ids(chance.rng)), chance.rng)


def _one_quarter(answer: Answer, first: str, rng: np.random.Generator) -> Diagnosis | None:
    repeats = Diagnosis(
        "repeats",
        f'The query "{first}" is admitted twice. Each time its noise is drawn anew, and the average of two draws tells '
        "more.",
        "Whoever asks again can be shown the old release. How do you know that a query_id was admitted before?",
    )
    with empty_folder() as folder:
        if not _asked(answer, folder, "2025-Q4", first, 1.0):
            seen = "The first query, ε = 1 of a budget of 2, is refused."
            return Diagnosis("refuses-all", seen, "When is a query refused? Which of these cases is this?")
        if any(_asked(answer, folder, "2025-Q4", first, cost, may_stop=not cost) for cost in (0.25, 0.0)):
            return repeats
        for cost in (-1.0, -between(rng, 1e-3, 3.0), math.nan, math.inf):
            if _asked(answer, folder, "2025-Q4", f"cost {cost}", cost, may_stop=True):
                return Diagnosis(
                    "strange-cost",
                    f"A query with ε = {cost:g} is admitted.",
                    "A negative cost is a refund, and NaN is neither below nor above the budget. What is a cost?",
                )
        if _asked(answer, folder, "2025-Q4", "large", 1.25):
            seen = "After ε = 1 of 2, another 1.25 is admitted."
            return Diagnosis("overspends", seen, "How much is spent then, and which number do you compare it with?")
        for query, cost in (("small", 0.75), ("rest", 0.25)):
            if not _asked(answer, folder, "2025-Q4", query, cost):
                seen = f"After some refused queries there is room for {cost} in the budget of 2, and it is refused."
                ask = "Only what is released costs anything: were refused queries charged?"
                if query == "rest":
                    ask = "May a query bring the sum to exactly 2? And were refused queries charged?"
                return Diagnosis("charges-refused", seen, ask)
            if query == "small" and _asked(answer, folder, "2025-Q4", first, 0.125):
                return repeats
        for cost in (0.01, 1e-4, 1e-7):
            if _asked(answer, folder, "2025-Q4", f"{cost:g} more", cost):
                seen = f"After 1 + 0.75 + 0.25, which is the budget of 2, another {cost:g} is admitted."
                return Diagnosis("overspends", seen, _COUNTS_ALL)
    return None


def alike(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Queries whose names differ by a capital letter or a blank are not the same."""
    number = int(chance.rng.integers(10**6))
    queries = [str(one) for one in chance.rng.permutation((f"rate {number}", f"Rate {number}", f"rate{number}"))]
    with empty_folder() as folder:
        for query in queries:
            if not _asked(answer, folder, "2025-Q4", query, 0.25):
                asked = ", ".join(f'"{one}"' for one in queries)
                seen = f'Of the queries {asked}, of ε = 0.25 each, "{query}" is refused. No two of them are the same.'
                return Diagnosis("refuses-fitting", seen, "When is a query_id repeated, and what do you compare?")
    return None


def many_quarters(answer: Answer, chance: Chance) -> Diagnosis | None:
    """New lots have a budget of their own. Old lots keep theirs, spent as it is, on 1 January and in a copy."""
    with empty_folder() as folder, empty_folder() as elsewhere:
        for quarter in ("2025-Q4", "2026-Q1", "2026-Q2"):
            if not _asked(answer, folder, quarter, "benchmark", 1.5):
                return Diagnosis(
                    "one-budget",
                    f"The lots of earlier quarters have cost 1.5 each, and those of {quarter}, which are other lots, "
                    "are refused their first 1.5.",
                    "A lot is made once: which releases is it in?",
                )
        if _asked(answer, folder, "2025-Q4", "again in January", 1.5):
            return Diagnosis(
                "refreshes",
                "After a query about 2026-Q1, the lots of 2025-Q4 may be asked about again: ε = 3 for them by now.",
                "A budget belongs to the lots, not to the calendar. Where does what 2025-Q4 has spent go?",
            )
        copy = elsewhere / "restored"
        shutil.copytree(folder, copy)
        if _asked(answer, copy, "2026-Q1", "after a restart", 1.0):
            return Diagnosis(
                "forgets",
                "The folder was moved, as by a restart on another machine. 1.5 of 2 was spent, and 1 more is admitted.",
                "What was spent has to be in the file. `PrivacyLedger` writes it before it returns.",
            )
        if not _asked(answer, elsewhere / "new", "2026-Q1", "benchmark", 1.5):
            return Diagnosis(
                "forgets",
                "In an empty folder the first query is refused: your function remembers another folder.",
                "What was spent has to be in the file, and nowhere else.",
            )
    return None


def tenths(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Twenty times 0.1 is 2, which floats deny."""
    with empty_folder() as folder:
        admitted = sum(_asked(answer, folder, "2026-Q2", f"query {number}", 0.1) for number in range(21))
    if admitted == 20:
        return None
    seen = f"Of 21 queries of ε = 0.1 each, {admitted} are admitted; the budget of 2 has room for 20."
    if admitted > 20:
        return Diagnosis("overspends", seen, _COUNTS_ALL)
    if admitted < 19:
        return Diagnosis("refuses-fitting", seen, _WHEN_REFUSED)
    return Diagnosis("float-sum", seen, "0.1 + … + 0.1 is not 2 in floats. `PrivacyLedger` adds fractions.")


class _Books:
    """What has been admitted from each quarter, by query, in millionths; and whether the answer agrees."""

    def __init__(self, answer: Answer, rng: np.random.Generator) -> None:
        self._answer, self._ids = answer, _ids(rng)
        self._spent: dict[str, dict[str, int]] = {}
        self._when = ""

    def restarted(self) -> None:
        """From here on the answer has forgotten all calls, and its folder is a copy."""
        self._answer.renew()
        self._when = " after a restart, with the folder moved as to another machine,"

    def left(self, quarter: str) -> int:
        return _BUDGET - sum(self._spent.get(quarter, {}).values())

    def known(self, quarter: str) -> list[str]:
        """The queries that were admitted."""
        return list(self._spent.get(quarter, {}))

    def wrong(self, folder: Path, quarter: str, cost: int) -> Diagnosis | None:
        """A query that was never asked."""
        spent, query = self._spent.setdefault(quarter, {}), next(self._ids)
        sums, fits = " + ".join(map(_said, spent.values())) or "nothing", cost <= self.left(quarter)
        rounded_up = sum(-(-one // _COARSE) * _COARSE for one in (*spent.values(), cost))
        got = _asked(self._answer, folder, quarter, query, cost / _UNIT)
        if got:
            spent[query] = cost
        if got == fits or not got and rounded_up > _BUDGET:
            return None
        if got:
            seen = f"In {quarter} {sums} is spent of 2, and{self._when} you admit {_said(cost)} more."
            return Diagnosis("overspends", seen, _COUNTS_ALL)
        seen = f"In {quarter} {sums} is spent of 2, and{self._when} you refuse {_said(cost)}, which fits."
        return Diagnosis("refuses-fitting", seen, _WHEN_REFUSED)

    def repeated(self, folder: Path, quarter: str, query: str) -> Diagnosis | None:
        """The same query once more, at a thousandth."""
        if not _asked(self._answer, folder, quarter, query, 0.001):
            return None
        seen = f'In {quarter} "{query}" was admitted, and{self._when} it is admitted again.'
        return Diagnosis("repeats", seen, "Which queries were admitted has to be in the folder, as what they cost has.")


def _ids(rng: np.random.Generator) -> Iterator[str]:
    """Names of queries, no two alike."""
    for number in rng.choice(10**6, size=1000, replace=False).tolist():
        yield f"{rng.choice(_WORDS)}{number}"


def _grain(place: int) -> int:
    """Every other quarter's costs are in millionths, the others' in thousandths."""
    return 1 if place % 2 else _COARSE


def _said(cost: int) -> str:
    return f"{cost / _UNIT:.6f}".rstrip("0").rstrip(".")


def any_cost(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Quarters of ten decades, costs of all sizes, in thousandths or millionths; then what is left, and no more.

    Between the two the process ends and the folder is moved: to the last digit what is left is known only to those who
    kept each cost in it. A right answer never fails.
    """
    rng = chance.rng
    names = [
        f"{decade + rng.integers(10)}-Q{rng.integers(1, 5)}" for decade in rng.permutation(np.arange(2000, 2100, 10))
    ]
    books = _Books(answer, rng)
    with empty_folder() as folder, empty_folder() as elsewhere:
        for _ in range(40):
            place = int(rng.integers(len(names) - 1))
            grain = _grain(place)
            if found := books.wrong(folder, names[place], grain * whole(rng, 1, _BUDGET * 3 // 4 // grain)):
                return found
        copy = elsewhere / "restored"
        shutil.copytree(folder, copy)
        books.restarted()
        for place in rng.permutation(len(names)).tolist():
            quarter, grain = names[place], _grain(place)
            known, left = books.known(quarter), books.left(quarter)
            if left and (found := books.wrong(copy, quarter, left + grain)):
                return found
            if left and known and (found := books.repeated(copy, quarter, str(rng.choice(known)))):
                return found
            sizes = (0, 1, 2, 2, 2, 3, 4, 5)
            costs = (grain * whole(rng, 10**size, 10 ** (size + 1) - 1) for size in sizes)
            for cost in (*[left] * (left > 0), *costs):
                if found := books.wrong(copy, quarter, cost):
                    return found
    return None


LEDGER = (one_quarter, alike, many_quarters, tenths, any_cost)
