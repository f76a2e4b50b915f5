"""The Theory page: its pictures' numbers against known answers, its lines, its words."""

from __future__ import annotations

import json
import math
import re
from functools import cache

import cvxpy as cp
import numpy as np
import pytest
from sklearn.decomposition import PCA

from cspca import CSPCA
from cspca.datasets import make_faces
from cspca.figures import theory
from cspca.ui import theory_page
from tests.app.conftest import look, question, words

NAMES = [picture.name for picture in theory_page.PICTURES.values()]
BY_NAME = pytest.mark.parametrize("name", NAMES)


@cache
def numbers(name):
    """What a reader has who pastes the lines of a picture into Python."""
    known: dict[str, object] = {}
    exec(theory_page.lines(name), known)
    return known


# -- known answers -------------------------------------------------------------------------------


def test_the_true_family_rebuilds_as_pca_does_and_the_printed_one_does_not():
    n = numbers("regression")
    pca = PCA(n_components=n["k"]).fit(n["faces"])
    rebuilt = pca.inverse_transform(pca.transform(n["faces"])) - n["mean"]
    np.testing.assert_allclose(n["pca"], rebuilt, atol=1e-10)
    assert len(n["errors"]) == len(n["turns"]) * len(n["sizes"])
    assert max(n["apart"].values()) < 1e-12
    for (turn, size), (true, printed) in n["errors"].items():
        assert true == pytest.approx(n["pca_error"], rel=1e-12), (turn, size)
        assert (printed > 1.01 * true) == (size > 0), (turn, size)


def test_the_nearest_point_of_each_ball_is_that_of_a_conic_solver():
    n = numbers("rows")
    balls = {
        "by_rows": lambda W: cp.sum(cp.norm(W, 2, axis=1)),
        "by_entries": lambda W: cp.sum(cp.abs(W)),
        "by_size": lambda W: cp.norm(W, "fro"),
    }
    for i, j in ((13, 4), (9, 12), (3, 2)):
        target, W = n["targets"][i, j], cp.Variable((2, 4))
        for name, norm in balls.items():
            cp.Problem(cp.Minimize(cp.sum_squares(W - target)), [norm(W) <= 1]).solve()
            np.testing.assert_allclose(n[name][i, j], W.value, atol=1e-4)
    # A row is gone exactly where the target's lengths differ by the radius or more.
    x, y = np.meshgrid(n["lengths"], n["lengths"], indexing="ij")
    one_gone = (n["by_rows"] == 0).all(axis=3).sum(axis=2) == 1
    inside = (x > 0) & (y > 0)
    np.testing.assert_array_equal(one_gone[inside], (np.abs(x - y) >= 1)[inside])


def test_one_image_turns_the_axis_of_pca_and_from_some_norm_on_that_of_cspca():
    n = numbers("outlier")
    up, middle = n["up"], list(n["across"]).index(0)
    pca, ours = np.moveaxis(n["turned"][middle], -1, 0)
    near, between, far = np.abs(up) <= 4, (np.abs(up) >= 8) & (np.abs(up) <= 16), np.abs(up) >= 20
    assert pca[near].max() < 20
    assert ours[near].max() < 5
    # First the image gets a direction beside the cloud's, then it takes the place of that.
    assert pca[between | far].min() > 80
    assert (n["rank"][middle, between] == 2).all()
    assert (n["rank"][middle, near | far] == 1).all()
    assert ours[far].min() > 80
    # From there on it is rebuilt, all but exactly, and its influence tells it.
    assert n["error"][middle, between].max() < 5e-4
    assert n["error"][middle, far].max() < 0.02 < 0.5 < n["error"][middle, near].max()
    assert n["influence"][middle, between | far].min() > 0.3
    assert n["influence"][middle, near].max() < 0.3
    i, j = list(n["across"]).index(4), list(up).index(8)
    images = np.vstack([n["cloud"], [4, 8]])
    axis = PCA(1).fit(images).components_[0]
    np.testing.assert_allclose(n["pca"][i, j], np.outer(axis, axis), atol=1e-9)
    text = " ".join(frame["words"] for frame in theory.outlier(n)["frames"])
    for part in ("keeps both directions", "The axis is its own", "by its square in PCA"):
        assert part in text


