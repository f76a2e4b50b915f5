"""Plans, rankings and clusterings: known numbers, pairs of runs, and nonsense refused."""

import json

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from cspca import CSPCA
from cspca.evaluation import (
    Silhouette,
    clustering_accuracy,
    compare,
    normalized_mutual_information,
    reconstruction_error,
)
from cspca.evaluation.kmeans import random_start
from cspca.evaluation.steps import cluster, plan, rank_features
from cspca.selection import METHODS
from cspca.selection.given import GivenScores
from tests.evaluation.fakes import Broken, Listed, Scored, blobs

X, Y = blobs()
ORDER = np.arange(12)


def _timeless(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def test_what_is_not_nested_is_fitted_for_each_number_of_features():
    grids = {"fspca": [{"solver": "go"}, {"n_init": 2}]}
    asked = {"n_seeds": 2, "grids": grids, "silhouette": False, "n_draws": 0}
    done = compare(X, Y, ["fspca", "variance"], [3, 6], **asked)
    assert done.complete
    assert done.counts == [3, 6]
    fits = {text: len(ranking.order) for (key, text), ranking in done.rankings.items()}
    assert len(fits) == 5
    for row in done.table():
        assert row.n_choices == (4 if row.method == "fspca" else 2)
    for k in (3, 6):
        asked = json.loads(done.curve("fspca")[k // 3 - 1].parameters)
        assert asked["n_features_to_select"] == k
        model = METHODS["fspca"].make(3, **asked).fit(X)
        np.testing.assert_array_equal(done.selection("fspca", k), model.feature_order_[:k])


def test_the_baseline_is_planned_once_and_draws_and_of_pictures_a_grid_beside_the_methods():
    planned = plan(X, Y, ["all", "variance"], [3, 6], n_seeds=2, n_draws=2, image_shape=(3, 4))
    assert [(task.method, task.n_features, task.text) for task in planned.tasks] == [
        ("all", (12,), ""),
        ("variance", (3, 6), ""),
        ("grid", (3,), '{"image_shape": [3, 4], "n_features_to_select": 3}'),
        ("grid", (6,), '{"image_shape": [3, 4], "n_features_to_select": 6}'),
        ("random", (3, 6), '{"random_state": 0}'),
        ("random", (3, 6), '{"random_state": 1}'),
    ]
    assert (planned.baseline, planned.n_clusters, planned.n_clusterings) == ("all", 3, 18)
    assert planned.titles.keys() == {"all", "variance", "grid"}
    assert len(plan(X, Y, ["cspca"], 3, n_draws=0, tune=True).tasks) == 49, "the whole grid"
    # Of all features alone there is nothing to be picked.
    assert len(plan(X, Y, ["all"]).tasks) == 1


def test_every_number_is_what_scikit_learn_gives():
    rows, _ = cluster(X, Y, np.roll(ORDER, -2), 4, range(4), 3, silhouette=Silhouette(X))
    chosen = X[:, 2:6]
    for row in rows:
        start = chosen[random_start(row["seed"], len(X), 3)]
        theirs = KMeans(3, init=start, n_init=1).fit(chosen)
        assert row["accuracy"] == clustering_accuracy(Y, theirs.labels_)
        assert row["nmi"] == normalized_mutual_information(Y, theirs.labels_)
        assert row["nmi_max"] == normalized_mutual_information(Y, theirs.labels_, average="max")
        assert row["silhouette"] == pytest.approx(Silhouette(X)(theirs.labels_))
        assert row["inertia"] == pytest.approx(theirs.inertia_)
        assert row["n_iter"] == theirs.n_iter_
        assert "cluster_stability" not in row
        assert "reconstruction_error" not in row


def test_without_labels_rows_measure_what_needs_none():
    for row in cluster(X, None, ORDER, 4, range(3), 3, silhouette=Silhouette(X))[0]:
        chosen = X[:, :4]
        labels = [
            KMeans(3, init=chosen[random_start(seed, len(X), 3)], n_init=1).fit(chosen).labels_
            for seed in (row["seed"], row["seed"] + 2**31)
        ]
        assert "accuracy" not in row
        assert row["cluster_stability"] == pytest.approx(adjusted_rand_score(*labels))
        assert row["silhouette"] == pytest.approx(Silhouette(X)(labels[0]))
        assert row["reconstruction_error"] == pytest.approx(reconstruction_error(X, range(4)))


def test_what_is_selected_decides_not_in_which_order():
    """Two orders with the same best features give equal runs: methods are compared in pairs."""
    silhouette = Silhouette(X)
    one, two = (
        cluster(X, Y, np.array(order), 6, range(10), 3, silhouette=silhouette)[0]
        for order in ((0, 1, 2, 3, 4, 5), (5, 3, 1, 0, 2, 4))
    )
    assert _timeless(one) == _timeless(two)
    assert np.ptp([row["silhouette"] for row in one]) > 0


@pytest.mark.parametrize("init", ["random", "k-means++"])
@pytest.mark.parametrize("classes", [Y, None], ids=["labels", "no labels"])
def test_the_numbers_of_a_seed_do_not_depend_on_the_others(init, classes):
    silhouette = Silhouette(X)
    whole, _ = cluster(X, classes, ORDER, 4, range(6), 3, init=init, silhouette=silhouette)
    alone = [
        cluster(X, classes, ORDER, 4, [seed], 3, init=init, silhouette=silhouette)[0][0]
        for seed in (3, 0, 5)
    ]
    assert _timeless(alone) == _timeless([whole[3], whole[0], whole[5]])


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
    told = []
    done = compare(
        X, Y, methods, [4, 6], n_seeds=2, n_jobs=n_jobs, n_draws=0,
        on_progress=lambda *at: told.append(at),
    )  # fmt: skip
    assert told == [(4, 12), (8, 12), (12, 12)]
    assert done.failures == {("bad", ""): words}
    assert [row.method for row in done.table()] == ["first", "var"]
    assert not done.complete


def test_scores_are_a_method_that_is_not_refitted_and_fails_alone():
    flat = X.copy()
    flat[:, 3] = 1.0
    scores = {"good": flat.var(axis=0), "dead": np.ones(12) + (np.arange(12) == 3)}
    done = compare(flat, Y, ["variance"], 4, n_seeds=2, n_draws=0, n_pairs=2, scores=scores)
    assert [row.title for row in done.table()] == ["Max variance", "Yours: good"]
    assert set(done.reproducibility()["method"]) == {"variance"}
    (said,) = done.failures.values()
    assert said.startswith("Yours: dead failed: Feature 3, counted from 0, is the same in every")
    # Constant features come last, whatever the scores of others are, as with every method.
    lowest = GivenScores(np.r_[np.arange(11.0), 0.0]).fit(np.c_[X[:, :11], np.ones(60)])
    assert lowest.feature_order_.tolist() == [*range(10, -1, -1), 11]


def test_a_mistake_of_the_program_is_not_swallowed():
    with pytest.raises(TypeError, match="a bug"):
        compare(X, Y, {"bad": Broken(TypeError("a bug"))}, 4, n_seeds=2)


def test_a_cut_at_which_a_tighter_fit_takes_others_has_no_ranking():
    pixels = load_digits().data[:400] / 16
    coarse, cuts = CSPCA(0.3, 0.1, tol=0.05), range(1, 64)
    found = rank_features(coarse, pixels, cuts)
    first, second = coarse.fit(pixels), CSPCA(0.3, 0.1, tol=5e-4).fit(pixels)
    other = [set(first.feature_order_[:k]) != set(second.feature_order_[:k]) for k in cuts]
    scores = first.feature_scores_[first.feature_order_]
    decided = [k for k in found.unsettled if other[k - 1]]
    assert decided
    for k in found.unsettled:
        assert k in decided or scores[k - 1] - scores[k] <= 5e-5 * max(scores[k - 1], 1.0)
        assert found.no_ranking(k) == "tie within the solver's tolerance"
    clear = [k for k in cuts if scores[k] > 0 and scores[k - 1] - scores[k] > 0.01 * scores[k - 1]]
    assert not set(clear) & set(found.unsettled)
    assert decided[0] not in rank_features(coarse, pixels).unsettled
    few = {"n_features": decided[0], "n_clusters": 3, "n_seeds": 1, "n_draws": 0}
    for settle, reasons in ((None, {"coarse": found.no_ranking(decided[0])}), (False, {})):
        done = compare(pixels, methods={"coarse": coarse}, settle=settle, **few)
        assert done.unranked() == reasons


@pytest.mark.parametrize("solver", ["admm", "plain"])
def test_features_that_tie_but_for_the_tolerance_are_not_told_apart(solver):
    """Standardised digits at the defaults: about 50 rows of the optimum have length 1."""
    Z = load_digits().data[:, load_digits().data.std(axis=0) > 0.0]
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    found = rank_features(CSPCA(solver=solver), Z, [20] if solver == "plain" else [])
    assert len(set(found.ties)) > 40, "the fit itself tells them apart"
    assert found.no_ranking(20) == "tie within the solver's tolerance"
    assert found.no_ranking(55) == ""
