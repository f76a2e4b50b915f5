"""Pictures show the right pixels, stay crisp, and can be read out."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from cspca.figures.pictures import (
    contact_sheet,
    data_uri,
    grey,
    image_alt,
    importance_alt,
    importance_rgb,
    mask_alt,
    masked_rgb,
    png_bytes,
    signed_alt,
    signed_rgb,
    top_mask,
)
from cspca.figures.style import DIVERGING, DIVERGING_DARK, IMPORTANCE, ZERO, hex_to_rgb


def decoded(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)))


def test_data_uri_holds_the_png() -> None:
    picture = np.arange(6, dtype=np.uint8).reshape(2, 3)
    head, _, body = data_uri(picture).partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(body) == png_bytes(picture)


def test_grey_scales_and_clips() -> None:
    assert grey([[0.0, 0.5, 1.0, 2.0, -1.0, np.nan]]).tolist() == [[0, 128, 255, 255, 0, 0]]
    assert grey([[0.5, 4.0]], 4.0).tolist() == [[32, 255]]


def test_importance_marks_exact_zeros_only() -> None:
    scores = np.array([[0.0, 1e-300], [0.5, 1.0]])
    got = importance_rgb(scores)
    assert (got[0, 0] == hex_to_rgb(ZERO)).all()
    assert (got[0, 1] == IMPORTANCE[0]).all()
    assert (got[1, 0] == IMPORTANCE[128]).all()
    assert (got[1, 1] == IMPORTANCE[255]).all()
    assert (importance_rgb(scores, zeros=None)[0, 0] == IMPORTANCE[0]).all()


def test_importance_of_ties_zeros_negatives_and_missing() -> None:
    assert (importance_rgb(np.ones((2, 2))) == IMPORTANCE[255]).all()
    assert (importance_rgb(np.zeros((2, 2))) == hex_to_rgb(ZERO)).all()
    assert (importance_rgb(np.full((2, 2), np.nan)) == hex_to_rgb(ZERO)).all()
    signed = importance_rgb([[-2.0, 2.0]])
    assert (signed[0, 0] == IMPORTANCE[0]).all()
    assert (signed[0, 1] == IMPORTANCE[255]).all()


def test_top_mask_takes_the_first_k() -> None:
    order = np.array([3, 0, 2, 1])
    assert top_mask(order, 2, (2, 2)).tolist() == [[True, False], [False, True]]
    assert not top_mask(order, 0, (2, 2)).any()
    assert top_mask(order, 99, (2, 2)).all()


def test_mask_leaves_kept_pixels_alone_and_tints_all_others() -> None:
    rng = np.random.default_rng(0)
    face = rng.random((16, 16))
    face[0, :2] = 0, 1
    mask = rng.random((16, 16)) < 0.5
    got = masked_rgb(face, mask).astype(int)
    assert (got[mask] == grey(face)[mask][:, None]).all()
    # No dropped pixel is grey, be it black or white in the face, and all are dark.
    spread = got.max(axis=2) - got.min(axis=2)
    assert spread[~mask].min() > 40
    assert got[~mask].max() < 170
    # The face can still be made out.
    assert got[~mask][:, 1].max() - got[~mask][:, 1].min() > 30


@pytest.mark.parametrize(("dark", "table"), [(False, DIVERGING), (True, DIVERGING_DARK)])
def test_signed_is_centred_at_zero(dark: bool, table: np.ndarray) -> None:
    got = signed_rgb([[-1.0, 0.0, 4.0]], dark=dark)
    assert (got[0, 2] == table[255]).all()
    assert (got[0, 1] == table[128]).all()
    assert (got[0, 0] == table[96]).all()
    assert (signed_rgb(np.zeros((2, 2)), dark=dark) == table[128]).all()


def test_contact_sheet_places_row_by_row() -> None:
    images = np.stack([np.full((2, 3), v) for v in (0.0, 0.2, 0.4, 0.6, 0.8)])
    sheet = contact_sheet(images, columns=2)
    assert sheet.shape == (8, 7)
    assert sheet[0, 0] == 0
    assert sheet[0, 4] == 51
    assert sheet[3, 0] == 102
    assert sheet[7, 2] == 204
    assert (sheet[2] == 128).all()
    assert (sheet[:, 3] == 128).all()
    # The last row has one empty place.
    assert (sheet[6:, 4:] == 128).all()


def test_sentences_have_the_numbers() -> None:
    scores = np.zeros((4, 5))
    scores[2, 3] = 0.25
    scores[0, 0] = 0.125
    assert importance_alt(scores) == (
        "Importance of 20 pixels (4 × 5): 18 are exactly zero; the strongest, at row 3, column 4, "
        "has 0.25."
    )
    assert "every score is 1, so all pixels tie" in importance_alt(np.ones((2, 2)))
    assert "exactly zero" in importance_alt(np.zeros((2, 2)))
    assert "no scores yet" in importance_alt(np.full((2, 2), np.nan))
    mask = np.zeros((4, 4), bool)
    mask[:2, :2] = True
    assert mask_alt(mask) == (
        "4 of 16 pixels are kept (25 %), 100 % of them in the upper half of the image."
    )
    assert mask_alt(np.zeros((4, 4), bool)) == "0 of 16 pixels are kept (0 %)."
    assert signed_alt([[-2.0, 0.0, 1.5]], "Component 3") == (
        "Component 3: 1 positive and 1 negative, from -2 to 1.5."
    )
    assert "all 4 are exactly zero" in signed_alt(np.zeros((2, 2)), "A − B")
    assert image_alt(np.full((2, 3), 0.25), "Anna") == (
        "Anna, 2 × 3 pixels, mean grey level 25 % of white."
    )
