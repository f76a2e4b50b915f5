"""The tab Components of Explore: pictures beside PCA's, the scree, and what moves them."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
from PIL import Image

from cspca import CSPCA
from cspca.datasets import Dataset, load
from cspca.experiments.components import (
    component_files,
    component_film,
    component_pairs,
    n_played,
)
from cspca.experiments.film import VALUES, Film, Track, frame_of
from cspca.experiments.fit import Fit
from cspca.ui import export
from cspca.ui.services import services
from tests.app.conftest import look, sent, settled, words


def said_of_components(page):
    """The lines of the text below the pictures: one a component, its share and PCA's."""
    (text,) = (one.proto.body for one in page.get("html") if "Components as text" in one.proto.body)
    return re.findall(r"<tr><th scope=\"row\">.*?</tr>", text)


def test_components_stand_beside_those_of_pca_and_follow_the_sliders(arrive):
    page = arrive("explore", data="digits", part="components")
    said = words(page)
    assert "What is every image rebuilt from?" in said
    assert "(proven)" in said
    assert page.query_params["part"] == "components"
    before = said_of_components(page)
    assert len(before) == 6
    page.select_slider(key="fit_beta").set_value(0.1)
    look(page)
    after = said_of_components(page)
    assert after[0] != before[0]
    page.button_group(key="components_shown").set_value(3)
    look(page)
    assert said_of_components(page) == after[:3]


def test_the_film_moves_the_components_and_sets_the_sliders(arrive):
    page = settled(arrive("explore", data="digits", part="components"))
    jobs = services().films.jobs
    *_, job = jobs._jobs  # begun last: the film
    while jobs.view(job).active:
        jobs.join(job, 0.1)
    look(page)
    film = sent(page, "film")["film"]
    assert len(film["there"]) == len(film["captions"]) == 41
    pictures = np.frombuffer(film["components"], np.uint8).reshape(41, 6, 64)
    model = CSPCA(film["values"][20], 0.02).fit(load("digits").data)
    assert film["captions"][20][0] == f"CSPCA 1: {100 * model.explained_variance_ratio_[0]:.1f} %"
    # Along α no picture turns into its negative: the first component is positive where it was.
    shown = [at for at, words in enumerate(film["captions"]) if words[0].startswith("CSPCA")]
    first = pictures[shown, 0].astype(float) - 127.5
    assert ((first[1:] * first[:-1]).sum(axis=1) > 0).all()
    # At α_max there is no component, and its place is grey.
    assert film["captions"][-1] == [f"No component {number}" for number in range(1, 7)]
    # The cosine beside a frame is that of the frame.
    axes = component_pairs(model.fit_, Fit(), load("digits"))
    assert film["pca_captions"][20][5].endswith(f"cosine of the components {axes.cosines[5]:.3f}")
    assert "cosine" not in film["pca_captions"][-1][0]
    assert (pictures[-1] == 128).all()
    assert film["words"][-1].startswith("W = 0: no component")


def test_a_film_of_large_images_shows_fewer_components_and_stays_within_its_bytes():
    images = np.random.default_rng(0).random((6, 300 * 300))
    data = Dataset(images, image_shape=(300, 300))
    model = CSPCA(0.05, 0.01).fit(images)
    pairs = component_pairs(model.fit_, Fit(alpha=0.05, beta=0.01), data)
    frames = {0.05: frame_of(0.05, model.fit_)}
    made = component_film(Film("alpha", (0.05,), (Track("admm", frames),)), pairs, 6, (300, 300))
    assert made["n_played"] == 1
    assert made["components"].nbytes * len(VALUES) <= 4_000_000
    assert n_played(6, (400, 400)) == 0


def test_w_zero_has_no_component(arrive):
    page = arrive("explore", data="digits", alpha="1", beta="0.5", part="components")
    assert "there is no component" in words(page)


def test_data_that_are_no_images_list_features_by_name(arrive, monkeypatch):
    page = arrive("explore", data="motion", part="components")
    said = words(page)
    assert "Largest entries" in said
    assert re.search(r" −0\.\d\d", said)
    assert not re.search(r" -0\.\d", said)


