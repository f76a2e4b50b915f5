"""What each heuristic of the certified solver is worth: one at a time is left out.

    python -m tests.benchmarks.ablation [--large] [--sets ORL,digits] [--rows 'few rows']
                                        [--gap 1e-3] [--most 200]

Every problem is solved by the solver as it is and, beside it, without one heuristic after the
other: cold, from the optimum under slightly other penalties, and from a far start. Iterations are
exact; seconds are of the processor, as ratios to the solver as it is on the same problems in the
same process, with one BLAS thread. A fit that has not arrived after `--most` iterations counts with
these. Each row gives constants of :mod:`cspca.solvers.admm` values with which the heuristic does
nothing, or next to nothing.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

from cspca.problem import Problem, ReducedData
from cspca.solvers import ADMM, ADMMState, Iterate
from cspca.solvers.admm import few_columns, few_rows, solver, starts, state
from tests import real_data
from tests.benchmarks.cases import faces
from tests.benchmarks.synthetic import synthetic_digits

MOST = 200
"""Iterations after which a fit is late."""

ROWS: dict[str, dict[str, float]] = {
    "over-relaxation": {"RELAXATION": 1.0},
    "first guess": {"NEGLIGIBLE": 1e-6, "SMOOTHING": 1e-6, "LEAST_ERROR": 1e-6, "SHORT": 1e-6},
    "passes of the first guess": {"PASSES": 5},
    "initial ρ": {"LOSS_SCALE": 1.0, "SPECTRAL_SCALE": 1.0, "ZERO_LOSS": 1.0, "ZERO_COPIES": 1.0},
    "initial ρ of the rows": {"LEAST_ROWS": 1.0, "LEAST_REPRODUCED_ROWS": 0.1},
    "spread": {"SPREAD": 0.0},
    "few columns": {"COARSE_GAP": inf},
    "explorations": {"EXPLORATIONS": 0},
    "subspace of the certificate": {"SUBSPACE": 10**9},
    "few rows": {"FEW_PIXELS": 0.0},
    "loss without a copy": {"REPRODUCED": 0.0},
    "warm starts": {"NEAR": 0.0},
    "first check": {"GUESS_GAP": 1e-3},
    "checks the more often": {"LEAST_WAIT": 5},
    "residual balancing": {"BALANCED": 0},
    "a bound that lags": {"LOWERINGS": 0},
    "single precision": {"SINGLE_GAP": 0.0, "ROUND_OFF_GAP": 0.0, "SLOW_CHECKS": 10**9},
}


@contextmanager
def changed(constants: dict[str, float]) -> Iterator[None]:
    """Constants of the solver by name, replaced in every module that reads them."""
    with ExitStack() as stack:
        for module in (starts, state, few_columns, few_rows, solver):
            for name in constants.keys() & vars(module).keys():
                stack.enter_context(patch.object(module, name, constants[name]))
        yield


@dataclass(frozen=True)
class Images:
    """One image set, its penalties, absolute unless `relative`, and the file that it needs."""

    name: str
    pixels: Callable[[], np.ndarray]
    penalties: tuple[tuple[float, float], ...]
    relative: bool = False
    large: bool = False

    @property
    def why_absent(self) -> str | None:
        """Why it cannot be read here; None when it can."""
        return real_data.why_absent(self.name)


SETS = (
    Images(
        "faces",
        partial(faces, 32),
        ((0.1, 0.01), (0.3, 0.03), (0.01, 0.1), (0.01, 0.01), (0.001, 0.0)),
        relative=True,
    ),
    Images("ORL", partial(real_data.pixels, "ORL"), ((1, 1), (10, 10), (50, 1), (100, 2000))),
    Images("digits", partial(real_data.pixels, "digits"), ((20, 20), (50, 20), (100, 1), (0, 20))),
    Images(
        "native ORL", partial(real_data.pixels, "native ORL", centred=True), ((1, 1), (0.1, 10))
    ),
    Images("COIL20", partial(real_data.pixels, "COIL20"), ((1, 1), (10, 10))),
    Images("USPS", partial(real_data.pixels, "USPS"), ((100, 100), (10, 10))),
    Images("70,000 × 784", synthetic_digits, ((0.05, 0.05),), relative=True, large=True),
)


@dataclass
class Sum:
    """Of one row at one gap: iterations, processor seconds, fits that did not arrive."""

    iterations: int = 0
    seconds: float = 0.0
    late: int = 0


def runs(data: ReducedData, images: Images, gap: float) -> Iterator[tuple[Problem, Any]]:
    """The problems of a set, each with what it starts from."""
    scale = (data.alpha_max, data.beta_max) if images.relative else (1.0, 1.0)
    for number, (alpha, beta) in enumerate(images.penalties):
        problem = Problem(data, alpha * scale[0], beta * scale[1])
        yield problem, None
        if images.large:
            continue
        solved = arrive(problem, None, gap, MOST)[0].state
        # A step of the slider, or a smaller one where all columns are in use.
        step = 1.25 if isinstance(solved, ADMMState) and solved.V is not None else 1.08
        changed_beta = problem.beta if problem.alpha > 0.0 else problem.beta / step
        yield Problem(data, problem.alpha / step, changed_beta), solved
        if number == 0:
            yield problem, "constant-2"


def arrive(problem: Problem, start: Any, gap: float, most: int) -> tuple[Iterate, float]:
    """The iterate that is certified to `gap`, or the last one; and the seconds it took."""
    began = time.process_time()
    steps = ADMM(target=gap, limit=most).iterate(problem, start)
    last = next(step for step in steps if step.gap <= gap or step.number >= most)
    return last, time.process_time() - began


def ablate(images: Images, gap: float, rows: Sequence[str], most: int) -> dict[str, Sum]:
    """What all problems of a set take together, row by row; the solver as it is under ""."""
    data, sums = ReducedData(images.pixels()), {row: Sum() for row in ("", *rows)}
    for problem, start in runs(data, images, gap):
        for row, total in sums.items():
            with changed(ROWS.get(row, {})):
                last, seconds = arrive(problem, start, gap, most)
            total.iterations += last.number
            total.seconds += seconds
            total.late += last.gap > gap
    return sums


def main() -> None:
    """Print a table a set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--large", action="store_true", help="with 70,000 × 784: 3 GB, an hour")
    parser.add_argument("--sets", default="", help="these alone, with commas between")
    parser.add_argument("--rows", default="", help="these alone, with commas between")
    parser.add_argument("--gap", type=float, default=1e-3, help="certified gap to arrive at")
    parser.add_argument("--most", type=int, default=MOST, help="iterations of a fit at most")
    options = parser.parse_args()
    rows = options.rows.split(",") if options.rows else list(ROWS)
    chosen = [images for images in SETS if images.name in options.sets.split(",")]
    for images in chosen or [images for images in SETS if options.large or not images.large]:
        if images.why_absent is not None:
            print(f"\n{images.name}: skipped, {images.why_absent}")
            continue
        with threadpool_limits(1):
            sums = ablate(images, options.gap, rows, options.most)
        print(f"\n{images.name}\n| without | iterations | seconds | late |\n|{' --- |' * 4}")
        for row, total in sums.items():
            seconds = f"{total.seconds / sums[''].seconds:.2f}" if row else f"{total.seconds:.1f} s"
            print(f"| {row or 'nothing'} | {total.iterations} | {seconds} | {total.late} |")


if __name__ == "__main__":
    main()
