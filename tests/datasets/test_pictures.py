"""Picture files: in archives, in folders, one by one; honest, odd and hostile."""

import io
import os
import stat
import struct
import zipfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cspca.datasets import (
    NONE,
    Answers,
    Dataset,
    DatasetError,
    UndecidedError,
    load_file,
    load_files,
    make_faces,
    read_file,
    read_files,
    read_like,
)
from cspca.datasets.files import door, foreign
from cspca.datasets.files.containers import one_picture, pictures
from cspca.datasets.files.containers.pictures import usual_size
from cspca.datasets.files.foreign import Watch
from tests.datasets import files
from tests.datasets.here import read_here

pytestmark = pytest.mark.usefixtures("at_home")

RNG = np.random.default_rng(0)
PIXELS = RNG.integers(0, 256, (12, 20, 16)).astype(np.uint8)
LOSSLESS = {"PNG": "png", "PPM": "pgm", "BMP": "bmp", "TIFF": "tif", "GIF": "gif"}


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(4, 5, (24, 20))


def grey_levels(data: Dataset) -> np.ndarray:
    return np.rint(255 * data.images).astype(np.uint8)


def of_pixels(pixels: np.ndarray = PIXELS, name: str = "s{0}/{1}.png") -> bytes:
    """Twelve pictures of four people."""
    return files.zipped(
        {name.format(i // 3 + 1, i): files.picture(one) for i, one in enumerate(pixels)}
    )


def only(content: bytes, name: str = "one.png") -> np.ndarray:
    """The first of two equal pictures, read alone."""
    return load_files([(f"1{name}", content), (f"2{name}", content)]).image(0)


# What a whole set gives


@pytest.mark.parametrize("kind", LOSSLESS)
def test_faces_come_back_from_an_archive(faces: Dataset, kind: str) -> None:
    assert faces.target is not None
    grey = grey_levels(faces)
    content = files.zipped(
        {
            f"faces/p{person + 1}/{number}.{LOSSLESS[kind]}": files.picture(grey[number], kind)
            for number, person in enumerate(faces.target)
        }
    )
    back = load_file(content, "faces.zip")
    np.testing.assert_array_equal(back.images, grey / 255)
    np.testing.assert_array_equal(back.target, faces.target)
    assert back.target_names == ("p1", "p2", "p3", "p4")
    assert back.recognised.startswith("20 images, 24 × 20, 4 classes. Classes are by folder: ")
    assert back.recognised.endswith("divided by 255, so 0 – 255 becomes 0 – 1.")


def test_jpegs_come_back_nearly(faces: Dataset) -> None:
    grey = grey_levels(faces)
    back = load_files(
        [(f"{i}.jpg", files.picture(one, "JPEG", quality=95)) for i, one in enumerate(grey)]
    )
    assert np.abs(back.images - grey / 255).mean() < 0.01


def test_a_folder_and_loose_files_are_the_same_as_an_archive(tmp_path: Path) -> None:
    loose = []
    for number, pixels in enumerate(PIXELS):
        path = tmp_path / f"s{number // 3 + 1}" / f"{number}.png"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(files.picture(pixels))
        loose.append((f"s{number // 3 + 1}/{number}.png", path.read_bytes()))
    prints = {
        load_file(tmp_path).sha256,
        load_file(str(tmp_path)).sha256,
        load_files(loose[::-1]).sha256,
        load_file(of_pixels()).sha256,
        load_file(of_pixels(), "a.zip").sha256,
    }
    assert len(prints) == 1


def test_nobody_is_asked_how_the_pixels_of_picture_files_lie() -> None:
    assert "order" not in read_file(of_pixels(), "a.zip").questions
    with pytest.raises(DatasetError, match="there is no question order about this file"):
        load_file(of_pixels(), "a.zip", order="column")


def test_files_are_told_by_their_first_bytes_not_their_names() -> None:
    back = load_file(of_pixels(name="s{0}/subject{1}.happy"), "a.zip")
    np.testing.assert_array_equal(back.images, PIXELS / 255)


def test_order_is_natural_and_files_of_the_system_are_ignored() -> None:
    pictures = {f"s{i}/1.png": files.picture(PIXELS[i]) for i in range(12)}
    junk = {
        "__MACOSX/s1/._1.png": b"junk", ".DS_Store": b"junk", "s1/.hidden.png": b"junk",
        "s1/Thumbs.db": b"junk", "empty/": b"",
    }  # fmt: skip
    back = read_file(files.zipped(pictures | junk), "a.zip")
    np.testing.assert_array_equal(back.dataset.images, PIXELS / 255)
    assert back.left_out == ()


def test_other_files_are_passed_over_and_said() -> None:
    content = files.zipped(
        {"s1/1.png": files.picture(PIXELS[0]), "s2/2.png": files.picture(PIXELS[1])}
        | {"readme.txt": b"hello", "s1/inner.zip": of_pixels(), "s1/info": b"P7 no"}
    )
    back = read_file(content, "a.zip")
    assert back.dataset.n_samples == 2
    assert back.left_out == ("readme.txt and 2 more: no images",)


# Classes


@pytest.mark.parametrize(
    ("names", "source", "classes"),
    [
        ("s1/1 s1/2 s2/1 s2/2", "folder", ("s1", "s2")),
        ("set/s1/1 set/s1/2 set/s2/1 set/s2/2", "folder", ("s1", "s2")),
        ("s1/x/1 s1/x/2 s2/x/1 s2/x/2", "folder 1 up", ("s1", "s2")),
        ("train/s1/1 test/s1/2 train/s2/3 test/s2/4", "folder", ("s1", "s2")),
        ("a/obj1__0 a/obj1__5 a/obj2__0 a/obj2__5", "file name part 1", ("obj1", "obj2")),
        ("cat1 cat2 dog1 dog2", "file name part 1a", ("cat", "dog")),
        ("1 2 3 4", "none", None),
        ("img1 img2 img3 img4", "none", None),
        ("IMG_1 DSC_2 IMG_3 DSC_4", "none", None),
        ("a/Train/s1/1 a/test/s1/2 a/train/s2/3 a/test/s2/4", "folder", ("s1", "s2")),
        ("GallerySet/subject7_img1 GallerySet/subject8_img1 ProbeSet/subject7_img2"
         " ProbeSet/subject8_img2", "file name part 1", ("subject7", "subject8")),
        ("session1/p1_1 session1/p2_1 session2/p1_2 session2/p2_2", "file name part 1",
         ("p1", "p2")),
    ],
)  # fmt: skip
def test_where_classes_come_from(names: str, source: str, classes: tuple[str, ...] | None) -> None:
    loose = [(f"{name}.png", files.picture(PIXELS[i])) for i, name in enumerate(names.split())]
    reading = read_files(loose)
    question = reading.questions.get("classes_from")
    assert (question.value if question else "none") == source
    assert reading.dataset.target_names == classes


@pytest.mark.parametrize(
    ("names", "offered"),
    [
        # Jaffe, AR, RaFD, KDEF, PolyU, LFW, and folders in folders.
        ("KA.AN1.39 KA.AN2.40 KL.AN1.1 KL.DI1.2 KL.DI2.3", "KA AN"),
        ("m-001-1 m-001-2 w-001-1 w-001-2 m-002-1 m-002-2", "m 001 m_001"),
        ("Rafd045_01_glad Rafd045_01_sad Rafd090_01_glad Rafd090_01_sad Rafd045_02_glad"
         " Rafd045_02_sad Rafd090_02_glad Rafd090_02_sad", "Rafd045 01 glad Rafd045_01"),
        ("AF01ANS AF01HAS AF01ANL AF01HAL AM02ANS AM02HAS AM02ANL AM02HAL", "AF ANL"),
        ("PolyU_001_F_1 PolyU_001_F_2 PolyU_001_S_1 PolyU_001_S_2 PolyU_002_F_1 PolyU_002_F_2"
         " PolyU_002_S_1 PolyU_002_S_2", "001 F PolyU_001_F"),
        ("Aaron_Brook_0001 Aaron_Brook_0002 Aaron_Stone_0001 Aaron_Stone_0002 Maria_Sol_Ng_0001"
         " Maria_Sol_Ng_0002", "Aaron Aaron_Brook"),
        ("1_1 1_2 1_3 2_1 2_2 2_3 3_1 3_2 3_3", "1"),
        ("s1/glad/1 s1/sad/2 s2/glad/3 s2/sad/4 s1/glad/5 s1/sad/6 s2/glad/7 s2/sad/8",
         "s1 glad s1/glad"),
        ("a/x/1 a/x/2 b/x/1 b/x/2 b/y/1 b/y/2", "a a/x x"),
    ],
)  # fmt: skip
def test_where_several_parts_repeat_each_is_offered_and_one_is_asked_for(
    names: str, offered: str
) -> None:
    loose = [(f"{name}.png", files.picture(PIXELS[i % 12])) for i, name in enumerate(names.split())]
    question = read_files(loose).open_questions["classes_from"]
    examples = [answer.example.split(": ")[-1].split(", ")[0] for answer in question.answers]
    assert set(offered.split()) <= set(examples)
    with pytest.raises(UndecidedError, match="What says the class"):
        load_files(loose)
    for answer in question.answers[:-1]:
        n_classes = load_files(loose, classes_from=answer.value).n_classes
        assert answer.example.startswith(f"{n_classes} classes: ")


def test_a_number_inside_each_person_is_no_class() -> None:
    names = [f"p{person}_{view}" for person in (1, 2, 3) for view in (1, 2, 3, 4)]
    loose = [(f"{name}.png", files.picture(PIXELS[i])) for i, name in enumerate(names)]
    reading = read_files(loose)
    assert reading.open_questions == {}
    assert [answer.value for answer in reading.questions["classes_from"].answers] == [
        "file name part 1", NONE
    ]  # fmt: skip


def test_other_classes_may_be_chosen() -> None:
    names = ["s1/glad_1", "s1/sad_2", "s2/glad_3", "s2/sad_4"]
    loose = [(f"{name}.png", files.picture(PIXELS[i])) for i, name in enumerate(names)]
    assert load_files(loose).target_names == ("s1", "s2")
    assert load_files(loose, classes_from="file name part 1").target_names == ("glad", "sad")
    assert load_files(loose, classes_from=NONE).target is None
    with pytest.raises(DatasetError, match="classes_from cannot be 'folder 9 up': choose"):
        load_files(loose, classes_from="folder 9 up")


def test_a_picture_beside_folders_of_classes_has_none() -> None:
    names = ["s1/1", "s1/2", "s2/3", "s2/4", "5"]
    loose = [(f"{name}.png", files.picture(PIXELS[i])) for i, name in enumerate(names)]
    data = load_files(loose)
    assert data.target_names == ("s1", "s2")
    assert data.target is not None
    assert sorted(data.target) == [-1, 0, 0, 1, 1]


# Sizes


def test_pictures_are_resized_by_area() -> None:
    read = read_file(of_pixels(), "a.zip", Answers(size=(10, 8)))
    expected = (PIXELS / 255).reshape(12, 10, 2, 8, 2).mean(axis=(2, 4))
    np.testing.assert_allclose(read.dataset.images, expected, atol=1e-6)
    assert "resized from 20 × 16 to 10 × 8" in read.dataset.recognised
    assert read.sizes[0] == (10, 8)


def test_different_sizes_become_the_commonest() -> None:
    loose = [(f"{i}.png", files.picture(one)) for i, one in enumerate(PIXELS)]
    loose.append(("wide.png", files.picture(np.full((20, 40), 100, np.uint8))))
    data = load_files(loose)
    assert data.image_shape == (20, 16)
    assert (
        "Pictures of 2 different sizes, 20 × 16 and 20 × 40, are all made 20 × 16; 1 of other "
        "proportions is stretched."
    ) in data.recognised
    np.testing.assert_array_equal(data.images[:12], PIXELS / 255)
    np.testing.assert_allclose(data.image(12), 100 / 255, atol=1e-6)


def test_margins_are_cut_off_when_asked() -> None:
    wide = np.zeros((10, 30), np.uint8)
    wide[:, 10:20] = 200
    loose = [("1.png", files.picture(wide)), ("2.png", files.picture(wide))]
    data = load_files(loose, size=(10, 10), crop=True)
    np.testing.assert_allclose(data.data, 200 / 255, atol=1e-6)
    assert "margins cut off" in data.recognised


@pytest.mark.parametrize(
    ("size", "count", "usual"),
    [
        ((32, 32), 400, (32, 32)),
        ((112, 92), 400, (112, 92)),
        ((64, 64), 10_000, (64, 64)),
        ((128, 128), 1440, (128, 128)),
        ((250, 250), 13_000, (48, 48)),
        ((3000, 4000), 50, (48, 64)),
        ((1, 5000), 50, (1, 64)),
    ],
)
def test_large_pictures_are_made_smaller_by_themselves(
    size: tuple[int, int], count: int, usual: tuple[int, int]
) -> None:
    assert usual_size(size, count) == usual


def test_large_jpegs_are_read_at_a_fraction_of_their_size() -> None:
    large = np.repeat(np.repeat(PIXELS[0], 100, axis=0), 100, axis=1)
    content = files.picture(large, "JPEG", quality=95)
    loose = [("1.jpg", content), ("2.jpg", content)]
    data = load_files(loose, size=(20, 16))
    np.testing.assert_allclose(data.image(0), PIXELS[0] / 255, atol=0.06)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "CMYK", "P", "I;16", "F"])