def test_pairs_are_those_of_the_model_and_of_pca():
    digits = load("digits")
    model = CSPCA(0.4, 0.02).fit(digits.data)
    pairs = component_pairs(model.fit_, Fit(alpha=0.4, beta=0.02), digits)
    np.testing.assert_array_equal(pairs.components, model.components_)
    centred = digits.data - digits.data.mean(axis=0)
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    cosines = np.abs(np.sum(model.components_[:10] * axes[:10], axis=1))
    np.testing.assert_allclose(pairs.cosines[:10], cosines, atol=1e-9)
    nearest = np.abs(pairs.components @ pairs.pca.T).argmax(axis=1)
    assert (np.sum(pairs.components * pairs.pca[nearest], axis=1) > 0).all()
    assert (np.take_along_axis(pairs.pca, np.abs(pairs.pca).argmax(axis=1)[:, None], 1) > 0).all()
    np.testing.assert_allclose(
        pairs.pca_ratios, (values**2 / np.sum(values**2))[: len(pairs.pca_ratios)], atol=1e-12
    )
    weights = model.fit_.coordinate_weights()
    np.testing.assert_allclose(centred @ weights, model.transform(digits.data), atol=1e-9)
    unused = model.feature_scores_ == 0
    assert (weights[unused] == 0).all()
    # Unused pixels that vary are rebuilt from the others.
    assert np.abs(pairs.components[:, unused & (digits.data.std(axis=0) > 0)]).max() > 0.01


def test_its_files_are_those_of_the_fit(arrive, monkeypatch):
    files = {}
    whole = export.file_buttons

    def remember(of, some, **options):
        files.update({file.name: file for file in some})
        whole(of, some, **options)

    monkeypatch.setattr(export, "file_buttons", remember)
    arrive("explore", data="digits", alpha="0.4", beta="0.02", part="components")
    digits, settings = load("digits"), Fit(alpha=0.4, beta=0.02)
    expected = component_files(CSPCA(0.4, 0.02).fit(digits.data).fit_, settings, digits)
    assert {one.name: one.make() for one in expected if one.suffix != ".npz"} == {
        name: one.make() for name, one in files.items() if one.suffix != ".npz"
    }


def test_files_hold_components_coordinates_and_shares():
    digits = load("digits")
    model = CSPCA(0.4, 0.02).fit(digits.data)
    files = component_files(model.fit_, Fit(alpha=0.4, beta=0.02), digits)
    made = {one.name: one.make() for one in files}
    assert all(one.help.endswith(".") for one in files)
    table = pd.read_csv(io.StringIO(made["components.csv"]))
    np.testing.assert_allclose(table.filter(like="component_").T, model.components_, atol=1e-15)
    table = pd.read_csv(io.StringIO(made["coordinates.csv"]))
    coordinates = table.filter(like="component_").to_numpy()
    np.testing.assert_allclose(coordinates, model.transform(digits.data), atol=1e-12)
    assert table["class"].tolist() == digits.target.tolist()
    shares = pd.read_csv(io.StringIO(made["component-shares.csv"]))
    assert (shares["cumulative"] <= shares["pca_cumulative"] + 1e-12).all()
    with np.load(io.BytesIO(made["components.npz"])) as arrays:
        rebuilt = arrays["coordinates"] @ arrays["components"] + arrays["mean"]
    np.testing.assert_allclose(rebuilt, model.reconstruct(digits.data), atol=1e-9)
    drawing = ElementTree.fromstring(made["components.svg"])
    texts = [one.text for one in drawing.iter() if one.tag.endswith("text")]
    assert texts[0] == f"CSPCA 1: {100 * model.explained_variance_ratio_[0]:.1f} %"
    assert sum(text.startswith("PCA ") for text in texts) == 12
    picture = Image.open(io.BytesIO(made["components.png"]))
    assert f"{picture.width} {picture.height}" == drawing.get("viewBox")[4:]


def test_no_component_no_file():
    digits = load("digits")
    model = CSPCA(1.0, 1.0).fit(digits.data)
    assert component_files(model.fit_, Fit(alpha=1.0, beta=1.0), digits) == ()
