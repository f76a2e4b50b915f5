"""The Convergence page by its widgets: empty, running, finished, found again, and refused."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from cspca.datasets import load, make_faces
from cspca.runs.store import HOME_VARIABLE, RunState
from cspca.runs.sweeps import Sweep, fit_sweep, run_sweep, start_sweep, starts_of, starts_sweep
from cspca.ui import keys, visitor
from cspca.ui.services import services, sweeps
from cspca.ui.starts_page import request
from cspca.ui.starts_page.live import OTHER, OTHER_KIND
from tests.app.conftest import look, words

FACES = make_faces(n_people=4, n_per_person=4, image_size=8, random_state=1)
TOTAL = 7 * 3 + 7 * 3 * 2


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch, server):
    """A store that nobody else uses, and a look or two at Algorithm 1."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "store"))
    monkeypatch.setattr(request, "CHECKPOINTS", (3, 6))
    monkeypatch.setattr(request, "USUAL_SEEDS", 2)
    monkeypatch.setattr(visitor, "is_owner", lambda: True)
    sweeps.clear()
    yield tmp_path / "store"
    restart()


def restart():
    """What a restart of the server leaves: the store, and nothing else."""
    sweeps().close()
    sweeps().store.close()
    sweeps.clear()


@pytest.fixture
def faces(server):
    return services().library.add(FACES)


def run_of(page):
    return page.session_state[keys.STARTS_RUNS][page.session_state[keys.DATA]]


def press(page, key=keys.STARTS_RUN):
    page.button(key=key).click()
    return look(page)


def finished(page, seconds=60.0):
    assert sweeps().join(run_of(page), seconds)
    return look(page)


def bars(page):
    return [element.proto.text for element in page.get("progress")]


def show(page, measure):
    page.segmented_control(key=keys.STARTS_MEASURE).set_value(measure)
    return look(page)


def entries(page):
    """The table as text: one list a line."""
    html = next(str(one.value) for one in page.html if "Seven starts" in str(one.value))
    lines = re.findall(r"<tr[^>]*>(.*?)</tr>", html)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in lines]
    return [[re.sub(r"<[^>]+>", "", cell) for cell in line] for line in cells]


def test_an_empty_page_says_what_to_do_and_makes_no_store(arrive, home):
    page = arrive("convergence", data="digits")
    assert page.title[0].value == "Is ten iterations enough?"
    said = words(page)
    assert "Press **Run both solvers**" in said
    assert f"14 fits and {7 * 3 * 2} clusterings" in said
    assert (
        page.number_input(key=keys.STARTS_ALPHA).value,
        page.toggle(key=keys.STARTS_CENTER).value,
    ) == (1.0, False)
    assert keys.Q_STARTS not in page.query_params
    assert not home.exists()


def test_a_finished_run_shows_its_numbers_and_what_they_rest_on(arrive, faces):
    page = finished(press(arrive("convergence", data=faces)))
    assert f"Done · {TOTAL} of {TOTAL} fits and clusterings" in bars(page)[0]
    assert page.query_params[keys.Q_STARTS] == run_of(page)
    said = words(page)
    assert re.search(r"#### After 3 iterations Algorithm 1 stands [\d.]+ % above the proven", said)
    assert "From all seven starts the certified solver comes within" in said
    assert len(page.get("plotly_chart")) == 2
    rows = {(r.init, r.solver, r.iterations): r for r in starts_of(sweeps().store, run_of(page))}
    table = entries(show(page, "objective"))
    assert table[0] == ["Start", "3 iterations", "6 iterations", "Certified solver"]
    assert len(table) == 1 + 7 + 1
    assert table[1][0] == "1 · Diagonal 0.5"
    assert table[1][1] == f"{rows['diagonal-0.5', 'reweighted', 3].objective:,.7g}"
    assert table[7][2] == f"{rows['random', 'reweighted', 6].objective:,.7g}"
    assert "Needs no labels" in words(show(page, "agreement"))
    said = words(show(page, "accuracy"))
    assert "Rests on labels" in said
    one = rows["random", "reweighted", 6]
    cell = f"{100 * one.accuracy:.1f} ± {100 * one.accuracy_std:.1f}"
    assert entries(page)[7][2] == cell
    page.selectbox(key=keys.STARTS_OF).set_value("all")
    page.segmented_control(key=keys.STARTS_AXIS).set_value("seconds")
    assert "Seconds are those of the iterations alone" in words(look(page))


def test_stop_keeps_what_is_done_and_go_on_computes_the_rest_after_a_restart(arrive, halted):
    there, let_go = halted
    page = press(arrive("convergence", data="digits"))
    assert there.wait(30)
    look(page)
    assert "Computing · " in bars(page)[0]
    page.button(key=keys.STARTS_STOP).click()
    let_go.set()
    look(page)
    finished(page)
    run_id = run_of(page)
    view = sweeps().view(run_id)
    assert view.run.state is RunState.STOPPED
    done = view.run.n_done
    assert 0 < done < TOTAL
    assert f"Stopped · {done} of {TOTAL}" in bars(page)[0]
    restart()
    page = arrive("convergence", data="digits", starts=run_id)
    assert f"Stopped · {done} of {TOTAL}" in bars(page)[0]
    press(page, keys.STARTS_RESUME)
    finished(page)
    assert run_of(page) == run_id
    assert f"Done · {TOTAL} of {TOTAL}" in bars(page)[0]
    assert [cell.commits for cell in sweeps().store.cells(run_id)] == [1] * TOTAL


