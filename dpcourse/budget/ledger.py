"""A privacy budget that cannot be overspent: a durable, append-only ledger in one SQLite file."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcourse.budget.file import EVERYBODY, Entry, LedgerError, LedgerFile
from dpcourse.budget.filters import BasicFilter, Filter, PlannedFilter, RenyiFilter, _claim
from dpcourse.privacy import BudgetExhausted, Guarantee, arguments

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Entry", "LedgerError", "PrivacyLedger"]


class PrivacyLedger:
    """A budget, shared by threads and processes, that admits a cost only if the composed total stays inside it.

    Parameters
    ----------
    path : str or Path
        The SQLite file; made if it is not there, continued if it is. A relative path counts from where the process
        is now.
    budget : Guarantee
        (ε, δ) for everything spent, with its neighbouring relation. Costs under another relation are refused.
    method : {"basic", "rdp", "pld"}
        "basic" and "rdp" are filters: valid when each cost is chosen after seeing the answers before it. "pld" needs
        `plan` and admits nothing else.
    plan : iterable of costs or (cost, times) pairs, optional
        For "pld", fixed at opening.
    order : float, optional
        For "rdp": the order α > 1, fixed at opening. The default admits most small costs.
    analysts : mapping of str to Guarantee, optional
        Sub-budgets, by the same method: an analyst's spends must stay inside theirs too. Analysts not named have none.

    Raises
    ------
    LedgerError
        If the file is truncated, tampered with, locked for 30 s, or the disk is full; from `spend` where it is
        read-only.
    ValueError, TypeError
        Naming the argument; also if the file was opened with another budget, method or plan.

    Notes
    -----
    Every entry is sealed with a hash of itself and of the one before it, so that a changed, lost or half-written entry
    shows at opening. Who can write the file can also seal it anew, or put back an older copy of it (or delete the
    ``-wal`` file beside it, where the latest entries are): against those keep the file where analysts cannot write.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = PrivacyLedger(pathlib.Path(folder.name) / "budget.sqlite", Guarantee(1.0))
    >>> for query in range(20):
    ...     _ = ledger.spend(Guarantee(0.05), f"query {query}", "ana")
    >>> print(ledger.remaining())
    (ε=0, δ=0)-DP, adding or removing one record
    >>> ledger.close(); folder.cleanup()
    """

    def __init__(
        self,
        path: str | Path,
        budget: Guarantee,
        method: str = "basic",
        plan: Iterable[Any] | None = None,
        *,
        order: float | None = None,
        analysts: Mapping[str, Guarantee] | None = None,
    ) -> None:
        if str(path) == ":memory:":
            raise ValueError(f"path must be a file, which threads and processes share, got {path!r}")
        self.path, self.method = Path(path).absolute(), method  # a later change of directory must not find another file
        self.budget = arguments.member("budget", budget, Guarantee)
        if method not in ("basic", "rdp", "pld"):
            raise ValueError(f"method must be 'basic', 'rdp' or 'pld', got {method!r}")
        if (plan is None) == (method == "pld"):
            raise ValueError(f"plan is needed for method 'pld' and for no other, got method {method!r}, plan {plan!r}")
        if order is not None and method != "rdp":
            raise ValueError(f"order is for method 'rdp' only, got method {method!r}, order {order!r}")
        analysts = {} if analysts is None else arguments.member("analysts", analysts, Mapping)
        if method == "pld" and analysts:
            raise ValueError(f"analysts need method 'basic' or 'rdp', got 'pld' with {sorted(analysts)!r}")
        self._filter = self._make_filter("budget", budget, order, plan)
        self._filters = {EVERYBODY: self._filter}
        for name, part in analysts.items():
            arguments.member("analysts", part, Guarantee)
            # At one order for all: then one price serves every total.
            own = self._make_filter("analysts", part, getattr(self._filter, "order", None))
            self._filters[_name("analyst", name)] = own
        self._file = LedgerFile(self.path)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _make_filter(
        self, argument: str, budget: Guarantee, order: float | None, plan: Iterable[Any] | None = None
    ) -> Filter:
        if math.isinf(budget.epsilon):
            raise ValueError(f"{argument} must have a finite epsilon, got {budget!r}")
        if self.method == "basic":
            return BasicFilter(budget)
        return RenyiFilter(budget, order) if plan is None else PlannedFilter(budget, plan)

    def spend(self, cost: Any, query_id: str, analyst: str, description: str = "") -> Entry:
        """Pay for one release, durably, before making it.

        `cost` is a mechanism or a `Guarantee`; a bare number raises `TypeError`. Raises `BudgetExhausted` if the total
        would leave the budget (or the analyst's), `ValueError` if `query_id` was spent before: an answer may be shown
        twice, but not drawn twice.
        """
        query_id, analyst = _name("query_id", query_id), _name("analyst", analyst)
        # Anything but a string would come back as text, and break the seal.
        _storable("description", arguments.member("description", description, str))
        relation = getattr(cost, "neighbours", None)
        if relation is None or isinstance(cost, type):
            number = isinstance(cost, int | float) and not isinstance(cost, bool)
            example = f", such as Guarantee({cost!r}): a number alone has no δ and no neighbours" if number else ""
            raise TypeError(f"cost must be a Guarantee or a mechanism{example}; got {cost!r}, a {type(cost).__name__}")
        if relation is not self.budget.neighbours:
            raise ValueError(f"cost must be under {self.budget.neighbours} like the budget, got {cost!r}")
        owners = [EVERYBODY, analyst] if analyst in self._filters else [EVERYBODY]
        price = self._filter.price(cost)
        try:
            claim = str(_claim(cost))
        except ValueError:  # a noise multiplier alone has a loss but no (ε, δ)
            claim = ""
        _storable("cost", repr(cost) + claim)
        with self._file.transaction() as connection:
            if connection.execute("SELECT 1 FROM entries WHERE query_id = ?", (query_id,)).fetchone():
                raise ValueError(f"query_id must be new, got {query_id!r} again")
            number, seal = connection.execute("SELECT number, seal FROM totals WHERE owner = ''").fetchone()
            totals = {}
            for owner in owners:
                (before,) = connection.execute("SELECT total FROM totals WHERE owner = ?", (owner,)).fetchone()
                try:
                    totals[owner] = self._filters[owner].add(before, price)
                except BudgetExhausted as error:
                    left = self._filters[owner].left(before)
                    whose = f"the budget of {owner}" if owner else "the budget"
                    raise BudgetExhausted(f"{query_id!r} is refused: {error}; left of {whose}: {left}") from None
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
            spent = totals[EVERYBODY]
            entry = Entry(number + 1, query_id, analyst, repr(cost), claim, price, spent, now, description)
            seal = entry.seal(seal)
            connection.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*asdict(entry).values(), seal)
            )
            for owner in owners:
                connection.execute(
                    "UPDATE totals SET total = ?, number = ?, seal = ? WHERE owner = ?",
                    (totals[owner], entry.number, seal, owner),
                )
        return entry

    def remaining(self, analyst: str | None = None) -> Guarantee:
        """What is left. "basic": the (ε, δ) not yet spent. "rdp": the largest pure ε one more query may cost.
        "pld": what the rest of the plan costs on its own."""
        owner = EVERYBODY if analyst is None else analyst
        if owner not in self._filters:
            raise ValueError(f"analyst must have a budget, got {analyst!r}")
        with self._file.reading() as connection:
            (total,) = connection.execute("SELECT total FROM totals WHERE owner = ?", (owner,)).fetchone()
        return self._filters[owner].left(total)

    def entries(self) -> list[Entry]:
        """Every admitted spend, oldest first."""
        with self._file.reading() as connection:
            rows = connection.execute("SELECT * FROM entries ORDER BY number").fetchall()
        return [Entry(*row[:-1]) for row in rows]

    def report(self) -> pd.DataFrame:
        """The entries as a pandas frame, one row each, oldest first; `total` is what was spent so far."""
        import pandas as pd

        return pd.DataFrame([asdict(entry) for entry in self.entries()], columns=list(Entry.__dataclass_fields__))

    def close(self) -> None:
        """Close this thread's connection."""
        self._file.close()

    def __enter__(self) -> PrivacyLedger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> None:
        settings = {
            "budget": repr(self.budget),
            "method": self.method,
            "order": repr(getattr(self._filter, "order", None)),
            "plan": json.dumps(sorted(getattr(self._filter, "plan", {}).items())),
            "analysts": json.dumps({name: repr(f.budget) for name, f in sorted(self._filters.items()) if name}),
        }
        nothing = {owner: rule.zero() for owner, rule in self._filters.items()}
        if self._file.create(settings, nothing):
            return
        self._file.wait_until_filled()
        with self._file.snapshot() as connection:
            stored = dict(connection.execute("SELECT name, value FROM settings").fetchall())
            for name, value in settings.items():
                if stored.get(name) != value:
                    raise ValueError(f"{name} must be as the ledger was opened with, {stored.get(name)}, got {value}")
            self._file.verify(connection, nothing, lambda owner, total, price: self._filters[owner].add(total, price))


def _name(argument: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be a string, got {value!r}")
    if not value:
        raise ValueError(f"{argument} must not be empty, got {value!r}")
    return _storable(argument, value)


def _storable(argument: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        raise ValueError(f"{argument} must be text that UTF-8 can hold, got {text!r}") from None
    return text
