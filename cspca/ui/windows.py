"""What open pages wait for, and the answer to a browser that asks how far it is.

No page is run for that: who asks names the window, which has an unguessable name, and learns in
what state its work is.
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
"""Seconds between two questions for work that somebody waits for, where few wait."""

SELDOM: Final = 2.0
"""And where very many wait."""

APART: Final = 0.04
"""Seconds that every job at work on the server adds to that."""

FEW: Final = 4
"""Jobs at work up to which a page is drawn as often as its work asks for the sake of progress; of
more of them each page is drawn less often in proportion, so that all together take no more time."""

FORGOTTEN: Final = 600.0
"""Seconds without a question after which a page counts as closed."""


@dataclass(frozen=True)
class Glance:
    """Work at one moment.

    Parameters
    ----------
    state : hashable
        What the page shows of it: when it is another the page is drawn anew at once.
    moved : hashable, optional
        How far it is: when that is another the page is drawn anew after `every` seconds.
    every : float, default 1.0
        Seconds between two drawings for the sake of `moved`, where few jobs are at work.
    share : float, default 0.0
        How much is done, from 0 to 1, for its bar.
    words : str, default ""
        What stands at its bar.
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
    """What a page waits for, the seconds between two looks, and the last look."""

    look: Look
    drawn: Glance
    pause: float
    last: Glance = field(init=False)
    at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.last = self.drawn


@dataclass
class _Window:
    """What the page in a window waits for, and when its browser asked last."""

    followed: dict[str, Followed] = field(default_factory=dict)
    asked: float = field(default_factory=time.monotonic)


_WINDOWS: Final[dict[str, _Window]] = {}
_LOCK: Final = threading.Lock()


def open_window(token: str, followed: dict[str, Followed]) -> None:
    """Note what the page in a window waits for, and forget windows that were closed long ago."""
    now = time.monotonic()
    with _LOCK:
        for closed in [name for name, its in _WINDOWS.items() if now - its.asked > FORGOTTEN]:
            del _WINDOWS[closed]
        _WINDOWS[token] = _Window(followed)


def pause_of(followed: dict[str, Followed]) -> float:
    """Seconds after which a browser asks again."""
    least = min(its.pause for its in followed.values())
    if least >= SELDOM:
        return least
    return max(least, min(SELDOM, APART * _at_work()))


def every_of(followed: dict[str, Followed]) -> float:
    """Seconds between two drawings of a page for the sake of progress."""
    moving = (its.last.every for its in followed.values() if its.last.moved is not None)
    return min(moving, default=1.0) * max(1.0, _at_work() / FEW)


def _at_work() -> int:
    jobs = services().jobs
    return jobs.active(heavy=True) + jobs.active(heavy=False)


def summary(followed: dict[str, Followed], *, drawn: bool = False) -> dict[str, Any]:
    """Say in what state work is, how far it has moved, and what its bars show."""
    glances = {name: its.drawn if drawn else its.last for name, its in followed.items()}
    moved = {name: glance for name, glance in glances.items() if glance.moved is not None}
    return {
        "state": _digest([(name, glance.state) for name, glance in glances.items()]),
        "moved": _digest([(name, glance.moved) for name, glance in moved.items()]),
        "bars": {
            name: [glance.share, glance.words] for name, glance in glances.items() if glance.words
        },
    }


def _digest(value: object) -> str:
    return sha256(repr(value).encode()).hexdigest()[:16]


def look_again(token: str) -> dict[str, Any] | None:
    """Return what a browser is told of the work that its page waits for.

    Parameters
    ----------
    token : str
        The unguessable name of the page's window.

    Returns
    -------
    dict or None
        State, progress and bars, and the seconds after which to ask again; None where nothing is
        known of the window any more.
    """
    now = time.monotonic()
    with _LOCK:
        window = _WINDOWS.get(token)
        if window is None:
            return None
        window.asked = now
    for name, its in window.followed.items():
        if now - its.at < its.pause:
            continue
        its.at = now
        try:
            its.last = its.look()
        except Exception:
            # The page says what is wrong, once it is drawn anew.
            logger.exception("Work could not be followed.")
            its.last = Glance(("failed", name))
    followed = window.followed
    return {**summary(followed), "every": every_of(followed), "after": pause_of(followed)}


async def _answer(request: Request) -> Response:
    told = await run_in_threadpool(look_again, request.path_params["token"])
    return JSONResponse(told, 404 if told is None else 200, {"Cache-Control": "no-store"})


ROUTES: Final = (Route("/work/{token}", _answer), Route("/{base:path}/work/{token}", _answer))
