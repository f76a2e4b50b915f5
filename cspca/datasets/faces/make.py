"""Data sets of rendered faces, some ruined on purpose, and what is known of every pixel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.faces.people import (
    EXPRESSION,
    LIGHT,
    Floats,
    Table,
    make_people,
    make_shots,
    neutral,
)
from cspca.datasets.faces.render import render
from cspca.datasets.record import Dataset, DatasetError, check_count

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
    data = ruined.reshape(len(ruined), -1).astype(np.float64)
    data.flags.writeable = False
    clean = None
    if hit.any():
        clean = images.reshape(len(images), -1).astype(np.float64)
        clean.flags.writeable = False
    return Dataset(
        data=data,
        target=person,
        image_shape=shape,
        target_names=tuple(f"person {number + 1:02d}" for number in range(n_people)),
        name="faces",
        source="rendered by this program",
        licence="BSD-3-Clause",
        description="Rendered heads under changing light, expression and glasses.",
        truth=FacesTruth(shape, people, shots, person, hit, clean),
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
        (_block, _noise, _texture)[turn % 3](ruined[index], rng)
    return ruined, np.isin(np.arange(len(images)), chosen)


def _block(image: Floats, rng: np.random.Generator) -> None:
    """Cover a quarter to a half of the picture's sides with black or white."""
    height, width = image.shape
    high = max(1, round(height * rng.uniform(0.4, 0.65)))
    wide = max(1, round(width * rng.uniform(0.4, 0.65)))
    top, left = rng.integers(0, height - high + 1), rng.integers(0, width - wide + 1)
    image[top : top + high, left : left + wide] = rng.choice([0.0, 1.0])


def _noise(image: Floats, rng: np.random.Generator) -> None:
    """Replace half of the pixels, here and there, by chance values."""
    hit = rng.random(image.shape) < 0.5
    image[hit] = rng.random(image.shape)[hit]


def _texture(image: Floats, rng: np.random.Generator) -> None:
    """Swap the picture for crossed waves: no face at all."""
    height, width = image.shape
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    picture = np.zeros(image.shape)
    for _ in range(3):
        angle, waves = rng.uniform(0, np.pi), rng.uniform(2, 6)
        along = np.cos(angle) * x + np.sin(angle) * y
        picture += np.sin(2 * np.pi * (waves * along + rng.random()))
    image[:] = 0.5 + picture / 6


# Enough to settle a standard deviation to a few per cent, few enough to be quick.
_PEOPLE, _SHOTS = 20, 12


@dataclass(frozen=True, eq=False)
class FacesTruth:
    """Which pixels carry what, found by rendering again with one thing changing at a time.

    The maps `identity`, `light`, `expression` and `glasses`, (height, width) in [0, 1], are the
    standard deviation of each pixel when that alone changes, divided by its largest value;
    `deviations` holds them undivided.

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
        calm = self._render(self.people, neutral(len(self.people)))
        return {
            "identity": calm.std(axis=0),
            "light": self._within_people(LIGHT),
            "expression": self._within_people(EXPRESSION),
            "glasses": self._by_glasses(),
        }

    @property
    def identity(self) -> Floats:
        """Pixels that tell people apart."""
        return self._map("identity")

    @property
    def light(self) -> Floats:
        """Pixels that change with the light."""
        return self._map("light")

    @property
    def expression(self) -> Floats:
        """Pixels that change with smile, mouth, brows and lids."""
        return self._map("expression")

    @property
    def glasses(self) -> Floats:
        """Pixels that change when glasses are put on."""
        return self._map("glasses")

    @property
    def factors(self) -> dict[str, Floats]:
        """The value of every factor in each picture, (n,) each, by name."""
        return {name: self.shots[name] for name in self.shots.dtype.names}

    def _map(self, name: str) -> Floats:
        deviation = self.deviations[name]
        peak = deviation.max()
        scaled: Floats = deviation / peak if peak > 0 else deviation
        return scaled

    def _render(self, people: Table, shots: Table) -> Floats:
        return render(people, shots, self.image_shape).astype(np.float64)

    def _within_people(self, names: tuple[str, ...]) -> Floats:
        """Root mean square, over people, of the deviation within one person's pictures."""
        variances = []
        for one in np.unique(self.person)[:_PEOPLE]:
            rows = np.flatnonzero(self.person == one)
            rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), _SHOTS)).astype(int)]
            shots = neutral(len(rows))
            for name in names:
                shots[name] = self.shots[name][rows]
            variances.append(self._render(self.people[self.person[rows]], shots).var(axis=0))
        deviation: Floats = np.sqrt(np.mean(variances, axis=0))
        return deviation

    def _by_glasses(self) -> Floats:
        """Half the change when everybody puts glasses on, root mean square over people."""
        some = self.people[np.unique(self.person)[:_PEOPLE]]
        bare, worn = neutral(len(some)), neutral(len(some))
        worn.glasses = 1.0
        change = render(some, worn, self.image_shape) - render(some, bare, self.image_shape)
        deviation: Floats = np.sqrt(np.mean(change.astype(np.float64) ** 2, axis=0)) / 2
        return deviation
