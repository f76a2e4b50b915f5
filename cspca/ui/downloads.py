"""Files at addresses of the server: large ones that a program fetches, made when they are fetched.

A program cannot press a download button whose file is made on the click. It is sent the small files
of a page at addresses of Streamlit's, and the large ones at ``/files/TOKEN/NAME``. An address is
unguessable, and is forgotten when its page is drawn anew, with its session, and when its visitor
removes their data. The file of a page that came with a visitor's cookie is sent to that visitor
alone.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from mimetypes import guess_type
from typing import Final
from weakref import WeakValueDictionary

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from cspca.experiments.database import VISITOR
from cspca.experiments.exports import File
from cspca.experiments.log import hashed
from cspca.ui import keys, visitor
from cspca.ui.services import services


@dataclass(frozen=True, eq=False)
class _Download:
    """A file at an address, and who may fetch it."""

    file: File
    name: str
    owner: str
    cookie: str
    removals: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(16))

    def is_for(self, cookie: str) -> bool:
        """Whether a request with this secret in its cookie is sent the file."""
        is_removed = services().removals[self.owner] != self.removals
        return not is_removed and self.cookie in ("", cookie)


# The sessions hold their downloads: what a session forgets is gone from here.
_DOWNLOADS: Final[WeakValueDictionary[str, _Download]] = WeakValueDictionary()


def begin() -> None:
    """Forget the addresses that this session was sent when its page was last drawn."""
    # Emptied, and not replaced: Streamlit holds what is replaced until the next run.
    st.session_state.setdefault(keys.DOWNLOADS, {}).clear()


def address(file: File, name: str, key: str) -> str:
    """Give a file an address of this server; it is made when it is fetched.

    Parameters
    ----------
    file : File
        The file.
    name : str
        Its name at the address.
    key : str
        What is unique to the file on its page.

    Returns
    -------
    str
        The address, as Streamlit writes those of its own: relative to that of the agent API, so
        that it holds behind any base path.
    """
    owner = hashed(visitor.secret())
    cookie = st.context.headers.get(VISITOR) or ""
    download = _Download(file, name, owner, cookie, services().removals[owner])
    st.session_state.setdefault(keys.DOWNLOADS, {})[key] = download
    _DOWNLOADS[download.token] = download
    return f"../../files/{download.token}/{name}"


async def _answer(request: Request) -> Response:
    download = _DOWNLOADS.get(request.path_params["token"])
    if download is None or not download.is_for(request.headers.get(VISITOR, "")):
        return PlainTextResponse(
            "There is no such file: its page was drawn anew, or its session has ended. Read the "
            "page again for its new address.",
            404,
            {"Cache-Control": "no-store"},
        )
    content = await run_in_threadpool(download.file.make)
    return Response(
        content,
        media_type=guess_type(download.name)[0] or "application/octet-stream",
        headers={
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="{download.name}"',
        },
    )


ROUTES: Final = (
    Route("/files/{token}/{name}", _answer),
    Route("/{base:path}/files/{token}/{name}", _answer),
)
