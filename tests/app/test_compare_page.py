"""The Compare page by its widgets: empty, running, finished, unlabelled, and what is refused."""

from __future__ import annotations

import csv
import io
import re
import threading

import numpy as np
import pytest

from cspca.datasets import Dataset, Recipe, load, make_faces
from cspca.evaluation.former import compare, make_plan
from cspca.experiments.jobs import JobState
from cspca.runs import kept_comparisons
from cspca.runs.comparison_export import comparison_lines
from cspca.runs.comparison_records import ComparisonRequest
from cspca.runs.comparisons import CellMemory
from cspca.runs.store import Store
from cspca.runs.sweeps import CLUSTER, comparison_sweep, run_sweep, start_sweep
from cspca.ui import keys
from cspca.ui.compare_page import settings
from cspca.ui.compare_page.live import GONE, OTHER, time_left
from cspca.ui.compare_page.masks import twins
from cspca.ui.services import services, sweeps
from tests.app.conftest import look, until, words

FEW = ["all", "variance", "laplacian"]


def job_of(page):
    return page.session_state[keys.COMPARE_JOBS][page.session_state[keys.DATA]]


def progress(page):
    return services().comparisons.progress(job_of(page), page.session_state[keys.DATA])


def snapshot(page):
    return progress(page).snapshot


def quick(page, methods=FEW, counts="5, 20", seeds=4):
    """Few methods, numbers and repetitions."""
    page.session_state[keys.COMPARE_METHODS] = list(methods)
    page.text_input(key=keys.COMPARE_COUNTS).set_value(counts)
    page.number_input(key=keys.COMPARE_SEEDS).set_value(seeds)
    return look(page)


def press(page):
    page.button(key=keys.COMPARE_RUN).click()
    return look(page)


def finished(page, seconds=60.0):
    assert services().comparisons.join(job_of(page), seconds)
    return look(page)


def brought(arrive, dataset):
    """A visitor with a set of their own on the Compare page."""
    return arrive("compare", data=services().library.add(dataset))


def errors(page):
    return [error.value for error in page.error]


@pytest.fixture(params=["kept", "in memory"])
def halted(server, request, monkeypatch):
    """A comparison halts before it shows its third group, until it is let go."""

    class Halt:
        groups = 0
        there, let_go = threading.Event(), threading.Event()

        def come(self):
            self.groups += 1
            if self.groups == 3:
                self.there.set()
                assert self.let_go.wait(30)

    halt = Halt()

    class Halting(CellMemory):
        def put(self, content, plan, group):
            halt.come()
            super().put(content, plan, group)

    if request.param == "kept":
        take = kept_comparisons._Taken.take

        def taken(self, outcome):
            if outcome.task.step == CLUSTER:
                halt.come()
            take(self, outcome)

        monkeypatch.setattr(kept_comparisons._Taken, "take", taken)
    else:
        services().comparisons._kept = None
        services().comparisons._cells = Halting()
    yield halt
    halt.let_go.set()


# -- before ----------------------------------------------------------------------------------------


def test_an_empty_page_says_what_to_do_and_what_it_takes(arrive):
    page = arrive("compare")
    assert page.title[0].value == "Which method picks the best pixels?"
    text = words(page)
    assert "Press **Compare**" in text
    assert "7 rankings and 930 clusterings" in text
    assert "read from the labels: 20 classes" in text
    assert page.session_state[keys.COMPARE_METHODS][-1] == "cspca"
    assert len(page.session_state[keys.COMPARE_METHODS]) == 7
    assert not page.button(key=keys.COMPARE_RUN).disabled
    assert keys.Q_COMPARE not in page.query_params


def test_the_paper_s_grid_is_counted_and_said_to_be_chosen_by_labels(arrive):
    page = arrive("compare", data="digits")
    page.segmented_control(key=keys.COMPARE_GRID).set_value(True)
    look(page)
    assert "chosen by the labels" in words(page)
    assert "103 rankings" in words(page)  # five without parameters, two with 49
    assert f"{30 * (1 + 5 * (4 + 98)):,} clusterings" in words(page)


