"""Time and memory of the selectors, and how well each finds the pixels that tell people apart.

    python -m tests.benchmarks.selection [--repetitions 3] [--only SPEC] [--json out.json]

Every run is a process of its own with one BLAS thread. Timed is the fit from the array on, the
graph included, by the clock; processor seconds stand beside it, since a busy machine stretches only
the former. The peak memory is that of the whole process, Python, libraries and data with it.
Data that are not here are skipped with the reason. The exit status is 1 when a demand is missed.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import average_precision_score

from cspca.datasets import make_faces
from cspca.selection import METHODS, SPEC, FeatureSelector
from tests import real_data

N_PEOPLE = 20


def yale_like() -> np.ndarray:
    """Rendered faces of Extended Yale B's size: 2,414 pictures of 1,024 pixels."""
    return np.array(make_faces(38, 64, 32, random_state=0).data[:2414])


def _read(name: str) -> Callable[[], np.ndarray]:
    return lambda: real_data.pixels(name)


@dataclass(frozen=True)
class Row:
    """One selector on one data set, and what is demanded of it there."""

    name: str
    make: Callable[[], FeatureSelector]
    pixels: Callable[[], np.ndarray]
    at_most_seconds: float | None = None
    at_most_megabytes: float | None = None
    data: str | None = None


def _on(data: str, key: str, n_clusters: int, **parameters: object) -> dict[str, object]:
    return {
        "make": lambda: METHODS[key].make(n_clusters, **parameters),
        "pixels": _read(data),
        "data": data,
    }


ROWS = [
    Row(
        "SPEC φ₁, USPS 9298 × 256",
        **_on("USPS", "spec", 10, function="phi1"),
        at_most_seconds=4.0,
        at_most_megabytes=600.0,
    ),
    Row(
        "SPEC φ₂, USPS 9298 × 256",
        **_on("USPS", "spec", 10),
        at_most_seconds=4.0,
        at_most_megabytes=600.0,
    ),
    Row("SPEC φ₃, k = 10, USPS", lambda: SPEC("phi3", 10), _read("USPS"), data="USPS"),
    Row("Laplacian Score, USPS", **_on("USPS", "laplacian", 10), at_most_seconds=2.0),
    Row("Max variance, USPS", **_on("USPS", "variance", 10)),
    Row("PCA loadings, USPS", **_on("USPS", "pca", 10)),
    Row("Laplacian Score, ORL 400 × 1024", **_on("ORL", "laplacian", 40)),
    Row("Sparse PCA loadings, ORL", **_on("ORL", "sparse-pca", 40)),
    Row("CSPCA, ORL", **_on("ORL", "cspca", 40)),
    Row(
        "MCFS, 290 non-zeros, COIL20 1440 × 1024",
        **_on("COIL20", "mcfs", 20, n_nonzero=290),
        at_most_seconds=2.0,
    ),
    Row(
        "UDFS, 20 iterations, faces 2414 × 1024",
        lambda: METHODS["udfs"].make(n_clusters=38, tol=0.0),
        yale_like,
        at_most_seconds=20.0,
    ),
    Row("NDFS, ORL", **_on("ORL", "ndfs", 40)),
    Row("SPCA-PSD, ORL", **_on("ORL", "spca-psd", 40)),
]


@dataclass(frozen=True)
class Identity:
    """How well one method finds the pixels of rendered faces that tell people apart."""

    method: str
    seconds: float
    tells: float
    dominates: float


