"""How runs are said: what they are, where they stand, when it was, how long it took."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final

from cspca.runs.store import RunRecord, RunState


@dataclass(frozen=True)
class Kind:
    """A kind of run on screen.

    Attributes
    ----------
    title, icon : str
    page : str
        Where it is opened; empty where no page shows it.
    """

    title: str
    icon: str
    page: str


KINDS: Final = {
    "comparison": Kind("Comparison", ":material/leaderboard:", "pages/compare.py"),
    "sensitivity": Kind("Grid of α and β", ":material/grid_on:", "pages/sensitivity.py"),
    "starts": Kind("Starts", ":material/route:", "pages/convergence.py"),
    "fit": Kind("Fit", ":material/tune:", "pages/explore.py"),
    "checks": Kind("Claims of the paper", ":material/fact_check:", "pages/paper.py"),
}
"""Kinds in the order they are offered."""

_OTHER: Final = Kind("Run", ":material/database:", "")

STATES: Final = {
    RunState.READY: "Not begun",
    RunState.RUNNING: "Running",
    RunState.STOPPED: "Stopped",
    RunState.INTERRUPTED: "Interrupted",
    RunState.DONE: "Done",
}


def kind_of(run: RunRecord) -> Kind:
    """Return what kind a run is."""
    return KINDS.get(run.kind, _OTHER)


def state_of(run: RunRecord) -> str:
    """Say where a run stands."""
    if run.state is RunState.DONE and run.n_failed:
        return f"Done, {run.n_failed:,} failed"
    return STATES[run.state]


def counted(run: RunRecord) -> str:
    """Say how much of a run is done."""
    if run.n_cells == 1:
        return "1 fit" if run.kind == "fit" else "1 step"
    if run.n_done == run.n_cells:
        return f"{run.n_cells:,} steps"
    return f"{run.n_done:,} of {run.n_cells:,} steps"


def took(seconds: float) -> str:
    """Say a time of computing."""
    if seconds < 0.1:
        return "under 0.1 s"
    if seconds < 60:
        return f"{seconds:,.1f} s"
    if seconds < 3600:
        return f"{seconds / 60:,.1f} min"
    return f"{seconds / 3600:,.1f} h"


def when(moment: float, now: float, zone: tzinfo | None = None) -> str:
    """Say when something was, as near as a person would.

    Parameters
    ----------
    moment, now : float
        Seconds since 1970.
    zone : tzinfo or None, default=None
        Of the visitor; None is that of the server.
    """
    ago = now - moment
    if ago < 60:
        return "just now"
    if ago < 3600:
        return f"{int(ago // 60)} min ago"
    then = datetime.fromtimestamp(moment, UTC).astimezone(zone)
    today = datetime.fromtimestamp(now, UTC).astimezone(zone).date()
    clock = f"{then:%H:%M}"
    if then.date() == today:
        return f"today, {clock}"
    if (today - then.date()).days == 1:
        return f"yesterday, {clock}"
    year = "" if then.year == today.year else f" {then.year}"
    return f"{then.day} {then:%b}{year}, {clock}"
