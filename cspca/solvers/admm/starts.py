"""The best map that is diagonal in the basis of the data: a first guess that costs next to nothing.

Reweighting finds it (theory.md §8). On the image sets we know it is 0.8 – 4 % above the global
optimum, in a hundredth of a second, and knows the scales that the real solver would have to guess.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.problem import Problem, Reduction
from cspca.proximal import FloatArray, row_norms
from cspca.solvers.admm.tuning import TUNING, Tuning


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


def diagonal_guess(problem: Problem, tuning: Tuning = TUNING) -> DiagonalGuess:
    """Minimise the objective over maps that are diagonal in the basis of the data, nearly."""
    data, smoothing = problem.data, tuning.smoothing
    unit = float(data.sample_norms[data.sample_norms > 0].mean())
    alpha, beta = problem.alpha / unit, problem.beta / unit
    Y, outside = data.sample()
    images = np.square(Y / unit).astype(np.float32)
    pixels = np.square(data.U).astype(np.float32)
    rest = (outside / unit**2 + smoothing**2).astype(np.float32)
    # Each row of a sample stands for several.
    stands_for = np.float32(data.shape[0] / len(Y))
    factors = np.full(data.rank, 0.5, dtype=np.float32)
    # BLAS may report an invalid value of lanes that it only padded; a wrong guess costs time alone.
    with np.errstate(invalid="ignore"):
        for _ in range(tuning.guess_passes):
            errors = np.sqrt(images @ np.square(1.0 - factors) + rest)
            rows = np.sqrt(pixels @ np.square(factors) + np.float32(smoothing**2))
            gain = (stands_for / errors) @ images
            cost = alpha * ((1.0 / rows) @ pixels) + beta / np.maximum(factors, smoothing)
            factors = (gain / (gain + cost)).astype(np.float32)
    # Reweighting never gets a factor to zero by itself.
    kept = np.where(factors > tuning.negligible, factors, 0.0).astype(np.float64)
    errors = data.diagonal_errors(kept)
    alive = errors[data.sample_norms > 0]
    rows = problem.alpha * float(row_norms(data.U * kept).sum())
    # U is orthonormal: the factors are the singular values.
    trace = problem.beta * float(kept.sum())
    return DiagonalGuess(
        factors=kept,
        objective=(float(errors.sum()) + rows + trace) * (1.0 + 1e-12),
        error=max(float(np.median(alive)), tuning.least_error * float(data.sample_norms.mean())),
        rows=rows,
        trace=trace,
    )


def initial_rho(
    problem: Problem, guess: DiagonalGuess, tuning: Tuning = TUNING
) -> tuple[float, float, float]:
    """First guess of ρ for the loss, the rows and the spectrum, from the sizes of the guess.

    What a penalty pulls with, divided by what it pulls at, is the curvature that ρ should have.
    The rows' is drawn to the trace norm's: a diagonal map, never sparse in rows, overstates it.
    """
    if guess.rows == guess.trace == 0.0:
        # The guess is W = 0: an image moves by a third of itself, a weight by a fifth of 1.
        norms = problem.data.sample_norms
        loss, copies = tuning.zero_loss / float(norms[norms > 0].mean()), tuning.zero_copies
        return loss, copies * problem.alpha, copies * problem.beta / problem.data.rank**0.5
    # U is orthonormal: ‖W‖².
    square = float(np.square(guess.factors).sum())
    rows, spectral = guess.rows / square, guess.trace / square
    if rows > 0.0:
        # A trace norm that hardly pulls says little of the rows, nor do images that are reproduced.
        reproduced = least_error(problem, guess, tuning) > 0.0
        least = tuning.least_whole_rows if reproduced else tuning.least_rows
        rows *= float(np.clip(np.sqrt(spectral / rows), least, 1.0))
    # Where even the strongest direction is shrunk to little, few pixels carry W, and its size is
    # larger than the guess, which spreads over all of them: 10 iterations in place of 34.
    share = float(guess.factors.max())
    return tuning.loss_scale / guess.error, share * rows, tuning.spectral_scale * share * spectral


def least_error(problem: Problem, guess: DiagonalGuess, tuning: Tuning) -> float:
    """Where most images are next to being reproduced, the length at which one counts as that.

    0 where they are not, or in too many directions, by which an iteration without a copy grows
    dear. All of them together are next to nothing of the objective.
    """
    data = problem.data
    most = tuning.reproduced * min(1.0, tuning.small / data.rank)
    if guess.error > most * float(data.sample_norms.mean()):
        return 0.0
    return tuning.least_length * min(guess.error, guess.objective / data.shape[0])


def nearest_multiple(data: Reduction, Z: FloatArray) -> FloatArray:
    """The multiple of Z, not a negative one, that reconstructs best in the least-squares sense."""
    Z = Z / max(float(np.abs(Z).max()), np.finfo(np.float64).tiny)
    square = float((np.square(data.residual_norms(Z + data.U)) - data.outside).sum())
    apart = float((np.square(data.residual_norms(Z)) - np.square(data.sample_norms)).sum())
    return Z * (max(0.0, 0.5 * (square - apart)) / square if square > 0.0 else 0.0)
