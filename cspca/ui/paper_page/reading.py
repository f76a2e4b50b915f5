"""What the page knows of the store: looked up when asked for, read once a state."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

import streamlit as st

from cspca.runs.paper import Findings, Protocol, Reproduction, findings_of, reproductions
from cspca.runs.store import RunRecord, Store, StoreError, store_home, visible
from cspca.ui import state, visitor
from cspca.ui.services import sweeps

_MOST: Final = 12
"""Reproductions kept in memory, read."""


def runs_here() -> tuple[RunRecord, ...] | None:
    """Return the runs that this visitor may see; None without a store."""
    try:
        if not any(store_home().glob("runs.*")):
            # Looking at a page makes no store.
            return None
    except OSError:
        # A folder that cannot even be looked at: the store says so below, in one sentence.
        pass
    return visible(
        sweeps().store.runs(), remote=not visitor.is_owner(), known_ids=state.known_runs()
    )


def reproduction_of(
    runs: Iterable[RunRecord], sha256: str, protocol: Protocol
) -> Reproduction | None:
    """Return the reproduction of some data by a protocol, if there is one."""
    for one in reproductions(sweeps().store, sha256, runs=runs):
        if one.protocol == protocol:
            return one
    return None


def best_of_each() -> tuple[Reproduction, ...]:
    """Return one reproduction a data set: the paper's own protocol before a shortened one."""
    try:
        runs = runs_here()
        kept = () if runs is None else reproductions(sweeps().store, runs=runs)
    except StoreError:
        # The page says it where it asks for the runs of the data in use.
        return ()
    found: dict[str, Reproduction] = {}
    for one in kept:
        if one.n_done == 0:
            continue
        known = found.get(one.data)
        ranks = one.protocol.is_the_papers, one.n_done
        if known is None or ranks > (known.protocol.is_the_papers, known.n_done):
            found[one.data] = one
    return tuple(found.values())


def findings(reproduction: Reproduction) -> Findings:
    """Return what a reproduction found, read again only when something new is there."""
    store = sweeps().store
    at = tuple((part, run.id, run.n_done, run.n_failed) for part, run in reproduction.parts.items())
    return _read(store, reproduction, (str(store.home), at))[0]


def seconds_to_read(reproduction: Reproduction) -> float:
    """Return how long it took to read it."""
    store = sweeps().store
    at = tuple((part, run.id, run.n_done, run.n_failed) for part, run in reproduction.parts.items())
    return _read(store, reproduction, (str(store.home), at))[1]


@st.cache_resource(show_spinner="Reading what is kept …", max_entries=_MOST)
def _read(
    _store: Store, _reproduction: Reproduction, at: tuple[object, ...]
) -> tuple[Findings, float]:
    began = time.perf_counter()
    found = findings_of(_store, _reproduction)
    # Tables with their intervals take a moment too.
    _ = found.tables, found.evidence
    return found, time.perf_counter() - began
