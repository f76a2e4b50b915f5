"""Theory: eight interactive figures under their questions, and theory.md from §1 to its end."""

from __future__ import annotations

import re
import runpy
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import as_file, files
from typing import Any, Final, NamedTuple

import streamlit as st

from cspca.datasets import Dataset
from cspca.figures import theory
from cspca.ui import fields, keys, presets, state
from cspca.ui.components import component, packed
from cspca.ui.plain import guarded

_GUIDE: Final = files("cspca") / "guide"
_DRAG: Final = component("drag", "bytes")


class Picture(NamedTuple):
    """A picture; `name` is that of its Python file and of its scene."""

    name: str
    label: str
    question: str
    answer: str


PICTURES: Final = {
    1: Picture(
        "rows",
        "rows of zeros",
        "Why are whole rows zero?",
        "Drag the target. A ball of ‖·‖₂,₁ has corners where a row is gone: from the grey regions "
        "the nearest point is a corner.",
    ),
    2: Picture(
        "regression",
        "PCA as a regression",
        "How is PCA a regression, and what is printed wrongly?",
        "Turn Q, lengthen B: the true family of Theorem 1 rebuilds what PCA rebuilds. The printed "
        "one does not.",
    ),
    3: Picture(
        "outlier",
        "one image far away",
        "What can one image do?",
        "Drag the image away: PCA’s axis follows it soon, that of CSPCA at first hardly turns. "
        "Then the image is rebuilt to within 0.05 %, beside the others. At the edge CSPCA’s axis "
        "is the image’s, rebuilt but for about 1 %: β is a share of β_max, which it has raised.",
    ),
    4: Picture(
        "gap",
        "the certificate",
        "How does one know that it is the optimum?",
        "Go through the iterations of a fit. No map, by any method, has an objective below the "
        "lower bound: what is shaded is all that could still be gained.",
    ),
    5: Picture(
        "rank",
        "low rank",
        "Why does the trace norm lower the rank?",
        "Move β up: a singular value below the line is gone, and with it a direction.",
    ),
    10: Picture(
        "regimes",
        "the regimes",
        "Where do α and β mean anything?",
        "Drag along the curve, from W = I, where every pixel rebuilds itself, to W = 0.",
    ),
    14: Picture(
        "signal",
        "signal and noise",
        "What does importance say?",
        "Drag β from 0.01 to 0.3 and look at the orange columns, pure noise: first they stand "
        "before all others, then behind. Importance is how much the map uses a column, for itself "
        "and for others, at these penalties.",
    ),
    19: Picture(
        "copies",
        "a pixel copied",
        "Does a copied pixel count twice?",
        "Copy the best pixel and look at the orange bars: each copy falls down the order, and "
        "together they have more than before.",
    ),
}
"""By number of the section."""

_PYTHON: Final = "These lines of Python make the figure"

SYMBOL: Final = re.compile(
    r"\\rVert_(?:\{2,1\}|[*2F])|\\mathcal ?[A-Z]|P\^\\star|[tv]\^\\star"
    r"|(?:\\[A-Za-z]+|[A-Za-z])(?:_(?:\{[^}]*\}|\\[A-Za-z]+|[A-Za-z0-9]))?"
)
_WORDS: Final = re.compile(r"\\(?:text|operatorname|begin|end)\{[^}]*\}")


def body(view: state.View, dataset: Dataset) -> None:
    """Draw the page below its title."""
    presets.strip(view, "theory")
    # A lesson, a slide or a projector shows one picture.
    if state.bare() or presets.lesson_of(view, "theory") is not None:
        pictures = {picture.name: picture for picture in PICTURES.values()}
        names = {name: picture.label for name, picture in pictures.items()}
        name = view.picture
        # In a bare view it is the picture of the link.
        if not state.bare():
            name = fields.views("Picture", names, keys.VIEW_PICTURE, wrap=True)
        alone = pictures.get(name, PICTURES[1])
        st.markdown(f"**{alone.question}** {alone.answer}")
        with st.container(key=f"picture_{alone.name}"):
            _draw(alone)
            with st.expander(_PYTHON, icon=":material/code:"):
                _code(alone)
        return
    links = (f"[{picture.label}](#section-{number})" for number, picture in PICTURES.items())
    opening, about_sections = _opening()
    places = []
    with st.container(width=960, key="theory"):
        st.markdown(opening)
        st.markdown("Eight interactive figures: " + " · ".join(links))
        for number, picture in PICTURES.items():
            st.header(picture.question, anchor=f"section-{number}")
            st.markdown(picture.answer)
            places.append((picture, st.container(key=f"picture_{picture.name}")))
            title, text = sections()[number]
            label = f"Derivation (section {number}: {title}) and Python"
            # Only open sections are drawn: all of them are 90 kB.
            with (fold := st.expander(label, key=f"derivation_{number}", on_change="rerun")):
                if fold.open:
                    st.markdown(explained(text, number))
                    st.markdown(f"**{_PYTHON}:**")
                    _code(picture)
        rest = st.expander("The rest of the derivation", key="theory_rest", on_change="rerun")
        if rest.open:
            with rest:
                _rest(about_sections)
    # The page appears at once; a picture that takes a second to compute is filled in later.
    for picture, place in places:
        with place:
            guarded(_draw)(picture)


