"""The colour maps keep their promises: uniform, safe for every vision, grey-readable."""

import numpy as np
import pytest

from cspca.figures.style import (
    ACCENT,
    DIVERGING,
    DIVERGING_DARK,
    IMPORTANCE,
    NEUTRAL,
    ZERO,
    contrast,
    hex_to_rgb,
    on_page,
    to_rgb,
)
from cspca.selection import METHODS
from cspca.selection.registry import OWN
from cspca.solvers import SOLVERS

LINES = {ACCENT, NEUTRAL, *(one.colour for one in (*METHODS.values(), OWN, *SOLVERS.values()))}

# Ottosson 2020: a colour space where equal distances look equal.
LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def to_oklab(rgb: np.ndarray) -> np.ndarray:
    c = np.asarray(rgb, dtype=np.float64) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ LMS.T) @ LAB.T


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


@pytest.mark.parametrize("colour", sorted(LINES))
def test_lines_stand_out_on_both_pages(colour: str) -> None:
    assert contrast(colour, LIGHT_PAGE) >= 3
    assert contrast(on_page(colour, dark=True), DARK_PAGE) >= 3


def test_known_contrasts() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_to_rgb_ends_clip_and_nan() -> None:
    got = to_rgb([[-5.0, 0.0, 1.0, 9.0, np.nan]], IMPORTANCE, 0.0, 1.0)
    assert got.shape == (1, 5, 3)
    assert (got[0, 0] == IMPORTANCE[0]).all()
    assert (got[0, 1] == IMPORTANCE[0]).all()
    assert (got[0, 2] == IMPORTANCE[-1]).all()
    assert (got[0, 3] == IMPORTANCE[-1]).all()
    assert (got[0, 4] == IMPORTANCE[0]).all()


def test_to_rgb_of_equal_ends_and_of_nothing() -> None:
    assert (to_rgb(np.full(4, 2.0), IMPORTANCE, 2.0, 2.0) == IMPORTANCE[-1]).all()
    assert to_rgb(np.empty(0), IMPORTANCE, 0.0, 1.0).shape == (0, 3)
