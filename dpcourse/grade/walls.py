"""What of the file system a student's process sees: Python and its packages; no checks, and nobody's work or grades."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent

# No more than programs and libraries: /usr/local/share and /usr/share may hold an exchange of submissions.
SYSTEM = (
    *("/usr/bin", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/bin", "/lib", "/lib64"),
    *("/usr/share/fonts", "/usr/share/matplotlib", "/usr/share/zoneinfo", "/etc/alternatives", "/etc/ld.so.cache"),
)
OF_PYTHON = ("bin", "lib", "lib64", "share/zoneinfo", "pyvenv.cfg")  # of the folder that an interpreter is in
OF_NOBODY = ("cpuinfo", "filesystems", "version")  # what /proc shows, and nobody changes
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")  # /dev/zero, mapped, is memory that no limit counts
EMPTY = ["--size", str(2**20), "--tmpfs"]


def interpreter() -> str:
    """The path of this Python, without steps up: in there they would lead nowhere."""
    return os.path.abspath(sys.executable)


def walls(folder: Path, hidden: tuple[Path, ...] = ()) -> list[str]:
    """bubblewrap's arguments: all that is seen is read-only, but for an empty /tmp, and there is no network.

    Parameters
    ----------
    folder : Path
        What was staged, which is seen.
    hidden : tuple of Path
        Folders that are not, wherever they lie, nor is the course: what its process needs of it was staged.
    """
    layout, closed = _layout(_seen(), hidden)
    made = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox"]
    made += ["--size", str(2**26), "--tmpfs", "/tmp", "--proc", "/proc", *EMPTY, "/dev", *layout]
    for device in DEVICES:
        made += ["--dev-bind", device, device]
    for place in _of_the_system():
        if os.path.isdir(place):
            made += [*EMPTY, place]
            closed = [*closed, place]
        else:
            made += ["--ro-bind", os.devnull, place]
    made += _links(_seen())
    made += ["--ro-bind", str(folder), str(folder), "--chdir", "/tmp"]
    for place in (*closed, "/dev", "/"):
        made += ["--remount-ro", place]
    return made


@functools.lru_cache
def _of_the_system() -> tuple[str, ...]:
    """What /proc shows besides the notebook's own process: there, a later one would read what an earlier one did.

    Root, whatever it may not do, can write to /proc/sys, and anybody to the memory of bubblewrap's process, /proc/1.
    """
    everything = (place for place in Path("/proc").glob("*") if not place.name.isdigit() and not place.is_symlink())
    return ("/proc/1", *sorted(str(place) for place in everything if place.name not in OF_NOBODY))


def _seen() -> tuple[Path, ...]:
    """What there is of it here. Both ends of links count: the interpreter of a virtual environment lies elsewhere."""
    prefixes = [Path(one) for one in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)]
    prefixes += [one.resolve() for one in prefixes]
    executables = [Path(interpreter()), Path(interpreter()).resolve()]
    places = {*map(Path, SYSTEM), *(prefix / part for prefix in prefixes for part in OF_PYTHON), *executables}
    return tuple(sorted(place for place in places if os.path.exists(place)))


def _links(seen: tuple[Path, ...]) -> Iterator[str]:
    """Links between this Python's path and its file that nothing else shows: it looks for its parts beside them."""
    place = interpreter()
    while os.path.islink(place):
        place = os.path.abspath(os.path.join(os.path.dirname(place), os.readlink(place)))
        if os.path.islink(place) and not {Path(place), *Path(place).parents} & set(seen):
            yield from ("--symlink", os.readlink(place), place)


@functools.lru_cache
def _layout(seen: tuple[Path, ...], hidden: tuple[Path, ...]) -> tuple[list[str], list[str]]:
    """Arguments that show the one and lay an empty folder over each of the other; and these folders."""
    empty = set(_empty(seen, [*hidden, *_course(seen)]))
    shown = {place for place in seen if place not in empty and not _shown_already(place, seen, empty)}
    arguments = []
    # The outer first: what lies in a folder comes after it.
    for place in sorted(shown | empty, key=lambda place: (len(place.parts), place)):
        arguments += ["--ro-bind", str(place), str(place)] if place in shown else [*EMPTY, str(place)]
    return arguments, sorted(map(str, empty))


def _course(seen: tuple[Path, ...]) -> Iterator[Path]:
    """The checkout, and wherever else the package is installed. There, it lies among others that are needed."""
    yield ROOT if (ROOT / "notebooks").is_dir() else PACKAGE
    for place in seen:
        yield from place.glob("*-packages/dpcourse")
        yield from place.glob("*/*-packages/dpcourse")


def _empty(seen: tuple[Path, ...], hidden: list[Path]) -> Iterator[Path]:
    """Where hidden folders would show, at both ends of links."""
    secrets = {place.resolve() for place in hidden if place.is_dir()}
    for place in seen:
        real = place.resolve()
        yield from (place / secret.relative_to(real) for secret in secrets if secret.is_relative_to(real))


def _shown_already(place: Path, seen: tuple[Path, ...], empty: set[Path]) -> bool:
    """Whether it lies in another folder that is seen, with none between them that is hidden."""
    for outer in set(place.parents) & set(seen):
        if not any(one.is_relative_to(outer) and place.is_relative_to(one) for one in empty):
            return True
    return False
