"""The Sensitivity page by its widgets: empty, running, finished, unlabelled, and refused."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import Recipe, load, make_faces
from cspca.runs.sensitivity_export import sensitivity_csv, sensitivity_lines
from cspca.runs.store import HOME_VARIABLE, RunState
from cspca.runs.sweeps import Sweep, fit_sweep, sensitivity_of, sweep_of
from cspca.runs.sweeps.kinds import ranked_by
from cspca.ui import keys, scale
from cspca.ui.sensitivity_page import request as requests
from cspca.ui.sensitivity_page.cell import explore_at
from cspca.ui.sensitivity_page.figure import clicked
from cspca.ui.sensitivity_page.live import OTHER, OTHER_KIND
from cspca.ui.sensitivity_page.reading import Limits
from cspca.ui.services import services, sweeps
from cspca.ui.takeaway import take_away
from tests.app.conftest import look, words
from tests.runs.pages import read

SMALL = (0.01, 0.2, 0.8)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch, server):
    """A store that nobody else uses, and a grid of nine points."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "store"))
    monkeypatch.setitem(requests.GRIDS, "relative", SMALL)
    monkeypatch.setitem(requests.GRIDS, "absolute", (1e-2, 1.0, 100.0))
    sweeps.clear()
    yield tmp_path / "store"
    restart()


def restart():
    """What a restart of the server leaves: the store, and nothing else."""
    sweeps().close()
    sweeps().store.close()
    sweeps.clear()


def run_of(page):
    return page.session_state[keys.GRID_RUNS][page.session_state[keys.DATA]]


def press(page, key=keys.GRID_RUN):
    page.button(key=key).click()
    return look(page)


def finished(page, seconds=60.0):
    assert sweeps().join(run_of(page), seconds)
    return look(page)


def quick(page, seeds=2):
    page.number_input(key=keys.GRID_SEEDS).set_value(seeds)
    return look(page)


def bars(page):
    return [element.proto.text for element in page.get("progress")]


def test_an_empty_page_says_what_to_do_and_makes_no_store(arrive, home):
    page = arrive("sensitivity", data="digits")
    assert page.title[0].value == "Where do α and β matter?"
    said = words(page)
    assert "Press **Run the grid**" in said
    assert "9 fits and 90 clusterings" in said
    assert page.number_input(key=keys.GRID_K).value == 32
    assert keys.Q_RUN not in page.query_params
    assert not any(home.glob("runs.*"))


def test_a_finished_grid_shows_its_numbers_and_what_they_rest_on(arrive):
    page = finished(press(quick(arrive("sensitivity", data="digits"))))
    assert "Done · 27 of 27 fits and clusterings" in bars(page)[0]
    assert page.query_params[keys.Q_RUN] == run_of(page)
    said = words(page)
    assert "Rests on labels" in said
    assert "**Best of the grid**" in said
    assert "honest figure chooses α and β on other runs" in said
    assert len(page.get("plotly_chart")) == 1
    page.segmented_control(key=keys.GRID_MEASURE).set_value("rank")
    said = words(look(page))
    assert "Needs no labels" in said
    assert "Best of the grid" not in said
    page.segmented_control(key=keys.GRID_LOOK).set_value("bars")
    look(page)
    assert len(page.get("plotly_chart")) == 1


def test_a_grid_can_be_taken_away(arrive, monkeypatch):
    offered = []

    def remember(of, files, **more):
        offered[:] = files
        take_away(of, files, **more)

    monkeypatch.setattr("cspca.ui.sensitivity_page.takeaway.take_away", remember)
    page = finished(press(quick(arrive("sensitivity", data="digits"))))
    assert [file.label for file in offered] == ["Report", "Grid, CSV", "ACC, LaTeX", "Arrays, NPZ"]
    assert not any(button.disabled for button in page.get("download_button"))
    store, run = sweeps().store, run_of(page)
    source = sensitivity_lines(sweep_of(store, run), Recipe("load", ("digits",)))
    assert page.code[0].value == source
    report = read(offered[0].make())
    assert f"{sensitivity_of(store, run).fits['objective'][0, 0]:.6g}" in report.text
    assert "Seeds 0, 1" in report.text
    page.segmented_control(key=keys.GRID_MEASURE).set_value("rank")
    look(page)
    assert offered[2].label == "Rank, LaTeX"
    assert "rank." in offered[2].make()


