"""Rendered faces: as many people, pictures and pixels as wanted, with everything known."""

from __future__ import annotations

import numpy as np

from cspca.datasets.faces.people import make_people, make_shots
from cspca.datasets.faces.render import render
from cspca.datasets.faces.truth import FacesTruth
from cspca.datasets.record import Dataset, DatasetError, Floats, check_count

__all__ = ["FacesTruth", "make_faces"]

MIN_SIDE, MAX_SIDE = 4, 1024
MAX_PIXELS = 100_000_000


def make_faces(
    n_people: int = 20,
    n_per_person: int = 20,
    image_size: int | tuple[int, int] = 32,
    corrupted: float = 0.0,
    random_state: int = 0,
) -> Dataset:
    """Render pictures of people who do not exist.

    Heads are height fields with skin, hair, beard and eyes, lit by Lambert's law; each picture
    has its own light, expression, small turn of the head and, for some people, glasses.

    Parameters
    ----------
    n_people, n_per_person : int, default 20
        Number of people, and of pictures of each; pictures come person by person.
    image_size : int or (height, width), default 32
        In pixels, 4 to 1024 a side.
    corrupted : float in [0, 1], default 0
        Share of the pictures to ruin with blocks, noise or textures in place of the face.
    random_state : int, default 0
        The same number gives the same pictures. Person k does not depend on how many there are.

    Returns
    -------
    Dataset
        Labelled by person, double precision; its ``truth`` is a `FacesTruth`.

    Raises
    ------
    DatasetError
        If a number is out of range.
    """
    shape = _checked_shape(image_size)
    check_count("n_people", n_people, 1)
    check_count("n_per_person", n_per_person, 1)
    check_count("random_state", random_state, 0)
    if not 0 <= corrupted <= 1:
        raise DatasetError(f"corrupted is {corrupted}: give a share from 0 to 1.")
    if n_people * n_per_person * shape[0] * shape[1] > MAX_PIXELS:
        raise DatasetError(
            f"{n_people} × {n_per_person} images of {shape[0]} × {shape[1]} are more than "
            f"{MAX_PIXELS:,} pixels: ask for fewer or smaller ones."
        )
    people = make_people(n_people, random_state)
    shots = make_shots(people.wears_glasses, n_per_person, random_state)
    person = np.repeat(np.arange(n_people), n_per_person)
    images = render(people[person], shots, shape)
    # The three kinds of ruin in turn.
    rng = np.random.default_rng([random_state, 2])
    chosen = rng.permutation(len(images))[: round(corrupted * len(images))]
    ruined = images.copy()
    for turn, index in enumerate(chosen):
        ruin(ruined[index], turn % 3, rng)
    hit = np.isin(np.arange(len(images)), chosen)
    data, clean = (both.reshape(len(both), -1).astype(np.float64) for both in (ruined, images))
    for pixels in (data, clean):
        pixels.flags.writeable = False
    return Dataset(
        data=data,
        target=person,
        image_shape=shape,
        target_names=tuple(f"person {number + 1:02d}" for number in range(n_people)),
        name="faces",
        source="rendered by this program",
        licence="BSD-3-Clause",
        description="Rendered heads under changing light, expression and glasses; what each pixel "
        "carries is known.",
        truth=FacesTruth(shape, people, shots, person, hit, clean if hit.any() else None),
    ).prepared_by("Pictures were rendered with grey levels of 0 – 1.")


def _checked_shape(image_size: int | tuple[int, int]) -> tuple[int, int]:
    sides = (image_size, image_size) if isinstance(image_size, int | np.integer) else image_size
    try:
        height, width = (int(side) for side in sides)
    except (TypeError, ValueError) as error:
        raise DatasetError(
            f"image_size is {image_size!r}: give a number of pixels or (height, width)."
        ) from error
    if min(height, width) < MIN_SIDE or max(height, width) > MAX_SIDE:
        raise DatasetError(
            f"image_size is {height} × {width}: each side may be {MIN_SIDE} to {MAX_SIDE} pixels."
        )
    return height, width


def ruin(image: Floats, kind: int, rng: np.random.Generator) -> None:
    """Cover a part with black or white, replace half of the pixels by chance, or all by waves.

    These are the kinds 0, 1 and 2.
    """
    height, width = image.shape
    if kind == 0:
        high = max(1, round(height * rng.uniform(0.4, 0.65)))
        wide = max(1, round(width * rng.uniform(0.4, 0.65)))
        top, left = rng.integers(0, height - high + 1), rng.integers(0, width - wide + 1)
        image[top : top + high, left : left + wide] = rng.choice([0.0, 1.0])
    elif kind == 1:
        hit = rng.random(image.shape) < 0.5
        image[hit] = rng.random(image.shape)[hit]
    else:
        y, x = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
        waves = np.zeros(image.shape)
        for _ in range(3):
            angle, many = rng.uniform(0, np.pi), rng.uniform(2, 6)
            along = np.cos(angle) * x + np.sin(angle) * y
            waves += np.sin(2 * np.pi * (many * along + rng.random()))
        image[:] = 0.5 + waves / 6
