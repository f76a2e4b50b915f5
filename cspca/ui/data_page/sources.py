"""Sources of data: built-in sets, sets to fetch or to request, and the visitor's own files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any

import streamlit as st

from cspca.datasets import BUILTIN, BY_REQUEST, REMOTE, Answers, Dataset, is_cached
from cspca.datasets.files.foreign import FORMATS, PICTURE_SUFFIXES
from cspca.experiments.jobs import Job
from cspca.experiments.limits import limits
from cspca.experiments.loading import Source, files_in_words
from cspca.figures.words import megabytes
from cspca.ui import context, fields, follow, keys, pictures, programs, state
from cspca.ui.clock import day_and_time, when
from cspca.ui.data_page import draft
from cspca.ui.plain import button, guarded, noticed, plain
from cspca.ui.services import services
from cspca.ui.uploads import UPLOADS, upload_limit
from cspca.ui.windows import Glance


def see_first() -> None:
    """Draw the link to the Data page, for a preview before a file is used."""
    state.link("data", "Preview before using", ":material/photo_library:")


def sources(in_use: str, shown: str, *, shows_upload: bool) -> None:
    """Draw the upload area beside all sets; a refusal says that `shown` stays on the page.

    Where the page shows an upload the other sets are folded: it stands right below, in sight.
    """
    stays = f"Nothing below has changed: it is still {shown}."
    with st.container(key="sources"):
        left, right = st.columns([5, 8], gap="large")
    with left:
        uploader("bring")
        with st.popover("A whole folder", icon=":material/folder_open:"):
            uploader("bring", folder=True)
        _refused("bring", stays)
    with right:
        if not shows_upload:
            _all_sets(in_use, stays)
            return
        with (box := programs.fold(st.expander, "Other sets", "other_sets")):
            if programs.is_drawn(box):
                _all_sets(in_use, stays)


def _all_sets(in_use: str, stays: str) -> None:
    """Draw the visitor's own sets, the built-in ones, and those from elsewhere."""
    own_sets = draft.own_sets()
    names = ["Built in", "Fetch", "On request"]
    if own_sets:
        names = ["Your sets", *names]
    *own_tab, built_in, fetched, on_request = st.tabs(names)
    for tab in own_tab:
        with tab:
            _own(own_sets, in_use)
    with built_in:
        _built_in(in_use)
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
    with on_request, programs.folded("To be asked for", "sets_on_request") as is_drawn:
        if not is_drawn:
            return
        request_facts = ("where", "bring", "size", "terms", "citation")
        _elsewhere("To be asked for", BY_REQUEST, request_facts, "request_choice")


def choose_set(in_use: str) -> None:
    """Draw the menu of other sets, for the sidebar: the visitor's own first, then built-in ones."""
    titles: dict[str, str] = {}
    for own_set in draft.own_sets():
        if own_set.dataset is None or own_set.n_open:
            continue
        title = f"{own_set.name} · {_size(own_set.dataset)} · {day_and_time(own_set.came)}"
        # Equal titles would be one option.
        alike = sum(earlier.startswith(title) for earlier in titles.values())
        titles[own_set.key] = f"{title} ({alike + 1})" if alike else title
    titles |= {name: entry.title for name, entry in BUILTIN.items()}
    titles.pop(in_use, None)

    def use() -> None:
        key = st.session_state[keys.CHOOSE_SET]
        noticed(draft.use_builtin if key in BUILTIN else draft.use_own, key)

    st.menu_button(
        "Choose data",
        list(titles),
        key=keys.CHOOSE_SET,
        format_func=lambda key: plain(titles[key]),
        on_click=use,
        icon=":material/database:",
        width="stretch",
    )


