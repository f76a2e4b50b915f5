"""Spectra in use: every page draws along their axis and says where on it, in its own units."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cspca.datasets import load_file
from cspca.experiments.live import LiveFit
from cspca.ui import fit_parts, keys, pictures, predict_page
from tests.app.conftest import services, settled, words
from tests.datasets.kinds import write

VALUES = range(1100, 1600, 10)


@pytest.fixture(scope="module")
def coffee():
    curves, variety = write.spectra(40, len(VALUES), 3, 2)
    header = ",".join([*(f"{value} nm" for value in VALUES), "variety"])
    kinds = write.words(variety, "arabica robusta")
    lines = [
        ",".join([*(f"{value:.6f}" for value in row), kind])
        for row, kind in zip(curves, kinds, strict=True)
    ]
    return load_file("\n".join([header, *lines]).encode(), "coffee.csv")


@pytest.fixture
def spectra(server, coffee):
    """The id of spectra in the library."""
    return services().library.add(coffee)


def alts(visitor) -> str:
    return "\n".join(chart.proto.alt for chart in visitor.get("plotly_chart"))


def result(visitor) -> LiveFit:
    return visitor.session_state[keys.LAST_RESULT]


def test_the_stage_names_places_of_the_axis_below_the_mean_sample(coffee):
    sent = fit_parts._along(coffee, None, 0)
    assert sent["title"] == "Wavelength (nm)"
    assert [text for _, text in sent["ticks"]] == ["1100", "1200", "1300", "1400", "1500"]
    np.testing.assert_allclose(sent["curve"], coffee.data.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(sent["curve"], pictures.mean_sample(coffee), rtol=1e-6)


def test_explore_says_which_ranges_are_in_use_and_rebuilds_a_sample(arrive, spectra, coffee):
    visitor = settled(arrive("explore", data=spectra, alpha="0.4", beta="0.02"))
    fit = result(visitor).fit
    used = np.flatnonzero(fit.feature_scores)
    assert 0 < len(used) < len(VALUES)
    assert f"In use: {coffee.axis.ranges_in_words(used)}." in words(visitor)
    assert "Spectrum 1, " in alts(visitor)
    visitor.slider(key=keys.FACE_SLIDER).set_value(7)
    visitor = settled(visitor.run())
    off = np.abs(fit.reconstruct(coffee.data[6:7])[0] - coffee.data[6])
    place = coffee.axis.name(int(off.argmax()))
    assert f"Spectrum 7, {coffee.class_name(int(coffee.target[6]))}, rebuilt with" in alts(visitor)
    assert f"farthest off, by {off.max():.3g}, at {place}." in alts(visitor)


def test_components_are_curves(arrive, spectra):
    visitor = settled(arrive("explore", data=spectra, alpha="0.2", part="components"))
    assert "components; their largest entries are at" in alts(visitor)
    assert " nm" in alts(visitor)


def test_what_tells_samples_apart_is_a_curve(arrive, spectra):
    visitor = settled(arrive("explore", data=spectra, alpha="0.2", part="samples"))
    visitor.button_group(key="samples_groups").set_value("classes")
    visitor.run()
    assert "Difference in deviations: from" in alts(visitor)


def test_an_odd_sample_is_drawn_with_what_is_not_explained(arrive, spectra):
    visitor = settled(arrive("outliers", data=spectra, part="own"))
    assert "rebuilt with a mean error of" in alts(visitor)


def test_ranges_are_written_and_revealed(arrive, spectra, coffee):
    visitor = settled(arrive("predict", data=spectra, alpha="0.4"))
    at = f"predict_pixels_{coffee.sha256[:8]}"
    visitor.text_input(key=at).set_value("1200-1240, red").run()
    assert any("“red” is no range" in error.value for error in visitor.error)
    assert visitor.button(key="reveal_button").disabled
    visitor.text_input(key=at).set_value("1200-1590").run()
    assert any("write narrower ranges" in error.value for error in visitor.error)
    visitor.text_input(key=at).set_value("1240-1200").run()
    assert "5 of 20 wavelengths chosen." in words(visitor) or not visitor.error
    visitor.button(key="reveal_button").click()
    visitor = settled(visitor.run())
    assert "Yours: 1200 – 1240 nm." in alts(visitor)
    assert "CSPCA: " in alts(visitor)
    assert visitor.session_state[at] == "1200-1240"


def boxes(*sides) -> dict[str, object]:
    return {"selection": {"box": [{"x": list(ends)} for ends in sides]}}


def test_ranges_that_are_dragged_over_are_added_to_the_text(coffee, monkeypatch):
    at = f"predict_pixels_{coffee.sha256[:8]}"
    session = {at: "1100", f"{at}_chart_0": boxes((1311.0, 1329.0), (1400.0, 1410.0))}
    monkeypatch.setattr(predict_page.st, "session_state", session)
    predict_page._add_range(coffee, coffee.axis)
    assert session[at] == "1100, 1320, 1400-1410"


@pytest.mark.parametrize(
    "message", [None, {}, {"selection": 3}, boxes(("<b>", 3)), boxes((1.0,)), boxes((0, math.inf))]
)
def test_what_a_browser_makes_up_chooses_nothing(coffee, monkeypatch, message):
    at = f"predict_pixels_{coffee.sha256[:8]}"
    session = {at: "1100", f"{at}_chart_0": message}
    monkeypatch.setattr(predict_page.st, "session_state", session)
    predict_page._add_range(coffee, coffee.axis)
    assert session[at] == "1100"
