"""A comparison as cells gives the tables of the plain call, and says what they mean."""

import io
import json
import math
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cspca import CSPCA
from cspca.datasets import Dataset, load, resized, standardised
from cspca.evaluation import COLUMNS, Comparison, Plan, compare
from cspca.evaluation.comparison import Ranking, Task, long_table
from cspca.evaluation.steps import rank_features
from cspca.evaluation.tables import Strong
from cspca.experiments import Outcome, run
from cspca.experiments.compare import Compare, curves, how_compared, lead
from cspca.experiments.experiment import Result
from cspca.experiments.exports import file
from cspca.experiments.reproducibility import Reproducibility
from cspca.experiments.runner import experiment_of, stored_outcome
from cspca.experiments.settings import declared, from_json, to_json, to_query
from cspca.experiments.steps import cluster_cell, labels_digest, rank_cell
from cspca.experiments.store import Store
from cspca.report import report
from cspca.selection import METHODS
from cspca.selection.registry import OWN

N = 450
TIMES = ["seconds", "selection_seconds", "clustering_seconds"]


@pytest.fixture(scope="module")
def digits() -> Dataset:
    """The first 450 images: silhouettes and neighbours take the square of their number."""
    whole = resized(load("digits"), (4, 4))
    return replace(whole, data=whole.data[:N], target=whole.target[:N])


def outcome(experiment: Compare, data: Dataset) -> Outcome:
    """All cells in a plain loop; results take the way through JSON, as in a store."""
    results: dict = {}
    for cell in experiment.cells(data):
        found = experiment.compute(cell, data, {need: results[need] for need in cell.needs})
        rows = tuple(json.loads(json.dumps(found.rows)))
        results[cell] = Result(rows, found.arrays, found.seconds)
    return Outcome(experiment, data, results)


#: The third has the usual number of random picks, the others few: each is a clustering more.
WISHES = [
    {
        "methods": ("all", "variance", "cspca"),
        "n_features": (3, 7),
        "n_seeds": 4,
        "n_pairs": 2,
        "n_draws": 4,
    },
    {
        "methods": ("spec", "mcfs"),
        "n_features": (5, 12),
        "n_seeds": 3,
        "init": "k-means++",
        "n_clusters": 8,
        "n_draws": 4,
    },
    {
        "methods": ("all", "cspca"),
        "n_features": (5,),
        "n_seeds": 2,
        "grids": {"cspca": [{"beta": 0.3, "alpha": 0.1}, {"alpha": 0.3}]},
        "silhouette": False,
    },
    {
        "methods": ("variance",),
        "n_features": (5,),
        "n_seeds": 3,
        "n_clusters": 4,
        "labels": False,
        "n_draws": 0,
    },
    {
        "methods": ("all", "variance"),
        "n_features": (3, 7),
        "n_seeds": 3,
        "n_pairs": 2,
        "n_draws": 4,
        "scores": {"mine": np.r_[9.0, 1:9, np.zeros(7)], "last": np.arange(16.0)},
    },
    {
        "methods": ("all", "variance"),
        "n_features": (3, 7),
        "n_seeds": 3,
        "n_pairs": 2,
        "n_draws": 4,
        "groups": [f"pen {at % 40}" for at in range(N)],
        "random_state": 3,
    },
    {
        "methods": ("variance",),
        "n_features": (5,),
        "n_seeds": 3,
        "n_clusters": 4,
        "labels": False,
        "n_draws": 0,
        "groups": [f"pen {at % 40}" for at in range(N)],
    },
]


@pytest.mark.parametrize(
    "wishes",
    WISHES,
    ids=["usual", "other starts", "grids", "no labels", "own", "groups", "groups, no labels"],
)
def test_cells_in_a_loop_give_the_tables_of_the_plain_call(digits: Dataset, wishes: dict) -> None:
    found = outcome(Compare(**wishes), digits)
    asked = dict(wishes)
    labels = digits.target if asked.pop("labels", True) else None
    methods, shape = asked.pop("methods"), digits.image_shape
    wanted = compare(digits.data, labels, methods, image_shape=shape, **asked)
    assert tuple(found.table.columns) == COLUMNS
    pd.testing.assert_frame_equal(
        found.table.drop(columns=TIMES[:2]), wanted.results.drop(columns=TIMES[:2])
    )
    pd.testing.assert_frame_equal(
        found.tables["Summary"].drop(columns=TIMES[1:]), wanted.summary().drop(columns=TIMES[1:])
    )
    done = found.experiment.comparison(found.results, digits)
    assert found.complete
    assert done.complete
    for key, ranking in wanted.rankings.items():
        np.testing.assert_array_equal(done.rankings[key].order, ranking.order)
        assert done.rankings[key].details == pytest.approx(dict(ranking.details))