def test_large_pictures_are_means_over_areas_in_every_mode(mode: str) -> None:
    large = np.repeat(np.repeat(PIXELS[0], 16, axis=0), 16, axis=1)
    if mode == "I;16":
        content = files.picture(large.astype(np.uint16) * 257)
    else:
        kind = "TIFF" if mode in ("CMYK", "F") else "PNG"
        stream = io.BytesIO()
        Image.fromarray(large).convert(mode).save(stream, kind)
        content = stream.getvalue()
    loose = [("1", content), ("2", content)]
    data = load_files(loose, size=(20, 16), scale="255" if mode == "F" else None)
    np.testing.assert_allclose(data.image(0), PIXELS[0] / 255, atol=1.1 / 255)


@pytest.mark.parametrize("size", [(0, 5), (5, -1), (513, 10)])
def test_sizes_out_of_bounds_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(DatasetError, match=r"cannot be made .* choose sides from 1 to 512"):
        load_file(of_pixels(), "a.zip", size=size)


# Colours, depth, orientation


def test_colours_turn_to_grey_as_chosen() -> None:
    colours = RNG.integers(0, 256, (8, 9, 3)).astype(np.uint8)
    loose = [("1.png", files.picture(colours)), ("2.png", files.picture(colours[::-1]))]
    expected = {
        "luma": colours @ [0.299, 0.587, 0.114],
        "mean": colours.mean(axis=2),
        "red": colours[..., 0],
        "green": colours[..., 1],
        "blue": colours[..., 2],
    }
    for how, grey in expected.items():
        data = load_files(loose, colours=how)
        np.testing.assert_allclose(data.image(0), grey / 255, atol=1e-6)
        assert "Colours are turned to grey." in data.recognised


