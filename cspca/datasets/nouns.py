"""What the rows and the columns of a set are called, and of which kind the columns are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol

Kind = Literal["pixels", "axis", "joints", "columns"]
"""Features are pixels of a shape, points of an axis, of joints, or named columns."""


@dataclass(frozen=True)
class Nouns:
    """The words for rows and columns of the data.

    Parameters
    ----------
    sample, feature : str
        One row, and one column.
    samples, features : str
        Several of them; by default with an s.
    """

    sample: str
    feature: str
    samples: str = ""
    features: str = ""

    def __post_init__(self) -> None:
        # A frozen record is set through its namespace.
        own = vars(self)
        own["samples"] = self.samples or f"{self.sample}s"
        own["features"] = self.features or f"{self.feature}s"

    @property
    def a_sample(self) -> str:
        """One row with its article: ``an image`` or ``a sample``."""
        return _with_article(self.sample)

    @property
    def a_feature(self) -> str:
        """One column with its article: ``a pixel`` or ``an energy``."""
        return _with_article(self.feature)

    def count_samples(self, number: int) -> str:
        """Say a number of rows: ``1 image``, ``2,414 images``."""
        return f"{number:,} {self.sample if number == 1 else self.samples}"

    def count_features(self, number: int) -> str:
        """Say a number of columns: ``1 pixel``, ``1,024 pixels``."""
        return f"{number:,} {self.feature if number == 1 else self.features}"


class _Axis(Protocol):
    @property
    def nouns(self) -> Nouns: ...


def _with_article(noun: str) -> str:
    """Return a noun with a or an, by how it begins when it is spoken."""
    begins_with_vowel = noun[0] in "aeiou" or noun.startswith("m/z")
    return f"{'an' if begins_with_vowel else 'a'} {noun}"


PICTURE_NOUNS: Final = Nouns("image", "pixel")
MEASUREMENT_NOUNS: Final = Nouns("sample", "feature")


def nouns_of(
    image_shape: tuple[int, int] | None, axis: _Axis | None = None, feature: str = ""
) -> Nouns:
    """Return the words for rows and columns.

    Parameters
    ----------
    image_shape : (height, width) or None
        Shape of a picture; None where samples are no pictures.
    axis : Axis or None
        Axis that the features are points of: they are called by its quantity, such as a wavelength.
    feature : str
        What the set calls one of its columns, such as ``gene``.
    """
    if image_shape is not None:
        return PICTURE_NOUNS
    if axis is not None:
        return axis.nouns
    return Nouns("sample", feature) if feature else MEASUREMENT_NOUNS
