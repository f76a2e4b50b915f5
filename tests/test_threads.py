"""BLAS is held by many at once, and freed by the last."""

import os
import subprocess
import sys

from tests.real_data import REPOSITORY

OVERLAPPING = """
from threadpoolctl import threadpool_info
from cspca.threads import blas_threads, hold_blas


def blas():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


page, run = blas_threads(), blas_threads()
page.__enter__()
import scipy.linalg
assert blas() == {1}, "a BLAS that is loaded later is held too"
run.__enter__()
page.__exit__(None, None, None)
assert blas() == {1}, "who leaves does not free what another holds"
run.__exit__(None, None, None)
assert blas() == {2}, "what was there before is there again"
hold_blas()
with blas_threads():
    pass
assert blas() == {1}, "what a server holds for good nobody puts back"
"""


def test_the_last_who_holds_blas_frees_it():
    """Two fits of a server overlap: sums of the second are taken in the same order to its end."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", OVERLAPPING], cwd=REPOSITORY, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
