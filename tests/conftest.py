"""What every test may use: the real data where it is there, faces, and quiet determinism."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from tests import real_data
from tests.soak import counted

# The same examples on every run under CI: a red build must be reproducible from its log alone.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True, database=None)
settings.register_profile("desk", deadline=None, print_blob=True)
settings.register_profile("soak", max_examples=5000, deadline=None, print_blob=True)
settings.load_profile(counted("ci" if os.environ.get("CI") else "desk", "soak"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Share the tests out among workers (``pytest -n auto``), the browser's to the first of them.

    What a file makes once for its tests is made once. Journeys beside each other would be as slow
    as their limits allow, so that the other workers take some only when nothing else is left.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Lanes(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return nodeid if nodeid.startswith(JOURNEYS) else nodeid.partition("::")[0]

        def _assign_work_unit(self, node: Any) -> None:
            first = node is self.nodes[0]
            wanted = (one for one in self.workqueue if one.startswith(JOURNEYS) is first)
            # Journeys are taken from both ends: the last file is cut in two, no other.
            chosen = next(wanted, None) or next(reversed(self.workqueue))
            self.workqueue.move_to_end(chosen, last=False)
            super()._assign_work_unit(node)

    config.option.loadscopereorder = False
    return Lanes(config, log)


JOURNEYS = "tests/browser/"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With workers the longest files go first, so that none is left with a long one at the end."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session", autouse=True)
def _one_blas_thread() -> object:
    """One BLAS thread: small matrices gain nothing from two, and sums keep their order."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session", autouse=True)
def _made_once() -> Iterator[None]:
    """Draw or read each built-in set once: its arrays cannot be written."""
    from cspca.datasets import BUILTIN

    with pytest.MonkeyPatch.context() as patch:
        for name, builtin in BUILTIN.items():
            patch.setitem(BUILTIN, name, replace(builtin, loader=cache(builtin.loader)))
        yield


_MAIN = sys.modules["__main__"]


@pytest.fixture(autouse=True)
def _the_real_main() -> Iterator[None]:
    """Put `__main__` back: AppTest leaves its script there, and spawned processes would run it."""
    yield
    sys.modules["__main__"] = _MAIN


@pytest.fixture
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse files in this process, where a hundred of them take a second."""
    from tests.datasets.here import parse

    monkeypatch.setattr("cspca.datasets.files.door.parse", parse)


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """Path of a real data file such as ``ORL.mat``; skips the test where it is absent."""

    def find(name: str) -> Path:
        path = real_data.SHARED_DATA / name
        if not path.is_file():
            pytest.skip(f"{name} is not in {real_data.SHARED_DATA}")
        return path

    return find


@pytest.fixture(scope="session")
def real_pixels() -> Callable[..., np.ndarray]:
    """Pixels of "ORL", "COIL20", "USPS", "native ORL" or "digits"; skips where absent."""

    def read(name: str, *, centred: bool = False) -> np.ndarray:
        reason = real_data.why_absent(name)
        if reason is not None:
            pytest.skip(reason)
        return real_data.pixels(name, centred=centred)

    return read


@pytest.fixture(scope="session")
def shared_reference() -> Callable[[str], dict[str, np.ndarray]]:
    """Content of one of the reference answers such as ``original_ORL``; skips where absent."""

    def read(name: str) -> dict[str, np.ndarray]:
        path = real_data.SHARED_REFERENCE / f"{name}.npz"
        if not path.is_file():
            pytest.skip(f"{path.name} is not in {real_data.SHARED_REFERENCE}")
        with np.load(path) as content:
            return dict(content)

    return read


@pytest.fixture(scope="session")
def small_faces() -> object:
    """Rendered faces small enough for a fit in a blink: 6 people × 5 pictures, 16 × 16."""
    from cspca.datasets import make_faces

    return make_faces(n_people=6, n_per_person=5, image_size=16, random_state=0)
