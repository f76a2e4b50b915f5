"""Who the outliers are: a haystack with its window of β, and pictures of which some are wrong."""

import numpy as np
import pytest

from cspca.datasets import load, make_faces
from cspca.evaluation.outliers import SCORES
from cspca.experiments import suspects
from cspca.experiments.suspects import BETAS, JUDGES, SEARCHERS, Haystack, Planted


def never():
    return False


def searched(asked):
    found = []
    suspects.search(asked, never, found.append)
    assert [one.complete for one in found] == [False, True]
    return found[-1]


@pytest.fixture
def faces():
    return make_faces(n_people=5, n_per_person=6, image_size=12, random_state=1)


def test_in_the_usual_haystack_cspca_is_exact_in_a_window_and_pca_is_not():
    now = searched(Haystack())
    assert tuple(now.found) == SEARCHERS
    assert now.found["cspca"].exact
    assert now.found["cspca"].rank == 5
    assert 3.0 < now.found["pca"].degrees < 10.0
    assert now.found["fms"].exact
    # AUC hides it: both rank perfectly.
    assert now.found["pca"].aucs["residual"] == now.found["cspca"].aucs["residual"] == 1.0
    assert now.window[0.5].exact
    assert not now.window[0.9].exact
    assert list(now.window) == sorted(BETAS)
    first, second = suspects.verdict(now)
    assert first.startswith("**Exact.**")
    assert "and its rank, 5" in first
    assert f"off by {suspects.angle(now.found['pca'])}" in first
    assert "0.5" in second or "0.3 to 0.7" in second


def test_at_another_beta_only_cspca_is_asked_again(monkeypatch):
    searched(Haystack(seed=1))
    asked = []

    def explain(method, X, told):
        asked.append(method)
        return real(method, X, told)

    real = suspects.explain
    monkeypatch.setattr(suspects, "explain", explain)
    searched(Haystack(seed=1, beta=0.55))
    assert set(asked) == {"cspca", "squared"}
    asked.clear()
    searched(Haystack(seed=1))
    assert not asked


def test_where_it_is_not_exact_the_sentence_says_so():
    now = searched(Haystack(beta=0.9))
    assert suspects.verdict(now)[0].startswith("**Not exact.**")
    uneven = searched(Haystack(share=0.75, equal_energy=False))
    assert not any(one.exact for one in uneven.window.values())
    assert "energies are not equal" in suspects.verdict(uneven)[1]


def test_without_outliers_there_is_no_ranking_and_both_are_exact():
    now = searched(Haystack(share=0.0))
    assert not now.found["cspca"].aucs
    assert "so does PCA" in suspects.verdict(now)[0]


def test_the_lines_of_python_give_what_the_page_shows(capsys):
    asked = Haystack(share=0.3, rank=3, n_features=20, beta=0.4, seed=7)
    exec(asked.snippet, {})
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    for name, sine, rank in said:
        found = asked.ask(name)
        assert (float(sine), int(rank)) == (found.sine, found.rank)
    assert [name for name, *_ in said] == ["cspca", "pca"]


def test_of_several_haystacks_all_are_exact_in_the_window_and_none_beyond():
    found = suspects.exact_in_its_window(3)
    assert found["exact"] == found["rank_right"] == found["n_seeds"] == 3
    assert found["exact_beyond"] == 0
    assert 3.0 < found["pca_degrees"] < 12.0


def test_a_stop_ends_it():
    found = []
    suspects.search(Haystack(seed=2), lambda: True, found.append)
    assert found == []


def test_ruined_pictures_are_ranked_beside_the_norm_with_intervals(faces):
    found = []
    asked = Planted(share=0.2, components=5)
    suspects.judge(asked, faces, None, never, found.append)
    assert [len(one.found) for one in found] == list(range(1, len(JUDGES) + 1))
    now = found[-1]
    assert now.scene.outlier.sum() == 6
    for name, one in now.found.items():
        for score, row in one.numbers.items():
            assert row["auc_low"] <= row["auc"] <= row["auc_high"]
            assert one.scores(now.scene, score).shape == (30,)
        assert set(one.numbers) == ({"norm"} if name == "norm" else set(SCORES))
    assert now.found["pca"].curve(now.scene, "residual").recall[-1] == 1.0
    assert "the norm of the picture alone" in suspects.comparison(now)[0]
    # Of pictures that were not touched the error is given, and that of a fit without the others.
    row = now.found["cspca"].numbers["residual"]
    assert 0.0 < row["clean_error_alone"] <= row["clean_error"] < 1.0


def test_of_large_sets_some_pictures_take_part():
    digits = load("digits")
    some = suspects.fewer(digits)
    assert some.n_samples == suspects.MOST_PICTURES
    assert np.array_equal(some.data[[0, -1]], digits.data[[0, -1]])
    assert suspects.fewer(some) is some
