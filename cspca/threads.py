"""How many BLAS threads a fit uses.

The products and eigendecompositions of a fit are small and many: on two cores one thread finished
ORL in 0.9 s where two took 2.4 s. So one is the default, set on purpose;
``CSPCA_BLAS_THREADS`` overrides it for large data on large machines.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

ENVIRONMENT_VARIABLE = "CSPCA_BLAS_THREADS"

_lock = threading.Lock()
_limit: Any = None  # while BLAS is held: can put back what was found
_holders = 0


@cache
def _controller() -> ThreadpoolController:
    # SciPy brings a BLAS of its own, which is found only once it is loaded.
    import scipy.linalg  # noqa: F401

    # An array of this size that came and went keeps glibc from handing the memory of smaller ones
    # back and fetching it again, page by page: a fifth of a fit's time on 1,797 × 64.
    np.empty(1 << 23, np.uint8)
    return ThreadpoolController()


def _free_control() -> None:
    """Let any thread set the limit: threadpoolctl 3.8 obeys none but the first that did."""
    for library in _controller().lib_controllers:
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)


def hold_blas() -> None:
    """Hold BLAS at the threads asked for, by default 1, for good unless within `blas_threads`."""
    global _limit, _holders
    with _lock:
        if not _holders:
            text = os.environ.get(ENVIRONMENT_VARIABLE, "1")
            if not text.isdecimal() or int(text) < 1:
                raise ValueError(
                    f"{ENVIRONMENT_VARIABLE} must be a positive whole number of threads, got "
                    f"{text!r}."
                )
            _free_control()
            _limit = _controller().limit(limits=int(text), user_api="blas")
        _holders += 1


@contextmanager
def blas_threads() -> Iterator[None]:
    """Hold BLAS at the threads asked for, until the last of all who hold it is done.

    The setting is the whole process's: whoever put back alone what it had found would free BLAS
    under the fit of another thread, whose sums would be taken in another order.
    """
    global _holders
    hold_blas()
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            if not _holders:
                _free_control()
                _limit.restore_original_limits()
                _free_control()


def release_memory() -> None:
    """Hand memory that nothing uses back to the system, where the C library is glibc."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)
