"""Feature selection methods, on one base and one neighbour graph."""

from __future__ import annotations

from cspca.selection.base import FeatureSelector
from cspca.selection.graph import neighbor_graph
from cspca.selection.loadings import (
    AllFeatures,
    CSPCASelector,
    MaxVariance,
    PCALoadings,
    SparsePCALoadings,
)
from cspca.selection.mcfs import MCFS
from cspca.selection.ndfs import NDFS
from cspca.selection.registry import METHODS, PAPER_GRID, RELATIVE_GRID, Method
from cspca.selection.spca_psd import SPCAPSD
from cspca.selection.spectral import SPEC, LaplacianScore
from cspca.selection.udfs import UDFS

__all__ = [
    "MCFS",
    "METHODS",
    "NDFS",
    "PAPER_GRID",
    "RELATIVE_GRID",
    "SPCAPSD",
    "SPEC",
    "UDFS",
    "AllFeatures",
    "CSPCASelector",
    "FeatureSelector",
    "LaplacianScore",
    "MaxVariance",
    "Method",
    "PCALoadings",
    "SparsePCALoadings",
    "neighbor_graph",
]
