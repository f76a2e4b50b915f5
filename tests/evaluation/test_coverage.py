"""How often a 95 % interval over starts holds the truth, on draws from the recorded accuracies.

The recorded starts of a method on a data set are the population, so the truth is known: samples of
them are drawn with replacement, a pair of methods a sample, and the interval of their difference is
asked for. Three questions:

plain
    One choice of a method against All features. The truth is the mean difference over the
    recorded starts.
chosen
    A method with its number of features, and its parameters over the paper's grid, chosen on other
    starts, against All features or against another method chosen alike. The truth is the mean of
    the figure over all samples of as many starts: the mean over the recorded starts of what half as
    many choose.
no effect
    A method chosen on other starts against itself on other samples. The truth is 0.
"""

import math
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
import pytest

from cspca.evaluation.statistics import paired_difference
from cspca.record import recorded

DATA = ("faces", "ORL", "digits")
LEAST, MOST = 0.93, 0.985

Tables = Mapping[str, np.ndarray]
"""Recorded accuracies of every method, choices × starts."""


@cache
def tables(name: str) -> tuple[Tables, ...]:
    """Of the recorded comparison and of the recorded paper's grid on a data set."""
    accuracies = []
    for outcome in (*recorded("compare"), *recorded("paper")):
        if outcome.data.name.lower() != name.lower():
            continue
        experiment, results, data = outcome.experiment, outcome.results, outcome.data
        compared = getattr(experiment, "compared", None) or experiment.comparison
        done = compared(results, data)
        scores = {method: done.scores(method, "accuracy") for method in done.plan.titles}
        accuracies.append({key: wide.to_numpy() for key, wide in scores.items() if len(wide)})
    return tuple(accuracies)


def expected(table: np.ndarray, n: int, n_draws: int = 20_000) -> float:
    """Mean over all samples of n recorded starts of the figure chosen on other starts."""
    means, n_starts = table.mean(axis=1), table.shape[1]
    if len(table) == 1:
        return float(means[0])
    rng = np.random.default_rng(0)
    total = 0.0
    for size in ((n + 1) // 2, n // 2):
        chosen = [
            (table @ rng.multinomial(size, np.full(n_starts, 1 / n_starts), size=2000).T).argmax(0)
            for _ in range(n_draws // 2000)
        ]
        # What one half chooses is scored on the other.
        total += (n - size) * float(means[np.concatenate(chosen)].mean())
    return total / n


def samples(
    name: str, n: int, question: str, n_samples: int
) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Two methods' runs, choices × n starts, and the truth of their difference."""
    rng = np.random.default_rng(DATA.index(name) * 1000 + n)
    truths: dict[int, float] = {}
    for _ in range(n_samples):
        of_record = tables(name)[rng.integers(len(tables(name)))]
        methods = [key for key in of_record if key != "all"]
        ours, theirs = of_record[methods[rng.integers(len(methods))]], of_record["all"]
        if question == "plain":
            ours = ours[[rng.integers(len(ours))]]
        elif question == "no effect":
            theirs = ours
        elif rng.random() < 0.5:
            theirs = of_record[methods[rng.integers(len(methods))]]
        starts = rng.integers(ours.shape[1], size=n)
        others = rng.integers(ours.shape[1], size=n) if question == "no effect" else starts
        truth = 0.0
        if question == "plain":
            truth = float(ours.mean() - theirs.mean())
        elif question == "chosen":
            for table in (ours, theirs):
                if id(table) not in truths:
                    truths[id(table)] = expected(table, n)
            truth = truths[id(ours)] - truths[id(theirs)]
        yield ours[:, starts], theirs[:, others], truth


@pytest.mark.parametrize(("name", "n"), [("faces", 30), ("digits", 10)])
@pytest.mark.parametrize("question", ["plain", "chosen", "no effect"])
def test_95_per_cent_intervals_hold_the_truth(name: str, n: int, question: str) -> None:
    """From 93 to 98.5 %, and three standard errors of that share."""
    n_samples, held = 300, 0
    for ours, theirs, truth in samples(name, n, question, n_samples):
        interval = paired_difference(ours, theirs)
        held += interval.low - 1e-12 <= truth <= interval.high + 1e-12
    noise = 3 * math.sqrt(LEAST * (1 - LEAST) / n_samples)
    assert LEAST - noise <= held / n_samples <= MOST + noise
