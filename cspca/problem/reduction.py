"""The reduction: data seen through an orthonormal basis of their row space (theory.md §2)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from cspca.problem.certificate import Lengths, basis_norm, round_off, underflow
from cspca.problem.terms import LOSSES, RowNorms, TraceNorm
from cspca.proximal import FloatArray, gram, orthonormal, row_norms

EQUAL = 1e-10
"""Share of the largest up to which numbers that come from a formula are equal: less is rounding."""

_ROUND_OFF = 1e-9
"""Share of the samples below which what a basis leaves out of them is round-off."""

_CANDIDATES, _COPIED = 1e-11, 1e-12
"""Shares of a column by which two may differ to be compared, and to be equal but for round-off."""

CHUNK = 2048
"""Rows that are worked on at a time: enough for a fast product, few enough for the memory of what
lies between two steps of it."""


def row_slices(n_rows: int, length: int) -> list[slice]:
    """Consecutive slices of `length` rows; the last one may be shorter."""
    return [slice(first, min(first + length, n_rows)) for first in range(0, n_rows, length)]


class Reduction(Protocol):
    """Data in a basis of their row space, as the problem and the certified solver see them.

    :class:`ReducedData` holds them in memory; :class:`cspca.solvers.blocks_data.BlockData` knows
    only how to go over them, block by block. The attributes are described there.
    """

    U: FloatArray
    singular_values: FloatArray
    outside: FloatArray
    live: FloatArray
    alpha_max: float
    beta_max: float
    shape: tuple[int, int]
    sample_norms: FloatArray
    feature_norms: FloatArray
    basis_norm: float
    slices: list[slice]
    identity_ends: tuple[float, float] | None = None
    """Proven ends of t* (:mod:`cspca.problem.identity`); None before they are first needed."""

    @property
    def rank(self) -> int:
        """Number of directions kept."""
        return int(self.U.shape[1])

    @property
    def full_column_rank(self) -> bool:
        """Whether the live pixels are linearly independent (then W = I can be optimal)."""
        return self.rank == int(np.count_nonzero(self.live))

    @functools.cached_property
    def row_lengths(self) -> FloatArray:
        """``‖u_j‖`` of every pixel, shape (n_features,)."""
        return row_norms(self.U)

    @property
    def unit_rows(self) -> FloatArray:
        """Rows of U with length 1; a row of zeros stays one."""
        lengths = np.where(self.row_lengths > 0.0, self.row_lengths, 1.0)
        N: FloatArray = self.U / lengths[:, None]
        return N

    @functools.cached_property
    def projects_evenly(self) -> bool:
        """Whether W = U Uᵀ is the optimum under small penalties: W = I at full column rank.

        It is where ``(I − U Uᵀ) N = 0``, N the rows of U with length 1 (theory.md §12).
        """
        if self.full_column_rank:
            return True
        # Of random combinations of the columns of N: almost surely that is enough.
        mixed = self.unit_rows @ np.random.default_rng(0).standard_normal((self.rank, 4))
        outside = mixed - self.U @ (self.U.T @ mixed)
        return float(np.linalg.norm(outside)) <= EQUAL * float(np.linalg.norm(mixed))

    @functools.cached_property
    def left_out(self) -> float:
        """What the samples hold in directions that are too weak to keep; 0 where it is round-off.

        No objective can be lowered by more in these directions.
        """
        lost = float(np.sqrt(self.outside).sum())
        return lost if lost > _ROUND_OFF * float(self.sample_norms.sum()) else 0.0

    @functools.cached_property
    def copies(self) -> list[tuple[NDArray[np.intp], FloatArray]]:
        """Groups of pixels whose columns are equal but for signs and round-off, with the signs.

        Candidates have equal entries of ``AᵀA w``, w random; columns of the data then decide.
        """
        live = np.flatnonzero(self.live & (self.feature_norms > 0.0))
        norms = self.feature_norms
        weights = np.zeros(self.shape[1])
        weights[live] = np.random.default_rng(0).standard_normal(len(live)) / norms[live]
        pull, square = self.over(products_of, weights).sums
        order = live[np.argsort(np.abs(pull[live]), kind="stable")]
        near = _CANDIDATES * norms[order[1:]] * np.sqrt(square)
        breaks = np.flatnonzero(np.diff(np.abs(pull[order])) > near) + 1
        runs = [run for run in np.split(order, breaks) if len(run) > 1]
        if not runs:
            return []
        firsts = np.concatenate([np.full(len(run), run[0]) for run in runs])
        members, signs = np.concatenate(runs), np.where(pull < 0.0, -1.0, 1.0)
        (apart,) = self.over(differences_of, members, firsts, signs).sums
        equal = np.sqrt(apart) <= _COPIED * norms[members]
        groups = [members[equal & (firsts == run[0])] for run in runs]
        return [(np.sort(group), signs[np.sort(group)]) for group in groups if len(group) > 1]

    def averaged(self, Z: FloatArray) -> FloatArray:
        """Z with the mean row of each group of `copies`: its objective is no larger (§14).

        U is left as it is: its rows are equal but for round-off.
        """
        if not self.copies or np.array_equal(Z, self.U):
            return Z
        averaged = np.array(Z)
        for places, signs in self.copies:
            averaged[places] = signs[:, None] * (signs @ Z[places] / len(places))
        return averaged

    def limits(self, loss: str) -> tuple[float, float]:
        """α_max and β_max of a loss: W = 0 is optimal from ``α/α_max + β/β_max = 1`` on (§10)."""
        return self.alpha_max, self.beta_max

    @property
    def coarse(self) -> np.dtype[Any]:
        """Single precision, or double where single cannot hold the data's squares."""
        fits = self.singular_values[0] < 1e15 and self.singular_values[-1] > 1e-15
        return np.dtype(np.float32 if fits else np.float64)

    def slip(self, lengths: Lengths) -> FloatArray:
        """What each row of ``AᵀΛ`` may be wrong by, shape (n_features,): see `round_off`."""
        longest = max(rows.stop - rows.start for rows in self.slices)
        error = round_off(longest + len(self.slices)) * lengths.size
        return error * self.feature_norms + underflow(self.U.size)

    def over(self, function: Callable[..., Total], *arguments: Any) -> Total:
        """Sum of ``function(A, *arguments)`` over blocks of rows of A."""

    def sample(self) -> tuple[FloatArray, FloatArray]:
        """Enough rows of Y for a first guess, shape (m, rank), and their part outside, (m,)."""

    def least_column(self) -> float:
        """Smallest ``Σ_i |a_ij|`` of a live pixel."""

    def residual_norms(self, Z: FloatArray) -> FloatArray:
        """Reconstruction error of every image under ``W = Z Uᵀ``, shape (n_samples,)."""
        inside = self.over(errors_of, np.asarray(Z, np.float64) - self.U).rows
        errors: FloatArray = np.sqrt(np.square(inside) + self.outside)
        return errors

    def diagonal_errors(self, factors: FloatArray) -> FloatArray:
        """The same under ``W = U diag(factors) Uᵀ``."""
        return self.residual_norms(self.U * factors)

    def origin_pull(self) -> FloatArray:
        """``AᵀΛ`` for the multipliers of W = 0, ``λ_i = −y_i / ‖a_i‖``; (n_features, rank)."""
        pull: FloatArray = self.over(origin_pull_of, self.U).sums[0]
        return pull