def test_objective_and_bound_close_in_on_the_optimum_of_another_solver():
    n = numbers("gap")
    assert (np.diff(n["objective"]) <= 0).all()
    assert (np.diff(n["bound"]) >= 0).all()
    assert n["gap"][0] == 1
    assert n["gap"][-1] < 1e-3
    other = CSPCA(alpha=0.1, beta=0.02, tol=1e-5).fit(n["faces"].data)
    assert n["bound"].max() <= other.objective_
    assert other.dual_objective_ <= n["objective"].min()


def test_singular_values_lose_beta_or_all_they_have():
    n = numbers("rank")
    wanted = np.maximum(n["before"] - n["betas"][:, None], 0)
    np.testing.assert_allclose(n["after"], wanted, atol=1e-6)
    assert n["ranks"] == [int((row > 0).sum()) for row in wanted]


def test_the_regimes_come_in_their_order_and_are_certified():
    n = numbers("regimes")
    names = list(dict.fromkeys(fit.regime for fit in n["fits"]))
    assert names == ["identity", "dense", "sparse", "zero"]
    assert max(fit.duality_gap for fit in n["fits"]) <= 1e-3
    faces, penalty = make_faces(20, 20, 8).data, n["penalties"][17]
    alone = CSPCA(alpha=penalty, beta=penalty).fit(faces)
    assert n["fits"][17].objective == pytest.approx(alone.objective_, rel=2e-3)


def test_noise_stands_before_all_signal_at_a_small_beta_and_behind_it_at_a_larger():
    n = numbers("signal")
    np.testing.assert_allclose(n["columns"].var(axis=0), 1)
    is_noise = np.arange(20) >= n["n_signal"]
    correlations = np.abs(np.corrcoef(n["columns"].T) - np.eye(20))
    assert correlations[is_noise].max() < 0.3
    assert correlations[~is_noise].max(axis=1).min() > 0.7
    assert n["betas"][[0, -1]] == pytest.approx([0.01, 0.3])
    for scores in (
        n["scores"][0],
        CSPCA(0.1, 0.01, solver="plain").fit(n["columns"]).feature_scores_,
    ):
        assert scores[is_noise].min() > scores[~is_noise].max()
    for scores in (
        n["scores"][-1],
        CSPCA(0.1, 0.3, solver="plain").fit(n["columns"]).feature_scores_,
    ):
        assert scores[is_noise].max() < scores[~is_noise].min()
    frames = theory_page.scene("signal")["frames"]
    assert "all noise stands before" in frames[0]["words"]
    assert "all noise stands behind" in frames[-1]["words"]


def test_copies_of_the_best_pixel_fall_down_the_order_and_have_more_together():
    n = numbers("copies")
    best, each, together = n["best"], [], []
    for count, scores in zip(n["counts"], n["scores"], strict=True):
        of_pixel = scores[[best, *range(30, len(scores))]]
        assert len(of_pixel) == count
        np.testing.assert_allclose(of_pixel, of_pixel[0], rtol=1e-2)
        each.append(of_pixel.mean())
        together.append(of_pixel.sum())
    assert (np.diff(each) < 0).all()
    assert (np.diff(together) > 0).all()
    words = [frame["words"] for frame in theory_page.scene("copies")["frames"]]
    assert "place 1 of 30" in words[0]
    assert "which are places 24 and 25 of 31" in words[1]


# -- what is drawn -------------------------------------------------------------------------------


@BY_NAME
def test_the_lines_on_the_page_make_the_picture(name):
    """Pasted into Python they give what is drawn, to the last digit that is sent."""
    drawn = theory_page.scene(name)
    assert getattr(theory, name)(numbers(name))["key"] == drawn["key"]
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn
    assert len(drawn["frames"]) == math.prod(len(one["values"]) for one in drawn["knobs"])
    marks = [mark for panel in drawn["panels"] for mark in panel["marks"]]
    moving = sum(mark[2] is None for mark in marks)
    assert {len(frame["put"]) for frame in drawn["frames"]} == {moving}
    (held,) = (panel for panel in drawn["panels"] if panel["follow"])
    for frame in drawn["frames"]:
        assert 0 <= frame["at"][0] <= held["width"]
        assert 0 <= frame["at"][1] <= held["height"]
        assert "nan" not in frame["words"]