def test_cells_are_shared_by_all_that_decides_the_numbers(digits: Dataset) -> None:
    alone = {"methods": ("variance",), "n_draws": 0}
    few, more = Compare(**alone, n_features=(3,)), Compare(**alone)
    names = {cell.name for cell in few.cells(digits)}
    assert names & {cell.name for cell in more.cells(digits)} == {
        rank_cell("variance", {}, 10).name
    }
    assert rank_cell("variance", {}, 10).name == rank_cell("variance", {}, 4).name
    assert rank_cell("mcfs", {}, 10).name != rank_cell("mcfs", {}, 4).name
    ranking = rank_cell("variance", {}, 10)
    digest = labels_digest(digits)
    cells = [
        cluster_cell(of, (0, 1), n_features=3, n_clusters=10, **more)
        for of, more in (
            (ranking, {"labels": digest}),
            (ranking, {"labels": None}),
            (ranking, {"labels": "other"}),
            (ranking, {"labels": digest, "init": "k-means++"}),
            (rank_cell("spec", {}, 10), {"labels": digest}),
            (ranking, {"labels": digest, "row": 2}),
        )
    ]
    assert len({cell.name for cell in cells}) == len(cells)
    assert cells[0].size == 2


def test_a_grid_of_a_method_that_is_not_compared_only_waits(digits: Dataset) -> None:
    waiting = Compare(methods=("variance",), grids={"spec": [{"function": "phi1"}]})
    assert list(waiting.cells(digits)) == list(Compare(methods=("variance",)).cells(digits))
    with pytest.raises(ValueError, match="grids names methods that are not compared: magic"):
        list(Compare(methods=("variance",), grids={"magic": [{}]}).cells(digits))


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"methods": ("magic",)}, "Unknown method 'magic': choose from all, variance"),
        ({"n_features": (17,)}, "n_features asks for 17 of 16 features"),
        ({"n_clusters": 5000}, "samples for 5000 clusters"),
        ({"own": (0.1,)}, "own must be two numbers, α and β, or nothing"),
        ({"labels": False}, "Without labels the number of clusters is unknown"),
    ],
)
def test_what_does_not_fit_the_data_is_said_in_one_sentence(
    digits: Dataset, wishes: dict, words: str
) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        list(Compare(**wishes).cells(digits))
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="init must be one of random, k-means"):
        Compare(init="best")


def test_cspca_at_ones_own_penalties_is_a_method_of_its_own(digits: Dataset) -> None:
    wishes = {"methods": ("all", "fspca", "cspca"), "n_features": (2, 5)}
    wishes |= {"n_seeds": 2, "n_draws": 2}
    found = outcome(Compare(**wishes, own=(0.4, 0.02)), digits)
    done = found.experiment.comparison(found.results, digits)
    title = "CSPCA at α = 0.4, β = 0.02"
    assert [row.title for row in done.table()] == [
        "All features",
        "FSPCA",
        "CSPCA",
        title,
        "Regular grid (control)",
    ]
    model = CSPCA(alpha=0.4, beta=0.02).fit(digits.data)
    np.testing.assert_array_equal(done.selection("cspca:own", 5), model.feature_order_[:5])
    assert [point.n_features for point in done.curve("cspca:own")] == [2, 5]
    # The default stays what it is without, and every figure tells the two apart.
    alone = outcome(Compare(**wishes), digits)
    ours = alone.experiment.comparison(alone.results, digits)
    np.testing.assert_array_equal(done.scores("cspca", "nmi"), ours.scores("cspca", "nmi"))
    for name, figure in found.figures().items():
        assert "β = 0.02" in str(figure.to_plotly_json()), name


