"""Time to a certified answer, beside the paper's Algorithm 1 and general-purpose solvers.

    python -m tests.benchmarks [--quick | --large] [--only ORL] [--json out.json]
                               [--report out.html] [--repetitions 3]

One process, one BLAS thread. CSPCA is timed whole: from the array to a certified gap, its reduction
included. The printed algorithm is timed kindly: its iterations and nothing else, neither its set-up
nor any evaluation of the objective. The two alternate, so that a busy minute of the machine falls
on both. Seconds are of CPU, with those on the wall beside them; ratios are of CPU. Data that are
not here are skipped with the reason. The exit status is 1 when a demand is missed. From slider to
heatmap in a browser: ``python -m tests.benchmarks.browser``.
"""

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from tests import real_data
from tests.benchmarks import measure, paths, report, scaling
from tests.benchmarks.cases import CASES
from tests.benchmarks.one_case import measure_case

_QUIET = 0.5
_SHARED = ": a shared machine, whose wall seconds say little"


def _native_in_words() -> str:
    """What the printed algorithm would need at 10,304 pixels, where nobody wants to wait for it."""
    measured, pixels = 4096, 10_304
    seconds = measure.eigh_seconds(measured)
    minutes = seconds * (pixels / measured) ** 3 / 60
    return (
        f"\nAlgorithm 1 as printed on native ORL: one eigh at {measured:,} took {seconds:.0f} s of "
        f"CPU; it grows as the cube of the pixels, so at {pixels:,} it takes about {minutes:.0f} "
        f"minutes, and ten iterations take {minutes / 6:.1f} hours for that alone."
    )


def _paths(quick: bool) -> tuple[dict[str, object], dict[str, bool]]:
    reason = real_data.why_absent("ORL")
    if reason is not None:
        print(f"\nSlider and paths\n  skipped: {reason}")
        return {}, {}
    A = real_data.pixels("ORL")
    steps = paths.slider(A, 2 if quick else 5)
    found: dict[str, object] = {"slider": asdict(steps)}
    met = {
        f"slider step × {paths.STEP} on ORL at most 1/3 of a cold fit (is {steps.ratio():.2f}: "
        f"{steps.median('warm'):.3f} s beside {steps.median('cold') + steps.reduction:.3f} s; "
        f"{steps.ratio(few=True):.2f} where at most an eighth of all directions is in W, else "
        f"{steps.ratio(few=False):.2f})": steps.ratio() <= 1 / 3
    }
    if not quick:
        for name in paths.GRIDS:
            grid = paths.grid(A, name)
            found[name] = asdict(grid)
            demand = (
                f"7 × 7 path on ORL, {name}, at most 1/4 of 49 cold fits (is {grid.ratio:.2f}: "
                f"{grid.path:.1f} s beside {grid.cold:.1f} s, {grid.solved} points solved, "
                f"{grid.unfinished} not to 1e-3)"
            )
            met[demand] = grid.ratio <= 1 / 4
    print("\nSlider and paths (CPU seconds)")
    print("\n".join(report.demands(met)))
    return found, met


def _wishes() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--repetitions", type=int, default=3, help="runs of each (default 3; one of the largest)"
    )
    parser.add_argument(
        "--patience", type=float, default=10.0, metavar="TIMES",
        help="rivals are stopped after so many times our own seconds (default 10)",
    )  # fmt: skip
    parser.add_argument("--only", default="", help="cases whose name contains this, and no more")
    parser.add_argument("--quick", action="store_true", help="the small cases, once, in a minute")
    parser.add_argument("--large", action="store_true", help="with 70,000 × 784: minutes, 3 GB")
    parser.add_argument("--json", type=Path, help="also write the measurements to this file")
    parser.add_argument("--report", type=Path, help="also write an HTML file with the cost curves")
    return parser.parse_args()


def main() -> int:
    """Run what is asked for; 1 when a demand is missed."""
    wishes = _wishes()
    load = os.getloadavg()[0]
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, 1 BLAS thread, Python "
        f"{platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}; "
        f"load {load:.1f}{_SHARED if load > _QUIET else ''}"
    )
    results, texts, costs = [], [], []
    ways: dict[str, object] = {}
    met: dict[str, bool] = {}
    with threadpool_limits(1):
        for case in CASES:
            named = wishes.only.lower() in case.name.lower()
            wanted = case.quick if wishes.quick else wishes.large or not case.large
            if not named or not (wanted or wishes.only):
                continue
            if case.why_absent is not None:
                print(f"\n{case.name}\n  skipped: {case.why_absent}")
                continue
            repetitions = 1 if wishes.quick or case.large else wishes.repetitions
            results.append(measure_case(case, repetitions, wishes.patience))
            texts.append(report.case_text(results[-1]))
            print(texts[-1], flush=True)
        if not (wishes.quick or wishes.only):
            texts.append(_native_in_words())
            print(texts[-1], flush=True)
        if not wishes.only:
            ways, met = _paths(wishes.quick)
            costs = scaling.sweeps(wishes.quick)
            texts.append("\n".join(["", *report.sweep_lines(costs)]))
            print(texts[-1])

    if wishes.json is not None:
        machine = {
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "load_before": load,
            "load_after": os.getloadavg()[0],
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "blas_threads": 1,
        }
        record = {
            "machine": machine,
            "cases": [asdict(result) for result in results],
            "paths": ways | {"demands": met},
            "cost": [asdict(sweep) | {"met": sweep.met} for sweep in costs],
        }
        wishes.json.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    if wishes.report is not None:
        report.write_html(wishes.report, "\n".join([*texts, *report.demands(met)]), costs)
    all_demands = [*met.values(), *(sweep.met for sweep in costs)]
    all_demands += [met for result in results for met in result.demands.values()]
    return int(not all(all_demands))


if __name__ == "__main__":
    sys.exit(main())
