"""Clouds and contrasts: colours that are told apart, and what is not defined."""

from __future__ import annotations

import numpy as np
import pytest

from cspca.figures.samples import (
    CLASS_COLOURS,
    CLASS_SHAPES,
    class_marks,
    contrast_alt,
    contrast_bars,
    contrast_rgb,
    density_rgba,
)
from cspca.figures.style import DIVERGING, NEUTRAL, contrast, hex_to_rgb, palette


@pytest.mark.parametrize("dark", [False, True])
def test_classes_stand_out_from_the_page_and_differ_in_colour_or_shape(dark):
    marks = class_marks(48, dark)
    assert len(set(marks)) == len(CLASS_COLOURS) * len(CLASS_SHAPES) == 48
    assert all(contrast(colour, palette(dark).page) >= 3.0 for colour, _ in marks)
    assert class_marks(49, dark)[48] == marks[0]


def test_undefined_and_hidden_pixels_are_grey_and_the_scale_is_that_of_all():
    plane = np.array([[2.0, -2.0, np.nan], [0.0, 4.0, 1.0]])
    drawn = np.array([[True, True, True], [True, False, True]])
    rgb = contrast_rgb(plane, drawn)
    grey = hex_to_rgb(NEUTRAL).tolist()
    assert rgb[0, 2].tolist() == rgb[1, 1].tolist() == grey
    # 4 is hidden, and 2 still half of the scale.
    assert rgb[0, 0].tolist() == DIVERGING[191].tolist()
    assert rgb[0, 1].tolist() == DIVERGING[64].tolist()
    assert contrast_alt(plane, drawn) == (
        "Difference ÷ deviation of 5 pixels: 2 positive and 1 negative, from -2 to 2; 1 not "
        "defined."
    )
    nothing = np.full((2, 3), np.nan)
    assert (contrast_rgb(nothing, drawn) == grey).all()
    assert contrast_alt(nothing, drawn) == "Difference ÷ deviation: of 5 pixels 5 not defined."


def test_empty_cells_are_transparent_and_more_is_brighter():
    rgba = density_rgba([[0, 1, 9], [0, 0, 99]])
    assert (rgba[..., 3] > 0).tolist() == [[False, True, True], [False, False, True]]
    lightness = rgba[..., :3].astype(float).sum(axis=2)
    assert lightness[0, 1] < lightness[0, 2] < lightness[1, 2]


def test_bars_have_both_signs_and_names():
    drawn = contrast_bars(["income", "a<b"], [-2.5, 1.0], "Which?")
    assert drawn.layout.meta["alt"] == "The most different feature is income, by -2.5 deviations."
    assert len(set(drawn.data[0].marker.color)) == 2
    assert "No feature" in contrast_bars([], [], "Which?").layout.meta["alt"]
