"""The derivation that ships: its sections are numbered, and what the code cites is there."""

import re
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize

import cspca
import cspca.solvers
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


def test_the_text_refers_to_sections_that_it_has():
    referred = {int(number) for number in re.findall(r"\b[Ss]ections? (\d+)", TEXT)}
    assert referred
    assert referred <= set(SECTIONS)


def test_the_reading_order_tells_how_long_it_takes():
    """Within a page: who plans to read a file is told what it costs."""
    said = cspca.solvers.__doc__
    rows = re.findall(r"^:mod:`\.([\w.]+)`\s+(\d+) ", said, re.MULTILINE)
    assert len(rows) > 5
    for module, lines in rows:
        file = PACKAGE / "solvers" / f"{module.replace('.', '/')}.py"
        counted = len(file.read_text("utf-8").splitlines())
        assert abs(counted - int(lines)) <= 40, f"{module} has {counted} lines"


def test_every_module_of_the_solvers_is_named_in_the_reading_order():
    folder = PACKAGE / "solvers"
    said = cspca.solvers.__doc__
    for file in folder.rglob("*.py"):
        parts = file.relative_to(folder).with_suffix("").parts
        if parts[-1] != "__init__" and parts[0] != "distributed":
            assert f":mod:`.{'.'.join(parts)}`" in said, parts


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
