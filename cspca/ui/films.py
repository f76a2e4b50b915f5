"""Films of the fit on a page: made by default where that is quick, and sent as they grow."""

from __future__ import annotations

from dataclasses import replace
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
from cspca.ui.components.stage import put_on_shelf
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


def offers(view: state.View, dataset: Dataset, progress: Job) -> dict[str, dict[str, Any]]:
    """Return the films of a fit for its stage: keys, costs, and the position of the fit."""
    settings = _film_settings(view, progress)
    by_axis = {}
    for along in ALONG:
        key = _key(settings, dataset, along)
        makes = _makes(key, dataset, along)
        by_axis[along] = {
            "key": key,
            "there": makes and along == _along(),
            "cost": "" if makes else f"about {duration(film_by_size(dataset, along))}",
            "now": getattr(settings, along, None),
        }
    return by_axis


def feed(view: state.View, dataset: Dataset, progress: Job, index: int) -> None:
    """Make the selected film once the fit is done, and send it as it grows."""
    along, settings = _along(), _film_settings(view, progress)
    if view.mode == "path" and along in SIGNS:
        st.caption(
            f"The film moves {SIGNS[along]} alone. Where it is let go, α and β both take its value."
        )
    key = _key(settings, dataset, along)
    if progress.state != "done" or not _makes(key, dataset, along):
        return
    jobs = services().films.jobs
    job = services().films.start(view.data, settings, dataset.sha256, along, owner=visitor.secret())
    now = jobs.view(job)
    assert now is not None
    if now.active:
        follow.follow(f"film {job}", follow.look_of(jobs, job, _glance), _glance(now))
    if now.error is not None:
        st.caption(plain(now.error))
    _send(key, now.snapshot, dataset, index)


def _glance(now: Job) -> Glance:
    return Glance(now.state, len(now.snapshot.there), active=now.active)


def at_hand(view: state.View, dataset: Dataset, progress: Job) -> Film | None:
    """Return the selected film; None until it has enough frames to be exported."""
    settings = _film_settings(view, progress)
    film = services().films.known(view.data, settings, dataset, _along())
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


def _along() -> str:
    return str(st.session_state.get(keys.FILM_ALONG, ALONG[0]))


def _key(settings: Fit, dataset: Dataset, along: str) -> str:
    shown = {"alpha": (settings.beta,), "beta": (settings.alpha,)}
    fixed = shown.get(along, (settings.alpha, settings.beta))
    prepared = f"{settings.center:d}{settings.normalize:d}"
    return f"{along} {fixed!r} {prepared} {settings.tol!r} {dataset.sha256[:16]}"


def _makes(key: str, dataset: Dataset, along: str) -> bool:
    choices: dict[str, bool] = st.session_state.get(keys.FILM_CHOICES, {})
    return choices.get(key, film_by_size(dataset, along) <= AT_ONCE)


def _send(key: str, film: Film, dataset: Dataset, index: int) -> None:
    """Send the frames of a film that are there; between two growths the same content is sent."""
    count = len(film.there)
    sent_key, sent, content, serial = st.session_state.get(keys.FILM_SENT, ("", 0, None, ""))
    of = f"{key} {index} {is_dark()}"
    if of != sent_key:
        sent, content = 0, None
    if count > sent and (film.complete or count >= max(FIRST, 3 * sent // 2)):
        image = np.asarray(dataset.data[index]) if dataset.image_shape is not None else None
        content = payload(film, image, dataset.nouns.features)
        if (skeleton := dataset.skeleton) is not None:
            frames = (film.tracks[-1].frames[film.values[at]] for at in film.there)
            content["bodies"] = [body(frame.scores, skeleton) for frame in frames]
        serial = f"{of} {count}"
        st.session_state[keys.FILM_SENT] = of, count, content, serial
    if content is not None:
        put_on_shelf(key, content, serial)
