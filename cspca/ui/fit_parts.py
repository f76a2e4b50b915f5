"""The fit on Explore: started, followed while it runs; its certificate, map and convergence."""

from __future__ import annotations

import time
from functools import partial
from html import escape
from typing import Any, Final
from urllib.parse import urlencode

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from cspca.datasets import Dataset, Nouns
from cspca.experiments.fit import (
    caution,
    distance_words,
    has_order,
    identity_words,
    proven,
    regime_words,
    shown_ranks,
    tie_at_cut_words,
    tie_words,
)
from cspca.experiments.jobs import Job, JobRegistry
from cspca.experiments.live import LiveFit
from cspca.experiments.memory import of_data
from cspca.figures.convergence import Across, Course, curve
from cspca.figures.meanings import MEANINGS
from cspca.figures.skeleton import HEIGHT, WIDTH
from cspca.figures.words import above, duration, from_optimum, gap_in_words
from cspca.fitted import ahead_of_cut
from cspca.solvers import SOLVERS
from cspca.ui import fields, films, keys, pictures, pin, presets, state, visitor
from cspca.ui.components.stage import Number, along_axis, short_names, stage
from cspca.ui.plain import is_dark, plain
from cspca.ui.qr import qr_source
from cspca.ui.services import services

# `st.html` removes SVG, and an image of an SVG cannot be hovered. The space is reserved before the
# script has run; the markup is our own (`pictures.body`), with every name escaped.
_MOUNT: Final = st.components.v2.component(
    "cspca_body",
    html='<div class="body"></div>',
    css=f"""
.body {{ aspect-ratio: {WIDTH} / {HEIGHT}; max-width: 440px; margin: 0 auto; }}
.stale {{ opacity: .4; }}
""",
    js="""
export default function ({ data, parentElement }) {
  const body = parentElement.querySelector(".body")
  body.own = data.svg
  if (!body.draw) {
    // A frame of a film that is held stands in place of the fit.
    body.draw = () => {
      const svg = window.cspcaFilms?.body ?? body.own
      if (body.drawn !== svg) body.innerHTML = body.drawn = svg
    }
    addEventListener("cspca-frame", body.draw)
  }
  body.draw()
  body.classList.toggle("stale", data.stale)
  return () => {
    removeEventListener("cspca-frame", body.draw)
    body.draw = null
  }
}
""",
)


AT_ONCE: Final = 0.5
"""Seconds for which a page waits for a fit after a slider has moved; longer fits are followed."""

FIRST: Final = 1.5
"""Seconds for which it waits for its first fit, which loads modules; title and menu are shown."""

BUSY: Final = 3.0
"""Most seconds it waits where many fits wait: a page drawn before its fit ends is drawn twice."""

TURN: Final = 15.0
"""Most seconds that a page waits, with a message, for a queued fit: if all pages in the queue were
drawn twice, the queue would grow."""

_SHARE: Final = 0.15
"""Seconds that each fit in the queue adds to the time that a page waits for its own fit."""

_SLICE: Final = 0.2
"""Seconds after which a waiting page reacts to a newer move of a slider."""


def attach(view: state.View, dataset: Dataset) -> Job:
    """Return the job of this view's fit: a matching one of the visitor's, or a new one."""
    place = st.empty()
    fits, before = services().fits, st.session_state.get(keys.VIEW_JOB)
    job_before = fits.jobs.view(before)
    progress = _matching(job_before, view, dataset)
    if progress is None:
        job = fits.start(view.data, view.fit, dataset.sha256, owner=state.owner(), after=before)
        # Most fits end within this run, so that the page is drawn once.
        _wait(fits.jobs, job, FIRST if job_before is None else AT_ONCE, place)
        progress = fits.jobs.view(job)
        assert progress is not None
    st.session_state[keys.VIEW_JOB] = progress.id
    if progress.snapshot.fits:
        st.session_state[keys.LAST_RESULT] = progress.snapshot
    return progress


