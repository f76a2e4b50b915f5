"""Running an experiment: the same numbers however it is run, and what becomes of failures."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from cspca.datasets import Dataset
from cspca.experiments import Cell, Experiment, Result, run, runner, setting
from cspca.experiments.store import Store


@dataclass(frozen=True)
class Sums(Experiment):
    """Sums of columns, and sums of those: a toy whose cells need others."""

    kind: ClassVar[str] = "sums"
    title: ClassVar[str] = "Sums"

    n: int = setting(4, limits=(1, 999))
    bad: int = setting(-1)

    def cells(self, data: Dataset) -> Iterator[Cell]:
        for i in range(self.n):
            first = Cell("column", {"i": i}, title="Columns")
            yield first
            yield Cell("twice", {"of": i, "bad": self.bad}, needs=(first,), title="Twice", size=2)

    def compute(self, cell: Cell, data: Dataset, needed: Mapping[Cell, Result]) -> Result:
        if cell.step == "column":
            if cell.parameters["i"] == self.bad:
                raise ValueError("this column is bad")
            column = cell.parameters["i"] % data.n_features
            return Result(({"sum": float(data.data[:, column].sum())},))
        return Result(({"sum": 2 * needed[cell.needs[0]].rows[0]["sum"]},))


@pytest.fixture(scope="module")
def data() -> Dataset:
    return Dataset(np.random.default_rng(0).random((12, 9)), name="toy")


def test_cells_that_need_others_come_after_them(data):
    outcome = run(Sums(), data)
    assert outcome.complete
    assert outcome.table["sum"].iloc[1] == 2 * outcome.table["sum"].iloc[0]
    assert len(outcome.table) == 8


@pytest.mark.parametrize("how", [{"n_jobs": 2, "backend": "threading"}, {"n_jobs": 1}])
def test_progress_counts_what_cells_stand_for(data, how):
    seen = []
    run(Sums(), data, on_progress=seen.append, **how)
    assert [one.n_cells for one in seen] == [12] * 8
    assert seen[-1].n_done == 12
    assert seen[-1].remaining == 0


def steps_of(work) -> int:
    """Lines of our own code that are run on this thread, a loop's as often as it turns."""
    ours, count = str(Path(runner.__file__).parent), 0

    def line(frame, event, _):
        nonlocal count
        count += event == "line"
        return line

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: line if frame.f_code.co_filename.startswith(ours) else None)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("how", ["done", "failed"])
def test_a_cell_costs_the_same_however_many_a_run_has(data, how, monkeypatch):
    if how == "failed":
        refused = ValueError("no")
        monkeypatch.setattr(Sums, "compute", lambda *_: (_ for _ in ()).throw(refused))

    def work(n):
        seen = []
        run(Sums(n=n), data, on_progress=seen.append)
        assert seen[-1].n_done + seen[-1].n_failed == 3 * n

    few, many = (steps_of(lambda n=n: work(n)) for n in (60, 240))
    assert many < 4.8 * few


def test_a_failure_is_a_sentence_and_takes_along_what_needs_it(data):
    outcome = run(Sums(bad=1), data)
    assert len(outcome.results) == 6
    assert set(outcome.failures.values()) == {"Columns failed: this column is bad"}
    assert {cell.step for cell in outcome.failures} == {"column", "twice"}


def test_a_stop_keeps_what_is_done_and_going_on_computes_the_rest_only(data, tmp_path):
    with Store(tmp_path) as store:
        seen: list[object] = []
        first = run(
            Sums(), data, store=store, on_progress=seen.append, should_stop=lambda: len(seen) >= 3
        )
        assert 0 < len(first.results) < 8
        again: list[object] = []
        whole = run(Sums(), data, store=store, on_progress=again.append)
        assert whole.complete
        assert len(seen) + len(again) == 8
        assert len(store.runs()) == 1
        assert whole.table.equals(run(Sums(), data).table)


def test_equal_cells_are_one_cell_whoever_asks(data, tmp_path):
    with Store(tmp_path) as store:
        run(Sums(n=3), data, store=store)
        new: list[object] = []
        run(Sums(n=4), data, store=store, on_progress=new.append)
        assert len(new) == 2


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"backend": "mpi"}, "backend must be one of"),
        ({"n_jobs": 0}, "n_jobs must be at least 1"),
        ({"backend": "loky", "scheduler": "tcp://x:1"}, "belongs to the backend dask"),
    ],
)
def test_what_cannot_be_used_is_said(data, how, says):
    with pytest.raises(ValueError, match=says):
        run(Sums(), data, **how)


def test_a_run_of_an_earlier_version_says_what_is_not_shown(data, monkeypatch):
    with Store(":memory:") as store:
        first = run(Sums(), data, store=store)
        run_id = store.find(Sums(), data)
        assert first.findings == []
        later = [replace(cell, revision=2, needs=()) for cell in first.cells]
        monkeypatch.setattr(Sums, "cells", lambda self, data: later)
        found = runner.stored_outcome(store, store.get(run_id), data, Sums())
        assert not found.results
        assert found.findings[0].sentence.endswith("resume the run to compute it again.")
        assert runner.resume(store, run_id, Sums(), data, should_stop=lambda: True).findings == []
