"""Two runs beside each other, and the files that a run is taken away as."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import numpy as np
import pytest

from cspca.evaluation.former import honest_score, make_plan, paired_difference
from cspca.runs.differences import differences
from cspca.runs.run_files import run_files
from cspca.runs.store import Store, StoreError
from cspca.runs.sweeps import (
    checks_sweep,
    comparison_of,
    comparison_sweep,
    fit_of,
    fit_sweep,
    run_sweep,
    sensitivity_of,
    sensitivity_sweep,
    start_sweep,
    starts_sweep,
)
from tests.runs.sweep_processes import blobs


@pytest.fixture(scope="module")
def data():
    return blobs(n=60, d=12, classes=3)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("store")) as opened:
        yield opened


def _run(store, data, sweep, name=None):
    run_id = start_sweep(store, sweep, data, name=name)
    run_sweep(store, run_id, data)
    return run_id


def _comparison(store, data, methods=("all", "variance"), seeds=range(6), **options):
    plan = make_plan(data.data, data.target, list(methods), [3, 6], seeds=list(seeds), **options)
    return _run(store, data, comparison_sweep(plan))


def test_comparisons_are_paired_over_the_seeds_that_both_have(store, data):
    first = _comparison(store, data)
    second = _comparison(
        store, data, ("all", "variance", "laplacian"), range(2, 9), init="k-means++"
    )
    found = differences(store, first, second, "nmi")
    assert (found.metric, found.n_shared) == ("nmi", 4)
    assert found.metrics == ("accuracy", "nmi", "nmi_max", "silhouette")
    assert [line.label for line in found.lines] == ["All features", "Max variance"]
    apart = {one.name: (one.first, one.second) for one in found.settings if not one.same}
    assert apart["Starts of K-means"] == ("random", "k-means++")
    assert apart["Repetitions"] == ("6", "7")
    assert "Laplacian Score" in apart["Methods"][1]
    assert {"Data", "Made with", "Clusters", "Labels"}.isdisjoint(apart)
    runs = []
    for run_id, columns in ((first, slice(2, 6)), (second, slice(0, 4))):
        table = comparison_of(store, run_id).scores("variance", "nmi")[1][:, columns]
        runs.append(honest_score(table).runs)
    line = found.lines[1]
    assert (line.first, line.second) == (
        pytest.approx(runs[0].mean()),
        pytest.approx(runs[1].mean()),
    )
    assert line.difference == paired_difference(runs[1], runs[0])


def test_without_shared_seeds_there_is_no_interval(store, data):
    first = _comparison(store, data, seeds=range(3))
    second = _comparison(store, data, seeds=range(10, 13))
    found = differences(store, first, second)
    assert (found.metric, found.n_shared) == ("accuracy", 0)
    assert all(line.difference is None for line in found.lines)
    assert all(0 < line.first <= 1 for line in found.lines)


def test_grids_are_held_against_each_other_point_by_point(store, data):
    def grid(alphas, k):
        sweep = sensitivity_sweep(data, alphas, [0.01], n_features=k, n_seeds=4)
        return _run(store, data, sweep)

    first, second = grid([0.1, 0.3], 4), grid([0.1, 0.3, 0.5], 8)
    found = differences(store, first, second)
    labels = [line.label for line in found.lines]
    assert labels == ["Mean of the 2 that both have", "α = 0.1, β = 0.01", "α = 0.3, β = 0.01"]
    means = [sensitivity_of(store, run_id).means["accuracy"] for run_id in (first, second)]
    assert found.lines[1].first == pytest.approx(means[0][0, 0])
    assert found.lines[2].second == pytest.approx(means[1][1, 0])
    assert found.lines[0].second == pytest.approx(means[1][:2].mean())
    assert found.lines[0].difference.n == 4


def test_fits_are_told_apart_by_their_numbers(store, data):
    first = _run(store, data, fit_sweep(0.1, 0.01))
    second = _run(store, data, fit_sweep(0.4, 0.01))
    found = differences(store, first, second)
    lines = {line.label: (line.first, line.second) for line in found.lines}
    objectives = [fit_of(store, run_id)[0]["objective"] for run_id in (first, second)]
    assert lines["Objective"] == tuple(objectives)
    assert lines["Exact zeros"][0] < lines["Exact zeros"][1]
    assert [(one.name, one.first, one.second) for one in found.settings if not one.same] == [
        ("α", "0.1", "0.4")
    ]


def test_two_kinds_are_not_compared(store, data):
    first, second = _run(store, data, fit_sweep(0.1, 0.01)), _comparison(store, data)
    with pytest.raises(StoreError, match="choose two of one kind"):
        differences(store, first, second)


def test_grids_without_labels_have_only_settings_to_compare(store, data):
    bare = [
        _run(store, data, sensitivity_sweep(data, [alpha], [0.01], n_seeds=0))
        for alpha in (0.1, 0.2)
    ]
    found = differences(store, *bare)
    assert (found.metrics, found.lines) == ((), ())
    assert any(not one.same for one in found.settings)


# -- files -----------------------------------------------------------------------------------------


def files(store, run_id):
    return {one.name: one.make for one in run_files(store, store.get(run_id))}


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_every_kind_can_be_taken_away_and_no_file_has_the_id(store, data):
    sweeps = {
        "comparison": comparison_sweep(
            make_plan(data.data, data.target, ["all", "variance"], [3, 6], n_seeds=3)
        ),
        "sensitivity": sensitivity_sweep(data, [0.1, 0.3], [0.01], n_features=4, n_seeds=3),
        "starts": starts_sweep(
            data, 0.1, 0.01, inits=["diagonal-1", "random"], checkpoints=[5], n_seeds=2
        ),
        "fit": fit_sweep(0.1, 0.01),
    }
    expected = {
        "comparison": {"comparison.csv", "cells.csv", "comparison.tex", "comparison.npz"},
        "sensitivity": {"sensitivity.csv", "sensitivity.npz"},
        "starts": {"starts.csv"},
        "fit": {"scores.csv", "fit.npz"},
    }
    for kind, sweep in sweeps.items():
        run_id = _run(store, data, sweep)
        made = files(store, run_id)
        assert set(made) == expected[kind] | {"report.html", "run.json", "run.zip"}
        for name, make in made.items():
            content = make()
            assert content
            assert (content if isinstance(content, bytes) else content.encode()).find(
                run_id.encode()
            ) == -1, f"{name} of a {kind} gives the run away"
        said = json.loads(made["run.json"]())
        assert (said["kind"], said["state"]) == (kind, "done")
        with zipfile.ZipFile(io.BytesIO(made["run.zip"]())) as archive:
            assert "run.json" in archive.namelist()


def test_checks_offer_a_report_of_the_claims_and_no_table(store, data):
    run_id = start_sweep(store, checks_sweep(), data)
    assert set(files(store, run_id)) == {"report.html", "run.json", "run.zip"}


def test_the_scores_of_a_fit_are_in_order(store, data):
    run_id = _run(store, data, fit_sweep(0.2, 0.02))
    details, arrays = fit_of(store, run_id)
    lines = table(files(store, run_id)["scores.csv"]())
    assert [int(line["feature"]) for line in lines] == arrays["order"].tolist()
    assert sum(float(line["feature_score"]) == 0.0 for line in lines) == details["n_zero"]
    with np.load(io.BytesIO(files(store, run_id)["fit.npz"]())) as kept:
        np.testing.assert_array_equal(kept["order"], arrays["order"])
