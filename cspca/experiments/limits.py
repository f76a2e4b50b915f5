"""What a server allows: one table of settings, each read from an environment variable."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

_OTHERS = {"CSPCA_HOME", "CSPCA_CACHE", "CSPCA_MIRROR"}
"""Variables of ours that other modules read."""


def _setting(default: float, unit: str, meaning: str) -> Any:
    return field(default=default, metadata={"unit": unit, "help": meaning})


@dataclass(frozen=True)
class Limits:
    """The settings of a server; ``CSPCA_WORKERS=4`` in its environment sets `workers`."""

    workers: int = _setting(2, "", "Jobs that are computed at the same time.")
    queue: int = _setting(64, "", "Jobs that may wait; who comes then is told that it is busy.")
    memory: int = _setting(4096, "MB", "Data, reductions, fits and results kept, all together.")
    visitor_memory: int = _setting(1024, "MB", "The part of it that one visitor may fill.")
    disk: int = _setting(20480, "MB", "Runs, their arrays and kept data on disk, all together.")
    visitor_disk: int = _setting(2048, "MB", "The part of it that one visitor may fill.")
    upload: int = _setting(256, "MB", "One upload.")
    unread: int = _setting(768, "MB", "Uploads sent that no page has read yet, all together.")
    visitor_unread: int = _setting(512, "MB", "The part of it that one visitor may fill.")
    upload_hours: float = _setting(24.0, "h", "How long an upload is kept, from its arrival.")
    run_days: float = _setting(
        0.0, "d", "How long a visitor's run is kept after it ended; 0: ever."
    )
    trash_days: float = _setting(30.0, "d", "How long a run stays in the trash.")
    single_user: bool = _setting(False, "", "Whoever reaches the server is its owner (1 or 0).")
    requests: int = _setting(36000, "a minute", "Requests from one address, all files of a page.")
    log: bool = _setting(False, "", "One line of JSON an event on standard error (1 or 0).")


def limits_of(environment: Mapping[str, str]) -> Limits:
    """Read the settings of an environment; a ValueError names the one that makes no sense."""
    environment_limits: dict[str, Any] = {}
    settings = {f"CSPCA_{setting.name.upper()}" for setting in fields(Limits)}
    for name in sorted(environment):
        if not name.startswith("CSPCA_") or name in settings | _OTHERS:
            continue
        # What is far from all of them is another program's, or a test's.
        for near in difflib.get_close_matches(name, sorted(settings | _OTHERS), 1, 0.85):
            raise ValueError(f"{name} is no setting of the server: did you mean {near}?")
    for limit in fields(Limits):
        name = f"CSPCA_{limit.name.upper()}"
        text = environment.get(name, "").strip()
        if not text:
            continue
        whole = not isinstance(limit.default, float)
        try:
            number = int(text) if whole else float(text)
        except ValueError:
            number = -1
        if isinstance(limit.default, bool):
            if number not in (0, 1):
                raise ValueError(f"{name}={text!r} makes no sense: give 0 or 1.")
            environment_limits[limit.name] = number == 1
            continue
        # Only the days of runs may be none: these are kept for ever then.
        least = 0 if limit.name == "run_days" else 1
        if not least <= number < 1e9:
            kind = "a whole number" if whole else "a number"
            raise ValueError(f"{name}={text!r} makes no sense: give {kind} of at least {least}.")
        environment_limits[limit.name] = number
    return Limits(**environment_limits)


@cache
def limits() -> Limits:
    """The settings of this process, read once."""
    return limits_of(os.environ)
