"""The lines of Python of every view, run: they give the numbers of the view."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cspca.datasets import Dataset, load, resized
from cspca.evaluation.former import compare, make_plan
from cspca.runs.comparison_export import comparison_arrays, plan_lines
from cspca.runs.npz import npz_bytes
from cspca.runs.recipes import stored_recipe
from cspca.runs.sensitivity_export import (
    sensitivity_arrays,
    sensitivity_csv,
    sensitivity_latex,
    sensitivity_lines,
)
from cspca.runs.starts_export import starts_lines
from cspca.runs.store import Store
from cspca.runs.sweeps import (
    Sensitivity,
    run_sweep,
    sensitivity_of,
    sensitivity_sweep,
    start_sweep,
    starts_of,
    starts_sweep,
    sweep_of,
)


@pytest.fixture(scope="module")
def digits() -> Dataset:
    return resized(load("digits"), (4, 4))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("store")) as opened:
        yield opened


def run(code: str) -> dict:
    names: dict = {}
    exec(code, names)
    return names


@pytest.mark.parametrize(
    ("scale", "alphas"), [("relative", [0.05, 0.4]), ("absolute", [1e-4, 40.0])]
)
def test_the_lines_of_a_grid_give_its_numbers(
    store: Store, digits: Dataset, scale: str, alphas: list[float]
) -> None:
    sweep = sensitivity_sweep(
        digits, alphas, [0.02, 0.3], penalty_scale=scale, n_features=6, n_seeds=2
    )
    kept = start_sweep(store, sweep, digits)
    run_sweep(store, kept, digits)
    grid = sensitivity_of(store, kept)
    recipe = stored_recipe(store.get(kept).data)
    table = run(sensitivity_lines(sweep_of(store, kept), recipe))["table"]
    assert len(table) == 4
    for row in table:
        at = grid.alphas.index(row["alpha"]), grid.betas.index(row["beta"])
        for name in ("accuracy", "nmi"):
            assert row[name] == pytest.approx(grid.means[name][at], rel=1e-12)
        for name in ("objective", "rank", "n_zero"):
            assert row[name] == pytest.approx(grid.fits[name][at], rel=1e-12)
        assert row["duality_gap"] == pytest.approx(grid.fits["duality_gap"][at], abs=1e-12)
        assert row["regime"] == grid.regimes[at[0]][at[1]]


def test_the_lines_of_a_grid_without_labels_fit_alone(store: Store, digits: Dataset) -> None:
    sweep = sensitivity_sweep(digits, [0.1], [0.1], n_seeds=0)
    source = sensitivity_lines(sweep, digits.recipe)
    assert "evaluate_selection" not in source
    (row,) = run(source)["table"]
    assert set(row) >= {"objective", "duality_gap", "rank", "n_zero", "regime"}


@pytest.mark.parametrize(
    "wishes",
    [
        {"seeds": [4, 1], "init": "k-means++"},
        {"n_seeds": 2, "grids": {"cspca": [{"alpha": 0.1}, {"alpha": 0.3, "beta": 0.1}]}},
        {"n_seeds": 2, "silhouette": False},
    ],
)
def test_the_lines_of_a_plan_give_its_numbers(digits: Dataset, wishes: dict) -> None:
    methods, counts = ["all", "variance", "cspca"], [3, 7]
    plan = make_plan(digits.data, digits.target, methods, counts, **wishes)
    done = compare(digits.data, digits.target, methods, counts, **wishes)
    again = run(plan_lines(plan, True, digits.recipe))["done"]
    assert again.plan.n_clusterings == plan.n_cells
    for metric in done.metrics:
        for one in methods:
            assert np.array_equal(again.scores(one, metric), done.scores(one, metric)[1])


def test_a_tuned_plan_is_asked_for_in_a_word(digits: Dataset) -> None:
    plan = make_plan(digits.data, digits.target, ["all", "udfs"], [3], n_seeds=2, tune=True)
    source = plan_lines(plan, True, digits.recipe)
    assert "tune=True" in source
    assert "grids" not in source


def test_the_lines_of_the_starts_give_their_numbers(store: Store, digits: Dataset) -> None:
    sweep = starts_sweep(
        digits, 0.1, 0.05, inits=("random", "constant-1"), checkpoints=(2, 5), n_seeds=1
    )
    kept = start_sweep(store, sweep, digits)
    run_sweep(store, kept, digits)
    rows = {(r.solver, r.init, r.iterations): r for r in starts_of(store, kept)}
    table = run(starts_lines(sweep_of(store, kept), digits.recipe))["table"]
    assert len(table) == len(rows) == 6
    for one in table:
        row = rows[one["solver"], one["start"], one["iterations"]]
        assert one["objective"] == pytest.approx(row.objective, rel=1e-9)
        assert one["gap"] == pytest.approx(row.gap, rel=1e-6, abs=1e-12)
        assert one["accuracy"] == pytest.approx(row.accuracy, rel=1e-12)


GRID = Sensitivity(
    (1e-6, 0.5),
    (0.1, 100.0),
    "absolute",
    4,
    {"accuracy": np.array([[0.5, np.nan], [0.625, 0.25]])},
    {"accuracy": np.array([[0.01, np.nan], [0.02, 0.0]])},
    {"objective": np.array([[1.5e-7, np.nan], [2.0, 3.0]])},
    (("sparse", None), ("sparse", "zero")),
)


def test_a_grid_as_a_table_for_latex() -> None:
    table = sensitivity_latex(GRID, caption="100 % of a_b & c")
    assert r"\caption{100 \% of a\_b \& c}" in table
    assert r"$10^{-6}$ & 50.0 $\pm$ 1.0 & -- \\" in table
    assert r"0.5 & \textbf{62.5} $\pm$ 2.0 & 25.0 $\pm$ 0.0 \\" in table
    assert table.count(r"\begin{tabular}{lrr}") == 1
    assert r"$1.5 \times 10^{-7}$" in sensitivity_latex(GRID, "objective")
    with pytest.raises(ValueError, match="choose from accuracy, objective"):
        sensitivity_latex(GRID, "nmi")


def test_a_grid_as_csv_and_arrays(tmp_path: Path) -> None:
    lines = sensitivity_csv(GRID).splitlines()
    assert lines[0].startswith("alpha,beta,penalty_scale,n_features,accuracy_mean,accuracy_std")
    assert lines[2] == "1e-06,100.0,absolute,4,,,,"
    (tmp_path / "grid.npz").write_bytes(npz_bytes(sensitivity_arrays(GRID)))
    with np.load(tmp_path / "grid.npz", allow_pickle=False) as found:
        assert np.array_equal(found["accuracy_mean"], GRID.means["accuracy"], equal_nan=True)
        assert found["regime"][1].tolist() == ["sparse", "zero"]


def test_a_comparison_as_arrays(digits: Dataset, tmp_path: Path) -> None:
    done = compare(digits.data, digits.target, ["all", "variance"], [3, 7], n_seeds=2)
    (tmp_path / "a.npz").write_bytes(npz_bytes(comparison_arrays(done)))
    with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
        assert np.array_equal(found["variance/nmi"], done.scores("variance", "nmi")[1])
        assert found["variance/n_features"].tolist() == [3, 7]
        order = next(r.order for r in done.rankings if r.method == "variance")
        assert np.array_equal(found["variance/order"][0], order)
