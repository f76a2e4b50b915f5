"""The data of a saved run: found in the library, computed again, or uploaded again."""

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
    """Return the origin of a run's data, if the run has it."""
    return Origin.of(run.data.recipe.source, run.data.sha256)


def find(run: RunRecord) -> str | None:
    """Return the name or id of a run's data in the library; None if they are not there."""
    library, record = services().library, run.data
    for key in dict.fromkeys([state.data_in_use(), *(data for _, data in state.shown_runs())]):
        # A built-in set that is not loaded would have to be computed or fetched to compare it.
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
    """Whether the data of a run are here, or can be computed without a file of the visitor."""
    if run.kept or is_cached(run.data.builtin) or find(run) is not None:
        return True
    origin = origin_of(run)
    return origin is not None and origin.function == "load" and origin.names[0] in BUILTIN


def data_of(run: RunRecord) -> str:
    """Return the name or id of a run's data in the library, added if needed; else ValueError."""
    library = services().library
    key = find(run)
    if key is not None:
        return key
    if run.kept or is_cached(run.data.builtin):
        return str(library.add(runs().store.data(run.id), visitor.secret()))
    origin = origin_of(run)
    if origin is not None and origin.function == "load":
        dataset = origin.follow_steps(library.get(origin.names[0]))
        if dataset.sha256 == run.data.sha256:
            return str(library.add(dataset, visitor.secret()))
    raise ValueError(f"The data of this run, {run.data.name}, are not kept here any more.")


def keep(run: RunRecord) -> None:
    """Draw the button that saves the run's data, if they are the visitor's own and loaded."""
    key = None if run.data.builtin or run.kept else find(run)
    if key is None:
        return
    dataset = services().library.get(key)
    hint = (
        "On the server’s disk, so that the run can be opened and continued after a restart or on "
        "another day. Otherwise only their fingerprint is kept, and you upload the file again."
    )
    label = f"Keep its data too ({megabytes(dataset.data.nbytes)})"
    call = "database", runs().keep_data, run.id, dataset, visitor.secret()
    button(label, f"keep_data_of_run_{run.id}", *call, help=hint)


def offer_upload(run: RunRecord, place: str) -> None:
    """Draw the upload of the files of a run's data, by their names.

    `sources.quick_reading` draws the progress of reading, and errors.
    """
    origin = origin_of(run)
    if origin is None or not origin.is_upload:
        state.link("data", f"Fetch {run.data.name} on Data", ":material/download:")
        return
    name = files_in_words(origin.names)
    rest = "the rest of the run is computed" if run.can_resume else "the run can be opened"
    # The key changes after an upload, so that the popover closes.
    key = sources.widget_key(f"upload_of_{place}")
    with st.popover(f"Upload {plain(name)}", icon=":material/upload_file:", key=key):
        st.caption(
            f"The data of this run are not kept here, only their fingerprint. Upload {plain(name)} "
            f"again: when it is the same, {rest}."
        )
        suffixes = (*FORMATS, *PICTURE_SUFFIXES)
        has_suffix = all(name.lower().endswith(suffixes) for name in origin.names)
        _uploader(run, origin, place, folder=False)
        if not has_suffix:
            _uploader(run, origin, place, folder=True)


def offer_for_link() -> None:
    """Draw the upload for a run of the address whose data are missing."""
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
                offer_upload(run, draft.LINK)
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
    """Start to read uploaded files, before the page is drawn."""
    files = sources.taken(key)
    if files:
        source = Source(files_in_words([name for name, _ in files]), files)
        draft.bring_again(source, origin, draft.Asked(place, run=view_id))
