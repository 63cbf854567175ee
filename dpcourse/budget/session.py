"""A spend bound to its release: paid for first, drawn once, stored before it is shown, and free from then on."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.budget.answers import from_text, to_text
from dpcourse.budget.file import Entry, LedgerError
from dpcourse.budget.filters import _claim
from dpcourse.budget.ledger import PrivacyLedger, _name
from dpcourse.budget.turns import turn
from dpcourse.privacy import arguments
from dpcourse.queries import Estimate

_ANSWERS = (
    "CREATE TABLE IF NOT EXISTS answers (query_id TEXT PRIMARY KEY REFERENCES entries (query_id), "
    "state TEXT NOT NULL CHECK (state IN ('drawing', 'stored', 'refused')), words TEXT NOT NULL, seal TEXT NOT NULL)",
    "CREATE TRIGGER IF NOT EXISTS answers_are_final BEFORE UPDATE ON answers WHEN OLD.state != 'drawing' "
    "BEGIN SELECT RAISE(ABORT, 'an answer is final'); END",
    "CREATE TRIGGER IF NOT EXISTS answers_stay BEFORE DELETE ON answers "
    "BEGIN SELECT RAISE(ABORT, 'an answer is final'); END",
)
_INTERRUPTED = "its release was interrupted before an answer was stored"


class AnswerRefused(RuntimeError):
    """This question was paid for and will never be answered. Asking again costs nothing more, and changes nothing."""


class LedgerSession:
    """One analyst's questions to a ledger.

    A question goes through three steps, and the next one begins when the one before is on the disk: the ledger is
    charged and the question marked as being drawn (one transaction), the noise is drawn, the answer is stored. Only
    then is it shown. Asked again, the stored answer is shown, and nothing is charged.

    Parameters
    ----------
    ledger : PrivacyLedger
    analyst : str
        Who asks. A stored answer is shown to this analyst only: another one's sub-budget says what they may learn.
    patience : float
        Seconds to wait while the same question is being drawn elsewhere.
    rng : Generator, int or None
        For tests. A real release must not be seeded.

    Notes
    -----
    *What happens in a crash.* Before the charge is on the disk: nothing was spent, and the question is new. After the
    answer is on the disk: it is there. Between the two the question is refused for good, and its cost stays spent.
    Drawing again would be wrong: that a run did not end, and how often, may depend on the data (a mechanism that fails
    on large values and is tried until it succeeds publishes more than it paid for), and an analyst who watches the
    process could stop it until the noise is small. For the same reason a release that raises is refused for good, and
    its message is not shown.

    *The name is the question.* Asking for a name again gives the old answer even if the data have changed; a name with
    another mechanism or cost is refused, and nothing is spent.

    *What is not hidden:* how long a release takes, and whatever `draw` prints or writes. The file holds answers, which
    are private, and no data.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from dpcourse.mechanisms import LaplaceMechanism
    >>> from dpcourse.privacy import Guarantee
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = PrivacyLedger(pathlib.Path(folder.name) / "budget.sqlite", Guarantee(1.0))
    >>> mara = LedgerSession(ledger, "Mara")
    >>> first = mara.release(LaplaceMechanism(0.25), 4711, "how many people")
    >>> first == mara.release(LaplaceMechanism(0.25), 4711, "how many people"), ledger.remaining().epsilon
    (True, 0.75)
    >>> ledger.close(); folder.cleanup()
    """

    def __init__(
        self, ledger: PrivacyLedger, analyst: str, *, patience: float = 30.0, rng: Generator | int | None = None
    ) -> None:
        self.ledger = arguments.member("ledger", ledger, PrivacyLedger)
        self.analyst = _name("analyst", analyst)
        self.patience = arguments.nonnegative("patience", patience)
        self._rng = None if rng is None else np.random.default_rng(rng)
        with ledger._file.transaction() as connection:
            for statement in _ANSWERS:
                connection.execute(statement)

    def release(self, mechanism: Any, value: Any, query_id: str, description: str = "") -> Any:
        """`mechanism.release(value)`, paid for and stored, or the answer stored under this name.

        Parameters
        ----------
        mechanism
            With `release(value, rng=…)`. It is what is charged and what draws: the two cannot differ.
        value
            The exact answer, or a function without arguments that computes it. The function is called only when the
            question is new and paid for.
        query_id, description : str
            As in `PrivacyLedger.spend`.

        Raises
        ------
        BudgetExhausted, ValueError, TypeError, LedgerError
            As `PrivacyLedger.spend`, and if another analyst or another mechanism had the name. Nothing was spent.
        AnswerRefused
            If the release failed, or was interrupted when it was first asked for. Its cost stays spent.
        """
        if not callable(getattr(mechanism, "release", None)):
            raise TypeError(f"mechanism must have a release(value, rng=…), got {mechanism!r}; other releases: `ask`")
        return self.ask(
            mechanism,
            lambda rng: mechanism.release(value() if callable(value) else value, rng=rng),
            query_id,
            description,
        )

    def ask(self, cost: Any, draw: Callable[[Generator], Any], query_id: str, description: str = "") -> Any:
        """``draw(rng)``, paid for and stored, or the answer stored under this name: for selections and whole queries.

        Parameters
        ----------
        cost : Mechanism or Guarantee
            What `draw` costs. Of an `Estimate` it is checked: one that promises less than was paid is refused.
        draw : callable
            ``draw(rng) -> answer``: numbers, text, arrays, frames, lists, tuples or dicts of them, an `Estimate`.
        query_id, description : str
        """
        query_id = _name("query_id", query_id)
        if not callable(draw):
            raise TypeError(f"draw must be callable as draw(rng), got {draw!r}")
        with self._turn(query_id):
            stored = self._stored(query_id, cost)
            if stored is None:
                stored = self._draw_and_store(cost, draw, query_id, description)
        return from_text(stored)

    def refuse_interrupted(self) -> list[str]:
        """Refuse for good every question, of any analyst, whose release was cut off; their names. For after a crash.

        Asking such a question again does the same for it. Those that somebody is still drawing are left alone.
        """
        with self.ledger._file.reading() as connection:
            rows = connection.execute("SELECT query_id FROM answers WHERE state = 'drawing'").fetchall()
        refused = []
        for (query_id,) in rows:
            with contextlib.suppress(TimeoutError), turn(self.ledger.path, query_id, 0.0):
                if self._settle(query_id, "refused", _INTERRUPTED):
                    refused.append(query_id)
        return refused

    def _draw_and_store(self, cost: Any, draw: Callable[[Generator], Any], query_id: str, description: str) -> str:
        self.ledger._spend(cost, query_id, self.analyst, description, also=_mark_as_being_drawn)
        try:
            # Fresh unless given: a generator made before a fork would draw the same noise in parent and child.
            answer = draw(np.random.default_rng(self._rng))
            if isinstance(answer, Estimate):
                _check_paid(answer, cost)
            text = to_text(answer)
        except BaseException as error:
            self._settle(query_id, "refused", f"its release failed with a {type(error).__name__}")
            if not isinstance(error, Exception):
                raise
            # What an error says may hold records; that there was one costs what was paid.
            raise AnswerRefused(
                f"{query_id!r} was paid for, and its release failed with a {type(error).__name__}: refused for good"
            ) from None
        if not self._settle(query_id, "stored", text):
            raise AnswerRefused(f"{query_id!r} was paid for, and refused for good while it was being drawn")
        return text

    def _stored(self, query_id: str, cost: Any) -> str | None:
        """The stored answer; None if the question is new."""
        with self.ledger._file.reading() as connection:
            row = connection.execute(
                "SELECT analyst, mechanism, entries.seal, state, words, answers.seal "
                "FROM entries LEFT JOIN answers USING (query_id) WHERE query_id = ?",
                (query_id,),
            ).fetchone()
        if row is None:
            return None
        analyst, mechanism, entry_seal, state, words, seal = row
        if analyst != self.analyst:
            raise ValueError(f"query_id must be new, got {query_id!r}, which {analyst} asked")
        if mechanism != repr(cost):
            raise ValueError(f"query_id must be new, or ask again for {mechanism}, got {query_id!r} for {cost!r}")
        if state is None:
            raise ValueError(f"query_id must be new, got {query_id!r}, which was spent without a session")
        if state == "drawing":  # we have the turn: whoever had it is gone
            if not self._settle(query_id, "refused", _INTERRUPTED):
                return self._stored(query_id, cost)  # settled in between after all, by a system without such locks
            state, words = "refused", _INTERRUPTED
        elif seal != _seal(entry_seal, state, words):
            raise LedgerError(
                f"{self.ledger.path} was changed by hand: the answer to {query_id!r} does not fit its seal"
            )
        if state == "refused":
            raise AnswerRefused(f"{query_id!r} was paid for and is refused for good: {words}")
        return words

    def _settle(self, query_id: str, state: str, words: str) -> bool:
        """End the drawing with an answer or a refusal; False if it had ended already."""
        with self.ledger._file.transaction("its cost stays spent") as connection:
            (entry_seal,) = connection.execute("SELECT seal FROM entries WHERE query_id = ?", (query_id,)).fetchone()
            changed = connection.execute(
                "UPDATE answers SET state = ?, words = ?, seal = ? WHERE query_id = ? AND state = 'drawing'",
                (state, words, _seal(entry_seal, state, words), query_id),
            )
            return changed.rowcount == 1

    @contextlib.contextmanager
    def _turn(self, query_id: str) -> Iterator[None]:
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(turn(self.ledger.path, query_id, self.patience))
            except TimeoutError:
                waited = f"was not ready after {self.patience:g} s; nothing more was spent"
                raise LedgerError(f"{query_id!r} is being drawn elsewhere, and {waited}") from None
            except OSError as error:
                raise LedgerError(f"{self.ledger.path} cannot be used, nothing was spent: {error.strerror}") from None
            yield


def _mark_as_being_drawn(connection: sqlite3.Connection, entry: Entry) -> None:
    connection.execute("INSERT INTO answers VALUES (?, 'drawing', '', '')", (entry.query_id,))


def _check_paid(answer: Estimate, cost: Any) -> None:
    paid, promised = _claim(cost), answer.guarantee
    if promised.neighbours is not paid.neighbours or promised.epsilon > paid.epsilon or promised.delta > paid.delta:
        raise ValueError(f"the release promises {promised}, paid was {paid}")


def _seal(entry_seal: str, state: str, words: str) -> str:
    return hashlib.sha256(json.dumps([entry_seal, state, words], ensure_ascii=False).encode()).hexdigest()
