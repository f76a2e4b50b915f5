"""Runs of the version before: what they found, as it was kept. Nothing of them is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from cspca.evaluation import METRICS
from cspca.experiments.experiment import Experiment, Results
from cspca.experiments.settings import setting
from cspca.experiments.steps import of

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.experiments.experiment import Cell
    from cspca.experiments.store import RunRecord

_STEPS = {"rank": "Fits", "cluster": "Clusterings", "check": "Checks"}
_FITS = ("title", "parameters", "objective", "duality_gap", "rank", "n_zero", "regime")


@dataclass(frozen=True)
class Imported(Experiment):
    """Rows by what they are of, and means over the starts of K-means."""

    asked: dict[str, Any] | None = setting(None, label="Asked")  # noqa: RUF009

    def cells(self, data: Dataset) -> tuple[Cell, ...]:
        """None that could be computed again."""
        return ()

    def table(self, results: Results) -> pd.DataFrame:
        """The clusterings, or the fits where there are none."""
        return (list(_rows(results).values()) or [super().table(results)])[-1]

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """All rows."""
        return _rows(results)

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Fits with their certificates, and what was measured, mean ± std."""
        found = _rows(results)
        if "Fits" in found:
            shown = found["Fits"].filter(_FITS)
            found["Fits"] = shown.map(lambda one: f"{one:.6g}" if isinstance(one, float) else one)
        if "Clusterings" in found:
            groups = found["Clusterings"].groupby(["title", "parameters", "n_features"], sort=False)
            shown = groups.size().rename("starts").reset_index()
            for name, metric in METRICS.items():
                if name in found["Clusterings"]:
                    both = zip(groups[name].mean(), groups[name].std(ddof=1), strict=True)
                    shown[metric.short] = [metric.spread(mean, std) for mean, std in both]
            found["Clusterings"] = shown
        return {title: frame.astype(str) for title, frame in found.items()}

    def snippet(self, data: Dataset) -> str:
        """What these numbers were made by is gone."""
        return "# Made by an earlier version: run it anew for the lines of Python."


def _rows(results: Results) -> dict[str, pd.DataFrame]:
    found = {}
    for step, title in _STEPS.items():
        rows = [row for _, one in of(results, step) for row in one.rows]
        if rows:
            found[title] = pd.DataFrame(rows).dropna(axis="columns", how="all")
    return found


def imported(run: RunRecord) -> Experiment:
    """The experiment of a run that was carried over."""
    from cspca.experiments.registry import EXPERIMENTS

    title = EXPERIMENTS[run.kind].title
    made = type("Imported", (Imported,), {"kind": run.kind, "title": title})
    found: Experiment = made(run.settings.get("asked") or {})
    return found
