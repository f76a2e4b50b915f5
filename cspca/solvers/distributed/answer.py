"""What a worker answers about a block, made so that a tree of additions puts it together."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cspca.proximal import FloatArray


@dataclass
class Answer:
    """About one block, or about several that were added.

    `sums` are numbers, arrays and whatever else adds up, none where every block was lost; `largest`
    is a maximum over the blocks, `rows` are entries of each sample, by number of the block. The
    worker of a `lost` block has nothing of it: it is to be made again, and asked again. `homes` are
    the addresses of the workers that hold the blocks.
    """

    sums: tuple[Any, ...] = ()
    largest: float = 0.0
    rows: dict[int, FloatArray] = field(default_factory=dict)
    lost: list[int] = field(default_factory=list)
    homes: dict[int, str] = field(default_factory=dict)

    def in_order(self) -> FloatArray:
        """The entries of all samples, in the order of the blocks."""
        return np.concatenate([self.rows[index] for index in sorted(self.rows)])

    def __add__(self, other: Answer) -> Answer:
        """About the blocks of both."""
        if self.sums and other.sums:
            sums = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        else:
            sums = self.sums or other.sums
        return Answer(
            sums,
            max(self.largest, other.largest),
            self.rows | other.rows,
            self.lost + other.lost,
            self.homes | other.homes,
        )


def add(*parts: Any) -> Any:
    """Sum of what adds up, from the first on: a knot of the reduction tree."""
    return functools.reduce(operator.add, parts)
