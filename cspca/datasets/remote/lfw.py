"""Labeled Faces in the Wild: press photographs of people with at least twenty pictures each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cspca.datasets.remote.remote_set import Brought, RemoteSet

MIN_FACES = 20


def _bring(folder: Path) -> Brought:
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
    bring=_bring,
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
