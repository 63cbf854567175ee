"""A ledger shared, killed, edited and starved never admits more than its budget and never loses a spend."""

import os
import sqlite3
import threading
import time
from fractions import Fraction

import numpy as np
import pytest

from dpcourse.budget import LedgerError, PrivacyLedger
from dpcourse.budget import file as file_module
from dpcourse.mechanisms import GaussianMechanism, LaplaceMechanism
from dpcourse.privacy import BudgetExhausted, Guarantee, Neighbours


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.sqlite"


def test_twenty_times_a_twentieth_fit_exactly(path):
    with PrivacyLedger(path, Guarantee(1.0, 1e-5)) as ledger:
        for query in range(20):
            ledger.spend(LaplaceMechanism(0.05), f"q{query}", "ana")
        assert ledger.remaining() == Guarantee(0.0, 1e-5)
        with pytest.raises(BudgetExhausted, match="q20.*left of the budget: .ε=0, δ=1e-05"):
            ledger.spend(LaplaceMechanism(1e-9), "q20", "ana")
        assert len(ledger.entries()) == 20


def test_reopening_continues_where_it_stopped(path):
    with PrivacyLedger(path, Guarantee(1.0)) as ledger:
        ledger.spend(Guarantee(0.75), "a", "ana", "first question")
    with PrivacyLedger(path, Guarantee(1.0)) as ledger:
        assert ledger.remaining().epsilon == 0.25
        assert ledger.entries()[0].description == "first question"
        with pytest.raises(BudgetExhausted):
            ledger.spend(Guarantee(0.5), "b", "ana")
        with pytest.raises(ValueError, match="query_id.*'a'"):
            ledger.spend(Guarantee(0.1), "a", "bob")
        frame = ledger.report()
    assert list(frame["query_id"]) == ["a"] and frame["at"][0].endswith("+00:00")


