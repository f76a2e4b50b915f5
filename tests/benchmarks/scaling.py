"""Cost against size: seconds of one iteration over n and over d, with slopes on a log-log scale."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.measure import seconds_per_iteration


@dataclass(frozen=True)
class Sweep:
    """Times along one axis of size. `work` is n d r + d r²; slopes are least squares in logs.

    `slope` is that of the times over the size; `allowed` the steeper of those of n d r and of the
    work, for at moderate sizes the sum rises less steeply than its leading term.
    """

    name: str
    sizes: list[int]
    seconds: list[float]
    work: list[float]
    slope: float
    allowed: float

    @property
    def met(self) -> bool:
        """No worse than n d r + d r²; a tenth is allowed for caches and noise."""
        return self.slope <= 1.1 * self.allowed


def _table(n: int, d: int) -> np.ndarray:
    """Full rank with a spectrum that falls off, as pictures have."""
    rng = np.random.default_rng(0)
    r = min(n, d)
    factors = rng.standard_normal((n, r)) * np.arange(1, r + 1) ** -0.7
    return factors @ rng.standard_normal((r, d))


def _sweep(name: str, sizes: list[int], shape: Callable[[int], tuple[int, int]]) -> Sweep:
    seconds, work, leading = [], [], []
    for size in sizes:
        n, d = shape(size)
        seconds.append(seconds_per_iteration(_table(n, d), 0.02, 0.005))
        r = min(n, d)
        leading.append(float(n * d * r))
        work.append(leading[-1] + d * r * r)
    allowed = max(_slope(sizes, work), _slope(sizes, leading))
    return Sweep(name, sizes, seconds, work, _slope(sizes, seconds), allowed)


def _slope(sizes: list[int], values: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def sweeps(quick: bool) -> list[Sweep]:
    """Over n at a fixed d, over d at a fixed n below it, and over d at a fixed n above it."""
    cut = slice(0, 3) if quick else slice(None)
    return [
        _sweep("n, with d = r = 256", [1000, 2000, 4000, 8000, 16000][cut], lambda n: (n, 256)),
        _sweep("d, with n = r = 256", [1000, 2000, 4000, 8000, 16000][cut], lambda d: (256, d)),
        _sweep("d = r, with n = 2048", [128, 256, 512, 1024][cut], lambda d: (2048, d)),
    ]
