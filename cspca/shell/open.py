"""``open``: the dashboard in the browser, with the rights of its owner."""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from cspca.shell.options import FAILED, OK, ShellError, command, count, flag, option
from cspca.shell.terminal import answer


@command(
    "open\nopen --no-browser\nopen --port 8600",
    option("--port", type=count, default=8501, help="to begin at (default 8501)"),
    flag("--no-browser", "print the link only"),
)
def open_dashboard(asked: argparse.Namespace) -> int:
    """Open the dashboard in the browser, with every run of this store."""
    from cspca.experiments.database import noted_address

    address = noted_address(asked.home)
    if _answers(address):
        _show(address, asked)
        return OK
    app = Path(__file__).parents[2] / "app.py"
    if not app.is_file():
        raise ShellError(
            f"The dashboard's app.py is not in {app.parent}: run this where it was cloned to."
        )
    port = next(port for port in range(asked.port, asked.port + 100) if _free(port))
    home = {"CSPCA_HOME": str(Path(asked.home).absolute())} if asked.home else {}
    words = f"streamlit run {app.name} --server.address localhost --server.port {port}".split()
    server = subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=app.parent,
        env={**os.environ, **home},
        stdout=sys.stderr,
    )
    try:
        # It may take a minute to begin.
        address, ends = f"http://localhost:{port}", time.monotonic() + 60.0
        while not _answers(address):
            if server.poll() is not None or time.monotonic() > ends:
                return FAILED
            time.sleep(0.1)
        _show(address, asked)
        return OK if server.wait() == 0 else FAILED
    finally:
        server.terminate()
        server.wait()


def _show(address: str, asked: argparse.Namespace) -> None:
    from cspca.experiments.database import owner_link

    link = owner_link(address, asked.home)
    words = f"Your link (whoever has it sees and changes every run): {link}"
    answer({"link": link}, words, as_json=asked.json)
    sys.stdout.flush()
    if not asked.no_browser:
        import webbrowser

        webbrowser.open(link)


def _answers(address: str) -> bool:
    from urllib.request import urlopen

    # Of no address, no answer.
    with suppress(OSError, ValueError), urlopen(f"{address}/_stcore/health", timeout=2):
        return True
    return False


def _free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind(("localhost", port))
        return True
    return False
