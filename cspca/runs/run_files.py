"""Files that a kept run can be taken away as, whatever its kind: one list for every page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cspca.runs.findings import findings, json_text, records_csv
from cspca.runs.npz import npz_bytes
from cspca.runs.store import RunRecord, Store
from cspca.runs.sweeps import comparison_of, fit_of, sensitivity_of

__all__ = ["RunFile", "run_files"]


@dataclass(frozen=True)
class RunFile:
    """One file.

    Attributes
    ----------
    label : str
        What to call it.
    name : str
        The end of its name, such as ``scores.csv``.
    make : callable
        Makes the content.
    help : str
        What is in it.
    """

    label: str
    name: str
    make: Callable[[], str | bytes]
    help: str


def run_files(store: Store, run: RunRecord) -> tuple[RunFile, ...]:
    """Return what can be made of a run; each is made when it is asked for.

    Parameters
    ----------
    store : Store
    run : RunRecord
        With something finished.
    """
    own = _OF_KIND.get(run.kind)
    report = RunFile(
        "Report", "report.html", lambda: _report(store, run.id),
        "One HTML file that needs no network: figures, numbers, settings, seeds, versions and how "
        "to cite.",
    )  # fmt: skip
    return (
        *(() if own is None else (report, *own(store, run))),
        RunFile(
            "JSON", "run.json", lambda: json_text(_shared(findings(store, run))),
            "All that it found, for programs.",
        ),
        RunFile(
            "Everything", "run.zip", lambda: _archive(store, run.id),
            "What was asked, every cell as CSV, every array as NPZ.",
        ),
    )  # fmt: skip


def _comparison(store: Store, run: RunRecord) -> tuple[RunFile, ...]:
    from cspca.runs.comparison_export import comparison_arrays

    def found() -> Any:
        return comparison_of(store, run.id)

    caption = f"Feature selection on {run.data.name}."
    return (
        RunFile(
            "Table, CSV", "comparison.csv", lambda: found().to_csv(),
            "One line a metric and method.",
        ),
        RunFile(
            "Every clustering, CSV", "cells.csv", lambda: found().cells_to_csv(),
            "One line a clustering, with its seed.",
        ),
        RunFile(
            "Table, LaTeX", "comparison.tex", lambda: found().to_latex(caption=caption),
            "Needs the package booktabs.",
        ),
        RunFile(
            "Arrays, NPZ", "comparison.npz", lambda: npz_bytes(comparison_arrays(found())),
            "Every run and every ranking.",
        ),
    )  # fmt: skip


def _sensitivity(store: Store, run: RunRecord) -> tuple[RunFile, ...]:
    from cspca.runs.sensitivity_export import sensitivity_arrays, sensitivity_csv

    return (
        RunFile(
            "Grid, CSV", "sensitivity.csv",
            lambda: sensitivity_csv(sensitivity_of(store, run.id)), "One line a point.",
        ),
        RunFile(
            "Grid, NPZ", "sensitivity.npz",
            lambda: npz_bytes(sensitivity_arrays(sensitivity_of(store, run.id))),
            "Arrays of α × β.",
        ),
    )  # fmt: skip


def _starts(store: Store, run: RunRecord) -> tuple[RunFile, ...]:
    return (
        RunFile(
            "Table, CSV", "starts.csv", lambda: records_csv(findings(store, run)["starts"]),
            "One line a start and solver.",
        ),
    )  # fmt: skip


def _fit(store: Store, run: RunRecord) -> tuple[RunFile, ...]:
    def scores() -> str:
        arrays = fit_of(store, run.id)[1]
        order = arrays["order"].tolist()
        return records_csv(
            [
                {
                    "rank": rank,
                    "feature": feature,
                    "feature_score": float(arrays["feature_scores"][feature]),
                    "selection_score": float(arrays["scores"][feature]),
                }
                for rank, feature in enumerate(order, 1)
            ]
        )

    return (
        RunFile(
            "Scores, CSV", "scores.csv", scores,
            "One line a feature, best first; features are counted from 0, ranks from 1.",
        ),
        RunFile(
            "Arrays, NPZ", "fit.npz", lambda: npz_bytes(fit_of(store, run.id)[1]),
            "Order, scores, residuals of the samples, the course of the objective.",
        ),
    )  # fmt: skip


_OF_KIND: dict[str, Callable[[Store, RunRecord], tuple[RunFile, ...]]] = {
    "comparison": _comparison,
    "sensitivity": _sensitivity,
    "starts": _starts,
    "fit": _fit,
    # The verdicts are words: their report says them.
    "checks": lambda store, run: (),
}


def _report(store: Store, run_id: str) -> str:
    # It draws: nobody who only lists runs waits for that.
    from cspca.runs.report import run_report

    return run_report(store, run_id)


def _archive(store: Store, run_id: str) -> bytes:
    from cspca.runs.store.export import run_archive

    return run_archive(store, run_id)


def _shared(values: dict[str, Any]) -> dict[str, Any]:
    """Without the id: whoever has that may delete the run."""
    return {key: value for key, value in values.items() if key not in ("run", "deleted")}
