"""What is kept of a visitor and how long, and “Remove my data now”."""

from __future__ import annotations

import streamlit as st

from cspca.experiments.limits import limits
from cspca.ui import visitor
from cspca.ui.plain import button
from cspca.ui.services import erase


def kept_for() -> str:
    """How long a server keeps what, in one sentence."""
    allowed = limits()
    hours, days, trash = allowed.upload_hours, allowed.run_days, allowed.trash_days
    runs = f"for {_count(days, 'day')} after they were last worked on" if days else "until deleted"
    if visitor.is_owner():
        runs = "until deleted"
    return (
        "What you bring, and what is made of it, stays in the memory of this server, for "
        f"{_count(hours, 'hour')} from its arrival at most; runs and the data kept with them are "
        f"on its disk {runs}, in the trash for {_count(trash, 'day')}."
    )


def offer(place: str) -> None:
    """Draw how long what is kept, and the button that removes it all."""
    said = st.session_state.get("erased")
    with st.container(horizontal=True, vertical_alignment="center", key=f"erasing_{place}"):
        st.caption(kept_for(), width="stretch")
        # Another one afterwards, so that it is closed.
        key = f"erase_over_{place}_{said is None}"
        with st.popover("Remove my data now", icon=":material/delete_forever:", key=key):
            whose = "of this machine’s user, those of a shell too," if visitor.is_owner() else ""
            st.caption(
                "Removes at once and for good what you have brought and opened, its fits and "
                f"films, and all your runs {whose} with the trash. Sets that everybody has stay."
            )
            button("Remove it all", f"erase_{place}", "delete_forever", _erase)
    if said is not None:
        st.success(said, icon=":material/check:")


def _erase() -> None:
    said = erase(visitor.secret())
    visitor.forget_session()
    st.session_state["erased"] = said


def _count(number: float, what: str) -> str:
    return f"{number:,g} {what}{'' if number == 1 else 's'}"
