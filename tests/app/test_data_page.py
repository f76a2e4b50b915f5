"""The Data page by its widgets: bring, fetch, correct, cancel, refuse, use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from zlib import crc32

import numpy as np
import pytest
import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile
from streamlit.testing.v1 import AppTest

from cspca.datasets import (
    NONE,
    PICTURE_NOUNS,
    Answer,
    Answers,
    Dataset,
    DatasetError,
    Question,
    ReadCancelledError,
    Reading,
    make_faces,
)
from cspca.experiments.database import HOME_VARIABLE
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.loading import LoadingService
from cspca.figures.features import class_sizes
from cspca.ui import menu, pictures
from cspca.ui.data_page import sources
from cspca.ui.data_page.preview import full_columns
from cspca.ui.data_page.questions import previews_key, requested_value, size_in
from cspca.ui.plain import plain
from cspca.ui.services import services
from tests.app.conftest import MAIN, REPOSITORY, bars, look, npz, question, read, until, words
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture(scope="module")
def faces():
    return make_faces(n_people=4, n_per_person=5, image_size=12, random_state=3)


def bring(visitor, *named):
    """Upload files and let them be read."""
    widget = uploader(visitor, "bring")
    widget.set_value([(name, content, "application/octet-stream") for name, content in named])
    return read(visitor)


def plain_file(faces, n=None):
    """A file that leaves no question open."""
    shape = np.array(faces.image_shape)
    return npz(X=np.asarray(faces.data[:n]), y=faces.target[:n], image_shape=shape)


def uploader(visitor, place):
    rounds = visitor.session_state["upload_round"]
    return visitor.file_uploader(key=f"upload_file_{place}" + (f"_{rounds}" if rounds else ""))


def choice(widgets, field):
    """The widget that answers one question; its key says also between what."""
    return next(one for one in widgets if (one.key or "").startswith(f"choice_{field}_"))


def draft(visitor):
    return services().loading.drafts.get(visitor.session_state["draft_job"])


def test_at_first_the_set_in_use_is_shown(arrive):
    page = arrive("data")
    assert question(page) == "Which images?"
    text = words(page)
    assert "All 20 classes have 20 images each." in [one.value for one in page.main.markdown]
    place = page.file_uploader(key="upload_file_bring")
    assert place.label == "Upload files"
    assert ".mat" in place.help
    assert [tab.label for tab in page.tabs] == ["Built in", "Fetch", "On request"]
    assert "Other sets" not in [box.label for box in page.expander]
    assert "Rendered faces" in text
    assert "Where do the images differ?" in text
    assert "Anyone with this link can see it." not in text
    assert text.count("<figcaption>") > 20
    assert "Mean image" in text
    assert not page.get("plotly_chart")
    assert "draft_job" not in page.session_state
    assert "Every step, with its numbers" in [box.label for box in page.expander]
    assert "Pictures were rendered with grey levels of 0 – 1." in text


def test_its_pictures_are_encoded_once(arrive, monkeypatch):
    page = arrive("data")
    before, encoded, encode = words(page), [], pictures.drawn.data_uri

    def count(picture):
        encoded.append(picture.shape)
        return encode(picture)

    monkeypatch.setattr(pictures.drawn, "data_uri", count)
    look(page)
    assert words(page) == before
    assert len(encoded) == 2, "only the image that is chosen, and what the fit sees of it"


def test_it_is_drawn_without_scikit_learn(tmp_path):
    """Its import takes a second and 60 MB; other pages need it."""
    script = f"""
