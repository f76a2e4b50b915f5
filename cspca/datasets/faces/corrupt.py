"""Ruining pictures on purpose: blocks, noise, and textures in place of faces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cspca.datasets.faces.columns import Floats


def corrupt(images: Floats, fraction: float, random_state: int) -> tuple[Floats, np.ndarray]:
    """Ruin a fraction of pictures.

    Parameters
    ----------
    images : (n, height, width) in [0, 1]; left as they are.
    fraction : share of pictures to ruin, rounded to whole pictures.

    Returns
    -------
    images : (n, height, width)
        A copy with the chosen ones ruined, the three kinds in turn.
    corrupted : bool (n,)
        Which ones.
    """
    rng = np.random.default_rng([random_state, 2])
    n = len(images)
    chosen = rng.permutation(n)[: round(fraction * n)]
    ruined = images.copy()
    kinds: tuple[Callable[[Floats, np.random.Generator], Floats], ...] = (_block, _noise, _texture)
    for turn, index in enumerate(chosen):
        ruined[index] = kinds[turn % len(kinds)](images[index], rng)
    corrupted = np.zeros(n, dtype=bool)
    corrupted[chosen] = True
    return ruined, corrupted


def _block(image: Floats, rng: np.random.Generator) -> Floats:
    """Cover a quarter to a half of the picture's sides with black or white."""
    height, width = image.shape
    high = max(1, round(height * rng.uniform(0.4, 0.65)))
    wide = max(1, round(width * rng.uniform(0.4, 0.65)))
    top, left = rng.integers(0, height - high + 1), rng.integers(0, width - wide + 1)
    covered = image.copy()
    covered[top : top + high, left : left + wide] = rng.choice([0.0, 1.0])
    return covered


def _noise(image: Floats, rng: np.random.Generator) -> Floats:
    """Replace half of the pixels, here and there, by chance values."""
    hit = rng.random(image.shape) < 0.5
    return np.where(hit, rng.random(image.shape), image).astype(np.float32)


def _texture(image: Floats, rng: np.random.Generator) -> Floats:
    """Swap the picture for crossed waves: no face at all."""
    height, width = image.shape
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    picture = np.zeros(image.shape)
    for _ in range(3):
        angle, waves = rng.uniform(0, np.pi), rng.uniform(2, 6)
        along = np.cos(angle) * x + np.sin(angle) * y
        picture += np.sin(2 * np.pi * (waves * along + rng.random()))
    return (0.5 + picture / 6).astype(np.float32)
