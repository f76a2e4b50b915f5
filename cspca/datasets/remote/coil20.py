"""COIL-20: twenty objects on a turntable, from Columbia's own archive of pictures."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from cspca.datasets.files import ReadChoices, read_file
from cspca.datasets.record import DatasetError
from cspca.datasets.remote.remote_set import Brought, RemoteSet

URL = "https://www.cs.columbia.edu/CAVE/databases/SLAM_coil-20_coil-100/coil-20/coil-20-proc.zip"
SIZE = (32, 32)
"""As in the paper's Table 1; the archive has 128 × 128."""

MAX_BYTES = 16_000_000
"""More than the archive has; a host that sends more is not listened to."""

MD5 = "464dec76a6abfcd00e8de6cf1e7d0acc"
"""Of the archive. Columbia publishes none; two projects that fetch it (DeepMind's dm_nevis is one)
name this one."""


def _bring(folder: Path) -> Brought:
    import urllib.request

    archive, digest = folder / "coil-20-proc.zip", hashlib.md5(usedforsecurity=False)
    with urllib.request.urlopen(URL, timeout=30) as answer, archive.open("wb") as file:
        while piece := answer.read(2**16):
            digest.update(piece)
            file.write(piece)
            if file.tell() > MAX_BYTES:
                raise DatasetError("The archive is larger than it should be.")
    if digest.hexdigest() != MD5:
        raise DatasetError("The archive is not the one that is known.")
    read = read_file(archive, choices=ReadChoices(labels="file name", size=SIZE)).dataset
    target, names = read.target, read.target_names
    if target is None or names is None or not np.all(np.bincount(target) == 72):
        raise DatasetError("There are not 72 pictures of each object.")
    return Brought(read.images, target, names)


COIL20 = RemoteSet(
    name="coil20",
    title="COIL-20",
    description="Twenty objects, each seen from 72 sides on a turntable, against black.",
    bring=_bring,
    shape=(1440, *SIZE),
    n_classes=20,
    download_bytes=12_100_000,
    size="1,440 images, 32 × 32, 20 objects",
    licence="for research purposes",
    citation="S. A. Nene, S. K. Nayar, H. Murase, Columbia Object Image Library (COIL-20), "
    "Columbia University, Technical Report CUCS-005-96, 1996",
    homepage="https://www.cs.columbia.edu/CAVE/software/softlib/coil-20.php",
    hosts=("www.cs.columbia.edu",),
    instead="upload coil-20-proc.zip or COIL20.mat",
)