def _matching(job_before: Job | None, view: state.View, dataset: Dataset) -> Job | None:
    """Return the window's job if it serves, else another of the visitor's that does.

    A page that was left while it waited has not noted its job. The first page of a window may take
    one of another window, which perhaps was this one before it was reloaded.
    """
    if job_before is not None and _serves(job_before, view, dataset):
        return job_before
    jobs = services().fits.jobs
    for job in jobs.of_visitor(visitor.secret()):
        is_near = job_before is None or job.owner == state.owner()
        if is_near and job.state != "failed" and _serves(job, view, dataset):
            if job_before is not None:
                # As a new fit would: nobody looks any more at what this window had computed.
                jobs.cancel(job_before.id, "superseded")
            return jobs.view(job.id)
    return None


def _serves(job: Job, view: state.View, dataset: Dataset) -> bool:
    """Whether a job is the fit that a view asks for, at least as accurate."""
    now = job.snapshot
    if not isinstance(now, LiveFit) or now.asked.tol > view.fit.tol:
        return False
    # A fit that was replaced or abandoned does not serve; one that its visitor stopped does.
    left = job.state == "stopped" and job.stop_reason != "asked"
    return not left and now.same_but_for_accuracy(view.fit, dataset.sha256)


def patience(least: float, queued: int) -> float:
    """Return the seconds that a page waits for its fit before it is drawn without it.

    Parameters
    ----------
    least : float
        Seconds where nobody else has a fit computed.
    queued : int
        Fits that run or wait, this one included.

    Returns
    -------
    float
        `least` on a quiet server, and up to `BUSY` where many fits wait.
    """
    return max(least, min(BUSY, _SHARE * queued))


def _wait(jobs: JobRegistry, job: str, least: float, place: DeltaGenerator) -> None:
    """Wait until a fit leaves the queue, then for its end; a newer run of the page ends this one.

    It waits in the queue for up to `TURN` seconds, with a message at `place`; for the end it waits
    for the seconds of `patience`.
    """
    began, shown = time.monotonic(), ""
    while (waited := time.monotonic() - began) < TURN:
        progress = jobs.view(job)
        if progress is None or progress.state != "queued":
            break
        turn = (
            f"Others have their turn on this server, {progress.place}; your fit starts by itself."
        )
        if waited >= AT_ONCE and turn != shown:
            shown = turn
            place.caption(shown)
        _ended_within(jobs, job, _SLICE)
    if shown:
        place.empty()
    end = time.monotonic() + patience(least, jobs.active(heavy=False))
    has_ended = False
    while not has_ended and (left := end - time.monotonic()) > 0.0:
        has_ended = _ended_within(jobs, job, min(_SLICE, left))


def _ended_within(jobs: JobRegistry, job: str, seconds: float) -> bool:
    """Wait up to `seconds` for the end of a job, and return whether it has ended."""
    # Reading the session state lets Streamlit stop a run that a newer one replaces.
    st.session_state.get(keys.VIEW_JOB)
    return jobs.join(job, seconds)


def shown_instead(progress: Job, dataset: Dataset) -> str:
    """Name the fit that a page still shows while the requested one has no result.

    Parameters
    ----------
    progress : Job
        The requested fit.
    dataset : Dataset
        The data set in use.

    Returns
    -------
    str
        Its penalties and the preparation of its data; empty if the requested fit has a result, or
        if there is no earlier fit.
    """
    last = state.last_result(dataset)
    if progress.snapshot.fits or last is None:
        return ""
    fit, nouns = last.found, dataset.nouns
    facts = [f"α = {fields.say(fit.alpha)}", f"β = {fields.say(fit.beta)}"]
    if not fit.center:
        facts.append("the mean left in")
    if fit.normalize:
        facts.append(f"every {nouns.sample} of unit norm")
    if fit.solver != "admm":
        facts.append("Algorithm 1" if fit.solver == "reweighted" else f"solver {fit.solver}")
    return f"{', '.join(facts)}, {from_optimum(last.gap)}"


def earlier(progress: Job, dataset: Dataset) -> None:
    """Draw the notice that the rest of the page shows the fit before; its line is always there."""
    name = shown_instead(progress, dataset)
    sentence = f"Below is still the fit before: {name}." if name else ""
    st.html(f'<p class="cspca-earlier">{escape(sentence)}</p>')