def measure(row: Row) -> tuple[float, float, float]:
    """Seconds of a fit by the clock and of the processor, and this process's peak megabytes."""
    X = row.pixels()
    model = row.make()
    began, worked = time.perf_counter(), time.process_time()
    model.fit(X)
    seconds, processor = time.perf_counter() - began, time.process_time() - worked
    return seconds, processor, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _in_a_process(number: int) -> tuple[float, float, float]:
    command = [sys.executable, "-m", "tests.benchmarks.selection", "--row", str(number)]
    environment = os.environ | {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")}
    done = subprocess.run(
        command, cwd=real_data.REPOSITORY, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"{ROWS[number].name} failed:\n{done.stderr}")
    seconds, processor, megabytes = json.loads(done.stdout)
    return seconds, processor, megabytes


def _run(number: int, repetitions: int) -> dict[str, object]:
    row = ROWS[number]
    runs = [_in_a_process(number) for _ in range(repetitions)]
    seconds = statistics.median(run[0] for run in runs)
    processor = statistics.median(run[1] for run in runs)
    megabytes = max(run[2] for run in runs)
    demands = {}
    if row.at_most_seconds is not None:
        demands[f"at most {row.at_most_seconds:g} s"] = seconds <= row.at_most_seconds
    if row.at_most_megabytes is not None:
        demands[f"at most {row.at_most_megabytes:g} MB"] = megabytes <= row.at_most_megabytes
    verdict = ", ".join(f"{'met' if met else 'MISSED'}: {text}" for text, met in demands.items())
    print(f"{row.name:<42}{seconds:>9.2f}{processor:>9.2f}{megabytes:>9.0f}  {verdict}", flush=True)
    return {
        "row": row.name,
        "seconds": seconds,
        "processor_seconds": processor,
        "megabytes": megabytes,
        "demands": demands,
    }


def identity_table() -> tuple[list[Identity], tuple[float, float]]:
    """Area under the precision-recall curve of every method, and that of a random order.

    A pixel *tells* people apart when it varies between them (same light and face) by more than a
    quarter of what the most telling pixel does. It is *dominated* by identity when it also varies
    more between people than with light, expression or glasses.
    """
    faces = make_faces(N_PEOPLE, 20, 32, random_state=0)
    X = np.array(faces.data)
    between = faces.truth.deviations["identity"].ravel()
    within = [faces.truth.deviations[name].ravel() for name in ("light", "expression", "glasses")]
    tells = between > 0.25 * between.max()
    dominates = tells & (between > np.max(within, axis=0))
    table = []
    for method in METHODS.values():
        model = method.make(N_PEOPLE)
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            scores = np.asarray(model.fit(X).selection_scores_)
        table.append(
            Identity(
                method.title,
                time.perf_counter() - began,
                float(average_precision_score(tells, scores)),
                float(average_precision_score(dominates, scores)),
            )
        )
    return table, (float(tells.mean()), float(dominates.mean()))


def _print_identity(table: list[Identity], chance: tuple[float, float]) -> None:
    print(
        f"\nPixels that tell people apart, {N_PEOPLE} × 20 rendered faces of 32 × 32: area under "
        "the precision-recall curve"
    )
    print(f"{'':<24}{'seconds':>9}{'tells':>9}{'dominated':>11}")
    print(f"{'a random order':<24}{'':>9}{chance[0]:>9.3f}{chance[1]:>11.3f}")
    for line in table:
        print(f"{line.method:<24}{line.seconds:>9.2f}{line.tells:>9.3f}{line.dominates:>11.3f}")


def main() -> int:
    """Run the rows asked for and the table of identity; 1 when a demand is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.selection")
    parser.add_argument("--repetitions", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--json", type=Path, help="also write the measurements to this file")
    parser.add_argument("--row", type=int, help=argparse.SUPPRESS)
    wishes = parser.parse_args()
    if wishes.row is not None:
        print(json.dumps(measure(ROWS[wishes.row])))
        return 0

    results = []
    print(f"{'':<42}{'median s':>9}{'cpu s':>9}{'peak MB':>9}")
    for number, row in enumerate(ROWS):
        if wishes.only.lower() not in row.name.lower():
            continue
        reason = real_data.why_absent(row.data) if row.data else None
        if reason is not None:
            print(f"{row.name:<42} skipped: {reason}")
            continue
        results.append(_run(number, wishes.repetitions))
    table, chance = ([], (0.0, 0.0)) if wishes.only else identity_table()
    if table:
        _print_identity(table, chance)
    if wishes.json is not None:
        record = {"rows": results, "identity": [asdict(line) for line in table]}
        wishes.json.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    return int(any(not met for result in results for met in result["demands"].values()))


if __name__ == "__main__":
    sys.exit(main())
