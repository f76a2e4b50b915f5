"""Films: the fits along α or β, or two solvers at work, computed while a visitor looks on.

Along α or β every frame is certified; they come coarse to fine, then from the page's own fit on.
Their values are stops of the sliders, so a frame is the page's own answer: where a visitor lets go
the fit is known already. Over the iterations Algorithm 1 and the certified solver go in step. All
visitors share the films of one data set, and what somebody waits for goes before them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from cspca.experiments.cost import fit_by_size, step_by_size
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import Job, JobRegistry
from cspca.experiments.ledger import PUBLIC, Ledger, Memory
from cspca.experiments.live import FitService, LiveFit, follow, prepare
from cspca.experiments.memory import owner_of, reduction
from cspca.experiments.settings import PENALTIES, declared
from cspca.problem import Problem, ReducedData
from cspca.solvers import ADMM, SOLVERS, Iterate, Reweighted
from cspca.solvers.iterate import relative_gap

if TYPE_CHECKING:
    from cspca import fitted
    from cspca.datasets import Dataset

ALONG = ("alpha", "beta", "iterations")

VALUES = tuple(value for value in PENALTIES if value >= 0.01)
"""Relative penalties of a film's frames, 41 of them."""

ITERATIONS = (*range(1, 31), *range(32, 41, 2), *range(45, 101, 5), *range(120, 201, 20))
"""Iterations after which there is a frame, as far as the solvers go; one more where both end."""

FINE = 1e-4
"""Gap to which the certified solver goes on in a film, where a fit is content with more: to see."""

MOST_AXES = 12
"""Most components of a fit that its frame keeps."""

MOST_SENT = 4_000_000
"""Most bytes of components or samples along a film that a browser is sent."""

UNWATCHED = 5.0
"""Seconds after which a film is stopped that nobody looks at: what is computed stays."""

BREATH = 0.25
"""Seconds from the end of a page's run to that of its drawing in the browser, by and large."""


