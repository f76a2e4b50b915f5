"""The steps from a file to the values of a data set, with their numbers.

`cspca.datasets.files` makes them while a file is read, and takes new samples through the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.axis import Axis
from cspca.datasets.nouns import Nouns, nouns_of

Array = NDArray[Any]
Size = tuple[int, int]
Source = Literal["values", "arrays", "table", "pictures"]

ARRAY: Final = {"array": True}
"""Marks a field that holds an array."""


class Change(Protocol):
    """Something that was done with a data set after it was read, with its numbers."""

    def apply(self, values: Array) -> Array:
        """Do the same with rows of values."""
        ...

    @property
    def sentence(self) -> str:
        """What was done, with its numbers."""
        ...


@dataclass(frozen=True)
class FlatChannels:
    """How the channels of a flattened picture follow each other."""

    size: Size
    n_channels: int
    are_planes: bool


@dataclass(frozen=True, eq=False)
class Joints:
    """How poses were described.

    Parameters
    ----------
    layout : str
        Order of the sides of stored frames, such as ``nJ3``; empty for flat ones.
    places : array of shape (n_joints, 3), optional
        Column of each coordinate, where names tell them.
    root : int
        Joint from which coordinates are measured.
    always_at_origin : array of bool, one a joint
        Joints that lie at (0, 0, 0) by themselves, not for want of a place.
    """

    layout: str
    root: int
    always_at_origin: Array = field(metadata=ARRAY)
    places: Array | None = field(default=None, metadata=ARRAY)


@dataclass(frozen=True, eq=False)
class Steps:
    """What was done with a file to make the values of a data set, with every number.

    Parameters
    ----------
    source : {"values", "arrays", "table", "pictures"}
        What the file holds; "values" for a set that was not read from a file.
    preparation : str
        What made or fetched the values of such a set, in a sentence, where this program did.
    array : str
        Title of the array or sheet.
    files : str
        Which picture files are samples, where that was a question.
    header, pivot, samples : str
        What the first row is, which columns number the rows, and the side of the samples.
    comma : {"none", "thousands", "decimal"}
        What a comma means in cells that have two readings; "none" where no cell had.
    columns : tuple of str, optional
        Titles of the columns that are features, in the order of the features.
    places : sequence of int, optional
        Where these columns stand in the table or array; a range from 0 where it holds no others.
    beside : tuple of str
        Titles of the columns that are no features.
    n_columns : int
        Number of columns of the table or array.
    holds_blocks : bool
        Whether each cell of the columns holds the numbers of many features.
    names_from : str
        Title of the column that names the samples.
    sample_shape : tuple of int
        Shape of one sample as stored.
    joints : Joints, optional
    colours : str
        What was made of channels.
    flat_channels : FlatChannels, optional
    whites : mapping of str to float
        White of the picture files of each depth; `depths_are_mixed` where each was divided by its
        own.
    order : {"row", "column"}
        How pixels follow each other.
    shape : (height, width), optional
        Upright shape of the pictures before `size`.
    missing : str
        What was done where values were missing.
    fill : array of shape (n_features,), optional
        What was put in place of missing values.
    codes : tuple of float
        Numbers that stand for missing ones in the features of `coded`.
    coded, padded, remaining : array of int, optional
        Features that hold `codes`, pixels of padding, which have one number each, and features
        that were not left out.
    scale : str
        How values became 0 – 1: the name of a range, ``stretch``, ``columns`` or ``length``.
    low, high : array of shape (1,) or (n_features,)
        Numbers that became 0 and 1.
    size : (height, width), optional
        Size that pictures were given.
    crop : bool
        Whether margins were cut off for that.
    dtype : {"float32", "float64"}
        Precision of the values.
    axis : Axis, optional
        Axis that the features are points of, which runs one way.
    changes : tuple of Change
        What was done with the set afterwards.
    """

    source: Source = "values"
    preparation: str = ""
    array: str = ""
    files: str = ""
    header: str = ""
    pivot: str = ""
    samples: str = ""
    comma: str = "none"
    columns: tuple[str, ...] | None = None
    places: Sequence[int] | None = None
    beside: tuple[str, ...] = ()
    n_columns: int = 0
    holds_blocks: bool = False
    names_from: str = ""
    sample_shape: tuple[int, ...] = ()
    joints: Joints | None = None
    colours: str = ""
    flat_channels: FlatChannels | None = None
    whites: Mapping[str, float] = field(default_factory=dict)
    depths_are_mixed: bool = False
    order: str = "row"
    shape: Size | None = None
    missing: str = ""
    fill: Array | None = field(default=None, metadata=ARRAY)
    codes: tuple[float, ...] = ()
    coded: Array | None = field(default=None, metadata=ARRAY)
    padded: Array | None = field(default=None, metadata=ARRAY)
    remaining: Array | None = field(default=None, metadata=ARRAY)
    scale: str = "unit"
    low: Array = field(default_factory=lambda: np.zeros(1), metadata=ARRAY)
    high: Array = field(default_factory=lambda: np.ones(1), metadata=ARRAY)
    size: Size | None = None
    crop: bool = False
    dtype: str = "float64"
    axis: Axis | None = None
    changes: tuple[Change, ...] = ()

    @property
    def n_features(self) -> int:
        """Number of features that a sample has before `remaining` and `size`."""
        if self.places is not None and not self.holds_blocks:
            return len(self.places)
        return int(np.prod(self.sample_shape))

    @property
    def nouns(self) -> Nouns:
        """What rows and columns are called, as far as the steps say it."""
        return nouns_of(self.shape, self.axis)

    @property
    def are_none(self) -> bool:
        """Whether nothing was done or is known: values of 0 – 1 were taken as they were."""
        says_nothing = not self.preparation and self.axis is None
        return self.source == "values" and not self.changes and says_nothing

    @classmethod
    def of_values(
        cls,
        n_features: int,
        shape: Size | None,
        columns: tuple[str, ...] | None,
        dtype: str,
        axis: Axis | None = None,
    ) -> Steps:
        """Return the steps of a set that was not read from a file: values of 0 – 1 as they are."""
        return cls(
            columns=columns,
            n_columns=n_features,
            sample_shape=(n_features,) if shape is None else shape,
            shape=shape,
            dtype=dtype,
            axis=axis,
        )

    def followed_by(self, change: Change) -> Steps:
        """Return these steps and one more."""
        return replace(self, changes=(*self.changes, change))

    def changed(self, values: Array) -> Array:
        """Do with rows of values what was done with the set after it was read."""
        for change in self.changes:
            values = change.apply(values)
        return values
