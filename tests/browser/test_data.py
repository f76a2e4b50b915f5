"""The Data page in a browser: a file that is too large, Cancel, hostile names, all removed."""

import http.client
import re
import zipfile
from pathlib import Path
from urllib.parse import urlparse

import numpy as np
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


def test_limits_of_uploads_cancel_names_as_text_and_the_end_of_them_all(
    visitor: Visitor, tmp_path: Path
) -> None:
    visitor.open("/data")
    visitor.rest()
    what_is_too_large_is_refused_by_browser_and_server(visitor, tmp_path)
    a_file_is_cancelled_while_its_bar_moves(visitor, tmp_path)
    names_from_files_come_out_as_text(visitor, tmp_path)
    what_cannot_be_undone_asks_for_a_word(visitor)
    visitor.is_healthy()
    what_a_proxy_refuses_is_said(visitor, tmp_path)


def what_is_too_large_is_refused_by_browser_and_server(visitor: Visitor, folder: Path) -> None:
    huge = folder / "huge.npy"
    with huge.open("wb") as stream:
        np.save(stream, np.zeros((2, 25)))
        stream.truncate(300 * 2**20)  # no block of it is written
    requests: list[Request] = []
    visitor.page.on(
        "request",
        lambda request: requests.append(request) if "upload_file" in request.url else None,
    )
    before = memory(visitor)
    bring(visitor, huge)
    visitor.sees("File must be 256.0MB or smaller.")
    visitor.rest()
    assert requests == []
    assert memory(visitor) - before < 30
    # Neither does the server take it from somebody who does not ask the browser.
    with visitor.page.expect_request(lambda request: "upload_file" in request.url) as waiting:
        bring(visitor, plain_file(folder / "small.npz"))
    visitor.sees("From small.npz, not in use yet.")
    before = memory(visitor)
    assert put(waiting.value, huge.stat().st_size) == 413, "before any of it has arrived"
    assert memory(visitor) - before < 30


def what_a_proxy_refuses_is_said(visitor: Visitor, folder: Path) -> None:
    """Of such an upload the server never hears."""
    refused = visitor.page.locator(".st-key-refused_upload [role=alert]")
    expect(refused).to_be_hidden()
    visitor.page.route("**/_stcore/upload_file/**", lambda route: route.fulfill(status=413))
    bring(visitor, plain_file(folder / "small.npz"))
    expect(refused).to_be_visible()
    expect(refused).to_have_text(re.compile(r"^The proxy .* \(status 413\).* takes 256 MB"))
    visitor.page.keyboard.press("Escape")
    expect(refused).to_be_hidden()


def what_cannot_be_undone_asks_for_a_word(visitor: Visitor) -> None:
    """Escape removes nothing. What is removed is held by tests/app/test_erasing.py."""
    page = visitor.page
    explore.choose_page(visitor, "data")
    visitor.rest()
    ask = page.get_by_role("button", name="Remove my data now")
    dialog = page.get_by_role("dialog").filter(has_text="Removes at once and for good")
    ask.press("Enter")
    expect(dialog).to_contain_text("data sets that you uploaded")
    visitor.rest()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    visitor.rest()
    assert len(explore.query(visitor)["data"]) > 20
    ask.press("Enter")
    field = dialog.get_by_role("textbox")
    field.fill("remove")
    field.press("Enter")
    visitor.sees("Removed: 0 runs, and ")
    expect(dialog).to_have_count(0)
    visitor.rest()
    assert "data" not in explore.query(visitor)


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


def names_from_files_come_out_as_text(visitor: Visitor, folder: Path) -> None:
    rng = np.random.default_rng(0)
    members = {
        f"{name}/{number}.png": files.picture(rng.integers(0, 255, (12, 12), np.uint8))
        for name in ("<img src=x onerror=window.owned=1>", "<script>window.owned=1<script>")
        for number in range(4)
    }
    archive = folder / f"{READ_BY_STREAMLIT} <b>faces<b>.zip"
    archive.write_bytes(files.zipped(members))
    bring(visitor, archive)
    visitor.sees("8 images, 12 × 12, 2 classes")
    visitor.rest()
    visitor.sees(HOSTILE)
    shows(visitor, f"{READ_BY_STREAMLIT} <b>faces<b>")
    explore.button(visitor, "use_draft_button").click()
    visitor.sees("Explore this data set")

    table = folder / "table.npz"
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
    visitor.rest()


def large_archive(folder: Path) -> Path:
    """Ten thousand pictures of 64 × 64 in a zip: few bytes, and work for a while."""
    rng = np.random.default_rng(0)
    squares = np.ones((16, 16), np.uint8)
    some = [
        files.picture(np.kron(rng.integers(0, 255, (4, 4), np.uint8), squares)) for _ in range(8)
    ]
    path = folder / "large.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(10_000):
            archive.writestr(f"class {number % 9}/{number}.png", some[number % 8])
    return path


def a_file_is_cancelled_while_its_bar_moves(visitor: Visitor, folder: Path) -> None:
    heading = top(visitor, "h2.cspca-words")
    bring(visitor, large_archive(folder))
    bar = visitor.page.locator(".st-key-loading_box_page").get_by_role("progressbar")
    bar.wait_for()
    assert top(visitor, "h2.cspca-words") == heading, "the bar takes a place that was kept for it"
    explore.wait_for_move(visitor, bar)
    explore.button(visitor, "cancel_load_button_page").click()
    bar.wait_for(state="detached")
    visitor.rest()
    assert top(visitor, "h2.cspca-words") == heading
    expect(visitor.page.get_by_text("large.zip")).to_have_count(0)
    assert explore.alerts(visitor) == []
