"""Kinds of files that are recognised and not read: what each is, and what to export instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cspca.datasets.record import DatasetError


@dataclass(frozen=True)
class UnreadKind:
    """A kind of file that is not read: its name, its marks, and what to export in its place.

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

    def refusal(self, name: str) -> DatasetError:
        """The error for a file of this kind."""
        return DatasetError(f"{name} is {self.words}, which is not read here: {self.advice}.")


def _starts(*marks: bytes) -> Callable[[bytes], bool]:
    return lambda content: content.startswith(marks)


def _at(place: int, *marks: bytes) -> Callable[[bytes], bool]:
    return lambda content: content[place : place + 16].startswith(marks)


def _is_svmlight(content: bytes) -> bool:
    """Whether each of the first lines is a label, and numbered values whose numbers rise."""
    # What is looked at may end in the middle of a line.
    lines = [line.split(b"#", 1)[0].split() for line in content[:4096].splitlines()[:-1]]
    lines = [words for words in lines if words][:3]
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


def _first_line(content: bytes) -> bytes:
    """Return the first line that is neither empty nor a comment, in small letters."""
    lines = (line.strip().lower() for line in content[:16384].splitlines())
    return next((line for line in lines if line and not line.startswith((b"#", b"%"))), b"")


def _is_sparse_arff(content: bytes) -> bool:
    """Whether a file begins as ARFF does, and has its values in braces."""
    if not _first_line(content).startswith(b"@relation"):
        return False
    _, _, values = content.lower().partition(b"@data")
    return _first_line(values).startswith(b"{")


