"""Verdicts on made-up evidence: each claim comes out every way it can."""

import numpy as np
import pytest

from cspca.paper.claims import CLAIMS, Evidence, Verdict, judge, ranks_over
from cspca.selection.registry import METHODS_IN_PAPER

HOLDS, PARTLY, OPEN, FAILS, UNTESTED = Verdict
NOISE = np.random.default_rng(0).normal(0, 0.004, 30)
UNSEEN = {"error_seen": 0.1, "pca_unseen": 0.1, "rank": 3}
HALVES = {"n_halves": 20, "n_features": 1024, "k": 102, "n_always": 324, "n_never": 205,
          "n_sometimes": 495}  # fmt: skip


def runs(mean, noise=NOISE):
    return mean + noise


def evidence(**parts):
    return Evidence("made up", **parts)


def table(**means):
    """Accuracies in per cent; the others 50."""
    return {key: runs(means.get(key, 50.0) / 100) for key in METHODS_IN_PAPER}


def start(init="random", iterations=10, excess=0.0, solver="reweighted", **more):
    values = {"objective": 100.0 * (1 + excess), "duality_gap": 1e-4, "accuracy_mean": 0.5}
    values |= {"rise": 0.0} | more
    return {
        "solver": solver, "init": init, "iterations": iterations, "excess": excess, **values
    }  # fmt: skip


def verdict(key, *given):
    return {assessment.claim.key: assessment for assessment in judge(given)}[key]


def test_without_evidence_nothing_is_claimed():
    for judged in (judge([]), judge([evidence()])):
        assert [assessment.claim for assessment in judged] == list(CLAIMS)
        assert {one.verdict for one in judged} == {UNTESTED}
        assert not any(one.sentence for one in judged)


@pytest.mark.parametrize(
    ("key", "check", "expected"),
    [
        ("theorem-1", {"error": 1e-14, "error_as_printed": 2.0}, HOLDS),
        ("theorem-1", {"error": 0.1, "error_as_printed": 2.0}, FAILS),
        ("unseen", UNSEEN | {"error_unseen": 0.1}, HOLDS),
        ("unseen", UNSEEN | {"error_unseen": 0.7}, PARTLY),
        ("unseen", UNSEEN | {"error_unseen": 1.2}, FAILS),
    ],
)
def test_one_check_decides(key, check, expected):
    assert verdict(key, evidence(checks={key: check})).verdict is expected


@pytest.mark.parametrize(("rise", "expected"), [(0, HOLDS), (1e-4, PARTLY), (0.1, FAILS)])
def test_monotone_descent(rise, expected):
    starts = start(rise=rise), start("diagonal-1")
    assert verdict("monotone", evidence(starts=starts)).verdict is expected


@pytest.mark.parametrize(
    ("key", "iterations", "excesses", "expected"),
    [
        ("optimum", 50, (1e-6, 5e-4), HOLDS),
        ("optimum", 50, (5e-4, 0.004), PARTLY),
        ("optimum", 50, (0.004, 0.005), FAILS),
        ("ten", 10, (1e-4, 5e-4), HOLDS),
        ("ten", 10, (1e-4, 0.3), PARTLY),
        ("ten", 10, (0.004, 0.005), PARTLY),
        ("ten", 10, (0.02, 0.3), FAILS),
    ],
)
def test_the_optimum_is_judged_by_the_longest_runs_and_ten_by_ten(
    key, iterations, excesses, expected
):
    rows = [start(str(i), iterations, excess) for i, excess in enumerate(excesses)]
    others = [start(str(i), 60 - iterations, 0.5) for i in range(2)]
    assert verdict(key, evidence(starts=(*others, *rows))).verdict is expected


