"""What the pages of experiments say of results that are there."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from cspca import CSPCA, record
from cspca.datasets import Dataset, load, make_faces, standardised
from cspca.evaluation import METRICS
from cspca.experiments import Compare, Convergence, Paper, Sensitivity
from cspca.experiments import runner as runners
from cspca.experiments.convergence import START_NAMES
from cspca.experiments.experiment import Result
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.ledger import LEDGER, PUBLIC
from cspca.paper.claims import CLAIMS, Verdict
from cspca.paper.numbers import PAPER_SETS
from cspca.ui import experiment_page, fields, menu, paper_page, state, visitor
from cspca.ui.compare_page import costly
from cspca.ui.plain import plain
from cspca.ui.services import runs, services
from tests.app.conftest import bars, look, until, words
from tests.experiments.toys import blobs

FEW = Compare(methods=("all", "variance", "laplacian"), n_features=(4, 20), n_seeds=3, n_draws=4)
GRID = Sensitivity(alphas=(0.05, 0.2), betas=(0.01,), n_features=16, n_seeds=2)
FROM_TWO = Convergence(
    alpha=0.1, beta=0.01, penalty_scale="relative", inits=("diagonal-0.5", "diagonal-1"),
    checkpoints=(3, 6), n_features=8, n_seeds=1,
)  # fmt: skip
TINY = Paper(
    n_seeds=2, grid=(0.01, 1.0, 100.0), n_counts=3, starts=("diagonal-1", "random")
)  # fmt: skip
BLOBS = blobs(60, 20, 3)


@pytest.fixture
def shown(arrive, monkeypatch):
    """``shown(experiment, data)`` is its page for the server's owner, when a shell has run it."""
    monkeypatch.setattr(visitor, "is_owner", lambda: True)

    def go(experiment, dataset=None, **options):
        key = "digits" if dataset is None else services().library.add(dataset)
        dataset = dataset or load("digits")
        store = runs().store
        run_id = store.create(experiment, dataset)
        store.keep_data(run_id, dataset)
        runners.resume(store, run_id, experiment, dataset, **options)
        link = {"run-" + experiment.kind: store.get(run_id).view_id}
        return arrive(experiment.kind, data=key, **link)

    return go


def test_a_method_whose_features_tie_has_its_reason_in_place_of_a_score(shown):
    rng = np.random.default_rng(0)
    table = Dataset(rng.random((60, 6)), np.arange(60) % 3, name="table")
    few = Compare(methods=("all", "variance", "laplacian"), n_features=(3,), n_seeds=2)
    page = shown(few, standardised(table))
    said = words(page)
    assert "Max variance has no ranking, so no score, with 3 features: tie at the cut." in said
    assert "Of the 6 features that tie at places 1 to 6 it would take 3 for its best 3" in said
    assert "Max variance scores" not in said
    assert "Other parameters" not in said
    (lists,) = (one.value for one in page.html if "<ol>" in one.value)
    assert "Max variance" not in lists
    assert '<li value="1">' in lists


def choose(page, key, value):
    page.session_state[key] = value
    return words(look(page))


def matrix_titles(said):
    """Titles of the columns of the matrix of claims."""
    head = re.search(r'cspca-claims-head"><span>The paper says</span>(.*?)</div>', said)[1]
    return re.findall(r"<span>(.*?)</span>", head)


def summary_of(said, claim):
    """The summary of a claim's row in the matrix, with its marks."""
    return re.search(rf"<summary><span>{re.escape(claim)} .*?</summary>", said)[0]


def entries(page, label):
    """A table as text: one list a line, the head first."""
    text = next(str(one.value) for one in page.html if f'aria-label="{label}' in str(one.value))
    lines = re.findall(r"<tr[^>]*>(.*?)</tr>", text)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in lines]
    return [[re.sub(r"<[^>]+>", " ", cell) for cell in line] for line in cells]


def refuse(monkeypatch, kind, wanted):
    """Let the cells of an experiment fail that are wanted."""
    whole = kind.compute

    def compute(self, cell, data, needed):
        if wanted(cell.parameters):
            raise ValueError("This one is refused.")
        return whole(self, cell, data, needed)

    monkeypatch.setattr(kind, "compute", compute)