def highlighted(view: state.View, dataset: Dataset) -> int:
    """Return how many of the best features are highlighted.

    Parameters
    ----------
    view : View
        The view, with the number that was chosen.
    dataset : Dataset
        The data set in use.

    Returns
    -------
    int
        The number that was chosen, but no more than the shown fit uses.
    """
    result = state.last_result(dataset)
    if result is None or not has_order(result.fit):
        return view.k
    return min(view.k, result.fit.n_kept)


def status(progress: Job, dataset: Dataset, top_k: int | None = None, requested_k: int = 0) -> None:
    """Draw the state of a fit, in the same space in every state.

    Where `top_k` features are highlighted, it explains a tie at the cut, and why they are fewer
    than `requested_k`.
    """
    with st.container(key="fit_status", gap="small"):
        if progress.error is not None:
            st.error(plain(progress.error), icon=":material/error:")
            return
        badge(progress, dataset.nouns)
        sentences = [_where(progress, dataset, top_k)]
        if top_k is not None and top_k < requested_k and progress.snapshot.fits:
            used = dataset.nouns.count_features(top_k)
            sentences.append(f"The best {requested_k:,} are the {used} in use.")
        if name := shown_instead(progress, dataset):
            sentences.append(f"What is dimmed is of the fit before: {name}.")
        st.html(f'<p class="cspca-regime">{escape(" ".join(sentences))}</p>')


def badge_text(gap: float, certified: bool, active: bool) -> tuple[str, str]:
    """Return the words and the state of a certificate: "certified", "closing" or "stopped"."""
    distance = from_optimum(gap)
    if certified:
        return f"{distance} (proven)", "certified"
    if active:
        return f"improving: {distance}", "closing"
    return f"stopped: {distance}", "stopped"


def badge(progress: Job, nouns: Nouns) -> None:
    """Draw the certificate of a fit."""
    now: LiveFit = progress.snapshot
    label, looks = badge_text(now.gap, now.certified, progress.active)
    meaning = (
        "Certified: how far the objective of this fit is above its lower bound, as a share "
        "of that bound. No W, by any method, has an objective below it: what lies between is all "
        "that could still be gained."
    )
    if now.fits and now.fits["admm"].regime == "reproduced":
        # The certificate says nothing about how the map can be interpreted.
        meaning += f" {caution('reproduced', nouns, now.gap)}"
    if progress.state == "queued":
        label, looks = f"waiting, {progress.place}", "waiting"
        meaning = "Others have their turn on this server; your fit starts by itself."
    elif progress.active and now.asked.keep is not None:
        # The certificate of a trial α is not that of the result.
        label, looks = "searching", "closing"
    elif progress.active and now.certified:
        # The rest of the page changes with the result: until then nothing on it is called proven.
        label, looks = "certified, finishing", "closing"
        if len(now.asked.solvers) > 1:
            label = "certified, Algorithm 1 is running"
    elif progress.state == "stopped" and not now.fits:
        label, meaning = "stopped", "There is no result yet to certify."
    icon, color = {
        "waiting": (":material/hourglass_empty:", "gray"),
        "certified": (":material/verified:", "green"),
        "closing": (":material/progress_activity:", "orange"),
        "stopped": (":material/pause_circle:", "gray"),
    }[looks]
    st.badge(label, icon=icon, color=color, help=meaning)  # type: ignore[arg-type]


