"""The paper's result tables with ours beside, and in plain words how far they are apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from cspca.evaluation.comparison import Row
from cspca.evaluation.tables import Strong
from cspca.paper.numbers import INDEPENDENT, INDEPENDENT_SOURCE, PaperSet
from cspca.paper.recognition import Recognition
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
    others = {} if paper_set is None else INDEPENDENT.get(paper_set.key, {})
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
        for name, one in (
            ("on_other_starts", row.other_starts),
            ("without_labels", row.label_free),
        ):
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
    text = f"Our {len(means)} methods lie within {means.max() - means.min():.1f} points of each"
    text += " other"
    printed = rows["paper"].dropna()
    if len(printed) and recognition.same_data:
        text += f", the paper’s within {printed.max() - printed.min():.1f}"
    usual = sorted(rows["ours_std"])[len(rows) // 2]
    said = [*_reproduced(recognition, rows)]
    said.append(f"{text}; the starts of K-means alone spread a number by ± {usual:.1f}.")
    ours = rows[rows["method"] == "cspca"].dropna(subset=["ours_on_other_starts"])
    said.extend(
        f"CSPCA’s number is the best of {row['n_choices']:,} choices, that of other methods of "
        f"as few as {rows['n_choices'].min():,}: the best of many tries is partly luck. Chosen "
        "on one half of the starts and scored on the other, CSPCA has "
        f"{row['ours_on_other_starts']:.1f} % in place of {row['ours_best_of_grid']:.1f} %."
        for row in ours.to_dict("records")
    )
    return said


def _reproduced(recognition: Recognition, rows: pd.DataFrame) -> Iterator[str]:
    of, apart = recognition.paper_set, rows.dropna(subset=["difference"])
    if of is None or not recognition.same_data or apart.empty:
        return
    near = int((apart["difference"].abs() <= _SAME).sum())
    low, high = apart["difference"].min(), apart["difference"].max()
    yield (
        f"{near} of {len(apart)} printed accuracies reproduce to a percentage point; ours are "
        f"{say_difference(low)} to {say_difference(high)} points from them."
    )
    for row in apart[apart["method"] == "all"].to_dict("records"):
        ours = say(row["ours_best_of_grid"], row["ours_std"])
        text = (
            f"All features on {of.title} need no method and no parameter, only K-means: the paper "
            f"prints {row['paper']:.1f} %, ours is {ours} %."
        )
        if abs(row["difference"]) > _SAME:
            text += (
                " So the distance comes from the data or from the clustering, not from any method "
                "of selection."
            )
        if row["independent"] == row["independent"]:
            text += " An independent evaluation with the same protocol has "
            text += f"{row['independent']:.1f} %."
        yield text


def say(mean: float, std: float = math.nan) -> str:
    """A number in per cent with its spread; a dash where there is none."""
    if mean != mean:
        return "–"
    return f"{mean:.1f}" if std != std else f"{mean:.1f} ± {std:.1f}"


def say_difference(points: float) -> str:
    """A difference in percentage points with its sign; a dash where there is none."""
    return "–" if points != points else f"{points:+.1f}".replace("-", "−")
