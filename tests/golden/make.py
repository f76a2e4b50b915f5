"""Golden numbers: what the library said on 22 November 2026, at commit ee64bf4, as JSON.

They hold the numbers still while the code behind them is rewritten. Everything is asked through the
public door alone (``compare``, ``CSPCA`` and ``python -m cspca … --json``), so that this file runs
before and after. ``python -m tests.golden.make [CASE …]`` writes the files again: only where a
number changes on purpose, and then the commit says which, and why.

OpenBLAS and NumPy add up in another order on another processor, and two pixels of nearly the same
score change places. So the numbers are made with the kernels of 2013 (AVX2), which every x86-64
machine of today has, in a process of their own.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from tests import real_data

FOLDER = Path(__file__).parent
METRICS = (
    "accuracy", "nmi", "nmi_max", "silhouette", "cluster_stability", "reconstruction_error",
)  # fmt: skip
PAPER = ["all", "variance", "laplacian", "spec", "mcfs", "udfs", "cspca"]
EVERY = [*PAPER, "pca", "sparse-pca", "ndfs", "spca-psd"]
GRID = (0.01, 1.0, 100.0)
PAIRS = [(one, other) for one in GRID for other in GRID]
RELATIVE = [(alpha, beta) for alpha in (0.01, 0.1, 0.4) for beta in (0.01, 0.1, 0.4)]
STARTS = ("diagonal-0.5", "diagonal-1", "constant-1", "random")

TUNED = {
    "laplacian": [{"n_neighbors": 5}, {"n_neighbors": 10}],
    "spec": [{"function": "phi1"}, {"function": "phi2"}],
    "udfs": [{"gamma": g, "regularization": r} for g in (0.1, 1.0) for r in (1.0, 100.0)],
    "cspca": [{"alpha": a, "beta": b} for a in (0.01, 0.2) for b in (0.01, 0.2)],
}
QUICK = {
    "spec": [{"function": "phi1"}],
    "udfs": [{"gamma": one, "regularization": other} for one, other in PAIRS],
    "cspca": [{"alpha": a, "beta": b, "penalty_scale": "absolute"} for a, b in PAIRS],
}
SENSITIVITY = {"cspca": [{"alpha": a, "beta": b} for a, b in RELATIVE]}

#: case -> data and what ``compare`` is called with
COMPARED: dict[str, tuple[str, dict[str, Any]]] = {
    "digits-600": ("digits-600", {"methods": PAPER, "n_features": [16, 32, 48], "n_seeds": 5}),
    "digits-600-tuned": (
        "digits-600", {"methods": PAPER, "n_features": [16, 40], "n_seeds": 5, "grids": TUNED},
    ),
    "digits-600-unlabelled": (
        "digits-600",
        {"methods": ["all", "variance", "cspca"], "n_features": [20], "n_seeds": 4,
         "n_clusters": 8, "labels": False},
    ),
    "digits-600-plus-plus": (
        "digits-600",
        {"methods": ["all", "laplacian", "cspca"], "n_features": [20], "n_seeds": 4,
         "init": "k-means++"},
    ),
    "digits-600-sensitivity": (
        "digits-600",
        {"methods": ["cspca"], "n_features": 32, "n_seeds": 5, "grids": SENSITIVITY,
         "silhouette": False},
    ),
    "digits": ("digits", {"methods": EVERY, "n_features": [16, 32], "n_seeds": 3}),
    "digits-paper": (
        "digits", {"methods": PAPER, "n_features": [16, 32, 48], "n_seeds": 5, "grids": QUICK},
    ),
    "ORL": ("ORL", {"methods": PAPER, "n_features": [100, 300, 500], "n_seeds": 5}),
    "ORL-tuned": (
        "ORL", {"methods": PAPER, "n_features": [200, 500], "n_seeds": 5, "grids": TUNED},
    ),
    "ORL-sensitivity": (
        "ORL",
        {"methods": ["cspca"], "n_features": 512, "n_seeds": 5, "grids": SENSITIVITY,
         "silhouette": False},
    ),
}  # fmt: skip

#: case -> data and the fits made of them
FITTED: dict[str, tuple[str, list[dict[str, Any]]]] = {
    f"{data}-fits": (
        data,
        [
            *({"alpha": a, "beta": b} for a, b in RELATIVE),
            {"alpha": 0.1, "beta": 0.05, "tol": 1e-6},
            {"alpha": 0.1, "beta": 0.05, "center": False},
            {"alpha": 0.1, "beta": 0.05, "normalize": True},
            {"alpha": 1.0, "beta": 1.0, "penalty_scale": "absolute"},
            *(
                {"alpha": 0.1, "beta": 0.01, "solver": "reweighted", "init": init,
                 "max_iter": 20, "tol": 0.0}
                for init in STARTS
            ),
        ],
    )
    for data in ("digits-600", "ORL")
}  # fmt: skip

_STARTS = ("--alpha", "0.1", "--beta", "0.01", "--penalty-scale", "relative", "--center")

#: case -> data and the command, whose answer is JSON
COMMANDED: dict[str, tuple[str, list[str]]] = {
    "digits-600-shell-sensitivity": (
        "digits-600",
        ["sensitivity", "DATA", "--alphas", "0.01,0.1,0.4", "--betas", "0.01,0.1,0.4",
         "--features", "32", "--seeds", "5"],
    ),
    "digits-600-shell-convergence": (
        "digits-600", ["convergence", "DATA", *_STARTS, "--features", "32", "--seeds", "5"],
    ),
    "digits-600-shell-paper": ("digits-600", ["paper", "DATA", "--quick"]),
    "ORL-shell-sensitivity": (
        "ORL",
        ["sensitivity", "DATA", "--alphas", "0.01,0.1,0.4", "--betas", "0.01,0.1,0.4",
         "--features", "512", "--seeds", "5"],
    ),
    "ORL-shell-convergence": (
        "ORL", ["convergence", "DATA", *_STARTS, "--features", "500", "--seeds", "5"],
    ),
    "ORL-shell-paper": ("ORL", ["paper", "DATA", "--quick"]),
}  # fmt: skip

#: The same kernels on every machine, and one thread.
PINNED = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONPATH": str(real_data.REPOSITORY),
}

#: Tables of a command that are held still.
_TABLES = ("Grid", "Starts", "Paper", "Checks", "Claims")

CASES = (*COMPARED, *FITTED, *COMMANDED)


def data_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Pixels in [0, 1] and classes."""
    if name == "ORL":
        return _orl()
    digits = load_digits()
    n = 600 if name == "digits-600" else None
    return np.ascontiguousarray(digits.data[:n] / 16.0), digits.target[:n]


