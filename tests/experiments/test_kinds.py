"""Every kind of experiment: what follows from its settings, however and wherever it is computed."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from cspca import CSPCA
from cspca.datasets import Dataset, make_faces
from cspca.experiments import (
    Compare,
    Convergence,
    Fit,
    Outliers,
    Paper,
    Reproducibility,
    Sensitivity,
    run,
    runner,
)
from cspca.experiments.exports import files
from cspca.experiments.fit import explained_share, identity_words, proven, regime_words
from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.store import Store
from cspca.problem import ReducedData
from cspca.problem.identity import identity_edge
from cspca.report import report
from tests.experiments.toys import blobs
from tests.pages import read
from tests.soak import counted

SMALL = {
    "compare": Compare(methods=("all", "variance"), n_features=(8,), n_seeds=2, n_draws=2),
    "sensitivity": Sensitivity(alphas=(0.02, 0.2), betas=(0.001, 0.05), n_seeds=2),
    "convergence": Convergence(inits=("diagonal-1", "random"), checkpoints=(3, 6)),
    "paper": Paper(parts=("checks", "starts"), starts=("diagonal-1", "random"), n_seeds=2),
    "reproducibility": Reproducibility(alpha=0.2, n_pairs=2),
    "outliers": Outliers(
        methods=("cspca", "pca"),
        shares=(0.0, 0.5),
        ranks=(2, 3),
        n_features=12,
        n_samples=40,
        n_seeds=2,
        judges=("cspca", "pca", "norm"),
        wrong_share=0.25,
        components=4,
    ),
    "fit": Fit(alpha=0.2, beta=0.05),
}
MEASURED = ("seconds", "time", "iterations_per_second")


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(n_people=4, n_per_person=4, image_size=12, random_state=0)


@pytest.fixture(scope="module")
def outcomes(faces):
    """Of every kind, computed alone."""
    return {kind: run(one, faces) for kind, one in SMALL.items()}


def numbers(outcome):
    """The table without what a clock says."""
    clocks = [name for name in outcome.table if any(word in name for word in MEASURED)]
    return outcome.table.drop(columns=clocks)


def test_no_kind_is_left_out():
    assert set(SMALL) == set(EXPERIMENTS)


@pytest.mark.parametrize("kind", SMALL)
def test_a_report_is_whole_and_asks_nobody(kind, outcomes):
    seen = read(report(outcomes[kind]))
    assert outcomes[kind].findings[0].sentence.split(",")[0] in seen.text
    assert not [
        one
        for one in seen.asked
        if not one.startswith(("#", "data:", "https://doi.org", "https://arxiv"))
    ]
    assert seen.handlers == []
    assert sum("Plotly" in script and len(script) > 10**6 for script in seen.scripts) == 1
    for both in seen.figures.values():
        light, dark = (
            both[one]["layout"]["template"]["layout"]["font"]["color"] for one in ("light", "dark")
        )
        assert light != dark
    assert seen.figures


def refuse(*arguments):
    raise AssertionError("a table was made")


def names_without_tables(outcome, monkeypatch):
    """Labels of the files of an outcome, named where no table can be made."""
    with monkeypatch.context() as patch:
        for name in ("table", "tables", "printed"):
            patch.setattr(type(outcome.experiment), name, refuse)
        return [file.label for file in files(replace(outcome))]


@pytest.mark.parametrize("kind", SMALL)
def test_its_files_are_named_without_making_a_table(kind, outcomes, monkeypatch):
    titles = list(outcomes[kind].tables)
    assert titles
    labels = names_without_tables(outcomes[kind], monkeypatch)
    assert labels[: len(titles) + 1] == [*(f"{title}, CSV" for title in titles), "All results, CSV"]


def test_files_of_a_comparison_are_named_by_what_was_computed(monkeypatch):
    data = blobs(60, 12, 3)
    methods, scores = ("all", "variance", "laplacian"), {"mine": list(range(12))}
    asked = Compare(methods=methods, n_features=(5,), n_seeds=2, n_pairs=2, scores=scores)
    outcome = run(asked, data)
    assert list(outcome.tables) == [
        "Summary", "Fits", "Reproducibility", "Scores 1 mine", "Overlap of the best 5"
    ]  # fmt: skip
    labels = names_without_tables(outcome, monkeypatch)
    assert labels[:5] == [f"{title}, CSV" for title in outcome.tables]


@pytest.mark.parametrize("kind", SMALL)
def test_its_lines_of_python_give_its_table(kind, outcomes, faces, tmp_path, monkeypatch):
    np.savez(tmp_path / "faces.npz", X=faces.data, y=faces.target)
    monkeypatch.chdir(tmp_path)
    lines = outcomes[kind].snippet
    compile(lines, "snippet", "exec")
    assert type(outcomes[kind].experiment).__name__ in lines or kind == "fit"


@pytest.mark.slow
@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_threads_and_processes_give_the_same_table(kind, backend, outcomes, faces):
    assert numbers(run(SMALL[kind], faces, n_jobs=2, backend=backend)).equals(
        numbers(outcomes[kind])
    )


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
    ) as running:
        yield running.scheduler_address


@pytest.mark.slow
@pytest.mark.parametrize("kind", counted(["fit", "compare"], list(SMALL)))
def test_a_cluster_gives_the_same_table(kind, outcomes, faces, cluster):
    found = run(SMALL[kind], faces, n_jobs=-1, scheduler=cluster)
    assert numbers(found).equals(numbers(outcomes[kind]))


@pytest.mark.slow
def test_a_cluster_that_is_not_there_or_not_like_ours_is_one_sentence(faces, cluster, monkeypatch):
    monkeypatch.setattr(runner, "_CONNECT", 0.5)
    with pytest.raises(ValueError, match=r"No Dask scheduler answers at tcp:.*\.$"):
        run(SMALL["fit"], faces, scheduler="tcp://127.0.0.1:1")
    monkeypatch.setattr(runner, "_CONNECT", 10)
    ours, here = runner.versions(), os.getpid()
    monkeypatch.setattr(
        runner,
        "versions",
        lambda: ours if os.getpid() == here else {**ours, "numpy": "1.0"},
    )
    with pytest.raises(ValueError, match="install the same versions"):
        run(SMALL["fit"], faces, scheduler=cluster)


def die(*_):
    """In place of the work."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_that_dies_is_one_sentence_and_nothing_is_lost(faces, monkeypatch):
    wanted = SMALL["sensitivity"]
    with Store(":memory:") as store:
        with monkeypatch.context() as patch:
            patch.setattr("cspca.experiments.runner.perform", die)
            with pytest.raises(ValueError, match=r"worker process ended.*\.$"):
                run(wanted, faces, store=store, n_jobs=2, backend="loky")
        assert run(wanted, faces, store=store, n_jobs=2, backend="loky").complete
        assert len(store.runs()) == 1


