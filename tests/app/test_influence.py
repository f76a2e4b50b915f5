"""One image of a large norm: what Explore and Outliers say, and how its weight is taken away."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cspca.datasets import Dataset
from cspca.ui.services import services
from tests.app.conftest import look, settled, words


def one_bright(times=100.0):
    """Sixty images of three patterns, the first of noise that is so many times as bright."""
    rng = np.random.default_rng(0)
    data = rng.random((60, 3)) @ rng.random((3, 64)) + 0.05 * rng.random((60, 64))
    data[0] = times * np.linalg.norm(data, axis=1).mean() / 8 * rng.random(64)
    return Dataset(data / data.max(), image_shape=(8, 8), name="one bright")


@pytest.fixture
def key(server):
    return services().library.add(one_bright())


def test_explore_says_that_one_image_may_decide_and_gives_it_unit_norm(arrive, key):
    explore = settled(arrive("explore", data=key))
    said = "Image 1 may decide this map: its norm, measured from the mean of the other images, is "
    assert said in words(explore)
    assert "its small error is no evidence that it belongs." in words(explore)
    explore.button(key="unit_norm_button").click()
    explore = settled(look(explore))
    assert explore.session_state["fit_normalize"]
    assert explore.session_state["last_result"].fit.normalize
    assert explore.query_params["normalise"] == "yes"
    assert "may decide this map" not in words(explore)
    assert "unit_norm_button" not in [one.key for one in explore.button]


def test_where_no_image_weighs_that_much_explore_says_nothing(arrive):
    explore = settled(arrive("explore", data="digits"))
    assert "may decide this map" not in words(explore)


def test_outliers_ranks_by_influence_too_and_says_what_a_small_error_is_worth(arrive, key):
    page = settled(arrive("outliers", part="own", data=key))
    said = words(page)
    assert "**Image 1 is worth a look:** its influence is " in said
    (place,) = re.findall(r"By residual it is number (\d+) of 60\.", said)
    assert int(place) > 30, "its error is among the smaller ones"
    assert "That is no evidence that it belongs" not in said, "another image is looked at"
    page.session_state["odd_score"] = "influence"
    page.session_state["odd_picked"] = 0
    page = look(page)
    assert "**Image 1**, number 1 of 60" in words(page)
    assert "Its own error is small. **That is no evidence that it belongs:**" in words(page)
    assert "its norm, measured from the mean of the other images, is " in words(page)


def test_without_a_map_no_image_decides_it(arrive, key):
    page = settled(arrive("outliers", part="own", data=key, alpha="1", beta="1"))
    assert page.session_state["last_result"].fit.regime == "zero"
    assert "is worth a look" not in words(page)
