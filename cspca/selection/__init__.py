"""Feature selection methods, on one base and one neighbour graph."""

from __future__ import annotations

from cspca.selection.base import FeatureSelector
from cspca.selection.chance import GridSelection, RandomSelection
from cspca.selection.columns import GreedySubset, LeverageScores, PivotedQR
from cspca.selection.fspca import FSPCA
from cspca.selection.graph import neighbor_graph
from cspca.selection.inf_fs import InfFS
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
from cspca.selection.sogfs import SOGFS
from cspca.selection.spca_psd import SPCAPSD
from cspca.selection.spcafs import SPCAFS
from cspca.selection.spectral import SPEC, LaplacianScore
from cspca.selection.u2fs import U2FS
from cspca.selection.udfs import UDFS

__all__ = [
    "FSPCA",
    "MCFS",
    "METHODS",
    "NDFS",
    "PAPER_GRID",
    "RELATIVE_GRID",
    "SOGFS",
    "SPCAFS",
    "SPCAPSD",
    "SPEC",
    "U2FS",
    "UDFS",
    "AllFeatures",
    "CSPCASelector",
    "FeatureSelector",
    "GreedySubset",
    "GridSelection",
    "InfFS",
    "LaplacianScore",
    "LeverageScores",
    "MaxVariance",
    "Method",
    "PCALoadings",
    "PivotedQR",
    "RandomSelection",
    "SparsePCALoadings",
    "neighbor_graph",
]
