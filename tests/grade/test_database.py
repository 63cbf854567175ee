"""What a student's SQL may do to the grader, in whose process it runs (14.2)."""

import contextlib
import json
import os
import sqlite3
import sys
import time
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from dpcourse.grade import database, sandbox
from dpcourse.grade.lent import asked
from dpcourse.grade.marking import grade
from dpcourse.grade.student import Student
from dpcourse.grade.submissions import ROOT
from tests.pace import in_time

STATEMENTS = {
    "a pointer": "SELECT fts3_tokenizer('x', X'4141414141414141')",
    "an address": "SELECT fts3_tokenizer('simple')",
    "a virtual table": "CREATE VIRTUAL TABLE t USING fts3(tokenize=x)",
    "endless": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
    "the heap of everybody": "PRAGMA hard_heap_limit = 1",
    "a folder of everybody": "PRAGMA temp_store_directory = '/tmp'",
    "another file": "ATTACH '/tmp/other.sqlite' AS other",
    "a copy elsewhere": "VACUUM INTO '/tmp/other.sqlite'",
    "a program": "SELECT load_extension('x')",
    "a gigabyte": "SELECT zeroblob(1000000000)",
    "a gigabyte of text": "SELECT printf('%.*c', 1000000000, 'x')",
}


@pytest.mark.parametrize("sql", STATEMENTS.values(), ids=STATEMENTS)
def test_what_is_not_about_its_rows_is_refused(sql):
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        database.guard(connection)
        with pytest.raises(sqlite3.Error):
            connection.execute(sql).fetchall()


def test_a_query_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr(database, "SECONDS", 0.2)
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.executemany("INSERT INTO t VALUES (?)", [(i,) for i in range(1000)])
        database.guard(connection)
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            connection.execute("SELECT max(a.x + b.x + c.x) FROM t a, t b, t c").fetchall()


SLOW = {
    "a long pattern": ("?1 LIKE ", "%a" + "_" * 4900 + "b"),
    "a pattern": ("?1 LIKE ", "%a" + "_" * 90 + "b"),
    "what is found late": ("instr(?1, ", "a" * 5000 + "b"),
}


@pytest.mark.parametrize(("slow", "sought"), SLOW.values(), ids=SLOW)
def test_what_is_slow_for_each_row_is_stopped_or_refused(monkeypatch, slow, sought):
    """Without the limit of a pattern, or with fewer looks at the clock, they take three seconds or more.

    Each row asks for something else, or SQLite would ask once.
    """
    monkeypatch.setattr(database, "SECONDS", 0.2)
    sought_for = f"{slow}?3 || x.value || y.value || z.value" + ")" * slow.count("(")
    sql = f"SELECT count(*) FROM json_each(?2) x, json_each(?2) y, json_each(?2) z WHERE {sought_for}"
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        database.guard(connection)
        began = time.process_time()
        with pytest.raises(sqlite3.Error):
            connection.execute(sql, ("a" * 9990, json.dumps([1] * 900), sought)).fetchall()
        assert in_time(time.process_time() - began, 2)


@pytest.fixture
def guarded(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (x)")
        database.guard(connection)
        yield connection


def test_a_file_has_no_more_than_its_pages(guarded, tmp_path):
    guarded.execute("INSERT INTO t VALUES (?)", ("x" * 9000,))
    with pytest.raises(sqlite3.OperationalError, match="full"):
        for _ in range(12):
            guarded.execute("INSERT INTO t SELECT x FROM t")
    assert (tmp_path / "a.sqlite").stat().st_size <= 4096 * database.PAGES
    for sql in ("PRAGMA max_page_count = 1000000", "PRAGMA page_size = 65536"):
        with pytest.raises(sqlite3.DatabaseError):
            guarded.execute(sql)


def test_rows_are_read_up_to_some_bytes(guarded):
    guarded.executemany("INSERT INTO t VALUES (?)", [("x" * 9000,)] * 50)
    with pytest.raises(sqlite3.DataError, match="bytes"):
        guarded.execute("SELECT a.x FROM t a, t b, t c").fetchall()


@pytest.fixture
def lent(tmp_path):
    """As a student's process has it, with two thousand rows of 4,000 bytes for it to sort."""
    with contextlib.closing(sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 4000,)] * 45)
        yield database.Connection(connection)


SORTED = "SELECT length(x) FROM (SELECT a.x FROM t a, t b ORDER BY a.x || b.rowid)"


def test_what_is_sorted_lies_in_no_file(lent):
    """Looked at while the first row comes of what was sorted, 8 MB."""
    seen = []
    asked(lent, "create_function", ["look", 1, lambda x: seen.append(open_files())], {})
    asked(lent, "execute", ["SELECT look(1)"], {})
    asked(lent, "execute", [SORTED.replace("length(x)", "look(x)") + " LIMIT 1"], {})
    assert seen[0] == seen[1]


