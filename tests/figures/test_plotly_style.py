"""The shared look of Plotly figures: legible on the page, and harmless whatever the names."""

import tomllib
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from cspca.figures.colours import IMPORTANCE, METHOD_COLOURS, contrast, method_colour, rgb_to_hex
from cspca.figures.plotly_style import (
    colour_scale,
    duration,
    escape,
    figure,
    ink_on,
    number,
    palette,
    power,
    see_through,
    short,
    spread,
)

THEME = tomllib.loads(
    (Path(__file__).parents[2] / ".streamlit/config.toml").read_text(encoding="utf-8")
)["theme"]


@pytest.mark.parametrize("dark", [False, True])
def test_text_is_legible_on_the_page_and_its_panels(dark: bool) -> None:
    theme, look = THEME["dark" if dark else "light"], palette(dark)
    assert look.page == theme["backgroundColor"]
    assert look.ink == theme["textColor"]
    for surface in (theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        assert contrast(look.ink, surface) >= 4.5
        assert contrast(look.quiet, surface) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_figures_are_clear_and_their_hover_is_legible(dark: bool) -> None:
    layout = figure(dark, 300).layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert contrast(layout.hoverlabel.font.color, layout.hoverlabel.bgcolor) >= 4.5
    assert layout.width is None
    assert layout.height == 300


@pytest.mark.parametrize("dark", [False, True])
def test_every_method_stands_out_from_the_page(dark: bool) -> None:
    for name in METHOD_COLOURS:
        assert contrast(method_colour(name, dark), palette(dark).page) >= 3


def test_there_is_legible_ink_for_every_colour_of_the_map() -> None:
    for rgb in IMPORTANCE:
        surface = rgb_to_hex(rgb)
        assert contrast(ink_on(surface), surface) >= 4.5


@pytest.mark.parametrize(
    "name",
    ["<b>bold</b>", "a & b", "&lt;i&gt;", "$x^2$", "<a href='javascript:1'>x</a>", "\"'"],
)
def test_names_are_shown_as_they_are(name: str) -> None:
    safe = escape(name)
    assert not set(safe) & set("<>$")
    assert unescape(safe) == name


def test_what_cannot_be_seen_becomes_a_space() -> None:
    assert escape("a\nb\x00c\u202ed") == "a b c d"


def test_a_name_is_cut_before_it_is_escaped() -> None:
    assert short("<" * 30, 5) == "&lt;" * 4 + "…"
    assert short("MCFS", 4) == "MCFS"


def test_numbers_are_written_for_people() -> None:
    assert number(0.7134, as_percent=True) == "71.3 %"
    assert number(-0.25, as_percent=False) == "−0.25"
    assert number(None, as_percent=True) == number(float("nan"), as_percent=False) == "not known"
    assert spread(0.713, 0.01, as_percent=True) == "71.3 ± 1.0 %"
    assert spread(0.713, None, as_percent=True) == "71.3 %"
    assert spread(0.5, 0.25, as_percent=False) == "0.500 ± 0.250"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (4e-4, "under 1 ms"), (0.0123, "12 ms"), (0.099, "99 ms"), (0.0999, "0.1 s"),
     (34.2, "34 s"), (99.7, "2 min"), (125, "2 min"), (7200, "2 h"), (None, "not known")],
)  # fmt: skip
def test_times_have_a_unit_that_suits_them(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1e-6, "10⁻⁶"), (0.01, "0.01"), (0.3, "0.3"), (100, "100"), (1e6, "10⁶"),
     (2.5e-4, "2.5·10⁻⁴"), (float("inf"), "?")],
)  # fmt: skip
def test_values_of_a_grid_are_brief(value: float, text: str) -> None:
    assert power(value) == text


def test_the_map_is_the_one_of_the_pictures() -> None:
    scale = colour_scale()
    assert scale[0] == [0.0, rgb_to_hex(IMPORTANCE[0])]
    assert scale[-1] == [1.0, rgb_to_hex(IMPORTANCE[-1])]
    assert np.all(np.diff([share for share, _ in scale]) > 0)


def test_see_through() -> None:
    assert see_through("#0072b2", 0.15) == "rgba(0,114,178,0.15)"
