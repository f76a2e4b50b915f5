"""The data of a saved run: found again, made again, or uploaded again by the name of their file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from cspca.datasets import BUILTIN, DatasetError, is_cached
from cspca.datasets.files.foreign import FORMATS, PICTURE_SUFFIXES
from cspca.experiments.database import StoreError
from cspca.experiments.loading import Origin, Source, files_in_words
from cspca.figures.words import megabytes
from cspca.ui import keys, state, visitor
from cspca.ui.data_page import draft, sources
from cspca.ui.plain import button, guarded, plain
from cspca.ui.services import runs, services
from cspca.ui.uploads import upload_limit

if TYPE_CHECKING:
    from cspca.experiments.store import RunRecord


def origin_of(run: RunRecord) -> Origin | None:
    """What the data of a run were made from, where the run knows."""
    return Origin.of(run.data.recipe.source, run.data.sha256)


def find(run: RunRecord) -> str | None:
    """Name or id of a run's data in the library; None when they are not there."""
    library, record = services().library, run.data
    for key in dict.fromkeys([state.data_in_use(), *(data for _, data in state.shown_runs())]):
        # A built-in set that nobody has used yet would have to be made, or fetched, to know.
        if key in BUILTIN and key != st.session_state.get(keys.VIEW_DATA):
            continue
        try:
            if key in library and library.get(key).sha256 == record.sha256:
                return str(key)
        except DatasetError:
            continue
    if record.builtin in BUILTIN and record.builtin in library:
        return str(record.builtin)
    return library.find(record.sha256, visitor.sight())


def at_hand(run: RunRecord) -> bool:
    """Whether the data of a run are here, or can be made without a file of the visitor's."""
    if run.kept or is_cached(run.data.builtin) or find(run) is not None:
        return True
    origin = origin_of(run)
    return origin is not None and origin.function == "load" and origin.names[0] in BUILTIN


def data_of(run: RunRecord) -> str:
    """Name or id of a run's data in the library, put there if need be; ValueError if missing."""
    library = services().library
    found = find(run)
    if found is not None:
        return found
    if run.kept or is_cached(run.data.builtin):
        return str(library.add(runs().store.data(run.id), visitor.secret()))
    origin = origin_of(run)
    if origin is not None and origin.function == "load":
        made = origin.follow_steps(library.get(origin.names[0]))
        if made.sha256 == run.data.sha256:
            return str(library.add(made, visitor.secret()))
    raise ValueError(f"The data of this run, {run.data.name}, are not kept here any more.")


def keep(run: RunRecord) -> None:
    """Offer to keep the data too, where they are the visitor's own and at hand."""
    key = None if run.data.builtin or run.kept else find(run)
    if key is None:
        return
    dataset = services().library.get(key)
    said = (
        "On the server’s disk, so that the run can be opened and continued after a restart or on "
        "another day. Otherwise only their fingerprint is kept, and you upload the file again."
    )
    label = f"Keep its data too ({megabytes(dataset.data.nbytes)})"
    call = "database", runs().keep_data, run.id, dataset, visitor.secret()
    button(label, f"keep_data_of_run_{run.id}", *call, help=said)


def upload_again(run: RunRecord, place: str) -> None:
    """Draw the place for the files that a run was made from, by their name.

    How far they are read, and why others are refused, `sources.quick_reading` draws.
    """
    origin = origin_of(run)
    if origin is None or not origin.is_upload:
        state.link("data", f"Fetch {run.data.name} on Data", ":material/download:")
        return
    name = files_in_words(origin.names)
    rest = "the rest of the run is computed" if run.can_resume else "the run can be opened"
    # Another one afterwards, so that it is closed.
    key = sources.widget_key(f"upload_of_{place}")
    with st.popover(f"Upload {plain(name)}", icon=":material/upload_file:", key=key):
        st.caption(
            f"The data of this run are not kept here, only their fingerprint. Upload {plain(name)} "
            f"again: when it is the same, {rest}."
        )
        suffixes = (*FORMATS, *PICTURE_SUFFIXES)
        has_suffix = all(one.lower().endswith(suffixes) for one in origin.names)
        _uploader(run, origin, place, folder=False)
        if not has_suffix:
            _uploader(run, origin, place, folder=True)


def offer_for_link() -> None:
    """Offer the upload for a run that the address names and whose data are gone."""
    library = services().library
    for (_, data), view_id in state.shown_runs().items():
        if data in library:
            continue
        try:
            run = runs().store.view(view_id)
        except StoreError:
            continue
        if not at_hand(run):
            with st.container(key="missing_data", gap="small"):
                st.caption(plain(f"The data of {run.name}, which this link names, are missing."))
                upload_again(run, draft.LINK)
                sources.quick_reading(draft.LINK)
            return


def _uploader(run: RunRecord, origin: Origin, place: str, *, folder: bool) -> None:
    key = sources.widget_key(f"upload_file_{place}{'_folder' if folder else ''}")
    st.file_uploader(
        "The folder with its images" if folder else "The same file as then",
        accept_multiple_files="directory" if folder else True,
        max_upload_size=upload_limit() >> 20,
        key=key,
        on_change=_arrived,
        args=(key, place, run.view_id, origin),
    )


@guarded
def _arrived(key: str, place: str, view_id: str, origin: Origin) -> None:
    """Begin to read what has just come, before the page is drawn."""
    files = sources.taken(key)
    if files:
        source = Source(files_in_words([name for name, _ in files]), files)
        draft.bring_again(source, origin, draft.Asked(place, run=view_id))
