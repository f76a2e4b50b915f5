"""What a comparison says of its cells, and the tables it gives away."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from cspca.evaluation import (
    Comparison,
    chosen_on_other_starts,
    compare,
    paired_difference,
    selection_reproducibility,
)
from cspca.evaluation.comparison import Ranking, best_choice
from cspca.evaluation.latex import to_latex
from cspca.evaluation.tables import to_csv
from cspca.experiments.comparison_table import printed
from cspca.fitted import ahead_of_cut, shared_places, tie_groups
from cspca.selection import AllFeatures, MaxVariance, RandomSelection
from tests.evaluation.fakes import Listed, blobs

X, Y = blobs(spread=1.2)
NOISE_FIRST = tuple(range(11, -1, -1))
TIMES = ["seconds", "selection_seconds"]


def compared(n_jobs=1):
    methods = {"all": AllFeatures(), "signal": Listed(), "noise": Listed(order=NOISE_FIRST)}
    grids = {"signal": [{"shift": 0}, {"shift": 3}]}
    return compare(X, Y, methods, [3, 6], n_seeds=12, grids=grids, n_draws=4, n_jobs=n_jobs)


@pytest.fixture(scope="module")
def comparison():
    return compared()


def test_signal_beats_noise_and_the_table_says_so(comparison):
    rows = {row.method: row for row in comparison.table()}
    assert rows["signal"].mark == "best"
    assert rows["noise"].mark == ""
    assert rows["noise"].difference.high < 0
    assert rows["all"].difference is None
    assert rows["signal"].n_choices == 4
    assert rows["all"].best.n_features == 12
    assert comparison.complete
    errors = comparison.table("reconstruction_error")
    assert min(errors, key=lambda row: row.best.mean).mark == "best"


def test_threads_change_no_number(comparison):
    alone, in_threads = comparison.results, compared(n_jobs=2).results
    pd.testing.assert_frame_equal(alone.drop(columns=TIMES), in_threads.drop(columns=TIMES))


def test_a_row_is_what_its_runs_say(comparison):
    row = next(row for row in comparison.table("nmi") if row.method == "signal")
    wide = comparison.scores("signal", "nmi")
    long = comparison.results
    for (parameters, n_features), runs in wide.iterrows():
        at = (long["parameters"] == parameters) & (long["n_features"] == n_features)
        of_choice = long[at & (long["method"] == "signal")]
        np.testing.assert_array_equal(runs, of_choice["nmi"])
    runs = wide.to_numpy()
    best = best_choice(runs)
    assert (row.best.mean, row.best.n) == (runs[best].mean(), 12)
    assert (row.best.parameters, row.best.n_features) == wide.index[best]
    others, _ = chosen_on_other_starts(runs)
    np.testing.assert_array_equal(row.other_starts.runs, others)
    assert row.other_starts.mean <= row.best.mean
    baseline = comparison.scores("all", "nmi").to_numpy()[0]
    assert row.difference == paired_difference(runs, baseline)
    assert row.difference.difference == pytest.approx((others - baseline).mean())
    free = comparison.scores("signal", "silhouette").mean(axis=1).to_numpy().argmax()
    assert (row.label_free.parameters, row.label_free.n_features) == wide.index[free]
    assert row.label_free.mean == runs[free].mean()
    # Where held-out samples are rebuilt best is no matter of labels either.
    least = comparison.scores("signal", "reconstruction_error").mean(axis=1).to_numpy().argmin()
    assert (row.rebuilt.parameters, row.rebuilt.n_features) == wide.index[least]
    assert row.rebuilt.mean == runs[least].mean()


def test_intervals_over_images_are_of_what_is_shown_in_pairs(comparison):
    """By hand: both halves' choices on the same resamples, shifted to have their mean at it."""
    rows = {row.method: row for row in comparison.table("nmi")}
    wide = comparison.scores("signal", "nmi")
    _, (by_even, by_odd) = chosen_on_other_starts(wide)
    ours, theirs = (
        np.mean([comparison.over_images[method, *at]["nmi"] for at in choices], axis=0)
        for method, choices in (
            ("signal", [wide.index[by_even], wide.index[by_odd]]),
            ("all", [("", 12)]),
        )
    )
    apart = rows["signal"].difference
    for found, value, resampled in (
        (rows["signal"].over_images, rows["signal"].shown.mean, ours),
        (rows["signal"].difference_over_images, apart.difference, ours - theirs),
    ):
        ends = value - resampled.mean() + np.quantile(resampled, [0.025, 0.975])
        np.testing.assert_allclose((found.low, found.high), ends)
        assert (found.difference, found.n) == (value, 200)
    assert rows["all"].difference_over_images is None
    shown = printed(comparison, "nmi").set_index("Method")["Over samples"]
    low, high = (100 * getattr(rows["signal"].over_images, end) for end in ("low", "high"))
    assert shown["signal"] == f"{low:.1f} to {high:.1f}"
    # Nothing of it where there are no labels, none is asked for, or the metric knows none.
    assert all(row.over_images is None for row in comparison.table("silhouette"))
    without = compare(X, Y, {"a": Listed()}, 3, n_seeds=2, n_draws=0, bootstrap=0)
    assert "Over samples" not in printed(without, "accuracy")


