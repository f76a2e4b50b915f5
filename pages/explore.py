"""Explore: move the penalties and see which pixels stay."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.ui import frame, keys, live, presets, state
from cspca.ui.controls import controls
from cspca.ui.keep import keep_fit
from cspca.ui.panels import faces
from cspca.ui.panels.course import convergence_chart
from cspca.ui.panels.importance import importance_map
from cspca.ui.panels.scores import score_chart, score_list
from cspca.ui.panels.status import status
from cspca.ui.panels.takeaway import takeaway
from cspca.ui.panels.truth import truth


def body(view: state.View, dataset: Dataset) -> None:
    progress = live.attach(view, dataset)
    preset = presets.find(view.preset)
    if preset is not None:
        st.info(f"**{preset.title}**  \n{preset.lesson}", icon=preset.icon)
    with st.container(key=keys.BOX_EXPLORE):
        side, main = st.columns([4, 11], gap="large")
    with side:
        controls(view, dataset, progress)

    def stage(now: live.FitProgress) -> None:
        status(now, dataset)
        if now.failed:
            return
        left, right = st.columns(2, gap="small")
        with left:
            importance_map(now, dataset, top_k=view.top_k)
        with right:
            convergence_chart(now, dataset, height=340)

    with main:
        live.live(progress, stage, first=state.last_result(dataset) is None)

    result, stale = state.last_result(dataset), progress.snapshot.result is None
    truth(dataset, result, stale=stale)
    index = 0
    if dataset.image_shape is not None:
        st.subheader("What is left of one picture?", anchor=False)
        index = faces.face_slider(dataset)
        faces.faces(dataset, dataset.image_shape, result, index, view.top_k, stale=stale)
    else:
        st.subheader("Which features are best?", anchor=False)
        score_list(dataset, result, view.top_k)
    left, right = st.columns([6, 5], gap="large")
    with left:
        score_chart(dataset, result, view.top_k)
    with right:
        st.subheader("Take it with you", anchor=False)
        takeaway(view, dataset, result, stale=stale, image=index)
        keep_fit(view, result, stale=stale)


frame.page(
    title="What do α and β keep?",
    lead=lambda nouns: (
        f"α sets {nouns.features} to exactly zero, β lowers the rank. Every fit says how close to "
        "the best possible it is proven to be."
    ),
    body=body,
)