def test_what_a_method_leaves_open_is_said(digits: Dataset) -> None:
    grids = {"sogfs": [{"gamma": 0.12}]}
    wishes = {"methods": ("variance", "sogfs"), "n_features": (5, 13), "n_seeds": 2}
    wishes |= {"n_draws": 0, "silhouette": False}
    found = outcome(Compare(**wishes, grids=grids), digits)
    sentences = [one.sentence for one in found.findings]
    tied = (
        "SOGFS has no ranking, so no score, for 1 of its 2 choices: tie at the cut. Of the 5 "
        "pixels that tie at places 12 to 16 it would take 2 for its best 13: which ones means "
        "nothing. Other parameters may tell them apart: try the paper’s grid."
    )
    assert tied in sentences
    assert not any("scores" in one and "all the same" in one for one in sentences)
    assert "SOGFS was stopped before it settled: its scores are its last ones." in sentences
    assert not any(one.startswith("Max variance has no ranking") for one in sentences)


def test_a_method_without_parameters_is_told_to_try_none() -> None:
    """Standardised columns vary alike: their variances differ by rounding alone."""
    rng = np.random.default_rng(0)
    table = Dataset(rng.random((90, 13)), np.arange(90) % 3, name="table")
    few = {"n_features": (3, 6), "n_seeds": 2, "n_draws": 0}
    asked = Compare(methods=("all", "variance", "laplacian"), **few)
    found = outcome(asked, standardised(table))
    sentences = [one.sentence for one in found.findings]
    (said,) = (one for one in sentences if one.startswith("Max variance"))
    assert said == (
        "Max variance has no ranking, so no score, for any of its choices: tie at the cut. Of the "
        "13 features that tie at places 1 to 13 it would take 3 for its best 3: which ones means "
        "nothing."
    )
    assert not any("against All features" in one for one in sentences if "variance" in one)
    # Selections that rest on the order of the columns are not held against each other.
    assert not any("select the same" in one and "variance" in one for one in sentences)
    assert "Max variance" in found.printed["Accuracy (ACC)"]["Method"].tolist()


def test_a_selection_that_a_tighter_fit_changes_has_no_score_where_that_is_asked() -> None:
    digits = load("digits")
    few = Dataset(digits.data[:400], digits.target[:400], name="few")
    loose = {"alpha": 0.3, "beta": 0.1, "tol": 0.05}
    close = rank_features(METHODS["cspca"].make(**loose), few.data).unsettled
    every = rank_features(METHODS["cspca"].make(**loose), few.data, range(1, 64)).unsettled
    (k, *_) = sorted(set(every) - set(close))
    asked = Compare(methods=("cspca",), n_features=(k,), n_seeds=2, n_draws=0,
                    grids={"cspca": [loose]})  # fmt: skip
    for settle, reasons in ((False, {}), (True, {"cspca": "tie within the solver's tolerance"})):
        found = outcome(replace(asked, settle=settle), few)
        done = found.experiment.comparison(found.results, few)
        assert done.unranked() == reasons
        assert bool(done.metrics) != settle


def test_what_it_says_of_a_result(digits: Dataset) -> None:
    wishes = {"methods": ("all", "variance", "laplacian", "spec"), "n_features": (2, 5)}
    found = outcome(Compare(**wishes, n_seeds=10, n_draws=2), digits)
    rows = found.experiment.comparison(found.results, digits).table()
    best = next(row for row in rows if row.mark == "best")
    first, *others = found.findings
    assert f"Best by ACC: {best.title}, {100 * best.shown.mean:.1f} ± " in first.sentence
    assert first.numbers[best.method] == best.shown.mean
    assert sum("against All features by ACC" in one.sentence for one in others) == 3
    same = "Laplacian Score and SPEC select the same pixels at every number here"
    assert any(same in one.sentence for one in others)
    assert list(found.printed) == [
        "Accuracy (ACC)", "Normalised mutual information (NMI)", "Silhouette",
        "Reconstruction error", "Nearest-neighbour accuracy (1-NN)",
    ]  # fmt: skip
    printed = found.printed["Accuracy (ACC)"]
    line = printed.set_index("Method").loc[best.title]
    assert type(line["ACC (%)"]).__name__ == "Strong"
    assert line["Best of grid"].endswith(f"at {best.best.n_features}")
    assert "10 runs" in printed.attrs["note"]
    assert set(found.tables) == {"Summary", "Fits", "Overlap of the best 5"}