def test_the_numbers_of_a_cell_are_those_of_the_fit(arrive):
    page = finished(press(quick(arrive("sensitivity", data="digits"))))
    page.selectbox(key=keys.GRID_ALPHA).set_value(0.2)
    look(page)
    page.selectbox(key=keys.GRID_BETA).set_value(0.01)
    said = words(look(page))
    model = CSPCA(alpha=0.2, beta=0.01, tol=1e-3).fit(load("digits").data)
    zeros = np.count_nonzero(model.feature_scores_ == 0)
    assert f"exactly zero <b>{zeros} of 64 pixels</b>" in said
    assert f"rank <b>{model.rank_}</b>" in said
    assert f"objective <b>{model.objective_:.6g}</b>" in said


def test_the_csv_is_the_grid(arrive):
    page = finished(press(quick(arrive("sensitivity", data="digits"))))
    run = sweeps().view(run_of(page))
    rows = list(csv.DictReader(io.StringIO(sensitivity_csv(grid_of_run(run)))))
    grid = sensitivity_of(sweeps().store, run.run.id)
    assert len(rows) == 9
    for row in rows:
        at = grid.alphas.index(float(row["alpha"])), grid.betas.index(float(row["beta"]))
        assert float(row["accuracy_mean"]) == grid.means["accuracy"][at]
        assert float(row["nmi_std"]) == grid.stds["nmi"][at]
        assert float(row["rank"]) == grid.fits["rank"][at]
        assert row["regime"] == grid.regimes[at[0]][at[1]]


def grid_of_run(run):
    return sensitivity_of(sweeps().store, run.run.id)


def test_stop_keeps_what_is_done_and_go_on_computes_the_rest(arrive, halted):
    there, let_go = halted
    page = press(quick(arrive("sensitivity", data="digits")))
    assert there.wait(30)
    look(page)
    assert "Computing · " in bars(page)[0]
    page.button(key=keys.GRID_STOP).click()
    let_go.set()
    look(page)
    finished(page)
    view = sweeps().view(run_of(page))
    assert view.run.state is RunState.STOPPED
    done = view.run.n_done
    assert 0 < done < 27
    assert f"Stopped · {done} of 27" in bars(page)[0]
    press(page, keys.GRID_RESUME)
    finished(page)
    assert "Done · 27 of 27" in bars(page)[0]
    commits = [cell.commits for cell in sweeps().store.cells(run_of(page))]
    assert commits == [1] * 27


def test_a_run_is_found_and_gone_on_with_after_a_restart(arrive, halted):
    there, let_go = halted
    page = press(quick(arrive("sensitivity", data="digits")))
    assert there.wait(30)
    run_id = run_of(page)
    sweeps().stop(run_id)
    let_go.set()
    assert sweeps().join(run_id, 30)
    restart()
    page = arrive("sensitivity", data="digits", run=run_id)
    assert "Stopped · " in bars(page)[0]
    assert page.number_input(key=keys.GRID_SEEDS).value == 2
    press(page, keys.GRID_RESUME)
    finished(page)
    assert run_of(page) == run_id
    assert "Done · 27 of 27" in bars(page)[0]


def test_what_is_known_is_not_computed_again(arrive):
    first = finished(press(quick(arrive("sensitivity", data="digits"))))
    second = finished(press(quick(arrive("sensitivity", data="digits"))))
    assert run_of(second) != run_of(first)
    assert {cell.commits for cell in sweeps().store.cells(run_of(second))} == {0}


def test_a_cell_opens_in_explore_at_its_penalties(arrive):
    page = finished(press(quick(arrive("sensitivity", data="digits"))))
    page.selectbox(key=keys.GRID_ALPHA).set_value(0.2)
    look(page)
    page.selectbox(key=keys.GRID_BETA).set_value(0.01)
    look(page)
    press(page, keys.GRID_OPEN)
    explore = page.switch_page("pages/explore.py")
    look(explore)
    assert explore.select_slider(key=keys.ALPHA).value == 0.2
    assert explore.select_slider(key=keys.BETA).value == 0.01
    assert explore.query_params[keys.Q_ALPHA] == "0.2"


