"""How often a 95 % interval over starts holds the truth, on draws from the recorded accuracies.

    python -m tests.benchmarks.coverage [--resamples 4000] [--only faces] [--before]

The recorded starts of a method on a data set are the population, so the truth is known: samples of
10, 30 and 100 of them are drawn with replacement, a pair of methods a sample, and the interval of
their difference is asked for. Three questions:

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

Beside them what was shown before, with ``--before``: BCa of the runs as they were chosen, on 1,000
samples at most. The exit status is 1 when a share is below 93 or above 98.5 %.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats
from threadpoolctl import threadpool_limits

from cspca.evaluation.choices import runs_of_choice
from cspca.evaluation.statistics import paired_difference
from cspca.record import recorded

DATA = ("faces", "ORL", "digits", "COIL20", "USPS")
COUNTS = (10, 30, 100)
QUESTIONS = ("plain", "chosen", "no effect")
LEAST, MOST = 0.93, 0.985

Tables = Mapping[str, np.ndarray]
"""Recorded accuracies of every method, choices × starts."""


@dataclass(frozen=True)
class Coverage:
    """Shares of intervals that hold the truth, and the median width, in percentage points."""

    share: float
    width: float
    n: int


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


def expected(table: np.ndarray, n: int, n_draws: int = 40_000) -> float:
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


class Truths:
    """The expected figures of tables, each found once."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], float] = {}

    def of(self, table: np.ndarray, n: int) -> float:
        key = id(table), n
        if key not in self._found:
            self._found[key] = expected(table, n)
        return self._found[key]


def samples(
    name: str, n: int, question: str, n_samples: int, truths: Truths
) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Two methods' runs, choices × n starts, and the truth of their difference."""
    rng = np.random.default_rng(DATA.index(name) * 1000 + n)
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
            truth = truths.of(ours, n) - truths.of(theirs, n)
        yield ours[:, starts], theirs[:, others], truth


def covered(name: str, n: int, question: str, n_samples: int, *, before: bool = False) -> Coverage:
    """How often the interval holds the truth, today's or the one before."""
    held, widths = 0, []
    for ours, theirs, truth in samples(name, n, question, n_samples, Truths()):
        low, high = _before(ours, theirs) if before else _now(ours, theirs)
        held += low - 1e-12 <= truth <= high + 1e-12
        widths.append(high - low)
    return Coverage(held / n_samples, 100 * float(np.median(widths)), n_samples)


def _now(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, float]:
    interval = paired_difference(ours, theirs)
    return interval.low, interval.high


def _before(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, float]:
    differences = runs_of_choice(ours) - runs_of_choice(theirs)
    if np.ptp(differences) <= 1e-12:
        return differences[0], differences[0]
    found = stats.bootstrap(
        (differences,), np.mean, n_resamples=999, method="BCa", rng=np.random.default_rng(0)
    ).confidence_interval
    return float(found.low), float(found.high)


def main() -> int:
    """Print the table; 1 when a demand is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.coverage",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--resamples", type=int, default=4000)
    parser.add_argument("--only", choices=DATA)
    parser.add_argument("--before", action="store_true")
    asked = parser.parse_args()
    missed = False
    print("Data     question    n    covered   width     before    width")
    for name in [asked.only] if asked.only else DATA:
        for question in QUESTIONS:
            for n in COUNTS:
                with threadpool_limits(1):
                    now = covered(name, n, question, asked.resamples)
                    line = f"{name:8} {question:9} {n:4} {100 * now.share:8.1f} % {now.width:7.2f}"
                    if asked.before:
                        then = covered(name, n, question, min(asked.resamples, 1000), before=True)
                        line += f" {100 * then.share:8.1f} % {then.width:7.2f}"
                missed |= not LEAST <= now.share <= MOST
                print(line, flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
