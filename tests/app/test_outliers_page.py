"""The Outliers page: it opens with its answer, and each section does what its controls say."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from PIL import Image

from cspca.experiments import suspects
from cspca.ui import menu
from cspca.ui.services import services
from tests.app.conftest import look, settled, until, words


@pytest.fixture(scope="module", autouse=True)
def _few_methods():
    """The quick ones: what all of them find is tested beside the library."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cspca.experiments.suspects.JUDGES", ("norm", "pca", "cspca"))
        patch.setattr("cspca.ui.outliers_page.planted.JUDGES", ("norm", "pca", "cspca"))
        yield


def answered(visitor, section):
    """Let a section's job come to its end, then look again."""
    job = visitor.session_state[f"asked_{section}"][1]
    assert services().jobs.join(job, 60.0)
    return look(visitor)


def alts(visitor):
    return "\n".join(
        json.loads(one.proto.spec)["layout"]["meta"]["alt"] for one in visitor.get("plotly_chart")
    )


def picked(visitor, key):
    """What the browser is sent of pictures to choose from."""
    sent = [json.loads(one.proto.json) for one in visitor.get("bidi_component") if one.proto.json]
    return next(one["items"] for one in sent if one.get("label") == key)


def test_the_haystack_opens_with_its_answer(arrive):
    page = answered(arrive("outliers"), "hay")
    assert page.title[0].value == "Which images do not belong?"
    text = words(page)
    assert "**Exact.** CSPCA, not told the rank" in text
    assert "PCA, which is told it, is off by 5.9°" in text
    assert "In this haystack it is exact at" in text
    assert "Coherence pursuit" in text
    assert "Exact: CSPCA" in alts(page)


def test_a_drag_answers_and_going_back_is_in_memory(arrive, monkeypatch):
    page = answered(arrive("outliers"), "hay")
    page.select_slider(key="hay_beta").set_value(0.9)
    page = answered(look(page), "hay")
    assert "**Not exact.**" in words(page)
    assert page.query_params["hay-beta"] == "0.9"
    monkeypatch.setattr(suspects, "searched", None)
    page.select_slider(key="hay_beta").set_value(0.5)
    page = answered(look(page), "hay")
    assert "**Exact.**" in words(page)
    page.button(key="hay_again").click()
    monkeypatch.undo()
    page = answered(look(page), "hay")
    assert page.session_state["hay_seed"] == 1


def test_a_link_opens_a_section_as_it_was_set(arrive):
    page = answered(arrive("outliers", **{"hay-share": "0.75", "hay-features": "20"}), "hay")
    assert page.select_slider(key="hay_share").value == 0.75
    assert "50 inliers among 150 outliers" in words(page)
    page = arrive("outliers", **{"hay-share": "0.99"})
    assert "The link cannot be followed: share must be" in words(page)


def test_ruined_pictures_are_ranked_beside_the_norm(arrive):
    home = arrive()
    home.button(key="preset_half-ruined").click()
    page = answered(look(home), "planted")
    assert page.query_params["part"] == "pictures"
    text = words(page)
    assert "the norm of the picture alone, no method at all" in text
    assert "nothing has beaten the norm" not in text
    assert "3 of 3 methods have answered" in text
    items = picked(page, "Ranking")
    assert len(items) == 24
    assert {one["kind"] for one in items} <= {"", "marked"}
    first = items[0]["alt"]
    assert first.startswith("Image ")
    assert "ROC of PCA, CSPCA, Norm alone" in alts(page)
    page.select_slider(key="planted_share").set_value(0.1)
    page = answered(look(page), "planted")
    assert "20 of 200 pictures are wrong; " in words(page)
    assert " of them are among the first 20, by chance 2." in words(page)
    labels = [one.proto.label for one in page.get("download_button")]
    assert {"Report", "Rankings, CSV", "Pictures, CSV"} <= set(labels)
    assert "d = thinned(load('faces'), 200)" in page.code[-1].value
    # What was measured of photographs among others is said where it is shown.
    page = answered(arrive("outliers", part="pictures", **{"wrong": "strangers"}), "planted")
    assert "nothing has beaten the norm yet, in our measurements" in words(page)


def test_data_without_pictures_cannot_be_ruined(arrive):
    page = arrive("outliers", data="motion", part="pictures")
    assert "has no pictures that could be made wrong" in words(page)


def test_images_are_left_out_refitted_and_put_back(arrive):
    page = settled(arrive("outliers", part="own"))
    assert "Most suspicious first" in words(page)
    before = page.session_state["view_data"], page.session_state["last_result"]
    items = picked(page, "Ranking")
    residuals = before[1].fit.sample_residuals
    assert items[0]["number"] == int(np.argmax(residuals))
    page.button(key="odd_toggle").click()
    page = look(page)
    assert picked(page, "Ranking")[0]["kind"] == "out"
    page.number_input(key="odd_first").set_value(3)
    page = look(page)
    page.button(key="odd_mark").click()
    page = look(page)
    page.button(key="odd_refit").click()
    page = settled(look(page))
    assert "3 images left out of 400" in words(page)
    assert page.session_state["last_result"].fit.sample_residuals.shape == (397,)
    code = page.code[-1].value
    assert "leave_out(load('faces')" in code
    known: dict[str, object] = {}
    exec(code.split("model =")[0], known)
    assert known["d"].sha256 == page.session_state["last_result"].sha256
    page.button(key="odd_restore").click()
    page = settled(look(page))
    assert page.session_state["view_data"] == before[0]


