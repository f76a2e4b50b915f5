"""What the pages say of a fit is true in every regime, and a link says all of it again."""

import re

import pytest

from cspca import CSPCA
from cspca.datasets import load
from cspca.evaluation.statistics import rank_correlation
from tests.app.conftest import REPOSITORY, result, settled, staged, words


def test_a_link_to_the_known_maps_shows_them_and_one_to_iterations_counts_them(arrive):
    visitor = settled(arrive("explore", data="faces", truth="yes", axis="iteration"))
    assert "Does it find what tells people apart?" in words(visitor)
    assert visitor.session_state["view_axis"] == "iteration"
    assert visitor.query_params["truth"] == "yes"
    plain = settled(arrive("explore", data="faces"))
    assert "Does it find what tells people apart?" not in words(plain)


def test_dense_is_not_said_of_pixels_that_never_vary(arrive):
    visitor = settled(arrive("explore", data="faces", alpha="0.0001", beta="0.01"))
    said = words(visitor)
    assert "Dense: none of the" not in said
    assert "never change" in said or "Sparse:" in said


@pytest.mark.parametrize(("data", "sentence"), [("digits", "Identity"), ("faces", "No penalty")])
def test_without_penalties_there_is_no_ranking(arrive, data, sentence):
    visitor = settled(arrive("explore", data=data, alpha="0", beta="0"))
    assert sentence in words(visitor)


def test_both_solvers_are_measured_against_the_same_bound(arrive):
    visitor = settled(arrive("explore", data="digits", solver="both"))
    assert "Algorithm 1 stands" in words(visitor)
    assert len(staged(visitor)["course"]["lines"]) == 2


def test_a_fit_that_owes_to_others_says_that_its_lines_start_afresh(arrive):
    visitor = settled(arrive("explore", data="digits"))
    assert "these lines start afresh" not in words(visitor)
    visitor.segmented_control(key="view_mode").set_value("keep")
    visitor = settled(visitor.run())
    assert "these lines start afresh" in words(visitor)
    outcome = result(visitor).outcome(load("digits"))
    assert outcome.snippet.startswith("# The fit on the page started from an earlier one; these")
    assert outcome.snippet.endswith(outcome.experiment.snippet(outcome.data))


def test_the_lines_for_algorithm_1_do_as_many_iterations_as_the_page(arrive):
    visitor = settled(arrive("explore", data="digits", solver="reweighted"))
    n_iter = visitor.session_state["last_result"].iterations
    assert any(f"max_iter={n_iter}" in element.value for element in visitor.code)


def test_a_tolerance_is_written_as_a_person_would(arrive):
    visitor = settled(arrive("explore", data="digits", tol="1e-05"))
    assert any("tol=1e-05" in element.value for element in visitor.code)


def test_agreement_is_counted_over_pixels_that_vary():
    assert rank_correlation([1, 2, 3], [10, 20, 30]) == pytest.approx(1.0)
    assert rank_correlation([1, 2, 3], [30, 20, 10]) == pytest.approx(-1.0)
    assert rank_correlation([1, 1, 1], [1, 2, 3]) == 0.0


def test_of_alpha_and_beta_only_theorems_are_promised(arrive):
    """Fewer pixels and a lower rank come on the whole; theory.md §13 has a counterexample."""
    visitor = arrive("explore", data="digits")
    sliders = {one.key: one for one in visitor.select_slider}
    promises = {"fit_alpha": "fewer pixels on the whole", "fit_beta": "lower rank on the whole"}
    for key, promise in promises.items():
        assert promise in sliders[key].label
        assert "never makes that sum larger; on the whole, not always," in sliders[key].help


PROMISE = re.compile(
    r"(fewer (pixels|features|\{[a-z.]*features\})|lower(s the)? rank|sets more features)", re.I
)
"""What a larger penalty does on the whole, and no theorem says that it does."""

GUIDES = ("README.md", "cspca/guide/using.md", "cspca/guide/python.md", "cspca/guide/theory.md")

SURFACES = [
    *(REPOSITORY / name for name in ("README.md", "app.py")),
    *(REPOSITORY / "pages").glob("*.py"),
    *(REPOSITORY / "cspca").rglob("*.py"),
    *(REPOSITORY / "cspca" / "guide").glob("*.md"),
]


def test_no_sentence_promises_fewer_pixels_or_a_lower_rank():
    """Each that says so says that it is so on the whole, or is one of these, of something else."""
    others = (
        # Names of the two terms, each explained by what follows it.
        "- **Fewer pixels**, $",
        "- **Lower rank**, $",
        # What a ValueError says of the data, and a question whose answer is a proximal step.
        "ValueError when `n_features` is no whole number, fewer pixels vary than are",
        "Why does the trace norm lower the rank?",
    )
    promised = []
    for file in SURFACES:
        lines = file.read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            is_comment = file.suffix == ".py" and line.lstrip().startswith("#")
            if PROMISE.search(line) and not is_comment and not any(one in line for one in others):
                around = " ".join(" ".join(lines[max(0, number - 2) : number + 2]).lower().split())
                if "on the whole" not in around:
                    promised.append(f"{file.name}: {line.strip()}")
    assert promised == []


@pytest.mark.parametrize(("data", "feature"), [("digits", "pixel"), ("motion", "feature")])
def test_where_a_map_is_read_it_is_said_what_a_score_says(arrive, data, feature):
    said = words(arrive(data=data))
    assert re.search(rf"{feature}\b[^.]*the map uses it, for itself and for others, at these", said)


def test_the_documentation_says_what_a_score_says():
    texts = [CSPCA.__doc__, *((REPOSITORY / name).read_text("utf-8") for name in GUIDES)]
    for text in texts:
        assert re.search(r"how\s+much\s+the\s+map\s+uses\s", text, re.I)
        assert re.search(r"for\s+itself\s+and\s+for\s+(the\s+)?others", text)
    assert "how much pixel j matters" not in texts[1]


def test_no_sentence_says_that_importance_is_how_hard_a_feature_is_to_rebuild():
    """Two columns that others rebuild stand before one that nothing does (theory.md §14)."""
    wrong = re.compile(
        r"hard(er)?\b[^.]{0,60} to rebuild from the others|irreplaceable|not how much they vary"
    )
    texts = {
        file: " ".join(re.sub(r'["\\n]+', " ", file.read_text("utf-8")).split())
        for file in SURFACES
    }
    assert [file for file, text in texts.items() if wrong.search(text)] == []