def test_latex_has_a_table_by_number_of_features(digits: Dataset) -> None:
    asked = Compare(
        methods=("all", "variance", "laplacian"), n_features=(10, 5), n_seeds=10, n_draws=0
    )
    found = outcome(asked, digits)
    done = found.experiment.comparison(found.results, digits)
    frame = found.typeset["Accuracy (ACC) by number of pixels"]
    assert list(frame) == ["Method", "5", "10"]
    titles = [row.title for row in done.table("accuracy")]
    assert frame["Method"].tolist() == titles
    for k in (5, 10):
        cells = frame.set_index("Method")[str(k)]
        for row in done.table("accuracy", k):
            cell = cells[row.title]
            number = f"{100 * row.shown.mean:.1f} ± {100 * row.shown.std:.1f}"
            assert cell == (f"{number} ≈" if row.mark == "close" else number)
            assert isinstance(cell, Strong) == (row.mark == "best")
    note = frame.attrs["note"]
    assert note.startswith("ACC (%) at each number of pixels. Mean ± standard deviation over 10")
    assert "All features has the same score in every column." in note
    assert "chosen" not in note
    assert "Best of grid" not in note
    text = str(file(found, ".tex"))
    assert r"\caption{Accuracy (ACC) by number of pixels, digits.}" in text
    single = replace(asked, n_features=(5,))
    assert not any("by number" in title for title in outcome(single, digits).typeset)


def test_every_figure_answers_a_question_in_words_too(digits: Dataset) -> None:
    asked = Compare(methods=("all", "variance", "spec"), n_features=(2, 5), n_seeds=2, n_draws=4)
    found = outcome(asked, digits)
    for dark in (False, True):
        figures = found.figures(dark=dark)
        assert len(figures) == 2 * 5 + 2
        for question, figure in figures.items():
            assert question.endswith("?")
            assert figure.layout.meta["alt"].endswith(".")
        assert "Do they agree on the best 5 pixels?" in figures
    alone = Compare(methods=("variance",), n_features=(2,), n_seeds=2, n_draws=0)
    assert not any("agree" in question for question in outcome(alone, digits).figures())


def test_how_a_method_stands_among_random_picks_is_said(digits: Dataset) -> None:
    asked = Compare(methods=("all", "variance", "spec"), n_features=(3, 16), n_seeds=10, n_draws=5)
    found = outcome(asked, digits)
    done = found.experiment.comparison(found.results, digits)
    best = next(row for row in done.table("accuracy", 3) if row.mark == "best")
    said = lead(done, "accuracy", digits, 3)
    if best.chance is not None:
        assert f"better than {best.chance.worse} of 5 random picks of 3 pixels." in said
    # All features are what the two are held against.
    assert how_compared(done, digits).startswith("2 methods select pixels without seeing a label;")
    # All of all pixels are the same, whoever picks them.
    assert {row.percentile for row in done.table("accuracy", 16)} == {None, 0.5}
    notes = found.experiment.notes(done, "accuracy", digits)
    assert any("at 16: here the choice of pixels does not matter" in note for note in notes)
    for figure in found.experiment.metric_figures(done, "accuracy", digits, 3).values():
        assert "5 random picks" in figure.layout.meta["alt"]
    assert "Beats random" in found.printed["Accuracy (ACC)"]


def test_what_was_kept_before_there_were_random_picks_stays_whole() -> None:
    kept = to_json(Compare(methods=("all",)))
    del kept["n_draws"]
    assert from_json(Compare, kept).n_draws == 0


