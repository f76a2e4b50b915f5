"""Samples that a fit never saw: read as the data are, mapped, and placed among the fit's own."""

import io

import numpy as np
import pytest
from PIL import Image

from cspca import CSPCA
from cspca.datasets import DatasetError, leave_out, load, load_file, make_faces
from cspca.experiments import unseen
from cspca.experiments.fit import Fit
from cspca.experiments.live import LiveFit, follow
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture(scope="module")
def faces():
    return make_faces(n_people=4, n_per_person=6, image_size=12, random_state=2)


def picture(height, width, colours="L", kind="PNG"):
    stream = io.BytesIO()
    rng = np.random.default_rng(0)
    shape = (height, width) if colours == "L" else (height, width, 3)
    Image.fromarray(rng.integers(0, 255, shape, dtype=np.uint8)).save(stream, kind)
    return stream.getvalue()


@pytest.mark.parametrize("normalize", [False, True])
def test_errors_are_measured_as_the_fit_measures_its_own(faces, normalize):
    fit = CSPCA(0.1, 0.02, normalize=normalize, tol=1e-6).fit(faces.data).fit_
    found = unseen.mapped(fit, faces.data, [""] * faces.n_samples)
    np.testing.assert_allclose(found.errors, fit.sample_residuals, rtol=1e-4, atol=1e-6)
    worst = int(np.argmax(found.errors))
    assert found.percentiles[worst] >= 100 * (1 - 2 / faces.n_samples)


def test_new_pictures_are_brought_to_the_size_and_to_grey_and_that_is_said(faces):
    new = unseen.read_new([("new.png", picture(24, 24, "RGB"))], faces)
    assert new.data.shape == (1, 144)
    assert new.names == ("new.png",)
    assert 0.0 <= new.data.min() <= new.data.max() <= 1.0
    told = "; ".join(new.sentences)
    assert "24 × 24" in told
    assert "12 × 12" in told
    assert "Colours are turned to grey." in told
    two = unseen.read_new(
        [("a.png", picture(12, 12)), ("b.jpg", picture(12, 30, kind="JPEG"))], faces
    )
    assert two.data.shape == (2, 144)
    assert two.names == ("a.png", "b.jpg")


def test_names_stay_beside_what_is_left_out_and_a_moving_picture_is_said(faces):
    frames = [Image.fromarray(np.full((12, 12), grey, np.uint8)) for grey in (10, 200)]
    moving = io.BytesIO()
    frames[0].save(moving, "GIF", save_all=True, append_images=frames[1:])
    new = unseen.read_new(
        [
            ("a.png", picture(12, 12)),
            ("words.png", b"no picture"),
            ("broken.png", picture(9, 9)[:60]),
            ("rows.csv", b"a,b\n1,2\n"),
            ("film.gif", moving.getvalue()),
        ],
        faces,
    )
    assert new.data.shape == (2, 144)
    assert new.names == ("a.png", "film.gif")
    told = "; ".join(new.sentences)
    assert "Left out: words.png and rows.csv, for only pictures are read together." in told
    assert "Left out: broken.png" in told
    assert "such as film.gif: the first of each file is taken." in told


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("words.txt", b"no picture at all", "words.txt"),
        ("broken.png", picture(9, 9)[:60], "broken.png"),
        ("rows.npy", files.npy(np.eye(3)), "a sample of the set has 12 × 12 numbers"),
    ],
)
def test_what_cannot_be_mapped_is_refused_in_one_sentence(faces, name, content, says):
    with pytest.raises(DatasetError, match=says) as refused:
        unseen.read_new([(name, content)], faces)
    assert "\n" not in str(refused.value)


def test_a_class_is_held_out_and_mapped_by_a_fit_of_the_others(faces):
    asked = Fit(alpha=0.1, beta=0.02)
    first = LiveFit(asked, faces.sha256)
    result = follow(first, faces, stop=lambda: False, publish=lambda now: None)
    names = [str(one) for one in range(faces.n_samples)]
    found = unseen.hold_out(faces, result, 1, names)
    out = unseen.held_out(faces, 1)
    assert len(found.errors) == len(out) == 6
    assert len(found.trained) == faces.n_samples - 6
    alone = CSPCA(0.1, 0.02).fit(leave_out(faces, out).data)
    np.testing.assert_allclose(found.rebuilt, alone.reconstruct(faces.data[out]), atol=1e-6)
    assert found.names == tuple(names[one] for one in out)
    assert unseen.held_out(faces, None) == [0, 10, 20]
    known = {}
    exec(unseen.snippet(load("faces"), asked, 3).replace("print(", "errors = ("), known)
    whole = load("faces")
    result = follow(
        LiveFit(asked, whole.sha256), whole, stop=lambda: False, publish=lambda now: None
    )
    again = unseen.hold_out(whole, result, 3, [""] * whole.n_samples)
    np.testing.assert_allclose(known["errors"], again.errors, rtol=1e-6)
    assert again.table()["error"].is_monotonic_decreasing


def test_new_pictures_have_their_own_names_in_whatever_order_they_come(faces):
    pictures = {"b.png": 200, "a10.png": 10, "a2.png": 90}
    brought = []
    for name, grey in pictures.items():
        stream = io.BytesIO()
        Image.fromarray(np.full((12, 12), grey, np.uint8)).save(stream, "PNG")
        brought.append((name, stream.getvalue()))
    new = unseen.read_new(brought, faces)
    greys = {name: round(255 * row[0]) for name, row in zip(new.names, new.data, strict=True)}
    assert greys == pictures


def test_lines_of_python_give_the_errors_of_new_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).normal(size=(30, 5))
    (tmp_path / "table.csv").write_bytes(files.csv(rows, "abcde"))
    (tmp_path / "new.csv").write_bytes(files.csv(rows[3:7], "abcde"))
    data = load_file("table.csv", scale="columns")
    settings = Fit(alpha=0.1, beta=0.02)
    lines = unseen.snippet_of_files(data, settings, ["new.csv"])
    variables = {}
    exec(lines.replace("print(", "errors = ("), variables)
    fit = CSPCA(0.1, 0.02).fit(data.data).fit_
    own = unseen.mapped(fit, data.data, [""] * 30)
    np.testing.assert_allclose(variables["errors"], own.errors[3:7], atol=1e-8)


def test_a_matrix_is_read_as_the_set_of_the_fit_is_without_a_question(faces):
    new = unseen.read_new([("new.npy", files.npy(faces.data[:7]))], faces)
    np.testing.assert_array_equal(new.data, faces.data[:7])
    assert new.names[6] == "new.npy, image 7"
