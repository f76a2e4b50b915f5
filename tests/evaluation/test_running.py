"""A run can be stopped and resumed at any group; nothing is computed twice, nothing differs."""

import dataclasses
import pickle

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from cspca.evaluation import (
    Comparison,
    Silhouette,
    clustering_accuracy,
    make_plan,
    measure_cells,
    normalized_mutual_information,
    rank_features,
    reconstruction_error,
    run,
)
from cspca.evaluation.starts import random_start
from cspca.selection import METHODS
from tests.evaluation.fakes import Broken, Listed, Scored, blobs

X, Y = blobs()


def _plan(methods, **wishes):
    return make_plan(X, Y, methods, [4, 6], **({"n_seeds": 4} | wishes))


def _timeless(results):
    return [dataclasses.replace(one, seconds=0.0) for one in results]


def _results(groups):
    return [result for group in groups for result in group.results]


def _methods():
    return {"first": Listed(), "second": Listed(order=tuple(range(11, -1, -1))), "var": Scored()}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_cells_come_in_the_plans_order_and_are_counted(n_jobs):
    plan = _plan(_methods())
    groups = list(run(plan, X, Y, methods=_methods(), n_jobs=n_jobs))
    assert [one.cell for one in _results(groups)] == list(plan.cells())
    assert [group.n_done for group in groups] == list(range(4, 25, 4))
    assert groups[-1].n_cells == plan.n_cells == 24
    assert groups[-1].remaining == 0.0
    assert all(group.remaining > 0 for group in groups[:-1])


def test_every_number_is_what_scikit_learn_gives():
    groups = list(
        run(_plan({"listed": Listed(shift=2)}), X, Y, methods={"listed": Listed(shift=2)})
    )
    for one in _results(groups):
        k = one.cell.n_features
        chosen = X[:, 2 : 2 + k]
        start = chosen[random_start(one.cell.seed, len(X), 3)]
        theirs = KMeans(3, init=start, n_init=1).fit(chosen)
        assert one.accuracy == clustering_accuracy(Y, theirs.labels_)
        assert one.nmi == normalized_mutual_information(Y, theirs.labels_)
        assert one.nmi_max == normalized_mutual_information(Y, theirs.labels_, average="max")
        assert one.silhouette == pytest.approx(Silhouette(X)(theirs.labels_))
        assert one.inertia == pytest.approx(theirs.inertia_)
        assert one.n_iter == theirs.n_iter_
        assert (one.stability, one.reconstruction_error) == (None, None)


def test_seeds_are_paired_methods_start_from_the_same_samples():
    """Two methods that select the same features, in another order, give equal runs."""
    methods = {"a": Listed(order=(0, 1, 2, 3, 4, 5)), "b": Listed(order=(5, 3, 1, 0, 2, 4))}
    plan = make_plan(X, Y, methods, 6, n_seeds=10)
    comparison = Comparison(plan).with_groups(run(plan, X, Y, methods=methods))
    np.testing.assert_array_equal(
        comparison.scores("a", "accuracy")[1], comparison.scores("b", "accuracy")[1]
    )
    assert np.ptp(comparison.scores("a", "silhouette")[1]) > 0


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("stop_after", [1, 2, 3, 5])
def test_stop_and_resume_compute_nothing_twice_and_the_same(n_jobs, stop_after):
    plan = _plan(_methods())
    whole = _results(run(plan, X, Y, methods=_methods(), n_jobs=n_jobs))
    kept = []
    for number, group in enumerate(run(plan, X, Y, methods=_methods(), n_jobs=n_jobs), 1):
        kept += group.results
        if number == stop_after:
            break
    assert len(kept) == 4 * stop_after
    done = {one.cell for one in kept}
    rest = _results(run(plan, X, Y, methods=_methods(), done=done, n_jobs=n_jobs))
    assert done.isdisjoint(one.cell for one in rest)
    assert _timeless(kept + rest) == _timeless(whole)


def test_resume_in_the_middle_of_a_group():
    plan = _plan(_methods())
    whole = _results(run(plan, X, Y, methods=_methods()))
    done = [one.cell for one in whole if one.cell.seed in (0, 3)]
    rest = list(run(plan, X, Y, methods=_methods(), done=done))
    assert _timeless(_results(rest)) == _timeless(o for o in whole if o.cell.seed in (1, 2))
    assert rest[0].n_done == len(done) + 2


