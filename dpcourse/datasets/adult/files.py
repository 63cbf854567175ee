"""Find the two UCI files, check them against their published hashes, and download them where they are missing.

A file that is there and wrong is refused and left as it is: whoever put it there knows better than we do what it is.
"""

from __future__ import annotations

import functools
import hashlib
import os
import queue
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ADDRESS = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"
HOST = "archive.ics.uci.edu"
CONNECT_SECONDS = 3.0
_READ_SECONDS = 30.0


class DataError(RuntimeError):
    """A data file is there and cannot be used. The message says which, why, and what to do."""

    def _render_traceback_(self) -> list[str]:
        # IPython asks for this: in a notebook the sentence is all a reader needs.
        return [f"{type(self).__name__}: {self}"]


class AdultNotFound(DataError):
    """The UCI files are in none of the places searched and could not be downloaded."""


@dataclass(frozen=True)
class Published:
    """A file as UCI serves it."""

    name: str
    size: int
    sha256: str


DATA = Published("adult.data", 3_974_305, "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d")
TEST = Published("adult.test", 2_003_153, "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05")


def read(file: Published) -> bytes:
    """The content of a UCI file: from ``$DPCOURSE_DATA``, ``data/raw/``, the user cache, or UCI, in this order.

    Raises
    ------
    AdultNotFound
        If the file is nowhere and cannot be downloaded.
    DataError
        If a file of this name is found that cannot be read or is not the published one.
    """
    for folder in _folders():
        path = folder / file.name
        try:
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise DataError(f"{path} cannot be read ({_reason(error)}). {_WAY_OUT}") from None
        _refuse_unless_published(content, file, path)
        return content
    outcome = _downloaded(file)
    if isinstance(outcome, bytes):
        return outcome
    raise AdultNotFound(f"{file.name} is not in {_places()}, and {outcome}")


_WAY_OUT = "It was left as it is. Repair or remove it, or set DPCOURSE_SOURCE=twin to work with the synthetic twin."


def _refuse_unless_published(content: bytes, file: Published, path: Path) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        size = "" if len(content) == file.size else f" ({len(content):,} bytes instead of {file.size:,})"
        raise DataError(
            f"{path} is not the file UCI published{size}: its sha256 is {found}, expected {file.sha256}. {_WAY_OUT}"
        )


def _folders() -> list[Path]:
    named = os.environ.get("DPCOURSE_DATA")
    checkout = Path(__file__).resolve().parents[3]
    folders = []
    if named:
        folders.append(Path(os.path.expanduser(named)))
    if (checkout / "pyproject.toml").is_file():  # an installed package has no data/raw of its own
        folders.append(checkout / "data" / "raw")
    cache = _cache()
    if isinstance(cache, Path):
        folders.append(cache)
    return folders


def _places() -> str:
    named = os.environ.get("DPCOURSE_DATA")
    return f"{f'DPCOURSE_DATA={named}, ' if named else ''}data/raw or the user cache"


def _cache() -> Path | str:
    """The user's cache folder, or in words why there is none."""
    import pooch

    try:
        folder, home = Path(pooch.os_cache("dpcourse")), Path(os.path.expanduser("~"))
        # With no home folder the cache would land in a folder named "~" here, or at the root of the file system.
        homeless = not home.is_absolute() or home == Path(home.anchor) or not home.is_dir()
        if not folder.is_absolute() or (folder.is_relative_to(home) and homeless):
            return "there is no home folder"
    except (OSError, RuntimeError) as error:
        return _reason(error)
    return folder


@functools.cache
def _downloaded(file: Published) -> bytes | str:
    """The file from UCI, kept in the user cache; or in words why not, remembered as long as the process lives."""
    outcome = _from_uci(file)
    if isinstance(outcome, bytes):
        kept = _keep(outcome, file)
        if kept:
            print(f"{file.name} could not be kept for the next time: {kept}.")
    return outcome


def _keep(content: bytes, file: Published) -> str:
    """Put a checked download into the user cache; empty, or in words why it could not be."""
    cache = _cache()
    if isinstance(cache, str):
        return cache
    partial = cache / f".{file.name}.{os.getpid()}"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content)
        # Renamed when complete, so that no other process ever reads half a file.
        partial.replace(cache / file.name)
    except OSError as error:
        return f"{cache} cannot be written ({_reason(error)})"
    return ""


def _from_uci(file: Published) -> bytes | str:
    """Download in a thread of its own: a name server that does not answer knows no timeout."""
    messages: queue.Queue[bytes | str | int] = queue.Queue()
    threading.Thread(target=_fetch, args=(file, messages.put), daemon=True).start()
    patience, quarter, received = CONNECT_SECONDS + 1, 0, 0
    while True:
        try:
            message = messages.get(timeout=patience)
        except queue.Empty:
            return f"{HOST} did not answer within {patience:.0f} s"
        if not isinstance(message, int):
            if 0 < quarter < 4:
                print()
            return message
        if not received:
            print(f"Downloading {file.name} ({file.size / 1e6:.1f} MB) from {HOST}:", end="", flush=True)
        patience, received = _READ_SECONDS + 1, received + message
        while quarter < 4 and received >= (quarter + 1) * file.size / 4:
            quarter += 1
            print(f" {25 * quarter}%", end="\n" if quarter == 4 else "", flush=True)


def _fetch(file: Published, report: Callable[[bytes | str | int], None]) -> None:
    """Report the numbers of bytes as they come, then the content, or in words what went wrong."""
    import pooch
    import requests

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("CRITICAL")  # its messages would go to stderr
    try:
        downloader = pooch.HTTPDownloader(
            progressbar=_Progress(report), chunk_size=2**16, timeout=(CONNECT_SECONDS, _READ_SECONDS)
        )
        with tempfile.TemporaryDirectory() as folder:
            path = pooch.retrieve(
                ADDRESS + file.name, f"sha256:{file.sha256}", fname=file.name, path=folder, downloader=downloader
            )
            report(Path(path).read_bytes())
    except requests.exceptions.HTTPError as error:
        report(f"{HOST} answered with status {getattr(error.response, 'status_code', 'unknown')}")
    except (requests.exceptions.ConnectTimeout, requests.exceptions.ConnectionError):
        report(f"{HOST} could not be reached")
    except ValueError as error:  # pooch's way of saying that the hash is wrong; its sentence names both
        report(f"what {HOST} sent was refused: {error}")
    except Exception as error:  # a thread has nobody to raise to
        report(f"the download failed ({type(error).__name__}: {error})")
    finally:
        logger.setLevel(level)


class _Progress:
    """What pooch expects of a progress bar."""

    total = 0

    def __init__(self, report: Callable[[bytes | str | int], None]) -> None:
        self.update = report

    def reset(self) -> None:
        """Pooch calls this at the end; everything has been reported by then."""

    def close(self) -> None:
        """Nothing to close."""


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
