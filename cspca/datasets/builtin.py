"""Data sets that are always there, without a download."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cspca.datasets.faces import make_faces
from cspca.datasets.motion import make_motion
from cspca.datasets.record import Dataset, DatasetError, Recipe
from cspca.datasets.remote import REMOTE, fetch


@dataclass(frozen=True)
class BuiltIn:
    """One entry of the gallery: how to get it and what to say about it beforehand."""

    title: str
    loader: Callable[..., Dataset]
    description: str
    licence: str
    size: str


def load_digits() -> Dataset:
    """Load scikit-learn's handwritten digits: 1,797 images of 8 × 8, grey levels divided by 16."""
    # Here, not above: scikit-learn's data sets take most of a second to import.
    from sklearn.datasets import load_digits as sklearn_digits

    bunch = sklearn_digits()
    return Dataset(
        data=bunch.data / 16.0,
        target=bunch.target,
        image_shape=(8, 8),
        target_names=tuple(str(digit) for digit in range(10)),
        name="digits",
        source="scikit-learn, from the UCI Optical Recognition of Handwritten Digits test set",
        licence="CC BY 4.0",
        description="Handwritten digits of 8 × 8 pixels with 17 grey levels.",
    )


BUILTIN: dict[str, BuiltIn] = {
    "faces": BuiltIn(
        title="Rendered faces",
        loader=make_faces,
        description="Twenty rendered people under changing light, expression and glasses; "
        "what each pixel carries is known.",
        licence="BSD-3-Clause, made by this program",
        size="400 images, 32 × 32",
    ),
    "digits": BuiltIn(
        title="Digits",
        loader=load_digits,
        description="Handwritten digits with 17 grey levels.",
        licence="CC BY 4.0",
        size="1,797 images, 8 × 8",
    ),
    "motion": BuiltIn(
        title="Motion",
        loader=make_motion,
        description="Two rendered performers walk, jog, box, gesture and throw; every pose is "
        "168 numbers, our own reading of the paper’s.",
        licence="BSD-3-Clause, made by this program",
        size="2,000 samples, 168 features",
    ),
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
