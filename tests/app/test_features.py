"""A table in use: no page speaks of its features as pixels, and its names are shown as they are."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cspca.datasets import load_file
from cspca.ui import presets, state
from cspca.ui.components import stage
from tests.app.conftest import look, question, services, settled, words
from tests.datasets import files

RNG = np.random.default_rng(0)
# Two things underlie six columns of different units: some columns can stand for the others.
ODD = RNG.random((30, 2)) @ RNG.random((2, 6)) * [1, 10, 100, 1, 10, 100]
NAMES = ["age", "<b>income</b>", "*x*", "height", "w" * 200, "z"]
PICTURE_WORDS = re.compile(r"pixel|image|picture", re.I)


@pytest.fixture(scope="module")
def people():
    return load_file(files.csv(ODD, NAMES), "people.csv")


@pytest.fixture
def table(server, people):
    """The id of a table in the library."""
    return services().library.add(people)


def labels_and_help(visitor):
    found = []
    for kind in ("select_slider", "button_group", "toggle", "button"):
        for element in visitor.get(kind):
            found += [str(getattr(element, part, "") or "") for part in ("label", "help")]
            found += [str(one) for one in getattr(element, "options", [])]
            found.append(str(getattr(element.proto, "help", "")))
    return "\n".join(found)


@pytest.mark.parametrize("mode", ["penalties", "path", "keep"])
def test_explore_speaks_of_features(arrive, table, mode):
    visitor = settled(arrive("explore", data=table, mode=mode, keep="3"))
    kinds = ("title", "caption", "html", "header")
    found = [str(one.value) for kind in kinds for one in getattr(visitor.main, kind)]
    # Lessons are about the sets that they open.
    lessons = {text for lesson in presets.PRESETS for text in (lesson.title, lesson.question)}
    main = "\n".join(text for text in found if "<style" not in text and text not in lessons)
    assert not PICTURE_WORDS.search(main), main
    assert "The higher the score of a feature, the more the map uses it" in main
    said = "\n".join(set(labels_and_help(visitor).splitlines()) - lessons)
    assert not PICTURE_WORDS.search(said), said
    assert "Highlight the best k features" in said


def test_the_best_features_are_listed_by_name(arrive, table, people):
    visitor = settled(arrive("explore", data=table, k="6", alpha="0.5"))
    assert "Which features are best?" in words(visitor)
    listed = visitor.dataframe[0].value
    fit = visitor.session_state["last_result"].fit
    names = people.feature_names
    in_use = fit.feature_order[: fit.n_kept]
    assert listed["Feature"].tolist() == [names[number] for number in in_use]
    assert listed["Rank"].tolist() == [1, 2, 3]
    assert "The best 6 are the 3 features in use." in words(visitor)
    free = settled(arrive("explore", data=table, k="6", alpha="0", beta="0"))
    assert "No penalty: every sample is rebuilt exactly, and by more than one W" in words(free)
    assert not free.dataframe


def test_any_feature_is_found_by_a_part_of_its_name(arrive, table, people):
    visitor = settled(arrive("explore", data=table, k="2", alpha="0.5"))
    assert len(visitor.dataframe[0].value) == 2

    def search(text):
        fields = visitor.text_input
        next(field for field in fields if field.label == "Find features by name").set_value(text)
        return settled(look(visitor))

    visitor = search("E")
    fit = visitor.session_state["last_result"].fit
    names = [people.feature_names[number] for number in fit.feature_order]
    expected = [name for name in names if "e" in name.lower()]
    assert len(expected) == 3
    assert visitor.dataframe[0].value["Feature"].tolist() == expected
    assert "3 of 6 names contain “E”." in words(visitor)
    visitor = search("nothing such")
    assert "0 of 6 names contain “nothing such”." in words(visitor)
    assert not visitor.dataframe


def test_the_first_page_asks_which_features_matter(arrive, table):
    visitor = settled(arrive(data=table))
    assert question(visitor) == "Which features matter?"
    assert "The higher the score of a feature" in words(visitor)
    assert question(settled(arrive())) == "Which pixels matter?"


def test_the_lines_of_python_name_the_file_and_where_to_put_it(arrive, table):
    visitor = settled(arrive("explore", data=table))
    assert any("load_file('people.csv')" in one.value for one in visitor.code)
    assert "Run them in a folder that holds people.csv." in words(visitor)


def test_bars_have_the_names_of_the_features_cut_when_long():
    scores = np.arange(6.0)
    sent = stage.payload(scores, None, names=stage.short_names(NAMES))
    assert sent["names"][1] == "<b>income</b>"
    assert len(sent["names"][4]) == stage.LONGEST_NAME
    assert sent["description"] == (
        "Importance of 6 features: 1 is exactly zero; the strongest, z, has 5."
    )
    assert stage.payload(scores, (2, 3), names=NAMES)["names"] is None
    assert stage.short_names([""] * (stage.MOST_NAMED + 1)) is None
    many = stage.short_names(["n" * 60] * stage.MOST_NAMED)
    assert many is not None
    assert sum(map(len, many)) <= stage.MOST_CHARACTERS
    for values, what in ((np.full(6, np.nan), "no scores yet"), (np.zeros(6), "is exactly zero"),
                         (np.ones(6), "all features tie")):  # fmt: skip
        assert what in stage.payload(values, None)["description"]


@pytest.mark.parametrize("n_columns", [3, 10])
def test_a_table_of_unrelated_columns_starts_where_there_is_a_ranking(arrive, n_columns):
    rows = np.random.default_rng(1).normal(size=(80, n_columns))
    unrelated = load_file(files.csv(rows, list("abcdefghij")[:n_columns]), "noise.csv")
    visitor = settled(arrive("explore", data=services().library.add(unrelated)))
    scores = visitor.session_state["last_result"].fit.feature_scores
    assert scores.max() > 1.1 * scores.min()
    assert "W = I" not in words(visitor)
    assert len(visitor.dataframe[0].value) == round(n_columns / 2)


def test_a_table_whose_columns_tell_of_each_other_starts_as_pictures_do(table):
    dataset = services().library.get(table)
    start = state.start_of(dataset, table)
    assert (start.alpha, start.beta) == (0.4, 0.02)


@pytest.mark.parametrize(("data", "one"), [("digits", "pixel"), (None, "feature")])
def test_the_score_curve_counts_what_the_data_consist_of(arrive, table, data, one):
    visitor = settled(arrive("explore", data=data or table))
    (curve,) = visitor.get("plotly_chart")
    assert "How fast does importance fall off?" in words(visitor)
    assert f"{one.capitalize()}s, best first" in curve.proto.spec
