"""Starting points: the paper's seven, by name, and ready matrices.

The paper's starts are d × d matrices W₀; Algorithm 1 looks at them only through the row errors,
the row norms and ``(W₀W₀ᵀ + ε²I)^½``, so that its first step is taken from W₀ itself although W₀ is
not of the form ``Z Uᵀ``. A solver that needs coefficients takes the projection ``Z₀ = W₀ U``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cspca.problem import ReducedData, Reduction
from cspca.proximal import FloatArray, row_norms

STARTS: dict[str, tuple[str, float]] = {
    "diagonal-0.5": ("diagonal", 0.5),
    "diagonal-1": ("diagonal", 1.0),
    "diagonal-2": ("diagonal", 2.0),
    "constant-0.5": ("constant", 0.5),
    "constant-1": ("constant", 1.0),
    "constant-2": ("constant", 2.0),
    "random": ("random", 1.0),
}
"""The paper's seven initialisations: W₀ = c·I (1–3), every element c (4–6), random (7)."""


_LARGEST_WEIGHT = 1e50
"""Largest entry of a ready W₀, which is multiplied with the data and squared."""


@dataclass(frozen=True)
class Start:
    """What a solver needs to know of W₀.

    ``W₀ = scale · I + left rightᵀ``; one term is zero. `right` is orthonormal, or None, for I.
    """

    scale: float
    left: FloatArray
    right: FloatArray | None

    def coefficients(self, data: Reduction) -> FloatArray:
        """``Z₀ = W₀ U``, shape (n_features, rank)."""
        seen = data.U if self.right is None else self.right.T @ data.U
        Z: FloatArray = self.scale * data.U + self.left @ seen
        return Z

    def residual_norms(self, data: ReducedData) -> FloatArray:
        """Row norms of ``A W₀ − A``, shape (n_samples,)."""
        image = data.A @ self.left
        if self.right is not None:
            image = image @ self.right.T
        return row_norms((self.scale - 1.0) * data.A + image)

    def row_norms(self) -> FloatArray:
        """Row norms of W₀, shape (n_features,)."""
        return np.sqrt(self.scale**2 + row_norms(self.left) ** 2)


def make_start(
    init: str | FloatArray | Start,
    data: Reduction,
    random_state: Any = None,
) -> Start:
    """Build a start from its name or from a matrix; a ready start is passed through.

    ``"random"`` has independent Gaussian elements of variance ``1 / n_features``; beyond 4,096
    features, where a dense W₀ would not be worth its memory, the matrix is projected on the row
    space of the data. `random_state` is a generator of NumPy's, or what seeds one.
    """
    if isinstance(init, Start):
        return init
    d = data.shape[1]
    empty = np.zeros((d, 1))
    if isinstance(init, str):
        if init not in STARTS:
            raise ValueError(
                f"init={init!r} is not a known start: use one of {', '.join(STARTS)}, "
                f"or a matrix of shape ({d}, {d})."
            )
        kind, value = STARTS[init]
        if kind == "diagonal":
            return Start(value, empty, empty)
        if kind == "constant":
            unit = np.full((d, 1), d**-0.5)
            return Start(0.0, value * d * unit, unit)
        is_generator = isinstance(random_state, (np.random.Generator, np.random.RandomState))
        rng: Any = random_state if is_generator else np.random.default_rng(random_state)
        right = None if d <= 4096 else data.U
        left = rng.standard_normal((d, d if right is None else data.rank)) / np.sqrt(d)
        return Start(0.0, left, right)
    W = np.asarray(init, dtype=np.float64)
    if W.shape != (d, d):
        raise ValueError(
            f"init must have shape (n_features, n_features) = ({d}, {d}), got {W.shape}."
        )
    if not np.isfinite(W).all():
        raise ValueError("init contains NaN or infinite values: give finite weights.")
    if float(np.abs(W).max()) > _LARGEST_WEIGHT:
        raise ValueError(
            f"init has weights of up to {np.abs(W).max():.1e}, and their squares leave the range "
            "of double precision: give weights near 1."
        )
    return Start(0.0, W, None)
