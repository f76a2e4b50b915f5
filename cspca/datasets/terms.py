"""What the terms of a data set allow."""

from __future__ import annotations

from typing import Final

__all__ = ["may_be_shown"]

_FREE: Final = ("BSD-3-Clause", "CC BY", "CC0")


def may_be_shown(licence: str) -> bool:
    """Whether a licence lets anybody pass single images on.

    Parameters
    ----------
    licence : str
        As a data set says it. What is not surely free counts as not.
    """
    return licence.startswith(_FREE)
