"""The Data page by its widgets: bring, fetch, correct, cancel, refuse, use."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from cspca.datasets import NO_LABELS, Dataset, DatasetError, ReadCancelledError, make_faces
from cspca.runs.jobs import JobRegistry
from cspca.runs.loading import LoadingService
from cspca.ui import keys
from cspca.ui.services import services
from tests.app.conftest import look, npz, until, words
from tests.datasets import files

CHOICE = keys.CHOICE


@pytest.fixture(scope="module")
def faces():
    return make_faces(n_people=4, n_per_person=5, image_size=12, random_state=3)


def bring(visitor, *named):
    """Upload files and let them be read."""
    widget = visitor.file_uploader(key=f"{keys.BRING}_{visitor.session_state[keys.UPLOAD_ROUND]}")
    widget.set_value([(name, content, "application/octet-stream") for name, content in named])
    return finished(look(visitor))


def finished(visitor):
    return until(visitor, lambda: keys.LOADING not in visitor.session_state)


def choice(widgets, field):
    """The widget that answers one question; its key says also between what."""
    return next(one for one in widgets if (one.key or "").startswith(f"{CHOICE}_{field}_"))


def draft(visitor):
    return services().loading.opened(visitor.session_state[keys.DRAFT])


def test_at_first_the_set_in_use_is_shown(arrive):
    page = arrive("data")
    assert page.title[0].value == "Which images?"
    text = words(page)
    assert "Rendered faces" in text
    assert text.count("<figcaption>") > 20
    assert "Mean picture" in text
    assert page.get("vega_lite_chart")
    assert keys.DRAFT not in page.session_state


def test_a_file_is_read_shown_and_only_then_taken_in_use(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", npz(X=np.asarray(faces.data), y=faces.target)))
    assert "20 images, 12 × 12, 4 classes" in words(page)
    assert page.session_state[keys.DATA] == "faces"
    page.button(key=keys.USE_DRAFT).click()
    look(page)
    data = page.session_state[keys.DATA]
    assert len(data) > 20
    assert page.query_params[keys.Q_DATA] == data
    assert services().library.get(data).sha256 == faces.sha256
    assert "In use: explore it" in [link.value for link in page.main.page_link]
    page.query_params.clear()
    page.switch_page("pages/explore.py")
    assert "20 images, 12 × 12, 4 classes" in words(look(page))


def test_a_guess_is_changed_and_the_file_read_again_at_once(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", npz(X=np.asarray(faces.data), y=faces.target)))
    choice(page.selectbox, "image_shape").set_value((8, 18))
    finished(look(page))
    assert draft(page).dataset.image_shape == (8, 18)
    assert "8 × 18" in words(page)
    choice(page.segmented_control, "order").set_value("column")
    finished(look(page))
    shape = draft(page).dataset
    assert shape.image_shape == (8, 18)
    np.testing.assert_array_equal(shape.images, faces.data.reshape(-1, 18, 8).swapaxes(1, 2))
    choice(page.selectbox, "labels").set_value(NO_LABELS)
    finished(look(page))
    assert draft(page).dataset.target is None
    assert "the set has no classes" in words(page)


def test_classes_are_renamed(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", npz(X=np.asarray(faces.data), y=faces.target)))
    choice(page.text_area, "class_names").set_value("Ann\n<b>Bo</b>\nCy\nDi\n")
    finished(look(page))
    assert draft(page).dataset.target_names == ("Ann", "<b>Bo</b>", "Cy", "Di")
    assert "<b>Bo</b>" not in words(page)
    assert "&lt;b&gt;Bo&lt;/b&gt;" in words(page)


def test_a_choice_that_does_not_fit_is_one_sentence_and_the_answer_returns(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", npz(X=np.asarray(faces.data), y=faces.target)))
    before = draft(page)
    choice(page.text_area, "class_names").set_value("only one")
    finished(look(page))
    assert "1 class names for 4 classes" in page.error[0].value
    assert draft(page) is before
    assert choice(page.text_area, "class_names").value.count("\n") == 3


def test_smaller_pictures_with_the_effect_shown(arrive):
    page = arrive("data")
    choice(page.selectbox, "size").set_value((16, 16))
    finished(look(page))
    assert draft(page).dataset.image_shape == (16, 16)
    assert page.session_state[keys.DATA] == "faces"
    assert "Before: 32 × 32" in words(page)
    choice(page.selectbox, "size").set_value((32, 32))
    finished(look(page))
    page.toggle(key=keys.NORMALIZE).set_value(True)
    look(page)
    assert "unit norm, mean taken off" in words(page)
    page.toggle(key=keys.CENTER).set_value(False)
    look(page)
    assert "unit norm, brightest pixel" in words(page)


def test_several_pictures_and_a_table(arrive, faces):
    page = arrive("data")
    grey = np.rint(255 * faces.images).astype(np.uint8)
    bring(page, *[(f"p{k}_{k % 2}.png", files.picture(grey[k])) for k in range(6)])
    assert "6 images, 12 × 12" in words(page)
    table = files.csv(np.round(faces.data[:, :5], 4), header=["a", "<script>", "c", "d", "e"])
    bring(page, ("table.csv", table))
    text = words(page)
    assert "20 samples, 5 features" in text
    assert "<script>" not in text
    assert page.dataframe
    choice(page.multiselect, "leave_out").set_value(["<script>"])
    finished(look(page))
    assert draft(page).dataset.n_features == 4


def test_a_file_of_equals_asks_which_array(arrive, faces):
    page = arrive("data")
    bring(page, ("two.mat", files.mat(a=faces.data, b=faces.data[:, ::-1])))
    assert len(page.error) == 1
    page.selectbox(key=f"{CHOICE}_refused").set_value("b")
    finished(look(page))
    assert not page.error
    assert draft(page).recognised.used.data == "b"


HOLES = np.random.default_rng(0).random((6, 16))
HOLES[2, 3] = np.nan


def test_a_refused_file_is_one_sentence_and_what_was_there_stays(arrive, faces):
    page = arrive("data")
    bring(page, ("mine.npz", npz(X=np.asarray(faces.data))))
    kept = draft(page)
    bring(page, ("<b>_bad_.npz", npz(X=HOLES)))
    (error,) = [one.value for one in page.error]
    assert "NaN or infinite" in error
    assert "\\<b\\>\\_bad\\_.npz" in error
    assert draft(page) is kept
    page.toggle(key=keys.DROP_BAD).set_value(True)
    look(page)
    bring(page, ("holes.npz", npz(X=HOLES)))
    assert not page.error
    assert draft(page).dataset.n_samples == 5


def test_put_away_and_taking_another_set_forget_what_was_opened(arrive, faces):
    page = arrive("data")
    content = npz(X=np.asarray(faces.data))
    bring(page, ("mine.npz", content))
    page.button(key=keys.PUT_AWAY).click()
    look(page)
    assert "12 × 12" not in words(page)
    bring(page, ("mine.npz", content))
    page.button(key="use_digits").click()
    look(page)
    assert page.session_state[keys.DATA] == "digits"
    assert "12 × 12" not in words(page)
    assert len(services().loading._shelf) == 0


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
    service = LoadingService(JobRegistry(), fetcher=made)
    object.__setattr__(services(), "loading", service)
    yield made
    made.go.set()


def test_fetching_says_the_terms_first_then_how_far_it_is(arrive, fetcher):
    page = arrive("data")
    text = words(page)
    for term in ("about 4 MB", "AT&amp;T Laboratories", "F. Samaria", "CroppedYale"):
        assert term in text
    page.button(key=keys.FETCH).click()
    look(page)
    until(page, lambda: "1.0 MB of about 4 MB (25 %)" in bar(page))
    fetcher.go.set()
    finished(page)
    assert "20 images, 12 × 12, 4 classes" in words(page)
    assert page.session_state[keys.DATA] == "faces"


def bar(page):
    return " ".join(element.proto.text for element in page.get("progress"))


def test_cancel_leaves_nothing_behind(arrive, fetcher):
    page = arrive("data")
    page.button(key=keys.FETCH).click()
    look(page)
    began = time.monotonic()
    page.button(key=keys.CANCEL_LOAD).click()
    finished(look(page))
    assert time.monotonic() - began < 3
    assert len(services().loading._shelf) == 0
    assert keys.DRAFT not in page.session_state
    assert not page.error
    assert "Rendered faces" in words(page)


def test_offline_is_one_sentence(arrive, fetcher):
    page = arrive("data")
    page.segmented_control(key=keys.REMOTE_CHOICE).set_value("usps")
    look(page)
    page.button(key=keys.FETCH).click()
    finished(look(page))
    assert [error.value for error in page.error] == [
        "USPS could not be fetched: connect this computer and try again."
    ]


def test_two_visitors_see_only_their_own(arrive, faces):
    mine, other = arrive("data"), arrive("data")
    bring(mine, ("mine alone.npz", npz(X=np.asarray(faces.data))))
    bring(other, ("others.npz", npz(X=np.asarray(faces.data[:7]))))
    assert "mine alone" in words(look(mine))
    assert "mine alone" not in words(look(other))
    assert "others" in words(other)
    assert mine.session_state[keys.DRAFT] != other.session_state[keys.DRAFT]


def test_labels_with_gaps_and_large_pictures_are_shown(arrive):
    rng = np.random.default_rng(0)
    big = Dataset(
        data=rng.random((6, 96 * 64)), target=np.array([0, 0, 3, 3, 7, 7]), image_shape=(96, 64)
    )
    page = arrive("data", data=services().library.add(big))
    assert not page.error
    assert words(page).count("· 2</figcaption>") == 3
    assert words(page).count("· 0</figcaption>") == 5
