"""What can go wrong with a sweep, beside the store."""

from __future__ import annotations

__all__ = ["SweepError"]


class SweepError(ValueError):
    """A sweep cannot start or go on; the message is one sentence that says what to do."""
