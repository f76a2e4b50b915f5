"""Times in the visitor's time zone."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def when(moment: float) -> str:
    """Return when a moment was: minutes ago within the last hour, else the day and the time."""
    ago = time.time() - moment
    if ago < 60:
        return "just now"
    if ago < 3600:
        return f"{int(ago // 60)} min ago"
    return day_and_time(moment)


def day_and_time(moment: float) -> str:
    """Return the day and the time of a moment, in the visitor's time zone."""
    zone: tzinfo = UTC
    with suppress(ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo(st.context.timezone or "UTC")
    then, today = datetime.fromtimestamp(moment, zone), datetime.now(zone)
    days = (today.date() - then.date()).days
    if days < 2:
        return f"{('today', 'yesterday')[days]}, {then:%H:%M}"
    year = "" if then.year == today.year else f" {then.year}"
    return f"{then.day} {then:%b}{year}, {then:%H:%M}"