@pytest.mark.parametrize(
    ("ours", "certified", "expected"),
    [((100, 100), (99.99, 100), HOLDS), ((100, 120), (99.99, 100), PARTLY),
     ((100, 120), (90, 100), FAILS)],
)  # fmt: skip
def test_independence_of_the_start(ours, certified, expected):
    rows = [start(str(i), objective=float(value)) for i, value in enumerate(ours)]
    rows += [
        start(str(i), 2000, 0.0, "admm", objective=float(value), duality_gap=2e-4)
        for i, value in enumerate(certified)
    ]
    assert verdict("starts", evidence(starts=tuple(rows))).verdict is expected


def test_an_accuracy_that_differs_is_not_the_same_result():
    rows = (
        start("a", accuracy_mean=0.50),
        start("b", accuracy_mean=0.53),
        start("c", 2000, solver="admm"),
    )
    found = verdict("starts", evidence(starts=rows))
    assert found.verdict is PARTLY
    assert "3.0 points" in found.number


@pytest.mark.parametrize(
    ("key", "means", "expected"),
    [
        ("beats", {"cspca": 52}, HOLDS),
        ("beats", {"cspca": 50}, FAILS),
        ("beats", {"cspca": 48}, FAILS),
        ("mcfs-spec", {"mcfs": 52}, HOLDS),
        ("mcfs-spec", {"mcfs": 50}, FAILS),
        ("mcfs-spec", {"mcfs": 48}, FAILS),
        ("selection", {"all": 45}, HOLDS),
        ("selection", {"all": 49.999}, OPEN),
        ("selection", {"all": 50}, FAILS),
        ("selection", {"all": 55}, FAILS),
    ],
)
def test_accuracies_decide_and_the_very_same_runs_are_no_lead(key, means, expected):
    assert verdict(key, evidence(accuracy=table(**means))).verdict is expected


@pytest.mark.parametrize("lead", [1e-4, 1e-17, -1e-4])
def test_a_lead_within_the_luck_of_the_starts_decides_nothing(lead):
    accuracy = table() | {"cspca": runs(0.5 + lead, NOISE[::-1])}
    assert verdict("beats", evidence(accuracy=accuracy)).verdict is OPEN


def test_several_sets_agree_or_it_holds_in_part():
    good, bad = (evidence(accuracy=table(cspca=mean)) for mean in (52, 48))
    assert verdict("beats", good, good).verdict is HOLDS
    assert verdict("beats", good, bad).verdict is PARTLY
    assert verdict("beats", bad, bad).verdict is FAILS
    unsure = evidence(accuracy=table() | {"cspca": runs(0.5001, NOISE[::-1])})
    assert verdict("beats", good, unsure).verdict is PARTLY
    assert verdict("beats", unsure, bad).verdict is FAILS
    assert verdict("beats", unsure, unsure).verdict is OPEN


@pytest.mark.parametrize(("udfs", "place", "expected"), [(52, 1, HOLDS), (48, 7, FAILS)])
def test_udfs_is_held_against_the_rest(udfs, place, expected):
    found = verdict("second", evidence(accuracy=table(udfs=udfs)))
    assert (found.verdict, found.number) == (expected, f"place {place} of 7")


@pytest.mark.parametrize(("number", "expected"), [(6, OPEN), (4, OPEN), (3, FAILS)])
def test_selection_is_open_where_the_luck_of_the_starts_could_decide_it(number, expected):
    unsure = {key: runs(0.5001, NOISE[::-1]) for key in METHODS_IN_PAPER[1 : 1 + number]}
    assert verdict("selection", evidence(accuracy=table() | unsure)).verdict is expected


@pytest.mark.parametrize(
    ("curve", "expected"), [((40, 50, 49), HOLDS), ((50, 49, 48), FAILS), ((50, 50, 50), FAILS)]
)
def test_few_features(curve, expected):
    points = {(1.0, 1.0, k): runs(mean / 100) for k, mean in zip((5, 10, 20), curve, strict=True)}
    found = verdict("few", evidence(points=points))
    assert found.verdict is expected
    # The fewest are never held against themselves, even where they are the best.
    assert "5 features give" in found.sentence
    assert "the best larger number (10)" in found.sentence