def test_every_mode_means_what_it_shows() -> None:
    grey = PIXELS[0]
    image = Image.fromarray(grey)
    for mode in ("RGB", "RGBA", "LA", "CMYK", "P"):
        kind = "TIFF" if mode == "CMYK" else "PNG"
        stream = io.BytesIO()
        image.convert(mode).save(stream, kind)
        np.testing.assert_allclose(only(stream.getvalue()), grey / 255, atol=1 / 255)
    black_or_white = Image.fromarray(np.where(grey > 99, 255, 0).astype(np.uint8)).convert("1")
    for kind in ("PNG", "TIFF", "PPM"):
        stream = io.BytesIO()
        black_or_white.save(stream, kind)
        np.testing.assert_array_equal(only(stream.getvalue()), grey > 99)


def test_what_is_transparent_is_white() -> None:
    stroke = np.zeros((6, 6, 4), np.uint8)
    stroke[2:4, 2:4, 3] = 255  # a black square on nothing
    expected = np.ones((6, 6))
    expected[2:4, 2:4] = 0
    np.testing.assert_array_equal(only(files.picture(stroke)), expected)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "PPM"])
def test_sixteen_bits_a_pixel(kind: str) -> None:
    deep = RNG.integers(0, 65536, (7, 6)).astype(np.uint16)
    deep[0, :2] = 3, 65535
    np.testing.assert_allclose(only(files.picture(deep, kind)), deep / 65535, atol=1e-6)


