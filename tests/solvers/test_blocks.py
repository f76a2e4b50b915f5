"""Data gone over block by block: the same answers as from arrays in memory, in bounded memory."""

import subprocess
import sys

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_digits

from cspca import CSPCA, preprocessing
from cspca.problem import Problem, ReducedData
from cspca.proximal import row_norms, shrink_rows, solve_definite
from cspca.solvers import ADMM
from cspca.solvers.admm.state import make_loss
from cspca.solvers.blocks import LossSide
from cspca.solvers.blocks_data import BlockData, LocalBlocks
from tests.solvers.running import agree, problem_of, until

TOL = 1e-5


@pytest.fixture(scope="module")
def digits():
    return load_digits().data / 16


@pytest.fixture
def small_is_large(monkeypatch):
    """Blocks for data that would fit many times over."""
    monkeypatch.setattr(preprocessing, "LARGE", 1)


def _mapped(path, X):
    file = np.memmap(path / "X", X.dtype, "w+", shape=X.shape)
    file[:] = X
    file.flush()
    return np.memmap(path / "X", X.dtype, "r", shape=X.shape)


# --- the loss side itself --------------------------------------------------------------------


def _loss_rows(A, dtype=np.float64):
    data = ReducedData(A)
    return data, LossSide(data, np.dtype(dtype))


@pytest.mark.parametrize("n_samples", [30, 5000])
def test_one_array_holds_both_copy_and_multiplier(n_samples):
    """Against the textbook's two arrays, over a few steps towards changing targets."""
    rng = np.random.default_rng(0)
    data, rows = _loss_rows(rng.standard_normal((n_samples, 6)))
    rho, relax = 0.7, 1.6
    N = 0.3 * rng.standard_normal((6, 6))
    rows.begin(N, rho, 1e-9)
    E = data.Y @ N
    u = E / row_norms(E)[:, None] / rho
    for _ in range(4):
        target = 0.5 * rng.standard_normal((6, 6)) - np.eye(6)
        hat = relax * data.Y @ target - (relax - 1) * E + u
        E = shrink_rows(hat, 1 / rho)
        u = hat - E
        rows.step(target, rho, relax)
        np.testing.assert_allclose(rows.right_side(), data.Y.T @ (E - u), atol=1e-8)
        pull, lengths = rows.shifted(rho)
        np.testing.assert_allclose(pull, data.A.T @ (rho * u), atol=1e-9)
        assert lengths.longest == pytest.approx(rho * row_norms(u).max())
        np.testing.assert_array_equal(rows.free == 1.0, ~E.any(axis=1))


def test_without_a_copy_the_loss_is_minimised_over():
    """Against a conic solver; half of the images lie in the directions that cost nothing."""
    rng = np.random.default_rng(2)
    A = rng.standard_normal((30, 6))
    A[:15, 3:] = 0.0
    data, rows = _loss_rows(A)
    inner, both = np.eye(6) - 0.4 * data.U.T @ np.diag([0, 0, 0, 1, 1, 1]) @ data.U, 30.0
    rows.begin(0.1 * rng.standard_normal((6, 6)), 0.7, 1e-6)
    rows.minimise_over(1e-9)
    N = rows.minimise(inner, both, 0.7, 60)
    M = cp.Variable((6, 6))
    apart = 0.5 * both * cp.sum_squares(M + np.eye(6) - inner)
    optimum = cp.Problem(cp.Minimize(cp.sum(cp.norm(data.Y @ M, 2, axis=1)) + apart))
    value = optimum.solve(solver=cp.CLARABEL)
    found = row_norms(data.Y @ N).sum() + 0.5 * both * np.sum((N + np.eye(6) - inner) ** 2)
    assert value - 1e-6 <= found <= value * (1 + 1e-4)
    # Λ is its own: what the parabolas pull with is what the copies ask for.
    pull, lengths = rows.shifted(0.7)
    assert lengths.longest <= 1.0 + 1e-12
    np.testing.assert_allclose(data.U.T @ pull, both * (inner - np.eye(6) - N), atol=1e-2 * both)


