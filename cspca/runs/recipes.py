"""How the data of a run are made, for its lines of Python."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Protocol

from cspca.runs.store import DataRecord

__all__ = ["Made", "StoredRecipe", "stored_recipe"]


class Made(Protocol):
    """What the lines need to know; :class:`cspca.datasets.Recipe` is one."""

    @property
    def names(self) -> tuple[str, ...]:
        """What has to be imported from `cspca.datasets`."""

    @property
    def source(self) -> str:
        """The expression that makes the data set."""

    @property
    def bring(self) -> str:
        """What has to lie in the folder, in words; empty for nothing."""


@dataclass(frozen=True)
class StoredRecipe:
    """A recipe as the store keeps it: as Python source.

    Attributes
    ----------
    source, bring : str
    """

    source: str
    bring: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the source, all of which are of `cspca.datasets`."""
        found = ast.walk(ast.parse(self.source, mode="eval"))
        return tuple(sorted({node.id for node in found if isinstance(node, ast.Name)}))


def stored_recipe(data: DataRecord) -> StoredRecipe:
    """Return how the data of a kept run are made, or how a file of their name is opened.

    Parameters
    ----------
    data : DataRecord
    """
    if not data.recipe:
        return StoredRecipe(f"load_file({data.name!r})", data.name)
    if data.builtin or "load_file" not in data.recipe:
        return StoredRecipe(data.recipe)
    return StoredRecipe(data.recipe, f"the file of {data.name}")