@dataclass
class Total:
    """What a pass leaves of a block, or of several that were added.

    `sums` are whatever adds up; `parts` have entries for each sample, block by block.
    """

    sums: tuple[Any, ...] = ()
    parts: list[FloatArray] = field(default_factory=list)

    def __add__(self, total: Total) -> Total:
        """Of both, the samples of `self` first."""
        sums = tuple(a + b for a, b in zip(self.sums, total.sums, strict=True))
        return Total(sums, self.parts + total.parts)

    @property
    def rows(self) -> FloatArray:
        """The entries of all samples."""
        return np.concatenate(self.parts)


def add(*parts: Any) -> Any:
    """Sum of what adds up, from the first on."""
    return functools.reduce(operator.add, parts)


def errors_of(A: FloatArray, N: FloatArray) -> Total:
    """Norms of the rows of ``A N``, where ``N = Z − U``."""
    return Total(parts=[row_norms(A @ N)])


def outside_of(A: FloatArray, U: FloatArray) -> Total:
    """Squared norms of what lies outside the basis."""
    rest = (A @ U) @ U.T
    rest -= A
    return Total(parts=[np.einsum("ij,ij->i", rest, rest)])


def products_of(A: FloatArray, weights: FloatArray) -> Total:
    """``AᵀA w`` and ``‖A w‖²``."""
    product = A @ weights
    return Total((A.T @ product, float(product @ product)))


