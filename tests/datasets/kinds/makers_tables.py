"""Tables: headers, roles of columns, missing values, spellings of numbers, scales, labels."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import scipy.sparse

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark, Numbers
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="tables")
MEASURES = ["flow", "pressure", "temperature", "torque", "humidity", "level"]


def measures(n: int, seed: int, d: int = 6) -> Numbers:
    """Fractions of like sizes that vary together."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 2)) @ rng.normal(size=(2, d))
    return (20 + 3 * common + rng.normal(size=(n, d))).round(2)


def table(n: int, seed: int, d: int = 6) -> tuple[pd.DataFrame, Numbers]:
    values = measures(n, seed, d)
    return pd.DataFrame(values, columns=MEASURES[:d]), values


@kind("numbers that stand for missing ones", variants=3, never="−200 is taken for a measure.")
def sentinels(variant: int) -> Case:
    frame, values = table(120, variant)
    mask = write.generator(variant, 100).random(values.shape) < 0.04
    mask[:, 0] = False
    stored = np.where(mask, (-200, -999, -9999)[variant], values)
    frame[:] = stored
    labels = None
    if variant:
        labels = write.words(np.arange(120) % 2, "fault normal")
        frame["class"] = labels
    mark = Mark(
        values=np.where(mask, np.nan, values),
        labels=labels,
        may_ask=frozenset({"missing", "scale"}),
        answers={"missing": "mean"},
    )
    return Case("air.csv", write.csv(frame, (",", ";", "\t")[variant]), mark)


@kind("words for missing cells", variants=5, never="Columns with such a cell are left out.")
def missing_words(variant: int) -> Case:
    frame, values = table(100, 10 + variant)
    mask = write.generator(variant, 101).random(values.shape) < 0.02
    mask[3, 1] = True
    frame = frame.astype(object).where(~mask, ("?", "NA", "ND", "#DIV/0!", ".")[variant])
    labels = write.words(np.arange(100) % 2, "no yes")
    frame["class"] = labels
    mark = Mark(
        values=np.where(mask, np.nan, values),
        labels=labels,
        may_ask=frozenset({"missing", "scale"}),
        answers={"missing": "mean"},
    )
    return Case("sensors.csv", write.csv(frame), mark)


@kind("one spoiled cell far down", never="The column is dropped or the file refused.")
def spoiled_cell(variant: int) -> Case:
    frame, values = table(600, 20 + variant, 3)
    row = (4, 451)[variant]
    stored = frame.astype(object)
    stored.iloc[row, 1] = ("#N/A", "n.d.")[variant]
    values[row, 1] = np.nan
    mark = Mark(values=values, may_ask=frozenset({"missing"}), answers={"missing": "mean"})
    return Case("long.csv", write.csv(stored), mark)


@kind("percent, thousands and true minus signs", variants=3, never="Numbers are left out as text.")
def spelled_numbers(variant: int) -> Case:
    values = measures(80, 30 + variant, 4)
    if variant == 0:
        cells = [[f"{value:.2f}%" for value in row] for row in values]
    elif variant == 1:
        values = (values * 613).round(2)
        cells = [[f'"{value:,.2f}"' for value in row] for row in values]
    else:
        values = (values - 20).round(2)
        cells = [[f"{value:.2f}".replace("-", "−") for value in row] for row in values]
    labels = write.words(np.arange(80) % 4, "q1 q2 q3 q4")
    rows = [[*row, label] for row, label in zip(cells, labels, strict=True)]
    content = write.lines([[*MEASURES[:4], "class"], *rows])
    return Case("spreadsheet.csv", content, Mark(values=values, labels=labels))


@kind("a target of fractions", variants=3, never="Every value is a class, or one more feature.")
def target_column(variant: int) -> Case:
    frame, values = table(150, 40 + variant)
    rng = write.generator(variant, 102)
    name = ("target", "y", "Zielgröße")[variant]
    frame[name] = (values @ rng.random(6) + rng.normal(size=150)).round(3)
    mark = Mark(values=values, may_ask=frozenset({"roles"}), answers={"roles": {name: "target"}})
    return Case("regression.csv", write.csv(frame), mark)


