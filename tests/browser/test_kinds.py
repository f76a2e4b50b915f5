"""Spectra, genes and a table with targets, each from its file over every page to its report."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, expect

from cspca.datasets import Dataset, load_file
from tests.browser import explore
from tests.browser.harness import Visitor
from tests.browser.journey import STICKS_OUT, Journey
from tests.browser.test_takeaway import opened
from tests.browser.test_uploads import COUNT_CLICKS, MOST_CLICKS
from tests.datasets.kinds import write

WAVELENGTHS = range(1100, 2500, 10)
N_WAVELENGTHS = len(WAVELENGTHS)
DIAGNOSES = np.array(["control", "relapse", "tumour"])
N_GENES = 1000
LAST_GENE = "ENSG00000199999_uncharacterised_protein_LOC101999_isoform_X4"
#: In the page: which columns of the map of bars have something at the very top of them.
SHADED = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 1)
    return Array.from({ length: canvas.width }, (_, column) => data[4 * column + 3] > 0)
}"""
RANGES_CHART = ".st-key-predict_curves .js-plotly-plot"
#: In the page: where two values of a chart's axis are across the window, and its middle downwards.
PLACES = """(plot, values) => {
    const { xaxis, yaxis } = plot._fullLayout
    const box = plot.getBoundingClientRect()
    const across = values.map(value => box.x + xaxis._offset + xaxis.l2p(value))
    return [...across, box.y + yaxis._offset + yaxis._length / 2]
}"""
#: In the page: the whole map, as it is drawn.
DRAWING = "canvas => canvas.toDataURL()"


def spectra(folder: Path) -> tuple[Path, Path]:
    """60 near infrared spectra, and ten of them from an export whose columns run the other way."""
    curves, variety = write.spectra(60, N_WAVELENGTHS, 3, 2)
    table = pd.DataFrame(curves.round(5), columns=[f"{place} nm" for place in WAVELENGTHS])
    table.insert(0, "sample", [f"bean-{row:02d}" for row in range(60)])
    table["variety"] = write.words(variety, "arabica robusta")
    table.to_csv(folder / "coffee.csv", index=False)
    table.iloc[20:30, ::-1].to_csv(folder / "july.csv", index=False)
    return folder / "coffee.csv", folder / "july.csv"


def ranking_of_r(folder: Path, scores: np.ndarray) -> Path:
    """What write.csv makes of importance(), the best first, with names as make.names wrote them."""
    lines = ['"","%IncMSE","IncNodePurity"']
    for place in np.argsort(-scores, kind="stable"):
        score = scores[place]
        lines.append(f'"X{WAVELENGTHS[place]}.nm",{score / 7:.6f},{score:.6f}')
    path = folder / "importance.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def genes(folder: Path) -> Path:
    """Log counts of 1,000 genes in 40 patients; 180 genes are higher in one diagnosis each."""
    rng = np.random.default_rng(0)
    diagnosis = rng.permutation(np.arange(40) % 3)
    expected = np.tile(rng.gamma(2.0, 60.0, N_GENES), (3, 1))
    for kind in range(3):
        expected[kind, 60 * kind : 60 * (kind + 1)] *= 6.0
    counts = rng.poisson(expected[diagnosis] * rng.gamma(5.0, 0.2, (40, N_GENES)))
    names = [
        f"ENSG{100_198_000 + gene:011d}_uncharacterised_protein_LOC{100_000 + gene}_isoform_X4"
        for gene in range(N_GENES)
    ]
    table = pd.DataFrame(np.log2(counts + 1.0).round(4), columns=[*names[:-1], LAST_GENE])
    table.insert(0, "patient", [f"patient {row:02d}" for row in range(40)])
    table["diagnosis"] = DIAGNOSES[diagnosis]
    table.to_csv(folder / "genes.csv", index=False)
    return folder / "genes.csv"


def wines(folder: Path) -> Path:
    """Measurements of 120 wines, two targets, one of them in grades, and what a taster wrote."""
    rng = np.random.default_rng(1)
    columns = ["fixed acidity", "citric acid", "residual sugar", "chlorides", "pH", "sulphates"]
    common = rng.normal(size=(120, 2)) @ rng.normal(size=(2, 6))
    table = pd.DataFrame((5 + common + 0.3 * rng.normal(size=(120, 6))).round(3), columns=columns)
    table["yield"] = (60 + 2 * common[:, 1] + rng.normal(size=120)).round(2)
    table["quality"] = (90 + 2 * common[:, 0] + rng.normal(size=120)).round().astype(int)
    table["tasting note"] = [f"Dark fruit and leather, glass {row}." for row in range(120)]
    table.to_csv(folder / "wines.csv", index=False)
    return folder / "wines.csv"


