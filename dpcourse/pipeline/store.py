"""Finished pieces of work, each in a file of its own that is either whole or not there."""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = 1  # to be raised when a piece comes to mean something else: older ones are then made anew


@dataclass(frozen=True)
class Piece:
    """One piece of work: what it is called and everything its result depends on.

    Examples
    --------
    >>> Piece("baseline seed 1", {"records": 2000}).key == Piece("baseline seed 1", {"records": 500}).key
    False
    """

    name: str
    settings: dict[str, Any]

    @property
    def key(self) -> str:
        """A hash of the settings: the same work has the same key."""
        text = json.dumps([FORMAT, self.name, self.settings], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def file(self) -> str:
        """Its file name, fit for any file system; of two alike the key tells which is which.

        Examples
        --------
        >>> Piece("pate 1/2, seed 1", {}).file
        'pate_1_2,_seed_1-c9f954275916.npz'
        """
        safe = re.sub(r"[^\w.,-]+", "_", self.name, flags=re.ASCII)[:80]
        return f"{safe}-{self.key[:12]}.npz"

    def generator(self) -> np.random.Generator:
        """Its own random numbers: a piece cut short and begun anew draws what it drew before."""
        return np.random.default_rng(int(self.key, 16))


@dataclass(frozen=True, eq=False)
class Done:
    """The result of a piece: plain values and arrays."""

    record: dict[str, Any]
    arrays: dict[str, np.ndarray]


class Store:
    """A folder of finished pieces. One run at a time may use it.

    A result is written under a temporary name, flushed to the disk and renamed, so that a process killed at any moment
    leaves whole files only.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for part in self.folder.glob("*.part"):  # a process was killed while it wrote this
            part.unlink(missing_ok=True)

    def get(self, piece: Piece) -> Done | None:
        """The stored result; None if there is none, or it cannot be read and has to be made anew."""
        path = self.folder / piece.file
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files if name != "record"}
                return Done(json.loads(str(stored["record"])), arrays)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def put(self, piece: Piece, done: Done) -> None:
        """Store a result, all of it or nothing."""
        arrays: dict[str, Any] = {"record": np.array(json.dumps(done.record)), **done.arrays}
        write_whole(self.folder / piece.file, lambda file: np.savez(file, **arrays))


def write_whole(path: Path, write) -> None:
    """Let ``write(file)`` fill a file that appears under its name only when it is complete."""
    part = path.with_name(f"{path.name}.part")
    with open(part, "wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
