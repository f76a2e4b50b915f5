"""Where a view starts: the default data set, and penalties chosen by what they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DATA: Final = "faces"


@dataclass(frozen=True)
class Start:
    """Penalties (relative) and number of pixels to mark at first sight.

    Attributes
    ----------
    alpha, beta : float
        Fractions of α_max and β_max.
    share : float
        Pixels to mark, as a share of all.
    """

    alpha: float
    beta: float
    share: float = 0.1


# Chosen by outcome: about half of the pixels are exactly zero, of the rendered faces, of the
# digits, and of the real images that people are likely to bring. All are stops of the sliders.
STARTS: Final[dict[str, Start]] = {
    "faces": Start(alpha=0.1, beta=0.02),
    "digits": Start(alpha=0.4, beta=0.02, share=0.3),
}

UPLOADED: Final = Start(alpha=0.4, beta=0.02)


def start_of(data: str) -> Start:
    """Return where the view of a data set starts."""
    return STARTS.get(data, UPLOADED)
