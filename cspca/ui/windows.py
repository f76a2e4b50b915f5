"""Work that open pages wait for, and the route at which a browser polls its progress.

A poll runs no page: the browser sends the unguessable token of its window, and the answer has the
state of the window's work.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cspca.ui.services import services

logger = logging.getLogger(__name__)

SOON: Final = 0.3
"""Seconds between two polls where few jobs are active."""

SELDOM: Final = 2.0
"""Most seconds between two polls, where very many jobs are active."""

APART: Final = 0.04
"""Seconds that each active job of the server adds to the pause between two polls."""

FEW: Final = 4
"""Active jobs up to which a page is redrawn for progress as often as its work asks for. With more
jobs each page is redrawn less often in proportion, so that the total load stays the same."""

FORGOTTEN: Final = 600.0
"""Seconds without a poll after which a window counts as closed."""


@dataclass(frozen=True)
class Glance:
    """State of some work at one moment.

    Parameters
    ----------
    state : hashable
        State that the page shows: when it changes, the page is redrawn at once.
    moved : hashable, optional
        Progress: when it changes, the page is redrawn after `every` seconds.
    every : float, default 1.0
        Seconds between two redraws for `moved`, where few jobs are active.
    share : float, default 0.0
        Completed share, from 0 to 1, for its bar.
    words : str, default ""
        Text at its bar.
    active : bool, default True
        Whether it will end by itself.
    """

    state: Hashable
    moved: Hashable = None
    every: float = 1.0
    share: float = 0.0
    words: str = ""
    active: bool = True


Look = Callable[[], Glance]


@dataclass
class Followed:
    """Work that a page waits for: its look-up, the seconds between two, and the last state."""

    look: Look
    drawn: Glance
    pause: float
    last: Glance = field(init=False)
    at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.last = self.drawn


@dataclass
class _Window:
    """Work that the page in a window waits for, and the time of the browser's last poll."""

    followed: dict[str, Followed] = field(default_factory=dict)
    last_poll: float = field(default_factory=time.monotonic)


_WINDOWS: Final[dict[str, _Window]] = {}
_LOCK: Final = threading.Lock()


def open_window(token: str, followed: dict[str, Followed]) -> None:
    """Register the work that a window waits for, and drop windows that were closed long ago."""
    now = time.monotonic()
    with _LOCK:
        for name, window in list(_WINDOWS.items()):
            if now - window.last_poll > FORGOTTEN:
                del _WINDOWS[name]
        _WINDOWS[token] = _Window(followed)


def pause_of(followed: dict[str, Followed]) -> float:
    """Return the seconds until a browser's next poll."""
    least = min(work.pause for work in followed.values())
    if least >= SELDOM:
        return least
    return max(least, min(SELDOM, APART * _at_work()))


def every_of(followed: dict[str, Followed]) -> float:
    """Return the seconds between two redraws of a page for progress."""
    moving = (work.last.every for work in followed.values() if work.last.moved is not None)
    return min(moving, default=1.0) * max(1.0, _at_work() / FEW)


def _at_work() -> int:
    jobs = services().jobs
    return jobs.active(heavy=True) + jobs.active(heavy=False)


def summary(followed: dict[str, Followed], *, drawn: bool = False) -> dict[str, Any]:
    """Return digests of the state and the progress of work, and the contents of its bars.

    That work has ended is said by the page alone, with its results: a bar that said so before would
    stand above the results so far.
    """
    glances = {name: work.drawn if drawn else work.last for name, work in followed.items()}
    moved = {name: glance for name, glance in glances.items() if glance.moved is not None}
    return {
        "state": _digest([(name, glance.state) for name, glance in glances.items()]),
        "moved": _digest([(name, glance.moved) for name, glance in moved.items()]),
        "bars": {
            name: [glance.share, glance.words]
            for name, glance in glances.items()
            if glance.words and glance.active
        },
    }


def _digest(value: object) -> str:
    return sha256(repr(value).encode()).hexdigest()[:16]


def poll(token: str) -> dict[str, Any] | None:
    """Return the answer to a browser's poll of the work that its page waits for.

    Parameters
    ----------
    token : str
        The unguessable token of the page's window.

    Returns
    -------
    dict or None
        State, progress and bars, and the seconds until the next poll; None where the window is
        unknown or forgotten.
    """
    now = time.monotonic()
    with _LOCK:
        window = _WINDOWS.get(token)
        if window is None:
            return None
        window.last_poll = now
    for name, work in window.followed.items():
        if now - work.at < work.pause:
            continue
        work.at = now
        try:
            work.last = work.look()
        except Exception:
            # The redrawn page shows the error.
            logger.exception("Work could not be followed.")
            work.last = Glance(("failed", name))
    followed = window.followed
    return {**summary(followed), "every": every_of(followed), "after": pause_of(followed)}


async def _answer(request: Request) -> Response:
    content = await run_in_threadpool(poll, request.path_params["token"])
    return JSONResponse(content, 404 if content is None else 200, {"Cache-Control": "no-store"})


ROUTES: Final = (Route("/work/{token}", _answer), Route("/{base:path}/work/{token}", _answer))