@pytest.mark.parametrize(("best", "expected"), [(55, HOLDS), (50, FAILS), (45, FAILS)])
def test_the_best_number_against_all(best, expected):
    points = {(1.0, 1.0, 5): runs(0.3), (1.0, 1.0, 10): runs(best / 100)}
    assert verdict("below", evidence(points=points, accuracy=table())).verdict is expected


@pytest.mark.parametrize(
    ("diagonal", "corner", "expected"), [(0.6, 0.5, HOLDS), (0.5, 0.6, FAILS), (0.5, 0.5, FAILS)]
)
def test_comparable_penalties(diagonal, corner, expected):
    values = (1e-2, 1.0, 1e2)
    points = {(alpha, beta, 10): runs(0.4) for alpha in values for beta in values}
    points |= {(1.0, 1.0, 10): runs(diagonal), (1e-2, 1e2, 10): runs(corner)}
    assert verdict("comparable", evidence(points=points)).verdict is expected


def test_half_a_grid_is_not_judged():
    part = {(1.0, beta, 10): runs(0.5) for beta in (0.1, 1.0, 10.0)}
    part |= {(alpha, 0.1, 10): runs(0.5) for alpha in (0.1, 10.0)}
    assert verdict("comparable", evidence(points=part)).verdict is UNTESTED


@pytest.mark.parametrize(
    ("overlap", "ruined", "expected"),
    [(0.9, 0.69, HOLDS), (0.9, 0.5, PARTLY), (0.5, 0.6, PARTLY), (0.5, 0.4, FAILS)],
)
def test_robustness(overlap, ruined, expected):
    checks = {
        "n_ruined": 5, "n_samples": 50, "overlap": overlap, "pca_overlap": 0.6, "clean": 0.7,
        "ruined": ruined, "pca_clean": 0.7, "pca_ruined": 0.6, "found": 1.0,
    }  # fmt: skip
    found = verdict("robust", evidence(checks={"outliers": checks}))
    assert found.verdict is expected
    # What the norm of a sample finds as well is not shown.
    control = verdict("robust", evidence(checks={"outliers": checks | {"found_by_norm": 1.0}}))
    assert control.verdict is (FAILS if expected is FAILS else OPEN)
    assert "the norm of a sample alone, without any fit, 100 %" in control.sentence


@pytest.mark.parametrize(("exact", "expected"), [(5, PARTLY), (2, PARTLY), (0, FAILS)])
def test_a_hidden_subspace_is_the_other_verdict_on_robustness(exact, expected):
    check = {"n_seeds": 5, "exact": exact, "rank_right": exact, "exact_beyond": 0,
             "pca_degrees": 5.9}  # fmt: skip
    found = verdict("robust-subspace", evidence(checks={"haystack": check}))
    assert found.verdict is expected
    assert found.number == f"exact {exact} of 5 times"


@pytest.mark.parametrize(
    ("kept", "best", "expected"),
    [(0.98, 0.9, HOLDS), (0.9, 0.6, PARTLY), (0.7, 0.9, PARTLY), (0.9, 0.3, FAILS)],
)
def test_halves_say_whether_other_images_select_the_same(kept, best, expected):
    check = HALVES | {
        "kept_index": kept, "kept_low": kept - 0.02, "kept_high": kept + 0.02, "best_index": best,
        "variance_index": 0.8,
    }  # fmt: skip
    found = verdict("halves", evidence(checks={"halves": check}))
    assert found.verdict is expected
    assert found.number == f"index {min(kept, best):.2f}"
    assert (
        "On made up 324 of 1,024 features are kept by all of 20 random halves of the samples, 205 "
        f"by none and 495 by some (α = 0.4 α_max, β = 0.02 β_max): index {kept:.3f}"
    ) in found.sentence
    assert f"The best 102 of the halves: {best:.3f}" in found.sentence


