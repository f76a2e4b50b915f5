"""Samples that the fit never saw: brought, or held out by class; how well does it rebuild them?"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset, DatasetError, ReadCancelledError
from cspca.experiments import unseen
from cspca.experiments.exports import File, to_csv
from cspca.experiments.jobs import Job
from cspca.experiments.live import LiveFit
from cspca.experiments.loading import files_in_words
from cspca.experiments.log import hashed
from cspca.experiments.unseen import Unseen
from cspca.ui import fields, fit_parts, follow, keys, pictures, state, visitor
from cspca.ui.components.picks import Pick, picks
from cspca.ui.data_page import sources
from cspca.ui.export import file_buttons
from cspca.ui.outliers_page import asking
from cspca.ui.outliers_page.own import three
from cspca.ui.plain import button, noticed, plain
from cspca.ui.services import services
from cspca.ui.uploads import upload_limit

_SHOWN: Final = 24
_MANY: Final = 10
"""Samples from which on a median says something."""


def section(view: state.View, dataset: Dataset) -> None:
    """Draw the section."""
    progress = fit_parts.attach(view, dataset)
    nouns = dataset.nouns
    fit_parts.earlier(progress, dataset)
    how = fields.views(
        "Which",
        {"class": "Hold some out", "files": f"Bring new {nouns.samples}"},
        "new_how",
    )
    job = _brought(dataset) if how == "files" else _held(dataset)
    if job is not None:
        follow.follow_job(job)
        _answer(job, dataset, how)
        if job.snapshot is not None and not state.bare():
            _export(job.snapshot, dataset, how)
    elif progress.active:
        follow.follow_job(progress)
        _waiting(progress)


def _export(found: Unseen, dataset: Dataset, how: str) -> None:
    st.header("Export", anchor=False)
    said = "One a line, the largest error first, with its place among the fit’s own and its norm."
    one = File(f"New {dataset.nouns.samples}, CSV", "new.csv", lambda: to_csv(found.table()), said)
    file_buttons(dataset.name, [one], key="new")
    lines = st.session_state[keys.NEW_IMAGES_LINES] if how == "class" else ""
    if lines:
        st.code(lines, language="python", wrap_lines=True)


def _waiting(now: Job) -> None:
    st.caption("The fit that they are mapped by is still at work.")
    st.skeleton(height=300)


def _held(dataset: Dataset) -> Job | None:
    nouns, label = dataset.nouns, None
    if dataset.has_classes:
        classes = sorted(set(dataset.labelled_target.tolist()))
        known = {label: dataset.class_name(label) for label in classes}
        label = fields.switch("Class held out", known, "new_class", draw=st.selectbox)
    else:
        st.caption(f"{dataset.without_scores}: every tenth of the {nouns.samples} is held out.")
    result = state.last_result(dataset)
    if result is None:
        return None
    names = [pictures.sample_name(dataset, one) for one in range(dataset.n_samples)]

    def work(job: Job) -> None:
        job.publish(unseen.hold_out(dataset, result, label, names))

    st.session_state[keys.NEW_IMAGES_LINES] = unseen.snippet(dataset, result.asked, label)

    return asking.ask("new", (dataset.sha256, label, result.asked), work)


def _brought(dataset: Dataset) -> Job | None:
    nouns, shape = dataset.nouns, dataset.image_shape
    size = "" if shape is None else f", brought to {shape[0]} × {shape[1]} and grey"
    key, files = sources.widget_key("new_files"), services().loading.files
    st.file_uploader(
        f"One or several {nouns.samples}{size}",
        accept_multiple_files=True,
        key=key,
        max_upload_size=upload_limit() >> 20,
        on_change=noticed,
        args=(_take, key),
        help="Read here, mapped by the fit in use, and never on disk.",
    )
    content = files.get(_place())
    if content:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(plain(f"From {files_in_words([name for name, _ in content])}."))
            button("Remove", "new_remove", "close", files.drop, _place())
    crop = False
    if shape is not None:
        crop = st.toggle(
            "Cut off margins where the proportions differ",
            **fields.persistent("new_crop"),
            help="Otherwise they are stretched.",
        )
    result: LiveFit | None = state.last_result(dataset)
    if not content or result is None:
        return None
    asked = tuple((name, sha256(data).hexdigest()) for name, data in content)

    def work(job: Job) -> None:
        how = {"cancelled": job.stop_requested}
        try:
            X, names, said = unseen.read_like(content, dataset, crop, **how)
        except ReadCancelledError:
            return
        except DatasetError as problem:
            job.error = str(problem)
            return
        job.publish(unseen.mapped(result.fit, X, names, said))

    return asking.ask("new", (dataset.sha256, asked, crop, result.asked), work)


def _place() -> str:
    return f"{state.owner()} new images"


def _take(key: str) -> None:
    """Keep what has come, in place of what came before."""
    brought = sources.taken(key)
    if brought:
        name = files_in_words([name for name, _ in brought])
        services().loading.files.put(_place(), brought, hashed(visitor.secret()), name)


def _answer(now: Job, dataset: Dataset, how: str) -> None:
    if now.error is not None:
        st.error(plain(now.error), icon=":material/error:")
        return
    found: Unseen | None = now.snapshot
    if found is None:
        st.caption("Fitting again without them." if how == "class" else "Reading.")
        st.skeleton(height=300)
        return
    for sentence in found.said:
        st.caption(plain(f"{sentence[0].upper()}{sentence[1:]}."))
    places, n = found.percentiles, len(found.errors)
    nouns = dataset.nouns
    said = f"**{nouns.count_samples(n)} that the fit never saw.** "
    if n < _MANY:
        said += f"Errors larger than those of {_span(places)} of its own {nouns.samples}."
    else:
        said += (
            f"In the median their error is larger than that of {np.median(places):.0f} % of its "
            f"own; {int((places > 95).sum()):,} of {n:,} are beyond 95 %, where "
            f"{max(1, round(0.05 * n)):,} would be if they were like its own."
        )
    st.markdown(said)
    order = np.argsort(-found.errors, kind="stable")[:_SHOWN].tolist()
    shape = dataset.image_shape
    if shape is None:
        items = [Pick(one, None, f"{found.names[one]}\n{places[one]:.0f} %") for one in order]
        picks(items, key="new", label="Largest error first", among=n)
        return
    left, right = st.columns([7, 4], gap="large")
    with left:
        st.markdown("**Largest error first**, above so many per cent of the fit’s own.")
        items = [Pick(one, found.X[one].reshape(shape), f"{places[one]:.0f} %") for one in order]
        picked = picks(items, key="new", label=f"New {nouns.samples}", among=n)
    with right:
        name = found.names[picked]
        st.markdown(f"**{plain(name.capitalize() if how == 'class' else name)}**")
        three(found.X[picked].reshape(shape), found.rebuilt[picked].reshape(shape))
        st.caption(
            f"Error {found.errors[picked]:.3g}, larger than that of {places[picked]:.1f} % of the "
            f"{len(found.trained):,} {nouns.samples} of the fit."
        )


def _span(places: NDArray[np.float64]) -> str:
    """From the least to the largest percentile, in words."""
    low, high = f"{places.min():.0f} %", f"{places.max():.0f} %"
    return low if low == high else f"{low} to {high}"
