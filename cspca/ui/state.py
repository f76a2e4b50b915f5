"""The view of one visitor: typed, kept in the session, and written to the URL so a link reopens it.

The URL is read when a visitor arrives by a link or goes back in the browser's history, and written
after every change. It leaves out what is usual for its data set (:func:`usual_view`). Between the
two the session is the truth: a message from the browser may carry an address that is older than
what was just written (:func:`is_brought`). A setting of the view or of its fit lies under its name
behind ``view_`` or ``fit_``, which is the key of its widget.
"""

from __future__ import annotations

import math
import secrets
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, ClassVar, Final, NoReturn, cast
from urllib.parse import urlencode, urlsplit

import numpy as np
import streamlit as st

from cspca.datasets import Dataset, DatasetError
from cspca.experiments.fit import Fit
from cspca.experiments.live import LiveFit
from cspca.experiments.memory import of_data
from cspca.experiments.settings import declared, given, setting, to_query
from cspca.ui import context, fields, keys, menu, visitor
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
    *(keys.FIT_ALPHA, keys.FIT_BETA, keys.FIT_KEEP, keys.VIEW_K, keys.VIEW_MODE, keys.VIEW_PRESET),
    *(f"view_{name}" for name in WORDS),
    *(keys.VIEW_PIN, keys.VIEW_TRUTH, keys.VIEW_JOB, keys.LAST_RESULT, keys.FACE_SLIDER),
    *(keys.SELECTED_PIXEL, keys.DRAFT_JOB, keys.REFUSED, keys.CLASS_CODE, keys.PREDICT_K),
    *(keys.PREDICT_IN_LINK, keys.ODD_PICKED, keys.ODD_OUT, keys.PLANTED_PICKED),
)
"""What starts afresh with another data set."""

_BY_DATA: Final = ("alpha", "beta", "keep", "k")
"""Settings whose usual value hangs on the data set."""


@dataclass(frozen=True)
class View:
    """What the visitor looks at: a fit of a data set, and how it is shown.

    `mode` says what is set: α and β, both at once, or the number of features kept; `k` is how many
    are highlighted. A lesson is that of the `preset`, or of the words from `question` on;
    `picture` is that of the Theory page that stands alone; `pin` are the α and β of fit A; `tab` is
    that of Compare, by the kind of its experiment.
    """

    kind: ClassVar[str] = "view"

    data: str = setting(DATA)
    mode: str = setting("penalties", choices=("penalties", "path", "keep"))
    k: int = setting(0, limits=(1, math.inf))
    axis: str = setting("iteration", choices=("iteration", "seconds"))
    tab: str = setting("compare", choices=tuple(menu.TABS))
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
    return str(st.session_state.setdefault(keys.VIEW_DATA, DATA))