def test_absolute_penalties_open_at_the_nearest_stops_and_say_so(arrive):
    page = quick(arrive("sensitivity", data="digits"))
    page.segmented_control(key=keys.GRID_SCALE).set_value("absolute")
    page = finished(press(look(page)))
    page.selectbox(key=keys.GRID_ALPHA).set_value(100.0)
    look(page)
    model = CSPCA(alpha=100.0, beta=1.0, penalty_scale="absolute").fit(load("digits").data)
    said = words(page)
    assert f"{100 / model.alpha_max_:.3g} of α_max = {model.alpha_max_:.4g}" in said
    grid = sensitivity_of(sweeps().store, run_of(page))
    at = explore_at(grid, (2, 1), Limits(model.alpha_max_, model.beta_max_))
    assert at == (scale.snap(100 / model.alpha_max_), scale.snap(1 / model.beta_max_))


@pytest.mark.parametrize("value", requests.FRACTIONS)
def test_fractions_are_stops_of_explore(value):
    assert value in scale.PENALTIES


def test_without_labels_the_fits_speak_for_themselves(arrive):
    faces = make_faces(n_people=3, n_per_person=4, image_size=8, random_state=1)
    key = services().library.add(replace(faces, target=None, target_names=None, truth=None))
    page = arrive("sensitivity", data=key)
    said = words(page)
    assert "ACC and NMI need them" in said
    assert "9 fits;" in said
    assert not page.number_input
    page = finished(press(page))
    assert "Done · 9 of 9" in bars(page)[0]
    options = page.segmented_control(key=keys.GRID_MEASURE).options
    assert options == ["Gap", "Rank", "Exact zeros", "Objective"]
    said = words(page)
    assert "ACC <b>" not in said
    assert "rank <b>" in said


def test_a_link_to_a_run_that_is_not_there_says_so(arrive):
    page = arrive("sensitivity", data="digits", run="nobody")
    assert "There is no run of this id" in words(page)
    assert keys.Q_RUN not in page.query_params


def test_a_link_to_a_run_of_other_data_or_another_kind_says_so(arrive):
    run_id = sweeps().start("digits", requests.GridRequest("relative", None, 0).sweep)
    assert sweeps().join(run_id, 60)
    assert OTHER in words(arrive("sensitivity", data="faces", run=run_id))
    fit = sweeps().start("digits", lambda data: fit_sweep(0.4, 0.1))
    assert sweeps().join(fit, 60)
    assert OTHER_KIND in words(arrive("sensitivity", data="digits", run=fit))


def test_a_store_that_cannot_be_written_is_one_sentence(arrive, home):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file, where a folder is wanted")
    page = press(quick(arrive("sensitivity", data="digits")))
    assert len(page.error) == 1
    assert "The store in" in page.error[0].value
    home.unlink()
    page = finished(press(page))
    assert "Done · 27 of 27" in bars(page)[0]


def test_a_point_that_fails_is_said_and_the_others_stay(arrive, monkeypatch):
    from cspca.runs.sweeps import work

    whole = work._path

    def refuse(task, *rest):
        if dict(ranked_by(task.keys[0])[1])["alpha"] == 0.8:
            raise ValueError("this point is refused.")
        return whole(task, *rest)

    monkeypatch.setattr(work, "_path", refuse)
    page = finished(press(quick(arrive("sensitivity", data="digits"))))
    assert "9 could not be computed" in bars(page)[0]
    assert any("this point is refused" in warning.value for warning in page.warning)
    assert "18 of 27" in bars(page)[0]


def test_a_click_names_a_cell_and_an_empty_selection_none():
    point = {"customdata": [1, 2, 0.2, 0.8]}
    assert clicked({"selection": {"points": [point]}}) == (1, 2)
    assert clicked({"selection": {"points": []}}) is None
    assert clicked(None) is None


def test_a_request_survives_the_store():
    digits = load("digits")
    asked = requests.GridRequest("relative", 12, 3)
    sweep = asked.sweep(digits)
    assert requests.request_of(Sweep.from_record(sweep.to_record())) == asked
