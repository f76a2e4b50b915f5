"""The Data page in a browser: a real file, hostile names, Cancel, two visitors, a phone."""

import http.client
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlparse

import numpy as np
from playwright.sync_api import Request, expect

from cspca.datasets import load_file, make_faces
from tests.browser import explore
from tests.browser.harness import Visitor
from tests.browser.test_upload import large_archive, orl_file
from tests.datasets import files

__all__ = ["large_archive", "orl_file"]  # fixtures

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


def choose(visitor: Visitor, field: str, words: str) -> None:
    """Choose another answer to one question."""
    open_list(visitor, field)
    visitor.page.get_by_role("option", name=words, exact=True).click()


def type_in(visitor: Visitor, field: str, words: str) -> None:
    """Type an answer that is not in the list."""
    open_list(visitor, field)
    visitor.page.keyboard.type(words)
    visitor.page.keyboard.press("Enter")


def plain_file(path: Path, n_pixels: int = 36) -> Path:
    """Write square pictures of noise, in a file that leaves no question open."""
    values = np.random.default_rng(0).random((6, n_pixels))
    side = round(n_pixels**0.5)
    np.savez(path, X=values, y=[0, 0, 0, 1, 1, 1], image_shape=[side, side])
    return path


def top(visitor: Visitor, selector: str) -> float:
    return visitor.page.locator(selector).bounding_box()["y"]


def close_up(visitor: Visitor) -> np.ndarray:
    picture = visitor.page.locator(".st-key-close_up_box img").first
    return explore.decoded(picture.get_attribute("src")).mean(axis=2) / 255.0


def test_a_real_file_is_read_corrected_and_used(visitor: Visitor, orl_file: Path) -> None:
    visitor.open("/data")
    visitor.rest()
    bring(visitor, orl_file)
    visitor.sees("400 images, 32 × 32, 40 classes")
    visitor.rest()
    data = load_file(orl_file)
    np.testing.assert_allclose(close_up(visitor), data.image(0), atol=0.01)

    choose(visitor, "shape", "16 × 64")
    visitor.sees("400 images, 16 × 64, 40 classes")
    choose(visitor, "shape", "32 × 32")
    visitor.sees("400 images, 32 × 32, 40 classes")
    choose(visitor, "size", "16 × 16")
    visitor.sees("Before: 32 × 32")

    assert "data" not in explore.query(visitor)
    explore.button(visitor, "use_draft_button").click()
    visitor.sees("Explore this data set")
    visitor.rest()
    assert len(explore.query(visitor)["data"]) > 20
    visitor.page.get_by_role("link", name="Explore this data set").click()
    explore.wait_for_certificate(visitor)
    assert explore.heatmap(visitor).shape[:2] == (16, 16)
    visitor.is_healthy()


def refusals(visitor: Visitor) -> list[str]:
    """The messages on screen but for one that questions are open."""
    return [one for one in explore.alerts(visitor) if "before the set can be used" not in one]


def test_each_refusal_stands_under_what_caused_it(visitor: Visitor, tmp_path: Path) -> None:
    good, bad = plain_file(tmp_path / "good.npz"), tmp_path / "bad.npy"
    bad.write_bytes(b"not at all")
    visitor.open("/data")
    visitor.rest()
    bring(visitor, good)
    visitor.sees("From good.npz, not in use yet.")
    type_in(visitor, "shape", "5 x 9")
    visitor.sees("“5 × 9” was not taken.")
    visitor.rest()
    (sentence,) = refusals(visitor)
    assert "an image of 5 × 9 does not have 36 pixels" in sentence
    question = visitor.page.locator("[class*=st-key-choice_shape_]").bounding_box()
    alert = visitor.page.locator("[data-testid=stAlert]", has_text=sentence[:40]).bounding_box()
    assert 0 <= alert["y"] - (question["y"] + question["height"]) < 40
    assert abs(alert["x"] - question["x"]) < 5
    assert visitor.page.locator("[class*=st-key-choice_shape_] input").input_value() in (
        "6 × 6",
        "",
    )
    type_in(visitor, "shape", "4 x 9")
    visitor.sees("6 images, 4 × 9")
    visitor.rest()
    assert refusals(visitor) == []
    type_in(visitor, "size", "18")
    visitor.sees("Before: 4 × 9")
    visitor.sees("6 images, 8 × 18")

    letter = tmp_path / "letter.doc"
    letter.write_text("Dear reader")
    bring(visitor, letter)
    visitor.sees("letter.doc is of a kind that is not read here: bring one of .mat")
    bring(visitor, bad)
    visitor.sees("bad.npy")
    visitor.sees("Nothing below has changed: it is still good.npz.")
    visitor.rest()
    (sentence,) = refusals(visitor)
    assert "bad.npy" in sentence
    assert visitor.page.locator(".st-key-sources [data-testid=stAlert]").count() == 1
    refusal = ".st-key-sources [data-testid=stAlert]"
    assert top(visitor, refusal) < top(visitor, "h2.cspca-words")
    visitor.is_healthy()


def test_open_questions_are_answered_with_the_keyboard_alone(
    visitor: Visitor, tmp_path: Path
) -> None:
    """Two answers, each by Space, with what it gives in view; then the set is used."""
    bare = tmp_path / "bare.npz"
    bare.write_bytes(files.npz(X=make_faces(8, 6, 24).data))
    visitor.open("/data")
    visitor.rest()
    bring(visitor, bare)
    visitor.sees("2 answers are needed before the set can be used.")
    visitor.rest()
    assert explore.button(visitor, "use_draft_button").is_disabled()
    pictures = visitor.page.locator(".st-key-open_samples .cspca-answer img")
    assert pictures.count() >= 1
    for left, answer in ((1, "samples_0"), (0, "features_0")):
        explore.button(visitor, f"answer_{answer}").focus()
        visitor.page.keyboard.press("Space")
        if left:
            visitor.sees("One answer is needed before the set can be used.")
        visitor.rest()
    assert refusals(visitor) == []
    explore.button(visitor, "use_draft_button").click()
    visitor.sees("Explore this data set")
    visitor.is_healthy()


def test_a_file_of_300_mb_is_refused_before_it_is_sent(visitor: Visitor, tmp_path: Path) -> None:
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


def test_two_visitors_see_only_their_own(
    server, visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    visitors = []
    for name, pixels in (("hers", 25), ("his", 36)):
        path = plain_file(tmp_path / f"{name}.npz", pixels)
        visitors.append((visit(server, width=390, height=844), path))
        visitors[-1][0].open("/data")
        visitors[-1][0].rest()
    for one, path in visitors:
        bring(one, path)
    for (one, _), mine, other in zip(visitors, ("hers", "his"), ("his.", "hers"), strict=True):
        one.sees("Use this set")
        one.rest()
        heading = one.page.locator("h2.cspca-words").inner_text()
        assert heading == mine
        assert other not in one.page.locator("[data-testid=stMain]").inner_text().split()
        wide = one.page.evaluate(
            """() => [document.documentElement, document.querySelector("[data-testid=stMain]")]
                .map((one) => one.scrollWidth - one.clientWidth)"""
        )
        assert max(wide) <= 0
        one.is_healthy()