@pytest.mark.parametrize(
    ("n", "d", "c", "counts"),
    [
        (400, 1024, 40, (500, 600, 700, 800, 900, 1000)),  # ORL
        (9298, 256, 10, (120, 140, 160, 180, 200, 220, 240)),  # USPS
        (400, 1024, 20, (100, 300, 500, 700, 900)),
        (50, 64, 5, (6, 19, 32, 45, 58)),
        (50, 3, 5, (1, 2, 3)),
        (50, 1, 5, (1,)),
    ],
)
def test_numbers_of_features_to_begin_with(n, d, c, counts):
    dataset = Dataset(np.zeros((n, d), dtype=np.float32), np.arange(n) % c)
    assert settings.usual_counts(dataset) == counts


# -- running and finished --------------------------------------------------------------------------


def test_a_finished_comparison_shows_every_figure(arrive):
    page = finished(press(quick(arrive("compare", data="digits"))))
    assert progress(page).job.state is JobState.DONE
    text = words(page)
    for row in snapshot(page).comparison.table("accuracy"):
        assert f"{100 * row.honest.mean:.1f} ± {100 * row.honest.std:.1f}" in text
        assert f"{100 * row.best.mean:.1f} ± {100 * row.best.std:.1f}" in text
        if row.difference is not None:
            assert f"{100 * row.difference.difference:+.1f}".replace("-", "−") in text
    assert "the baseline" in text
    assert "<b>best</b>" in text
    for heading in ("How far are they apart?", "Do they agree?", "What does it cost?"):
        assert heading in text
    assert len(page.get("plotly_chart")) == 4
    assert all(chart.proto.alt for chart in page.get("plotly_chart"))
    masks = next(html.value for html in page.html if "cspca-masks" in html.value)
    assert masks.count("<img") == 3  # the original, and two methods that select
    assert masks.count('alt="') == 3
    assert page.query_params[keys.Q_COMPARE] == job_of(page)


def test_the_metric_and_the_number_of_masks_can_be_switched(arrive):
    page = finished(press(quick(arrive("compare", data="digits"))))
    page.segmented_control(key=keys.COMPARE_METRIC).set_value("nmi")
    page.segmented_control(key=keys.COMPARE_K).set_value(20)
    look(page)
    row = snapshot(page).comparison.table("nmi")[1]
    assert f"{100 * row.honest.mean:.1f} ± {100 * row.honest.std:.1f}" in words(page)
    assert "20 of 64 pixels are kept" in words(page)


def test_what_rests_on_labels_and_how_sure_it_is_is_said(arrive):
    page = finished(press(quick(arrive("compare", data="digits"))))
    for row in snapshot(page).comparison.table("accuracy"):
        blind = row.label_free
        figure = f"{100 * blind.mean:.1f} ± {100 * blind.std:.1f}"
        at = f"{figure} <small>at {row.label_free_choice.n_features}</small>"
        assert at in words(page)
    text = words(page)
    assert "chosen by the best mean silhouette, as one must who has no labels" in text
    assert "In both the labels choose." in text
    assert "not corrected for the number of methods" in text
    assert "from 4 runs are rough" in text
    assert "Jaccard overlap of the best 5 pixels" in text
    page.segmented_control(key=keys.COMPARE_METRIC).set_value("silhouette")
    look(page)
    assert "nearer an image is" in words(page)
    assert "as one must who has no labels" not in words(page)


def test_masks_begin_where_methods_differ(arrive):
    page = finished(press(quick(arrive("compare", data="digits"), counts="2, 64")))
    assert page.segmented_control(key=keys.COMPARE_K).value == 2


def test_a_tuned_comparison_tells_best_of_grid_from_the_honest_figure(arrive):
    page = arrive("compare", data="digits")
    page.segmented_control(key=keys.COMPARE_GRID).set_value(True)
    finished(press(quick(page, ["all", "sparse-pca"], "20")))
    text = words(page)
    assert "best of grid, not the honest figure" in text
    assert "with the parameters of its best ACC at this number of pixels" in text
    assert "the number of pixels and the parameters chosen on one half" in text


