"""Experiments: what is computed, kept and shown, one file a kind; one runner for them all."""

from __future__ import annotations

from cspca.experiments.experiment import Cell, Experiment, Finding, Outcome, Result
from cspca.experiments.settings import setting

__all__ = ["Cell", "Experiment", "Finding", "Outcome", "Result", "setting"]
