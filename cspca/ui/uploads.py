"""Uploads that no page has read yet: counted, limited, and deleted after a time.

A browser sends every file to an address of its session before any page runs, and Streamlit holds it
in memory until the session ends. The middleware counts the bytes by session, by visitor and for the
whole server. Above a limit it discards the body, and the page that receives the file reports it:
any other status than 204 would show an error of the browser. Files that were read, and files that
no page reads, are deleted at the address to which they were uploaded, with the headers of the
upload, so that this works behind any proxy, base path and TLS.
"""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response

from cspca.datasets.files.foreign import MAX_BYTES
from cspca.experiments.limits import limits

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

IDLE: Final = 600.0
"""Seconds after which unread files are deleted, from the last byte that their session sent."""

AGE: Final = 3600.0
"""Seconds after which an unread file is deleted, or an unfinished one aborted, from its start."""

OVERHEAD: Final = 4096
"""Bytes that a file counts in addition to its content and its request headers."""

REFUSALS: Final = 10_000
"""Most refused files that are remembered until a page reports them; the oldest are dropped."""

TIDY: Final = 30.0
"""Seconds between two deletions of old files."""

_ADDRESS: Final = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)\Z")
_DELETION_HEADERS: Final = (b"cookie", b"host", b"origin", b"x-xsrftoken")

Place = tuple[str, str]
"""Ids of a session and of a file."""


def upload_place(scope: Scope) -> Place | None:
    """Return the session and the file of an upload request; None for another request."""
    match = _ADDRESS.search(scope["path"])
    return None if match is None else (match[1], match[2])


FORM: Final = 64 << 10
"""Most bytes of a form in addition to the file in it."""


def upload_limit() -> int:
    """Return the most bytes of one upload."""
    return min(limits().upload << 20, MAX_BYTES)


@dataclass(eq=False)
class _Upload:
    """A file that is or was uploaded; the request `deletion` to `app` deletes it."""

    place: Place
    visitor: str
    app: ASGIApp
    deletion: Scope
    start: float
    size: int = 0

    @property
    def overhead(self) -> int:
        """Bytes in addition to the content; the address is stored in several places."""
        headers = sum(len(name) + len(value) for name, value in self.deletion["headers"])
        return OVERHEAD + 4 * len(self.deletion["path"]) + headers

    @property
    def accounts(self) -> tuple[tuple[str, str], ...]:
        return ("window", self.place[0]), ("visitor", self.visitor), ("server", "")


@dataclass(frozen=True)
class _Refusal:
    """A file that was discarded: its bytes, and the account whose limit it would exceed."""

    size: int
    account: tuple[str, str]
    moment: float


class _ExceededError(Exception):
    """A body would exceed the limit of an account."""

    def __init__(self, account: tuple[str, str]) -> None:
        super().__init__()
        self.account = account


class _StalledError(Exception):
    """No part of a body was received for too long."""


