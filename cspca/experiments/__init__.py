"""Experiments: what is computed, kept and shown, one file a kind; one runner for them all."""

from __future__ import annotations

from cspca.experiments.compare import Compare
from cspca.experiments.experiment import Cell, Experiment, Finding, Outcome, Result
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
    "Outcome",
    "Paper",
    "Result",
    "Sensitivity",
    "Starts",
    "run",
    "setting",
]
