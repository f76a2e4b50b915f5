"""The USPS digits: handwritten postal codes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cspca.datasets.remote.remote_set import Brought, RemoteSet

OPENML_ID = 41082


def _bring(folder: Path) -> Brought:
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
    bring=_bring,
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
