"""What "proven" means in floating point: bounds and objectives against exact arithmetic."""

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest

from cspca import CSPCA
from cspca.problem import Problem, ReducedData, certificate, problem, reduction
from cspca.problem.terms import LOSSES, RowNorms, TraceNorm
from cspca.proximal import trace_norm
from cspca.solvers import plain
from cspca.solvers.blocks_data import BlockData, LocalBlocks
from tests.soak import counted


@pytest.fixture
def exact_machine(monkeypatch):
    """Believe that the machine does not round."""

    def believe():
        for module in (certificate, problem, reduction, plain):
            monkeypatch.setattr(module, "round_off", lambda terms: 0.0)
            monkeypatch.setattr(module, "underflow", lambda numbers: 1e-300, raising=False)

    return believe


# --- exact arithmetic ------------------------------------------------------------------------


def _exact(B):
    """The matrix as fractions; every double is one."""
    return np.array([[Fraction(float(x)) for x in row] for row in np.atleast_2d(B)], dtype=object)


def _above(norm_squared, bound):
    """Whether √norm_squared > bound, exactly."""
    return norm_squared > bound * bound


def _root(square):
    """The square root from below, to forty digits of a fraction above 1e-160."""
    shift = 10**120
    return Fraction(isqrt(square.numerator * shift**2 // square.denominator), shift)


def _semidefinite(M):
    """Whether a symmetric matrix of fractions is positive semidefinite, by elimination."""
    M = M.copy()
    for k in range(len(M)):
        if M[k, k] < 0 or (M[k, k] == 0 and any(M[k, k + 1 :] != 0)):
            return False
        if M[k, k] > 0:
            M[k + 1 :, k + 1 :] -= np.outer(M[k + 1 :, k], M[k, k + 1 :]) / M[k, k]
    return True


def _is_bound(value, A, U, L, alpha, beta, loss="norms"):
    """Whether the multipliers ``Λ Uᵀ`` prove `value`, in exact arithmetic, where α or β is 0.

    They do when c times them is feasible for the least c of which ``−c ⟨Λ, A U⟩ − ℓ*(c Λ)`` is
    `value`: the other of G₁ and G₂ is then ``−c AᵀΛ Uᵀ``.
    """
    A, U, L = _exact(A), _exact(U), _exact(L)
    pull, metric = A.T @ L, U.T @ U
    proven, squared = -np.sum(pull * U), np.sum(L @ metric * L)
    if value == 0.0:
        return True
    if proven <= 0:
        return False
    if loss == "norms":
        c = Fraction(float(value)) / proven
        if any(_above(row @ metric @ row, 1 / c) for row in L):
            return False
    else:
        rest = proven**2 - 2 * squared * Fraction(float(value))
        if rest < 0:
            return False
        c = (proven - _root(rest)) / squared
    if beta == 0.0:
        return not any(_above(row @ metric @ row, Fraction(alpha) / c) for row in pull)
    identity = np.array([[Fraction(int(i == j)) for j in range(len(A.T))] for i in range(len(A.T))])
    return _semidefinite((Fraction(beta) / c) ** 2 * identity - pull @ metric @ pull.T)


# --- data that are hard on arithmetic --------------------------------------------------------


def _random(rng):
    return rng.standard_normal((9, 5))


def _offset(rng):
    return 1e6 + rng.standard_normal((9, 5))


def _near_dependent(rng):
    A = rng.standard_normal((9, 5))
    A[:, 1] = A[:, 0] + 1e-5 * rng.standard_normal(9)
    return A


def _unlike_pixels(rng):
    return rng.standard_normal((9, 5)) * 10.0 ** np.arange(-8, 2, 2)


def _wide(rng):
    return 100.0 + rng.standard_normal((4, 6))


HARD = [_offset, _near_dependent, _unlike_pixels, _wide]
SCALES = [1e-8, 1.0, 1e8]


def _guesses(data, rng):
    """Multipliers: those of W = 0, of W = I, and in between."""
    unit = -data.Y / np.linalg.norm(data.Y, axis=1, keepdims=True)
    small = -data.Y / np.square(data.singular_values)
    yield unit
    yield small / np.linalg.norm(small, axis=1).max()
    for _ in range(2):
        noise = rng.standard_normal(unit.shape)
        # Within the ball, and orthogonal to the offset as far as may be.
        noise -= unit * np.sum(noise * unit) / len(unit)
        yield unit * rng.random() + 0.3 * noise


def _certified(data, L, alpha, beta):
    """The certified solver's bound."""
    return Problem(data, alpha, beta).dual_bound(L, data.U, data.U).value


def _plain(loss):
    """The plain solver's bound, under a loss."""

    def bound(data, L, alpha, beta):
        terms = [RowNorms(alpha), TraceNorm(beta)]
        guess = -0.3 * (data.A.T @ L)
        copies = [plain.Copy(one, data.U, guess, 1.0) for one in terms if one.limit > 0.0]
        errors = plain.Copy(LOSSES[loss], data.Y, L, 1.0)
        return plain.lower_bound(data, LOSSES[loss], errors, copies)

    return bound


BOUNDS = {"certified": _certified, "plain": _plain("norms"), "squared": _plain("squared")}
EVERY_BOUND = pytest.mark.parametrize("which", BOUNDS)


def _proven(which, make, scale, seed):
    """Of each bound above 0, whether the multipliers prove it."""
    loss = "squared" if which == "squared" else "norms"
    rng = np.random.default_rng(seed)
    data = ReducedData(scale * make(rng))
    for L in _guesses(data, rng):
        # Multipliers of squared errors have their size; far below it their scale decides.
        L = 1e-3 * np.abs(data.A).max() * L if which == "squared" else L
        pull = np.linalg.norm(data.A.T @ L, axis=1).max()
        for size in (1e-3, 0.7):
            for alpha, beta in ((size * pull, 0.0), (0.0, size * pull)):
                bound = BOUNDS[which](data, L, alpha, beta)
                if bound > 0.0:
                    yield _is_bound(bound, data.A, data.U, L, alpha, beta, loss)


@EVERY_BOUND
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("make", [_random, *HARD])
def test_every_bound_is_one_in_exact_arithmetic(which, make, scale):
    proven = [one for seed in range(counted(2, 20)) for one in _proven(which, make, scale, seed)]
    assert len(proven) > 10
    assert all(proven)


@EVERY_BOUND
@pytest.mark.parametrize("make", HARD)
def test_without_outward_rounding_bounds_are_false(which, make, exact_machine):
    exact_machine()
    assert not all(one for seed in range(20) for one in _proven(which, make, 1.0, seed))


# --- the spectral norm -----------------------------------------------------------------------


def _norms_proven():
    """Of each bound of the spectral norm, whether it is one in exact arithmetic."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        B = (5.0 + rng.standard_normal((80, 2))) * 10.0 ** rng.integers(-8, 8)
        if seed % 2:
            # All singular values the same: the trace of BᵀB is as large as can be.
            B = np.linalg.qr(B)[0]
        norm = float(np.linalg.norm(B, 2))
        exact, size = _exact(B), np.eye(2, dtype=int).astype(object)
        gram = exact.T @ exact
        for few in (-9, -3, -1, 0, 1, 1e15):
            bound = Fraction(certificate.spectral_norm_bound(B, norm * (1.0 + few * 2.0**-53)))
            yield _semidefinite(bound**2 * size - gram)


def test_the_bound_of_the_spectral_norm_is_one_in_exact_arithmetic(exact_machine):
    assert all(_norms_proven())
    exact_machine()
    assert not all(_norms_proven())


def test_what_underflows_is_counted():
    """Squares of 1e-170 are 0 in double precision, and their norm is not."""
    B = np.full((6, 4), 1e-170)
    assert certificate.spectral_norm_bound(B, 1e-200) >= 1e-170 * 24**0.5
    data = ReducedData(np.random.default_rng(0).standard_normal((9, 5)))
    # The true rows of AᵀΛ are far above α, which no square shows.
    bound = Problem(data, 1e-180, 0.0).dual_bound(-1e-170 * data.Y, data.U, data.U).value
    assert bound <= 5 * 1e-180


# --- the objective ---------------------------------------------------------------------------


def test_what_underflows_in_the_errors_of_sums_is_counted():
    """The slips of AᵀΛ are so small here that the norm of all of them is computed as 0."""
    A = np.full((1900, 1), 0.51 * 2.0**-553)
    A[0] = 2.0**-501
    optimum = sum(Fraction(float(x)) for x in A[:, 0])
    L, U = -np.ones_like(A), np.eye(1)
    pull = A.T @ L
    slip = certificate.round_off(len(A)) * np.sqrt(np.square(A).sum(axis=0)) * len(A) ** 0.5
    assert np.linalg.norm(slip) == 0.0
    alpha = 4 * float(optimum)
    scale, _ = certificate.feasible_scale(pull, slip, -pull, -pull, alpha, 0.0)
    assert 0 < Fraction(scale * certificate.dual_value(pull, slip, U, 1.0)) <= optimum


def test_the_trace_norm_of_tiny_singular_values():
    """Read off a Gram matrix each of them is wrong by up to 1e-8 of the largest."""
    hadamard = np.array([[1.0]])
    for _ in range(5):
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    for tiny in (0.0, 1e-12, 1e-9, 3e-8):
        sigma = np.full(32, tiny)
        sigma[0] = 1.0
        # Columns of ±σ are orthogonal exactly, and of norm √32 σ; so are those of both together.
        B = np.vstack([hadamard, hadamard]) * sigma @ hadamard
        assert trace_norm(B) == pytest.approx(32 * 2**0.5 * sigma.sum(), rel=1e-14 * 32)


def test_an_objective_with_tiny_singular_values():
    """Thirty directions of 1e-9: 1e-12 of the objective, not 1e-8, is what it may be wrong by."""
    rng = np.random.default_rng(1)
    data = ReducedData(rng.standard_normal((60, 40)))
    left, right = (np.linalg.qr(rng.standard_normal((40, 40)))[0] for _ in range(2))
    sigma = np.full(40, 1e-9)
    sigma[:3] = 1.0, 0.5, 0.2
    Z = (left * sigma) @ right.T
    with_trace, without = Problem(data, 0.0, 40.0), Problem(data, 0.0, 0.0)
    expected = without.objective(Z) + 40.0 * sigma.sum()
    assert with_trace.objective(Z) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("make", [_random, *HARD])
def test_the_objective_is_not_below_the_true_one_by_more_than_stated(make, scale):
    """Against extended precision, with the error that `round_off` states."""
    for seed in range(counted(5, 100)):
        rng = np.random.default_rng(seed)
        data = ReducedData(scale * make(rng))
        (n, d), r = data.shape, data.rank
        problem = Problem(data, 0.1 * data.alpha_max, 0.0)
        for Z in (data.U, 0.0 * data.U, data.U + rng.standard_normal((d, r))):
            A, wide = data.A.astype(np.longdouble), Z.astype(np.longdouble)
            W = wide @ data.U.T.astype(np.longdouble)
            errors = np.sqrt(np.square(A @ W - A).sum(axis=1)).sum()
            true = errors + problem.alpha * np.sqrt(np.square(W).sum(axis=1)).sum()
            sizes = np.linalg.norm(Z) + 2.0 * np.linalg.norm(data.U)
            image = certificate.round_off(d + r) * sizes + 2.0 * (data.basis_norm - 1.0)
            factor = data.basis_norm * (1.0 + certificate.round_off(n + d + r))
            stated = problem.objective(Z) + image * data.sample_norms.sum()
            assert true <= stated * factor


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e4])
def test_the_objective_of_blocks_far_from_zero(offset):
    """Their bound of what lies outside the basis was more than the penalties: 5e-5 too much."""
    X = offset + np.random.default_rng(2).random((400, 60))
    data = BlockData(LocalBlocks(X, scratch=False), center=False, normalize=False)
    assert data.full_column_rank
    problem = Problem(data, 1e-4, 1e-4)
    U, A = data.U.astype(np.longdouble), X.astype(np.longdouble)
    errors = np.sqrt(np.square(A @ U @ U.T - A).sum(axis=1)).sum()
    true = errors + 1e-4 * np.sqrt(np.square(U).sum(axis=1)).sum() + 1e-4 * 60
    assert problem.objective(data.U) == pytest.approx(float(true), rel=1e-5)


# --- whole fits ------------------------------------------------------------------------------


def _any_images(rng):
    """Images of any shape, rank and scale, some with pixels that are copies, blank or constant."""
    n, d = rng.integers(2, 25, size=2)
    X = rng.standard_normal((n, d))
    if rng.random() < 0.4:
        rank = rng.integers(1, min(n, d) + 1)
        X = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))
    if rng.random() < 0.3:
        X = np.abs(X)
    if rng.random() < 0.3:
        X += 10.0 ** rng.uniform(0, 4)
    for value in (X[:, :1], 0.0, 0.7):
        if rng.random() < 0.2:
            X[:, rng.integers(0, d, 2)] = value
    if rng.random() < 0.2:
        X[rng.integers(0, n, 2)] = X[0]
    return X * 10.0 ** rng.uniform(-8, 8)


def _any_penalty(rng):
    return 0.0 if rng.random() < 0.15 else 10.0 ** rng.uniform(-5, 0.2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("first", range(0, counted(20, 1000), 20))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_no_bound_is_above_the_best_map_of_a_tight_run(first, dtype):
    for seed in range(first, first + 20):
        rng = np.random.default_rng([seed, np.dtype(dtype).itemsize])
        X, wishes = _any_images(rng).astype(dtype), (_any_penalty(rng), _any_penalty(rng))
        center = bool(rng.random() < 0.5 and np.ptp(X, axis=0).any())
        if not X.any():
            continue
        tight = CSPCA(*wishes, center=center, tol=1e-9, max_iter=1500).fit(X)
        loose = CSPCA(*wishes, center=center, tol=1e-3, max_iter=1500).fit(X)
        least = min(tight.objective_, loose.objective_)
        for model in (tight, loose):
            # As computed: a fit shows none above its own objective.
            assert np.nanmax(model.history_["dual_bound"]) <= least, seed
            assert np.isfinite(model.objective_), seed


def test_multipliers_in_single_precision_are_measured_in_double():
    L = np.random.default_rng(0).standard_normal((50, 3000)).astype(np.float32)
    longest = np.linalg.norm(L.astype(np.float64), axis=1).max()
    assert certificate.Lengths.of(L).longest == pytest.approx(longest, rel=1e-13)
