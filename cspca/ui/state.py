"""The view of one visitor: typed, held in the session, and written to the URL so a link reopens it.

The URL is read when a visitor arrives by a link or goes back in the browser's history, and written
after every change. It leaves out the defaults of its data set (:func:`usual_view`). Between the two
the session is authoritative: a message from the browser may carry an address that is older than the
one just written (:func:`is_from_visitor`). The session key of a setting of the view or of its fit,
and of its widget, is its name with the prefix ``view_`` or ``fit_``.
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
from cspca.experiments.samples import ComparedClasses
from cspca.experiments.settings import declared, given, setting, to_query
from cspca.ui import context, fields, keys, menu, visitor
from cspca.ui.services import services

_USUAL: Final = Fit()

DATA: Final = "faces"

# Chosen by outcome: about half of the pixels are exactly zero, of the rendered faces, of the
# digits, and of the real images that people are likely to bring; about half of the genes; and of
# the spectra all points of the noisy detector, which rise to the top where each point is
# standardised. All are stops of the sliders.
STARTS: Final = {
    "faces": Fit(alpha=0.1, beta=0.02),
    "digits": Fit(alpha=0.4, beta=0.02),
    "motion": Fit(alpha=0.05, beta=0.02),
    "spectra": Fit(alpha=0.1, beta=0.01),
    "genes": Fit(alpha=0.4, beta=0.05),
}

UNRELATED: Final = tuple(
    Fit(alpha, beta)
    for alpha, beta in ((0.4, 0.02), (0.63, 0.02), (0.8, 0.02), (0.9, 0.02), (0.9, 0.05))
)
"""Starts of uploads: the first, or for a small table the first of these with a ranking. Where few
columns predict others, W = I is optimal up to larger penalties, and all features tie."""

WORDS: Final = ("question", "do", "see", "answer")
"""The lines of a lesson that a link may contain."""

LETTERS: Final = 200
"""Largest length of each of these lines."""

_OF_THE_DATA: Final = (
    *(keys.FIT_ALPHA, keys.FIT_BETA, keys.FIT_KEEP, keys.VIEW_K, keys.VIEW_MODE, keys.VIEW_PRESET),
    *(f"view_{name}" for name in WORDS),
    *(keys.VIEW_PIN, keys.VIEW_TRUTH, keys.VIEW_JOB, keys.LAST_RESULT, keys.FACE_SLIDER),
    *(keys.SELECTED_PIXEL, keys.DRAFT_JOB, keys.REFUSED, keys.CLASS_CODE, keys.PREDICT_K),
    *(keys.PREDICT_IN_LINK, keys.ODD_PICKED, keys.ODD_OUT, keys.PLANTED_PICKED),
    *(keys.SAMPLES_REFUSED, keys.SAMPLES_DRAWN),
    *(keys.SAMPLES_GROUPS, keys.SAMPLES_FIRST, keys.SAMPLES_SECOND),
)
"""Session keys that are reset with another data set."""

_PENALTIES: Final = (keys.FIT_ALPHA, keys.FIT_BETA, keys.FIT_KEEP, keys.VIEW_MODE)
"""Settings that stay where the data set in use is not kept any more."""

_BY_DATA: Final = ("alpha", "beta", "keep", "k")
"""Settings whose default depends on the data set."""


@dataclass(frozen=True)
class View:
    """The visitor's view: a fit of a data set, and how it is shown.

    `mode` says what the sliders set: α and β, both at once, or the number of features kept; `k` is
    the number of highlighted features. A lesson is that of the `preset`, or of the texts from
    `question` on. `picture` is the one of the Theory page that is shown alone; `pin` has the α and
    β of fit A; `tab` is the tab of Compare, by the kind of its experiment.
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
    """Return the view, with the defaults of this data set for missing settings."""
    session, usual = st.session_state, usual_view(dataset, data_in_use())
    live = live_pixels(dataset)
    if session.get(keys.FIT_KEEP) is None:
        session[keys.FIT_KEEP] = max(1, live // 2)
    fields.show(usual.fit, only_missing=True)
    stops: dict[tuple[type[Fit] | type[View], str], Sequence[float]] = {
        (Fit, "alpha"): fields.PENALTIES,
        (Fit, "beta"): fields.PENALTIES,
        (Fit, "tol"): fields.TOLERANCES,
        (Fit, "keep"): fields.count_options(live),
        (View, "k"): fields.count_options(dataset.n_features),
    }
    for (cls, name), options in stops.items():
        key, usual_value = fields.key(cls, name), getattr(usual if cls is View else usual.fit, name)
        requested, most = session.setdefault(key, usual_value), max(options)
        if requested > most:
            add_notice(
                f"The link asks for {name} = {requested:,g}; {most:,.10g} is the most here, so "
                "that is used."
            )
        if options is fields.PENALTIES:
            # The penalty of a link, or of a point of a grid, may lie between two stops.
            session[key] = min(requested, most)
        elif requested not in options:
            session[key] = fields.snap(min(requested, most), options)
    view = fields.read(View, fit=_requested_fit())
    session[keys.VIEW_OPENED] = view
    return view


def _requested_fit() -> Fit:
    """Return the fit that the widgets define in the current mode."""
    session = st.session_state
    mode = session.get(keys.VIEW_MODE)
    # Only the certified solver searches for α.
    fixed: dict[str, Any] = {"solver": "admm"} if mode == "keep" else {"keep": None}
    if mode == "path":
        fixed["beta"] = session[keys.FIT_ALPHA]
    return fields.read(Fit, **fixed)


def usual_view(dataset: Dataset, data: str) -> View:
    """Return the default view of a data set, which an address leaves out."""
    # A tenth of the features are highlighted by default, or about 20 if these are more.
    share = max(0.1, min(0.5, 20 / dataset.n_features))
    k = int(fields.snap(share * dataset.n_features, fields.count_options(dataset.n_features)))
    return View(k=k, fit=start_of(dataset, data))


@of_data
def start_of(dataset: Dataset, data: str) -> Fit:
    """Return the default fit of a data set: one whose features have a ranking."""
    n, d = dataset.data.shape
    if data in STARTS:
        return STARTS[data]
    # A small table is fitted in a few hundredths of a second.
    if dataset.kind == "pixels" or d > 50 or n * d > 20_000 or n <= d:
        return UNRELATED[0]
    from cspca import CSPCA  # loads scikit-learn, which no page needs to be drawn

    for start in UNRELATED:
        try:
            model = CSPCA(alpha=start.alpha, beta=start.beta).fit(dataset.data)
        except ValueError:
            # The page shows the error in place of the fit.
            return UNRELATED[0]
        live = model.feature_scores_[dataset.data.std(axis=0) > 0]
        # The best score must exceed the least by this factor to count as a ranking.
        if live.max() > 1.1 * live.min():
            return start
    # No start has a ranking: the page says so, and what to change.
    return UNRELATED[0]


@of_data
def live_pixels(dataset: Dataset) -> int:
    """Return how many pixels of a data set vary; a fit can keep no others."""
    data = dataset.data
    return int(np.count_nonzero(data.max(axis=0) > data.min(axis=0)))


def bare() -> bool:
    """Whether a page shows only its picture and its controls (``?embed=true``).

    This is so in a frame of another page, and on a projector.
    """
    return bool(st.context.is_embedded)


def open_to_others(link: str) -> tuple[str, str]:
    """Return a link that other machines can open, and a warning where there is none."""
    place = urlsplit(link)
    if not place.path:
        place = place._replace(path="/")
        link = place.geturl()
    if place.hostname not in ("localhost", "127.0.0.1", "::1"):
        return link, ""
    if not st.get_option("server.address") and st.context.ip_address is None:
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            # Nothing is sent: connecting selects the address that this machine would use.
            probe.connect(("192.0.2.1", 9))
            host = probe.getsockname()[0]
            return place._replace(netloc=f"{host}:{place.port}").geturl(), ""
    return link, "This link opens on this computer only: see Guide, Operating a server."


def use_data(data: str, *, penalties: Mapping[str, Any] | None = None) -> None:
    """Use another data set, and reset the settings of the old one, or set these penalties."""
    session = st.session_state
    session.pop(keys.PENALTIES_OF_GONE_DATA, None)
    for key in _OF_THE_DATA:
        session.pop(key, None)
    session.update(penalties or {})
    session.get(keys.MORE_IN_LINK, {}).pop(ComparedClasses.kind, None)
    session[keys.VIEW_DATA] = data


def replace_gone_data() -> None:
    """Use the default data set, at the same penalties, in place of one that is gone."""
    session = st.session_state
    penalties = {key: session[key] for key in _PENALTIES if key in session}
    if penalties.get(keys.VIEW_MODE) != "keep":
        penalties.pop(keys.FIT_KEEP, None)
    use_data(DATA, penalties=penalties)
    session[keys.PENALTIES_OF_GONE_DATA] = penalties


def penalties_of_gone_data() -> dict[str, Any]:
    """Return the penalties for an upload, which is mostly of the data that are gone; or none."""
    penalties: dict[str, Any] = st.session_state.get(keys.PENALTIES_OF_GONE_DATA, {})
    return penalties


def owner() -> str:
    """Return the name under which the fits of this window replace each other."""
    window = st.session_state.setdefault(keys.VIEW_OWNER, secrets.token_urlsafe(12))
    return f"{visitor.secret()} {window}"


def last_result(dataset: Dataset) -> LiveFit | None:
    """Return the last result of this data set, which is shown dimmed until the next one."""
    result = cast("LiveFit | None", st.session_state.get(keys.LAST_RESULT))
    return result if result is not None and result.sha256 == dataset.sha256 else None


def section_settings(cls: type[Any], **fixed: Any) -> Any:
    """Apply a link to a section's widgets, return their settings, and put them into the address."""
    session = st.session_state
    link: dict[str, str] | None = session.get(keys.LINK_VALUES)
    read_links = session.setdefault(keys.LINK_READ, {})
    if link is not None and read_links.get(cls.kind) is not link:
        read_links[cls.kind] = link
        values, wrong = given(cls, link)
        fields.show(cls(**values))
        for sentence in wrong:
            add_notice(sentence)
        if wrong:
            # Notices stand at the top of the page, which is drawn already.
            st.rerun()
    settings = fields.read(cls, **fixed)
    session.setdefault(keys.MORE_IN_LINK, {})[cls.kind] = to_query(settings)
    return settings


def linked_part() -> str | None:
    """Return which part of this page a link opens, once; None where no link was followed."""
    part: str | None = st.session_state.pop(keys.LINKED_PART, None)
    return part


def show_part(part: str) -> None:
    """Put the open part of this page into the address; empty for the default part.

    The address changes only when another part is chosen: to correct a link would add a step to the
    browser's history.
    """
    session, page = st.session_state, context.page_shown()
    shown = session.setdefault(keys.PART_SHOWN, {})
    session[keys.PART_CHANGED] = shown.get(page, part) != part
    shown[page] = part


def shown_runs() -> dict[tuple[str, str], str]:
    """Return the view ids of the runs that are shown, by kind and data."""
    shown: dict[tuple[str, str], str] = st.session_state.setdefault(keys.SHOWN_RUNS, {})
    return shown


def add_notice(sentence: str) -> None:
    """Add a sentence that is shown at the top of the page until the view changes."""
    st.session_state.setdefault(keys.NOTICE, []).append(sentence)


def notices(view: View) -> list[str]:
    """Return the notices to show: new ones, or the previous ones if the view is the same."""
    session = st.session_state
    new = session.pop(keys.NOTICE, [])
    if new:
        session[keys.NOTICE_SHOWN] = view, list(dict.fromkeys(new))
    shown_with, sentences = session.get(keys.NOTICE_SHOWN, (view, []))
    return list(sentences) if shown_with == view else []


def address_of(view: View) -> dict[str, str]:
    """Return the address that opens a view, without the defaults of its data set."""
    try:
        usual = usual_view(services().library.get(view.data), view.data)
    except DatasetError:
        usual = View()
    if not view.k:
        view = replace(view, k=usual.k)
    query = to_query(view, usual) | to_query(view.fit, usual.fit)
    # α follows from the number of features in one mode, and β from α in another.
    for name, follows in (("alpha", view.fit.keep is not None), ("beta", view.mode == "path")):
        if follows:
            query.pop(name, None)
    return query


def address() -> dict[str, str]:
    """Return the address of the visitor's view, with its fit and its runs.

    It has the state at the start of the run: a widget that is on two pages reports for a moment
    that it is off when the page has just changed.
    """
    view = cast(View, st.session_state[keys.VIEW_OPENED])
    query = address_of(view)
    for (kind, data), view_id in shown_runs().items():
        if data == view.data:
            query[f"run-{kind}"] = view_id
    # Further parameters that pages have set.
    for values in st.session_state.get(keys.MORE_IN_LINK, {}).values():
        query |= values
    if st.session_state.get(keys.CLASS_CODE):
        query["class"] = st.session_state[keys.CLASS_CODE]
    if st.session_state.get(keys.PREDICT_IN_LINK):
        query["pixels"] = st.session_state[keys.PIXELS_IN_LINK]
    return query


def link_for_projector(**values: str) -> str:
    """Return the Markdown of a link to this page in large type, without menu and title."""
    query = address() | values | {"embed": "true"}
    return f"[Open large, for a projector](?{urlencode(query)})"


def link(page: str, label: str, icon: str, part: str = "", tab: str = "", **options: Any) -> None:
    """Draw a link to another page with its whole address, so that it opens in a new tab too.

    `part` is a part of the page that it opens, `tab` a tab of Compare.
    """
    query = address() | {name: text for name, text in (("part", part), ("tab", tab)) if text}
    st.page_link(menu.script(page), label=label, icon=icon, query_params=query, **options)


def go(page: str, address: Mapping[str, str]) -> NoReturn:
    """Open a page with an address, which is read there even if this session wrote it before."""
    # The address must not be empty: the menu's is, and an empty one changes nothing.
    address = {"data": DATA, **address}
    st.session_state[keys.URL_SENT] = address
    st.switch_page(menu.script(page), query_params=address)


def follow_address() -> None:
    """Read the address if it comes from the visitor, else update it, before the page is drawn.

    A page may change settings as it is drawn; :func:`write_url` writes these.
    """
    session, page_before = st.session_state, st.session_state.get(keys.URL_PAGE)
    opened = keys.VIEW_K in session and session.get(keys.FIT_KEEP) is not None
    if not _adopt_url() and opened and keys.VIEW_OPENED in session:
        session[keys.VIEW_OPENED] = fields.read(View, fit=_requested_fit())
        if _without_part(st.query_params.to_dict()) != address():
            if session[keys.URL_PAGE] == page_before:
                part = _part_shown()
            else:
                # The browser still has the page before: another query would add a history step.
                part = _written_last().get("part", "")
            _write(_with_part(part))


def note_page() -> None:
    """Remember which page is shown: a session's first message names none until the menu is sent.

    Otherwise the second message would seem to open the page, and its part that the link names.
    """
    st.session_state[keys.URL_PAGE] = context.page_shown()


def write_url() -> None:
    """Write the view and the open part of the page to the address."""
    here = st.query_params.to_dict()
    part_changed = st.session_state.pop(keys.PART_CHANGED, False)
    if part_changed or _without_part(here) != address():
        _write(_with_part(_part_shown()))
    else:
        _note_written(here)


def _part_shown() -> str:
    """Return the open part of this page; empty for the default one, and where it has none."""
    shown: dict[str, str] = st.session_state.get(keys.PART_SHOWN, {})
    return shown.get(context.page_shown(), "")


def _with_part(part: str) -> dict[str, str]:
    return address() | ({"part": part} if part else {})


def _written_last() -> dict[str, str]:
    written: list[dict[str, str]] = st.session_state.get(keys.URL_WRITTEN, [])
    return written[-1] if written else {}


def _write(query: dict[str, str]) -> None:
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
    _note_written(query)


def _note_written(address: dict[str, str]) -> None:
    written = st.session_state.setdefault(keys.URL_WRITTEN, [])
    if address not in written[-1:]:
        written.append(address)


def is_from_visitor(
    here: dict[str, str],
    written: Sequence[dict[str, str]],
    *,
    sent: dict[str, str] | None = None,
    history: bool = False,
    page_opened: bool = False,
    program: bool = False,
) -> bool:
    """Whether an address comes from the visitor, and does not echo one that was written.

    Parameters
    ----------
    here : dict of str to str
        The address in the browser's message.
    written : sequence of dict of str to str
        The addresses that this session wrote on the page before this message, the latest last.
    sent : dict of str to str, optional
        The address with which the program opened a page.
    history : bool, default False
        Whether the visitor went back or forward.
    page_opened : bool, default False
        Whether the page is another one than in the run before.
    program : bool, default False
        Whether there is no browser, hence no echo.

    Returns
    -------
    bool
        It does not depend on timing: a browser may answer at any delay.
    """
    if not written:
        return bool(here)
    if here == written[-1]:
        return False
    if history or here == sent:
        return True
    # The menu opens a page with an empty address, which changes nothing.
    if not here or program:
        return bool(here)
    # Our own link has the settings at the time when it was drawn; later changes take precedence.
    return page_opened and _without_part(here) not in map(_without_part, written)


def _without_part(address: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in address.items() if name != "part"}


def _adopt_url() -> bool:
    """Take the view from an address that comes from the visitor; return whether it does."""
    here = st.query_params.to_dict()
    session, page = st.session_state, context.page_shown()
    before = session.get(keys.URL_PAGE, page)
    session[keys.URL_PAGE] = page
    is_new = is_from_visitor(
        here,
        session.get(keys.URL_WRITTEN, ()),
        sent=session.get(keys.URL_SENT),
        history=context.went_through_history(),
        page_opened=page != before,
        program=st.context.url is None,
    )
    if page != before:
        session.pop(keys.LINKED_PART, None)
    # The menu's address has no part: the one that was open last opens again.
    if is_new or (page != before and "part" in here):
        session[keys.LINKED_PART] = here.get("part", "")
    if page != before:
        # Only links of this page can still be followed.
        del session.get(keys.URL_WRITTEN, [])[:-1]
    if not is_new:
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
    # Pages read their own parameters later; until then the address keeps those that it has.
    session[keys.LINK_VALUES] = here
    for values in session.get(keys.MORE_IN_LINK, {}).values():
        stated = {name: here[name] for name in values if name in here}
        values.clear()
        values |= stated
    # The adopted address counts as written, so that the next run does not adopt it again.
    _note_written(here)
    return True


def _misspelt(here: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the unknown names in an address, each with a similar known name."""
    from cspca.experiments.suspects import Haystack, Planted  # loaded only for links with settings

    classes = Fit, View, ComparedClasses, Haystack, Planted
    names = {field.query for cls in classes for field in declared(cls).values()} - {""}
    names |= {"class", "draft", "lesson", "part", "pixels", "tour"}
    for name in here:
        # Dissimilar names are ignored: mail and course software adds its own to every link.
        if name not in names and not name.startswith("run-"):
            for meant in get_close_matches(name.lower(), names, 1):
                yield name, meant


def _adopt_settings(here: dict[str, str]) -> None:
    """Set all settings that an address can have; missing ones get their defaults."""
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
        # The sliders are in fractions.
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
                # `open_view` sets the default of the data set.
                session.pop(key, None)
            elif field.query:
                session[key] = field.default
