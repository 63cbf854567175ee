"""A ledger shared, killed, edited and starved never admits more than its budget and never loses a spend."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from fractions import Fraction

import numpy as np
import pytest

from dpcourse.budget import LedgerError, PrivacyLedger
from dpcourse.budget import ledger as ledger_module
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


def test_the_renyi_filter_refuses_what_it_cannot_price(path):
    with PrivacyLedger(path, Guarantee(1.0, 1e-5), method="rdp") as ledger:
        with pytest.raises(ValueError, match="bare claim"):
            ledger.spend(Guarantee(0.1, 1e-9), "q", "ana")
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
        for cost in (0.1, "ε", None, Guarantee(0.1, 0.0, Neighbours.REPLACE_ONE)):
            with pytest.raises(ValueError, match="cost") as error:
                ledger.spend(cost, "q", "ana")
            assert repr(cost) in str(error.value)
        with pytest.raises(ValueError, match="finite"):
            ledger.spend(Guarantee(np.inf), "q", "ana")
        with pytest.raises(TypeError, match="query_id.*7"):
            ledger.spend(Guarantee(0.1), 7, "ana")
        assert ledger.entries() == []


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


def race(path, processes, spends, budget):
    context = multiprocessing.get_context("spawn")
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
def test_a_race_never_overspends_and_loses_nothing(path, processes, spends, epsilon):
    admitted = race(path, processes, spends, Guarantee(epsilon))
    stored, total = recomputed(path)
    assert sorted(admitted) == sorted(stored) and len(set(stored)) == len(stored)
    assert Fraction(epsilon) - Fraction("0.007") < total <= Fraction(epsilon)


SPENDER = """
import sys
from dpcourse.budget import PrivacyLedger
from dpcourse.privacy import Guarantee
ledger = PrivacyLedger(sys.argv[1], Guarantee(1e6))
for i in range(10**6):
    ledger.spend(Guarantee(0.01), f"{sys.argv[2]}.{i}", "ana")
    print(i, flush=True)
"""


@pytest.mark.parametrize("kills", [3, pytest.param(100, marks=pytest.mark.audit)])
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
def test_a_killed_process_leaves_every_acknowledged_spend(path, kills):
    rng = np.random.default_rng(8)
    acknowledged = 0
    for kill in range(kills):
        with subprocess.Popen(
            [sys.executable, "-c", SPENDER, str(path), str(kill)], stdout=subprocess.PIPE, text=True
        ) as process:
            process.stdout.readline()
            time.sleep(rng.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
            acknowledged += 1 + len(process.stdout.read().splitlines())
        with PrivacyLedger(path, Guarantee(1e6)) as ledger:
            stored = len(ledger.entries())
        # A spend may be durable before its acknowledgement was printed: at most one a kill, and never the other way.
        assert acknowledged <= stored <= acknowledged + kill + 1


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
    connection.execute("UPDATE totals SET total = '[\"4/5\", \"0\"]', number = 4")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError, match="changed by hand"):
        PrivacyLedger(path, Guarantee(1.0))


@pytest.mark.parametrize("keep", [0, 10, 4096, -4096])
def test_refuses_a_truncated_ledger(path, keep, monkeypatch):
    monkeypatch.setattr(ledger_module, "_PATIENCE", 0.2)
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
        pages = ledger._connection().execute("PRAGMA page_count").fetchone()[0]
        ledger._connection().execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LedgerError, match="nothing was spent.*full"):
            ledger.spend(Guarantee(0.5), "big", "ana", description="x" * 100_000)
        assert [entry.query_id for entry in ledger.entries()] == ["before"]
        assert ledger.remaining().epsilon == 99.5
