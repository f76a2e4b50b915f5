"""The table of a comparison by one metric as it is read, with the sentences below it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cspca.evaluation import METRICS, Comparison, Metric, Summary
from cspca.evaluation.comparison import BAND, Row
from cspca.evaluation.halves import FEWEST_GROUPS
from cspca.evaluation.metrics import REPRODUCIBILITY
from cspca.evaluation.statistics import FEWEST_STARTS, NO_MARK
from cspca.evaluation.tables import Strong
from cspca.experiments.halves_words import halves_words
from cspca.selection.registry import REFERENCES

_WITHOUT_LABELS = ["Chosen without labels", "Chosen by rebuilding"]
_OVER_SAMPLES, _DIFFERENCE_OVER_SAMPLES = "Over samples", "vs all features, over samples"


def heads_over(samples: str) -> dict[str, str]:
    """Return the heads of the columns of resampled samples, in the noun of the data.

    Parameters
    ----------
    samples : str
        The noun, in the plural.

    Returns
    -------
    dict of str to str
        Head that a page shows by the name of the column in :func:`printed`.
    """
    return {
        _OVER_SAMPLES: f"Over {samples}",
        _DIFFERENCE_OVER_SAMPLES: f"vs all features, over {samples}",
    }


def printed(done: Comparison, metric: str, n_features: int | None = None) -> pd.DataFrame:
    """One row a method by a metric; columns that say nothing are left out.

    The sentences below the table are its ``attrs["note"]``.

    Parameters
    ----------
    done : Comparison
    metric : str
    n_features : int or None, default=None
        The number of features of all choices; None has it chosen too.
    """
    kind, rows = METRICS[metric], done.table(metric, n_features)
    draws = done.draws(metric, n_features)
    limits = _limits(done) if metric == REPRODUCIBILITY else {}
    lines = [_line(row, kind, limits) for row in rows]
    unranked = done.unranked(n_features)
    reasons = unranked
    if metric == REPRODUCIBILITY:
        reasons = done.not_reproducible(n_features) | unranked
    for method, reason in reasons.items():
        missing = "no ranking" if method in unranked else "no index"
        lines.append({"Method": done.plan.titles[method], kind.unit: f"{missing}: {reason}"})
    if len(draws):
        low, high = np.quantile(draws, BAND)
        shown = f"{kind.say(draws.mean())} ({kind.say(low)} to {kind.say(high)})"
        lines.append({"Method": f"{len(draws)} random picks", kind.unit: shown})
    table = pd.DataFrame(lines, dtype=object).fillna("")
    has_choices = n_features is None or any(row.n_choices > 1 for row in rows)
    if not has_choices:
        dropped = ["Best of grid", "Choices", *_WITHOUT_LABELS]
        table = table.drop(columns=dropped, errors="ignore")
    # Where nothing but random picks is done, there is no more than their column.
    optional = [
        *_WITHOUT_LABELS,
        "Parameters of the best",
        "Beats random",
        _OVER_SAMPLES,
        _DIFFERENCE_OVER_SAMPLES,
    ]
    if metric == REPRODUCIBILITY:
        # All features have none.
        optional.append("vs all features")
    for column in table.columns.intersection(optional):
        if set(table[column]) <= {"", "–"}:
            del table[column]
    table.attrs["note"] = _note(done, metric, rows, draws, has_choices=has_choices)
    return table


def by_number(done: Comparison, metric: str, features: str) -> pd.DataFrame:
    """One row a method, one column a number of features; the sentences are ``attrs["note"]``.

    Parameters
    ----------
    done : Comparison
    metric : str
    features : str
        What features are called, such as ``pixels``.
    """
    kind = METRICS[metric]
    table = pd.DataFrame({"Method": pd.Series(dtype=object)})
    marks, n_choices = set(), set()
    for k in done.counts:
        cells = {}
        for method, (score, mark, count) in done.marked(metric, k).items():
            shown = kind.spread(score.mean, score.std, score.n)
            marks.add(mark)
            if method not in REFERENCES:
                n_choices.add(count)
            marked = {"best": Strong(shown), "close": f"{shown} ≈"}
            cells[done.plan.titles[method]] = marked.get(mark, shown)
        column = pd.DataFrame({"Method": list(cells), f"{k:,}": list(cells.values())}, dtype=object)
        table = table.merge(column, "outer", "Method", sort=False)
    order = {title: place for place, title in enumerate(done.plan.titles.values())}
    table = table.sort_values("Method", key=lambda titles: titles.map(order)).fillna("–")
    sentences = [f"{kind.unit} at each number of {features}."]
    if kind.by_start:
        sentences.append(f"{_scores_in_words(done, kind, has_choices=False)[0]}.")
        if len(done.plan.seeds) > 1 and max(n_choices, default=1) > 1:
            sentences.append(
                "Parameters are chosen on one half of the starts and scored on the other."
            )
    if done.plan.baseline in done.plan.titles:
        title = done.plan.titles[done.plan.baseline]
        sentences.append(f"{title} has the same score in every column.")
    if "best" in marks:
        sentences.append("Bold: the best of its column.")
    if "close" in marks and kind.by_start:
        interval = f"the {100 * done.confidence:g} % interval of the difference in pairs"
        sentences.append(f"≈: not significantly worse than the best, by {interval}.")
    elif "close" in marks:
        sentences.append("≈: as good as the best.")
    if not kind.larger_is_better:
        sentences.append("Less is better.")
    table.attrs["note"] = " ".join(sentences)
    return table.reset_index(drop=True)


def _limits(done: Comparison) -> dict[tuple[str, str, int], tuple[float, float]]:
    """Ends of the index of reproducibility, by method, parameters and number of features."""
    names = ["method", "parameters", "n_features", "low", "high"]
    return {
        (method, parameters, k): (low, high)
        for method, parameters, k, low, high in done.reproducibility()[names].itertuples(
            index=False
        )
        if not math.isnan(low) and not math.isnan(high)
    }


def _line(
    row: Row, kind: Metric, limits: Mapping[tuple[str, str, int], tuple[float, float]]
) -> dict[str, Any]:
    """A method's cells by column."""

    def at(choice: Summary | None) -> str:
        if choice is None:
            return "–"
        return f"{kind.spread(choice.mean, choice.std, choice.n)} at {choice.n_features:,}"

    shown = kind.spread(row.shown.mean, row.shown.std, row.shown.n)
    ends = limits.get((row.method, row.best.parameters, row.best.n_features))
    if ends is not None:
        shown += f" ({kind.say(ends[0])} to {kind.say(ends[1])})"
    marked = {"best": Strong(f"{shown} (best)"), "close": f"{shown} ≈"}
    parameters: dict[str, Any] = {}
    if row.best.parameters and row.method not in REFERENCES:
        parameters = json.loads(
            row.best.parameters, parse_float=lambda number: f"{float(number):g}"
        )
        # The number stands beside the score.
        parameters.pop("n_features_to_select", None)
    seconds = row.selection_seconds
    return {
        "Method": row.title,
        kind.unit: marked.get(row.mark, shown),
        "Best of grid": at(row.best),
        "Chosen without labels": at(row.label_free) if kind.by_labels else "",
        "Chosen by rebuilding": at(row.rebuilt) if kind.by_labels else "",
        "vs all features": kind.apart(row.difference),
        _OVER_SAMPLES: kind.ends(row.over_images),
        _DIFFERENCE_OVER_SAMPLES: kind.ends(row.difference_over_images, "+"),
        "Beats random": "–" if row.chance is None else row.chance.words,
        "Choices": f"{row.n_choices:,}",
        "Parameters of the best": ", ".join(
            f"{name} = {value}" for name, value in parameters.items()
        ),
        "Time to rank": "–" if seconds is None else f"{seconds:.2g} s",
    }


