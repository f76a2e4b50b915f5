"""Containers that are refused in one sentence, and some that are read by their marks."""

from __future__ import annotations

import io
import struct
from functools import partial

import h5py
import numpy as np
from sklearn.datasets import dump_svmlight_file

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark, Numbers
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="containers")
refused = partial(kind, never="Bytes of something else are read as samples.")


def numbers(variant: int, salt: int, n: int = 40, d: int = 12) -> Numbers:
    return write.generator(variant, salt).normal(size=(n + 5 * variant, d + variant))


@refused("loom")
def loom(variant: int) -> Case:
    genes, cells = (30, 40), (25, 60)
    counts = write.generator(variant, 120).poisson(2, (genes[variant], cells[variant]))
    content = write.hdf5(
        {
            "matrix": counts,
            "row_attrs/Gene": np.array([f"G{k}" for k in range(len(counts))]),
            "col_attrs/CellID": np.array([f"c{k}" for k in range(counts.shape[1])]),
        },
        {"/": {"LOOM_SPEC_VERSION": "3.0.0"}}
        if variant == 0
        else {"attrs": {"LOOM_SPEC_VERSION": "3.0.0"}},
    )
    return Case("cells.loom", content, Mark(refused="loom"))


@refused("10x Genomics")
def ten_x(variant: int) -> Case:
    counts = write.generator(variant, 121).poisson(0.5, (30, 20 + variant))
    content = write.hdf5(
        {
            "matrix/data": counts[counts > 0],
            "matrix/indices": np.nonzero(counts.T)[1],
            "matrix/indptr": np.r_[0, np.cumsum((counts > 0).sum(0))],
            "matrix/shape": np.array(counts.shape),
            "matrix/barcodes": np.array([f"AAC{k}-1" for k in range(counts.shape[1])]),
            f"matrix/{('features/name', 'features/id')[variant]}": np.array(
                [f"G{k}" for k in range(30)]
            ),
        },
        {"/": {"filetype": "matrix"}},
    )
    name = ("filtered_feature_bc_matrix.h5", "raw.h5")[variant]
    return Case(name, content, Mark(refused="10x"))


@refused("GCTX")
def gctx(variant: int) -> Case:
    levels = numbers(variant, 122)
    content = write.hdf5(
        {
            "0/DATA/0/matrix": levels,
            "0/META/COL/id": np.array([f"s{k}" for k in range(levels.shape[0])]),
            "0/META/ROW/id": np.array([f"g{k}" for k in range(levels.shape[1])]),
        },
        {"/": {"version": "GCTX1.0"}},
    )
    return Case(("levels.gctx", "levels.h5")[variant], content, Mark(refused="GCTX"))


@refused("Octave's text and HDF5")
def octave(variant: int) -> Case:
    values = numbers(variant, 123)
    if variant == 0:
        rows = "\n".join(" " + " ".join(f"{value:.6g}" for value in row) for row in values)
        text = (
            f"# Created by Octave 7.3.0, Mon May 06 10:00:00 2024 UTC <a@b>\n# name: X\n"
            f"# type: matrix\n# rows: {len(values)}\n# columns: {values.shape[1]}\n{rows}\n\n"
        )
        return Case("data.mat", text.encode(), Mark(refused="Octave"))
    content = write.hdf5(
        {"X/type": np.bytes_("matrix"), "X/value": values.T},
        {"X": {"OCTAVE_NEW_FORMAT": np.uint8(1)}},
    )
    return Case("data.h5", content, Mark(refused="Octave"))


@refused("HDF5 of pandas")
def pandas_hdf5(variant: int) -> Case:
    values = numbers(variant, 124)
    names = np.array([f"c{k}" for k in range(values.shape[1])])
    content = write.hdf5(
        {
            "df/axis0": names,
            "df/axis1": np.arange(len(values)),
            "df/block0_items": names,
            "df/block0_values": values,
        },
        {
            "/": {"CLASS": "GROUP", "PYTABLES_FORMAT_VERSION": "2.1"},
            "df": {
                "pandas_type": "frame",
                "pandas_version": "0.15.2",
                "CLASS": "GROUP",
                "encoding": "UTF-8",
                "nblocks": 1,
                "ndim": 2,
            },
        },
    )
    return Case(("frame.h5", "store.hdf5")[variant], content, Mark(refused="pandas"))


