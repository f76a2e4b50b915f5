"""Pictures, stacks, volumes, skeletons, and what lies beside them."""

from __future__ import annotations

import io
import struct
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from PIL import Image

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark, Numbers, pixel_mark
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="pictures")


def in_folders(contents: list[bytes], persons: Numbers, suffix: str) -> bytes:
    """A zip with a folder s1, s2, … a person, whose files are numbered."""
    return write.zipped(
        {
            f"s{person + 1}/{k:03d}.{suffix}": content
            for k, (content, person) in enumerate(zip(contents, persons, strict=True))
        }
    )


def folder_labels(persons: Numbers) -> list[str]:
    return [f"s{person + 1}" for person in persons]


@kind(
    "pixels in one cell of text", never="The pixels are left out as text, the split is the class."
)
def pixel_cells(variant: int) -> Case:
    images, persons = (
        write.faces(7, 14, 24, 24, 40) if variant == 0 else write.faces(5, 20, 24, 18, 41)
    )
    cells = [" ".join(map(str, image.ravel())) for image in images]
    if variant == 0:
        frame = pd.DataFrame({"emotion": persons, "pixels": cells})
        frame["Usage"] = ["Training" if k % 5 else "PublicTest" for k in range(len(persons))]
    else:
        frame = pd.DataFrame({"pixels": cells, "label": write.words(persons, "a b c d e")})
    labels = write.texts(persons) if variant == 0 else write.words(persons, "a b c d e")
    mark = pixel_mark(
        images,
        labels,
        may_ask=frozenset({"classes_from", "shape", "order"}),
        answers={
            "classes_from": ("emotion", "label")[variant],
            "shape": images.shape[1:],
            "order": "row",
        },
    )
    return Case("fer.csv", write.csv(frame), mark)


@kind("names of pixels by row and column", never="Pictures are a table without a shape.")
def row_column_names(variant: int) -> Case:
    images, persons = (
        write.faces(6, 8, 20, 15, 42) if variant == 0 else write.faces(4, 10, 12, 18, 43)
    )
    height, width = images.shape[1:]
    names = [
        f"r{row}c{column}" if variant == 0 else f"px_{row}_{column}"
        for row in range(1, height + 1)
        for column in range(1, width + 1)
    ]
    frame = pd.DataFrame(images.reshape(len(images), -1), columns=names)
    frame["class"] = [f"person {person}" for person in persons]
    mark = pixel_mark(images, [f"person {person}" for person in persons])
    if variant:
        mark = replace(
            mark,
            may_ask=frozenset({"shape", "features"}),
            answers={"shape": (height, width), "features": "pixels"},
        )
    return Case("table.csv", write.csv(frame), mark)


@kind("poses with another number of joints", variants=3, never="Poses are shown as photographs.")
def joints(variant: int) -> Case:
    moving, which = write.poses(300, variant)
    stored = (np.concatenate([moving, moving[:, :1]], 1), moving[:, :15], moving)[variant]
    if variant == 1:
        content, name = write.mat(poses=stored, labels=(which + 1.0)[:, None]), "humaneva.mat"
    else:
        content, name = write.npz(poses=stored.astype(np.float32), labels=which), "poses.npz"
    return Case(
        name, content, Mark(n_samples=len(stored), features="joints", labels=write.texts(which))
    )


@kind("poses with coordinates first", never="Four pictures of joints by time.")
def coordinates_first(variant: int) -> Case:
    moving, _ = write.poses(300, 3 + variant)
    if variant == 0:
        stored = np.concatenate([moving, np.ones((len(moving), 16, 1))], 2).transpose(2, 1, 0)
    else:
        stored = moving.transpose(0, 2, 1)
    mark = Mark(
        n_samples=len(moving),
        features="joints",
        may_ask=frozenset({"samples", "features", "axis", "shape"}),
        answers={"features": "joints"},
    )
    return Case("c3d.npy", write.npy(stored.astype(np.float32)), mark)


@kind("points of faces in two dimensions", never="Landmarks are shown as narrow photographs.")
def landmarks(variant: int) -> Case:
    rng = write.generator(variant, 90)
    n, n_points = ((120, 68), (200, 29))[variant]
    mean = rng.uniform(50, 350, (n_points, 2))
    values = mean + rng.normal(0, 15, (n, 1, 2)) + rng.normal(0, 3, (n, n_points, 2))
    content = (
        write.npy(values.astype(np.float32))
        if variant == 0
        else write.npz(landmarks=values.astype(np.float32))
    )
    mark = Mark(
        values=values.reshape(n, -1),
        features="joints",
        also=("columns",),
        column_order="any",
        may_ask=frozenset({"features", "samples"}),
        answers={"features": "columns", "samples": "rows"},
    )
    return Case(("ibug.npy", "points.npz")[variant], content, mark)


