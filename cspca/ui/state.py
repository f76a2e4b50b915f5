"""The view of one visitor: typed, kept in the session, and written to the URL so a link reopens it.

The URL is read when a visitor arrives by a link or goes back in the browser's history, and written
after every change. Between the two the session is the truth: a message from the browser may carry
an address that is older than what was just written (:func:`is_brought`). A setting of the view or
of its fit lies under its name behind ``view_`` or ``fit_``, which is the key of its widget.
"""

from __future__ import annotations

import math
import secrets
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NoReturn, cast
from urllib.parse import urlsplit

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from cspca.datasets import Dataset
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import Job
from cspca.experiments.live import LiveFit
from cspca.experiments.memory import of_data
from cspca.experiments.settings import given, setting, text_of, to_query
from cspca.ui import fields, menu, visitor
from cspca.ui.services import services

_USUAL: Final = Fit()

DATA: Final = "faces"

# Chosen by outcome: about half of the pixels are exactly zero, of the rendered faces, of the
# digits, and of the real images that people are likely to bring. All are stops of the sliders.
STARTS: Final = {
    "faces": Fit(alpha=0.1, beta=0.02),
    "digits": Fit(alpha=0.4, beta=0.02),
    "motion": Fit(alpha=0.05, beta=0.02),
}

UNRELATED: Final = tuple(
    Fit(alpha, beta)
    for alpha, beta in ((0.4, 0.02), (0.63, 0.02), (0.8, 0.02), (0.9, 0.02), (0.9, 0.05))
)
"""For what is brought, the first; for a small table, in this order: where few columns tell of
others, W = I is optimal up to larger penalties, and all features tie."""

WORDS: Final = ("question", "do", "see", "answer")
"""The lines of a lesson that a link may bring."""

LETTERS: Final = 200
"""How long each of them may be."""

_OF_THE_DATA: Final = (
    *("fit_alpha", "fit_beta", "fit_keep", "view_k", "view_mode", "view_job", "view_preset"),
    *(f"view_{name}" for name in (*WORDS, "pin")),
    *("view_truth", "face_slider", "selected_pixel", "last_result", "draft_job", "refused"),
    *("class_code", "predict_k", "predict_in_link", "odd_picked", "odd_out", "planted_picked"),
)
"""What starts afresh with another data set."""


@dataclass(frozen=True)
class View:
    """What the visitor looks at: a fit of a data set, and how it is shown.

    `mode` says what is set: α and β, both at once, or the number of features kept; `k` is how many
    are highlighted. A lesson is that of the `preset`, or of the words from `question` on;
    `picture` is that of the Theory page that stands alone; `pin` are the α and β of fit A.
    """

    kind: ClassVar[str] = "view"

    data: str = setting(DATA)
    mode: str = setting("penalties", choices=("penalties", "path", "keep"))
    k: int = setting(0, limits=(1, math.inf))
    axis: str = setting("iteration", choices=("iteration", "seconds"))
    truth: bool = setting(False)
    preset: str = setting("")
    question: str = setting("")
    do: str = setting("")
    see: str = setting("")
    answer: str = setting("")
    picture: str = setting("")
    pin: str = setting("")
    fit: Fit = setting(_USUAL, query="")  # noqa: RUF009


def data_in_use() -> str:
    """Return the name or id of the data set in use."""
    return str(st.session_state.setdefault("view_data", DATA))