def _note(
    done: Comparison,
    metric: str,
    rows: tuple[Row, ...],
    draws: NDArray[np.float64],
    *,
    has_choices: bool,
) -> str:
    """How the numbers of a table came about, in sentences."""
    kind, plan = METRICS[metric], done.plan
    confidence = f"{100 * done.confidence:g} %"
    sentences = _about_scores(done, metric, rows, confidence, has_choices=has_choices)
    if any(row.over_images for row in rows):
        sentences.append(
            f"Over samples: where the middle {confidence} lie when the samples are drawn again "
            f"{plan.bootstrap} times, the same for every method, and clustered as they are: a "
            "spread, and no confidence interval."
        )
    if kind.by_labels and has_choices and rows:
        sentences.append(
            f"{kind.short} rests on labels, and by them numbers and parameters are chosen; where "
            "it says without labels, the silhouette chooses; where by rebuilding, the error of "
            "held-out samples does."
        )
    elif kind.by_labels:
        sentences.append(f"{kind.short} rests on labels.")
    if len(draws):
        sentences.append(
            "Beats random: of how many random picks of as many features, scored alike, the figure "
            "is better; of these the mean and, in brackets, 5 to 95 %."
        )
    if not kind.larger_is_better:
        sentences.append("Less is better.")
    return " ".join(sentences)