def differences_of(
    A: FloatArray, members: NDArray[np.intp], firsts: NDArray[np.intp], signs: FloatArray
) -> Total:
    """Squared distances of some columns from others, each column times its sign."""
    apart = A[:, members] * signs[members] - A[:, firsts] * signs[firsts]
    return Total((np.einsum("ij,ij->j", apart, apart),))


def origin_pull_of(A: FloatArray, U: FloatArray) -> Total:
    """``AᵀΛ`` for the multipliers of W = 0."""
    return Total((A.T @ ((A @ U) / -image_norms(A)),))


def image_norms(X: FloatArray) -> FloatArray:
    """Norm of each image as a column; 1 for a blank one, which stays blank."""
    norms = row_norms(X)
    return np.where(norms > 0, norms, norms.dtype.type(1))[:, None]


class ReducedData(Reduction):
    """Data seen through an orthonormal basis of their row space; shared by every (α, β).

    The rows of `A` are images, preprocessed (the paper's ``Xᵀ``, as float64); `U` is an orthonormal
    basis of its row space and ``Y = A U``, so that ``YᵀY`` is diagonal. `outside` is the squared
    norm of what lies outside the basis, image by image: zero but for round-off and for directions
    that were too weak to keep. `live` are the pixels that are not zero in every image. ``W = 0`` is
    optimal whenever ``α/alpha_max + β/beta_max ≥ 1``.
    """

    def __init__(self, A: FloatArray) -> None:
        A = np.ascontiguousarray(A, dtype=np.float64)
        if A.ndim != 2 or 0 in A.shape:
            raise ValueError(
                f"The data must be a non-empty table of shape (n_samples, n_features), "
                f"got an array of shape {A.shape}."
            )
        if not np.isfinite(A).all():
            raise ValueError("The data contain NaN or infinite values: replace or drop them first.")
        self.A = A
        self.shape = (int(A.shape[0]), int(A.shape[1]))
        self.live = np.any(A != 0.0, axis=0)
        if not self.live.any():
            raise ValueError(
                "The data are zero everywhere, so there is nothing to explain: "
                "give images that differ (or, if they are all the same, do not centre them)."
            )
        scale = float(np.abs(A).max())
        check_scale(scale)
        self.sample_norms = row_norms(A)
        # A common scale keeps the Gram matrix clear of overflow and underflow.
        self.U, values, rest = range_basis(A / scale)
        # Round-off must not revive a dead pixel: its weight is zero, exactly.
        self.U[~self.live] = 0.0
        self.singular_values = values * scale
        self.basis_norm = basis_norm(self.U)
        self.feature_norms: FloatArray = np.sqrt(np.einsum("ij,ij->j", A, A))
        self.slices = row_slices(len(A), CHUNK)
        self.Y: FloatArray = A @ self.U
        self.outside: FloatArray = np.square(row_norms(left_out(A, self.U, rest)))
        self.alpha_max, self.beta_max = penalty_limits(A, self.sample_norms)
        self._limits = {"norms": (self.alpha_max, self.beta_max)}

    def limits(self, loss: str) -> tuple[float, float]:
        """α_max and β_max under a loss, made when first asked for."""
        if loss not in self._limits:
            # They go with the square of the data, and their squares with its fourth power.
            check_scale(float(np.abs(self.A).max()), power=4)
            pull = self.A.T @ LOSSES[loss].slope(-self.Y)
            self._limits[loss] = RowNorms(1.0).dual_norm(pull), TraceNorm(1.0).dual_norm(pull)
        return self._limits[loss]

    def chunk(self, rows: slice) -> FloatArray:
        """Some rows of A, in double precision."""
        return self.A[rows]

    def along(self, V: FloatArray) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Slices, their rows of A, and those of Y V, in double precision."""
        for rows in self.slices:
            yield rows, self.A[rows], self.Y[rows] @ V

    def over(self, function: Callable[..., Total], *arguments: Any) -> Total:
        total: Total = add(*(function(self.A[rows], *arguments) for rows in self.slices))
        return total

    def pull(self, L: FloatArray) -> FloatArray:
        """``AᵀΛ``, shape (n_features, rank), a chunk at a time."""
        pull: FloatArray = add(*(self.A[rows].T @ L[rows] for rows in self.slices))
        return pull

    def basis_rows(self, dtype: np.dtype[Any]) -> FloatArray:
        """Y in the precision asked for, shape (n_samples, rank); not to be written to."""
        return self.Y.astype(dtype, copy=False)

    def diagonal_errors(self, factors: FloatArray) -> FloatArray:
        errors: FloatArray = np.sqrt(np.square(row_norms(self.Y * (1.0 - factors))) + self.outside)
        return errors

    def sample(self) -> tuple[FloatArray, FloatArray]:
        return self.Y, self.outside

    def least_column(self) -> float:
        return float(np.abs(self.A).sum(axis=0)[self.live].min())


_RANK_TOLERANCE = 1e-13
"""Directions whose squared singular value is below this fraction of the largest are left out of
the loop; the objective counts what they hold (theory.md §2)."""


def range_basis(A: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Orthonormal basis of A's row space, the singular values, decreasing, and other directions.

    These are right singular vectors, or left ones where there are fewer rows than columns.
    """
    n, d = A.shape
    vectors, values, rest = leading_directions(gram(A if n >= d else A.T))
    if n >= d:
        return vectors, values, rest
    # Orthonormal to u over the square of the least relative value, 1e-3.
    return orthonormal(A.T @ (vectors / values)), values, rest