def is_uploaded(visitor: Visitor, file: Path) -> None:
    """Upload a file on Data, and wait until it is read."""
    visitor.open("/data")
    visitor.rest()
    visitor.page.evaluate(COUNT_CLICKS)
    place = visitor.page.locator("[class*=st-key-upload_file_bring] input[type=file]").first
    place.set_input_files(file)
    visitor.sees("not in use yet")
    visitor.rest()


def is_read(visitor: Visitor, file: Path) -> Dataset:
    """Upload a file of which nothing has to be asked, and return the set that it is."""
    is_uploaded(visitor, file)
    data = load_file(file)
    visitor.sees(f"{data.summary}.")
    return data


def is_used(visitor: Visitor) -> None:
    """Take what was read in use; that was at most the third press."""
    explore.button(visitor, "use_draft_button").click()
    visitor.sees("Explore this data set")
    visitor.rest()
    assert visitor.page.evaluate("window.clicks") <= MOST_CLICKS


def fits_a_phone(visitor: Visitor) -> None:
    """On a phone nothing sticks out."""
    page = visitor.page
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.rest()
    # Charts are drawn anew for their new width.
    page.wait_for_function(f"({STICKS_OUT})() <= 0")
    page.set_viewport_size({"width": 1440, "height": 900})
    visitor.rest()


def arrives(visitor: Visitor, name: str) -> None:
    """Choose a page of the menu and wait until it is drawn."""
    explore.choose_page(visitor, name)
    visitor.rest()


def plays_by_keyboard(visitor: Visitor) -> None:
    """The film moves with the arrows, draws another map each time, and goes with Escape."""
    page = visitor.page
    scrub = page.locator(f"{explore.STAGE} .scrub")
    expect(scrub).to_have_attribute("aria-label", re.compile(r"(\d+) of \1 frames"))
    visitor.rest()
    bars = page.locator(f"{explore.MAP} .pm-base")
    drawings, spoken = [bars.evaluate(DRAWING)], [scrub.get_attribute("aria-valuetext")]
    scrub.focus()
    # As a key that is held down: at rest the page would take what was let go.
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
        explore.draw_two_frames(visitor)
        drawings.append(bars.evaluate(DRAWING))
        spoken.append(scrub.get_attribute("aria-valuetext"))
    assert len(set(drawings)) == len(set(spoken)) == 4
    page.keyboard.press("Escape")
    expect(scrub).to_have_attribute("aria-valuetext", spoken[0])
    visitor.rest()


def compared(visitor: Visitor) -> dict[str, list[str]]:
    """Run four methods to the end; returns what each selects, by its title."""
    page, journey = visitor.page, Journey(visitor, "compare")
    for name in ("Laplacian Score", "SPEC", "MCFS", "UDFS"):
        page.get_by_role("button", name=name, exact=True).click()
    visitor.rest()
    journey.ask(n_seeds=2, n_features="6")
    journey.press("run")
    journey.stands("Done · ")
    visitor.rest()
    lists = page.locator(".st-key-method_masks .cspca-masks > div").all()
    return {
        entry.locator("b").inner_text(): entry.locator("li").all_inner_texts() for entry in lists
    }


def report_of_explore(visitor: Visitor, folder: Path) -> Path:
    """The report of the fit, as it is downloaded."""
    visitor.page.get_by_role("button", name="Download", exact=True).click()
    with visitor.page.expect_download() as waiting:
        explore.button(visitor, "fit_report").click()
    visitor.page.keyboard.press("Escape")
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def downloaded(visitor: Visitor, key: str) -> list[dict[str, str]]:
    """The lines of the CSV file that a button downloads."""
    with visitor.page.expect_download() as waiting:
        explore.button(visitor, key).click()
    return list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text("utf-8"))))


