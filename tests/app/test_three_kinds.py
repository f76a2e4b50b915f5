"""Pixels, points of an axis and columns: every page speaks of each in its own words."""

from __future__ import annotations

import re

import pytest

from cspca.datasets import Dataset, make_genes, make_spectra
from cspca.ui import menu
from tests.app.conftest import services, settled
from tests.app.said import texts

OF_PICTURES = re.compile(
    r"\b(pixels?|images?|pictures?|faces?|photos?|photographs?|eigenfaces?|bright|ruined)\b"
    r"|\brows?\b[^.]{0,12}, column",
    re.IGNORECASE,
)

SETS = {"spectra": make_spectra(60, 40), "genes": make_genes(40, 200)}

ELSEWHERE = (
    # The sidebar and Data list other sets, and say what files may hold.
    r"^Rendered faces$",
    r"^\*\*Rendered faces\*\*$",
    r"^Rendered heads under changing light",
    r"^\d[\d,]* images, \d+ × \d+, \d+ classes\.$",
    r"^\s*8 images of (faces|digits)\.\s*$",
    r"^(Olivetti|Yale) faces$|^Labeled Faces in the Wild$|^Ten images each of forty people",
    r"\*\*Download\*\*: about|^Faces of 38 people|\*\*How\*\*: ",
    r"^One data file \(|^Upload a folder of images",
    # Lessons speak of their own sets, and are links.
    r"^Find the identity pixels$|^The faces are rendered|^Handwritten digits of 8 × 8 pixels",
    r"^Half the faces are ruined$|^Every second face is damaged",
)
"""Texts on a page of spectra or a table that are about something else."""

OTHER_SETS = re.compile("|".join(ELSEWHERE))

PAGES = [
    *[("explore", {"part": part, "alpha": "0.2"}) for part in menu.EXPLORE_TABS],
    *[(page, {}) for page in ("predict", "compare", "sensitivity", "convergence")],
    *[("outliers", {"part": part}) for part in ("own", "new", "subspace", "map")],
    *[(page, {}) for page in ("data", "runs")],
]


def of_pictures(visitor):
    """Texts of a page that speak of pictures, though the set has none."""
    return [
        text for text in texts(visitor) if OF_PICTURES.search(text) and not OTHER_SETS.search(text)
    ]


def opened(arrive, dataset: Dataset, page: str, **address: str):
    visitor = arrive(page, data=services().library.add(dataset), **address)
    return settled(visitor) if "view_job" in visitor.session_state else visitor


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    ("page", "address"),
    PAGES,
    ids=lambda value: "-".join(value) if isinstance(value, dict) else value,
)
def test_nothing_is_said_of_pictures_where_there_are_none(arrive, name, page, address):
    assert of_pictures(opened(arrive, SETS[name], page, **address)) == []
