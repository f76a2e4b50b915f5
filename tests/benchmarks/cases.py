"""What is measured: data sets with their penalties, and what is demanded of us there."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tests import real_data
from tests.benchmarks.synthetic import synthetic_digits


@dataclass(frozen=True)
class Case:
    """One data set with its penalties, absolute unless `relative`.

    `ratio`: most of ten printed iterations' time that a certified 1e-3 may take; `seconds`: most
    seconds; `megabytes`: most memory above the data. `printed`, `peer`: what else runs there.
    `quick` cases take seconds, `large` ones minutes and gigabytes.
    """

    name: str
    pixels: Callable[[], np.ndarray]
    alpha: float
    beta: float
    relative: bool = False
    needs: str | None = None
    printed: bool = True
    peer: bool = True
    ratio: float | None = None
    seconds: float | None = None
    megabytes: float | None = None
    quick: bool = False
    large: bool = False

    @property
    def why_absent(self) -> str | None:
        """Why it cannot run here; None when it can."""
        return real_data.why_absent(self.needs) if self.needs else None


def faces(side: int) -> np.ndarray:
    """Rendered faces, centred."""
    from cspca.datasets import make_faces

    data = make_faces(image_size=side).data.astype(np.float64)
    return data - data.mean(axis=0)


def _few_digits() -> np.ndarray:
    """Thirty pictures and the pixels that are not blank in all."""
    A = real_data.pixels("digits")[:30, 16:48]
    return np.ascontiguousarray(A[:, A.any(axis=0)])


def _of(name: str, **options: bool) -> Callable[[], np.ndarray]:
    return partial(real_data.pixels, name, **options)


CASES = (
    Case("thirty digits, 20 % / 5 %", _few_digits, 0.2, 0.05, relative=True, quick=True),
    Case("digits 20/20", _of("digits"), 20.0, 20.0, quick=True),
    Case("faces 32², 10 % / 1 %", partial(faces, 32), 0.1, 0.01, relative=True, ratio=1 / 8,
         quick=True),
    Case("faces 64², 10 % / 1 %", partial(faces, 64), 0.1, 0.01, relative=True, printed=False),
    Case("faces 128², 10 % / 1 %", partial(faces, 128), 0.1, 0.01, relative=True,
         printed=False),
    Case("ORL 1/1", _of("ORL"), 1.0, 1.0, needs="ORL", ratio=1 / 8, quick=True),
    Case("ORL 10/10", _of("ORL"), 10.0, 10.0, needs="ORL", ratio=1 / 8, quick=True),
    Case("native ORL, centred, 1/1", _of("native ORL", centred=True), 1.0, 1.0,
         needs="native ORL", printed=False, seconds=1.0),
    Case("COIL20 1/1", _of("COIL20"), 1.0, 1.0, needs="COIL20", ratio=3 / 4),
    Case("COIL20 10/10", _of("COIL20"), 10.0, 10.0, needs="COIL20", ratio=3 / 4),
    Case("USPS 100/100", _of("USPS"), 100.0, 100.0, needs="USPS", seconds=1.2),
    Case("USPS 10/10", _of("USPS"), 10.0, 10.0, needs="USPS", seconds=10.0),
    Case("synthetic digits 10,000, 5 % / 5 %", partial(synthetic_digits, 10_000), 0.05, 0.05,
         relative=True, printed=False),
    Case("synthetic digits 70,000, 5 % / 5 %", partial(synthetic_digits, 70_000), 0.05, 0.05,
         relative=True, printed=False, peer=False, seconds=120.0, megabytes=3000.0, large=True),
)  # fmt: skip
