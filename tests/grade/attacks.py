"""Notebooks of students who cheat: what each puts into the cell of exercise 00.2 (`noisy_count(flags, epsilon, rng)`).

None may earn a point, end the run, or reach anything outside.
"""

DEF = "def noisy_count(flags, epsilon, rng):\n    "
# After a line that has to fail: who gets through has the right answer, and the point shows it.
THROUGH = "\n" + DEF + "return flags.sum() + rng.laplace(0, 1 / epsilon)"

ATTACKS = {
    # -- fooling the check
    "own check": "check = lambda *a, **k: True\nnoisy_count = ...",
    "own result": "class Passed:\n    def __bool__(self): return True\nresult = Passed()\nnoisy_count = ...",
    "answers of the checks": "from dpcourse.lessons.lesson_00.exercises import EXERCISES\nnoisy_count = EXERCISES",
    "registry": "from dpcourse.checks.registry import exercise\nnoisy_count = exercise",
    "patched grade": "import dpcourse.checks.base as b\nb.Exercise.grade = lambda *a, **k: True\nnoisy_count = ...",
    "package's mechanism": "from dpcourse.mechanisms import LaplaceMechanism\n"
    + DEF
    + "return LaplaceMechanism(epsilon).release(float(flags.sum()), rng=rng)",
    "package's query": "from dpcourse.queries import private_count\n"
    + DEF
    + "return private_count(flags, epsilon=epsilon, rng=rng).value",
    "mechanism in a thread": "import threading\n"
    + DEF
    + "out = []\n    def work():\n        from dpcourse.mechanisms import LaplaceMechanism as M\n"
    "        out.append(M(epsilon).release(float(flags.sum())))\n"
    "    t = threading.Thread(target=work); t.start(); t.join(); return out[0]",
    "profile off": "import sys\n" + DEF + "sys.setprofile(None)\n    import dpcourse.mechanisms as m\n    return m",
    "search of the disk": "import glob, sys\nfor p in glob.glob('/**/dpcourse/checks/base.py', recursive=True):\n"
    "    sys.path.insert(0, p.rsplit('/dpcourse', 1)[0])\n"
    "for n in [n for n in sys.modules if n.startswith('dpcourse')]:\n"
    "    del sys.modules[n]\nfrom dpcourse.mechanisms import LaplaceMechanism\n"
    + DEF
    + "return LaplaceMechanism(epsilon).release(float(flags.sum()))",
    "frames": "import inspect\n"
    + DEF
    + "frame = inspect.currentframe()\n    while frame:\n        for k, v in frame.f_locals.items():\n"
    "            if 'truth' in k or 'exercise' in k: return v\n        frame = frame.f_back",
    "garbage": "import gc\n" + DEF + "return [o for o in gc.get_objects() if type(o).__name__ == 'Exercise'][0]",
    "every number at once": DEF
    + "return type('N', (float,), {'__eq__': lambda s, o: True, '__float__': lambda s: 0.0})(1)",
    "object that agrees": DEF + "return type('A', (), {'__getattr__': lambda s, n: s, '__call__': lambda s, *a: s})()",
    "array subclass": "import numpy as np\nclass A(np.ndarray): pass\n" + DEF + "return np.zeros(1).view(A)",
    "not a stub": "noisy_count = lambda *a, **k: ...",
    "constant": DEF + "return 7.0",
    "exact": DEF + "return float(flags.sum())",
    "its own seed": "import numpy as np\n"
    + DEF
    + "return flags.sum() + np.random.default_rng(1).laplace(0, 1 / epsilon)",
    "remembered data": "seen = {}\n"
    + DEF
    + "return seen.setdefault(flags.tobytes(), flags.sum() + rng.laplace(0, 1 / epsilon))",
    "without the person": DEF + "return float(flags[:-1].sum())",
    # -- the wire
    "forged message": "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'\\x02\\0\\0\\0\\x02\\0\\0\\0[]')\n"
    "    except OSError: pass\nnoisy_count = 1",
    "flood on the wire": "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'\\xff' * 4096)\n"
    "    except OSError: pass\nnoisy_count = 1",
    "wire closed": "import os\nos.closerange(3, 64)\nnoisy_count = 1",
    "nested output": DEF + "out = []\n    for _ in range(5000): out = [out]\n    return out",
    "huge output": "import numpy as np\n" + DEF + "return np.zeros(10**8)",
    "patched wire": "import wire\nwire.pack = lambda *a: b''\nnoisy_count = 1",
    "half a character": DEF + "raise ValueError('\\ud800')",
    "number of a gigabyte": "import fractions\nfractions.Fraction.__str__ = lambda self: '1e999999999'\n"
    + DEF
    + "return fractions.Fraction(1)",
    "decimal of a gigabyte": "import decimal\n" + DEF + "return decimal.Decimal('1e999999')",
    "generator that repeats itself": DEF
    + "rng.bit_generator.state = dict(rng.bit_generator.state, state={'state': 0, 'inc': 0})\n"
    "    return flags.sum() + rng.laplace(0, 1 / epsilon)",
    "endless search": '# check("00.2",' + " " * 200_000 + "\nnoisy_count = 1",
    "stub test patched": "import sys\nsys.modules['__main__'].is_stub = lambda f: False\n" + DEF + "...",
    "words of 10 megabytes": DEF + "return 'x' * 10**7",
    "kind of 10 megabytes": DEF + "return 1\nimport wire\nwire.Encoder.encode = lambda *a: ['k' * 10**7]",
    "deaf": DEF + "return 1\nimport gc\nclass Deaf:\n    def read(self, size):\n        while True: pass\n"
    "next(o for o in gc.get_objects() if type(o).__name__ == 'Worker')._source = Deaf()",
    # -- the machine
    "fork bomb": "import os\nwhile True: os.fork()",
    "fork by hand": "import ctypes\nlibc = ctypes.CDLL(None)\n"
    "assert libc.syscall(57) != 0\nwhile libc.fork() >= 0: pass\n"
    "noisy_count = 1",
    "thread bomb": "import threading, time\nfor _ in range(10**5):\n"
    "    threading.Thread(target=time.sleep, args=(99,), daemon=True).start()\nnoisy_count = 1",
    "memory": "x = bytearray(3 * 2**30)\nnoisy_count = 1",
    "memory, slowly": "x = []\nwhile True: x.append(bytearray(2**24))",
    "endless": "while True: pass",
    "endless in a call": DEF + "while True: pass",
    "asleep": "import time\ntime.sleep(10**6)",
    "stopped": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "exit": "raise SystemExit",
    "hard exit": "import os\nos._exit(0)",
    "parent killed": "import os\nos.kill(os.getppid(), 9)\nnoisy_count = 1",
    "everybody killed": "import os\nos.kill(-1, 9)",
    "output": "while True: print('x' * 10**6)",
    "name of 40 megabytes": DEF + "raise type('A' * 40_000_000, (ValueError,), {})()",
    "finally in finally": "try: pass\nfinally:\n"
    + "".join(f"{' ' * i}try: pass\n{' ' * i}finally:\n" for i in range(1, 18))
    + " " * 18
    + "pass\nnoisy_count = 1",
    "disk": "f = open('/tmp/x', 'wb')\nwhile True: f.write(b'x' * 10**6)",
    "shared memory": "for i in range(99):\n    open(f'/dev/shm/{i}', 'wb').write(b'x' * 10**7)",
    "the kernel's shared memory": "import ctypes\n"
    + DEF
    + "if ctypes.CDLL(None).shmget(0, 2**20, 0o1600) < 0: return 0\n"
    "    return flags.sum() + rng.laplace(0, 1 / epsilon)",
    "threads until there are no more": "import threading, time\nthreading.stack_size(65536)\n"
    "try:\n    while True: threading.Thread(target=time.sleep, args=(99,), daemon=True).start()\n"
    "except RuntimeError: pass\nnoisy_count = 1",
    "no folder of its own": "written = []\nfor p in ('/x', '/dev/x', '/usr/x', '/proc/1/x', '/proc/sys/x'):\n"
    "    try: written.append(open(p, 'wb'))\n    except OSError: continue\nassert written" + THROUGH,
    "program": "import subprocess\nsubprocess.run(['true'], check=True)" + THROUGH,
    "network": "import socket\nsocket.socket(socket.AF_INET)" + THROUGH,
    "worker overwritten": "import glob, sys\nfound = [f for p in sys.path for f in glob.glob(p + '/w*.py')]\n"
    "for f in found: open(f, 'w').write('')\nassert found" + THROUGH,
    "others' files": "import os\n"
    "assert [p for p, d, f in os.walk('/') if any(n.endswith('_solutions.ipynb') for n in f)]" + THROUGH,
    "parent's memory": "open(f'/proc/{__import__(\"os\").getppid()}/mem', 'rb')" + THROUGH,
    # bubblewrap's own process: who writes to its memory is not ended with it
    "bubblewrap's memory": "open('/proc/1/mem', 'r+b')" + THROUGH,
    "bubblewrap's memory, of its thread": "open('/proc/1/task/1/mem', 'r+b')" + THROUGH,
    "bubblewrap's files": "import os\nassert os.listdir('/proc/1/fd')" + THROUGH,
    "bubblewrap's files, by its number": "import ctypes\nassert ctypes.CDLL(None).syscall(434, 1, 0) >= 0" + THROUGH,
    # memory that no limit counts, and what a later notebook could read
    "pages in a pipe": "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    "number = 278 if os.uname().machine == 'x86_64' else 75\n"
    "assert libc.syscall(number, -1, 0, 0, 0) >= 0 or ctypes.get_errno() != 38" + THROUGH,
    "secret memory": "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    "assert libc.syscall(447, 0) >= 0 or ctypes.get_errno() != 38" + THROUGH,
    "the system's counters": "assert any(open(f'/proc/{name}').read() for name in ('vmstat', 'stat'))" + THROUGH,
}
