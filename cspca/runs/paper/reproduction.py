"""A reproduction of the paper on one data set: its runs in the store, found and gone on with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cspca.runs.paper.protocol import MARK, PARTS, Protocol, sweeps_of
from cspca.runs.store import RunRecord, Store
from cspca.runs.sweeps import SweepProgress, run_sweep, start_sweep

if TYPE_CHECKING:
    from cspca.datasets import Dataset

__all__ = ["Reproduction", "begin", "protocol_of", "reproductions", "run_reproduction"]


@dataclass(frozen=True, eq=False)
class Reproduction:
    """Runs that belong together.

    Attributes
    ----------
    protocol : Protocol
    parts : mapping of str to RunRecord
        By part; those that were never begun are not there.
    """

    protocol: Protocol
    parts: Mapping[str, RunRecord]

    @property
    def data(self) -> str:
        """Fingerprint of the data."""
        return next(iter(self.parts.values())).data.sha256

    @property
    def name(self) -> str:
        """What the data are called."""
        return next(iter(self.parts.values())).data.name

    @property
    def n_done(self) -> int:
        """Cells that are done."""
        return sum(run.n_done for run in self.parts.values())

    @property
    def n_cells(self) -> int:
        """All cells."""
        return sum(run.n_cells for run in self.parts.values())

    @property
    def seconds(self) -> float:
        """Time of computing, over all workers."""
        return sum(run.seconds for run in self.parts.values())

    @property
    def updated(self) -> float:
        """When something last changed."""
        return max(run.updated for run in self.parts.values())

    @property
    def complete(self) -> bool:
        """Whether every part was begun and nothing of them is left to do."""
        return set(self.parts) == set(PARTS) and all(run.complete for run in self.parts.values())


def protocol_of(run: RunRecord) -> Protocol | None:
    """Return the protocol that a run is part of, or None.

    Parameters
    ----------
    run : RunRecord
    """
    record = run.request.get("asked", {}).get(MARK)
    return None if record is None or run.kind not in PARTS else Protocol.from_record(record)


def reproductions(
    store: Store, sha256: str | None = None, *, runs: Iterable[RunRecord] | None = None
) -> tuple[Reproduction, ...]:
    """List reproductions, the one changed last first.

    Parameters
    ----------
    store : Store
    sha256 : str or None, default=None
        Of these data only.
    runs : iterable of RunRecord or None, default=None
        Look among these only: those that a visitor may see. The one changed last comes first.
    """
    found: dict[tuple[str, Protocol], dict[str, RunRecord]] = {}
    for run in store.runs() if runs is None else runs:
        protocol = protocol_of(run)
        if protocol is None or (sha256 is not None and run.data.sha256 != sha256):
            continue
        parts = found.setdefault((run.data.sha256, protocol), {})
        # Of runs of the same, the fullest; the last one of equals.
        if run.kind not in parts or run.n_done > parts[run.kind].n_done:
            parts[run.kind] = run
    return tuple(Reproduction(protocol, parts) for (_, protocol), parts in found.items())


def begin(
    store: Store,
    dataset: Dataset,
    protocol: Protocol,
    parts: Sequence[str] = tuple(PARTS),
    *,
    known: Iterable[RunRecord] | None = None,
    keep_data: bool = False,
) -> Reproduction:
    """Note what is to be computed; a run that is there already is taken up again.

    Cells that other runs on the same data have finished are taken over.

    Parameters
    ----------
    store : Store
    dataset : Dataset
    protocol : Protocol
    parts : sequence of str, default=all
    known : iterable of RunRecord or None, default=None
        Take up these only; None is all of the store.
    keep_data : bool, default=False
        Keep the data too, to go on without bringing them again.

    Raises
    ------
    SweepError, StoreError or ValueError
        One sentence, when data and protocol do not fit together or the store is not writable.
    """
    sweeps = sweeps_of(dataset, protocol, parts)
    there: dict[str, RunRecord] = {}
    for one in reproductions(store, dataset.sha256, runs=known):
        if one.protocol == protocol:
            there = dict(one.parts)
    for part, sweep in sweeps.items():
        if part not in there:
            name = f"Paper, {PARTS[part].lower()}: {dataset.name}"
            if not protocol.is_the_papers:
                name += " (shortened)"
            run_id = start_sweep(store, sweep, dataset, name=name, keep_data=keep_data)
            there[part] = store.get(run_id)
    return Reproduction(protocol, {part: there[part] for part in PARTS if part in there})


def run_reproduction(
    store: Store,
    reproduction: Reproduction,
    dataset: Dataset | None = None,
    *,
    parts: Collection[str] = tuple(PARTS),
    n_jobs: int = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_progress: Callable[[str, SweepProgress], None] | None = None,
    retry_failed: bool = False,
) -> Reproduction:
    """Compute what is left of a reproduction, one part after the other.

    Parameters
    ----------
    store : Store
    reproduction : Reproduction
        From :func:`begin`.
    dataset : Dataset or None, default=None
        None takes what the store keeps.
    parts : collection of str, default=all
        Those to go on with.
    n_jobs, backend, scheduler, should_stop, retry_failed
        As in :func:`cspca.runs.sweeps.run_sweep`.
    on_progress : callable or None, default=None
        Called with the part and its progress.

    Returns
    -------
    Reproduction
        As it stands at the end.
    """
    after = dict(reproduction.parts)
    for part, run in reproduction.parts.items():
        if part not in parts or (should_stop is not None and should_stop()):
            continue

        def show(progress: SweepProgress, part: str = part) -> None:
            if on_progress is not None:
                on_progress(part, progress)

        after[part] = run_sweep(
            store, run.id, dataset, n_jobs=n_jobs, backend=backend, scheduler=scheduler,
            should_stop=should_stop, on_progress=show, retry_failed=retry_failed,
        )  # fmt: skip
    return Reproduction(reproduction.protocol, after)