class UnreadUploads:
    """All uploaded files of a server that no page has read; safe to use from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._complete: dict[Place, _Upload] = {}
        self._bytes = Counter[tuple[str, str]]()
        self._active: dict[str, float] = {}
        self._refused: dict[Place, _Refusal] = {}

    # -- requests of pages and of the operator -----------------------------------------------------

    def by_visitor(self) -> dict[str, int]:
        """Return the bytes of each visitor's unread uploads."""
        with self._lock:
            return {name: size for (kind, name), size in self._bytes.items() if kind == "visitor"}

    def release(self, session: str, files: Iterable[str]) -> None:
        """Delete files that have been read; not to be called in a running event loop."""
        with self._lock:
            places = [(session, file) for file in files]
            uploads = [self._complete[place] for place in places if place in self._complete]
        if uploads:
            asyncio.run(self._delete(uploads))

    def release_of(self, visitor: str) -> int:
        """Delete all files of a visitor; return the number of their bytes."""
        with self._lock:
            uploads = [upload for upload in self._complete.values() if upload.visitor == visitor]
        size = sum(upload.size for upload in uploads)
        if uploads:
            asyncio.run(self._delete(uploads))
        return size

    def refusal(self, session: str, files: Iterable[str]) -> str:
        """Return once, in one sentence, why some of these files were refused; "" if none was."""
        with self._lock:
            popped = (self._refused.pop((session, file), None) for file in files)
            refusals = [refusal for refusal in popped if refusal is not None]
            if not refusals:
                return ""
            account, size = refusals[0].account, sum(refusal.size for refusal in refusals)
            limit, total = _limit(account), self._bytes[account] + size
        if account[0] == "window":
            return (
                f"Nothing was taken: one window may send {_mb(limit)} at a time, and with this "
                f"upload it would be {_mb(total)}."
            )
        if account[0] == "visitor":
            return (
                f"Nothing was taken: all your windows together may send {_mb(limit)} at a time, "
                f"and with this upload it would be {_mb(total)}."
            )
        return (
            f"Nothing was taken: the server takes {_mb(limit)} of uploads at a time, and with this "
            f"one it would be {_mb(total)}. Try again later."
        )

    # -- requests of the middleware ----------------------------------------------------------------

    async def serve(
        self, app: ASGIApp, visitor: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Let `app` answer a request about an upload, and count the bytes."""
        place = upload_place(scope)
        assert place is not None
        if scope["method"] == "PUT" and _declared(scope) > upload_limit() + FORM:
            # Our own uploader refuses such a file before it is sent. Its body is not read.
            await PlainTextResponse("This file is too large.", 413)(scope, receive, send)
            return
        if scope["method"] == "PUT":
            upload = _Upload(place, visitor, app, _deletion(scope), self._clock())
            try:
                await self._put(upload, scope, receive, send)
            except _StalledError:
                await PlainTextResponse("Nothing came.", 408)(scope, receive, send)
            return
        status = await _status_of(app, scope, receive, send)
        if scope["method"] == "DELETE" and status == 204:
            with self._lock:
                self._forget(self._complete.get(place))

    async def drop_old(self) -> None:
        """Delete files that no page has read for too long."""
        now = self._clock()
        with self._lock:
            old = [
                upload
                for upload in self._complete.values()
                if now - self._active[upload.place[0]] > IDLE or now - upload.start > AGE
            ]
            for place, refusal in list(self._refused.items()):
                if now - refusal.moment > IDLE:
                    del self._refused[place]
        await self._delete(old)

    async def tidy(self) -> None:
        """Delete old files periodically."""
        while True:
            await asyncio.sleep(TIDY)
            try:
                await self.drop_old()
            except Exception:
                logger.exception("Uploads that nobody has read could not be dropped.")

    # -- inside ------------------------------------------------------------------------------------

    async def _put(self, upload: _Upload, scope: Scope, receive: Receive, send: Send) -> None:
        unfinished, received = True, 0

        async def next_part() -> Message:
            nonlocal unfinished, received
            left = upload.start + AGE - self._clock()
            try:
                async with asyncio.timeout(min(IDLE, max(0.0, left))):
                    message = await receive()
            except TimeoutError:
                raise _StalledError from None
            unfinished = bool(message.get("more_body"))
            received += len(message.get("body", b""))
            return message

        async def counted() -> Message:
            message = await next_part()
            self._grow(upload, len(message.get("body", b"")))
            return message

        status = None
        try:
            self._grow(upload, upload.overhead, declared=_declared(scope))
            status = await _status_of(upload.app, scope, counted, send)
        except _ExceededError as exceeded:
            # Its bytes are released while the rest of the body is discarded.
            self._grow(upload, -upload.size)
            while unfinished:
                await next_part()
            logger.warning("An upload is refused.", extra={"visitor": upload.visitor[:8]})
            with self._lock:
                self._note(upload.place, _Refusal(received, exceeded.account, self._clock()))
            await Response(status_code=204)(scope, receive, send)
        finally:
            with self._lock:
                if status == 204:
                    # It replaces an earlier file of the same address.
                    self._forget(self._complete.get(upload.place))
                    self._complete[upload.place] = upload
                else:
                    self._count(upload, -upload.size)

    def _note(self, place: Place, refusal: _Refusal) -> None:
        # Streamlit's ids have 36 letters: no page reports files with others.
        if max(map(len, place)) <= 64:
            self._refused[place] = refusal
        if len(self._refused) > REFUSALS:
            del self._refused[next(iter(self._refused))]

    def _grow(self, upload: _Upload, n_bytes: int, declared: int = 0) -> None:
        with self._lock:
            for account in upload.accounts:
                if self._bytes[account] + n_bytes + declared > _limit(account) and n_bytes > 0:
                    raise _ExceededError(account)
            self._count(upload, n_bytes)

    def _count(self, upload: _Upload, n_bytes: int) -> None:
        upload.size += n_bytes
        for account in upload.accounts:
            self._bytes[account] += n_bytes
            if not self._bytes[account]:
                del self._bytes[account]
        session = upload.place[0]
        self._active[session] = self._clock()
        if ("window", session) not in self._bytes:
            del self._active[session]

    def _forget(self, upload: _Upload | None) -> None:
        if upload is not None:
            del self._complete[upload.place]
            self._count(upload, -upload.size)

    async def _delete(self, uploads: Iterable[_Upload]) -> None:
        for upload in uploads:
            status = await _status_of(upload.app, dict(upload.deletion), _no_body, _no_answer)
            if status != 204:
                logger.error("An upload could not be deleted.", extra={"state": str(status)})
                continue
            with self._lock:
                if self._complete.get(upload.place) is upload:
                    self._forget(upload)


UPLOADS: Final = UnreadUploads()
"""The unread uploads of this process."""


def _limit(account: tuple[str, str]) -> int:
    allowed = limits()
    most = {"visitor": allowed.visitor_unread << 20, "server": allowed.unread << 20}
    return most.get(account[0], upload_limit())


def _deletion(scope: Scope) -> Scope:
    """Return the request that deletes the upload of another request, with the same token."""
    headers = [header for header in scope["headers"] if header[0] in _DELETION_HEADERS]
    return {**scope, "method": "DELETE", "headers": headers}


def _declared(scope: Scope) -> int:
    """Return the content length that a request declares; 0 if it declares none."""
    length = Headers(scope=scope).get("content-length", "")
    return int(length) if length.isdecimal() else 0


async def _status_of(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> int | None:
    """Let an application answer; return the status of its response."""
    status = None

    async def noted(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        await send(message)

    await app(scope, receive, noted)
    return status


async def _no_body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _no_answer(_: Message) -> None:
    pass


def _mb(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:,.1f} MB".replace(".0 MB", " MB")