def test_selections_and_their_overlap(comparison):
    np.testing.assert_array_equal(comparison.selection("noise", 3), [11, 10, 9])
    overlap = comparison.overlap(6)
    assert list(overlap.columns) == list(overlap.index) == ["signal", "noise"]
    np.testing.assert_array_equal(np.diag(overlap), 1.0)
    signal = set(comparison.selection("signal", 6).tolist())
    shared = len(signal & set(range(6, 12)))
    wanted = pytest.approx(shared / (12 - shared))
    assert overlap.loc["signal", "noise"] == overlap.loc["noise", "signal"] == wanted
    with pytest.raises(KeyError):
        comparison.selection("absent", 3)


def test_what_is_there_so_far_says_the_same(comparison):
    nothing = Comparison(comparison.plan)
    assert nothing.table() == ()
    assert nothing.summary().empty
    assert nothing.overlap(3).empty
    n_done = 12 * (1 + 4)
    some = Comparison(comparison.plan, comparison.results.iloc[:n_done])
    assert not some.complete
    wanted = [row for row in comparison.table() if row.method != "noise"]
    assert [(r.method, r.best, r.difference) for r in some.table()] == [
        (r.method, r.best, r.difference) for r in wanted
    ]


def test_one_seed_has_no_intervals_but_a_table():
    comparison = compare(X, Y, {"all": AllFeatures(), "signal": Listed()}, 3, n_seeds=1, n_draws=2)
    for row in comparison.table():
        assert (row.other_starts, row.difference, row.best.std) == (None, None, 0.0)
    text = to_latex(printed(comparison, "accuracy"))
    assert r"\textbf" not in text
    assert "≈" not in text.partition("footnotesize")[0]


def test_a_percentile_is_the_share_of_draws_below_ties_by_half():
    ours = RandomSelection(random_state=3)
    done = compare(X, None, {"ours": ours}, [2, 5], n_clusters=3, n_seeds=4, n_draws=9)
    long = done.results
    for metric, sign in (("silhouette", 1), ("reconstruction_error", -1)):
        runs = long[(long["method"] == "random") & (long["n_features"] == 5)]
        draws = sign * runs.groupby("parameters", sort=False)[metric].mean().to_numpy()
        np.testing.assert_allclose(done.draws(metric, 5), sign * draws)
        (row,) = done.table(metric, 5)
        # It is the fourth of the draws, and stands among them as that one does.
        equal = np.isclose(draws, draws[3])
        assert row.percentile == (np.sum(draws[~equal] < draws[3]) + equal.sum() / 2) / 9
        assert row.best.mean == pytest.approx(sign * draws[3])
    lines = done.summary().set_index("metric")
    wanted = done.table("silhouette")[0].percentile
    assert lines.loc["silhouette", ["percentile", "n_draws"]].tolist() == [wanted, 9]
    assert "9 random picks" in printed(done, "silhouette").to_string()
    assert compare(X, Y, {"ours": ours}, 3, n_seeds=2, n_draws=0).table()[0].percentile is None


def test_a_choice_of_many_is_no_better_than_choices_of_as_many_draws():
    """The trap: a method that knows nothing, tuned, stands far above single draws."""
    methods = {f"null {i}": RandomSelection() for i in range(8)}
    grids = {name: [{"random_state": 100 + 9 * i + j} for j in range(9)]
             for i, name in enumerate(methods)}  # fmt: skip
    done = compare(
        X, Y, methods, 2, n_seeds=6, grids=grids, n_draws=60, bootstrap=0, silhouette=False
    )
    rows, single = done.table(), done.draws("accuracy", 2)
    assert np.mean([(single < row.shown.mean).mean() for row in rows]) > 0.75
    assert 0.3 < np.mean([row.percentile for row in rows]) < 0.7


