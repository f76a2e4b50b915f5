"""What people bring first, from the upload to the right set in use: three presses at most each."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from playwright.sync_api import expect

from tests.browser import explore
from tests.browser.harness import Visitor
from tests.browser.journey import STICKS_OUT
from tests.datasets.kinds import write

MOST_CLICKS = 3
#: In the page: counts what a person presses.
COUNT_CLICKS = """() => {
    window.clicks = 0
    document.addEventListener("click", event => { window.clicks += event.isTrusted }, true)
}"""
#: In the page: is all of an element on screen, without scrolling?
ON_SCREEN = """key => {
    const box = document.querySelector(`.st-key-${key} button`)?.getBoundingClientRect()
    return box !== undefined && box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth
}"""
FOCUSED = """key => document.activeElement?.matches(
    `[class*=st-key-${key}] button:not([aria-label^=Help])`)"""


@dataclass(frozen=True)
class Upload:
    """Files that come together, the answers that they need, and the set that is right."""

    files: Sequence[Path]
    summary: str
    classes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


def spectra(folder: Path) -> Upload:
    curves, variety = write.spectra(60, 101, 3, 2)
    table = pd.DataFrame(curves, columns=[str(place) for place in range(1100, 2505, 14)][:101])
    table["variety"] = write.words(variety, "arabica robusta")
    table["moisture"] = (10 + 2 * np.random.default_rng(1).random(60)).round(2)
    table.to_csv(folder / "coffee.csv", index=False)
    return Upload(
        [folder / "coffee.csv"],
        "60 curves, 101 points, 2 classes",
        ("arabica", "robusta"),
        ("A target to be predicted, kept apart",),
    )


def photographs() -> dict[str, bytes]:
    """Upright pictures of 64 × 48 as a phone stores them, bright at the top: each of two things."""
    rng, contents = np.random.default_rng(2), {}
    for number in range(12):
        pixels = rng.integers(0, 60, (64, 48, 3)).astype(np.uint8)
        pixels[:20] = 230
        if number % 2:
            pixels[30:50, 12:36, 0] = 200
        orientation = (6, 1, 3, 8)[number // 2 % 4]
        n_turns = {1: 0, 6: 1, 3: 2, 8: 3}[orientation]
        exif, stream = Image.Exif(), io.BytesIO()
        exif[274] = orientation
        Image.fromarray(np.rot90(pixels, n_turns).copy()).save(stream, "JPEG", exif=exif)
        contents[f"IMG_{2031 + number}.jpg"] = stream.getvalue()
    return contents


def photographs_in_folders(folder: Path) -> Upload:
    members = {
        f"fruit/{('apple', 'pear')[number % 2]}/{name}": content
        for number, (name, content) in enumerate(photographs().items())
    }
    (folder / "fruit.zip").write_bytes(write.zipped(members))
    return Upload([folder / "fruit.zip"], "12 images, 64 × 48, 2 classes", ("apple", "pear"))


def photographs_alone(folder: Path) -> Upload:
    paths = []
    for name, content in photographs().items():
        paths.append(folder / name)
        paths[-1].write_bytes(content)
    return Upload(paths, "12 images, 64 × 48, no labels")


def long_table(folder: Path) -> Upload:
    values = np.random.default_rng(4).normal(size=(20, 15)).round(4)
    table = pd.DataFrame(values, [f"s{row}" for row in range(20)], [f"G{k}" for k in range(15)])
    table = table.rename_axis("sample").reset_index()
    table = table.melt("sample", var_name="feature", value_name="value")
    table.to_csv(folder / "long.csv", index=False)
    answer = "One sample for each “sample”"
    return Upload([folder / "long.csv"], "20 samples, 15 features, no labels", (), (answer,))


WIDE, LOW, PHONE = (1440, 900), (1280, 720), (390, 844)


def look_from(visitor: Visitor, size: tuple[int, int], scheme: str) -> None:
    """Look at the top of the page in a window of this size."""
    visitor.page.set_viewport_size({"width": size[0], "height": size[1]})
    visitor.page.emulate_media(color_scheme=scheme)
    visitor.page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 0)")
    visitor.rest()


def is_read(visitor: Visitor, upload: Upload) -> None:
    visitor.sees("not in use yet")
    visitor.rest()
    visitor.sees(f"{upload.summary}.")
    assert visitor.page.evaluate(ON_SCREEN, "use_draft_button"), "what was read is in sight"
    assert visitor.page.evaluate(STICKS_OUT) <= 0


def is_right_set_in_use(visitor: Visitor, upload: Upload) -> None:
    visitor.sees("Explore this data set")
    visitor.rest()
    expect(visitor.page.locator(explore.DATA_CARD)).to_contain_text(f"{upload.summary}.")
    names = visitor.page.locator("[class*=st-key-choice_class_names_] textarea")
    if upload.classes:
        assert names.input_value().splitlines() == list(upload.classes)
    else:
        assert names.count() == 0
    if "64 × 48" in upload.summary:
        shown = visitor.page.locator(".st-key-close_up_box img").first.get_attribute("src")
        brightness = explore.decoded(shown).mean(axis=(1, 2))
        assert brightness[:18].min() > 200 > 120 > brightness[22:].max(), "it stands upright"
    assert visitor.page.evaluate("window.clicks") <= MOST_CLICKS


def test_each_upload_is_in_use_after_three_clicks_or_by_the_keyboard_alone(
    visitor: Visitor, tmp_path: Path
) -> None:
    """What is read of each file is held by tests/datasets."""
    visitor.open("/data")
    look_from(visitor, PHONE, "light")
    # A built-in set is a row on a phone too: all of them are on one screen.
    top = explore.button(visitor, "use_faces").bounding_box()
    bottom = explore.button(visitor, "use_genes").bounding_box()
    assert bottom["y"] - top["y"] < PHONE[1] / 2
    visitor.page.evaluate(COUNT_CLICKS)
    for make, size, scheme in (
        (photographs_alone, LOW, "light"),
        (photographs_in_folders, WIDE, "dark"),
        (spectra, PHONE, "dark"),
    ):
        upload = make(tmp_path)
        look_from(visitor, size, scheme)
        visitor.page.evaluate("window.clicks = 0")
        place = visitor.page.locator("[class*=st-key-upload_file_bring] input[type=file]").first
        place.set_input_files(upload.files)
        is_read(visitor, upload)
        for answer in upload.answers:
            visitor.page.get_by_role("button", name=answer, exact=True).click()
            visitor.rest()
        explore.button(visitor, "use_draft_button").click()
        is_right_set_in_use(visitor, upload)
    a_long_table_is_brought_answered_and_used_with_the_keyboard_alone(visitor, tmp_path)
    visitor.is_healthy()


def a_long_table_is_brought_answered_and_used_with_the_keyboard_alone(
    visitor: Visitor, folder: Path
) -> None:
    upload = long_table(folder)
    look_from(visitor, LOW, "light")
    visitor.page.evaluate("window.clicks = 0")
    tab_to(visitor, "upload_file_bring")
    # Enter would open the window of the system, which is no part of the page.
    place = visitor.page.locator("[class*=st-key-upload_file_bring] input[type=file]").first
    place.set_input_files(upload.files)
    is_read(visitor, upload)
    tab_to(visitor, "answer_pivot_0")
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator(".st-key-open_pivot")).to_have_count(0)
    visitor.rest()
    tab_to(visitor, "use_draft_button")
    visitor.page.keyboard.press("Enter")
    is_right_set_in_use(visitor, upload)


def tab_to(visitor: Visitor, key: str) -> None:
    """Press Tab until a button of this key has the focus."""
    for _ in range(60):
        visitor.page.keyboard.press("Tab")
        if visitor.page.evaluate(FOCUSED, key):
            return
    raise AssertionError(f"{key} is not reached with Tab.")