def _rest(about_sections: str) -> None:
    """Draw the sections that have no picture."""
    st.markdown(about_sections)
    for number, (title, text) in sections().items():
        if number not in PICTURES:
            st.subheader(f"{number}. {title}", anchor=f"section-{number}")
            st.markdown(explained(text, number))


def _draw(picture: Picture) -> None:
    _DRAG(key=f"drag_{picture.name}", data=_message(picture.name))
    if not state.bare():
        st.markdown(state.link_for_projector(picture=picture.name))


def _code(picture: Picture) -> None:
    st.code(lines(picture.name), language="python")


def lines(name: str) -> str:
    """Return the Python code that computes the numbers of a picture."""
    return (_GUIDE / "pictures" / f"{name}.py").read_text("utf-8")


def scene(name: str) -> dict[str, Any]:
    """Run the code of a picture and return its scene."""
    with as_file(_GUIDE / "pictures" / f"{name}.py") as path:
        return getattr(theory, name)(runpy.run_path(str(path)))  # type: ignore[no-any-return]


@st.cache_resource(show_spinner="Computing this picture")
def _message(name: str) -> bytes:
    """Return the message of a picture to the browser; computed once per process."""
    return packed(scene(name))


def _opening() -> tuple[str, str]:
    """Return the problem, and the overview of the sections."""
    opening = _text().partition("\n## ")[0].partition("\n")[2]
    problem, formula, about_sections = re.split(r"^\$\$$", opening, flags=re.MULTILINE)
    return f"{problem}$${formula}$$", about_sections


@cache
def _text() -> str:
    return (_GUIDE / "theory.md").read_text("utf-8")


@cache
def sections() -> dict[int, tuple[str, str]]:
    """Return the title and the text of each section by its number."""
    parts = re.split(r"^## (\d+)\. (.+)\n", _text(), flags=re.MULTILINE)[1:]
    return {int(parts[i]): (parts[i + 1], parts[i + 2]) for i in range(0, len(parts), 3)}


@cache
def _symbols() -> dict[str, dict[str, str]]:
    return tomllib.loads((_GUIDE / "symbols.toml").read_text("utf-8"))


def symbols_of(formula: str) -> Iterator[str]:
    """Yield the symbols of a formula, each once, in their order."""
    yield from dict.fromkeys(SYMBOL.findall(_WORDS.sub(" ", formula)))


def explained(text: str, number: int) -> str:
    """Return the text of a section, with the meanings of new symbols below each formula."""
    meanings = _symbols()["usual"] | _symbols().get(str(number), {})
    seen: set[str] = set()

    def under(match: re.Match[str]) -> str:
        new = [symbol for symbol in symbols_of(match[1]) if symbol in meanings.keys() - seen]
        seen.update(new)
        meaning = ";&ensp;".join(f"{_shown(symbol)}: {meanings[symbol]}" for symbol in new)
        return f"{match[0]}\n:small[{meaning}]\n" if new else match[0]

    return re.sub(r"^\$\$\n(.*?)^\$\$\n", under, text, flags=re.DOTALL | re.MULTILINE)


def _shown(symbol: str) -> str:
    if symbol.startswith(r"\rVert"):
        return rf"$\lVert\cdot{symbol}$"
    return r"$\langle\cdot,\cdot\rangle$" if symbol == r"\langle" else f"${symbol}$"
