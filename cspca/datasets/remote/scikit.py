"""The sets that scikit-learn fetches: Olivetti (ORL), Labeled Faces in the Wild, USPS digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cspca.datasets.remote.remote_set import Brought, RemoteSet


def _olivetti(folder: Path) -> Brought:
    from sklearn.datasets import fetch_olivetti_faces

    faces = fetch_olivetti_faces(data_home=folder, n_retries=1, delay=0.2)
    return Brought(faces.images, faces.target, tuple(str(one + 1) for one in range(40)))


OLIVETTI = RemoteSet(
    name="olivetti",
    title="Olivetti faces (ORL)",
    description="Ten pictures each of forty people, taken at Olivetti Research between 1992 and "
    "1994, with changing light, expression and glasses.",
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
)


MIN_FACES = 20


def _lfw(folder: Path) -> Brought:
    from sklearn.datasets import fetch_lfw_people

    people = fetch_lfw_people(
        data_home=folder, min_faces_per_person=MIN_FACES, resize=0.5, n_retries=1, delay=0.2
    )
    # A mean of three channels can be above 1 by a rounding error.
    images = np.clip(people.images, 0, 1)
    return Brought(images, people.target, tuple(str(name) for name in people.target_names))


LFW = RemoteSet(
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
)


OPENML_ID = 41082


def _usps(folder: Path) -> Brought:
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml(
        data_id=OPENML_ID,
        data_home=folder,
        as_frame=False,
        # Slower than the parser of pandas, which stumbles over classes that are numbers.
        parser="liac-arff",
        n_retries=1,
        delay=0.2,
    )
    pixels = np.asarray(bunch.data, dtype=np.float64)
    # There −1 is paper and 1 is ink.
    if float(pixels.min()) < 0:
        pixels = (pixels + 1) / 2
    names, target = np.unique(np.asarray(bunch.target).astype(int), return_inverse=True)
    # OpenML counts digits from 1: its class 1 is the digit 0.
    digits = names - names.min()
    return Brought(
        np.clip(pixels, 0, 1).reshape(-1, 16, 16), target, tuple(str(one) for one in digits)
    )


USPS = RemoteSet(
    name="usps",
    title="USPS digits",
    description="Handwritten digits from envelopes, scanned by the U.S. Postal Service.",
    bring=_usps,
    shape=(9298, 16, 16),
    n_classes=10,
    download_bytes=10_000_000,
    size="9,298 images, 16 × 16, 10 digits",
    licence="public, as OpenML says",
    citation="J. J. Hull, A database for handwritten text recognition research, IEEE Transactions "
    "on Pattern Analysis and Machine Intelligence 16 (5), 1994",
    homepage="https://www.openml.org/d/41082",
    hosts=("www.openml.org",),
    instead="upload USPS.mat, or use the built-in digits",
)