def _orl() -> tuple[np.ndarray, np.ndarray]:
    from scipy.io import loadmat

    content = loadmat(real_data.SHARED_DATA / "ORL.mat")
    return real_data.pixels("ORL"), content["Y"].ravel()


def measure(case: str) -> dict[str, Any]:
    """Ask today's code for the numbers of one case, as plain values."""
    if case in COMPARED:
        return _compared(*COMPARED[case])
    if case in FITTED:
        data, fits = FITTED[case]
        X, _ = data_of(data)
        return {"fits": [_fitted(X, one) for one in fits]}
    return _commanded(*COMMANDED[case])


def _compared(data: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    from cspca.evaluation import compare

    X, y = data_of(data)
    given = dict(arguments)
    given |= {"n_draws": 0, "beside": False}
    comparison = compare(X, y if given.pop("labels", True) else None, **given)
    assert comparison.complete
    assert not comparison.failures
    measured = comparison.metrics
    return {
        "cells": list(_cells(comparison, measured)),
        "tables": {
            metric: [_row(row, comparison, metric) for row in comparison.table(metric)]
            for metric in measured
        },
        "rankings": [
            {"method": method, "parameters": _parameters(text), **_order(one.order),
             "details": {key: one.details[key] for key in sorted(one.details)}}
            for (method, text), one in comparison.rankings.items()
        ],
    }  # fmt: skip


def _cells(comparison: Any, measured: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Runs that differ in their seed alone, one record with a list for each metric."""
    table = comparison.to_frame()
    for method in table["method"].unique():
        groups = table[table["method"] == method].groupby(["parameters", "n_features"], sort=False)
        for metric in measured:
            for (text, n_features), rows in groups:
                yield {
                    "method": method,
                    "parameters": _parameters(text),
                    "n_features": n_features,
                    "metric": metric,
                    "runs": rows.sort_values("seed")[metric].tolist(),
                }


def _parameters(text: str) -> dict[str, Any]:
    """The long table says parameters as JSON, and nothing where there are none."""
    return json.loads(text) if text else {}


def _row(row: Any, comparison: Any, metric: str) -> dict[str, Any]:
    from cspca.evaluation import METRICS, chosen_on_other_starts

    scores = comparison.scores(row.method, metric)
    larger = METRICS[metric].larger_is_better
    places = chosen_on_other_starts(scores, larger_is_better=larger)[1] if row.other_starts else ()
    halves = [scores.index[place] for place in places]

    def summary(one: Any) -> Any:
        return one and {"mean": one.mean, "std": one.std, "n": one.n}

    def choice(one: Any) -> Any:
        return one and {"parameters": _parameters(one.parameters), "n_features": one.n_features}

    apart = row.difference
    return {
        "method": row.method,
        "title": row.title,
        "best": summary(row.best),
        "best_choice": choice(row.best),
        "honest": summary(row.other_starts),
        "honest_choices": [
            {"parameters": _parameters(text), "n_features": k} for text, k in halves
        ],
        "label_free": summary(row.label_free),
        "label_free_choice": choice(row.label_free),
        "difference": apart and {"mean": apart.difference, "low": apart.low, "high": apart.high},
        "mark": row.mark,
        "n_choices": row.n_choices,
    }


def _fitted(X: np.ndarray, parameters: Mapping[str, Any]) -> dict[str, Any]:
    from cspca import CSPCA

    model = CSPCA(**{"random_state": 0, **parameters}).fit(X)
    return {
        "parameters": dict(parameters),
        **{
            name: getattr(model, f"{name}_")
            for name in (
                "objective", "dual_objective", "duality_gap", "converged", "n_iter", "rank",
                "regime", "alpha", "beta", "alpha_max", "beta_max",
            )
        },
        "n_zero": int(np.count_nonzero(model.feature_scores_ == 0.0)),
        "reconstruction": float(np.mean((model.reconstruct(X) - X) ** 2)),
        **_order(model.feature_order_),
    }  # fmt: skip


def _order(order: np.ndarray) -> dict[str, Any]:
    order = np.asarray(order, dtype=np.int64)
    return {"first": order[:30].tolist(), "sha256": hashlib.sha256(order.tobytes()).hexdigest()}


def _commanded(data: str, command: list[str]) -> dict[str, Any]:
    from cspca.shell import main

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{data}.npz")
        X, y = data_of(data)
        # As pictures, whose pixels are as they are said: flat ones, stored column by column, have
        # been turned upright since, and where scores tie the order is that of the pixels.
        np.savez(path, X=X.reshape(-1, 32, 32) if data == "ORL" else X, y=y)
        words = [str(path) if word == "DATA" else word for word in command]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            assert main([*words, "--json", "--home", folder]) == 0
    tables = json.loads(said.getvalue())["tables"]
    found = {name: tables[name] for name in _TABLES if name in tables}
    if "Checks" in found:
        found["Checks"] = {row["check"]: row for row in found["Checks"]}
    return found


def stored(case: str) -> dict[str, Any]:
    """What was written down."""
    found: dict[str, Any] = json.loads((FOLDER / f"{case}.json").read_text(encoding="utf-8"))
    return found


def answers(case: str) -> dict[str, Any]:
    """What today's code says, as it would be written down; for a process with pinned kernels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        made: dict[str, Any] = json.loads(_text(measure(case)))
    return made


def _text(value: Any, depth: int = 0) -> str:
    """JSON with one record a line: a changed number is one changed line."""
    if depth < 2 and isinstance(value, dict) and value:
        lines = [f"{json.dumps(key)}: {_text(one, depth + 1)}" for key, one in value.items()]
        return "{\n" + ",\n".join(lines) + "\n}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        lines = [json.dumps(one, ensure_ascii=False, default=_plain) for one in value]
        return "[\n" + ",\n".join(lines) + "\n]"
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    return value.tolist()


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    asked = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in PINNED.items()):
        os.execve(  # kernels are chosen when NumPy is loaded
            sys.executable,
            [sys.executable, "-m", "tests.golden.make", *sys.argv[1:]],
            {**os.environ, **PINNED},
        )
    made = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
    }
    for case in asked.cases or CASES:
        text = _text({"case": case, "made_with": made, **answers(case)}) + "\n"
        (FOLDER / f"{case}.json").write_text(text, encoding="utf-8")
        print(f"{case}: {len(text):,} bytes", flush=True)


if __name__ == "__main__":
    _main()
