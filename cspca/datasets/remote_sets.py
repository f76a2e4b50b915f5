"""Data sets that others keep: what there is to know of each, how it is fetched, what must come.

Those that may not be passed on stand beside: where to ask for them, and which file to bring.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.choices import ReadChoices
from cspca.datasets.files.reading import read_file
from cspca.datasets.record import DatasetError

COIL_MD5 = "464dec76a6abfcd00e8de6cf1e7d0acc"
"""Of the archive. Columbia publishes none; two projects that fetch it (DeepMind's dm_nevis is one)
name this one."""


class Brought(NamedTuple):
    """Pictures (n, height, width) in [0, 1] and labels, as they come from a loader."""

    images: NDArray[Any]
    target: NDArray[np.integer[Any]]
    target_names: NDArray[np.str_]


@dataclass(frozen=True)
class RemoteSet:
    """One remote data set: how it is fetched, on what terms, and what must come of it."""

    name: str
    title: str
    description: str
    bring: Callable[[Path], Brought]  # into a folder, in a process of its own
    shape: tuple[int, int, int]
    n_classes: int
    download_bytes: int  # about: the scale of the progress bar
    size: str  # of what comes of it, in words
    licence: str
    citation: str
    homepage: str
    hosts: tuple[str, ...]
    instead: str  # what to do when they cannot be reached, completing “…, or ”
    version: int = 1  # raised when something else is made of the download: it is fetched anew

    @property
    def download_size(self) -> str:
        """About how much is fetched, in words."""
        return f"about {self.download_bytes / 1e6:.0f} MB"

    def accepts(self, brought: Brought) -> bool:
        """Whether it is what it should be: number, size, classes and range."""
        images, target, names = brought
        return (
            images.shape == self.shape
            and images.dtype.kind in "fu"
            and target.shape == self.shape[:1]
            and target.dtype.kind in "iu"
            and len(names) == self.n_classes
            and np.array_equal(np.unique(target), np.arange(self.n_classes))
            and bool(np.isfinite(images).all())
            and 0 <= float(images.min()) < 0.25 < 0.5 < float(images.max()) <= 1
        )


def _olivetti(folder: Path) -> Brought:
    from sklearn.datasets import fetch_olivetti_faces

    faces = fetch_olivetti_faces(data_home=folder, n_retries=1, delay=0.2)
    return Brought(faces.images, faces.target, np.arange(1, 41).astype(str))


def _lfw(folder: Path) -> Brought:
    from sklearn.datasets import fetch_lfw_people

    people = fetch_lfw_people(
        data_home=folder, min_faces_per_person=20, resize=0.5, n_retries=1, delay=0.2
    )
    # A mean of three channels can be above 1 by a rounding error.
    return Brought(np.clip(people.images, 0, 1), people.target, people.target_names)


def _usps(folder: Path) -> Brought:
    from sklearn.datasets import fetch_openml

    # The parser of pandas is faster, but stumbles over classes that are numbers.
    bunch = fetch_openml(
        data_id=41082, data_home=folder, as_frame=False, parser="liac-arff", n_retries=1, delay=0.2
    )
    pixels = np.asarray(bunch.data, dtype=np.float64)
    # There −1 is paper and 1 is ink.
    if float(pixels.min()) < 0:
        pixels = (pixels + 1) / 2
    names, target = np.unique(np.asarray(bunch.target).astype(int), return_inverse=True)
    # OpenML counts digits from 1: its class 1 is the digit 0.
    digits = (names - names.min()).astype(str)
    return Brought(np.clip(pixels, 0, 1).reshape(-1, 16, 16), target, digits)


def _coil20(folder: Path) -> Brought:
    import urllib.request

    archive, digest = folder / "coil-20-proc.zip", hashlib.md5(usedforsecurity=False)
    page = "https://www.cs.columbia.edu/CAVE/databases/SLAM_coil-20_coil-100/coil-20"
    address = f"{page}/{archive.name}"
    with urllib.request.urlopen(address, timeout=30) as answer, archive.open("wb") as file:
        while piece := answer.read(2**16):
            digest.update(piece)
            file.write(piece)
            # More than the archive has: such a host is not listened to.
            if file.tell() > 16_000_000:
                raise DatasetError("The archive is larger than it should be.")
    if digest.hexdigest() != COIL_MD5:
        raise DatasetError("The archive is not the one that is known.")
    # The paper's Table 1 has them of this size, the archive 128 × 128.
    read = read_file(archive, choices=ReadChoices(labels="file name", size=(32, 32))).dataset
    target, names = read.target, read.target_names
    if target is None or names is None or not np.all(np.bincount(target) == 72):
        raise DatasetError("There are not 72 pictures of each object.")
    return Brought(read.images, target, np.array(names))


_ALL = (
    RemoteSet(
        name="olivetti",
        title="Olivetti faces (ORL)",
        description="Ten pictures each of forty people, taken at Olivetti Research between 1992 "
        "and 1994, with changing light, expression and glasses.",
        bring=_olivetti,
        shape=(400, 64, 64),
        n_classes=40,
        download_bytes=4_000_000,
        size="400 images, 64 × 64, 40 people",
        licence="free to use with credit to AT&T Laboratories Cambridge",
        citation="F. Samaria, A. Harter, Parameterisation of a stochastic model for human face "
        "identification, IEEE WACV 1994",
        homepage="https://scikit-learn.org/stable/datasets/real_world.html#the-olivetti-faces-dataset",
        hosts=("ndownloader.figshare.com",),
        instead="upload ORL.mat or a zip of the ORL pictures in one folder a person",
    ),
    RemoteSet(
        name="lfw",
        title="Labeled Faces in the Wild",
        description="Press photographs of 62 people with at least twenty pictures each, funnelled "
        "(roughly aligned), cut to the face.",
        bring=_lfw,
        shape=(3023, 62, 47),
        n_classes=62,
        download_bytes=243_000_000,
        size="3,023 images, 62 × 47, 62 people",
        licence="for research; the photographs belong to their owners",
        citation="G. B. Huang, M. Ramesh, T. Berg, E. Learned-Miller, Labeled Faces in the Wild, "
        "University of Massachusetts, Amherst, Technical Report 07-49, 2007",
        homepage="https://scikit-learn.org/stable/datasets/real_world.html#the-labeled-faces-in-the-"
        "wild-face-recognition-dataset",
        hosts=("ndownloader.figshare.com",),
        instead="upload a zip of some of its pictures in one folder a person",
    ),
    RemoteSet(
        name="usps",
        title="USPS digits",
        description="Handwritten digits from envelopes, scanned by the U.S. Postal Service.",
        bring=_usps,
        shape=(9298, 16, 16),
        n_classes=10,
        download_bytes=10_000_000,
        size="9,298 images, 16 × 16, 10 digits",
        licence="public, as OpenML says",
        citation="J. J. Hull, A database for handwritten text recognition research, IEEE "
        "Transactions on Pattern Analysis and Machine Intelligence 16 (5), 1994",
        homepage="https://www.openml.org/d/41082",
        hosts=("www.openml.org",),
        instead="upload USPS.mat, or use the built-in digits",
    ),
    RemoteSet(
        name="coil20",
        title="COIL-20",
        description="Twenty objects, each seen from 72 sides on a turntable, against black.",
        bring=_coil20,
        shape=(1440, 32, 32),
        n_classes=20,
        download_bytes=12_100_000,
        size="1,440 images, 32 × 32, 20 objects",
        licence="for research purposes",
        citation="S. A. Nene, S. K. Nayar, H. Murase, Columbia Object Image Library (COIL-20), "
        "Columbia University, Technical Report CUCS-005-96, 1996",
        homepage="https://www.cs.columbia.edu/CAVE/software/softlib/coil-20.php",
        hosts=("www.cs.columbia.edu",),
        instead="upload coil-20-proc.zip or COIL20.mat",
    ),
)

REMOTE = {one.name: one for one in _ALL}
"""Remote data sets by name: a new one is a loader and an entry above."""


@dataclass(frozen=True)
class ByRequest:
    """A data set that everybody has to get from its owners, and which file of it to bring."""

    title: str
    description: str
    where: str
    terms: str
    bring: str
    size: str
    citation: str
    homepage: str


BY_REQUEST: dict[str, ByRequest] = {
    "yaleb": ByRequest(
        title="Extended Yale B",
        description="Faces of 38 people, each under about 64 lights.",
        where="Download the cropped images (CroppedYale) from the page of the UCSD vision group.",
        terms="Free for research with citation; may not be passed on.",
        bring="A zip of CroppedYale, one folder a person, or YaleB_32x32.mat with fea and gnd.",
        size="2,414 images, 32 × 32, 38 people",
        citation="A. Georghiades, P. Belhumeur, D. Kriegman, From few to many: illumination cone "
        "models for face recognition under variable lighting and pose, IEEE TPAMI 23 (6), 2001; "
        "K.-C. Lee, J. Ho, D. Kriegman, Acquiring linear subspaces for face recognition under "
        "variable lighting, IEEE TPAMI 27 (5), 2005",
        homepage="http://vision.ucsd.edu/~leekc/ExtYaleDatabase/ExtYaleB.html",
    ),
    "jaffe": ByRequest(
        title="JAFFE",
        description="Ten Japanese women, seven expressions each, several times.",
        where="Ask for access on its Zenodo page, from an address of a university.",
        terms="For non-commercial research; may not be passed on.",
        bring="A zip of its TIFF pictures (KA.AN1.39.tiff and so on): the person is read from the "
        "file name; or jaffe.mat with X and Y.",
        size="213 images, 26 × 26, 10 people",
        citation="M. Lyons, S. Akamatsu, M. Kamachi, J. Gyoba, Coding facial expressions with "
        "Gabor wavelets, IEEE International Conference on Automatic Face and Gesture Recognition, "
        "1998",
        homepage="https://zenodo.org/records/3451524",
    ),
    "humaneva": ByRequest(
        title="HumanEVA",
        description="Motion capture of people walking, jogging, boxing, gesturing and throwing.",
        where="Register at the page of the Max Planck Institute for Intelligent Systems.",
        terms="For research, after registration; may not be passed on.",
        bring="A .mat, .npz or .csv of 16 joints in 3-D a frame, as (frames, 16, 3) or 48 columns; "
        "the 168 numbers of a pose (48 coordinates and 120 distances, our reading of the paper) "
        "are made here. The motion is the label.",
        size="10,000 samples, 168 features, 10 classes",
        citation="L. Sigal, A. O. Balan, M. J. Black, HumanEva: synchronized video and motion "
        "capture dataset and baseline algorithm for evaluation of articulated human motion, "
        "International Journal of Computer Vision 87, 2010",
        homepage="http://humaneva.is.tue.mpg.de",
    ),
}
"""Upload-only data sets of the paper, by name."""
