"""The colour maps keep their promises: uniform, safe for every vision, grey-readable."""

import numpy as np
import pytest

from cspca.figures import colours
from cspca.figures.colours import (
    DIVERGING,
    DIVERGING_DARK,
    IMPORTANCE,
    METHOD_COLOURS,
    METHOD_SHAPES,
    ZERO,
    contrast,
    from_oklab,
    hex_to_rgb,
    method_colour,
    rgb_to_hex,
    to_oklab,
    to_rgb,
)

LIGHT_PAGE, DARK_PAGE = "#ffffff", "#12161c"

# Machado, Oliveira, Fernandes 2009, full severity; on linear light.
VISION = {
    "typical": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def seen_by(matrix: np.ndarray, rgb: np.ndarray) -> np.ndarray:
    c = np.asarray(rgb) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    mixed = np.clip(linear @ matrix.T, 0, 1)
    back = np.where(mixed <= 0.0031308, 12.92 * mixed, 1.055 * mixed ** (1 / 2.4) - 0.055)
    return to_oklab(255 * back)


@pytest.mark.parametrize("table", [IMPORTANCE, DIVERGING, DIVERGING_DARK])
def test_tables_are_256_read_only_colours(table: np.ndarray) -> None:
    assert table.shape == (256, 3)
    assert table.dtype == np.uint8
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


def test_importance_is_perceptually_uniform() -> None:
    # Over 16 steps, so that the rounding to 8 bits does not count.
    steps = np.linalg.norm(np.diff(to_oklab(IMPORTANCE[::17]), axis=0), axis=1)
    assert steps.std() / steps.mean() < 0.15


@pytest.mark.parametrize("vision", VISION)
def test_importance_gets_lighter_for_every_vision(vision: str) -> None:
    lightness = seen_by(VISION[vision], IMPORTANCE[::5])[:, 0]
    assert (np.diff(lightness) > 0).all()


@pytest.mark.parametrize("vision", VISION)
def test_exact_zero_differs_from_every_score_for_every_vision(vision: str) -> None:
    table = seen_by(VISION[vision], IMPORTANCE)
    zero = seen_by(VISION[vision], hex_to_rgb(ZERO))
    assert np.linalg.norm(table - zero, axis=1).min() > 0.1
    # In grey too: darker than the weakest score.
    assert zero[0] < table[:, 0].min() - 0.1


@pytest.mark.parametrize("table", [DIVERGING, DIVERGING_DARK])
def test_diverging_is_balanced_around_a_neutral_middle(table: np.ndarray) -> None:
    lab = to_oklab(table)
    middle = lab[127:129].mean(axis=0)
    assert np.hypot(middle[1], middle[2]) < 0.02
    assert abs(lab[0, 0] - lab[-1, 0]) < 0.1
    # Blue is negative, orange positive.
    assert lab[20, 2] < -0.05
    assert lab[-20, 2] > 0.05


def test_methods_have_a_colour_and_a_marker_each() -> None:
    assert METHOD_COLOURS["CSPCA"] == colours.ACCENT
    assert METHOD_COLOURS.keys() == METHOD_SHAPES.keys()
    assert len(set(METHOD_COLOURS.values())) == len(METHOD_COLOURS)
    assert method_colour("something else") == colours.NEUTRAL


@pytest.mark.parametrize("name", METHOD_COLOURS)
def test_methods_stand_out_on_both_pages(name: str) -> None:
    assert contrast(method_colour(name), LIGHT_PAGE) >= 3
    assert contrast(method_colour(name, dark=True), DARK_PAGE) >= 3


def test_dark_colours_keep_their_hue() -> None:
    light = to_oklab(hex_to_rgb(method_colour("CSPCA")))
    dark = to_oklab(hex_to_rgb(method_colour("CSPCA", dark=True)))
    assert dark[0] > light[0]
    turn = np.arctan2(dark[2], dark[1]) - np.arctan2(light[2], light[1])
    assert abs(turn) < 0.1


def test_oklab_there_and_back() -> None:
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 256, (200, 3)).astype(np.uint8)
    assert np.abs(from_oklab(to_oklab(rgb)).astype(int) - rgb).max() <= 1


def test_known_contrasts() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_hex_there_and_back_and_errors() -> None:
    assert rgb_to_hex(hex_to_rgb("#0072B2")) == "#0072b2"
    for wrong in ("#12", "blue", "#1234567g"):
        with pytest.raises(ValueError, match="#rrggbb"):
            hex_to_rgb(wrong)


def test_to_rgb_ends_clip_and_nan() -> None:
    got = to_rgb([[-5.0, 0.0, 1.0, 9.0, np.nan]], IMPORTANCE, 0.0, 1.0)
    assert got.shape == (1, 5, 3)
    assert (got[0, 0] == IMPORTANCE[0]).all()
    assert (got[0, 1] == IMPORTANCE[0]).all()
    assert (got[0, 2] == IMPORTANCE[-1]).all()
    assert (got[0, 3] == IMPORTANCE[-1]).all()
    assert (got[0, 4] == IMPORTANCE[0]).all()


def test_to_rgb_of_equal_and_of_missing_values() -> None:
    assert (to_rgb(np.full(4, 2.0), IMPORTANCE) == IMPORTANCE[-1]).all()
    assert (to_rgb(np.full(4, np.nan), IMPORTANCE) == IMPORTANCE[0]).all()
    assert to_rgb(np.empty(0), IMPORTANCE).shape == (0, 3)
