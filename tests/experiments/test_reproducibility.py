"""Known answers, a plain loop, and halves that have no ranking to be reproduced."""

import json
from dataclasses import replace

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import Dataset, load, load_file, make_faces
from cspca.evaluation.halves import draw_halvings, sample_groups
from cspca.evaluation.reproducibility import selection_reproducibility
from cspca.experiments import Reproducibility, run
from cspca.experiments.exports import npz
from cspca.experiments.fit import proven
from cspca.experiments.records import Described, describe
from cspca.experiments.reproducibility import Certainty, HalfFits


def data_of(X, target=None):
    return Dataset(np.asarray(X, dtype=np.float64), target, name="samples")


@pytest.fixture(scope="module")
def small():
    return make_faces(n_people=6, n_per_person=8, image_size=8)


def fits_of(outcome):
    return outcome.experiment.fits(outcome.results, outcome.data)


@pytest.mark.slow
def test_rendered_faces_have_the_known_answer():
    outcome = run(Reproducibility(beta=0.02, n_features=100), load("faces"))
    kept, best = fits_of(outcome).kept, fits_of(outcome).best
    assert kept.n_halves == best.n_halves == 50
    assert kept.index.difference == pytest.approx(0.947, abs=0.03)
    assert best.index.difference == pytest.approx(0.733, abs=0.03)
    assert (kept.n_always, kept.n_never) == (pytest.approx(419, abs=15), pytest.approx(494, abs=15))
    assert kept.size == pytest.approx(469, abs=3)
    text = str(outcome)
    assert "at most 12.2 are expected" in text
    assert "at most 4.5 if the number of pairs" in text
    assert "not that they are the right ones" in text


def test_digits_have_the_known_answer():
    outcome = run(Reproducibility(alpha=0.4, beta=0.02, n_features=20), load("digits"))
    kept, best = fits_of(outcome).kept, fits_of(outcome).best
    assert (kept.n_always, kept.n_never, kept.n_sometimes) == (29, 31, 4)
    assert kept.index.difference == pytest.approx(0.961, abs=0.03)
    assert best.index.difference == pytest.approx(0.959, abs=0.03)
    # Pixels that never vary raise the index, and by how much is said.
    digits = load("digits")
    varies = np.ptp(digits.data, axis=0) > 0
    alone = selection_reproducibility(kept.selected[:, varies]).difference
    assert alone < kept.index.difference
    note = outcome.experiment.printed(outcome.results, digits)["How far halves agree"].attrs["note"]
    assert "3 pixels with one value in all images can never be selected" in note
    assert f"Without them it is {alone:.3f}, of the best 20 " in note


@pytest.mark.slow
@pytest.mark.real_data
def test_on_orl_nearly_half_of_the_pixels_are_sometimes_kept(shared_data):
    orl = load_file(shared_data("ORL.mat"))
    outcome = run(Reproducibility(alpha=0.4, beta=0.02, n_features=100, n_pairs=10), orl)
    kept = fits_of(outcome).kept
    assert kept.index.difference == pytest.approx(0.690, abs=0.03)
    assert fits_of(outcome).best.index.difference == pytest.approx(0.598, abs=0.03)
    assert 430 <= kept.n_sometimes <= 540


@pytest.mark.parametrize("scale", ["relative", "absolute"])
def test_a_plain_loop_gives_the_same(small, scale):
    whole = CSPCA(0.3, 0.05).fit(small.data)
    penalties = {"alpha": 0.3, "beta": 0.05}
    if scale == "absolute":
        penalties = {"alpha": whole.alpha_, "beta": whole.beta_}
    asked = Reproducibility(**penalties, penalty_scale=scale, n_pairs=3, random_state=7)
    fits = fits_of(run(asked, small))
    groups = sample_groups(small.data).numbers
    scores = [
        CSPCA(0.3, 0.05).fit(small.data[np.sort(rows)]).feature_scores_
        for halving in draw_halvings(groups, random_state=7, n_halvings=3)
        for rows in halving.rows
    ]
    np.testing.assert_allclose(fits.scores, scores, atol=1e-9)
    np.testing.assert_array_equal(fits.kept.frequency, np.mean(np.array(scores) != 0, axis=0))
    best = np.argsort(-np.array(scores), axis=1)[:, :6]
    np.testing.assert_array_equal(fits.best.frequency, np.bincount(best.ravel(), minlength=64) / 6)


