"""Whether a matrix holds pictures: what is sure is right, and known sets are never asked."""

from __future__ import annotations

import dataclasses
import tracemalloc
import warnings
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cspca.datasets.files import picture_test
from cspca.datasets.files.picture_test import (
    PictureReading,
    PictureSigns,
    Shape,
    read_columns,
    read_matrix,
    read_rows,
)
from tests import real_data
from tests.datasets import picture_catalogue as catalogue
from tests.datasets.picture_catalogue import Case, holds, picture_case, turned

REAL_SIDES: dict[str, Shape] = {
    "ORL": (32, 32),
    "COIL20": (32, 32),
    "USPS": (16, 16),
    "native ORL": (112, 92),
}
KNOWN_SETS = (
    pytest.param("digits"),
    pytest.param("faces"),
    *(pytest.param(name, marks=pytest.mark.real_data) for name in REAL_SIDES),
)


@cache
def known_set(name: str) -> NDArray[Any]:
    """Upright pictures (n, height, width) of a set that is known whole."""
    if name == "digits":
        return catalogue.digits()
    if name == "faces":
        return catalogue.faces((32, 32))
    reason = real_data.why_absent(name)
    if reason is not None:
        pytest.skip(reason)
    height, width = REAL_SIDES[name]
    return real_data.pixels(name).reshape(-1, width, height).swapaxes(1, 2)


def is_wrong(case: Case, reading: PictureReading) -> bool:
    return reading.confidence == "sure" and not holds(case, reading)


# Sure is right


@pytest.mark.parametrize("name", [*catalogue.NOT_PICTURES, *catalogue.MAPS])
def test_what_holds_no_pictures_is_never_sure_and_wrong(name):
    for number, case in enumerate(catalogue.other_cases(name)):
        reading = read_matrix(case.matrix)
        assert not is_wrong(case, reading), (case.name, reading)
        if number == 0:
            has_clauses(reading)


def has_clauses(reading: PictureReading) -> None:
    """Each doubt is a clause of its own."""
    if reading.signs is None:
        assert reading.untested is not None
        return
    assert len(set(reading.signs.doubts)) == len(reading.missed)
    assert reading.evidence.endswith(".")
    assert ".." not in reading.evidence


@pytest.mark.parametrize(
    ("maker", "least_sure"),
    [
        (catalogue.face_cases, 0.85),
        (catalogue.noisy_cases, 0.45),
        (catalogue.digit_cases, 0.75),
        (catalogue.colour_cases, 1.0),
        (catalogue.shape_cases, 1.0),
    ],
)
def test_pictures_are_sure_and_right_or_asked_with_the_right_answer_first(maker, least_sure):
    counts: Counter[str] = Counter()
    for case in maker():
        reading = read_matrix(case.matrix)
        assert holds(case, reading), (case.name, reading)
        counts[reading.confidence] += 1
    assert counts["default"] == 0
    assert counts["sure"] >= least_sure * counts.total(), counts


@pytest.mark.parametrize("name", KNOWN_SETS)
def test_known_sets_are_never_asked_whichever_way_they_lie(name):
    for layout in ("row", "column"):
        case = picture_case(name, known_set(name), layout)
        for way in (case, turned(case)):
            reading = read_matrix(way.matrix)
            assert reading.confidence == "sure", (way.name, reading)
            assert holds(way, reading), (way.name, reading)


@pytest.mark.parametrize("name", KNOWN_SETS)
def test_forty_of_a_known_set_have_the_right_shape_for_sure_or_first(name):
    whole = known_set(name)
    for seed in range(2):
        rng = catalogue.generator(name, seed)
        chosen = whole[rng.choice(len(whole), 40, replace=False)]
        for layout in ("row", "column"):
            case = picture_case(name, chosen, layout)
            reading = read_rows(case.matrix)
            assert reading.confidence in ("sure", "ask"), (case.name, seed, reading)
            assert holds(case, reading), (case.name, seed, reading)
            either_side = read_matrix(case.matrix)
            assert holds(case, either_side), (case.name, seed, either_side)


# Each sign


