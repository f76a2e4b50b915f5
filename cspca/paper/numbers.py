"""The paper's protocol and numbers, its data sets known, and its result tables with ours beside.

X. Chang, F. Nie, Y. Yang, H. Huang, *A Convex Sparse PCA for Feature Analysis*, arXiv 1411.6233.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from cspca.evaluation.comparison import Row
from cspca.evaluation.statistics import FEWEST_STARTS
from cspca.evaluation.tables import Strong
from cspca.selection import METHODS
from cspca.selection.registry import METHODS_IN_PAPER

METRIC_TITLES = {"accuracy": "ACC", "nmi": "NMI"}
"""The two metrics of the paper, in its order."""

_SAME = 1.0
"""Percentage points within which a printed number counts as reproduced."""

_NUMBERS = (
    "paper", "paper_std", "ours_best_of_grid", "ours_std", "difference", "ours_on_other_starts",
    "ours_on_other_starts_std", "ours_without_labels", "ours_without_labels_std", "independent",
    "independent_ours", "independent_ours_std", "fseval", "fseval_ours", "fseval_ours_std",
)  # fmt: skip

_INDEPENDENT = (
    "an evaluation by others with the same protocol (domainxz, 2014; NMI is divided by the larger "
    "entropy there). ≈: within one standard deviation of ours, measured alike."
)

_HUNDREDS = (500, 600, 700, 800, 900, 1000)


@dataclass(frozen=True)
class PaperSet:
    """One data set of the paper: its Table 1 and its rows of the result tables.

    `called` is what its names have in common; `accuracy` and `nmi` are means and deviations by
    method, in per cent. Evaluations by others: `independent` has the two means of domainxz, and
    `fseval` those of all features by FSEVAL, whose K-means starts with k-means++.
    """

    key: str
    title: str
    called: str
    n_samples: int
    n_features: int
    n_classes: int
    image_shape: tuple[int, int] | None
    feature_counts: tuple[int, ...]
    accuracy: Mapping[str, tuple[float, float]]
    nmi: Mapping[str, tuple[float, float]]
    independent: Mapping[str, tuple[float, float]]
    note: str = ""
    fseval: tuple[float, float] | None = None


def _column(numbers: str) -> Mapping[str, tuple[float, float]]:
    """Pairs of numbers of one data set, in the order of the methods."""
    read = map(float, numbers.split())
    return dict(zip(METHODS_IN_PAPER, zip(read, read, strict=True), strict=False))


_SETS = (
    PaperSet(
        "yaleb", "YaleB", r"yale\s*-?_?b", 2414, 1024, 38, (32, 32), _HUNDREDS,
        _column("12.2 2.8  12.7 2.6  12.3 2.9  12.9 2.5  14.5 2.4  15.7 2.8  19.3 2.2"),
        _column("19.3 3.3  21.3 2.9  19.4 3.5  20.3 3.1  22.7 2.7  23.5 3.2  29.4 2.1"),
        {},
    ),
    PaperSet(
        "orl", "ORL", r"\borl\b|olivetti", 400, 1024, 40, (32, 32), _HUNDREDS,
        _column("69.0 1.7  67.8 1.9  70.2 2.2  67.0 1.8  69.4 1.5  69.9 1.2  71.3 1.0"),
        _column("83.7 2.4  83.0 2.8  85.3 2.6  81.6 2.1  83.6 2.2  84.2 3.1  84.7 2.8"),
        _column("48.9 70.5  47.5 68.0  47.3 69.6  47.7 69.5  51.9 71.9  48.2 69.7"),
        fseval=(58.3, 77.3),
    ),
    PaperSet(
        "jaffe", "JAFFE", "jaffe", 213, 676, 10, (26, 26),
        (350, 390, 430, 470, 510, 550, 590, 610, 650),
        _column("90.6 2.8  95.3 2.1  94.8 2.6  96.2 2.7  96.4 1.9  96.8 2.4  97.2 2.2"),
        _column("91.7 3.4  93.0 3.1  92.9 2.9  94.7 3.8  95.1 3.7  95.6 3.3  96.0 3.8"),
        {},
        "The paper prints the numbers of features as 350, 390, 430, … 590, 610, 650; those "
        "between are filled in with its step of 40.",
    ),
    PaperSet(
        "humaneva", "HumanEVA", r"human\s*-?_?eva|\bmotion\b", 10000, 168, 10, None,
        (50, 60, 70, 80, 90, 100),
        _column("47.2 2.0  47.6 2.7  47.8 2.2  50.3 2.5  53.6 2.9  56.3 2.4  56.4 2.1"),
        _column("52.2 4.3  52.7 3.9  53.2 4.1  55.4 3.7  57.1 3.8  60.0 3.4  62.4 3.9"),
        {},
        "The text speaks of 1,590 geometric descriptors, Table 1 of 168 variables; 48 joint "
        "coordinates and 120 pairwise distances make 168, which is our own reading.",
    ),
    PaperSet(
        "coil20", "Coil20", r"coil\s*-?_?20", 1440, 1024, 20, (32, 32),
        (170, 190, 210, 230, 250, 270, 290),
        _column("71.8 3.7  71.7 3.2  71.4 3.5  72.0 3.8  72.4 3.4  73.3 3.0  75.2 2.9"),
        _column("79.1 5.1  79.5 4.8  80.1 5.2  81.2 5.5  82.5 4.9  83.2 5.3  85.1 5.1"),
        _column("58.5 73.6  56.3 70.8  54.1 68.8  54.5 70.1  56.3 72.4  57.1 72.3"),
        fseval=(66.0, 77.1),
    ),
    PaperSet(
        "usps", "USPS", r"\busps\b", 9298, 256, 10, (16, 16),
        (120, 140, 160, 180, 200, 220, 240),
        _column("71.1 2.7  71.0 2.8  73.7 2.4  72.2 2.5  73.1 2.8  73.7 2.9  76.9 2.1"),
        _column("61.7 3.4  63.7 3.7  63.1 3.2  62.3 3.6  63.1 4.0  63.8 3.9  65.5 3.1"),
        _column("65.5 60.8  68.0 62.2  67.7 62.4  68.9 63.8  66.0 60.8  68.8 61.8"),
    ),
)  # fmt: skip

PAPER_SETS: Mapping[str, PaperSet] = {paper_set.key: paper_set for paper_set in _SETS}
"""The paper's six data sets by key."""


