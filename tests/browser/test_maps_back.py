"""What comes in beside a set is laid on the right samples and features, and the page says where."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import expect

from cspca.datasets import load_file
from tests.browser import explore
from tests.browser.harness import Visitor
from tests.browser.journey import STICKS_OUT, Journey
from tests.datasets.kinds import write

AXIS = range(1100, 1702, 6)
RANGES_CHART = ".st-key-predict_curves .js-plotly-plot"
#: In the page: where two values of a chart's axis are across the window, and its middle downwards.
PLACES = """(plot, values) => {
    const { xaxis, yaxis } = plot._fullLayout
    const box = plot.getBoundingClientRect()
    const across = values.map(value => box.x + xaxis._offset + xaxis.l2p(value))
    return [...across, box.y + yaxis._offset + yaxis._length / 2]
}"""


def instrument(folder: Path) -> tuple[Path, Path]:
    """Spectra to fit, and ten of them again from an export whose columns run the other way."""
    curves, variety = write.spectra(60, len(AXIS), 3, 2)
    table = pd.DataFrame(curves, columns=[f"{place} nm" for place in AXIS])
    table.insert(0, "sample", [f"batch-{row:03d}" for row in range(60)])
    table["variety"] = write.words(variety, "arabica robusta")
    table.to_csv(folder / "calibration.csv", index=False)
    table.iloc[20:30, ::-1].to_csv(folder / "july.csv", index=False)
    return folder / "calibration.csv", folder / "july.csv"


def ranking_of_r(folder: Path, scores: np.ndarray) -> Path:
    """What write.csv makes of importance(), the best first, with names as make.names wrote them."""
    order = np.argsort(-scores, kind="stable")
    lines = ['"","%IncMSE","IncNodePurity"']
    lines += [f'"X{AXIS[place]}.nm",{scores[place] / 7:.6f},{scores[place]:.6f}' for place in order]
    path = folder / "importance.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def downloaded(visitor: Visitor, key: str) -> list[dict[str, str]]:
    with visitor.page.expect_download() as waiting:
        explore.button(visitor, key).click()
    return list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text("utf-8"))))


def test_new_spectra_and_a_ranking_from_r_map_back(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    calibration, july = instrument(tmp_path)
    data = load_file(calibration)
    visitor.open("/data")
    explore.upload(visitor, calibration)
    visitor.sees("60 spectra, 101 wavelengths, 2 classes")
    visitor.rest()

    # Ten of its own samples, with the columns in another order, have their own errors.
    explore.choose_page(visitor, "outliers")
    visitor.sees("Most suspicious first")
    visitor.rest()
    explore.button(visitor, "fit_files").click()
    own = {
        row["sample_from_1"]: float(row["residual"])
        for row in downloaded(visitor, "fit_ranking_csv")
    }
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="New spectra").click()
    page.get_by_role("radio", name="Bring new spectra").click()
    visitor.rest()
    page.locator("[class*=st-key-new_files] input[type=file]").set_input_files(july)
    visitor.sees("10 spectra, all among those of the fit.")
    visitor.sees("Columns are put in the order of the set by their names.")
    visitor.rest()
    new = downloaded(visitor, "new_new_csv")
    assert len(new) == 10
    for row in new:
        number = int(row["name"].removeprefix("batch-")) + 1
        np.testing.assert_allclose(float(row["error"]), own[f"{number}"], rtol=1e-9)
    listed = page.get_by_role("combobox", name="Largest error first")
    assert listed.input_value().startswith(new[0]["name"]), "the largest is looked at first"
    expect(page.locator(".st-key-new_rebuilt .js-plotly-plot")).to_have_count(1)

    # A ranking from R, the best first, is laid on the features by its names.
    scores = data.data.var(axis=0)
    explore.choose_page(visitor, "compare")
    page.get_by_text("Your own ranking").click()
    place = page.locator("[class*=st-key-upload_scores] input[type=file]")
    place.set_input_files(ranking_of_r(tmp_path, scores))
    visitor.sees("importance.csv has 2 columns that may be the score: %IncMSE and IncNodePurity.")
    visitor.rest()
    # By keyboard: what is typed opens the list anew where the page had scrolled and closed it.
    page.get_by_role("combobox", name="How to read importance.csv").press_sequentially("IncNode")
    page.keyboard.press("Enter")
    visitor.sees("By name: large is good in IncNodePurity")
    visitor.rest()
    best = [f"{AXIS[place]} nm" for place in np.argsort(-scores, kind="stable")[:6]]
    compare = Journey(visitor, "compare")
    for name in ("Laplacian Score", "SPEC", "MCFS", "UDFS"):
        page.get_by_role("button", name=name, exact=True).click()
        visitor.rest()
    compare.ask(n_seeds=2, n_features="6")
    compare.press("run")
    compare.stands("Done · ")
    visitor.rest()
    lists = page.locator(".st-key-method_masks .cspca-masks > div").all()
    selected = {
        entry.locator("b").inner_text(): entry.locator("li").all_inner_texts() for entry in lists
    }
    assert selected["Yours: importance"] == selected["Max variance"] == best
    chart = page.locator(".st-key-method_ranges .js-plotly-plot")
    expect(chart).to_have_count(1)
    assert page.evaluate(STICKS_OUT) <= 0
    visitor.is_healthy()


def test_ranges_are_dragged_over_written_and_revealed(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    visitor.open("/data")
    explore.upload(visitor, instrument(tmp_path)[0])
    visitor.sees("60 spectra, 101 wavelengths, 2 classes")
    visitor.rest()
    explore.choose_page(visitor, "explore")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    ticks = page.locator(".pm-axis > span:not(.key)").all_inner_texts()
    assert ticks == ["1100", "1200", "1300", "1400", "1500", "1600", "1700", "Wavelength (nm)"]
    visitor.sees("In use: ")

    explore.choose_page(visitor, "predict")
    visitor.sees("0 of 20 wavelengths chosen.")
    visitor.rest()
    plot = page.locator(RANGES_CHART)
    plot.scroll_into_view_if_needed()
    left, right, middle = plot.evaluate(PLACES, [1199, 1225])
    page.mouse.move(left, middle)
    page.mouse.down()
    page.mouse.move(right, middle + 5, steps=5)
    page.mouse.up()
    field = page.get_by_role("textbox", name="Ranges you would keep")
    expect(field).to_have_value("1202-1220")
    visitor.sees("4 of 20 wavelengths chosen.")
    field.fill("1202-1220, 1400-1420 nm")
    field.press("Enter")
    visitor.sees("8 of 20 wavelengths chosen.")
    visitor.rest()
    explore.button(visitor, "reveal_button").click()
    visitor.sees("left unexplained by yours")
    visitor.rest()
    expect(page.locator(".st-key-predict_ranges .js-plotly-plot")).to_have_count(1)
    for width, scheme in ((390, "dark"), (1280, "light")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(f"({STICKS_OUT})() <= 0")
        visitor.rest()
    visitor.is_healthy()