@refused("HDF5 packed by a filter that is not here")
def filtered(variant: int) -> Case:
    buffer = io.BytesIO()
    number = (32015, 32001)[variant]
    with h5py.File(buffer, "w") as file:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((20, 10))
        creation.set_obj_track_times(False)
        creation.set_filter(number, h5py.h5z.FLAG_OPTIONAL, (3,))
        space = h5py.h5s.create_simple((40, 10))
        dataset = h5py.h5d.create(file.id, b"X", h5py.h5t.IEEE_F64LE, space, creation)
        for row in (0, 20):
            dataset.write_direct_chunk((row, 0), bytes(range(200)), 0)
    word = ("zstd|Zstandard", "blosc")[variant]
    return Case("packed.h5", buffer.getvalue(), Mark(refused=word))


@refused("sparse ARFF")
def sparse_arff(variant: int) -> Case:
    head = "@relation words\n" + "".join(f"@attribute w{k} numeric\n" for k in range(10))
    kinds = ("", "@attribute class {spam,ham}\n")[variant]
    rng = write.generator(variant, 125)
    rows = []
    for k in range(30):
        places = sorted(rng.permutation(10)[:3])
        cells = [f"{place} {rng.integers(1, 5)}" for place in places]
        if variant and k % 2:
            cells.append("10 ham")
        rows.append("{" + ", ".join(cells) + "}")
    text = head + kinds + "@data\n" + "\n".join(rows) + "\n"
    return Case("words.arff", text.encode(), Mark(refused="sparse"))


@refused("svmlight")
def svmlight(variant: int) -> Case:
    rng = write.generator(variant, 126)
    values = np.where(rng.random((40, 12)) < 0.4, rng.random((40, 12)).round(3), 0)
    buffer = io.BytesIO()
    dump_svmlight_file(values, rng.integers(0, 2, 40) * 2 - 1, buffer, zero_based=variant == 0)
    return Case(
        ("news.svmlight", "a9a.txt")[variant], buffer.getvalue(), Mark(refused="svmlight|libsvm")
    )


@refused("DICOM")
def dicom(variant: int) -> Case:
    uid = b"1.2.840.10008.1.2.1\0"
    meta = b"\x02\0\x10\0UI" + struct.pack("<H", len(uid)) + uid
    body = (
        b"\x28\0\x10\0US\2\0"
        + struct.pack("<H", 16)
        + b"\x28\0\x11\0US\2\0"
        + struct.pack("<H", 16)
    )
    pixels = b"\xe0\x7f\x10\0OW\0\0" + struct.pack("<I", 512) + bytes(range(256)) * 2
    content = b"\0" * 128 + b"DICM" + meta + body + pixels
    if variant:
        content = write.zipped({f"scan/IM{k:04d}.dcm": content for k in range(6)})
    return Case(("IM0001.dcm", "scan.zip")[variant], content, Mark(refused="DICOM"))


@refused("NIfTI")
def nifti(variant: int) -> Case:
    volume = write.generator(variant, 127).integers(0, 200, (12, 10, 8)).astype("<i2")
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, 12, 10, 8, 1, 1, 1, 1)
    struct.pack_into("<2h", header, 70, 4, 16)
    struct.pack_into("<f", header, 108, 352.0)
    header[344:348] = b"n+1\0"
    content = bytes(header) + volume.tobytes(order="F")
    return Case(
        ("brain.nii", "brain.nii.gz")[variant],
        content if variant == 0 else write.gzipped(content),
        Mark(refused="NIfTI"),
    )