@kind("a target of whole numbers beside X", never="Hundreds of classes, one a sample.")
def array_target(variant: int) -> Case:
    rng = write.generator(variant, 103)
    values = measures(200, 50 + variant)
    disease = rng.permutation(np.arange(25, 346))[:200] if variant == 0 else rng.normal(size=200)
    content = (
        write.npz(data=values, target=disease.astype(float))
        if variant == 0
        else write.mat(X=values, Y=disease[:, None])
    )
    mark = Mark(
        values=values,
        also=("axis",),
        may_ask=frozenset({"roles", "classes_from"}),
        answers={"classes_from": "none", "roles": {("target", "Y")[variant]: "target"}},
    )
    return Case(("diabetes.npz", "energies.mat")[variant], content, mark)


@kind("training, test and other parts in a column", variants=3, never="The split is the class.")
def split_column(variant: int) -> Case:
    frame, values = table(120, 60 + variant)
    labels = write.words(np.arange(120) % 3, "low mid high")
    parts = (["train", "train", "test", "val"], ["Train", "Test"], [0, 1, 2, 3, 4])[variant]
    frame["class"] = labels
    order = write.generator(variant, 104).permutation(120)
    frame[("split", "Train or Test", "fold")[variant]] = [parts[k % len(parts)] for k in order]
    return Case("split.csv", write.csv(frame), Mark(values=values, labels=labels))


