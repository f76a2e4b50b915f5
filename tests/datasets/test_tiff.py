"""TIFF files: what the tags say goes before the pixels."""

from typing import Any

import numpy as np
import pytest

from cspca.datasets import DatasetError, load_file, load_files, read_file, read_files
from cspca.datasets.files.containers import one_picture, tiff
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

RNG = np.random.default_rng(0)
LEAST = (1, 1)
GREY = RNG.integers(0, 256, (4, 9, 7)).astype(np.uint8)
TYPES = ("u1", "u2", "u4", "i1", "i2", "i4", "f2", "f4", "f8")


def set_of(contents: list[bytes]) -> list[tuple[str, bytes]]:
    return [(f"{number}.tif", content) for number, content in enumerate(contents)]


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("compression", [1, 8])
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", TYPES)
def test_pixels_are_what_was_stored(kind: str, order: str, compression: int, big: bool) -> None:
    grey = (RNG.random((5, 7)) * 100).astype(order + kind)
    colours = (RNG.random((5, 7, 3)) * 100).astype(order + kind)
    two = (RNG.random((5, 7, 2)) * 100).astype(order + kind)
    for pixels, photometric in ((grey, 1), (colours, 2), (two, 1)):
        content = files.tiff(pixels, photometric, compression=compression, big=big)
        decoded = one_picture.decode(content, LEAST)
        np.testing.assert_array_equal(decoded.values, pixels)
        assert decoded.are_colours is (photometric == 2)
    planes = np.moveaxis(colours, 2, 0).copy()
    content = files.tiff(planes, 2, planar=True, compression=compression, big=big)
    np.testing.assert_array_equal(one_picture.decode(content, LEAST).values, colours)


@pytest.mark.parametrize("predictor", [2, 3])
def test_differences_are_summed(predictor: int) -> None:
    if predictor == 2:
        pixels = RNG.integers(0, 60_000, (5, 7, 2)).astype(np.uint16)
        stored = np.diff(pixels, axis=1, prepend=pixels[:, :1] * 0)
    else:
        pixels = RNG.random((5, 7)).astype(np.float32)
        weights = pixels.astype(">f4").view(np.uint8).reshape(5, 7, 4)
        by_weight = weights.transpose(0, 2, 1).reshape(5, 28)
        stored = np.diff(by_weight, axis=1, prepend=by_weight[:, :1] * 0).view(np.float32)
    content = files.tiff(stored, compression=8, tags={317: [predictor]})
    np.testing.assert_array_equal(one_picture.decode(content, LEAST).values, pixels)


