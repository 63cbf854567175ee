"""A process for each notebook: what one leaves in its process, or does to it, costs no other."""

import contextlib
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import pytest

from dpcourse.grade import process

LEFT = []


def done(job):
    """In a process of its own: the number, or what the job says."""
    LEFT.append(job)
    if job == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if job == "no memory":
        raise MemoryError
    if job == "stopped":
        raise KeyboardInterrupt
    if job == "half":
        os._exit(0)
    if job == "unreadable":
        return Unreadable()
    if job == "slow":
        time.sleep(100)
    if job == "later":
        time.sleep(1)
    if job == "late":
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        time.sleep(100)
    if job == "busy":
        signal.setitimer(signal.ITIMER_PROF, 0.05)
        while True:
            pass
    if job == "limits":
        return signal.getitimer(signal.ITIMER_PROF)[0], signal.getitimer(signal.ITIMER_REAL)[0], tempfile.gettempdir()
    return job, len(LEFT), os.getpid()


class Unreadable:
    """Its reading raises."""

    def __reduce__(self):
        return int, ("no number",)


def silent(_):
    return None


def test_nothing_that_is_left_behind_is_met_by_the_next():
    found = dict(process.each(done, [1, 2, 3, 4], 2, silent))
    assert [found[job][:2] for job in (1, 2, 3, 4)] == [(1, 1), (2, 1), (3, 1), (4, 1)]
    assert len({pid for _, _, pid in found.values()}) == 4 and not LEFT


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
def test_one_that_ends_its_process_costs_itself_only():
    bad = ["dies", "no memory", "stopped", "half", "unreadable"]
    found = dict(process.each(done, [*bad, "good"], 2, silent))
    assert [found[job] for job in bad] == [process.Ended.BEFORE] * len(bad) and found["good"][0] == "good"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers on Windows")
def test_it_ends_by_the_clock_and_leaves_no_files():
    ((_, (used, passed, folder)),) = process.each(done, ["limits"], 1, silent)
    assert 0 < used < process.LONGEST + 1 and 0 < passed < process.LATEST + 1  # rounded up
    assert folder != tempfile.gettempdir() and not Path(folder).exists()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers on Windows")
def test_one_that_took_all_its_time_is_told_from_one_that_ended():
    found = dict(process.each(done, ["late", "busy"], 1, silent))
    assert found == {"late": process.Ended.LATE, "busy": process.Ended.BUSY}


def test_who_is_waited_for_is_said_and_stopped_when_nobody_waits(monkeypatch):
    monkeypatch.setattr(process, "LOOK", 0.05)
    said = []
    found = process.each(done, ["slow", "later"], 2, lambda waited: said.append([job for job, _ in waited]))
    with contextlib.closing(found):
        assert next(found)[0] == "later" and ["slow", "later"] in said
        began = time.monotonic()
    assert time.monotonic() - began < 20


def test_where_no_process_starts_the_others_are_waited_for(monkeypatch):
    begun, there = process._begun, []

    def few(context, function, job, folder):
        if len(there) == 1:
            there.append(job)
            raise BlockingIOError("Resource temporarily unavailable")
        there.append(job)
        return begun(context, function, job, folder)

    monkeypatch.setattr(process, "_begun", few)
    assert {job for job, found in process.each(done, [1, 2], 2, silent) if found[0] == job} == {1, 2} and there == [
        1,
        2,
        2,
    ]
    there[:] = [0]
    with pytest.raises(BlockingIOError):
        list(process.each(done, [1], 2, silent))