def _is_heic(content: bytes) -> bool:
    brands = (b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1")
    return content[4:8] == b"ftyp" and content[8:12] in brands


def _is_video(content: bytes) -> bool:
    """Whether a file is a video; AVIF pictures and HEIC images share the container of MP4."""
    is_mp4 = content[4:8] == b"ftyp" and content[8:12] not in (b"avif", b"avis")
    is_avi = content[:4] == b"RIFF" and content[8:12] == b"AVI "
    return is_mp4 or is_avi or content.startswith(_VIDEO_MARKS)


def _is_opendocument(content: bytes) -> bool:
    """Whether a zip archive begins with the type of an OpenDocument spreadsheet."""
    kind = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
    return content.startswith(b"PK\3\4") and kind in content[30:200]


def _is_svg(content: bytes) -> bool:
    is_xml = content.lstrip()[:5] in (b"<?xml", b"<!DOC")
    return content.startswith(b"<svg") or (is_xml and b"<svg" in content[:1000])


def _is_compound(*streams: str) -> Callable[[bytes], bool]:
    """Return whether a file is an old one of Office that holds a stream of one of these names."""
    names = [stream.encode("utf-16-le") for stream in streams]
    return lambda content: (
        content.startswith(_COMPOUND) and (not names or any(name in content for name in names))
    )


def _is_web_page(content: bytes) -> bool:
    start = content[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head"))


_TPS_MARK: Final = re.compile(rb"\s*LM3?=\d+\s*\n\s*-?[\d.]+[ \t]+-?[\d.]+", re.IGNORECASE)
_COMPOUND: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_VIDEO_MARKS: Final = (
    b"\x1aE\xdf\xa3", b"\0\0\x01\xba", b"\0\0\x01\xb3", b"FLV\x01", b"0&\xb2u\x8ef\xcf\x11",
)  # fmt: skip
_PICTURE: Final = "export it as JPEG or PNG"
_SPECTRUM: Final = "export the spectra as one .csv with the axis in its first row"
_PICTURES_IN_IT: Final = "save its pictures as PNG or JPEG files and bring them in one .zip"
_TRIALS: Final = (
    "cut it into epochs and save them, from MNE by numpy.savez('epochs.npz', "
    "X=epochs.get_data(), y=epochs.events[:, 2], ch_names=epochs.ch_names, times=epochs.times)"
)
_ARCHIVE: Final = "pack its files as .zip"

LOOM: Final = UnreadKind(
    "a loom file, whose cells lie in columns",
    "write it as .h5ad with anndata.io.read_loom(…).write_h5ad(…)",
    (".loom",),
)
GCTX: Final = UnreadKind(
    "a GCTX file", "write it as .gct with cmapPy's gctx2gct, or as .csv", (".gctx",)
)

KINDS: Final = (
    UnreadKind(
        "the header of an ENVI image",
        "save its pixels with numpy.save(…, spectral.open_image(…).load())",
        has_mark=_starts(b"ENVI\r", b"ENVI\n"),
    ),
    UnreadKind(
        "a NIfTI volume",
        "save the slices that you want as PNG, or all of them with "
        "numpy.save(…, nibabel.load(…).get_fdata().T)",
        (".nii", ".nii.gz"),
        _at(344, b"n+1\0", b"ni1\0"),
    ),
    UnreadKind(
        "a part of a volume or an image in two files, as NIfTI, Analyze and ENVI write",
        "save its values with numpy.save, from nibabel.load(…).get_fdata().T or "
        "spectral.open_image(…).load()",
        (".hdr", ".img"),
    ),
    UnreadKind(
        "a DICOM picture",
        "save its slices as 16-bit PNG, or as a .npy of (images, height, width)",
        (".dcm", ".dicom", ".ima"),
        _at(128, b"DICM"),
    ),
    UnreadKind(
        "a FITS file",
        "save its array with numpy.save(…, astropy.io.fits.getdata(…))",
        (".fits", ".fit", ".fts"),
        _starts(b"SIMPLE  ="),
    ),
    UnreadKind(
        "an MRC volume",
        "save its array with numpy.save(…, mrcfile.read(…))",
        (".mrc", ".map", ".mrcs", ".rec"),
        _at(208, b"MAP "),
    ),
    UnreadKind(
        "a C3D recording",
        "export its points as .csv, or as a .npy of (frames, points, 3)",
        (".c3d",),
    ),
    UnreadKind(
        "a BVH recording",
        "export the positions of its joints as .csv, or as a .npy of (frames, joints, 3)",
        (".bvh",),
        _starts(b"HIERARCHY"),
    ),
    UnreadKind("an SPC spectrum", _SPECTRUM, (".spc",)),
    UnreadKind(
        "an OPUS spectrum", _SPECTRUM, (".0", ".1", ".2", ".3"), _starts(b"\x0a\x0a\xfe\xfe")
    ),
    UnreadKind(
        "a JCAMP-DX spectrum", _SPECTRUM, (".jdx", ".dx", ".jcamp", ".jcm"), _starts(b"##TITLE=")
    ),
    UnreadKind(
        "an FCS file of a cytometer",
        "export its events as .csv",
        (".fcs",),
        _starts(b"FCS2.", b"FCS3."),
    ),
    UnreadKind(
        "an EDF or BDF recording",
        _TRIALS,
        (".edf", ".bdf"),
        _starts(b"0       ", b"\xffBIOSEMI"),
    ),
    UnreadKind(
        "a BrainVision recording",
        _TRIALS,
        (".vhdr", ".vmrk", ".eeg"),
        _starts(b"Brain Vision Data Exchange", b"BrainVision Data Exchange"),
    ),
    UnreadKind("a GDF recording", _TRIALS, (".gdf",), _starts(b"GDF ")),
    UnreadKind("a FIF recording", _TRIALS, (".fif", ".fif.gz")),
    UnreadKind("a Neuroscan recording", _TRIALS, (".cnt",)),
    UnreadKind("an XDF recording", _TRIALS, (".xdf", ".xdfz"), _starts(b"XDF:")),
    UnreadKind(
        "a part of an EEGLAB set",
        "save the set as one .set file, in EEGLAB by pop_saveset(EEG, 'savemode', 'onefile')",
        (".fdt",),
    ),
    UnreadKind(
        "a file of R",
        "write its table there with write.csv",
        (".rds", ".rdata", ".rda"),
        _starts(b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"X\n\0\0\0\x02", b"X\n\0\0\0\x03"),
    ),
    UnreadKind(
        "a file of Stata",
        "write its table with pandas.read_stata(…, convert_categoricals=False).to_csv(…, "
        "index=False)",
        (".dta",),
        _starts(b"<stata_dta>"),
    ),
    UnreadKind(
        "a file of SPSS",
        "save it there as .csv, or write its table with pyreadstat.read_sav(…)[0].to_csv(…, "
        "index=False)",
        (".sav", ".zsav", ".por"),
        _starts(b"$FL2", b"$FL3"),
    ),
    UnreadKind(
        "a file of SAS",
        "write its table with pyreadstat.read_sas7bdat(…)[0].to_csv(…, index=False), or "
        "read_xport for an .xpt file",
        (".sas7bdat", ".xpt"),
        _starts(b"HEADER RECORD*******LIB"),
    ),
    UnreadKind(
        "a file of Prism, JASP or jamovi",
        "export its table there as .csv",
        (".pzfx", ".pzf", ".prism", ".jasp", ".omv"),
    ),
    UnreadKind(
        "a BIOM table",
        "write it as text with biom convert -i table.biom -o table.tsv --to-tsv",
        (".biom",),
    ),
    UnreadKind(
        "a netCDF file of the classic kind",
        "write its array with numpy.save(…, xarray.open_dataset(…)['name'].values)",
        has_mark=_starts(b"CDF\x01", b"CDF\x02", b"CDF\x05"),
    ),
    UnreadKind(
        "a list of genetic variants (VCF)",
        "write one row a sample with plink --vcf … --recode A, which makes a .raw file",
        (".vcf", ".bcf"),
        _starts(b"##fileformat=VCF"),
    ),
    UnreadKind(
        "a HapMap table of letters",
        "export it from TASSEL as VCF, and write one row a sample with plink --vcf … --recode A, "
        "which makes a .raw file",
        has_mark=_starts(b"rs#\t", b"rs# "),
    ),
    UnreadKind(
        "a list of sequences",
        "count their words of a few letters, and bring one row of counts a sequence",
        (".fasta", ".fa", ".fna", ".faa", ".fastq", ".fq", ".nex", ".nexus", ".phy"),
        _starts(b"#NEXUS"),
    ),
    UnreadKind(
        "a file of mass spectra",
        "bin its spectra or list its peaks in one table with a sample a row, as .csv",
        (".mzml", ".mzxml", ".mzdata", ".imzml", ".mgf"),
    ),
    UnreadKind(
        "a header of WFDB",
        "cut its signals, wfdb.rdrecord(…).p_signal, into windows of equal length and save them "
        "with numpy.save as (windows, times, channels)",
        (".hea",),
    ),
    LOOM,
    GCTX,
    UnreadKind(
        "a pickle",
        "save its arrays with numpy.savez, for no Python object is ever opened here",
        (".pkl", ".pickle", ".joblib", ".pt", ".pth"),
    ),
    UnreadKind(
        "a presentation of PowerPoint",
        _PICTURES_IN_IT,
        (".ppt", ".pptx", ".pps", ".ppsx"),
        _is_compound("PowerPoint Document"),
    ),
    UnreadKind(
        "a document of Word",
        _PICTURES_IN_IT + ", or its table as .csv",
        (".docx",),
        _is_compound("WordDocument"),
    ),
    UnreadKind("an OpenDocument presentation or text", _PICTURES_IN_IT, (".odp", ".odt")),
    UnreadKind("a presentation of Keynote", _PICTURES_IN_IT, (".key",)),
    UnreadKind("a sheet of Numbers", "export it there as .csv or .xlsx", (".numbers",)),
    UnreadKind(
        "an old or locked workbook of Excel",
        "save it as .xlsx without a password, or export the sheet as .csv",
        (),
        _is_compound("Workbook", "Book", "EncryptedPackage"),
    ),
    UnreadKind(
        "an old file of Microsoft Office",
        "export its table as .csv, or its pictures as PNG in a .zip",
        has_mark=_is_compound(),
    ),
    UnreadKind(
        "a web page",
        "follow its link to the file itself, such as Raw or Download, and bring what that saves",
        (".html", ".htm"),
        _is_web_page,
    ),
    UnreadKind(
        "a JSON file",
        "write its table as .csv, with pandas by pandas.read_json(…).to_csv(…, index=False)",
        (".json", ".geojson"),
    ),
    UnreadKind(
        "a file of JSON lines",
        "write its table as .csv, with pandas by pandas.read_json(…, lines=True).to_csv(…, "
        "index=False)",
        (".jsonl", ".ndjson"),
    ),
    UnreadKind(
        "a notebook of Jupyter",
        "run it, and save its arrays with numpy.savez or its table as .csv",
        (".ipynb",),
    ),
    UnreadKind(
        "a spreadsheet of OpenDocument",
        "save it as .xlsx, or export the sheet as .csv",
        (),
        _is_opendocument,
    ),
    UnreadKind(
        "a file of Octave's own format",
        "save it in Octave with save -v7",
        (),
        _starts(b"# Created by Octave", b"Octave-1-"),
    ),
    UnreadKind(
        "a sparse table of svmlight",
        "save it with numpy.savez(…, X=X.toarray(), y=y), from X, y = "
        "sklearn.datasets.load_svmlight_file(…)",
        (".svm", ".svmlight", ".libsvm"),
        _is_svmlight,
    ),
    UnreadKind(
        "a sparse ARFF file",
        "save it dense (Weka's filter SparseToNonSparse), as .arff or .csv",
        has_mark=_is_sparse_arff,
    ),
    UnreadKind(
        "a file of series for aeon or sktime (.ts)",
        "save them with numpy.savez(…, X=X, y=y), from X, y = aeon.datasets.load_from_ts_file(…)",
        has_mark=lambda content: _first_line(content).startswith((b"@problemname", b"@timestamps")),
    ),
    UnreadKind(
        "a list of landmarks of tpsDig",
        "write one row of coordinates for each animal as .csv, in R with "
        "write.csv(geomorph::two.d.array(geomorph::readland.tps(…)))",
        (".tps",),
        lambda content: _TPS_MARK.match(content) is not None,
    ),
    UnreadKind("a HEIC image", _PICTURE, has_mark=_is_heic),
    UnreadKind(
        "a JPEG XL image",
        _PICTURE,
        has_mark=_starts(b"\xff\x0a", b"\0\0\0\x0cJXL \r\n\x87\n"),
    ),
    UnreadKind("a Photoshop image", _PICTURE, has_mark=_starts(b"8BPS")),
    UnreadKind("a QOI image", _PICTURE, has_mark=_starts(b"qoif")),
    UnreadKind(
        "an OpenEXR image", "export it as a TIFF of 32-bit floats", has_mark=_starts(b"v/1\x01")
    ),
    UnreadKind("an SVG drawing", "export it as PNG", has_mark=_is_svg),
    UnreadKind("a PDF document", "export its figures as PNG", has_mark=_starts(b"%PDF")),
    UnreadKind("a video", "save its frames as PNG files", has_mark=_is_video),
    UnreadKind("a RAR archive", _ARCHIVE, has_mark=_starts(b"Rar!")),
    UnreadKind("a 7z archive", _ARCHIVE, has_mark=_starts(b"7z\xbc\xaf'\x1c")),
)


def unread_kind(content: bytes, name: str = "") -> UnreadKind | None:
    """Return the kind of a file that is not read; None for any other file.

    Parameters
    ----------
    content : bytes
        The file; only its beginning is looked at, and nothing of it is parsed.
    name : str, default=""
        Its name; without one, its marks alone decide.
    """
    for kind in KINDS:
        # By the whole name, for ".nii.gz".
        if kind.has_mark(content) or (kind.suffixes and name.lower().endswith(kind.suffixes)):
            return kind
    return None
