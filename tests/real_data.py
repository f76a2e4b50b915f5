"""The real image sets, where they are there: raw pixels in [0, 1], one image a row.

Read with scipy alone, on purpose: the tests must not trust the reader that they test.
"""

from pathlib import Path

import numpy as np
from scipy.io import loadmat
from sklearn.datasets import load_digits

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED_DATA = REPOSITORY.parent / "shared" / "data"
SHARED_REFERENCE = REPOSITORY.parent / "shared" / "reference"

#: name -> file; digits come with scikit-learn.
FILES = {
    "ORL": "ORL.mat",
    "COIL20": "COIL20.mat",
    "USPS": "USPS.mat",
    "native ORL": "orlraws10P.mat",
}


def why_absent(name: str) -> str | None:
    """Why the data set cannot be read here; None when it can."""
    if name in FILES and not (SHARED_DATA / FILES[name]).is_file():
        return f"{name} is not here: put {FILES[name]} into {SHARED_DATA}"
    return None


def pixels(name: str, *, centred: bool = False) -> np.ndarray:
    """The (n_samples, n_features) pixels of one data set, float64."""
    if name == "digits":
        A = load_digits().data / 16.0
    else:
        content = loadmat(SHARED_DATA / FILES[name])
        if name == "USPS":
            A = np.hstack([content["Train_DAT"], content["Test_DAT"]]).T.astype(np.float64)
        else:
            A = content["X"].astype(np.float64)
            if content["X"].dtype == np.uint8:
                A /= 255.0
    return np.ascontiguousarray(A - A.mean(axis=0) if centred else A)