def test_halves_of_a_pair_share_nothing_and_groups_stay_together(small):
    groups = np.repeat(np.arange(12), 4)
    asked = Reproducibility(n_pairs=2, groups=tuple(groups))
    copies = asked.together(small)
    assert copies.explicit
    for halving in draw_halvings(copies.numbers, n_halvings=2):
        first, second = (set(groups[rows]) for rows in halving.rows)
        assert not first & second
    assert "complementary pairs of whole groups" in asked.protocol(small)


def test_labels_have_no_part(small):
    bare = data_of(small.data)
    asked = Reproducibility(n_pairs=2)
    with_labels, without = fits_of(run(asked, small)), fits_of(run(asked, bare))
    np.testing.assert_array_equal(with_labels.scores, without.scores)


def test_another_k_or_threshold_asks_for_no_other_fit(small):
    one, other = Reproducibility(n_pairs=2), Reproducibility(n_pairs=2, n_features=9, threshold=0.6)
    assert list(one.cells(small)) == list(other.cells(small))
    assert one.best_k(small) == 6
    assert Reproducibility(n_features=900).best_k(small) == 64


@pytest.mark.parametrize(
    ("penalties", "words"),
    [
        (
            {"alpha": 1.0, "beta": 0.5},
            "On 4 of 4 halves W = 0 keeps no pixel. These have no best 6",
        ),
        ({"alpha": 0.0, "beta": 0.0}, "that could be reproduced"),
    ],
)
def test_what_has_no_ranking_is_said_and_not_scored(small, penalties, words):
    outcome = run(Reproducibility(**penalties, n_pairs=2), small)
    assert fits_of(outcome).best is None
    assert words in str(outcome)
    assert "Best 6" not in outcome.printed["How far halves agree"]["Selected"].tolist()
    assert outcome.tables["Features"]["share_best_6"].isna().all()


def test_a_map_that_reproduces_every_image_has_no_ranking():
    X = np.random.default_rng(0).random((16, 40))
    outcome = run(Reproducibility(alpha=1e-5, beta=1e-5, n_pairs=1), data_of(X))
    assert set(fits_of(outcome).obstacles) == {"reproduced"}
    assert "every sample is rebuilt exactly" in str(outcome)


def test_halves_need_four_samples_each(small):
    with pytest.raises(ValueError, match="at least 4 different samples, and the data have 7"):
        run(Reproducibility(), data_of(small.data[:7]))
    copies = np.repeat(small.data[:6], 4, axis=0)
    with pytest.raises(ValueError, match="at least 4 different samples, and the data have 6"):
        run(Reproducibility(), data_of(copies))
    groups = tuple(np.repeat(np.arange(6), 8))
    with pytest.raises(ValueError, match="at least 4 groups, and the data have 6"):
        run(Reproducibility(groups=groups), small)


def test_a_half_without_variation_is_one_sentence():
    X = np.zeros((9, 5))
    X[:2] = np.outer([0.1, 0.2], np.arange(5))
    outcome = run(Reproducibility(n_pairs=1, groups=(0, 0, 1, 2, 3, 4, 5, 6, 7)), data_of(X))
    (sentence,) = outcome.failures.values()
    assert "All samples of a half of pair 1 are the same" in sentence
    assert "\n" not in sentence


def test_copies_and_small_classes_are_said(small):
    X = np.vstack([small.data, small.data[:3]])
    target = np.array([0] * 49 + [1] * 2)
    outcome = run(Reproducibility(n_pairs=1), data_of(X, target))
    text = str(outcome)
    assert "3 of 51 samples are copies of others" in text
    assert "the smallest class has 2 samples: some halves may have none of it" in text