@kind("windows of sensors", never="Sensors by time are shown as photographs.")
def windows(variant: int) -> Case:
    rng = write.generator(variant, 91)
    shape = ((80, 64, 9), (70, 6, 50))[variant]
    time_axis = 1 if variant == 0 else 2
    values = rng.normal(size=shape).cumsum(time_axis).round(2).astype(np.float32)
    which = rng.permutation(np.arange(shape[0]) % 4)
    mark = Mark(
        values=values.reshape(shape[0], -1),
        also=("axis",),
        labels=write.texts(which),
        column_order="any",
        may_ask=frozenset({"features", "samples", "axis", "shape"}),
        answers={"features": "columns", "samples": "rows"},
    )
    return Case("har.npz", write.npz(X=values, y=which), mark)


@kind("detections with a confidence", never="Pixels and probabilities become poses in space.")
def detections(variant: int) -> Case:
    moving, which = write.poses(250, 6 + variant)
    rng = write.generator(variant, 92)
    n_joints = (16, 14)[variant]
    scores = rng.uniform(0.6, 1, (len(moving), n_joints))
    across, up = moving[:, :n_joints, 0], moving[:, :n_joints, 1]
    stored = np.stack([320 + 200 * across, 500 - 200 * up, scores], -1).astype(np.float32)
    mark = Mark(
        n_samples=len(moving),
        labels=write.texts(which),
        must_ask=frozenset({"features"}),
        may_refuse="confidence",
        answers={"features": "columns"},
        may_ask=frozenset({"scale", "roles"}),
    )
    content = write.npz(keypoints=stored, labels=which)
    return Case("keypoints.npz", content, mark)


@kind("missing markers at the origin", never="Frames with a joint metres away are kept.")
def missing_markers(variant: int) -> Case:
    moving, which = write.poses(300, 8 + variant)
    stored = (moving + np.array([2, 0, 1])) * 1000
    holes = write.generator(variant, 93).random(stored.shape[:2]) < 0.008
    holes[:, 0] = False
    stored[holes] = 0 if variant == 0 else np.nan
    whole = ~holes.any(1)
    mark = Mark(
        n_samples=int(whole.sum()),
        features="joints",
        labels=write.texts(which[whole]),
        must_ask=frozenset({"missing"}),
        answers={"missing": "rows"},
    )
    content = write.npz(poses=stored.astype(np.float32), labels=which)
    return Case("markers.npz", content, mark)


@kind("planar sixteen-bit colour in TIFF", never="Planes are read as noise.")
def planar_tiff(variant: int) -> Case:
    images, persons = write.faces(4, 8, 24, 18, 44 + variant)
    tint = (np.ones(3), np.array([1.0, 0.8, 0.9]))[variant]
    deep = [np.rint(tint[:, None, None] * image * 257.0).astype(np.uint16) for image in images]
    contents = [write.tiff(planes, photometric=2, planar=True) for planes in deep]
    mark = pixel_mark(images, folder_labels(persons), tolerance=0.02)
    return Case("planar.zip", in_folders(contents, persons, "tif"), mark)


@kind("TIFF in which zero is white", variants=3, never="Sixteen bits are shown as the negative.")
def min_is_white(variant: int) -> Case:
    images, persons = write.faces(4, 8, 24, 18, 46)
    inverted = [
        (65535 - image.astype(np.uint16) * 257, 255 - image, 1 - image.astype(np.float32) / 255)[
            variant
        ]
        for image in images
    ]
    contents = [
        write.tiff(image.astype((np.uint16, np.uint8, np.float32)[variant]), photometric=0)
        for image in inverted
    ]
    mark = pixel_mark(images, folder_labels(persons), tolerance=0.02)
    if variant == 2:  # TIFF 6.0 gives photometric 0 no meaning for floats
        mark = replace(
            mark, may_ask=frozenset({"colours", "scale"}), may_refuse="float|floats|float32"
        )
    return Case("radiographs.zip", in_folders(contents, persons, "tif"), mark)


@kind("signed and wide whole numbers in TIFF", never="Numbers wrap around.")
def wide_tiff(variant: int) -> Case:
    images, persons = write.faces(4, 8, 20, 24, 47)
    stored = [
        (image.astype(np.int16) - 128).astype(np.int8)
        if variant == 0
        else image.astype(np.uint32) * 1000
        for image in images
    ]
    contents = [write.tiff(image) for image in stored]
    mark = pixel_mark(
        images, folder_labels(persons), may_refuse=("signed|int8", "uint32|32-bit|32 bits")[variant]
    )
    return Case("wide.zip", in_folders(contents, persons, "tif"), mark)


@kind("two channels in a TIFF", never="The second channel is dropped.")
def two_channels(variant: int) -> Case:
    images, persons = write.faces(4, 6, 24, 20, 48)
    if variant == 0:
        contents = [
            write.tiff(np.dstack([image, image[::-1]]), tags={338: [0]}) for image in images
        ]
    else:
        contents = [
            write.tiff_pages(
                [image, image[::-1]], "ImageJ=1.53t\nimages=2\nchannels=2\nmode=composite\n"
            )
            for image in images
        ]
    mark = pixel_mark(
        images,
        folder_labels(persons),
        may_refuse="channel|channels",
        must_ask=frozenset({"colours", "samples", "data"}),
    )
    return Case("stains.zip", in_folders(contents, persons, "tif"), mark)


