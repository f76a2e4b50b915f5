"""All methods by name, in the order of the paper: what a page or a protocol chooses from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from cspca.selection.all_features import AllFeatures
from cspca.selection.base import FeatureSelector
from cspca.selection.convex import CSPCASelector
from cspca.selection.laplacian import LaplacianScore
from cspca.selection.mcfs import MCFS
from cspca.selection.ndfs import NDFS
from cspca.selection.pca_loadings import PCALoadings
from cspca.selection.sparse_pca_loadings import SparsePCALoadings
from cspca.selection.spca_psd import SPCAPSD
from cspca.selection.spec import SPEC
from cspca.selection.udfs import UDFS
from cspca.selection.variance import MaxVariance

__all__ = ["METHODS", "PAPER_GRID", "RELATIVE_GRID", "Make", "Method"]

PAPER_GRID = (1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6)
"""Values over which the paper tunes every parameter of every method."""

RELATIVE_GRID = (1e-4, 1e-3, 1e-2, 0.1, 0.2, 0.4, 0.8)
"""As many values of CSPCA's penalties as fractions of their limits: decades, and finer where it is
decided what is left."""


class Make(Protocol):
    """Makes a selector, not yet fitted."""

    def __call__(
        self, n_clusters: int | None = None, random_state: Any = 0, **parameters: Any
    ) -> FeatureSelector:
        """Pass on what the method takes; leave out the number of clusters and seed otherwise."""
        ...


@dataclass(frozen=True)
class Method:
    """One line of the registry.

    Attributes
    ----------
    key : str
        Name in code, files and addresses.
    title : str
        Name on screen.
    class_name : str
        Name of the selector, by which ``cspca.figures.colours`` knows it too.
    reference : str
        Short citation; empty for what needs none.
    make : callable
        ``make(n_clusters=c, random_state=0, **parameters)`` gives an unfitted selector.
    grid : mapping of str to tuple
        Parameters tuned as the paper does, and their values; empty where there are none. A tuple
        of one value is a setting that goes with the others.
    needs_clusters : bool
        Whether the number of clusters is among its parameters.
    in_paper : bool
        Whether the paper compares it.
    note : str
        One sentence for the screen.
    """

    key: str
    title: str
    class_name: str
    reference: str
    make: Make = field(repr=False)
    grid: Mapping[str, tuple[Any, ...]]
    needs_clusters: bool
    in_paper: bool
    note: str


def _maker(selector: Callable[..., FeatureSelector]) -> tuple[Make, bool]:
    """Wrap a class so that it takes, and perhaps ignores, clusters and seed."""
    accepted = inspect.signature(selector).parameters

    def make(
        n_clusters: int | None = None, random_state: Any = 0, **parameters: Any
    ) -> FeatureSelector:
        common = {"random_state": random_state}
        if n_clusters is not None:  # otherwise the method's own default
            common["n_clusters"] = n_clusters
        return selector(**{k: v for k, v in common.items() if k in accepted} | parameters)

    return make, "n_clusters" in accepted


def _method(
    key: str,
    title: str,
    selector: type[FeatureSelector],
    *,
    reference: str = "",
    grid: Mapping[str, tuple[Any, ...]] | None = None,
    in_paper: bool = True,
    note: str,
) -> Method:
    make, needs_clusters = _maker(selector)
    return Method(
        key=key,
        title=title,
        class_name=selector.__name__.removesuffix("Selector"),
        reference=reference,
        make=make,
        grid=MappingProxyType(dict(grid or {})),
        needs_clusters=needs_clusters,
        in_paper=in_paper,
        note=note,
    )


_ALL = (
    _method(
        "all",
        "All features",
        AllFeatures,
        note="Keeps every feature: what the other methods are held against.",
    ),
    _method(
        "variance",
        "Max variance",
        MaxVariance,
        note="Keeps the features that vary most.",
    ),
    _method(
        "laplacian",
        "Laplacian Score",
        LaplacianScore,
        reference="He, Cai, Niyogi 2005",
        note="Keeps features that vary over the set but little between similar samples.",
    ),
    _method(
        "spec",
        "SPEC",
        SPEC,
        reference="Zhao, Liu 2007",
        note="Keeps features that follow the clusters of the samples' graph; its φ₂ equals the "
        "Laplacian Score.",
    ),
    _method(
        "mcfs",
        "MCFS",
        MCFS,
        reference="Cai, Zhang, He 2010",
        note="Keeps the features that sparse regressions on the clusters' eigenvectors pick, as "
        "many a regression as features are kept; c is the number of clusters.",
    ),
    _method(
        "udfs",
        "UDFS",
        UDFS,
        reference="Yang, Shen, Ma, Huang, Zhou 2011",
        grid={"gamma": PAPER_GRID, "regularization": PAPER_GRID},
        note="Keeps the features that tell each sample from its neighbours; at a large γ all but "
        "about c features tie.",
    ),
    _method(
        "cspca",
        "CSPCA",
        CSPCASelector,
        reference="Chang, Nie, Yang, Huang 2014",
        grid={"penalty_scale": ("absolute",), "alpha": PAPER_GRID, "beta": PAPER_GRID},
        note="Keeps the features from which a sparse, low-rank map rebuilds every sample; α and β "
        "are fractions of their limits, or absolute as in the paper's grid.",
    ),
    _method(
        "pca",
        "PCA loadings",
        PCALoadings,
        reference="Jolliffe 2002",
        in_paper=False,
        note="Keeps the features with the largest loadings on the leading principal components.",
    ),
    _method(
        "sparse-pca",
        "Sparse PCA loadings",
        SparsePCALoadings,
        reference="Zou, Hastie, Tibshirani 2006",
        grid={"alpha": PAPER_GRID},
        in_paper=False,
        note="Keeps the features with the largest loadings on sparse principal components.",
    ),
    _method(
        "ndfs",
        "NDFS",
        NDFS,
        reference="Li, Yang, Liu, Zhou, Lu 2012",
        grid={"alpha": PAPER_GRID, "beta": PAPER_GRID},
        in_paper=False,
        note="Keeps the features from which cluster memberships, learnt along the way, are best "
        "predicted.",
    ),
    _method(
        "spca-psd",
        "SPCA-PSD",
        SPCAPSD,
        reference="Zheng, Zhang, Liu, Jiang, Huo, Liu 2023",
        grid={"row_penalty": PAPER_GRID, "trace_penalty": PAPER_GRID},
        in_paper=False,
        note="Keeps the features from which a sparse, symmetric, positive semidefinite map "
        "rebuilds every sample.",
    ),
)

METHODS: Mapping[str, Method] = MappingProxyType({method.key: method for method in _ALL})
"""Every method by key: those of the paper in its order, then the others."""