def test_tables_figures_and_arrays_say_the_same(small):
    outcome = run(Reproducibility(n_pairs=3), small)
    table = outcome.tables["Features"]
    assert len(table) == 64
    assert (np.diff(table["share_best_6"]) <= 0).all()
    at = table.sort_values("feature_from_0")
    fits = fits_of(outcome)
    np.testing.assert_array_equal(at["share_not_zero"], fits.kept.frequency)
    np.testing.assert_allclose(at["score_std"], fits.scores.std(axis=0, ddof=1))
    assert list(outcome.experiment.keyed_figures(outcome.results, small)) == [
        "kept",
        "best",
        "sometimes",
    ]
    for figure in outcome.figures(dark=True).values():
        json.loads(figure.to_json())
    assert npz(outcome)
    bare = run(Reproducibility(n_pairs=3), data_of(small.data))
    assert len(bare.figures()) == 3


def test_groups_that_leave_a_half_too_few_are_one_sentence(small):
    groups = tuple([0] * 41 + list(range(1, 8)))
    outcome = run(Reproducibility(n_pairs=4, groups=groups), small)
    assert outcome.failures
    for sentence in outcome.failures.values():
        assert "groups, and at least 4 are needed: the groups differ too much" in sentence


def test_where_some_halves_have_no_best_k_no_bound_is_given():
    ranks = np.tile(np.arange(1, 11), (10, 1))
    ranks[0] = 1
    fits = HalfFits(np.ones((10, 10)), ranks, ("sparse",) * 10, 3)
    assert fits.obstacles.count("tie") == 1
    words = Reproducibility(n_features=3)._best_words(fits, fits.best, data_of(np.eye(10)))
    assert "of the 9 halves that have a best 3" in words[-1]
    assert "No bound is given: it needs the best 3 of both halves" in words[-1]


def test_with_absolute_penalties_the_paper_is_told_what_the_halves_were_fitted_at(small):
    absolute = Reproducibility(alpha=2.0, beta=1.0, penalty_scale="absolute")
    assert "the fractions of each half's own limits that α = 2 and β = 1 are" in absolute.protocol(
        small
    )


def test_every_feature_is_proven_reproducible_both_or_neither():
    frequency = np.array([1.0, 0.9, 0.5, 0.1, 0.0, 0.0, 0.4, 1.0])
    ceilings = np.array([np.inf, np.inf, 50.0, np.inf, 4.0, np.inf, 5.0, 3.0])
    certainty = Certainty(frequency, ceilings, 5.0, 0.9)
    assert certainty.classes.tolist() == [1, 1, 0, 1, 3, 1, 2, 2]
    words = certainty.words(load("digits").nouns)
    assert (
        "Of 8 pixels 1 are proven and reproducible: in every optimum of these images their score "
        "is at most 5 % of the best, and at least 90 % of the halves leave them out. 2 are only "
        "proven; 4 only reproducible, of which at least 90 % of the halves keep 2 and leave out 2; "
        "1 are neither."
    ) in words
    assert "leave them out (1 of them never vary). 2" in certainty.words(load("digits").nouns, 1)
    # With every half asked, one that a tenth keeps is reproducible no more.
    assert Certainty(frequency, ceilings, 5.0, 1.0).classes.tolist() == [1, 0, 0, 0, 3, 1, 2, 2]


def test_proven_features_are_those_whose_ceiling_holds_in_a_tighter_fit(small):
    model = CSPCA(0.3, 0.05, tol=1e-5).fit(small.data)
    ceilings, share, _ = proven(model.fit_, small.nouns)
    certainty = Certainty(np.zeros(64), ceilings, share, 0.9)
    assert certainty.is_proven.any()
    tighter = CSPCA(0.3, 0.05, tol=1e-7, max_iter=20_000).fit(small.data)
    best = model.feature_scores_.max()
    assert (tighter.feature_scores_[certainty.is_proven] <= share / 100 * best).all()


@pytest.mark.parametrize(
    "groups", [(), tuple(np.repeat(np.arange(12), 4))], ids=["alone", "groups"]
)
def test_without_the_data_a_run_is_still_read(small, groups):
    """On Runs there is a description alone of data that are not kept."""
    outcome = run(Reproducibility(n_pairs=5, groups=groups), small)
    read = replace(outcome, data=Described.read(describe(small)))
    assert read.cells == outcome.cells
    assert [one.numbers for one in read.findings] == [one.numbers for one in outcome.findings]
    assert "How far halves agree" in read.printed
    assert "complementary pairs" in read.experiment.protocol(read.data)
