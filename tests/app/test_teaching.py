"""What a teacher does: lessons as links, a projector, embedding, and the tour."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest
from sklearn.cluster import KMeans

from cspca import CSPCA
from cspca.datasets import load, standardised
from cspca.evaluation import clustering_accuracy
from cspca.evaluation.statistics import rank_correlation
from cspca.ui import films, menu, presets, state, theory_page
from tests.app.conftest import REPOSITORY, look, question, settled, staged, words

LESSON_FIELDS = [f"view_{name}" for name in state.WORDS]
OWN = {"question": "Which <b>go</b> first?", "do": "Raise α", "answer": "Those at the _edge_."}


def lesson_named(preset):
    return next(lesson for lesson in presets.LESSONS if lesson.view.preset == preset)


def test_a_lesson_is_a_link_from_any_page(arrive):
    explore = arrive(lesson="too-little-too-much", k="5")
    lesson = presets.PRESETS[1]
    assert question(explore) == "Which pixels matter?"
    for line in (lesson.question, lesson.do, lesson.see, f"<p>{lesson.answer}</p></details>"):
        assert line in words(explore)
    assert explore.session_state["view_mode"] == "path"
    assert explore.session_state["view_k"] == 5
    assert explore.query_params["preset"] == lesson.view.preset
    text = (REPOSITORY / "cspca" / "guide" / "teaching.md").read_text("utf-8")
    for one in presets.LESSONS:
        assert f"[{one.title}](./?lesson={one.view.preset})" in text


@pytest.mark.parametrize("along", ["alpha", "beta"])
def test_where_one_slider_sets_alpha_and_beta_the_film_sets_both(arrive, monkeypatch, along):
    explore = arrive(lesson="too-little-too-much")
    assert "The film moves α alone. Where it is let go, α and β both take its value." in [
        caption.value for caption in explore.caption
    ]
    together = lesson_named("too-little-too-much").view
    session = {}
    monkeypatch.setattr(films.st, "session_state", session)
    films.take(together, along, 0.3)
    assert session == {"fit_alpha": 0.315}
    session.clear()
    films.take(replace(together, mode="penalties"), along, 0.3)
    assert session == {"view_mode": "penalties", f"fit_{along}": 0.315}


def test_where_alpha_and_beta_are_apart_nothing_is_said_of_both(arrive):
    explore = arrive("explore", data="digits")
    assert not [one for one in explore.caption if "both take its value" in one.value]


def test_a_lesson_of_theory_is_one_picture_to_drag(arrive):
    theory = arrive("explore", data="digits", lesson="what-robust-means")
    lesson = lesson_named("what-robust-means")
    assert question(theory) == "Why is it true?"
    for line in (lesson.question, lesson.do, lesson.see, f"<p>{lesson.answer}</p></details>"):
        assert line in words(theory)
    assert "What can one image do?" in words(theory)
    assert "Why are whole rows zero?" not in words(theory)
    assert theory.query_params["data"] == ["digits"] or theory.query_params["data"] == "digits"
    # It is of that page alone, and once it is closed all of the page is there.
    again = arrive("theory", preset="what-robust-means", picture="outlier")
    assert lesson.question in words(again)
    again.switch_page(menu.script("explore"))
    assert lesson.question not in words(look(again))
    again.switch_page(menu.script("theory"))
    look(again).button(key="close_lesson").click()
    assert "Why are whole rows zero?" in words(look(again))


def test_of_the_ten_best_digits_pixels_two_stay_the_best(arrive):
    """What the first guess is told, at the address that it opens; none of the ten is a tie."""
    lesson = lesson_named("what-would-you-guess")
    explore = settled(arrive(lesson="what-would-you-guess"))
    assert lesson.question in words(explore)
    assert staged(explore)["top_k"] == 10
    before = explore.session_state["last_result"].fit
    explore.select_slider(key="fit_alpha").set_value(0.5)
    after = settled(look(explore)).session_state["last_result"].fit
    best = []
    for alpha, fit in ((0.1, before), (0.5, after)):
        tight = CSPCA(alpha, 0.02, tol=1e-5).fit(load("digits").data)
        tenth, eleventh = fit.feature_order[9:11]
        moved = np.abs(tight.feature_scores_ - fit.feature_scores)[[tenth, eleventh]].max()
        assert fit.feature_scores[tenth] - fit.feature_scores[eleventh] > 10 * moved
        best.append(set(fit.feature_order[:10].tolist()))
        assert best[-1] == set(tight.feature_order_[:10].tolist())
    assert len(best[0] & best[1]) == 2
    assert lesson.answer.startswith("Two.")


def test_more_beta_on_the_faces_brings_more_pixels_and_a_lower_rank(arrive):
    lesson = lesson_named("guess-more-beta")
    explore = settled(arrive(lesson="guess-more-beta"))
    assert lesson.question in words(explore)
    before = explore.session_state["last_result"].fit
    explore.select_slider(key="fit_beta").set_value(0.1)
    explore = settled(look(explore))
    after = explore.session_state["last_result"].fit
    assert (before.alpha, before.beta) != (after.alpha, after.beta)
    assert round(before.n_kept, -2) == 300
    assert round(after.n_kept, -2) == 500
    assert before.rank > 100
    assert after.rank == 5
    assert "about 300 become about 500, while the rank falls from over 100 to 5" in lesson.answer


def accuracy_of_best(fit, dataset):
    best = dataset.data[:, fit.feature_order[:20]]
    model = KMeans(dataset.n_classes, n_init=10, random_state=0)
    return clustering_accuracy(dataset.target, model.fit_predict(best))


def test_scaling_turns_the_map_of_the_spectra_over(arrive):
    """What the answer says, at the address that the lesson opens and as its task says."""
    lesson = lesson_named("what-scaling-does")
    page = settled(arrive(lesson="what-scaling-does"))
    assert lesson.question in words(page)
    assert page.session_state["view_k"] == 20
    spectra, before = load("spectra"), page.session_state["last_result"].fit
    assert (before.feature_scores[spectra.truth.where("noise")] == 0).all()
    assert "none of the noisy points is in use" in lesson.answer
    best = before.feature_order[:20]
    assert spectra.truth.where("class")[best].sum() == 12
    assert "12 of the best 20 lie on the three peaks that carry the class" in lesson.answer
    assert accuracy_of_best(before, spectra) == 1
    page.switch_page(menu.script("data"))
    look(page).button(key="standardise_button").click()
    look(page).switch_page(menu.script("explore"))
    page = settled(look(page))
    # The lesson is still open, with its penalties and its number of points.
    assert lesson.question in words(page)
    assert page.session_state["view_k"] == 20
    after = page.session_state["last_result"].fit
    assert (page.session_state["fit_alpha"], page.session_state["fit_beta"]) == (0.1, 0.01)
    assert spectra.truth.where("noise")[after.feature_order[:20]].all()
    assert accuracy_of_best(after, standardised(spectra)) < 0.45
    between = rank_correlation(before.feature_scores, after.feature_scores)
    assert f"{between:.2f}".replace("-", "−") == "−0.12"
    assert "The rank correlation of the two maps is −0.12." in lesson.answer
    # Put back, it is where it began.
    page.switch_page(menu.script("data"))
    look(page).button(key="odd_restore").click()
    look(page).switch_page(menu.script("explore"))
    page = look(page)
    assert lesson.question in words(page)
    assert page.session_state["view_data"] == "spectra"


def test_lonely_genes_come_first_and_with_more_beta_no_more(arrive):
    lesson = lesson_named("lonely-genes")
    page = settled(arrive(lesson="lonely-genes"))
    assert lesson.question in words(page)
    assert page.session_state["view_k"] == 40
    lonely = load("genes").truth.where("lonely")
    order = page.session_state["last_result"].fit.feature_order
    assert lonely[order[:40]].all()
    assert lesson.answer.startswith("All 40 are lonely.")
    page.select_slider(key="fit_beta").set_value(0.1)
    order = settled(look(page)).session_state["last_result"].fit.feature_order
    assert not lonely[order[:40]].any()
    assert "At 0.1 none of them is among the best 40." in lesson.answer


@pytest.mark.parametrize(
    ("preset", "frame", "shown", "told"),
    [
        ("guess-copy", 1, "places 24 and 25 of 31", "At 24 and 25."),
        ("guess-noise", 0, "all noise stands before", "At β = 0.01 all ten of noise"),
        ("guess-noise", -1, "all noise stands behind", "At β = 0.3 all ten of noise come last"),
    ],
)
def test_a_guess_about_a_picture_is_told_what_the_picture_shows(arrive, preset, frame, shown, told):
    lesson = lesson_named(preset)
    theory = arrive(lesson=preset)
    assert question(theory) == "Why is it true?"
    assert lesson.question in words(theory)
    assert shown in theory_page.scene(lesson.view.picture)["frames"][frame]["words"]
    assert told in lesson.answer


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


def test_in_a_frame_only_the_picture_stands_with_a_way_out(arrive, monkeypatch):
    monkeypatch.setattr(state, "bare", lambda: True)
    explore = arrive("explore", data="digits")
    assert not explore.sidebar.page_link
    assert explore.select_slider(key="fit_alpha")
    assert "Export" not in [one.value for one in explore.header]
    [way_out] = [one.value for one in explore.markdown if "Open in CSPCA Studio" in one.value]
    assert "data=digits" in way_out
    assert "embed" not in way_out


def projector_links(page):
    """The queries of the links to this page in large type."""
    texts = [element.value for element in (*page.markdown, *page.caption)]
    links = [re.search(r"\[Open large, for a projector\]\(\?(.*)\)", text) for text in texts]
    return [dict(parse_qsl(link[1])) for link in links if link]


def test_a_lesson_has_four_fields_and_a_link_for_a_projector(arrive):
    explore = arrive("explore", data="digits", **OWN)
    fields = [field.key for field in explore.text_input if field.key in LESSON_FIELDS]
    assert fields == LESSON_FIELDS
    assert projector_links(explore) == [{"data": "digits", **OWN, "embed": "true"}]


def test_each_figure_of_theory_has_a_link_for_a_projector(arrive, monkeypatch):
    theory = arrive("theory", data="digits")
    names = [picture.name for picture in theory_page.PICTURES.values()]
    links = projector_links(theory)
    assert [link["picture"] for link in links] == names
    assert all(link["data"] == "digits" and link["embed"] == "true" for link in links)
    # There it leads nowhere.
    monkeypatch.setattr(state, "bare", lambda: True)
    assert projector_links(arrive("theory", picture="gap")) == []


def test_in_a_frame_theory_shows_the_picture_of_the_link(arrive, monkeypatch):
    monkeypatch.setattr(state, "bare", lambda: True)
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


@pytest.mark.parametrize("page", ["explore", "compare"])
def test_a_link_begins_the_tour_on_explore(arrive, page):
    explore = arrive(page, data="digits", tour="1")
    assert question(explore) == "Which pixels matter?"
    assert explore.session_state["tour_shown"]
    assert explore.query_params["data"] == ["digits"] or explore.query_params["data"] == "digits"
    assert "tour" not in explore.query_params
    # It ends where another page is opened.
    explore.switch_page(menu.script("theory"))
    look(explore)
    assert "tour_shown" not in explore.session_state


def test_the_tour_goes_on_back_and_to_another_page(arrive):
    page = arrive("explore", data="digits", tour="1")
    for key, step in (("tour_next", 2), ("tour_back", 1), ("tour_next", 2), ("tour_next", 3)):
        page.button(key=key).click()
        assert f"{step} of 3" in [caption.value for caption in look(page).caption]
    page.button(key="tour_compare").click()
    compare = look(page)
    assert "tour_shown" not in compare.session_state
    assert "3 of 3" not in [caption.value for caption in compare.caption]
    assert question(compare) == "Which method picks the best pixels?"


def test_a_tour_that_is_closed_stays_closed(arrive):
    page = arrive("explore", data="digits", tour="1")
    for _ in range(2):
        page.button(key="tour_next").click()
        look(page)
    page.button(key="tour_close").click()
    assert not [button for button in look(page).button if button.key == "tour_close"]
    assert not [button for button in look(page).button if button.key == "tour_back"]


def test_the_tour_is_offered_once(arrive):
    page = arrive("explore", data="digits")
    page.button(key="tour_offer_button").click()
    assert "1 of 3" in [caption.value for caption in look(page).caption]
    again = arrive("explore", of=page, data="digits")
    assert "tour_offer_button" not in {button.key for button in again.button}
