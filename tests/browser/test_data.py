"""The Data page in a browser: a file that is too large, hostile names, Cancel."""

import http.client
import io
import re
import zipfile
from pathlib import Path
from urllib.parse import urlparse

import numpy as np
import pytest
from playwright.sync_api import Request, expect

from tests.browser import explore
from tests.browser.harness import Visitor
from tests.datasets import files

HOSTILE = "<img src=x onerror=window.owned=1>"
SCRIPT = "<script>window.owned=1</script>"
READ_BY_STREAMLIT = ":smile: :red www.x.org a@x.org -- b"


def bring(visitor: Visitor, *paths: Path) -> None:
    """Bring files through the page's own uploader."""
    place = visitor.page.locator("[class*=st-key-upload_file_bring] input[type=file]").first
    place.set_input_files(list(paths))


def open_list(visitor: Visitor, field: str) -> None:
    """Open the list of answers to one question."""
    visitor.rest()
    box = visitor.page.locator(f"[class*=st-key-choice_{field}_] [role=combobox]")
    # Scrolling closes a list: scroll first, then open it.
    box.evaluate("box => box.scrollIntoView({block: 'center'})")
    explore.draw_two_frames(visitor)
    box.click()


def plain_file(path: Path) -> Path:
    """Write square pictures of noise, in a file that leaves no question open."""
    values = np.random.default_rng(0).random((6, 36))
    np.savez(path, X=values, y=[0, 0, 0, 1, 1, 1], image_shape=[6, 6])
    return path


def top(visitor: Visitor, selector: str) -> float:
    return visitor.page.locator(selector).bounding_box()["y"]


def test_what_is_too_large_is_refused_by_browser_server_and_proxy(
    visitor: Visitor, tmp_path: Path
) -> None:
    huge = tmp_path / "huge.npy"
    with huge.open("wb") as stream:
        np.save(stream, np.zeros((2, 25)))
        stream.truncate(300 * 2**20)  # no block of it is written
    visitor.open("/data")
    visitor.rest()
    sent = []
    visitor.page.on("request", lambda one: sent.append(one) if "upload_file" in one.url else None)
    before = memory(visitor)
    bring(visitor, huge)
    visitor.sees("File must be 256.0MB or smaller.")
    visitor.rest()
    assert sent == []
    assert memory(visitor) - before < 30
    # Neither does the server take it from somebody who does not ask the browser.
    small = plain_file(tmp_path / "small.npz")
    with visitor.page.expect_request(lambda one: "upload_file" in one.url) as waiting:
        bring(visitor, small)
    visitor.sees("From small.npz, not in use yet.")
    before = memory(visitor)
    assert put(waiting.value, huge.stat().st_size) == 413, "before any of it has arrived"
    assert memory(visitor) - before < 30
    visitor.is_healthy()
    # Of an upload that a proxy refuses the server never hears: the page says it.
    refused = visitor.page.locator(".st-key-refused_upload [role=alert]")
    expect(refused).to_be_hidden()
    visitor.page.route("**/_stcore/upload_file/**", lambda route: route.fulfill(status=413))
    bring(visitor, small)
    expect(refused).to_be_visible()
    expect(refused).to_have_text(re.compile(r"^The proxy .* \(status 413\).* takes 256 MB"))
    visitor.page.keyboard.press("Escape")
    expect(refused).to_be_hidden()


def memory(visitor: Visitor) -> float:
    """What the server holds in memory, in MB."""
    status = Path(f"/proc/{visitor.server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1024


def put(request: Request, size: int) -> int:
    """Announce so many bytes where an upload went; returns the status of the answer."""
    url = urlparse(request.url)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
    connection.putrequest(request.method, url.path)
    for name, value in request.all_headers().items():
        if name not in ("content-length", "host") and not name.startswith(":"):
            connection.putheader(name, value)
    connection.putheader("Content-Length", str(size))
    connection.endheaders()
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def shows(visitor: Visitor, words: str) -> None:
    """Wait until they are on the page letter by letter, and no part of them is a link."""
    shown = "words => document.body.textContent.replaceAll('\u2060', '').includes(words)"
    visitor.page.wait_for_function(shown, arg=words)
    assert visitor.page.locator("a[href*='x.org']").count() == 0


def test_names_from_files_come_out_as_text(visitor: Visitor, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    members = {
        f"{name}/{number}.png": files.picture(rng.integers(0, 255, (12, 12), np.uint8))
        for name in ("<img src=x onerror=window.owned=1>", "<script>window.owned=1<script>")
        for number in range(4)
    }
    archive = tmp_path / f"{READ_BY_STREAMLIT} <b>faces<b>.zip"
    archive.write_bytes(files.zipped(members))
    visitor.open("/data")
    visitor.rest()
    bring(visitor, archive)
    visitor.sees("8 images, 12 × 12, 2 classes")
    visitor.rest()
    visitor.sees(HOSTILE)
    shows(visitor, f"{READ_BY_STREAMLIT} <b>faces<b>")
    explore.button(visitor, "use_draft_button").click()
    visitor.sees("Explore this data set")

    table = tmp_path / "table.npz"
    names = np.array([SCRIPT, HOSTILE, "c", "d", "**e**"])
    classes = np.array([SCRIPT, HOSTILE] * 6)
    others = {f"{READ_BY_STREAMLIT} {number}": np.arange(12) % 4 for number in (1, 2)}
    arrays = {"X": rng.random((12, 5)), "y": classes, "feature_names": names} | others
    table.write_bytes(files.npz(**arrays))
    bring(visitor, table)
    visitor.sees("12 samples, 5 features, 2 classes")
    visitor.rest()
    open_list(visitor, "classes_from")
    option = visitor.page.get_by_role("option", name=f"{READ_BY_STREAMLIT} 2", exact=True)
    expect(option).to_be_visible()
    visitor.page.keyboard.press("Escape")
    explore.button(visitor, "use_draft_button").click()
    visitor.sees("Explore this data set")
    visitor.open(f"/?data={explore.wait_for_query(visitor, 'data')}")
    explore.wait_for_certificate(visitor)
    assert visitor.page.evaluate("window.owned") is None
    assert visitor.page.locator("img[src=x]").count() == 0
    visitor.is_healthy()


@pytest.fixture(scope="module")
def large_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten thousand pictures of 64 × 64 in a zip."""
    rng = np.random.default_rng(0)
    some = [files.picture(rng.integers(0, 255, (64, 64), np.uint8)) for _ in range(8)]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(10_000):
            archive.writestr(f"class {number % 9}/{number}.png", some[number % 8])
    path = tmp_path_factory.mktemp("large") / "large.zip"
    path.write_bytes(stream.getvalue())
    return path


def test_cancel_while_a_bar_moves(visitor: Visitor, large_archive: Path) -> None:
    visitor.open("/data")
    visitor.rest()
    heading = top(visitor, "h2.cspca-words")
    bring(visitor, large_archive)
    bar = visitor.page.locator(".st-key-loading_box_page").get_by_role("progressbar")
    bar.wait_for()
    assert top(visitor, "h2.cspca-words") == heading, "the bar takes a place that was kept for it"
    explore.wait_for_move(visitor, bar)
    explore.button(visitor, "cancel_load_button_page").click()
    bar.wait_for(state="detached")
    visitor.rest()
    assert top(visitor, "h2.cspca-words") == heading
    assert explore.button(visitor, "use_draft_button").count() == 0
    assert explore.alerts(visitor) == []
    visitor.is_healthy()