def _where(progress: Job, dataset: Dataset, top_k: int | None) -> str:
    now: LiveFit = progress.snapshot
    if now.fits:
        judge, preparation = now.fits["admm"], (now.asked.center, now.asked.normalize)
        sentences = [
            regime_words(judge, dataset, now.asked.center),
            ("" if top_k is None else tie_at_cut_words(now.fit, top_k, dataset.nouns))
            or tie_words(now.fit, dataset.nouns),
            identity_words(judge, dataset, *preparation, quick=True),
        ]
        if "reweighted" in now.asked.solvers:
            sentences.append(distance_words(now.fits["reweighted"], judge.dual_objective))
        if progress.state == "stopped" and progress.stop_reason == "asked":
            sentences.append("You stopped this fit; Keep iterating goes on from here.")
        return " ".join(sentence for sentence in sentences if sentence)
    if progress.state == "stopped" and progress.stop_reason == "asked":
        return "You stopped this fit before it had a result; Keep iterating starts it again."
    if progress.state == "stopped":
        return "This fit was stopped before it had a result; Keep iterating starts it again."
    if progress.state == "queued":
        return "Waiting for a free worker."
    if now.reducing:
        return f"Preparing the data: an orthonormal basis of all {dataset.nouns.samples}."
    if now.scores is None:
        return "Starting."
    if now.asked.keep is not None:
        return f"Looking for the α that keeps {dataset.nouns.count_features(now.asked.keep)}."
    return "The objective falls, the lower bound rises; between them lies the optimum."


def show(
    progress: Job,
    dataset: Dataset,
    view: state.View,
    *,
    index: int = 0,
    top_k: int | None = None,
    pinned: LiveFit | None = None,
) -> None:
    """Draw the current state of a fit: map, reconstructed image, convergence and numbers.

    Until the fit has scores, the last result is shown, dimmed.
    """
    now: LiveFit = progress.snapshot
    last = state.last_result(dataset)
    scores, ranks = now.scores, None
    stale = scores is None
    if scores is None:
        scores = np.full(dataset.n_features, np.nan)
        if last is not None:
            scores, ranks = last.fit.feature_scores, shown_ranks(last.fit)
    elif now.fits:
        # Where all features tie, an order would be arbitrary, so none is shown.
        ranks = shown_ranks(now.fit)
        if not has_order(now.fit):
            top_k = None
    n_best = top_k
    if top_k is not None and ranks is not None:
        n_best = ahead_of_cut(ranks, top_k) or None
    place: Any = st.container()
    if dataset.skeleton is not None:
        pose = dataset.skeleton
        left, place = st.columns([2, 3], gap="medium")
        with left:
            svg = pictures.body(scores, pose)
            _MOUNT(key="importance_body", data={"svg": svg, "stale": stale})
            reading = (
                f"A pose in {pose.n_features} numbers: {pose.reading}. The score of a joint is the "
                "root of the sum of squares of those of its three coordinates. "
            )
            st.caption(plain(f"{reading}{pose.note}".rstrip()))
    with place, st.container(key="importance_map"):
        picked = stage(
            scores,
            dataset.image_shape,
            key="stage",
            ranks=ranks,
            selected=keys.SELECTED_PIXEL,
            top_k=n_best,
            k_moves=st.session_state.get(keys.VIEW_K_MOVES, 0),
            proven=None if top_k is None else proven(now.fits.get("admm"), dataset.nouns),
            height=900 if state.bare() else 420,
            stale=stale,
            label=f"Importance of the {dataset.nouns.features}",
            nouns=dataset.nouns,
            names=None if dataset.feature_names is None else _short_names(dataset),
            picture=pictures.beside_map(dataset, last, index, fresh=bool(now.fits)),
            course=_course(progress, last),
            numbers=_numbers(now, scores, dataset.nouns),
            films=films.offers(view, dataset, progress, films.on_stage(dataset, index)),
            pinned=pin.beside(pinned, dataset),
            asked={"alpha": view.fit.alpha, "beta": view.fit.beta},
            link=link(),
            lesson=presets.question_of(view),
            along=_along(dataset, last, index),
            on_let_go=partial(films.take, view),
            on_wish=partial(films.wish, view, dataset, progress),
        )
    if picked:
        # Other parts of the page show the picked pixel too.
        st.rerun()


@of_data
def _short_names(dataset: Dataset) -> list[str] | None:
    """Return what the bars of the stage are called: of thousands they are cut once."""
    return short_names(dataset.feature_names or ())


