"""The experiments by kind: a new one is its file and one line here."""

from __future__ import annotations

from cspca.experiments.compare import Compare
from cspca.experiments.experiment import Experiment
from cspca.experiments.fit import Fit
from cspca.experiments.paper import Paper
from cspca.experiments.sensitivity import Sensitivity
from cspca.experiments.starts import Starts

EXPERIMENTS: dict[str, type[Experiment]] = {
    one.kind: one for one in (Compare, Sensitivity, Starts, Paper, Fit)
}