@pytest.mark.parametrize("experiment", [FEW, GRID, FROM_TWO], ids=lambda one: one.kind)
def test_in_a_frame_and_on_a_projector_one_picture_stands_alone(shown, experiment, monkeypatch):
    page = shown(experiment)
    small = page.get("plotly_chart")[0].proto.spec
    monkeypatch.setattr(state, "bare", lambda: True)
    [alone] = look(page).get("plotly_chart")
    assert not page.header
    size = r'"tickfont":\{[^}]*"size":([\d.]+)'
    assert max(re.findall(size, alone.proto.spec), key=float) > max(
        re.findall(size, small), key=float
    )


# -- Compare ---------------------------------------------------------------------------------------


def test_metric_masks_and_methods_that_select_the_same(shown):
    page = shown(replace(FEW, n_seeds=10, methods=("all", "laplacian", "spec"), grids={
        "spec": [{"function": "phi2"}]}))  # fmt: skip
    said = words(page)
    assert "cspca-best" in said
    # A column is explained with the numbers of what is shown.
    [chance] = re.findall(r"<summary>(?:(?!</summary>).)*Chance.*?</details>", said)
    assert "<b>13.1 %</b>" in chance
    assert "1,797 images dealt out at random" in chance
    assert "Laplacian Score and SPEC select the same pixels" in said
    assert "SPEC’s φ₂ is the Laplacian Score" in said
    assert len(page.get("plotly_chart")) == 4
    # The lines of Python ask for what is shown.
    assert "phi2" in page.code[0].value
    assert entries(page, METRICS["accuracy"].title)[0][1] == "ACC (%)"
    said = choose(page, "compare_metric", "nmi")
    assert entries(page, METRICS["nmi"].title)[0][1] == "NMI (%)"
    # It opens on no fewer pixels than clusters, by which all images would hardly differ.
    assert "20 of 64" in said
    assert "20 of 64" not in choose(page, "compare_k", 4)
    choose(page, "compare_k", 20)
    # Intervals over starts or over samples, and what each of them means.
    assert "vs all features" in entries(page, METRICS["nmi"].title)[0]
    assert "are drawn again with replacement" in words(page)
    choose(page, "compare_over", "images")
    head, *lines = entries(page, METRICS["nmi"].title)
    assert head[2:4] == ["Over images", "vs all features, over images"]
    assert re.fullmatch(r"[\d.]+ to [\d.]+", lines[0][2])
    assert re.fullmatch(r"[−+]?[\d.]+ to [−+]?[\d.]+", lines[1][3])


def test_what_is_asked_of_labels_and_costs_accuracy_is_said(arrive):
    page = arrive("compare", data="digits")
    assert "ACC maps every cluster to one class at most" in choose(
        page, fields.key(Compare, "n_clusters"), 7
    )
    said = choose(page, fields.key(Compare, "tune"), True)
    assert "The best of the grid is chosen by the labels, as in the paper" in said
    assert re.search(r"[1-9]\d\d rankings, [\d,]+ clusterings and [\d,]+ measurements", said)
    assert page.segmented_control(key="compare_spec_function").options == ["φ₁", "φ₂", "φ₃"]
    numbers = page.text_input(key=fields.key(Compare, "n_features"))
    assert numbers.value == "5, 10, 20, 32"
    page.button(key="compare_papers").click()
    assert look(page).text_input(key=numbers.key).value == "31, 38, 44, 50, 56, 62"


def test_the_record_stands_in_for_a_run_and_beside_one(arrive, shown, monkeypatch):
    monkeypatch.setattr(experiment_page, "record", record)
    (path,) = record.paths("compare", load("digits").sha256)
    page = arrive("compare", data="digits")
    (caption,) = (one for one in page.caption if one.value.startswith("Reference run: "))
    said = f"{caption.value} {caption.help}"
    assert said == plain(record.read(path).note)
    # What nobody reads twice is a pointer away: two lines at most stand in the way.
    assert len(caption.value) < 200
    whole = len(entries(page, METRICS["accuracy"].title))
    page = shown(FEW)
    assert "Reference run: computed on" not in words(page)
    few = len(entries(page, METRICS["accuracy"].title))
    assert "Reference run: computed on" in choose(page, "compare_whose", "record")
    assert few < len(entries(page, METRICS["accuracy"].title)) == whole


@pytest.mark.parametrize(
    ("experiment", "wanted"),
    [(FEW, lambda of: of.get("method") == "laplacian"), (GRID, lambda of: of.get("alpha") == 0.2)],
    ids=["a method", "a point"],
)
def test_what_fails_is_one_sentence_and_the_others_stay(shown, monkeypatch, experiment, wanted):
    refuse(monkeypatch, type(experiment), wanted)
    page = shown(experiment)
    (warning,) = page.warning
    assert "This one is refused." in warning.value
    assert "could not be computed" in bars(page)[0]
    assert page.get("plotly_chart")