def _along(dataset: Dataset, last: LiveFit | None, index: int) -> dict[str, Any] | None:
    """Return what the stage draws of the axis of the features, if they are points of one."""
    if dataset.axis is None:
        return None
    if last is None:
        mean = pictures.mean_sample(dataset)
        return along_axis(dataset.axis, mean, f"Mean {dataset.nouns.sample}")
    sample = dataset.data[index]
    name = pictures.sample_title(dataset, index)
    return along_axis(dataset.axis, sample, name, last.fit.reconstruct(sample[None])[0])


def link() -> dict[str, str] | None:
    """Return the link to the view with its QR code, once the browser has sent its address."""
    if not st.context.url:
        return None
    query = state.address()
    page = st.context.url.partition("?")[0]
    text, warning = state.open_to_others(f"{page}?{urlencode(query)}" if query else page)
    return {"text": text, "source": qr_source(text), "warning": warning}


def _course(progress: Job, last: LiveFit | None) -> dict[str, Any]:
    """Return the convergence curves of a fit so far; before its first point the last, dimmed."""
    x: Across = st.session_state.get(keys.VIEW_AXIS, "iteration")
    now: LiveFit = progress.snapshot
    histories = now.histories
    stale = progress.active and not any(len(table) for table in histories.values())
    if stale and last is not None and last.asked.solvers == now.asked.solvers:
        histories = last.histories
    solvers = {key: SOLVERS[key] for key in now.asked.solvers}
    courses = [Course(of.title, of.colour, histories.get(key)) for key, of in solvers.items()]
    drawn = curve(courses, x=x, dark=is_dark()) | {"stale": bool(stale and histories)}
    if now.fits and drawn["lines"][0]["proven"]:
        # Between two certificates an objective may be lower than that of the returned map.
        drawn["lines"][0]["proven"][-1] = from_optimum(now.gap)
    return drawn


def _numbers(now: LiveFit, scores: NDArray[Any], nouns: Nouns) -> list[Number]:
    """Return the numbers beside the map, those that most readers need first."""
    used = objective = bound = rank = iterations = seconds = "–"
    values: dict[str, Any] = {"count": len(scores)}
    if not np.isnan(scores).any():
        values["used"] = int(np.count_nonzero(scores))
        values["zeros"] = len(scores) - values["used"]
        used = f"{values['used']:,} of {len(scores):,}"
    if now.rank is not None:
        values["rank"], rank = now.rank, f"{now.rank:,}"
    if now.scores is not None:
        values["iterations"], iterations = now.iterations, f"{now.iterations:,}"
        values["seconds"] = seconds = duration(now.seconds)
    table = next(iter(now.histories.values()), None)
    if table is not None and len(table):
        values["objective"] = float(np.nanmin(table["best_objective"]))
        objective = f"{values['objective']:,.6g}"
        proved = float(table["dual_bound"].max())
        if proved > 0:
            values["bound"], bound = proved, f"{proved:,.6g}"
    distance = gap_in_words(now.gap) if now.gap < 1 else "–"
    if now.fits:
        fit = now.fit
        values |= {"alpha": fit.alpha, "beta": fit.beta, "objective": fit.objective}
        objective = f"{fit.objective:,.6g}"
        proved = now.fits["admm"].dual_objective
        if proved > 0:
            values["bound"], bound = proved, f"{proved:,.6g}"
        values["gap"] = above(now.gap)
        values["errors"] = float(fit.sample_residuals.sum())
        values["lengths"] = float(fit.feature_scores.sum())
        rest = fit.objective - values["errors"] - fit.alpha * values["lengths"]
        values["trace"] = rest / fit.beta if fit.beta else 0.0
    rows = [
        (f"{nouns.features} in use", used, "used", False),
        ("rank", rank, "rank", False),
        ("objective", objective, "objective", True),
        ("lower bound", bound, "limit", True),
        ("distance from the optimum", distance, "gap", True),
        ("iterations", iterations, "iterations", True),
        ("time", seconds, "time", True),
    ]
    if now.warm:
        rows.append(("start", "from the fit before", "start", True))
    return [
        (name, text, MEANINGS[of].said(nouns, **values), folded) for name, text, of, folded in rows
    ]
