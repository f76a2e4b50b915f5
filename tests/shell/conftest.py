"""Commands that run here parse files here too; those of a process of its own do not."""

import pytest


@pytest.fixture(autouse=True)
def _parsed_here(at_home: None) -> None:
    """Spare the second of a new process that each file takes."""
