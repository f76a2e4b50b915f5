"""The shared look of Plotly figures: legible on the page, and harmless whatever the names."""

import subprocess
import sys
import tomllib
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from cspca.figures.style import (
    ACCENT,
    DARK,
    HEAD,
    IMPORTANCE,
    LIGHT,
    as_seen,
    colour_scale,
    contrast,
    escape,
    figure,
    hex_to_rgb,
    ink_on,
    on_dark,
    on_page,
    palette,
    rgb_to_hex,
    short,
    take_title,
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
    drawn = figure("Why?", "Because.", height=300)
    layout = (on_dark(drawn) if dark else drawn).layout
    common = layout.template.layout
    assert common.paper_bgcolor == common.plot_bgcolor == "rgba(0,0,0,0)"
    assert common.hoverlabel.bgcolor == palette(dark).page
    for text in (common.font, common.title.font, common.xaxis.title.font, common.legend.font):
        assert text.color == palette(dark).ink
    assert contrast(common.hoverlabel.font.color, common.hoverlabel.bgcolor) >= 4.5
    assert layout.width is None
    assert layout.height == 300 + HEAD
    assert (layout.title.text, layout.meta["alt"]) == ("Why?", "Because.")


def test_on_dark_paper_lines_are_lighter_and_maps_stay() -> None:
    drawn = figure("Why?", "Because.", height=300)
    drawn.add_scatter(y=[1, 2], name=ACCENT, marker={"color": [ACCENT, LIGHT.quiet]})
    drawn.add_heatmap(z=[[1]], colorscale=[[0, ACCENT], [1, ACCENT]])
    drawn.add_annotation(text=LIGHT.ink, font={"color": LIGHT.ink})
    points, cells = on_dark(drawn).data
    assert list(points.marker.color) == [on_page(ACCENT, dark=True), DARK.quiet]
    assert points.name == ACCENT, "a name may look like a colour"
    assert cells.colorscale[0][1] == ACCENT
    (note,) = on_dark(drawn).layout.annotations
    assert (note.text, note.font.color) == (LIGHT.ink, DARK.ink)
    assert drawn.layout.annotations[0].font.color == LIGHT.ink


def test_a_page_may_write_the_question_itself() -> None:
    drawn = figure("<b>Why</b>?", "Because.", height=300)
    assert drawn.layout.title.text == "&lt;b&gt;Why&lt;/b&gt;?"
    assert take_title(drawn) == "<b>Why</b>?"
    assert drawn.layout.title.text is None
    assert (drawn.layout.height, drawn.layout.margin.t) == (300, 8)
    assert take_title(drawn) == "<b>Why</b>?", "of a figure that is drawn again, too"
    assert drawn.layout.height == 300


def test_there_is_legible_ink_for_every_colour_of_the_map() -> None:
    for rgb in IMPORTANCE:
        surface = rgb_to_hex(rgb)
        assert contrast({"white": "#ffffff", "black": "#000000"}[ink_on(surface)], surface) >= 4.5


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


def test_the_map_is_the_one_of_the_pictures() -> None:
    scale = colour_scale()
    assert scale[0] == [0.0, rgb_to_hex(IMPORTANCE[0])]
    assert scale[-1] == [1.0, rgb_to_hex(IMPORTANCE[-1])]
    assert np.all(np.diff([share for share, _ in scale]) > 0)
    shares, colours = zip(*scale, strict=True)
    rgb = np.array([hex_to_rgb(colour) for colour in colours], dtype=float)
    along = [np.interp(np.arange(256) / 255, shares, channel) for channel in rgb.T]
    assert np.abs(np.stack(along, axis=1) - IMPORTANCE).max() <= 1


def test_a_figure_for_a_program_has_the_numbers_that_are_seen_and_the_same_look() -> None:
    drawn = figure("Why?", "So.", height=200)
    exact = np.array([1 / 3, 1e-9 / 3, np.nan, 2 / 3])
    drawn.add_scatter(x=112 + exact / 1e3, y=exact, mode="lines", name="1/3")
    seen = as_seen(drawn)
    (line,) = seen.data
    assert np.asarray(line.y)[[0, 1, 3]].tolist() == [0.33333, 3.3333e-10, 0.66667]
    assert np.isnan(line.y[2])
    # A small range beside large numbers keeps its shape.
    assert np.nanmax(np.abs(line.x - 112 - exact / 1e3)) < 1e-4 * 1e-3
    assert (line.mode, line.name) == ("lines", "1/3")
    assert seen.layout.meta is None
    assert seen.layout.template.layout.font == drawn.layout.template.layout.font
    assert drawn.layout.meta["alt"] == "So.", "the figure itself stays"


def test_a_figure_is_drawn_while_another_page_loads_pandas() -> None:
    script = """
import sys, threading
from cspca.figures.style import figure

half, drawn = threading.Event(), threading.Event()

class Halfway:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas.core":
            half.set()
            drawn.wait(1)

sys.meta_path.insert(0, Halfway())
threading.Thread(target=__import__, args=("pandas",)).start()
half.wait()
print(figure("Which pixels matter?", "these", height=100).layout.meta["title"])
drawn.set()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout == "Which pixels matter?\n", done.stderr
