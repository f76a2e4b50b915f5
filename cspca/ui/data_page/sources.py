"""Where images come from: what is built in, what can be fetched or asked for, one's own files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from cspca.datasets import BUILTIN, BY_REQUEST, REMOTE, ReadChoices, is_cached
from cspca.datasets.files.foreign import FORMATS, PICTURE_SUFFIXES
from cspca.experiments.jobs import Job
from cspca.experiments.limits import limits
from cspca.experiments.loading import Source, files_in_words
from cspca.ui import fields, pictures, state
from cspca.ui.data_page import draft
from cspca.ui.data_page.recognised import named
from cspca.ui.plain import button, guarded, plain, polled
from cspca.ui.services import services
from cspca.ui.uploads import UPLOADS, upload_limit


def gallery(in_use: str) -> None:
    """Draw one card a built-in data set and one for an upload that is taken in use at once."""
    with st.container(key="gallery"):
        cells = st.columns(len(BUILTIN) + 1)
        _built_in(in_use, cells[:-1])
        with cells[-1].container(border=True, height="stretch"):
            st.markdown("**Your own**")
            uploader("gallery")
            see_first()
            # A place that is kept, so that nothing moves: a bar with two lines of words and Cancel.
            fits = draft.refusal("gallery") is None
            with st.container(height=116 if fits else "content", border=False):
                quick_reading("gallery")


def see_first() -> None:
    """Draw the way to a closer look before a file is taken in use."""
    state.link("data", "See it first: the Data page", ":material/photo_library:")


def sources(in_use: str, shown: str) -> None:
    """Draw the gallery beside the place for one's own files; `shown` stays below when refused."""
    stays = f"Nothing below has changed: it is still {shown}."
    with st.container(key="sources"):
        left, right = st.columns([7, 5], gap="large")
    with left:
        here, fetched, asked = st.tabs(["Here already", "Fetch", "By request"])
        with here:
            _built_in(in_use, st.columns(len(BUILTIN)))
        with fetched:
            facts = ("size", "download_size", "licence", "citation")
            name = _elsewhere("Fetched from its owner", REMOTE, facts, "remote_choice")
            label, icon = f"Fetch {REMOTE[name].download_size}", "download"
            if is_cached(name):
                label, icon = "Open the kept copy", "folder_open"
            button(label, "fetch_button", icon, draft.fetch, name)
            refusal = draft.refusal("fetch")
            if refusal is not None and refusal.answer == name:
                _refused("fetch", stays)
        with asked:
            known = ("where", "bring", "size", "terms", "citation")
            _elsewhere("To be asked for", BY_REQUEST, known, "request_choice")
    with right:
        uploader("bring")
        label = "A whole folder, or data with missing values"
        with st.popover(label, icon=":material/more_horiz:"):
            uploader("bring", folder=True)
            st.toggle(
                "Leave out samples with missing values",
                **fields.persistent("drop_bad_toggle"),
                help="Rather than refuse a file that holds NaN or infinite values.",
            )
        _refused("bring", stays)


def _built_in(in_use: str, cells: Sequence[Any]) -> None:
    for (name, entry), cell in zip(BUILTIN.items(), cells, strict=True):
        with cell.container(border=True, height="stretch"):
            dataset = services().library.get(name)
            st.markdown(f"**{entry.title}**")
            pictures.strip(dataset, count=16, columns=8)
            st.caption(f"{dataset.description} {dataset.summary}. {dataset.licence}.")
            st.button(
                "In use" if in_use == name else "Use these",
                key=f"use_{name}",
                on_click=draft.use_known,
                args=(name,),
                disabled=in_use == name,
                width="stretch",
            )


def _elsewhere(label: str, among: Mapping[str, Any], facts: Sequence[str], key: str) -> str:
    """Draw the choice of a set that lies elsewhere, with what is to be known of it first."""
    titles = {name: one.title.split(" (")[0] for name, one in among.items()}
    name: str = fields.views(label, titles, key)
    one = among[name]
    heads = {"where": "How", "download_size": "Download", "citation": "Please cite"}
    lines = [plain(one.description), ""]
    for fact in facts:
        head = heads.get(fact, fact.capitalize())
        lines.append(f"- **{head}**: {plain(str(getattr(one, fact)).rstrip('.'))}.")
    st.markdown("\n".join([*lines, f"- **Where**: <{one.homepage}>"]))
    return name