@pytest.mark.parametrize(
    ("sign", "names"),
    [
        ("shorter side", ("questionnaire in blocks",)),
        ("ratio", ("twelve leads", "fringes of scattered period")),
        ("dip", ("spectra", "genes in scattered modules", "noise")),
        ("best lag", ("chromatogram", "random walks", "EEG with shared drift")),
        ("alike", ("landmarks", "one-hot DNA", "times by markers")),
        ("fall", ("fringes of one phase", "EEG alpha", "questionnaire interleaved")),
        ("isotropy", ("EEG in the order of a montage", "spectrograms", "load by day and hour")),
        ("break", ("pulses", "fringes of one phase", "smooth curves", "overlapping windows")),
        ("slant", ("Gaussian fields", "excitation by emission", "pulses that wander")),
        ("steady", ("triangle of correlations", "polynomial features of wines")),
        ("diagonal", ("Hankel matrices",)),
        ("symmetric", ("Hankel matrices", "correlation matrices")),
    ],
)
def test_each_sign_keeps_out_what_it_is_for(sign, names):
    for name in names:
        for case in catalogue.other_cases(name):
            assert sign in read_rows(case.matrix).missed, case.name


def test_lines_that_come_in_blocks_are_asked():
    """Three views of different things below each other are no picture of 48 lines."""
    rng = catalogue.generator("views", 0)
    views = np.concatenate([catalogue.shapes((16, 18), 200, rng) for _ in range(3)], axis=1)
    reading = read_rows(views.reshape(200, -1))
    assert reading.signs is not None
    assert reading.signs.shape == (48, 18)
    assert reading.missed == ("tiles",)
    assert reading.confidence == "ask"


@pytest.mark.parametrize(
    ("sign", "changes"),
    [
        ("samples", {"n_samples": 15}),
        ("shorter side", {"shape": (6, 18)}),
        ("ratio", {"shape": (73, 18)}),
        ("dip", {"dip": 0.79}),
        ("best lag", {"best_lag": 17}),
        ("alike", {"far": 0.88, "far_right": 0.85, "far_down": 0.85}),
        ("fall", {"far_right": 0.75}),
        ("isotropy", {"right": 0.95, "down": 0.87}),
        ("break", {"larger": 1.49, "smaller": 0.7, "less_alike": 1.49}),
        ("slant", {"slant": 11.9, "crossing": 0.07}),
        ("slant", {"slant": 11.9, "crossing": 0.09, "larger": 1.9}),
        ("slant", {"slant_size": 0.04, "crossing": 0.0}),
        ("steady", {"steady": 1.13}),
        ("tiles", {"tiles": 2.1}),
        ("diagonal", {"diagonal": 0.92}),
        ("symmetric", {"symmetric": True}),
    ],
)
def test_a_sign_beyond_its_limit_is_missed_alone(sign, changes):
    passing = PictureSigns(
        n_samples=16, shape=(24, 18), dip=0.78, best_lag=18, adjacent=0.8, right=0.9, down=0.9,
        far=0.2, far_right=0.3, far_down=0.3, diagonal=0.9, larger=2.0, smaller=0.5,
        less_alike=1.0, slant=12.1, slant_size=0.06, crossing=0.0, steady=1.12, tiles=2.0,
        symmetric=False,
    )  # fmt: skip
    assert passing.missed == ()
    assert dataclasses.replace(passing, slant=0.0, crossing=0.09).missed == ()
    assert dataclasses.replace(passing, **changes).missed == (sign,)


# Which side, which way up


def test_samples_are_found_in_columns():
    case = turned(picture_case("faces", catalogue.faces((24, 18))))
    reading = read_columns(case.matrix)
    assert (reading.samples, reading.stored, reading.confidence) == ("columns", (24, 18), "sure")
    assert read_rows(case.matrix).answer == "not pictures"
    assert read_matrix(case.matrix) == reading


def test_pictures_along_both_sides_are_asked():
    """Each column of the matrix is a mixture of faces, and each row of shapes."""
    shapes = catalogue.shapes((20, 30), 60, catalogue.generator("both sides", 0))
    faces = catalogue.faces((24, 18))[:60]
    shapes, faces = shapes - shapes.mean(axis=0), faces - faces.mean(axis=0)
    matrix = faces.reshape(60, -1).T @ shapes.reshape(60, -1)
    assert read_rows(matrix).confidence == read_columns(matrix).confidence == "sure"
    reading = read_matrix(matrix)
    assert (reading.confidence, reading.samples) == ("ask", "rows")
    assert reading.missed == ()
    assert reading.evidence.endswith("but the same holds of the columns.")


