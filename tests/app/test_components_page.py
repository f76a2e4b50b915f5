"""The tab Components of Explore: pictures beside PCA's, the scree, and what moves them."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from cspca import CSPCA
from cspca.datasets import load
from cspca.experiments.components import component_pairs
from cspca.experiments.fit import Fit
from cspca.ui import export
from tests.app.conftest import look, words


def test_components_stand_beside_those_of_pca_and_follow_the_sliders(arrive):
    page = arrive("explore", data="digits", part="components")
    said = words(page)
    assert "What is every image rebuilt from?" in said
    assert "CSPCA 6: " in said
    assert "PCA 6: " in said
    assert "(proven)" in said
    assert page.query_params["part"] == "components"
    before = said.split("CSPCA 1: ")[1][:6]
    page.select_slider(key="fit_beta").set_value(0.1)
    look(page)
    assert words(page).split("CSPCA 1: ")[1][:6] != before
    page.button_group(key="components_shown").set_value(3)
    look(page)
    assert "CSPCA 4: " not in words(page)


def test_w_zero_has_no_component(arrive):
    page = arrive("explore", data="digits", alpha="1", beta="0.5", part="components")
    assert "there is no component" in words(page)


def test_data_that_are_no_images_list_features_by_name(arrive, monkeypatch):
    page = arrive("explore", data="motion", part="components")
    assert "Largest entries" in words(page)


def test_pairs_are_those_of_the_model_and_of_pca():
    digits = load("digits")
    model = CSPCA(0.4, 0.02).fit(digits.data)
    pairs = component_pairs(model.fit_, Fit(alpha=0.4, beta=0.02), digits)
    np.testing.assert_array_equal(pairs.components, model.components_)
    centred = digits.data - digits.data.mean(axis=0)
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    cosines = np.abs(np.sum(model.components_[:10] * axes[:10], axis=1))
    np.testing.assert_allclose(pairs.cosines[:10], cosines, atol=1e-9)
    assert (pairs.cosines >= 0).all()
    np.testing.assert_allclose(
        pairs.pca_ratios, (values**2 / np.sum(values**2))[: len(pairs.pca_ratios)], atol=1e-12
    )
    np.testing.assert_allclose(centred @ pairs.weights.T, model.transform(digits.data), atol=1e-9)
    unused = model.feature_scores_ == 0
    assert (pairs.weights[:, unused] == 0).all()
    # Unused pixels that vary are rebuilt from the others.
    assert np.abs(pairs.components[:, unused & (digits.data.std(axis=0) > 0)]).max() > 0.01


def test_its_files_hold_shares_and_components(arrive, monkeypatch):
    files = {}
    whole = export.file_buttons

    def remember(of, some, **options):
        files.update({file.name: file for file in some})
        whole(of, some, **options)

    monkeypatch.setattr(export, "file_buttons", remember)
    arrive("explore", data="digits", part="components")
    shares = pd.read_csv(io.StringIO(files["components.csv"].make()))
    assert (shares["cumulative"] <= shares["pca_cumulative"] + 1e-12).all()
    loadings = pd.read_csv(io.StringIO(files["component-loadings.csv"].make()))
    assert len(loadings) == 64
    norm = np.linalg.norm(loadings["component_1"])
    assert norm == pytest.approx(1.0)
