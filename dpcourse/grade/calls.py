"""A seccomp filter without libraries: the system calls that a student's process may make, and no others.

What refuses one call after another is never complete: there was always one more that keeps memory no limit counts,
or tells one notebook what another does. What is not in the list is said not to exist, as an older kernel would; the
C library and Python know what to do then.
"""

from __future__ import annotations

import platform
import struct

# Each with its number on x86-64 and on 64-bit ARM, which has no calls that others replace.
_ALLOWED = """
files
    read:0:63 write:1:64 readv:19:65 writev:20:66 pread64:17:67 pwrite64:18:68 preadv:295:69 pwritev:296:70 lseek:8:62
    open:2: openat:257:56 creat:85: close:3:57 stat:4: lstat:6: fstat:5:80 newfstatat:262:79
    statx:332:291 access:21: faccessat:269:48 faccessat2:439:439 truncate:76:45 ftruncate:77:46 fallocate:285:47
    fsync:74:82 fdatasync:75:83 flock:73:32 dup:32:23 dup2:33: dup3:292:24 pipe:22: pipe2:293:59
folders
    getcwd:79:17 chdir:80:49 fchdir:81:50 getdents64:217:61 mkdir:83: mkdirat:258:34 rmdir:84: unlink:87:
    unlinkat:263:35 rename:82: renameat:264:38 renameat2:316:276 link:86: linkat:265:37 symlink:88: symlinkat:266:36
    readlink:89: readlinkat:267:78 umask:95:166 listxattr:194:11 llistxattr:195:12 flistxattr:196:13 getxattr:191:8
    lgetxattr:192:9 fgetxattr:193:10
memory
    munmap:11:215 mprotect:10:226 mremap:25:216 msync:26:227 brk:12:214
itself
    execve:59:221 exit:60:93 exit_group:231:94 wait4:61:260 waitid:247:95 kill:62:129 tkill:200:130 tgkill:234:131
    getpid:39:172 getppid:110:173 gettid:186:178 getpgid:121:155 getpgrp:111: getsid:124:156 getuid:102:174
    geteuid:107:175 getgid:104:176 getegid:108:177 getgroups:115:158 getresuid:118:148 getresgid:120:150 uname:63:160
    prlimit64:302:261 getrlimit:97:163 getrusage:98:165 times:100:153 getcpu:309:168 getpriority:140:141
    arch_prctl:158:
threads
    futex:202:98 set_tid_address:218:96 set_robust_list:273:99 rseq:334:293 sched_yield:24:124
    sched_getaffinity:204:123 sched_getparam:143:121 sched_getscheduler:145:120 sched_get_priority_min:147:126
    sched_get_priority_max:146:125
signals
    rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139 rt_sigpending:127:136 rt_sigsuspend:130:133
    rt_sigtimedwait:128:137 sigaltstack:131:132 restart_syscall:219:128 pause:34: alarm:37: setitimer:38:103
    getitimer:36:102
clocks, and chance
    time:201: gettimeofday:96:169 clock_gettime:228:113 clock_getres:229:114 nanosleep:35:101 clock_nanosleep:230:115
    getrandom:318:278
waiting, for itself alone
    epoll_create:213: epoll_create1:291:20 epoll_ctl:233:21
    epoll_wait:232: epoll_pwait:281:22 eventfd:284: eventfd2:290:19 sendto:44:206 recvfrom:45:207 shutdown:48:210
    getsockname:51:204 getpeername:52:205 getsockopt:55:209
"""

# Which argument has to be one of which values, in its low half; the kernel reads no more of these.
_ONLY = {
    "fcntl:72:25": (1, (0, 1, 2, 3, 4, 5, 1030)),  # copies, flags; no lease, no notice, no larger pipe
    "ioctl:16:29": (1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),  # is it a terminal, how much waits, flags
    "prctl:157:167": (0, (15, 16)),  # a thread's name
    "madvise:28:233": (2, (0, 4, 8, 14, 15, 16, 17)),  # of memory of its own; nothing about pages that all share
    "socketpair:53:199": (0, (1,)),  # between its own threads: what waits in a socket that listens has no limit
}
# Locks of parts of a file hold up other processes, and there is none. They are said to be taken: SQLite asks for them,
# and kept, each would be memory that no limit counts.
_DONE = {"fcntl:72:25": (6, 7)}
# What a thread waits for stays open as long as it waits, closed or not, and with it all that waits in there. Which
# argument says for how many it waits, and the most; `select` may wait for any number.
_FEW = {"poll:7:": (1, 2), "ppoll:271:73": (1, 2)}
# Rights, owners and times are said to be set, and left as they are: where the grader is root, so is a notebook, and it
# would own the machine's /dev/null.
_LEFT = "chmod:90: fchmod:91:52 fchmodat:268:53 fchown:93:55 utimensat:280:88"
# Memory that belongs to no file and could be shared is there until none of it is mapped, and a limit counts what is
# mapped: one page would keep a gigabyte.
_MAP, _SHARED_MEMORY = "mmap:9:222", 0x21  # MAP_SHARED and MAP_ANONYMOUS
# A thread shares memory, folder, descriptors and what is done at signals: with a table of descriptors of its own, each
# of a notebook's threads might keep as much in pipes and sockets as a notebook may.
_CLONE, _SHARED, _FORKS = "clone:56:220", 0x00010F00, "fork:57: vfork:58:"  # CLONE_THREAD, _VM, _FS, _FILES, _SIGHAND

