"""Data sets in memory: found by their id alone, bounded, never lost under a running job."""

from __future__ import annotations

import numpy as np
import pytest

from cspca.datasets import Dataset, DatasetError
from cspca.experiments.memory import DatasetLibrary


def dataset(name="mine", n=4):
    return Dataset(data=np.linspace(0, 1, n * 6).reshape(n, 6), image_shape=(2, 3), name=name)


def test_an_upload_is_reachable_by_its_id_alone():
    library = DatasetLibrary()
    mine = dataset()
    key = library.add(mine)
    assert len(key) >= 20
    assert library.get(key) is mine
    assert key in library
    with pytest.raises(DatasetError, match="not kept here any more"):
        library.get("mine")
    # Else by the fingerprint of its whole content, which only who has it knows.
    assert library.find(mine.sha256) == key
    for guess in ("", mine.name, mine.sha256[:-1], dataset("other", 5).sha256):
        assert library.find(guess) is None
    names = [name for name in dir(library) if not name.startswith("_")]
    assert names == ["add", "find", "get"]


def test_two_uploads_of_one_file_have_two_ids():
    library = DatasetLibrary()
    mine = dataset()
    assert library.add(mine) != library.add(mine)


def test_a_built_in_set_is_made_once(monkeypatch):
    made = []

    def loader(name):
        made.append(name)
        return dataset(name)

    monkeypatch.setattr("cspca.experiments.memory.load", loader)
    library = DatasetLibrary()
    assert library.get("faces") is library.get("faces")
    assert made == ["faces"]
    assert "digits" in library


def test_the_least_recently_used_goes_first():
    library = DatasetLibrary(max_items=2)
    first, second = library.add(dataset()), library.add(dataset())
    library.get(first)
    third = library.add(dataset())
    assert first in library
    assert second not in library
    assert third in library


def test_memory_is_bounded():
    small = dataset().data.nbytes
    library = DatasetLibrary(max_bytes=2 * small)
    first, second, third = (library.add(dataset()) for _ in range(3))
    assert (first in library, second in library, third in library) == (False, True, True)
    with pytest.raises(DatasetError, match="use fewer or smaller images"):
        library.add(dataset(n=40))


def test_a_data_set_in_use_stays_until_it_is_let_go():
    library = DatasetLibrary(max_items=1)
    used = library.add(dataset("used"))
    held = library.get(used)
    new = library.add(dataset("new"))
    assert library.get(used) is held
    assert new in library
    del held
    assert used not in library
    with pytest.raises(DatasetError, match="upload the file again"):
        library.get(used)


def test_what_nobody_looks_at_goes_with_age_unless_it_is_in_use(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("cspca.experiments.memory.time.monotonic", lambda: now[0])
    library = DatasetLibrary(max_age=100)
    left, seen, used = (library.add(dataset()) for _ in range(3))
    held = library.get(used)
    now[0] = 90
    library.get(seen)
    now[0] = 110
    library.get(seen)
    assert (left in library, seen in library, used in library) == (False, True, True)
    del held
    assert used not in library