def test_while_it_runs_the_table_keeps_a_line_for_what_is_to_come(arrive, halted, monkeypatch):
    monkeypatch.setattr("cspca.runs.comparison_course.GATHER", 1000.0)  # whole methods only
    page = press(quick(arrive("compare", data="digits")))
    assert halted.there.wait(30)
    look(page)
    assert progress(page).active
    text = words(page)
    assert re.search(r"Max variance</th><td colspan=.6.>at work …", text)
    assert re.search(r"Laplacian Score</th><td colspan=.6.>still to come", text)
    assert "All features</th><td>" in text
    assert page.button(key=keys.COMPARE_STOP)
    with pytest.raises(KeyError):
        page.button(key=keys.COMPARE_RUN)


def test_a_line_of_which_a_part_is_there_says_so(arrive, halted, monkeypatch):
    monkeypatch.setattr("cspca.runs.comparison_course.GATHER", 0.0)
    page = press(quick(arrive("compare", data="digits"), counts="5, 20, 40"))
    assert halted.there.wait(30)
    # Of all features there is one choice; of the variance's three the first is there.
    until(page, lambda: "<td>1 <small>of 3</small></td>" in words(page))
    assert "the line will change when the rest is computed" in words(page)
    halted.let_go.set()
    finished(page)
    assert "<small>of 3</small>" not in words(page)
    assert "the line will change" not in words(page)


def test_stop_keeps_what_is_done_and_go_on_does_the_rest(arrive, halted):
    page = press(quick(arrive("compare", data="digits")))
    assert halted.there.wait(30)
    page.button(key=keys.COMPARE_STOP).click()
    look(page)
    assert page.button(key=keys.COMPARE_STOP).disabled
    assert "Stopping after this step" in page.button(key=keys.COMPARE_STOP).label
    halted.let_go.set()
    finished(page)
    stopped = progress(page)
    assert stopped.job.state is JobState.STOPPED
    assert stopped.snapshot.n_done == 3 * 4
    assert "cspca-best" in words(page)
    page.button(key=keys.COMPARE_RESUME).click()
    finished(look(page))
    assert progress(page).job.state is JobState.DONE
    assert snapshot(page).comparison.complete


def test_it_survives_other_pages_other_sets_and_a_reload(arrive):
    page = finished(press(quick(arrive("compare", data="digits"))))
    job = job_of(page)
    page.switch_page("pages/data.py")
    look(page)
    assert page.query_params[keys.Q_COMPARE] == job
    page.switch_page("pages/compare.py")
    look(page)
    assert job_of(page) == job
    assert len(page.get("plotly_chart")) == 4
    page.session_state[keys.DATA] = "faces"
    look(page)
    assert "Press **Compare**" in words(page)
    assert keys.Q_COMPARE not in page.query_params
    page.session_state[keys.DATA] = "digits"
    look(page)
    assert len(page.get("plotly_chart")) == 4
    assert page.text_input(key=keys.COMPARE_COUNTS).value == "5, 20"
    assert "settings have changed" not in words(page)
    again = arrive("compare", data="digits", compare=job)
    assert "cspca-best" in words(again)
    assert again.session_state[keys.COMPARE_METHODS] == FEW
    assert again.text_input(key=keys.COMPARE_COUNTS).value == "5, 20"
    assert again.number_input(key=keys.COMPARE_SEEDS).value == 4


def test_without_a_store_it_is_computed_in_memory_and_said(arrive, tmp_path):
    (tmp_path / "store").write_text("a file where the folder should be")
    page = finished(press(quick(arrive("compare", data="digits"))))
    (warning,) = [box.value for box in page.warning]
    assert warning.startswith("This comparison is only in this server’s memory. The store in ")
    assert "cspca-best" in words(page)
    assert snapshot(page).comparison.complete


