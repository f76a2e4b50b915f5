"""Middleware and routes of the server: headers, the visitor's cookie, limits, /healthz.

Only the server sets the cookie, and no script can read it. Over TLS its name has the prefix
``__Host-``, so that no other host of the same domain can set it.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import secrets
import time
from base64 import b64encode
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg

from cspca.experiments.database import (
    TOKEN,
    VISITOR,
    cookie_name,
    owner_secret,
    owner_token,
    secret_in,
)
from cspca.experiments.limits import limits
from cspca.experiments.log import hashed
from cspca.ui import downloads, menu, operator, windows
from cspca.ui.services import services
from cspca.ui.uploads import UPLOADS, upload_limit, upload_place

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)


def _policy() -> str:
    """Return the content policy: pages load Streamlit's files, and blobs of our components."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    inline = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = (sha256(script.encode()).digest() for script in inline)
    hashes = [f"'sha256-{b64encode(digest).decode()}'" for digest in digests]
    rules = {
        "default-src": "'self'",
        "script-src": f"'self' 'wasm-unsafe-eval' blob: {' '.join(hashes)}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
    }
    return "; ".join(f"{name} {what}" for name, what in rules.items())


HEADERS: Final = {
    "Content-Security-Policy": _policy(),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
"""Any site may show a page in a frame, because lessons are embedded in other pages. A frame of
another site sends no cookie, so that clickjacking cannot act for a visitor."""


MESSAGE: Final = 8 << 20
"""Most bytes of one message of a browser: a file of a folder takes 300, so it has room for 20,000
files with long names. All other messages of our pages have a few kB."""

FILES: Final = 20_000
"""Most files for which one message may request addresses. An empty name takes two bytes of the
message, and its address about a hundred bytes of the server's memory."""


class Door:
    """Middleware that limits requests, messages and uploads, and gives the visitor a cookie."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._minute, self._came = 0, Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on to the pages."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        busy = self._too_many((scope.get("client") or ("", 0))[0])
        connection = HTTPConnection(scope)
        secret = secret_in(connection.cookies, secure=_is_secure(connection))
        if scope["type"] == "websocket":
            if busy:
                await send({"type": "websocket.close", "code": 1013})
            else:
                await _with_small_messages(self._app, _with_visitor(scope, secret), receive, send)
            return
        request = Request(scope)
        exchanged = None if busy else _exchanged(request)
        answer: ASGIApp = _TOO_MANY if busy else exchanged or self._app
        if answer is self._app and upload_place(scope):
            answer = partial(UPLOADS.serve, self._app, _visitor(connection, secret))
        is_new = not (busy or exchanged or secret) and _is_page(request)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if is_new:
                    headers.append("Set-Cookie", _cookie(request, secrets.token_hex(16)))
            await send(message)

        await answer(_with_visitor(scope, secret), receive, with_headers)

    def _too_many(self, address: str) -> bool:
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._came = minute, Counter()
        self._came[address] += 1
        return self._came[address] > limits().requests


_TOO_MANY: Final = PlainTextResponse(
    "Too many requests came from this address: try again in a minute.",
    429,
    {"Retry-After": "60"},
)


async def _with_small_messages(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Close the connection of a browser that sends a larger message than any of our pages does."""
    closed = False

    async def small() -> Message:
        nonlocal closed
        message = await receive()
        content = message.get("bytes") or (message.get("text") or "").encode()
        if message["type"] != "websocket.receive" or not _is_too_large(content):
            return message
        closed = True
        logger.warning("A message is too large.")
        await send({"type": "websocket.close", "code": 1009})
        return {"type": "websocket.disconnect", "code": 1009}

    async def unless_closed(message: Message) -> None:
        if not closed:
            await send(message)

    await app(scope, small, unless_closed)


def _is_too_large(message: bytes) -> bool:
    if not 2 * FILES < len(message) <= MESSAGE:
        return len(message) > MESSAGE
    try:
        names = BackMsg.FromString(message).file_urls_request.file_names
    except DecodeError:
        # Streamlit closes the connection.
        return False
    return len(names) > FILES


def _visitor(connection: HTTPConnection, secret: str) -> str:
    """Return the hash of the visitor who sends files, as in the store, the log and `operator`."""
    if not secret:
        # Browsers without cookies at one address count as one visitor.
        client = connection.client
        return hashed(f"address {'' if client is None else client.host}")
    return hashed("" if hmac.compare_digest(secret, owner_secret()) else secret)


def _is_page(request: Request) -> bool:
    return request.method == "GET" and "text/html" in request.headers.get("accept", "")


def _is_secure(connection: HTTPConnection) -> bool:
    return connection.url.scheme in ("https", "wss")


def _with_visitor(scope: Scope, secret: str) -> Scope:
    """Add the visitor's secret as a header; one that the browser sent is dropped."""
    name = VISITOR.lower().encode()
    headers = [header for header in scope["headers"] if header[0].lower() != name]
    if secret:
        headers.append((name, secret.encode()))
    return {**scope, "headers": headers}


def _exchanged(request: Request) -> Response | None:
    """Exchange a correct token in the address for the owner's cookie."""
    token = request.query_params.get(TOKEN, "")
    if not _is_page(request) or not hmac.compare_digest(token.encode(), owner_token().encode()):
        return None
    answer = RedirectResponse(f"?{request.url.remove_query_params(TOKEN).query}", 303)
    answer.headers.append("Set-Cookie", _cookie(request, owner_secret()))
    return answer


def _cookie(request: Request, secret: str) -> str:
    """Return the cookie with a secret, which no script can read."""
    secure = _is_secure(request)
    attributes = "Path=/; SameSite=Lax; HttpOnly; Max-Age=34560000" + ("; Secure" if secure else "")
    return f"{cookie_name(secure=secure)}={secret}; {attributes}"


# -- health, and the operator's requests -----------------------------------------------------------


async def _health(request: Request) -> Response:
    """Return whether the server can work; with the owner's token also who uses what."""
    token = request.headers.get("authorization", "").encode()
    is_owner = hmac.compare_digest(token, f"Bearer {owner_token()}".encode())
    if request.method == "POST" and not is_owner:
        return JSONResponse({"refused": "This needs the owner's token."}, 403)
    if request.method == "POST":
        answer = await run_in_threadpool(operator.act, dict(request.query_params))
        return JSONResponse(answer)
    faults = await run_in_threadpool(operator.faults)
    answer = {"status": "ill" if faults else "well", "faults": faults}
    if is_owner:
        answer |= await run_in_threadpool(operator.everybody)
    return JSONResponse(answer, 503 if faults else 200, {"Cache-Control": "no-store"})


@asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    """Create the services before the first visit, and limit the size of a body to an upload's."""
    config.set_option("server.maxUploadSize", upload_limit() >> 20)
    await run_in_threadpool(services)
    tidying = asyncio.create_task(UPLOADS.tidy())
    try:
        yield
    finally:
        tidying.cancel()


async def _first_page(request: Request) -> Response:
    """Redirect from the name of the first page to the bare address, at which it is."""
    return RedirectResponse(f"./?{request.url.query}" if request.url.query else "./")


ROUTES: Final = (
    Route("/healthz", _health, methods=["GET", "POST"]),
    Route(f"/{menu.FIRST}", _first_page),
    Route(f"/{{base:path}}/{menu.FIRST}", _first_page),
    *downloads.ROUTES,
    *windows.ROUTES,
)
MIDDLEWARE: Final = (Middleware(Door),)
