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
