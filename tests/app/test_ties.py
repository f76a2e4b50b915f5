"""What the pages show of ties, and of maps that rebuild every sample."""

import numpy as np
import pytest

from cspca.datasets import load_file, standardised
from cspca.experiments import predict
from tests.app.conftest import look, result, services, settled, staged, words
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

REPRODUCED = (
    "Every sample is rebuilt exactly: for a given α/β this map depends on the span of the samples "
    "alone, not on how they vary within it. The scale of a feature does count."
)


def arrived(arrive, dataset, page="explore", **address):
    return settled(arrive(page, data=services().library.add(dataset), **address))


def ranks(page):
    return np.frombuffer(staged(page)["ranks"], "<i4").tolist()


@pytest.fixture(scope="module")
def parts():
    """Six parts of a whole, as a table: the columns add up to one."""
    amounts = np.random.default_rng(5).gamma(3, 1, (100, 6)) * [1, 2, 3, 1, 0.5, 5]
    shares = amounts / amounts.sum(axis=1, keepdims=True)
    return load_file(files.csv(shares, list("abcdef")), "parts.csv")


@pytest.fixture(scope="module")
def copied():
    """A table of columns that depend on each other in part, of which the last stands twice."""
    rng = np.random.default_rng(3)
    rows = rng.random((60, 3)) @ rng.random((3, 7)) + 0.2 * rng.random((60, 7))
    return load_file(files.csv(np.c_[rows, rows[:, 6]], list("abcdefgh")), "copied.csv")


def test_explore_says_what_a_map_of_a_dependency_shows(server, arrive, parts):
    page = arrived(arrive, standardised(parts), alpha="0.1", beta="0.01")
    assert result(page).fit.regime == "reproduced"
    assert REPRODUCED in words(page)
    (badge,) = (one for one in page.markdown if "of the optimum (proven)" in one.value)
    assert REPRODUCED in badge.help
    assert "Dense" not in words(page)


def test_explore_lists_no_order_of_features_that_all_tie(server, arrive):
    # Stretched column by column no two tie; of one scale the parts of a whole all do.
    amounts = np.random.default_rng(5).gamma(3, 1, (100, 6)) + 1
    shares = amounts / amounts.sum(axis=1, keepdims=True)
    table = load_file(files.csv(shares, list("abcdef")), "parts.csv")
    page = arrived(arrive, table, alpha="0.1", beta="0.01", tol="1e-05", k="3")
    fit = result(page).fit
    assert set(fit.ranks.tolist()) == {1}, fit.feature_scores
    assert "All 6 features that vary tie" in words(page)
    assert not page.dataframe
    assert staged(page)["top_k"] is None
    assert ranks(page) == [1] * 6


def test_explore_ends_its_list_ahead_of_a_tie_and_names_what_ties(server, arrive, copied):
    page = arrived(arrive, copied, alpha="0.05", beta="0.05", k="8")
    fit = result(page).fit
    place = int(fit.ranks[6])
    assert fit.ranks[7] == place
    listed = page.dataframe[0].value
    assert listed["Rank"].tolist() == sorted(fit.ranks.tolist())
    assert ranks(page) == fit.ranks.tolist()
    page.select_slider(key="view_k").set_value(place)
    settled(look(page))
    said = (
        f"2 features tie at places {place} to {place + 1}: which of them are among the best "
        f"{place} means nothing. They are g and h."
    )
    assert said in words(page)
    shown = page.dataframe[0].value["Feature"].tolist() if page.dataframe else []
    assert len(shown) == place - 1
    assert {"g", "h"}.isdisjoint(shown)
    assert staged(page)["top_k"] == (place - 1 or None)


def test_the_map_of_images_names_no_best_pixel_where_all_tie(arrive):
    page = settled(arrive("explore", data="digits", mode="path", alpha="0.00001"))
    assert "Best pixel" not in staged(page)["picture"]["weights"]["words"]
    page = settled(arrive("explore", data="digits", alpha="0.4", beta="0.02"))
    assert "Best pixel" in staged(page)["picture"]["weights"]["words"]


def test_predict_has_no_best_features_inside_a_tie(server, arrive, copied):
    page = arrived(arrive, copied, "predict", alpha="0.05", beta="0.05")
    fit = result(page).fit
    place = int(fit.ranks[6])
    page.select_slider(key="predict_k").set_value(4)
    key = f"predict_ticked_{copied.sha256[:8]}"
    for count in range(1, 5):
        page.multiselect(key=key).set_value(list(range(count)))
        look(page).button(key="reveal_button").click()
        settled(look(page))
        warned = " ".join(one.value for one in page.warning)
        assert (f"tie at places {place}" in warned) == (count == place), count


def test_variance_chooses_nothing_where_variances_tie():
    rng = np.random.default_rng(0)
    data = standardised(load_file(files.csv(rng.random((60, 9)), list("abcdefghi")), "nine.csv"))
    mask = np.zeros(9, dtype=bool)
    mask[:3] = True
    found = predict.reveal(data, np.arange(9), mask)
    assert found.chosen.keys() == {"yours", "cspca", "chance"}
    first, _ = predict.verdict(found, data.nouns)
    assert "Variance picks no 3: their variances tie where the choice would end." in first
    assert "CSPCA chose on all" in predict.how_measured(found, data.nouns)
