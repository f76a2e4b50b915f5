"""The derivation that ships: its sections are numbered, and what the code cites is there."""

import re
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize

import cspca
import cspca.solvers
from cspca import CSPCA
from cspca.datasets import load
from tests.oracles import conic, direct, problems

PACKAGE = Path(cspca.__file__).parent
TEXT = (PACKAGE / "guide" / "theory.md").read_text("utf-8")
SECTIONS = [int(number) for number in re.findall(r"^## (\d+)\. \S", TEXT, re.MULTILINE)]
CITING = [file for file in sorted(PACKAGE.rglob("*.py")) if "theory.md" in file.read_text("utf-8")]


def test_sections_are_numbered_without_a_hole():
    assert len(SECTIONS) > 10
    assert list(range(1, len(SECTIONS) + 1)) == SECTIONS


@pytest.mark.parametrize("file", CITING, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_what_a_docstring_cites_exists(file):
    """Numbers such as 3.4.1 are those of a book."""
    cited = re.findall(r"§(\d+)\b(?!\.\d)", file.read_text("utf-8"))
    assert cited, f"{file} names theory.md without a section"
    assert {int(number) for number in cited} <= set(SECTIONS)


def test_every_section_is_cited_by_code():
    texts = " ".join(file.read_text("utf-8") for file in CITING)
    cited = {int(number) for number in re.findall(r"§(\d+)\b(?!\.\d)", texts)}
    assert set(SECTIONS) <= cited


def test_the_names_that_the_text_gives_are_those_of_the_code():
    files = [*(PACKAGE / "problem").glob("*.py"), *(PACKAGE / "solvers").rglob("*.py")]
    code = " ".join(file.read_text("utf-8") for file in files)
    for name in re.findall(r"`([\w./]+)`", TEXT):
        known = name in {file.name for file in files} or (PACKAGE.parent / name).exists()
        assert known or re.search(rf"\b{name}\b", code), name


# --- statements in numbers, against a conic solver and brute force -----------------------------

FEW = pytest.mark.parametrize("name", ["fewer images than pixels", "dead pixels", "centred"])


@FEW
def test_the_optimum_is_concave_and_does_not_fall(name):
    """§13: optima at some penalties bound it at others from below, and maps from above."""
    A = problems.ARRAYS[name]
    limits, rng = np.array(direct.penalty_limits(A)), np.random.default_rng(0)
    points = limits * 10.0 ** rng.uniform(-3, -0.3, (5, 2))
    answers = [conic.solve(A, *point) for point in points]
    below = []
    for more in (0.0, 0.0, 0.0, 0.5):
        shares = rng.dirichlet(np.ones(6))[:5]
        x = shares @ points + more * rng.random(2) * limits / 10.0
        optimum = conic.solve(A, *x).value
        below.append(float(shares @ [one.value for one in answers]) / optimum)
        assert all(direct.objective(A, one.W, *x) >= optimum * (1 - 1e-8) for one in answers)
    assert 0.5 < max(below) <= 1 + 1e-8


@pytest.mark.parametrize("name", ["more images than pixels", "dead pixels"])
def test_what_is_known_without_solving(name):
    """§13: P at W = 0 from the limits on, and at least its share before."""
    A = problems.ARRAYS[name]
    limits, nothing = np.array(direct.penalty_limits(A)), direct.row_norms(A).sum()
    assert conic.solve(A, *(limits * (0.45, 0.6))).value == pytest.approx(nothing, rel=1e-7)
    for fractions in ((0.5, 0.2), (0.1, 0.7), (0.9, 0.0)):
        value = conic.solve(A, *(limits * fractions)).value
        assert value >= sum(fractions) * nothing * (1 - 1e-8)


def _on_rows(A, pixels, alpha, beta):
    """The optimum among maps whose other rows are zero, and those rows of it."""
    W = cp.Variable((len(pixels), A.shape[1]))
    errors = cp.sum(cp.norm(A[:, pixels] @ W - A, 2, axis=1))
    problem = cp.Problem(
        cp.Minimize(errors + alpha * cp.sum(cp.norm(W, 2, axis=1)) + beta * cp.normNuc(W))
    )
    value = problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return float(value), np.asarray(W.value)


@pytest.mark.parametrize("beta", [0.0, 1e-3])
@pytest.mark.parametrize("name", ["more images than pixels", "dead pixels"])
def test_few_rows_certify_all_and_show_which_are_missing(name, beta):
    """§7: the multipliers that are made on few pixels, for all of them."""
    A = problems.ARRAYS[name]
    alpha = 0.6 * direct.penalty_limits(A)[0]
    whole = conic.solve(A, alpha, beta)
    used = np.flatnonzero(direct.row_norms(whole.W) > 1e-4)
    assert 2 <= len(used) < A.shape[1]
    for pixels in (used, used[:-1]):
        value, rows = _on_rows(A, pixels, alpha, beta)
        E = A[:, pixels] @ rows - A
        pull = A.T @ (E / direct.row_norms(E)[:, None])
        G2 = np.zeros_like(pull)
        left, _, right = np.linalg.svd(rows, full_matrices=False)
        G2[pixels] = beta * left @ right
        norms = direct.row_norms(pull + G2)
        np.testing.assert_allclose(norms[pixels], alpha, rtol=1e-4)
        assert -np.trace(pull) == pytest.approx(value, rel=1e-4)
        if len(pixels) == len(used):
            assert value == pytest.approx(whole.value, rel=1e-7)
            assert norms.max() <= alpha * (1 + 1e-4)
        else:
            assert value > whole.value * (1 + 1e-5)
            assert norms[used[-1]] > alpha * (1 + 1e-3)


def test_the_problem_in_lengths():
    """§7: parabolas lie above the norms; the slope and the curvature of F, by brute force."""
    rng = np.random.default_rng(1)
    A, alpha = rng.random((7, 4)), 0.7
    t, s = rng.random(7) + 0.5, rng.random(4) + 0.5
    H, B = A.T @ (A / t[:, None]), A.T @ (A / t[:, None])

    def rows(s):
        return np.linalg.solve(H + np.diag(alpha / s), B)

    def value(s):
        Z = rows(s)
        errors, norms = direct.row_norms(A @ Z - A), direct.row_norms(Z)
        above = 0.5 * (errors**2 / t + t).sum(), 0.5 * (norms**2 / s + s).sum()
        assert above[0] >= errors.sum()
        assert above[1] >= norms.sum()
        return above[0] + alpha * above[1]

    def pull(s):
        return B - H @ rows(s)

    g, steps = pull(s), 1e-6 * np.eye(4)
    np.testing.assert_allclose(g, alpha * rows(s) / s[:, None])
    slope = [(value(s + h) - value(s - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(slope, (alpha - direct.row_norms(g) ** 2 / alpha) / 2, atol=1e-6)
    R = np.linalg.inv(np.linalg.inv(H) + np.diag(s) / alpha)
    root = np.sqrt(s)[:, None] * H
    inner = alpha * np.eye(4) + root * np.sqrt(s)
    np.testing.assert_allclose(H - root.T @ np.linalg.solve(inner, root), R, atol=1e-9)
    for k, h in enumerate(steps):
        found = (pull(s + h) - pull(s - h)) / 2e-6
        np.testing.assert_allclose(found, -np.outer(R[:, k], g[k]) / alpha, atol=1e-6)
    assert np.linalg.eigvalsh(R * (g @ g.T)).min() > 0


@FEW
def test_the_dual_of_squared_errors(name):
    """§4, another loss: its conjugate by brute force, and no gap at the optimum."""
    rng = np.random.default_rng(2)
    L = rng.standard_normal((3, 2))
    best = minimize(lambda E: 0.5 * E @ E - L.ravel() @ E, np.zeros(6)).fun
    assert -best == pytest.approx(0.5 * np.vdot(L, L), rel=1e-9)
    A = problems.ARRAYS[name]
    alpha, beta = 0.1 * np.array(direct.penalty_limits(A))
    W = conic.minimiser(A, alpha, beta, lambda E, W: 0.5 * cp.sum_squares(E))
    E = A @ W - A
    errors = direct.row_norms(E)
    optimum = direct.objective(A, W, alpha, beta) - errors.sum() + 0.5 * errors @ errors
    dual = lambda L: -np.vdot(L, A) - 0.5 * np.vdot(L, L)  # noqa: E731
    assert dual(E) == pytest.approx(optimum, rel=1e-6)
    # And any other that is feasible without a trace norm, which is never below its optimum.
    for _ in range(20):
        other = E + 0.3 * rng.standard_normal(E.shape)
        other *= min(1.0, alpha / direct.row_norms(A.T @ other).max())
        assert dual(other) <= optimum * (1 + 1e-7)


# --- what is monotone (§13) ---------------------------------------------------------------------


@FEW
@pytest.mark.parametrize("moving", ["alpha", "beta"])
def test_the_sum_that_a_penalty_weighs_never_rises_with_it_and_the_rest_never_falls(name, moving):
    """§13, with the slack that a solver's last digits need."""
    A = problems.ARRAYS[name]
    limits = np.array(direct.penalty_limits(A))
    which = ("alpha", "beta").index(moving)
    weighed, rest, optima = [], [], []
    for share in (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        penalties = 0.3 * limits
        penalties[which] = share * limits[which]
        answer = conic.solve(A, *penalties)
        lengths = direct.row_norms(answer.W).sum()
        weighed.append((lengths, np.linalg.norm(answer.W, "nuc"))[which])
        rest.append(answer.value - penalties[which] * weighed[-1])
        optima.append(answer.value)
    slack = 1e-5 * direct.row_norms(A).sum()
    assert weighed[0] > 1.5 * weighed[-1]
    assert np.diff(weighed).max() <= slack
    assert np.diff(rest).min() >= -slack
    assert np.diff(optima).min() >= -slack


def test_the_rank_and_the_pixels_in_use_can_rise_with_beta():
    """§13, the counterexample: rank 3 and 3 pixels become rank 4 and 5 pixels."""
    A = np.random.default_rng(25).random((8, 15))
    ranks, pixels = [], []
    for beta in (0.001, 0.03):
        model = CSPCA(0.4, beta, center=False, tol=1e-8, max_iter=20_000).fit(A)
        assert model.converged_
        answer = conic.solve(A, model.alpha_, model.beta_)
        assert model.objective_ == pytest.approx(answer.value, rel=1e-7)
        lengths = direct.row_norms(answer.W)
        np.testing.assert_allclose(model.feature_scores_, lengths, atol=1e-4)
        # No matter of the tolerance: the shortest row of these is 0.016, the next below 1e-4.
        pixels.append(np.flatnonzero(lengths > 1e-3))
        np.testing.assert_array_equal(np.flatnonzero(model.feature_scores_ > 1e-3), pixels[-1])
        singular_values = np.linalg.svd(answer.W, compute_uv=False)
        ranks.append(int((singular_values > 1e-3).sum()))
        assert model.rank_ == ranks[-1]
    assert ranks == [3, 4]
    few, more = map(set, pixels)
    assert (len(few), len(more)) == (3, 5)
    assert few < more


def test_of_faces_more_pixels_are_in_use_at_a_larger_beta():
    """§13: β from 0.1 to 10 % of its limit, α at a tenth of its own."""
    faces = load("faces").data
    few, more = (CSPCA(0.1, beta, max_iter=3000).fit(faces) for beta in (0.001, 0.1))
    assert 290 < few.fit_.n_kept < 320
    assert 490 < more.fit_.n_kept < 515
    assert few.rank_ > 100
    assert more.rank_ == 5


# --- copies and contrast (§19) ------------------------------------------------------------------


@pytest.mark.parametrize("n_copies", [3])
def test_copies_are_one_pixel_of_more_contrast_whose_row_costs_more(n_copies):
    """§19: k copies of column 0, against the single column √k times as large."""
    A = problems.ARRAYS["more images than pixels"]
    A = A - A.mean(axis=0)
    root = np.sqrt(n_copies)
    alpha, beta = 0.15 * np.array(direct.penalty_limits(A))
    copied = np.hstack([np.repeat(A[:, :1], n_copies, axis=1), A[:, 1:]])
    several = conic.solve(copied, alpha, beta)
    single = np.hstack([root * A[:, :1], A[:, 1:]])
    V = conic.minimiser(
        *(single, alpha, beta),
        lambda E, W: conic.rows(E) + alpha * (root - 1) * cp.norm(W[0], 2),
    )
    value = direct.objective(single, V, alpha, beta)
    value += alpha * (root - 1) * np.linalg.norm(V[0])
    assert several.value == pytest.approx(value, rel=1e-7)
    lengths, of_single = direct.row_norms(several.W), direct.row_norms(V)
    np.testing.assert_allclose(lengths[:n_copies], of_single[0] / root, atol=1e-5)
    np.testing.assert_allclose(lengths[n_copies:], of_single[1:], atol=1e-5)
    assert of_single[0] > 0.1
    # Rows and columns of the copies are equal.
    block = several.W[:n_copies]
    np.testing.assert_allclose(block, np.repeat(block[:1], n_copies, axis=0), atol=1e-5)
    of_copies = several.W[:, :n_copies]
    np.testing.assert_allclose(of_copies, np.repeat(of_copies[:, :1], n_copies, axis=1), atol=1e-5)


def test_without_a_trace_norm_every_split_among_copies_is_optimal():
    """§19, β = 0."""
    A = problems.ARRAYS["more images than pixels"]
    alpha = 0.15 * direct.penalty_limits(A)[0]
    copied = np.hstack([A[:, :1], A])
    answer = conic.solve(copied, alpha, 0.0)
    total = answer.W[0] + answer.W[1]
    assert np.linalg.norm(total) > 0.1
    for share in (0.0, 0.3, 1.0):
        W = answer.W.copy()
        W[0], W[1] = share * total, (1 - share) * total
        assert direct.objective(copied, W, alpha, 0.0) == pytest.approx(answer.value, rel=1e-7)


def test_all_images_three_times_are_the_same_problem_with_relative_penalties():
    """§19: the limits are three times as large; absolute penalties become a third."""
    A = problems.ARRAYS["more images than pixels"]
    more = np.repeat(A, 3, axis=0)
    np.testing.assert_allclose(direct.penalty_limits(more), 3 * np.array(direct.penalty_limits(A)))
    once, thrice = (CSPCA(0.2, 0.1, tol=1e-8).fit(X) for X in (A, more))
    assert thrice.objective_ == pytest.approx(3 * once.objective_, rel=1e-7)
    np.testing.assert_allclose(thrice.feature_scores_, once.feature_scores_, atol=1e-4)
    absolute = CSPCA(1.0, 0.5, penalty_scale="absolute", tol=1e-8)
    third = CSPCA(1 / 3, 0.5 / 3, penalty_scale="absolute", tol=1e-8).fit(A)
    scores = absolute.fit(more).feature_scores_
    np.testing.assert_allclose(scores, third.feature_scores_, atol=1e-4)


# --- one dependency (§20) -----------------------------------------------------------------------


def _weber_point(v):
    """The geometric median of e_j / v_j with weights |v_j|, which is none of these points."""
    used = np.flatnonzero(v)
    points, weights = np.eye(len(v))[used] / v[used, None], np.abs(v[used])
    c = np.average(points, axis=0, weights=weights)
    for _ in range(2000):
        c = np.average(points, axis=0, weights=weights / direct.row_norms(points - c))
    return c


def _with_dependency(v, seed=0, n=40):
    """Centred data with Av = 0 and columns of quite different variance."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, len(v))) * rng.uniform(0.3, 3, len(v))
    A = A - A.mean(axis=0)
    return A - np.outer(A @ v, v) / (v @ v)


@pytest.mark.parametrize(
    "v",
    [
        np.array([1.0, -0.7, 0.4, 1.2, 0.9]),
        np.array([0.5, 0.0, 1.0, -0.8, 0.6, 0.0]),
        np.array([1.0, 1.0, -1.0, 1.0]),
    ],
    ids=["different", "two of them zero", "equal"],
)
def test_with_one_dependency_the_map_is_a_weighted_median(v):
    """§20: W = I − v cᵀ, whatever the data are."""
    c = _weber_point(v)
    W = np.eye(len(v)) - np.outer(v, c)
    assert c @ v == pytest.approx(1.0, abs=1e-6)
    for seed in (0, 1):
        A = _with_dependency(v, seed)
        model = CSPCA(alpha=1e-3, beta=0.0, center=False, tol=1e-9, max_iter=20_000).fit(A)
        assert model.sample_residuals_.max() < 1e-6
        np.testing.assert_allclose(model.feature_scores_, direct.row_norms(W), atol=1e-6)
        value = model.alpha_ * direct.row_norms(W).sum()
        assert model.objective_ == pytest.approx(value, rel=1e-7)


def test_parts_of_a_whole_a_total_and_a_one_hot_code_tie():
    """§20, equal weights: √(1 − 1/m), with a small trace norm too."""
    rng = np.random.default_rng(5)
    parts = rng.gamma(3, 1, (100, 6)) * [1, 2, 3, 1, 0.5, 5]
    shares = parts / parts.sum(axis=1, keepdims=True)
    with_total = np.hstack([parts, parts.sum(axis=1, keepdims=True)])
    one_hot = np.eye(4)[rng.integers(0, 4, 60)]
    for X, m in ((shares, 6), (with_total, 7), (one_hot, 4)):
        for beta in (0.0, 1e-3):
            scores = CSPCA(1e-3, beta, tol=1e-8, max_iter=20_000).fit(X).feature_scores_
            np.testing.assert_allclose(scores, np.sqrt(1 - 1 / m), atol=1e-5)
    assert np.sqrt(1 - 1 / 6) == pytest.approx(0.9129, abs=5e-5)


def test_the_row_of_a_mean_is_exactly_zero():
    """§20: where that of a total ties with its parts."""
    parts = np.random.default_rng(6).standard_normal((50, 5)) * [1, 2, 3, 1, 0.5]
    X = np.hstack([parts, parts.mean(axis=1, keepdims=True)])
    scores = CSPCA(1e-3, 0.0, tol=1e-8, max_iter=20_000).fit(X).feature_scores_
    assert scores[5] == 0.0
    np.testing.assert_allclose(scores[:5], np.sqrt(1 + 1 / 25), atol=1e-5)


def test_a_row_is_zero_where_the_others_do_not_pull_the_median_away():
    """§20: the condition, on both sides of it."""
    for entry, dropped in ((2.0, True), (1.2, False)):
        v = np.array([entry, 0.5, -0.6, 0.7])
        rest = np.delete(v, 0)
        pull = (rest**2 * entry**2 / (rest**2 + entry**2)).sum()
        pull += ((rest**2 / np.sqrt(rest**2 + entry**2)).sum()) ** 2
        assert (pull <= entry**2) == dropped
        scores = CSPCA(1e-3, 0.0, center=False, tol=1e-8).fit(_with_dependency(v)).feature_scores_
        assert (scores[0] == 0.0) == dropped


# --- small α as a design (§21) ------------------------------------------------------------------


def _design(U, rounds=200_000):
    """The multiplicative rule: lengths of rows, and by how much a pixel exceeds the ellipsoid."""
    lengths = np.full(len(U), U.shape[1] / len(U))
    for _ in range(rounds):
        pull = direct.row_norms(U @ np.linalg.inv(U.T @ (lengths[:, None] * U)))
        if pull.max() <= 1 + 1e-12:
            break
        lengths = lengths * pull
    return lengths, pull


@pytest.mark.parametrize(("n", "d"), [(4, 30), (5, 12)])
def test_row_norms_at_a_small_alpha_are_an_optimal_design(n, d):
    """§21: the rule finds them, they lie on one ellipsoid, and no more than r(r+1)/2 are kept."""
    A = np.random.default_rng(0).standard_normal((n, d))
    A = A - A.mean(axis=0)
    r = n - 1
    U = np.linalg.svd(A, full_matrices=False)[2][:r].T
    lengths, pull = _design(U)
    model = CSPCA(1e-2, 0.0, solver="plain", tol=1e-10, max_iter=5_000).fit(A)
    assert model.sample_residuals_.max() < 1e-7
    kept = model.feature_scores_ > 0
    assert r <= kept.sum() <= r * (r + 1) // 2
    np.testing.assert_allclose(model.feature_scores_, lengths, atol=5e-10)
    assert pull.max() <= 1 + 1e-9
    np.testing.assert_allclose(pull[kept], 1.0, atol=1e-9)
    # A-optimal: s² = tr M(p)⁻¹ is the least that any shares of the measurements reach.
    p = lengths / lengths.sum()
    trace = np.trace(np.linalg.inv(U.T @ (p[:, None] * U)))
    assert np.sqrt(trace) == pytest.approx(model.objective_ / model.alpha_, rel=1e-9)
    rng = np.random.default_rng(1)
    for _ in range(50):
        other = 0.9 * p + 0.1 * rng.dirichlet(np.full(d, 0.2))
        assert np.trace(np.linalg.inv(U.T @ (other[:, None] * U))) >= trace * (1 - 1e-9)
