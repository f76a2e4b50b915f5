"""Golden numbers: what the library said on 22 November 2026, at commit ee64bf4, as JSON.

They hold fits and one comparison still while the code behind them is rewritten; the record and the
revisions of the methods hold the rest. Everything is asked through the public door alone
(``compare`` and ``CSPCA``), so that this file runs before and after. ``python -m tests.golden.make
[CASE …]`` writes the files again: only where a number changes on purpose, and then the commit says
which, and why.

OpenBLAS and NumPy add up in another order on another processor, and two pixels of nearly the same
score change places. So the numbers are made with the kernels of 2013 (AVX2), which every x86-64
machine of today has, in a process of their own.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import sys
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
PAPER = ["all", "variance", "laplacian", "spec", "mcfs", "udfs", "cspca"]
RELATIVE = [(alpha, beta) for alpha in (0.01, 0.1, 0.4) for beta in (0.01, 0.1, 0.4)]
STARTS = ("diagonal-0.5", "diagonal-1", "constant-1", "random")

TUNED = {
    "laplacian": [{"n_neighbors": 5}, {"n_neighbors": 10}],
    "spec": [{"function": "phi1"}, {"function": "phi2"}],
    "udfs": [{"gamma": g, "regularization": r} for g in (0.1, 1.0) for r in (1.0, 100.0)],
    "cspca": [{"alpha": a, "beta": b} for a in (0.01, 0.2) for b in (0.01, 0.2)],
}

#: case -> what ``compare`` is called with on the digits
COMPARED: dict[str, dict[str, Any]] = {
    "digits-600-tuned": {
        "methods": PAPER, "n_features": [16, 40], "n_seeds": 5, "grids": TUNED,
    },
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

#: The same kernels on every machine, and one thread.
PINNED = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONPATH": str(real_data.REPOSITORY),
}

CASES = (*COMPARED, *FITTED)


def pixels_of(name: str) -> np.ndarray:
    """Pixels in [0, 1]."""
    if name == "ORL":
        return real_data.pixels("ORL")
    return np.ascontiguousarray(load_digits().data[:600] / 16.0)


def measure(case: str) -> dict[str, Any]:
    """Ask today's code for the numbers of one case, as plain values."""
    if case in COMPARED:
        return _compared(COMPARED[case])
    data, fits = FITTED[case]
    X = pixels_of(data)
    return {"fits": [_fitted(X, one) for one in fits]}


def _compared(arguments: Mapping[str, Any]) -> dict[str, Any]:
    from cspca.evaluation import compare

    X, y = pixels_of("digits-600"), load_digits().target[:600]
    comparison = compare(X, y, **arguments, n_draws=0, beside=False)
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
    table = comparison.results
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
