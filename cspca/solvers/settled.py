"""What a solver of one regime hands over: a map, and what is proven of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from cspca.proximal import FloatArray


@dataclass(frozen=True)
class Settled:
    """A certified answer.

    Attributes
    ----------
    Z : ndarray of shape (n_features, rank of the data), float64
        Coefficients, ``W = Z Uᵀ``.
    objective, dual_bound : float
        Of these coefficients, and proven below the optimum.
    rank : int
        Of W.
    """

    Z: FloatArray = field(repr=False)
    objective: float
    dual_bound: float
    rank: int
