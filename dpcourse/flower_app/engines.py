"""Two ways to run the same apps: Flower's simulation engine, and real processes that talk over loopback."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dpcourse
from dpcourse.flower_app.outcome import FlowerFailed, read
from dpcourse.flower_app.plan import Plan

# Flower and Ray report home unless told not to, and Flower asks for newer versions whenever it starts.
QUIET = {
    "FLWR_TELEMETRY_ENABLED": "0",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_agent_register_timeout_ms": "120000",  # on a busy machine its processes need longer than 30 s to start
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}

APPS, SECAGG = "dpcourse.flower_app.apps", "dpcourse.flower_app.secagg"

# What Flower wants to know about an app. Its code is this package, which every machine has installed.
_APP = """\
[project]
name = "fabs"
version = "{version}"
license = "MIT"
dependencies = []

[tool.flwr.app]
publisher = "dpcourse"

[tool.flwr.app.components]
serverapp = "dpcourse.flower_app.apps:server_app"
clientapp = "dpcourse.flower_app.apps:client_app"

[tool.flwr.app.config]
"""

_GRACE = 5.0  # seconds between asking a process to end and ending it
_ENGINE_GRACE = 20.0  # for Ray to end what it has started


def simulate(plan: Any, *, cpus: int = 1, apps: str = APPS, seconds: float = 300.0) -> dict[str, Any]:
    """Run on Flower's simulation engine: the clients are tasks of Ray on this machine, `cpus` of them at a time.

    Parameters
    ----------
    plan : Plan
        Of the module `apps`: a dataclass of plain values with `fabs`, the number of clients, and `to_config()`.
    cpus : int
        ≥ 1. More make many or slow clients faster, and each is a process to start.
    apps : str
        The module with `Plan`, `client_app` and `run`; `SECAGG` for the same rounds under Flower's SecAgg+.
    seconds : float
        After that long without a result it gives up.

    Returns
    -------
    dict
        "weights", a list of floats; "reports", the rounds in words; and "log", the end of what Flower logged. All
        processes have ended when it returns or raises.

    Raises
    ------
    FlowerFailed
        If a process ends early, or time is up.
    """
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder, environment = Path(temporary), os.environ | _surroundings(temporary)
        output, order = folder / "outcome.json", folder / "order.json"
        asked = {"plan": plan.to_config(), "output": str(output), "cpus": cpus, "apps": apps}
        order.write_text(json.dumps(asked), encoding="utf-8")
        command = (sys.executable, "-m", "dpcourse.flower_app.simulation", str(order))
        with _Process.running(command, environment, folder) as engine:
            _wait(output.exists, [engine], deadline)
            with contextlib.suppress(subprocess.TimeoutExpired):
                engine.process.wait(_ENGINE_GRACE)  # Ray ends its own processes, given the time
            return read(output) | {"log": engine.log()}


def loopback(plan: Plan, *, seconds: float = 300.0) -> dict[str, Any]:
    """Run over real processes: a SuperLink, and a SuperNode for each fab, on free ports of 127.0.0.1, without TLS.

    Parameters
    ----------
    plan : Plan
    seconds : float
        After that long without a result it gives up.

    Returns
    -------
    dict
        As for `simulate`, which says what it raises, too.
    """
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary, contextlib.ExitStack() as stack:
        folder, host = Path(temporary), "127.0.0.1"
        link, *nodes = _free_ports(host, 1 + plan.fabs)
        output = folder / "outcome.json"
        _write_app(folder, plan, output, f"{host}:{link}")

        def start(*command: str) -> _Process:
            return stack.enter_context(_Process.running(command, os.environ | _surroundings(temporary), folder))

        at = ("--insecure", "--host", host, "--port")
        running = [start("flower-superlink", *at, str(link), "--disable-runtime-dependency-installation")]
        for place, port in enumerate(nodes):
            where = ("--superlink", f"{host}:{link}", "--node-config", f"partition-id={place}")
            running.append(start("flower-supernode", *at, str(port), *where))
        _wait(lambda: _is_up(f"http://{host}:{link}/health"), running, deadline)
        submission = start("flwr", "run", str(folder / "app"), "loopback")
        _wait(lambda: submission.code is not None, running, deadline)
        if submission.code:
            raise FlowerFailed(submission.log())
        _wait(output.exists, running, deadline)
        return read(output) | {"log": running[0].log()}


@dataclass
class _Process:
    """A Flower command in a process group of its own, with its log in a file."""

    name: str
    process: subprocess.Popen[bytes]
    path: Path

    @classmethod
    @contextlib.contextmanager
    def running(cls, command: Sequence[str], environment: dict[str, str], folder: Path) -> Iterator[_Process]:
        """The command, started; at the end it and what it has started are ended."""
        program = Path(sysconfig.get_path("scripts")) / command[0]  # an absolute path stays what it is
        descriptor, path = tempfile.mkstemp(suffix=".log", dir=folder)
        with os.fdopen(descriptor, "wb") as log:
            process = subprocess.Popen(
                [str(program), *command[1:]],
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield cls(command[0], process, Path(path))
        finally:
            _end(process)

    @property
    def code(self) -> int | None:
        """The exit code, None while it runs."""
        return self.process.poll()

    def log(self) -> str:
        """The last lines of its output."""
        lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join([f"{self.name} (exit code {self.code}):", *lines[-20:]])


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group: with a request first, so that it can tell its own children."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # start_new_session made its id the id of the group
    else:
        process.kill()
    process.wait()


def _wait(happened: Callable[[], bool], running: Sequence[_Process], deadline: float) -> None:
    while not happened():
        ended = [each for each in running if each.code is not None]
        if ended and happened():  # it happened, then the process ended
            return
        if ended or time.monotonic() > deadline:
            why = "a process ended early" if ended else "time is up"
            raise FlowerFailed("\n\n".join([why, *(each.log() for each in ended or running)]))
        time.sleep(0.1)


def _is_up(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=1) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def _free_ports(host: str, count: int) -> list[int]:
    """Ports that nobody listens on now, all different because all are held until the last is found."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((host, 0))
        return [each.getsockname()[1] for each in sockets]


def _write_app(folder: Path, plan: Plan, output: Path, link: str) -> None:
    """The app's description, and where `flwr run` finds the SuperLink."""
    (folder / "app").mkdir()
    config = plan.to_config() | {"output": str(output)}
    # Python writes numbers as TOML does, infinity too, and JSON writes strings as TOML does.
    lines = [f"{name} = {json.dumps(v) if isinstance(v, str) else repr(v)}" for name, v in config.items()]
    description = _APP.format(version=dpcourse.__version__) + "\n".join(lines) + "\n"
    (folder / "app" / "pyproject.toml").write_text(description, encoding="utf-8")
    connection = f'[superlink.loopback]\naddress = "{link}"\ninsecure = true\n'
    (folder / "config.toml").write_text(connection, encoding="utf-8")


def _surroundings(folder: str) -> dict[str, str]:
    """The environment of a run: nothing sent home, Flower's own files in `folder`, this very package importable."""
    here = str(Path(dpcourse.__file__).parents[1])
    others = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([here, others] if others else [here])
    scripts = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    return QUIET | {"FLWR_HOME": folder, "PYTHONPATH": path, "PATH": scripts}
