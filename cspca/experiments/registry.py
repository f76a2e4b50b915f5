"""The experiments by kind: a new one is its file, named as its kind, and one line here."""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cspca.experiments.experiment import Experiment


class Kinds(UserDict[str, Any]):
    """Experiments by kind, imported when they are asked for: they bring scikit-learn."""

    def __getitem__(self, kind: str) -> type[Experiment]:
        module = import_module(f"cspca.experiments.{kind}")
        experiment: type[Experiment] = getattr(module, self.data[kind][0])
        return experiment


EXPERIMENTS = Kinds(
    {
        "compare": ("Compare", "Compare methods by clustering on what they select."),
        "sensitivity": ("Sensitivity", "CSPCA over a grid of alpha × beta."),
        "convergence": ("Convergence", "Where both solvers get to from seven starts."),
        "reproducibility": (
            "Reproducibility",
            "Which features random halves of the samples select again.",
        ),
        "outliers": ("Outliers", "Find hidden subspaces and wrong pictures: a phase map."),
        "paper": ("Paper", "Run the paper's protocol and judge its claims by the result."),
        "fit": ("Fit", "Fit CSPCA and say how far it is from the optimum."),
    }
)