def test_after_a_restart_the_link_shows_it_again(arrive):
    page = finished(press(quick(arrive("compare", data="digits"))))
    name = job_of(page)
    services().comparisons.close()
    services.clear()
    sweeps.clear()
    again = arrive("compare", data="digits", compare=name)
    assert "cspca-best" in words(again)
    assert len(again.get("plotly_chart")) == 4
    assert "settings have changed" not in words(again)
    assert again.session_state[keys.COMPARE_METHODS] == FEW
    assert services().comparisons.progress(name, "digits").computed > 0


def test_what_a_shell_asked_with_more_than_the_page_can_say_is_shown(arrive, tmp_path):
    digits = load("digits")
    plan = make_plan(
        digits.data, digits.target, ["all", "cspca"], [20], n_seeds=2,
        grids={"cspca": [{"alpha": 0.3, "beta": 0.1}]},
    )  # fmt: skip
    with Store(tmp_path / "store") as store:
        run_id = start_sweep(store, comparison_sweep(plan), digits)
        run_sweep(store, run_id, digits)
    page = arrive("compare", data="digits", compare=run_id)
    text = words(page)
    assert "with more than the settings of this page can say" in text
    assert "settings have changed" not in text
    assert "<b>best</b>" in text


def test_a_link_to_what_is_gone_says_so_and_begins_afresh(arrive):
    page = arrive("compare", data="digits", compare="no-such-comparison")
    assert GONE in words(page)
    assert not page.button(key=keys.COMPARE_RUN).disabled
    other = finished(press(quick(arrive("compare", data="digits"))))
    wrong = arrive("compare", data="faces", compare=job_of(other))
    assert OTHER in words(wrong)
    assert GONE not in words(wrong)


def test_changed_settings_are_said_to_be_newer_than_the_results(arrive):
    page = finished(press(quick(arrive("compare", data="digits"))))
    assert "settings have changed" not in words(page)
    page.number_input(key=keys.COMPARE_SEEDS).set_value(5)
    look(page)
    assert "settings have changed" in words(page)


def test_another_number_of_clusters_than_classes_is_said_to_cost_accuracy(arrive):
    page = arrive("compare", data="digits")
    page.number_input(key=keys.COMPARE_CLUSTERS).set_value(20)
    look(page)
    assert "10 classes. ACC maps every cluster to one class at most" in words(page)


def test_other_data_bring_their_own_numbers(arrive):
    page = arrive("compare", data="digits")
    assert page.number_input(key=keys.COMPARE_CLUSTERS).value == 10
    page.session_state[keys.DATA] = "faces"
    look(page)
    assert page.number_input(key=keys.COMPARE_CLUSTERS).value == 20
    assert page.text_input(key=keys.COMPARE_COUNTS).value == "100, 300, 500, 700, 900"


def test_methods_that_select_the_same_are_said_to(arrive):
    page = arrive("compare", data="digits")
    page.segmented_control(key=keys.COMPARE_SPEC).set_value("phi2")
    finished(press(quick(page, ["laplacian", "spec", "variance"])))
    text = words(page)
    assert "Laplacian Score and SPEC select the same pixels at every number here" in text
    assert "Choose All features as well to see differences" in text
    different = finished(press(quick(arrive("compare", data="digits"), ["laplacian", "spec"])))
    assert "select the same" not in words(different)


def test_a_method_that_cannot_decide_is_said_to(arrive):
    rng = np.random.default_rng(0)
    apart = rng.random((40, 6))  # independent columns: CSPCA keeps the identity
    page = finished(press(quick(brought(arrive, Dataset(apart)), ["variance", "cspca"], "2, 4")))
    sentence = "CSPCA scores its best 6 features all the same here"
    assert [sentence in box.value for box in page.info].count(True) == 1
    assert "CSPCA (its last ones tie with others)" in words(page)
    assert "Max variance (its last" not in words(page)
    decided = finished(press(quick(arrive("compare", data="digits"), ["variance", "cspca"])))
    assert "all the same here" not in words(decided)


