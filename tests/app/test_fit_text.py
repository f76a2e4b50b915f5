"""What the stage shows, in plain elements of the page."""

from __future__ import annotations

import numpy as np

from cspca.datasets import load_file
from tests.app.conftest import look, result, services, settled
from tests.datasets import files

LABEL = "The map as text"


def text(page):
    """The words in the folded text of the map."""
    expander = next(e for e in page.expander if e.label.startswith(LABEL))
    return "\n".join(element.value for element in expander.markdown)


def test_the_best_pixels_have_rows_and_columns_beside_the_stage(arrive):
    page = settled(arrive("explore", data="digits"))
    fit = result(page).fit
    shown = text(page)
    rows = [line for line in shown.splitlines() if line.startswith("|")][2:]
    assert len(rows) == 10
    for line, pixel in zip(rows, fit.feature_order[:10].tolist(), strict=True):
        row, column = divmod(pixel, 8)
        score = f"{fit.feature_scores[pixel]:.4g}"
        assert line == f"| {fit.ranks[pixel]} | {row + 1} | {column + 1} | {score} |"
    assert "Rows and columns count from 1" in shown


def test_the_numbers_of_the_map_stand_in_one_sentence(arrive):
    page = settled(arrive("explore", data="digits", alpha="0.2", beta="0.05"))
    fit = result(page).fit
    start = f"α = 0.2, β = 0.05: {fit.n_kept} of 64 pixels in use, rank {fit.rank}, objective"
    assert text(page).startswith(start)
    assert "of the optimum" in text(page)
    page.session_state["selected_pixel"] = 9
    assert "Picked: row 2, column 2" in text(look(page))


def test_a_map_without_an_order_lists_no_pixels_and_says_why(arrive):
    page = settled(arrive("explore", data="digits", alpha="1", beta="1"))
    assert result(page).fit.n_kept == 0
    assert "|" not in text(page)
    assert "exactly zero" in text(page)


def test_features_that_are_no_pixels_are_listed_once(arrive, server):
    rng = np.random.default_rng(0)
    table = load_file(files.csv(rng.random((30, 2)) @ rng.random((2, 6)), list("abcdef")), "t.csv")
    page = settled(arrive("explore", data=services().library.add(table), alpha="0.5"))
    assert "|" not in text(page)
    assert "of 6 features in use" in text(page)
    assert len(page.dataframe) == 1
    assert "pixel" not in text(page)