@pytest.mark.parametrize(("brightest", "white"), [(250, 255), (900, 1023), (4016, 4095),
                                                  (16_000, 16_383), (16_384, 65_535)])  # fmt: skip
def test_white_is_what_a_set_of_sixteen_bits_shows(brightest: int, white: int) -> None:
    dark = RNG.integers(0, brightest, (7, 6)).astype(np.uint16)
    dark[0, 0] = brightest
    loose = [(f"{i}.png", files.picture(dark)) for i in range(2)]
    reading = read_files(loose)
    np.testing.assert_allclose(reading.dataset.image(0), dark / white, atol=1e-6)
    assert (f"White is taken to be {white:,}." in reading.dataset.recognised) is (white < 65535)
    np.testing.assert_allclose(load_files(loose, scale="65535").image(0), dark / 65535, atol=1e-6)


def test_netpbm_says_itself_what_white_is() -> None:
    dark = np.minimum(PIXELS[0].astype(np.uint16), 200)
    np.testing.assert_allclose(only(files.picture(dark, "PPM")), dark / 65535, atol=1e-6)
    few = b"P5 3 2 15 " + bytes([0, 1, 2, 3, 4, 9])
    np.testing.assert_allclose(only(few).ravel(), np.array([0, 1, 2, 3, 4, 9]) / 15, atol=2e-3)


