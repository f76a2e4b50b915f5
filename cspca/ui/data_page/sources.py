"""Where images come from: what is built in, what can be fetched or asked for, one's own files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any

import streamlit as st

from cspca.datasets import BUILTIN, BY_REQUEST, REMOTE, Dataset, ReadChoices, is_cached
from cspca.datasets.files.foreign import FORMATS, PICTURE_SUFFIXES
from cspca.experiments.jobs import Job
from cspca.experiments.limits import limits
from cspca.experiments.loading import Source, files_in_words
from cspca.figures.words import megabytes
from cspca.ui import context, fields, follow, keys, pictures, state
from cspca.ui.clock import day_and_time, when
from cspca.ui.data_page import draft
from cspca.ui.data_page.recognised import named
from cspca.ui.plain import button, guarded, noticed, plain
from cspca.ui.services import services
from cspca.ui.uploads import UPLOADS, upload_limit
from cspca.ui.windows import Glance


def see_first() -> None:
    """Draw the way to a closer look before a file is taken in use."""
    state.link("data", "Preview before using", ":material/photo_library:")


def sources(in_use: str, shown: str) -> None:
    """Draw the place for one's own files beside all sets; `shown` stays below when refused."""
    stays = f"Nothing below has changed: it is still {shown}."
    with st.container(key="sources"):
        left, right = st.columns([5, 8], gap="large")
    with left:
        uploader("bring")
        label = "Folder or missing values"
        with st.popover(label, icon=":material/more_horiz:"):
            uploader("bring", folder=True)
            st.toggle(
                "Leave out samples with missing values",
                **fields.persistent(keys.DROP_BAD_TOGGLE),
                help="Rather than refuse a file that holds NaN or infinite values.",
            )
        _refused("bring", stays)
    own_sets = draft.own_sets()
    with right:
        names = ["Built in", "Fetch", "On request"]
        if own_sets:
            names = ["Your sets", *names]
        *own_tab, built_in, fetched, on_request = st.tabs(names)
        for tab in own_tab:
            with tab:
                _own(own_sets, in_use)
        with built_in:
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
        with on_request:
            known = ("where", "bring", "size", "terms", "citation")
            _elsewhere("To be asked for", BY_REQUEST, known, "request_choice")


def choose_set(in_use: str) -> None:
    """Draw the choice of another set, for the sidebar: one's own first, then what is built in."""
    titles: dict[str, str] = {}
    for own_set in draft.own_sets():
        title = f"{own_set.dataset.name} · {_size(own_set.dataset)} · {day_and_time(own_set.came)}"
        # Two of one title would be one.
        alike = sum(other.startswith(title) for other in titles.values())
        titles[own_set.key] = f"{title} ({alike + 1})" if alike else title
    titles |= {name: entry.title for name, entry in BUILTIN.items()}
    titles.pop(in_use, None)

    def use() -> None:
        key = st.session_state[keys.CHOOSE_SET]
        noticed(draft.use_known if key in BUILTIN else draft.use_own, key)

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
                    st.text(own_set.dataset.name)
                    st.caption(f"{_size(own_set.dataset)}, {when(own_set.came)}")
                used = own_set.key == in_use
                button(
                    "In use" if used else "Use this set",
                    f"use_own_{own_set.key}",
                    "check",
                    *(draft.use_own, own_set.key),
                    disabled=used,
                )


def _size(dataset: Dataset) -> str:
    """Say how many samples there are, and how much memory they take."""
    samples = dataset.nouns.count_samples(dataset.n_samples)
    return f"{samples}, {megabytes(dataset.data.nbytes)}"


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
    """Draw the place for one's own files; at `draft.QUICK` they are taken in use at once."""
    key = widget_key(f"upload_file_{place}{'_folder' if folder else ''}")
    kinds = f"A {', '.join(FORMATS)} file (.zip: images in class folders), or several images. "
    said = "Read, and taken in use at once. " if place == draft.QUICK else ""
    st.file_uploader(
        "Upload a folder of images, one folder a class" if folder else "Upload images",
        # Files of any kind: what cannot be read gets a sentence of ours, not only a red sign.
        type=[suffix.lstrip(".") for suffix in PICTURE_SUFFIXES] if folder else None,
        accept_multiple_files="directory" if folder else True,
        max_upload_size=upload_limit() >> 20,
        key=key,
        on_change=_arrived,
        args=(key, place),
        help=f"{'' if folder else kinds}{said}What you upload stays in the memory of this server, "
        f"for {limits().upload_hours:,g} hours at most. Your sets list it for you alone; anyone "
        "with the link of your page can see it.",
    )


def widget_key(name: str) -> str:
    """The key of a widget for files: another one when what it was brought has been taken."""
    rounds = int(st.session_state.setdefault(keys.UPLOAD_ROUND, 0))
    return f"{name}_{rounds}" if rounds else name


@guarded
def _arrived(key: str, place: str) -> None:
    """Begin to read what has just come, before the page is drawn."""
    files = taken(key)
    if files:
        choices = ReadChoices(drop_bad=bool(st.session_state.get(keys.DROP_BAD_TOGGLE)))
        source = Source(files_in_words([name for name, _ in files]), files)
        draft.bring(source, choices, draft.Asked(place))


def taken(key: str) -> tuple[tuple[str, bytes], ...]:
    """Take what a widget has been brought; Streamlit would hold it until the tab is closed.

    Where a part of an upload was refused, nothing of it is taken, and a notice says why.
    """
    session = context.session_id()
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
    rounds = st.session_state.get(keys.UPLOAD_ROUND, 0)
    st.session_state[keys.UPLOAD_ROUND] = rounds + bool(files or refusal)
    return files


def quick_reading(place: str) -> None:
    """Draw how far what is taken in use at once is, or why it was refused."""
    progress = draft.reading(place)
    if progress is not None:
        waiting(progress, place)
    _refused(place)


def waiting(progress: Job, place: str) -> None:
    """Draw the bar while there is something to wait for."""
    job, jobs = progress.id, services().loading.jobs
    name = f"loading_{place}"
    # What has ended since the page looked is taken over when it is drawn anew, so that is due.
    shown = replace(_glance(progress), state=(True, progress.stopping))
    follow.follow(name, follow.look_of(jobs, job, _glance), shown)
    key, wide = f"loading_box_{place}", place == "page"
    with st.container(key=key, horizontal=wide, vertical_alignment="center"):
        follow.bar(name, shown)
        how = {"disabled": progress.stopping, "width": "content"}
        button("Cancel", f"cancel_load_button_{place}", "close", draft.cancel, job, **how)


def _glance(now: Job) -> Glance:
    name, share = now.snapshot.name, min(1.0, max(0.0, now.snapshot.fraction))
    # It must not grow while one looks.
    name = name if len(name) <= 20 else f"{name[:10]}…{name[-9:]}"
    doing = f"{now.snapshot.words} ({100 * share:.0f} %)"
    if now.position is not None:
        doing = f"waiting, {now.place}"
    elif now.stopping:
        doing = "stopping"
    state = now.active, now.stopping
    return Glance(state, share=share, words=f"{name}: {doing}", active=now.active)


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
