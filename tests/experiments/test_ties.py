"""What is said of ties, and of maps that rebuild every sample: tables, figures, sentences."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from cspca.datasets import Dataset, standardised
from cspca.datasets.nouns import MEASUREMENT_NOUNS
from cspca.experiments import Compare, Convergence, Fit, Outcome, Sensitivity, run
from cspca.experiments.exports import feature_table
from cspca.experiments.fit import near_words, tie_words
from cspca.fitted import ahead_of_cut
from cspca.report import report

REPRODUCED = (
    "Every sample is rebuilt exactly: for a given α/β this map depends on the span of the samples "
    "alone, not on how they vary within it. The scale of a feature does count."
)


def table(X, name="table"):
    return Dataset(np.asarray(X), name=name, feature_names=tuple("abcdefghijkl"[: X.shape[1]]))


@pytest.fixture(scope="module")
def parts():
    """Six parts of a whole: the columns add up to one."""
    amounts = np.random.default_rng(5).gamma(3, 1, (100, 6)) * [1, 2, 3, 1, 0.5, 5]
    return table(amounts / amounts.sum(axis=1, keepdims=True), "parts")


@pytest.fixture(scope="module")
def copied():
    """Eight columns that depend on each other in part, of which the last stands twice."""
    rng = np.random.default_rng(3)
    X = rng.random((60, 3)) @ rng.random((3, 7)) + 0.2 * rng.random((60, 7))
    return table(np.c_[X, X[:, 6]] / 3, "copied")


def sentences(outcome):
    return " ".join(finding.sentence for finding in outcome.findings)


def test_parts_of_a_whole_tie_and_no_order_of_them_is_shown(parts):
    outcome = run(Fit(tol=1e-5, max_iter=5000), parts)
    assert REPRODUCED in outcome.findings[0].sentence
    assert "All 6 features that vary tie" in sentences(outcome)
    assert "thousandth" not in sentences(outcome)
    scores = outcome.tables["Scores"]
    assert scores["rank"].tolist() == [1] * 6
    assert scores["n_sharing_rank"].tolist() == [6] * 6
    assert not any(title.startswith("The best") for title in outcome.printed)
    assert "Which features?" not in outcome.figures()
    assert "best first" not in str(outcome.figures())
    assert REPRODUCED in report(outcome)


def test_a_map_of_standardised_parts_says_what_it_does_not_show(parts):
    data = standardised(parts)
    outcome = run(Fit(), data)
    (fit,) = outcome.experiment.fits(outcome.results).values()
    # The least variable part comes first, whatever it means.
    assert int(fit.feature_order[0]) == int(parts.data.std(axis=0).argmin())
    assert REPRODUCED in outcome.findings[0].sentence
    assert "Dense" not in sentences(outcome)


def test_identity_of_standardised_iris_has_no_best_features():
    iris = standardised(table(load_iris().data / 10, "iris"))
    outcome = run(Fit(), iris)
    assert "all features that vary tie" in outcome.findings[0].sentence
    assert outcome.tables["Scores"]["rank"].tolist() == [1] * 4
    assert outcome.figures().keys().isdisjoint({"Which features?"})


def test_an_empty_model_has_no_order_in_its_files():
    data = table(np.random.default_rng(0).random((40, 5)))
    outcome = run(Fit(alpha=0.9, beta=0.9), data)
    assert set(outcome.tables["Scores"]["rank"]) == {1}
    assert set(outcome.tables["Scores"]["n_sharing_rank"]) == {5}


def test_a_copied_column_shares_its_place(copied):
    outcome = run(Fit(alpha=0.05, beta=0.05), copied)
    scores = outcome.tables["Scores"].set_index("name")
    assert scores.loc["g", "rank"] == scores.loc["h", "rank"]
    assert scores.loc["g", "n_sharing_rank"] == 2
    first = scores.loc["g", "rank"]
    said = f"2 features tie at places {first} to {first + 1}: none of them is before another."
    assert said in sentences(outcome)
    best = outcome.printed["The best features"].set_index("Feature")
    assert best.loc["g", "Rank"] == best.loc["h", "Rank"] == f"{first}"


def test_near_scores_are_not_called_a_tie():
    fit = next(iter(_fit(table(np.random.default_rng(1).random((50, 6)))).values()))
    scores = np.array([1.0, 0.9999, 0.9998, 0.9997, 0.5, 0.4])
    fit = replace(fit, duality_gap=5e-4)
    near = _ordered(fit, scores)
    assert _tie_words(near) == ""
    words = near_words(near, MEASUREMENT_NOUNS)
    assert words.startswith(
        "4 of 6 features in use differ from a neighbour in the order by at most "
    )
    assert "at most 0.05 %: a tighter fit may order them otherwise." in words
    assert " tie " not in words
    tied = _tie_words(_ordered(fit, scores[[0, 4, 5, 4, 5, 5]]))
    assert tied.startswith("5 features tie, in 2")
    assert "neighbour" not in tied
    tied = _tie_words(_ordered(fit, scores[[0, 0, 1, 4, 4, 5]]))
    assert "4 features tie, in 2" in tied
    some = near_words(_ordered(fit, scores[[0, 0, 1, 4, 4, 5]]), MEASUREMENT_NOUNS)
    assert "2 of 6 features in use differ" in some
    apart = np.array([1.0, 0.9, 0.8, 0.7, 0.6, 0.5])
    assert _tie_words(_ordered(fit, apart)) == ""


@pytest.mark.parametrize("tol", [1e-3, 1e-5])
def test_ties_that_are_not_looked_for_are_said_to_be_open(tol):
    """All cyclic shifts of a row: all features tie (theory.md §14), and are given ranks."""
    row = np.random.default_rng(0).random(12)
    data = table(np.stack([np.roll(row, k) for k in range(12)]))
    outcome = run(Fit(alpha=0.6, beta=0.1, tol=tol, max_iter=5000), data)
    (fit,) = outcome.experiment.fits(outcome.results).values()
    assert np.ptp(fit.feature_scores) < 1e-6
    assert fit.duality_gap > 0.0
    # All 12, but for those between neighbours that round-off makes equal.
    groups = fit.feature_ties[fit.feature_order]
    apart = np.diff(groups, prepend=-1, append=12) > 0
    apart[[0, -1]] = False
    n_apart = np.count_nonzero(apart[1:] | apart[:-1])
    assert n_apart >= 9
    words = f"{n_apart} of 12 features in use differ from a neighbour in the order"
    assert words in sentences(outcome)
    assert "a tighter fit may order them otherwise" in sentences(outcome)


@pytest.mark.parametrize(
    ("penalties", "is_proven"), [((0.9995, 0.0), False), ((0.6, 0.4), True), ((0.9, 0.9), True)]
)
def test_the_zero_map_is_called_the_optimum_only_where_that_is_proven(penalties, is_proven):
    """At 0.9995 of its limit W = 0 is within 5e-4 of the optimum, which has rank 1."""
    data = Dataset(load_digits().data / 16, name="digits")
    outcome = run(Fit(*penalties), data)
    (fit,) = outcome.experiment.fits(outcome.results).values()
    assert fit.regime == "zero"
    assert ("the optimum is W = 0" in sentences(outcome)) == is_proven
    assert ("W = 0 is within the proven gap of the optimum" in sentences(outcome)) != is_proven


def test_a_map_that_is_not_proven_to_be_the_identity_says_that_ties_are_open():
    fit = next(iter(_fit(table(np.random.default_rng(1).random((50, 6)))).values()))
    kept = replace(_ordered(fit, np.ones(6)), regime="dense")
    words = _tie_words(kept)
    assert "all 6 features that vary are kept; whether they tie is open" in words


@pytest.mark.parametrize(
    ("ranks", "ahead"),
    [
        ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 5]),
        ([1, 1, 1, 4, 5], [0, 0, 3, 4, 5, 5]),
        ([1, 2, 2, 2, 5], [1, 1, 1, 4, 5, 5]),
        ([1, 1, 1, 1, 1], [0, 0, 0, 0, 5, 5]),
    ],
)
def test_a_cut_inside_a_tie_leaves_what_is_ahead_of_it(ranks, ahead):
    assert [ahead_of_cut(np.array(ranks), k) for k in range(1, 7)] == ahead


def test_features_that_tie_share_a_rank_in_a_table():
    data = table(np.eye(5))
    shown = feature_table(data, [4, 1, 2, 2, 4], {"score": np.arange(5.0)})
    assert shown["name"].tolist() == ["b", "c", "d", "a", "e"]
    assert shown["rank"].tolist() == [1, 2, 2, 4, 4]
    assert shown["n_sharing_rank"].tolist() == [1, 2, 2, 2, 2]


# -- over a grid, and from every start -----------------------------------------------------------


def labelled(data, n_classes=2):
    target = np.arange(data.n_samples) % n_classes
    return replace(data, target=target)


def test_a_grid_scores_no_cut_inside_a_tie(parts):
    grid = Sensitivity(alphas=(0.05,), betas=(0.05,), n_features=3, n_seeds=2, tol=1e-5)
    outcome = run(grid, labelled(parts))
    (point,) = grid.means(outcome.results).to_dict("records")
    assert point["regime"] == "reproduced"
    assert point["no_ranking"] == "tie at the cut"
    assert np.isnan(point["accuracy_mean"])
    assert "1 reproduced" in sentences(outcome)
    assert "depends on the span of the samples alone" in sentences(outcome)
    cells = grid.figure(outcome.results, "rank").data[-1]
    assert "every sample is rebuilt exactly" in cells.hovertext[0]


def test_starts_measure_nothing_of_a_tie(copied):
    starts = Convergence(
        alpha=0.05, beta=0.05, penalty_scale="relative", inits=("diagonal-1",), checkpoints=(3,),
        n_seeds=0, center=True,
    )  # fmt: skip
    tied = {}
    for k in range(1, 8):
        asked = replace(starts, n_features=k)
        outcome = run(asked, copied)
        rows = asked.rows(outcome.results)
        certified = rows[rows["solver"] == "admm"].iloc[0]
        tied[k] = certified["n_tied"]
        assert np.isnan(certified["overlap"]) == (certified["n_tied"] > 0)
        assert ("tie where the best" in asked.warning(outcome.results, copied)) == (tied[k] > 0)
    assert sorted(tied.values()) == [0] * 6 + [2]


def _fit(data):
    outcome: Outcome = run(Fit(alpha=0.05, beta=0.05), data)
    return outcome.experiment.fits(outcome.results)


def _ordered(fit, scores):
    """The same fit with other scores."""
    from cspca.fitted import tie_groups

    order = np.argsort(-scores, kind="stable")
    return replace(
        fit,
        feature_scores=scores,
        signed_scores=scores,
        feature_order=order,
        feature_ties=tie_groups(scores, order),
        regime="dense",
    )


def _tie_words(fit):
    """What is said of ties on the data of these tests."""
    return tie_words(fit, MEASUREMENT_NOUNS)


def test_scores_that_the_tolerance_does_not_tell_apart_are_no_selection():
    """Standardised digits at the defaults: about 50 rows of the optimum have length 1."""
    pixels, digit = load_digits(return_X_y=True)
    data = standardised(Dataset(pixels / 16, digit, name="digits"))
    alone = replace(data, data=data.data[:, data.data.std(axis=0) > 0.0], image_shape=None)
    comparison = Compare(methods=("cspca",), n_features=(20,), n_seeds=1, n_draws=0)
    outcome = run(comparison, alone)
    done = outcome.experiment.comparison(outcome.results, alone)
    assert done.unranked() == {"cspca": "tie within the solver's tolerance"}
    grid = run(Sensitivity(alphas=(0.1,), betas=(0.01,), n_features=20, n_seeds=1), alone)
    assert set(grid.table["no_ranking"]) == {"tie within the solver's tolerance"}
