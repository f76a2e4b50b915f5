"""The paper's result tables with ours beside, and in plain words how far they are apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cspca.evaluation.choices import choose, measured
from cspca.evaluation.tables import Strong
from cspca.paper.numbers import INDEPENDENT, INDEPENDENT_SOURCE, PaperSet, Printed
from cspca.paper.recognition import Recognition
from cspca.selection import METHODS

if TYPE_CHECKING:
    import pandas as pd

METRIC_TITLES = {"accuracy": "ACC", "nmi": "NMI"}
"""The two metrics of the paper, in its order."""

_SAME = 1.0
"""Percentage points within which a printed number counts as reproduced."""

_NUMBERS = (
    "paper", "paper_std", "ours_best_of_grid", "ours_std", "difference", "ours_on_other_starts",
    "ours_on_other_starts_std", "ours_without_labels", "ours_without_labels_std", "independent",
)  # fmt: skip


def paper_table(table: pd.DataFrame, paper_set: PaperSet | None, metric: str) -> pd.DataFrame:
    """One line a method, in per cent: printed, ours as the paper chooses, and better choices.

    ``table`` is the long table of a comparison as far as it got; NaN stands where there is no
    number, and ``mark`` is "best" or "close" by the choice made on other starts.
    """
    import pandas as pd

    printed = {} if paper_set is None else getattr(paper_set, metric)
    others = {} if paper_set is None else INDEPENDENT.get(paper_set.key, {})
    ours = {row.method: row for row in choose(table, metric)} if metric in measured(table) else {}
    lines = []
    for key in dict.fromkeys([*printed, *ours]):
        line: dict[str, Any] = {"method": key, "title": METHODS[key].title}
        line |= dict.fromkeys(_NUMBERS, math.nan)
        line |= {"n_choices": 0, "n_features": 0, "n_runs": 0, "mark": ""}
        if key in printed:
            line["paper"] = printed[key].mean
            line["paper_std"] = math.nan if printed[key].std is None else printed[key].std
        if key in others:
            line["independent"] = others[key][metric == "nmi"].mean
        if key in ours:
            row = ours[key]
            line |= {
                "n_choices": row.n_choices,
                "n_features": row.best.n_features,
                "n_runs": row.best.n,
                "mark": row.mark,
            }
            for name, one in (
                ("ours_best_of_grid", row.best),
                ("ours_on_other_starts", row.other_starts),
                ("ours_without_labels", row.label_free),
            ):
                if one is not None:
                    std = "ours_std" if name == "ours_best_of_grid" else f"{name}_std"
                    line[name], line[std] = 100 * one.mean, 100 * one.std
            line["difference"] = line["ours_best_of_grid"] - line["paper"]
        lines.append(line)
    return pd.DataFrame(lines)


def printed_table(rows: pd.DataFrame, metric: str, *, same_data: bool) -> pd.DataFrame:
    """The table as it is read; columns of which nothing is known are left out."""
    import pandas as pd

    def said(name: str, std: str = "") -> list[str]:
        return [say(*pair) for pair in zip(rows[name], rows[std or f"{name}_std"], strict=True)]

    others = zip(said("ours_on_other_starts"), rows["mark"], strict=True)
    columns = {
        "Paper": said("paper"),
        "Ours": said("ours_best_of_grid", "ours_std"),
        "Difference": [say_difference(one) for one in rows["difference"]],
        "On other starts": [Strong(one) if mark == "best" else one for one, mark in others],
        "Without labels": said("ours_without_labels"),
        "Independent": [say(one) for one in rows["independent"]],
        "Features": [f"{one:,}" if one else "–" for one in rows["n_features"]],
        "Choices": [f"{one:,}" if one else "–" for one in rows["n_choices"]],
    }
    hidden = {
        "Paper": rows["paper"].isna().all(),
        "Difference": not same_data or rows["difference"].isna().all(),
        "Independent": rows["independent"].isna().all(),
    }
    shown = {name: cells for name, cells in columns.items() if not hidden.get(name)}
    found = pd.DataFrame({"Method": list(rows["title"]), **shown})
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
    if rows.empty or rows["ours_best_of_grid"].isna().any():
        return []
    return [*_reproduced(recognition, rows), *_spread(recognition, rows), *_choices(rows)]


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
    baseline = apart[apart["method"] == "all"]
    if baseline.empty:
        return
    row = baseline.iloc[0]
    text = (
        f"All features on {of.title} need no method and no parameter, only K-means: the paper "
        f"prints {row['paper']:.1f} %, ours is {say(row['ours_best_of_grid'], row['ours_std'])} %."
    )
    if abs(row["difference"]) > _SAME:
        text += (
            " So the distance comes from the data or from the clustering, not from any method of "
            "selection."
        )
    if row["independent"] == row["independent"]:
        text += f" An independent evaluation with the same protocol has {row['independent']:.1f} %."
    yield text


def _spread(recognition: Recognition, rows: pd.DataFrame) -> Iterator[str]:
    means, printed = rows["ours_best_of_grid"], rows["paper"].dropna()
    text = f"Our {len(means)} methods lie within {means.max() - means.min():.1f} points of each"
    text += " other"
    if len(printed) and recognition.same_data:
        text += f", the paper’s within {printed.max() - printed.min():.1f}"
    usual = sorted(rows["ours_std"])[len(rows) // 2]
    yield f"{text}; the starts of K-means alone spread a number by ± {usual:.1f}."


def _choices(rows: pd.DataFrame) -> Iterator[str]:
    ours = rows[rows["method"] == "cspca"].dropna(subset=["ours_on_other_starts"])
    if ours.empty:
        return
    row = ours.iloc[0]
    yield (
        f"CSPCA’s number is the best of {row['n_choices']:,} choices, that of other methods of as "
        f"few as {rows['n_choices'].min():,}: the best of many tries is partly luck. Chosen on one "
        f"half of the starts and scored on the other, CSPCA has {row['ours_on_other_starts']:.1f} "
        f"% in place of {row['ours_best_of_grid']:.1f} %."
    )


def say(mean: float, std: float = math.nan) -> str:
    """A number in per cent with its spread; a dash where there is none."""
    if mean != mean:
        return "–"
    return f"{mean:.1f}" if std != std else f"{mean:.1f} ± {std:.1f}"


def say_printed(one: Printed | None) -> str:
    """A printed number; a dash where the paper has none."""
    return "–" if one is None else say(one.mean, math.nan if one.std is None else one.std)


def say_difference(points: float) -> str:
    """A difference in percentage points with its sign; a dash where there is none."""
    return "–" if points != points else f"{points:+.1f}".replace("-", "−")