def test_cspca_is_compared_at_the_penalties_of_explore_and_the_default_is_said(arrive):
    page = arrive("compare", data="digits", alpha="0.2", beta="0.05")
    switch = page.segmented_control(key=fields.key(Compare, "own"))
    assert "Default: α and β are 0.1 and 0.01 of their maxima." in switch.help
    choose(page, fields.key(Compare, "own"), "0.2, 0.05")
    page.button(key="compare_run").click()
    look(page)
    (run,) = runs().store.runs()
    assert run.settings["own"] == [0.2, 0.05]


def test_what_takes_long_or_looks_at_some_images_only_is_said_before_it_starts(arrive):
    page = arrive("compare", data="faces")
    assert "alone takes" not in words(page)
    page.button(key="compare_all_methods").click()
    look(page)
    said = choose(page, fields.key(Compare, "methods"), ["all", "u2fs", "sogfs"])
    assert "SOGFS alone takes about 20 s of computing." in said
    assert "evenly taken" not in said
    many = SimpleNamespace(n_samples=9298, n_features=256, nouns=load("faces").nouns)
    (said,) = costly(["all", "u2fs"], many, 10)
    assert said == (
        "U²FS holds all pairs of images, so it looks at 3,000 of the 9,298, evenly taken."
    )


def bring(page, **files):
    """Upload files to Compare by the stems of their names."""
    rounds = page.session_state["upload_round"]
    place = page.file_uploader(key=f"upload_scores{f'_{rounds}' if rounds else ''}")
    place.set_value([(f"{name}.csv", one, "text/csv") for name, one in files.items()])
    return words(look(page))


def test_a_ranking_that_is_brought_is_compared_kept_and_left_out(arrive):
    digits = load("digits")
    column = "\n".join(map(str, digits.data.var(axis=0))).encode()
    # Nothing is brought by an address, foreign code least of all.
    page = arrive("compare", data="digits", scores='{"x": [1]}', selector="os:getcwd")
    assert page.session_state[fields.key(Compare, "scores")] is None
    said = bring(page, bad=column.replace(b"\n", b"\nnan\n", 1))
    assert plain("bad.csv has 65 scores for 64 pixels and no names of them.") in said
    said = bring(page, mine=column)
    assert "bad.csv" not in said
    assert plain("Yours: mine. One row a pixel, in the order of the pixels: large is good.") in said
    assert page.button(key="compare_without_0").label == "Yours: mine"
    bring(page, other=column)
    few = {"n_features": "4", "n_seeds": 3, "n_draws": 5, "methods": ["all"]}
    for key, value in few.items():
        choose(page, fields.key(Compare, key), value)
    page.button(key="compare_run").click()
    look(page)
    until(page, lambda: runs().store.runs()[0].complete)
    said = words(look(page))
    lines = {line[0]: line for line in entries(page, METRICS["accuracy"].title)}
    assert re.fullmatch(r"\d+ of 5(, \d+ equal)?", lines["Yours: mine"][3])
    assert "Yours: other" in lines
    assert "Whether what made yours saw labels is not known here." in said
    assert 'read_scores("compare-scores-1-mine.csv", d)' in page.code[0].value
    (run,) = runs().store.runs()
    # Whoever opens the run has them: they are part of what was asked.
    other = arrive("compare", data="digits", **{"run-compare": run.view_id})
    assert "Yours: mine" in words(other)
    assert other.session_state[fields.key(Compare, "scores")].keys() == {"mine", "other"}
    page.button(key="compare_without_1").click()
    assert "The settings have changed since" in words(look(page))
    # Other data have other pixels.
    page.query_params["data"] = "faces"
    assert "Yours: mine" not in words(look(page))


def test_a_run_and_a_ranking_stay_where_the_visitor_goes_on_at_once(arrive, monkeypatch):
    page = arrive("compare", data="digits", methods="all", n_features="4", n_seeds="3")
    with monkeypatch.context() as hurry:
        # The next request ends a callback that waits.
        hurry.setattr(JobRegistry, "join", lambda *arguments, **options: st.stop())
        page.button(key="compare_run").click().run()
        place = page.file_uploader(key="upload_scores")
        column = "\n".join(map(str, load("digits").data.var(axis=0))).encode()
        place.set_value([("mine.csv", column, "text/csv")]).run()
    (run,) = runs().store.runs()
    until(look(page), lambda: "Yours: mine" in words(page))
    assert page.session_state["shown_runs"]["compare", "digits"] == run.view_id


