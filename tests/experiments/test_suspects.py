"""Who the outliers are: a hidden subspace with its window of β, and ruined images."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import load, make_faces
from cspca.evaluation.outliers import SCORES
from cspca.experiments import suspects
from cspca.experiments.suspects import BETAS, JUDGES, SEARCHERS, Haystack, Judgement, Planted


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

    def searched_by(method, *how):
        asked.append(method)
        return real(method, *how)

    real = suspects.searched
    monkeypatch.setattr(suspects, "searched", searched_by)
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
    assert "norms are not equal" in suspects.verdict(uneven)[1]


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
    assert "the norm of the image alone" in suspects.comparison(now)[0]
    # Of pictures that were not touched the error is given, and that of a fit without the others.
    row = now.found["cspca"].numbers["residual"]
    assert 0.0 < row["clean_error_alone"] <= row["clean_error"] < 1.0


def test_one_wrong_image_has_a_place_by_every_method(faces):
    found = []
    suspects.judge(Planted(components=5), faces, None, never, found.append)
    now = found[-1]
    (wrong,) = np.flatnonzero(now.scene.outlier)
    assert suspects.comparison(found[0]) == []
    residuals = now.found["pca"].residuals
    place = 1 + np.count_nonzero(residuals > residuals[wrong])
    assert suspects.places(now, "pca")["residual"] == place
    assert set(suspects.places(now, "norm")) == {"norm"}
    first = suspects.comparison(now)[0]
    assert first.startswith("**One of 30 images is wrong.**")
    assert f"PCA puts it at place {place}; " in first


def _said(**aucs):
    """What is said where the methods have these (low, AUC, high) by residual, the norm by norm."""
    found = {
        name: SimpleNamespace(
            numbers={
                "norm" if name == "norm" else "residual": dict(
                    zip(("auc_low", "auc", "auc_high"), one, strict=True)
                )
            }
        )
        for name, one in aucs.items()
    }
    scene = SimpleNamespace(outlier=np.array([True, True, False]))
    return suspects.comparison(Judgement(Planted(), None, scene, found))


def test_nobody_is_ahead_by_less_than_the_intervals():
    """No crown for chance, nor for one of several that rank alike."""
    chance = _said(norm=(0.47, 0.55, 0.62), cspca=(0.41, 0.49, 0.57), pca=(0.39, 0.47, 0.55))
    assert chance == [
        "By residual no method tells the wrong ones: **CSPCA** ranks best (AUC 0.490), and chance, "
        "0.5, is within the interval; the norm of the image alone, no method at all, has 0.550.",
        "CSPCA (0.490) and PCA (0.470) are within each other’s intervals.",
    ]
    alike = _said(norm=(0.7, 0.8, 0.9), fms=(0.98, 1.0, 1.0), op=(0.98, 1.0, 1.0))
    assert alike == [
        "By residual **FMS and Outlier pursuit** rank best (AUC 1.000), ahead of the norm of the "
        "image alone, no method at all, which has 0.800."
    ]
    dark = _said(norm=(0.1, 0.2, 0.3), cspca=(0.6, 0.7, 0.8), pca=(0.92, 0.95, 1.0))
    assert dark == [
        "By residual **PCA** ranks best (AUC 0.950), ahead of the norm of the image alone, no "
        "method at all, which has 0.800 (small norms first).",
        "CSPCA (0.700) is behind PCA (0.950).",
    ]
    many = dict.fromkeys(("pca", "fms", "op", "pcp"), (0.98, 1.0, 1.0))
    assert _said(norm=(0.7, 0.8, 0.9), **many)[0].startswith("By residual **4 methods** rank best")
    level = _said(norm=(0.7, 0.8, 0.9), cspca=(0.75, 0.85, 0.95))
    assert level[0].startswith("By residual **CSPCA** ranks best (AUC 0.850), but not by more than")


def test_what_is_taken_along_is_what_the_experiment_finds():
    faces = load("faces")
    found = []
    asked = Planted(wrong="swapped", share=0.2, components=5, most=30)
    suspects.judge(asked, faces, None, never, found.append)
    outcome = found[-1].outcome()
    known = {}
    exec(outcome.snippet.removesuffix("print(outcome)"), known)
    again = known["outcome"].table.drop(columns="seconds")
    ours = outcome.table.drop(columns="seconds")
    pd.testing.assert_frame_equal(ours, again, check_like=True)
    pictures = found[-1].ranking()
    assert len(pictures) == 30
    assert pictures["wrong"].sum() == 6
    np.testing.assert_array_equal(pictures["pca"], found[-1].found["pca"].residuals)
