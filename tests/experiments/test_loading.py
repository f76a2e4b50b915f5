"""Reading in the background: progress, cancel, refusal, and what is kept until it is used."""

from __future__ import annotations

import io
import threading
import time
import zipfile

import numpy as np
import pytest

from cspca.datasets import (
    NONE,
    Answers,
    Dataset,
    DatasetError,
    ReadCancelledError,
    UndecidedError,
    leave_out,
    make_faces,
    standardised,
)
from cspca.experiments import loading
from cspca.experiments.fit import feature_names
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.ledger import memory_of
from cspca.experiments.loading import (
    LoadingService,
    Opened,
    Origin,
    Source,
    check_varies,
    files_in_words,
)
from tests.datasets import files

FACES = make_faces(4, 5, 16)
PROPOSED = Answers()
SHAPE = np.array(FACES.image_shape)
CONTENT = files.npz(X=np.asarray(FACES.data), y=FACES.target, image_shape=SHAPE)


@pytest.fixture
def service():
    made = LoadingService(JobRegistry())
    yield made
    made.jobs.close()


def again(service, job, answers):
    old = service.drafts.get(job)
    return service.read(old.source, answers, old=old)


def done(service, job):
    assert service.jobs.join(job, 20)
    return service.jobs.view(job)


def test_a_file_is_read_and_kept_under_its_job(service):
    job = service.read(Source("a.npz", (("a.npz", CONTENT),)), PROPOSED)
    progress = done(service, job)
    assert progress.state == "done"
    assert progress.error is None
    assert progress.snapshot.fraction == 1
    opened = service.drafts.get(job)
    np.testing.assert_array_equal(opened.dataset.data, FACES.data)
    assert service.drafts.get("other") is None
    service.drafts.drop(job)
    assert service.drafts.get(job) is None


@pytest.mark.usefixtures("at_home")
def test_previews_are_added_to_a_draft_that_keeps_its_id_and_its_set(service):
    job = service.read(Source("a.npz", (("a.npz", CONTENT),)), PROPOSED)
    done(service, job)
    before = service.drafts.get(job)
    assert done(service, service.preview(job, ["order", "shape"])).error is None
    after = service.drafts.get(job)
    assert after.proposed is before.proposed
    assert {key: len(shown) > 1 for key, shown in after.reading.previews.items()} == {
        "order": True, "shape": True
    }  # fmt: skip
    service.drafts.drop(job)
    with pytest.raises(ValueError, match="no longer on the server: upload its file again"):
        service.preview(job, ["order"])


@pytest.mark.usefixtures("at_home")
def test_it_is_read_again_by_other_answers(service):
    job = service.read(Source("a.npz", (("a.npz", CONTENT),)), PROPOSED)
    done(service, job)
    smaller = again(service, job, Answers(size=(8, 8)))
    done(service, smaller)
    opened = service.drafts.get(smaller)
    assert opened.dataset.image_shape == (8, 8)
    assert opened.before is service.drafts.get(job).dataset
    other = again(service, smaller, Answers(size=(4, 4)))
    done(service, other)
    assert service.drafts.get(other).before is opened.before
    turned = again(service, other, Answers.of(size=(4, 4), order="column"))
    done(service, turned)
    assert service.drafts.get(turned).before is None, "they were not what this was made of"


def test_a_set_that_is_known_is_made_smaller_and_not_copied(service):
    same = service.read(Source("faces", dataset=FACES), PROPOSED)
    done(service, same)
    assert service.drafts.get(same).dataset.sha256 == FACES.sha256
    assert memory_of(service.drafts.get(same)) < 1.4 * FACES.data.nbytes
    small = service.read(Source("faces", dataset=FACES), Answers(size=(8, 8)))
    done(service, small)
    assert service.drafts.get(small).before is FACES
    assert memory_of(service.drafts.get(small)) < 1.7 * FACES.data.nbytes


def archive_of(count):
    stream = io.BytesIO()
    picture = files.picture(np.arange(64 * 64, dtype=np.uint8).reshape(64, 64))
    other = files.picture(np.zeros((64, 64), np.uint8))
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(count):
            archive.writestr(f"{number % 7}/{number}.png", other if number % 2 else picture)
    return stream.getvalue()


def test_a_large_archive_moves_its_bar_and_is_cancelled_without_a_trace(service):
    job = service.read(Source("a.zip", (("a.zip", archive_of(6000)),)), PROPOSED)
    seen = set()
    end = time.monotonic() + 30
    while len(seen) < 4 and time.monotonic() < end:
        progress = service.jobs.view(job)
        assert progress.active, "over before it was seen to move"
        seen.add(progress.snapshot.fraction)
        time.sleep(0.01)
    assert sorted(seen) == sorted(set(seen))
    assert len(seen) >= 4
    began = time.monotonic()
    assert service.jobs.cancel(job)
    progress = done(service, job)
    assert time.monotonic() - began < 2
    assert progress.state == "stopped"
    assert progress.error is None
    assert service.drafts.get(job) is None


