"""What a solver of one regime hands over: a map, and what is proven of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from cspca.proximal import FloatArray


@dataclass(frozen=True)
class Settled:
    """A certified answer: coefficients, ``W = Z Uᵀ``, their objective, and a proven lower bound."""

    Z: FloatArray = field(repr=False)
    objective: float
    dual_bound: float
    rank: int