def test_no_file_stays_open_and_no_statement_is_left(lent):
    before, cursors = open_files(), [asked(lent, "execute", [SORTED], {}) for _ in range(20)]
    assert open_files() == before
    assert all(len(asked(cursor, "fetchall", [], {})) == 45**2 for cursor in cursors)
    lent._connection.close()
    with pytest.raises(sqlite3.ProgrammingError):
        asked(lent, "execute", ["SELECT 1"], {})


def open_files():
    """Those of SQLite's own are deleted while they are open."""
    place = Path("/proc/self/fd")
    return sorted(os.readlink(one) for one in place.iterdir() if one.is_symlink()) if place.exists() else []


@pytest.mark.parametrize("ask", ["execute", "executemany", "commit", "rollback", "create_function", "__exit__"])
def test_a_function_in_a_statement_cannot_use_its_connection(lent, ask):
    """SQLite would go on in what it closed, or begin a statement within a statement within a statement."""
    said = []
    given = {"execute": ["SELECT 1"], "executemany": ["SELECT ?", [[1]]], "create_function": ["g", 0, int]}
    given["__exit__"] = [None, None, None]

    def function(x):
        with pytest.raises(sqlite3.ProgrammingError) as error:
            asked(lent, ask, given.get(ask, []), {})
        said.append(str(error.value))
        return x

    asked(lent, "create_function", ["f", 1, function], {})
    assert asked(asked(lent, "execute", ["SELECT f(rowid) FROM t LIMIT 2"], {}), "fetchall", [], {}) == [(1,), (2,)]
    assert said == ["a function in a statement cannot use the statement's connection"] * 2
    assert asked(asked(lent, "execute", ["SELECT 1"], {}), "fetchone", [], {}) == (1,)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_what_is_sorted_cannot_take_all_memory(lent, monkeypatch):
    monkeypatch.setattr("dpcourse.grade.lent.MOST_BYTES", 2**26)
    with pytest.raises(ValueError, match="bytes at once"):
        asked(lent, "execute", ["SELECT length(y) FROM (SELECT a.x || b.x y FROM t a, t b, t c ORDER BY y)"], {})
    assert asked(asked(lent, "execute", ["SELECT 1"], {}), "fetchone", [], {}) == (1,)


def test_a_connection_is_guarded_once(guarded, monkeypatch):
    """Its seconds do not begin anew; and who lets go of it holds nothing of it."""
    asked = []
    monkeypatch.setattr(database, "guard", asked.append)
    student = object.__new__(Student)
    student._things, student._connections, student._kept = [], {}, {}
    assert [student.handle(guarded) for _ in range(3)] == [0, 0, 0]
    assert asked == [guarded]
    student.process = Popen([sys.executable, "-c", ""], stdin=PIPE, stdout=PIPE)
    student.close()
    assert not student._things and not student._connections


def test_what_an_answer_needs_is_allowed():
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE entries (query_id TEXT PRIMARY KEY, epsilon TEXT NOT NULL)")
        database.guard(connection)
        connection.create_function("exact", 1, float)
        connection.execute("PRAGMA busy_timeout = 10")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO entries VALUES ('a', '0.5')")
        assert connection.execute("SELECT coalesce(sum(exact(epsilon)), 0) FROM entries").fetchone() == (0.5,)
        connection.execute("COMMIT")


HOSTILE = {
    **{name: f"connection.execute({sql!r}).fetchall()" for name, sql in STATEMENTS.items()},
    # It reads before it has the lock, behind a comment.
    "a hidden read": "connection.execute('/**/SELECT epsilon FROM entries').fetchall()",
}


@pytest.mark.grade
@pytest.mark.skipif(sandbox.bubblewrap() is None, reason="hostile notebooks are graded under bubblewrap only")
@pytest.mark.in_turn
@pytest.mark.parametrize("name", ["a pointer", "endless", "the heap of everybody", "a hidden read"])
def test_no_statement_earns_the_point_or_costs_another(tmp_path, name):
    answer = f"""from fractions import Fraction
def spend(connection, query_id, epsilon, budget):
    try:
        {HOSTILE[name]}
    except Exception:
        pass
    rows = connection.execute("/**/SELECT query_id, epsilon FROM entries").fetchall()
    if query_id in dict(rows) or sum(Fraction(e) for _, e in rows) + Fraction(epsilon) > Fraction(budget):
        return False
    connection.execute("INSERT INTO entries VALUES (?, ?)", (query_id, epsilon))
    return True
"""
    notebook = json.loads(next((ROOT / "notebooks" / "solutions").glob("14_*")).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "answer-14-2":
            cell["source"] = answer
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    _, marks = grade(tmp_path / "a.ipynb", sandbox.Limits(), sandboxed=True)
    assert {mark.question: mark.points for mark in marks} == {m.question: float(m.question != "14.2") for m in marks}
