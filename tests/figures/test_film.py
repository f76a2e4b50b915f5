"""A film as bytes: exact zeros apart, all else within half a step, images rebuilt."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from cspca import CSPCA
from cspca.experiments.film import Film, Frame, Track, frame_of
from cspca.figures.film import gif, levels, payload
from cspca.figures.style import IMPORTANCE, ZERO, hex_to_rgb
from cspca.solvers import SOLVERS

SCORES = arrays(np.float32, st.integers(1, 40), elements=st.floats(0, 2, width=32))


@given(SCORES)
def test_level_0_is_an_exact_zero_and_nothing_else(scores):
    top = float(scores.max())
    found = levels(scores, top)
    np.testing.assert_array_equal(found == 0, scores == 0.0)
    if top > 0.0:
        # A step is 1/255 of the largest; what is not zero is never drawn as if it were.
        assert (np.abs(found / 255.0 - scores / top)[found > 1] <= 0.5001 / 255.0).all()
        assert found.max() == 255


def test_the_faintest_score_is_not_zero():
    assert levels(np.array([0.0, 1e-30, 1.0]), 1.0).tolist() == [0, 1, 255]
    assert levels(np.zeros(3), 0.0).tolist() == [0, 0, 0]


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(0).random((30, 12))


@pytest.fixture(scope="module")
def fits(data):
    return {value: CSPCA(alpha=value, beta=0.1).fit(data).fit_ for value in (0.1, 0.4, 1.0)}


@pytest.fixture
def film(fits):
    frames = {value: frame_of(value, fit) for value, fit in fits.items()}
    return Film("alpha", (0.1, 0.2, 0.4, 1.0), (Track("admm", frames),))


def test_what_is_there_is_played_with_its_numbers(film, fits):
    found = payload(film, features="pixels")
    assert json.dumps(found, default=np.ndarray.tolist), "all but its arrays is known to JSON"
    assert (found["along"], found["title"]) == ("alpha", "α: fewer pixels on the whole")
    assert found["values"] == [0.1, 0.2, 0.4, 1.0]
    assert found["there"] == [0, 2, 3]
    (track,) = found["tracks"]
    assert (track["title"], track["colour"]) == (SOLVERS["admm"].title, SOLVERS["admm"].colour)
    assert track["used"] == [fit.n_kept for fit in fits.values()]
    assert track["objective"] == [fit.objective for fit in fits.values()]
    assert track["bound"] == [fit.dual_objective for fit in fits.values()]
    assert track["top"] == pytest.approx(fits[0.1].feature_scores.max())
    scores = track["scores"]
    assert (scores.dtype, scores.shape) == (np.uint8, (3, 12))
    for row, fit in zip(scores, fits.values(), strict=True):
        np.testing.assert_array_equal(row == 0, fit.feature_scores == 0.0)
    assert not scores[2].any()
    colours = found["colours"]
    assert (colours.dtype, colours.shape) == (np.uint8, (256, 3))
    np.testing.assert_array_equal(colours[0], hex_to_rgb(ZERO))
    np.testing.assert_array_equal(colours[255], IMPORTANCE[255])


def test_every_frame_rebuilds_the_image(film, fits, data):
    rebuilt = payload(film, data[4])["tracks"][0]["rebuilt"]
    assert (rebuilt.dtype, rebuilt.shape) == (np.uint8, (3, 12))
    for row, fit in zip(rebuilt, fits.values(), strict=True):
        again = np.clip(fit.reconstruct(data[4:5])[0], 0.0, 1.0)
        assert np.abs(row / 255.0 - again).max() <= 0.501 / 255.0
    assert payload(film)["tracks"][0]["rebuilt"] is None


def test_without_its_map_a_frame_rebuilds_nothing_and_what_is_unknown_is_none(film, data):
    frames = dict(film.tracks[0].frames)
    unproven = {"bound": float("nan"), "gap": float("inf"), "of": None}
    frames[0.1] = Frame(**vars(frames[0.1]) | unproven)
    track = payload(Film("alpha", film.values, (Track("admm", frames),)), data[0])["tracks"][0]
    assert track["rebuilt"] is None
    assert (track["bound"][0], track["proven"][0]) == (None, None)


def test_a_curve_is_rebuilt_over_its_own_span(film, fits, data):
    found = payload(film, data[0], is_curve=True)
    low, high = found["span"]
    values = low + found["tracks"][0]["rebuilt"] / 255 * (high - low)
    expected = [fit.reconstruct(data[0][None])[0] for fit in fits.values()]
    np.testing.assert_allclose(values, expected, atol=(high - low) / 255)
    assert payload(film, data[0])["span"] is None


def test_before_the_first_frame_there_is_nothing_to_play():
    found = payload(Film("beta", (0.1,), (Track("admm", {}),)))
    assert found["there"] == []
    assert found["tracks"][0]["scores"].size == 0


def moving(film, *more):
    return Image.open(io.BytesIO(gif(film, *more)))


def test_a_gif_plays_every_frame_for_ever(film):
    found = moving(film, (3, 4), "pixels")
    assert (found.n_frames, found.info["loop"]) == (3, 0)
    for at, frame in enumerate(film.tracks[0].frames.values()):
        found.seek(at)
        picture = np.asarray(found.convert("RGB"))
        # The middle of each pixel, 112 wide, within the edge.
        cells = picture[12 + 56 : 12 + 336 : 112, 12 + 56 : 12 + 448 : 112]
        zero = (cells == hex_to_rgb(ZERO)).all(axis=2)
        np.testing.assert_array_equal(zero.ravel(), frame.scores == 0.0)
    assert not zero.any() or zero.all()


def test_a_gif_of_two_solvers_has_two_maps_and_one_of_no_images_has_bars(film):
    track = film.tracks[0]
    both = Film("iterations", (0.1, 0.4), (Track("reweighted", track.frames), track))
    wide, bars = moving(both, (3, 4)), moving(film)
    assert wide.n_frames == 2
    assert wide.size[0] > 1.9 * moving(film, (3, 4)).size[0]
    assert bars.n_frames == 3
    many = np.linspace(0.0, 1.0, 5000, dtype=np.float32)
    frame = Frame(**vars(track.frames[0.1]) | {"scores": many})
    assert moving(Film("beta", (0.1,), (Track("admm", {0.1: frame}),))).size[0] < 600


def test_a_gif_says_alpha_and_beta_by_their_own_letters(film):
    seen = [
        np.asarray(moving(Film(along, film.values, film.tracks), (3, 4)).convert("L")).astype(int)
        for along in ("alpha", "beta")
    ]
    apart = np.argwhere(seen[0] != seen[1])
    # One letter wide: all else is the same.
    assert 5 <= np.ptp(apart[:, 1]) <= 12


def test_a_gif_of_no_frame_is_refused():
    with pytest.raises(ValueError, match="no frame yet"):
        gif(Film("beta", (0.1,), (Track("admm", {}),)))