def test_a_point_of_the_grid_is_a_fit(outcomes, faces):
    table = outcomes["sensitivity"].table
    fits = table[table["step"] == "fit"] if "step" in table else table
    for alpha, beta in ((0.02, 0.001), (0.2, 0.05)):
        row = fits[(fits["alpha"] == alpha) & (fits["beta"] == beta)].iloc[0]
        alone = CSPCA(alpha=alpha, beta=beta).fit(faces.data)
        assert row["objective"] == alone.objective_
        assert row["n_zero"] == np.count_nonzero(alone.feature_scores_ == 0)


def test_a_fit_is_that_of_the_estimator_with_its_course(outcomes, faces):
    alone = CSPCA(alpha=0.2, beta=0.05).fit(faces.data)
    row = outcomes["fit"].table.iloc[0]
    assert row["objective"] == alone.objective_
    (result,) = outcomes["fit"].results.values()
    assert np.array_equal(result.arrays["feature_scores"], alone.feature_scores_)
    assert result.arrays["history_best_objective"][-1] == alone.objective_


def test_what_is_proven_of_single_features_is_never_less_than_their_ceilings(faces):
    nouns = faces.nouns
    loose = CSPCA(alpha=0.2, beta=0.05, tol=0.05).fit(faces.data).fit_
    free = CSPCA(alpha=0.0, beta=0.05).fit(faces.data).fit_
    for fit in (None, loose):
        assert proven(fit, nouns)[2] == "Nothing is proven of single pixels"
    assert proven(free, nouns)[2] == "Nothing is proven of single pixels at α = 0"
    tight = CSPCA(alpha=0.2, beta=0.05, tol=1e-6).fit(faces.data).fit_
    ceilings, share, words = proven(tight, nouns)
    some = np.isfinite(ceilings)
    real = 100 * tight.feature_score_bounds / tight.feature_scores.max()
    assert np.all(real[some] <= ceilings[some])
    assert np.all(ceilings[some] <= 1.2 * real[some])
    small = np.count_nonzero(real <= share)
    assert 2 * small >= tight.n_zero
    assert words == f"{small:,} pixels: at most {share} % of the best score (proven)"


