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

    Attributes
    ----------
    sums : tuple
        Numbers, arrays and whatever else adds up; empty where every block was lost.
    largest : float
        A maximum over the blocks.
    rows : dict of int to ndarray
        Entries of each sample, by number of the block.
    lost : list of int
        Blocks whose worker has nothing of them: they are to be made again, and asked again.
    homes : dict of int to str
        Addresses of the workers that hold the blocks.
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
    """Sum of what adds up, from the first on: a knot of the reduction tree.

    Parameters
    ----------
    *parts : object

    Returns
    -------
    object
    """
    return functools.reduce(operator.add, parts)
