"""Robust PCA and robust subspaces, on one base: which images does the rest not explain?

Reading order: :mod:`.base` (what all share), then a file a method. Two are convex splits of the
images at hand and come with a certificate (:mod:`.decomposition`); the others find a subspace of a
dimension that they are told, which unseen images can be projected on.
"""

from __future__ import annotations

from cspca.robust.base import RobustMethod, RobustSubspace
from cspca.robust.coherence import CoherencePursuit
from cspca.robust.fms import FastMedianSubspace
from cspca.robust.gms import GeometricMedianSubspace
from cspca.robust.outlier_pursuit import OutlierPursuit
from cspca.robust.pca import PlainPCA
from cspca.robust.pcp import PCP
from cspca.robust.r1pca import R1PCA
from cspca.robust.registry import ROBUST, Explained, RobustEntry, RobustSettings, explain

__all__ = [
    "PCP",
    "R1PCA",
    "ROBUST",
    "CoherencePursuit",
    "Explained",
    "FastMedianSubspace",
    "GeometricMedianSubspace",
    "OutlierPursuit",
    "PlainPCA",
    "RobustEntry",
    "RobustMethod",
    "RobustSettings",
    "RobustSubspace",
    "explain",
]
