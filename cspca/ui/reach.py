"""Who can come here: only who sits at this machine, or others too."""

from __future__ import annotations

import ipaddress

import streamlit as st


def remote() -> bool:
    """Return whether the server can be reached from other machines.

    It cannot when it listens on the loopback only. Without ``server.address`` Streamlit listens on
    every address that the machine has.
    """
    return not is_loopback(st.get_option("server.address"))


def is_loopback(address: str | None) -> bool:
    """Return whether an address is that of the machine itself.

    Parameters
    ----------
    address : str or None
        None is every address.
    """
    if not address:
        return False
    if address.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