def test_a_ranking_that_may_be_read_in_several_ways_is_asked_about(arrive):
    variance = load("digits").data.var(axis=0)
    rows = [f"{j},{value},{value / 2 + j % 3}" for j, value in enumerate(variance)]
    page = arrive("compare", data="digits")
    said = bring(page, mine="\n".join(["pixel,%IncMSE,IncNodePurity", *rows]).encode())
    problem = "mine.csv has 2 columns that may be the score: %IncMSE and IncNodePurity."
    assert plain(problem) in said
    assert page.session_state[fields.key(Compare, "scores")] is None
    (box,) = (box for box in page.selectbox if box.key == "compare_answer_0")
    assert box.options == ["%IncMSE", "IncNodePurity"]
    box.set_value(0)
    said = words(look(page))
    assert plain(problem) not in said
    understood = "By number, counted from 0: large is good in %IncMSE; IncNodePurity was left out."
    assert plain(f"Yours: mine. {understood}") in said
    scores = page.session_state[fields.key(Compare, "scores")]
    assert scores == {"mine": variance.tolist()}
    # What is left out is asked no more.
    bring(page, other="\n".join(["pixel,coef", *(f"{j},{j - 9}" for j in range(64))]).encode())
    page.button(key="compare_undecided_0").click()
    said = words(look(page))
    assert "coef has values below 0" not in said
    assert page.session_state[fields.key(Compare, "scores")].keys() == {"mine"}


# -- Sensitivity -----------------------------------------------------------------------------------


def test_a_point_s_numbers_are_those_of_the_fit_and_open_in_explore(shown):
    page = shown(GRID)
    said = words(page)
    assert "Rests on labels" in said
    assert "Best of the grid" in said
    assert "Best of the grid" not in choose(page, "grid_measure", "rank")
    page.selectbox(key="grid_cell_alpha").set_value(0.2)
    said = words(look(page))
    model = CSPCA(alpha=0.2, beta=0.01, tol=GRID.tol).fit(load("digits").data)
    zeros = np.count_nonzero(model.feature_scores_ == 0)
    assert f"Exact zeros <b>{zeros}</b>" in said
    assert f"Rank <b>{model.rank_}</b>" in said
    assert f"Objective <b>{model.objective_:,.6g}</b>" in said
    assert f"{zeros} of 64 rows" in said
    page.button(key="open_cell_button").click()
    look(page)
    explore = look(page.switch_page(menu.script("explore")))
    assert explore.select_slider(key="fit_alpha").value == 0.2
    assert explore.select_slider(key="fit_beta").value == 0.01
    assert explore.select_slider(key="view_k").value == 20, "the visitor's own"


def test_absolute_penalties_open_as_they_are(shown):
    page = shown(replace(GRID, alphas=(100.0,), betas=(1.0,), penalty_scale="absolute"))
    model = CSPCA(alpha=100.0, beta=1.0, penalty_scale="absolute").fit(load("digits").data)
    assert f"{100 / model.alpha_max_:.3g} of α_max = {model.alpha_max_:.4g}" in words(page)
    page.button(key="open_cell_button").click()
    look(page)
    explore = look(page.switch_page(menu.script("explore")))
    assert explore.select_slider(key="fit_alpha").value == pytest.approx(100 / model.alpha_max_)
    alpha, beta = (one for one in explore.number_input if "in the formula" in one.label)
    assert (alpha.value, beta.value) == (pytest.approx(100), pytest.approx(1))
    beta.set_value(10.0)
    look(explore)
    # What a slow browser still says of the field as it was is nothing that was typed.
    shown = {one.label: one.key for one in explore.number_input}
    assert shown[beta.label] != beta.key
    assert shown[alpha.label] == alpha.key
    fit = explore.session_state["view_opened"].fit
    assert fit.beta * model.beta_max_ == pytest.approx(10)


# -- Convergence -----------------------------------------------------------------------------------


def test_the_headline_of_starts_speaks_of_the_one_that_is_chosen(shown):
    page = shown(FROM_TWO)
    headlines = {}
    for init in FROM_TWO.inits:
        choose(page, "convergence_curve_of", init)
        (headlines[init],) = [
            one.value for one in page.markdown if one.value.startswith("**After three iterations")
        ]
        assert f"from the start “{START_NAMES[init]}”" in headlines[init]
        assert not [one.value for one in page.markdown if one.value.startswith("- After")]
    said = choose(page, "convergence_curve_of", "all")
    assert "depending on which of two starts it is given" in said
    assert len(set(headlines.values())) == len(FROM_TWO.inits)


