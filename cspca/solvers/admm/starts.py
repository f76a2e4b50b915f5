"""The best map that is diagonal in the basis of the data: a first guess that costs next to nothing.

Reweighting finds it (theory.md §8). On the image sets we know it is 0.8 – 4 % above the global
optimum, in a hundredth of a second, and knows the scales that the real solver would have to guess.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.problem import Problem, Reduction
from cspca.proximal import FloatArray, row_norms

PASSES = 15
"""Passes of reweighting over the data; with 5, nine fits of digits take 147 iterations, not 95."""

SMOOTHING = 1e-3
"""Smoothing of its norms, in units of the mean image, and of its factors."""

NEGLIGIBLE = 5e-3
"""Largest factor that is taken for zero, where reweighting never ends."""

LEAST_ERROR = 1e-2
"""Least typical error of an image, as a share of the mean image."""

SHORT = 1e-3
"""Share of a typical norm below which a first multiplier is shorter than its limit."""

LOSS_SCALE = 0.66
"""First ρ of the loss, times the median error."""

SPECTRAL_SCALE = 0.6
"""First ρ of the trace norm, as a share of what it pulls with over what it pulls at."""

LEAST_ROWS, LEAST_REPRODUCED_ROWS = 0.1, 0.25
"""Least first ρ of the rows in the same terms; the second where most images are reproduced."""

SPREAD = 0.75
"""Power of the largest factor that the first ρ of the copies is multiplied by; without it 34
iterations in place of 10 where few pixels carry W."""

ZERO_LOSS, ZERO_COPIES = 3.0, 5.0
"""First ρ where the guess is W = 0: an image moves by a third of itself, a weight by a fifth."""

REPRODUCED, SMALL_RANK = 0.04, 512
"""Typical error, as a share of the mean image, up to which the loss has no copy; the share falls in
proportion beyond that many directions, by which an iteration without a copy grows dear."""

LEAST_LENGTH = 1e-6
"""Share of a typical error at which an image counts as reproduced, there."""


@dataclass(frozen=True)
class DiagonalGuess:
    """``W = U diag(factors) Uᵀ`` with its typical sizes.

    `objective` is that of the original problem, not smoothed, `error` the median reconstruction
    error of an image that is not zero, `rows` and `trace` are what the penalties are there.
    """

    factors: FloatArray
    objective: float
    error: float
    rows: float
    trace: float


def diagonal_guess(problem: Problem) -> DiagonalGuess:
    """Minimise the objective over maps that are diagonal in the basis of the data, nearly."""
    data = problem.data
    unit = float(data.sample_norms[data.sample_norms > 0].mean())
    alpha, beta = problem.alpha / unit, problem.beta / unit
    Y, outside = data.sample()
    images = np.square(Y / unit).astype(np.float32)
    pixels = np.square(data.U).astype(np.float32)
    rest = (outside / unit**2 + SMOOTHING**2).astype(np.float32)
    # Each row of a sample stands for several.
    stands_for = np.float32(data.shape[0] / len(Y))
    factors = np.full(data.rank, 0.5, dtype=np.float32)
    # BLAS may report an invalid value of lanes that it only padded; a wrong guess costs time alone.
    with np.errstate(invalid="ignore"):
        for _ in range(PASSES):
            errors = np.sqrt(images @ np.square(1.0 - factors) + rest)
            rows = np.sqrt(pixels @ np.square(factors) + np.float32(SMOOTHING**2))
            gain = (stands_for / errors) @ images
            cost = alpha * ((1.0 / rows) @ pixels) + beta / np.maximum(factors, SMOOTHING)
            factors = (gain / (gain + cost)).astype(np.float32)
    # Reweighting never gets a factor to zero by itself.
    factors_in_use = np.where(factors > NEGLIGIBLE, factors, 0.0).astype(np.float64)
    errors = data.diagonal_errors(factors_in_use)
    alive = errors[data.sample_norms > 0]
    rows = problem.alpha * float(row_norms(data.U * factors_in_use).sum())
    # U is orthonormal: the factors are the singular values.
    trace = problem.beta * float(factors_in_use.sum())
    return DiagonalGuess(
        factors=factors_in_use,
        objective=(float(errors.sum()) + rows + trace) * (1.0 + 1e-12),
        error=max(float(np.median(alive)), LEAST_ERROR * float(data.sample_norms.mean())),
        rows=rows,
        trace=trace,
    )


def initial_rho(problem: Problem, guess: DiagonalGuess) -> tuple[float, float, float]:
    """First guess of ρ for the loss, the rows and the spectrum, from the sizes of the guess.

    What a penalty pulls with, divided by what it pulls at, is the curvature that ρ should have.
    The rows' is drawn to the trace norm's: a diagonal map, never sparse in rows, overstates it.
    """
    if guess.rows == guess.trace == 0.0:
        # The guess is W = 0: an image moves by a third of itself, a weight by a fifth of 1.
        norms = problem.data.sample_norms
        loss, copies = ZERO_LOSS / float(norms[norms > 0].mean()), ZERO_COPIES
        return loss, copies * problem.alpha, copies * problem.beta / problem.data.rank**0.5
    # U is orthonormal: ‖W‖².
    square = float(np.square(guess.factors).sum())
    rows, spectral = guess.rows / square, guess.trace / square
    if rows > 0.0:
        # A trace norm that hardly pulls says little of the rows, nor do images that are reproduced.
        reproduced = least_error(problem, guess) > 0.0
        least = LEAST_REPRODUCED_ROWS if reproduced else LEAST_ROWS
        rows *= float(np.clip(np.sqrt(spectral / rows), least, 1.0))
    # Where even the strongest direction is shrunk to little, few pixels carry W, and its size is
    # larger than the guess, which spreads over all of them.
    share = float(guess.factors.max()) ** SPREAD
    return LOSS_SCALE / guess.error, share * rows, SPECTRAL_SCALE * share * spectral


def least_error(problem: Problem, guess: DiagonalGuess) -> float:
    """Where most images are next to being reproduced, the length at which one counts as that.

    0 where they are not, or in too many directions, by which an iteration without a copy grows
    dear. All of them together are next to nothing of the objective.
    """
    data = problem.data
    most = REPRODUCED * min(1.0, SMALL_RANK / data.rank)
    if guess.error > most * float(data.sample_norms.mean()):
        return 0.0
    return LEAST_LENGTH * min(guess.error, guess.objective / data.shape[0])


def nearest_multiple(data: Reduction, Z: FloatArray) -> FloatArray:
    """The multiple of Z, not a negative one, that reconstructs best in the least-squares sense."""
    Z = Z / max(float(np.abs(Z).max()), np.finfo(np.float64).tiny)
    square = float((np.square(data.residual_norms(Z + data.U)) - data.outside).sum())
    apart = float((np.square(data.residual_norms(Z)) - np.square(data.sample_norms)).sum())
    return Z * (max(0.0, 0.5 * (square - apart)) / square if square > 0.0 else 0.0)