def _own(own_sets: Sequence[draft.OwnSet], in_use: str) -> None:
    """Draw a line for each of the visitor's own sets."""
    height: Any = "content" if len(own_sets) <= 4 else 300
    with st.container(key="own_sets", height=height, border=False, gap="small"):
        for own_set in own_sets:
            with st.container(horizontal=True, vertical_alignment="center"):
                with st.container(gap=None):
                    # Names come from files: shown as plain text, never as markup.
                    st.text(own_set.name)
                    st.caption(f"{_state(own_set)}, {when(own_set.came)}")
                used, ready = own_set.key == in_use, not own_set.n_open
                button(
                    "In use" if used else "Use this set" if ready else "Answer",
                    f"use_own_{own_set.key}",
                    "check",
                    *(draft.use_own, own_set.key),
                    disabled=used,
                )


def _state(own_set: draft.OwnSet) -> str:
    """Return the size of a set as text, or how many questions about it are open."""
    if own_set.dataset is None or own_set.n_open:
        return "1 question open" if own_set.n_open == 1 else f"{own_set.n_open} questions open"
    return _size(own_set.dataset)


def _size(dataset: Dataset) -> str:
    """Return the number of samples and their memory as text."""
    samples = dataset.nouns.count_samples(dataset.n_samples)
    return f"{samples}, {megabytes(dataset.data.nbytes)}"


def _built_in(in_use: str) -> None:
    """Draw a line for each built-in set, so that what was uploaded stays in sight below them."""
    for name, entry in BUILTIN.items():
        dataset = services().library.get(name)
        picture, words, choice = st.columns([3, 5, 3], vertical_alignment="center")
        with picture:
            pictures.strip(dataset, count=8, columns=4)
        with words, st.container(gap=None):
            help_text = f"{dataset.description} {dataset.licence}."
            st.markdown(f"**{entry.title}**", help=help_text)
            st.caption(f"{dataset.summary}.")
        choice.button(
            "In use" if in_use == name else "Use these",
            key=f"use_{name}",
            on_click=draft.use_builtin,
            args=(name,),
            disabled=in_use == name,
            width="stretch",
        )


def _elsewhere(label: str, catalogue: Mapping[str, Any], facts: Sequence[str], key: str) -> str:
    """Draw the choice of a set from elsewhere, with the facts on the chosen one."""
    titles = {name: external.title.split(" (")[0] for name, external in catalogue.items()}
    name: str = fields.views(label, titles, key)
    external = catalogue[name]
    heads = {"where": "How", "download_size": "Download", "citation": "Please cite"}
    lines = [plain(external.description), ""]
    for fact in facts:
        head = heads.get(fact, fact.capitalize())
        lines.append(f"- **{head}**: {plain(str(getattr(external, fact)).rstrip('.'))}.")
    with programs.folded(f"About {titles[name]}", f"{key}_facts") as is_drawn:
        if is_drawn:
            st.markdown("\n".join([*lines, f"- **Where**: <{external.homepage}>"]))
    return name


def uploader(place: str, *, folder: bool = False) -> None:
    """Draw the upload area for the visitor's files; at `draft.QUICK` they are used at once."""
    key = widget_key(f"upload_file_{place}{'_folder' if folder else ''}")
    kinds = (
        f"One data file ({', '.join(FORMATS)}; .zip: images in class folders), such as a table of "
        "spectra or of genes; several images; or data and a second file with the labels of its "
        "samples. "
    )
    usage = "Read, and taken in use at once. " if place == draft.QUICK else ""
    st.file_uploader(
        "Upload a folder of images, one folder a class" if folder else "Upload files",
        # Files of any type: a file that cannot be read gets a full error message.
        type=[suffix.lstrip(".") for suffix in PICTURE_SUFFIXES] if folder else None,
        accept_multiple_files="directory" if folder else True,
        max_upload_size=upload_limit() >> 20,
        key=key,
        on_change=_arrived,
        args=(key, place),
        help=f"{'' if folder else kinds}{usage}What you upload stays in the memory of this server, "
        f"for {limits().upload_hours:,g} hours at most. Your sets list it for you alone; anyone "
        "with the link of your page can see it.",
    )


