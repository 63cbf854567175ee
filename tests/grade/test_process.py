"""A process that grades notebook after notebook ends where one of them has left too little for the next."""

import os

import pytest

from dpcourse.grade import process


@pytest.mark.parametrize(
    ("held", "ends"), [((2**29, 50), False), ((2**30 + 1, 50), True), ((2**29, 101), True), ((0, 0), False)]
)
def test_who_holds_much_takes_no_other_notebook(monkeypatch, held, ends):
    ended = []
    monkeypatch.setattr(process, "_held", lambda: held)
    monkeypatch.setattr(process, "_begun", 0)
    monkeypatch.setattr(os, "_exit", ended.append)
    process.end_if_worn()
    assert not ended  # the first is taken in any case
    process.end_if_worn()
    assert ended == [1] * ends


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the system does not tell")
def test_memory_and_files_are_counted():
    bytes_, files = process._held()
    more = [bytearray(2**26), *(open(os.devnull) for _ in range(5))]
    assert process._held()[0] > bytes_ + 2**25 and process._held()[1] == files + 5
    for file in more[1:]:
        file.close()