def _about_scores(
    done: Comparison, metric: str, rows: tuple[Row, ...], confidence: str, *, has_choices: bool
) -> list[str]:
    """What the scores are, and how each is held against all features, in sentences."""
    kind, plan = METRICS[metric], done.plan
    scores, about_choices = _scores_in_words(done, kind, has_choices=has_choices)
    if metric == REPRODUCIBILITY:
        return [
            f"{scores} over {2 * plan.n_pairs} halves of the samples, the same for every method, "
            f"with its {confidence} interval, which speaks of further halves of these samples "
            "alone."
        ]
    sentences = [f"{scores}.", *about_choices]
    if not kind.by_start:
        sentences.append("vs all features: difference from All features.")
        if "close" in {row.mark for row in rows}:
            sentences.append("≈: as good as the best.")
    elif min((row.best.n for row in rows), default=len(plan.seeds)) < FEWEST_STARTS:
        sentences += ["vs all features: difference from All features, in pairs.", NO_MARK]
    else:
        is_chosen = any(row.n_choices > 1 for row in rows)
        anew = ", numbers and parameters chosen anew in each" if is_chosen else ""
        sentences += [
            f"vs all features: difference from All features, in pairs, with its {confidence} "
            "interval, which covers the mean over all draws of as many starts on these "
            f"samples{anew}; it does not speak of other samples.",
            "≈: not significantly worse than the best by such an interval.",
        ]
    return sentences


def _scores_in_words(done: Comparison, kind: Metric, *, has_choices: bool) -> tuple[str, list[str]]:
    """What the scores are, as the subject of a sentence, and sentences on their choices."""
    n_starts = len(done.plan.seeds)
    if not kind.by_start:
        scores = kind.short
    elif n_starts == 1:
        scores = f"{kind.short} of one run from the same start for every method"
    else:
        scores = (
            f"Mean ± standard deviation over {n_starts:,} runs from the same starts for every "
            "method"
        )
    if not has_choices:
        return scores, []
    if n_starts == 1 or not kind.by_start:
        return f"{scores}, with the best of all numbers and parameters", []
    chosen = (
        f"{scores}, with numbers and parameters chosen on one half of the starts and scored on the "
        "other"
    )
    return chosen, ["Best of grid: chosen on the very runs that are reported, as the paper does."]


def about_halves(done: Comparison, samples: str = "samples") -> str:
    """What groups and copies do to held-out halves, in sentences; empty without any."""
    plan = done.plan
    if "reconstruction_error" not in done.metrics:
        return ""
    words = [halves_words(plan.n_groups, done.n_copies, plan.n_samples, samples)]
    if plan.groups and "accuracy" in done.metrics and "neighbour_accuracy" not in done.metrics:
        words.append("There is no 1-NN: every class lies in a single group.")
    if plan.bootstrap and plan.has_few_groups:
        words.append(
            f"There is no spread over {samples}: it needs at least {FEWEST_GROUPS} groups."
        )
    return " ".join(filter(None, words))