def test_each_figure_stands_under_its_question_with_its_derivation_and_its_lines(arrive):
    page = arrive("theory")
    assert question(page) == "Why is it true?"
    assert not page.code
    for number in theory_page.PICTURES:
        page.session_state[f"derivation_{number}"] = True
    look(page)
    assert [code.value for code in page.code] == [theory_page.lines(n).rstrip() for n in NAMES]
    assert [header.value for header in page.header] == [
        picture.question for picture in theory_page.PICTURES.values()
    ]
    # Links to a figure lead to its question.
    anchors = [header.proto.anchor for header in page.header]
    assert anchors == [f"section-{number}" for number in theory_page.PICTURES]
    assert all(f"(#{anchor})" in words(page) for anchor in anchors)
    *folds, _ = page.expander
    for fold, (number, picture) in zip(folds, theory_page.PICTURES.items(), strict=True):
        title, text = theory_page.sections()[number]
        assert fold.label == f"Derivation (section {number}: {title}) and Python"
        assert text.splitlines()[1] in fold.markdown[0].value
        assert fold.code[0].value == theory_page.lines(picture.name).rstrip()


def test_the_rest_of_the_derivation_stands_in_one_box_at_the_end(arrive):
    page = arrive("theory")
    assert not page.subheader
    page.session_state["theory_rest"] = True
    look(page)
    (rest,) = (fold for fold in page.expander if fold.label == "The rest of the derivation")
    others = {
        number: section
        for number, section in theory_page.sections().items()
        if number not in theory_page.PICTURES
    }
    assert [one.value for one in rest.subheader] == [
        f"{number}. {title}" for number, (title, _) in others.items()
    ]
    texts = [markdown.value for markdown in rest.markdown]
    assert "Sections 1 to 4 and 15 are all that an answer rests on" in texts[0]
    for shown, (_, text) in zip(texts[1:], others.values(), strict=True):
        assert text.splitlines()[1] in shown
    # Above the figures stands the problem alone.
    assert "short proofs" not in page.markdown[0].value


@pytest.mark.parametrize(
    ("name", "label"),
    [("rows", "length of row 2"), ("signal", "importance"), ("copies", "importance")],
)
def test_the_name_of_an_upright_axis_stands_above_all_that_is_drawn(name, label):
    named = 0
    for panel in theory_page.scene(name)["panels"]:
        names = [mark[2] for mark in panel["marks"] if mark[0] == "text" and mark[2]]
        heights = [y for _, y, text in names if text == label]
        drawn = [mark[2] for mark in panel["marks"] if mark[0] in ("area", "line") and mark[2]]
        for height in heights:
            assert height < min(y for places in drawn for y in places[1::2])
        named += len(heights)
    assert named


# What a formula is written with, and no name of anything.
WRITTEN = re.findall(
    r"\S+",
    r"""\aligned \bigl \bigr \Bigl \Bigr \cdot \ell \frac \ge \iff \in \lVert \langle \lbrace \le
    \leftarrow \max \min \operatorname \perp \preceq \qquad \quad \rVert \rangle \rbrace \sqrt \sum
    \text \tfrac \top \parallel \mathcal i j k""",
)


@pytest.mark.parametrize("number", theory_page.sections())
def test_every_symbol_of_a_formula_is_explained(number):
    text = theory_page.sections()[number][1]
    shown = theory_page.explained(text, number)
    formulas = re.findall(r"^\$\$\n(.*?)^\$\$\n", text, re.DOTALL | re.MULTILINE)
    under = " ".join(re.findall(r":small\[(.*)\]\n", shown))
    for symbol in {one for formula in formulas for one in theory_page.symbols_of(formula)}:
        if symbol.partition("_")[0] not in WRITTEN or symbol.startswith((r"\rVert_", r"\langle")):
            named = {r"\langle": r"\langle\cdot"}.get(symbol, symbol)
            assert f"{named}$: " in under or f"{named},\\cdot\\rangle$: " in under, symbol