import sys
from streamlit.testing.v1 import AppTest
page = AppTest.from_file({str(MAIN)!r}, default_timeout=120)
page.switch_page({menu.script("data")!r})
page.run()
assert not page.exception, page.exception
assert page.title[0].value == "Data"
loaded = {{"sklearn", "scipy.stats", "joblib"}} & {{*sys.modules}}
assert not loaded, loaded
"""
    environment = os.environ | {HOME_VARIABLE: str(tmp_path)}
    process = subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=REPOSITORY,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr


def test_a_file_is_read_shown_and_only_then_taken_in_use(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    assert "20 images, 12 × 12, 4 classes" in words(page)
    (others,) = [box for box in page.expander if box.label == "Other sets"]
    assert [tab.label for tab in others.tabs] == ["Your sets", "Built in", "Fetch", "On request"]
    assert page.session_state["view_data"] == "faces"
    assert "- Samples are the rows of the array X." in words(page)
    page.button(key="use_draft_button").click()
    look(page)
    data = page.session_state["view_data"]
    assert len(data) > 20
    assert page.query_params["data"] == data
    assert services().library.get(data).sha256 == faces.sha256
    assert "Explore this data set" in [link.value for link in page.main.page_link]
    assert "Anyone with this link can see it." in words(page)
    page.query_params.clear()
    page.switch_page(menu.script("explore"))
    assert "20 images, 12 × 12, 4 classes" in words(look(page))


def test_an_answer_is_changed_and_the_file_read_again_at_once(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    choice(page.segmented_control, "order").set_value("column")
    read(page)
    choice(page.selectbox, "shape").set_value((8, 18))
    read(page)
    turned = draft(page).dataset
    assert turned.image_shape == (8, 18)
    assert "8 × 18" in words(page)
    np.testing.assert_array_equal(turned.images, faces.data.reshape(-1, 18, 8).swapaxes(1, 2))
    choice(page.segmented_control, "classes_from").set_value(NONE)
    read(page)
    assert draft(page).dataset.target is None
    assert "the set has no classes" in words(page)


def test_every_decision_has_its_evidence_and_says_how_sure_it_is(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    decisions = [one.value for one in page.main.markdown if "-badge[" in one.value]
    questions = draft(page).reading.questions.values()
    assert len(decisions) == len(questions) == 7
    assert "**What says the class of each sample?** :gray-badge[sure]" in decisions
    assert "**How do the pixels of a picture follow each other?** :gray-badge[default]" in (
        decisions
    )
    evidence = [one.value for one in page.main.caption]
    sentences = [question.sentence for question in questions if question.sentence]
    assert len(sentences) >= 2
    assert {plain(sentence) for sentence in sentences} <= {*evidence}
    choice(page.segmented_control, "order").set_value("column")
    read(page)
    answered = "**How do the pixels of a picture follow each other?** :gray-badge[your answer]"
    assert answered in [one.value for one in page.main.markdown]


def test_what_settled_answers_give_is_made_once_a_box_is_opened(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    page.button(key="use_draft_button").click()
    look(page)
    before, job = draft(page), page.session_state["draft_job"]
    assert before.reading.previews == {}
    assert [box.label for box in page.expander].count("What each would give") == 4
    for key in ("order", "samples"):
        page.session_state[previews_key(before, key)] = True
        read(page)
    assert set(draft(page).reading.previews) == {"order", "samples"}
    text = words(page)
    assert "First pictures by Down columns: 20 images, 12 × 12." in text
    assert "<figcaption>Columns: 144 samples, 20 features</figcaption>" in text
    assert page.session_state["draft_job"] == job
    assert draft(page).proposed is before.proposed
    assert "Explore this data set" in [link.value for link in page.main.page_link]
    choice(page.segmented_control, "order").set_value("column")
    read(page)
    assert draft(page).reading.previews == {}
    assert "First pictures by " not in words(page)


def test_previews_that_cannot_be_made_say_why_in_their_box(arrive, faces, monkeypatch):
    def refuses(*arguments, **watching):
        raise DatasetError("mine.npz does not fit in memory: cut it into smaller files.")

    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    monkeypatch.setattr("cspca.experiments.loading.preview_questions", refuses)
    page.session_state[previews_key(draft(page), "order")] = True
    read(page)
    assert "mine.npz does not fit in memory: cut it into smaller files." in words(page)


def test_previews_that_are_cancelled_are_not_made_at_once_again(arrive, faces, monkeypatch):
    requests = []

    def waits(*arguments, cancelled, **watching):
        requests.append(arguments)
        while not cancelled():
            threading.Event().wait(0.01)
        raise ReadCancelledError("mine.npz")

    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    monkeypatch.setattr("cspca.experiments.loading.preview_questions", waits)
    page.session_state[previews_key(draft(page), "order")] = True
    look(page)
    assert "The file is being read for this." in words(page)
    page.button(key="cancel_load_button_page").click()
    read(page)
    assert "Cancelled: close this box and open it again." in words(page)
    look(page)
    assert len(requests) == 1


def test_an_open_question_keeps_the_set_from_being_used_until_it_is_answered(arrive):
    page = arrive("data")
    ages = np.random.default_rng(0).permutation(np.repeat(np.arange(60), 2))
    bring(page, ("ages.npz", npz(X=np.random.default_rng(1).random((120, 30)), target=ages)))
    assert page.info[0].value == "One answer is needed before the set can be used."
    use = page.button(key="use_draft_button")
    assert use.disabled
    assert use.help == "Answer the open questions below first."
    assert "60 classes" in words(page)
    page.button(key="answer_classes_from_0").click()
    read(page)
    assert not page.info
    assert draft(page).dataset.n_classes == 60
    page.button(key="use_draft_button").click()
    assert in_use(look(page)).n_classes == 60


def test_what_each_answer_gives_is_shown_beside_its_button(arrive, faces):
    page = arrive("data")
    bring(page, ("bare.npz", npz(X=np.asarray(faces.data))))
    open_questions = draft(page).reading.open_questions
    assert list(open_questions) == ["samples", "features"]
    text = words(page)
    assert "<figcaption>Rows: 20 images, 12 × 12</figcaption>" in text
    assert "<figcaption>Columns: 144 samples, 20 features</figcaption>" in text
    page.button(key="answer_samples_0").click()
    read(page)
    page.button(key="answer_features_0").click()
    read(page)
    page.session_state[previews_key(draft(page), "shape")] = True
    read(page)
    assert "<figcaption>16 × 9: 20 images, 16 × 9</figcaption>" in words(page)
    (shapes,) = [box for box in page.selectbox if str(box.key).startswith("choice_shape_")]
    shapes.set_value((16, 9))
    read(page)
    assert not page.info
    assert draft(page).dataset.image_shape == (16, 9)
    assert draft(page).answers.values == {
        "samples": "rows", "features": "pixels", "shape": (16, 9)
    }  # fmt: skip


def test_an_open_set_stays_among_ones_own_and_is_answered_later(arrive, faces):
    page = arrive("data")
    bring(page, ("bare.npz", npz(X=np.asarray(faces.data))))
    page.button(key="use_digits").click()
    look(page)
    assert own_sets(page)["bare"] == "2 questions open, just now"
    assert not [one for one in page.menu_button(key="choose_set").options if "bare" in one]
    ((job, _),) = services().loading.drafts.items()
    assert page.button(key=f"use_own_{job}").label == "Answer"
    page.button(key=f"use_own_{job}").click()
    look(page)
    assert page.session_state["view_data"] == "digits"
    assert "2 answers are needed" in page.info[0].value


def test_a_file_that_makes_no_set_yet_shows_its_questions(arrive, faces):
    page = arrive("data")
    empty = np.full((30, 200), np.nan)
    bring(page, ("two.npz", npz(empty=empty, good=faces.data, y=faces.target)))
    assert draft(page).proposed is None
    (warning,) = page.warning
    assert "two.npz holds no sample" in warning.value
    assert page.button(key="use_draft_button").disabled
    assert page.button(key="answer_data_0").label == "empty"
    page.button(key="answer_data_1").click()
    read(page)
    assert not page.warning
    assert draft(page).proposed.n_samples == 20


def test_an_answer_that_gives_no_set_is_refused_and_the_set_stays(arrive, faces):
    page = arrive("data")
    few = np.full((3, 4), np.nan)
    bring(page, ("two.npz", npz(few=few, good=faces.data, y=faces.target)))
    before = draft(page)
    page.button(key="answer_data_1").click()
    read(page)
    (error,) = [one.value for one in page.error]
    assert "“few” was not taken. two.npz holds no sample" in error
    assert draft(page) is before


def test_a_measured_target_is_no_class_and_says_so_when_it_is_chosen(arrive):
    page = arrive("data")
    energies = np.random.default_rng(0).normal(size=(60, 1))
    bring(page, ("soap.npz", npz(X=np.random.default_rng(1).random((60, 30)), Y=energies)))
    assert draft(page).dataset.target is None
    assert "Y holds numbers that are not whole" in words(page)
    choice(page.segmented_control, "classes_from").set_value("Y")
    read(page)
    (error,) = [one.value for one in page.error]
    assert "“Y” was not taken." in error
    assert "a measured target, no classes" in error
    assert draft(page).dataset.target is None


def test_samples_without_a_label_are_said_and_no_class(arrive, faces):
    page = arrive("data")
    y = faces.target.astype(float)
    y[::5] = np.nan
    bring(page, ("partly.npz", npz(X=faces.data, y=y, image_shape=np.array([12, 12]))))
    text = words(page)
    assert "20 images, 12 × 12, 4 classes, 4 without a label" in text
    assert "4 without a label: they are left out of scores" in text
    assert "4 of 20 images have no label: fitted and clustered like the others" in text
    assert len(page.error) == 0
    assert text.count("· 4 images") == 4


def test_classes_are_renamed(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    choice(page.text_area, "class_names").set_value("Ann\n<b>Bo</b>\nCy\nDi\n")
    read(page)
    assert draft(page).dataset.target_names == ("Ann", "<b>Bo</b>", "Cy", "Di")
    assert "<b>Bo</b>" not in words(page)
    assert "&lt;b&gt;Bo&lt;/b&gt;" in words(page)


def type_in(widget, text):
    """Type what is not offered; AppTest alone knows of what is offered only."""
    widget.options.append(text)
    widget.set_value(text)


def right_after(page, widget):
    """The sentence that stands next to a widget."""
    everything = [element for element in page.main if hasattr(element, "value")]
    place = next(k for k, one in enumerate(everything) if getattr(one, "key", None) == widget.key)
    return everything[place + 1]


def test_names_that_do_not_fit_are_refused_beside_them_and_stay_to_be_mended(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    before = draft(page)
    choice(page.text_area, "class_names").set_value("only one")
    read(page)
    (error,) = page.error
    assert "1 class names for 4 classes" in error.value
    names = choice(page.text_area, "class_names")
    assert right_after(page, names).value == error.value
    assert draft(page) is before
    assert names.value == "only one"
    names.set_value("Ann\nBo\nCy\nDi")
    read(page)
    assert not page.error
    assert draft(page).dataset.target_names == ("Ann", "Bo", "Cy", "Di")


def test_any_height_and_width_may_be_typed(arrive, faces):
    page = arrive("data")
    for typed in ["9 × 16", "9x16", " 9 by 16", "9*16", "9, 16"]:
        bring(page, ("mine.npz", plain_file(faces)))
        type_in(choice(page.selectbox, "shape"), typed)
        read(page)
        assert not page.error
        assert draft(page).dataset.image_shape == (9, 16)
        assert choice(page.selectbox, "shape").value == (9, 16)


WRONG_SHAPES = [
    ("20 × 30", "an image of 20 × 30 does not have 144 pixels"),
    ("0 x 0", "each at least 1: 28 × 20"),
    ("12", "each at least 1: 28 × 20"),
    ("<b>wide</b>", "each at least 1: 28 × 20"),
]


def test_a_wrong_shape_is_refused_beside_the_question(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    before = draft(page)
    for typed, why in WRONG_SHAPES:
        type_in(choice(page.selectbox, "shape"), typed)
        read(page)
        (error,) = page.error
        assert why in error.value
        assert error.value.startswith(
            "“" + typed.replace("<", "\\<").replace(">", "\\>") + "” was not taken"
        )
        shape = choice(page.selectbox, "shape")
        assert right_after(page, shape).value == error.value
        assert draft(page) is before
        assert shape.value == (12, 12)
    page.button(key="use_draft_button").click()
    look(page)
    assert not page.error


@pytest.mark.parametrize(
    ("typed", "size"), [("20", (20, 20)), ("10 × 7", (10, 7)), ("40 x 9", (40, 9))]
)
def test_any_size_may_be_typed(arrive, typed, size):
    page = arrive("data")
    type_in(choice(page.selectbox, "size"), typed)
    read(page)
    assert draft(page).dataset.image_shape == size
    type_in(choice(page.selectbox, "size"), "4000")
    read(page)
    (error,) = page.error
    assert "choose sides from 1 to 512" in error.value
    assert right_after(page, choice(page.selectbox, "size")).value == error.value
    assert draft(page).dataset.image_shape == size


def test_one_number_is_the_longer_side():
    assert size_in("56", (112, 92)) == (56, 46)
    assert size_in("1", (112, 2)) == (1, 1)
    assert size_in("0", (112, 92)) is None


def test_smaller_pictures_with_the_effect_shown(arrive):
    page = arrive("data")
    choice(page.selectbox, "size").set_value((16, 16))
    read(page)
    assert draft(page).dataset.image_shape == (16, 16)
    assert page.session_state["view_data"] == "faces"
    assert "Before: 32 × 32" in words(page)
    choice(page.selectbox, "size").set_value((32, 32))
    read(page)
    page.toggle(key="fit_normalize").set_value(True)
    look(page)
    assert "unit norm, mean subtracted" in words(page)
    page.toggle(key="fit_center").set_value(False)
    look(page)
    assert "unit norm, brightest pixel" in words(page)


@pytest.mark.parametrize(
    ("count", "most", "columns"), [(30, 12, 10), (8, 6, 4), (12, 6, 6), (5, 6, 5), (96, 12, 12)]
)
def test_few_pictures_fill_their_rows(count, most, columns):
    assert full_columns(count, most) == columns


def test_spectra_are_shown_as_curves_and_other_tables_are_not(arrive):
    page = arrive("data")
    rows = np.cumsum(np.random.default_rng(0).random((40, 30)), axis=1).round(3)
    bring(page, ("nir.csv", files.csv(rows.tolist(), [f"{400 + 5 * k} nm" for k in range(30)])))
    text = words(page)
    assert "24 of 40 spectra, from 400 nm to 545 nm, with values from 0 to 0.98." in text
    assert "30 wavelengths a spectrum. The first values, as they are used." in text
    bring(page, ("genes.csv", files.csv(rows.tolist(), [f"CD{k}A" for k in range(30)])))
    assert "of 40 spectra, from " not in words(page)


def test_several_pictures_and_a_table(arrive, faces):
    page = arrive("data")
    grey = np.rint(255 * faces.images).astype(np.uint8)
    bring(page, *[(f"p{k}_{k % 2}.png", files.picture(grey[k])) for k in range(6)])
    assert "6 images, 12 × 12" in words(page)
    names = np.array(["a", "<script>", "c", "d", "e"])
    few = npz(X=faces.data[:, :5], y=faces.target, feature_names=names)
    bring(page, ("table.npz", few))
    text = words(page)
    assert "Where do the samples differ?" in text
    assert "20 samples, 5 features" in text
    assert "<script>" not in text
    (shown,) = page.dataframe
    assert list(shown.value.columns) == ["0", "1", "2", "3", "4"]
    headings = [
        column["label"] for column in json.loads(shown.proto.columns).values() if "label" in column
    ]
    assert headings == ["a", "<script>", "c", "d", "e"]
    assert "Standard deviations run from" in text


def test_a_file_of_equals_asks_which_array(arrive, faces):
    page = arrive("data")
    bring(page, ("two.mat", files.mat(a=faces.data, b=faces.data[:, ::-1], y=faces.target)))
    assert "Which array holds the samples?" in words(page)
    answers = [answer.value for answer in draft(page).reading.questions["data"].answers]
    page.button(key=f"answer_data_{answers.index('b')}").click()
    read(page)
    assert not page.error
    assert draft(page).answers.values["data"] == "b"


HOLES = np.random.default_rng(0).random((6, 16))
HOLES[2, 3] = np.nan


def test_a_refused_file_is_one_sentence_and_what_was_there_stays(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    before = draft(page)
    bring(page, ("<b>_bad_.npz", b"PK no archive"))
    (error,) = [one.value for one in page.error]
    assert "\\<b\\>\\_bad\\_.npz" in error
    assert draft(page) is before
    # No doubt which file it is that can be used.
    text = words(page)
    assert "Nothing below has changed: it is still mine.npz." in text
    assert "From mine.npz, not in use yet." in text


ROLES = (
    Answer("feature", "A feature"),
    Answer("target", "A target", "age holds a different number in each row.", "measured"),
    Answer("class", "The class of each sample"),
    Answer("out", "Left out"),
)


@pytest.fixture
def table_reader(monkeypatch):
    """Reads every file as a table whose column age is in question."""

    def reads(named, name, answers, **watching):
        roles = answers.values.get("roles", {})
        questions = {"header": Question("header", "Does the first row name the columns?", (
            Answer(True, "Yes", "No cell of it is a number."), Answer(False, "No"),
        ), "sure")}  # fmt: skip
        for column in dict.fromkeys(["age", *roles]):
            question = Question("roles", f"What is {column}?", ROLES, "open", subject=column)
            if column in roles:
                question = question.answered(roles[column], name)
            questions[question.key] = question
        data = np.random.default_rng(0).random((6, 3))
        dataset = Dataset(data=data, feature_names=("age", "<i>mass</i>", "height"), name="table")
        return Reading(name, "table", answers, questions, dataset, "6 samples, 3 features")

    monkeypatch.setattr("cspca.experiments.loading.read_files", reads)


def test_columns_in_question_are_asked_about_and_every_other_is_reached(arrive, table_reader):
    page = arrive("data")
    bring(page, ("table.csv", b"anything"))
    assert "**What is age?**" in [one.value for one in page.main.markdown]
    column = f"{crc32(b'age'):08x}"
    assert "age holds a different number in each row." in words(page)
    page.button(key=f"answer_roles_{column}_1").click()
    read(page)
    assert draft(page).answers.values == {"roles": {"age": "target"}}
    assert draft(page).is_decided
    other = next(one for one in page.selectbox if (one.key or "").startswith("other_column_"))
    assert other.label == "Another of 3 columns"
    other.set_value("<i>mass</i>")
    read(page)
    assert draft(page).answers.values["roles"] == {"age": "target", "<i>mass</i>": "feature"}
    assert "**What is \\<i\\>mass\\</i\\>?** :gray-badge[your answer]" in [
        one.value for one in page.main.markdown
    ]
    mass = f"roles_{crc32(b'<i>mass</i>'):08x}"
    choice(page.selectbox, mass).set_value("out")
    read(page)
    assert draft(page).answers.values["roles"]["<i>mass</i>"] == "out"


def test_while_an_answer_is_read_the_questions_about_columns_keep_theirs():
    name = Answer("name", "The name of each sample")
    column = Question("roles", "What is patient?", (name,), "sure", subject="patient")
    assert requested_value(column, Answers({"scale": "stretch"})) == "name"
    assert requested_value(column, Answers({"roles": {"other": "feature"}})) == "name"
    assert requested_value(column, Answers({"roles": {"patient": "feature"}})) == "feature"


def test_missing_values_are_asked_about_with_what_each_answer_leaves_out(arrive):
    page = arrive("data")
    names = np.array([f"gene {number}" for number in range(16)])
    classes = np.array([0, 0, 0, 1, 1, 1])
    bring(page, ("holes.npz", npz(X=HOLES, y=classes, feature_names=names)))
    assert list(draft(page).reading.open_questions) == ["missing"]
    assert "1 value is missing or infinite" in words(page)
    assert [page.button(key=f"answer_missing_{number}").label for number in range(3)] == [
        "Leave out 1 feature", "Leave out 1 sample", "Put the mean of its feature in place of each",
    ]  # fmt: skip
    assert [answer.example for answer in draft(page).reading.open_questions["missing"].answers] == [
        "1 feature of 16", "1 sample of 6", "1 value", "1 value"
    ]  # fmt: skip
    page.button(key="answer_missing_1").click()
    read(page)
    assert not page.error
    assert draft(page).dataset.n_samples == 5


def own_sets(page):
    """Names on the list of the visitor's own sets on the Data page, each with its size."""
    (listed,) = [tab for tab in page.tabs if tab.label == "Your sets"] or [None]
    return {} if listed is None else dict(
        zip([one.value for one in listed.text], [one.value for one in listed.caption], strict=True)
    )  # fmt: skip