class Recognition(NamedTuple):
    """What some data are to the paper; a difference from its numbers tells if they are the same."""

    paper_set: PaperSet | None
    same_data: bool
    sentence: str


def recognised(data: Any) -> Recognition:
    """Which of the paper's six some data are, or are described as: by numbers, then by name."""
    n_samples, n_features, n_classes = data.n_samples, data.n_features, data.n_classes
    named = [entry for entry in _SETS if re.search(entry.called, data.name, re.I)]
    alike = [of for of in _SETS if (of.n_samples, of.n_classes) == (n_samples, n_classes)]
    size = f"{n_samples:,} samples of {n_features:,} features in {n_classes} classes"
    if alike:
        same = alike[0]
        evidence = "its name and its numbers" if same in named[:1] else "its numbers"
        sentence = f"The paper’s {same.title}, by {evidence}: {size}."
        if n_features != same.n_features:
            sentence = (
                f"The paper’s {same.title}, by {evidence}, but with {n_features:,} features a "
                f"sample where the paper has {same.n_features:,}: the shares of features are the "
                "paper’s, and numbers may well differ."
            )
        return Recognition(same, True, sentence)
    poses = PAPER_SETS["humaneva"]
    if n_features == poses.n_features and n_classes:
        sentence = (
            f"These stand in for {poses.title}: as many features ({n_features}), other data. Its "
            "printed numbers are beside, but ours need not come near them."
        )
        return Recognition(poses, False, sentence)
    sentence = (
        "This is none of the paper’s data sets: the paper’s protocol is run on it, without printed "
        "numbers beside."
    )
    if named:
        of = named[0]
        sentence = (
            f"The name speaks of {of.title}, but the numbers do not: {size}, where the paper has "
            f"{of.n_samples:,} of {of.n_features:,} in {of.n_classes}. They are taken as data of "
            "your own."
        )
    return Recognition(None, False, sentence)


def feature_counts(of: PaperSet | None, n_features: int) -> tuple[int, ...]:
    """Numbers of features to cluster on: the paper's for a set, or the same shares of all."""
    # Data that the paper does not have are clustered on the shares of ORL.
    paper_set = of or PAPER_SETS["orl"]
    shares = (count / paper_set.n_features for count in paper_set.feature_counts)
    return tuple(sorted({max(1, round(share * n_features)) for share in shares}))


def percent(share: float) -> str:
    """Say a share, small ones with two digits; a dash for what is not known."""
    if math.isnan(share):
        return "–"
    if share <= 0.0:
        return "0 %"
    if share < 5e-6:
        return "under 0.0005 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:,.0f} %"


