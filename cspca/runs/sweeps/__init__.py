"""Sweeps: many cells on any of joblib's backends, kept one by one, resumed where they stopped."""

from __future__ import annotations

from cspca.runs.sweeps.backends import BACKENDS
from cspca.runs.sweeps.errors import SweepError
from cspca.runs.sweeps.kinds import (
    CLUSTER,
    KINDS,
    RANK,
    Sweep,
    checks_sweep,
    comparison_sweep,
    fit_sweep,
    sensitivity_sweep,
    starts_sweep,
)
from cspca.runs.sweeps.progress import SweepProgress
from cspca.runs.sweeps.reading import (
    Sensitivity,
    StartRow,
    checks_of,
    comparison_of,
    fit_of,
    sensitivity_of,
    starts_of,
    sweep_of,
)
from cspca.runs.sweeps.running import run_sweep, same_or_new, start_sweep
from cspca.runs.sweeps.service import SweepService, SweepView, Workplace

__all__ = [
    "BACKENDS",
    "CLUSTER",
    "KINDS",
    "RANK",
    "Sensitivity",
    "StartRow",
    "Sweep",
    "SweepError",
    "SweepProgress",
    "SweepService",
    "SweepView",
    "Workplace",
    "checks_of",
    "checks_sweep",
    "comparison_of",
    "comparison_sweep",
    "fit_of",
    "fit_sweep",
    "run_sweep",
    "same_or_new",
    "sensitivity_of",
    "sensitivity_sweep",
    "start_sweep",
    "starts_of",
    "starts_sweep",
    "sweep_of",
]
