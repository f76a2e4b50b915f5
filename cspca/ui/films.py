"""Films of the fit on a page: made by default where that is quick, and sent as they grow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.film import ALONG, Film, film_by_size
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import Job
from cspca.figures.film import SIGNS, payload
from cspca.figures.words import duration
from cspca.ui import fields, follow, keys, state, visitor
from cspca.ui.components.film import put_on_shelf
from cspca.ui.pictures import body
from cspca.ui.plain import is_dark, plain
from cspca.ui.services import services
from cspca.ui.windows import Glance

AT_ONCE: Final = 12.0
"""Estimated seconds up to which a film is made by default."""

ENOUGH: Final = 10
"""Frames beyond which a film can be exported."""

FIRST: Final = 6
"""Frames from which on a film is sent; then again at each growth by half, and when complete."""


@dataclass(frozen=True)
class Shown:
    """What of a film a page shows.

    Parameters
    ----------
    name : str
        Tells apart what is shown of the same film, which the browser keeps side by side.
    of : str
        Changes when another content is to be sent under the same name.
    content : callable
        Makes of a film what the browser needs to play it.
    along : tuple of str
        What a film can go along.
    """

    name: str
    of: str
    content: Callable[[Film], dict[str, Any]]
    along: tuple[str, ...] = tuple(SIGNS)


def on_stage(dataset: Dataset, index: int) -> Shown:
    """Return what the stage shows of a film: the scores, and one sample as it is rebuilt."""

    def content(film: Film) -> dict[str, Any]:
        has_curve = dataset.kind == "axis"
        sample = np.asarray(dataset.data[index]) if has_curve or dataset.kind == "pixels" else None
        drawing = payload(film, sample, dataset.nouns.features, is_curve=has_curve)
        if (skeleton := dataset.skeleton) is not None:
            drawing["bodies"] = [body(frame.scores, skeleton) for frame in film.frames]
        return drawing

    return Shown("stage", f"{index}", content, ALONG)


def offers(
    view: state.View, dataset: Dataset, progress: Job, shown: Shown
) -> dict[str, dict[str, Any]]:
    """Return the films of a fit for its film bar: keys, costs, and the position of the fit."""
    settings = _film_settings(view, progress)
    by_axis = {}
    for along in shown.along:
        key = _key(settings, dataset, along)
        makes = _makes(key, dataset, along)
        by_axis[along] = {
            "key": f"{shown.name} {key}",
            "there": makes and along == _along(shown),
            "cost": "" if makes else f"about {duration(film_by_size(dataset, along))}",
            "now": getattr(settings, along, None),
        }
    return by_axis


def feed(view: state.View, dataset: Dataset, progress: Job, shown: Shown) -> None:
    """Make the selected film once the fit is done, and send it as it grows."""
    along, settings = _along(shown), _film_settings(view, progress)
    if view.mode == "path" and along in SIGNS:
        st.caption(
            f"The film moves {SIGNS[along]} alone. Where it is let go, α and β both take its value."
        )
    film_key = _key(settings, dataset, along)
    key = f"{shown.name} {film_key}"
    if progress.state != "done" or not _makes(film_key, dataset, along):
        return
    jobs = services().films.jobs
    job = services().films.start(view.data, settings, dataset.sha256, along, owner=visitor.secret())
    now = jobs.view(job)
    assert now is not None
    if now.active:
        follow.follow(f"film {job}", follow.look_of(jobs, job, _glance), _glance(now))
    if now.error is not None:
        st.caption(plain(now.error))
    _send(key, now.snapshot, shown)


def _glance(now: Job) -> Glance:
    return Glance(now.state, len(now.snapshot.there), active=now.active)


def at_hand(view: state.View, dataset: Dataset, progress: Job) -> Film | None:
    """Return the selected film; None until it has enough frames to be exported."""
    settings = _film_settings(view, progress)
    along = str(st.session_state.get(keys.FILM_ALONG, ALONG[0]))
    film = services().films.known(view.data, settings, dataset, along)
    return None if film is None or len(film.there) <= ENOUGH else film


def take(view: state.View, along: str, value: float) -> None:
    """Set α or β of the page to the value at which its film was released.

    Where one slider sets both α and β, the film does too.
    """
    if along not in ("alpha", "beta") or not 0 <= value <= 1:
        return
    if view.mode == "path":
        st.session_state[keys.FIT_ALPHA] = fields.snap(value)
        return
    st.session_state[keys.VIEW_MODE] = "penalties"
    st.session_state[f"fit_{along}"] = fields.snap(value)


def wish(view: state.View, dataset: Dataset, progress: Job, along: str, make: bool | None) -> None:
    """Select another film; with `make`, start making it, or with False stop."""
    if along not in ALONG:
        return
    st.session_state[keys.FILM_ALONG] = along
    settings = _film_settings(view, progress)
    if make is not None:
        choices = st.session_state.setdefault(keys.FILM_CHOICES, {})
        choices[_key(settings, dataset, along)] = make
    if make is False:
        services().films.stop(view.data, settings, dataset.sha256, along)


def _film_settings(view: state.View, progress: Job) -> Fit:
    fit: Fit = progress.snapshot.found
    return replace(view.fit, keep=None, alpha=fit.alpha)


def _along(shown: Shown) -> str:
    along = str(st.session_state.get(keys.FILM_ALONG, ALONG[0]))
    return along if along in shown.along else shown.along[0]


def _key(settings: Fit, dataset: Dataset, along: str) -> str:
    shown = {"alpha": (settings.beta,), "beta": (settings.alpha,)}
    fixed = shown.get(along, (settings.alpha, settings.beta))
    prepared = f"{settings.center:d}{settings.normalize:d}"
    return f"{along} {fixed!r} {prepared} {settings.tol!r} {dataset.sha256[:16]}"


def _makes(key: str, dataset: Dataset, along: str) -> bool:
    choices: dict[str, bool] = st.session_state.get(keys.FILM_CHOICES, {})
    return choices.get(key, film_by_size(dataset, along) <= AT_ONCE)


def _send(key: str, film: Film, shown: Shown) -> None:
    """Send the frames of a film that are there; between two growths the same content is sent."""
    count = len(film.there)
    sent_key, sent, content, serial = st.session_state.get(keys.FILM_SENT, ("", 0, None, ""))
    of = f"{key} {shown.of} {is_dark()}"
    if of != sent_key:
        sent, content = 0, None
    if count > sent and (film.complete or count >= max(FIRST, 3 * sent // 2)):
        content = shown.content(film)
        serial = f"{of} {count}"
        st.session_state[keys.FILM_SENT] = of, count, content, serial
    if content is not None:
        put_on_shelf(key, content, serial)
