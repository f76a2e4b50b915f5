"""What a kind of file is, and the register of all of them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
Features = Literal["pixels", "axis", "columns", "joints"]
QUESTIONS: Final = frozenset(
    [
        "data",
        "header",
        "commas",
        "samples",
        "pivot",
        "roles",
        "classes_from",
        "features",
        "shape",
        "order",
        "axis",
        "colours",
        "commas",
        "missing",
        "scale",
    ]
)
"""Names of the questions that the reader can leave open."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """The right reading of a file.

    Parameters
    ----------
    values : array of shape (n_samples, n_features), optional
        The data of the set must be an increasing affine function of it; NaN is not compared.
    scale : {"any", "whole"}
        "whole": one affine function for all columns; "any": each column may have its own.
    features : {"pixels", "axis", "columns", "joints"}
        What the features are; `also` holds further answers that are right.
    image_shape : (height, width), optional
    labels : one word a sample, optional
        None in it is a sample without a label; no `labels` is a set without classes.
    n_samples, n_features : int
        Taken from `values` where there are; 0 is not compared.
    may_ask, must_ask : names of questions
        Those that may be open; those of which at least one has to be.
    answers : mapping
        The person's answers to open questions, for which the mark is right.
    refused : str
        A word of the sentence by which the file has to be refused.
    may_refuse : str
        A word of the sentence by which the file may be refused, where that is as good.
    row_order, column_order : {"file", "any"}
        Whether samples and features have to stand as in `values`.
    exact_names : bool
        Whether classes have to be called as in `labels`; numbers may always be written otherwise.
    least_range : float
        How much of 0 to 1 the data has to fill.
    tolerance : float
        The largest difference, as a share of the range.
    """

    values: Numbers | None = None
    scale: Literal["any", "whole"] = "any"
    features: Features = "columns"
    also: tuple[Features, ...] = ()
    image_shape: tuple[int, int] | None = None
    labels: Sequence[str | None] | None = None
    n_samples: int = 0
    n_features: int = 0
    may_ask: frozenset[str] = frozenset()
    must_ask: frozenset[str] = frozenset()
    answers: Mapping[str, object] = field(default_factory=dict)
    refused: str = ""
    may_refuse: str = ""
    exact_names: bool = True
    least_range: float = 0.0
    row_order: Literal["file", "any"] = "file"
    column_order: Literal["file", "any"] = "file"
    tolerance: float = 2e-3

    def __post_init__(self) -> None:
        if self.values is not None:
            n_samples, n_features = np.shape(self.values)
            object.__setattr__(self, "n_samples", n_samples)
            object.__setattr__(self, "n_features", n_features)
        unknown = (self.may_ask | self.must_ask | set(self.answers)) - QUESTIONS
        if unknown:
            raise ValueError(f"There is no question {sorted(unknown)[0]!r}.")

    @property
    def n_unlabelled(self) -> int:
        return sum(label is None for label in self.labels or ())

    @property
    def class_counts(self) -> dict[str, int]:
        """Number of samples of each class."""
        counts: dict[str, int] = {}
        for label in self.labels or ():
            if label is not None:
                counts[label] = counts.get(label, 0) + 1
        return counts


def pixel_mark(images: Numbers, labels: Any, **rest: Any) -> Mark:
    """The mark of pictures (n, height, width)."""
    n, height, width = images.shape
    return Mark(
        values=images.reshape(n, -1),
        scale="whole",
        features="pixels",
        image_shape=(height, width),
        labels=labels,
        **rest,
    )


@dataclass(frozen=True)
class Case:
    """A file with its mark."""

    name: str
    content: bytes
    mark: Mark


Maker = Callable[[int], Case]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of file: `make` gives its variants; `never` says which misreading is the silent one.

    `plain` kinds are everyday files about which nothing may be asked. `from_field` marks kinds that
    none of the project's descriptions names.
    """

    name: str
    group: str
    make: Maker
    never: str
    plain: bool
    from_field: bool
    n_variants: int

    def cases(self) -> list[Case]:
        return [self.make(variant) for variant in range(self.n_variants)]


_KINDS: dict[str, Kind] = {}


def kind(
    name: str,
    *,
    group: str,
    never: str = "",
    plain: bool = False,
    from_field: bool = False,
    variants: int = 2,
) -> Callable[[Maker], Maker]:
    """Register the decorated maker as a kind of file."""

    def register(make: Maker) -> Maker:
        if name in _KINDS and _KINDS[name].make.__qualname__ != make.__qualname__:
            raise ValueError(f"Two kinds are called {name!r}.")
        _KINDS[name] = Kind(
            name=name,
            group=group,
            make=make,
            never=never,
            plain=plain,
            from_field=from_field,
            n_variants=variants,
        )
        return make

    return register


def all_kinds() -> list[Kind]:
    """Every kind, in the order of the modules and of the makers in them."""
    package = Path(__file__).parent
    for module in sorted(pkgutil.iter_modules([str(package)]), key=lambda module: module.name):
        if module.name.startswith("makers_"):
            importlib.import_module(f"tests.datasets.kinds.{module.name}")
    return list(_KINDS.values())


def all_groups() -> dict[str, list[Kind]]:
    """The kinds of each group: a test of all kinds has one case a group."""
    groups: dict[str, list[Kind]] = {}
    for one in all_kinds():
        groups.setdefault(one.group, []).append(one)
    return groups
