"""How a block is made, where its data are not on the workers already.

A task that makes a block and another one that uses it leave it to Dask when each is run, and a
worker may make many blocks before it uses the first: more than it can hold, and then it is paused
for ever. So a block that is not persisted is made inside the very task that uses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from dask.array import Array
from dask.delayed import Delayed
from dask.local import get_sync
from dask.optimization import cull
from dask.utils import ensure_dict
from distributed import futures_of

from cspca.proximal import FloatArray


@dataclass(frozen=True)
class Recipe:
    """The tasks that make one block, in the order in which Dask wants them."""

    graph: dict[Any, Any]
    key: Any

    def __call__(self) -> FloatArray:
        """Make the block, in this thread."""
        return np.asarray(get_sync(self.graph, self.key))


def recipes(X: Array, blocks: Sequence[Delayed]) -> list[Recipe] | None:
    """Recipes of blocks that can be made independently of one another.

    None where something of them is on the workers, or where they share work (a mean over all of
    them, say), which Dask does once in a pass.
    """
    if futures_of(X):
        return None
    found = []
    for block in blocks:
        graph, _ = cull(ensure_dict(block.dask), [block.key])
        found.append(Recipe(graph, block.key))
    uses = Counter(key for recipe in found for key in recipe.graph)
    shared = [key for key, count in uses.items() if count > 1]
    graphs = {key: value for recipe in found for key, value in recipe.graph.items()}
    # What all may have in common is data: the handle of a file, not a task.
    return None if any(hasattr(graphs[key], "func") for key in shared) else found


def made(block: FloatArray | Recipe) -> FloatArray:
    """A raw block as an array."""
    return block() if isinstance(block, Recipe) else np.asarray(block)
