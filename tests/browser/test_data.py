"""The Data page in a browser: a real file, hostile names, Cancel, two visitors, a phone."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from cspca.datasets import load_file
from cspca.ui import keys
from tests.browser import explore
from tests.browser.harness import Visitor
from tests.browser.test_upload import orl_file
from tests.datasets import files

__all__ = ["orl_file"]  # a fixture

HOSTILE = "<img src=x onerror=window.owned=1>"
SCRIPT = "<script>window.owned=1</script>"


def bring(visitor: Visitor, *paths: Path) -> None:
    """Bring files through the page's own uploader."""
    place = visitor.page.locator(f"[class*=st-key-{keys.BRING}_] input[type=file]").first
    place.set_input_files(list(paths))


def open_list(visitor: Visitor, field: str) -> None:
    """Open the list of answers to one question."""
    visitor.rest()
    box = visitor.page.locator(f"[class*=st-key-{keys.CHOICE}_{field}_] [role=combobox]")
    # Scrolling closes a list: scroll first, then open it.
    box.evaluate("box => box.scrollIntoView({block: 'center'})")
    visitor.page.wait_for_timeout(300)
    box.click()


def choose(visitor: Visitor, field: str, words: str) -> None:
    """Choose another answer to one question."""
    open_list(visitor, field)
    visitor.page.get_by_role("option", name=words, exact=True).click()


def close_up(visitor: Visitor) -> np.ndarray:
    picture = visitor.page.locator(f".st-key-{keys.BOX_CLOSE_UP} img").first
    return explore.shown_picture(picture)


def test_a_real_file_is_read_corrected_and_used(visitor: Visitor, orl_file: Path) -> None:
    visitor.open("/data")
    visitor.rest()
    bring(visitor, orl_file)
    visitor.sees("400 images, 32 × 32, 40 classes")
    visitor.rest()
    data = load_file(orl_file)
    np.testing.assert_allclose(close_up(visitor), data.image(0), atol=0.01)

    choose(visitor, "image_shape", "16 × 64")
    visitor.sees("400 images, 16 × 64, 40 classes")
    choose(visitor, "image_shape", "32 × 32")
    visitor.sees("400 images, 32 × 32, 40 classes")
    choose(visitor, "size", "16 × 16")
    visitor.sees("Before: 32 × 32")

    assert explore.query(visitor)["data"] == "faces"
    explore.button(visitor, keys.USE_DRAFT).click()
    visitor.sees("In use: explore it")
    assert len(explore.query(visitor)["data"]) > 20
    visitor.page.get_by_text("In use: explore it").click()
    explore.wait_for_certificate(visitor)
    assert explore.heatmap(visitor).shape[:2] == (16, 16)
    visitor.is_healthy()


def test_names_from_files_come_out_as_text(visitor: Visitor, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    members = {
        f"{name}/{number}.png": files.picture(rng.integers(0, 255, (12, 12), np.uint8))
        for name in ("<img src=x onerror=window.owned=1>", "<script>window.owned=1<script>")
        for number in range(4)
    }
    archive = tmp_path / "<b>faces<b>.zip"
    archive.write_bytes(files.zipped(members))
    visitor.open("/data")
    visitor.rest()
    bring(visitor, archive)
    visitor.sees("8 images, 12 × 12, 2 classes")
    visitor.rest()
    visitor.sees(HOSTILE)
    visitor.sees("<b>faces<b>")
    explore.button(visitor, keys.USE_DRAFT).click()
    visitor.sees("In use: explore it")

    table = tmp_path / "table.csv"
    header = [SCRIPT, HOSTILE, "c", "d", "**e**", "who"]
    rows = [[*np.round(rng.random(5), 3), SCRIPT if k % 2 else HOSTILE] for k in range(12)]
    table.write_bytes(files.csv(rows, header=header))
    bring(visitor, table)
    visitor.sees("12 samples, 5 features, 2 classes")
    visitor.rest()
    open_list(visitor, "leave_out")
    expect(visitor.page.get_by_role("option", name=HOSTILE)).to_be_visible()
    visitor.page.keyboard.press("Escape")
    explore.button(visitor, keys.USE_DRAFT).click()
    visitor.sees("In use: explore it")
    for path in ("/explore", "/"):
        visitor.open(f"{path}?data={explore.wait_for_query(visitor, 'data')}")
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
    bring(visitor, large_archive)
    bar = visitor.page.get_by_role("progressbar")
    bar.wait_for()
    visitor.page.wait_for_function(
        """() => { const now = document.querySelector("[role=progressbar]")
            ?.getAttribute("aria-valuenow"); window.seen = (window.seen ?? new Set()).add(now)
            return [...window.seen].filter((one) => one > 0).length > 1 }"""
    )
    explore.button(visitor, keys.CANCEL_LOAD).click()
    bar.wait_for(state="detached", timeout=5000)
    visitor.rest()
    assert explore.button(visitor, keys.USE_DRAFT).count() == 0
    assert explore.alerts(visitor) == []
    visitor.is_healthy()


def test_two_visitors_see_only_their_own(
    server, visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    visitors = []
    for name, pixels in (("hers", 25), ("his", 36)):
        path = tmp_path / f"{name}.npy"
        np.save(path, rng.random((6, pixels)))
        visitors.append((visit(server, width=390, height=844), path))
        visitors[-1][0].open("/data")
        visitors[-1][0].rest()
    for one, path in visitors:
        bring(one, path)
    for (one, _), mine, other in zip(visitors, ("hers", "his"), ("his.", "hers"), strict=True):
        one.sees("Use this set")
        one.rest()
        heading = one.page.locator("h3.cspca-words").inner_text()
        assert heading == mine
        assert other not in one.page.locator("[data-testid=stMain]").inner_text().split()
        wide = one.page.evaluate(
            """() => [document.documentElement, document.querySelector("[data-testid=stMain]")]
                .map((one) => one.scrollWidth - one.clientWidth)"""
        )
        assert max(wide) <= 0
        one.is_healthy()
