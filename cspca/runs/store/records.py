"""What the store says of runs, cells and data sets: plain records that never change."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import version
from typing import Any

__all__ = [
    "CellRecord",
    "CellState",
    "DataRecord",
    "NewCell",
    "RunRecord",
    "RunState",
    "digest",
    "dump",
    "seal",
    "versions",
    "visible",
]


class RunState(StrEnum):
    """Where a run stands."""

    READY = "ready"
    RUNNING = "running"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    DONE = "done"

    @property
    def resumable(self) -> bool:
        """Whether there is something to go on with, and nobody does."""
        return self in (RunState.READY, RunState.STOPPED, RunState.INTERRUPTED)


class CellState(StrEnum):
    """Where a cell stands."""

    TODO = "todo"
    CLAIMED = "claimed"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class NewCell:
    """A cell that a run is made of.

    Attributes
    ----------
    key : str
        Its name, unique in the run.
    step : str
        What kind of work it is.
    unit : str
        Cells of one unit are claimed, computed and committed together where they can be.
    category : str
        Cells of one step and category take about as long as each other: a method.
    needs : str or None
        Key of a cell that must be done before.
    """

    key: str
    step: str
    unit: str
    category: str
    needs: str | None = None


@dataclass(frozen=True)
class CellRecord:
    """A cell as it is kept.

    Attributes
    ----------
    key, step, unit, category, needs
        As in :class:`NewCell`.
    state : CellState
    result : mapping or None
        Plain values, once it is done.
    error : str or None
        One sentence, when it failed.
    seconds : float or None
        Time of its computation.
    commits : int
        How often a result was committed: once, or never when it was taken over from another run.
    """

    key: str
    step: str
    unit: str
    category: str
    needs: str | None
    state: CellState
    result: Mapping[str, Any] | None
    error: str | None
    seconds: float | None
    commits: int


@dataclass(frozen=True)
class DataRecord:
    """What a run knows of its data.

    Attributes
    ----------
    sha256 : str
        Fingerprint of the content, :attr:`cspca.datasets.Dataset.sha256`.
    name : str
    n_samples, n_features, n_classes : int
    image_shape : (int, int) or None
    source, licence : str
    recipe : str
        The Python that makes the data, where it is known.
    builtin : str
        Name by which :func:`cspca.datasets.load` makes them without files or network; may be
        empty.
    kept : bool
        Whether the data themselves are in the store.
    """

    sha256: str
    name: str
    n_samples: int
    n_features: int
    n_classes: int
    image_shape: tuple[int, int] | None
    source: str = ""
    licence: str = ""
    recipe: str = ""
    builtin: str = ""
    kept: bool = False


@dataclass(frozen=True)
class RunRecord:
    """A run as it is listed.

    Attributes
    ----------
    id : str
        Unguessable.
    kind : str
        "comparison", "sensitivity", "starts", "fit" or "checks".
    name : str
    state : RunState
    created, updated : float
        Seconds since 1970.
    deleted : float or None
        When it was put in the trash.
    data : DataRecord
    request : mapping
        What was asked.
    versions : tuple of mapping
        Versions of cspca, Python and libraries, one mapping for each combination that worked on
        it; the first is that of whoever asked.
    seeds : tuple of int
    n_cells, n_done, n_failed : int
    seconds : float
        Computing time of its cells.
    error : str or None
        Why it stopped, where that was no choice.
    """

    id: str
    kind: str
    name: str
    state: RunState
    created: float
    updated: float
    deleted: float | None
    data: DataRecord
    request: Mapping[str, Any] = field(repr=False)
    versions: tuple[Mapping[str, str], ...] = field(repr=False)
    seeds: tuple[int, ...] = field(repr=False)
    n_cells: int
    n_done: int
    n_failed: int
    seconds: float
    error: str | None

    @property
    def complete(self) -> bool:
        """Whether nothing is left to compute."""
        return self.n_done + self.n_failed == self.n_cells


def visible(
    runs: Iterable[RunRecord], *, remote: bool, known_ids: Collection[str] = ()
) -> tuple[RunRecord, ...]:
    """Runs that a visitor may see listed.

    Parameters
    ----------
    runs : iterable of RunRecord
    remote : bool
        Whether the server can be reached from other machines; on the loopback alone the one who
        sits here sees all.
    known_ids : collection of str, default=()
        Ids that this visitor has shown to know.

    Returns
    -------
    tuple of RunRecord
    """
    return tuple(run for run in runs if not remote or run.id in known_ids)


def versions() -> dict[str, str]:
    """Versions that numbers may depend on."""
    packages = ("cspca", "numpy", "scipy", "scikit-learn", "joblib")
    return {"python": platform.python_version()} | {name: _version(name) for name in packages}


def _version(package: str) -> str:
    if package == "cspca":
        # From the code at work: it need not be installed.
        from cspca import __version__

        return __version__
    return version(package)


def dump(value: Any) -> str:
    """JSON in one form only; floats come back as they were, NaN and infinities too.

    Parameters
    ----------
    value : object
        Plain values.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def seal(kind: str, request: str, versions_text: str, seeds: str) -> str:
    """Fingerprint of what was asked of a run, as it is kept.

    Parameters
    ----------
    kind, request, versions_text, seeds : str
        The last three as JSON.
    """
    return digest(kind, request, versions_text, seeds)


def digest(*parts: str) -> str:
    """Fingerprint of some words, by which damage is noticed.

    Parameters
    ----------
    *parts : str
    """
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
