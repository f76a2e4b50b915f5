"""How many BLAS threads a fit uses.

The products and eigendecompositions of a fit are small and many: on two cores one thread finished
ORL in 0.9 s where two took 2.4 s. So one is the default, set on purpose;
``CSPCA_BLAS_THREADS`` overrides it for large data on large machines.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, cast

from threadpoolctl import ThreadpoolController

ENVIRONMENT_VARIABLE = "CSPCA_BLAS_THREADS"


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def wanted_threads() -> int:
    """Number of BLAS threads asked for: ``CSPCA_BLAS_THREADS``, default 1."""
    text = os.environ.get(ENVIRONMENT_VARIABLE, "1")
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(
            f"{ENVIRONMENT_VARIABLE} must be a positive whole number of threads, got {text!r}."
        )
    return int(text)


def blas_threads() -> AbstractContextManager[Any]:
    """Context manager that holds BLAS at :func:`wanted_threads` threads."""
    limit = _controller().limit(limits=wanted_threads(), user_api="blas")
    return cast("AbstractContextManager[Any]", limit)