def open_view(dataset: Dataset) -> View:
    """Return the view, with what is missing filled in for this data set."""
    session, start = st.session_state, start_of(dataset, data_in_use())
    live = live_pixels(dataset)
    if session.get("fit_keep") is None:
        session["fit_keep"] = max(1, live // 2)
    # A tenth of the features are highlighted at first, or as many as one likes to read.
    share = max(0.1, min(0.5, 20 / dataset.n_features))
    session.setdefault("view_k", max(1, round(dataset.n_features * share)))
    fields.show(start, only_missing=True)
    stops = {
        "fit_alpha": fields.PENALTIES,
        "fit_beta": fields.PENALTIES,
        "fit_tol": fields.TOLERANCES,
        "fit_keep": fields.count_options(live),
        "view_k": fields.count_options(dataset.n_features),
    }
    for key, options in stops.items():
        asked, most = session[key], max(options)
        if asked > most:
            add_notice(
                f"The link asks for {key.partition('_')[2]} = {asked:,g}; {most:,.10g} is the "
                "most here, so that is used."
            )
        if options is fields.PENALTIES:
            # A link, or a point of a grid, may stand between two stops.
            session[key] = min(asked, most)
        elif asked not in options:
            session[key] = fields.snap(min(asked, most), options)
    view = fields.asked(View, fit=_fit_asked())
    session["view_opened"] = view
    return view


def _fit_asked() -> Fit:
    """The fit that the widgets ask for, in the way in which they are set."""
    session = st.session_state
    mode = session.get("view_mode")
    # The search for α is the certified solver's.
    fixed: dict[str, Any] = {"solver": "admm"} if mode == "keep" else {"keep": None}
    if mode == "path":
        fixed["beta"] = session["fit_alpha"]
    return fields.asked(Fit, **fixed)


@of_data
def start_of(dataset: Dataset, data: str) -> Fit:
    """Return where the view of a data set starts: where there is a ranking to see."""
    n, d = dataset.data.shape
    if data in STARTS:
        return STARTS[data]
    # A small table is fitted in a few hundredths of a second.
    if dataset.image_shape is not None or d > 50 or n * d > 20_000 or n <= d:
        return UNRELATED[0]
    from cspca import CSPCA  # loads scikit-learn, which no page needs to be drawn

    for start in UNRELATED:
        try:
            model = CSPCA(alpha=start.alpha, beta=start.beta).fit(dataset.data)
        except ValueError:
            # What cannot be fitted says so on the page, where its fit stands.
            return UNRELATED[0]
        live = model.feature_scores_[dataset.data.std(axis=0) > 0]
        # By so much must the best score be above the least to be called better.
        if live.max() > 1.1 * live.min():
            return start
    # Between all and nothing lies too little: the page says so, and what to change.
    return UNRELATED[0]


@of_data
def live_pixels(dataset: Dataset) -> int:
    """Return how many pixels of a data set vary; no fit can keep another one."""
    data = dataset.data
    return int(np.count_nonzero(data.max(axis=0) > data.min(axis=0)))


def presenting() -> bool:
    """Whether this visitor shows the page to a room: it stays so from page to page."""
    return bool(st.session_state.get("presenting")) and not embedded()


def present() -> None:
    """Begin to present, or end."""
    st.session_state["presenting"] = not presenting()


def bare() -> bool:
    """Whether a page is only its picture and what moves it: presented, or in another page."""
    return presenting() or embedded()


def embedded() -> bool:
    """Whether the page stands in a frame of another one."""
    return bool(st.context.is_embedded)


def open_to_others(link: str) -> tuple[str, str]:
    """A link as other machines can open it, and where they cannot, a sentence that says so."""
    place = urlsplit(link)
    if place.hostname not in ("localhost", "127.0.0.1", "::1"):
        return link, ""
    if not st.get_option("server.address") and st.context.ip_address is None:
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            # Nothing is sent: it is asked which of its addresses this machine would use.
            probe.connect(("192.0.2.1", 9))
            host = probe.getsockname()[0]
            return place._replace(netloc=f"{host}:{place.port}").geturl(), ""
    return link, "This link opens on this computer only: see Guide, Operating a server."


def use_data(data: str) -> None:
    """Take another data set in use; everything that belonged to the old one starts afresh."""
    for key in _OF_THE_DATA:
        st.session_state.pop(key, None)
    st.session_state["view_data"] = data


def set_job(job: str) -> None:
    """Remember the fit that this view shows; its name in the address stays the same."""
    st.session_state["view_job"] = job
    services().jobs.name(fit_name(), job)


def fit_name() -> str:
    """Return the unguessable name of whatever fit this view shows."""
    return _unguessable("fit_shown")


def is_mine(job: Job) -> bool:
    """Whether this visitor may stop a job: a link to it is there to look."""
    return job.visitor == visitor.secret()


def owner() -> str:
    """Return the name under which the fits of this window replace each other."""
    return f"{visitor.secret()} {_unguessable('view_owner')}"


def _unguessable(key: str) -> str:
    # Every link of a page has the one in its address: a new one each time took a tenth of a run.
    if key not in st.session_state:
        st.session_state[key] = secrets.token_urlsafe(12)
    return str(st.session_state[key])


def last_result(dataset: Dataset) -> LiveFit | None:
    """Return the last good result of this data set: on screen, dimmed, until there is a next."""
    result = cast("LiveFit | None", st.session_state.get("last_result"))
    return result if result is not None and result.sha256 == dataset.sha256 else None


def brought(place: str) -> dict[str, str]:
    """What the last link says, to each place once."""
    session = st.session_state
    link: dict[str, str] = session.get("link_brought", {})
    known = session.setdefault("link_read", {})
    if known.get(place) is link:
        return {}
    known[place] = link
    return link


def part_brought() -> str:
    """Return which part of a page the last link names, once."""
    return str(st.session_state.pop("part_brought", ""))


def shown_runs() -> dict[tuple[str, str], str]:
    """The view ids of the runs that this visitor looks at, by kind and data."""
    shown: dict[tuple[str, str], str] = st.session_state.setdefault("shown_runs", {})
    return shown


def add_notice(sentence: str) -> None:
    """Leave a sentence to be shown at the top of the page until the view changes."""
    st.session_state.setdefault("notice", []).append(sentence)


def notices(view: View) -> list[str]:
    """Return the sentences to show: new ones, or those shown before if the view is the same."""
    session = st.session_state
    new = session.pop("notice", [])
    if new:
        session["notice_shown"] = view, list(dict.fromkeys(new))
    shown_with, sentences = session.get("notice_shown", (view, []))
    return list(sentences) if shown_with == view else []


def address_of(view: View) -> dict[str, str]:
    """Return the address that opens a view."""
    said = {"data": view.data, **to_query(view), **to_query(view.fit)}
    if view.fit.keep is None:
        # Where a data set's view begins may change: these are always said.
        said |= {"alpha": text_of(view.fit.alpha), "beta": text_of(view.fit.beta)}
    if presenting():
        said["present"] = "1"
    return said


def address() -> dict[str, str]:
    """Return the address of what this visitor looks at, its fit and its runs too.

    As the page began to be drawn: a widget that stands on two pages says for a moment that it is
    off when its page has just changed.
    """
    view = cast(View, st.session_state["view_opened"])
    wanted = address_of(view) | {"job": fit_name()}
    for (kind, data), view_id in shown_runs().items():
        if data == view.data:
            wanted[f"run-{kind}"] = view_id
    # What else pages have set, by their own names.
    for said in st.session_state.get("more_in_link", {}).values():
        wanted |= said
    if st.session_state.get("class_code"):
        wanted["class"] = st.session_state["class_code"]
    if st.session_state.get("predict_in_link"):
        wanted["pixels"] = st.session_state["pixels_in_link"]
    return wanted


def link(page: str, label: str, icon: str, part: str = "", **how: Any) -> None:
    """Draw a link to another page with its whole address, so that it opens in a new tab too.

    `part` is one of the guide.
    """
    query = address() | ({"part": part} if part else {})
    st.page_link(menu.script(page), label=label, icon=icon, query_params=query, **how)


def go(page: str, address: Mapping[str, str]) -> NoReturn:
    """Open a page with an address, which is read there even if it was ours before."""
    st.session_state["url_sent"] = dict(address)
    st.switch_page(menu.script(page), query_params=address)


def follow_address() -> None:
    """Read the address if the visitor brought it, else have it say what is set: first of all.

    A page may set more as it is drawn; :func:`write_url` says that.
    """
    session = st.session_state
    opened = "view_k" in session and session.get("fit_keep") is not None
    if not _adopt_url() and opened and "view_opened" in session:
        session["view_opened"] = fields.asked(View, fit=_fit_asked())
        write_url()


def write_url() -> None:
    """Make the address say what the view is."""
    wanted = address()
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    _note_written(wanted)


def _note_written(address: dict[str, str]) -> None:
    written = st.session_state.setdefault("url_written", [])
    if not written or written[-1] != address:
        written.append(address)
        del written[:-20]


def is_brought(
    here: dict[str, str],
    written: Sequence[dict[str, str]],
    *,
    sent: dict[str, str] | None = None,
    history: bool = False,
    page_opened: bool = False,
    program: bool = False,
) -> bool:
    """Whether an address was brought by the visitor, and is no echo of what was written.

    Parameters
    ----------
    here : dict of str to str
        What the browser says.
    written : sequence of dict of str to str
        What this session wrote, the last one last.
    sent : dict of str to str, optional
        With what the program opened a page.
    history : bool, default False
        Whether the visitor went back or forward.
    page_opened : bool, default False
        Whether the page is another one than in the run before.
    program : bool, default False
        Whether there is no browser, hence no echo.

    Returns
    -------
    bool
        By facts alone: how late a browser answers says nothing.

    """
    if not here or (written and here == written[-1]):
        return False
    if not written or history or program or here == sent:
        return True
    # A link of ours says what was set as it was drawn; what was set since holds.
    return page_opened and _without_part(here) not in map(_without_part, written)


def _without_part(address: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in address.items() if name != "part"}


def _adopt_url() -> bool:
    """Take the view from the address when the visitor brought it, not we; return whether."""
    here = st.query_params.to_dict()
    session, context = st.session_state, get_script_run_ctx()
    # Not documented, but the one fact that tells Back from an echo (Streamlit 1.67).
    page, history = ("", False)
    if context is not None:
        page, history = context.page_script_hash, context.is_history_navigation
    before = session.get("url_page", page)
    session["url_page"] = page
    brought = is_brought(
        here,
        session.get("url_written", ()),
        sent=session.get("url_sent"),
        history=history,
        page_opened=page != before,
        program=st.context.url is None,
    )
    if brought or page != before:
        session["part_brought"] = here.get("part", "")
    if not brought:
        return False
    session.pop("url_sent", None)
    session["presenting"] = here.get("present") in ("1", "yes", "true")
    if "data" in here and here["data"] != session.get("view_data"):
        use_data(here["data"])
    _adopt_settings(here)
    session["class_code"] = here.get("class", "")
    session["pixels_given"] = here.get("pixels", "")
    job = services().jobs.view(here.get("job"))
    session["view_job"] = None if job is None else job.id
    # The name in a link stays ours where the fit is.
    if job is not None and is_mine(job):
        session["fit_shown"] = here["job"]
    for name, view_id in here.items():
        if name.startswith("run-"):
            kind = name.removeprefix("run-")
            shown_runs()[kind, session.get("view_data", DATA)] = view_id
    # Pages read what else it says, each its own names.
    session["link_brought"] = here
    # What was adopted is what the address says: do not adopt it again on the next run.
    _note_written(here)
    return True


def _adopt_settings(here: dict[str, str]) -> None:
    # What a link does not say is as usual; the penalties and numbers of features stay.
    usual: dict[type[Any], dict[str, Any]] = {
        Fit: {name: getattr(_USUAL, name) for name in ("solver", "center", "normalize")},
        View: {"mode": "keep" if "keep" in here else "penalties"},
    }
    usual[View] |= {"axis": "iteration", "truth": False}
    usual[View] |= dict.fromkeys(("preset", "picture", "pin", *WORDS), "")
    for cls, values in usual.items():
        said, wrong = given(cls, here)
        for sentence in wrong:
            add_notice(sentence)
        # The sliders count in fractions.
        said.pop("penalty_scale", None)
        for name in WORDS:
            if len(said.get(name, "")) > LETTERS:
                said[name] = said[name][:LETTERS]
                add_notice(f"The {name} in this link is cut after {LETTERS} letters.")
        for name, value in (values | said).items():
            st.session_state[fields.key(cls, name)] = value