def test_spectra_from_their_file_to_their_report(
    visitor: Visitor, browser: Browser, tmp_path: Path
) -> None:
    """What comes in beside them is laid on the right samples and wavelengths."""
    page = visitor.page
    calibration, july = spectra(tmp_path)
    data = is_read(visitor, calibration)
    assert data.data.shape == (60, N_WAVELENGTHS)
    is_used(visitor)

    arrives(visitor, "explore")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    ticks = page.locator(".pm-axis > span:not(.key)").all_inner_texts()
    assert ticks == ["1200", "1400", "1600", "1800", "2000", "2200", "2400", "Wavelength (nm)"]
    in_use = page.get_by_text(re.compile(r"^In use: [\d –]+ nm\.$")).first.inner_text()
    first, last = map(int, re.findall(r"\d+", in_use))
    shaded = np.flatnonzero(page.locator(f"{explore.MAP} .pm-base").evaluate(SHADED))
    n_columns = page.locator(f"{explore.MAP} .pm-base").evaluate("canvas => canvas.width")
    # One range is shaded, from the first to the last wavelength in use.
    assert np.ptp(shaded) + 1 == len(shaded)
    ends = N_WAVELENGTHS * np.array([shaded[0], shaded[-1] + 1]) / n_columns
    in_range = [WAVELENGTHS.index(first), WAVELENGTHS.index(last) + 1]
    np.testing.assert_allclose(ends, in_range, atol=1.1)
    name = data.nouns.sample.capitalize()
    visitor.sees(f"{name} 1 (bean-00), arabica, rebuilt with a mean error of")
    plays_by_keyboard(visitor)
    fits_a_phone(visitor)
    report = report_of_explore(visitor, tmp_path)
    a_range_is_drawn_and_written(visitor)
    new_spectra_have_their_own_errors(visitor, july)
    a_ranking_is_laid_on_the_wavelengths(visitor, ranking_of_r(tmp_path, data.data.var(axis=0)))

    offline, complaints = opened(browser, report)
    along = offline.locator("[data-name=where-along-the-axis]")
    expect(along.locator(".main-svg").first).to_be_visible()
    expect(along).to_contain_text("nm")
    words = re.compile(f"is at \\d{{4}} nm; in use: {first} – {last} nm")
    expect(along.locator(".plot")).to_have_attribute("aria-label", words)
    assert complaints == []
    offline.context.close()
    visitor.is_healthy()


def a_range_is_drawn_and_written(visitor: Visitor) -> None:
    """On Predict the mouse chooses the wavelengths over which it is drawn, and so does text."""
    page = visitor.page
    arrives(visitor, "predict")
    plot = page.locator(RANGES_CHART)
    plot.scroll_into_view_if_needed()
    left, right, middle = plot.evaluate(PLACES, [1595, 1625])
    page.mouse.move(left, middle)
    page.mouse.down()
    page.mouse.move(right, middle + 5, steps=5)
    page.mouse.up()
    field = page.get_by_role("textbox", name="Ranges you would keep")
    expect(field).to_have_value("1600-1620")
    visitor.rest()
    field.fill("1650-1700")
    field.press("Enter")
    visitor.sees(re.compile(r"^6 of \d+ \w+ chosen\."))
    visitor.rest()
    explore.button(visitor, "reveal_button").click()
    visitor.sees("left unexplained by yours")
    visitor.rest()


def new_spectra_have_their_own_errors(visitor: Visitor, file: Path) -> None:
    """Ten of the fit's own samples, with the columns in another order, have their own errors."""
    page = visitor.page
    arrives(visitor, "outliers")
    visitor.sees("Most suspicious first")
    visitor.rest()
    explore.button(visitor, "fit_files").click()
    residuals = {
        row["sample_from_1"]: float(row["residual"])
        for row in downloaded(visitor, "fit_ranking_csv")
    }
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="New spectra").click()
    page.get_by_role("radio", name="Bring new spectra").click()
    visitor.rest()
    page.locator("[class*=st-key-new_files] input[type=file]").set_input_files(file)
    visitor.sees("10 spectra, all among those of the fit.")
    visitor.sees("Columns are put in the order of the set by their names.")
    visitor.rest()
    new = downloaded(visitor, "new_new_csv")
    assert len(new) == 10
    for row in new:
        number = int(row["name"].removeprefix("bean-")) + 1
        np.testing.assert_allclose(float(row["error"]), residuals[f"{number}"], rtol=1e-9)
    listed = page.get_by_role("combobox", name="Largest error first")
    assert listed.input_value().startswith(new[0]["name"]), "the largest is looked at first"
    expect(page.locator(".st-key-new_rebuilt .js-plotly-plot")).to_have_count(1)


def a_ranking_is_laid_on_the_wavelengths(visitor: Visitor, file: Path) -> None:
    """A ranking from R, by variance and the best first, is laid on the features by its names."""
    page = visitor.page
    arrives(visitor, "compare")
    page.get_by_text("Your own ranking").click()
    page.locator("[class*=st-key-upload_scores] input[type=file]").set_input_files(file)
    visitor.sees("importance.csv has 2 columns that may be the score: %IncMSE and IncNodePurity.")
    visitor.rest()
    # By keyboard: what is typed opens the list anew where the page had scrolled and closed it.
    page.get_by_role("combobox", name="How to read importance.csv").press_sequentially("IncNode")
    page.keyboard.press("Enter")
    visitor.sees("By name: large is good in IncNodePurity")
    visitor.rest()
    selected = compared(visitor)
    assert selected["Yours: importance"] == selected["Max variance"]
    assert all(re.fullmatch(r"\d{4} nm", name) for name in selected["CSPCA"])
    bands = page.locator(".st-key-method_ranges .js-plotly-plot")
    expect(bands).to_have_count(1)
    expect(bands).to_contain_text(re.compile("CSPCA.*1200.*nm"))
    fits_a_phone(visitor)


