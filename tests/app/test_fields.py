"""A number that cannot be taken is answered: which was asked for, and which is used."""

import pytest

from tests.app.conftest import look, settled


def corrections(visitor):
    return [caption.value for caption in visitor.caption if "was asked for" in caption.value]


BEYOND = {
    "compare": [
        ("n_seeds", 500, 200, "500 was asked for; 200 is the most here"),
        ("n_clusters", 1, 2, "1 was asked for; 2 is the least here"),
    ],
    "sensitivity": [("n_features", 65, 64, "65 was asked for; 64 is the most here")],
    "convergence": [("n_seeds", 5000, 100, "5,000 was asked for; 100 is the most here")],
}


@pytest.mark.parametrize("page", BEYOND)
def test_a_number_beyond_its_bounds_is_the_bound_and_said(arrive, page):
    visitor = arrive(page, data="digits")
    for name, asked, used, sentence in BEYOND[page]:
        key = f"{page}_{name}"
        visitor.number_input(key=key).set_value(asked)
        look(visitor)
        assert visitor.session_state[key] == used
        assert len(corrections(visitor)) == 1
        assert sentence in corrections(visitor)[0]
        # It stays until there is another number.
        assert corrections(look(visitor))
        visitor.number_input(key=key).set_value(used - 1 if used > 2 else 3)
        assert not corrections(look(visitor))


def test_an_emptied_number_is_as_usual_or_nothing(arrive):
    visitor = arrive("compare", data="digits")
    visitor.number_input(key="compare_n_clusters").set_value(7)
    assert look(visitor).session_state["compare_n_clusters"] == 7
    visitor.number_input(key="compare_n_clusters").set_value(None)
    assert look(visitor).session_state["compare_n_clusters"] is None
    visitor.number_input(key="compare_n_seeds").set_value(None)
    assert look(visitor).session_state["compare_n_seeds"] == 30
    assert not corrections(visitor)


def test_a_penalty_of_the_formula_beyond_its_end_is_the_end_and_said(arrive):
    visitor = look(settled(arrive("explore", data="digits")))
    (key,) = (one.key for one in visitor.number_input if one.key.startswith("formula_alpha"))
    visitor.number_input(key=key).set_value(1e9)
    look(visitor)
    assert visitor.session_state["fit_alpha"] == 1.0
    assert any("1e+09 was asked for" in one.value for one in visitor.error)


def test_a_correction_is_forgotten_with_the_next_number(arrive):
    visitor = arrive("compare", data="digits")
    for number in (500, 20, 200):
        visitor.number_input(key="compare_n_seeds").set_value(number)
        look(visitor)
    assert visitor.session_state["compare_n_seeds"] == 200
    assert not corrections(visitor)


def test_a_number_that_a_field_shows_rounded_moves_no_slider(arrive):
    """A slow browser reports what it was shown when the slider has long been elsewhere."""
    visitor = arrive("explore", data="faces", alpha="0.1", beta="0.0125")
    (field,) = (one for one in visitor.number_input if one.key.startswith("formula_beta"))
    field.set_value(float(field.value) * (1.0 + 1e-9)).run()
    assert visitor.session_state["fit_beta"] == 0.0125