@dataclass(frozen=True, eq=False)
class Axes:
    """The first components of a fit in single precision: what a film shows once the fit is gone.

    `components` and `weights`, ``(W V)ᵀ``, have shape (n, n_features); `ratios` are the shares that
    all components of the fit explain.
    """

    components: NDArray[np.float32] = field(repr=False)
    weights: NDArray[np.float32] = field(repr=False)
    ratios: NDArray[np.float64] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of a film: a fit, in what is shown of it.

    `value` is the relative penalty, or the number of iterations; `alpha` and `beta` are absolute,
    `used` counts the features in use; `scores` are ``‖w_j‖`` in single precision, zero only where
    they are exactly zero. Over the iterations all is of the best map so far, and the best bound
    that either solver has proven by then, NaN before there is one; Algorithm 1 has no rank.
    """

    value: float
    alpha: float
    beta: float
    objective: float
    bound: float
    gap: float
    used: int
    rank: int | None
    scores: NDArray[np.float32] = field(repr=False)
    of: ReferenceType[fitted.Fit] | None = field(default=None, repr=False)
    axes: Axes | None = field(default=None, repr=False)

    @property
    def nbytes(self) -> int:
        """Bytes that it holds itself."""
        axes = self.axes
        if axes is None:
            return self.scores.nbytes
        return self.scores.nbytes + axes.components.nbytes + axes.weights.nbytes

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
    def frames(self) -> tuple[Frame, ...]:
        """Frames of the last track that are there, in the order of their values."""
        return tuple(self.tracks[-1].frames[self.values[at]] for at in self.there)

    @property
    def complete(self) -> bool:
        """Whether no frame is missing."""
        return len(self.there) == len(self.values)


def film_by_size(data: Dataset, along: str) -> float:
    """A film: both solvers mostly end by iteration 40; along a penalty frames have a neighbour."""
    if along == "iterations":
        return 40 * step_by_size(data)
    return 0.7 * len(VALUES) * fit_by_size(data)


def next_value(values: Sequence[float], finished: Container[float], near: float) -> float | None:
    """The value of the next frame: every eighth, every fourth, then what is nearest to `near`."""
    for step in (8, 4):
        for value in values[::step]:
            if value not in finished:
                return value
    left = [value for value in values if value not in finished]
    return min(left, key=lambda value: abs(math.log(value / near)), default=None)


class FilmService:
    """Computes films in the background, in turns; finished frames are kept and shared."""

    def __init__(self, fits: FitService, jobs: JobRegistry) -> None:
        self.fits, self.jobs = fits, jobs
        self._films: Memory[Hashable, Film] = Memory()
        # Solvers at work, which go on from where they were stopped.
        self._going: Memory[Hashable, Iterator[Film]] = Memory()
        # Where the page's own fit is that asked last.
        self._near: Memory[Hashable, float] = Memory()
        self._drawn: set[object] = set()
        self._drawn_until = 0.0

    @contextmanager
    def giving_way(self) -> Iterator[None]:
        """While a page is drawn no film is made, nor for a breath after: it would wait for it."""
        page = object()
        self._drawn.add(page)
        try:
            yield
        finally:
            self._drawn.discard(page)
            self._drawn_until = time.monotonic() + BREATH

    def _calm(self) -> bool:
        """Whether no visitor waits for a fit or a page."""
        drawn = self._drawn or time.monotonic() < self._drawn_until
        return not drawn and not self.jobs.busy

    def start(self, data: str, asked: Fit, sha256: str, along: str, *, owner: str = "") -> str:
        """Return the job of a film of the library's `data`, which is begun or gone on with.

        It shows everything but what it goes along as `asked` does, by the certified solver. To ask
        again costs nothing: whoever looks at it asks each time, and so a film that was stopped goes
        on where it was. Over the iterations α and β are those of `asked`.
        """
        if along not in ALONG:
            raise ValueError(f"along must be one of {', '.join(ALONG)}, got {along!r}.")
        owner_hash = self.fits.library.owner(data)
        key = _key(asked, sha256, along, owner_hash)
        self._near.put(key, max(VALUES[0], getattr(asked, along, VALUES[0])), owner_hash)
        asked = key[-1]
        empty = Film(along, VALUES, (Track("admm", {}),))
        if along == "iterations":
            empty = Film(along, ITERATIONS, (Track("reweighted", {}), Track("admm", {})))
        name = _name(data, key)
        before = self.jobs.view(name)
        if before is not None and before.state != "stopped":
            return before.id
        film = self._films.get(key) or empty

        def work(job: Job) -> None:
            prepare()
            dataset = self.fits.library.get(data)
            reduced = reduction(dataset, asked.center, asked.normalize, job.stop_requested)
            relative = asked.relative(vars(reduced))
            if along == "iterations":
                frames = self._going.get(key) or in_step(reduced, relative)
                self._going.put(key, frames, owner_hash)
            else:
                frames = self._frames(job, film, dataset, relative, key)
            for film_so_far in frames:
                job.publish(film_so_far)
                self._films.put(key, film_so_far, owner_hash, "This film")
                if job.give_way():
                    return
            self._going.drop(key)

        options: dict[str, Any] = {"owner": f"{owner} {name}", "abandoned": UNWATCHED}
        options |= {"heavy": lambda: True, "calm": self._calm, "name": name, "snapshot": film}
        return self.jobs.submit(None if film.complete else work, **options)

    def stop(self, data: str, asked: Fit, sha256: str, along: str) -> None:
        """Stop a film; for whoever looks on it is begun again, where it was."""
        owner_hash = self.fits.library.owner(data)
        self.jobs.cancel(_name(data, _key(asked, sha256, along, owner_hash)))

    def known(self, data: str, asked: Fit, dataset: Dataset, along: str) -> Film | None:
        """A film as far as it is there, without having it made; None when nothing is.

        Frames that were forgotten are still those of the job that pages show.
        """
        key = _key(asked, dataset.sha256, along, owner_of(dataset))
        film = self._films.get(key)
        if film is None:
            job = self.jobs.view(_name(data, key))
            film = None if job is None else job.snapshot
        return film

    def _frames(
        self, job: Job, film: Film, dataset: Dataset, settings: Fit, key: Hashable
    ) -> Iterator[Film]:
        """The film with more and more of its frames, each from its neighbour where that pays."""
        sha256, owner_hash, track = dataset.sha256, owner_of(dataset), film.tracks[0]
        # With their solver's state, to start from.
        fits: Memory[float, LiveFit] = Memory(Ledger(64 << 20))
        while True:
            value = next_value(film.values, track.frames, self._near.get(key) or film.values[0])
            if value is None:
                return
            here = _at(settings, film.along, value)
            live = self.fits.known.get((owner_hash, sha256, here))
            if live is None:
                near = sorted(
                    fits.items(), key=lambda neighbour: abs(math.log(neighbour[0] / value))
                )
                start = near[0][1] if near else None
                live = follow(
                    LiveFit(here, sha256),
                    dataset,
                    stop=job.give_way,
                    publish=lambda moment: None,
                    start=start,
                )
                if job.heeded:
                    return
                fits.put(value, live, PUBLIC)
                live = live.compact()
                self.fits.known.put((owner_hash, sha256, here), live, owner_hash)
            track = replace(track, frames={**track.frames, value: frame_of(value, live.fit)})
            yield replace(film, tracks=(track,))


def in_step(data: ReducedData, settings: Fit) -> Iterator[Film]:
    """Algorithm 1 and the certified solver at one iteration after another, both from the cold.

    The certified one is asked for its proof after each, which a fit that is in a hurry is not. One
    that has come to its end waits for the other.
    """
    problem = Problem(data, settings.alpha * data.alpha_max, settings.beta * data.beta_max)
    going = {
        "reweighted": Reweighted().iterate(problem),
        "admm": ADMM(check_every=1).iterate(problem),
    }
    most = {
        "reweighted": settings.model_arguments("reweighted")["max_iter"],
        "admm": ITERATIONS[-1],
    }
    enough = min(settings.tol, FINE)
    last: dict[str, Iterate] = {}
    bound, values = 0.0, ITERATIONS
    frames: dict[str, dict[float, Frame]] = {solver: {} for solver in going}
    for number in count(1):
        for solver in list(going):
            last[solver] = next(going[solver])
            bound = max(bound, last[solver].dual_bound)
            if last[solver].gap <= enough or number >= most[solver]:
                del going[solver]
        if not going:
            values = (*(value for value in ITERATIONS if value < number), number)
        if number in values:
            for solver, iterate in last.items():
                frames[solver][number] = _at_work(problem, iterate, number, bound)
            tracks = tuple(
                Track(solver, dict(solver_frames)) for solver, solver_frames in frames.items()
            )
            yield Film("iterations", values, tracks)
        if not going:
            return


def _key(settings: Fit, sha256: str, along: str, owner: str) -> tuple[str, str, str, Fit]:
    """What a film is kept under: what is not to be seen in it counts for nothing."""
    settings = replace(settings, keep=None, solver="admm")
    if along != "iterations":
        settings = _at(settings, along, declared(Fit)[along].default)
    return owner, sha256, along, settings


def _name(data: str, key: tuple[str, str, str, Fit]) -> str:
    """What the job of a film is called."""
    return repr((data, key))


def _at(settings: Fit, along: str, value: float) -> Fit:
    here: dict[str, Any] = {along: value}
    return replace(settings, **here)


def frame_of(value: float, fit: fitted.Fit) -> Frame:
    """A fit as a frame."""
    return Frame(
        value=value,
        alpha=fit.alpha,
        beta=fit.beta,
        objective=fit.objective,
        bound=fit.dual_objective,
        gap=fit.duality_gap,
        used=fit.n_kept,
        rank=fit.rank,
        scores=_single(fit.feature_scores),
        of=ref(fit),
        axes=_axes(fit),
    )


def n_axes(n_features: int) -> int:
    """How many components a frame has room for; fewer where images are large."""
    return min(MOST_AXES, MOST_SENT // (8 * n_features))


def _axes(fit: fitted.Fit) -> Axes:
    """The first components of a fit, as many as a frame has room for."""
    n = n_axes(fit.feature_scores.size)
    weights = fit.coordinate_weights()[:, :n].T
    return Axes(
        fit.components[:n].astype(np.float32),
        weights.astype(np.float32),
        np.asarray(fit.explained_variance_ratio, dtype=np.float64),
    )


def _at_work(problem: Problem, iterate: Iterate, number: int, bound: float) -> Frame:
    """Where a solver stands, by the best bound that is known."""
    objective = iterate.best_objective
    bound = min(bound, objective)
    return Frame(
        value=number,
        alpha=problem.alpha,
        beta=problem.beta,
        objective=objective,
        bound=bound if bound > 0.0 else math.nan,
        gap=relative_gap(objective, bound) if bound > 0.0 else math.inf,
        used=iterate.n_kept,
        rank=iterate.rank,
        scores=_single(iterate.row_norms),
    )


def _single(scores: NDArray[Any]) -> NDArray[np.float32]:
    """Scores in single precision; what that cannot hold is not made an exact zero."""
    single = scores.astype(np.float32)
    single[(single == 0.0) & (scores > 0.0)] = np.finfo(np.float32).tiny
    single.flags.writeable = False
    return single
