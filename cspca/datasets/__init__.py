"""Data sets: built-in, computed, or read from a file, all as one `Dataset` record."""

from __future__ import annotations

import functools
import gzip
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from cspca.datasets.faces import FacesTruth, make_faces
from cspca.datasets.files.foreign import ReadCancelledError
from cspca.datasets.files.question import NONE, Answer, Answers, Question, UndecidedError
from cspca.datasets.files.reading import (
    NewSamples,
    Reading,
    load_file,
    load_files,
    read_file,
    read_files,
    read_like,
)
from cspca.datasets.genes import make_genes
from cspca.datasets.leaving import leave_out, thinned
from cspca.datasets.motion import as_motion, make_motion, motion_descriptor
from cspca.datasets.nouns import MEASUREMENT_NOUNS, PICTURE_NOUNS, Nouns, nouns_of
from cspca.datasets.record import Dataset, DatasetError, Recipe, Skeleton
from cspca.datasets.remote import BY_REQUEST, REMOTE, ByRequest, RemoteSet, fetch, is_cached
from cspca.datasets.resize import resized
from cspca.datasets.scenes import WRONGS, Scene, make_haystack, plant_outliers
from cspca.datasets.spectra import make_spectra
from cspca.datasets.spectral import derivative, snv
from cspca.datasets.standard import standardised
from cspca.datasets.truth import FeatureTruth

__all__ = [
    "BUILTIN",
    "BY_REQUEST",
    "MEASUREMENT_NOUNS",
    "NONE",
    "PICTURE_NOUNS",
    "REMOTE",
    "WRONGS",
    "Answer",
    "Answers",
    "ByRequest",
    "Dataset",
    "DatasetError",
    "FacesTruth",
    "FeatureTruth",
    "NewSamples",
    "Nouns",
    "Question",
    "ReadCancelledError",
    "Reading",
    "Recipe",
    "RemoteSet",
    "Scene",
    "Skeleton",
    "UndecidedError",
    "as_motion",
    "derivative",
    "fetch",
    "is_cached",
    "leave_out",
    "load",
    "load_file",
    "load_files",
    "make_faces",
    "make_genes",
    "make_haystack",
    "make_motion",
    "make_spectra",
    "motion_descriptor",
    "nouns_of",
    "plant_outliers",
    "read_file",
    "read_files",
    "read_like",
    "resized",
    "snv",
    "standardised",
    "thinned",
]


@dataclass(frozen=True)
class BuiltIn:
    """A data set that is always there: its title, its loader, and whether samples are images."""

    title: str
    loader: Callable[..., Dataset]
    has_images: bool = True


def load_digits() -> Dataset:
    """Load scikit-learn's handwritten digits: 1,797 images of 8 × 8, grey levels divided by 16."""
    # The file that scikit-learn's own function reads, without the second that its import takes.
    spec = find_spec("sklearn")
    assert spec is not None
    assert spec.origin is not None
    with gzip.open(Path(spec.origin).parent / "datasets/data/digits.csv.gz", "rt") as file:
        table = np.loadtxt(file, delimiter=",")
    return Dataset(
        data=table[:, :-1] / 16.0,
        target=table[:, -1].astype(int),
        image_shape=(8, 8),
        target_names=tuple(str(digit) for digit in range(10)),
        name="digits",
        source="scikit-learn, from the UCI Optical Recognition of Handwritten Digits test set",
        licence="CC BY 4.0",
        description="Handwritten digits with 17 grey levels.",
    ).prepared_by("Grey levels of 0 – 16 were divided by 16.")


BUILTIN = {
    "faces": BuiltIn("Rendered faces", make_faces),
    "digits": BuiltIn("Digits", load_digits),
    "motion": BuiltIn("Motion", make_motion, has_images=False),
    "spectra": BuiltIn("Spectra", make_spectra, has_images=False),
    "genes": BuiltIn("Genes", make_genes, has_images=False),
}
"""Built-in data sets by name: a new one is one line here."""


def load(name: str, **options: Any) -> Dataset:
    """Load a data set by name: a built-in one, or a remote one from its cache or its host.

    Parameters
    ----------
    name : str
        A key of `BUILTIN` or of `REMOTE`.
    **options
        Passed to its loader, such as ``image_size=64`` for faces, or to `fetch`.

    Raises
    ------
    DatasetError
        If there is no such data set, it does not take these options, or cannot be fetched.
    """
    if name in REMOTE:
        loader: Callable[..., Dataset] = functools.partial(fetch, name)
    elif name in BUILTIN:
        loader = BUILTIN[name].loader
    else:
        known = ", ".join([*BUILTIN, *REMOTE])
        raise DatasetError(f"There is no data set called {name!r}: choose one of {known}.")
    try:
        inspect.signature(loader).bind(**options)
    except TypeError as error:
        raise DatasetError(
            f"The data set {name!r} does not take these options: {', '.join(options)}."
        ) from error
    dataset = loader(**options)
    return dataset if name in REMOTE else dataset.made_by(Recipe("load", (name,)).but(**options))