@kind("rows of flattened colour", never="Three planes are one tall picture.")
def flattened_colour(variant: int) -> Case:
    images, persons = (
        write.faces(20, 12, 18, 18, 49) if variant == 0 else write.faces(20, 12, 20, 16, 50)
    )
    tint = np.array([[1.0, 0.8, 0.65], [0.8, 1.0, 0.9]])[variant]
    colours = np.rint(images[..., None] * tint).astype(np.uint8)
    rows = colours.transpose(0, 3, 1, 2) if variant == 0 else colours
    content = write.npz(data=rows.reshape(len(images), -1), labels=persons)
    layout = ("planes", "interleaved")[variant]
    mark = pixel_mark(
        images,
        write.texts(persons),
        tolerance=0.03,
        may_ask=frozenset({"colours", "order"}),
        answers={"colours": layout, "order": "row"},
    )
    return Case("batch.npz", content, mark)


@kind("one array a class", variants=3, never="All classes but one are dropped.")
def array_per_class(variant: int) -> Case:
    images, persons = write.faces(6, 16, 24, 20, 51)
    turned = images.transpose(0, 2, 1).reshape(len(images), -1)
    if variant == 0:
        arrays = {}
        for person in range(6):
            rows = turned[persons == person]
            arrays[f"train{person}"], arrays[f"test{person}"] = rows[:11], rows[11:]
        content, name = write.mat(**arrays), "all.mat"
    elif variant == 1:
        stacked = np.stack([turned[persons == person].T for person in range(6)], 2)
        content, name = write.mat(data=stacked), "usps_all.mat"
    else:
        content = write.npz(
            **{f"person_{person}": images[persons == person] for person in range(6)}
        )
        name = "people.npz"
    mark = pixel_mark(
        images,
        write.texts(persons),
        row_order="any",
        exact_names=False,
        may_ask=frozenset(
            {"data", "samples", "classes_from", "shape"}
            if variant == 1
            else {"classes_from", "shape"}
        ),
        answers={"shape": (24, 20)},
    )
    return Case(name, content, mark)


@kind("a cell of stacks, one a person", never="The cell is refused, or one person is all.")
def cell_of_stacks(variant: int) -> Case:
    images, persons = write.faces(5, 12, 24, 18, 52 + variant)
    cell = np.empty((1, 5), object)
    for person in range(5):
        stack = images[persons == person]
        cell[0, person] = (
            stack.transpose(1, 2, 0) if variant == 0 else stack.transpose(0, 2, 1).reshape(12, -1).T
        )
    mark = pixel_mark(
        images,
        write.texts(persons),
        row_order="any",
        exact_names=False,
        may_ask=frozenset({"data", "samples", "classes_from", "shape"}),
        answers={"shape": (24, 18)},
    )
    return Case("umist.mat", write.mat(facedat=cell), mark)


@kind("pictures set aside as bad", never="Pictures that their owner set aside are samples.")
def set_aside(variant: int) -> Case:
    images, persons = write.faces(4, 8, 24, 20, 54 + variant)
    members, rows = {}, []
    for k, (image, person) in enumerate(zip(images, persons, strict=True)):
        aside = k % 8 == 5
        ending = ((".pgm", ".pgm.bad"), (".png", ".png.bak"))[variant][aside]
        folder = f"yaleB{11 + person}"
        encode = write.pgm if variant == 0 else write.picture
        members[f"{folder}/{folder}_P00A{k % 8:+04d}{ending}"] = encode(image)
        if not aside:
            rows.append(k)
    labels = [f"yaleB{11 + person}" for person in persons[rows]]
    return Case("CroppedYale.zip", write.zipped(members), pixel_mark(images[rows], labels))


