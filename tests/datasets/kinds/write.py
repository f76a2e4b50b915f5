"""Bytes of files as programs write them, and the pictures, curves and poses that fill them."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from xml.sax.saxutils import escape

import h5py
import numpy as np
import pandas as pd
import scipy.io
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_digits

from cspca.datasets import make_faces, motion

Numbers = NDArray[Any]


def generator(variant: int, salt: int = 0) -> np.random.Generator:
    return np.random.default_rng(1000 * salt + variant)


# --- what fills the files -------------------------------------------------------------------------


N_PEOPLE = 40
N_PER_PERSON = 20


@lru_cache(maxsize=2)
def _people(random_state: int) -> Numbers:
    """Rendered faces of shape (people, images a person, 48, 48), 0 to 1."""
    drawn = make_faces(N_PEOPLE, N_PER_PERSON, 48, random_state=random_state)
    return drawn.data.reshape(N_PEOPLE, N_PER_PERSON, 48, 48)


@lru_cache(maxsize=64)
def faces(
    n_people: int, n_per_person: int, height: int, width: int, seed: int = 0
) -> tuple[Numbers, Numbers]:
    """Rendered faces, 0 to 255, of shape (n, height, width), and the number of each person."""
    first = 7 * seed % (N_PEOPLE - n_people + 1)
    drawn = _people(seed % 2)[first : first + n_people, :n_per_person].reshape(-1, 48, 48)
    smaller = [
        np.asarray(Image.fromarray(face.astype(np.float32)).resize((width, height)))
        for face in drawn
    ]
    images = np.rint(np.clip(smaller, 0, 1) * 255).astype(np.uint8)
    return images, np.repeat(np.arange(n_people), n_per_person)


@lru_cache(maxsize=1)
def digits() -> tuple[Numbers, Numbers]:
    """Handwritten digits of 8 x 8 pixels, 0 to 16, as rows, and which digit each is."""
    bunch = load_digits()
    return bunch.data.astype(int), bunch.target


def spectra(n: int, n_points: int, seed: int, n_classes: int = 3) -> tuple[Numbers, Numbers]:
    """Smooth curves of a few bands, with faint noise, and the class of each, in no order."""
    rng = np.random.default_rng(seed)
    place = np.linspace(0, 1, n_points)
    which = rng.permutation(np.arange(n) % n_classes)
    centres, widths = rng.uniform(0.1, 0.9, 6), rng.uniform(0.02, 0.12, 6)
    bands = np.exp(-(((place - centres[:, None]) / widths[:, None]) ** 2))
    heights = rng.uniform(0.2, 1, (n_classes, 6))[which] * rng.uniform(0.8, 1.2, (n, 6))
    curves = 0.2 + 0.3 * place + heights @ bands
    return np.round(curves + 0.002 * rng.standard_normal((n, n_points)), 5), which


def poses(n_frames: int, seed: int) -> tuple[Numbers, Numbers]:
    """Poses of 16 joints in metres, (n, 16, 3), and which motion each is of."""
    performer = motion.Performer(0, seed)
    clips = []
    per_motion = n_frames // len(motion.MOTIONS)
    for pattern, cycles in motion.MOTIONS.values():
        angles = {name: np.zeros(per_motion) for name in motion.ANGLES}
        angles.update(pattern(2 * np.pi * cycles * np.arange(per_motion) / 20, 1.0))
        clips.append(motion.joint_positions(performer, angles))
    joints = np.concatenate(clips) + np.array([0, 0.95, 0])
    return joints, np.repeat(np.arange(len(motion.MOTIONS)), per_motion)


def words(codes: Sequence[int] | Numbers, names: str) -> list[str]:
    """The word of each code, of `names` with blanks between."""
    listing = names.split()
    return [listing[int(code)] for code in codes]


def texts(codes: Sequence[int] | Numbers) -> list[str]:
    return [str(int(code)) for code in codes]


# --- tables ---------------------------------------------------------------------------------------


def csv(
    frame: pd.DataFrame,
    sep: str = ",",
    *,
    header: bool = True,
    index: bool = False,
    decimal: str = ".",
    na_rep: str = "",
) -> bytes:
    text = frame.to_csv(sep=sep, header=header, index=index, decimal=decimal, na_rep=na_rep)
    assert isinstance(text, str)
    return text.encode()


def lines(rows: Sequence[Sequence[object]], sep: str = ",") -> bytes:
    """Cells as they print, one row a line."""
    return ("\n".join(sep.join(str(cell) for cell in row) for row in rows) + "\n").encode()


def xlsx(sheets: Mapping[str, Sequence[Sequence[object]]], merged: Sequence[str] = ()) -> bytes:
    """A workbook with text inline; None is an empty cell, which is not written.

    `merged` are ranges of cells that are one on every sheet, such as A2:A9.
    """
    office = "http://schemas.openxmlformats.org"
    main = f"{office}/spreadsheetml/2006/main"
    relations = f"{office}/officeDocument/2006/relationships"
    packages = f"{office}/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    numbered = list(enumerate(sheets.items(), start=1))

    def sheet(rows: Sequence[Sequence[object]]) -> str:
        written = []
        for number, row in enumerate(rows, start=1):
            cells = []
            for place, cell in enumerate(row):
                reference = f"{_letters(place)}{number}"
                if isinstance(cell, str):
                    cells.append(
                        f'<c r="{reference}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
                    )
                elif cell is not None:
                    cells.append(f'<c r="{reference}"><v>{cell}</v></c>')
            written.append(f'<row r="{number}">{"".join(cells)}</row>')
        ranges = "".join(f'<mergeCell ref="{reference}"/>' for reference in merged)
        below = f"<mergeCells>{ranges}</mergeCells>" if merged else ""
        data = f"<sheetData>{''.join(written)}</sheetData>"
        return f'<worksheet xmlns="{main}">{data}{below}</worksheet>'

    members = {
        "[Content_Types].xml": f'<Types xmlns="{packages}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{k}.xml" '
            f'ContentType="{kinds}.worksheet+xml"/>'
            for k, _ in numbered
        )
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{packages}/relationships"><Relationship Id="rId1" '
        f'Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>'
        + "".join(
            f'<sheet name="{escape(title)}" sheetId="{k}" r:id="rId{k}"/>'
            for k, (title, _) in numbered
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{packages}/relationships">'
        + "".join(
            f'<Relationship Id="rId{k}" Type="{relations}/worksheet" '
            f'Target="worksheets/sheet{k}.xml"/>'
            for k, _ in numbered
        )
        + "</Relationships>",
    }
    for k, (_, rows) in numbered:
        members[f"xl/worksheets/sheet{k}.xml"] = sheet(rows)
    declared = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    return zipped({name: (declared + text).encode() for name, text in members.items()})


def _letters(place: int) -> str:
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def cells_of(frame: pd.DataFrame) -> list[list[object]]:
    """Header and rows of a frame, as Python's own numbers and words."""
    rows = [
        [cell.item() if hasattr(cell, "item") else cell for cell in row]
        for row in frame.itertuples(index=False, name=None)
    ]
    return [[str(name) for name in frame.columns], *rows]


