"""A film: the fits along α or β, each certified, computed coarse to fine while a visitor looks on.

Its values are stops of the sliders, so a frame is the page's own answer there: where a visitor lets
go the fit is known already. All visitors share the films of one data set.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from cspca.experiments.fit import Fit
from cspca.experiments.jobs import Job, JobRegistry
from cspca.experiments.live import FitService, LiveFit, follow, prepare
from cspca.experiments.memory import Memory, reduction
from cspca.experiments.settings import PENALTIES, declared
from cspca.solvers import SOLVERS

if TYPE_CHECKING:
    from cspca import fitted

ALONG = ("alpha", "beta")

VALUES = tuple(value for value in PENALTIES if value >= 0.01)
"""Relative penalties of a film's frames, 41 of them."""

UNWATCHED = 3.0
"""Seconds after which a film is stopped that nobody looks at: what is computed stays."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of a film: a fit, in what is shown of it.

    `alpha` and `beta` are absolute, `used` counts the features in use; `scores` are ``‖w_j‖`` in
    single precision, zero only where they are exactly zero.
    """

    value: float
    alpha: float
    beta: float
    objective: float
    bound: float
    gap: float
    used: int
    rank: int
    scores: NDArray[np.float32] = field(repr=False)
    of: ReferenceType[fitted.Fit] | None = field(default=None, repr=False)

    @property
    def nbytes(self) -> int:
        """Bytes that it holds itself."""
        return self.scores.nbytes

    @property
    def fit(self) -> fitted.Fit | None:
        """What rebuilds images; None once the memory of fits has let it go."""
        return None if self.of is None else self.of()


@dataclass(frozen=True, eq=False)
class Track:
    """The frames of one solver by their values, as far as they are there."""

    solver: str
    frames: Mapping[float, Frame]

    @property
    def title(self) -> str:
        """What its solver is called."""
        return SOLVERS[self.solver].title

    @property
    def colour(self) -> str:
        """That of its solver in every chart."""
        return SOLVERS[self.solver].colour


@dataclass(frozen=True, eq=False)
class Film:
    """A film as far as it is there; `values` are those that are asked for, increasing."""

    along: str
    values: tuple[float, ...]
    tracks: tuple[Track, ...]

    @property
    def there(self) -> tuple[int, ...]:
        """Indices of the values of which all tracks have their frame."""
        return tuple(
            at
            for at, value in enumerate(self.values)
            if all(value in track.frames for track in self.tracks)
        )

    @property
    def complete(self) -> bool:
        """Whether no frame is missing."""
        return len(self.there) == len(self.values)


def coarse_to_fine(values: Sequence[float]) -> Iterator[float]:
    """Every eighth value, every fourth, every second, all."""
    for step in (8, 4, 2, 1):
        for at in range(0, len(values), step):
            if step == 8 or at % (2 * step):
                yield values[at]


class FilmService:
    """Computes films in the background, a few at a time; finished frames are kept and shared."""

    def __init__(self, fits: FitService, jobs: JobRegistry) -> None:
        self.fits, self.jobs = fits, jobs
        self._films: Memory[Hashable, Film] = Memory(128, 256 << 20)

    def start(self, data: str, asked: Fit, sha256: str, along: str) -> str:
        """Return the job of a film of the library's `data`, which is begun or gone on with.

        It shows everything but what it goes along as `asked` does, by the certified solver. To ask
        again costs nothing: whoever looks at it asks each time, and so a film that was stopped goes
        on where it was.
        """
        if along not in ALONG:
            raise ValueError(f"along must be one of {', '.join(ALONG)}, got {along!r}.")
        asked = replace(asked, keep=None, solver="admm")
        key = sha256, along, _at(asked, along, declared(Fit)[along].default)
        name = repr(key)
        before = self.jobs.view(name)
        if before is not None and (before.active or before.snapshot.complete):
            return before.id
        film = self._films.get(key) or Film(along, VALUES, (Track("admm", {}),))

        def work(job: Job) -> None:
            prepare()
            for frame in self._frames(job, data, asked, sha256, film):
                track = job.snapshot.tracks[0]
                frames = {**track.frames, frame.value: frame}
                job.publish(replace(film, tracks=(replace(track, frames=frames),)))
                self._films.put(key, job.snapshot)

        return self.jobs.submit(None if film.complete else work, name=name, snapshot=film)

    def _frames(self, job: Job, data: str, asked: Fit, sha256: str, film: Film) -> Iterator[Frame]:
        """The missing frames, coarse to fine, each from its nearest neighbour where that pays."""
        dataset = self.fits.library.get(data)
        reduced = reduction(dataset, asked.center, asked.normalize)
        asked = asked.relative(vars(reduced))
        # With their solver's state, to start from.
        fits: Memory[float, LiveFit] = Memory(len(film.values), 192 << 20)
        for value in coarse_to_fine(film.values):
            if value in film.tracks[0].frames:
                continue
            if job.stop_requested():
                return
            here = _at(asked, film.along, value)
            found = self.fits.known.get((sha256, here))
            if found is None:
                near = sorted(fits.items(), key=lambda one: abs(math.log(one[0] / value)))
                start = near[0][1] if near else None
                found = follow(
                    LiveFit(here, sha256),
                    dataset,
                    stop=job.stop_requested,
                    publish=lambda moment: None,
                    start=start,
                )
                if job.heeded:
                    return
                fits.put(value, found)
                found = _compact(found)
                self.fits.known.put((sha256, here), found)
            yield frame_of(value, found.fit)


def _at(asked: Fit, along: str, value: float) -> Fit:
    here: dict[str, Any] = {along: value}
    return replace(asked, **here)


def _compact(live: LiveFit) -> LiveFit:
    """A fit without its solver's state, and its map in its own directions, which are few."""
    fit = live.fit
    Z, U = fit.map
    mine = replace(fit, Z=Z @ (U.T @ fit.components.T), U=fit.components.T)
    return replace(live, fits={fit.solver: mine}, models={})


def frame_of(value: float, fit: fitted.Fit) -> Frame:
    """A fit as a frame."""
    scores = fit.feature_scores.astype(np.float32)
    # What single precision cannot hold is not exactly zero.
    scores[(scores == 0.0) & (fit.feature_scores > 0.0)] = np.finfo(np.float32).tiny
    scores.flags.writeable = False
    return Frame(
        value=value,
        alpha=fit.alpha,
        beta=fit.beta,
        objective=fit.objective,
        bound=fit.dual_objective,
        gap=fit.duality_gap,
        used=fit.n_kept,
        rank=fit.rank,
        scores=scores,
        of=ref(fit),
    )