def test_images_are_left_out_by_number_on_the_data_page(arrive):
    page = arrive("data", data="digits")
    for text, says in (
        ("3, x", "is no number: give some such as 3, 17, 40-45."),
        ("99999", "give a whole number from 0 to 1,796"),
    ):
        page.text_input(key="leave_out_numbers").set_value(text)
        page = look(page)
        page.button(key="leave_out_button").click()
        page = look(page)
        assert says in words(page).replace("\\", "")
    page.text_input(key="leave_out_numbers").set_value("1, 4 - 6")
    page = look(page)
    page.button(key="leave_out_button").click()
    page = look(page)
    assert "4 images left out of 1,797" in words(page)
    assert "left out: 1, 4, 5, 6" in words(page)
    page.button(key="odd_restore").click()
    page = look(page)
    assert page.session_state["view_data"] == "digits"
    page.text_input(key="leave_out_numbers").set_value("")
    (classes,) = (one for one in page.multiselect if one.label == "Whole classes")
    classes.set_value([0, 9])
    page = look(page)
    page.button(key="leave_out_button").click()
    page = look(page)
    assert "358 images left out of 1,797" in words(page)
    assert "1,439 images, 8 × 8, 8 classes" in words(page)


def test_columns_are_standardised_on_the_data_page_and_put_back(arrive):
    page = arrive("data", data="digits")
    page.button(key="standardise_button").click()
    page = look(page)
    assert "Every pixel is standardised, on all pages." in words(page)
    assert page.button(key="standardise_button").disabled
    page.switch_page(menu.script("outliers"))
    page.query_params["part"] = "own"
    page = settled(look(page))
    assert "standardised(load('digits'))" in page.code[-1].value
    page.button(key="odd_restore").click()
    assert look(page).session_state["view_data"] == "digits"


def test_the_ranking_goes_into_the_export_and_explore_leads_here(arrive):
    page = settled(arrive("outliers", part="own", data="digits"))
    labels = [one.proto.label for one in page.get("download_button")]
    assert "Images, CSV" in labels
    for name in ("residuals", "influence"):
        assert f"print(model.sample_{name}_.argsort()[::-1][:10] + 1)" in page.code[-1].value
    explore = settled(arrive("explore", data="digits"))
    links = {one.proto.label: one.proto for one in explore.get("page_link")}
    assert "part=own" in links["Which images are odd?"].query_string


def test_samples_without_pictures_are_ranked_by_name(arrive):
    page = settled(arrive("outliers", part="own", data="motion"))
    assert page.selectbox(key="odd_picked").options[0].startswith("sample ")


def png(height, width, colour=False):
    stream = io.BytesIO()
    shape = (height, width, 3) if colour else (height, width)
    values = np.random.default_rng(0).integers(0, 255, shape, dtype=np.uint8)
    Image.fromarray(values).save(stream, "PNG")
    return stream.getvalue()


def test_a_class_is_held_out_and_new_pictures_are_brought(arrive):
    page = settled(arrive("outliers", part="unseen"))
    page = answered(page, "unseen")
    assert "20 images that the fit never saw." in words(page)
    assert [one.proto.label for one in page.get("download_button")] == ["Unseen images, CSV"]
    assert "out = d.target == 0" in page.code[-1].value
    page.session_state["unseen_how"] = "files"
    page = look(page)
    page.file_uploader(key="unseen_files").upload("new.png", png(48, 40, colour=True))
    page = until(look(page), lambda: "1 image that the fit never saw." in words(page))
    text = words(page)
    assert "Resized from 48 × 40 to 32 × 32" in text
    assert "Colours turned to grey" in text
    assert "larger than that of" in text
    assert "From new.png." in text.replace("\\", "")
    page.button(key="unseen_put_away").click()
    assert "the fit never saw." not in words(look(page))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("words.txt", b"nothing to see", "is of a kind that is not read here"),
        ("broken.png", png(9, 9)[:60], "is damaged"),
    ],
)
def test_a_file_that_is_no_picture_is_refused_in_a_sentence(arrive, name, content, says):
    page = settled(arrive("outliers", part="unseen"))
    page.session_state["unseen_how"] = "files"
    page = look(page)
    page.file_uploader(key="unseen_files").upload(name, content)
    page = until(look(page), lambda: says.replace(".", "") in words(page).replace("\\", ""))


def test_the_phase_map_has_its_button_and_what_it_costs(arrive):
    page = arrive("outliers", part="map")
    assert page.button(key="outliers_run")
    assert "haystacks" in words(page)


def test_no_more_pictures_are_offered_than_there_are_and_of_orl_only_orl_hears(arrive):
    page = answered(arrive("outliers", part="pictures", data="faces"), "planted")
    (slider,) = [one for one in page.select_slider if one.key == "planted_most"]
    assert slider.options == ["200", "400"], "the faces are 400"
    assert "ORL" not in words(page)
