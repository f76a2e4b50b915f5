"""What held-out halves measure, on data whose answers are known: no order of rows decides."""

import warnings

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from cspca.evaluation import Rebuilding, compare, neighbour_accuracy, reconstruction_error
from cspca.experiments.comparison_table import about_halves

RNG = np.random.default_rng(0)
SUBJECTS = np.repeat(np.arange(40), 2)
ONCE = RNG.standard_normal((40, 30))
REPLICATES = np.repeat(ONCE, 2, axis=0) + 0.1 * RNG.standard_normal((80, 30))
LOTS = np.repeat(RNG.integers(0, 2, 40), 2)
CASE = np.arange(80) % 2
PAIRS = RNG.standard_normal((80, 3)) @ RNG.standard_normal((3, 30))
PAIRS += 0.3 * RNG.standard_normal((80, 30)) + 3 * CASE[:, None] * RNG.standard_normal(30)


def orders(n: int, count: int) -> list[np.ndarray]:
    return [np.arange(n), *(np.random.default_rng(seed).permutation(n) for seed in range(count))]


def test_case_and_control_in_turn_are_rebuilt_as_well_as_in_any_other_order():
    """Every second row was a case: 1.52 as the rows stood, 0.05 shuffled."""
    sorted_by_case = np.argsort(CASE, kind="stable")
    found = [
        reconstruction_error(PAIRS[rows], range(10)) for rows in (sorted_by_case, *orders(80, 5))
    ]
    assert min(found) > 0.03
    assert max(found) < 0.09
    assert max(found) < 1.3 * min(found)


def test_replicates_of_a_subject_tell_who_and_with_groups_what():
    """Classes drawn by lot: 100 % by the other replicate, about a half by other subjects."""
    assert 0.68 < neighbour_accuracy(REPLICATES, LOTS, range(10)) < 0.9
    whole = neighbour_accuracy(REPLICATES, LOTS, range(10), groups=SUBJECTS)
    assert 0.35 < whole < 0.68
    other = [
        KNeighborsClassifier(1)
        .fit(REPLICATES[one != SUBJECTS, :10], LOTS[one != SUBJECTS])
        .score(REPLICATES[one == SUBJECTS, :10], LOTS[one == SUBJECTS])
        for one in range(40)
    ]
    assert abs(whole - np.mean(other)) < 0.15


def test_copies_do_not_name_a_class():
    twice, classes = np.repeat(ONCE, 2, axis=0), LOTS
    found = neighbour_accuracy(twice, classes, range(10))
    assert found < 0.7
    assert found == neighbour_accuracy(twice, classes, range(10), groups=SUBJECTS)


def test_the_order_of_rows_moves_a_figure_by_chance_alone_and_little():
    found = [reconstruction_error(PAIRS[rows], range(6)) for rows in orders(80, 12)]
    one_halving = [
        reconstruction_error(PAIRS[rows], range(6), n_halvings=1) for rows in orders(80, 12)
    ]
    assert np.std(found) < 0.1 * np.mean(found)
    assert np.std(found) < np.std(one_halving)


def test_nearest_neighbours_are_those_of_the_other_half():
    """Against scikit-learn, on the halves that are drawn."""
    from cspca.evaluation.halves import draw_halvings, sample_groups

    accuracies = []
    for halving in draw_halvings(sample_groups(PAIRS).numbers, CASE):
        right = 0
        for fit, score in halving.ways:
            told = KNeighborsClassifier(1).fit(PAIRS[fit, :4], CASE[fit]).predict(PAIRS[score, :4])
            right += (told == CASE[score]).sum()
        accuracies.append(right / 80)
    assert neighbour_accuracy(PAIRS, CASE, range(4)) == pytest.approx(np.mean(accuracies))


def test_rebuilding_is_the_same_measure_on_one_halving():
    for groups in (None, np.arange(80) // 4):
        measure = Rebuilding(PAIRS, groups=groups, random_state=2)
        seeded = {"groups": groups, "random_state": 2, "n_halvings": 1}
        expected = [reconstruction_error(PAIRS, range(k), **seeded) for k in (3, 9)]
        assert measure.errors([range(3), range(9)]) == pytest.approx(expected)


# -- in a comparison -------------------------------------------------------------------------------

FEW = {"n_seeds": 3, "n_draws": 0, "silhouette": False}


def test_a_comparison_keeps_groups_whole_everywhere():
    done, alone = (
        compare(REPLICATES, LOTS, ["variance"], [10], groups=groups, n_pairs=4, **FEW)
        for groups in (SUBJECTS, None)
    )
    (row,) = done.table("neighbour_accuracy", 10)
    features = done.selection("variance", 10)
    assert row.shown.mean == neighbour_accuracy(REPLICATES, LOTS, features, groups=SUBJECTS)
    (row,) = done.table("reconstruction_error", 10)
    assert row.shown.mean == pytest.approx(
        reconstruction_error(REPLICATES, features, groups=SUBJECTS)
    )
    assert done.plan.n_groups == 40
    assert "each of the 40 groups whole" in about_halves(done)
    assert about_halves(alone) == ""
    # Subjects measured twice are half as many: what is drawn again moves further.
    grouped, single = (one.table("accuracy", 10)[0].over_images for one in (done, alone))
    assert grouped.high - grouped.low > 1.1 * (single.high - single.low)
    orders_of = [
        [fit.order.tolist() for fit in one.rankings_of_halves["variance", ""]]
        for one in (done, alone)
    ]
    assert orders_of[0] != orders_of[1]


def test_copies_are_counted_and_warned_of_where_they_lie_in_other_groups():
    X, y = np.vstack([PAIRS, PAIRS[:12]]), np.r_[CASE, CASE[:12]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compare(X, y, ["variance"], [10], **FEW).n_copies == 12
        assert compare(X, None, ["variance"], [10], n_clusters=2, **FEW).n_copies == 12
        assert compare(PAIRS, CASE, ["variance"], [10], **FEW).n_copies == 0
    with pytest.warns(UserWarning, match="24 of 92 samples equal one of another group"):
        done = compare(X, y, ["variance"], [10], groups=np.arange(92), **FEW)
    assert done.n_copies == 24
    assert "24 of 92 samples equal one of another group" in about_halves(done)


def test_groups_are_given_by_name_where_they_count():
    """Classes stood second in Rebuilding once, and would be groups."""
    with pytest.raises(TypeError, match="positional"):
        Rebuilding(PAIRS, CASE)
