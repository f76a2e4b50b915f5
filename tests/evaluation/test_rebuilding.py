"""How well few features rebuild all: against least squares written out, and by known answers."""

import numpy as np
import pytest

from cspca.evaluation import rebuilding
from cspca.evaluation.rebuilding import Rebuilding
from cspca.experiments.ledger import memory_of

RNG = np.random.default_rng(5)
X = RNG.random((40, 4)) @ RNG.random((4, 12)) + 0.1 * RNG.random((40, 12))
GROUPS = np.repeat(np.arange(8), 5)


def plainly(samples: np.ndarray, first: np.ndarray, chosen: list[int], ridge: float) -> float:
    """The same by a ridge written out, each half from the other."""
    left = total = 0.0
    for fit, score in ((first, ~first), (~first, first)):
        mean = samples[fit].mean(axis=0)
        known, target = samples[fit] - mean, samples[score] - mean
        few = known[:, chosen]
        own = few.T @ few
        own += ridge * np.trace(own) / min(len(chosen), 20) * np.eye(len(chosen))
        again = target[:, chosen] @ np.linalg.solve(own, few.T @ known)
        left += ((target - again) ** 2).sum()
        total += (target**2).sum()
    return left / total


@pytest.mark.parametrize(("wide", "more"), [(False, 15), (False, 75), (True, 15)])
def test_errors_are_those_of_least_squares_written_out(wide, more, monkeypatch):
    if wide:
        monkeypatch.setattr(rebuilding, "MOST_FEATURES", 5)
    # More features than samples of a half, too.
    samples = np.c_[X, RNG.random((40, more))]
    measure = Rebuilding(samples, groups=GROUPS, random_state=3)
    selections = [[0], [2, 7], [1, 5, 9, 11], list(range(12)), list(range(27))]
    expected = [plainly(samples, measure.first, one, 0.1) for one in selections]
    found = measure.errors(selections)
    assert found == pytest.approx(expected, rel=1e-4 if wide else 1e-9)
    # And of the samples rebuilt one by one.
    for chosen, error in zip(selections, found, strict=True):
        off = [((measure.rebuilt(i, chosen) - samples[i]) ** 2).sum() for i in range(40)]
        halves = measure.first, ~measure.first
        apart = [samples[a] - samples[b].mean(axis=0) for a, b in (halves, halves[::-1])]
        assert sum(off) / sum((one**2).sum() for one in apart) == pytest.approx(error, rel=1e-4)


def test_features_that_determine_all_rebuild_all_and_dead_ones_nothing():
    basis = RNG.random((60, 3))
    rank_three = np.c_[basis, basis @ RNG.random((3, 5)), np.full((60, 2), 0.5)]
    measure = Rebuilding(rank_three, ridge=1e-10)
    whole, part, dead = measure.errors([[0, 1, 2], [0, 1], [8, 9]])
    assert whole < 1e-6 < part
    assert dead == pytest.approx(1.0)
    assert measure.rebuilt(7, [0, 1, 2]) == pytest.approx(rank_three[7], abs=1e-4)
    assert measure.rebuilt(7, [8, 9]) == pytest.approx(
        rank_three[measure.first != measure.first[7]].mean(axis=0)
    )


def test_of_many_samples_some_are_used_and_any_can_be_rebuilt(monkeypatch):
    monkeypatch.setattr(rebuilding, "MOST_SAMPLES", 20)
    measure = Rebuilding(X)
    assert measure.n_used == 20
    assert all(measure.rebuilt(i, [0, 1]).shape == (12,) for i in range(40))


def test_of_few_samples_no_product_of_the_features_is_held():
    samples = RNG.random((40, 200))
    assert memory_of(Rebuilding(samples)) < 200 * 200 * samples.itemsize + 5 * samples.nbytes
