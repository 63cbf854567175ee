"""The system calls that a student's process may make: the right numbers, what works with them, what does not."""

import re
import subprocess
from pathlib import Path

import pytest

from dpcourse.grade import calls, sandbox, walls

# The kernel's own tables, where a C compiler is installed.
X86, ARM = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm-generic/unistd.h")
NAMED = [calls._ALLOWED, *calls._ONLY, *calls._FEW, calls._LEFT, calls._MAP, calls._CLONE, calls._FORKS]

needs_bubblewrap = pytest.mark.skipif(sandbox.bubblewrap() is None, reason="bubblewrap does not run here")


def table(header):
    """Name -> number; ``__NR3264_stat`` is the number of the call that has the name in one of the two worlds."""
    text = header.read_text(encoding="utf-8")
    found = dict(re.findall(r"#define __NR_(\w+) (\d+)", text))
    both = dict(re.findall(r"#define __NR3264_(\w+) (\d+)", text))
    return found | {name: both[of] for name, of in re.findall(r"#define __NR_(\w+) __NR3264_(\w+)", text) if of in both}


@pytest.mark.parametrize(("header", "place"), [(X86, 1), (ARM, 2)], ids=["x86-64", "ARM"])
def test_numbers_are_the_kernels(header, place):
    if not header.exists():
        pytest.skip("no kernel headers here")
    known = table(header)
    words = [word.split(":") for text in NAMED for word in text.split() if ":" in word]
    assert len(words) > 100
    assert {word[0]: word[place] for word in words} == {word[0]: known.get(word[0], "") for word in words}


def test_numbers_stand_once():
    for place in (1, 2):
        found = [number for text in NAMED for number in calls.numbers(text, place)]
        assert len(found) == len(set(found))


def test_a_machine_whose_calls_are_not_known_has_no_sandbox(monkeypatch):
    monkeypatch.setattr(sandbox, "KNOWN", False)
    assert sandbox.bubblewrap.__wrapped__() is None


