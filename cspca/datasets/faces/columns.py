"""Tables of parameters: a dataclass whose every field is one column."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Columns:
    """Columns of equal length, one row a person or a picture."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def take(self, rows: ArrayLike | slice) -> Self:
        """Return the chosen rows, in the order asked for."""
        chosen: Any = rows if isinstance(rows, slice) else np.asarray(rows)
        return type(self)(**{one.name: getattr(self, one.name)[chosen] for one in fields(self)})
