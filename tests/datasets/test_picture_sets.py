"""What lies around pictures: tables, masks, arrays, copies of systems, kinds that are not read."""

import io
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cspca.datasets import NONE, DatasetError, load_file, load_files, read_file, read_files
from cspca.datasets.files.unread_kinds import unread_kind
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

RNG = np.random.default_rng(0)
PIXELS = RNG.integers(0, 256, (12, 20, 16)).astype(np.uint8)
PNGS = [files.picture(pixels) for pixels in PIXELS]
WHO = [f"p{number // 3}" for number in range(12)]


def in_folders(contents: list[bytes] = PNGS, ending: str = "png") -> dict[str, bytes]:
    return {
        f"s{number // 3 + 1}/{number:02d}.{ending}": content
        for number, content in enumerate(contents)
    }


# Tables of labels


@pytest.mark.parametrize(
    ("name", "head", "row"),
    [
        ("labels.csv", "id,label", "{0:02d}.png,{1}"),
        ("metadata.csv", "image_id;dx", "{0:02d};{1}"),
        ("train.tsv", "path\tlabel", "images/{0:02d}.png\t{1}"),
        ("list.txt", "images/00.png p0", "images/{0:02d}.png {1}"),
        ("split.csv", "file,class,Usage", "{0:02d}.png,{1},Training"),
        ("one_hot.csv", "image,p0,p1,p2,p3", "{0:02d},{2}"),
    ],
)
def test_a_table_gives_classes_by_the_names_of_files(name: str, head: str, row: str) -> None:
    rows = [
        row.format(number, WHO[number], ",".join("01"[number // 3 == k] for k in range(4)))
        for number in reversed(range(12))
    ]
    members = {f"images/{number:02d}.png": content for number, content in enumerate(PNGS)}
    content = files.zipped({name: "\n".join([head, *rows]).encode()} | members)
    reading = read_file(content, "a.zip")
    assert reading.open_questions == {}
    data = reading.dataset
    assert data.target_names == ("p0", "p1", "p2", "p3")
    assert data.target is not None
    assert data.target.tolist() == [number // 3 for number in range(12)]
    assert f"Classes are by {name}" in data.recognised
    assert reading.left_out == ()
    assert load_file(content, "a.zip", classes_from=NONE).target is None


def test_pictures_that_a_table_does_not_name_have_no_class() -> None:
    rows = "\n".join(f"{number:02d},{WHO[number]}" for number in range(11))
    members = {f"{number:02d}.png": content for number, content in enumerate(PNGS)}
    data = load_file(files.zipped({"y.csv": f"id,label\n{rows}".encode()} | members), "a.zip")
    assert data.target is not None
    assert data.target[11] == -1


def test_several_columns_of_a_table_are_asked_about() -> None:
    rows = "\n".join(f"{number:02d},{WHO[number]},{'mf'[number % 2]}" for number in range(12))
    members = {f"{number:02d}.png": content for number, content in enumerate(PNGS)}
    content = files.zipped({"y.csv": f"id,name,sex\n{rows}".encode()} | members)
    question = read_file(content, "a.zip").open_questions["classes_from"]
    assert [answer.value for answer in question.answers] == ["y.csv: name", "y.csv: sex", NONE]
    assert question.answers[0].example == "4 classes: p0, p1, …"
    assert load_file(content, "a.zip", classes_from="y.csv: sex").target_names == ("f", "m")


def test_a_table_that_contradicts_the_folders_is_asked_about() -> None:
    rows = "\n".join(f"{number:02d}.png,{number % 2}" for number in range(12))
    content = files.zipped({"y.csv": f"id,label\n{rows}".encode()} | in_folders())
    question = read_file(content, "a.zip").open_questions["classes_from"]
    assert [answer.value for answer in question.answers[:2]] == ["y.csv: label", "folder"]


@pytest.mark.parametrize("text", [b"hello", b"a,b\n1,2\n", b"\0\1,\2\n", b'"open,1\n2,3', b""])
def test_other_texts_are_no_tables_of_labels(text: bytes) -> None:
    reading = read_file(files.zipped({"notes.csv": text} | in_folders()), "a.zip")
    assert reading.dataset.target_names == ("s1", "s2", "s3", "s4")
    assert reading.left_out == ("notes.csv: no images",)


# Masks


@pytest.mark.parametrize(
    ("picture", "mask"),
    [
        ("data/images/{}.png", "data/masks/{}.png"),
        ("img/{}.png", "labels/{}.png"),
        ("{}.png", "{}_mask.png"),
        ("bottle/test/{}.png", "bottle/ground_truth/{}_mask.png"),
    ],
)
def test_masks_beside_pictures_are_no_samples(picture: str, mask: str) -> None:
    members = {picture.format(f"{number:03d}"): content for number, content in enumerate(PNGS)}
    binary = [files.picture(np.where(pixels > 128, 255, 0).astype("u1")) for pixels in PIXELS]
    members |= {mask.format(f"{number:03d}"): content for number, content in enumerate(binary)}
    content = files.zipped(members)
    reading = read_file(content, "a.zip")
    assert reading.open_questions == {}
    np.testing.assert_array_equal(reading.dataset.images, PIXELS / 255)
    assert reading.dataset.target is None
    assert "12 masks are no samples: " in reading.dataset.recognised
    assert load_file(content, "a.zip", data="all", classes_from=NONE).n_samples == 24
    np.testing.assert_array_equal(
        load_file(content, "a.zip", data="masks", classes_from=NONE).images, PIXELS > 128
    )


def test_pictures_of_masks_are_a_class() -> None:
    names = [f"{folder}/{number}" for folder in ("masks", "hats") for number in range(6)]
    data = load_files([(f"{name}.png", PNGS[place]) for place, name in enumerate(names)])
    assert data.target_names == ("hats", "masks")


# Copies and what was set aside


@pytest.mark.parametrize("ending", [".bad", ".bak", "~", ".orig", ".tmp"])
def test_what_was_set_aside_is_no_sample_and_said(ending: str) -> None:
    members = in_folders() | {f"s1/99.png{ending}": PNGS[0]}
    reading = read_file(files.zipped(members), "a.zip")
    assert reading.dataset.n_samples == 12
    assert reading.left_out == (f"s1/99.png{ending}: set aside by their names, no samples",)


@pytest.mark.parametrize(
    "name", ["s1/@eaDir/1.png/THUMB_S.png", ".thumbnails/1.png", "#recycle/1.png", "__MACOSX/1.png"]
)
def test_copies_of_systems_are_no_samples_and_said(name: str) -> None:
    reading = read_file(files.zipped(in_folders() | {name: PNGS[0]}), "a.zip")
    assert reading.dataset.n_samples == 12
    assert reading.dataset.target_names == ("s1", "s2", "s3", "s4")
    assert reading.left_out == (f"{name}: made by a system, no samples",)


# Arrays


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64, bool])
def test_one_array_a_picture_in_folders_of_classes(dtype: type) -> None:
    stored = PIXELS > 128 if dtype is bool else PIXELS.astype(dtype)
    if np.dtype(dtype).kind == "f":
        stored = stored / np.array(255, dtype)
    members = in_folders([files.npy(pixels) for pixels in stored], "npy")
    data = load_file(files.zipped(members), "a.zip")
    expected = stored if stored.max() <= 1 else stored / 255
    np.testing.assert_allclose(data.images, expected, atol=1e-7)
    assert data.target_names == ("s1", "s2", "s3", "s4")


@pytest.mark.parametrize("folder", ["", "faces/"])
@pytest.mark.parametrize("packed", [True, False])
def test_a_readme_beside_arrays_changes_nothing(folder: str, packed: bool) -> None:
    table, y = RNG.random((20, 5)), np.arange(20) % 4
    note = {f"{folder}README.md": b"Faces.\n", f"{folder}logo.png": PNGS[0]}
    arrays = {f"{folder}X.npy": files.npy(table), f"{folder}y.npy": files.npy(y)}
    if packed:
        arrays = {f"{folder}set.npz": files.npz(X=table, y=y)}
    reading = read_file(files.zipped(note | arrays), "a.zip")
    assert reading.proposed is not None
    assert reading.proposed.data.shape == (20, 5)
    assert reading.proposed.n_classes == 4
    assert len(reading.left_out) == 1


def test_a_folder_of_arrays_is_read_as_an_archive_of_them(tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", RNG.random((20, 5)))
    np.save(tmp_path / "y.npy", np.arange(20) % 4)
    (tmp_path / "README").write_text("x")
    proposed = read_file(tmp_path).proposed
    assert proposed is not None
    assert proposed.n_classes == 4


def test_arrays_that_come_together_are_pictures_in_folders_or_an_archive() -> None:
    members = in_folders([files.npy(pixels) for pixels in PIXELS], "npy")
    data = load_files([*members.items()])
    np.testing.assert_array_equal(data.images, PIXELS / 255)
    loose = [("X.npy", files.npy(RNG.random((20, 5)))), ("y.npy", files.npy(np.arange(20) % 4))]
    proposed = read_files(loose).proposed
    assert proposed is not None
    assert proposed.n_classes == 4


# Other kinds


OTHERS = {
    "HEIC image": b"\0\0\0\x18ftypheic" + bytes(20),
    "JPEG XL image": b"\xff\x0a" + bytes(20),
    "video": b"\0\0\0\x18ftypmp42" + bytes(20),
    "PDF document": b"%PDF-1.7\n",
    "DICOM picture": bytes(128) + b"DICM" + bytes(9),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_kinds_that_are_not_read_are_named(kind: str) -> None:
    content = OTHERS[kind]
    unread = unread_kind(content)
    assert unread is not None
    for brought in (
        lambda: load_file(content, "a.xyz"),
        lambda: load_file(files.zipped({"1.xyz": content, "2.xyz": content}), "a.zip"),
    ):
        with pytest.raises(
            DatasetError, match=re.escape(f"{kind}, which is not read here: {unread.advice}")
        ):
            brought()


def test_classes_of_which_no_picture_is_read_are_said() -> None:
    members = {name: content for name, content in in_folders().items() if name[:2] != "s2"}
    members |= {f"s2/{number}.heic": OTHERS["HEIC image"] for number in range(3)}
    reading = read_file(files.zipped(members), "a.zip")
    assert reading.left_out == (
        "s2/0.heic and 2 more: a HEIC image, not read here (export it as JPEG or PNG); no image is "
        "left in s2",
    )


@pytest.mark.parametrize("kind", ["WEBP", "AVIF", "JPEG2000"])
def test_newer_kinds_are_read(kind: str) -> None:
    smooth = np.linspace(0, 255, 32 * 24).reshape(32, 24).astype(np.uint8)
    options = {"lossless": True} if kind == "WEBP" else {"quality": 95} if kind == "AVIF" else {}
    content = files.picture(smooth, kind, **options)
    data = load_files([("1", content), ("2", content)])
    np.testing.assert_allclose(data.image(0), smooth / 255, atol=0.02)


# Orientation, transparency, several pictures in a file


def lying_png(pixels: np.ndarray) -> bytes:
    """A PNG whose EXIF, which turns it, stands behind the pixels."""
    exif = Image.Exif()
    exif[274] = 6
    raw = files.picture(np.rot90(pixels).copy(), exif=exif)
    start = raw.index(b"eXIf") - 4
    size = struct.unpack(">I", raw[start : start + 4])[0] + 12
    rest = raw[:start] + raw[start + size :]
    end = rest.index(b"IEND") - 4
    return rest[:end] + raw[start : start + size] + rest[end:]


XMP = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/'
    b'22-rdf-syntax-ns#"><rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" '
    b'tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>'
)


@pytest.mark.parametrize("way", ["late EXIF", "XMP"])
def test_orientation_is_found_wherever_it_stands(way: str) -> None:
    smooth = np.linspace(0, 255, 32 * 24).reshape(32, 24).astype(np.uint8)
    turned = np.rot90(smooth).copy()
    content = (
        lying_png(smooth)
        if way == "late EXIF"
        else files.picture(turned, "JPEG", xmp=XMP, quality=95)
    )
    data = load_files([("1", content), ("2", content)])
    np.testing.assert_allclose(data.image(0), smooth / 255, atol=0.05)
    assert "Pictures are turned upright" in data.recognised


@pytest.mark.parametrize("colours", [1, 3])
def test_white_on_transparent_keeps_its_shape(colours: int) -> None:
    white = np.full(PIXELS.shape, 255, np.uint8)
    contents = [
        files.picture(np.dstack([flat] * colours + [opacity]))
        for flat, opacity in zip(white, PIXELS, strict=True)
    ]
    data = load_files([(f"{number}.png", content) for number, content in enumerate(contents)])
    np.testing.assert_allclose(data.images, PIXELS / 255, atol=1e-6)
    assert "is shown on black: the drawing itself is white" in data.recognised


def test_several_pictures_in_a_netpbm_file_are_asked_about() -> None:
    contents = [b"P5\n16 20\n255\n" + pixels.tobytes() for pixels in PIXELS]
    loose = [(f"{number}.pgm", contents[number] + contents[5]) for number in range(3)]
    assert "samples" in read_files(loose).open_questions
    np.testing.assert_array_equal(load_files(loose, samples="first").images, PIXELS[:3] / 255)
    every = load_files(loose, samples="pages").images
    np.testing.assert_array_equal(every[1::2], np.stack([PIXELS[5]] * 3) / 255)
    alone = load_file(b"".join(contents), "all.pgm")
    np.testing.assert_array_equal(alone.images, PIXELS / 255)


def test_the_stand_in_of_an_animation_is_not_the_picture() -> None:
    contents = []
    for pixels in PIXELS[:3]:
        stream = io.BytesIO()
        Image.new("L", (16, 20)).save(
            stream, "PNG", save_all=True, default_image=True,
            append_images=[Image.fromarray(pixels)],
        )  # fmt: skip
        contents.append(stream.getvalue())
    reading = read_files([(f"{number}.png", content) for number, content in enumerate(contents)])
    assert reading.open_questions == {}
    np.testing.assert_array_equal(reading.dataset.images, PIXELS[:3] / 255)
    assert "only stands in for the animation" in reading.dataset.recognised


def test_frames_are_asked_about() -> None:
    smooth = [np.full((8, 8), level, np.uint8) for level in (0, 120, 240)]
    loose = [(f"{number}.gif", files.film(smooth, "GIF")) for number in range(2)]
    assert "samples" in read_files(loose).open_questions
    assert load_files(loose, samples="pages").n_samples == 6
