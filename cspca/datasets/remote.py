"""Data sets that others keep: from the cache folder, else from their hosts, whole or not at all.

Loaders run in a process of their own, and can be stopped by ending it.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import math
import os
import shutil
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections import defaultdict
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from cspca.datasets.files.door import Child
from cspca.datasets.files.foreign import Cancelled, Progress, ReadCancelledError, Watch
from cspca.datasets.files.question import Answers
from cspca.datasets.files.reading import read_file
from cspca.datasets.record import Dataset, DatasetError, Recipe

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
    preparation: str  # how its values became what they are, in a sentence
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
    read = read_file(
        archive, answers=Answers({"classes_from": "file name part 1"}, size=(32, 32))
    ).dataset
    target, names = read.target, read.target_names
    if target is None or names is None or not np.all(np.bincount(target) == 72):
        raise DatasetError("There are not 72 images of each object.")
    return Brought(read.images, target, np.array(names))


_ALL = (
    RemoteSet(
        name="olivetti",
        title="Olivetti faces (ORL)",
        description="Ten images each of forty people, taken at Olivetti Research between 1992 "
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
        instead="upload ORL.mat or a zip of the ORL images in one folder a person",
        preparation="The 256 grey levels were brought to 0 – 1 by scikit-learn.",
    ),
    RemoteSet(
        name="lfw",
        title="Labeled Faces in the Wild",
        description="Press photographs of 62 people with at least twenty images each, funnelled "
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
        instead="upload a zip of some of its images in one folder a person",
        preparation="Photographs were cut to the face, divided by 255, made half as large, and "
        "turned to grey by the mean of the three colours, all by scikit-learn.",
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
        preparation="Levels of −1 (paper) … 1 (ink) were moved to 0 – 1.",
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
        preparation="Pictures were divided by 255 and resized from 128 × 128 to 32 × 32.",
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
        bring="A zip of its TIFF images (KA.AN1.39.tiff and so on): the person is read from the "
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


# Fetching

MIRROR_VARIABLE = "CSPCA_MIRROR"
"""Environment variable that names a server to ask in place of the real hosts."""

_WORKER = "from cspca.datasets.remote import main; main()"
_LOOK_EVERY = 0.1
_locks: defaultdict[str, Lock] = defaultdict(Lock)


def fetch(
    name: str, *, progress: Progress | None = None, cancelled: Cancelled | None = None
) -> Dataset:
    """Fetch a remote data set, or take it from the cache.

    It is kept in the folder that ``CSPCA_CACHE`` names, else in the user's own cache folder.
    ``CSPCA_MIRROR`` names a server to ask in place of the hosts, which gets their name as the first
    part of the path.

    Parameters
    ----------
    name : str
        A key of `REMOTE`.
    progress : callable, optional
        Called with a fraction from 0 to 1 and a few words.
    cancelled : callable, optional
        Asked often; True ends the fetching and leaves nothing behind.

    Raises
    ------
    DatasetError
        If there is no such data set, or its host cannot be reached or sends something else.
    """
    if name not in REMOTE:
        raise DatasetError(
            f"There is no remote data set called {name!r}: choose one of {', '.join(REMOTE)}."
        )
    remote = REMOTE[name]
    watch = Watch(remote.title, progress, cancelled, seconds=math.inf)
    kept = _kept_file(remote)
    lock = _locks[str(kept)]
    # Two who want the same set fetch it once; the second may still change their mind.
    while not lock.acquire(timeout=_LOOK_EVERY):
        watch.check()
    try:
        brought = _read(remote, kept) or _bring(remote, kept, watch)
    finally:
        lock.release()
    watch.tell(1.0, "Here")
    n, height, width = brought.images.shape
    data = np.clip(brought.images.reshape(n, -1).astype(np.float64), 0, 1)
    data.flags.writeable = False
    return Dataset(
        data=data,
        target=brought.target.astype(np.int64),
        image_shape=(height, width),
        target_names=tuple(brought.target_names),
        name=name,
        source=f"{remote.homepage}; {remote.citation}",
        licence=remote.licence,
        description=remote.description,
        recipe=Recipe("fetch", (name,)),
    ).prepared_by(remote.preparation)


def is_cached(name: str) -> bool:
    """Whether a remote data set is here already.

    Parameters
    ----------
    name : str
        A key of `REMOTE`.
    """
    return name in REMOTE and _kept_file(REMOTE[name]).is_file()


def _kept_file(remote: RemoteSet) -> Path:
    chosen = os.environ.get("CSPCA_CACHE")
    folder = Path(chosen) if chosen else user_cache_path("cspca", opinion=False)
    return folder / f"{remote.name}-{remote.version}.npz"


def _read(remote: RemoteSet, path: Path) -> Brought | None:
    """Return what a worker has written, nothing pickled; None, and no file, if it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            brought = Brought(*(archive[part] for part in Brought._fields))
        if remote.accepts(brought):
            return brought
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        pass
    # It would only be found damaged each time.
    with suppress(OSError):
        path.unlink()
    return None


