"""How a data set is made, for the lines of Python."""

from __future__ import annotations

from cspca.datasets import BUILTIN, Dataset, Recipe


def recipe_of(data: str, dataset: Dataset) -> Recipe:
    """Return how a data set is made; for one that does not know, how one of its kind is opened.

    Parameters
    ----------
    data : str
        Its name or id in the library.
    dataset : Dataset
    """
    if dataset.recipe is not None:
        return dataset.recipe
    if data in BUILTIN:
        return Recipe("load", (data,))
    file = dataset.source.removeprefix("file ") or dataset.name
    return Recipe("load_file", (file,), bring=file)
