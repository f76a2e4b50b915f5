"""The theme of the dashboard is legible: contrasts of WCAG 2.2, level AA, on every surface."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from cspca.figures.style import ACCENT, DIVERGING, IMPORTANCE, contrast, hex_to_rgb

THEME = tomllib.loads(
    (Path(__file__).parents[2] / ".streamlit/config.toml").read_text(encoding="utf-8")
)["theme"]


def surfaces(mode: str) -> list[str]:
    theme = THEME[mode]
    names = ("backgroundColor", "secondaryBackgroundColor")
    return [part[name] for part in (theme, theme["sidebar"]) for name in names]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_links_and_code_are_legible(mode: str) -> None:
    theme = THEME[mode]
    for surface in surfaces(mode):
        assert contrast(theme["textColor"], surface) >= 7
        assert contrast(theme["linkColor"], surface) >= 4.5
    assert contrast(theme["codeTextColor"], theme["codeBackgroundColor"]) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_accent_carries_white_labels_and_stands_out(mode: str) -> None:
    accent = THEME[mode]["primaryColor"]
    assert contrast(accent, "#ffffff") >= 4.5
    for surface in surfaces(mode):
        assert contrast(accent, surface) >= 3


def test_one_accent() -> None:
    assert THEME["light"]["primaryColor"] == ACCENT == THEME["chartCategoricalColors"][0]


@pytest.mark.parametrize(
    ("name", "table"),
    [("chartSequentialColors", IMPORTANCE), ("chartDivergingColors", DIVERGING)],
)
def test_charts_use_the_maps_of_the_pictures(name: str, table: np.ndarray) -> None:
    listed = np.array([hex_to_rgb(colour) for colour in THEME[name]]).astype(int)
    places = np.linspace(0, 255, 10).astype(int)
    assert np.abs(listed - table[places]).max() <= 2
