"""Finished cells kept between comparisons, in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

from cspca.runs.caches import Memory

if TYPE_CHECKING:
    from cspca.evaluation.former import Cell, CellResult, Group, GroupResult, Plan, Ranking
    from cspca.evaluation.former.cells import Parameters

__all__ = ["CellMemory", "CellStore"]


class CellStore(Protocol):
    """Where finished cells and rankings are kept between comparisons."""

    def get(self, content: str, plan: Plan) -> tuple[tuple[CellResult, ...], tuple[Ranking, ...]]:
        """Return what is kept of a plan: finished cells, and rankings.

        Parameters
        ----------
        content : str
            :attr:`ComparisonRequest.content`.
        plan : Plan
        """

    def put(self, content: str, plan: Plan, group: GroupResult) -> None:
        """Keep what a group brought.

        Parameters
        ----------
        content : str
        plan : Plan
        group : GroupResult
        """


class CellMemory:
    """A :class:`CellStore` in memory: bounded, shared by all visitors, keyed by content.

    Parameters
    ----------
    max_cells : int, default=200_000
        Cells kept (about half a kilobyte each); the groups not used for longest go first.
    max_bytes : int, default=128 MiB
        For rankings.
    """

    def __init__(self, max_cells: int = 200_000, max_bytes: int = 128 << 20) -> None:
        self._max_cells = max_cells
        self._lock = threading.Lock()
        self._groups: OrderedDict[tuple[object, ...], dict[Cell, CellResult]] = OrderedDict()
        self._n_cells = 0
        self._rankings: Memory[tuple[str, str, Parameters, int], Ranking] = Memory(
            10_000, max_bytes
        )

    def get(self, content: str, plan: Plan) -> tuple[tuple[CellResult, ...], tuple[Ranking, ...]]:
        """Return what is kept of a plan: finished cells, and rankings."""
        results: list[CellResult] = []
        rankings = []
        with self._lock:
            for group in plan.groups():
                key = _key(content, plan, group)
                kept = self._groups.get(key)
                if kept is not None:
                    self._groups.move_to_end(key)
                    results += [kept[cell] for cell in group.cells if cell in kept]
        for method in plan.methods:
            for parameters in method.grid:
                found = self._rankings.get((content, method.method, parameters, plan.n_clusters))
                if found is not None:
                    rankings.append(found)
        return tuple(results), tuple(rankings)

    def put(self, content: str, plan: Plan, group: GroupResult) -> None:
        """Keep what a group brought; what failed is tried again next time."""
        if group.ranking is not None:
            of = group.group
            self._rankings.put((content, of.method, of.parameters, plan.n_clusters), group.ranking)
        with self._lock:
            key = _key(content, plan, group.group)
            kept = self._groups.setdefault(key, {})
            before = len(kept)
            kept.update((result.cell, result) for result in group.results)
            self._n_cells += len(kept) - before
            self._groups.move_to_end(key)
            while self._n_cells > self._max_cells and len(self._groups) > 1:
                self._n_cells -= len(self._groups.popitem(last=False)[1])


def _key(content: str, plan: Plan, group: Group) -> tuple[object, ...]:
    shared = (group.method, group.parameters, group.n_features)
    return content, *shared, plan.n_clusters, plan.init
