"""Who a visitor is: a random secret in a cookie that the server keeps, never in an address.

The cookie is out of the reach of scripts; the server tells a page the secret in a header of its own
(`serving`). In a frame without cookies the secret lasts as long as the session. The owner of the
server brings the token of its store in a link, once: it is exchanged for the owner's cookie and
taken out of the address. Where the server has a login, what a visitor does belongs to the account.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping

import streamlit as st

from cspca.experiments.database import TOKEN, VISITOR, owner_secret, owner_token
from cspca.experiments.limits import limits
from cspca.experiments.log import hashed
from cspca.ui import keys
from cspca.ui.services import services


def arrive() -> str:
    """Find out who is here, before anything is drawn; return a sentence where a token is wrong."""
    _value()
    # The right one was exchanged before a page is drawn.
    if TOKEN not in st.query_params:
        return ""
    return (
        "The token of this link does not open this server: `python -m cspca open`, run where "
        "the server runs, opens it with the right one."
    )


def knows_tour() -> bool:
    """Whether this visitor has taken the tour or put it away, since the server was begun."""
    return hashed(secret()) in services().toured


def note_tour() -> None:
    """Remember that nobody need offer this visitor the tour again."""
    services().toured.add(hashed(secret()))


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
    known = session.setdefault(keys.VISITOR_REMOVALS, (owner, count))
    if known[0] != owner:
        # Another visitor, who has just logged in or brought the owner's token.
        known = session[keys.VISITOR_REMOVALS] = owner, count
    return bool(known[1] != count)


def forget_session() -> None:
    """Let go what this window holds, but for who it is and how they look at it."""
    session = st.session_state
    for key in [key for key in session if not str(key).startswith(("visitor", "tour"))]:
        del session[key]
    session.pop(keys.VISITOR_REMOVALS, None)
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
    if keys.VISITOR_SECRET not in session:
        session[keys.VISITOR_SECRET] = st.context.headers.get(VISITOR) or secrets.token_hex(16)
    return str(session[keys.VISITOR_SECRET])