def test_twins_are_not_claimed_where_everything_is_selected():
    X = load("digits").data[:60]
    whole = compare(X, None, ["variance", "laplacian"], 64, n_seeds=2, n_clusters=3)
    assert twins(whole, "silhouette") == []


# -- data that ask for other words -----------------------------------------------------------------


def small_faces():
    return make_faces(n_people=3, n_per_person=5, image_size=12, random_state=2)


def test_without_labels_other_measures_are_offered(arrive):
    faces = small_faces()
    page = brought(arrive, Dataset(faces.data, image_shape=(12, 12), name="mine"))
    assert "have no labels, and ACC and NMI need them" in words(page)
    assert "Without classes the number of clusters is yours to set" in words(page)
    finished(press(quick(page)))
    comparison = snapshot(page).comparison
    assert comparison.metrics == ("silhouette", "stability", "reconstruction_error")
    offered = page.segmented_control(key=keys.COMPARE_METRIC).options
    assert offered == ["Silhouette", "Stability", "Reconstruction error"]
    page.segmented_control(key=keys.COMPARE_METRIC).set_value("reconstruction_error")
    look(page)
    assert "less is better" in words(page)
    row = comparison.table("reconstruction_error")[1]
    assert f"{row.honest.mean:.3f} ± 0.000" in words(page)


def test_one_class_is_said_and_compared_without_labels(arrive):
    faces = small_faces()
    page = brought(arrive, Dataset(faces.data, np.zeros(15, dtype=int), name="one"))
    assert "All samples have the same label" in words(page)
    finished(press(quick(page)))
    assert "accuracy" not in snapshot(page).comparison.metrics
    assert "cspca-best" in words(page)


def test_fewer_images_than_clusters_is_one_sentence(arrive):
    page = brought(arrive, small_faces())
    page.number_input(key=keys.COMPARE_CLUSTERS).set_value(16)
    look(page)
    assert errors(page) == ["There are 15 images for 16 clusters: ask for at most 15."]
    assert page.button(key=keys.COMPARE_RUN).disabled
    lone = brought(arrive, Dataset(small_faces().data[:1], image_shape=(12, 12)))
    assert errors(lone) == ["There is 1 image for 2 clusters: bring more."]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("20, 200", "An image has 144 pixels, so 200 cannot be selected: ask for at most 144."),
        ("0, 20", "At least 1 pixel must be selected."),
        ("many", "Write whole numbers separated by commas, such as 10, 20, 50."),
        ("", "Write whole numbers separated by commas, such as 10, 20, 50."),
        ("-3", "Write whole numbers separated by commas, such as 10, 20, 50."),
    ],
)
def test_numbers_that_make_no_sense_are_one_sentence(arrive, text, sentence):
    page = brought(arrive, small_faces())
    page.text_input(key=keys.COMPARE_COUNTS).set_value(text)
    look(page)
    assert errors(page) == [sentence]
    assert page.button(key=keys.COMPARE_RUN).disabled


def test_no_method_is_one_sentence(arrive):
    page = brought(arrive, small_faces())
    page.session_state[keys.COMPARE_METHODS] = []
    look(page)
    assert errors(page) == ["No method is chosen: choose at least one."]
    assert page.button(key=keys.COMPARE_RUN).disabled


def test_a_method_that_fails_is_one_sentence_and_the_others_go_on(arrive):
    rng = np.random.default_rng(0)
    few = Dataset(rng.random((5, 9)), np.array([0, 0, 1, 1, 1]), name="five")
    page = finished(press(quick(brought(arrive, few), ["laplacian", "variance"], "3, 6")))
    (warning,) = [box.value for box in page.warning]
    assert warning.startswith("Laplacian Score failed: ")
    (bar,) = page.get("progress")
    assert "8 of 16 clusterings (8 given up: their methods failed)" in bar.proto.text
    assert "failed, see below" in words(page)
    assert "cspca-best" in words(page)


