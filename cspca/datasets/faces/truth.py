"""What is known about rendered faces, so that methods can be scored against it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.faces.people import EXPRESSION, LIGHT, Floats, Table, neutral
from cspca.datasets.faces.render import render

# Enough to settle a standard deviation to a few per cent, few enough to be quick.
_PEOPLE, _SHOTS = 20, 12


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

    identity = cached_property(lambda self: self._scaled("identity"))
    light = cached_property(lambda self: self._scaled("light"))
    expression = cached_property(lambda self: self._scaled("expression"))
    glasses = cached_property(lambda self: self._scaled("glasses"))

    def _scaled(self, name: str) -> Floats:
        deviation = self.deviations[name]
        return deviation / (deviation.max() or 1.0)

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
