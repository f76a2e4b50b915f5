"""Toy experiment: the mean of a few features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from cspca.figures.toy_dots import toy_dots

from cspca.experiments.experiment import Cell, Experiment, Finding, Result, Results
from cspca.experiments.settings import setting

if TYPE_CHECKING:
    from cspca.datasets import Dataset


@dataclass(frozen=True)
class ToyMeans(Experiment):
    """Toy means of the first features."""

    kind: ClassVar[str] = "toymeans"
    title: ClassVar[str] = "Toy means"

    n_features: int = setting(3, label="Toy features", limits=(1, 100), help="How many are asked.")

    def cells(self, data: Dataset) -> Iterator[Cell]:
        """One a feature."""
        for feature in range(self.n_features):
            yield Cell("toymean", {"feature": feature}, title=f"Feature {feature}")

    def compute(self, cell: Cell, data: Dataset, needed: Mapping[Cell, Result]) -> Result:
        """The mean of one feature."""
        feature = cell.parameters["feature"]
        return Result(({"feature": feature, "mean": float(data.data[:, feature].mean())},))

    def figures(self, results: Results, data: Dataset) -> dict[str, Any]:
        """A dot a feature."""
        return {"How large are the toy means?": toy_dots(self.table(results)["mean"])}

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """How many there are."""
        return [Finding(f"{len(results)} toy means are known.")]