def test_what_is_removed_is_forgotten_and_what_makes_way_is_among_ones_own_sets(arrive, faces):
    page = arrive("data")
    content = plain_file(faces)
    bring(page, ("mine.npz", content))
    page.button(key="remove_draft_button").click()
    look(page)
    assert "12 × 12" not in words(page)
    assert own_sets(page) == {}
    assert services().loading.drafts.items() == []
    bring(page, ("mine.npz", content))
    page.button(key="use_digits").click()
    look(page)
    assert page.session_state["view_data"] == "digits"
    assert "12 × 12" not in words(page)
    assert list(own_sets(page)) == ["mine"]
    ((job, opened),) = services().loading.drafts.items()
    page.button(key=f"use_own_{job}").click()
    look(page)
    assert in_use(page).sha256 == opened.dataset.sha256


def test_an_upload_is_found_again_on_data_and_in_the_sidebar_by_its_visitor_alone(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    page.button(key="use_draft_button").click()
    data = look(page).session_state["view_data"]
    again, stranger = arrive("data", of=page), arrive("data")
    assert again.session_state["view_data"] == "faces"
    assert again.tabs[0].label == "Your sets"
    assert own_sets(again) == {"mine": "20 images, 0.0 MB, just now"}
    again.button(key=f"use_own_{data}").click()
    assert look(again).session_state["view_data"] == data
    assert again.button(key=f"use_own_{data}").disabled
    assert own_sets(stranger) == {}
    assert "mine" not in " ".join(stranger.menu_button(key="choose_set").options)
    # The sidebar of every page offers them first.
    other = arrive("explore", of=page)
    choice = other.menu_button(key="choose_set")
    assert choice.options[0].startswith("mine · 20 images, 0.0 MB · today, ")
    choice.click(data)
    assert look(other).session_state["view_data"] == data
    assert not [one for one in other.menu_button(key="choose_set").options if "mine" in one]


def test_a_set_that_is_gone_is_not_offered_and_one_that_just_went_is_one_sentence(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    page.button(key="use_draft_button").click()
    data = look(page).session_state["view_data"]
    late = arrive("data", of=page)
    services().library._uploads.drop(data)
    services().loading.drafts.drop(page.session_state["draft_job"])
    late.button(key=f"use_own_{data}").click()
    look(late)
    assert late.session_state["view_data"] == "faces"
    assert [error.value for error in late.error] == [
        "The data set of this link is not kept here any more: upload the file again."
    ]
    assert own_sets(late) == {}


def test_two_sets_of_one_name_are_two(arrive, faces):
    page = arrive("data")
    for rows in (10, 12):
        bring(page, ("mine.npz", plain_file(faces, rows)))
        page.button(key="use_draft_button").click()
        look(page)
    options = arrive("explore", of=page).menu_button(key="choose_set").options
    assert [one.split(" · ")[1] for one in options if one.startswith("mine")] == [
        "12 images, 0.0 MB",
        "10 images, 0.0 MB",
    ]


class Fetcher:
    """Stands in for the network: it fetches slowly, or not at all."""

    def __init__(self, faces):
        self.faces, self.go, self.asked = faces, threading.Event(), 0

    def __call__(self, name, *, progress, cancelled):
        self.asked += 1
        if name == "usps":
            raise DatasetError("USPS could not be fetched: connect this computer and try again.")
        while not self.go.wait(0.01):
            progress(0.25, "1.0 MB of about 4 MB")
            if cancelled():
                raise ReadCancelledError("Fetching was cancelled.")
        return self.faces


@pytest.fixture
def fetcher(server, faces, monkeypatch):
    made = Fetcher(faces)
    monkeypatch.setattr("cspca.experiments.loading.fetch", made)
    service = LoadingService(JobRegistry())
    object.__setattr__(services(), "loading", service)
    yield made
    made.go.set()


def test_fetching_says_the_terms_first_then_how_far_it_is(arrive, fetcher):
    page = arrive("data")
    text = words(page)
    for term in ("about 4 MB", "AT\\&T Laboratories", "F. Samaria", "CroppedYale"):
        assert term in text
    page.button(key="fetch_button").click()
    look(page)
    until(page, lambda: "1.0 MB of about 4 MB (25 %)" in bar(page))
    fetcher.go.set()
    read(page)
    assert "20 images, 12 × 12, 4 classes" in words(page)
    assert page.session_state["view_data"] == "faces"


def bar(page):
    return " ".join(bars(page))


def test_offline_is_one_sentence(arrive, fetcher):
    page = arrive("data")
    page.segmented_control(key="remote_choice").set_value("usps")
    look(page)
    page.button(key="fetch_button").click()
    read(page)
    (error,) = page.error
    assert error.value == "USPS could not be fetched: connect this computer and try again."
    assert right_after(page, page.button(key="fetch_button")).value == error.value
    assert "it is still Rendered faces, in use." in words(page)
    # It belongs to that set alone.
    page.segmented_control(key="remote_choice").set_value("olivetti")
    assert not look(page).error


def quick(page, where, *named):
    """Upload files in passing and let them be read."""
    widget = uploader(page, where)
    widget.set_value([(name, content, "application/octet-stream") for name, content in named])
    return look(page)


def in_use(page):
    return services().library.get(page.session_state["view_data"])


def test_a_file_brought_in_passing_is_answered_on_data_before_it_is_used(arrive, faces):
    page = arrive("explore")
    two = files.mat(a=faces.data, b=faces.data[:, ::-1])
    read(quick(page, "sidebar", ("two.mat", two)))
    (warning,) = [one.value for one in page.warning]
    assert warning.endswith("questions about two.mat are open: answer on the Data page.")
    assert page.session_state["view_data"] == "faces"
    assert "Answer on Data" in [link.label for link in page.sidebar.page_link]
    page.switch_page(menu.script("data"))
    assert "Which array holds the samples?" in words(look(page))


def test_labels_with_gaps_and_large_pictures_are_shown(arrive):
    rng = np.random.default_rng(0)
    big = Dataset(
        data=rng.random((6, 96 * 64)), target=np.array([0, 0, 3, 3, 7, 7]), image_shape=(96, 64)
    )
    page = arrive("data", data=services().library.add(big))
    assert not page.error
    assert words(page).count("· 2 images</figcaption>") == 3
    assert words(page).count("· 0 images</figcaption>") == 5


def test_what_was_taken_already_and_is_named_once_more_is_passed_over(monkeypatch):
    """A slow browser names its files again before it hears that they were taken."""
    monkeypatch.setattr(st, "session_state", {"upload": [DeletedFile("1"), DeletedFile("2")]})
    assert sources.taken("upload") == ()
    assert st.session_state["upload_round"] == 0


def test_an_opened_file_is_there_after_a_reload_for_its_visitor_alone(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", plain_file(faces)))
    look(page)
    address = dict(page.query_params)
    stranger = arrive("data", **address)
    assert "From mine.npz, not in use yet." not in words(stranger)
    secret = page.session_state["visitor_secret"]
    again = AppTest.from_file(str(MAIN), default_timeout=60)
    again.switch_page(menu.script("data"))
    again.session_state["visitor_secret"] = secret
    for name, value in address.items():
        again.query_params[name] = value
    assert "From mine.npz, not in use yet." in words(look(again))
    again.button(key="remove_draft_button").click()
    assert "From mine.npz, not in use yet." not in words(look(again))
    assert services().loading.drafts.get(address["draft"]) is None
    assert "draft" not in again.query_params


def test_one_is_one_image(arrive):
    pixels = np.random.default_rng(0).random((4, 36))
    page = arrive("data")
    labels, shape = np.array([0, 0, 0, 1]), np.array([6, 6])
    bring(page, ("few.npz", npz(X=pixels, y=labels, image_shape=shape)))
    assert "· 1 image<" in words(page)
    assert "1 images" not in words(page)


def test_one_sample_each_is_one_sample():
    assert class_sizes(["a", "b"], [1, 1]).layout.meta["alt"] == "Both classes have 1 sample each."
    assert class_sizes(["a"], [3]).layout.meta["alt"] == "The only class has 3 samples."
    images = class_sizes(["a", "b", "c"], [4, 4, 4], PICTURE_NOUNS)
    assert images.layout.meta["alt"] == "All 3 classes have 4 images each."