def test_the_table_of_starts_by_every_measure(shown):
    page = shown(FROM_TWO)
    assert re.search(r"After three iterations Algorithm 1 stands [\d.]+ % above", words(page))
    for name, title in {
        "above": "Distance from optimum", "objective": "Objective",
        "duality_gap": "Distance by own bound",
        "overlap": "Ranking", "accuracy_mean": "ACC (%)",
    }.items():  # fmt: skip
        choose(page, "convergence_measure", name)
        table = entries(page, f"Seven starts: {title}")
        assert table[0] == ["Start", "3 iterations", "6 iterations", "Certified solver"]
        # Starts that were not asked for have no line.
        assert [line[0] for line in table[1:]] == [
            "1 · Diagonal 0.5", "2 · Diagonal 1", "From start to start",
        ]  # fmt: skip
    # Each is explained, with the numbers of the last of them put in.
    assert len(re.findall(r'<details class="cspca-why">', words(page))) == 5
    assert re.search(r"6 iterations: [\d,.]+ / [\d,.]+ − 1 = [\d.]+ %\.", words(page))
    for axis in ("iteration", "seconds"):
        said = choose(page, "convergence_axis", axis)
        assert len(page.get("plotly_chart")) == 2
        assert ("Seconds are those of the iterations alone" in said) == (axis == "seconds")


@pytest.mark.parametrize(
    ("alpha", "warning"), [(1e6, "the optimum is W = 0"), (1e-4, "the optimum is W = I")]
)
def test_where_nothing_is_ranked_it_is_said(shown, alpha, warning):
    full = Dataset(np.random.default_rng(0).random((40, 12)), name="full")
    page = shown(Convergence(alpha=alpha, beta=alpha, checkpoints=(3,), n_seeds=0), full)
    assert any(warning in one.value for one in page.warning)


