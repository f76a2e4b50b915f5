"""The paper's protocol and its numbers, and those of an independent evaluation, as data.

X. Chang, F. Nie, Y. Yang, H. Huang, *A Convex Sparse PCA for Feature Analysis*, arXiv 1411.6233.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

GRID = (1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6)
"""Every parameter of every method is tuned over these, and the best result reported."""

N_STARTS = 30
"""Random starts of K-means; mean ± std over them is reported."""

METHODS_IN_PAPER = ("all", "variance", "laplacian", "spec", "mcfs", "udfs", "cspca")
"""Keys of the methods, in the order of the paper's tables."""


class Printed(NamedTuple):
    """A number as printed, in per cent."""

    mean: float
    std: float


@dataclass(frozen=True)
class PaperSet:
    """One data set of the paper: its Table 1 and its rows of the result tables."""

    key: str
    title: str
    n_samples: int
    n_features: int
    n_classes: int
    image_shape: tuple[int, int] | None
    feature_counts: tuple[int, ...]
    accuracy: Mapping[str, Printed]
    nmi: Mapping[str, Printed]
    every_start: float
    note: str = ""


def _column(*pairs: tuple[float, float]) -> Mapping[str, Printed]:
    """Printed numbers of one data set, in the order of the methods."""
    return MappingProxyType(dict(zip(METHODS_IN_PAPER, map(Printed._make, pairs), strict=True)))


_HUNDREDS = (500, 600, 700, 800, 900, 1000)

_SETS = (
    PaperSet(
        "yaleb", "YaleB", 2414, 1024, 38, (32, 32), _HUNDREDS,
        _column((12.2, 2.8), (12.7, 2.6), (12.3, 2.9), (12.9, 2.5), (14.5, 2.4), (15.7, 2.8),
                (19.3, 2.2)),
        _column((19.3, 3.3), (21.3, 2.9), (19.4, 3.5), (20.3, 3.1), (22.7, 2.7), (23.5, 3.2),
                (29.4, 2.1)),
        19.3,
    ),
    PaperSet(
        "orl", "ORL", 400, 1024, 40, (32, 32), _HUNDREDS,
        _column((69.0, 1.7), (67.8, 1.9), (70.2, 2.2), (67.0, 1.8), (69.4, 1.5), (69.9, 1.2),
                (71.3, 1.0)),
        _column((83.7, 2.4), (83.0, 2.8), (85.3, 2.6), (81.6, 2.1), (83.6, 2.2), (84.2, 3.1),
                (84.7, 2.8)),
        71.3,
    ),
    PaperSet(
        "jaffe", "JAFFE", 213, 676, 10, (26, 26),
        (350, 390, 430, 470, 510, 550, 590, 610, 650),
        _column((90.6, 2.8), (95.3, 2.1), (94.8, 2.6), (96.2, 2.7), (96.4, 1.9), (96.8, 2.4),
                (97.2, 2.2)),
        _column((91.7, 3.4), (93.0, 3.1), (92.9, 2.9), (94.7, 3.8), (95.1, 3.7), (95.6, 3.3),
                (96.0, 3.8)),
        97.2,
        "The paper prints the numbers of features as 350, 390, 430, … 590, 610, 650; those "
        "between are filled in with its step of 40.",
    ),
    PaperSet(
        "humaneva", "HumanEVA", 10000, 168, 10, None, (50, 60, 70, 80, 90, 100),
        _column((47.2, 2.0), (47.6, 2.7), (47.8, 2.2), (50.3, 2.5), (53.6, 2.9), (56.3, 2.4),
                (56.4, 2.1)),
        _column((52.2, 4.3), (52.7, 3.9), (53.2, 4.1), (55.4, 3.7), (57.1, 3.8), (60.0, 3.4),
                (62.4, 3.9)),
        56.4,
        "The text speaks of 1,590 geometric descriptors, Table 1 of 168 variables; 48 joint "
        "coordinates and 120 pairwise distances make 168, which is our own reading.",
    ),
    PaperSet(
        "coil20", "Coil20", 1440, 1024, 20, (32, 32), (170, 190, 210, 230, 250, 270, 290),
        _column((71.8, 3.7), (71.7, 3.2), (71.4, 3.5), (72.0, 3.8), (72.4, 3.4), (73.3, 3.0),
                (75.2, 2.9)),
        _column((79.1, 5.1), (79.5, 4.8), (80.1, 5.2), (81.2, 5.5), (82.5, 4.9), (83.2, 5.3),
                (85.1, 5.1)),
        75.2,
    ),
    PaperSet(
        "usps", "USPS", 9298, 256, 10, (16, 16), (120, 140, 160, 180, 200, 220, 240),
        _column((71.1, 2.7), (71.0, 2.8), (73.7, 2.4), (72.2, 2.5), (73.1, 2.8), (73.7, 2.9),
                (76.9, 2.1)),
        _column((61.7, 3.4), (63.7, 3.7), (63.1, 3.2), (62.3, 3.6), (63.1, 4.0), (63.8, 3.9),
                (65.5, 3.1)),
        76.9,
    ),
)  # fmt: skip

PAPER_SETS: Mapping[str, PaperSet] = MappingProxyType({one.key: one for one in _SETS})
"""The paper's six data sets by key."""

INDEPENDENT_SOURCE = (
    "An independent evaluation with the same protocol (domainxz, 2014); NMI is divided by the "
    "larger entropy there."
)


_THEIRS = ("all", "variance", "laplacian", "spec", "mcfs", "udfs", "ndfs", "rufs")

INDEPENDENT: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "coil20": dict(zip(_THEIRS, (
        (58.5, 73.6), (56.3, 70.8), (54.1, 68.8), (54.5, 70.1), (56.3, 72.4), (57.1, 72.3),
        (53.5, 67.0), (56.3, 69.5),
    ), strict=True)),
    "orl": dict(zip(_THEIRS, (
        (48.9, 70.5), (47.5, 68.0), (47.3, 69.6), (47.7, 69.5), (51.9, 71.9), (48.2, 69.7),
        (48.3, 68.4), (50.0, 70.1),
    ), strict=True)),
    "usps": dict(zip(_THEIRS, (
        (65.5, 60.8), (68.0, 62.2), (67.7, 62.4), (68.9, 63.8), (66.0, 60.8), (68.8, 61.8),
        (63.8, 59.5), (64.5, 61.7),
    ), strict=True)),
}  # fmt: skip
"""Data set key to method key to (accuracy, NMI) in per cent; see `INDEPENDENT_SOURCE`."""


def percent(share: float) -> str:
    """Say a share, small ones with two digits; a dash for what is not known."""
    if share != share:
        return "–"
    if share <= 0.0:
        return "0 %"
    if share < 5e-6:
        return "under 0.0005 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:,.0f} %"