def said(tmp_path, program):
    with sandbox.walled(tmp_path) as (command, passed):
        command += [walls.interpreter(), "-s", "-c", program]
        done = subprocess.run(command, pass_fds=[passed], capture_output=True, encoding="utf-8", timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


WORKS = """
import asyncio, concurrent.futures, os, shutil, sqlite3, tempfile, uuid
import numpy as np
place = tempfile.mkdtemp()
connection = sqlite3.connect(f"{place}/a.db")
connection.execute("pragma journal_mode=wal")
connection.execute("create table t(x)")
connection.commit()
np.memmap(f"{place}/m", mode="w+", shape=1000).flush()
shutil.copytree(place, f"{place}-2")
shutil.copy2(f"{place}/m", f"{place}/n")
shutil.rmtree(place)
with concurrent.futures.ThreadPoolExecutor(4) as threads:
    assert sum(threads.map(abs, range(9))) == 36
asyncio.run(asyncio.sleep(0.01))
np.linalg.svd(np.random.default_rng(1).normal(size=(300, 300)))
uuid.uuid4()
os.kill(os.getpid(), 0)
print("works")
"""


@needs_bubblewrap
def test_what_notebooks_do_works(tmp_path):
    assert said(tmp_path, WORKS) == ["works"]


REFUSED = """
import ctypes, fcntl, mmap, os, resource, select, socket, subprocess
def waiting(many):
    poll = select.poll()
    for _ in range(many):
        poll.register(os.dup(here))
    return poll
here = os.open(os.__file__, os.O_RDONLY)
ours, theirs = socket.socketpair()
shared = mmap.mmap(here, 4096, access=mmap.ACCESS_READ)
for what in (
    lambda: fcntl.fcntl(here, fcntl.F_SETLEASE, fcntl.F_RDLCK),
    lambda: fcntl.fcntl(os.open("/usr", os.O_RDONLY), fcntl.F_NOTIFY, 1),
    lambda: fcntl.fcntl(os.pipe()[0], 1031, 2**20),
    lambda: os.posix_fadvise(here, 0, 0, os.POSIX_FADV_DONTNEED),
    lambda: shared.madvise(mmap.MADV_WILLNEED),
    lambda: os.preadv(here, [bytearray(1)], 0, os.RWF_NOWAIT),
    lambda: socket.socket(socket.AF_UNIX),
    lambda: socket.socket(),
    lambda: socket.socketpair(30),
    lambda: ours.sendmsg([b"1"]),
    lambda: os.memfd_create("a"),
    lambda: os.mkfifo("/tmp/a"),
    lambda: os.setxattr("/tmp", "user.a", b"1"),
    lambda: os.setpriority(os.PRIO_PROCESS, 0, 19),
    lambda: os.statvfs("/"),
    lambda: os.getloadavg(),
    lambda: os.pidfd_open(1),
    lambda: os.fork(),
    lambda: subprocess.run(["true"]),
    lambda: open("/proc/sys/kernel/core_pattern", "w"),
    lambda: open("/dev/shm/a", "w"),
    lambda: open("/dev/zero", "r+b"),
    lambda: os.openpty(),
    lambda: mmap.mmap(-1, 4096),
    lambda: select.select([here], [], [], 0),
    lambda: waiting(3).poll(0),
    lambda: os.sendfile(theirs.fileno(), here, 0, 1),
):
    try:
        print("done:", what())
    except OSError:
        print("refused")
libc = ctypes.CDLL(None, use_errno=True)
for number in (27, 101, 425, 436, 1000, 0x40000000 + 39):  # mincore, ptrace, io_uring_setup, close_range; none; x32
    print("refused" if libc.syscall(number, 0, 0, 0, 0, 0, 0) == -1 else f"done: {number}")
clone, thread = (56 if os.uname().machine == "x86_64" else 220), 0x10F00
for own in (0x100, 0x200, 0x400, 0x800):  # memory, folder, descriptors, signals: of a thread that does not share them
    print("refused" if libc.syscall(clone, thread & ~own, 0, 0, 0, 0) == -1 else "done: a thread apart")
fcntl.fcntl(here, fcntl.F_GETFL)
waiting(2).poll(0)
"""


@needs_bubblewrap
def test_what_is_not_in_the_list_is_refused(tmp_path):
    """Other networks, memory that no limit counts, what other notebooks do, what waits for who opens a library."""
    assert said(tmp_path, REFUSED) == ["refused"] * 37


OWNED = """
import os
open("/tmp/a", "w").close()
before = [(os.stat(place).st_mode, os.stat(place).st_mtime) for place in ("/dev/null", "/tmp/a")]
for place in ("/dev/null", "/tmp/a"):
    os.chmod(place, 0)
    os.utime(place, (1, 1))
print(before == [(os.stat(place).st_mode, os.stat(place).st_mtime) for place in ("/dev/null", "/tmp/a")])
print(mode := oct(before[0][0] & 0o777), file=open("/dev/null", "w"))
print(len(open("/dev/urandom", "rb").read(8)))
"""


@needs_bubblewrap
def test_rights_and_times_stay_as_they_are(tmp_path):
    """Root's notebook is root: without /dev/null no other notebook would start."""
    assert said(tmp_path, OWNED) == ["True", "8"]


UNLOCKED = """
import fcntl, os
here = os.open(os.__file__, os.O_RDONLY)
fcntl.lockf(here, fcntl.LOCK_EX)  # the kernel would say that such a file cannot be locked
fcntl.lockf(here, fcntl.LOCK_UN, 1, 10)
print("nothing")
"""


@needs_bubblewrap
def test_a_lock_of_a_part_is_said_to_be_taken_and_is_not(tmp_path):
    """One that is split at every other byte keeps memory that no limit counts."""
    assert said(tmp_path, UNLOCKED) == ["nothing"]
