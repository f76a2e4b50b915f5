"""Runs kept on disk: what was asked, what is finished, and what it was made with."""

from __future__ import annotations

from cspca.runs.store.doctor import Finding, Report, doctor
from cspca.runs.store.errors import StoreError
from cspca.runs.store.export import export_run
from cspca.runs.store.home import HOME_VARIABLE, store_home
from cspca.runs.store.records import (
    CellRecord,
    CellState,
    DataRecord,
    NewCell,
    RunRecord,
    RunState,
    versions,
    visible,
)
from cspca.runs.store.sessions import LEASE, Finished, OpenUnit, Session
from cspca.runs.store.store import Store

__all__ = [
    "HOME_VARIABLE",
    "LEASE",
    "CellRecord",
    "CellState",
    "DataRecord",
    "Finding",
    "Finished",
    "NewCell",
    "OpenUnit",
    "Report",
    "RunRecord",
    "RunState",
    "Session",
    "Store",
    "StoreError",
    "doctor",
    "export_run",
    "store_home",
    "versions",
    "visible",
]
