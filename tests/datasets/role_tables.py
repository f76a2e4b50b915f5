"""Made tables with the roles of their columns written down, and variants of each.

A role is written for each column; ``|`` stands between roles that a person may as well give.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

Cells = np.ndarray


@dataclass(frozen=True, eq=False)
class RoleTable:
    """A table as cells of text, and the true roles of its columns."""

    title: str
    names: list[str]
    columns: list[Cells]
    roles: list[frozenset[str]]
    named: bool = True

    def ordered(self, title: str, order: list[int]) -> RoleTable:
        return replace(
            self,
            title=f"{self.title}, {title}",
            names=[self.names[place] for place in order],
            columns=[self.columns[place] for place in order],
            roles=[self.roles[place] for place in order],
        )


class Maker:
    """Columns of one table, with a generator of its own."""

    def __init__(self, title: str, n_rows: int = 80) -> None:
        self.title, self.n_rows = title, n_rows
        self.rng = np.random.default_rng(zlib.crc32(title.encode()))
        self.names: list[str] = []
        self.columns: list[Cells] = []
        self.roles: list[frozenset[str]] = []

    def add(self, name: str, values: object, role: str = "feature") -> Maker:
        cells = ["" if value is None or value != value else str(value) for value in values]  # type: ignore[attr-defined]
        assert len(cells) == self.n_rows, (self.title, name)
        self.names.append(name)
        self.columns.append(np.array(cells, dtype=object))
        self.roles.append(frozenset(role.split("|")))
        return self

    def measures(self, names: str | list[str], role: str = "feature") -> Maker:
        for name in names.split() if isinstance(names, str) else names:
            self.add(name, self.rng.normal(50, 9, self.n_rows).round(3), role)
        return self

    def counts(self, names: str | list[str], rate: float = 3, role: str = "feature") -> Maker:
        for name in names.split() if isinstance(names, str) else names:
            self.add(name, self.rng.poisson(rate, self.n_rows), role)
        return self

    def words(self, *choices: str) -> list[str]:
        return [choices[place] for place in self.rng.integers(0, len(choices), self.n_rows)]

    def codes(self, low: int, high: int) -> list[int]:
        return [int(code) for code in self.rng.integers(low, high, self.n_rows)]

    def done(self, named: bool = True) -> RoleTable:
        return RoleTable(self.title, self.names, self.columns, self.roles, named)


def base_tables() -> Iterator[RoleTable]:
    """One table a kind."""
    yield from _classes()
    yield from _no_classes()
    yield from _beside()
    yield from _without_names()


def _classes() -> Iterator[RoleTable]:
    strong = "class label species diagnosis Klasse clase étiquette класс 标签 Species class_label"
    for word in [*strong.split(), "Classe", "VARIETY", "y_true", "Espèce"]:
        maker = Maker(f"words called {word}").measures("sepal petal width height")
        yield maker.add(word, maker.words("a", "b", "c"), "class").done()
    for word in ("class", "label", "klass", "ラベル"):
        maker = Maker(f"codes called {word}").measures("sepal petal width height")
        yield maker.add(word, maker.codes(0, 4), "class").done()
    for word in ["type", "group", "outcome", "survived", "churn", "status", "stage", "condition"]:
        maker = Maker(f"words called {word}").measures("length depth mass speed")
        yield maker.add(word, maker.words("yes", "no"), "class").done()
    maker = Maker("one column of words").measures("length depth mass speed")
    yield maker.add("feed", maker.words("corn", "soy", "fish"), "class").done()
    maker = Maker("two columns of words").measures("length depth mass speed")
    maker.add("feed", maker.words("corn", "soy", "fish"), "class|text")
    yield maker.add("pen", maker.words("north", "south"), "class|text").done()
    maker = Maker("class and survived").measures("age fare")
    maker.add("class", maker.words("1st", "2nd", "3rd"), "class|text")
    yield maker.add("survived", maker.codes(0, 2), "class").done()
    maker = Maker("class with missing cells", 60).measures("G1a G2b G3c")
    cells = maker.words("B", "NK", "T")
    cells[3], cells[30], cells[31] = "", "NA", "?"
    yield maker.add("cell_type", cells, "class").done()
    maker = Maker("pixels and label", 120)
    maker.add("label", maker.codes(0, 10), "class")
    yield maker.counts([f"pixel{i}" for i in range(100)], 90).done()
    maker = Maker("digits with target", 300).counts([f"p_{i // 8}_{i % 8}" for i in range(64)], 8)
    yield maker.add("target", maker.codes(0, 10), "class").done()
    maker = Maker("peaks and origin", 120)
    maker.add("origin", maker.codes(0, 3), "class")
    yield maker.measures([f"mz{i}" for i in range(50, 110)]).done()
    maker = Maker("credit approval").measures("income_k debt years_there")
    yield maker.add("class", maker.words("+", "-"), "class").done()
    maker = Maker("disease behind a word").measures("bmi glucose sugar")
    maker.add("smoker_flag", maker.codes(0, 2))
    yield maker.add("heart_disease", maker.codes(0, 2), "class").done()
    maker = Maker("true and false class").measures("length depth mass")
    yield maker.add("spam", maker.words("TRUE", "FALSE"), "class").done()
    maker = Maker("signs as class").measures("length depth mass")
    yield maker.add("label", [(-1) ** code for code in maker.codes(0, 2)], "class").done()
    maker = Maker("series of names V1 … V5").measures("V1 V2 V3 V4")
    yield maker.add("V5", maker.words("a", "b", "c"), "class").done()


def _no_classes() -> Iterator[RoleTable]:
    for n_genes in (26, 37, 50, 65, 101):
        yield (
            Maker(f"counts of {n_genes} genes").counts([f"GENE{i}" for i in range(n_genes)]).done()
        )
    for n_genes in (50, 65):
        maker = Maker(f"mutations of {n_genes} genes")
        for place in range(n_genes):
            maker.add(f"MUT{place}", maker.codes(0, 2))
        yield maker.done()
    yield Maker("named genes").counts("CD3E MS4A1 NKG7 LYZ PPBP GNLY FCER1A CST3 IL7R").done()
    yield Maker("genes of the fly").counts("w y sn ct f", 4).done()
    yield Maker("genes LAT and LON").counts("LAT LON CD3 IL2 TNF FOS", 4).done()
    yield Maker("bands in nm").counts([f"{v}nm" for v in range(380, 445)], 30).done()
    yield Maker("bands of R").measures([f"X{v}" for v in range(400, 500, 2)]).done()
    yield Maker("Stata's bands").measures([f"_{v}_5" for v in range(1001, 1031)]).done()
    maker = Maker("an empty last band").measures([f"mz{i}" for i in range(50, 90)])
    yield maker.add("mz90", [1, 1, 1] + [0] * 77).done()
    maker = Maker("a clipped band").measures([f"{i}nm" for i in range(720, 760)])
    yield maker.add("760nm", np.minimum(maker.codes(1, 5), 3)).done()
    maker = Maker("age").measures("il_a il_b il_c il_d il_e")
    yield maker.add("age", maker.codes(20, 80), "feature|target").done()
    maker = Maker("ages and smoke").measures("il_a il_b il_c il_d")
    yield maker.add("cigarettes", maker.rng.poisson(12, 80)).done()
    maker = Maker("acid and oxide").measures("flow heat mass rate")
    maker.add("uric_acid", maker.rng.choice(900, 80, replace=False))
    yield maker.add("NO", maker.rng.choice(500, 80, replace=False), "feature|name").done()
    maker = Maker("label that measures").measures("flow heat mass rate")
    yield maker.add("label", maker.rng.normal(size=80).round(3), "target|feature").done()
    maker = Maker("class that measures, and species").measures("flow heat mass rate")
    maker.add("class", maker.rng.normal(700, 90, 80).round(1), "target|feature")
    yield maker.add("species", maker.words("perch", "bream", "pike"), "class|text").done()
    yield (
        Maker("coordinates of joints")
        .measures(
            [f"{joint}_{axis}" for joint in ("head", "neck", "hand", "foot") for axis in "xyz"]
        )
        .done()
    )
    maker = Maker("mutations in words")
    for place in range(30):
        maker.add(f"mut{place}", maker.words("True", "False"))
    yield maker.done()
    yield (
        Maker("values with a unit")
        .measures("flow heat mass")
        .add("dose", [f"{value / 10} mg" for value in range(80)])
        .done()
    )


def _beside() -> Iterator[RoleTable]:
    maker = Maker("sample names").measures("flow heat mass rate")
    yield maker.add("sample", [f"s{i}" for i in range(80)], "name").done()
    maker = Maker("row numbers of pandas")
    maker.add("Unnamed: 0", range(80), "name").measures("flow heat mass rate")
    yield maker.done()
    maker = Maker("row names and class")
    maker.add("id", [1000 + 7 * i for i in range(80)], "name").measures("flow heat mass rate")
    yield maker.add("diagnosis", maker.words("M", "B"), "class").done()
    maker = Maker("codes with leading zeros").measures("flow heat mass rate")
    yield maker.add("zip", [f"{i:05d}" for i in range(80)], "name").done()
    maker = Maker("CAS numbers").measures("flow heat mass rate")
    cas = [f"{50 + 7 * i}-{20 + i % 79:02d}-{i % 10}" for i in range(80)]
    yield maker.add("cas", cas, "name").done()
    maker = Maker("time of a cytometer", 600).measures("FSC SSC CD_a CD_b")
    yield maker.add("Time", np.arange(600) // 5, "clock").done()
    maker = Maker("dates").measures("flow heat mass")
    days = [f"2024-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(80)]
    yield maker.add("day", days, "clock").done()
    maker = Maker("years").measures("flow heat mass")
    yield maker.add("year", maker.codes(2001, 2020), "clock|feature").done()
    maker = Maker("survival times").measures("flow heat mass rate")
    maker.add("time", np.sort(maker.rng.exponential(400, 80)).round(1), "target|feature")
    yield maker.add("status", maker.codes(0, 2), "class|target").done()
    maker = Maker("even survival times").measures("flow heat mass rate")
    maker.add("time", np.arange(80) + 3, "target|feature")
    yield maker.add("event", maker.codes(0, 2), "class|target|feature").done()
    maker = Maker("a girth that is sorted").measures("height volume")
    yield maker.add("girth", np.sort(maker.rng.normal(50, 9, 80)).round(1)).done()
    maker = (
        Maker("parts")
        .measures("flow heat mass")
        .add("set", ["train"] * 60 + ["test"] * 20, "split")
    )
    yield maker.add("species", maker.words("perch", "bream", "pike"), "class").done()
    yield Maker("folds").measures("flow heat mass").add("fold", np.arange(80) % 5, "split").done()
    maker = Maker("usage of a competition").measures("flow heat mass")
    usage = maker.words("Training", "PublicTest", "PrivateTest")
    yield maker.add("Usage", usage, "split").add("emotion", maker.codes(0, 7), "class").done()
    maker = Maker("a mode, train or bus").measures("flow heat mass")
    yield maker.add("mode", maker.words("train", "bus"), "class|text").done()
    grid_x, grid_y = np.meshgrid(np.arange(20), np.arange(15))
    for first, second in (("x", "y"), ("array_row", "array_col"), ("map_x", "map_y")):
        maker = Maker(f"spots at {first}, {second}", 300)
        maker.add(first, grid_x.ravel(), "place").add(second, grid_y.ravel(), "place")
        yield maker.measures([f"G{i}" for i in range(12)]).done()
    maker = Maker("cells with centroids", 300)
    maker.add("X_centroid", (maker.rng.random(300) * 900).round(1), "place")
    maker.add("Y_centroid", (maker.rng.random(300) * 900).round(1), "place")
    yield maker.measures([f"G{i}" for i in range(12)]).done()
    maker = Maker("towns").measures("heat rain wind")
    maker.add("lat", maker.rng.uniform(40, 50, 80).round(4), "place")
    yield maker.add("lon", maker.rng.uniform(-9, 9, 80).round(4), "place").done()
    maker = Maker("diamonds").measures("carat depth table")
    yield maker.measures("x y z", "feature|place").done()
    maker = Maker("two columns x and y").measures("x y", "feature|place")
    yield maker.done()
    maker = Maker("one-hot class").measures("flow heat mass")
    kinds = np.array(maker.codes(0, 3))
    for code in range(3):
        maker.add(f"class_{code}", (kinds == code).astype(int), "one-hot")
    yield maker.done()
    maker = Maker("one-hot states").measures("flow heat mass")
    kinds = np.array(maker.codes(0, 3))
    for state in range(3):
        maker.add(f"rs10_{state}", (kinds == state).astype(int), "feature")
    yield maker.done()
    maker = Maker("weights").measures("flow heat mass")
    maker.add("sample_weight", maker.rng.random(80).round(3), "weight")
    yield maker.add("weight", maker.rng.normal(70, 9, 80).round(1)).done()
    maker = Maker("persons").measures("flow heat mass rate")
    yield maker.add("subject", [f"p{i // 8}" for i in range(80)], "group|class").done()
    maker = Maker("faces by person", 400)
    maker.add("person", np.repeat(np.arange(1, 41), 10), "group|class")
    yield maker.counts([f"p{i}" for i in range(40)], 90).done()
    maker = Maker("octane beside bands").measures([f"wl_{i}" for i in range(400, 800, 10)])
    yield maker.add("octane", maker.rng.normal(88, 2, 80).round(2), "target").done()
    maker = Maker("moisture beside bands")
    maker.add("moisture", maker.rng.normal(12, 2, 80).round(2), "target")
    yield maker.measures([f"X{i}" for i in range(400, 800, 10)]).done()
    maker = Maker("target").measures("flow heat mass rate")
    yield maker.add("target", maker.rng.normal(size=80).round(4), "target").done()
    maker = Maker("price").measures("rooms area floor")
    yield maker.add("price", maker.codes(90_000, 900_000), "feature|target").done()
    maker = Maker("many targets").measures("flow heat mass rate")
    yield maker.measures([f"y{i}" for i in range(9)], "target").done()


def _without_names() -> Iterator[RoleTable]:
    maker = Maker("codes at the end, no names").measures("0 1 2 3")
    yield maker.add("4", maker.codes(0, 3), "class").done(named=False)
    maker = Maker("words at the end, no names").measures("0 1 2 3")
    yield maker.add("4", maker.words("a", "b"), "class").done(named=False)
    yield Maker("measurements, no names").measures("0 1 2 3 4").done(named=False)
    maker = Maker("row numbers, no names").add("0", range(80), "name").measures("1 2 3 4")
    yield maker.done(named=False)
    maker = Maker("ticks, no names", 600).measures("0 1 2 3")
    yield maker.add("4", np.arange(600) // 5, "clock|feature").done(named=False)
    yield Maker("counts, no names").counts("0 1 2 3 4 5").done(named=False)


def variants(table: RoleTable) -> Iterator[RoleTable]:
    """The same table with its columns elsewhere, its class recoded, cells missing, no names."""
    rng = np.random.default_rng(zlib.crc32(table.title.encode()))
    n_columns = len(table.names)
    order = [int(place) for place in rng.permutation(n_columns)]
    yield table.ordered("shuffled columns", order)
    classes = [place for place, roles in enumerate(table.roles) if roles == {"class"}]
    if classes:
        others = [place for place in range(n_columns) if place != classes[0]]
        yield table.ordered("class first", [classes[0], *others])
        half = len(others) // 2
        yield table.ordered("class in the middle", [*others[:half], classes[0], *others[half:]])
        yield table.ordered("class last", [*others, classes[0]])
        yield _recoded(table, classes[0], words=False)
        yield _recoded(table, classes[0], words=True)
    columns = []
    for column in table.columns:
        holes = rng.random(len(column)) < 0.03
        columns.append(np.where(holes, "NA", column).astype(object))
    yield replace(table, title=f"{table.title}, 3 % missing", columns=columns)
    rows = rng.permutation(len(table.columns[0]))
    unordered = {"clock", "name"}  # their order is their evidence
    yield replace(
        table,
        title=f"{table.title}, shuffled rows",
        columns=[column[rows] for column in table.columns],
        roles=[
            roles | {"feature"} if roles & unordered and _is_number(column[0]) else roles
            for roles, column in zip(table.roles, table.columns, strict=True)
        ],
    )
    # Without names, whatever only a name can say stays a feature, or words.
    yield replace(
        table,
        title=f"{table.title}, without names",
        named=False,
        roles=[
            roles if roles & {"class"} else roles | {"feature", "text"} for roles in table.roles
        ],
    )


def _recoded(table: RoleTable, place: int, *, words: bool) -> RoleTable:
    kinds = sorted(set(table.columns[place]) - {"", "NA", "?"})
    kind_of = {
        kind: f"kind {number}" if words else str(number) for number, kind in enumerate(kinds)
    }
    column = np.array([kind_of.get(cell, "") for cell in table.columns[place]], dtype=object)
    columns = [*table.columns[:place], column, *table.columns[place + 1 :]]
    title = f"{table.title}, {'worded' if words else 'coded'}"
    return replace(table, title=title, columns=columns)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
