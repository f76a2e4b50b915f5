"""A dashboard of our own to drive: one server process, visitors with nothing in common.

Everything that a person would do by eye goes through :class:`Visitor`: wait for words, wait until
nothing runs, look for errors. Times are measured from the start of the server's process.
"""

import contextlib
import itertools
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Playwright, expect

PATIENCE = 120_000
"""Milliseconds that a journey waits for a state, on a machine that does more than this journey."""
expect.set_options(timeout=PATIENCE)

REPOSITORY = Path(__file__).resolve().parents[2]
#: The script of a server with few of the digits.
FEW = REPOSITORY / "tests" / "app" / "few_app.py"
CHROMIUM = Path(os.environ.get("CSPCA_CHROMIUM", "/usr/bin/chromium"))
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

CONNECTED = "[data-testid=stApp][data-test-connection-state=CONNECTED]"
AT_REST = f"{CONNECTED}[data-test-script-state=notRunning]"
EXCEPTION = "[data-testid=stException]"

#: In the page, asked again and again: has it been at rest for long enough since this was asked?
RESTED = """([atRest, asked]) => {
    if (window.rest?.asked !== asked) window.rest = { asked, since: null }
    if (!document.querySelector(atRest)) window.rest.since = null
    else window.rest.since ??= performance.now()
    return window.rest.since !== null && performance.now() - window.rest.since > 333
}"""

#: Console lines that are the browser's or Streamlit's own and say nothing about our pages.
HARMLESS = (
    # on a deep link Streamlit looks for its server under the page's path first, then at the root
    "/_stcore/",
    "favicon",
)


#: What the log keeps of input that a fit refused: the visitor has read its sentence.
REFUSED = re.compile(
    r"A job was refused its input\.\nTraceback \(most recent call last\).*?\nValueError: [^\n]*",
    re.DOTALL,
)


_LEFT: list[int] = []


@contextlib.contextmanager
def free_port() -> Iterator[int]:
    """A port that nobody listens on; the next one has the same, whose scripts the browser knows."""
    if _LEFT:
        port = _LEFT.pop()
    else:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
    try:
        yield port
    finally:
        _LEFT.append(port)


FIRST_LOOK = 130
"""Requests at most of a browser that has no file of ours, until its first page is drawn."""


@dataclass
class Server:
    """A running dashboard."""

    url: str
    process: "subprocess.Popen[bytes]"
    started: float
    log: Path

    @property
    def age(self) -> float:
        """Seconds since the server's process was started."""
        return time.perf_counter() - self.started

    def words(self) -> str:
        """All that the server has printed, without its colours."""
        return re.sub(r"\x1b\[[\d;]*m", "", self.log.read_text(errors="replace"))


@contextlib.contextmanager
def running_server(
    home: Path,
    script: Path = Path("app.py"),
    checkout: Path = REPOSITORY,
    base: str = "",
    **settings: str,
) -> Iterator[Server]:
    """``streamlit run app.py`` with an empty home; gone, with its children, at the end.

    `base` is the path below which it serves; `settings` are variables of its environment.
    """
    # As a user starts it: what the tests' own environment says about threads is not passed on, but
    # which kernels its BLAS takes is: other kernels round in another way.
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XDG_", "OPENBLAS_NUM", "OMP_", "STREAMLIT_", "CSPCA_"))
    }
    environment |= {"HOME": str(home), "PYTHONUNBUFFERED": "1"} | settings
    log = home / "server.log"
    with free_port() as port, log.open("wb") as stream:
        started = time.perf_counter()
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "streamlit", "run", str(script)),
                *("--server.port", str(port), "--server.address", "127.0.0.1"),
                *("--server.baseUrlPath", base),
            ],
            cwd=checkout,
            env=environment,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
        server = Server(f"http://127.0.0.1:{port}{base}", process, started, log)
        try:
            _wait_until_healthy(server)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)


def _wait_until_healthy(server: Server, patience: float = PATIENCE / 1000) -> None:
    while server.age < patience:
        if server.process.poll() is not None:
            raise RuntimeError(f"the server ended at once:\n{server.words()}")
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.05)
    raise RuntimeError(f"the server was not healthy after {patience:g} s:\n{server.words()}")