def paper_table(
    computed: Sequence[Row],
    paper_set: PaperSet | None,
    metric: str,
    *,
    alike: Sequence[Row] | None = None,
    spread: Sequence[Row] = (),
    unranked: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """One line a method, in per cent: printed, ours as the paper chooses, and better choices.

    `computed` is the table of a comparison as far as it got; NaN stands where there is no number,
    and ``mark`` is "best" or "close" by the choice made on other starts. What others have found is
    held against ours measured as they do: `alike` by the NMI of domainxz, `spread` from the starts
    of FSEVAL. `unranked` says why methods have no score: ``no_ranking`` has it.
    """
    reasons = unranked or {}
    printed = {} if paper_set is None else getattr(paper_set, metric)
    others = {} if paper_set is None else paper_set.independent
    lines: dict[str, dict[str, Any]] = {}
    for key in dict.fromkeys([*printed, *(row.method for row in computed), *reasons]):
        line = {"method": key, "title": METHODS[key].title, **dict.fromkeys(_NUMBERS, math.nan)}
        lines[key] = line | {"n_choices": 0, "n_features": 0, "n_runs": 0, "mark": ""}
        lines[key]["no_ranking"] = reasons.get(key, "")
        if key in printed:
            lines[key]["paper"], lines[key]["paper_std"] = printed[key]
        if key in others:
            lines[key]["independent"] = others[key][metric == "nmi"]
    if paper_set is not None and paper_set.fseval is not None:
        lines["all"]["fseval"] = paper_set.fseval[metric == "nmi"]
    for name, rows in (("independent", computed if alike is None else alike), ("fseval", spread)):
        for row in rows:
            if not math.isnan(lines[row.method][name]):
                lines[row.method][f"{name}_ours"] = 100 * row.best.mean
                lines[row.method][f"{name}_ours_std"] = 100 * row.best.std
    for row in computed:
        line, best = lines[row.method], row.best
        line |= {"n_choices": row.n_choices, "n_features": best.n_features, "n_runs": best.n}
        line |= {"mark": row.mark, "ours_best_of_grid": 100 * best.mean, "ours_std": 100 * best.std}
        line["difference"] = line["ours_best_of_grid"] - line["paper"]
        better = {"on_other_starts": row.other_starts, "without_labels": row.label_free}
        for name, choice in better.items():
            if choice is not None:
                line |= {f"ours_{name}": 100 * choice.mean, f"ours_{name}_std": 100 * choice.std}
    return pd.DataFrame(list(lines.values()))


def printed_table(rows: pd.DataFrame, metric: str, *, same_data: bool) -> pd.DataFrame:
    """The table as it is read; columns of which nothing is known are left out."""

    def column(name: str, std: str = "") -> list[str]:
        return [say(*pair) for pair in zip(rows[name], rows[std or f"{name}_std"], strict=True)]

    others = zip(column("ours_on_other_starts"), rows["mark"], strict=True)
    table = pd.DataFrame(
        {
            "Method": rows["title"],
            "Paper": column("paper"),
            "Ours": [
                f"no ranking: {reason}" if reason else text
                for text, reason in zip(
                    column("ours_best_of_grid", "ours_std"), rows["no_ranking"], strict=True
                )
            ],
            "Difference": rows["difference"].map(say_difference),
            "On other starts": [
                Strong(f"{text} (best)") if mark == "best" else text for text, mark in others
            ],
            "Without labels": column("ours_without_labels"),
            "Independent": [say_reference(row, "independent") for row in rows.to_dict("records")],
            "Features": [f"{k:,}" if k else "–" for k in rows["n_features"]],
            "Choices": [f"{n:,}" if n else "–" for n in rows["n_choices"]],
        },
        # As `str`, pandas would drop the marks of what stands out.
        dtype=object,
    )
    for name in ("Paper", "Difference", "Independent"):
        if rows[name.lower()].isna().all() or (name == "Difference" and not same_data):
            del table[name]
    few = int(rows["n_runs"].max()) < FEWEST_STARTS
    marked = "with no mark below ten starts" if few else "the best of these marked"
    words = (
        f"{METRIC_TITLES[metric]} in per cent, mean ± standard deviation over "
        f"{int(rows['n_runs'].max())} starts of K-means, the same for every method; it rests on "
        "labels. Ours is the best of the grid, as the paper reports it: the labels choose "
        "parameters and number of features on the very runs that are shown. On other starts: they "
        f"choose on one half of the runs, and the other half is shown, {marked}. "
        "Without labels: the silhouette chooses. SPEC is its φ₁; α and β are absolute, as printed."
    )
    if "Difference" in table:
        words += " Difference: ours less the paper’s, in percentage points."
    if "Independent" in table:
        words += f" Independent: {_INDEPENDENT}"
    table.attrs["note"] = words
    return table


def say_reference(row: Mapping[str, Any], name: str) -> str:
    """What others have found, beside ours measured as they do."""
    return _marked(row[name], row[f"{name}_ours"], row[f"{name}_ours_std"])


def _marked(reference: float, mean: float, std: float) -> str:
    """What others have found, marked where it lies within a standard deviation of our mean."""
    return say(reference) + (" ≈" if abs(reference - mean) <= std else "")


def outside_table(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """All features, which need no method, by everybody who has clustered the same data.

    From the tables beside the paper's by metric; empty where nobody else has.
    """
    lines = {metric: rows.set_index("method").loc["all"] for metric, rows in tables.items()}
    evaluations = (
        ("paper", "The paper, 2014", "random", "ours_best_of_grid", "ours_std"),
        ("independent", "domainxz, 2014", "random", "independent_ours", "independent_ours_std"),
        ("fseval", "FSEVAL, 2026", "k-means++", "fseval_ours", "fseval_ours_std"),
    )
    rows = []
    for name, title, starts, mean, std in evaluations:
        line = {"All features by": title, "Starts of K-means": starts}
        for metric, row in lines.items():
            line[METRIC_TITLES[metric]] = _marked(row[name], row[mean], row[std])
            line[f"Ours, {METRIC_TITLES[metric]}"] = say(row[mean], row[std])
        if not all(math.isnan(row[name]) for row in lines.values()):
            rows.append(line)
    table = pd.DataFrame(rows if len(rows) > 1 else [], dtype=object)
    table.attrs["note"] = (
        "In per cent, ours beside each from the same kind of starts: mean ± standard deviation. "
        "≈: theirs lies within one deviation of ours. Random starts give less than those of "
        "k-means++, samples far from each other. NMI is divided by the geometric mean of the "
        "entropies in the paper, by the larger one by domainxz, and ours beside is too; by their "
        "arithmetic mean in FSEVAL, which hardly differs from the first."
    )
    return table


def plain_statement(recognition: Recognition, rows: pd.DataFrame) -> list[str]:
    """Say what of the paper's accuracies does not reproduce, and the evidence.

    Nothing is said before every method has a number, or the reason why it has none.
    """
    rows = rows[rows["no_ranking"] == ""]
    means = rows["ours_best_of_grid"]
    if rows.empty or means.isna().any():
        return []
    lines = {row["method"]: row for row in rows.to_dict("records")}
    sentences, of = [], recognition.paper_set
    text = f"Our {len(means)} methods lie within {means.max() - means.min():.1f} points of each"
    text += " other"
    if of is not None and recognition.same_data:
        text += f", the paper’s within {rows['paper'].max() - rows['paper'].min():.1f}"
        apart = rows["difference"].dropna()
        near = int((apart.abs() <= _SAME).sum())
        sentences.append(
            f"{near} of {len(apart)} printed accuracies reproduce to a percentage point; ours are "
            f"{say_difference(apart.min())} to {say_difference(apart.max())} points from them."
        )
        if "all" in lines:
            sentences.append(_all_features(of.title, lines["all"]))
    usual = sorted(rows["ours_std"])[len(rows) // 2]
    sentences.append(f"{text}; the starts of K-means alone spread a number by ± {usual:.1f}.")
    cspca_mean = lines.get("cspca", {}).get("ours_on_other_starts", math.nan)
    if not math.isnan(cspca_mean):
        n_choices, best = (lines["cspca"][name] for name in ("n_choices", "ours_best_of_grid"))
        sentences.append(
            f"CSPCA’s number is the best of {n_choices:,} choices, that of other methods of as "
            f"few as {rows['n_choices'].min():,}: the best of many tries is partly luck. Chosen on "
            "one half of the starts and scored on the other, CSPCA has "
            f"{cspca_mean:.1f} % in place of {best:.1f} %."
        )
    return sentences


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
    if not math.isnan(row["independent"]):
        text += " An independent evaluation with the same protocol (domainxz, 2014) has "
        text += f"{row['independent']:.1f} %."
    if not math.isnan(row["fseval_ours"]):
        text += (
            f" From k-means++ starts FSEVAL (2026) has {row['fseval']:.1f} %, we "
            f"{say(row['fseval_ours'], row['fseval_ours_std'])} %."
        )
    return text


def say(mean: float, std: float = math.nan) -> str:
    """A number in per cent with its spread; a dash where there is none."""
    if math.isnan(mean):
        return "–"
    return f"{mean:.1f}" if math.isnan(std) else f"{mean:.1f} ± {std:.1f}"


def say_difference(points: float) -> str:
    """A difference in percentage points with its sign; a dash where there is none."""
    return "–" if math.isnan(points) else f"{points:+.1f}".replace("-", "−")
