"""A process is kept ready for the next file."""

from collections.abc import Iterator

import pytest

from cspca.datasets.files import door


@pytest.fixture(scope="session", autouse=True)
def spare() -> Iterator[None]:
    door.keep_spare()
    yield
    door.keep_spare(False)
