"""The experiments by kind: a new one is its file and one line here."""

from __future__ import annotations

from cspca.experiments.experiment import Experiment

EXPERIMENTS: dict[str, type[Experiment]] = {}