def test_an_earlier_run_is_shown_at_once_to_who_may_see_it(arrive, faces, monkeypatch):
    run_id = run_of(finished(press(arrive("convergence", data=faces))))
    page = arrive("convergence", data=faces)
    assert run_of(page) == run_id
    assert f"Done · {TOTAL} of {TOTAL}" in bars(page)[0]
    monkeypatch.setattr(visitor, "is_owner", lambda: False)
    page = arrive("convergence", data=faces)
    assert "Press **Run both solvers**" in words(page)
    page = finished(press(page))
    assert run_of(page) != run_id
    assert {cell.commits for cell in sweeps().store.cells(run_of(page))} == {0}, "none twice"


def test_other_settings_are_said_and_run(arrive, faces):
    page = finished(press(arrive("convergence", data=faces)))
    first = run_of(page)
    page.segmented_control(key=keys.STARTS_SCALE).set_value("relative")
    look(page)
    assert page.number_input(key=keys.STARTS_ALPHA).value == 0.1
    page.number_input(key=keys.STARTS_ALPHA).set_value(0.2)
    page.toggle(key=keys.STARTS_CENTER).set_value(True)
    look(page)
    assert any("settings differ" in one.value for one in page.info)
    page = finished(press(page))
    assert run_of(page) != first
    asked = sweeps().store.get(run_of(page)).request["asked"]
    assert (asked["alpha"], asked["beta"], asked["penalty_scale"]) == (0.2, 0.01, "relative")
    page = arrive("convergence", data=faces, starts=run_of(page))
    assert page.number_input(key=keys.STARTS_ALPHA).value == 0.2
    assert page.toggle(key=keys.STARTS_CENTER).value is True
    assert not any("settings differ" in one.value for one in page.info)


def test_without_labels_acc_is_left_out_and_it_is_said(arrive):
    key = services().library.add(replace(FACES, target=None, target_names=None, truth=None))
    page = arrive("convergence", data=key)
    assert "have no classes, and ACC needs them: it is left out" in words(page)
    page = finished(press(page))
    assert "Done · 21 of 21" in bars(page)[0]
    options = page.segmented_control(key=keys.STARTS_MEASURE).options
    assert options == ["Above the optimum", "Objective", "Own proof", "Ranking"]
    assert "ACC is" not in words(page)


@pytest.mark.parametrize(
    ("alpha", "data", "warning"),
    [(1e6, FACES, "the optimum is W = 0"), (1e-4, load("digits"), "the optimum is W = I")],
)
def test_where_nothing_is_ranked_it_is_said(arrive, alpha, data, warning):
    live_pixels = data.data[:, data.data.std(axis=0) > 0.1][:400]
    plain = replace(data, data=live_pixels, target=None, target_names=None, truth=None,
                    image_shape=None)  # fmt: skip
    page = arrive("convergence", data=services().library.add(plain))
    page.number_input(key=keys.STARTS_ALPHA).set_value(alpha)
    page.number_input(key=keys.STARTS_BETA).set_value(alpha)
    page = finished(press(look(page)))
    assert any(warning in one.value for one in page.warning)


def test_the_papers_number_stands_beside_where_the_data_are_the_papers(arrive):
    like_orl = make_faces(n_people=40, n_per_person=10, image_size=8, random_state=0)
    key = services().library.add(replace(like_orl, name="ORL", truth=None))
    page = arrive("convergence", data=key)
    sweep = starts_sweep(
        services().library.get(key), 1.0, 1.0, penalty_scale="absolute", checkpoints=(3, 6),
        inits=["diagonal-0.5", "diagonal-1"], n_features=32, n_seeds=1, center=False,
    )  # fmt: skip
    dataset = services().library.get(key)
    run_id = start_sweep(sweeps().store, sweep, dataset)
    run_sweep(sweeps().store, run_id, dataset)
    page = arrive("convergence", data=key, starts=run_id)
    assert "The paper prints 71.3 % from each of its seven" in words(page)
    table = entries(show(page, "accuracy"))
    assert table[0][1] == "Paper, ORL"
    assert {line[1] for line in table[1:8]} == {"71.3"}
    assert table[7][2] == "…", "a start that is not computed"


def test_links_that_lead_nowhere_say_so(arrive, faces):
    page = arrive("convergence", data=faces, starts="nobody")
    assert "There is no run of this id" in words(page)
    assert keys.Q_STARTS not in page.query_params
    fit = sweeps().start("digits", lambda data: fit_sweep(0.4, 0.1))
    assert sweeps().join(fit, 60)
    assert OTHER_KIND in words(arrive("convergence", data="digits", starts=fit))
    run_id = start_sweep(sweeps().store, request.usual(FACES).sweep(FACES), FACES)
    assert OTHER in words(arrive("convergence", data="digits", starts=run_id))


def test_a_store_that_cannot_be_written_is_one_sentence(arrive, faces, home):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file, where a folder is wanted")
    page = press(arrive("convergence", data=faces))
    assert len(page.error) == 1
    assert "The store in" in page.error[0].value
    home.unlink()
    page = finished(press(page))
    assert f"Done · {TOTAL} of {TOTAL}" in bars(page)[0]


def test_a_request_survives_the_store_and_a_sweep_of_the_shell_is_not_taken_for_one():
    for asked in (request.usual(FACES), request.StartsRequest("relative", 0.2, 0.0, True, 5, 3)):
        sweep = Sweep.from_record(asked.sweep(FACES).to_record())
        assert request.request_of(sweep, FACES) == asked
    other = starts_sweep(FACES, 0.1, 0.1, checkpoints=(4,), n_seeds=0)
    assert request.request_of(other, FACES) is None