def left_out(A: FloatArray, U: FloatArray, rest: FloatArray) -> FloatArray:
    """What a basis of A's row space leaves out of its rows, from the other directions."""
    if len(A) < A.shape[1]:
        lost = rest.T @ A
        left: FloatArray = rest @ (lost - (lost @ U) @ U.T)
    else:
        left = A @ rest
    return left


def leading_directions(G: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Eigenvectors of a Gram matrix that count, their singular values, decreasing; the others."""
    squared, vectors = np.linalg.eigh(G)
    squared, vectors = squared[::-1], vectors[:, ::-1]
    rank = int(np.count_nonzero(squared > _RANK_TOLERANCE * squared[0])) if squared[0] > 0 else 0
    return np.ascontiguousarray(vectors[:, :rank]), np.sqrt(squared[:rank]), vectors[:, rank:]


def largest_eigenvalue(M: FloatArray) -> float:
    """Of a symmetric matrix without negative ones, not all zero."""
    if len(M) < 100:
        return float(np.linalg.eigvalsh(M)[-1])
    # Lanczos takes a twentieth of the time; its tolerance is made for numbers near 1.
    scale, start = float(np.trace(M)), np.random.default_rng(0).standard_normal(len(M))
    values = scipy.sparse.linalg.eigsh(M / scale, 1, v0=start, return_eigenvectors=False)
    return scale * float(values[0])


_SMALLEST_SCALES = {2: 1e-151, 4: 1e-70}
"""By the power that is taken: data whose largest value is below this, or above its inverse, are
refused, since the power would underflow or overflow, and zeros and infinities prove nothing."""


def check_scale(scale: float, power: int = 2, what: str = "The largest value in the data") -> None:
    """Refuse data of which double precision cannot hold the second or fourth power."""
    smallest = _SMALLEST_SCALES[power]
    if not smallest <= scale <= 1.0 / smallest:
        taken = "square" if power == 2 else "fourth power"
        raise ValueError(
            f"{what} is {scale:.1e}, and its {taken} leaves the range of double precision: divide "
            "the data by it."
        )


def penalty_limits(A: FloatArray, norms: FloatArray) -> tuple[float, float]:
    """α_max = max_j ‖M_j‖ and β_max = ‖M‖₂ of ``M = Σ a_iᵀ a_i / ‖a_i‖`` (theory.md §10).

    The smaller of M and its n × n counterpart is formed; an image of zeros adds nothing.
    """
    B = A / np.sqrt(np.where(norms > 0.0, norms, 1.0))[:, None]
    G = gram(B if B.shape[0] >= B.shape[1] else B.T)
    beta_max = largest_eigenvalue(G)
    if len(G) == B.shape[1]:
        return float(row_norms(G).max()), beta_max
    # ‖M_j‖² = b_jᵀ (B Bᵀ) b_j ≤ ‖M‖ ‖b_j‖²: pixels that cannot have the largest are left out.
    most = beta_max * (1.0 + 1e-9) * np.einsum("ij,ij->j", B, B)
    first = B[:, most.argmax()]
    C = B[:, most >= first @ G @ first]
    return float(np.sqrt(np.einsum("ij,ij->j", C, G @ C).max())), beta_max