_ARCHITECTURES = {"x86_64": (0xC000003E, 1), "aarch64": (0xC00000B7, 2)}  # audit number; place of a call's number
KNOWN = platform.machine() in _ARCHITECTURES

_ALLOW, _DO_NOTHING, _REFUSE, _ABSENT = 0x7FFF0000, 0x00050000, 0x00050001, 0x00050026  # the last: EPERM and ENOSYS
_LOAD, _AND, _EQUAL, _MORE, _GIVE = 0x20, 0x54, 0x15, 0x25, 0x06

Line = tuple[int, int, int, int]


def numbers(words: str, place: int) -> list[int]:
    """Of calls written as above, those that an architecture has."""
    found = (word.split(":")[place] for word in words.split() if ":" in word)
    return [int(number) for number in found if number]


def system_calls() -> bytes:
    """The filter for this machine, which has to be one of the `KNOWN`.

    RLIMIT_NPROC does not bind root, so a fork bomb is stopped here: ``clone`` of anything but a thread is refused, and
    ``clone3``, whose flags lie in memory, is not in the list, so that the C library falls back to ``clone``.
    """
    architecture, place = _ARCHITECTURES[platform.machine()]
    lines = [
        (_LOAD, 0, 0, 4),  # the architecture
        (_EQUAL, 1, 0, architecture),
        (_GIVE, 0, 0, _REFUSE),
        (_LOAD, 0, 0, 0),  # the number of the call
    ]
    for number in numbers(_ALLOWED, place):
        lines += [(_EQUAL, 0, 1, number), (_GIVE, 0, 0, _ALLOW)]
    for call, (argument, values) in _ONLY.items():
        answers = {value: _ALLOW for value in values} | {value: _DO_NOTHING for value in _DONE.get(call, ())}
        given = [line for value, what in answers.items() for line in ((_EQUAL, 0, 1, value), (_GIVE, 0, 0, what))]
        lines += _if_it_is(call, place, [_argument(argument), *given, (_GIVE, 0, 0, _ABSENT)])
    lines += _if_it_is(_CLONE, place, _by_bits(0, _SHARED, _ALLOW, _REFUSE))
    lines += _if_it_is(_MAP, place, _by_bits(3, _SHARED_MEMORY, _REFUSE, _ALLOW))
    for call, (argument, most) in _FEW.items():
        told = [_argument(argument), (_MORE, 0, 1, most), (_GIVE, 0, 0, _ABSENT), (_GIVE, 0, 0, _ALLOW)]
        lines += _if_it_is(call, place, told)
    for number in numbers(_LEFT, place):
        lines += [(_EQUAL, 0, 1, number), (_GIVE, 0, 0, _DO_NOTHING)]
    for number in numbers(_FORKS, place):
        lines += [(_EQUAL, 0, 1, number), (_GIVE, 0, 0, _REFUSE)]
    return b"".join(struct.pack("<HBBI", *line) for line in [*lines, (_GIVE, 0, 0, _ABSENT)])


def _argument(number: int) -> Line:
    return _LOAD, 0, 0, 16 + 8 * number


def _by_bits(argument: int, bits: int, all_set: int, otherwise: int) -> list[Line]:
    """One answer where all these bits are set, another one otherwise."""
    tested = [_argument(argument), (_AND, 0, 0, bits), (_EQUAL, 0, 1, bits)]
    return [*tested, (_GIVE, 0, 0, all_set), (_GIVE, 0, 0, otherwise)]


def _if_it_is(call: str, place: int, lines: list[Line]) -> list[Line]:
    """These lines, which all end with an answer, for this call, where this architecture has it."""
    return [line for number in numbers(call, place) for line in _for(number, lines)]


def _for(number: int, lines: list[Line]) -> list[Line]:
    return [(_EQUAL, 0, len(lines), number), *lines]