def test_a_change_of_directory_finds_no_second_budget(tmp_path, monkeypatch):
    """Another ledger of the same name is there, with its budget unspent; every new thread connects anew."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        ledger = PrivacyLedger("budget.sqlite", Guarantee(1.0))
        if name == "a":
            first = ledger
            first.spend(Guarantee(1.0), "all of it", "ana")
        ledger.close()
    refused = []

    def spend():
        with pytest.raises(BudgetExhausted):
            first.spend(Guarantee(1.0), "again", "ana")
        refused.append(first.remaining().epsilon)
        first.close()

    thread = threading.Thread(target=spend)
    thread.start()
    thread.join()
    assert refused == [0.0] and first.path == tmp_path / "a" / "budget.sqlite"


def test_refuses_a_ledger_in_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="path must be a file.*':memory:'"):
        PrivacyLedger(":memory:", Guarantee(1.0))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("changes", [{"budget": Guarantee(2.0)}, {"budget": Guarantee(1.0, 1e-5), "method": "rdp"}])
def test_refuses_to_reopen_with_another_budget_or_method(path, changes):
    PrivacyLedger(path, Guarantee(1.0)).close()
    with pytest.raises(ValueError, match="budget|method"):
        PrivacyLedger(path, **({"budget": Guarantee(1.0)} | changes))


def test_an_analyst_has_a_budget_inside_the_budget(path):
    with PrivacyLedger(path, Guarantee(1.0), analysts={"bob": Guarantee(0.25)}) as ledger:
        ledger.spend(Guarantee(0.25), "b1", "bob")
        with pytest.raises(BudgetExhausted, match="the budget of bob"):
            ledger.spend(Guarantee(0.01), "b2", "bob")
        ledger.spend(Guarantee(0.75), "a1", "ana")
        assert ledger.remaining("bob").epsilon == 0 and ledger.remaining().epsilon == 0


def test_the_renyi_filter_keeps_the_budget_and_beats_adding_up(path):
    budget = Guarantee(1.0, 1e-5)
    with PrivacyLedger(path, budget, method="rdp") as ledger:
        admitted = 0
        with pytest.raises(BudgetExhausted, match="Rényi divergence at order"):
            while True:
                ledger.spend(LaplaceMechanism(0.05), f"q{admitted}", "ana")
                admitted += 1
        left = ledger.remaining()
    assert admitted > 20
    assert 0 <= left.epsilon < 0.05
    # Independent: n Laplace queries by the published Rényi formula, converted at the best of many orders.
    orders = 1 + np.geomspace(0.1, 1e3, 4000)
    one = np.log(
        orders / (2 * orders - 1) * np.exp((orders - 1) * 0.05)
        + (orders - 1) / (2 * orders - 1) * np.exp(-orders * 0.05)
    ) / (orders - 1)
    total = admitted * one + np.log1p(-1 / orders) - np.log(1e-5 * orders) / (orders - 1)
    assert total.min() <= budget.epsilon


class PlainClaim:
    """A mechanism that says of itself no more than what it promises."""

    neighbours = Neighbours.ADD_REMOVE
    guarantee = Guarantee(0.1)

    def __repr__(self):
        return "PlainClaim()"


def test_the_renyi_filter_refuses_what_it_cannot_price(path):
    with PrivacyLedger(path, Guarantee(1.0, 1e-5), method="rdp") as ledger:
        with pytest.raises(ValueError, match="bare claim"):
            ledger.spend(Guarantee(0.1, 1e-9), "q", "ana")
        with pytest.raises(ValueError, match="cannot price a mechanism without .renyi_divergence, got PlainClaim"):
            ledger.spend(PlainClaim(), "q", "ana")
        ledger.spend(GaussianMechanism.from_noise_multiplier(50.0), "gauss", "ana")
        assert ledger.entries()[0].claim == ""
    with pytest.raises(ValueError, match="delta > 0"):
        PrivacyLedger(path.with_name("pure.sqlite"), Guarantee(1.0), method="rdp")


def test_a_plan_is_admitted_as_a_whole_and_nothing_else_is(path):
    budget, query = Guarantee(1.0, 1e-5), LaplaceMechanism(0.05)
    with PrivacyLedger(path, budget, method="pld", plan=[(query, 30)]) as ledger:
        for i in range(30):
            ledger.spend(query, f"q{i}", "ana")
        with pytest.raises(BudgetExhausted):
            ledger.spend(query, "q30", "ana")
        with pytest.raises(ValueError, match="plan"):
            ledger.spend(LaplaceMechanism(0.01), "other", "ana")
        assert ledger.remaining().epsilon == 0
    with pytest.raises(ValueError, match="plan costs"):
        PrivacyLedger(path.with_name("big.sqlite"), budget, method="pld", plan=[(query, 1000)])
    with pytest.raises(ValueError, match="plan"):
        PrivacyLedger(path.with_name("none.sqlite"), budget, method="pld")


def test_refuses_costs_it_cannot_read(path):
    with PrivacyLedger(path, Guarantee(1.0)) as ledger:
        for cost in (0.1, "ε", None, Guarantee, Neighbours.ADD_REMOVE):
            with pytest.raises(TypeError, match=f"cost must be a Guarantee or a mechanism.*{type(cost).__name__}"):
                ledger.spend(cost, "q", "ana")
        with pytest.raises(TypeError, match=r"such as Guarantee\(0.05\).*got 0.05, a float"):
            ledger.spend(0.05, "q", "ana")
        with pytest.raises(ValueError, match="cost must be under adding or removing.*REPLACE_ONE"):
            ledger.spend(Guarantee(0.1, 0.0, Neighbours.REPLACE_ONE), "q", "ana")
        with pytest.raises(ValueError, match="finite"):
            ledger.spend(Guarantee(np.inf), "q", "ana")
        with pytest.raises(TypeError, match="query_id.*7"):
            ledger.spend(Guarantee(0.1), 7, "ana")
        with pytest.raises(TypeError, match="description.*7"):
            ledger.spend(Guarantee(0.1), "q", "ana", 7)
        assert ledger.entries() == []


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"budget": Guarantee(np.inf)}, ValueError, "budget must have a finite epsilon.*inf"),
        ({"budget": Guarantee(np.inf, 1e-5), "method": "rdp"}, ValueError, "budget must have a finite epsilon"),
        ({"analysts": {"ana": Guarantee(np.inf)}}, ValueError, "analysts must have a finite epsilon.*inf"),
        ({"analysts": ["ana"]}, TypeError, "analysts.*'ana'"),
        ({"analysts": {"ana": 0.5}}, TypeError, "analysts.*0.5"),
        ({"analysts": {"a\ud800": Guarantee(0.5)}}, ValueError, "analyst must be text"),
        ({"order": -3}, ValueError, "order.*-3"),
        ({"order": 2.0, "method": "pld", "plan": [Guarantee(0.1)]}, ValueError, "order.*2.0"),
        ({"method": "pld", "plan": 5}, TypeError, "plan.*5"),
        ({"method": "pld", "plan": [(1, 2, 3)]}, TypeError, r"plan.*\(1, 2, 3\)"),
        ({"method": "pld", "plan": [(Guarantee(0.1), 1.5)]}, TypeError, "times.*1.5"),
    ],
)
def test_a_bad_opening_is_refused_by_name_and_makes_no_file(path, arguments, error, named):
    with pytest.raises(error, match=named):
        PrivacyLedger(path, **({"budget": Guarantee(1.0)} | arguments))
    assert not path.exists()


def test_text_that_no_file_can_hold_is_refused_by_name(path):
    half = "q\ud800"
    with PrivacyLedger(path, Guarantee(1.0)) as ledger:
        for spend, named in [
            (lambda: ledger.spend(Guarantee(0.1), half, "ana"), "query_id"),
            (lambda: ledger.spend(Guarantee(0.1), "q", half), "analyst"),
            (lambda: ledger.spend(Guarantee(0.1), "q", "ana", half), "description"),
            (lambda: ledger.spend(Guarantee(0.1, condition=half), "q", "ana"), "cost"),
        ]:
            with pytest.raises(ValueError, match=f"{named} must be text that UTF-8 can hold, got .*d800"):
                spend()
        assert ledger.entries() == []


def test_a_negative_divergence_is_no_refund(path):
    class Refund:
        neighbours = Neighbours.ADD_REMOVE

        def renyi_divergence(self, orders):
            return np.full(len(orders), -0.5)

        guarantee = Guarantee(0.1)

    with PrivacyLedger(path, Guarantee(1.0, 1e-5), method="rdp") as ledger:
        left = ledger.remaining()
        with pytest.raises(ValueError, match="Rényi divergence is -0.5"):
            ledger.spend(Refund(), "q", "ana")
        assert ledger.remaining() == left and ledger.entries() == []


def spend_randomly(path, budget, process, spends):
    ledger = PrivacyLedger(path, budget)
    admitted = []

    def work(thread):
        rng = np.random.default_rng([process, thread])
        for i in range(spends):
            cost = Guarantee(float(rng.choice([0.1, 0.05, 0.03, 0.007])))
            try:
                ledger.spend(cost, f"{process}.{thread}.{i}", f"p{process}")
            except BudgetExhausted:
                continue
            admitted.append(f"{process}.{thread}.{i}")
        ledger.close()

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ledger.close()
    return admitted


def race(context, path, processes, spends, budget):
    with context.Pool(processes) as pool:
        return sum(pool.starmap(spend_randomly, [(path, budget, i, spends) for i in range(processes)]), [])


def recomputed(path):
    """The total by a way of its own: read the claims with plain SQL and add up decimals."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT query_id, mechanism FROM entries").fetchall()
    connection.close()
    total = sum(Fraction(text.split("epsilon=")[1].split(",")[0]) for _, text in rows)
    return [name for name, _ in rows], total