@refused("FITS")
def fits(variant: int) -> Case:
    shape = ((20, 30), (16, 16))[variant]
    cards = [
        "SIMPLE  =                    T",
        f"BITPIX  = {(-32, 16)[variant]:>20}",
        "NAXIS   =                    2",
        f"NAXIS1  = {shape[1]:>20}",
        f"NAXIS2  = {shape[0]:>20}",
        "END",
    ]
    header = "".join(card.ljust(80) for card in cards).ljust(2880).encode()
    dtype = (">f4", ">i2")[variant]
    pixels = write.generator(variant, 128).integers(0, 900, shape).astype(dtype).tobytes()
    content = header + pixels + b"\0" * (-len(pixels) % 2880)
    return Case(("field.fits", "m31.fit")[variant], content, Mark(refused="FITS"))


@refused("MRC")
def mrc(variant: int) -> Case:
    header = bytearray(1024)
    struct.pack_into("<4i", header, 0, 12, 10, 6, 2)
    header[208:212] = b"MAP "
    header[212:216] = b"DD\0\0"
    content = bytes(header) + numbers(variant, 129, 60, 12).astype("<f4").tobytes()
    return Case(("particles.mrc", "tomogram.map")[variant], content, Mark(refused="MRC"))


@refused("C3D")
def c3d(variant: int) -> Case:
    header = bytearray(512)
    header[0:2] = b"\x02\x50"
    struct.pack_into("<5H", header, 2, 16, 0, 1, 100 + variant, 10)
    content = bytes(header) + bytes(512) + numbers(variant, 130, 100, 64).astype("<f4").tobytes()
    return Case("walk.c3d", content, Mark(refused="C3D"))


@refused("BVH")
def bvh(variant: int) -> Case:
    values = numbers(variant, 131, 30, 6)
    text = (
        "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition "
        "Zrotation Xrotation Yrotation\n\tEnd Site\n\t{\n\t\tOFFSET 0 1 0\n\t}\n}\n"
        f"MOTION\nFrames: {len(values)}\nFrame Time: 0.0333333\n"
    )
    text += "\n".join(" ".join(f"{cell:.4f}" for cell in row[:6]) for row in values) + "\n"
    return Case(("dance.bvh", "walk.bvh.txt")[variant], text.encode(), Mark(refused="BVH"))


@refused("Galactic SPC")
def spc(variant: int) -> Case:
    header = bytearray(512)
    header[0:2] = bytes([0, 0x4B])
    struct.pack_into("<BiddI", header, 3, 0x80, 200, 400.0, 2500.0, 1)
    curve = np.abs(numbers(variant, 132, 200, 1)[:200, 0]).astype("<f4")
    content = bytes(header) + bytes(32) + curve.tobytes()
    return Case(("sample.spc", "SAMPLE.SPC")[variant], content, Mark(refused="SPC"))


@refused("Bruker OPUS")
def opus(variant: int) -> Case:
    content = b"\x0a\x0a\xfe\xfe" + struct.pack("<d5i", 920622.0, 24, 40, 4, 0, 0)
    content += np.abs(numbers(variant, 133, 300, 1)).astype("<f4").tobytes()
    return Case(("sample.0", "soil.1")[variant], content, Mark(refused="OPUS"))


@refused("JCAMP-DX")
def jcamp(variant: int) -> Case:
    curves, _ = write.spectra(1, 100, 134 + variant)
    rows = "\n".join(
        f"{400 + 4 * k} " + " ".join(f"{int(value * 1e4)}" for value in curves[0, k : k + 5])
        for k in range(0, 100, 5)
    )
    text = (
        "##TITLE=Polystyrene\n##JCAMP-DX=4.24\n##DATA TYPE=INFRARED SPECTRUM\n"
        "##XUNITS=1/CM\n##YUNITS=ABSORBANCE\n##FIRSTX=400\n##LASTX=796\n##NPOINTS=100\n"
        f"##XYDATA=(X++(Y..Y))\n{rows}\n##END=\n"
    )
    return Case(
        ("polystyrene.jdx", "polystyrene.dx")[variant], text.encode(), Mark(refused="JCAMP")
    )


@refused("FCS of a cytometer")
def fcs(variant: int) -> Case:
    text = "|$BEGINANALYSIS|0|$MODE|L|$DATATYPE|F|$PAR|2|$P1N|FSC-A|$P2N|SSC-A|$TOT|100|"
    data = np.abs(numbers(0, 135, 100, 2)).astype("<f4").tobytes()
    header = f"FCS3.{variant}    {58:>8}{57 + len(text):>8}{58 + len(text):>8}"
    header += f"{57 + len(text) + len(data):>8}{0:>8}{0:>8}"
    return Case("tube1.fcs", header.encode() + text.encode() + data, Mark(refused="FCS"))