def test_a_new_file_replaces_the_one_still_being_read(monkeypatch):
    go = threading.Event()

    def fetcher(name, *, progress, cancelled):
        while not go.wait(0.01):
            if cancelled():
                raise ReadCancelledError("cancelled.")
        return FACES

    monkeypatch.setattr(loading, "fetch", fetcher)
    service = LoadingService(JobRegistry())
    try:
        slow = service.fetch("olivetti", owner="me")
        quick = service.read(Source("a.npz", (("a.npz", CONTENT),)), PROPOSED, owner="me")
        assert done(service, slow).state == "stopped"
        assert done(service, quick).error is None
        go.set()
        again = service.fetch("olivetti", owner="me")
        done(service, again)
        assert service.drafts.get(again).dataset.sha256 == FACES.sha256
        assert service.drafts.get(again).source.dataset is FACES
    finally:
        service.jobs.close()


def opened(n=4):
    dataset = make_faces(2, n, 16)
    service = LoadingService(JobRegistry())
    try:
        job = service.read(Source("x", dataset=dataset), PROPOSED)
        done(service, job)
        found = service.drafts.get(job)
        assert isinstance(found, Opened)
        return found
    finally:
        service.jobs.close()


def test_files_are_named_together():
    assert files_in_words(["a.mat"]) == "a.mat"
    assert files_in_words(["faces/a/1.png", "faces/b/1.png"]) == "faces"
    assert files_in_words(["1.png", "2.png"]) == "2 files"


def test_what_does_not_vary_is_refused():
    with pytest.raises(DatasetError, match="are the same"):
        check_varies(FACES.__class__(data=np.full((3, 4), 0.5), image_shape=(2, 2)), "flat.npy")


def test_a_recipe_says_what_a_data_set_was_made_from():
    read = "load_file('a.npz', classes_from='none', roles={'age': 'target'}, order='row')"
    source = f"leave_out(resized({read}, (8, 8)), (2, 5))"
    origin = Origin.of(source, "f1")
    assert (origin.names, origin.is_upload, origin.sha256) == (("a.npz",), True, "f1")
    assert origin.answers == Answers.of(classes_from=NONE, roles={"age": "target"}, order="row")
    assert origin.steps == (("resized", ((8, 8),), {}), ("leave_out", ((2, 5),), {}))
    assert Origin.of("load_files(['a.png', 'b.png'])", "").names == ("a.png", "b.png")
    assert not Origin.of("load('digits')", "").is_upload
    for strange in (
        "print('a')(1)",
        "load_file(open('x'))",
        "load_file(x)",
        "load_file('a.npz', labels='y')",
        "eval(load_file('a'))",
    ):
        assert Origin.of(strange, "") is None


@pytest.mark.usefixtures("at_home")
def test_the_file_that_a_set_was_made_from_gives_it_again_and_no_other_does(service):
    answers = Answers.of(order="column", classes_from=NONE)
    job = service.read(Source("a.npz", (("a.npz", CONTENT),)), answers)
    done(service, job)
    then = standardised(leave_out(service.drafts.get(job).dataset, (1, 2)))
    origin = Origin.of(then.recipe.source, then.sha256)
    job = service.read(Source("b.npz", (("b.npz", CONTENT),)), origin.answers, origin=origin)
    assert done(service, job).error is None
    assert service.drafts.get(job).dataset.sha256 == then.sha256
    changed = files.npz(X=np.asarray(FACES.data)[::-1], y=FACES.target, image_shape=SHAPE)
    for content in (changed, b"no data at all", files.npz(X=np.zeros((4, 9)), Y=np.ones((4, 9)))):
        job = service.read(Source("c.npz", (("c.npz", content),)), origin.answers, origin=origin)
        assert done(service, job).error == (
            "c.npz holds other data than a.npz, from which this run was made: upload the same "
            "file as then."
        )
        assert service.drafts.get(job) is None


@pytest.mark.usefixtures("at_home")
def test_a_file_with_an_open_question_is_opened_and_not_yet_a_set(service):
    content = files.npz(a=FACES.data, b=FACES.data[:, ::-1], y=FACES.target, image_shape=SHAPE)
    job = service.read(Source("two.npz", (("two.npz", content),)), PROPOSED)
    assert done(service, job).error is None
    opened = service.drafts.get(job)
    assert not opened.is_decided
    assert list(opened.reading.open_questions) == ["data"]
    with pytest.raises(UndecidedError, match="Which array holds the samples"):
        _ = opened.dataset
    decided = again(service, job, opened.answers.replaced("data", "b"))
    done(service, decided)
    opened = service.drafts.get(decided)
    assert opened.is_decided
    np.testing.assert_array_equal(opened.dataset.data, FACES.data[:, ::-1])
    assert opened.dataset.recipe.source == "load_file('two.npz', data='b')"


@pytest.mark.usefixtures("at_home")
def test_an_answer_that_leaves_no_set_is_refused_where_there_was_one(service):
    content = files.npz(a=FACES.data, b=np.full((3, 4), np.nan))
    job = service.read(Source("two.npz", (("two.npz", content),)), PROPOSED)
    done(service, job)
    refused = again(service, job, Answers.of(data="b"))
    assert "two.npz holds no sample" in done(service, refused).error
    assert service.drafts.get(refused) is None


def test_sets_of_the_same_numbers_have_each_their_own_names() -> None:
    values = np.random.default_rng(0).random((6, 3))
    for names in (("a", "b", "c"), ("d", "e", "f")):
        assert feature_names(Dataset(values, feature_names=names)) == names