def _bring(remote: RemoteSet, kept: Path, watch: Watch) -> Brought:
    with _staging(remote, kept.parent) as place:
        watch.tell(0.0, f"Asking {remote.hosts[0]}")
        answer = _run(remote, Path(place), watch)
        watch.tell(0.95, "Checking")
        result = Path(place) / "result.npz"
        brought = None if answer else _read(remote, result)
        if brought is None:
            why = answer.get("why", f"what {remote.hosts[0]} sends is not the file that is known")
            raise DatasetError(
                f"{remote.title} could not be fetched, {why}: "
                f"{answer.get('do', 'try again later')}, or {remote.instead}."
            )
        watch.check()
        result.replace(kept)
    return brought


def _staging(remote: RemoteSet, folder: Path) -> TemporaryDirectory[str]:
    """Give a new empty folder beside the kept files; it is gone afterwards, whatever happens."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # What a server that was killed while fetching has left goes too.
        for old in folder.glob("fetching-*"):
            with suppress(OSError):
                if time.time() - old.stat().st_mtime > 24 * 3600:
                    shutil.rmtree(old, ignore_errors=True)
        return TemporaryDirectory(
            prefix=f"fetching-{remote.name}-", dir=folder, ignore_cleanup_errors=True
        )
    except OSError as error:
        raise DatasetError(
            f"{remote.title} cannot be kept ({error.strerror}): set CSPCA_CACHE to a folder that "
            "can be written."
        ) from error


def _run(remote: RemoteSet, place: Path, watch: Watch) -> dict[str, str]:
    """Run the usual loader in a process: it can be stopped, and its progress seen on the disk."""
    until, here = time.monotonic() + 3600.0, 0
    process = Child(_WORKER, remote.name, str(place))
    try:
        while process.poll() is None:
            if time.monotonic() > until:
                return {"why": f"{remote.hosts[0]} does not answer"}
            # A file may be moved while it is looked at.
            with suppress(OSError):
                here = sum(one.stat().st_size for one in place.rglob("*") if one.is_file())
            share = min(1.0, here / remote.download_bytes)
            told = f"{here / 1e6:.1f} MB of {remote.download_size}"
            watch.tell(0.9 * share, told if share < 1 else "Unpacking")
            time.sleep(_LOOK_EVERY)
        output = process.communicate()[0]
    except ReadCancelledError:
        raise ReadCancelledError(f"Fetching {remote.title} was cancelled.") from None
    finally:
        process.close()
    try:
        answer: dict[str, str] = json.loads(output.splitlines()[-1])
    except (IndexError, ValueError):
        return {"why": f"what {remote.hosts[0]} sends cannot be read"}
    return answer


# The process that fetches


class Mirror(urllib.request.BaseHandler):
    """Asks one server in place of all others, with their name as the first part of the path."""

    handler_order = 100  # before the handlers that write the headers

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")

    def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
        """Send the request to the mirror."""
        if not request.full_url.startswith(f"{self._address}/"):
            host_and_path = request.full_url.partition(":/")[2]
            request.full_url = f"{self._address}{host_and_path}"
        return request

    https_request = http_request


def run(name: str, place: Path) -> dict[str, str]:
    """Fetch into ``place``; say why that failed and what to do, if it did."""
    socket.setdefaulttimeout(30)
    mirror = os.environ.get(MIRROR_VARIABLE)
    if mirror:
        urllib.request.install_opener(urllib.request.build_opener(Mirror(mirror)))
    raw = place / "raw"
    raw.mkdir()
    try:
        images, target, names = REMOTE[name].bring(raw)
        np.savez_compressed(
            place / "result.npz",
            images=np.asarray(images, dtype=np.float32),
            target=np.asarray(target, dtype=np.int64),
            target_names=names,
        )
    # Loaders raise anything on a file that is not what they expect.
    except Exception as error:  # noqa: BLE001
        return _reason(error, REMOTE[name].hosts[0])
    return {}


def _reason(error: Exception, host: str) -> dict[str, str]:
    if isinstance(error, urllib.error.HTTPError):
        asked = urllib.parse.urlparse(error.url or "").netloc or host
        return {"why": f"{asked} answers error {error.code}"}
    reason = getattr(error, "reason", None)
    cut = isinstance(error, urllib.error.ContentTooShortError) or isinstance(reason, TimeoutError)
    if isinstance(error, urllib.error.URLError) and not cut:
        do = "connect this computer to the internet and try again"
        return {"why": f"{host} cannot be reached", "do": do}
    if cut or isinstance(error, TimeoutError | ConnectionError | http.client.HTTPException):
        return {"why": f"{host} does not answer"}
    if isinstance(error, OSError) and error.errno is not None:
        why = f"there is no room or no right to write ({error.strerror})"
        return {"why": why, "do": "make room in the cache folder and try again"}
    # How scikit-learn says that a checksum differs.
    words = str(error).lower()
    if isinstance(error, DatasetError) or "sha256" in words or "checksum" in words:
        return {"why": f"what {host} sends is not the file that is known"}
    return {"why": f"what {host} sends cannot be read"}


def main() -> None:
    """Fetch what the arguments name, and say in the last line how it went."""
    # Loaders print.
    with redirect_stdout(sys.stderr):
        outcome = run(sys.argv[1], Path(sys.argv[2]))
    print(json.dumps(outcome))  # noqa: T201
