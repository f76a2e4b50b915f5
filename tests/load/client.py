"""A visitor without a browser, who speaks to the dashboard as its page does.

What a browser would draw is only counted; what it would send is sent: reruns of the page, of
fragments when their time has come, widgets with their new values.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect


@dataclass
class Client:
    """One browser's window, by its words alone.

    `page` is the hash of the page on screen, `pages` those that links lead to, by address;
    `widgets` are the messages that describe what can be set, by the key it was given; `every` are
    the fragments that ask again by themselves, with their seconds.
    """

    connection: ClientConnection
    page: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    sessions: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    widgets: dict[str, object] = field(default_factory=dict)
    every: dict[str, float] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    running: bool = False

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
            client = cls(connection)
            page, _, query = path.partition("?")
            client.ask(page_name=page, query_string=query)
            yield client

    def ask(self, *changed: WidgetState, **what: object) -> None:
        """Ask for a run of the page, or of a fragment of it, with these widgets set anew."""
        state = ClientState(**({"page_script_hash": self.page} | what))  # type: ignore[arg-type]
        state.widget_states.widgets.extend(changed)
        self.connection.send(BackMsg(rerun_script=state).SerializeToString())
        self.running = True

    def hear(self, timeout: float | None = None) -> ForwardMsg:
        """Take in the next message; a TimeoutError says that there was none."""
        message = ForwardMsg.FromString(self.connection.recv(timeout))
        kind = message.WhichOneof("type")
        if kind == "new_session":
            new = message.new_session
            fragments = tuple(message.metadata.run.fragment_ids)
            self.sessions.append((new.page_script_hash, fragments))
            self.running = True
            if not fragments:
                self.page = new.page_script_hash
                self.every.clear()
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "auto_rerun":
            self.every[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "script_finished":
            self.running = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            name = element.WhichOneof("type")
            shown = getattr(element, name)
            if name == "page_link":
                self.pages[shown.page] = shown.page_script_hash
            if hasattr(shown, "id") and shown.id:
                # The key stands at the end of what Streamlit makes of it.
                self.widgets[shown.id.rsplit("-", 1)[-1]] = shown
            if name in ("markdown", "alert", "exception"):
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