@pytest.mark.parametrize(
    ("processes", "spends", "epsilon"), [(2, 25, 2.0), pytest.param(8, 100, 40.0, marks=pytest.mark.audit)]
)
def test_a_race_never_overspends_and_loses_nothing(path, context, processes, spends, epsilon):
    admitted = race(context, path, processes, spends, Guarantee(epsilon))
    stored, total = recomputed(path)
    print(
        f"{processes} processes × 4 threads × {spends} spends: {len(stored)} admitted of {processes * 4 * spends}, "
        f"{len(stored) - len(set(stored))} twice, {len(set(admitted) - set(stored))} lost; "
        f"total {float(total):g} of {epsilon:g}"
    )
    assert sorted(admitted) == sorted(stored) and len(set(stored)) == len(stored)
    assert Fraction(epsilon) - Fraction("0.007") < total <= Fraction(epsilon)


def spend_until_killed(path, budget, name, spends, acknowledged):
    """Four threads spend; each admitted spend is written down elsewhere after `spend` returned."""
    ledger = PrivacyLedger(path, budget)
    notes = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def work(thread):
        rng = np.random.default_rng([int(part) for part in name.split(".")] + [thread])
        for i in range(spends):
            try:
                ledger.spend(Guarantee(float(rng.choice([0.1, 0.05, 0.03, 0.007]))), f"{name}.{thread}.{i}", "ana")
            except BudgetExhausted:
                continue
            os.write(notes, f"{name}.{thread}.{i}\n".encode())

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    ("processes", "kills", "epsilon"), [(2, 3, 2.0), pytest.param(8, 100, 200.0, marks=pytest.mark.audit)]
)
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
def test_a_race_with_processes_killed_loses_nothing(path, tmp_path, context, processes, kills, epsilon):
    """One after another is killed at a random moment while the others go on, and another takes its place."""
    budget, notes, rng = Guarantee(epsilon), tmp_path / "acknowledged", np.random.default_rng(8)
    PrivacyLedger(path, budget).close()
    started, running = 0, []

    def start():
        nonlocal started
        arguments = (path, budget, f"{len(running)}.{started}", 100, notes)
        running.append(context.Process(target=spend_until_killed, args=arguments))
        running[-1].start()
        started += 1

    for _ in range(processes):
        start()
    for kill in range(kills):
        size = notes.stat().st_size if notes.exists() else 0
        while (notes.stat().st_size if notes.exists() else 0) == size and any(p.is_alive() for p in running):
            time.sleep(0.001)  # something happened since the last one died
        time.sleep(rng.uniform(0, 0.05))
        victim = running.pop(int(rng.integers(len(running))))
        victim.kill()
        victim.join()
        start()
        if kill % 10 == 0:
            PrivacyLedger(path, budget).close()  # reopening checks every seal and every total
    for process in running:
        process.join()
    with PrivacyLedger(path, budget) as ledger:
        left = ledger.remaining().epsilon
    acknowledged = notes.read_text().split()
    stored, total = recomputed(path)
    print(
        f"{processes} processes × 4 threads, {kills} killed: {len(acknowledged)} acknowledged, {len(stored)} stored, "
        f"{len(stored) - len(set(stored))} twice, {len(set(acknowledged) - set(stored))} lost; "
        f"total {float(total):g} of {epsilon:g}"
    )
    assert set(acknowledged) <= set(stored) and len(set(stored)) == len(stored)
    # A spend may be durable before it is written down: at most one for each thread killed.
    assert len(stored) <= len(acknowledged) + 4 * kills
    assert total <= Fraction(epsilon) and float(Fraction(epsilon) - total) == left