def test_masks_of_0_and_1_are_black_and_white() -> None:
    binary = (PIXELS > 128).astype(np.uint8)
    data = load_files([(f"{i}.png", files.picture(one)) for i, one in enumerate(binary)])
    np.testing.assert_array_equal(data.images, binary)


def test_values_too_few_for_eight_bits_are_asked_about() -> None:
    dark = np.minimum(PIXELS[0], 12)
    loose = [(f"{i}.png", files.picture(dark)) for i in range(2)]
    question = read_files(loose).open_questions["scale"]
    assert "No value is above 12 of 255" in question.answers[0].evidence
    np.testing.assert_array_equal(load_files(loose, scale="255").image(0), dark / 255)
    assert load_files(loose, scale="stretch").data.max() == 1
    grey = np.minimum(PIXELS[0], 90)  # dark pictures stay dark
    np.testing.assert_array_equal(only(files.picture(grey)), grey / 255)


def test_floating_point_pictures_are_scaled_as_a_set() -> None:
    bright = (PIXELS[0] / 255 * 40).astype(np.float32)
    loose = [("1.tif", files.picture(bright, "TIFF")), ("2.tif", files.picture(bright / 2, "TIFF"))]
    data = load_files(loose)
    np.testing.assert_allclose(data.image(0), PIXELS[0] / PIXELS[0].max(), atol=1e-2)
    assert data.image(1).max() == pytest.approx(data.image(0).max() / 2, abs=1e-2)


def test_depths_may_be_mixed() -> None:
    deep = PIXELS[0].astype(np.uint16) * 16
    loose = [(f"{i}.png", files.picture(one)) for i, one in enumerate(PIXELS[:5])]
    data = load_files([*loose, ("9.png", files.picture(deep))])
    np.testing.assert_allclose(data.images[:5], PIXELS[:5] / 255, atol=1e-6)
    np.testing.assert_allclose(data.image(5), PIXELS[0] / 255, atol=4e-3)
    sentence = "Pictures of different depth were divided: 1 of 16 bits by 4,095, 5 of 8 bits by 255"
    assert sentence in data.recognised


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF"])
@pytest.mark.parametrize("turn", range(1, 9))
def test_exif_orientation_is_followed(kind: str, turn: int) -> None:
    corner = np.full((16, 24), 40, np.uint8)
    corner[:8, :8] = 220
    exif = Image.Exif()
    exif[0x0112] = turn
    content = files.picture(corner, kind, exif=exif)
    upright = only(content)
    # What the standard says of row 0 and column 0 of the stored picture.
    first_row = {1: "top", 2: "top", 3: "bottom", 4: "bottom", 5: "left", 6: "right", 7: "right",
                 8: "left"}[turn]  # fmt: skip
    first_column = {1: "left", 2: "right", 3: "right", 4: "left", 5: "top", 6: "top", 7: "bottom",
                    8: "bottom"}[turn]  # fmt: skip
    rows, columns = np.nonzero(upright > 0.6)
    height, width = upright.shape
    assert (height, width) == ((16, 24) if turn < 5 else (24, 16))
    middle = {
        "top": rows.mean() < height / 2, "bottom": rows.mean() > height / 2,
        "left": columns.mean() < width / 2, "right": columns.mean() > width / 2,
    }  # fmt: skip
    assert middle[first_row]
    assert middle[first_column]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"P2\n# a comment\n3 2\n9\n0 1 2\n3 4 9\n", [[0, 1, 2], [3, 4, 9]]),
        (b"P5 3 2 9\n" + bytes([0, 1, 2, 3, 4, 9]), [[0, 1, 2], [3, 4, 9]]),
        (b"P5 3 2 999\n" + struct.pack(">6H", 0, 111, 222, 333, 444, 999), None),
        (b"P1\n3 2\n101\n010\n", [[0, 9, 0], [9, 0, 9]]),
        (b"P4\n3 2\n" + bytes([0b10100000, 0b01000000]), [[0, 9, 0], [9, 0, 9]]),
        (b"P3 1 2 9 0 0 0  9 9 9", [[0], [9]]),
        (b"P6 1 2 9 " + bytes([0, 0, 0, 9, 9, 9]), [[0], [9]]),
    ],
)
def test_every_kind_of_pnm(content: bytes, expected: list[list[int]] | None) -> None:
    wanted = np.array(expected or [[0, 1, 2], [3, 4, 9]]) / 9
    # Pillow brings every range to 8 or 16 bits.
    np.testing.assert_allclose(only(content), wanted, atol=0.5 / 255)