@dataclass
class Visitor:
    """One person with one browser window."""

    page: Page
    server: Server
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.said_before = len(self.server.words())
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))

    def _hear(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "") if message.location else ""
        text = f"{message.text} ({where})"
        if message.type == "error" and not any(harmless in text for harmless in HARMLESS):
            self.complaints.append(text)

    def leave(self) -> None:
        """Close the window, and forget all that this visitor was given."""
        context = self.page.context
        if context not in _AT_HOME:
            context.close()
            return
        first, *others = context.pages
        for page in others:
            page.close()
        context.clear_cookies()
        tools = context.new_cdp_session(first)
        given = {"origin": self.server.url, "storageTypes": _GIVEN}
        tools.send("Storage.clearDataForOrigin", given)
        tools.detach()

    def open(self, path: str = "/") -> None:
        """Go to a path of the dashboard and wait until the page is connected."""
        self.page.goto(self.server.url + path, wait_until="domcontentloaded")
        self.page.wait_for_selector(CONNECTED)

    def rest(self) -> None:
        """Wait until no script has run for a third of a second, for reruns come in chains.

        Not for a page whose fragment polls: there, wait for words.
        """
        asked = [AT_REST, time.perf_counter()]
        self.page.wait_for_function(RESTED, arg=asked, polling=50)

    def sees(self, words: str | re.Pattern[str]) -> None:
        """Wait until the words are on screen."""
        found = self.page.get_by_text(words).filter(visible=True).first
        expect(found).to_be_visible()

    def swipe(self, *places: tuple[float, float]) -> None:
        """Move one finger over the screen, from the first of these places to the last."""
        tools = self.page.context.new_cdp_session(self.page)
        tools.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

        def touch(kind: str, *points: tuple[float, float]) -> None:
            given = [{"x": x, "y": y} for x, y in points]
            tools.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": given})

        touch("Start", places[0])
        for (x, y), (to_x, to_y) in itertools.pairwise(places):
            for k in range(1, 9):
                self.page.wait_for_timeout(20)
                touch("Move", (x + (to_x - x) * k / 8, y + (to_y - y) * k / 8))
        touch("End")
        # Chromium makes a click of a touch only while it takes touches.
        self.page.wait_for_timeout(200)
        tools.detach()

    def scrolled(self) -> float:
        """How far the page is scrolled down."""
        return self.page.locator("[data-testid=stMain]").evaluate("main => main.scrollTop")

    def key(self, name: str) -> str:
        """Selector of the element whose Streamlit key is `name`."""
        return f".st-key-{name}"

    def is_healthy(self) -> None:
        """No exception box, no traceback, no severe line in the browser's console or the log."""
        assert self.page.locator(EXCEPTION).count() == 0, self.page.locator(EXCEPTION).inner_text()
        body = self.page.locator("body").inner_text()
        assert "Traceback (most recent call last)" not in body
        assert self.complaints == []
        log = REFUSED.sub("", self.server.words()[self.said_before :])
        assert "Traceback (most recent call last)" not in log, log


#: What a page may leave in a browser, but for the files of the dashboard itself.
_GIVEN = "cookies,local_storage,indexeddb,cache_storage,service_workers"
#: Browsers that have the dashboard's files at hand; one of them has an empty page that stays.
_AT_HOME: list[BrowserContext] = []


@contextlib.contextmanager
def browser_at_home(playwright: Playwright, profile: Path) -> Iterator[BrowserContext]:
    """A browser that keeps the files of the pages which it has seen, as everybody's does.

    To load and compile them anew takes a processor a second, of the three to five of a first look.
    """
    context = playwright.chromium.launch_persistent_context(
        profile, executable_path=CHROMIUM, args=CHROMIUM_FLAGS, accept_downloads=True
    )
    _AT_HOME.append(context)
    try:
        yield context
    finally:
        _AT_HOME.remove(context)
        context.close()


def new_visitor(
    home: BrowserContext,
    server: Server,
    *,
    width: int = 1440,
    height: int = 900,
    stranger: bool = False,
) -> Visitor:
    """Somebody without cookie and storage; a stranger's browser has no file of ours either.

    So has the second of two visitors at a time.
    """
    context = home
    if stranger or len(home.pages) > 1:
        assert home.browser is not None
        context = home.browser.new_context(accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": height})
    return Visitor(page, server)
