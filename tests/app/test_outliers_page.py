"""The Outliers page: it opens on a ruined image, and each section does what its controls say."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from PIL import Image

from cspca.datasets import Dataset, leave_out, load
from cspca.experiments import suspects
from cspca.ui import menu
from cspca.ui.outliers_page import planted
from cspca.ui.services import services
from tests.app.conftest import look, npz, opened, settled, until, words


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
    messages = [one.proto.bytes for one in visitor.get("bidi_component") if one.proto.bytes]
    return next(data["items"] for data in map(opened, messages) if data.get("label") == key)


def tables(visitor):
    """The tables of a page, as it is written."""
    return "\n".join(element.value for element in visitor.get("html") if "<table" in element.value)


def sections(visitor):
    """The names of the sections that are offered, in their order."""
    (group,) = [one for one in visitor.get("button_group") if one.key == "outliers_section"]
    return [option.content for option in group.proto.options]


def test_it_opens_on_one_ruined_image_and_says_where_each_method_puts_it(arrive):
    page = answered(arrive("outliers"), "planted")
    assert page.title[0].value
    assert sections(page) == [
        "Ruined images",
        "Your own images",
        "New images",
        "Hidden subspace",
        "Phase map",
    ]
    assert "part" not in page.query_params
    slider = page.select_slider(key="planted_share")
    assert (slider.value, slider.options[:2]) == (0.005, ["1 image", "5 %"])
    text = words(page)
    assert "**One of 200 images is wrong.** By residual CSPCA puts it at place 1" in text
    assert "PCA puts it at place 200" in text
    assert "a small error is no evidence that an image belongs" in text
    assert "AUC" not in tables(page), "of one image a place says all"
    assert ">200</td>" in tables(page)
    assert not page.get("plotly_chart")
    # The wrong one is looked at, although the norm of others may be larger.
    items = picked(page, "Ranking")
    (wrong,) = [item["number"] for item in items if item["kind"] == "marked"]
    assert page.session_state["planted_picked"] == wrong
    page.selectbox(key="planted_method").set_value("pca")
    page = look(page)
    assert "it is number 200 of 200" in words(page)
    last = picked(page, "Ranking")[-1]
    assert (last["number"], last["words"], last["kind"]) == (wrong, "200", "marked")


def test_a_hidden_subspace_opens_with_its_answer(arrive):
    page = answered(arrive("outliers", part="subspace"), "subspace")
    text = words(page)
    assert "**Exact.** CSPCA, not told the rank" in text
    assert "PCA, which is told it, is off by 5.9°" in text
    assert "In this sample it is exact at" in text
    assert "Coherence pursuit" in text
    assert "Exact: CSPCA" in alts(page)
    # Columns that read the same in every row say it once.
    assert "AUC" not in tables(page)
    assert (
        "It is the same of all methods by residual 1.000, by residual ÷ norm 1.000 and by norm "
        "alone 0.500."
    ) in text
    assert "Rank given?" in tables(page)
    labels = [element.label for element in (*page.button, *page.toggle)]
    assert {"New random sample", "Equal norms"} <= set(labels)


def test_a_drag_answers_and_going_back_is_in_memory(arrive, monkeypatch):
    page = answered(arrive("outliers", part="subspace"), "subspace")
    page.select_slider(key="subspace_beta").set_value(0.9)
    page = answered(look(page), "subspace")
    assert "**Not exact.**" in words(page)
    assert page.query_params["subspace-beta"] == "0.9"
    monkeypatch.setattr(suspects, "searched", None)
    page.select_slider(key="subspace_beta").set_value(0.5)
    page = answered(look(page), "subspace")
    assert "**Exact.**" in words(page)
    page.button(key="subspace_again").click()
    monkeypatch.undo()
    page = answered(look(page), "subspace")
    assert page.session_state["subspace_seed"] == 1


def test_a_link_opens_a_section_as_it_was_set(arrive):
    page = answered(
        arrive(
            "outliers", part="subspace", **{"subspace-share": "0.75", "subspace-features": "20"}
        ),
        "subspace",
    )
    assert page.select_slider(key="subspace_share").value == 0.75
    assert "50 inliers among 150 outliers" in words(page)
    page = arrive("outliers", part="subspace", **{"subspace-share": "0.99"})
    assert "The link cannot be followed: share must be" in words(page)


def test_ruined_pictures_are_ranked_beside_the_norm(arrive):
    home = arrive()
    home.button(key="preset_half-ruined").click()
    page = answered(look(home), "planted")
    assert page.query_params["wrong-share"] == "0.5"
    text = words(page)
    assert "the norm of the image alone, no method at all" in text
    assert "nothing has beaten the norm" not in text
    assert "3 of 3 methods have answered" in text
    items = picked(page, "Ranking")
    assert len(items) == 24
    assert {one["kind"] for one in items} <= {"", "marked"}
    first = items[0]["alt"]
    assert first.startswith("Image ")
    assert "ROC of PCA, CSPCA, Norm alone" in alts(page)
    heads = tables(page).partition("</thead>")[0]
    assert heads.count("AUC") == 2, "the norm has a row of its own and needs no column"
    page.select_slider(key="planted_share").set_value(0.1)
    page = answered(look(page), "planted")
    assert "20 of 200 images are wrong; " in words(page)
    assert " of them are among the first 20, by chance 2." in words(page)
    labels = [one.proto.label for one in page.get("download_button")]
    assert {"Report", "Rankings, CSV", "Images, CSV"} <= set(labels)
    assert "d = thinned(load('faces'), 200)" in page.code[-1].value


def test_of_data_that_are_no_images_no_section_speaks_of_images(arrive):
    page = arrive("outliers", data="motion")
    assert sections(page) == ["Your own samples", "New samples", "Hidden subspace", "Phase map"]
    assert "could be ruined" not in words(page)
    page = settled(arrive("outliers", data="motion", part="ruined"))
    assert "has no images that could be ruined" in words(page)
    assert "Most suspicious first" in words(page)


def test_a_part_is_in_no_link_to_another_page_and_is_open_again_on_return(arrive):
    page = settled(arrive("outliers", part="own"))
    assert page.query_params["part"] == "own"
    links = {element.proto.label: element.proto for element in page.get("page_link")}
    assert "part" not in links["Change them on Explore"].query_string
    page.query_params.clear()
    page.switch_page(menu.script("explore"))
    page = look(page)
    assert "part" not in page.query_params
    # The menu names no part: the one that was open last is open.
    page.query_params.clear()
    page.switch_page(menu.script("outliers"))
    page = look(page)
    assert page.session_state["outliers_section"] == "own"
    page.session_state["outliers_section"] = "map"
    page = look(page)
    assert page.query_params["part"] == "map"
    page.query_params.clear()
    page.query_params["data"] = "digits"
    page = look(page)
    assert page.session_state["outliers_section"] == "ruined"
    assert "part" not in page.query_params


@pytest.mark.parametrize("n_images", [4, 12, 200, 1797])
def test_shares_begin_with_one_image_and_leave_two_whole(n_images):
    stops = planted.share_stops(n_images)
    ruined = [round(share * n_images) for share in stops]
    assert ruined[0] == 1
    assert ruined == sorted(ruined)
    assert n_images - ruined[-1] >= 2


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
    # The same choice without a picture: a list, which follows the pictures and is followed.
    listed = page.selectbox(key="odd_listed")
    assert listed.value == items[0]["number"]
    assert listed.options[1].startswith(f"Image {items[1]['number'] + 1}: ")
    listed.select_index(1)
    page = look(page)
    assert page.session_state["odd_picked"] == items[1]["number"]
    assert f"**Image {items[1]['number'] + 1}" in words(page)
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


def test_images_keep_their_numbers_where_others_are_left_out(arrive):
    digits = load("digits")
    few = leave_out(digits, [0, *range(60, 1797)])
    page = settled(arrive("outliers", part="own", data=services().library.add(few)))
    first = picked(page, "Ranking")[0]["number"]
    assert f"**Image {first + 2}, " in words(page)
    assert page.selectbox(key="odd_listed").options[0].startswith(f"Image {first + 2}: ")
    page = settled(arrive("explore", data=services().library.add(few)))
    slider = page.select_slider(key="face_slider")
    assert (slider.options[0], slider.value, slider.options[-1]) == ("2", 1, "60")


def test_images_are_left_out_by_number_on_the_data_page(arrive):
    page = arrive("data", data="digits")
    for text, says in (
        ("9-3", "“9-3” runs backwards: write the smaller number first."),
        ("3, x", "is no number: give some such as 3, 17, 40-45."),
        ("99999", "There is no image 99,999: images run from 1 to 1,797."),
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
    assert "Left out: 1, 4, 5, 6" in words(page)
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
    assert "Every pixel was standardised: its mean" in words(page)
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
    text = words(page)
    assert "does not rebuild this sample: it may be wrong" in text
    assert "Residual ÷ norm is the error as a share of the sample’s own length." in text


def png(height, width, colour=False):
    stream = io.BytesIO()
    shape = (height, width, 3) if colour else (height, width)
    values = np.random.default_rng(0).integers(0, 255, shape, dtype=np.uint8)
    Image.fromarray(values).save(stream, "PNG")
    return stream.getvalue()


def test_names_of_samples_stand_beside_their_numbers_and_are_no_markdown(arrive):
    rng = np.random.default_rng(0)
    data = Dataset(
        rng.random((30, 2)) @ rng.random((2, 6)) / 2,
        sample_names=tuple(f"*s*{row}" for row in range(30)),
        name="people",
    )
    page = settled(arrive("outliers", data=services().library.add(data), part="own"))
    text = words(page)
    table = tables(page)
    residuals = page.session_state["last_result"].fit.sample_residuals
    worst = int(np.argmax(residuals))
    first = table.split("<tbody>")[1].split("</tr>")[0]
    assert f">{worst + 1}<" in first
    assert f">*s*{worst}<" in first
    assert f"Sample {worst + 1} (\\*s\\*{worst})" in text
    assert page.selectbox[0].options[0].startswith(f"sample {worst + 1} (*s*{worst}): ")


def test_samples_that_the_fit_has_seen_are_not_called_new(arrive):
    dataset = load("digits")
    page = settled(arrive("outliers", data="digits", part="new"))
    page.session_state["new_how"] = "files"
    page = look(page)
    unseen = 1.0 - dataset.images[:1]
    page.file_uploader(key="new_files").upload(
        "new.npz", npz(X=np.concatenate([dataset.images[:5], unseen]))
    )
    page = until(look(page), lambda: "6 images" in words(page))
    assert "6 images, 5 of them among those of the fit." in words(page)


def test_a_class_is_held_out_and_new_pictures_are_brought(arrive):
    page = settled(arrive("outliers", part="new"))
    page = answered(page, "new")
    assert "20 images that the fit never saw." in words(page)
    assert [one.proto.label for one in page.get("download_button")] == ["New images, CSV"]
    assert "out = d.target == 0" in page.code[-1].value
    page.session_state["new_how"] = "files"
    page = look(page)
    page.file_uploader(key="new_files").upload("new.png", png(48, 40, colour=True))
    page = until(look(page), lambda: "1 image that the fit never saw." in words(page))
    text = words(page)
    assert "Pictures are resized from 48 × 40 to 32 × 32" in text
    assert "Colours are turned to grey" in text
    assert "larger than that of" in text
    assert "From new.png." in text.replace("\\", "")
    page.button(key="new_remove").click()
    assert "the fit never saw." not in words(look(page))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("words.doc", b"nothing to see", "is of a kind that is not read here"),
        ("broken.png", png(9, 9)[:60], "is damaged"),
    ],
)
def test_a_file_that_is_no_picture_is_refused_in_a_sentence(arrive, name, content, says):
    page = settled(arrive("outliers", part="new"))
    page.session_state["new_how"] = "files"
    page = look(page)
    page.file_uploader(key="new_files").upload(name, content)
    page = until(look(page), lambda: says.replace(".", "") in words(page).replace("\\", ""))


def test_the_phase_map_has_its_button_and_what_it_costs(arrive):
    page = arrive("outliers", part="map")
    assert page.button(key="outliers_run")
    assert "random samples" in words(page)


def test_limits_follow_the_data_and_nothing_of_orl_is_said_of_others(arrive):
    link = {"wrong": "strangers", "wrong-most": "2000"}
    page = answered(arrive("outliers", data="faces", **link), "planted")
    (slider,) = [one for one in page.select_slider if one.key == "planted_most"]
    assert slider.options == ["200", "400"], "the faces are 400"
    assert slider.value == 400
    assert page.select_slider(key="planted_share").options[0] == "1 image"
    assert "ORL" not in words(page)