@kind("a clock in front", variants=3, never="Time is a feature, or hundreds of classes.")
def clock_column(variant: int) -> Case:
    frame, values = table(150, 70 + variant)
    times = (
        pd.date_range("2024-03-01", periods=150, freq="10min").astype(str),
        np.arange(150) * 0.5,
        pd.date_range("2024-03-01", periods=150).strftime("%d.%m.%Y"),
    )[variant]
    frame.insert(0, ("timestamp", "time", "Datum")[variant], times)
    labels = write.words(np.arange(150) // 50, "idle run stop") if variant == 0 else None
    if labels:
        frame["label"] = labels
    return Case("log.csv", write.csv(frame), Mark(values=values, labels=labels))


@kind("latitude and longitude", never="Places are features, everything gets its own scale.")
def geographic(variant: int) -> Case:
    rng = write.generator(variant, 105)
    frame, values = table(90, 80 + variant)
    frame.insert(0, ("lat", "latitude")[variant], rng.uniform(44, 52, 90).round(5))
    frame.insert(1, ("lon", "longitude")[variant], rng.uniform(4, 16, 90).round(5))
    names = list(frame.columns[:2])
    mark = Mark(
        values=values,
        may_ask=frozenset({"roles"}),
        answers={"roles": dict.fromkeys(names, "place")},
    )
    return Case("stations.csv", write.csv(frame), mark)


@kind("time until an event and its status", never="The time is a clock, or a feature.")
def survival(variant: int) -> Case:
    rng = write.generator(variant, 106)
    frame, values = table(100, 90 + variant)
    times = rng.exponential(400, 100).round() + 1
    frame["time"] = np.sort(times).astype(int) if variant else times.astype(int)
    frame[("status", "event")[variant]] = rng.integers(0, 2, 100)
    names = list(frame.columns[-2:])
    mark = Mark(
        values=values,
        must_ask=frozenset({"roles"}),
        may_ask=frozenset({"scale", "classes_from"}),
        answers={"roles": dict.fromkeys(names, "target"), "classes_from": "none"},
    )
    return Case("survival.csv", write.csv(frame), mark)


@kind("one column for every class", never="The columns of the class are features.")
def one_hot(variant: int) -> Case:
    rng = write.generator(variant, 107)
    frame, values = table(90, 100 + variant)
    which = rng.permutation(np.arange(90) % 3)
    for k, word in enumerate(["oak", "elm", "ash"]):
        name = f"class_{word}" if variant == 0 else f"target_{word}"
        frame.insert(k if variant else len(frame.columns), name, (which == k).astype(int))
    mark = Mark(values=values, labels=write.words(which, "oak elm ash"), exact_names=False)
    return Case("trees.csv", write.csv(frame), mark)


@kind("a one-hot y beside X", never="Labels are refused, or the first column is the class.")
def one_hot_array(variant: int) -> Case:
    rng = write.generator(variant, 108)
    images, _ = write.faces(6, 10, 24, 20, 110)
    which = rng.permutation(60) % (4, 3)[variant]
    hot = np.eye((4, 3)[variant])[which]
    content = (
        write.npz(X=images, y=hot)
        if variant == 0
        else write.mat(X=images.transpose(0, 2, 1).reshape(60, -1), Y=hot)
    )
    mark = Mark(
        values=images.reshape(60, -1),
        scale="whole",
        features="pixels",
        image_shape=(24, 20),
        labels=write.texts(which),
        exact_names=False,
        may_ask=frozenset({"features", "shape"}) if variant else frozenset(),
        answers={"features": "pixels", "shape": (24, 20)},
    )
    return Case(("hot.npz", "hot.mat")[variant], content, mark)


@kind("sample weights", never="The weight is a feature.")
def weights(variant: int) -> Case:
    rng = write.generator(variant, 109)
    frame, values = table(120, 110 + variant)
    name = ("sample_weight", "fnlwgt")[variant]
    frame.insert(
        0,
        name,
        rng.uniform(0.5, 2, 120).round(3) if variant == 0 else rng.integers(20_000, 400_000, 120),
    )
    labels = write.words(np.arange(120) % 2, "less more")
    frame["label"] = labels
    mark = Mark(
        values=values,
        labels=labels,
        may_ask=frozenset({"roles"}),
        answers={"roles": {name: "weight"}},
    )
    return Case("survey.csv", write.csv(frame), mark)


@kind("two columns that could both be the class", never="One is taken, the other scaled in.")
def two_classes(variant: int) -> Case:
    rng = write.generator(variant, 110)
    frame, values = table(120, 120 + variant)
    pclass = rng.permutation(np.arange(120) % 3)
    survived = rng.permutation(np.arange(120) % 2)
    first = (write.words(pclass, "1st 2nd 3rd"), write.words(pclass, "a b c"))[variant]
    names = (("class", "survived"), ("group", "outcome"))[variant]
    frame[names[0]] = first
    frame[names[1]] = write.words(survived, "no yes")
    mark = Mark(
        values=values,
        labels=first,
        must_ask=frozenset({"classes_from", "roles"}),
        answers={"classes_from": names[0]},
    )
    return Case("titanic.csv", write.csv(frame), mark)


@kind("who did it, several rows each", never="People are classes, or a number scaled in.")
def subjects(variant: int) -> Case:
    frame, values = table(120, 130 + variant)
    persons = np.repeat(np.arange(15), 8)
    column = [f"P{k:02d}" for k in persons] if variant == 0 else list(persons + 1)
    frame.insert(0, ("subject", "patient")[variant], column)
    name = ("subject", "patient")[variant]
    mark = Mark(
        values=values,
        must_ask=frozenset({"roles", "classes_from"}),
        may_ask=frozenset({"scale"}),
        answers={"roles": {name: "group"}, "classes_from": "none"},
    )
    return Case("voices.csv", write.csv(frame), mark)


@kind("names that pandas made of a first sample", never="A sample becomes the header.")
def mangled_header(variant: int) -> Case:
    rng = write.generator(variant, 111)
    values = rng.integers(0, 90, (60, 12)) + (0, 0.25)[variant]
    values[0, :4] = [0, 71, 71, 71] if variant == 0 else [5.5, 5.5, 8.25, 8.25]
    counts: dict[str, int] = {}
    head = []
    for cell in values[0]:
        text = f"{cell:g}"
        head.append(text if text not in counts else f"{text}.{counts[text]}")
        counts[text] = counts.get(text, 0) + 1
    rows = [[f"{cell:g}" for cell in row] for row in values[1:]]
    mark = Mark(
        values=values,
        scale="any",
        also=("axis",),
        may_ask=frozenset({"header"}),
        answers={"header": "sample"},
    )
    return Case("mangled.csv", write.lines([head, *rows]), mark)


@kind(
    "few numbers that name the columns", variants=4, never="The names of the columns are a sample."
)
def few_numeric_names(variant: int) -> Case:
    values = write.generator(variant, 160).integers(0, 900, (40, 4 + variant)).astype(float)
    head = [str(400 + 50 * place) for place in range(values.shape[1])]
    labels = write.words(np.arange(40) % 2, "x y")
    rows = [
        [f"S{row}", *(f"{value:.0f}" for value in values[row]), labels[row]] for row in range(40)
    ]
    mark = Mark(
        values=values,
        labels=labels,
        also=("axis",),
        may_ask=frozenset({"header", "samples"}),
        answers={"header": "names", "samples": "rows"},
    )
    return Case("few.csv", write.lines([["id", *head, "cls"], *rows]), mark)


@kind("points that group thousands beside decimal commas", never="1.617 is read as a fraction.")
def grouping_points(variant: int) -> Case:
    rng = write.generator(variant, 161)
    values = np.column_stack(
        [rng.integers((500, 1000)[variant], 3000, 60), rng.integers(0, 90, (60, 2)) + 0.5]
    )
    rows = [
        [f"{first:,.0f}".replace(",", "."), *(f"{value:.1f}".replace(".", ",") for value in rest)]
        for first, *rest in values.tolist()
    ]
    mark = Mark(values=values, may_ask=frozenset({"scale"}), answers={"scale": "columns"})
    content = write.lines([["menge", "breite", "tiefe"], *rows], (";", "\t")[variant])
    return Case("menge.csv", content, mark)


@kind("one mistyped cell", never="One cell gives every column a scale of its own.")
def mistyped(variant: int) -> Case:
    rng = write.generator(variant, 112)
    values = measures(150, 140 + variant)
    values[(17, 90)[variant], 2] *= (10, 100)[variant]
    frame = pd.DataFrame(
        values, columns=[f"probe_{name}" for name in ["a", "b", "c", "d", "e", "f"]]
    )
    labels = write.words(rng.permutation(np.arange(150) % 3), "u v w")
    frame["class"] = labels
    mark = Mark(
        values=values,
        labels=labels,
        scale="whole",
        may_ask=frozenset({"scale"}),
        answers={"scale": "stretch"},
    )
    return Case("typed.csv", write.csv(frame), mark)


@kind("features and labels in two files", variants=3, never="There are no labels.")
def labels_beside(variant: int) -> Case:
    frame, values = table(90, 150 + variant)
    labels = write.words(write.generator(variant).permutation(np.arange(90) % 3), "a b c")
    if variant == 0:
        members = {
            "X.csv": write.csv(frame),
            "y.csv": write.lines([["label"], *[[word] for word in labels]]),
        }
    elif variant == 1:
        members = {"features.npy": write.npy(values), "labels.npy": write.npy(np.array(labels))}
    else:
        members = {
            "data/X_train.csv": write.csv(frame),
            "data/y_train.csv": write.lines([["y"], *[[word] for word in labels]]),
        }
    mark = Mark(values=values, labels=labels, also=("axis",))
    return Case("pair.zip", write.zipped(members), mark)


@kind("labels as MATLAB and Python keep words", variants=4, never="Labels are refused or lost.")
def word_labels(variant: int) -> Case:
    values = measures(60, 160 + variant)
    labels = write.words(write.generator(variant).permutation(np.arange(60) % 3), "B NK Treg")
    if variant == 0:
        cell = np.array([[label] for label in labels], object)
        content, name = write.mat(X=values, Y=cell), "cells.mat"
    elif variant == 1:
        content, name = write.mat(X=values, y=np.array(labels)), "cells.mat"  # a char matrix
    elif variant == 2:
        content, name = write.npz(X=values, y=np.array([s.encode() for s in labels])), "cells.npz"
    else:
        content = write.hdf5({"X": values, "y": np.array(labels, "S4")}, {})
        name = "cells.h5"
    return Case(name, content, Mark(values=values, labels=labels, also=("axis",)))


@kind("codes with names beside them", never="Classes are called 0 and 1.")
def code_names(variant: int) -> Case:
    values = measures(75, 170 + variant)
    codes = write.generator(variant).permutation(np.arange(75) % 3)
    names = ["rock", "sand", "clay"]
    field = ("target_names", "label_names")[variant]
    content = write.npz(
        **{
            ("data", "X")[variant]: values,
            ("target", "labels")[variant]: codes,
            field: np.array(names),
        }
    )
    return Case(
        "soil.npz",
        content,
        Mark(values=values, also=("axis",), labels=[names[code] for code in codes]),
    )


@kind("labels that are partly NaN", variants=3, never="NaN is a class.")
def nan_labels(variant: int) -> Case:
    values = measures(80, 180 + variant)
    codes = write.generator(variant).permutation(np.arange(80) % 4).astype(float)
    codes[[2, 9, 44]] = np.nan
    labels = [None if np.isnan(code) else str(int(code)) for code in codes]
    if variant == 0:
        content, name = write.npz(X=values, y=codes), "part.npz"
    elif variant == 1:
        content, name = write.mat(X=values, Y=codes[:, None]), "part.mat"
    else:
        frame = pd.DataFrame(values, columns=MEASURES)
        frame["label"] = ["" if label is None else f"kind {label}" for label in labels]
        labels = [None if label is None else f"kind {label}" for label in labels]
        content, name = write.csv(frame), "part.csv"
    return Case(name, content, Mark(values=values, labels=labels, also=("axis",)))


@kind("a sparse matrix saved by SciPy", variants=3, never="The parts of the matrix are arrays.")
def sparse_npz(variant: int) -> Case:
    counts = write.generator(variant, 113).poisson(0.3, (80, 40)) * 1.0
    make = (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix)[variant]
    buffer = io.BytesIO()
    scipy.sparse.save_npz(buffer, make(counts))
    return Case("counts.npz", buffer.getvalue(), Mark(values=counts, scale="whole", also=("axis",)))


@kind("a workbook of several sheets", never="The first sheet, of notes, is all that is read.")
def several_sheets(variant: int) -> Case:
    frame, values = table(60, 190 + variant)
    labels = write.words(np.arange(60) % 2, "old new")
    frame["class"] = labels
    notes = [["Notes"], ["Made in spring"], ["Ask A. B. before use"]]
    data = write.cells_of(frame)
    other: list[list[object]] = [["k", "v"]]
    other += [[k, k * k % 17] for k in range(30)]
    sheets: dict[str, Sequence[Sequence[object]]]
    sheets = {"Readme": notes, "Data": data} if variant == 0 else {"Data": data, "Aux": other}
    mark = Mark(values=values, labels=labels, may_ask=frozenset({"data"}), answers={"data": "Data"})
    return Case("book.xlsx", write.xlsx(sheets), mark)


@kind("titles above the table of a workbook", never="A title is the header.")
def titled_sheet(variant: int) -> Case:
    frame, values = table(60, 200 + variant)
    labels = write.words(np.arange(60) % 3, "x y z")
    frame["class"] = labels
    data = write.cells_of(frame)
    top: list[list[object]] = [["Report of line 4"], ["17 May 2024"], []]
    if variant:
        data = [[None, *row] for row in data]
        top = [[None, "Quality control, batch 12"], []]
    return Case(
        "report.xlsx", write.xlsx({"Sheet1": [*top, *data]}), Mark(values=values, labels=labels)
    )


@kind("codes with leading zeros", never="Codes are numbers and a feature.")
def leading_zeros(variant: int) -> Case:
    rng = write.generator(variant, 114)
    frame, values = table(100, 210 + variant)
    codes = [f"{number:05d}" for number in rng.permutation(np.arange(1000, 9000, 7))[:100]]
    frame.insert(0 if variant == 0 else 3, ("plz", "barcode")[variant], codes)
    labels = write.words(np.arange(100) % 2, "sold open")
    frame["class"] = labels
    return Case("shops.csv", write.csv(frame), Mark(values=values, labels=labels))


@kind("columns of very unlike units", never="The largest unit alone decides.")
def unlike_units(variant: int) -> Case:
    values = measures(120, 220 + variant) * (10.0 ** np.array([-3, 0, 3, 1, -1, 5]))
    values = values.round(6)
    frame = pd.DataFrame(values, columns=MEASURES)
    labels = write.words(np.arange(120) % 2, "pass fail")
    frame.insert((0, 6)[variant], "class", labels)
    mark = Mark(
        values=values, labels=labels, may_ask=frozenset({"scale"}), answers={"scale": "columns"}
    )
    return Case("units.csv", write.csv(frame), mark)


@kind("a counter without a name in front", never="The counter is the first feature.")
def nameless_counter(variant: int) -> Case:
    frame, values = table(90, 230 + variant)
    labels = write.words(np.arange(90) % 3, "k l m")
    frame.insert(0, ("Unnamed: 0", "id")[variant], np.arange(90) + variant)
    frame.insert(1 if variant else 7, "class", labels)
    return Case("counted.csv", write.csv(frame), Mark(values=values, labels=labels))


@kind("codes that are numbers but for a few", never="The file is refused for a code.")
def mostly_numbers(variant: int) -> Case:
    frame, values = table(96, 240 + variant)
    codes = [str(k) for k in range(1, 97)]
    for row in ((19, 20), (50,))[variant]:
        codes[row] = f"{codes[row]}{'AB'[row % 2]}"
    name = ("dep_code", "code")[variant]
    frame.insert(0, name, codes)
    mark = Mark(
        values=values,
        must_ask=frozenset({"missing", "roles"}),
        may_ask=frozenset({"scale", "classes_from"}),
        answers={"roles": {name: "name"}, "missing": "mean"},
    )
    return Case("departments.csv", write.csv(frame), mark)


@kind("one column of TRUE and FALSE", never="It is left out as text.")
def single_boolean(variant: int) -> Case:
    rng = write.generator(variant, 154)
    frame, values = table(100, 250 + variant)
    truths = rng.permutation(np.arange(100) % 2 == 0)
    frame[("smoker", "defective")[variant]] = truths
    name = str(frame.columns[-1])
    mark = Mark(
        values=values,
        labels=[str(truth) for truth in truths],
        exact_names=False,
        may_ask=frozenset({"classes_from", "roles", "scale"}),
        answers={"classes_from": name, "roles": {name: "class"}},
    )
    return Case("boolean.csv", write.csv(frame), mark)


@kind("1,234 that could be either", never="Thousands are read as fractions or the reverse.")
def either_comma(variant: int) -> Case:
    rng = write.generator(variant, 155)
    whole = rng.integers(1000, 9999, (60, 3))
    cells = [[f'"{value:,}"' for value in row] for row in whole]
    values = whole.astype(float)
    must = frozenset({"commas"})
    if variant:  # a cell of 12,345,678 allows thousands alone
        values[5] = [12_345_678, 1_048_576, 3_141_592]
        cells[5] = ['"12,345,678"', '"1,048,576"', '"3,141,592"']
    mark = Mark(values=values) if variant else Mark(must_ask=must)
    return Case("amounts.csv", write.lines([["north", "south", "west"], *cells]), mark)


@kind("counts of words that name roles", never="The word time is taken for a clock.")
def role_words(variant: int) -> Case:
    rng = write.generator(variant, 156)
    words = (
        ["time", "state", "group", "day", "text", "sample", "money", "free"],
        ["name", "date", "order", "type", "weight", "set", "fold", "call"],
    )[variant]
    counts = rng.poisson(rng.gamma(1, 2, len(words)) + 0.5, (120, len(words)))
    frame = pd.DataFrame(counts, columns=words)
    mark = Mark(
        values=counts,
        may_ask=frozenset({"roles", "classes_from"}),
        answers={"roles": dict.fromkeys(words, "feature"), "classes_from": "none"},
    )
    return Case("words.csv", write.csv(frame), mark)
