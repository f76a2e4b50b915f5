"""What the scale of the values does to the ranking, on the Data page."""

from __future__ import annotations

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.datasets.numbering import correlation_text
from cspca.experiments.jobs import Job
from cspca.experiments.scaling import LISTED, ScaledMap, scaled_maps, scaling_table
from cspca.figures.curves import selected_ranges
from cspca.figures.style import ACCENT, NEUTRAL
from cspca.ui import asking, export, fields, follow, keys, pictures, programs, state
from cspca.ui.plain import button, plain, table


def draw_scales(view: state.View, dataset: Dataset) -> None:
    """Draw the maps of the set in use on several scales, once they are requested."""
    nouns, session = dataset.nouns, st.session_state
    label = f"What does the scale do to the ranking of {nouns.features}?"
    with (box := programs.fold(st.expander, label, "scales", icon=":material/balance:")):
        if not programs.is_drawn(box):
            return
        settings = (
            f"The same α and β, as shares of their limits ({fields.say(view.fit.alpha)} and "
            f"{fields.say(view.fit.beta)}), on each scale."
        )
        if view.fit.keep is not None:
            settings = f"About {nouns.count_features(view.fit.keep)} on each scale."
        st.markdown(f"{settings} None is the right one: it is part of the question.")
        if session.get(keys.SCALES_REQUESTED) != dataset.sha256:
            button("Fit on each scale", "scales_button", "play_arrow", _request, dataset)
            return

        def work(job: Job) -> None:
            job.publish(scaled_maps(dataset, view.fit, job.stop_requested))

        job = asking.ask("scales", (dataset.sha256, view.fit), work)
        follow.follow_job(job)
        if job.error is not None:
            st.error(plain(job.error), icon=":material/error:")
        elif job.snapshot is None:
            st.skeleton(height=260)
        else:
            _maps(job.snapshot, dataset)


def _request(dataset: Dataset) -> None:
    st.session_state[keys.SCALES_REQUESTED] = dataset.sha256


def _maps(maps: list[ScaledMap], dataset: Dataset) -> None:
    """Draw where the best features of each scale lie, and their table."""
    axis = dataset.axis
    if axis is not None:
        rows = {
            shown.title: (axis.ranges(shown.best), ACCENT if place else NEUTRAL)
            for place, shown in enumerate(maps)
        }
        words = " ".join(
            f"{shown.title}: {axis.ranges_in_words(shown.best)}." for shown in maps if shown.best
        )
        figure = selected_ranges(axis, rows, pictures.mean_sample(dataset), words)
        export.show(figure, "scales_ranges", of=dataset.name, name="scales", heading=True)
    table(scaling_table(maps, dataset), "Maps on several scales")
    least = min((shown.correlation for shown in maps), default=np.nan)
    st.caption(
        f"Rank correlation with the map of the values as they are: 1 is the same order, 0 none; "
        f"{correlation_text(least)} is the least here. The best {LISTED} are named where they have "
        "an order."
    )