def uploader(place: str, *, folder: bool = False) -> None:
    """Draw the place for one's own files; those of `draft.QUICK` are taken in use at once."""
    key = widget_key(f"upload_file_{place}{'_folder' if folder else ''}")
    label = f"A {', '.join(FORMATS)} file (.zip: images in class folders), or several images"
    said = "Read, and taken in use at once. " if place in draft.QUICK else ""
    st.file_uploader(
        "A folder of images, one folder a class" if folder else label,
        # Files of any kind: what cannot be read gets a sentence of ours, not only a red sign.
        type=[suffix.lstrip(".") for suffix in PICTURE_SUFFIXES] if folder else None,
        accept_multiple_files="directory" if folder else True,
        max_upload_size=upload_limit() >> 20,
        key=key,
        on_change=_arrived,
        args=(key, place),
        help=f"{said}What you bring stays in the memory of this server, for "
        f"{limits().upload_hours:,g} hours at most, and is reachable only through the address of "
        "your page.",
    )


def widget_key(name: str) -> str:
    """The key of a widget for files: another one when what it was brought has been taken."""
    rounds = int(st.session_state.setdefault("upload_round", 0))
    return f"{name}_{rounds}" if rounds else name


@guarded
def _arrived(key: str, place: str) -> None:
    """Begin to read what has just come, before the page is drawn."""
    files = taken(key)
    if files:
        choices = ReadChoices(drop_bad=bool(st.session_state.get("drop_bad_toggle")))
        source = Source(files_in_words([name for name, _ in files]), files)
        draft.bring(source, choices, draft.Asked(place))


def taken(key: str) -> tuple[tuple[str, bytes], ...]:
    """Take what a widget has been brought; Streamlit would hold it until the tab is closed.

    Where a part of an upload was refused, nothing of it is taken, and a notice says why.
    """
    context = get_script_run_ctx()
    session = "" if context is None else context.session_id
    named: Sequence[Any] = st.session_state.get(key) or ()
    # What is no stream is not there: refused, or taken already, for a browser may name its files
    # once more before it hears that they were taken.
    arrived: list[Any] = [file for file in named if isinstance(file, BytesIO)]
    missing = [file.file_id for file in named if not isinstance(file, BytesIO)]
    refusal = UPLOADS.refusal(session, missing)
    files = () if refusal else tuple((file.name, file.getvalue()) for file in arrived)
    UPLOADS.release(session, [file.file_id for file in arrived])
    if refusal:
        state.add_notice(refusal)
    # A new key empties the widget.
    rounds = st.session_state.get("upload_round", 0)
    st.session_state["upload_round"] = rounds + bool(files or refusal)
    return files


def quick_reading(place: str) -> None:
    """Draw how far what is taken in use at once is, or why it was refused."""
    # The sidebar shows it on pages that have no place of their own for it.
    progress = draft.reading(*(draft.QUICK if place == "sidebar" else (place,)))
    if progress is not None:
        waiting(progress, place)
        if place != "sidebar":
            st.html("<style>.st-key-loading_box_sidebar {display: none}</style>")
    _refused(place)


def waiting(progress: Job, place: str) -> None:
    """Draw the bar while there is something to wait for; when it ends, run the page once more."""
    job, wide = progress.id, place == "page"

    def stage() -> None:
        now = services().loading.jobs.view(job)
        if now is None or not now.active:
            st.rerun()
        name, fraction = now.snapshot.name, min(1.0, max(0.0, now.snapshot.fraction))
        # It must not grow while one looks.
        name = name if len(name) <= 20 else f"{name[:10]}…{name[-9:]}"
        doing = f"{now.snapshot.words} ({100 * fraction:.0f} %)"
        if now.position is not None:
            doing = f"waiting, {now.place}"
        elif now.stopping:
            doing = "stopping"
        key = f"loading_box_{place}"
        with st.container(key=key, horizontal=wide, vertical_alignment="center"):
            st.progress(fraction, text=plain(f"{name}: {doing}"))
            key, off = f"cancel_load_button_{place}", now.stopping
            button("Cancel", key, "close", draft.cancel, job, disabled=off, width="content")

    polled(0.25, stage)


def _refused(place: str, stays: str = "") -> None:
    """Draw the refusal of what was brought or fetched here, and the choice that would mend it.

    `stays` is a sentence that says what is shown all the same.
    """
    refusal = draft.refusal(place)
    if refusal is None:
        return
    st.error(plain(refusal.refusal), icon=":material/error:")
    if stays:
        st.caption(plain(stays))
    job = services().loading.jobs.view(refusal.job)
    options = None if job is None else job.snapshot.options
    if options is None:
        return
    field, question = "data", "Which array holds the images?"
    if not options.data:
        field, question = "labels", "Which classes, then?"
    among = named(options.data or options.labels)
    key = f"choice_refused_{place}_{field}"
    if among:
        st.selectbox(
            question,
            list(among),
            format_func=among.__getitem__,
            index=None,
            placeholder="Choose one",
            key=key,
            on_change=lambda: draft.choose(field, st.session_state[key], refusal),
        )
