"""Reconstruction errors of samples that the fit never saw: uploaded, or held out by class."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset, DatasetError, ReadCancelledError
from cspca.datasets.files.foreign import is_picture
from cspca.experiments import unseen
from cspca.experiments.exports import File, to_csv
from cspca.experiments.fit import features_in_use
from cspca.experiments.jobs import Job
from cspca.experiments.live import LiveFit
from cspca.experiments.loading import files_in_words
from cspca.experiments.log import hashed
from cspca.experiments.unseen import Unseen
from cspca.figures.words import capitalised
from cspca.ui import along, asking, fields, fit_parts, follow, keys, pictures, state, visitor
from cspca.ui.components.picks import Pick, forget_pick, picks
from cspca.ui.data_page import sources
from cspca.ui.export import file_buttons
from cspca.ui.outliers_page.own import three
from cspca.ui.plain import button, noticed, plain
from cspca.ui.services import services
from cspca.ui.uploads import upload_limit

_SHOWN: Final = 24
_MANY: Final = 10
"""Fewest samples for a median."""


def section(view: state.View, dataset: Dataset) -> None:
    """Draw the section."""
    progress = fit_parts.attach(view, dataset)
    nouns = dataset.nouns
    fit_parts.earlier(progress, dataset)
    mode = fields.views(
        "Which",
        {"class": "Hold some out", "files": f"Bring new {nouns.samples}"},
        "new_how",
    )
    job = _uploaded(dataset) if mode == "files" else _held(dataset)
    if job is not None:
        follow.follow_job(job)
        _answer(job, dataset, mode)
        if job.snapshot is not None and not state.bare():
            _export(job.snapshot, dataset)
    elif progress.active:
        follow.follow_job(progress)
        _waiting(progress)


def _export(result: Unseen, dataset: Dataset) -> None:
    st.header("Export", anchor=False)
    note = "One a line, the largest error first, with its place among the fit’s own and its norm."
    csv = File(f"New {dataset.nouns.samples}, CSV", "new.csv", lambda: to_csv(result.table()), note)
    file_buttons(dataset.name, [csv], key="new")
    lines = st.session_state[keys.NEW_IMAGES_LINES]
    if lines:
        st.code(lines, language="python", wrap_lines=True)


def _waiting(now: Job) -> None:
    st.caption("The fit that they are mapped by is still at work.")
    st.skeleton(height=300)


def _held(dataset: Dataset) -> Job | None:
    nouns, label = dataset.nouns, None
    if dataset.has_classes:
        classes = sorted(set(dataset.labelled_target.tolist()))
        class_names = {label: dataset.class_name(label) for label in classes}
        label = fields.switch("Class held out", class_names, "new_class", draw=st.selectbox)
    else:
        st.caption(f"{dataset.without_scores}: every tenth of the {nouns.samples} is held out.")
    result = state.last_result(dataset)
    if result is None:
        return None
    names = [pictures.sample_name(dataset, index) for index in range(dataset.n_samples)]

    def work(job: Job) -> None:
        job.publish(unseen.hold_out(dataset, result, label, names))

    st.session_state[keys.NEW_IMAGES_LINES] = unseen.snippet(dataset, result.asked, label)

    return asking.ask("new", (dataset.sha256, label, result.asked), work)


def _uploaded(dataset: Dataset) -> Job | None:
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
    hashes = tuple((name, sha256(data).hexdigest()) for name, data in content)

    picture_names = [name for name, data in content if is_picture(data)]
    names = picture_names or [name for name, _ in content]
    lines = unseen.snippet_of_files(dataset, result.asked, names, crop=crop)
    st.session_state[keys.NEW_IMAGES_LINES] = lines

    def work(job: Job) -> None:
        stop = job.stop_requested
        try:
            new = unseen.read_new(content, dataset, crop, cancelled=stop)
        except ReadCancelledError:
            return
        except DatasetError as problem:
            job.error = str(problem)
            return
        answer = unseen.mapped(result.fit, new.data, new.names, new.sentences)
        job.publish(replace(answer, n_seen=unseen.count_seen(new.data, dataset.data)))

    return asking.ask("new", (dataset.sha256, hashes, crop, result.asked), work)


def _place() -> str:
    return f"{state.owner()} new images"


def _take(key: str) -> None:
    """Store an upload in place of the previous one."""
    upload = sources.taken(key)
    if upload:
        name = files_in_words([name for name, _ in upload])
        services().loading.files.put(_place(), upload, hashed(visitor.secret()), name)
        forget_pick("new_files")


def _answer(now: Job, dataset: Dataset, mode: str) -> None:
    if now.error is not None:
        st.error(plain(now.error), icon=":material/error:")
        return
    result: Unseen | None = now.snapshot
    if result is None:
        st.caption("Fitting again without them." if mode == "class" else "Reading.")
        st.skeleton(height=300)
        return
    for sentence in result.sentences:
        st.caption(plain(sentence))
    places, n = result.percentiles, len(result.errors)
    nouns = dataset.nouns
    summary = f"**{nouns.count_samples(n)} that the fit never saw.** "
    if result.n_seen == n == 1:
        summary = f"**1 {nouns.sample}, which is among those of the fit.** "
    elif result.n_seen == n:
        summary = f"**{nouns.count_samples(n)}, all among those of the fit.** "
    elif result.n_seen:
        n_seen = f"{result.n_seen:,} of them among those of the fit"
        summary = f"**{nouns.count_samples(n)}, {n_seen}.** "
    if n < _MANY:
        summary += f"Errors larger than those of {_span(places)} of its own {nouns.samples}."
    else:
        summary += (
            f"In the median their error is larger than that of {np.median(places):.0f} % of its "
            f"own; {int((places > 95).sum()):,} of {n:,} are beyond 95 %, where "
            f"{max(1, round(0.05 * n)):,} would be if they were like its own."
        )
    st.markdown(summary)
    titles = [capitalised(name) if mode == "class" else name for name in result.names]
    order = np.argsort(-result.errors, kind="stable")[:_SHOWN].tolist()
    shape = dataset.image_shape
    if shape is None:
        choices = [Pick(i, None, f"{result.names[i]}\n{places[i]:.0f} %") for i in order]
        picked = picks(
            choices,
            key=f"new_{mode}",
            label="Largest error first",
            n_samples=n,
            title_of=titles.__getitem__,
        )
        fit = state.last_result(dataset)
        if fit is not None and dataset.axis is not None:
            ranges = dataset.axis.ranges(features_in_use(fit.fit))
            sample, rebuilt = result.X[picked], result.rebuilt[picked]
            along.rebuilt_sample(
                dataset, ranges, sample, rebuilt, titles[picked], box="new_rebuilt"
            )
        return
    left, right = st.columns([7, 4], gap="large")
    with left:
        st.markdown("**Largest error first**, above so many per cent of the fit’s own.")
        choices = [Pick(i, result.X[i].reshape(shape), f"{places[i]:.0f} %") for i in order]
        picked = picks(
            choices,
            key=f"new_{mode}",
            label=f"New {nouns.samples}",
            n_samples=n,
            title_of=titles.__getitem__,
        )
    with right:
        st.markdown(f"**{plain(titles[picked])}**")
        three(result.X[picked].reshape(shape), result.rebuilt[picked].reshape(shape))
        st.caption(
            f"Error {result.errors[picked]:.3g}, larger than that of {places[picked]:.1f} % of the "
            f"{len(result.trained):,} {nouns.samples} of the fit."
        )


def _span(places: NDArray[np.float64]) -> str:
    """Return the range of the percentiles as text."""
    low, high = f"{places.min():.0f} %", f"{places.max():.0f} %"
    return low if low == high else f"{low} to {high}"
