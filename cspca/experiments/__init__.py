"""Experiments: what is computed, kept and shown, one file a kind; one runner for them all."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cspca.experiments.compare import Compare
    from cspca.experiments.experiment import Cell, Experiment, Finding, Outcome, Result
    from cspca.experiments.fit import Fit
    from cspca.experiments.paper import Paper
    from cspca.experiments.runner import run
    from cspca.experiments.sensitivity import Sensitivity
    from cspca.experiments.settings import setting
    from cspca.experiments.starts import Starts

__all__ = [
    "Cell",
    "Compare",
    "Experiment",
    "Finding",
    "Fit",
    "Outcome",
    "Paper",
    "Result",
    "Sensitivity",
    "Starts",
    "run",
    "setting",
]

_SHAPE = ("Cell", "Experiment", "Finding", "Outcome", "Result")


def __getattr__(name: str) -> Any:
    """Import what is asked for: the kinds bring scikit-learn, which no first page waits for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    places = {"run": "runner", "setting": "settings"} | dict.fromkeys(_SHAPE, "experiment")
    return getattr(import_module(f"{__name__}.{places.get(name, name.lower())}"), name)
