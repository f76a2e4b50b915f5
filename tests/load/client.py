"""A visitor without a browser, who speaks to the dashboard as its page does.

What a browser would draw is only counted; what it would send is sent: reruns of the page, questions
for the work that it waits for, widgets with their new values.
"""

from __future__ import annotations

import json
import math
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import FileURLsRequest, FileURLsResponse, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

WISH_AGAIN = 5.0
"""Seconds after which a wish to draw that came to nothing is sent once more."""


@dataclass
class Client:
    """One browser's window, by its words alone.

    `page` is the hash of the page on screen, `pages` those of the menu, by address;
    `widgets` are the messages that describe what can be set, by the key it was given; `work` is how
    the page follows what it waits for, `bars` are the words at its bars, by their names; `texts` is
    what was said since the last step, or since the page was last drawn. `sessions` has every run of
    a page, and `questions` counts those for its work.
    """

    url: str
    connection: ClientConnection
    cookie: str = ""
    session: str = ""
    page: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    sessions: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    widgets: dict[str, Any] = field(default_factory=dict)
    work: dict[str, Any] | None = None
    bars: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    questions: int = 0
    running: bool = False
    _whole: int = 0
    # When the page was drawn that waits for `work`, when it is asked for next, and the last wish to
    # have the page drawn anew, with its time.
    _drawn_at: float = 0.0
    _due: float = math.inf
    _wish: tuple[str, float] = ("", -math.inf)
    _heard: list[Callable[[FileURLsResponse], None]] = field(default_factory=list)

    @classmethod
    @contextmanager
    def at(cls, url: str, path: str = "", cookie: str = "") -> Iterator[Self]:
        """Open a page of the server at `url`."""
        headers = {"Cookie": cookie} if cookie else {}
        address = url.replace("http", "ws", 1) + "/_stcore/stream"
        how = {"max_size": None, "compression": None, "proxy": None}
        with connect(
            address, subprotocols=["streamlit"], additional_headers=headers, **how
        ) as connection:
            client = cls(url, connection, cookie)
            page, _, query = path.partition("?")
            client.ask(page_name=page, query_string=query)
            yield client

    def ask(self, *changed: WidgetState, **what: object) -> None:
        """Ask for a run of the page with these widgets set anew."""
        # Of two requests that no run has begun for, the server takes the widgets of the later one
        # alone: a browser sends all of them each time.
        while self.running and len(self.sessions) == self._whole:
            self.hear(60.0)
        state = ClientState(**({"page_script_hash": self.page} | what))  # type: ignore[arg-type]
        # Who says no address has no browser, and a page waits for it until its work is done.
        state.context_info.url = self.url
        state.widget_states.widgets.extend(changed)
        self.connection.send(BackMsg(rerun_script=state).SerializeToString())
        self.running = True
        self._whole = len(self.sessions)

    @property
    def rests(self) -> bool:
        """Whether the page that was asked for last is there, and nothing is drawn."""
        whole = (parts == () for _, parts in self.sessions[self._whole :])
        return not self.running and any(whole)

    def go(self, page: str) -> None:
        """Follow a link of the menu."""
        self.texts.clear()
        self.ask(page_script_hash=self.pages[page])
        self.until(lambda: self.rests and self.page == self.pages[page])

    def set(self, key: str, value: object) -> None:
        """Set a widget as a hand would, and ask for the page."""
        widget = self.widgets[key]
        state = WidgetState(id=widget.id)
        if isinstance(value, str) and widget.DESCRIPTOR.name == "TextInput":
            state.string_value = value
        elif isinstance(value, str):
            # A slider between words, or one of several side by side.
            state.string_array_value.data.append(value)
        elif isinstance(value, bool):
            state.trigger_value = value
        elif isinstance(value, int):
            state.int_value = value
        else:
            raise TypeError(f"{key}: a {type(value).__name__} cannot be set yet")
        self.texts.clear()
        self.ask(state)

    def place_for_files(self) -> str:
        """The sidebar's, which has a new key after every file."""
        keys = [key for key in self.widgets if key.startswith("upload_file_sidebar")]
        return keys[-1]

    def upload(self, key: str, name: str, content: bytes) -> None:
        """Bring a file to a place for files, and ask for the page."""
        self.hand_in(key, self.put(name, content))

    def put(self, name: str, content: bytes, *, chunked: bool = False) -> UploadedFileInfo:
        """Send a file to an address of this session, of which no page hears.

        A `chunked` one does not say how long it is.
        """
        request = FileURLsRequest(request_id=name, file_names=[name], session_id=self.session)
        self.connection.send(BackMsg(file_urls_request=request).SerializeToString())
        found: list[FileURLsResponse] = []
        self._heard.append(found.append)
        self.until(lambda: bool(found))
        self._heard.clear()
        urls = found[0].file_urls[0]
        with urllib.request.urlopen(f"{self.url}/_stcore/health") as answer:
            token = answer.headers["Set-Cookie"].split("=", 1)[1].split(";")[0]
        edge = "cspca-load"
        head = (
            f'--{edge}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'
        )
        body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
        headers = {
            "Content-Type": f"multipart/form-data; boundary={edge}",
            "X-Xsrftoken": token,
            "Cookie": f"_streamlit_xsrf={token}" + (f"; {self.cookie}" if self.cookie else ""),
        }
        data = iter([body]) if chunked else body
        put = urllib.request.Request(self.url + urls.upload_url, data, headers, method="PUT")
        urllib.request.urlopen(put).close()
        return UploadedFileInfo(name=name, size=len(content), file_id=urls.file_id, file_urls=urls)

    def hand_in(self, key: str, *files: UploadedFileInfo) -> None:
        """Name files that were sent in a place for files, and ask for the page."""
        state = WidgetState(id=self.widgets[key].id)
        state.file_uploader_state_value.uploaded_file_info.extend(files)
        self.texts.clear()
        self.ask(state)

    def hear(self, timeout: float | None = None) -> ForwardMsg:
        """Take in the next message; a TimeoutError says that there was none."""
        message = ForwardMsg.FromString(self.connection.recv(timeout))
        kind = message.WhichOneof("type")
        if kind == "new_session":
            new = message.new_session
            fragments = tuple(message.metadata.run.fragment_ids)
            self.sessions.append((new.page_script_hash, fragments))
            self.running = True
            self.session = new.initialize.session_id
            if not fragments:
                self._turn_to(new.page_script_hash)
                self.texts.clear()
        elif kind == "navigation":
            self._turn_to(message.navigation.page_script_hash)
            for one in message.navigation.app_pages:
                self.pages[one.url_pathname] = one.page_script_hash
        elif kind == "file_urls_response":
            for hear in self._heard:
                hear(message.file_urls_response)
        elif kind == "script_finished":
            self.running = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            name = element.WhichOneof("type")
            shown = getattr(element, name)
            if hasattr(shown, "id") and shown.id:
                # The key stands at the end of what Streamlit makes of it.
                self.widgets[shown.id.rsplit("-", 1)[-1]] = shown
            if name == "bidi_component" and shown.component_name.endswith("cspca_follow"):
                self._follow(json.loads(shown.json))
            if name == "bidi_component" and shown.component_name.endswith("cspca_bar"):
                bar = json.loads(shown.json)
                self.bars[bar["name"]] = bar["words"]
            if name in ("markdown", "alert", "exception", "toast"):
                self.texts.append(getattr(shown, "body", "") or getattr(shown, "message", ""))
        return message

    def until(self, met: Callable[[], bool], seconds: float = 60.0) -> float:
        """Listen until `met`, and ask for the work that the page waits for; return what it took."""
        began = time.monotonic()
        while not met():
            now = time.monotonic()
            if now > began + seconds:
                raise TimeoutError(f"nothing came of it in {seconds:g} s")
            if now >= self._due:
                self._look()
            try:
                self.hear(max(min(self._due, began + seconds) - now, 0.01))
            except TimeoutError:
                continue
        return time.monotonic() - began

    def get(self, address: str) -> bytes:
        """Return what the server answers at an address."""
        with urllib.request.urlopen(self.url + address) as answer:
            return bytes(answer.read())

    def _turn_to(self, page: str) -> None:
        """Leave what another page waits for."""
        if page != self.page:
            self.work, self._due = None, math.inf
            self.bars.clear()
        self.page = page

    def _follow(self, work: dict[str, Any]) -> None:
        """Begin to ask for the work of a page that is drawn."""
        self.work, self._drawn_at = work, time.monotonic()
        self._due = self._drawn_at + work["after"]
        self._wish = "", -math.inf

    def _look(self) -> None:
        """Ask how far the work is, as ``components/follow.js`` does."""
        assert self.work is not None
        self.questions += 1
        after, drawn = 2.0, self.work["drawn"]
        try:
            now = json.loads(self.get(self.work["address"]))
        except urllib.error.HTTPError as error:
            if error.code == 404:
                self._draw("forgotten")
        else:
            after = now["after"]
            self.bars |= {name: words for name, (_, words) in now["bars"].items()}
            since = time.monotonic() - self._drawn_at
            if now["state"] != drawn["state"]:
                self._draw(now["state"])
            elif now["moved"] != drawn["moved"] and since >= now["every"]:
                self._draw(now["state"] + now["moved"])
        self._due = time.monotonic() + after

    def _draw(self, why: str) -> None:
        """Have the page drawn anew, unless it is being drawn or that was wished a moment ago."""
        wish, at = self._wish
        now = time.monotonic()
        if not self.rests or (wish == why and now - at < WISH_AGAIN):
            return
        self._wish = why, now
        self.ask()

    def listen(self, until: float) -> None:
        """Listen until a moment of the monotonic clock."""
        try:
            self.until(lambda: False, until - time.monotonic())
        except TimeoutError:
            return
