"""Results as they arrive: whatever part of them is there can be shown."""

from dataclasses import replace

import pytest

from cspca.experiments import Compare, Convergence, Outcome, Outliers, Paper, Sensitivity, run
from tests.experiments.toys import blobs

DATA = blobs(30, 12, 3)
KINDS = [
    Compare(methods=("all", "variance", "cspca"), n_features=(3, 6), n_seeds=2, n_draws=2),
    Sensitivity(alphas=(0.1, 0.4), betas=(0.01, 0.2), n_features=4, n_seeds=2),
    Convergence(alpha=0.1, beta=0.1, inits=("diagonal-1", "random"), checkpoints=(3,), n_seeds=1),
    Outliers(
        parts=("map",),
        across="beta",
        shares=(0.0, 0.5),
        betas=(0.3, 0.5),
        rank=2,
        n_features=12,
        n_samples=40,
        n_seeds=2,
    ),
    Paper(n_seeds=2, grid=(0.01, 1.0), n_counts=2, starts=("diagonal-1",)),
]


@pytest.mark.slow
@pytest.mark.parametrize("experiment", KINDS, ids=lambda one: one.kind)
def test_any_part_can_be_shown(experiment):
    whole = run(experiment, DATA)
    cells = list(whole.results)
    step = 1 + len(cells) // 5
    parts = [cells[:n] for n in (0, 1, *range(step, len(cells), step))]
    # What failed leaves a hole.
    parts += [cells[:n] + cells[n + step :] for n in (0, step)]
    for part in parts:
        here = Outcome(experiment, DATA, {cell: whole.results[cell] for cell in part})
        assert len(here.table) <= len(whole.table)
        for found in (here.tables, here.printed, here.figures(), here.findings):
            assert found is not None


def test_the_best_of_a_grid_is_one_that_was_clustered():
    grid = Sensitivity(alphas=(0.1, 1.0), betas=(0.01,), n_features=4, n_seeds=2)
    whole = run(grid, DATA).results
    # Only where W = 0, which has no ranking and is never best, are there clusterings so far.
    _, first, *_ = whole
    part = {cell: found for cell, found in whole.items() if cell is not first}
    assert first.step == "cluster"
    assert grid.best(part) is None
    assert grid.best(whole) == (0, 0)


@pytest.mark.parametrize("experiment", KINDS, ids=lambda one: one.kind)
def test_before_anything_is_there_nothing_is_asked_of_the_data(experiment):
    bare = Outcome(experiment, replace(DATA, target=None), {})
    assert (bare.figures(), len(bare.table)) == ({}, 0)
    assert (bare.printed, bare.tables, bare.findings) == ({}, {}, [])
    if experiment.kind == "paper":
        assert experiment.plainly({}, bare.data) == []


def test_a_start_is_as_far_above_the_optimum_in_the_table_as_in_the_claims():
    experiment = KINDS[2]
    rows = experiment.evidence(run(experiment, DATA).results)
    assert all(row["excess"] == pytest.approx(row["above"]) for row in rows)


@pytest.mark.parametrize("experiment", KINDS[:3], ids=lambda one: one.kind)
def test_what_its_lines_print_is_what_a_page_says(experiment):
    outcome = run(experiment, DATA)
    said = str(outcome)
    assert outcome.snippet.endswith("print(outcome)")
    assert all(one.sentence in said for one in outcome.findings)
    for frame in outcome.printed.values():
        assert all(str(cell) in said for cell in frame.to_numpy().ravel())
    assert "..." not in said