def test_methods_that_fail_for_the_same_reason_are_one_sentence(arrive):
    rng = np.random.default_rng(0)
    few = Dataset(rng.random((5, 9)), np.array([0, 0, 1, 1, 1]), name="five")
    methods = ["laplacian", "spec", "mcfs", "variance"]
    page = finished(press(quick(brought(arrive, few), methods, "3, 6")))
    (warning,) = [box.value for box in page.warning]
    assert warning.startswith("Laplacian Score, SPEC and MCFS failed: ")
    assert warning.endswith("bring more samples, or leave these methods out.")


def test_a_table_of_names_lists_them_as_they_are(arrive):
    rng = np.random.default_rng(0)
    names = ("<b>age</b>", *(f"f{i}" for i in range(8)))
    table = Dataset(
        np.c_[np.arange(20) % 2, 0.1 * rng.random((20, 8))], np.arange(20) % 2, feature_names=names
    )
    page = finished(press(quick(brought(arrive, table), ["all", "variance"], "2, 4")))
    assert page.title[0].value == "Which method picks the best features?"
    text = words(page)
    assert "&lt;b&gt;age&lt;/b&gt;" in text
    assert "<b>age" not in text


# -- to take away ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_",
    [
        ComparisonRequest("", ("all", "variance", "spec"), (10, 30), 4, 10),
        ComparisonRequest(
            "", ("mcfs", "spec"), (10,), 3, 8, init="k-means++", spec_function="phi2"
        ),
        ComparisonRequest("", ("variance",), (7,), 3, 5, labelled=False),
    ],
    ids=["usual", "other starts", "no labels"],
)
def test_the_lines_of_python_give_the_same_numbers(request_, capsys):
    code = comparison_lines(request_, Recipe("load", ("digits",)))
    names: dict = {}
    exec(code, names)
    digits = load("digits")
    target = digits.target if request_.labelled else None
    plan = request_.plan(digits)
    assert names["done"].plan.n_clusterings == plan.n_cells
    wanted = compare(
        digits.data, target, request_.methods, request_.n_features, n_seeds=request_.n_seeds,
        n_clusters=request_.n_clusters, init=request_.init, grids=request_.grids,
    )  # fmt: skip
    found = timeless(names["done"].cells_to_csv())
    wanted_cells = timeless(wanted.cells_to_csv())
    assert [{key: row[key] for key in wanted_cells[0]} for row in found] == wanted_cells
    assert timeless(capsys.readouterr().out) == timeless(wanted.to_csv())


def timeless(text):
    """A CSV without the columns that hold times."""
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows
    return [{k: v for k, v in row.items() if not k.endswith("seconds")} for row in rows]


def test_the_code_on_the_page_is_that_of_what_is_shown(arrive):
    page = finished(press(quick(arrive("compare", data="digits"))))
    assert page.code[0].value == comparison_lines(
        snapshot(page).request, Recipe("load", ("digits",))
    )
    assert len(page.get("download_button")) == 5
    assert not any(button.disabled for button in page.get("download_button"))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "a few seconds left"),
        (22, "about 20 s left"),
        (50, "about 1 min left"),
        (130, "about 2 min left"),
        (3600 + 22 * 60, "about 1 h 20 min left"),
        (2 * 3600, "about 2 h left"),
    ],
)
def test_a_time_to_go_is_said_as_coarsely_as_it_is_known(seconds, said):
    assert time_left(seconds) == said


def test_a_name_from_a_file_is_never_markup(arrive):
    page = brought(arrive, Dataset(small_faces().data, np.arange(15) % 3, name="*<i>x</i>*"))
    finished(press(quick(page)))
    assert "*<i>x</i>*" in [text.value for text in page.text]
    for kind in ("html", "markdown", "caption", "info", "warning"):
        assert not any("<i>x" in element.value for element in getattr(page, kind))
    assert not any("<i>x" in chart.proto.spec for chart in page.get("plotly_chart"))