def test_each_ranking_is_fitted_once_and_not_at_all_when_nothing_needs_it():
    methods = {"first": Listed(), "second": Listed(shift=1)}
    plan = _plan(methods)
    Listed.fits = 0
    groups = list(run(plan, X, Y, methods=methods))
    assert Listed.fits == 2
    done = {one.cell for one in _results(groups) if one.cell.method == "first"}
    list(run(plan, X, Y, methods=methods, done=done))
    assert Listed.fits == 3
    list(run(plan, X, Y, methods=methods, rankings=[group.ranking for group in groups]))
    assert Listed.fits == 3
    assert list(run(plan, X, Y, methods=methods, done=list(plan.cells()))) == []
    assert Listed.fits == 3


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_cancel_keeps_what_is_done(n_jobs):
    plan = _plan(_methods())
    finished = []

    def stop():
        return len(finished) >= 2

    finished.extend(run(plan, X, Y, methods=_methods(), should_stop=stop, n_jobs=n_jobs))
    assert 2 <= len(finished) < 6
    whole = _results(run(plan, X, Y, methods=_methods()))
    n = 4 * len(finished)
    assert _timeless(_results(finished)) == _timeless(whole[:n])
    assert list(run(plan, X, Y, methods=_methods(), should_stop=lambda: True)) == []


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (None, "bad failed: Nothing here can be ranked."),
        (np.linalg.LinAlgError("Singular matrix"), "bad failed: Singular matrix"),
        (MemoryError(), "bad failed: MemoryError"),
    ],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_method_that_fails_says_so_and_does_not_end_the_others(error, words, n_jobs):
    bad = Broken() if error is None else Broken(error)
    methods = {"first": Listed(), "bad": bad, "var": Scored()}
    plan = _plan(methods)
    groups = list(run(plan, X, Y, methods=methods, n_jobs=n_jobs))
    assert [group.failure for group in groups] == [None, None, words, words, None, None]
    assert groups[-1].n_done == plan.n_cells
    comparison = Comparison(plan).with_groups(groups)
    assert comparison.failures == {("bad", ()): words}
    assert [row.method for row in comparison.table()] == ["first", "var"]
    assert not comparison.complete


def test_a_mistake_of_the_program_is_not_swallowed():
    methods = {"bad": Broken(TypeError("a bug"))}
    with pytest.raises(TypeError, match="a bug"):
        list(run(_plan(methods), X, Y, methods=methods))


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (Listed(order=(0, 1, 1, 2, 3, 4)), "orders a feature twice"),
        (Listed(order=(0, 1, 2)), "It orders 3 features, and "),
        (Listed(order=(0, 1, 2, 3, 4, 99)), "up to number 99 of 12"),
    ],
)
def test_an_order_that_is_none_is_reported(selector, words):
    methods = {"odd": selector}
    groups = list(run(_plan(methods), X, Y, methods=methods))
    assert all(words in group.failure for group in groups)


def test_without_labels_cells_measure_what_needs_none():
    methods = {"listed": Listed()}
    plan = make_plan(X, None, methods, 4, n_seeds=3, n_clusters=3)
    for one in _results(run(plan, X, methods=methods)):
        chosen = X[:, :4]
        twins = (one.cell.seed, one.cell.seed + 2**31)
        labels = [
            KMeans(3, init=chosen[random_start(seed, len(X), 3)], n_init=1).fit(chosen).labels_
            for seed in twins
        ]
        assert (one.accuracy, one.nmi, one.nmi_max) == (None, None, None)
        assert one.stability == pytest.approx(adjusted_rand_score(*labels))
        assert one.silhouette == pytest.approx(Silhouette(X)(labels[0]))
        assert one.reconstruction_error == pytest.approx(reconstruction_error(X, range(4)))


def test_the_registrys_methods_run_and_say_what_they_found():
    plan = make_plan(X, Y, ["all", "variance", "cspca"], 4, n_seeds=2)
    groups = list(run(plan, X, Y))
    rankings = {group.group.method: group.ranking for group in groups}
    assert {"duality_gap", "rank", "objective", "n_iter", "n_zero"} == set(
        rankings["cspca"].details
    )
    assert rankings["cspca"].details["duality_gap"] <= 1e-3
    np.testing.assert_array_equal(
        rankings["variance"].order, np.argsort(-X.var(axis=0), kind="stable")
    )
    assert all(ranking.seconds > 0 for ranking in rankings.values())


def test_data_and_plan_that_do_not_fit_are_refused_at_once():
    plan = _plan(_methods())
    with pytest.raises(ValueError, match="methods that were not given: second, var"):
        run(plan, X, Y, methods={"first": Listed()})
    with pytest.raises(ValueError, match="n_jobs must be at least 1"):
        run(plan, X, Y, methods=_methods(), n_jobs=0)
    with pytest.raises(ValueError, match="y has 3 labels for 60 samples"):
        run(plan, X, [0, 1, 2], methods=_methods())


def test_cells_can_be_measured_one_by_one_elsewhere():
    """What a scheduler of its own needs: a ranking, then any cells of a group, in any process."""
    plan = _plan({"listed": Listed()})
    whole = _results(run(plan, X, Y, methods={"listed": Listed()}))
    ranking = rank_features(METHODS["variance"], "variance", (), X, 3)
    assert (ranking.method, ranking.parameters) == ("variance", ())
    silhouette = pickle.loads(pickle.dumps(Silhouette(X)))  # noqa: S301
    alone = [measure_cells(X, Y, np.arange(12), [one.cell], silhouette)[0] for one in whole]
    assert _timeless(alone) == _timeless(whole)
