"""All that a page shows is of one fit, or says which other fit it is of."""

import threading
from dataclasses import replace

import pytest
import streamlit as st

from cspca.datasets import load
from cspca.experiments import live
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import Job, JobRegistry
from cspca.figures.words import from_optimum
from cspca.ui import fit_parts
from cspca.ui.services import services
from tests.app.conftest import look, settled, until, words


@pytest.fixture
def held(monkeypatch):
    """Fits of both solvers that are certified and do not end until the test lets them go."""
    let_go, whole = threading.Event(), live.follow

    def follow(first, dataset, *, stop, publish, start=None):
        answer = whole(first, dataset, stop=stop, publish=publish, start=start)
        if first.asked.solver == "both":
            publish(replace(answer, fits={}, models={}))
            assert let_go.wait(60)
        return answer

    monkeypatch.setattr(live, "follow", follow)
    yield let_go
    let_go.set()


def lines(page):
    return next(code.value for code in page.code if "CSPCA(" in code.value)


def test_nothing_is_called_proven_above_the_lines_of_another_fit(arrive, held):
    page = settled(arrive("explore", data="digits", alpha="0.4", beta="0.02"))
    assert "of the optimum (proven)" in words(page)
    assert "still the fit before" not in words(page)
    page.segmented_control(key="fit_solver").set_value("both")
    page.select_slider(key="fit_alpha").set_value(0.2)
    until(look(page), lambda: "Algorithm 1 is running" in words(page))
    said = words(page)
    assert "(proven)" not in said
    assert "alpha=0.4" in lines(page)
    assert "Below is still the fit before: α = 0.4, β = 0.02, within" in said
    assert "What is dimmed is of the fit before: α = 0.4, β = 0.02, within" in said
    held.set()
    settled(page)
    said = words(page)
    assert "of the optimum (proven)" in said
    assert "the fit before" not in said
    # Both solvers have no one line of Python: what is said for them names this fit.
    assert not any("alpha=0.4" in code.value for code in page.code)


def test_other_pages_say_which_fit_they_still_show(arrive, held):
    page = settled(arrive("outliers", data="digits", alpha="0.4", beta="0.02", part="own"))
    assert "the fit before" not in words(page)
    page.query_params.update({"data": "digits", "alpha": "0.2", "solver": "both", "part": "own"})
    until(look(page), lambda: "Algorithm 1 is running" in words(page))
    assert "Below is still the fit before: α = 0.4, β = 0.02" in words(page)


def test_a_fit_whose_page_was_left_at_once_goes_on(arrive, held, monkeypatch):
    page = settled(arrive("explore", data="digits", alpha="0.4", beta="0.02"))
    with monkeypatch.context() as left:
        # Another page is asked for while this one waits: its run ends there.
        left.setattr(fit_parts, "_wait", lambda *arguments: st.stop())
        page.segmented_control(key="fit_solver").set_value("both").run()
    jobs = services().jobs
    before = {job.id for job in jobs.all()}
    page.run()
    assert {job.id for job in jobs.all()} == before
    until(look(page), lambda: "Algorithm 1 is running" in words(page))


def test_who_goes_back_to_a_fit_lets_go_of_the_one_between(arrive, held):
    page = settled(arrive("explore", data="digits", alpha="0.4", beta="0.02"))
    first = page.session_state["view_job"]
    page.segmented_control(key="fit_solver").set_value("both")
    until(look(page), lambda: "Algorithm 1 is running" in words(page))
    between = page.session_state["view_job"]
    page.segmented_control(key="fit_solver").set_value("admm")
    look(page)
    assert page.session_state["view_job"] == first
    assert services().jobs.view(between).stop_reason == "superseded"


def test_a_fit_that_failed_is_tried_again(arrive):
    page = settled(arrive("explore", data="digits", alpha="0.4", beta="0.02"))
    first = page.session_state["view_job"]
    page.select_slider(key="fit_alpha").set_value(0.2)
    settled(look(page))
    services().jobs._jobs[first].state = "failed"
    services().fits.known.clear()
    page.select_slider(key="fit_alpha").set_value(0.4)
    settled(look(page))
    assert services().jobs.view(page.session_state["view_job"]).state == "done"


def test_a_page_waits_the_longer_for_its_fit_the_more_are_queued():
    alone, class_room = (fit_parts.patience(fit_parts.AT_ONCE, queued) for queued in (1, 30))
    assert alone == fit_parts.AT_ONCE
    assert class_room == fit_parts.BUSY > alone
    waits = [fit_parts.patience(fit_parts.FIRST, queued) for queued in range(40)]
    assert waits == sorted(waits)
    assert waits[1] == fit_parts.FIRST


def test_a_page_waits_for_the_turn_of_its_fit_and_says_how_many_are_before_it(monkeypatch):
    """What is drawn before a fit ends is drawn twice: a queue that is drawn to all in it grows."""

    class Place:
        def __init__(self):
            self.words, self.told = [], threading.Event()

        def caption(self, words):
            self.words.append(words)
            self.told.set()

        def empty(self):
            self.words.append("")

    monkeypatch.setattr(fit_parts, "AT_ONCE", 0.0)
    monkeypatch.setattr(fit_parts, "TURN", 60.0)
    jobs, place, let_go = JobRegistry(1), Place(), threading.Event()
    jobs.submit(lambda job: let_go.wait(60), owner="others")
    mine = jobs.submit(lambda job: None, owner="mine")
    page = threading.Thread(target=fit_parts._wait, args=(jobs, mine, 60.0, place))
    page.start()
    assert place.told.wait(60)
    assert page.is_alive()
    let_go.set()
    page.join(60)
    assert jobs.view(mine).state == "done"
    sentence = "Others have their turn on this server, yours is next; your fit starts by itself."
    assert place.words == [sentence, ""]
    jobs.close()


def test_badge_and_curve_of_a_fit_state_one_gap():
    """Between two certificates an objective may be lower than that of the map that is kept."""
    digits = load("digits")
    first = live.LiveFit(Fit(alpha=0.3, beta=0.02), digits.sha256)
    ended = live.follow(first, digits, stop=lambda: False, publish=lambda moment: None)
    table = ended.histories["admm"]
    assert float(table["best_objective"][-1]) < ended.fit.objective
    job = Job(None, "", ended, state="done")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit_parts, "is_dark", lambda: False)
        drawn = fit_parts._course(job, None)
    assert drawn["lines"][0]["proven"][-1] == from_optimum(ended.fit.duality_gap)
    numbers = {
        name: text for name, text, *_ in fit_parts._numbers(ended, ended.scores, digits.nouns)
    }
    assert numbers["objective"] == f"{ended.fit.objective:,.6g}"
    assert numbers["lower bound"] == f"{ended.fit.dual_objective:,.6g}"