@refused("EDF of a recorder")
def edf(variant: int) -> Case:
    n_signals = 1 + variant
    header = "0".ljust(8) + "X X X X".ljust(80) + "Startdate 17-MAY-2024".ljust(80)
    header += "17.05.24" + "10.00.00" + f"{256 * (n_signals + 1):<8}" + " " * 44
    header += f"{10:<8}{1:<8}{n_signals:<4}"
    fields = (
        ("EEG Fpz-Cz", 16),
        ("AgCl", 80),
        ("uV", 8),
        ("-200", 8),
        ("200", 8),
        ("-2048", 8),
        ("2047", 8),
        ("", 80),
        ("100", 8),
        ("", 32),
    )
    header += "".join(text.ljust(width) * n_signals for text, width in fields)
    samples = write.generator(variant, 136).integers(-2000, 2000, 1000 * n_signals).astype("<i2")
    return Case("sleep.edf", header.encode() + samples.tobytes(), Mark(refused="EDF"))


@refused("R's own files")
def rds(variant: int) -> Case:
    body = b"X\n\0\0\0\3\0\4\3\2\0\3\5\0\0\0\0\5UTF-8\0\0\0\x0e\0\0\0\x14"
    body += numbers(0, 137, 20, 1)[:20, 0].astype(">f8").tobytes()
    content = write.gzipped(body if variant == 0 else b"RDX3\n" + body)
    return Case(
        ("fit.rds", "work.RData")[variant],
        content,
        Mark(refused="R's|of R|from R|.rds|RData|saveRDS"),
    )


@refused("pictures of an iPhone and JPEG XL")
def named_pictures(variant: int) -> Case:
    if variant == 0:
        content = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0\0\1\0meta" + bytes(248)
        return Case("IMG_0001.HEIC", content, Mark(refused="HEIC|HEIF"))
    content = b"\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl \0\0\0\0jxl " + bytes(200)
    return Case("photo.jxl", content, Mark(refused="JPEG XL|JXL"))


@kind("EMNIST, which lies column by column", never="Letters are read lying on their side.")
def emnist(variant: int) -> Case:
    images, persons = write.faces(20, 10, (24, 20)[variant], 20, 138)
    turned = images.transpose(0, 2, 1)
    content = write.zipped(
        {
            "emnist-letters-train-images-idx3-ubyte": write.idx(turned),
            "emnist-letters-train-labels-idx1-ubyte": write.idx(persons),
        }
    )
    n, height, width = images.shape
    mark = Mark(
        values=images.reshape(n, -1),
        scale="whole",
        features="pixels",
        image_shape=(height, width),
        labels=write.texts(persons),
        may_ask=frozenset({"order"}),
        answers={"order": "column"},
    )
    return Case("emnist.zip", content, mark)


@kind("MATLAB of version 4", never="It is called damaged.")
def matlab4(variant: int) -> Case:
    values = numbers(variant, 139).round(3)
    labels = write.generator(variant).permutation(len(values)) % 3
    names = (("X", "Y"), ("data", "labels"))[variant]
    arrays = {names[0]: values, names[1]: labels[:, None] + 1.0}
    mark = Mark(values=values, labels=write.texts(labels + 1), also=("axis",))
    return Case("old.mat", write.mat4(**arrays), mark)


@kind("several arrays in HDF5", never="The largest array is taken, without a word.")
def several_arrays(variant: int) -> Case:
    first, second = numbers(variant, 140, 50, 8), numbers(variant, 141, 70, 9)
    content = write.hdf5({"group1/signal": first, "group2/other": second}, {})
    mark = Mark(
        values=first,
        also=("axis",),
        must_ask=frozenset({"data"}),
        may_ask=frozenset({"samples", "scale", "features"}),
        answers={"data": "group1/signal", "samples": "rows"},
    )
    return Case("several.h5", content, mark)
