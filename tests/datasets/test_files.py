"""Finding, checking and downloading the UCI files, and a clear sentence for whatever goes wrong."""

from __future__ import annotations

import hashlib
import http.server
import socket
import threading
from pathlib import Path

import pytest

from dpcourse.datasets import AdultNotFound, DataError, load_adult
from dpcourse.datasets.adult import files

CONTENT = b"a small file\n" * 10_000
SMALL = files.Published("small.data", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture
def places(tmp_path, monkeypatch) -> Path:
    """A home of our own with an empty cache, no checkout data, and no memory of earlier downloads."""
    for variable in ("DPCOURSE_DATA", "DPCOURSE_SOURCE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(files, "__file__", str(tmp_path / "a" / "b" / "c" / "files.py"))
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / ".cache" / project)
    files._downloaded.cache_clear()
    yield tmp_path
    files._downloaded.cache_clear()


@pytest.fixture
def offline(monkeypatch) -> list[str]:
    """No network: a download fails at once, and is noted."""
    asked: list[str] = []

    def fail(file: files.Published) -> str:
        asked.append(file.name)
        return f"{files.HOST} could not be reached"

    monkeypatch.setattr(files, "_from_uci", fail)
    return asked


class Answer(http.server.BaseHTTPRequestHandler):
    status, body = 200, CONTENT

    def do_GET(self):
        self.server.asked.append(self.path)
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(places, monkeypatch):
    """A web server of our own in the place of UCI's; `answer` says what it says."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    answer = type("OneAnswer", (Answer,), {})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), answer) as served:
        served.answer, served.asked = answer, []
        thread = threading.Thread(target=served.serve_forever, daemon=True)
        thread.start()
        monkeypatch.setattr(files, "ADDRESS", f"http://127.0.0.1:{served.server_address[1]}/")
        yield served
        served.shutdown()
        thread.join()


def put(folder: Path, content: bytes = CONTENT, name: str = SMALL.name) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def test_the_order_is_named_folder_checkout_cache(places, offline, monkeypatch):
    (places / "pyproject.toml").touch()
    # files.py pretends to be three folders below `places`, as it is three below the checkout.
    monkeypatch.setattr(files, "__file__", str(places / "dpcourse" / "datasets" / "adult" / "files.py"))
    named, checkout, cache = places / "named", places / "data" / "raw", places / ".cache" / "dpcourse"
    monkeypatch.setenv("DPCOURSE_DATA", str(named))
    assert files._folders() == [named, checkout, cache]
    with pytest.raises(AdultNotFound):
        files.read(SMALL)
    for folder in (cache, checkout, named):
        put(folder)
        assert files.read(SMALL) == CONTENT
        put(folder, b"wrong")  # the file that is refused is the one that was read
        with pytest.raises(DataError, match=f"{folder}/{SMALL.name} is not the file"):
            files.read(SMALL)


def test_a_tilde_in_the_named_folder_is_home(places, offline, monkeypatch):
    put(places / "adult")
    monkeypatch.setenv("DPCOURSE_DATA", "~/adult")
    assert files.read(SMALL) == CONTENT


@pytest.mark.parametrize("content", [b"", CONTENT[:-1], CONTENT[:-1] + b"?", CONTENT + b"\n"])
@pytest.mark.parametrize("place", ["named", ".cache/dpcourse"])
def test_a_wrong_file_is_refused_with_both_hashes_and_left_untouched(places, offline, monkeypatch, place, content):
    monkeypatch.setenv("DPCOURSE_DATA", str(places / "named"))
    path = put(places / place, content)
    before = path.stat()
    with pytest.raises(DataError) as caught:
        files.read(SMALL)
    assert not isinstance(caught.value, AdultNotFound)
    for part in (str(path), SMALL.sha256, hashlib.sha256(content).hexdigest(), "left as it is", "DPCOURSE_SOURCE=twin"):
        assert part in str(caught.value)
    assert (f"{len(content):,} bytes" in str(caught.value)) == (len(content) != len(CONTENT))
    assert path.read_bytes() == content and path.stat().st_mtime_ns == before.st_mtime_ns
    assert not offline  # and nothing was downloaded in its place


def test_a_folder_in_the_place_of_a_file_is_named(places, offline, monkeypatch):
    monkeypatch.setenv("DPCOURSE_DATA", str(places))
    (places / SMALL.name).mkdir()
    with pytest.raises(DataError, match="cannot be read"):
        files.read(SMALL)
    assert not offline


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")])
def test_an_unreadable_file_is_named(places, offline, monkeypatch, error):
    monkeypatch.setenv("DPCOURSE_DATA", str(places))

    def refuse(path):
        raise error

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(DataError, match=rf"{SMALL.name} cannot be read \({error.strerror.lower()}\)") as caught:
        files.read(SMALL)
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    assert not offline


def test_no_network_is_one_sentence_and_is_remembered(places, offline):
    for _ in range(3):
        with pytest.raises(AdultNotFound) as caught:
            files.read(SMALL)
        assert str(caught.value) == (
            "small.data is not in data/raw or the user cache, and archive.ics.uci.edu could not be reached"
        )
    assert offline == [SMALL.name]


def test_a_notebook_shows_the_sentence_and_no_traceback():
    assert DataError("what happened")._render_traceback_() == ["DataError: what happened"]
    assert AdultNotFound("what happened")._render_traceback_() == ["AdultNotFound: what happened"]


def test_a_download_is_checked_kept_and_not_repeated(places, server, capsys):
    assert files.read(SMALL) == CONTENT
    kept = places / ".cache" / "dpcourse" / SMALL.name
    assert kept.read_bytes() == CONTENT
    assert [path.name for path in kept.parent.iterdir()] == [SMALL.name]
    printed = capsys.readouterr()
    assert printed.out == "Downloading small.data (0.1 MB) from archive.ics.uci.edu: 25% 50% 75% 100%\n"
    assert printed.err == ""
    files._downloaded.cache_clear()  # as in the next process
    assert files.read(SMALL) == CONTENT
    assert server.asked == ["/small.data"]
    assert capsys.readouterr().out == ""


def test_a_download_that_is_not_the_published_file_is_refused(places, server, capsys):
    server.answer.body = b"<html>Please log in to the network</html>"
    with pytest.raises(AdultNotFound, match="was refused") as caught:
        files.read(SMALL)
    assert SMALL.sha256 in str(caught.value)
    assert hashlib.sha256(server.answer.body).hexdigest() in str(caught.value)
    assert not (places / ".cache").exists()
    assert capsys.readouterr().err == ""


def test_a_server_that_has_no_such_file(places, server):
    server.answer.status = 404
    with pytest.raises(AdultNotFound, match="answered with status 404"):
        files.read(SMALL)


def test_a_server_that_is_not_there(places, server, monkeypatch):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setattr(files, "ADDRESS", f"http://127.0.0.1:{closed.getsockname()[1]}/")
        with pytest.raises(AdultNotFound, match="could not be reached"):
            files.read(SMALL)


def test_a_name_server_that_never_answers(places, monkeypatch):
    monkeypatch.setattr(files, "_fetch", lambda file, report: None)
    monkeypatch.setattr(files, "CONNECT_SECONDS", -0.95)
    with pytest.raises(AdultNotFound, match="did not answer"):
        files.read(SMALL)


@pytest.mark.parametrize("obstacle", ["a file in the place of the folder", "read-only"])
def test_a_cache_that_cannot_be_written_costs_nothing_but_the_next_download(
    places, server, capsys, monkeypatch, obstacle
):
    if obstacle == "read-only":  # simulated: root writes everywhere

        def refuse(path, content):
            raise OSError(30, "Read-only file system")

        monkeypatch.setattr(Path, "write_bytes", refuse)
    else:
        (places / ".cache").write_text("mine")
    assert files.read(SMALL) == CONTENT
    assert "small.data could not be kept for the next time" in capsys.readouterr().out
    assert files.read(SMALL) == CONTENT  # from memory
    assert len(server.asked) == 1
    if obstacle != "read-only":
        assert (places / ".cache").read_text() == "mine"


@pytest.mark.parametrize("home", ["", "/", "/nonexistent/home"])
def test_no_home_folder(places, server, monkeypatch, capsys, home):
    monkeypatch.setenv("HOME", home)
    monkeypatch.setattr("pooch.os_cache", lambda project: Path(home or "/") / ".cache" / project)
    assert files.read(SMALL) == CONTENT
    assert "could not be kept for the next time: there is no home folder" in capsys.readouterr().out
    assert not Path(home or "/", ".cache", "dpcourse").exists()


def test_an_unknown_user_gets_no_folder_named_tilde(places, offline, monkeypatch):
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    monkeypatch.setattr("pooch.os_cache", lambda project: Path("~/.cache") / project)
    assert files._cache() == "there is no home folder"


def test_load_adult_falls_back_on_the_twin_in_one_line(places, offline, capsys):
    adult = load_adult()
    assert (adult.source, len(adult.frame)) == ("twin", 45_222)
    printed = capsys.readouterr()
    assert printed.out.startswith("Using the bundled twin, which holds synthetic people: adult.data is not in")
    assert printed.out.count("\n") == 1 and printed.err == ""
    with pytest.raises(AdultNotFound):
        load_adult("uci")
    assert offline == ["adult.data"]


@pytest.mark.parametrize("source", [None, "auto", "uci"])
def test_load_adult_does_not_pass_over_a_wrong_file(places, offline, monkeypatch, source):
    monkeypatch.setenv("DPCOURSE_DATA", str(places))
    put(places, name="adult.data")
    with pytest.raises(DataError, match="is not the file UCI published"):
        load_adult(source)
    assert load_adult("twin").source == "twin"
