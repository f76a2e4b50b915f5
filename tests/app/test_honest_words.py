"""What the pages say of a fit is true in every regime, and a link says all of it again."""

import pytest

from cspca.ui.pictures import rank_correlation
from tests.app.conftest import settled, words


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


def test_a_fit_that_owes_to_others_says_that_its_lines_start_afresh(arrive):
    visitor = settled(arrive("explore", data="digits"))
    assert "these lines start afresh" not in words(visitor)
    visitor.segmented_control(key="view_mode").set_value("keep")
    visitor = settled(visitor.run())
    assert "these lines start afresh" in words(visitor)


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