@kind(
    "sex, person and picture in the name",
    variants=5,
    never="Sex or the angle of the camera is the class, and nothing else is offered.",
)
def parted_names(variant: int) -> Case:
    images, _ = write.faces(8, 4, 24, 20, 56)
    plans: list[tuple[str, str]] = []
    for k in range(32):
        person, view = divmod(k, 4)
        angle = (45, 90)[view // 2]
        sex = "mw"[person % 2]
        feeling, side = ("angry", "happy")[view % 2], ("frontal", "left")[view // 2]
        plans.append(
            (
                (f"{sex}-{person // 2:03d}-{view + 1:02d}", f"{sex}-{person // 2:03d}"),
                (
                    f"Rafd{angle:03d}_{person + 1:02d}_Caucasian_female_{feeling}_frontal",
                    f"{person + 1:02d}",
                ),
                (
                    f"A{sex.replace('m', 'M').replace('w', 'F')}{person + 1:02d}"
                    f"{('AN', 'HA')[view % 2]}{('S', 'HL')[view // 2]}",
                    f"{person + 1:02d}",
                ),
                (f"PolyU_{person + 1:03d}_{'FS'[view // 2]}_{view % 2 + 1}", f"{person + 1:03d}"),
                (f"an{person}i_{side}_{feeling}_open_{view + 1}", f"an{person}i"),
            )[variant]
        )
    named = sorted(zip(plans, images, strict=True), key=lambda pair: pair[0][0])
    content = write.zipped({f"{plan[0]}.png": write.picture(image) for plan, image in named})
    mark = pixel_mark(
        np.stack([image for _, image in named]),
        [plan[1] for plan, _ in named],
        exact_names=False,
        must_ask=frozenset({"classes_from"}),
    )
    return Case(("ar.zip", "rafd.zip", "kdef.zip", "polyu.zip", "cmu.zip")[variant], content, mark)


@kind("first and last names before the number", never="Two people of one first name are a class.")
def lfw_names(variant: int) -> Case:
    images, persons = write.faces(5, 8, 24, 24, 57 + variant)
    people = sorted(["Aaron_Brook", "Aaron_Stone", "Maria_Ng", "Maria_Sol_Paz", "Tom_Reed"])
    members = {
        f"{('lfw', 'people')[variant]}/{people[person]}_{k % 8 + 1:04d}.png": write.picture(image)
        for k, (image, person) in enumerate(zip(images, persons, strict=True))
    }
    mark = pixel_mark(
        images,
        [people[person] for person in persons],
        exact_names=False,
        may_ask=frozenset({"classes_from"}),
    )
    return Case("lfw.zip", write.zipped(members), mark)


@kind("gallery and probe", never="GallerySet and ProbeSet are the two classes.")
def gallery(variant: int) -> Case:
    images, persons = write.faces(9, 4, 24, 20, 59 + variant)
    parts = (("GallerySet", "ProbeSet"), ("session1", "session2"))[variant]
    named = {}
    for k, (image, person) in enumerate(zip(images, persons, strict=True)):
        named[f"{parts[k % 4 // 2]}/subject{person + 1}_img{k % 4 + 1}.pgm"] = (image, person)
    paths = sorted(named)
    mark = pixel_mark(
        np.stack([named[path][0] for path in paths]),
        write.texts([named[path][1] + 1 for path in paths]),
        exact_names=False,
        row_order="any",
        may_ask=frozenset({"classes_from"}),
    )
    content = write.zipped({path: write.pgm(named[path][0]) for path in paths})
    return Case("sets.zip", content, mark)


def late_exif(image: Numbers) -> bytes:
    """A PNG whose eXIf chunk, which turns it, stands after the pixels."""
    exif = Image.Exif()
    exif[274] = 6
    raw = write.picture(np.rot90(image).copy(), exif=exif)
    start = raw.index(b"eXIf") - 4
    size = struct.unpack(">I", raw[start : start + 4])[0] + 12
    rest = raw[:start] + raw[start + size :]
    end = rest.index(b"IEND") - 4
    return rest[:end] + raw[start : start + size] + rest[end:]


@kind("pictures that lie on their side and say so", variants=3, never="They are read lying.")
def lying(variant: int) -> Case:
    images, persons = write.faces(4, 8, 24, 18, 61)
    packet = (
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/'
        b'22-rdf-syntax-ns#"><rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" '
        b'tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>'
    )
    exif = Image.Exif()
    exif[274] = 6
    contents = []
    for image in images:
        turned = np.rot90(image).copy()
        contents.append(
            late_exif(image)
            if variant == 0
            else write.picture(turned, "JPEG", xmp=packet, quality=95)
            if variant == 1
            else write.picture(turned, "JPEG", exif=exif, quality=95)
        )
    mark = pixel_mark(images, folder_labels(persons), tolerance=(0.01, 0.15, 0.15)[variant])
    return Case("phone.zip", in_folders(contents, persons, ("png", "jpg", "jpg")[variant]), mark)


@kind("twelve bits in sixteen", variants=3, never="All pictures are black.")
def twelve_bits(variant: int) -> Case:
    images, persons = write.faces(4, 8, 24, 18, 62)
    stored = [image.astype(np.uint16) * (16, 4, 16)[variant] for image in images]
    encode = (write.tiff, write.picture, write.tiff)[variant]
    contents = [
        encode(image) if variant < 2 else write.tiff(np.dstack([image] * 3), photometric=2)
        for image in stored
    ]
    mark = pixel_mark(images, folder_labels(persons), least_range=0.5, tolerance=0.01)
    return Case("camera.zip", in_folders(contents, persons, ("tif", "png", "tif")[variant]), mark)


@kind("deep pictures among flat ones", never="Depth is the first component.")
def mixed_depth(variant: int) -> Case:
    images, persons = write.faces(4, 8, 24, 18, 63)
    contents = []
    for k, image in enumerate(images):
        deep = k % 2 == 1 if variant == 0 else k == 5
        contents.append(write.tiff(image.astype(np.uint16) * 16 if deep else image))
    mark = pixel_mark(
        images,
        folder_labels(persons),
        may_ask=frozenset({"scale"}),
        least_range=0.5,
        tolerance=0.05,
    )
    return Case("mixed.zip", in_folders(contents, persons, "tif"), mark)


@kind("TIFF of doubles", never="Sound files are called damaged.")
def double_tiff(variant: int) -> Case:
    images, persons = write.faces(4, 6, 24, 18, 64)
    dtype = (np.float64, np.float16)[variant]
    contents = [write.tiff((image / 255).astype(dtype)) for image in images]
    mark = pixel_mark(
        images,
        folder_labels(persons),
        may_refuse=("float64|64-bit|64 bits|double|doubles", "float16|16-bit|16 bits|half")[
            variant
        ],
        tolerance=0.01,
    )
    return Case("floats.zip", in_folders(contents, persons, "tif"), mark)


def big_tiff(image: Numbers) -> bytes:
    height, width = image.shape
    entries = [
        (256, width),
        (257, height),
        (258, 8),
        (259, 1),
        (262, 1),
        (273, 16),
        (277, 1),
        (278, height),
        (279, image.size),
    ]
    directory = b"".join(
        struct.pack("<HHQQ", tag, 4 if tag in (273, 279) else 3, 1, value) for tag, value in entries
    )
    return (
        b"II+\0\x08\0\0\0"
        + struct.pack("<Q", 16 + image.size)
        + image.tobytes()
        + struct.pack("<Q", len(entries))
        + directory
        + b"\0" * 8
    )


@kind("BigTIFF and newer pictures", variants=3, never="Half of the classes are left out unsaid.")
def newer_pictures(variant: int) -> Case:
    images, persons = write.faces(4, 8, 24, 20, 65)
    contents = []
    for image, person in zip(images, persons, strict=True):
        if variant == 0:
            contents.append(big_tiff(image))
        elif person % 2:
            container = ("", "AVIF", "WEBP")[variant]
            contents.append(write.picture(image, container, quality=95))
        else:
            contents.append(write.picture(image))
    content = (
        in_folders(contents, persons, "tif")
        if variant == 0
        else write.zipped(
            {
                f"s{person + 1}/{k:03d}.{('png', ('avif', 'webp')[variant - 1])[person % 2]}": file
                for k, (file, person) in enumerate(zip(contents, persons, strict=True))
            }
        )
    )
    return Case("album.zip", content, pixel_mark(images, folder_labels(persons), tolerance=0.2))


@kind("white drawings on a transparent ground", never="All pictures are white.")
def transparent(variant: int) -> Case:
    images, persons = write.faces(4, 8, 24, 20, 66)
    white = np.full_like(images, 255)
    contents = [
        write.picture(np.dstack([flat] * 3 + [image]) if variant == 0 else np.dstack([flat, image]))
        for flat, image in zip(white, images, strict=True)
    ]
    mark = pixel_mark(
        images,
        folder_labels(persons),
        tolerance=0.02,
        may_ask=frozenset({"colours"}),
        answers={"colours": "alpha"},
    )
    return Case("drawings.zip", in_folders(contents, persons, "png"), mark)


def preview_first(image: Numbers) -> bytes:
    """A TIFF whose first page is a small copy (tag 254) and whose second is the picture."""
    small = write.tiff(np.ascontiguousarray(image[::4, ::3]), tags={254: [1]})
    full = write.tiff(image)
    head = bytearray(small)
    shift = len(small) + len(small) % 2
    start = struct.unpack("<I", small[4:8])[0]
    n_entries = struct.unpack("<H", small[start : start + 2])[0]
    directory = struct.unpack("<I", full[4:8])[0]
    head[start + 2 + 12 * n_entries : start + 6 + 12 * n_entries] = struct.pack(
        "<I", shift + directory
    )
    rest = bytearray(full)
    for k in range(struct.unpack("<H", full[directory : directory + 2])[0]):
        entry = directory + 2 + 12 * k
        tag, _, count, value = struct.unpack("<HHII", rest[entry : entry + 12])
        if tag == 273 or count * 2 > 4:
            rest[entry + 8 : entry + 12] = struct.pack("<I", value + shift)
    return bytes(head) + b"\0" * (len(small) % 2) + bytes(rest)


@kind("a preview before the picture", never="The small copy is the picture.")
def previews(variant: int) -> Case:
    height, width = ((24, 18), (32, 24))[variant]
    images, persons = write.faces(4, 8, height, width, 67)
    contents = [preview_first(image) for image in images]
    mark = pixel_mark(images, folder_labels(persons), may_ask=frozenset({"data", "samples"}))
    return Case("slides.zip", in_folders(contents, persons, "tif"), mark)


@kind("a scan padded outside its circle", never="All of the body is squeezed into nearly white.")
def padded_scan(variant: int) -> Case:
    rng = write.generator(variant, 94)
    size = (32, 40)[variant]
    grid = np.mgrid[-size // 2 : size // 2, -size // 2 : size // 2]
    inside = np.hypot(*grid) < size / 2 - 1
    blobs, _ = write.faces(4, 6, size, size, 68)
    body = blobs.astype(np.int16) * 6 - 1000 + rng.integers(-20, 20, blobs.shape)
    stored = np.where(inside, body, (-32768, -3024)[variant]).astype(np.int16)
    mark = pixel_mark(
        np.where(inside, body, np.nan),
        None,
        must_ask=frozenset({"missing"}),
        may_ask=frozenset({"samples", "scale"}),
        answers={"missing": "mean"},
    )
    return Case("ct.npy", write.npy(stored), mark)


@kind("a volume x by y by z", never="Slices lie on their side, without a word.")
def volume(variant: int) -> Case:
    images, _ = write.faces(5, 4, 36, 30, 69) if variant == 0 else write.faces(4, 4, 28, 32, 70)
    stored = images.transpose(2, 1, 0)  # x, y, z as nibabel gives it
    mark = Mark(
        n_samples=len(images),
        features="pixels",
        must_ask=frozenset({"samples", "order"}),
        may_ask=frozenset({"features", "shape"}),
    )
    content = write.npy(stored) if variant == 0 else write.mat(volume=stored.astype(float))
    return Case(("brain.npy", "brain.mat")[variant], content, mark)


@kind("one colour picture as an array", never="Rows of one picture are a set of pictures.")
def single_picture(variant: int) -> Case:
    images, _ = write.faces(1, 1, *((60, 80), (72, 50))[variant], 71)
    tint = np.array([1.0, 0.8, 0.6])
    stored = np.rint(images[0][..., None] * tint)
    stored = stored.astype(np.uint8) if variant == 0 else (stored / 255).astype(np.float32)
    mark = Mark(
        must_ask=frozenset({"samples", "features", "data", "colours"}),
        may_refuse="one picture|one image|single",
    )
    return Case("photo.npy", write.npy(stored), mark)


@kind("a volume of colour vectors", never="Slices are mixed to grey.")
def vector_volume(variant: int) -> Case:
    shape = ((16, 20, 12, 3), (12, 18, 20, 3))[variant]
    directions = write.generator(variant, 95).normal(size=shape)
    stored = np.abs(directions) if variant == 0 else directions
    mark = Mark(must_ask=frozenset({"samples", "features", "colours"}))
    return Case("fa.npy", write.npy(stored.astype(np.float32)), mark)


@kind("landmarks in a long table", never="Every landmark is a sample.")
def long_landmarks(variant: int) -> Case:
    rng = write.generator(variant, 96)
    parts = (("face", 6), ("left_hand", 10), ("pose", 12)) if variant == 0 else (("pose", 20),)
    n_frames = (40, 60)[variant]
    points = [(part, k) for part, count in parts for k in range(count)]
    values = rng.random((n_frames, len(points), 3)).round(4)
    rows: list[list[object]] = []
    for frame in range(n_frames):
        for place, (part, k) in enumerate(points):
            keys = [frame, f"{frame}-{part}-{k}", part, k] if variant == 0 else [frame, k]
            rows.append([*keys, *values[frame, place]])
    head = (
        ["frame", "row_id", "type", "landmark_index", "x", "y", "z"],
        ["frame", "landmark", "x", "y", "z"],
    )[variant]
    mark = Mark(
        n_samples=n_frames,
        must_ask=frozenset({"pivot"}),
        also=("joints",),
        may_ask=frozenset({"classes_from", "roles", "missing", "features"}),
        answers={"classes_from": "none", "features": "columns"}
        if variant == 0
        else {"pivot": "frame × landmark", "classes_from": "none", "features": "columns"},
    )
    return Case("landmarks.csv", write.lines([head, *rows]), mark)


@kind(
    "a motion table with its own preamble",
    variants=3,
    never="Frame and time are features, each column with a scale of its own.",
)
def motion_table(variant: int) -> Case:
    moving, _ = write.poses(200, 10 + variant)
    flat = (moving.reshape(len(moving), -1) * 1000).round(1)
    markers = [f"M{k}" for k in range(16)]
    names = [f"{marker}_{axis}" for marker in markers for axis in "xyz"]
    frames = [[k, f"{k / 100:.2f}"] for k in range(len(flat))]
    rows: list[list[object]]
    if variant == 0:
        rows = [
            ["NO_OF_FRAMES", len(flat)],
            ["NO_OF_MARKERS", 16],
            ["FREQUENCY", 100],
            ["DATA_INCLUDED", "3D"],
            ["MARKER_NAMES", *markers],
            *flat.tolist(),
        ]
    elif variant == 1:
        rows = [
            ["frame", "time", *names],
            *[[*clock, *row] for clock, row in zip(frames, flat.tolist(), strict=True)],
        ]
    else:
        rows = [
            ["PathFileType", "4", "(X/Y/Z)", "walk.trc"],
            ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"],
            [100, 100, len(flat), 16, "mm"],
            ["Frame#", "Time", *[cell for marker in markers for cell in (marker, "", "")]],
            ["", "", *[f"{axis}{k + 1}" for k in range(16) for axis in "XYZ"]],
            *[[*clock, *row] for clock, row in zip(frames, flat.tolist(), strict=True)],
        ]
    mark = Mark(
        values=flat,
        scale="whole",
        features="joints",
        also=("columns",),
        may_ask=frozenset({"features", "header"}),
        answers={"features": "joints"},
    )
    return Case(
        ("qualisys.tsv", "named.tsv", "walk.trc.tsv")[variant], write.lines(rows, "\t"), mark
    )


@kind("coordinates grouped by axis", never="Joint 1 is made of three x.")
def grouped_axes(variant: int) -> Case:
    moving, _ = write.poses(200, 13 + variant)
    stem = ("{axis}_{k}", "{axis}{k:02d}")[variant]
    names = [stem.format(axis=axis, k=k) for axis in "xyz" for k in range(16)]
    flat = moving.transpose(0, 2, 1).reshape(len(moving), -1).round(4)
    mark = Mark(
        values=flat,
        scale="whole",
        features="joints",
        also=("columns",),
        may_ask=frozenset({"features"}),
        answers={"features": "joints"},
    )
    return Case("openface.csv", write.csv(pd.DataFrame(flat, columns=names)), mark)


@kind("masks beside images", never="Masks are half of the samples and one of two classes.")
def masks(variant: int) -> Case:
    images, _ = write.faces(5, 5, 24, 24, 72)
    names = (("images", "masks"), ("img", "labels"))[variant]
    members = {}
    for part in names:
        for k, image in enumerate(images):
            stored = image if part == names[0] else np.where(image > 128, 255, 0).astype(np.uint8)
            members[f"data/{part}/{k:03d}.png"] = write.picture(stored)
    mark = pixel_mark(
        images, None, may_ask=frozenset({"data", "classes_from"}), answers={"classes_from": "none"}
    )
    return Case("cells.zip", write.zipped(members), mark)


@kind("labels of pictures in a table beside them", never="The table is dropped: no labels.")
def label_table(variant: int) -> Case:
    images, persons = write.faces(6, 8, 24, 20, 73 + variant)
    order = write.generator(variant, 97).permutation(len(images))
    images, persons = images[order], persons[order]
    words = write.words(persons, "nv mel bkl df bcc vasc")
    head, ending = (("id,label", ".png"), ("image_id,dx", ""))[variant]
    listing = "\n".join([head, *[f"{k:03d}{ending},{word}" for k, word in enumerate(words)]])
    members = {("labels.csv", "metadata.csv")[variant]: listing.encode()}
    members.update({f"images/{k:03d}.png": write.picture(image) for k, image in enumerate(images)})
    return Case("lesions.zip", write.zipped(members), pixel_mark(images, words))


@kind("one .npy a picture in folders of classes", never="One picture becomes the set.")
def npy_per_picture(variant: int) -> Case:
    images, persons = write.faces(5, 8, 24, 20, 75 + variant)
    folders = [f"class{person}" for person in persons]
    dtype = (np.uint8, np.float32)[variant]
    content = write.zipped(
        {
            f"{folder}/{k:03d}.npy": write.npy(image.astype(dtype))
            for k, (folder, image) in enumerate(zip(folders, images, strict=True))
        }
    )
    return Case("arrays.zip", content, pixel_mark(images, folders))


@kind("minus one beside 0 to k", never="Minus one is a class of its own, the largest.")
def semi_supervised(variant: int) -> Case:
    images, persons = write.faces(8, 12, 24, 20, 77)
    rng = write.generator(variant, 98)
    hidden = rng.random(len(persons)) < (0.7, 0.1)[variant]
    labels = [None if gone else str(person) for gone, person in zip(hidden, persons, strict=True)]
    mark = pixel_mark(images, labels)
    if variant:
        mark = replace(mark, must_ask=frozenset({"missing", "classes_from", "roles"}))
    content = write.npz(X=images, y=np.where(hidden, -1, persons))
    return Case("semi.npz", content, mark)


@kind("a README beside arrays", never="The README turns the arrays off.")
def readme(variant: int) -> Case:
    images, persons = write.faces(6, 10, 24, 20, 78)
    note = b"Faces of six people.\nCite us.\n"
    members = {"README.md": note, "set.npz": write.npz(X=images, y=persons)}
    if variant:
        members = {
            "faces/README.txt": note,
            "faces/X.npy": write.npy(images),
            "faces/y.npy": write.npy(persons),
        }
    return Case("faces.zip", write.zipped(members), pixel_mark(images, write.texts(persons)))


@kind("masks of 0 and 1 in eight bits", never="White is 1 of 255: all is black.")
def zero_one(variant: int) -> Case:
    images, persons = write.faces(4, 10, 24, 20, 79)
    binary = (images > np.median(images)).astype(np.uint8)
    if variant == 0:
        content = in_folders([write.tiff(image) for image in binary], persons, "tif")
        return Case(
            "masks.zip", content, pixel_mark(binary, folder_labels(persons), least_range=0.9)
        )
    return Case("masks.npy", write.npy(binary), pixel_mark(binary, None, least_range=0.9))


@kind("a system's folders of thumbnails", never="Thumbnails are samples and take classes away.")
def thumbnails(variant: int) -> Case:
    images, persons = write.faces(4, 6, 28, 24, 80)
    members = {}
    for k, (image, person) in enumerate(zip(images, persons, strict=True)):
        name = f"s{person + 1}/{k:03d}.jpg" if variant else f"s{person + 1}/{k:03d}.png"
        members[name] = write.picture(image, "PNG")
        small = write.picture(np.ascontiguousarray(image[::3, ::3]))
        if variant == 0:
            members[f"s{person + 1}/@eaDir/{k:03d}.png/SYNOPHOTO_THUMB_S.png"] = small
        else:
            members[f"s{person + 1}/.thumbnails/{k:03d}.jpg"] = small
            members[f"__MACOSX/s{person + 1}/._{k:03d}.jpg"] = b"\0\5\x16\7" + b"\0" * 60
    return Case("share.zip", write.zipped(members), pixel_mark(images, folder_labels(persons)))


@kind("a TIFF of many pages", never="Only the first page is taken.")
def pages(variant: int) -> Case:
    images, _ = write.faces(6, 6, 24, 28, 81)
    stored = images if variant == 0 else images.astype(np.uint16) * 257
    mark = pixel_mark(images, None, may_ask=frozenset({"samples", "data", "colours"}))
    return Case("stack.tif", write.tiff_pages(list(stored)), mark)


@kind("digits in text with the class first", never="The class is a pixel.")
def digits_text(variant: int) -> Case:
    rows, which = write.digits()
    rows, which = rows[:600], which[:600]
    if variant == 0:
        values = (rows / 8 - 1).round(4)
        content = write.lines(
            [
                [f"{digit:.4f}", *[f"{value:.4f}" for value in row]]
                for digit, row in zip(which, values, strict=True)
            ],
            " ",
        )
        name = "zip.train.txt"
    else:
        values = rows
        content = write.lines([[*row, digit] for digit, row in zip(which, rows, strict=True)])
        name = "optdigits.csv"
    mark = pixel_mark(
        values.reshape(-1, 8, 8),
        write.texts(which),
        may_ask=frozenset({"classes_from", "roles", "header", "features", "shape"}),
        answers={"header": "sample", "features": "pixels", "shape": (8, 8)},
    )
    return Case(name, content, mark)


@kind("a stand-in before an animation", never="All pictures are the black stand-in.")
def animated_png(variant: int) -> Case:
    height, width = ((24, 18), (20, 26))[variant]
    images, persons = write.faces(4, 6, height, width, 82)
    contents = []
    for image in images:
        buffer = io.BytesIO()
        frames = [Image.fromarray(image)] * 2
        Image.new("L", (width, height)).save(
            buffer, "PNG", save_all=True, default_image=True, append_images=frames
        )
        contents.append(buffer.getvalue())
    mark = pixel_mark(images, folder_labels(persons), may_ask=frozenset({"data", "samples"}))
    return Case("stickers.zip", in_folders(contents, persons, "png"), mark)


@kind("five channels in a TIFF", never="Some of the channels are dropped.")
def five_channels(variant: int) -> Case:
    images, persons = write.faces(3, 6, 20, 24, 83)
    n_channels = (5, 7)[variant]
    contents = [
        write.tiff(np.dstack([np.roll(image, 3 * k, 0) for k in range(n_channels)]))
        for image in images
    ]
    mark = Mark(must_ask=frozenset({"colours", "features"}), may_refuse="channel|channels")
    return Case("bands.zip", in_folders(contents, persons, "tif"), mark)


@kind("DeepLabCut's three header rows", never="Likelihoods are coordinates; it is all text.")
def deep_lab_cut(variant: int) -> Case:
    moving, _ = write.poses(150, 16 + variant)
    n_points = (6, 4)[variant]
    places = (300 + 100 * moving[:, :n_points, :2]).round(3)
    scores = write.generator(variant, 153).uniform(0.8, 1, (len(moving), n_points)).round(4)
    points = ["nose", "tail", "paw_l", "paw_r", "ear_l", "ear_r"][:n_points]
    stored = np.concatenate([places, scores[..., None]], 2).reshape(len(moving), -1)
    rows: list[list[object]] = [
        ["scorer", *["DLC_resnet50"] * (3 * n_points)],
        ["bodyparts", *[point for point in points for _ in range(3)]],
        ["coords", *["x", "y", "likelihood"] * n_points],
        *[[k, *row] for k, row in enumerate(stored.tolist())],
    ]
    mark = Mark(
        values=places.reshape(len(moving), -1),
        also=("joints",),
        may_ask=frozenset({"roles", "features", "header", "scale"}),
        answers={"features": "columns", "header": "names"},
    )
    return Case("mouse.csv", write.lines(rows), mark)
