"""The paper's result tables with ours beside, and in plain words how far they are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from cspca.evaluation.comparison import Row
from cspca.evaluation.tables import Strong
from cspca.paper.numbers import INDEPENDENT_SOURCE, PaperSet, Recognition
from cspca.selection import METHODS

METRIC_TITLES = {"accuracy": "ACC", "nmi": "NMI"}
"""The two metrics of the paper, in its order."""

_SAME = 1.0
"""Percentage points within which a printed number counts as reproduced."""

_NUMBERS = (
    "paper", "paper_std", "ours_best_of_grid", "ours_std", "difference", "ours_on_other_starts",
    "ours_on_other_starts_std", "ours_without_labels", "ours_without_labels_std", "independent",
)  # fmt: skip


def paper_table(ours: Sequence[Row], paper_set: PaperSet | None, metric: str) -> pd.DataFrame:
    """One line a method, in per cent: printed, ours as the paper chooses, and better choices.

    `ours` is the table of a comparison as far as it got; NaN stands where there is no number, and
    ``mark`` is "best" or "close" by the choice made on other starts.
    """
    printed = {} if paper_set is None else getattr(paper_set, metric)
    others = {} if paper_set is None else paper_set.independent
    lines: dict[str, dict[str, Any]] = {}
    for key in dict.fromkeys([*printed, *(row.method for row in ours)]):
        line = {"method": key, "title": METHODS[key].title, **dict.fromkeys(_NUMBERS, math.nan)}
        lines[key] = line | {"n_choices": 0, "n_features": 0, "n_runs": 0, "mark": ""}
        if key in printed:
            lines[key]["paper"], lines[key]["paper_std"] = printed[key]
        if key in others:
            lines[key]["independent"] = others[key][metric == "nmi"]
    for row in ours:
        line, best = lines[row.method], row.best
        line |= {"n_choices": row.n_choices, "n_features": best.n_features, "n_runs": best.n}
        line |= {"mark": row.mark, "ours_best_of_grid": 100 * best.mean, "ours_std": 100 * best.std}
        line["difference"] = line["ours_best_of_grid"] - line["paper"]
        better = {"on_other_starts": row.other_starts, "without_labels": row.label_free}
        for name, one in better.items():
            if one is not None:
                line |= {f"ours_{name}": 100 * one.mean, f"ours_{name}_std": 100 * one.std}
    return pd.DataFrame(list(lines.values()))


def printed_table(rows: pd.DataFrame, metric: str, *, same_data: bool) -> pd.DataFrame:
    """The table as it is read; columns of which nothing is known are left out."""

    def said(name: str, std: str = "") -> list[str]:
        return [say(*pair) for pair in zip(rows[name], rows[std or f"{name}_std"], strict=True)]

    others = zip(said("ours_on_other_starts"), rows["mark"], strict=True)
    found = pd.DataFrame(
        {
            "Method": rows["title"],
            "Paper": said("paper"),
            "Ours": said("ours_best_of_grid", "ours_std"),
            "Difference": rows["difference"].map(say_difference),
            "On other starts": [Strong(one) if mark == "best" else one for one, mark in others],
            "Without labels": said("ours_without_labels"),
            "Independent": rows["independent"].map(say),
            "Features": [f"{one:,}" if one else "–" for one in rows["n_features"]],
            "Choices": [f"{one:,}" if one else "–" for one in rows["n_choices"]],
        }
    )
    for name in ("Paper", "Difference", "Independent"):
        if rows[name.lower()].isna().all() or (name == "Difference" and not same_data):
            del found[name]
    words = (
        f"{METRIC_TITLES[metric]} in per cent, mean ± standard deviation over "
        f"{int(rows['n_runs'].max())} starts of K-means, the same for every method; it rests on "
        "labels. Ours is the best of the grid, as the paper reports it: the labels choose "
        "parameters and number of features on the very runs that are shown. On other starts: they "
        "choose on one half of the runs, and the other half is shown; bold is the best of these. "
        "Without labels: the silhouette chooses. SPEC is its φ₁; α and β are absolute, as printed."
    )
    if "Difference" in found:
        words += " Difference: ours less the paper’s, in percentage points."
    if "Independent" in found:
        words += f" Independent: {INDEPENDENT_SOURCE}"
    found.attrs["note"] = words
    return found


def plain_statement(recognition: Recognition, rows: pd.DataFrame) -> list[str]:
    """Say what of the paper's accuracies does not reproduce, and the evidence.

    Nothing is said before every method has a number.
    """
    means = rows["ours_best_of_grid"]
    if rows.empty or means.isna().any():
        return []
    lines = {row["method"]: row for row in rows.to_dict("records")}
    said, of = [], recognition.paper_set
    text = f"Our {len(means)} methods lie within {means.max() - means.min():.1f} points of each"
    text += " other"
    if of is not None and recognition.same_data:
        text += f", the paper’s within {rows['paper'].max() - rows['paper'].min():.1f}"
        apart = rows["difference"].dropna()
        near = int((apart.abs() <= _SAME).sum())
        said.append(
            f"{near} of {len(apart)} printed accuracies reproduce to a percentage point; ours are "
            f"{say_difference(apart.min())} to {say_difference(apart.max())} points from them."
        )
        if "all" in lines:
            said.append(_all_features(of.title, lines["all"]))
    usual = sorted(rows["ours_std"])[len(rows) // 2]
    said.append(f"{text}; the starts of K-means alone spread a number by ± {usual:.1f}.")
    ours = lines.get("cspca", {}).get("ours_on_other_starts", math.nan)
    if ours == ours:
        n_choices, best = (lines["cspca"][name] for name in ("n_choices", "ours_best_of_grid"))
        said.append(
            f"CSPCA’s number is the best of {n_choices:,} choices, that of other methods of as "
            f"few as {rows['n_choices'].min():,}: the best of many tries is partly luck. Chosen on "
            "one half of the starts and scored on the other, CSPCA has "
            f"{ours:.1f} % in place of {best:.1f} %."
        )
    return said


def _all_features(title: str, row: dict[str, Any]) -> str:
    text = (
        f"All features on {title} need no method and no parameter, only K-means: the paper prints "
        f"{row['paper']:.1f} %, ours is {say(row['ours_best_of_grid'], row['ours_std'])} %."
    )
    if abs(row["difference"]) > _SAME:
        text += (
            " So the distance comes from the data or from the clustering, not from any method of "
            "selection."
        )
    if row["independent"] == row["independent"]:
        text += " An independent evaluation with the same protocol has "
        text += f"{row['independent']:.1f} %."
    return text


def say(mean: float, std: float = math.nan) -> str:
    """A number in per cent with its spread; a dash where there is none."""
    if mean != mean:
        return "–"
    return f"{mean:.1f}" if std != std else f"{mean:.1f} ± {std:.1f}"


def say_difference(points: float) -> str:
    """A difference in percentage points with its sign; a dash where there is none."""
    return "–" if points != points else f"{points:+.1f}".replace("-", "−")
