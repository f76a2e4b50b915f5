"""Rendered faces: as many people, pictures and pixels as wanted, with everything known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.faces.people import EXPRESSION, LIGHT, Table, make_people, make_shots, neutral
from cspca.datasets.faces.render import render
from cspca.datasets.record import Dataset, DatasetError, Floats, check_count

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
            f"{n_people} × {n_per_person} pictures of {shape[0]} × {shape[1]} are more than "
            f"{MAX_PIXELS:,} pixels: ask for fewer or smaller ones."
        )
    people = make_people(n_people, random_state)
    shots = make_shots(people.wears_glasses, n_per_person, random_state)
    person = np.repeat(np.arange(n_people), n_per_person)
    images = render(people[person], shots, shape)
    ruined, hit = _corrupt(images, corrupted, random_state)
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
    )


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


def _corrupt(images: Floats, fraction: float, random_state: int) -> tuple[Floats, np.ndarray]:
    """Return a copy with a fraction of the pictures ruined, the three kinds in turn, and which."""
    rng = np.random.default_rng([random_state, 2])
    chosen = rng.permutation(len(images))[: round(fraction * len(images))]
    ruined = images.copy()
    for turn, index in enumerate(chosen):
        _ruin(ruined[index], turn % 3, rng)
    return ruined, np.isin(np.arange(len(images)), chosen)


def _ruin(image: Floats, kind: int, rng: np.random.Generator) -> None:
    """Cover a part with black or white, replace half of the pixels by chance, or all by waves."""
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


# Enough to settle a standard deviation to a few per cent, few enough to be quick.
_PEOPLE, _SHOTS = 20, 12


def _map(name: str) -> cached_property[Floats]:
    """A deviation divided by its largest value."""

    def scaled(truth: FacesTruth) -> Floats:
        deviation = truth.deviations[name]
        return deviation / (deviation.max() or 1.0)

    return cached_property(scaled)


@dataclass(frozen=True, eq=False)
class FacesTruth:
    """Which pixels carry what, found by rendering again with one thing changing at a time.

    The maps `identity` (what tells people apart), `light`, `expression` (smile, mouth, brows and
    lids) and `glasses`, (height, width) in [0, 1], are the standard deviation of each pixel when
    that alone changes, divided by its largest value; `deviations` holds them undivided.

    Parameters
    ----------
    image_shape : (height, width)
    people, shots : one row a person, and one a picture.
    person : (n,) number of the person in each picture.
    corrupted : bool (n,) which pictures were ruined.
    clean : (n, height · width) or None
        The pixels before any picture was ruined; None when none was.
    """

    image_shape: tuple[int, int]
    people: Table
    shots: Table
    person: NDArray[np.int64]
    corrupted: NDArray[np.bool_]
    clean: Floats | None = None

    @cached_property
    def deviations(self) -> dict[str, Floats]:
        """Standard deviation of each pixel, in grey levels of [0, 1], by what changes."""
        calm = self._render(self.people)
        some = self.people[np.unique(self.person)[:_PEOPLE]]
        # Half the change when everybody puts glasses on.
        change = (self._render(some, glasses=1.0) - self._render(some)).astype(np.float64)
        return {
            "identity": calm.std(axis=0, dtype=np.float64),
            "light": self._within_people(LIGHT),
            "expression": self._within_people(EXPRESSION),
            "glasses": np.sqrt(np.mean(change**2, axis=0)) / 2,
        }

    identity = _map("identity")
    light = _map("light")
    expression = _map("expression")
    glasses = _map("glasses")

    @property
    def factors(self) -> dict[str, Floats]:
        """The value of every factor in each picture, (n,) each, by name."""
        return {name: self.shots[name] for name in self.shots.dtype.names}

    def _render(self, people: Table, **changed: Any) -> Floats:
        return render(people, neutral(len(people), **changed), self.image_shape)

    def _within_people(self, names: tuple[str, ...]) -> Floats:
        """Root mean square, over people, of the deviation within one person's pictures."""
        variances = []
        for one in np.unique(self.person)[:_PEOPLE]:
            rows = np.flatnonzero(self.person == one)
            rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), _SHOTS)).astype(int)]
            changed = {name: self.shots[name][rows] for name in names}
            pictures = self._render(self.people[self.person[rows]], **changed)
            variances.append(pictures.var(axis=0, dtype=np.float64))
        deviation: Floats = np.sqrt(np.mean(variances, axis=0))
        return deviation
