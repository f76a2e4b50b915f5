"""BLAS is held by many at once, and freed by the last."""

import ctypes
import os
import subprocess
import sys

import pytest

from tests.real_data import REPOSITORY

pytestmark = pytest.mark.skipif(os.cpu_count() == 1, reason="one core: BLAS has one thread anyway")

COUNTED = """
from threadpoolctl import threadpool_info


def blas():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
"""

OVERLAPPING = """
from cspca.threads import blas_threads, hold_blas
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

THREADS = """
import threading
from cspca.threads import blas_threads
import scipy.linalg

entered, leave, left, done = (threading.Event() for _ in range(4))


def first():
    with blas_threads():
        entered.set()
        leave.wait()
    left.set()
    done.wait()


thread = threading.Thread(target=first, daemon=True)
thread.start()
entered.wait()
with blas_threads():
    leave.set()
    left.wait()
    assert blas() == {1}
assert blas() == {2}, "the last puts it back, while the thread that set it still lives"
done.set()
with blas_threads():
    assert blas() == {1}
"""

FITS = """
import threading
import numpy as np
import scipy.linalg
from cspca import CSPCA

X = np.random.default_rng(0).random((60, 90))
barrier = threading.Barrier(4)


def fit(number):
    barrier.wait()
    for _ in CSPCA(0.2, 0.05, tol=10.0 ** -number, max_iter=60).iterate(X):
        blas()


for _ in range(3):
    threads = [threading.Thread(target=fit, args=(number,)) for number in (1, 2, 3, 6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert blas() == {2}, "four fits that overlap leave the threads as they found them"
"""

PREPARED = """
from cspca.experiments.live import prepare
from cspca.threads import blas_threads
prepare()
assert blas() == {2}
with blas_threads():
    assert blas() == {2}
"""

LATER = """
import os
os.environ.pop("OMP_NUM_THREADS", None)
from cspca.experiments.live import prepare
prepare()
import sklearn.metrics
from threadpoolctl import threadpool_info
found = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "openmp"]
assert found and set(found) == {1}, found
"""


def in_a_process(script, **environment):
    """Run it where BLAS has two threads; nothing may be said on the way out."""
    done = subprocess.run(
        [sys.executable, "-c", COUNTED + script], cwd=REPOSITORY, capture_output=True, text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "2", **environment}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_the_last_who_holds_blas_frees_it():
    """Two fits of a server overlap: sums of the second are taken in the same order to its end."""
    in_a_process(OVERLAPPING)


@pytest.mark.parametrize("script", [THREADS, FITS], ids=["two threads", "four fits"])
def test_threads_leave_the_process_as_it_was(script):
    in_a_process(script)


def test_a_server_has_as_many_threads_as_are_asked_for():
    in_a_process(PREPARED, CSPCA_BLAS_THREADS="2")


def test_openmp_has_one_thread_though_it_comes_after_the_server_began():
    in_a_process(LATER)


RELEASED = """
import gc
import numpy as np
from pathlib import Path
from cspca.threads import release_memory


def pages():
    return int(Path("/proc/self/statm").read_text().split()[1])


# Every second one goes: the end of the heap stays in use.
arrays = [np.ones(8_000) for _ in range(2_000)]
del arrays[::2]
gc.collect()
before = pages()
release_memory()
assert before - pages() > 500 * 8_000 * 8 / 4096, (before, pages())
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="not glibc")
def test_what_nothing_uses_is_handed_back():
    subprocess.run([sys.executable, "-c", RELEASED], cwd=REPOSITORY, check=True)