def open_view(dataset: Dataset) -> View:
    """Return the view, with what is missing filled in for this data set."""
    session, usual = st.session_state, usual_view(dataset, data_in_use())
    live = live_pixels(dataset)
    if session.get(keys.FIT_KEEP) is None:
        session[keys.FIT_KEEP] = max(1, live // 2)
    session.setdefault(keys.VIEW_K, usual.k)
    fields.show(usual.fit, only_missing=True)
    stops = {
        keys.FIT_ALPHA: fields.PENALTIES,
        keys.FIT_BETA: fields.PENALTIES,
        "fit_tol": fields.TOLERANCES,
        keys.FIT_KEEP: fields.count_options(live),
        keys.VIEW_K: fields.count_options(dataset.n_features),
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
    view = fields.read(View, fit=_fit_asked())
    session[keys.VIEW_OPENED] = view
    return view


def _fit_asked() -> Fit:
    """The fit that the widgets ask for, in the way in which they are set."""
    session = st.session_state
    mode = session.get(keys.VIEW_MODE)
    # The search for α is the certified solver's.
    fixed: dict[str, Any] = {"solver": "admm"} if mode == "keep" else {"keep": None}
    if mode == "path":
        fixed["beta"] = session[keys.FIT_ALPHA]
    return fields.read(Fit, **fixed)


def usual_view(dataset: Dataset, data: str) -> View:
    """Return the view with which a data set opens: what an address leaves out."""
    # A tenth of the features are highlighted at first, or as many as one likes to read.
    share = max(0.1, min(0.5, 20 / dataset.n_features))
    k = int(fields.snap(share * dataset.n_features, fields.count_options(dataset.n_features)))
    return View(k=k, fit=start_of(dataset, data))


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


def bare() -> bool:
    """Whether a page is only its picture and what moves it (``?embed=true``).

    It is so in a frame of another page, and on a projector.
    """
    return bool(st.context.is_embedded)


def open_to_others(link: str) -> tuple[str, str]:
    """A link as other machines can open it, and where they cannot, a sentence that says so."""
    place = urlsplit(link)
    if not place.path:
        place = place._replace(path="/")
        link = place.geturl()
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
    st.session_state[keys.VIEW_DATA] = data


def owner() -> str:
    """Return the name under which the fits of this window replace each other."""
    window = st.session_state.setdefault(keys.VIEW_OWNER, secrets.token_urlsafe(12))
    return f"{visitor.secret()} {window}"


def last_result(dataset: Dataset) -> LiveFit | None:
    """Return the last good result of this data set: on screen, dimmed, until there is a next."""
    result = cast("LiveFit | None", st.session_state.get(keys.LAST_RESULT))
    return result if result is not None and result.sha256 == dataset.sha256 else None


def brought(place: str) -> dict[str, str]:
    """What the last link says, to each place once."""
    session = st.session_state
    link: dict[str, str] = session.get(keys.LINK_BROUGHT, {})
    known = session.setdefault(keys.LINK_READ, {})
    if known.get(place) is link:
        return {}
    known[place] = link
    return link


def part_brought() -> str | None:
    """Return which part of this page a link opens, once; None where no link was followed."""
    part: str | None = st.session_state.pop(keys.PART_BROUGHT, None)
    return part


def show_part(part: str) -> None:
    """Let the address of this page say which part of it is open; empty for the usual one.

    It says so as soon as another part is chosen; until then a link is left as it came, for a
    correction were one more step of Back.
    """
    session, page = st.session_state, context.page_shown()
    shown = session.setdefault(keys.PART_SHOWN, {})
    session[keys.PART_CHANGED] = shown.get(page, part) != part
    shown[page] = part


def shown_runs() -> dict[tuple[str, str], str]:
    """The view ids of the runs that this visitor looks at, by kind and data."""
    shown: dict[tuple[str, str], str] = st.session_state.setdefault(keys.SHOWN_RUNS, {})
    return shown


def add_notice(sentence: str) -> None:
    """Leave a sentence to be shown at the top of the page until the view changes."""
    st.session_state.setdefault(keys.NOTICE, []).append(sentence)


def notices(view: View) -> list[str]:
    """Return the sentences to show: new ones, or those shown before if the view is the same."""
    session = st.session_state
    new = session.pop(keys.NOTICE, [])
    if new:
        session[keys.NOTICE_SHOWN] = view, list(dict.fromkeys(new))
    shown_with, sentences = session.get(keys.NOTICE_SHOWN, (view, []))
    return list(sentences) if shown_with == view else []


def address_of(view: View) -> dict[str, str]:
    """Return the address that opens a view, without what is usual for its data set."""
    try:
        usual = usual_view(services().library.get(view.data), view.data)
    except DatasetError:
        usual = View()
    if not view.k:
        view = replace(view, k=usual.k)
    query = to_query(view, usual) | to_query(view.fit, usual.fit)
    # α is found for a number of features, and β is α along their path.
    for name, follows in (("alpha", view.fit.keep is not None), ("beta", view.mode == "path")):
        if follows:
            query.pop(name, None)
    return query


def address() -> dict[str, str]:
    """Return the address of what this visitor looks at, its fit and its runs too.

    As the page began to be drawn: a widget that stands on two pages says for a moment that it is
    off when its page has just changed.
    """
    view = cast(View, st.session_state[keys.VIEW_OPENED])
    wanted = address_of(view)
    for (kind, data), view_id in shown_runs().items():
        if data == view.data:
            wanted[f"run-{kind}"] = view_id
    # What else pages have set, by their own names.
    for said in st.session_state.get(keys.MORE_IN_LINK, {}).values():
        wanted |= said
    if st.session_state.get(keys.CLASS_CODE):
        wanted["class"] = st.session_state[keys.CLASS_CODE]
    if st.session_state.get(keys.PREDICT_IN_LINK):
        wanted["pixels"] = st.session_state[keys.PIXELS_IN_LINK]
    return wanted


def link_for_projector(**more: str) -> str:
    """Return the Markdown of a link to this page in large type, without menu and title."""
    query = address() | more | {"embed": "true"}
    return f"[Open large, for a projector](?{urlencode(query)})"


def link(page: str, label: str, icon: str, part: str = "", tab: str = "", **how: Any) -> None:
    """Draw a link to another page with its whole address, so that it opens in a new tab too.

    `part` is one of the page that it opens, `tab` one of Compare.
    """
    query = address() | {name: text for name, text in (("part", part), ("tab", tab)) if text}
    st.page_link(menu.script(page), label=label, icon=icon, query_params=query, **how)


def go(page: str, address: Mapping[str, str]) -> NoReturn:
    """Open a page with an address, which is read there even if it was ours before."""
    # Never empty, as the menu's is, which leaves all as it is.
    address = {"data": DATA, **address}
    st.session_state[keys.URL_SENT] = address
    st.switch_page(menu.script(page), query_params=address)


def follow_address() -> None:
    """Read the address if the visitor brought it, else have it say what is set: first of all.

    A page may set more as it is drawn; :func:`write_url` says that.
    """
    session, page_before = st.session_state, st.session_state.get(keys.URL_PAGE)
    opened = keys.VIEW_K in session and session.get(keys.FIT_KEEP) is not None
    if not _adopt_url() and opened and keys.VIEW_OPENED in session:
        session[keys.VIEW_OPENED] = fields.read(View, fit=_fit_asked())
        if _without_part(st.query_params.to_dict()) != address():
            if session[keys.URL_PAGE] == page_before:
                part = _part_shown()
            else:
                # The browser still says the page before: a query of its own were one more step.
                part = _written_last().get("part", "")
            _write(_with_part(part))


def write_url() -> None:
    """Make the address say what the view is, and which part of the page is open."""
    here = st.query_params.to_dict()
    part_changed = st.session_state.pop(keys.PART_CHANGED, False)
    if part_changed or _without_part(here) != address():
        _write(_with_part(_part_shown()))
    else:
        _note_written(here)


def _part_shown() -> str:
    """Return which part of this page is open; empty for the usual one, and where it has none."""
    shown: dict[str, str] = st.session_state.get(keys.PART_SHOWN, {})
    return shown.get(context.page_shown(), "")


def _with_part(part: str) -> dict[str, str]:
    return address() | ({"part": part} if part else {})


def _written_last() -> dict[str, str]:
    written: list[dict[str, str]] = st.session_state.get(keys.URL_WRITTEN, [])
    return written[-1] if written else {}


def _write(wanted: dict[str, str]) -> None:
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    _note_written(wanted)


def _note_written(address: dict[str, str]) -> None:
    written = st.session_state.setdefault(keys.URL_WRITTEN, [])
    if address not in written[-1:]:
        written.append(address)


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
        What this session wrote on the page before this message, the last one last.
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
    if not written:
        return bool(here)
    if here == written[-1]:
        return False
    if history or here == sent:
        return True
    # The menu opens a page with an empty address, and leaves all as it is.
    if not here or program:
        return bool(here)
    # A link of ours says what was set as it was drawn; what was set since holds.
    return page_opened and _without_part(here) not in map(_without_part, written)


def _without_part(address: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in address.items() if name != "part"}


def _adopt_url() -> bool:
    """Take the view from the address when the visitor brought it, not we; return whether."""
    here = st.query_params.to_dict()
    session, page = st.session_state, context.page_shown()
    before = session.get(keys.URL_PAGE, page)
    session[keys.URL_PAGE] = page
    brought = is_brought(
        here,
        session.get(keys.URL_WRITTEN, ()),
        sent=session.get(keys.URL_SENT),
        history=context.went_through_history(),
        page_opened=page != before,
        program=st.context.url is None,
    )
    if page != before:
        session.pop(keys.PART_BROUGHT, None)
    # The menu names no part: then the one that was open last is open again.
    if brought or (page != before and "part" in here):
        session[keys.PART_BROUGHT] = here.get("part", "")
    if page != before:
        # Its links alone can still be followed.
        del session.get(keys.URL_WRITTEN, [])[:-1]
    if not brought:
        return False
    session.pop(keys.URL_SENT, None)
    data = here.get("data", DATA)
    if data != session.get(keys.VIEW_DATA, DATA):
        use_data(data)
    _adopt_settings(here)
    session[keys.CLASS_CODE] = here.get("class", "")
    session[keys.PIXELS_GIVEN] = here.get("pixels", "")
    for name, view_id in here.items():
        if name.startswith("run-"):
            kind = name.removeprefix("run-")
            shown_runs()[kind, session.get(keys.VIEW_DATA, DATA)] = view_id
    # Pages read what else it says, each its own names.
    session[keys.LINK_BROUGHT] = here
    # What was adopted is what the address says: do not adopt it again on the next run.
    _note_written(here)
    return True


def _misspelt(here: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names of an address that say nothing, each with a name that was perhaps meant."""
    from cspca.experiments.suspects import Haystack, Planted  # loaded where a link says more

    classes = Fit, View, Haystack, Planted
    names = {field.query for cls in classes for field in declared(cls).values()} - {""}
    names |= {"class", "draft", "lesson", "part", "pixels", "tour"}
    for name in here:
        # Others are no concern of ours: mail and course software adds its own to every link.
        if name not in names and not name.startswith("run-"):
            for meant in get_close_matches(name.lower(), names, 1):
                yield name, meant


def _adopt_settings(here: dict[str, str]) -> None:
    """Set all that an address can say; what it does not say is as usual."""
    session = st.session_state
    for name, meant in _misspelt(here):
        add_notice(
            f"The link says {name[:40]} = {here[name][:40]}, which is no setting here; "
            f"perhaps {meant} was meant."
        )
    if "keep" in here:
        here = {"mode": "keep", **here}
    for cls in (Fit, View):
        values, wrong = given(cls, here)
        for sentence in wrong:
            add_notice(sentence)
        # The sliders count in fractions.
        values.pop("penalty_scale", None)
        for name in WORDS:
            if len(values.get(name, "")) > LETTERS:
                values[name] = values[name][:LETTERS]
                add_notice(f"The {name} in this link is cut after {LETTERS} letters.")
        for name, field in declared(cls).items():
            key = fields.key(cls, name)
            if name in values:
                session[key] = values[name]
            elif name in _BY_DATA:
                # What is usual for the data, `open_view` knows.
                session.pop(key, None)
            elif field.query:
                session[key] = field.default