def refused_by_proxy() -> str:
    """Return the sentence about an upload that a proxy refused with status 413."""
    return (
        "The proxy before this server let no file of this size through (status 413), and nothing "
        f"was taken. The server itself takes {upload_limit() >> 20:,} MB: bring a smaller file, or "
        "ask whoever runs it to raise the limit of the proxy, client_max_body_size in nginx."
    )


def widget_key(name: str) -> str:
    """Return the key of an upload widget; it changes when an upload has been taken."""
    rounds = int(st.session_state.setdefault(keys.UPLOAD_ROUND, 0))
    return f"{name}_{rounds}" if rounds else name


@guarded
def _arrived(key: str, place: str) -> None:
    """Start to read an upload, before the page is drawn."""
    files = taken(key)
    if files:
        source = Source(files_in_words([name for name, _ in files]), files)
        draft.bring(source, Answers(), draft.Asked(place))


def taken(key: str) -> tuple[tuple[str, bytes], ...]:
    """Return the files of an upload and release them; Streamlit keeps them until the tab closes.

    If a part of an upload was refused, none of it is returned, and a notice says why.
    """
    session = context.session_id()
    named: Sequence[Any] = st.session_state.get(key) or ()
    # A file without a stream is missing: it was refused, or it is taken already, for a browser may
    # name its files again before it learns that they were taken.
    arrived: list[Any] = [file for file in named if isinstance(file, BytesIO)]
    missing = [file.file_id for file in named if not isinstance(file, BytesIO)]
    refusal = UPLOADS.refusal(session, missing)
    files = () if refusal else tuple((file.name, file.getvalue()) for file in arrived)
    UPLOADS.release(session, [file.file_id for file in arrived])
    if refusal:
        state.add_notice(refusal)
    # A new key empties the widget.
    rounds = st.session_state.get(keys.UPLOAD_ROUND, 0)
    st.session_state[keys.UPLOAD_ROUND] = rounds + bool(files or refusal)
    return files


def quick_reading(place: str) -> None:
    """Draw the progress of a file that is used at once, or the reason of its refusal."""
    progress = draft.reading(place)
    if progress is not None:
        waiting(progress, place)
    _refused(place)


def waiting(progress: Job, place: str) -> None:
    """Draw the progress bar of a reading job."""
    job, jobs = progress.id, services().loading.jobs
    name = f"loading_{place}"
    # A job that has ended meanwhile is applied on the next rerun, so that rerun is due.
    shown = replace(_glance(progress), state=(True, progress.stopping))
    follow.follow(name, follow.look_of(jobs, job, _glance), shown)
    key, wide = f"loading_box_{place}", place == "page"
    with st.container(key=key, horizontal=wide, vertical_alignment="center"):
        follow.bar(name, shown)
        options = {"disabled": progress.stopping, "width": "content"}
        button("Cancel", f"cancel_load_button_{place}", "close", draft.cancel, job, **options)


def _glance(job: Job) -> Glance:
    name, share = job.snapshot.name, min(1.0, max(0.0, job.snapshot.fraction))
    # The length of the text must not change while the bar is shown.
    name = name if len(name) <= 20 else f"{name[:10]}…{name[-9:]}"
    doing = f"{job.snapshot.words} ({100 * share:.0f} %)"
    if job.position is not None:
        doing = f"waiting, {job.place}"
    elif job.stopping:
        doing = "stopping"
    state = job.active, job.stopping
    return Glance(state, share=share, words=f"{name}: {doing}", active=job.active)


def _refused(place: str, stays: str = "") -> None:
    """Draw why a request at this place was refused.

    `stays` is a sentence that names the set that stays on the page.
    """
    refusal = draft.refusal(place)
    if refusal is None:
        return
    opened = draft.opened()
    if refusal.job is not None and refusal.job == st.session_state.get(keys.DRAFT_JOB) and opened:
        # The file was read, and is used once its questions are answered.
        st.warning(plain(refusal.refusal), icon=":material/help:")
        state.link("data", "Answer on Data", ":material/help:")
        return
    st.error(plain(refusal.refusal), icon=":material/error:")
    if stays:
        st.caption(plain(stays))