def test_refuses_a_ledger_that_was_edited(path):
    with PrivacyLedger(path, Guarantee(1.0)) as ledger:
        for i in range(5):
            ledger.spend(Guarantee(0.2), f"q{i}", "ana")
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("DELETE FROM entries")
    connection.rollback()
    connection.execute("DROP TRIGGER entries_stay")
    connection.execute("DELETE FROM entries WHERE number = 5")
    connection.execute('UPDATE totals SET total = \'["4/5", "0"]\', number = 4')
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError, match="changed by hand"):
        PrivacyLedger(path, Guarantee(1.0))


@pytest.mark.parametrize("keep", [0, 10, 4096, -4096])
def test_refuses_a_truncated_ledger(path, keep, monkeypatch):
    monkeypatch.setattr(file_module, "NEW_FILE_SECONDS", 0.2)
    with PrivacyLedger(path, Guarantee(100.0)) as ledger:
        for i in range(100):
            ledger.spend(Guarantee(0.2), f"q{i}", "ana")
    content = path.read_bytes()
    path.write_bytes(content[:keep])
    with pytest.raises(LedgerError, match=path.name):
        PrivacyLedger(path, Guarantee(100.0))
    assert path.read_bytes() == content[:keep]


def test_refuses_a_file_that_is_no_ledger_and_a_folder_that_is_not_there(path):
    path.write_text("a shopping list, long enough to be read as a header " * 50)
    with pytest.raises(LedgerError, match="budget.sqlite"):
        PrivacyLedger(path, Guarantee(1.0))
    with pytest.raises(LedgerError, match="cannot be made"):
        PrivacyLedger(path.parent / "nowhere" / "budget.sqlite", Guarantee(1.0))


