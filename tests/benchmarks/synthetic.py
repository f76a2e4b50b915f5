"""As many pictures of digits as one likes, for timings at size.

scikit-learn's 8 × 8 digits, drawn at 28 × 28, shifted, blended in pairs of the same figure and
given a little noise. Made a block at a time, each from a seed of its own.
"""

import numpy as np
from sklearn.datasets import load_digits

SIDE = 28
PER_BLOCK = 2048


def _enlarged() -> tuple[np.ndarray, np.ndarray]:
    """The digits at 20 × 20 on a margin of 4, bilinear, and which figure each shows."""
    data, target = load_digits(return_X_y=True)
    small = data.reshape(-1, 8, 8) / 16
    places = np.linspace(0, 7, 20)
    low = np.minimum(places.astype(int), 6)
    weights = np.zeros((20, 8))
    weights[np.arange(20), low] = 1 - (places - low)
    weights[np.arange(20), low + 1] = places - low
    large = np.zeros((len(small), SIDE, SIDE), np.float32)
    large[:, 4:-4, 4:-4] = np.einsum("ai,nij,bj->nab", weights, small, weights, optimize=True)
    return large, target


def digits_block(number: int) -> np.ndarray:
    """Block `number` of an endless set of digits: 784 pixels, float32, values in [0, 1]."""
    size = PER_BLOCK
    pictures, target = _enlarged()
    rng = np.random.default_rng([28, number])
    first = rng.integers(len(pictures), size=size)
    by_figure = [np.flatnonzero(target == figure) for figure in range(10)]
    second = np.array([rng.choice(by_figure[target[i]]) for i in first])
    share = rng.random((size, 1, 1), dtype=np.float32)
    blend = share * pictures[first] + (1 - share) * pictures[second]
    down, right = rng.integers(-3, 4, (2, size))
    rows = (np.arange(SIDE) - down[:, None]) % SIDE
    columns = (np.arange(SIDE) - right[:, None]) % SIDE
    moved = blend[np.arange(size)[:, None, None], rows[:, :, None], columns[:, None, :]]
    moved += 0.05 * rng.standard_normal(moved.shape, dtype=np.float32)
    return np.clip(moved, 0, 1).reshape(size, SIDE * SIDE)


def synthetic_digits(n_samples: int = 70_000) -> np.ndarray:
    """`n_samples` digits of 784 pixels, float32."""
    digits = np.empty((n_samples, SIDE * SIDE), np.float32)
    for number, first in enumerate(range(0, n_samples, PER_BLOCK)):
        digits[first : first + PER_BLOCK] = digits_block(number)[: n_samples - first]
    return digits