@pytest.mark.parametrize(
    "content",
    [
        b"P2 3 2 9 0 1 2 3 4", b"P2 3 2 9 a b c d e f", b"P5 3 2 9 \1\2", b"P4 30 20\n\1",
        b"P1 3 2 10",
        b"P2 2 1 9 1 77", b"P5 2 1 0 \1\1", b"P5 2", b"P5 2 1 99999 \1\1",
        b"P5 999999999 999999999 255\n", b"P2 2 1 9 -1 3", b"P5 0 4 255\n",
    ],
)  # fmt: skip
def test_broken_pnm_is_refused(content: bytes) -> None:
    with pytest.raises(DatasetError, match=r"none of the 2 images can be read, 1one.png "):
        only(content)


# Sets that are not what they seem


def test_some_broken_pictures_are_left_out_and_said() -> None:
    whole = {f"s{i % 2}/{i}.png": files.picture(one) for i, one in enumerate(PIXELS)}
    broken = {
        "s0/cut.png": files.picture(PIXELS[0])[:-60],
        "s0/huge.png": files.png_declaring(40_000, 40_000),
        "s1/wide.png": files.png_declaring(1, 40_000),
    }
    read = read_file(files.zipped(whole | broken), "a.zip")
    assert read.dataset.n_samples == 12
    assert sorted(read.left_out) == [
        "s0/cut.png is damaged",
        "s0/huge.png declares 40000 × 40000 pixels, over the limit",
        "s1/wide.png is damaged",
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (files.zipped({}), "holds no images: bring one data file, or PNG"),
        (files.zipped({"a.txt": b"x"}), "is not a table: put one sample a row"),
        (files.zipped({"in.zip": of_pixels()}), "holds other archives, in.zip: unpack"),
        (files.zipped({"1.png": files.png_declaring(40_000, 40_000)}), "1.png declares 40000 × "),
        (
            files.zipped({"1.png": files.picture(PIXELS[0])}),
            "holds only one image .of 320 pixels.: bring at least two",
        ),
        (
            files.zipped({"1.png": b"\x89PNG\r\n\x1a\n junk"}),
            "the image cannot be read, 1",
        ),
        (files.zipped({"1.png": b"", "2.png": b""}), "holds no images, only 1.png, 2.png: bring"),
        (of_pixels()[:-30], "not a whole .zip archive"),
        (b"PK hello", "not a whole .zip archive"),
        (files.zipped({"a.png": bytes(80 * 2**20)}), "holds no images, only a.png"),
        (
            files.zipped({"a.csv": b"1,2\n3,4\n", "b.npz": b"PK", "c.h5": b"?"}),
            "only a.csv, b.npz, c.h5: bring one data file",
        ),
    ],
)
def test_archives_that_are_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence) as caught:
        load_file(content, "a.zip")
    message = str(caught.value)
    assert "a.zip" in message
    assert message.endswith(".")
    assert "\n" not in message


def test_one_data_file_in_an_archive_is_opened(faces: Dataset) -> None:
    content = files.zipped({"deep/a.mat": files.mat(X=faces.data, Y=faces.target)})
    answers = {"samples": "rows", "features": "pixels", "shape": (24, 20), "order": "row"}
    assert load_file(content, "a.zip", **answers).n_samples == 20
    arrays = files.zipped({"X.npy": files.npy(faces.images), "y.npy": files.npy(faces.target)})
    data = load_file(arrays, "a.zip", samples="rows", features="pixels")
    np.testing.assert_array_equal(data.data, faces.data)