def test_halves_without_a_ranking_are_not_scored():
    check = {"n_halves": 20, "n_features": 30, "k": 3, "n_always": 0, "n_never": 30,
             "n_sometimes": 0}  # fmt: skip
    assert verdict("halves", evidence(checks={"halves": check})).verdict is UNTESTED
    tied = check | {"n_always": 5, "n_never": 20, "n_sometimes": 5, "kept_index": 0.9}
    found = verdict("halves", evidence(checks={"halves": tied}))
    assert found.verdict is HOLDS
    assert "The best 3 have no index" in found.sentence


def test_one_outlier_of_a_large_norm_decides_by_proof_and_the_numbers_stand_beside():
    other = evidence(checks={"haystack": {}})
    assert verdict("robust-norm", evidence()).verdict is UNTESTED
    claim = next(claim for claim in CLAIMS if claim.key == "robust-norm")
    (part,) = claim.decide([other])
    assert part.verdict is FAILS
    check = {
        "n_samples": 60, "clean": 0.7, "pca_clean": 0.71, "pca_all": 0.6, "absolute_all": 0.69,
        "relative_all": 0.05, "absolute_few_place": 1, "absolute_all_place": 60,
    }  # fmt: skip
    (part,) = claim.decide([other, evidence(checks={"large-norm": check})])
    for words in (
        "10 times as far from the mean as usual, is number 1 of 60 by its residual",
        "as far as all samples together, number 60.",
        "capture 69.0 % of the variance of other samples at the same α and β, 5.0 % where",
    ):
        assert words in part.sentence


def test_ranks_need_two_data_sets_with_every_method():
    one = evidence(accuracy=table(cspca=60))
    part = evidence(accuracy={key: runs(0.5) for key in METHODS_IN_PAPER[:3]})
    assert ranks_over([one]) is None
    assert ranks_over([one, part]) is None
    found = ranks_over([one, one, part])
    assert found.methods[0] == "CSPCA"
    assert found.n_data_sets == 2


@pytest.mark.parametrize(
    ("best", "expected", "words"),
    [
        (0.45531, OPEN, "700 (45.5 %) is within 0.05 points of all features (45.5 %)."),
        (0.45451, OPEN, "700 (45.5 %) is within 0.05 points of all features (45.5 %)."),
        (0.45611, HOLDS, "700 (45.6 %) is above all features (45.5 %)."),
    ],
)
def test_a_difference_that_rounds_to_nothing_is_none_in_words(best, expected, words):
    everything = {"all": runs(0.45501, 0 * NOISE)}
    found = verdict(
        "below", evidence(accuracy=everything, points={(1.0, 1.0, 700): runs(best, 0 * NOISE)})
    )
    assert found.verdict is expected
    assert found.sentence.endswith(words)


def test_without_a_ranking_at_one_the_figure_is_not_tested_and_says_why():
    reasons = {(1.0, 1.0, 5): "empty model"}
    alone = evidence(no_ranking=reasons, accuracy=table(), points={(0.1, 1.0, 5): runs(0.5)})
    found = verdict("below", alone)
    assert found.verdict is UNTESTED
    assert found.sentence == "On made up at α = β = 1 there is no ranking: empty model."
    other = evidence(accuracy=table(), points={(1.0, 1.0, 5): runs(0.6)})
    assert verdict("below", alone, other).verdict is verdict("below", other).verdict


def test_pairs_without_a_ranking_are_no_best_pair():
    grid = {(a, b, 5): runs(0.5) for a in (0.01, 1.0, 100.0) for b in (0.01, 1.0, 100.0)}
    del grid[100.0, 100.0, 5]
    found = verdict(
        "comparable", evidence(points=grid, no_ranking={(100.0, 100.0, 5): "empty model"})
    )
    assert found.verdict is not UNTESTED
    assert "1 of its 9 pairs have no ranking" in found.sentence
