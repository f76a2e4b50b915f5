"""Arrays as one file."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["npz_bytes"]


def npz_bytes(arrays: Mapping[str, Any]) -> bytes:
    """Write arrays as a compressed ``.npz`` that opens without pickle.

    Parameters
    ----------
    arrays : mapping of str to array-like
        Numbers and text, no objects.

    Returns
    -------
    bytes
    """
    memory = io.BytesIO()
    np.savez_compressed(memory, allow_pickle=False, **arrays)
    return memory.getvalue()
