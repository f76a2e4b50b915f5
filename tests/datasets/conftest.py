"""A process is kept ready for the next file; what is guessed of it can be tested without one."""

from collections.abc import Iterator, Sequence

import pytest

from cspca.datasets.files import door
from cspca.datasets.files.limits import Watch
from tests.datasets.here import sent


@pytest.fixture(scope="session", autouse=True)
def spare() -> Iterator[None]:
    door.keep_spare()
    yield
    door.keep_spare(False)


@pytest.fixture
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse in this process, where a hundred files take a second."""

    def parse(request: door.Header, parts: Sequence[bytes], watch: Watch) -> door.Answer:
        watch.check()
        return sent(door.recognise(request, parts, watch))

    monkeypatch.setattr(door, "parse", parse)
