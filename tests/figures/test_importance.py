"""Importance as figures and pictures that stand still."""

import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from cspca.figures.pictures import (
    CERTAINTY_COLOURS,
    MOST_RECTS,
    certainty_map,
    importance_alt,
    importance_map,
    importance_png,
    importance_rgb,
    importance_svg,
    mask_rgb,
)
from cspca.figures.style import ZERO, hex_to_rgb

SCORES = np.arange(12.0).reshape(3, 4) ** 2
RANKS = 12 - np.arange(12).reshape(3, 4)
SVG = "{http://www.w3.org/2000/svg}"


def picture(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)))


def test_the_map_holds_every_score_and_zeros_apart() -> None:
    drawn = importance_map(SCORES, RANKS)
    scores, zeros = drawn.data
    assert np.array_equal(scores.z, SCORES)
    assert scores.customdata.ravel().tolist() == [f"rank {rank}" for rank in RANKS.ravel()]
    assert np.array_equal(np.isnan(zeros.z), SCORES > 0)
    assert zeros.colorscale[0][1] == ZERO
    assert drawn.layout.yaxis.autorange == "reversed"
    assert len(importance_map(SCORES + 1, RANKS).data) == 1


def test_pixels_that_tie_share_a_rank_on_hover() -> None:
    drawn = importance_map(np.array([[3.0, 1.0], [1.0, 0.0]]), np.array([[1, 2], [2, 4]]))
    assert drawn.data[0].customdata.tolist() == [
        ["rank 1", "rank 2, shared by 2"],
        ["rank 2, shared by 2", "rank 4"],
    ]
    alike = importance_map(np.ones((2, 2)), np.ones((2, 2), dtype=int))
    assert set(alike.data[0].customdata.ravel()) == {"tied with all"}
    assert "rank" not in alike.data[0].hovertemplate


def test_the_strongest_of_a_map_is_not_named_where_it_ties() -> None:
    assert importance_alt([[3.0, 1.0], [0.0, 0.0]]).endswith(
        "2 are exactly zero; the strongest, at row 1, column 1, has 3."
    )
    assert importance_alt([[3.0, 3.0], [1.0, 0.0]]).endswith(
        "1 is exactly zero; the strongest, 2 that tie, have 3."
    )


def test_a_map_without_any_importance_is_drawn() -> None:
    drawn = importance_map(np.zeros((2, 2)), np.ones((2, 2)))
    assert drawn.data[0].zmax > drawn.data[0].zmin


def test_the_png_shows_what_the_page_shows() -> None:
    shown = picture(importance_png(SCORES))
    assert shown.shape[1] == 1024
    assert shown.shape[0] > 768
    assert np.array_equal(shown[128:768:256, 128::256], importance_rgb(SCORES))
    # The swatch of exact zeros stands in the legend.
    assert (shown[768:] == hex_to_rgb(ZERO)).all(axis=2).any()


@pytest.mark.parametrize("shape", [(1, 1), (2, 300), (300, 2), (112, 92)])
def test_a_png_of_any_shape_has_room_for_its_legend(shape: tuple[int, int]) -> None:
    scores = np.random.default_rng(0).random(shape)
    shown = picture(importance_png(scores))
    assert shown.shape[1] >= 200
    assert (shown[-3:] == 255).all()
    assert importance_png(scores) == importance_png(scores)


def test_the_svg_draws_every_pixel_as_it_is() -> None:
    root = ElementTree.fromstring(importance_svg(SCORES, "<&>"))
    assert root.find(f"{SVG}title").text == "<&>"
    seen = np.zeros((3, 4, 3), dtype=np.uint8)
    for rect in root.find(f"{SVG}g").iter(f"{SVG}rect"):
        x, y, width = (int(rect.get(name)) for name in ("x", "y", "width"))
        seen[y, x : x + width] = hex_to_rgb(rect.get("fill"))
    assert np.array_equal(seen, importance_rgb(SCORES))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert words == ["0", "importance", "121", "exactly zero (1)"]


def test_a_large_svg_holds_a_picture_and_asks_nobody() -> None:
    side = int(MOST_RECTS**0.5) + 1
    text = importance_svg(np.random.default_rng(0).random((side, side)))
    root = ElementTree.fromstring(text)
    (image,) = root.iter(f"{SVG}image")
    assert image.get("href").startswith("data:image/png;base64,")
    assert re.findall(r'https?://[^"]+', text) == ["http://www.w3.org/2000/svg"]


def test_a_mask_by_itself_has_two_colours() -> None:
    mask = np.array([[True, False], [False, False]])
    drawn = mask_rgb(mask)
    assert drawn[0, 0].min() > 200
    assert (drawn[~mask] == hex_to_rgb(ZERO)).all()


def test_the_map_of_certainty_says_how_many_are_both_one_or_neither():
    drawn = certainty_map(np.array([[0, 1, 1], [2, 3, 3]]), "Which?")
    (only,) = drawn.data
    assert only.z.tolist() == [[0, 1, 1], [2, 3, 3]], "no zeros apart: they are a kind of their own"
    assert only.customdata.tolist()[1] == [
        "only proven", "proven and reproducible", "proven and reproducible"
    ]  # fmt: skip
    assert drawn.layout.meta["alt"] == (
        "Of 6 pixels 2 are proven and reproducible, 1 only proven, 2 only reproducible, 1 neither."
    )
    shares = [share for share, _ in only.colorscale]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    # Each number lies in the middle of its own step.
    for number, colour in enumerate(CERTAINTY_COLOURS):
        assert only.colorscale[2 * number][1] == only.colorscale[2 * number + 1][1] == colour
        middle = (number - only.zmin) / (only.zmax - only.zmin)
        assert shares[2 * number] < middle < shares[2 * number + 1]
