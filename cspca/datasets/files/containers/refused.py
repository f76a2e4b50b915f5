"""Files of known kinds that are not read: each is told what to export in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cspca.datasets.record import DatasetError


@dataclass(frozen=True)
class RefusedKind:
    """A kind of file: how it is called, how it is recognised, and what leads on.

    Parameters
    ----------
    words : str
        What such a file is, with its article.
    advice : str
        What to export in its place, as an imperative.
    suffixes : tuple of str
        Ends of its name, in small letters.
    has_mark : callable
        Whether a content is of this kind for certain, whatever its name.
    """

    words: str
    advice: str
    suffixes: tuple[str, ...] = ()
    has_mark: Callable[[bytes], bool] = lambda content: False


def _starts(*marks: bytes) -> Callable[[bytes], bool]:
    return lambda content: content.startswith(marks)


def _at(place: int, *marks: bytes) -> Callable[[bytes], bool]:
    return lambda content: content[place : place + 16].startswith(marks)


def _is_svmlight(content: bytes) -> bool:
    """Whether each of the first lines is a label, and numbered values whose numbers rise."""
    lines = [line.split(b"#", 1)[0].split() for line in content[:4096].splitlines()[:4]]
    lines = [words for words in lines[:3] if words]
    return any(len(words) > 2 for words in lines) and all(map(_is_sparse_line, lines))


def _is_sparse_line(words: list[bytes]) -> bool:
    places = []
    for word in words[1:]:
        place, colon, value = word.partition(b":")
        if place == b"qid":
            continue
        if not colon or not place.isdigit() or len(place) > 18 or not _is_number(value):
            return False
        places.append(int(place))
    return places == sorted(set(places)) and all(map(_is_number, words[0].split(b",")))


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


_PICKLE: Final = "save its arrays with numpy.savez, for no Python object is ever opened here"

KINDS: Final = (
    RefusedKind(
        "a NIfTI volume",
        "save the slices that you want as PNG, or as a .npy of (images, height, width)",
        (".nii", ".nii.gz", ".hdr", ".img"),
        _at(344, b"n+1\0", b"ni1\0"),
    ),
    RefusedKind(
        "a DICOM picture",
        "save its slices as 16-bit PNG, or as a .npy of (images, height, width)",
        (".dcm", ".dicom", ".ima"),
        _at(128, b"DICM"),
    ),
    RefusedKind(
        "a FITS file",
        "save its array with numpy.save(…, astropy.io.fits.getdata(…))",
        (".fits", ".fit", ".fts"),
        _starts(b"SIMPLE  ="),
    ),
    RefusedKind(
        "an MRC volume",
        "save its array with numpy.save(…, mrcfile.read(…))",
        (".mrc", ".map", ".mrcs", ".rec"),
        _at(208, b"MAP "),
    ),
    RefusedKind(
        "a C3D recording",
        "export its points as .csv, or as a .npy of (frames, points, 3)",
        (".c3d",),
    ),
    RefusedKind(
        "a BVH recording",
        "export the positions of its joints as .csv, or as a .npy of (frames, joints, 3)",
        (".bvh",),
        _starts(b"HIERARCHY"),
    ),
    RefusedKind(
        "an SPC spectrum",
        "export the spectra as one .csv with the axis in its first row",
        (".spc",),
    ),
    RefusedKind(
        "an OPUS spectrum",
        "export the spectra in OPUS as one .csv with the axis in its first row",
        (".0", ".1", ".2", ".3"),
        _starts(b"\x0a\x0a\xfe\xfe"),
    ),
    RefusedKind(
        "a JCAMP-DX spectrum",
        "export the spectra as one .csv with the axis in its first row",
        (".jdx", ".dx", ".jcamp", ".jcm"),
        _starts(b"##TITLE="),
    ),
    RefusedKind(
        "an FCS file of a cytometer",
        "export its events as .csv",
        (".fcs",),
        _starts(b"FCS2.", b"FCS3."),
    ),
    RefusedKind(
        "an EDF or BDF recording",
        "cut it into trials and save them as a .npz of X (trials, channels, times) and y",
        (".edf", ".bdf"),
        _starts(b"0       ", b"\xffBIOSEMI"),
    ),
    RefusedKind(
        "a file of R",
        "write its table with write.csv(…, row.names = FALSE)",
        (".rds", ".rdata", ".rda"),
        _starts(b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"X\n\0\0\0\x02", b"X\n\0\0\0\x03"),
    ),
    RefusedKind(
        "a loom file, whose cells lie in columns",
        "write it as .h5ad with anndata.read_loom(…).write_h5ad(…)",
        (".loom",),
    ),
    RefusedKind("a GCTX file", "write it as .gct with cmapPy's gctx2gct, or as .csv", (".gctx",)),
    RefusedKind("a pickle", _PICKLE, (".pkl", ".pickle", ".joblib", ".pt", ".pth")),
    RefusedKind(
        "a spreadsheet of Excel before 2007",
        "save it as .xlsx or .csv",
        (".xls",),
        _starts(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ),
    RefusedKind(
        "a file of Octave's own format",
        "save it in Octave with save -v7",
        (),
        _starts(b"# Created by Octave", b"Octave-1-"),
    ),
    RefusedKind(
        "a sparse table of svmlight",
        "save it with numpy.savez(…, X=X.toarray(), y=y)",
        (".svm", ".svmlight", ".libsvm"),
        _is_svmlight,
    ),
)


def refuse(content: bytes, name: str) -> None:
    """Raise for a file of one of these kinds.

    Parameters
    ----------
    content : bytes
        The file; only its beginning is looked at, and nothing of it is parsed.
    name : str
        Its name, fit to be shown.

    Raises
    ------
    DatasetError
        One sentence: what the file is, and what to export in its place.
    """
    lower = name.lower()
    for kind in KINDS:
        # By its whole name, for ".nii.gz"; a picture that is called so is a picture.
        named = lower.endswith(kind.suffixes) if kind.suffixes else False
        if kind.has_mark(content) or named:
            raise DatasetError(f"{name} is {kind.words}, which is not read here: {kind.advice}.")
