"""Experiments: what is computed, kept and shown, one file a kind; one runner for them all."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cspca.experiments.registry import EXPERIMENTS

if TYPE_CHECKING:
    from cspca.experiments.compare import Compare
    from cspca.experiments.convergence import Convergence
    from cspca.experiments.experiment import Cell, Experiment, Finding, Outcome, Result
    from cspca.experiments.fit import Fit
    from cspca.experiments.outliers import Outliers
    from cspca.experiments.paper import Paper
    from cspca.experiments.rankings import UndecidedScoresError, read_scores
    from cspca.experiments.reproducibility import Reproducibility
    from cspca.experiments.runner import run
    from cspca.experiments.sensitivity import Sensitivity
    from cspca.experiments.settings import setting

__all__ = [
    "Cell",
    "Compare",
    "Convergence",
    "Experiment",
    "Finding",
    "Fit",
    "Outcome",
    "Outliers",
    "Paper",
    "Reproducibility",
    "Result",
    "Sensitivity",
    "UndecidedScoresError",
    "read_scores",
    "run",
    "setting",
]

_PLACES = {
    "UndecidedScoresError": "rankings",
    "read_scores": "rankings",
    "run": "runner",
    "setting": "settings",
} | dict.fromkeys(("Cell", "Experiment", "Finding", "Outcome", "Result"), "experiment")


def __getattr__(name: str) -> Any:
    """Import what is asked for: the kinds bring scikit-learn, which no first page waits for."""
    if name in _PLACES:
        return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    for kind, (class_name, _) in EXPERIMENTS.data.items():
        if name == class_name:
            return EXPERIMENTS[kind]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
