"""The Olivetti faces, better known as ORL."""

from __future__ import annotations

from pathlib import Path

from cspca.datasets.remote.remote_set import Brought, RemoteSet


def _bring(folder: Path) -> Brought:
    from sklearn.datasets import fetch_olivetti_faces

    faces = fetch_olivetti_faces(data_home=folder, n_retries=1, delay=0.2)
    return Brought(faces.images, faces.target, tuple(str(one + 1) for one in range(40)))


OLIVETTI = RemoteSet(
    name="olivetti",
    title="Olivetti faces (ORL)",
    description="Ten pictures each of forty people, taken at Olivetti Research between 1992 and "
    "1994, with changing light, expression and glasses.",
    bring=_bring,
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