def test_reproducibility_is_that_of_a_plain_loop_over_the_same_halves():
    methods = {"all": AllFeatures(), "same": RandomSelection(random_state=3)}
    methods["variance"] = MaxVariance()
    done = compare(X, Y, methods, [2, 5, 12], n_seeds=2, n_draws=6, n_pairs=6, random_state=4)
    table = done.reproducibility().set_index(["title", "n_features"])
    assert (table["n_halves"] == 12).all()
    # What looks at no sample selects the same.
    assert table.loc[("same", 2), "reproducibility"] == 1
    assert np.isnan(table.loc["same", "low"]).all(), "no interval where all are equal"
    assert np.isnan(table.loc[("variance", 12), "reproducibility"]), "all features: no agreement"
    reason = "there is nothing to agree on where all features are selected"
    assert table.loc[("variance", 12), "no_ranking"] == reason
    assert done.not_reproducible(12).keys() == {"same", "variance"}
    assert not done.not_reproducible(), "at two and five features they have an index"
    shown = printed(done, "reproducibility", 12).set_index("Method")
    assert shown["Reproducibility"].tolist() == [f"no index: {reason}"] * 2
    frequency = np.zeros(12)
    selected = []
    for number in range(6):
        rng = np.random.default_rng([4, number])
        first = np.zeros(len(X), dtype=bool)
        # Single samples are dealt in turn.
        first[rng.permutation(len(X))[::2]] = True
        for half in (first, ~first):
            best = np.argsort(-X[half].var(axis=0), kind="stable")[:5]
            frequency[best] += 1 / 12
            selected.append(np.isin(np.arange(12), best))
    ours = [fit.order[:5] for fit in done.rankings_of_halves["variance", ""]]
    np.testing.assert_allclose(np.bincount(np.ravel(ours), minlength=12) / 12, frequency)
    # By hand: Nogueira's index from the unbiased variances.
    share = 5 / 12
    index = 1 - np.mean(12 / 11 * frequency * (1 - frequency)) / (share * (1 - share))
    line = table.loc[("variance", 5)]
    assert line["reproducibility"] == pytest.approx(index)
    assert line["low"] < index < line["high"]
    interval = selection_reproducibility(selected)
    assert (line["low"], line["high"]) == (interval.low, interval.high)
    # A measure beside the others, without marks, and none of the references.
    assert done.metrics[-1] == "reproducibility"
    rows = {row.method: row for row in done.table("reproducibility", 5)}
    assert rows.keys() == {"same", "variance"}
    assert {row.mark for row in rows.values()} == {""}, "reproducible is not best"
    assert rows["same"].chance is None, "0 is what chance gives"
    assert not len(done.draws("reproducibility", 5))
    assert rows["variance"].shown.mean == line["reproducibility"]
    shown = printed(done, "reproducibility", 5)
    assert f"({line['low']:.3f} to {line['high']:.3f})" in shown.to_string()
    assert "vs all features" not in shown
    references = done.results["method"] == "random"
    assert done.results.loc[references, "reproducibility"].isna().all()


def test_the_summary_is_the_table(comparison):
    summary = comparison.summary().set_index(["metric", "method"])
    assert len(summary) == len(comparison.metrics) * 3
    for metric in comparison.metrics:
        for row in comparison.table(metric):
            line = summary.loc[metric, row.method]
            assert (line["best_mean"], line["mark"]) == (row.best.mean, row.mark)
            assert line["other_starts_mean"] == row.other_starts.mean
            low = row.difference.low if row.difference else np.nan
            np.testing.assert_equal(line["difference_low"], low)
            over = row.difference_over_images
            np.testing.assert_equal(line["difference_images_high"], over.high if over else np.nan)
    assert len(comparison.results) == comparison.plan.n_clusterings


def test_an_empty_model_and_a_tie_at_the_cut_have_no_score():
    grids = {"cspca": [{"alpha": 0.9, "beta": 0.9}]}
    tied = np.repeat([2.0, 1.0, 0.0], [3, 4, X.shape[1] - 7])
    done = compare(X, Y, ["variance", "cspca"], [3, 5], n_seeds=2, n_draws=0, grids=grids,
                   scores={"tied": tied})  # fmt: skip
    table = done.results.set_index(["method", "n_features"])
    assert table.loc["cspca", "accuracy"].isna().all()
    assert set(table.loc["cspca", "no_ranking"]) == {"empty model"}
    assert done.unranked() == {"cspca": "empty model"}
    titles = [row.title for row in done.table()]
    assert "CSPCA" not in titles
    assert [point.n_features for point in done.curve("cspca")] == []
    own = next(key for key in done.plan.titles if key.endswith("tied"))
    assert [point.n_features for point in done.curve(own)] == [3], "5 ends inside the four"
    assert done.unranked(5)[own] == "tie at the cut"
    shown = printed(done, "accuracy").set_index("Method")["ACC (%)"]
    assert shown["CSPCA"] == "no ranking: empty model"
    (line,) = [
        line for line in to_csv(done.summary()).splitlines() if line.startswith("accuracy,cspca")
    ]
    assert line == "accuracy,cspca,CSPCA" + "," * 30 + "empty model"


