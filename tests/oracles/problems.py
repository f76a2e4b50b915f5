"""Small problems, one for every shape that has ever broken a solver."""

import numpy as np


def _random(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((n, d))


def _repeated_images() -> np.ndarray:
    A = _random(4, 6, 5)
    return np.vstack([A, A[:3]])


def _dead_pixels() -> np.ndarray:
    A = _random(9, 6, 6)
    A[:, [1, 4]] = 0.0
    return A


def _constant_pixels() -> np.ndarray:
    A = _random(9, 6, 7)
    A[:, [0, 3]] = 0.5
    return A


def _low_rank() -> np.ndarray:
    rng = np.random.default_rng(8)
    return rng.random((10, 3)) @ rng.random((3, 8))


def _centred() -> np.ndarray:
    A = _random(7, 9, 9)
    return A - A.mean(axis=0)


#: name -> the (n, d) array
ARRAYS = {
    "fewer images than pixels": _random(5, 9, 1),
    "more images than pixels": _random(14, 6, 2),
    "as many images as pixels": _random(8, 8, 3),
    "one image": _random(1, 5, 4),
    "repeated images": _repeated_images(),
    "dead pixels": _dead_pixels(),
    "constant pixels": _constant_pixels(),
    "low rank": _low_rank(),
    "centred": _centred(),
}

#: fractions of (α_max, β_max) that together visit the sparse, low-rank and nearly dense corners
PENALTIES = [(0.1, 0.05), (0.3, 0.0), (0.0, 0.2), (0.02, 0.02)]