def test_the_papers_number_stands_beside_where_the_data_are_the_papers(shown):
    rng = np.random.default_rng(0)
    orl = Dataset(rng.random((400, 1024)), np.arange(400) // 10, (32, 32), name="ORL")
    # Fits of 1,024 pixels are slow, and only what the paper prints is looked at.
    page = shown(replace(FROM_TWO, solvers=("reweighted",), checkpoints=(1,)), orl)
    assert "The paper prints 71.3 % from each of its seven" in words(page)
    choose(page, "convergence_measure", "accuracy_mean")
    table = entries(page, "Seven starts")
    assert [line[1] for line in table[1:]] == ["71.3", "71.3", "0.0"]


# -- Paper -----------------------------------------------------------------------------------------


def test_a_page_without_a_run_opens_with_the_record_and_has_the_papers_own_numbers(arrive):
    # The data of a first visit have a record of their own, which stands first.
    first, *others = matrix_titles(words(arrive("paper", data="faces")))
    assert "faces" in first
    assert others == ["COIL20", "ORL", "USPS", "All"]
    page = arrive("paper", data="motion")
    said = words(page)
    assert matrix_titles(said) == others
    for one in record.recorded("paper"):
        assert (plain(one.note) in said) is (one.data.name not in ("digits", "faces"))
    assert all(said.count(f"<span>{claim.says} <small>") == 1 for claim in CLAIMS)
    counts = re.findall(r"</i> ([\w ]+) <b>(\d+)</b>", said)
    assert [name for name, _ in counts] == [verdict.value for verdict in Verdict]
    assert sum(int(count) for _, count in counts) == 3 * len(CLAIMS)
    assert "Ranks over" in said
    choose(page, "paper_view", "The paper")
    assert len(page.get("plotly_chart")) == 1
    said = choose(page, "paper_view", "Tables")
    assert re.search(r"71\.3 ± 1\.0</b><br><small>ours \d", said)
    assert re.search(r"<br>domainxz 48\.9.*<br>from k-means\+\+: FSEVAL 58\.3 ≈, ours 5", said)
    said = choose(page, "paper_view", "Data sets")
    assert all(one.title in said for one in PAPER_SETS.values())
    assert "The Data page fetches ORL" in said


def test_no_sentence_stands_on_the_claims_twice(arrive):
    """Evidence of several data sets differs in its names or numbers, or stands once for all."""
    (html,) = (one.value for one in arrive("paper", data="digits").html if "<details>" in one.value)
    paragraphs = Counter(re.findall(r"<p>(?:<b>.*?</b> )?(.*?)</p>", html))
    assert len(paragraphs) > 3 * len(CLAIMS)
    # Two claims rest on the fit at α = β = 1, which on USPS has no ranking.
    assert [text for text, count in paragraphs.items() if count > 1] == [
        "On USPS at α = β = 1 there is no ranking: W = I."
    ]
    # Each of the four data sets has its own sentence where it has its own numbers.
    udfs = html.split("UDFS is second")[1].split("</details>")[0]
    owners = re.findall(r"<b>(\w+)</b> On (\w+),", udfs)
    assert [owner for owner, _ in owners] == ["digits", "COIL20", "ORL", "USPS"]
    assert all(owner == named for owner, named in owners)


def test_the_claims_of_the_record_are_drawn_without_its_cells(arrive, monkeypatch):
    LEDGER.erase(PUBLIC)
    paper_page._recorded.clear()
    unpacked = []
    whole = Result.__init__

    def count(self, *values, **named):
        unpacked.append(self)
        whole(self, *values, **named)

    monkeypatch.setattr(Result, "__init__", count)
    page = arrive("paper", data="digits")
    assert "Ranks over 4 data sets" in words(page)
    assert "In plain words" in words(page)
    assert not unpacked
    # Figures are drawn of its own cells.
    choose(page, "paper_view", "Figures")
    assert 0 < len(unpacked) < 5 * len(record.recorded("paper-digits")[0].results)


def test_claims_tables_figures_and_starts_of_two_data_sets(shown):
    shown(TINY, blobs(60, 20, 3, seed=1))
    page = shown(TINY, BLOBS)
    said = words(page)
    # The small grid has too few pairs with a ranking to say which penalties are best.
    own, other, *recorded = matrix_titles(said)
    assert own == BLOBS.name
    assert recorded == ["COIL20", "ORL", "USPS", "All"]
    rows = re.findall(r"<summary><span>(.*?) <small>.*?</summary>", said)
    untested = [row for row in rows if f'"{own}: not tested here"' in summary_of(said, row)]
    assert untested == ["α and β are best when comparable"]
    assert f"By a shortened protocol: {own} and {other}." in said
    assert "In plain words" in said
    assert "<summary>Above another</summary>" in said
    assert "Ranks over 5 data sets" in said
    said = choose(page, "paper_view", "Tables")
    assert "<summary>Best of grid</summary>" in said
    assert "All six data sets of the paper" in said
    assert len(entries(page, "ACC, the paper’s and ours")) == 8
    choose(page, "paper_metric", "nmi")
    assert len(entries(page, "NMI, the paper’s and ours")) == 8
    choose(page, "paper_view", "Figures")
    assert len(page.get("plotly_chart")) == 3
    choose(page, "paper_look", "Bars")
    assert len(page.get("plotly_chart")) == 3
    choose(page, "paper_view", "Starts")
    assert "Random" in str(entries(page, "From every start"))


def test_it_goes_on_where_a_shell_stopped(shown):
    seen = []
    page = shown(
        replace(TINY, parts=("starts",)), BLOBS,
        should_stop=lambda: len(seen) > 4, on_progress=seen.append,
    )  # fmt: skip
    assert bars(page)[0].startswith("Stopped · ")
    page.button(key="paper_resume").click()
    look(page)
    (one,) = runs().store.runs()
    assert runs().join(one.id, 60)
    assert bars(look(page))[0].startswith("Done")


@pytest.mark.parametrize(
    ("name", "says", "status"),
    [
        ("motion", "stand in for HumanEVA", "a stand-in is in use"),
        ("ORL", "The paper’s ORL, by its name and its numbers", "in use"),
    ],
)
def test_the_papers_sets_are_recognised(arrive, name, says, status):
    key = name
    if name == "ORL":
        like = make_faces(n_people=40, n_per_person=10, image_size=32, random_state=0)
        key = services().library.add(replace(like, name="ORL", truth=None))
    page = arrive("paper", data=key)
    assert says in words(page)
    assert status in choose(page, "paper_view", "Data sets")


def test_data_without_classes_cannot_be_run(arrive):
    page = arrive("paper", data=services().library.add(replace(BLOBS, target=None)))
    assert page.button(key="paper_run").disabled
    assert "has no classes, and the paper's tables need them" in words(page)