def test_cspca_below_chance_is_said_with_what_it_rebuilds(digits: Dataset) -> None:
    asked = Compare(methods=("cspca",), n_features=(5,), n_seeds=10, n_draws=6, labels=False,
                    n_clusters=10, grids={"cspca": [{"alpha": 0.4, "beta": 0.02}]})  # fmt: skip
    found = outcome(asked, digits)
    table = found.experiment.table(found.results)
    table.loc[table["method"] == "cspca", "silhouette"] = -0.5
    done = replace(found.experiment.comparison(found.results, digits), results=table)
    words = ("What it keeps is what rebuilds", "Nor do its best pixels alone rebuild")
    for error, said in zip((0.0, 1.0), words, strict=True):
        ours = table.assign(reconstruction_error=table["reconstruction_error"].mask(
            table["method"] == "cspca", error))  # fmt: skip
        shown = replace(done, results=ours)
        (note, *_) = found.experiment.notes(shown, "silhouette", digits)
        start = "By Silhouette CSPCA does worse than random picks at 5 pixels."
        assert note.startswith(f"{start} {said} the images")
        assert f"better: reconstruction error {error:.3f} against " in note or error == 0


def test_a_part_says_that_it_is_one(digits: Dataset) -> None:
    asked = Compare(methods=("all", "variance"), n_features=(3,), n_seeds=2, n_draws=0)
    whole = outcome(asked, digits)
    cells = list(whole.results)
    some = Outcome(asked, digits, {cell: whole.results[cell] for cell in cells[:2]})
    assert "These are the results so far" in some.findings[0].sentence
    nothing = Outcome(asked, digits, {})
    assert nothing.findings == []
    assert nothing.printed == {}
    assert nothing.tables == {}
    done = asked.comparison(some.results, digits)
    # Drawn once, however often it is asked for.
    assert asked.comparison(some.results, digits).table() is done.table()
    assert asked.comparison(whole.results, digits).complete


def test_many_who_watch_runs_on_the_same_data_keep_their_comparisons(digits: Dataset) -> None:
    asked = Compare(methods=("all", "variance"), n_features=(3,), n_seeds=2, n_draws=0)
    results = outcome(asked, digits).results
    watched = [(replace(asked, bootstrap=number), dict(results)) for number in range(10)]
    before = [experiment.comparison(part, digits) for experiment, part in watched]
    assert all(
        experiment.comparison(part, digits) is comparison
        for (experiment, part), comparison in zip(watched, before, strict=True)
    )


def test_without_its_pixels_a_result_says_the_same(digits: Dataset) -> None:
    from cspca.experiments.records import Described

    asked = Compare(methods=("all", "variance"), n_features=(3,), n_seeds=2, n_draws=2)
    whole = outcome(asked, digits)
    known = {"sha256": digits.sha256, "name": "digits", "n_samples": digits.n_samples}
    words = Described(**known, n_features=16, n_classes=10, image_shape=(4, 4))
    bare = Outcome(whole.experiment, words, whole.results)
    assert [one.sentence for one in bare.findings] == [one.sentence for one in whole.findings]
    pd.testing.assert_frame_equal(bare.tables["Summary"], whole.tables["Summary"])


def test_the_lines_of_python_are_few(digits: Dataset) -> None:
    asked = Compare(methods=("all", "spec"), grids={"spec": [{"function": "phi1"}]}, n_seeds=3)
    lines = asked.snippet(digits)
    assert lines.count("\n") < 8
    assert eval(lines.split("run(")[1].split(", d)")[0]) == asked
    assert io.StringIO(lines).readline().startswith("from cspca.datasets import")