def parquet(frame: pd.DataFrame, *, feather: bool = False) -> bytes:
    buffer = io.BytesIO()
    if feather:
        frame.to_feather(buffer)
    else:
        frame.to_parquet(buffer)
    return buffer.getvalue()


# --- arrays ---------------------------------------------------------------------------------------


def npy(array: Numbers) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def mat(**variables: Any) -> bytes:
    buffer: Any = io.BytesIO()
    scipy.io.savemat(buffer, variables, do_compression=True)
    head = b"MATLAB 5.0 MAT-file, Platform: GLNXA64, Created on: Fri May 17 10:00:00 2024".ljust(
        116
    )
    return head + bytes(buffer.getvalue()[116:])


def mat4(**variables: Any) -> bytes:
    buffer: Any = io.BytesIO()
    scipy.io.savemat(buffer, variables, format="4")
    return bytes(buffer.getvalue())


def mat73(**variables: Numbers) -> bytes:
    """MATLAB's HDF5: the signature after 512 bytes, arrays turned, their class named."""
    classes = {"f": "double", "u": "uint8", "i": "int32"}
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", userblock_size=512) as file:
        for name, array in variables.items():
            turned = file.create_dataset(name, data=np.asarray(array).T, compression="gzip")
            turned.attrs["MATLAB_class"] = np.bytes_(classes[np.asarray(array).dtype.kind])
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 .".ljust(124)
    return head + struct.pack("<HH", 0x0200, 0x4D49) + buffer.getvalue()[128:]


