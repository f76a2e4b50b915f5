"""A reproduction of the paper on tiny data: computed, stopped, gone on with, found again, read."""

from dataclasses import replace

import numpy as np
import pytest

from cspca.datasets import Dataset, Recipe
from cspca.runs.paper import (
    PAPER,
    PARTS,
    QUICK,
    Protocol,
    begin,
    findings_of,
    reproduction_lines,
    reproductions,
    run_reproduction,
    sensitivity_at,
    sweeps_of,
)
from cspca.runs.store import Store
from cspca.runs.sweeps import Sweep, SweepError, comparison_sweep, run_sweep, start_sweep
from tests.runs.sweep_processes import blobs

DATA = blobs(n=60, d=20, classes=3)
TINY = Protocol(3, (0.01, 1.0, 100.0), 3, ("diagonal-1", "random"))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A store with a whole reproduction of the tiny data."""
    folder = tmp_path_factory.mktemp("paper")
    with Store(folder) as store:
        after = run_reproduction(store, begin(store, DATA, TINY), DATA)
        assert after.complete
    return folder


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path) as opened:
        yield opened


@pytest.fixture
def findings(home):
    with Store(home) as opened:
        return findings_of(opened, reproductions(opened)[0])


def test_the_papers_protocol_is_the_papers():
    assert PAPER.is_the_papers
    assert not QUICK.is_the_papers
    assert "not the paper’s protocol" in QUICK.words()
    assert "not the paper’s" not in PAPER.words()
    assert (PAPER.n_seeds, len(PAPER.grid), len(PAPER.starts)) == (30, 7, 7)
    assert Protocol.from_record(QUICK.to_record()) == QUICK


def test_the_whole_protocol_on_orl_has_the_papers_size():
    orl = Dataset(
        np.random.default_rng(0).random((400, 1024)), np.arange(400) // 10, (32, 32), name="ORL"
    )
    sweeps = sweeps_of(orl)
    plan = sweeps["comparison"].plan
    assert [(one.method, len(one.grid)) for one in plan.methods] == [
        ("all", 1), ("variance", 1), ("laplacian", 1), ("spec", 1), ("mcfs", 1), ("udfs", 49),
        ("cspca", 49),
    ]  # fmt: skip
    assert plan.method("cspca").n_features == (500, 600, 700, 800, 900, 1000)
    assert plan.n_cells == 30 * (1 + 6 * (4 + 49 + 49))
    assert (len(sweeps["starts"].asked["inits"]), sweeps["starts"].asked["alpha"]) == (7, 1.0)
    assert list(sweeps) == list(PARTS)


def test_shortened_protocols_are_part_of_the_papers():
    whole, short = (sweeps_of(DATA, one) for one in (PAPER, QUICK))
    for part in PARTS:
        keys = {cell.key for cell in whole[part].cells()}
        assert {cell.key for cell in short[part].cells()} <= keys


@pytest.mark.parametrize("sweep", sweeps_of(DATA, TINY).values(), ids=list(PARTS))
def test_sweeps_survive_a_trip_through_json(sweep):
    import json

    assert Sweep.from_record(json.loads(json.dumps(sweep.to_record()))) == sweep


def test_data_without_classes_are_refused():
    with pytest.raises(SweepError, match="has no classes"):
        sweeps_of(replace(DATA, target=None))
    with pytest.raises(SweepError, match="choose parts from"):
        sweeps_of(DATA, TINY, ["everything"])
    with pytest.raises(SweepError, match="at least two starts"):
        Protocol(n_seeds=1)
    with pytest.raises(SweepError, match="must hold 1"):
        Protocol(grid=(0.1, 10.0))


def test_a_stopped_reproduction_goes_on_and_computes_nothing_twice(store, findings):
    seen = []

    def stop():
        return len(seen) >= 3

    first = run_reproduction(
        store, begin(store, DATA, TINY), DATA, should_stop=stop,
        on_progress=lambda part, progress: seen.append(part),
    )  # fmt: skip
    assert not first.complete
    assert set(seen) == {"comparison"}
    again = begin(store, DATA, TINY)
    assert {part: run.id for part, run in again.parts.items()} == {
        part: run.id for part, run in first.parts.items()
    }
    done = run_reproduction(store, again, DATA)
    assert done.complete
    assert all(cell.commits == 1 for run in done.parts.values() for cell in store.cells(run.id))
    # And the numbers are those of one that was not stopped.
    now = findings_of(store, done)
    assert now.comparison.table()[-1].best == findings.comparison.table()[-1].best
    assert now.checks == findings.checks
    assert [one.objective for one in now.starts] == [one.objective for one in findings.starts]


def test_cells_of_other_comparisons_are_taken_over(store):
    plan = sweeps_of(DATA, TINY)["comparison"].plan
    run_id = start_sweep(store, comparison_sweep(plan), DATA)
    run_sweep(store, run_id, DATA)
    begun = begin(store, DATA, TINY)
    assert begun.parts["comparison"].complete
    assert begun.parts["starts"].n_done == 0


def test_parts_may_be_computed_one_by_one(store):
    only = run_reproduction(store, begin(store, DATA, TINY, ["checks"]), DATA)
    assert set(only.parts) == {"checks"}
    found = findings_of(store, only)
    assert found.comparison is None
    assert found.starts == ()
    assert found.tables == {}
    assert set(found.checks) == {"theorem-1", "unseen", "outliers"}
    assert not reproductions(store, DATA.sha256)[0].complete
    assert reproductions(store, "another") == ()
    assert set(begin(store, DATA, TINY).parts) == set(PARTS)


def test_findings_of_a_whole_one(findings):
    assert [row.method for row in findings.tables["accuracy"]][-1] == "cspca"
    assert findings.n_fits == 9
    evidence = findings.evidence
    assert len(evidence.curve) == 3
    assert evidence.grid.runs.shape == (3, 3, 3)
    assert {(one.solver, one.iterations) for one in evidence.starts} == {
        ("reweighted", 10), ("reweighted", 20), ("reweighted", 50), ("admm", 2000),
    }  # fmt: skip
    assert not evidence.papers_protocol


def test_the_sensitivity_figure_is_a_slice_of_the_comparison(findings):
    grid = sensitivity_at(findings.comparison)
    assert grid.alphas == (0.01, 1.0, 100.0)
    assert grid.regimes[2][2] == "zero"
    assert grid.fits["n_zero"][2, 2] == DATA.n_features
    assert np.isfinite(grid.means["accuracy"]).all()
    assert grid.means["accuracy"].max() == findings.evidence.accuracy["cspca"].mean


def test_the_lines_of_python_give_the_same_numbers(findings, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("blobs.npz", X=DATA.data, y=DATA.target)
    lines = reproduction_lines(TINY, Recipe("load_file", ("blobs.npz",), bring="blobs.npz"))
    names = {}
    exec(lines, names)
    assert [row.best for row in names["tables"]["nmi"]] == [
        row.best for row in findings.tables["nmi"]
    ]
    assert len(names["claims"]) == 14
    for protocol, name in ((PAPER, "PAPER"), (QUICK, "QUICK")):
        assert f"begin(store, d, {name})" in reproduction_lines(protocol, Recipe("load", ("x",)))


def test_every_claim_is_tested_by_a_whole_one(findings):
    from cspca.evaluation.paper_claims import Verdict, judge

    judged = judge([findings.evidence])
    assert Verdict.UNTESTED not in {one.verdict for one in judged}
    assert all(one.number != "–" for one in judged)
