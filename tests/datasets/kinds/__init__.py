"""Kinds of files that people bring, with the right reading of each.

A *kind* is made by a function of a module ``makers_*.py``, in at least two variants that truly
differ. Beside every file stands a mark: the right reading as numbers, and which questions it leaves
open. The catalogue was written from the descriptions of the kinds, without looking at the reader.
``python -m tests.datasets.kinds`` prints how the reader does.
"""

from tests.datasets.kinds.catalogue import Case, Kind, Mark, all_groups, all_kinds, kind

__all__ = ["Case", "Kind", "Mark", "all_groups", "all_kinds", "kind"]