@pytest.mark.real_data
@pytest.mark.parametrize("layout", ["row", "column"])
def test_the_mirror_image_of_the_mean_picture_shows_which_way_is_up(layout):
    case = picture_case("ORL", known_set("ORL"), layout)
    assert read_matrix(case.matrix).order == layout


def test_a_mean_picture_that_mirrors_one_way_alone_shows_which_way_is_up():
    """The mean is set: what varies are patches, the mean is a spot in the middle and one above."""
    patches = catalogue.patches((24, 18), 300, catalogue.generator("way up", 0))
    varying = patches - patches.mean(axis=0)
    y, x = np.mgrid[:24, :18]
    middle = np.exp(-((y - 11.5) ** 2 + (x - 8.5) ** 2) / 8)
    above = np.exp(-((y - 4) ** 2 + (x - 8.5) ** 2) / 8)
    orders = {}
    for name, mean in (("one way", middle + above), ("both ways", middle)):
        for layout in ("row", "column"):
            reading = read_rows(picture_case(name, varying + mean, layout).matrix)
            assert reading.stored == ((24, 18) if layout == "row" else (18, 24))
            orders[name, layout] = reading.order
    assert orders == {
        ("one way", "row"): "row",
        ("one way", "column"): "column",
        ("both ways", "row"): None,
        ("both ways", "column"): None,
    }


def test_a_gradient_from_above_is_no_symmetry():
    patches = catalogue.patches((24, 18), 300, catalogue.generator("gradient", 0))
    varying = patches - patches.mean(axis=0)
    lit = varying + np.linspace(1, 0, 24)[:, None]
    assert read_rows(lit.reshape(300, -1)).order is None


# Any numbers


@pytest.mark.parametrize(
    "convert",
    [
        lambda pixels: pixels.astype(np.float32),
        lambda pixels: np.rint(255 * pixels).astype(np.uint8),
        lambda pixels: np.rint(60_000 * pixels).astype(np.int64) - 2**40,
        lambda pixels: pixels > 0.5,
        np.asfortranarray,
        lambda pixels: 1e308 * pixels,
        lambda pixels: 1e-310 * pixels,
        lambda pixels: np.where(np.arange(pixels.size).reshape(pixels.shape) % 997, pixels, np.nan),
    ],
    ids=["float32", "bytes", "integers", "booleans", "Fortran", "huge", "tiny", "missing"],
)
def test_the_kind_of_numbers_changes_nothing(convert):
    reading = read_matrix(convert(catalogue.faces((24, 18)).reshape(-1, 432)))
    expected = ("pictures", "sure", (24, 18), "rows")
    assert (reading.answer, reading.confidence, reading.stored, reading.samples) == expected


@pytest.mark.parametrize(
    "shape", [(0, 0), (0, 400), (400, 0), (1, 1), (1, 400), (400, 1), (2, 400)]
)
def test_what_has_nothing_to_measure_neither_fails_nor_warns(shape):
    for fill in (0.0, 7.0, np.nan, np.inf, -1e308):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            reading = read_matrix(np.full(shape, fill))
        assert reading.answer == "not pictures"
        assert reading.stored is None
        assert reading.signs is None
        assert reading.evidence.endswith(".")


@pytest.mark.parametrize("shape", [(2, 400), (3, 36), (25, 25), (16, 49), (40, 169)])
def test_small_matrices_of_noise_hold_no_pictures(shape):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        matrix = catalogue.generator("small", 0).normal(size=shape)
        matrix[0, :] = np.inf
        matrix[:, 0] = np.nan
        reading = read_matrix(matrix)
    assert reading.answer == "not pictures"
    assert reading.confidence == "default"


def test_a_vector_is_no_matrix():
    with pytest.raises(ValueError, match="The array has 3 dimensions: give a matrix"):
        read_matrix(np.zeros((4, 5, 6)))


# Its cost


def test_a_large_matrix_is_not_copied():
    """A view of 800 GB on twenty thousand numbers, of which both sides are read."""
    few = np.random.default_rng(0).normal(size=20_000)
    matrix = np.lib.stride_tricks.as_strided(few, (10**7, 10**4), (0, 8), writeable=False)
    varied = np.lib.stride_tricks.as_strided(few, (10_000, 10_000), (8, 8), writeable=False)
    tracemalloc.start()
    try:
        assert read_matrix(matrix).untested == "nothing varies"
        assert read_matrix(varied).answer == "not pictures"
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100e6 < varied.nbytes / 4