def test_names_that_climb_or_start_at_the_root_are_only_names(tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    names = [
        "../../evil/1.png",
        "/etc/evil/2.png",
        "C:\\evil\\3.png",
        "..\\good\\4.png",
        "good/5.png",
    ]
    loose = {name: files.picture(PIXELS[i]) for i, name in enumerate(names)}
    where = Path.cwd()
    os.chdir(tmp_path)
    try:
        data = load_file(files.zipped(loose), "a.zip")
    finally:
        os.chdir(where)
    assert data.target_names == ("evil", "good")
    assert (
        "4 names point outside the archive: a name is only a name here, and leads nowhere."
        in data.recognised
    )
    assert set(tmp_path.rglob("*")) == before
    assert not Path("/etc/evil").exists()


def test_links_in_an_archive_are_not_followed() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        link = zipfile.ZipInfo("s1/link.png")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        for i in range(4):
            archive.writestr(f"s{i % 2}/{i}.png", files.picture(PIXELS[i]))
    read = read_file(stream.getvalue(), "a.zip")
    assert read.dataset.n_samples == 4
    assert read.left_out == ("s1/link.png is a link",)


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    inside = tmp_path / "inside"
    for folder in (outside, inside):
        folder.mkdir()
        for i in range(2):
            (folder / f"{i}.png").write_bytes(files.picture(PIXELS[i]))
    (inside / "file.png").symlink_to(outside / "0.png")
    (inside / "folder").symlink_to(outside, target_is_directory=True)
    os.mkfifo(inside / "pipe.png")
    read = read_file(inside)
    assert read.dataset.n_samples == 2
    assert sorted(read.left_out) == [
        "file.png is a link or a device", "pipe.png is a link or a device"
    ]  # fmt: skip


def test_of_two_entries_of_one_name_the_last_is_taken() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("1.png", files.picture(PIXELS[0]))
        archive.writestr("2.png", files.picture(PIXELS[1]))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("1.png", files.picture(PIXELS[2]))
    read = read_file(stream.getvalue(), "a.zip")
    np.testing.assert_array_equal(read.dataset.images, PIXELS[[2, 1]] / 255)
    assert read.left_out == ("1.png comes twice: the last is taken",)


def test_a_locked_archive_has_its_sentence() -> None:
    content = bytearray(of_pixels())
    for at in range(len(content) - 4):
        if content[at : at + 4] == b"PK\x01\x02":
            content[at + 8] |= 1
    with pytest.raises(DatasetError, match=r"a.zip is locked by a password"):
        load_file(bytes(content), "a.zip")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packings_are_read(method: int) -> None:
    content = files.zipped({f"{i}.png": files.picture(PIXELS[i]) for i in range(3)}, method)
    np.testing.assert_array_equal(load_file(content, "a.zip").images, PIXELS[:3] / 255)


def test_html_in_names_stays_text() -> None:
    names = ["<script>alert(1)", "b\x07\u202e"]
    loose = [(f"{names[i % 2]}/{i}.png", files.picture(PIXELS[i])) for i in range(4)]
    # What cannot be printed, or turns the writing round, is shown as unknown.
    assert load_files(loose).target_names == ("<script>alert(1)", "b��")


def test_no_files_have_their_sentence() -> None:
    with pytest.raises(DatasetError, match="There are no files: choose some images"):
        load_files([])
    with pytest.raises(DatasetError, match=r"a.jpg is not a PNG.*image, whatever its name says"):
        load_file(b"\xff\xd8", "a.jpg")
    with pytest.raises(DatasetError, match=r"only one image \(of 320 pixels\)"):
        load_file(files.picture(PIXELS[0]), "a.png")


def test_one_file_that_is_no_picture_goes_to_its_own_reader(faces: Dataset) -> None:
    array = ("a.npy", files.npy(faces.images))
    data = load_files([array], samples="rows", features="pixels")
    np.testing.assert_array_equal(data.data, faces.data)
    with pytest.raises(DatasetError, match=r"a.doc is of a kind that is not read here"):
        load_files([("a.doc", b"hello")])
    with pytest.raises(DatasetError, match=r"a.png is empty"):
        load_files([("a.png", b"")])


def test_data_files_do_not_come_together() -> None:
    table, picture = files.csv([[0.1, 0.2], [0.3, 0.4]]), files.picture(np.eye(6, dtype=np.uint8))
    with pytest.raises(DatasetError, match=r"^a\.csv came together with b\.npz and 1 more: bring"):
        load_files([("a.csv", table), ("b.npz", files.npz(X=np.eye(4))), ("c.csv", table)])
    with pytest.raises(DatasetError, match=r"^a\.csv came together with 1\.png: bring a data file"):
        load_files([("1.png", picture), ("a.csv", table)])
    two = load_files([("1.png", picture), ("a.csv", table), ("2.png", picture[:])])
    assert two.n_samples == 2


@pytest.mark.parametrize(
    "labels",
    [
        ("y.npy", files.npy(np.arange(12) % 3)),
        (
            "events.csv",
            b"epoch,condition\n" + b"".join(b"%d,c%d\n" % (k, k % 3) for k in range(12)),
        ),
        ("labels.txt", b"".join(b"c%d\n" % (k % 3) for k in range(12))),
        ("labels.csv", b"condition\n" + b"".join(b"c%d\n" % (k % 3) for k in range(12))),
    ],
)
def test_labels_in_a_file_of_their_own_come_beside_an_array(labels: tuple[str, bytes]) -> None:
    epochs = np.random.default_rng(0).normal(size=(12, 4, 50))
    named = [labels, ("S1/epochs.npy", files.npy(epochs))]
    data = load_files(named)
    assert data.name == "epochs"
    assert data.target is not None
    np.testing.assert_array_equal(data.target, np.arange(12) % 3)
    zipped = load_file(files.zipped(dict(named)), "S1.zip")
    np.testing.assert_array_equal(zipped.target, data.target)
    assert not read_file(files.zipped(dict(named)), "S1.zip").left_out


def test_a_table_of_another_length_is_no_label_of_an_array() -> None:
    named = {"epochs.npy": files.npy(np.zeros((12, 4, 50))), "notes.csv": b"a,b\n1,2\n3,4\n"}
    assert read_file(files.zipped(named), "S1.zip").left_out == ("notes.csv: not data",)


def test_an_archive_of_archives_says_how_to_pack_them() -> None:
    inner = files.zipped({"1.png": files.picture(np.eye(6, dtype=np.uint8))})
    content = files.zipped({"anna.zip": inner, "ben.zip": inner})
    with pytest.raises(DatasetError, match=r"holds other archives, anna\.zip, ben\.zip: unpack"):
        load_file(content, "class.zip")


def test_files_that_come_together_are_refused_by_the_one_that_is_not_read() -> None:
    set_file, slides = ("S1.set", b"MATLAB 5.0"), ("lesson.pptx", b"PK\3\4")
    with pytest.raises(DatasetError, match=r"^S1\.fdt is a part of an EEGLAB set"):
        load_files([set_file, ("S1.fdt", bytes(40))])
    with pytest.raises(DatasetError, match=r"^lesson\.pptx is a presentation of PowerPoint"):
        load_files([("a.zip", b"PK\3\4"), slides])


def test_each_small_picture_is_unpacked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    n_read = 0
    read = foreign.Entry.read

    def counted(entry: foreign.Entry) -> bytes:
        nonlocal n_read
        n_read += 1
        return read(entry)

    monkeypatch.setattr(foreign.Entry, "read", counted)
    members = {f"s{at % 4}/{at}.png": files.picture(PIXELS[at]) for at in range(12)}
    assert read_here(files.zipped(members), "a.zip").dataset.n_samples == 12
    assert n_read == 12


@pytest.mark.parametrize("mark", [b"", b"eXIf"])
def test_a_png_is_measured_by_its_header_as_by_its_decoder(mark: bytes) -> None:
    content = files.picture(PIXELS[0])
    info = one_picture.measure(content + mark)
    assert info == one_picture.PictureInfo(PIXELS[0].shape)
    damaged = content[:20] + b"\1" + content[21:]
    with pytest.raises(Exception, match=r"broken PNG|identify"):
        one_picture.measure(damaged)


def test_one_broken_picture_is_named_once() -> None:
    with pytest.raises(DatasetError, match=r"^fake\.png is damaged: save it again"):
        load_file(b"GIF89a junk", "fake.png")


def test_each_name_is_cleaned_a_few_times_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n_pictures, n_cleaned = 60, 0
    shown = pictures.PictureFiles.shown

    def counted(of: pictures.PictureFiles, number: int) -> str:
        nonlocal n_cleaned
        n_cleaned += 1
        return shown(of, number)

    monkeypatch.setattr(pictures.PictureFiles, "shown", counted)
    parts = [files.picture(PIXELS[at % 12]) for at in range(n_pictures)]
    names = [f"{at}.png" for at in range(n_pictures)]
    request = {"names": names, "answers": asdict(Answers())}
    door.read(request, parts, Watch("pictures"))
    assert n_pictures <= n_cleaned <= 10 * n_pictures


@pytest.mark.parametrize("mode", ["L", "RGB", "P", "I;16"])
def test_pictures_without_colours_are_not_asked_about_colours(mode):
    rng = np.random.default_rng(0)
    grey = [Image.fromarray(rng.integers(0, 200, (6, 5)).astype("u1")) for _ in range(4)]
    members = []
    for number, picture in enumerate(grey):
        stream = io.BytesIO()
        picture.convert(mode).save(stream, "PNG")
        members.append((f"{number}.png", stream.getvalue()))
    reading = read_files(members)
    assert "colours" not in reading.questions
    answered = read_files(members, answers=Answers.of(colours="mean"))
    assert answered.questions["colours"].confidence == "given"
    assert read_like(members, reading.dataset).data.tolist() == reading.dataset.data.tolist()
    red = Image.new("RGB", (5, 6), "red")
    stream = io.BytesIO()
    red.save(stream, "PNG")
    coloured = read_files([*members, ("red.png", stream.getvalue())])
    assert coloured.questions["colours"].value == "luma"
