"""The rounds on Flower: simulated, and as processes over loopback, come to the weights of the rounds without it.

Flower lives in an environment of its own (`make flower`), so the tests run commands there. Without it they are skipped,
unless DPCOURSE_REQUIRE_FLOWER is 1: then they fail.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / ".venv-flower" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
CLAIM = "(ε=∞, δ=0)-DP, adding or removing one record, provided that a record is all the data of one client"

pytestmark = pytest.mark.flower


@pytest.fixture(scope="module")
def python() -> str:
    if OWN.exists():
        return str(OWN)
    if find_spec("flwr"):
        return sys.executable
    reason = "the extra is not installed: `make flower` puts it into .venv-flower"
    if os.environ.get("DPCOURSE_REQUIRE_FLOWER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def mark() -> dict[str, str]:
    """An environment by which everything that is started can be found again."""
    return os.environ | {"DPCOURSE_RUN": uuid.uuid4().hex, "PYTHONIOENCODING": "utf-8"}


def still_running(mark: dict[str, str]) -> list[str]:
    """Command lines of the processes that carry the mark; a dead one has no environment any more."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark["DPCOURSE_RUN"].encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # gone, or another's
            continue
    return found


def gone(mark: dict[str, str], seconds: float = 15) -> bool:
    deadline = time.monotonic() + seconds
    while still_running(mark) and time.monotonic() < deadline:
        time.sleep(0.2)
    return not still_running(mark)


@pytest.mark.parametrize(("engine", "fabs"), [("simulation", 6), ("loopback", 2)])
def test_three_rounds_end_at_the_weights_of_the_rounds_without_flower(python, mark, engine, fabs):
    command = [python, "-m", "dpcourse.flower_app", "--engine", engine, "--rounds", "3"]
    ran = subprocess.run(command, cwd=ROOT, env=mark, capture_output=True, encoding="utf-8", timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    print(ran.stdout)
    difference = re.search(r"^largest difference from the weights without Flower: (\S+)$", ran.stdout, re.MULTILINE)
    assert float(difference[1]) <= 1e-6
    assert re.findall(r"^round (\d): (\d) of (\d) updates added", ran.stdout, re.MULTILINE) == [
        (str(round), str(fabs), str(fabs)) for round in (1, 2, 3)
    ]
    assert f"claim after 3 rounds: {CLAIM}\n" in ran.stdout
    assert gone(mark), still_running(mark)


def test_flowers_secure_aggregation_comes_close(python, mark):
    """SecAgg+ rounds to 2^22 levels at random: 1e-4 is some fifty times what was seen."""
    command = [python, "-m", "dpcourse.flower_app", "--secagg", "--fabs", "3", "--rounds", "1"]
    ran = subprocess.run(command, cwd=ROOT, env=mark, capture_output=True, encoding="utf-8", timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "round 1: 3 masked updates averaged\n" in ran.stdout
    difference = float(re.search(r"^largest difference .*: (\S+)$", ran.stdout, re.MULTILINE)[1])
    assert 0 < difference < 1e-4
    assert gone(mark), still_running(mark)


def test_noise_shared_under_secure_aggregation_ends_at_the_weights_without_it(python, mark):
    """Capstone 1's rounds: steps of 0.0005 in what is sent; 1e-4 is some forty times what was seen after ten rounds."""
    command = [python, "-m", "dpcourse.lessons.capstone_1", "--flower", "--rounds", "10"]
    ran = subprocess.run(command, cwd=ROOT, env=mark, capture_output=True, encoding="utf-8", timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("6 masked sums added\n") == 10
    assert 0 < float(re.search(r"^largest difference of a weight: (\S+)$", ran.stdout, re.MULTILINE)[1]) < 1e-4
    assert gone(mark), still_running(mark)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_a_run_that_is_ended_takes_its_processes_along(python, mark):
    command = [python, "-m", "dpcourse.flower_app", "--engine", "loopback"]
    with subprocess.Popen(command, cwd=ROOT, env=mark, stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while sum("flower-su" in line for line in still_running(mark)) < 3 and time.monotonic() < deadline:
            time.sleep(0.2)
        assert sum("flower-su" in line for line in still_running(mark)) >= 3
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert process.returncode == 143
    assert gone(mark), still_running(mark)


MEASURED = """
import json
import logging

import numpy as np
from flwr.app import Array, ArrayRecord, MetricRecord, RecordDict
from flwr.serverapp.strategy import DifferentialPrivacyServerSideFixedClipping, FedAvg

from dpcourse.flower_app import apps
from dpcourse.flower_app.plan import Plan

logging.getLogger("flwr").setLevel(logging.CRITICAL)
plan = Plan(fabs=2)
zeros = np.zeros(21)
replies = [plan.client(i).reply(zeros, 1, plan.client_stream(1, i)).update for i in range(2)]


class Sent:
    # A message as the strategies look at it.

    def __init__(self, content):
        self.content = RecordDict(content)

    def has_error(self):
        return False


def flowers(updates):
    strategy = DifferentialPrivacyServerSideFixedClipping(FedAvg(fraction_evaluate=0.0), 0.0, plan.clip_norm, 2)
    strategy.current_arrays = ArrayRecord({"weights": Array(zeros)})
    sent = [
        Sent({"arrays": ArrayRecord({"weights": Array(u)}), "metrics": MetricRecord({"num-examples": 1})})
        for u in updates
    ]
    return strategy.aggregate_train(1, sent)[0]["weights"].numpy()


def ours(updates):
    server = plan.server()
    sent = [
        Sent({"arrays": ArrayRecord({"update": Array(u)}),
                 "metrics": MetricRecord({"num-examples": 1, "place": i, "round": 1})})
        for i, u in enumerate(updates)
    ]
    strategy = apps.FederatedRounds(server, plan)
    weights = strategy.aggregate_train(1, sent)[0]["weights"].numpy()
    return weights, strategy.reports[0].rejected


def raised(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        return type(error).__name__


nan = np.full(21, np.nan)
found = {
    "same": float(np.abs(flowers(replies) - ours(replies)[0]).max()),
    "flower lets NaN through": bool(np.isnan(flowers([replies[0], nan])).any()),
    "flower on a zero update": raised(flowers, [replies[0], zeros]),
    "ours on NaN": [bool(np.isfinite(ours([replies[0], nan])[0]).all()), ours([replies[0], nan])[1]],
    "ours on zero": bool(np.isfinite(ours([replies[0], zeros])[0]).all()),
    "ours on one reply": ours(replies[:1])[1],
    "ours halves what is missing": float(np.abs(2 * ours(replies[:1])[0] - ours([replies[0], replies[0]])[0]).max()),
}
print(json.dumps(found))
"""


def test_what_flowers_own_clipping_does_and_ours_instead(python):
    """Why `FederatedRounds` does not use Flower's strategies: measured on the version that is installed."""
    environment = os.environ | {"FLWR_TELEMETRY_ENABLED": "0", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    command = [python, "-c", MEASURED]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", timeout=120)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    assert found["same"] < 1e-12  # on replies that are as they should be
    assert found["flower lets NaN through"] and found["flower on a zero update"] == "ZeroDivisionError"
    assert found["ours on NaN"] == [True, {"Singapore": "holds NaN or infinity"}] and found["ours on zero"]
    assert found["ours on one reply"] == {"Singapore": "did not answer"}
    assert found["ours halves what is missing"] < 1e-12  # the denominator is fixed