def test_where_the_identity_is_optimal_nothing_is_scored():
    wine = load_wine()
    Z = (wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)
    grids = {"cspca": [{}, {"solver": "reweighted", "max_iter": 50}]}
    done = compare(Z, wine.target, ["variance", "cspca", "greedy"], [4, 9], n_seeds=2, n_pairs=3,
                   n_draws=0, bootstrap=0, grids=grids)  # fmt: skip
    assert done.unranked() == {"variance": "tie at the cut", "cspca": "W = I"}
    assert [row.method for row in done.table("reproducibility")] == ["greedy"]
    shown = printed(done, "reproducibility").set_index("Method")["Reproducibility"]
    assert shown["CSPCA"] == "no ranking: W = I"


def test_maps_that_rebuild_every_sample_have_no_reproducible_ranking():
    wide = np.random.default_rng(0).random((16, 40))
    labels = np.arange(16) % 2
    grids = {"cspca": [{"alpha": 1e-5, "beta": 1e-5}]}
    done = compare(wide, labels, ["variance", "cspca"], 6, n_seeds=2, n_draws=0, bootstrap=0,
                   n_pairs=2, grids=grids)  # fmt: skip
    reason = "every sample is rebuilt exactly on 4 of 4 halves"
    assert done.not_reproducible() == {"cspca": reason}
    assert [row.method for row in done.table("reproducibility")] == ["variance"]


def test_groups_that_a_fit_proves_are_a_ranking_s_own():
    found = Ranking(np.arange(4), np.array([4.0, 3, 2, 1]), 0.0, {}, ties=np.array([0, 1, 1, 2]))
    assert [found.no_ranking(k) for k in (1, 2, 3, 4)] == ["", "tie at the cut", "", ""]
    plain = Ranking(np.arange(4), np.array([4.0, 3, 3, 1]), 0.0, {})
    assert [plain.no_ranking(k) for k in (1, 2, 3, 4)] == ["", "tie at the cut", "", ""]


def test_scores_far_below_the_largest_tie_only_where_they_are_equal():
    def ahead(scores, k):
        order = np.arange(len(scores))
        return ahead_of_cut(shared_places(tie_groups(np.array(scores), order)), k)

    assert ahead([1e6, 0.0931, 0.0916], 2) == 2
    assert ahead([1e6, 0.0931, 0.0931], 2) == 1
    assert ahead([1.0, 3e-16, 1e-16], 2) == 1, "rounding of the largest"


def test_a_tie_on_halves_has_no_reproducible_ranking():
    """All features score the same on halves of the samples; on all of them they do not."""

    class TiedOnHalves(Listed):
        def fit(self, samples, y=None):
            super().fit(samples)
            if len(samples) < len(X):
                self.selection_scores_ = np.ones(samples.shape[1])
            return self

    methods = {"tied": TiedOnHalves(), "listed": Listed()}
    done = compare(X, Y, methods, [3, 12], n_seeds=2, n_draws=6, n_pairs=2)
    table = done.reproducibility().set_index(["method", "n_features"])
    assert np.isnan(table.loc[("tied", 3), "reproducibility"])
    reason = "tie at the cut on 4 of 4 halves"
    assert table.loc[("tied", 3), "no_ranking"] == reason
    # All features are no selection that a tie could change.
    assert "all features are selected" in table.loc[("tied", 12), "no_ranking"]
    assert [row.method for row in done.table("reproducibility", 3)] == ["listed"]
    assert done.not_reproducible(3) == {"tied": reason}
    shown = printed(done, "reproducibility", 3).set_index("Method")
    assert shown.iloc[:, 0]["tied"] == f"no index: {reason}", "of all samples it has a ranking"
    # A score of clusters rests on the fit of all samples, which has a ranking.
    assert {row.method for row in done.table("accuracy", 3)} == {"tied", "listed"}
    tied = compare(X, Y, {"tied": TiedOnHalves()}, 3, n_seeds=2, n_draws=0, n_pairs=2)
    assert "reproducibility" not in tied.metrics
    assert np.isnan(tied.results["reproducibility"]).all()
