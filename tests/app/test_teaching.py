"""What a teacher does: lessons as links, presenting, embedding, and the tour."""

from __future__ import annotations

import pytest

from cspca.ui import presets, state
from tests.app.conftest import REPOSITORY, look, words

OWN = {"question": "Which <b>go</b> first?", "do": "Raise α", "answer": "Those at the _edge_."}


def test_a_lesson_is_a_link_from_any_page(arrive):
    explore = arrive(lesson="too-little-too-much", k="5")
    lesson = presets.PRESETS[1]
    assert explore.title[0].value == "What do α and β keep?"
    for line in (lesson.question, lesson.do, lesson.see, f"<p>{lesson.answer}</p></details>"):
        assert line in words(explore)
    assert explore.session_state["view_mode"] == "path"
    assert explore.session_state["view_k"] == 5
    assert explore.query_params["preset"] == lesson.view.preset
    text = (REPOSITORY / "cspca" / "guide" / "teaching.md").read_text("utf-8")
    for one in presets.LESSONS:
        assert f"[{one.title}](explore?lesson={one.view.preset})" in text


def test_a_lesson_of_theory_is_one_picture_to_drag(arrive):
    theory = arrive("explore", data="digits", lesson="what-robust-means")
    lesson = presets.LESSONS[-1]
    assert theory.title[0].value == "Why is it true?"
    for line in (lesson.question, lesson.do, lesson.see, f"<p>{lesson.answer}</p></details>"):
        assert line in words(theory)
    assert "What can one image do?" in words(theory)
    assert "Why are whole rows zero?" not in words(theory)
    assert theory.query_params["data"] == ["digits"] or theory.query_params["data"] == "digits"
    # It is of that page alone, and once it is closed all of the page is there.
    again = arrive("theory", preset="what-robust-means", picture="outlier")
    assert lesson.question in words(again)
    again.switch_page("pages/explore.py")
    assert lesson.question not in words(look(again))
    again.switch_page("pages/theory.py")
    look(again).button(key="close_lesson").click()
    assert "Why are whole rows zero?" in words(look(again))


def test_a_lesson_that_is_not_there_is_said(arrive):
    explore = arrive("explore", lesson="nonsense")
    assert "asks for the lesson 'nonsense'" in explore.error[0].value


def test_a_lesson_of_one_s_own_is_plain_text_in_the_link_and_can_be_closed(arrive):
    explore = arrive("explore", data="digits", **OWN)
    assert "Which &lt;b&gt;go&lt;/b&gt; first?" in words(explore)
    assert "<summary>Answer</summary><p>Those at the _edge_.</p>" in words(explore)
    assert {name: explore.query_params[name] for name in OWN} == OWN
    explore.text_input(key="view_see").input("The map")
    look(explore)
    assert "<b>Look at</b> The map" in words(explore)
    assert explore.query_params["see"] == "The map"
    explore.button(key="close_lesson").click()
    look(explore)
    assert "cspca-lesson" not in words(explore)
    assert not {"question", "do", "see", "answer"} & set(explore.query_params)


def test_a_lesson_that_is_too_long_is_cut_and_says_so(arrive):
    explore = arrive("explore", data="digits", question="x" * 900)
    assert "x" * state.LETTERS in words(explore)
    assert "x" * (state.LETTERS + 1) not in words(explore)
    assert f"question in this link is cut after {state.LETTERS} letters" in explore.error[0].value


def test_presenting_leaves_the_picture_and_stays_from_page_to_page(arrive):
    explore = arrive("explore", data="digits", present="1")
    assert not explore.sidebar.page_link
    assert "Export" not in [one.value for one in explore.header]
    assert explore.select_slider(key="fit_alpha")
    explore.switch_page("app.py")
    home = look(explore)
    assert not home.sidebar.page_link
    assert home.query_params["present"] == "1"
    assert not home.header
    home.button(key="present_button").click()
    look(home)
    assert home.sidebar.page_link
    assert "present" not in home.query_params
    home.button(key="present_button").click()
    assert look(home).query_params["present"] == "1"


def test_in_a_frame_only_the_picture_stands_with_a_way_out(arrive, monkeypatch):
    monkeypatch.setattr(state, "embedded", lambda: True)
    explore = arrive("explore", data="digits", present="1")
    assert not explore.sidebar.page_link
    assert "present_button" not in [one.key for one in explore.button]
    assert "Export" not in [one.value for one in explore.header]
    [way_out] = [one.value for one in explore.markdown if "Open in CSPCA Studio" in one.value]
    assert "data=digits" in way_out


def test_in_a_frame_theory_shows_the_picture_of_the_link(arrive, monkeypatch):
    monkeypatch.setattr(state, "embedded", lambda: True)
    theory = arrive("theory", data="digits", picture="rank")
    assert [one.value for one in theory.markdown if "Why does the trace norm" in one.value]
    assert "Why are whole rows zero?" not in words(theory)
    assert not theory.button_group


def test_a_link_for_phones_says_the_address_of_this_machine(monkeypatch):
    known = "https://lab.example/predict?class=ABC"
    assert state.open_to_others(known) == (known, "")
    link, wrong = state.open_to_others("http://localhost:8501/predict?class=ABC")
    # Without a network there is none.
    assert ("localhost" in link) == bool(wrong)
    assert link.endswith(":8501/predict?class=ABC")
    monkeypatch.setattr(state.st, "get_option", {"server.address": "localhost"}.get)
    link, wrong = state.open_to_others("http://localhost:8501/predict?class=ABC")
    assert "localhost" in link
    assert "on this computer only" in wrong


@pytest.mark.parametrize("page", ["home", "explore", "compare"])
def test_a_link_begins_the_tour_on_explore(arrive, page):
    explore = arrive(page, data="digits", tour="1")
    assert explore.title[0].value == "What do α and β keep?"
    assert explore.session_state["tour_shown"]
    assert explore.query_params["data"] == ["digits"] or explore.query_params["data"] == "digits"
    assert "tour" not in explore.query_params
    # It ends where another page is opened.
    explore.switch_page("app.py")
    look(explore)
    assert "tour_shown" not in explore.session_state
