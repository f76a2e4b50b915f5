"""Identity of a visitor: a random secret in a cookie that the server sets, never in an address.

Scripts cannot read the cookie; the server passes the secret to a page in a header (`serving`). In a
frame without cookies the secret lasts as long as the session. The owner of the server opens a link
with the token of its store once: it is exchanged for the owner's cookie and removed from the
address. Where the server has a login, uploads and runs belong to the account.
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
    """Identify the visitor before the page is drawn; return a sentence if a token is wrong."""
    _value()
    # A correct token is exchanged before a page is drawn.
    if TOKEN not in st.query_params:
        return ""
    return (
        "The token of this link does not open this server: `python -m cspca open`, run where "
        "the server runs, opens it with the right one."
    )


def knows_tour() -> bool:
    """Whether this visitor has taken or dismissed the tour since the server was started."""
    return hashed(secret()) in services().toured


def note_tour() -> None:
    """Note that this visitor has taken or dismissed the tour."""
    services().toured.add(hashed(secret()))


def secret() -> str:
    """Return the visitor's secret, which owns their runs; empty for the server's owner."""
    return "" if is_owner() else _identity() or _value()


def address() -> str:
    """Return the visitor's network address; empty if it is this machine or not known."""
    return str(st.context.ip_address or "")


def removed_elsewhere() -> bool:
    """Whether the visitor's data were removed in another window since this one last looked."""
    owner, session = hashed(secret()), st.session_state
    count = services().removals[owner]
    seen = session.setdefault(keys.VISITOR_REMOVALS, (owner, count))
    if seen[0] != owner:
        # The visitor has just logged in or opened the link with the owner's token.
        seen = session[keys.VISITOR_REMOVALS] = owner, count
    return bool(seen[1] != count)


def forget_session() -> None:
    """Clear the session of this window, except for the visitor's identity and the tour."""
    session = st.session_state
    for key in [key for key in session if not str(key).startswith(("visitor", "tour"))]:
        del session[key]
    session.pop(keys.VISITOR_REMOVALS, None)
    st.query_params.clear()


def sight() -> str | None:
    """Return the owner whose runs this visitor sees in a store; None for all runs."""
    return secret() or None


def is_owner() -> bool:
    """Whether this visitor is the server's owner, who has access to all runs."""
    return limits().single_user or hmac.compare_digest(_value(), owner_secret())


def must_log_in() -> bool:
    """Whether the server requires a login that this visitor does not have."""
    return st.user.get("is_logged_in") is False and not is_owner()


def log_in() -> None:
    """Draw the login: one button, or one for each provider that the server has."""
    st.title("Who is there?", anchor=False)
    st.html(
        '<p class="cspca-lead">What you bring and compute here is kept as yours: log in to begin, '
        "or to go on.</p>"
    )
    sections = st.secrets["auth"].items()
    for name in [key for key, section in sections if isinstance(section, Mapping)] or [""]:
        words, args = (f"Log in with {name}", (name,)) if name else ("Log in", ())
        icon = ":material/login:"
        st.button(words, f"log_in_{name}", icon=icon, on_click=st.login, args=args, type="primary")


def logged_in_as() -> str:
    """Return the name of the visitor's account; empty without a login."""
    name = st.user.get("email") or st.user.get("name") or "an account"
    return str(name) if st.user.get("is_logged_in") else ""


def _identity() -> str:
    """Return the secret of the account, the same in every browser; empty without a login."""
    if not st.user.get("is_logged_in"):
        return ""
    account = f"cspca login\0{st.user.get('iss')}\0{st.user.get('sub') or st.user.get('email')}"
    return hmac.new(owner_token().encode(), account.encode(), "sha256").hexdigest()[:32]


def _value() -> str:
    session = st.session_state
    if keys.VISITOR_SECRET not in session:
        session[keys.VISITOR_SECRET] = st.context.headers.get(VISITOR) or secrets.token_hex(16)
    return str(session[keys.VISITOR_SECRET])