def test_a_ranking_of_ones_own_is_a_method_like_any_other_and_kept_with_its_run(
    digits: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variance = digits.data.var(axis=0)
    wishes = {"methods": ("all", "variance"), "n_features": (3, 7), "n_seeds": 2, "n_draws": 5}
    wishes["silhouette"] = False
    asked = Compare(**wishes, scores={"mine": variance, "other": -variance})
    with Store(tmp_path) as store:
        found = run(asked, digits, store=store)
    with Store(tmp_path) as store:
        (kept,) = store.runs()
        assert experiment_of(store.get(kept.id)) == asked
        again = stored_outcome(store, store.get(kept.id), digits)
        assert {cell.title for cell in stored_outcome(store, store.get(kept.id)).results} >= {
            "Yours: mine"
        }
        assert store.find(asked, digits)
    pd.testing.assert_frame_equal(again.table, found.table)
    done = found.experiment.comparison(found.results, digits)
    rows = {row.method: row for row in done.table()}
    # Its figures are those of the method that has the same scores.
    np.testing.assert_array_equal(done.scores("scores:mine", "nmi"), done.scores("variance", "nmi"))
    ours, same = rows["scores:mine"], rows["variance"]
    assert (ours.title, ours.chance) == ("Yours: mine", same.chance)
    assert ours.percentile is not None
    # Here it took no time to rank.
    assert ours.selection_seconds is None
    assert done.overlap(3).loc["scores:mine", "variance"] == 1.0
    for name, figure in found.figures().items():
        assert "Yours: mine" in str(figure.to_plotly_json()), name
    looks = {
        (one.line.color, one.marker.symbol)
        for one in curves(done, "accuracy", digits).data
        if (one.name or "").startswith("Yours")
    }
    assert {colour for colour, _ in looks} == {OWN.colour}
    assert len(looks) == 2
    written = report(found)
    for text in (written, found.experiment.protocol(digits), str(found)):
        assert "mine" in text
        assert str(variance[3]) not in text
    assert "Whether what made yours saw labels is not known here." in str(found)
    # What is exported gives it again, with nothing else at hand.
    with zipfile.ZipFile(io.BytesIO(file(found, ".zip"))) as packed:
        packed.extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    known: dict = {}
    lines = re.sub(r"\nd = .*", "\nd = digits", found.snippet)
    exec(lines, {"digits": digits}, known)
    pd.testing.assert_frame_equal(
        known["outcome"].table.drop(columns=TIMES[:2]), found.table.drop(columns=TIMES[:2])
    )


def test_other_scores_of_the_same_name_are_another_ranking(digits: Dataset) -> None:
    few = {"methods": ("all",), "n_features": (3,), "n_draws": 0}
    one, same, other = (
        {cell.name for cell in Compare(**few, scores={"mine": scores}).cells(digits)}
        for scores in (np.arange(16.0), list(range(16)), -np.arange(16.0))
    )
    assert one == same
    assert len(one & other) == 3, "all features: ranked, clustered and measured"
    assert to_query(Compare(scores={"mine": [1.0, 2.0]})) == {}
    # An older run has none.
    assert from_json(Compare, {"n_seeds": 3}).scores is None


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({"mine": np.ones(16)}, "mine: all scores are the same"),
        ({"mine": np.arange(15.0)}, "mine has 15 scores for 16 features"),
        ({"mine": [*range(15), math.nan]}, "mine: the score of feature 15, counted from 0, is nan"),
        ({str(at): range(16) for at in range(9)}, "scores must be 6 rankings at most"),
    ],
)
def test_a_ranking_that_does_not_fit_is_refused(digits: Dataset, scores: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        list(Compare(scores=scores).cells(digits))


# -- groups ----------------------------------------------------------------------------------------

PENS = [f"pen of {at % 40}" for at in range(N)]


def test_of_groups_numbers_are_kept_and_no_names() -> None:
    asked = Compare(groups=PENS)
    assert Compare(groups=asked.groups) == asked
    assert asked.groups[:3] == (0, 1, 2)
    assert from_json(Compare, json.loads(json.dumps(to_json(asked)))) == asked
    assert "pen" not in json.dumps(to_json(asked))
    assert to_query(asked) == {}
    assert asked.name(load("digits")) == "Compare on digits: 40 groups"
    assert Compare(groups=None) == Compare()


def test_groups_decide_cells_that_draw_samples_and_no_others(digits: Dataset) -> None:
    few = {"methods": ("variance",), "n_features": (3,), "n_seeds": 2, "n_draws": 0}
    alone, grouped, other = (
        {cell.step: cell.name for cell in Compare(**few, n_pairs=1, **more).cells(digits)}
        for more in ({}, {"groups": PENS}, {"random_state": 1})
    )
    assert alone["rank"] == grouped["rank"] == other["rank"]
    assert {step for step in alone if alone[step] != grouped[step]} == {
        "cluster", "beside", "rank-halves"
    }  # fmt: skip
    assert {step for step in alone if alone[step] != other[step]} == {
        "beside", "rank-halves"
    }  # fmt: skip


def test_a_run_with_groups_is_kept_and_says_what_it_did(digits: Dataset, tmp_path: Path) -> None:
    asked = Compare(
        methods=("variance",), n_features=(3,), n_seeds=2, n_draws=0, groups=PENS, random_state=7
    )
    with Store(tmp_path) as store:
        found = run(asked, digits, store=store)
        record = store.get(store.runs()[0].id)
        again = stored_outcome(store, record, digits)
        assert experiment_of(record) == asked
    assert "Held-out halves keep each of the 40 groups whole." in str(again)
    assert str(again) == str(found)
    assert (
        "held-out halves of the images, drawn at random 5 times (seed 7), each of 40 groups in one "
        "half" in asked.protocol(digits)
    )
    page = report(again)
    assert "450 values, 40 different" in page
    assert "pen of" not in page
    assert b"pen of" not in b"".join(
        path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    )


def test_cspca_is_as_reproducible_as_the_tab_says(digits: Dataset) -> None:
    drawn = {"n_pairs": 5, "groups": PENS, "random_state": 2}
    asked = Compare(
        methods=("variance", "cspca"), n_features=(5,), n_seeds=2, n_draws=0, bootstrap=0,
        beside=False,
        grids={"cspca": [{"alpha": 0.4, "beta": 0.05}]}, **drawn,
    )  # fmt: skip
    alone = Reproducibility(alpha=0.4, beta=0.05, n_features=5, **drawn)
    best = alone.fits(run(alone, digits).results, digits).best
    assert best is not None
    done = asked.comparison(run(asked, digits).results, digits)
    lines = done.reproducibility().set_index("method")
    assert lines.loc["cspca", "reproducibility"] == pytest.approx(best.index.difference)
    assert lines.loc["cspca", "low"] == pytest.approx(best.index.low)
    assert lines.loc["cspca", "n_halves"] == 10


def test_halves_are_kept_and_their_measure_is_read_from_the_store(
    digits: Dataset, tmp_path: Path
) -> None:
    asked = Compare(
        methods=("all", "variance", "laplacian"), n_features=(5, 16), n_seeds=2, n_draws=0,
        n_pairs=5,
    )  # fmt: skip
    with Store(tmp_path) as store:
        found = run(asked, digits, store=store)
        again = stored_outcome(store, store.get(store.runs()[0].id), digits)
    assert str(again) == str(found)
    done = asked.comparison(again.results, digits)
    sentence = lead(done, "reproducibility", digits, 5)
    first = max(done.table("reproducibility", 5), key=lambda row: row.shown.mean)
    assert sentence.startswith(f"Highest index at 5 pixels: {first.title} with 0.")
    assert "over 10 halves of the images, the same for every method" in sentence
    assert "Reproducible is not right." in sentence
    assert "Differences are not tested" in sentence
    # All features leave nothing to agree on: there is a sentence in place of a best.
    assert lead(done, "reproducibility", digits, 16) == (
        "No method has an index of reproducibility at 16 pixels: there is nothing to agree on "
        "where all features are selected."
    )
    # Of the cells that are done an unfinished method has no number.
    some = dict(list(again.results.items())[:-1])
    lines = asked.comparison(some, digits).reproducibility()
    assert lines["method"].unique().tolist() == ["variance"]
    assert "Reproducibility" in asked.tables(again.results, digits)


def _picks(*sizes: int) -> list[Ranking]:
    """Of 20 features ten rankings, whose best three have at most so many others among them."""
    found = []
    for number in range(10):
        others = 3 + number % 7 + np.arange(sizes[number % len(sizes)])
        order = list(dict.fromkeys([*others.tolist(), *range(20)]))
        found.append(
            Ranking(np.array(order), np.arange(20.0, 0.0, -1.0)[np.argsort(order)], 0.0, {})
        )
    return found


def test_a_highest_index_names_all_that_tie_and_whose_interval_overlaps(digits: Dataset) -> None:
    halves = {"a": _picks(0, 1), "b": _picks(0, 1), "c": _picks(1), "d": _picks(3)}
    names = ("method", "title", "n_features", "seed", "reproducibility")
    rows = [dict(zip(names, (one, one.upper(), 3, seed, 0.0), strict=True))
            for one in halves for seed in range(2)]  # fmt: skip
    tasks = tuple(Task(one, one.upper(), {}, (3,)) for one in halves)
    done = Comparison(
        Plan(tasks, (0, 1), 2, n_pairs=5), long_table([{"parameters": ""} | row for row in rows]),
        rankings_of_halves={(one, ""): tuple(fits) for one, fits in halves.items()},
    )  # fmt: skip
    table = done.reproducibility().set_index("title")
    index, low, high = table.loc["A", ["reproducibility", "low", "high"]]
    assert table.loc["D", "high"] < low < table.loc["C", "high"]
    said = f"{index:.3f} (95 % interval {low:.3f} to {high:.3f})"
    sentence = lead(done, "reproducibility", digits, 3)
    assert sentence.startswith(
        f"Highest index at 3 pixels: A with {said} and B with {said}, over 10"
    )
    assert "Differences are not tested, and the interval of C overlaps theirs." in sentence


def test_pairs_of_halves_are_said_and_counted_for_each_parameter_set(digits: Dataset) -> None:
    grids = {"cspca": [{}, {"alpha": 0.4}]}
    asked = Compare(methods=("cspca",), n_features=(5,), n_draws=0, n_pairs=3, grids=grids)
    assert sum(cell.size for cell in asked.cells(digits) if cell.step == "rank-halves") == 2 * 6
    assert "50 fits a method and parameter set" in declared(Compare)["n_pairs"].help


def test_the_protocol_says_that_groups_are_drawn_whole(digits: Dataset) -> None:
    said = Compare(groups=PENS, n_pairs=2).protocol(digits)
    assert "200 resamples of the groups of images with replacement" in said
    assert "4 random halves of the images (2 complementary pairs of whole groups, seed 0)" in said
    alone = Compare(n_pairs=2).protocol(digits)
    assert "200 resamples of the images with replacement" in alone
    few = Compare(groups=[f"pen {at % 4}" for at in range(N)]).protocol(digits)
    assert "resamples" not in few


def test_copies_are_said_once(digits: Dataset) -> None:
    twice = Dataset(
        np.vstack([digits.data[:60], digits.data[:9]]),
        np.r_[digits.target[:60], digits.target[:9]],
        image_shape=(4, 4),
    )
    found = outcome(Compare(methods=("variance",), n_features=(3,), n_seeds=2, n_draws=0), twice)
    assert str(found).count("9 of 69 images are copies of others") == 1


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (["a", "b"], "groups has 2 entries for 450 samples"),
        (["a", "b", None], "groups has missing entries, 1 of 3"),
        (["a", "a"], "groups has a single group"),
    ],
)
def test_groups_that_do_not_fit_are_one_sentence(digits: Dataset, groups: list, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        list(Compare(groups=groups).cells(digits))


def test_labelled_scores_are_refused_where_no_names_say_whose_they_are():
    scores = pd.Series([3.0, 1.0, 2.0], index=["c", "a", "b"])
    for labelled in (scores, scores.to_dict()):
        with pytest.raises(ValueError, match=r"mine has names in .*, such as c, which are"):
            Compare(scores={"mine": labelled})
    sorted_by_score = pd.Series([3.0, 1.0, 2.0]).sort_values()
    assert Compare(scores={"mine": sorted_by_score}).scores == {"mine": [3.0, 1.0, 2.0]}


def test_a_single_start_is_said_to_be_one(digits: Dataset) -> None:
    """It was "from 1 starts", ± 0.0, "chosen on one half of the starts"."""
    found = outcome(
        Compare(methods=("all", "variance"), n_features=(3, 9), n_seeds=1, n_draws=0), digits
    )
    said, protocol = str(found), found.experiment.protocol(digits)
    assert "from one start." in said
    assert "±" not in said
    for text in (said, protocol):
        assert "one half of the starts" not in text
    assert "from one random start (seed 0)" in protocol


def test_where_no_method_selects_none_is_counted(digits: Dataset) -> None:
    """It was "1 method selects pixels without seeing a label"."""
    asked = Compare(
        methods=("all",), n_features=(3,), n_seeds=2, n_draws=0, scores={"mine": range(16, 0, -1)}
    )
    said = str(outcome(asked, digits))
    assert "K-means clusters the images by the best pixels from 2 starts." in said
    assert asked.protocol(digits).startswith("The best 3 pixels were kept. K-means")


def test_groups_that_are_no_list_are_refused() -> None:
    with pytest.raises(ValueError, match="groups must be a non-empty list of labels"):
        Compare(groups=5)  # type: ignore[arg-type]
