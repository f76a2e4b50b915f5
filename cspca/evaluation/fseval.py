"""FSEVAL, the field's suite for evaluating feature selection: our methods in it, its results here.

``pip install sdufseval`` (M. Rajabinasab, github.com/mrajabinasab/FSEVAL). Its K-means starts with
k-means++, and its files hold means over the starts, without a spread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from cspca.evaluation.comparison import Comparison, Plan, Task, long_table
from cspca.proximal import FloatArray
from cspca.selection import METHODS

_METRICS = {"CLSACC": "accuracy", "NMI": "nmi_arithmetic"}
"""Its metrics of clusterings, and what they are called here."""

_FILE = re.compile(rf"(.+)_({'|'.join(_METRICS)})_\d+Percent(_[^.]*)?\.csv")


def fseval_method(
    method: str, n_clusters: int | None = None, *, name: str | None = None, **parameters: Any
) -> dict[str, Any]:
    """Describe a method of :data:`cspca.selection.METHODS` as ``FSEVAL.run`` takes it.

    Parameters
    ----------
    method : str
        Its key. FSEVAL cuts one ranking at every number of features, so that methods are refused
        that select anew for each; of MCFS it is the ranking for half of the features, unless
        `n_nonzero` is set.
    n_clusters : int or None, default=None
        For methods that are told it; FSEVAL says nothing of the labels to an unsupervised one.
    name : str or None, default=None
        What FSEVAL calls it in its files, where a second one of the same name would replace the
        first. None is the key, with the parameters that are given: ``cspca(alpha=0.2)``.
    **parameters
        Of the selector, where they are not its defaults.

    Returns
    -------
    dict
        Name, type, function and its parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from cspca.evaluation import fseval_method
    >>> described = fseval_method("variance")
    >>> described["func"](np.array([[1.0, 5.0], [2.0, 9.0]]), **described["params"])
    array([0.25, 4.  ])
    """
    if method not in METHODS:
        raise ValueError(f"Unknown method {method!r}: choose from {', '.join(METHODS)}.")
    if not METHODS[method].selector.nested:
        raise ValueError(
            f"{METHODS[method].title} selects anew for each number of features, and FSEVAL cuts "
            "one ranking at all of them: compare it here."
        )
    if name is None:
        settings = ",".join(f"{key}={value}" for key, value in sorted(parameters.items()))
        name = re.sub(r"[^\w=,.()+-]+", "_", f"{method}({settings})") if settings else method
    given = {"method": method, "n_clusters": n_clusters, **parameters}
    return {"name": name, "type": "unsupervised", "func": _scores, "params": given}


def _scores(X: ArrayLike, method: str, n_clusters: int | None, **parameters: Any) -> FloatArray:
    """Score the features, large is good: FSEVAL's processes find it by its name."""
    fitted = METHODS[method].make(n_clusters, **parameters).fit(X)
    return np.asarray(fitted.selection_scores_)


def _title(name: str) -> str:
    """What a method is called here that FSEVAL calls `name`, with its settings."""
    key, bracket, settings = name.partition("(")
    if key not in METHODS:
        return name
    return f"{METHODS[key].title} {bracket}{settings}".strip()


def measured(file: str) -> list[tuple[str, str]]:
    """The method and the metric that a file is of, by its name; none where it is another."""
    named = _FILE.fullmatch(file)
    if named is None or named[1].endswith("_Stability"):
        return []
    return [(named[1], _METRICS[named[2]])]


def read_fseval(
    paths: str | Path | Iterable[str | Path] | Mapping[str, pd.DataFrame],
    data: str,
    n_features: int,
) -> Comparison:
    """Read what FSEVAL wrote of one data set, as :func:`cspca.evaluation.compare` returns it.

    Its NMI is over the arithmetic mean of the entropies, and is called ``nmi_arithmetic``; the
    ``nmi`` of :func:`~cspca.evaluation.compare` is over their geometric mean.

    Parameters
    ----------
    paths : str, Path, iterable of them, or mapping of str to DataFrame
        Its folder of results, or files of it: ``METHOD_CLSACC_10Percent….csv`` and ``…_NMI_…``; or
        what they hold, by their names.
    data : str
        The data set, as the files name it.
    n_features : int
        All features of the data set: the files say shares of them.

    Returns
    -------
    Comparison
        With one run a method and number of features, the mean that the files hold.

    Raises
    ------
    ValueError
        One sentence, where nothing of these data is there.
    """
    if isinstance(paths, str | Path):
        paths = sorted(Path(paths).glob("*.csv")) if Path(paths).is_dir() else [paths]
    if isinstance(paths, Mapping):
        tables = dict(paths)
    else:
        wanted = [path for path in map(Path, paths) if measured(path.name)]
        tables = {path.name: pd.read_csv(path, index_col="Dataset") for path in wanted}
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for file, table in tables.items():
        for name, metric in measured(file) if data in table.index else ():
            for share, value in table.loc[data].items():
                k = max(1, min(math.ceil(float(share) * n_features), n_features))
                found.setdefault((name, k), {})[metric] = float(value)
    if not found:
        raise ValueError(
            f"FSEVAL wrote nothing of {data!r} there: give its folder, or its files of CLSACC and "
            "NMI, and the name that they have for the data."
        )
    about = {"parameters": "", "seed": 0, "init": "k-means++"}
    titles = {name: _title(name) for name, _ in found}
    rows = [
        about | {"method": name, "title": titles[name], "n_features": k} | scores
        for (name, k), scores in sorted(found.items(), key=lambda one: one[0][1])
    ]
    tasks = (
        Task(name, title, {}, tuple(sorted(k for other, k in found if other == name)))
        for name, title in titles.items()
    )
    return Comparison(Plan(tuple(tasks), (0,), 0, "k-means++", silhouette=False), long_table(rows))
