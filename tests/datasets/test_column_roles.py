"""Roles of columns: a catalogue with the roles written down, and each rule with its trap."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from cspca.datasets.files.column_roles import RoleReading, column_roles
from tests.datasets.role_tables import Maker, RoleTable, base_tables, variants

TABLES = list(base_tables())


def read(table: RoleTable, **declared: str) -> dict[str, RoleReading]:
    readings = column_roles(table.columns, table.names, named=table.named, declared=declared)
    return dict(zip(table.names, readings, strict=True))


@cache
def read_variants(table: RoleTable) -> list[tuple[RoleTable, list[RoleReading]]]:
    """The table and its variants, each with what is read of its columns."""
    return [
        (variant, column_roles(variant.columns, variant.names, named=variant.named, declared={}))
        for variant in (table, *variants(table))
    ]


def is_right(reading: RoleReading, roles: frozenset[str]) -> bool:
    among = {reading.role, *reading.alternatives} if reading.confidence == "ask" else {reading.role}
    return bool(among & roles)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.title)
def test_no_role_of_the_catalogue_is_sure_and_wrong(table: RoleTable) -> None:
    for variant, readings in read_variants(table):
        for name, reading, roles in zip(variant.names, readings, variant.roles, strict=True):
            where = f"{variant.title}: {name} is read as {reading}, and is {set(roles)}"
            assert reading.confidence == "likely" or is_right(reading, roles), where
            # Without names some codes cannot be told from a class: that is said, not done.
            assert not variant.named or is_right(reading, roles), where
            assert reading.evidence.endswith((".", "…"))
            assert reading.evidence[0] != " "


def test_most_classes_of_the_catalogue_are_read_without_a_question() -> None:
    assert len(TABLES) >= 80
    counts: Counter[tuple[bool, str]] = Counter()
    for table in TABLES:
        for variant, readings in read_variants(table):
            for reading, roles in zip(readings, variant.roles, strict=True):
                if roles == {"class"}:
                    counts[variant.named, reading.confidence] += reading.role == "class"
    n_named = sum(count for (named, _), count in counts.items() if named)
    assert counts[True, "sure"] >= 0.5 * n_named
    assert counts[True, "sure"] + counts[True, "likely"] >= 0.85 * n_named
    n_bare = sum(count for (named, _), count in counts.items() if not named)
    assert counts[False, "sure"] == 0
    assert counts[False, "likely"] >= 0.6 * n_bare


@pytest.mark.parametrize("table", TABLES[::9], ids=lambda table: table.title)
def test_the_place_of_a_column_changes_nothing(table: RoleTable) -> None:
    readings = read(table)
    order = list(range(len(table.names)))[::-1]
    turned = read(table.ordered("turned", order))
    for name in table.names:
        assert (turned[name].role, turned[name].confidence) == (
            readings[name].role,
            readings[name].confidence,
        )


def test_numbers_and_their_text_read_alike() -> None:
    table = Maker("as text").measures("flow heat mass").add("label", np.arange(80) % 4).done()
    as_numbers = [column.astype(np.float64) for column in table.columns]
    assert column_roles(as_numbers, table.names, named=True, declared={}) == list(
        read(table).values()
    )


def test_a_class_is_sure_by_its_name_only_without_a_rival() -> None:
    maker = Maker("rival").measures("flow heat mass")
    maker.add("species", maker.words("perch", "pike"))
    assert read(maker.done())["species"].confidence == "sure"
    maker.add("outcome", maker.words("yes", "no"))
    readings = read(maker.done())
    assert {readings[name].confidence for name in ("species", "outcome")} == {"ask"}
    assert "species, outcome" in readings["species"].evidence


def test_a_class_of_few_rows_a_value_is_likely() -> None:
    words = Maker("pairs").measures("flow heat").add("class", [f"c{i // 2}" for i in range(80)])
    assert read(words.done())["class"].confidence == "likely"


def test_codes_of_a_class_have_no_gaps() -> None:
    dense = Maker("dense").measures("flow heat").add("label", np.arange(80) % 4)
    gaps = Maker("gaps").measures("flow heat").add("label", np.arange(80) % 4 * 100)
    assert read(dense.done())["label"].confidence == "sure"
    assert read(gaps.done())["label"].confidence == "likely"


def test_y_is_a_class_a_place_or_a_gene() -> None:
    alone = Maker("y").measures("flow heat mass")
    assert read(alone.add("y", alone.codes(0, 3)).done())["y"].role == "class"
    genes = Maker("genes of flies").counts("w y sn ct f")
    assert read(genes.done())["y"].role == "feature"
    place = Maker("map", 100).measures("flow heat mass")
    place.add("x", np.arange(100) % 10).add("y", np.arange(100) // 10)
    assert {read(place.done())[name].role for name in "xy"} == {"place"}


def test_a_grid_is_a_place_unless_there_is_a_third_coordinate() -> None:
    maker = Maker("map of spots", 100).measures("flow heat mass")
    maker.add("x", np.arange(100) % 10).add("y", np.arange(100) // 10)
    assert read(maker.done())["x"].confidence == "sure"
    assert read(maker.measures("z").done())["x"].confidence == "ask"
    few = Maker("map alone", 100).measures("flow")
    few.add("x", np.arange(100) % 10).add("y", np.arange(100) // 10)
    assert read(few.done())["x"].confidence == "ask"


def test_words_that_describe_persons_or_repeat_rarely_are_asked_about() -> None:
    maker = Maker("sexes").measures("flow heat")
    assert read(maker.add("sex", maker.words("F", "M")).done())["sex"].confidence == "ask"
    feeds = Maker("feeds").measures("flow heat").add("feed", [f"f{i // 2}" for i in range(80)])
    assert read(feeds.done())["feed"].confidence == "ask"


def test_whole_numbers_that_tick_are_no_class() -> None:
    ticks = Maker("ticks").measures("flow heat").add("label", np.arange(80) // 2)
    assert read(ticks.done())["label"].confidence == "ask"
    people = Maker("blocks").measures("flow heat").add("label", np.arange(80) // 4)
    assert read(people.done())["label"].role == "class"


def test_a_series_is_never_class_nor_place() -> None:
    flags = Maker("series").measures([f"mz{i}" for i in range(50, 60)])
    flags.add("mz60", np.arange(80) % 2)
    reading = read(flags.done())["mz60"]
    assert (reading.role, reading.confidence) == ("feature", "sure")
    assert read(Maker("four").measures("a1 a2 a3 a4").done())["a1"].confidence == "likely"
    labels = read(Maker("labels").measures([f"label_{i}" for i in range(9)]).done())
    assert labels["label_0"].confidence == "ask"


def test_what_the_file_declares_is_sure() -> None:
    maker = Maker("declared").measures("flow heat mass")
    maker.add("kind", maker.words("a", "b")).add("note", [f"n{i}" for i in range(80)])
    readings = read(maker.done(), kind="text", flow="class", note="meta", heat="feature")
    assert [readings[name].role for name in ("kind", "flow", "note", "heat")] == [
        "text", "target", "name", "feature",
    ]  # fmt: skip
    assert all(readings[name].confidence == "sure" for name in ("kind", "flow", "note", "heat"))


def test_a_declared_role_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="Column flow is declared 'colour': declare one of"):
        read(Maker("wrong").measures("flow heat").done(), flow="colour")


def test_commas_with_two_readings_are_shown() -> None:
    pay = [f"{i + 1},{100 + i}" for i in range(80)]
    reading = read(Maker("pay").measures("flow heat").add("pay", pay).done())["pay"]
    assert (reading.role, reading.confidence) == ("feature", "ask")
    assert "1,100, 2,101, 3,102 …" in reading.evidence


def test_a_clock_rises_in_even_steps_and_has_no_event_beside() -> None:
    def reading(times: object, *, event: bool = False) -> RoleReading:
        maker = Maker("clock").measures("flow heat mass").add("time", times)
        if event:
            maker.add("status", maker.codes(0, 2))
        return read(maker.done())["time"]

    even = np.arange(80) * 0.004
    assert (reading(even).role, reading(even).confidence) == ("clock", "sure")
    assert reading(np.sort(np.random.default_rng(0).exponential(9, 80))).confidence == "likely"
    assert reading(even[::-1]).confidence == "ask"
    beside = reading(even, event=True)
    assert beside.confidence == "ask"
    assert "target" in beside.alternatives


def test_row_numbers_are_names_and_whole_measurements_are_not() -> None:
    def reading(name: str, values: object) -> RoleReading:
        return read(Maker("numbers").measures("flow heat").add(name, values).done())[name]

    assert reading("id", range(80)).confidence == "sure"
    assert reading("rank", range(1, 81)).confidence == "likely"  # perhaps a clock
    assert reading("sample_id", np.arange(80) * 7 + 900).confidence == "sure"
    assert reading("record", np.arange(80) * 7 + 900).confidence == "likely"  # a weak word
    assert reading("id", np.arange(80) // 2).confidence == "ask"
    for trap in ("uric_acid", "humid", "valid"):
        assert reading(trap, np.arange(80) * 7 + 900).role == "feature"


def test_cells_that_name_parts_are_a_split_whatever_the_name() -> None:
    maker = Maker("parts of a study").measures("flow heat")
    maker.add("case", maker.words("Train", "Test")).add("mode", maker.words("train", "bus"))
    readings = read(maker.done())
    assert readings["case"].role == "split"
    assert readings["case"].confidence == "sure"
    assert readings["mode"].role != "split"


def test_a_fold_has_parts_alike() -> None:
    alike = Maker("alike").measures("flow heat").add("fold", np.arange(80) % 5)
    assert read(alike.done())["fold"].confidence == "sure"
    unlike = Maker("unlike").measures("flow heat").add("fold", [0] * 60 + [1] * 15 + [2] * 5)
    assert read(unlike.done())["fold"].confidence == "ask"


def test_columns_add_up_to_one_in_every_row() -> None:
    kinds = np.arange(80) % 3
    maker = Maker("flags").measures("flow heat")
    for code in range(3):
        maker.add(f"class_{code}", (kinds == code).astype(int))
    assert read(maker.done())["class_0"].confidence == "sure"
    maker.columns[2][5] = "1"
    maker.columns[3][5] = maker.columns[4][5] = "1"
    assert read(maker.done())["class_0"].role != "one-hot"


def test_words_among_numbers_are_asked_about_and_kept() -> None:
    cells = [f"{i}.5" for i in range(78)] + ["<0.5", "broken"]
    reading = read(Maker("words").measures("flow heat").add("G2", cells).done())["G2"]
    assert (reading.role, reading.confidence) == ("feature", "ask")
    assert reading.evidence == "2 of its cells are no numbers: <0.5, broken."


def test_persons_with_several_rows_are_a_group() -> None:
    persons = Maker("people").measures("flow heat").add("subject", np.arange(80) // 8)
    reading = read(persons.done())["subject"]
    assert (reading.role, reading.confidence) == ("group", "ask")
    assert "class" in reading.alternatives
    each = Maker("each").measures("flow heat").add("subject", [f"p{i}" for i in range(80)])
    assert read(each.done())["subject"].role == "name"


def test_a_weight_of_bodies_is_a_feature() -> None:
    maker = Maker("weights of rows").measures("flow heat weight sample_weight")
    readings = read(maker.done())
    assert readings["weight"].role == "feature"
    assert readings["sample_weight"].role == "weight"


def test_empty_columns_and_one_word_are_text() -> None:
    maker = Maker("little").measures("flow heat").add("note", [""] * 80).add("unit", ["mg"] * 80)
    readings = read(maker.done())
    assert {readings[name].role for name in ("note", "unit")} == {"text"}


def test_a_table_without_columns_or_rows() -> None:
    assert column_roles([], [], named=True, declared={}) == []
    empty = column_roles([np.array([]), np.array([], dtype=object)], ["a", "b"], named=True,
                         declared={})  # fmt: skip
    assert [reading.role for reading in empty] == ["text", "text"]


def test_wide_tables_are_read_as_blocks() -> None:
    values = np.random.default_rng(0).integers(0, 3, (20_000, 30)).astype(np.float64)
    names = [f"cg{i:08d}" for i in range(20_000)]
    label = np.array(["a", "b", "c"] * 10, dtype=object)
    readings = column_roles([label, *values], ["class", *names], named=True, declared={})
    assert readings[0].role == "class"
    assert {(reading.role, reading.confidence) for reading in readings[1:]} == {("feature", "sure")}


def test_what_is_written_of_samples_does_not_name_them() -> None:
    def role(name: str, texts: str) -> str:
        maker = Maker("texts").measures("flow heat")
        return read(maker.add(name, [texts.format(row) for row in range(80)]).done())[name].role

    assert role("tasting note", "Dark fruit and leather, glass {}.") == "text"
    assert role("name", "Dark fruit and leather, glass {}.") == "name"
    assert role("car", "chevrolet chevelle malibu {}") == "name"
    assert role("car", "toyota corolla 1.6 wagon {}") == "name"
