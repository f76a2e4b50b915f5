"""Long counts: CI takes a seeded sample of them, ``python -m tests.soak`` all, in an hour or so.

A test asks :func:`counted` how many of its seeds to take; its file is one line in :data:`FILES`.
``python -m tests.soak tests/datasets/test_fuzz.py`` runs one of them.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import TypeVar

REPOSITORY = Path(__file__).resolve().parents[1]
SOAKING = "CSPCA_SOAK"
T = TypeVar("T")

FILES = (
    "tests/datasets/test_fuzz.py",  # damaged sets and pictures of every format, the largest files
    "tests/datasets/test_door.py",  # every bomb
    "tests/test_golden.py",  # the fits of ORL too
    "tests/test_known_answers.py",  # the longest of them too
    "tests/browser/test_start.py",  # every page as the first of a server
    "tests/browser/test_address.py",  # many changes in the midst of a run and a fit
    "tests/browser/test_settings.py",  # from every page to every other
    "tests/browser/test_teaching.py",  # every picture of Theory on a projector
    "tests/solvers/test_users_path.py",  # few columns, cold, warm and unfolded: 160 problems
    "tests/solvers/test_plain.py",  # the longest known answers
    "tests/solvers/test_any_problem.py",
    "tests/solvers/test_dask.py",  # a worker killed at four moments
    "tests/experiments/test_kinds.py",  # every kind of experiment on a cluster
    "tests/experiments/test_store_kills.py",  # ten kills
    "tests/shell/test_shell.py",  # stopped with worker processes and without
    # What Hypothesis draws, thousands of examples of each.
    "tests/test_problem.py",
    "tests/test_proximal.py",
    "tests/robust/test_haystack.py",  # 20 seeds of every haystack
    "tests/robust/test_answers.py",  # every certificate against a conic solver
    "tests/test_rounding.py",  # 2,000 random problems, and exact arithmetic
    "tests/evaluation/test_choices.py",
    "tests/evaluation/test_kmeans.py",
    "tests/evaluation/test_metrics.py",
    "tests/datasets/test_faces.py",
    "tests/datasets/test_resize.py",
)


def counted(sample: T, whole: T) -> T:
    """How many to take: a sample, or under ``tests.soak`` the whole count."""
    return whole if os.environ.get(SOAKING) else sample


def main(files: list[str]) -> int:
    """Run the files in workers, without limits of time; the exit code is pytest's."""
    command = [sys.executable, "-m", "pytest", "-n", "auto", "--timeout=0", *(files or FILES)]
    return subprocess.run(
        command, cwd=REPOSITORY, env={**os.environ, SOAKING: "1"}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