def test_weights_beyond_double_precision_are_survived():
    """Three images weigh so much that nothing is left of what else H has."""
    data, rows = _loss_rows(np.random.default_rng(6).standard_normal((40, 6)))
    rows.begin(-0.5 * np.eye(6), 0.7, 1e-12)
    rows.minimise_over(1e-15)
    rows.lengths[:3] = 1e-30
    with pytest.raises(np.linalg.LinAlgError):
        solve_definite(rows.curvature() + 1e-9 * np.eye(6), np.eye(6))
    N = rows.minimise(0.5 * np.eye(6), 1e-9, 0.7, 1)
    assert np.abs(data.Y[:3] @ N).max() < 1e-6 * np.abs(data.Y @ N).max()


@pytest.mark.parametrize("blocks", [False, True], ids=["in memory", "in blocks"])
@pytest.mark.parametrize("n_samples", [30, 5000])
def test_on_few_columns_what_lies_outside_is_a_constant(n_samples, blocks):
    """Against arrays of all columns, over steps towards changing targets and a column more."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((n_samples, 6))
    A[:5] = 0.0
    data = BlockData(LocalBlocks(A, scratch=True), False, False) if blocks else ReducedData(A)
    Y, basis = A @ data.U, np.linalg.qr(rng.standard_normal((6, 6)))[0]
    V, rho, relax = basis[:, :2], 0.7, 1.6
    rows = make_loss(data, np.dtype(np.float64))
    N = 0.3 * rng.standard_normal((6, 2))
    rows.begin(N, rho, 1e-9, V)

    def arrays():
        """E and u, and with all columns E and Λ."""
        E, u = rows.H * (1 - rows.free)[:, None], rows.H * rows.free[:, None]
        whole = E @ rows.V.T - (Y - Y @ rows.V @ rows.V.T)
        return E, u, whole, whole / np.maximum(row_norms(whole), 1e-12)[:, None]

    np.testing.assert_allclose(arrays()[0], Y @ N, atol=1e-12)
    for _ in range(3):
        E, u, _, _ = arrays()
        target = 0.5 * rng.standard_normal((6, 2)) - V
        hat = relax * Y @ target - (relax - 1) * E + u
        rows.step(target, rho, relax)
        E, u, whole, L = arrays()
        # The minimiser of ρ/2 ‖E − hat‖² and the lengths of whole errors.
        np.testing.assert_allclose(E + u, hat, atol=1e-12)
        np.testing.assert_allclose(rho * u, L @ V, atol=1e-8)
        np.testing.assert_allclose(rows.right_side(), Y.T @ (E - u), atol=1e-8)
        np.testing.assert_allclose(rows.inner_pull(rho), Y.T @ L, atol=1e-6)
        C = rng.standard_normal((6, 2))
        errors, pull, lengths = rows.check(C, rho)
        np.testing.assert_allclose(rows.errors, data.residual_norms(C @ V.T), atol=1e-9)
        assert errors == pytest.approx(rows.errors.sum())
        np.testing.assert_allclose(pull, A.T @ L, atol=1e-6)
        assert lengths.longest == pytest.approx(1.0, abs=1e-9)
    rows.widen(basis[:, :3])
    for ours, theirs in zip(arrays()[2:], (whole, L), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-8)
    np.testing.assert_allclose(rows.shifted(rho)[0], pull, atol=1e-6)
    np.testing.assert_array_equal(rows.free == 1.0, ~A.any(axis=1))
    rows.widen(basis)
    np.testing.assert_array_equal(rows.rest, data.outside)


@pytest.mark.parametrize("blocks", [False, True], ids=["in memory", "in blocks"])
def test_what_a_check_saw_need_not_be_seen_again(digits, monkeypatch, blocks):
    X = digits - digits.mean(axis=0)
    data = BlockData(LocalBlocks(X, scratch=False), False, False) if blocks else ReducedData(X)
    problem = problem_of(data, 0.02, 0.002)
    iterates = ADMM(target=1e-3).iterate(problem)
    last = next(i for i in iterates if np.isfinite(i.objective) and i.gap <= 1e-3)
    rows, rho = last.state.loss, last.state.loss_rho
    assert rows.reproduced() > 0
    # A copy knows of no check, so it goes over the data.
    again = rows.copy().entries(rho)
    for ours, theirs in zip(rows.entries(rho), again, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9 * np.abs(theirs).max())
    Z = np.asarray(last.Z, np.float64)
    errors = np.sqrt(row_norms(X @ (Z - data.U)) ** 2 + data.outside)
    np.testing.assert_allclose(data.residual_norms(Z), errors, atol=1e-9)
    np.testing.assert_allclose(
        data.residual_norms(Z / 2), row_norms(X @ (Z / 2 - data.U)), atol=1e-9
    )
    # Once the rows have moved, what was seen is of no use.
    for _ in range(3):
        next(iterates)
    moved, fresh = rows.entries(rho)[0], rows.copy().entries(rho)[0]
    np.testing.assert_allclose(moved, fresh, atol=1e-9 * np.abs(fresh).max())


# --- the reduction ---------------------------------------------------------------------------


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("columns", [slice(None), slice(20, 30)], ids=["dead pixels", "all live"])
def test_passes_find_what_arrays_give(digits, center, normalize, columns):
    X = digits[:, columns]
    memory = preprocessing.reduce_data(X, center, normalize)
    slices = [slice(0, 700), slice(700, 701), slice(701, len(X))]
    blocks = BlockData(LocalBlocks(X, scratch=False, slices=slices), center, normalize)
    assert blocks.shape == memory.shape
    assert blocks.full_column_rank == memory.full_column_rank
    np.testing.assert_array_equal(blocks.live, memory.live)
    np.testing.assert_allclose(blocks.singular_values, memory.singular_values, rtol=1e-9)
    np.testing.assert_allclose(blocks.U @ blocks.U.T, memory.U @ memory.U.T, atol=1e-9)
    np.testing.assert_allclose(blocks.sample_norms, memory.sample_norms, rtol=1e-12)
    np.testing.assert_allclose(blocks.outside, memory.outside, atol=1e-20)
    assert blocks.alpha_max == pytest.approx(memory.alpha_max, rel=1e-10)
    assert blocks.beta_max == pytest.approx(memory.beta_max, rel=1e-10)
    assert blocks.least_column() == pytest.approx(memory.least_column(), rel=1e-10)
    # The bases may differ by signs: compare W.
    pull = blocks.origin_pull() @ blocks.U.T
    np.testing.assert_allclose(pull, memory.origin_pull() @ memory.U.T, atol=1e-9)
    Z = 0.5 * blocks.U
    np.testing.assert_allclose(
        blocks.residual_norms(Z), memory.residual_norms(0.5 * memory.U), atol=1e-9
    )
    half = np.full(blocks.rank, 0.5)
    np.testing.assert_allclose(
        blocks.diagonal_errors(half), memory.diagonal_errors(half), atol=1e-9
    )


# --- fits ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "wishes"),
    [
        (np.float64, {"normalize": True}),
        (np.float64, {"center": False}),
        (np.float64, {"alpha": 0.0}),
        (np.float64, {"beta": 0.0}),
        (np.float64, {"alpha": 0.6}),
        (np.float32, {}),
        (np.uint8, {}),
    ],
    ids=str,
)
def test_a_memory_map_has_the_answer_of_the_array(digits, tmp_path, small_is_large, dtype, wishes):
    X = (digits * 16).astype(dtype)
    model = CSPCA(**({"alpha": 0.1, "beta": 0.05, "tol": TOL} | wishes))
    found = model.fit(_mapped(tmp_path, X))
    expected = CSPCA(**model.get_params())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preprocessing, "LARGE", 2**24)
        expected.fit(X)
    agree(found, expected)
    assert found.feature_scores_.dtype == (np.float32 if dtype == np.float32 else np.float64)
    # Ceilings need no more than the sums that a certificate is made of.
    assert np.isfinite(found.feature_score_bounds_).any() == (found.alpha_ > 0.0)
    assert found.n_features_in_ == 64


@pytest.mark.parametrize("scratch", [False, True], ids=["in memory", "in a file"])
def test_few_columns_in_blocks_are_those_in_memory(digits, scratch):
    """Cold, warm under other penalties, and further on all columns: the same iterations."""
    X = digits - digits.mean(axis=0)
    slices = [slice(0, 700), slice(700, 701), slice(701, len(X))]
    here = BlockData(LocalBlocks(X, scratch=scratch, slices=slices), False, False)
    there = ReducedData(X)

    def fit(data, alpha, start, gap=1e-3):
        problem = Problem(data, alpha * there.alpha_max, 0.3 * there.beta_max)
        return until(ADMM(target=gap).iterate(problem, start and start.state), gap)

    found = expected = None
    for alpha in (0.1, 0.11, 0.1):
        warm = found is not None
        found, expected = fit(here, alpha, found), fit(there, alpha, expected)
        assert found.state.V is not None
        assert isinstance(found.state.loss.H, np.memmap) == scratch
        assert (found.state.cold > 0) == warm
        assert found.number == expected.number
        assert found.state.V.shape == expected.state.V.shape
        assert found.best_objective == pytest.approx(expected.best_objective, rel=1e-6)
        ours, theirs = found.state.entries()[0] @ here.U.T, expected.state.entries()[0] @ there.U.T
        np.testing.assert_allclose(ours, theirs, atol=1e-3 * np.abs(theirs).max())
    fine, best = fit(here, 0.1, found, 1e-7), fit(there, 0.1, expected, 1e-7).best_objective
    assert fine.state.V is None
    assert not fine.state.single
    assert fine.best_objective == pytest.approx(best, rel=2e-7)
    # What few columns hold of an image stays as it was.
    assert found.state.loss.H.shape == (len(X), found.state.V.shape[1])


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda X: X.__setitem__((400, 5), np.nan), "NaN or infinite"),
        (lambda X: X.__setitem__(slice(None), 0.0), "zero"),
        (lambda X: X.__setitem__(slice(None), 0.3), "same"),
        (lambda X: X.__imul__(1e-200), "divide the data by it"),
    ],
)
def test_what_cannot_be_fitted_is_said(digits, tmp_path, small_is_large, spoil, words):
    X = digits.copy()
    spoil(X)
    with pytest.raises(ValueError, match=words):
        CSPCA().fit(_mapped(tmp_path, X))


def test_only_large_tall_tables_of_numbers_are_taken_in_blocks(monkeypatch):
    large = preprocessing.large_blocks
    assert large(np.zeros((100, 20))) is None
    monkeypatch.setattr(preprocessing, "LARGE", 2000)
    assert large(np.zeros((100, 20))) is not None
    assert large(np.zeros((20, 100))) is None
    assert large(np.zeros((100, 20), dtype=object)) is None
    assert large([[0.0] * 20] * 100) is None


_FIT_IN_LITTLE = """
import resource, sys
import numpy as np
from cspca import CSPCA
X = np.memmap(sys.argv[1], np.uint8, "r", shape=(400_000, 48))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
soft = 1024 * before + 350 * 2**20
resource.setrlimit(resource.RLIMIT_DATA, (soft, soft))
model = CSPCA(0.2, 0.2, tol=1e-3, max_iter=60).fit(X)
assert model.converged_, model.duality_gap_
"""


@pytest.mark.slow
def test_a_file_is_fitted_in_less_memory_than_its_copy_would_take(tmp_path):
    """400,000 × 48 are 154 MB in double precision, and a fit in arrays holds seven of that."""
    rng = np.random.default_rng(4)
    basis = rng.random((4, 48))
    file = np.memmap(tmp_path / "X", np.uint8, "w+", shape=(400_000, 48))
    for first in range(0, len(file), 100_000):
        mixed = rng.random((100_000, 4)) @ basis * 50 + 4 * rng.standard_normal((100_000, 48))
        file[first : first + 100_000] = np.clip(mixed, 0, 255)
    file.flush()
    done = subprocess.run(
        [sys.executable, "-c", _FIT_IN_LITTLE, str(tmp_path / "X")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
