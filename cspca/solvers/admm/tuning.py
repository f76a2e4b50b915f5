"""Every number of the fast solver that is a choice: what it is measured in, and what speaks for it.

None of them can make an answer wrong, since the certificate knows none of them: they cost or save
iterations. The last word of each line names the row of ``python -m tests.benchmarks.ablation`` in
which it, or the branch that it belongs to, is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def _number(value: float, unit: str, row: str) -> Any:
    """A field of :class:`Tuning`."""
    return field(default=value, metadata={"unit": unit, "row": row})


@dataclass(frozen=True)
class Tuning:
    """The numbers of ADMM; ``dataclasses.replace`` makes another solver of it."""

    relaxation: float = _number(1.6, "steps", "over-relaxation")

    # The first guess (:mod:`.starts`): passes over the data, and what counts as nothing there.
    guess_passes: int = _number(15, "passes", "passes of the first guess")
    smoothing: float = _number(1e-3, "mean image, or 1", "first guess")
    negligible: float = _number(5e-3, "largest factor", "first guess")
    least_error: float = _number(1e-2, "mean image", "first guess")
    short: float = _number(1e-3, "typical norm", "first guess")

    # ρ to begin with, in what the sizes of the guess say.
    loss_scale: float = _number(0.66, "1 / median error", "initial ρ")
    spectral_scale: float = _number(0.6, "pull of the trace norm", "initial ρ")
    least_rows: float = _number(0.1, "pull of the rows", "initial ρ of the rows")
    least_whole_rows: float = _number(0.25, "pull of the rows", "initial ρ of the rows")
    zero_loss: float = _number(3.0, "1 / mean image", "initial ρ")
    zero_copies: float = _number(5.0, "penalty", "initial ρ")
    far: float = _number(1.0, "objective of W = 0", "far starts")

    # Few columns (:mod:`.few_columns`).
    coarse: float = _number(5e-4, "gap", "few columns")
    most: int = _number(3, "directions for one in use", "few columns")
    spare: int = _number(8, "directions", "few columns")
    exploration: int = _number(3, "iterations", "explorations")
    explorations: int = _number(2, "times", "explorations")
    between: int = _number(4, "iterations", "few columns")
    padding: int = _number(12, "directions", "subspace of the certificate")
    subspace: int = _number(4, "directions for one in it", "subspace of the certificate")
    missing: float = _number(1e-3, "direction", "few columns")
    few_slow: float = _number(0.7, "gap before", "few columns")
    few_slow_checks: int = _number(2, "checks", "few columns")

    # Few pixels (:mod:`.few_rows`).
    few_directions: float = _number(0.08, "directions", "few rows")
    few_pixels: float = _number(0.03, "pixels", "few rows")
    minor_trace: float = _number(0.18, "α", "few rows")
    heaviness: float = _number(0.3, "power of the weight", "few rows")
    trace_within: float = _number(1.1, "α", "few rows")
    first_pixels: int = _number(64, "pixels", "few rows")
    most_rows: float = _number(1.5, "directions", "few rows")
    most_pixels: float = _number(0.5, "pixels", "few rows")
    few_rows_digits: float = _number(1e-4, "gap", "few rows")
    few_rows_check: int = _number(5, "iterations", "few rows")
    few_rows_steps: int = _number(80, "iterations", "few rows")

    # Most images reproduced: the loss is minimised over, and has no copy.
    reproduced: float = _number(0.04, "mean image", "loss without a copy")
    small: int = _number(512, "directions", "loss without a copy")
    least_length: float = _number(1e-6, "typical error", "loss without a copy")
    passes: int = _number(3, "passes", "loss without a copy")

    # All columns (:mod:`.solver`): checks.
    near: float = _number(0.5, "objective", "warm starts")
    saved: int = _number(1, "iterations", "warm starts")
    stale: float = _number(2.0, "ρ of the loss", "warm starts")
    guess_gap: float = _number(0.06, "gap", "first check")
    least_wait: int = _number(2, "iterations", "checks the more often")
    fastest: float = _number(0.3, "gap before", "checks the more often")
    wait: int = _number(4, "iterations for one more", "checks the more often")

    # All columns: how ρ moves, and precision.
    slow: float = _number(0.9, "gap before, an iteration", "residual balancing")
    settled: float = _number(0.05, "gap", "a bound that lags")
    lower: float = _number(0.4, "ρ", "a bound that lags")
    lowerings: int = _number(5, "times", "a bound that lags")
    balanced: int = _number(200, "iterations", "residual balancing")
    balance: float = _number(1.5, "ρ", "residual balancing")
    afresh: float = _number(0.4, "power of ρ by its first guess", "residual balancing")
    single: float = _number(3e-4, "gap", "single precision")
    round_off: float = _number(3e-3, "gap", "single precision")
    slow_checks: int = _number(4, "checks", "single precision")


TUNING = Tuning()
"""The numbers as they are."""