def test_rows_that_are_the_same_hold_nothing_that_varies():
    """Their means are rounded, which is no spread."""
    row = np.random.default_rng(0).normal(size=400)
    assert read_rows(np.tile(row, (100, 1))).untested == "nothing varies"


def test_a_few_samples_are_enough_where_they_are_sure():
    """The digits are pictures for sure by some hundred of them; noise takes all 512."""
    digits = read_rows(catalogue.digits().reshape(-1, 64))
    assert digits.signs is not None
    assert digits.signs.n_samples < 2 * picture_test.FIRST_SAMPLES
    noise = read_rows(np.random.default_rng(0).random((2000, 64)))
    assert noise.signs is not None
    assert noise.signs.n_samples == 512


def test_samples_of_too_many_numbers_are_not_looked_at():
    matrix = np.broadcast_to(np.arange(2.0)[:, None], (2, 2 * picture_test.LONGEST))
    reading = read_rows(matrix)
    assert (reading.answer, reading.confidence) == ("not pictures", "default")
    assert reading.untested == "too large"
    assert "2,097,152 numbers" in reading.evidence


# What people are told


def test_evidence_of_pictures_names_lines_and_correlations():
    pixels = catalogue.faces((24, 18)).reshape(-1, 432)
    right = np.corrcoef(pixels[:, 100], pixels[:, 101])[0, 1]
    assert right > 0.5
    reading = read_rows(pixels)
    assert reading.signs is not None
    assert reading.evidence == (
        "In each row, neighbouring numbers are alike along lines of 18 (correlation"
        f" {reading.signs.right:.2f}) and from line to line ({reading.signs.down:.2f}), and lines"
        " break where they end."
    )


def test_correlations_are_those_of_pixels():
    """Right and down are the mean correlations of neighbouring pixels that vary."""
    patches = catalogue.patches((12, 10), 190, catalogue.generator("correlations", 0))
    signs = read_rows(patches.reshape(190, -1)).signs
    assert signs is not None
    correlations = np.corrcoef(patches.reshape(190, -1).T).reshape(12, 10, 12, 10)
    right = [correlations[i, j, i, j + 1] for i in range(12) for j in range(9)]
    down = [correlations[i, j, i + 1, j] for i in range(11) for j in range(10)]
    diagonal = [correlations[i, j, i + 1, j + 1] for i in range(11) for j in range(9)]
    other_diagonal = [correlations[i, j + 1, i + 1, j] for i in range(11) for j in range(9)]
    assert signs.right == pytest.approx(np.mean(right), abs=1e-9)
    assert signs.down == pytest.approx(np.mean(down), abs=1e-9)
    assert signs.diagonal == pytest.approx(
        max(np.mean(diagonal), np.mean(other_diagonal)), abs=1e-9
    )


def test_evidence_of_a_question_names_what_speaks_against():
    samples, _ = catalogue.field(catalogue.generator("field", 0))
    reading = read_rows(samples.reshape(len(samples), -1))
    assert (reading.confidence, reading.missed) == ("ask", ("slant",))
    assert reading.signs is not None
    assert reading.evidence.endswith(
        f", but shapes hardly run aslant (by {reading.signs.slant:.1f} standard errors, a"
        f" correlation of {reading.signs.slant_size:.2f})."
    )


def test_evidence_of_colours_names_channels():
    tints = np.random.default_rng(0).uniform(0.6, 1, (180, 1, 1, 3))
    colours = catalogue.faces((24, 18))[..., None] * tints
    planes = read_matrix(picture_case("colours", colours, "planes").matrix)
    assert planes.evidence.startswith("In each row, 3 planes of 432 numbers follow each other")
    interleaved = read_matrix(picture_case("colours", colours, "interleaved").matrix)
    assert interleaved.evidence.startswith("In each row, 3 numbers belong to a pixel")
    assert planes.channels == interleaved.channels == 3


def test_evidence_of_curves_and_lengths_without_sides():
    curves = catalogue.smoothed(catalogue.generator("curves", 0), 100, 400, 10)
    reading = read_matrix(curves)
    assert (reading.answer, reading.confidence) == ("not pictures", "sure")
    assert reading.evidence.startswith("In each row, numbers that follow each other are alike")
    prime = read_matrix(curves[:, :397])
    assert prime.evidence == (
        "A row of this length (397) makes no picture whose sides have 5 numbers or more."
    )
