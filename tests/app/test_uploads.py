"""Bytes of uploads that no page has read: counted, refused above a limit, dropped on a clock."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from contextlib import contextmanager
from urllib.parse import urljoin

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from cspca.experiments.limits import Limits
from cspca.experiments.log import hashed
from cspca.ui import serving, uploads
from cspca.ui.services import erase
from cspca.ui.uploads import AGE, IDLE, OVERHEAD, UnreadUploads
from tests.browser.harness import running_server
from tests.load.client import Client

MB = 2**20
ANNA, BERT = "a" * 64, "b" * 64


class Keeper:
    """Stands for Streamlit: keeps the bytes of every PUT until a DELETE, if the token is right."""

    def __init__(self):
        self.files, self.received = {}, 0

    async def __call__(self, scope, receive, send):
        request = Request(scope, receive)
        status = 204 if request.headers.get("x-xsrftoken") == "token" else 403
        if request.method == "PUT":
            content = b""
            async for part in request.stream():
                content += part
                self.received = max(self.received, len(content))
            if status == 204:
                self.files[request.url.path] = len(content)
        elif status == 204:
            self.files.pop(request.url.path, None)
        await Response(status_code=status)(scope, receive, send)

    @property
    def size(self):
        return sum(self.files.values())


class Sender:
    """Sends files as a browser does, to a server whose clock is set by hand."""

    def __init__(self):
        self.now = 1000.0
        self.unread, self.keeper = UnreadUploads(lambda: self.now), Keeper()

    @property
    def held(self):
        """Bytes of each visitor, without the few thousand beside the content."""
        sizes = self.unread.by_visitor()
        return {visitor: size // 100_000 * 100_000 for visitor, size in sizes.items()}

    def send(
        self, session, file, size=0, *, visitor=ANNA, method="PUT", token="token", declared=True,
        parts=4, receive=None,
    ):  # fmt: skip
        headers = {"host": "studio.example", "x-xsrftoken": token}
        if declared:
            headers["content-length"] = str(size)
        path = f"/studio/_stcore/upload_file/{session}/{file}"
        scope = {
            **{"type": "http", "http_version": "1.1", "method": method, "scheme": "https"},
            **{"path": path, "raw_path": path.encode(), "query_string": b"", "root_path": ""},
            **{"client": ("192.0.2.7", 50_000), "server": ("studio.example", 443)},
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        left = [b"x" * (size // parts)] * parts if size else [b""]
        answers = []

        async def body():
            part = left.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(left)}

        async def send(message):
            answers.append(message)

        serve = self.unread.serve(self.keeper, visitor, scope, receive or body, send)
        asyncio.run(serve)
        assert receive or method != "PUT" or not left, "the body was not read to its end"
        return answers[0]["status"]

    def drop_old(self):
        asyncio.run(self.unread.drop_old())


@pytest.fixture
def sender(monkeypatch):
    monkeypatch.setattr(uploads, "limits", lambda: Limits(upload=1, visitor_unread=2, unread=3))
    return Sender()


@pytest.mark.parametrize("declared", [True, False])
def test_six_files_of_one_window_stay_below_its_limit(sender, declared):
    statuses = {sender.send("window", name, 400_000, declared=declared) for name in "abcdef"}
    # Anything else would show an error of the browser's.
    assert statuses == {204}
    assert sender.keeper.size == 800_000
    assert sender.held == {ANNA: 800_000}
    assert sender.unread.refusal("window", "ab") == ""
    assert sender.unread.refusal("window", "abcdef") == (
        "Nothing was taken: one window may send 1 MB at a time, and with this upload it would be "
        "2.3 MB."
    )
    assert sender.unread.refusal("window", "abcdef") == ""


def test_a_visitor_and_all_together_have_limits_too(sender):
    for number in range(8):
        sender.send(f"of Anna {number}", "file", 900_000)
    assert sender.keeper.size == 1_800_000
    assert sender.unread.refusal("of Anna 7", ["file"]) == (
        "Nothing was taken: all your windows together may send 2 MB at a time, and with this "
        "upload it would be 2.6 MB."
    )
    for number in range(8):
        sender.send(f"of others {number}", "file", 900_000, visitor=f"{number}" * 64)
    assert sender.keeper.size == 2_700_000
    assert sender.unread.refusal("of others 7", ["file"]) == (
        "Nothing was taken: the server takes 3 MB of uploads at a time, and with this one it would "
        "be 3.4 MB. Try again later."
    )


def test_a_body_of_unknown_length_is_counted_as_it_comes(sender):
    assert sender.send("window", "endless", 50_000_000, declared=False, parts=500) == 204
    assert sender.keeper.received <= MB
    assert sender.keeper.files == {}
    assert sender.unread.by_visitor() == {}
    assert "would be 47.7 MB" in sender.unread.refusal("window", ["endless"])


def test_empty_files_with_long_addresses_are_not_free(sender):
    for number in range(300):
        sender.send("window", f"{number:03d}")
    assert 200 < len(sender.keeper.files) < MB // OVERHEAD
    sender.unread.release_of(ANNA)
    for number in range(30):
        sender.send("window", f"{number:050000d}")
    assert len(sender.keeper.files) <= MB // 200_000


def test_refusals_that_no_page_hears_of_are_not_kept_for_ever(sender, monkeypatch):
    monkeypatch.setattr(uploads, "REFUSALS", 3)
    for number in range(5):
        sender.send("window", f"{number}", 2_000_000, declared=False)
    sender.send("window", "5" * 1000, 2_000_000, declared=False)
    heard = [bool(sender.unread.refusal("window", [f"{number}"])) for number in range(5)]
    assert heard == [False, False, True, True, True]
    assert sender.unread.refusal("window", ["5" * 1000]) == ""
    sender.send("window", "6", 2_000_000, declared=False)
    sender.now += IDLE + 1
    sender.drop_old()
    assert sender.unread.refusal("window", ["6"]) == ""


def test_what_is_replaced_deleted_or_never_kept_is_not_counted(sender):
    for size in (400_000, 500_000):
        sender.send("window", "file", size)
    assert sender.held == {ANNA: 500_000}
    # Another site cannot delete it, nor put anything there.
    assert sender.send("window", "file", method="DELETE", token="guessed") == 403
    assert sender.send("window", "other", 400_000, token="guessed") == 403
    assert sender.held == {ANNA: 500_000}
    assert sender.send("window", "file", method="DELETE") == 204
    assert sender.unread.by_visitor() == {}
    # Who leaves in the middle leaves nothing.
    parts = [{"type": "http.request", "body": b"x" * 9, "more_body": True}]

    async def receive():
        return parts.pop() if parts else {"type": "http.disconnect"}

    with pytest.raises(ClientDisconnect):
        sender.send("window", "file", 900_000, receive=receive)
    assert sender.unread.by_visitor() == {}


def test_a_body_that_stops_coming_is_cut_off(sender, monkeypatch):
    monkeypatch.setattr(uploads, "IDLE", 0.0)

    async def receive():
        await asyncio.Event().wait()

    assert sender.send("window", "file", 900_000, receive=receive) == 408
    assert sender.unread.by_visitor() == {}


def test_what_no_page_reads_is_dropped_when_its_window_has_sent_nothing_for_long(sender):
    sender.send("closed", "file", 400_000)
    sender.send("open", "first", 400_000)
    sender.now += IDLE - 1
    sender.send("open", "second", 400_000)
    sender.drop_old()
    assert len(sender.keeper.files) == 3
    sender.now += 2
    sender.drop_old()
    # A folder may take long: what a window sent first waits for what it sends last.
    assert list(sender.keeper.files) == [
        "/studio/_stcore/upload_file/open/first",
        "/studio/_stcore/upload_file/open/second",
    ]
    assert sender.held == {ANNA: 800_000}
    sender.now += IDLE
    sender.drop_old()
    assert sender.keeper.files == {}
    assert sender.unread.by_visitor() == {}


def test_nothing_stays_for_ever_however_often_its_window_sends(sender):
    sender.send("window", "file", 400_000)
    for _ in range(int(AGE // 100)):
        sender.now += 100
        sender.send("window", "other", 100)
    sender.now += 1
    sender.drop_old()
    assert list(sender.keeper.files) == ["/studio/_stcore/upload_file/window/other"]


def test_what_was_read_is_deleted_and_what_a_visitor_removes(sender):
    for visitor in (ANNA, BERT):
        for file in ("first", "second"):
            sender.send(visitor, file, 400_000, visitor=visitor)
    sender.unread.release(ANNA, ["first", "never sent"])
    assert len(sender.keeper.files) == 3
    assert 400_000 < sender.unread.release_of(ANNA) < 410_000
    assert sender.held == {BERT: 800_000}
    assert sender.keeper.size == 800_000


def test_remove_my_data_now_deletes_what_no_page_has_read(server, sender, monkeypatch):
    monkeypatch.setattr("cspca.ui.services.UPLOADS", sender.unread)
    for secret in ("mine", "theirs"):
        sender.send(secret, "file", 400_000, visitor=hashed(secret))
    erase("mine")
    assert sender.held == {hashed("theirs"): 400_000}
    assert sender.keeper.size == 400_000


def test_a_running_server_looks_again_and_again_for_what_is_too_old(server, sender, monkeypatch):
    class Failing(UnreadUploads):
        looks = 0

        async def drop_old(self):
            self.looks += 1
            if self.looks == 1:
                raise OSError("once")
            looked_again.set()

    async def begin():
        async with serving.lifespan(None):
            await asyncio.wait_for(looked_again.wait(), 30)

    looked_again = asyncio.Event()
    monkeypatch.setattr(serving, "UPLOADS", Failing())
    monkeypatch.setattr(uploads, "TIDY", 0.0)
    monkeypatch.setattr("streamlit.config.set_option", lambda *_: None)
    asyncio.run(begin())


# -- a server, by its public protocol --------------------------------------------------------------


@contextmanager
def a_window(server):
    with Client.at(server.url, "explore?data=digits") as window:
        window.until(lambda: window.rests)
        yield window


def held(server, home):
    """Bytes that uploads hold, as the owner is told and as Streamlit counts them."""
    token = next(home.rglob("owner-token")).read_text().strip()
    # Streamlit serves routes of ours at the root, whatever its base path.
    request = urllib.request.Request(urljoin(server.url, "/healthz"))
    request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request) as answer:
        told = sum(json.load(answer)["uploads"].values())
    with urllib.request.urlopen(f"{server.url}/_stcore/metrics") as answer:
        lines = answer.read().decode().splitlines()
    counted = [float(line.split()[-1]) for line in lines if "UploadedFileManager" in line]
    return told, sum(counted)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def small_server(home):
    """A server that takes 25 MB at a time."""
    with running_server(home, CSPCA_UPLOAD="25") as running:
        yield running


def test_a_session_without_a_page_holds_no_more_than_one_upload(home, small_server):
    server = small_server
    with a_window(server) as window:
        files = [
            window.put(f"{number}.mat", bytes(10 * MB), chunked=number > 3) for number in range(6)
        ]
        told, counted = held(server, home)
        assert counted == 20 * MB
        assert counted < told < 21 * MB
        window.hand_in(window.place_for_files(), *files)
        window.until(lambda: any(text.startswith("Nothing was taken") for text in window.texts))
        sentence = next(text for text in window.texts if text.startswith("Nothing was taken"))
        assert "may send 25 MB at a time, and with this upload it would be 60 MB." in sentence
        window.until(lambda: window.rests)
        # Streamlit's own count is up to five seconds old.
        window.until(lambda: held(server, home) == (0, 0))
        assert "Traceback" not in server.words()


def test_below_a_path_what_was_read_leaves_streamlit_at_once(tmp_path, good_file):
    with running_server(tmp_path, base="/studio") as server, a_window(server) as window:
        file = window.put("people.npz", good_file)
        told, counted = held(server, tmp_path)
        assert told > counted == len(good_file)
        window.hand_in(window.place_for_files(), file)
        window.until(lambda: window.rests)
        window.until(lambda: held(server, tmp_path) == (0, 0))
        window.go("data")
        window.until(lambda: any("people" in text for text in window.texts))


def test_a_message_that_no_page_of_ours_sends_closes_the_connection(small_server):
    with a_window(small_server) as window:
        invented = WidgetState(id="invented", string_value="x" * 10_000_000)
        state = ClientState(page_script_hash=window.page)
        state.widget_states.widgets.append(invented)
        window.connection.send(BackMsg(rerun_script=state).SerializeToString())
        with pytest.raises(ConnectionClosed) as closing:
            window.until(lambda: False)
        assert closing.value.rcvd.code == 1009
    with a_window(small_server) as window:
        assert window.rests
    assert "Traceback" not in small_server.words()
