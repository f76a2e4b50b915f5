"""The films of the fit on a page: made by themselves where that is quick, sent as they grow."""

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
"""Seconds up to which a film is made without being asked for."""

ENOUGH: Final = 10
"""Frames beyond which a film can be exported."""

FIRST: Final = 6
"""Frames from which on a film is sent; then each time it has half as many more, and whole."""


def offers(view: state.View, dataset: Dataset, progress: Job) -> dict[str, dict[str, Any]]:
    """The films of a fit, for its stage: their keys, what they cost, where the fit is."""
    asked = _asked(view, progress)
    found = {}
    for along in ALONG:
        key = _key(asked, dataset, along)
        makes = _makes(key, dataset, along)
        found[along] = {
            "key": key,
            "there": makes and along == _along(),
            "cost": "" if makes else f"about {duration(film_by_size(dataset, along))}",
            "now": getattr(asked, along, None),
        }
    return found


def feed(view: state.View, dataset: Dataset, progress: Job, index: int) -> None:
    """Have the film made that is looked at, once the fit is done, and send it as it grows."""
    along, asked = _along(), _asked(view, progress)
    if view.mode == "path" and along in SIGNS:
        st.caption(
            f"The film moves {SIGNS[along]} alone. Where it is let go, α and β both take its value."
        )
    key = _key(asked, dataset, along)
    if progress.state != "done" or not _makes(key, dataset, along):
        return
    jobs = services().films.jobs
    job = services().films.start(view.data, asked, dataset.sha256, along, owner=visitor.secret())
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
    """The film that is looked at; None until enough of it is there to be exported."""
    asked = _asked(view, progress)
    film = services().films.known(asked, dataset, _along())
    return None if film is None or len(film.there) <= ENOUGH else film


def take(view: state.View, along: str, value: float) -> None:
    """Set α or β where its film was let go, for the whole page.

    Where one slider sets α and β both, so does the film.
    """
    if along not in ("alpha", "beta") or not 0 <= value <= 1:
        return
    if view.mode == "path":
        st.session_state[keys.FIT_ALPHA] = fields.snap(value)
        return
    st.session_state[keys.VIEW_MODE] = "penalties"
    st.session_state[f"fit_{along}"] = fields.snap(value)


def wish(view: state.View, dataset: Dataset, progress: Job, along: str, make: bool | None) -> None:
    """Turn to another film; have it made, or with False no longer made."""
    if along not in ALONG:
        return
    st.session_state[keys.FILM_ALONG] = along
    asked = _asked(view, progress)
    if make is not None:
        wanted = st.session_state.setdefault(keys.FILMS_WANTED, {})
        wanted[_key(asked, dataset, along)] = make
    if make is False:
        services().films.stop(view.data, asked, dataset.sha256, along)


def _asked(view: state.View, progress: Job) -> Fit:
    found: Fit = progress.snapshot.found
    return replace(view.fit, keep=None, alpha=found.alpha)


def _along() -> str:
    return str(st.session_state.get(keys.FILM_ALONG, ALONG[0]))


def _key(asked: Fit, dataset: Dataset, along: str) -> str:
    shown = {"alpha": (asked.beta,), "beta": (asked.alpha,)}
    other = shown.get(along, (asked.alpha, asked.beta))
    prepared = f"{asked.center:d}{asked.normalize:d}"
    return f"{along} {other!r} {prepared} {asked.tol!r} {dataset.sha256[:16]}"


def _makes(key: str, dataset: Dataset, along: str) -> bool:
    wanted: dict[str, bool] = st.session_state.get(keys.FILMS_WANTED, {})
    return wanted.get(key, film_by_size(dataset, along) <= AT_ONCE)


def _send(key: str, film: Film, dataset: Dataset, index: int) -> None:
    """Send a film as far as it is there; what was sent before is what is sent again."""
    count = len(film.there)
    known, sent, found, serial = st.session_state.get(keys.FILM_SENT, ("", 0, None, ""))
    of = f"{key} {index} {is_dark()}"
    if of != known:
        sent, found = 0, None
    if count > sent and (film.complete or count >= max(FIRST, 3 * sent // 2)):
        image = dataset.data[index] if dataset.image_shape is not None else None
        found = payload(film, None if image is None else np.asarray(image), dataset.nouns.features)
        if (skeleton := dataset.skeleton) is not None:
            frames = (film.tracks[-1].frames[film.values[at]] for at in film.there)
            found["bodies"] = [body(frame.scores, skeleton) for frame in frames]
        serial = f"{of} {count}"
        st.session_state[keys.FILM_SENT] = of, count, found, serial
    if found is not None:
        put_on_shelf(key, found, serial)