def leaves_room_for_numbers_on_a_phone(visitor: Visitor) -> None:
    """Long names stay where they are while numbers are scrolled: they must not cover them."""
    page = visitor.page
    page.get_by_role("radio", name="Samples", exact=True).click()
    visitor.sees("Which samples lie together?")
    visitor.rest()
    page.get_by_role("radio", name="Two classes", exact=True).click()
    visitor.sees("Mean of control (14 samples) minus mean of relapse (13 samples):")
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.rest()
    room = page.locator(".cspca-scroll").filter(has_text="_isoform_X4").first
    name = room.locator("tbody th").first
    assert name.bounding_box()["width"] < room.bounding_box()["width"] / 2
    page.set_viewport_size({"width": 1440, "height": 900})


def test_genes_from_their_file_to_their_report(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    data = is_read(visitor, genes(tmp_path))
    assert data.data.shape == (40, N_GENES)
    is_used(visitor)

    arrives(visitor, "explore")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    plays_by_keyboard(visitor)
    # Any gene is found, and its name can be read whole.
    many = data.nouns.features
    page.get_by_role("textbox", name=f"Find {many} by name").fill("loc101999")
    page.keyboard.press("Enter")
    visitor.sees("1 of 1,000 names contains “loc101999”.")
    visitor.rest()
    cells = page.locator("[data-testid=stDataFrame] [role=gridcell]")
    expect(cells.filter(has_text=LAST_GENE)).to_have_count(1)
    fits_a_phone(visitor)
    report = report_of_explore(visitor, tmp_path)
    leaves_room_for_numbers_on_a_phone(visitor)

    arrives(visitor, "predict")
    names = page.get_by_role("textbox", name=f"{many.capitalize()} you would keep, by name")
    names.fill(f"{LAST_GENE}\nno such gene")
    names.press("Control+Enter")
    visitor.sees("“no such gene” is not among the 1,000 names")
    names.fill(LAST_GENE.lower())
    names.press("Control+Enter")
    visitor.sees(f"1 of {data.nouns.count_features(100)} chosen.")
    visitor.rest()
    explore.button(visitor, "reveal_button").click()
    visitor.sees("left unexplained by yours")
    visitor.rest()
    expect(page.locator(".st-key-predict_names li").first).to_have_text(LAST_GENE)

    content = report.read_text("utf-8")
    assert data.summary in content
    assert "_isoform_X4" in content
    visitor.is_healthy()


def test_a_table_with_a_target_and_words_from_its_file_to_its_report(
    visitor: Visitor, tmp_path: Path
) -> None:
    page, file = visitor.page, wines(tmp_path)
    table = pd.read_csv(file)
    n_grades = table["quality"].nunique()
    is_uploaded(visitor, file)
    visitor.sees("yield is left out of the features.")
    visitor.sees("tasting note is left out of the features.")
    visitor.sees("One answer is needed before the set can be used.")
    page.get_by_role("button", name="quality", exact=True).click()
    visitor.sees(f"120 samples, 6 features, {n_grades} classes.")
    visitor.rest()
    is_used(visitor)

    arrives(visitor, "explore")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    plays_by_keyboard(visitor)
    expect(page.locator(".pm-axis span")).to_have_text(list(table.columns[:6]))
    cells = page.locator("[data-testid=stDataFrame] [role=gridcell]")
    expect(cells.filter(has_text=re.compile("|".join(table.columns[:6])))).not_to_have_count(0)
    expect(cells.filter(has_text=re.compile("yield|quality|tasting"))).to_have_count(0)
    report = report_of_explore(visitor, tmp_path)

    arrives(visitor, "predict")
    page.get_by_role("combobox", name="Features you would keep").fill("chlorides")
    page.keyboard.press("Enter")
    visitor.sees("1 of 3 features chosen.")
    page.keyboard.press("Escape")
    visitor.rest()
    explore.button(visitor, "reveal_button").click()
    visitor.sees("left unexplained by yours")
    visitor.rest()
    expect(page.locator(".st-key-predict_names li").first).to_have_text("chlorides")

    content = report.read_text("utf-8")
    assert f"120 samples, 6 features, {n_grades} classes" in content
    assert content.count("leather") == 0, "what a taster wrote"
    visitor.is_healthy()