def test_a_full_disk_admits_nothing_and_loses_nothing(path):
    with PrivacyLedger(path, Guarantee(100.0)) as ledger:
        ledger.spend(Guarantee(0.5), "before", "ana")
        pages = ledger._file.connection().execute("PRAGMA page_count").fetchone()[0]
        ledger._file.connection().execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LedgerError, match="nothing was spent.*full"):
            ledger.spend(Guarantee(0.5), "big", "ana", description="x" * 100_000)
        assert [entry.query_id for entry in ledger.entries()] == ["before"]
        assert ledger.remaining().epsilon == 99.5


def test_a_read_only_ledger_shows_itself_and_admits_nothing(path, monkeypatch):
    with PrivacyLedger(path, Guarantee(1.0)) as ledger:
        ledger.spend(Guarantee(0.5), "before", "ana")
    content, connect = path.read_bytes(), sqlite3.connect
    # Permissions do not bind a superuser, so the connection itself is opened to read only.
    monkeypatch.setattr(sqlite3, "connect", lambda name, **how: connect(f"file:{name}?mode=ro", uri=True, **how))
    with PrivacyLedger(path, Guarantee(1.0)) as ledger:
        with pytest.raises(LedgerError, match="budget.sqlite.*nothing was spent.*readonly"):
            ledger.spend(Guarantee(0.25), "after", "ana")
        assert [entry.query_id for entry in ledger.entries()] == ["before"] and ledger.remaining().epsilon == 0.5
    assert path.read_bytes() == content


def test_a_locked_ledger_admits_nothing_and_goes_on_afterwards(path, monkeypatch):
    monkeypatch.setattr(file_module, "LOCK_SECONDS", 0.1)
    with PrivacyLedger(path, Guarantee(1.0)) as ledger:
        ledger.spend(Guarantee(0.5), "before", "ana")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="nothing was spent.*locked"):
            ledger.spend(Guarantee(0.25), "after", "ana")
        assert ledger.remaining().epsilon == 0.5
        other.execute("ROLLBACK")
        other.close()
        ledger.spend(Guarantee(0.25), "after", "ana")
        assert [entry.query_id for entry in ledger.entries()] == ["before", "after"]


@pytest.mark.parametrize("at", [b"SQLite format", b"CREATE TABLE entries", b"query 25", b"query 49"])
def test_refuses_a_ledger_with_bytes_overwritten(path, at):
    """64 bytes of noise over the header, the tables, an entry in the middle, the last entry."""
    with PrivacyLedger(path, Guarantee(100.0)) as ledger:
        for i in range(50):
            ledger.spend(Guarantee(0.2), f"query {i}", "ana")
    content = bytearray(path.read_bytes())
    start = content.index(at)
    content[start : start + 64] = np.random.default_rng(8).bytes(64)
    path.write_bytes(bytes(content))
    with pytest.raises(LedgerError, match="budget.sqlite"):
        PrivacyLedger(path, Guarantee(100.0))
    assert path.read_bytes() == bytes(content)
