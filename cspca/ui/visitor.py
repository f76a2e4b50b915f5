"""Who a visitor is: a random secret in a cookie of the browser, never in an address.

A first visit makes the secret; a small script keeps it, unless the server itself does, where no
script can read it (``deploy/serve.py``). In a frame without cookies it lasts as
long as the session. The owner of the server brings the token of its store in a link, once: it is
exchanged for the owner's cookie and taken out of the address. Where the server has a login, what
a visitor does belongs to the account.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from typing import Final

import streamlit as st

from cspca.experiments.database import TOKEN, cookie_name, owner_secret, owner_token, secret_in
from cspca.experiments.limits import limits
from cspca.experiments.log import hashed
from cspca.ui.services import services

_TOUR: Final = "cspca_tour"

# Only what is not kept yet is written: two windows that come at once end with one secret.
_JS = """
export default function ({ data, setStateValue }) {
  const address = new URL(location.href)
  const scrub = data.token && address.searchParams.has(data.token)
  if (scrub) {
    address.searchParams.delete(data.token)
    history.replaceState(history.state, "", address)
  }
  if (data.tour) document.cookie = `${data.tour}=1; Path=/; Max-Age=34560000; SameSite=Lax`
  if (scrub) setStateValue("scrubbed", Date.now())
  if (!data.secret) return
  const kept = document.cookie.split("; ").find((one) => one.startsWith(`${data.name}=`))
  const known = kept?.slice(data.name.length + 1)
  if (!known || data.replace) {
    const secure = location.protocol === "https:" ? "; Secure" : ""
    document.cookie = `${data.name}=${data.secret}; Path=/; Max-Age=34560000; SameSite=Lax${secure}`
  } else if (known !== data.secret) setStateValue("known", known)
}
"""

# Registered once, at import: registering again with every mount would replace it under way.
_MOUNT = st.components.v2.component("cspca_visitor", html="<i hidden></i>", js=_JS)


def arrive() -> str:
    """Find out who is here, before anything is drawn; return a sentence where a token is wrong."""
    _value()
    given = st.query_params.get(TOKEN)
    session = st.session_state
    session["visitor_scrub"] = given is not None and not session.get("visitor_scrub")
    if given is None:
        return ""
    if not hmac.compare_digest(given.encode(), owner_token().encode()):
        return (
            "The token of this link does not open this server: `python -m cspca open`, run where "
            "the server runs, opens it with the right one."
        )
    session["visitor_secret"], session["visitor_replace"] = owner_secret(), True
    return ""


def remember() -> None:
    """Let the browser keep the visitor's secret: once on every page."""
    name, replace = cookie_name(), bool(st.session_state.get("visitor_replace"))
    # What the server has set already is not told to scripts.
    told = replace or name in st.context.cookies or not secret_in(st.context.cookies)
    with st.container(key="visitor"):
        _MOUNT(
            key="visitor_cookie",
            data={
                "name": name,
                "secret": _value() if told else None,
                "replace": replace,
                "token": TOKEN,
                "tour": _TOUR if st.session_state.get("tour_known") else None,
            },
            on_known_change=_take_over,
            on_scrubbed_change=lambda: None,
        )


def knows_tour() -> bool:
    """Whether the tour was taken or put away in this browser."""
    return bool(st.session_state.get("tour_known") or st.context.cookies.get(_TOUR) == "1")


def note_tour() -> None:
    """Let the browser keep that nobody need offer the tour again."""
    st.session_state["tour_known"] = True


def secret() -> str:
    """Return the visitor's secret, under which runs are kept; empty for the server's owner."""
    return "" if is_owner() else _identity() or _value()


def address() -> str:
    """Network address that a visitor comes from; empty where it is this machine or not known."""
    return str(st.context.ip_address or "")


def removed_elsewhere() -> bool:
    """Whether the visitor's data were removed in another window since this one last looked."""
    owner, session = hashed(secret()), st.session_state
    count = services().removals[owner]
    known = session.setdefault("visitor_removals", (owner, count))
    if known[0] != owner:
        # Another visitor, who has just logged in or brought the owner's token.
        known = session["visitor_removals"] = owner, count
    return bool(known[1] != count)


def forget_session() -> None:
    """Let go what this window holds, but for who it is and how they look at it."""
    session = st.session_state
    for key in [key for key in session if not str(key).startswith(("visitor", "tour", "present"))]:
        del session[key]
    session.pop("visitor_removals", None)
    st.query_params.clear()


def sight() -> str | None:
    """Return whose runs this visitor sees in a store; None is everybody's."""
    return secret() or None


def is_owner() -> bool:
    """Whether this visitor has shown the owner's token: all runs are theirs, the shell's too."""
    return limits().single_user or hmac.compare_digest(_value(), owner_secret())


def must_log_in() -> bool:
    """Whether the server wants to know who is there, and does not."""
    return st.user.get("is_logged_in") is False and not is_owner()


def log_in() -> None:
    """Draw the way in: one button, or one for every provider that the server knows."""
    st.title("Who is there?", anchor=False)
    st.html(
        '<p class="cspca-lead">What you bring and compute here is kept as yours: log in to begin, '
        "or to go on.</p>"
    )
    known = [name for name, one in st.secrets["auth"].items() if isinstance(one, Mapping)]
    for name in known or [""]:
        words, given = (f"Log in with {name}", (name,)) if name else ("Log in", ())
        icon = ":material/login:"
        st.button(words, f"log_in_{name}", icon=icon, on_click=st.login, args=given, type="primary")


def logged_in_as() -> str:
    """Return what a visitor is called who has logged in; empty where nobody need."""
    called = st.user.get("email") or st.user.get("name") or "an account"
    return str(called) if st.user.get("is_logged_in") else ""


def _identity() -> str:
    """Return the secret of an account, which is the same in every browser; empty without one."""
    if not st.user.get("is_logged_in"):
        return ""
    who = f"cspca login\0{st.user.get('iss')}\0{st.user.get('sub') or st.user.get('email')}"
    return hmac.new(owner_token().encode(), who.encode(), "sha256").hexdigest()[:32]


def _value() -> str:
    session = st.session_state
    if "visitor_secret" not in session:
        session["visitor_secret"] = secret_in(st.context.cookies) or secrets.token_hex(16)
    return str(session["visitor_secret"])


def _take_over() -> None:
    """Be who the browser says: another window was here first, or has brought the token since."""
    known = st.session_state["visitor_cookie"].get("known")
    if isinstance(known, str) and secret_in({cookie_name(): known}):
        st.session_state["visitor_secret"] = known
