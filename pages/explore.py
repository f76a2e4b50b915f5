"""Explore: move the penalties and see which pixels stay."""

from typing import Any

import streamlit as st

from cspca.datasets import Dataset
from cspca.datasets.export import may_be_shown
from cspca.experiments.experiment import Outcome
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import Job, JobState
from cspca.experiments.live import LiveFit
from cspca.ui import fit_parts, frame, live, presets, samples, state, visitor
from cspca.ui.controls import controls
from cspca.ui.export import SAME, offer
from cspca.ui.guard import button
from cspca.ui.services import runs

WARM = (
    "This fit started from an earlier one; these lines start afresh. Both are within their "
    "certified gap of the optimum, so the scores agree to about that, not to the last digit: a "
    "smaller tolerance brings them together."
)


def body(view: state.View, dataset: Dataset) -> None:
    progress = live.attach(view, dataset)
    preset = presets.find(view.preset)
    if preset is not None:
        st.info(f"**{preset.title}**  \n{preset.lesson}", icon=preset.icon)
    with st.container(key="explore_columns"):
        side, main = st.columns([4, 11], gap="large")
    with side:
        controls(view, dataset, progress)

    def stage(now: Job) -> None:
        fit_parts.status(now, dataset)
        if now.state is JobState.FAILED:
            return
        left, right = st.columns(2, gap="small")
        with left:
            fit_parts.importance_map(now, dataset, top_k=view.k)
        with right:
            fit_parts.convergence_chart(now, dataset)

    with main:
        live.live(progress, stage, first=state.last_result(dataset) is None)

    result, stale = state.last_result(dataset), not progress.snapshot.fits
    samples.truth(dataset, result, stale=stale)
    index = 0
    if dataset.image_shape is not None:
        st.subheader("What is left of one picture?", anchor=False)
        index = samples.choose(dataset)
        samples.faces(dataset, result, index, view.k, stale=stale)
    else:
        st.subheader("Which features are best?", anchor=False)
        fit_parts.score_list(dataset, result, view.k)
    left, right = st.columns([6, 5], gap="large")
    with left:
        fit_parts.score_chart(dataset, result, view.k)
    with right:
        st.subheader("Export", anchor=False)
        export(dataset, result, view.k, index, stale=stale)
        keep(view.data, result, stale=stale)


def export(
    dataset: Dataset, result: LiveFit | None, top_k: int, index: int, *, stale: bool
) -> None:
    """Draw what can be taken away; until there is a result the buttons sleep."""
    wished = image_wish(dataset)
    if result is None:
        st.caption("The lines of Python that repeat this fit appear here when it is done.")
        offer(Outcome(Fit(), dataset, {}), ready=False)
        return
    kept = st.session_state.get("outcome_read")
    if kept is None or kept[0] is not result:
        kept = st.session_state["outcome_read"] = result, result.outcome(dataset)
    about: dict[str, Any] = {"top_k": top_k, "seconds": result.seconds}
    if wished:
        about["example"] = (
            dataset.image(index),
            samples.rebuilt(dataset, result, index),
            samples.sample_name(dataset, index),
        )
    warm = result.warm or result.asked.keep is not None
    offer(kept[1], note=WARM if warm else SAME, ready=not stale, **about)


def image_wish(dataset: Dataset) -> bool:
    """Ask whether an image of the data goes into the report."""
    if dataset.image_shape is None:
        return False
    # What was wished of one set is no wish for the next.
    key = f"report_with_images_{dataset.sha256[:8]}"
    st.session_state.setdefault(key, may_be_shown(dataset.licence))
    return st.checkbox(
        "Show the picture above in the report too",
        key=key,
        persist_state="session",
        help="Otherwise the report holds maps and masks alone. "
        f"Terms of these data: {dataset.licence or 'not known'}.",
    )


def keep(data: str, result: LiveFit | None, *, stale: bool) -> None:
    """Draw the button by which Explore leaves something in the store."""
    button(
        "Keep this fit",
        "keep_fit_button",
        "bookmark_add",
        kept,
        data,
        result,
        disabled=result is None or stale,
        help="Computes it once more, from a cold start, and keeps its numbers, scores and course "
        "on the server’s disk: see Runs.",
    )


def kept(data: str, result: LiveFit) -> None:
    """Compute the fit once more, in the store (the button's callback)."""
    runs().start(result.asked, data, owner=visitor.secret())
    st.toast("Kept: it is computed once more, and listed under Runs.", icon=":material/check:")


frame.page(
    title="What do α and β keep?",
    lead=lambda nouns: (
        f"α sets {nouns.features} to exactly zero, β lowers the rank. Every fit says how close to "
        "the best possible it is proven to be."
    ),
    body=body,
)
