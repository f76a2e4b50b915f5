"""A visitor without a browser, who speaks to the dashboard as its page does.

What a browser would draw is only counted; what it would send is sent: reruns of the page, of
fragments when their time has come, widgets with their new values.
"""

from __future__ import annotations

import time
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


@dataclass
class Client:
    """One browser's window, by its words alone.

    `page` is the hash of the page on screen, `pages` those of the menu, by address;
    `widgets` are the messages that describe what can be set, by the key it was given; `every` are
    the fragments that ask again by themselves, with their seconds; `texts` is what was said since
    the last step, or since the whole page was last drawn.
    """

    url: str
    connection: ClientConnection
    cookie: str = ""
    session: str = ""
    page: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    sessions: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    widgets: dict[str, Any] = field(default_factory=dict)
    every: dict[str, float] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    running: bool = False
    _whole: int = 0
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
        """Ask for a run of the page, or of a fragment of it, with these widgets set anew."""
        state = ClientState(**({"page_script_hash": self.page} | what))  # type: ignore[arg-type]
        state.widget_states.widgets.extend(changed)
        self.connection.send(BackMsg(rerun_script=state).SerializeToString())
        self.running = True
        if "fragment_id" not in what:
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
        self.until(lambda: self.rests)

    def set(self, key: str, value: object) -> None:
        """Set a widget as a hand would, and ask for the page."""
        widget = self.widgets[key]
        state = WidgetState(id=widget.id)
        if isinstance(value, str):
            # A slider between words.
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
            self.session = new.initialize.session_id
            if not fragments:
                self.page = new.page_script_hash
                self.every.clear()
                self.texts.clear()
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
            for one in message.navigation.app_pages:
                self.pages[one.url_pathname] = one.page_script_hash
        elif kind == "file_urls_response":
            for hear in self._heard:
                hear(message.file_urls_response)
        elif kind == "auto_rerun":
            self.every[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "script_finished":
            self.running = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            name = element.WhichOneof("type")
            shown = getattr(element, name)
            if hasattr(shown, "id") and shown.id:
                # The key stands at the end of what Streamlit makes of it.
                self.widgets[shown.id.rsplit("-", 1)[-1]] = shown
            if name in ("markdown", "alert", "exception", "toast"):
                self.texts.append(getattr(shown, "body", "") or getattr(shown, "message", ""))
        return message

    def until(self, met: Callable[[], bool], seconds: float = 60.0) -> float:
        """Listen until `met`, and run the fragments whose time has come; return what it took."""
        began = time.monotonic()
        due = {one: began + wait for one, wait in self.every.items()}
        while not met():
            now = time.monotonic()
            if now > began + seconds:
                raise TimeoutError(f"nothing came of it in {seconds:g} s")
            due = {one: due.get(one, now + wait) for one, wait in self.every.items()}
            for one, when in due.items():
                if now >= when:
                    self.ask(fragment_id=one, is_auto_rerun=True)
                    due[one] = now + self.every[one]
            try:
                self.hear(max(min(due.values(), default=now + 0.5) - now, 0.01))
            except TimeoutError:
                continue
        return time.monotonic() - began

    def listen(self, until: float) -> None:
        """Listen until a moment of the monotonic clock."""
        try:
            self.until(lambda: False, until - time.monotonic())
        except TimeoutError:
            return
