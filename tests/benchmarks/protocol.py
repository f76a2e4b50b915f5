"""The paper's clustering protocol, beside a plain joblib loop over scikit-learn's KMeans.

    python -m tests.benchmarks.protocol [--data ORL] [--repetitions 3] [--json out.json]

30 seeds × the paper's numbers of features × 7 methods, scored by ACC and NMI. The features are
ranked beforehand and not timed. All-Features is clustered at every number of features like the
others: no repeated cell is skipped in either. Both use the same two cores with one BLAS and one
OpenMP thread each: ours two threads, the loop two processes (started beforehand) that each take all
seeds of one selection at a time, so that it slices the pixels once for 30 fits. The starts are the
same, and labels are compared. The two alternate. The exit status is 1 when ours needs more than two
thirds of the loop's time, or a label differs.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import sklearn
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from cspca.evaluation.former import (
    MethodPlan,
    Plan,
    Ranking,
    clustering_accuracy,
    kmeans,
    normalized_mutual_information,
    run,
)
from cspca.evaluation.paper import METHODS_IN_PAPER, N_STARTS, PAPER_SETS
from cspca.evaluation.starts import random_start
from cspca.selection import METHODS
from tests import real_data

N_JOBS = 2
AT_MOST = 2 / 3


def _rankings(X: np.ndarray, n_clusters: int) -> list[Ranking]:
    """The order of every method with its defaults; a random one where there is no such method."""
    found = []
    for number, key in enumerate(METHODS_IN_PAPER):
        if key in METHODS:
            order = METHODS[key].make(n_clusters=n_clusters).fit(X).feature_order_
        else:
            order = np.random.default_rng(number).permutation(X.shape[1])
        found.append(Ranking(key, (), np.asarray(order), np.zeros(X.shape[1]), 0.0, {}))
    return found


def _ours(X, y, plan, rankings):
    methods = {ranking.method: METHODS["all"] for ranking in rankings}  # never fitted
    results = [
        result
        for group in run(plan, X, y, methods=methods, rankings=rankings, n_jobs=N_JOBS)
        for result in group.results
    ]
    return np.array([[result.accuracy, result.nmi] for result in results])


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


def _theirs(parallel, X, y, plan, rankings):
    groups = parallel(
        joblib.delayed(_group_of_theirs)(
            X, y, np.sort(ranking.order[:k]), plan.seeds, plan.n_clusters
        )
        for ranking in rankings
        for k in plan.methods[0].n_features
    )
    return np.concatenate(groups)


def _same_labels(X, plan, rankings) -> tuple[int, int]:
    """Clusterings whose labels are scikit-learn's, and how many were made."""
    same = total = 0
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for ranking in rankings:
            for k in plan.methods[0].n_features:
                chosen = np.ascontiguousarray(X[:, np.sort(ranking.order[:k])])
                found = kmeans(chosen, plan.n_clusters, plan.seeds)
                for seed, labels in zip(plan.seeds, found.labels, strict=True):
                    start = chosen[random_start(seed, len(X), plan.n_clusters)]
                    theirs = KMeans(plan.n_clusters, init=start, n_init=1).fit(chosen).labels_
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
    parser.add_argument("--seeds", type=int, default=N_STARTS)
    parser.add_argument("--json", type=Path, help="also write the measurements to this file")
    wishes = parser.parse_args()
    reason = real_data.why_absent(wishes.data)
    if reason is not None:
        print(reason)
        return 0
    X, y = _load(wishes.data)
    counts = PAPER_SETS[wishes.data.lower()].feature_counts
    n_clusters = len(np.unique(y))
    with threadpool_limits(1):
        rankings = _rankings(X, n_clusters)
    plans = tuple(MethodPlan(r.method, r.method, ((),), counts) for r in rankings)
    plan = Plan(plans, tuple(range(wishes.seeds)), n_clusters, silhouette=False)

    ours, theirs = [], []
    with joblib.Parallel(n_jobs=N_JOBS) as parallel:
        parallel(joblib.delayed(_group_of_theirs)(X, y, [0], [0], 2) for _ in range(2 * N_JOBS))
        for _ in range(wishes.repetitions):
            began = time.perf_counter()
            my_scores = _ours(X, y, plan, rankings)
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            their_scores = _theirs(parallel, X, y, plan, rankings)
            theirs.append(time.perf_counter() - began)
    same, total = _same_labels(X, plan, rankings)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))

    print(
        f"{wishes.data} {X.shape[0]} × {X.shape[1]}, {n_clusters} clusters: {len(plan.seeds)} "
        f"seeds × {len(counts)} numbers of features × {len(rankings)} methods = {plan.n_cells} "
        "clusterings"
    )
    print(
        f"{N_JOBS} of {os.cpu_count()} cores, 1 BLAS thread each; scikit-learn "
        f"{sklearn.__version__}, {platform.python_version()}"
    )
    print(f"  {'':<34}{'median s':>9}{'min s':>9}{'max s':>9}")
    for name, seconds in (
        (f"ours, {N_JOBS} threads", ours),
        (f"KMeans in joblib, {N_JOBS} processes", theirs),
    ):
        shown = (statistics.median(seconds), min(seconds), max(seconds))
        print(f"  {name:<34}" + "".join(f"{value:>9.2f}" for value in shown))
    print(f"  ratio {ratio:.3f}; same labels {same} of {total}; ", end="")
    print(f"largest difference in ACC or NMI {abs(my_scores - their_scores).max():.1e}")
    demands = {
        "at most two thirds of its time": ratio <= AT_MOST,
        "the same labels for the same starts": same == total,
    }
    for demand, met in demands.items():
        print(f"  {'met   ' if met else 'MISSED'}  {demand}")
    if wishes.json:
        found = {"ours": ours, "theirs": theirs, "ratio": ratio, "same": same, "total": total}
        wishes.json.write_text(json.dumps(found, indent=2))
    return 0 if all(demands.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