@pytest.mark.parametrize("kind", ["u1", "u2", "f4"])
def test_zero_may_be_white(kind: str) -> None:
    white = 1 if kind == "f4" else np.iinfo(kind).max
    values = GREY / 255 if kind == "f4" else GREY.astype(kind) * (white // 255)
    contents = [files.tiff((white - picture).astype(kind), 0) for picture in values]
    data = load_files(set_of(contents))
    np.testing.assert_allclose(data.images, GREY / 255, atol=1e-6)


def test_signed_and_wide_numbers_do_not_wrap() -> None:
    for pixels in (GREY.astype(np.int16) - 128, GREY.astype(np.uint32) * 1_000_000):
        kind = np.int8 if pixels.min() < 0 else np.uint32
        data = load_files(set_of([files.tiff(picture.astype(kind)) for picture in pixels]))
        low, high = float(GREY.min()), float(GREY.max())
        np.testing.assert_allclose(data.images, (GREY - low) / (high - low), atol=1e-6)


def test_colours_of_twelve_bits_keep_their_levels() -> None:
    deep = RNG.integers(0, 4096, (2, 9, 7, 3)).astype(np.uint16)
    deep[0, 0, 0] = 4095
    data = load_files(set_of([files.tiff(picture, 2) for picture in deep]), colours="green")
    np.testing.assert_allclose(data.images, deep[..., 1] / 4095, atol=1e-6)


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_floats_of_every_width(kind: str) -> None:
    unit = (GREY / 255).astype(kind)
    data = load_files(set_of([files.tiff(picture) for picture in unit]))
    np.testing.assert_allclose(data.images, unit, atol=1e-7)


# Channels


def two_channels(way: str) -> list[bytes]:
    if way == "together":
        return [
            files.tiff(np.dstack([picture, 255 - picture]), tags={338: [0]}) for picture in GREY
        ]
    text = {
        "ImageJ": "ImageJ=1.54\nimages=2\nchannels=2\nmode=composite\n",
        "OME": '<OME><Pixels DimensionOrder="XYCZT" SizeC="2" SizeZ="1" SizeT="1"/></OME>',
    }[way]
    return [
        files.film(np.stack([picture, 255 - picture]), "TIFF", tiffinfo={270: text})
        for picture in GREY
    ]


@pytest.mark.parametrize("way", ["together", "ImageJ", "OME"])
def test_channels_that_are_no_colours_are_asked_about(way: str) -> None:
    loose = set_of(two_channels(way))
    question = read_files(loose).open_questions["colours"]
    values = [answer.value for answer in question.answers]
    assert values == ["separate", "channel 1", "channel 2"]
    np.testing.assert_array_equal(load_files(loose, colours="channel 1").images, GREY / 255)
    second = load_files(loose, colours="channel 2")
    np.testing.assert_allclose(second.images, 1 - GREY / 255, atol=1e-7)
    apart = load_files(loose, colours="separate")
    assert apart.image_shape is None
    np.testing.assert_allclose(apart.data[:, 63:], 1 - apart.data[:, :63], atol=1e-7)


@pytest.mark.parametrize(
    ("order", "places"), [("CZT", (0, 2, 4)), ("ZCT", (0, 1, 2))]
)  # fmt: skip
def test_channels_of_several_slices_stay_with_their_slice(
    order: str, places: tuple[int, ...]
) -> None:
    text = f'<OME><Pixels DimensionOrder="XY{order}" SizeC="2" SizeZ="3" SizeT="1"/></OME>'
    pages = RNG.integers(0, 256, (6, 9, 7)).astype(np.uint8)
    content = files.film(pages, "TIFF", tiffinfo={270: text})
    data = load_file(content, "a.tif", colours="channel 1")
    np.testing.assert_array_equal(data.images, pages[list(places)] / 255)


def test_five_channels_are_read() -> None:
    spectral = RNG.integers(0, 256, (3, 9, 7, 5)).astype(np.uint8)
    data = load_files(set_of([files.tiff(one) for one in spectral]), colours="separate")
    expected = np.moveaxis(spectral, 3, 1).reshape(3, -1) / 255
    np.testing.assert_allclose(data.data, expected, atol=1e-7)


def test_opacity_of_sixteen_bits_is_shown_on_white() -> None:
    opacity = np.full((9, 7), 65535, np.uint16)
    opacity[:3] = 0
    deep = GREY[0].astype(np.uint16) * 257
    content = files.tiff(np.dstack([deep, opacity]), tags={338: [2]})
    data = load_files(set_of([content] * 2))
    np.testing.assert_allclose(data.image(0)[3:], GREY[0][3:] / 255, atol=1e-6)
    assert (data.image(0)[:3] == 1).all()


# Pages


def test_the_pages_of_a_file_that_came_alone_are_samples() -> None:
    reading = read_file(files.film(GREY, "TIFF"), "stack.tif")
    assert reading.open_questions == {}
    assert "Each picture in the file is a sample." in reading.sentences
    np.testing.assert_array_equal(reading.dataset.images, GREY / 255)


def test_the_pages_of_several_files_are_asked_about() -> None:
    loose = set_of([files.film(GREY, "TIFF"), files.film(GREY[::-1], "TIFF")])
    assert "2 files hold several pictures" in read_files(loose).open_questions["samples"].text
    first = load_files(loose, samples="first")
    np.testing.assert_array_equal(first.images, GREY[[0, 3]] / 255)
    every = load_files(loose, samples="pages")
    assert every.target is None
    by_file = load_files(loose, samples="pages", classes_from="file")
    assert by_file.target_names == ("0.tif", "1.tif")
    np.testing.assert_array_equal(every.images, np.concatenate([GREY, GREY[::-1]]) / 255)


@pytest.mark.parametrize("says_so", [True, False])
def test_smaller_copies_are_passed_over_and_said(says_so: bool) -> None:
    large = RNG.integers(0, 256, (2, 40, 32)).astype(np.uint8)
    contents = []
    for picture in large:
        copies = [picture, picture[::2, ::2], picture[::4, ::4]]
        contents.append(preview_first(picture) if says_so else files.film(copies, "TIFF"))
    reading = read_files(set_of(contents))
    assert reading.open_questions == {}
    assert reading.dataset.image_shape == (40, 32)
    np.testing.assert_array_equal(reading.dataset.images, large / 255)
    assert "Smaller copies that the files hold of their pictures are passed over." in (
        reading.sentences
    )


def preview_first(picture: np.ndarray) -> bytes:
    """A TIFF of two pages, of which the first says that it is a reduced copy."""
    content = files.film([picture[::5, ::4], picture], "TIFF")
    start = int.from_bytes(content[4:8], "little")
    n_entries = int.from_bytes(content[start : start + 2], "little")
    return with_subfile_type(content, start, n_entries)


def with_subfile_type(content: bytes, start: int, n_entries: int) -> bytes:
    """Move the first directory to the end, with the tag NewSubfileType = 1 before the others."""
    entries = content[start + 2 : start + 2 + 12 * n_entries]
    following = content[start + 2 + 12 * n_entries : start + 6 + 12 * n_entries]
    tag = bytes([254, 0, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0])
    padded = content + b"\0" * (len(content) % 2)
    directory = (n_entries + 1).to_bytes(2, "little") + tag + entries + following
    return padded[:4] + len(padded).to_bytes(4, "little") + padded[8:] + directory


# What is refused


@pytest.mark.parametrize(
    ("compression", "name"), [(34712, "JPEG 2000"), (34887, "LERC"), (50002, "JPEG XL"),
                              (4711, "method 4711")],
)  # fmt: skip
def test_other_packings_are_named(compression: int, name: str) -> None:
    content = files.tiff(GREY[0], tags={259: [compression]})
    sentence = rf"1\.tif is a TIFF packed by {name}, which is not read here \(save it without comp"
    with pytest.raises(DatasetError, match=sentence):
        load_files([("1.tif", content), ("2.tif", content)])


HOSTILE: dict[str, dict[str, Any]] = {
    "no strips": {"tags": {273: [], 279: []}},
    "more counts than strips": {"tags": {279: [9, 9]}},
    "strips beyond the end": {"tags": {279: [2**31]}},
    "a huge width": {"tags": {256: [2**31]}},
    "no width": {"tags": {256: [0]}},
    "tiles of no width": {"tags": {322: [0], 323: [16], 324: [16], 325: [10]}},
    "many channels": {"tags": {277: [65_535]}},
    "no channels": {"tags": {277: [0]}},
    "bits of many kinds": {"tags": {258: [16, 8]}},
    "7 bits": {"tags": {258: [7]}},
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("kind", ["u2", "i1"])
def test_tags_that_lie_are_refused(case: str, kind: str) -> None:
    content = files.tiff(GREY[0].astype(kind), 0, **HOSTILE[case])
    with pytest.raises(DatasetError, match=r"none of the 2 images can be read, 1\.tif "):
        load_files([("1.tif", content), ("2.tif", content)])


def test_directories_that_lead_in_a_circle_end() -> None:
    content = bytearray(files.tiff(GREY[0]))
    start = int.from_bytes(content[4:8], "little")
    n_entries = int.from_bytes(content[start : start + 2], "little")
    end = start + 2 + 12 * n_entries
    content[end : end + 4] = start.to_bytes(4, "little")
    assert len(tiff.layout(bytes(content)).pages) == 1