def test_what_a_fit_proves_is_printed_and_in_its_table(outcomes):
    table = outcomes["fit"].tables["Scores"]
    (result,) = outcomes["fit"].results.values()
    bounds = result.arrays["feature_score_bounds"][table["feature_from_0"]]
    np.testing.assert_array_equal(table["feature_score_bound"], bounds)
    assert "proven" in report(outcomes["fit"])


def test_a_report_of_a_part_says_so_and_words_are_never_markup(outcomes, faces, tmp_path):
    strange = Dataset(faces.data, faces.target, name="<b>mine</b>")
    came: list[object] = []
    part = run(
        SMALL["compare"], strange, on_progress=came.append, should_stop=lambda: len(came) > 2
    )
    assert not part.complete
    html = report(part)
    assert "<b>mine</b>" not in html
    assert "<b>mine</b>" in read(html).text


def test_pictures_are_in_a_report_only_where_they_are_wished(outcomes, faces, monkeypatch):
    monkeypatch.setattr("cspca.report._plotly", lambda: "")
    assert "What is left of one image?" not in report(outcomes["fit"])


def test_nothing_finished_is_no_report(faces):
    with pytest.raises(ValueError, match="resume it first"):
        report(run(SMALL["compare"], faces, should_stop=lambda: True))


def test_starts_are_single_fits(outcomes, faces):
    table = outcomes["convergence"].table
    row = table[(table["solver"] == "admm") & (table["init"] == "random")].iloc[0]
    settings = SMALL["convergence"]
    alone = CSPCA(
        alpha=1.0,
        beta=1.0,
        penalty_scale="absolute",
        init="random",
        tol=settings.tol,
        center=False,
        random_state=0,
    ).fit(faces.data)
    assert row["objective"] == alone.objective_


@pytest.mark.parametrize(
    ("share", "said"), [(0.5, "up to α + β = t*"), (1.2, "up to α + β = t*"), (30.0, "")]
)
def test_next_to_the_identity_it_is_said_where_that_ends(share, said):
    rng = np.random.default_rng(0)
    data = Dataset(rng.random((60, 5)), name="few")
    edge = identity_edge(ReducedData(np.array(data.data)))
    assert edge.gap <= 1e-3
    half = 0.5 * share * edge.high
    outcome = run(Fit(half, half, penalty_scale="absolute", center=False, tol=1e-6), data)
    (fit,) = outcome.experiment.fits(outcome.results).values()
    assert (fit.regime == "identity") == (share < 1.0)
    words = identity_words(fit, data, center=False, normalize=False)
    assert said in words
    assert bool(words) == bool(said)
    assert not said or words in [one.sentence for one in outcome.findings]
    quick = identity_words(fit, data, center=False, normalize=False, quick=True)
    assert not said or "proven to lie between" in quick


def test_an_edge_that_is_known_to_all_shown_digits_is_one_number():
    flowers = Dataset(load_iris().data / 7.9, name="flowers")
    fit = CSPCA(0.1, 0.01).fit(flowers.data).fit_
    words = identity_words(fit, flowers, center=True, normalize=False)
    assert "which is proven to be 2.06" in words
    assert "between" not in words


def test_a_sparse_fit_says_what_share_of_the_variation_it_explains():
    data = make_faces(n_people=4, n_per_person=5, image_size=12, random_state=0)
    for alpha, normalize in ((0.1, False), (0.5, True)):
        fit = CSPCA(alpha, 0.02, normalize=normalize).fit(data.data).fit_
        A = data.data / (np.linalg.norm(data.data, axis=1, keepdims=True) if normalize else 1.0)
        A = A - A.mean(axis=0)
        Z, U = fit.map
        share = 1.0 - np.square(A @ Z @ U.T - A).sum() / np.square(A).sum()
        assert explained_share(fit, data, center=True) == pytest.approx(share, abs=1e-4)
        sentence = regime_words(fit, data, center=True)
        assert f"explain {100 * share:.0f} % of the variation of the images" in sentence
        assert "enough" not in sentence
