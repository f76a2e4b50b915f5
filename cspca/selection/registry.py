"""All methods by name, in the order of the paper: what a page or a protocol chooses from."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any

from cspca.method import MethodEntry
from cspca.selection.base import FeatureSelector
from cspca.selection.chance import GridSelection, RandomSelection
from cspca.selection.columns import GreedySubset, LeverageScores, PivotedQR
from cspca.selection.fspca import FSPCA
from cspca.selection.given import GivenScores
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
from cspca.selection.sogfs import SOGFS
from cspca.selection.spca_psd import SPCAPSD
from cspca.selection.spcafs import SPCAFS
from cspca.selection.spectral import SPEC, LaplacianScore
from cspca.selection.u2fs import U2FS
from cspca.selection.udfs import UDFS

METHODS_IN_PAPER = ("all", "variance", "laplacian", "spec", "mcfs", "udfs", "cspca")
"""Keys of the methods that the paper compares, in the order of its tables."""

PAPER_GRID = (1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6)
"""Values over which the paper tunes every parameter of every method."""

RELATIVE_GRID = (1e-4, 1e-3, 1e-2, 0.1, 0.2, 0.4, 0.8)
"""As many values of CSPCA's penalties as fractions of their limits: decades, and finer where it is
decided what is left."""


@dataclass(frozen=True)
class Method(MethodEntry):
    """One entry of the registry of selectors.

    Parameters
    ----------
    key, title, colour, marker, note, revision
        As of every method.
    selector : type
        Its class.
    grid : mapping of str to tuple
        Values of the parameters that are tuned as the paper does; a parameter with a single value
        goes with the others.
    noise_last : bool, default=True
        False where noise is worth keeping: unlike the rest, or of equal weight.
    """

    selector: type[FeatureSelector] = field(repr=False)
    _: KW_ONLY
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    noise_last: bool = True

    @cached_property
    def needs_clusters(self) -> bool:
        """Whether the number of clusters is among its parameters."""
        return "n_clusters" in inspect.signature(self.selector).parameters

    def make(self, n_clusters: int | None = None, **parameters: Any) -> FeatureSelector:
        """Make an unfitted selector; clusters and seed 0 are left out where it knows neither."""
        parameter_names = inspect.signature(self.selector).parameters
        common = {"random_state": 0} | ({} if n_clusters is None else {"n_clusters": n_clusters})
        arguments = {name: value for name, value in common.items() if name in parameter_names}
        return self.selector(**arguments | parameters)


# Okabe and Ito's colours, the light ones darkened until they stand 3:1 against white; then our own.
_ALL = (
    Method("all", "All features", "#767c85", "line-ew",
        "Keeps every feature: what the other methods are held against.", AllFeatures),
    Method("variance", "Max variance", "#C27F00", "square",
        "Keeps the features that vary most.", MaxVariance),
    Method("laplacian", "Laplacian Score", "#009E73", "triangle-up",
        "Keeps features that vary over the set but little between similar samples; copies of a "
        "sample count as one.", LaplacianScore, revision=2),
    Method("spec", "SPEC", "#C8709F", "diamond",
        "Keeps features that follow the clusters of the samples' graph; its φ₂ equals the "
        "Laplacian Score; copies of a sample count as one.", SPEC, revision=2),
    Method("mcfs", "MCFS", "#D55E00", "cross",
        "Keeps the features that sparse regressions on the clusters' eigenvectors pick, as many a "
        "regression as features are kept; c is the number of clusters. Copies of a sample count as "
        "one; the ridge is in the unit of the data, squared.", MCFS, revision=2),
    Method("udfs", "UDFS", "#3A9AD6", "triangle-down",
        "Keeps the features that tell each sample from its neighbours; at a large γ all but about "
        "c features tie. With fewer samples than features it is the best of six starts. Copies of "
        "a sample count as one; λ is in the unit of the data, squared.",
        UDFS, grid={"gamma": PAPER_GRID, "regularization": PAPER_GRID}, revision=2),
    Method("cspca", "CSPCA", "#0072B2", "circle",
        "Keeps the features from which a sparse, low-rank map rebuilds every sample; α and β are "
        "fractions of their limits, or absolute as in the paper's grid.",
        CSPCASelector, revision=6,
        grid={"penalty_scale": ("absolute",), "alpha": PAPER_GRID, "beta": PAPER_GRID}),
    Method("pca", "PCA loadings", "#A3386C", "square",
        "Keeps the features with the largest loadings on the leading principal components.",
        PCALoadings),
    Method("sparse-pca", "Sparse PCA loadings", "#5E8C31", "diamond",
        "Keeps the features with the largest loadings on sparse principal components; α goes with "
        "the unit of the data and with the number of samples.",
        SparsePCALoadings, grid={"alpha": PAPER_GRID}, revision=2),
    Method("ndfs", "NDFS", "#8A6FDF", "triangle-right",
        "Keeps the features from which cluster memberships, learnt along the way, are best "
        "predicted. Copies of a sample count as one; β is in the unit of the data.",
        NDFS, grid={"alpha": PAPER_GRID, "beta": PAPER_GRID}, revision=2),
    Method("spca-psd", "SPCA-PSD", "#8C6D00", "triangle-left",
        "Keeps the features from which a sparse, symmetric, positive semidefinite map rebuilds "
        "every sample; its penalties go with the unit of the data, squared, and with the number of "
        "samples.", SPCAPSD, revision=2,
        grid={"row_penalty": PAPER_GRID, "trace_penalty": PAPER_GRID}),
    Method("greedy", "Greedy subset", "#B3261E", "star",
        "Keeps, pick by pick, the feature from which all others are rebuilt best by least squares; "
        "a copy of a feature comes last. No pick is taken back, so a beam of three (fastcan), "
        "pivoted QR or CUR (skmatter) may leave less unexplained.",
        GreedySubset, noise_last=False, revision=2),
    Method("pivoted-qr", "Pivoted QR", "#00808A", "diamond-wide",
        "Keeps, pick by pick, the feature that those before rebuild worst; a copy of a feature "
        "comes last.", PivotedQR, noise_last=False, revision=2),
    Method("leverage", "Leverage scores", "#5B4B9A", "pentagon",
        "Keeps the features with the largest part in as many leading principal directions as there "
        "are clusters.", LeverageScores),
    Method("fspca", "FSPCA", "#7A4B2A", "hexagon",
        "Keeps the features that carry the most variance in ten directions; fitted anew for each "
        "number of features, from ten starts.", FSPCA, revision=2),
    Method("spcafs", "SPCAFS", "#9B30C9", "hourglass",
        "Keeps the features with the largest part in orthonormal components, one fewer than "
        "clusters, under a penalty on row norms, which is in the unit of the data, squared.",
        SPCAFS, grid={"gamma": PAPER_GRID, "p": (0.1, 0.5, 1.0)}),
    Method("u2fs", "U²FS", "#2F5D3A", "bowtie",
        "Leaves out, one by one, the feature that a regression of the clusters’ eigenvectors "
        "misses least; one copy of a feature goes early.", U2FS, noise_last=False),
    Method("inf-fs", "Inf-FS", "#4A6A8A", "star-diamond",
        "Keeps the features that vary and are unlike the others, by paths of every length among "
        "them; as defined, which its published code is not. Constant features are nodes too, and "
        "change the scores of others.",
        InfFS, grid={"alpha": (0.1, 0.3, 0.5, 0.7, 0.9)}, noise_last=False),
    Method("sogfs", "SOGFS", "#E0457B", "hexagram",
        "Keeps the features of a sparse projection in which the samples’ graph falls into "
        "clusters; stopped after ten rounds or about 20 seconds. Copies of a sample count as one.",
        SOGFS, grid={"gamma": PAPER_GRID}, noise_last=False, revision=2),
)  # fmt: skip

METHODS: Mapping[str, Method] = {method.key: method for method in _ALL}
"""Every method by key, those of the paper first, in its order; a new one is an entry above."""

RANDOM = "random"
"""The key of the random draws."""

REFERENCES: Mapping[str, Method] = {
    "grid": Method("grid", "Regular grid (control)", "#4A5560", "x",
        "Keeps the features of an even grid, whatever they are.", GridSelection),
    RANDOM: Method(RANDOM, "Random picks", "#767c85", "line-ns",
        "Keeps features drawn at random: what a method must beat to have found anything.",
        RandomSelection),
}  # fmt: skip
"""What every comparison holds its methods against, beside all features; nobody chooses them."""


OWN = Method("scores", "Yours", "#D400C8", "star-open",
    "Keeps the features by scores that were brought.", GivenScores)  # fmt: skip
"""What all rankings have that are brought; each has a key and a title of its own."""


def own_key(name: str) -> str:
    """The key of a ranking that is brought under a name."""
    return f"{OWN.key}:{name}"


def is_own(key: str) -> bool:
    """Whether a key is that of a ranking that was brought."""
    return key.startswith(own_key(""))


def method_of(key: str) -> Method:
    """A method, a reference or a ranking that was brought, by its key."""
    if is_own(key):
        return replace(OWN, key=key, title=f"Yours: {key.removeprefix(own_key(''))}")
    return METHODS.get(key) or REFERENCES[key]