def hdf5(variables: Mapping[str, Any], attributes: Mapping[str, Mapping[str, Any]]) -> bytes:
    """Arrays by their path, and attributes by the path of what they belong to."""
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        for path, array in variables.items():
            content = np.asarray(array)
            text = content.dtype.kind in "OU"
            file.create_dataset(
                path,
                data=content.astype(object) if text else content,
                dtype=h5py.string_dtype() if text else None,
            )
        for path, pairs in attributes.items():
            for name, value in pairs.items():
                owner = file[path] if path in file else file.create_group(path)
                owner.attrs[name] = value
    return buffer.getvalue()


def idx(array: Numbers) -> bytes:
    """Bytes in MNIST's own format."""
    dimensions = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, 8, array.ndim]) + dimensions + array.astype(np.uint8).tobytes()


# --- pictures -------------------------------------------------------------------------------------


def picture(array: Numbers, container: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(array).save(buffer, container, **options)
    return buffer.getvalue()


def pgm(array: Numbers) -> bytes:
    height, width = array.shape
    return f"P5\n{width} {height}\n255\n".encode() + array.astype(np.uint8).tobytes()


def tiff(
    array: Numbers,
    *,
    photometric: int = 1,
    planar: bool = False,
    tags: Mapping[int, Sequence[int]] | None = None,
) -> bytes:
    """One page of one strip a plane, little endian, not compressed."""
    array = np.ascontiguousarray(array)
    if array.ndim == 2:
        height, width, channels = *array.shape, 1
    elif planar:
        channels, height, width = array.shape
    else:
        height, width, channels = array.shape
    n_strips = channels if planar else 1
    pixels = array.tobytes()
    strip = len(pixels) // n_strips
    pixels += b"\0" * (len(pixels) % 2)
    entries: dict[int, Sequence[int]] = {
        256: [width],
        257: [height],
        258: [8 * array.itemsize] * channels,
        259: [1],
        262: [photometric],
        273: [8 + k * strip for k in range(n_strips)],
        277: [channels],
        278: [height],
        279: [strip] * n_strips,
        284: [2 if planar else 1],
        339: [{"u": 1, "i": 2, "f": 3}[array.dtype.kind]] * channels,
        **(tags or {}),
    }
    start = 8 + len(pixels)
    behind = start + 6 + 12 * len(entries)
    directory, overflow = b"", b""
    for tag in sorted(entries):
        is_long = tag in (256, 257, 273, 278, 279)
        packed = struct.pack(f"<{len(entries[tag])}{'I' if is_long else 'H'}", *entries[tag])
        directory += struct.pack("<HHI", tag, 4 if is_long else 3, len(entries[tag]))
        if len(packed) <= 4:
            directory += packed.ljust(4, b"\0")
        else:
            directory += struct.pack("<I", behind + len(overflow))
            overflow += packed
    head = b"II*\0" + struct.pack("<I", start)
    return head + pixels + struct.pack("<H", len(entries)) + directory + b"\0" * 4 + overflow


def tiff_pages(pages: Sequence[Numbers], description: str = "") -> bytes:
    buffer = io.BytesIO()
    first, *others = [Image.fromarray(page) for page in pages]
    options = {"description": description} if description else {}
    first.save(buffer, "TIFF", save_all=True, append_images=others, **options)
    return buffer.getvalue()


def zipped(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 5, 17, 10, 0, 0)), content)
    return buffer.getvalue()


def gzipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)
