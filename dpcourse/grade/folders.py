"""A folder that a check hands to an answer: its files cross with the call, and come back with the result.

Used on both sides of the wire, so it imports nothing of the package.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

MOST_FILES, MOST_BYTES, DEEPEST = 64, 2**22, 8


def files_of(folder: Path) -> dict[str, bytes] | None:
    """Its plain files by their names in there; None where there is no such folder.

    Raises
    ------
    ValueError
        If there are more than a check has use for.
    """
    if not folder.is_dir() or folder.is_symlink():
        return None
    found, size = dict[str, bytes](), 0
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        size += path.stat().st_size
        if len(found) == MOST_FILES or size > MOST_BYTES:
            raise ValueError(f"a folder with more than {MOST_FILES} files or {MOST_BYTES:,} bytes")
        found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def make_like(folder: Path, files: Mapping[str, bytes] | None) -> None:
    """Bring a folder to this state. Files that are like it already are not touched: somebody may have them open.

    Folders that no file lies in any more are taken away.

    Raises
    ------
    ValueError
        If a name leads out of the folder, or these are more files than a check has use for, or no files.
    """
    if files is None:
        return
    if not all(isinstance(data, bytes) for data in files.values()):
        raise ValueError("a file holds bytes")
    if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES:
        raise ValueError(f"more than {MOST_FILES} files or {MOST_BYTES:,} bytes")
    there = files_of(folder) or {}
    folder.mkdir(parents=True, exist_ok=True)
    for name in there.keys() - files.keys():
        (folder / name).unlink()
        for above in list(Path(name).parents)[:-1]:
            with contextlib.suppress(OSError):  # something else lies in it
                (folder / above).rmdir()
    for name, data in files.items():
        parts = name.split("/")
        if (
            len(name) > 200
            or len(parts) > DEEPEST
            or any(part in ("", ".", "..") or "\\" in part or ":" in part for part in parts)
        ):
            raise ValueError(f"{name!r} is no name of a file in a folder")
        if there.get(name) != data:
            place = folder.joinpath(*parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
