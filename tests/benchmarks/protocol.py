"""The paper's clustering protocol, beside a plain joblib loop over scikit-learn's KMeans.

    python -m tests.benchmarks.protocol [--data ORL] [--repetitions 3] [--seeds 30]

30 seeds × the paper's numbers of features × 7 methods, scored by ACC and NMI. The features are
ranked beforehand and not timed. All-Features is clustered at every number of features like the
others: no repeated cell is skipped in either. Both use the same two cores with one BLAS and one
OpenMP thread each: ours two threads, the loop two processes (started beforehand) that each take all
seeds of one selection at a time, so that it slices the pixels once for 30 fits. The starts are the
same, and labels are compared. The two alternate. The exit status is 1 when ours needs more than two
thirds of the loop's time, or a label differs.
"""

import argparse
import os
import statistics
import sys
import time
import warnings

import joblib
import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from cspca.evaluation import (
    clustering_accuracy,
    compare,
    kmeans,
    normalized_mutual_information,
)
from cspca.evaluation.kmeans import random_start
from cspca.paper.numbers import PAPER_SETS
from cspca.selection import METHODS
from cspca.selection.registry import METHODS_IN_PAPER
from tests import real_data
from tests.benchmarks.measure import demand

N_JOBS = 2
AT_MOST = 2 / 3


class Ranked(BaseEstimator):
    """An order of the features that was found before."""

    def __init__(self, order):
        self.order = order

    def fit(self, X):
        self.feature_order_ = self.order
        return self


def _rankings(X: np.ndarray, n_clusters: int) -> dict[str, np.ndarray]:
    """The order of every method of the paper with its defaults."""
    return {
        key: np.asarray(METHODS[key].make(n_clusters=n_clusters).fit(X).feature_order_)
        for key in METHODS_IN_PAPER
    }


def _ours(X, y, counts, n_seeds, rankings):
    methods = {key: Ranked(order) for key, order in rankings.items()}
    # What the loop does not measure is left out.
    alone = {"n_draws": 0, "bootstrap": 0, "silhouette": False, "beside": False}
    done = compare(X, y, methods, counts, n_seeds=n_seeds, n_jobs=N_JOBS, **alone)
    return done.results[["accuracy", "nmi"]].to_numpy()


def _group_of_theirs(X, y, features, seeds, n_clusters):
    chosen = np.ascontiguousarray(X[:, features])
    scores = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for seed in seeds:
            start = chosen[random_start(seed, len(X), n_clusters)]
            labels = KMeans(n_clusters, init=start, n_init=1).fit(chosen).labels_
            scores.append(
                [clustering_accuracy(y, labels), normalized_mutual_information(y, labels)]
            )
    return scores


def _theirs(parallel, X, y, counts, n_seeds, rankings):
    groups = parallel(
        joblib.delayed(_group_of_theirs)(
            X, y, np.sort(order[:k]), range(n_seeds), len(np.unique(y))
        )
        for order in rankings.values()
        for k in counts
    )
    return np.concatenate(groups)


def _same_labels(X, counts, n_seeds, n_clusters, rankings) -> tuple[int, int]:
    """Clusterings whose labels are scikit-learn's, and how many were made."""
    same = total = 0
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for order in rankings.values():
            for k in counts:
                chosen = np.ascontiguousarray(X[:, np.sort(order[:k])])
                found = kmeans(chosen, n_clusters, range(n_seeds))
                for seed, labels in enumerate(found.labels):
                    start = chosen[random_start(seed, len(X), n_clusters)]
                    theirs = KMeans(n_clusters, init=start, n_init=1).fit(chosen).labels_
                    same += np.array_equal(labels, theirs)
                    total += 1
    return same, total


def _load(name: str) -> tuple[np.ndarray, np.ndarray]:
    from cspca.datasets import load_file

    data = load_file(real_data.SHARED_DATA / real_data.FILES[name])
    return np.asarray(data.data, dtype=np.float64), np.asarray(data.target)


def main() -> int:
    """Time both and print a table; 1 when a demand is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.protocol")
    parser.add_argument("--data", default="ORL", choices=["ORL", "COIL20", "USPS"])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=30)
    options = parser.parse_args()
    reason = real_data.why_absent(options.data)
    if reason is not None:
        print(reason)
        return 0
    X, y = _load(options.data)
    counts = PAPER_SETS[options.data.lower()].feature_counts
    n_clusters = len(np.unique(y))
    with threadpool_limits(1):
        rankings = _rankings(X, n_clusters)
    ours, theirs = [], []
    with joblib.Parallel(n_jobs=N_JOBS) as parallel:
        parallel(joblib.delayed(_group_of_theirs)(X, y, [0], [0], 2) for _ in range(2 * N_JOBS))
        for _ in range(options.repetitions):
            began = time.perf_counter()
            my_scores = _ours(X, y, counts, options.seeds, rankings)
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            their_scores = _theirs(parallel, X, y, counts, options.seeds, rankings)
            theirs.append(time.perf_counter() - began)
    same, total = _same_labels(X, counts, options.seeds, n_clusters, rankings)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))

    print(
        f"{options.data} {X.shape[0]} × {X.shape[1]}, {n_clusters} clusters: {options.seeds} "
        f"seeds × {len(counts)} numbers of features × {len(rankings)} methods = {len(my_scores)} "
        "clusterings"
    )
    print(f"{N_JOBS} of {os.cpu_count()} cores; scikit-learn {sklearn.__version__}")
    print(f"  {'':<34}{'median s':>9}{'min s':>9}{'max s':>9}")
    for name, seconds in (
        (f"ours, {N_JOBS} threads", ours),
        (f"KMeans in joblib, {N_JOBS} processes", theirs),
    ):
        shown = (statistics.median(seconds), min(seconds), max(seconds))
        print(f"  {name:<34}" + "".join(f"{value:>9.2f}" for value in shown))
    print(f"  largest difference in ACC or NMI {abs(my_scores - their_scores).max():.1e}")
    met = demand(f"at most two thirds of its time (is {ratio:.3f})", met=ratio <= AT_MOST)
    labels = f"the same labels for the same starts ({same} of {total})"
    return int(not (demand(labels, met=same == total) and met))


if __name__ == "__main__":
    sys.exit(main())
