"""Behind a proxy everybody comes from one address: nobody is the owner for that."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.browser.harness import running_server
from tests.load.client import Client


def _pass_on(source: socket.socket, goal: socket.socket) -> None:
    with suppress(OSError):
        while part := source.recv(1 << 16):
            goal.sendall(part)
        goal.shutdown(socket.SHUT_WR)


@contextmanager
def forwarder(url: str) -> Iterator[str]:
    """An address that leads to `url`, as an SSH tunnel does: it adds no header."""
    host, port = url.removeprefix("http://").split(":")

    def serve() -> None:
        with suppress(OSError):
            while True:
                near = door.accept()[0]
                far = socket.create_connection((host, int(port)))
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=ends, daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}"


def _sees_runs(visitor: Client) -> bool:
    return any(key.startswith("look_at_run_") for key in visitor.widgets)


def test_a_second_visitor_sees_none_of_the_first_ones_runs(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, forwarder(server.url) as address:
        with Client.at(address, "?data=digits") as first:
            first.until(lambda: "keep_fit_button" in first.widgets and first.rests)
            first.set("keep_fit_button", True)
            first.until(lambda: any("Kept" in text for text in first.texts))
            first.go("runs")
            first.until(lambda: _sees_runs(first))
        with Client.at(address) as second:
            second.until(lambda: second.rests)
            second.go("runs")
            second.until(lambda: any("You have no saved runs" in text for text in second.texts))
            assert not _sees_runs(second)
