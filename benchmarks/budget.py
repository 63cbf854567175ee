"""Spends a second of the budget ledger with the Rényi filter, and what recomposing from scratch would cost.

python -m benchmarks budget

One process, one thread, Laplace queries of ε = 0.001; every spend is one durable SQLite transaction (WAL, synchronous =
FULL) on the disk that holds the folder for temporary files, or the one given.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sqlite3
import tempfile
import time
from pathlib import Path

import numpy as np

from dpcourse.accounting import PrivacyAccountant
from dpcourse.budget import PrivacyLedger
from dpcourse.mechanisms import LaplaceMechanism
from dpcourse.privacy import Guarantee


def spend(ledger: PrivacyLedger, first: int, count: int) -> tuple[float, float, float]:
    """Seconds on the clock, of the processor, and of the slowest single spend."""
    slowest, wall, processor = 0.0, time.perf_counter(), time.process_time()
    for i in range(first, first + count):
        start = time.perf_counter()
        ledger.spend(LaplaceMechanism(0.001), f"query {i}", "ana", "a count")
        slowest = max(slowest, time.perf_counter() - start)
    return time.perf_counter() - wall, time.process_time() - processor, slowest


def recompose(ledger: PrivacyLedger, times: int) -> float:
    """Seconds to add up the prices of every entry anew, as a filter without a stored total would for each spend."""
    rule = ledger._filter
    start = time.perf_counter()
    for _ in range(times):
        total = rule.zero()
        for entry in ledger.entries():
            total = rule.add(total, entry.price)
    return (time.perf_counter() - start) / times


def reprice(entries: int) -> float:
    """Seconds to compose the Rényi curves of that many mechanisms from nothing, with `PrivacyAccountant`."""
    accountant = PrivacyAccountant()
    for _ in range(entries):
        accountant.compose(LaplaceMechanism(0.001))
    start = time.perf_counter()
    accountant.epsilon(1e-6, method="rdp")
    return time.perf_counter() - start


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks budget", description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--spends", type=int, default=1_000)
    parser.add_argument("--folder", help="where the ledger is written")
    options = parser.parse_args(arguments)
    print(
        f"{datetime.date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SQLite {sqlite3.sqlite_version}, {platform.machine()}\n\n"
        "| | spends | a second | processor ms each | slowest, ms |\n| --- | ---: | ---: | ---: | ---: |"
    )
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path, budget = Path(folder) / "budget.sqlite", Guarantee(50.0, 1e-6)
        with PrivacyLedger(path, budget, method="rdp") as ledger:
            rates = []
            for what, first, count in (
                ("on an empty ledger", 0, options.spends),
                ("on the way", options.spends, options.entries - options.spends),
                (f"at {options.entries:,} entries", options.entries, options.spends),
            ):
                wall, processor, slowest = spend(ledger, first, count)
                rates.append(wall / count)
                each = f"{1e3 * processor / count:.2f} | {1e3 * slowest:.0f}"
                print(f"| {what} | {count:,} | {count / wall:,.0f} | {each} |")
            anew, entries = recompose(ledger, 3), len(ledger.entries())
            (price,) = {entry.price for entry in ledger.entries()}
            assert json.loads(ledger.entries()[-1].total) == entries * json.loads(price)
        start = time.perf_counter()
        PrivacyLedger(path, budget, method="rdp").close()
        opening = time.perf_counter() - start
    curves = reprice(entries)
    print(
        f"\n| at {entries:,} entries | ms | × one spend |\n| --- | ---: | ---: |\n"
        f"| one spend, durable, from the stored total | {1e3 * rates[-1]:.2f} | 1 |\n"
        f"| adding up all stored prices anew | {1e3 * anew:.0f} | {anew / rates[-1]:.0f} |\n"
        f"| composing all Rényi curves anew | {1e3 * curves:.0f} | {curves / rates[-1]:.0f} |\n"
        f"| opening: every seal and every total verified | {1e3 * opening:.0f} | {opening / rates[-1]:.0f} |"
    )
