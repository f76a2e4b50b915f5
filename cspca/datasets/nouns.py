"""What the rows and the columns of a set are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Nouns:
    """The words, in the singular, for one row and one column of the data."""

    sample: str
    feature: str

    @property
    def a_sample(self) -> str:
        """One row with its article: ``an image`` or ``a sample``."""
        return f"{'an' if self.sample[0] in 'aeiou' else 'a'} {self.sample}"

    @property
    def samples(self) -> str:
        """Several rows: ``images`` or ``samples``."""
        return f"{self.sample}s"

    @property
    def features(self) -> str:
        """Several columns: ``pixels`` or ``features``."""
        return f"{self.feature}s"

    def count_samples(self, number: int) -> str:
        """Say a number of rows: ``1 image``, ``2,414 images``."""
        return f"{number:,} {self.sample if number == 1 else self.samples}"

    def count_features(self, number: int) -> str:
        """Say a number of columns: ``1 pixel``, ``1,024 pixels``."""
        return f"{number:,} {self.feature if number == 1 else self.features}"


PICTURE_NOUNS: Final = Nouns("image", "pixel")
MEASUREMENT_NOUNS: Final = Nouns("sample", "feature")


def nouns_of(image_shape: tuple[int, int] | None) -> Nouns:
    """Return the words for data whose samples have this shape; None: they are no pictures."""
    return MEASUREMENT_NOUNS if image_shape is None else PICTURE_NOUNS
