"""Halves at random: whole groups, by class, the same again from the same seed."""

import numpy as np

from cspca.evaluation.halves import (
    draw_halvings,
    draw_pair,
    sample_groups,
)
from cspca.evaluation.metrics import resampled_agreement

RNG = np.random.default_rng(3)


def firsts(groups, classes=None, **more):
    return [halving.first for halving in draw_halvings(np.asarray(groups), classes, **more)]


def test_samples_alone_are_dealt_in_equal_halves_anew_each_time():
    drawn = firsts(np.arange(41), n_halvings=40)
    assert {first.sum() for first in drawn} == {21}
    assert len({first.tobytes() for first in drawn}) == 40
    # No place belongs to a half: every second row least of all.
    assert np.mean(drawn, axis=0).min() > 0.2
    assert np.mean(drawn, axis=0).max() < 0.85


def test_groups_are_whole_and_both_halves_hold_some():
    for sizes in ([1, 1, 1, 1], [37, 1, 1, 1], [5] * 8, [1, 2, 3, 4, 5, 6, 7, 8], [20, 20]):
        groups = RNG.permutation(np.repeat(np.arange(len(sizes)), sizes))
        for first in firsts(groups, n_halvings=20):
            assert not set(groups[first]) & set(groups[~first])
            assert 0 < first.sum() < len(groups)
            assert abs(int(first.sum()) - int((~first).sum())) <= max(sizes)


def test_by_class_each_half_has_its_share_of_every_class():
    classes = RNG.permutation(np.repeat([0, 1, 2], [31, 7, 5]))
    for first in firsts(np.arange(43), classes, n_halvings=20):
        assert abs(int(first.sum()) - int((~first).sum())) <= 1
        shares = [abs(int(first[classes == c].sum()) - int((~first)[classes == c].sum()))
                  for c in range(3)]  # fmt: skip
        assert max(shares) <= 1


def test_by_class_groups_stay_whole_and_count_for_their_most_frequent_class():
    groups = np.repeat(np.arange(20), 3)
    classes = np.repeat(np.arange(20) % 2, 3)
    classes[::3] = 1 - classes[::3]  # one sample in three is of the other class
    for first in firsts(groups, classes, n_halvings=20):
        assert not set(groups[first]) & set(groups[~first])
        assert classes[first].sum() == classes[~first].sum()


def test_of_many_samples_so_many_are_used_and_all_are_marked():
    (halving,) = draw_halvings(np.arange(100), n_halvings=1, max_samples=30)
    assert [len(rows) for rows in halving.rows] == [15, 15]
    assert halving.first[halving.rows[0]].all()
    assert not halving.first[halving.rows[1]].any()
    (fit, measured), other_way = halving.ways
    assert other_way == (measured, fit)


def test_copies_are_one_group_and_counted():
    X = np.array([[0.0, 1.0], [1.0, 1.0], [-0.0, 1.0], [0.0, 1.0], [1.0, 2.0], [1.0, 1.0]])
    together = sample_groups(X)
    assert together.numbers.tolist() == [0, 1, 0, 0, 2, 1]
    assert together.n_copies == 3
    assert together.units is None
    # Where all are the same nothing can be kept apart.
    assert sample_groups(np.ones((4, 2))).numbers.tolist() == [0, 1, 2, 3]


def test_given_groups_decide_alone_and_copies_across_them_are_counted():
    X = np.array([[0.0], [0.0], [1.0], [2.0], [2.0], [3.0]])
    together = sample_groups(X, ["a", "a", "b", "b", "c", "c"])
    assert together.numbers.tolist() == [0, 0, 1, 1, 2, 2]
    assert together.n_copies == 2
    np.testing.assert_array_equal(together.units, together.numbers)


def test_a_pair_of_halves_holds_groups_whole_and_every_sample_once():
    X = np.random.default_rng(3).normal(size=(30, 4))
    together = sample_groups(X, np.repeat(np.arange(10), [1, 2, 3, 4, 5, 5, 4, 3, 2, 1]))
    for number in range(5):
        first, second = draw_pair(X, together, number)
        assert sorted([*first, *second]) == list(range(30))
        assert not set(together.numbers[first]) & set(together.numbers[second])
        assert (np.diff(first) > 0).all()
    assert not np.array_equal(draw_pair(X, together, 0)[0], draw_pair(X, together, 1)[0])


def test_whole_groups_are_drawn_again():
    """Subjects measured twice are drawn as subjects measured once: not a bit more certain."""
    classes, clusters = RNG.integers(0, 3, 30), RNG.integers(0, 4, (2, 30))
    once = resampled_agreement(classes, clusters, 400)
    twice = np.repeat(classes, 2), np.repeat(clusters, 2, axis=1)
    found = resampled_agreement(*twice, 400, groups=np.repeat(np.arange(30), 2))
    for name in ("accuracy", "nmi"):
        np.testing.assert_allclose(found[name], once[name], rtol=1e-6)
    assert resampled_agreement(*twice, 400)["accuracy"].std() < 0.85 * once["accuracy"].std()
