"""Everyday files, about which there is nothing to ask."""

from __future__ import annotations

import io
from functools import partial

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark, Numbers, pixel_mark
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="plain", plain=True)


def iris(variant: int) -> tuple[pd.DataFrame, list[str]]:
    """Iris, or other flowers of four measures."""
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    if variant == 0:
        bunch = load_iris()
        return pd.DataFrame(bunch.data, columns=names), write.words(
            bunch.target, "setosa versicolor virginica"
        )
    rng = write.generator(variant)
    which = rng.permutation(np.repeat([0, 1], 40))
    measures = rng.normal([5, 3, 4, 1], 0.3, (80, 4)) + np.outer(which, [1, -0.3, 1.5, 0.8])
    frame = pd.DataFrame(measures.round(1), columns=["SL", "SW", "PL", "PW"])
    return frame, write.words(which, "arenaria palustris")


@kind("pictures in one folder a person")
def faces_in_folders(variant: int) -> Case:
    images, persons = write.faces(10, 6, 32, 28) if variant == 0 else write.faces(6, 10, 24, 24, 3)
    encode = write.picture if variant == 0 else write.pgm
    suffix, wrapper = ("png", "") if variant == 0 else ("pgm", "att_faces/")
    members = {
        f"{wrapper}s{person + 1:02d}/{number % 100:02d}.{suffix}": encode(image)
        for number, (image, person) in enumerate(zip(images, persons, strict=True))
    }
    labels = [f"s{person + 1:02d}" for person in persons]
    return Case("faces.zip", write.zipped(members), pixel_mark(images, labels))


@kind("faces in a .mat with fea and gnd, pixels column by column")
def faces_in_mat(variant: int) -> Case:
    height, width = ((28, 23), (30, 20))[variant]
    images, persons = write.faces(40, 10, height, width, variant)
    columns_first = images.transpose(0, 2, 1).reshape(len(images), -1)
    names = (("fea", "gnd"), ("X", "Y"))[variant]
    dtype = np.float64 if variant else np.uint8
    content = write.mat(
        **{names[0]: columns_first.astype(dtype), names[1]: (persons + 1.0)[:, None]}
    )
    return Case(
        ("ORL_28x23.mat", "people.mat")[variant],
        content,
        pixel_mark(images, write.texts(persons + 1)),
    )


@kind("digits in CSV with names of pixels")
def digits_csv(variant: int) -> Case:
    rows, which = write.digits()
    rows, which = (rows[:700], which[:700]) if variant == 0 else (rows[700:1500], which[700:1500])
    frame = pd.DataFrame(rows, columns=[f"pixel{k}" for k in range(64)])
    frame.insert(0 if variant == 0 else 64, "label", which)
    mark = pixel_mark(rows.reshape(-1, 8, 8), write.texts(which))
    return Case(("train.csv", "digits.csv")[variant], write.csv(frame), mark)


@kind("flowers with a column of their species")
def iris_csv(variant: int) -> Case:
    frame, species = iris(variant)
    frame = frame.copy()
    values = frame.to_numpy()
    frame.insert(4 if variant == 0 else 0, ("species", "Species")[variant], species)
    return Case("flowers.csv", write.csv(frame), Mark(values=values, labels=species))


@kind("wines with a column of codes called class")
def wine_csv(variant: int) -> Case:
    bunch = load_wine()
    rows = np.arange(178) if variant == 0 else write.generator(1).permutation(178)[:120]
    frame = pd.DataFrame(bunch.data[rows], columns=bunch.feature_names)
    codes = bunch.target[rows] + (1 if variant == 0 else 0)
    frame.insert(0 if variant == 0 else 13, "class", codes)
    mark = Mark(values=bunch.data[rows], labels=write.texts(codes))
    return Case("wine.csv", write.csv(frame, (",", ";")[variant]), mark)


@kind("spectra under a header of wavelengths, with a class")
def spectra_axis(variant: int) -> Case:
    curves, which = write.spectra(60, (150, 120)[variant], variant)
    axis = np.arange(150) * 4 + 900 if variant == 0 else 1800 - 7.5 * np.arange(120)
    frame = pd.DataFrame(curves, columns=[f"{point:g}" for point in axis])
    labels = write.words(which, "arabica robusta liberica")
    frame.insert(0 if variant == 0 else 120, ("class", "variety")[variant], labels)
    mark = Mark(values=curves, scale="whole", features="axis", labels=labels)
    return Case("spectra.csv", write.csv(frame), mark)


@kind("genes in columns with a class")
def genes_csv(variant: int) -> Case:
    rng = write.generator(variant, 1)
    symbols = [
        "TP53",
        "BRCA1",
        "EGFR",
        "MYC",
        "KRAS",
        "PTEN",
        "ERBB2",
        "CDH1",
        "GATA3",
        "ESR1",
        "VIM",
        "CD44",
        "MKI67",
        "AR",
        "BCL2",
    ]
    which = rng.permutation(np.arange((60, 90)[variant]) % 2)
    levels = rng.gamma(3, 2, (len(which), 15)) + 2 * np.outer(which, rng.random(15))
    levels = levels.round(3)
    labels = write.words(which, "control tumour")
    frame = pd.DataFrame(levels, columns=symbols)
    if variant == 0:
        frame.insert(15, "class", labels)
        content, name = write.csv(frame), "expression.csv"
    else:
        frame.insert(0, "diagnosis", labels)
        frame.insert(0, "sample_id", [f"GSM{4000 + 7 * k}" for k in range(len(which))])
        content, name = write.csv(frame, "\t"), "expression.tsv"
    return Case(name, content, Mark(values=levels, labels=labels))


@kind("a Bunch of scikit-learn in .npz")
def bunch_npz(variant: int) -> Case:
    if variant == 0:
        images, persons = write.faces(12, 10, 30, 20)
        names = np.array([f"person {k}" for k in range(12)])
    else:
        rows, persons = write.digits()
        images, names = rows[:900].reshape(-1, 8, 8), np.array([f"digit {k}" for k in range(10)])
        persons = persons[:900]
    content = write.npz(
        data=images.reshape(len(images), -1), images=images, target=persons, target_names=names
    )
    return Case("bunch.npz", content, pixel_mark(images, [str(names[k]) for k in persons]))


@kind("images and labels in .npz")
def images_npz(variant: int) -> Case:
    images, persons = (
        write.faces(10, 12, 24, 32, 5) if variant == 0 else write.faces(20, 4, 28, 28, 6)
    )
    names = (("images", "labels"), ("X", "y"))[variant]
    stored = images if variant == 0 else images / 255
    content = write.npz(**{names[0]: stored, names[1]: persons})
    return Case("images.npz", content, pixel_mark(images, write.texts(persons)))


@kind("a stack of images in .npy")
def images_npy(variant: int) -> Case:
    images, _ = write.faces(8, 12, 26, 20, 7) if variant == 0 else write.faces(5, 12, 40, 30, 8)
    stored = images if variant == 0 else (images / 255).astype(np.float32)
    return Case("images.npy", write.npy(stored), pixel_mark(images, None))


@kind("photos in one folder, the person before the number")
def flat_folder(variant: int) -> Case:
    images, persons = (
        write.faces(5, 8, 32, 32, 9) if variant == 0 else write.faces(4, 15, 20, 24, 10)
    )
    people = sorted(["anna", "bert", "carla", "dario", "emine"])
    container, suffix = (("JPEG", "jpg"), ("BMP", "bmp"))[variant]
    members = {
        (
            f"{people[person]}_{k:03d}.{suffix}"
            if variant == 0
            else f"photos/{people[person]}{k % 15:02d}.{suffix}"
        ): write.picture(image, container)
        for k, (image, person) in enumerate(zip(images, persons, strict=True))
    }
    decoded = np.stack([np.asarray(Image.open(io.BytesIO(file))) for file in members.values()])
    return Case(
        "photos.zip",
        write.zipped(members),
        pixel_mark(decoded, [people[person] for person in persons]),
    )


@kind("colour photos in folders")
def colour_folders(variant: int) -> Case:
    images, persons = write.faces(6, 6, 24, 24, 11 + variant)
    tint = np.array([[1.0, 0.8, 0.6], [0.9, 1.0, 0.7]])[variant]
    members = {}
    for k, (image, person) in enumerate(zip(images, persons, strict=True)):
        colours = np.rint(image[..., None] * tint).astype(np.uint8)
        members[f"class_{person}/{k:02d}.png"] = write.picture(colours)
    mark = Mark(
        values=images.reshape(len(images), -1),
        scale="whole",
        features="pixels",
        image_shape=(24, 24),
        labels=[f"class_{person}" for person in persons],
        tolerance=0.03,
    )
    return Case("photos.zip", write.zipped(members), mark)


@kind("colour images (n, height, width, 3) in .npz")
def colour_npz(variant: int) -> Case:
    height, width = ((24, 20), (20, 28))[variant]
    images, persons = write.faces(8, 10, height, width, 13)
    tint = np.array([[1.0, 0.85, 0.7], [0.8, 0.9, 1.0]])[variant]
    colours = np.rint(images[..., None] * tint).astype(np.uint8)
    names = (("images", "labels"), ("x", "y"))[variant]
    mark = Mark(
        values=images.reshape(len(images), -1),
        scale="whole",
        features="pixels",
        image_shape=(height, width),
        labels=write.texts(persons),
        tolerance=0.03,
    )
    return Case("colour.npz", write.npz(**{names[0]: colours, names[1]: persons}), mark)


@kind("semicolons and decimal commas")
def european_csv(variant: int) -> Case:
    frame, species = iris(variant)
    frame = frame.copy()
    values = frame.to_numpy()
    frame[("Klasse", "species")[variant]] = species
    return Case(
        "blumen.csv", write.csv(frame, ";", decimal=","), Mark(values=values, labels=species)
    )


@kind("a sheet of a workbook")
def workbook(variant: int) -> Case:
    frame, species = iris(variant)
    frame = frame.copy()
    values = frame.to_numpy()
    frame.insert(4 if variant == 0 else 0, "species", species)
    sheets = {("Sheet1", "Flowers")[variant]: write.cells_of(frame)}
    return Case("flowers.xlsx", write.xlsx(sheets), Mark(values=values, labels=species))


@kind("dense ARFF with a nominal class")
def arff(variant: int) -> Case:
    frame, species = iris(variant)
    head = [f"@RELATION {('iris', 'plants')[variant]}", ""]
    head += [f"@ATTRIBUTE {name} {('NUMERIC', 'real')[variant]}" for name in frame.columns]
    declared = "@ATTRIBUTE class {" + ",".join(sorted(set(species))) + "}"
    head.insert(len(head) if variant == 0 else 2, declared)
    rows = [
        [*map(str, row), word] if variant == 0 else [word, *map(str, row)]
        for row, word in zip(frame.to_numpy(), species, strict=True)
    ]
    text = "\n".join([*head, "", "@DATA", *(",".join(row) for row in rows)]) + "\n"
    return Case("flowers.arff", text.encode(), Mark(values=frame.to_numpy(), labels=species))


@kind("Parquet and Feather with a class")
def parquet(variant: int) -> Case:
    frame, species = iris(variant)
    values = frame.to_numpy()
    frame = frame.assign(species=species)
    if variant == 0:
        frame = frame.iloc[::-1]  # the index has to be stored
        values, species = values[::-1], species[::-1]
    content = write.parquet(frame, feather=variant == 1)
    return Case(
        ("flowers.parquet", "flowers.feather")[variant],
        content,
        Mark(values=values, labels=species),
    )


@kind("MNIST's own files zipped")
def idx_pair(variant: int) -> Case:
    rows, which = write.digits()
    first = (0, 600)[variant]
    images, which = rows[first : first + 600].reshape(-1, 8, 8) * 15, which[first : first + 600]
    pack, end = (write.gzipped, ".gz") if variant == 0 else (bytes, "")
    content = write.zipped(
        {
            f"t10k-images-idx3-ubyte{end}": pack(write.idx(images)),
            f"t10k-labels-idx1-ubyte{end}": pack(write.idx(which)),
        }
    )
    return Case("mnist.zip", content, pixel_mark(images, write.texts(which)))


@kind("a .mat of version 7.3")
def mat73(variant: int) -> Case:
    height, width = ((26, 22), (32, 18))[variant]
    images, persons = write.faces(20, 12, height, width, 14)
    columns_first = images.transpose(0, 2, 1).reshape(len(images), -1)
    stored = columns_first if variant == 0 else columns_first / 255
    content = write.mat73(X=stored, Y=(persons + 1.0)[:, None])
    return Case("faces73.mat", content, pixel_mark(images, write.texts(persons + 1)))


@kind("sixteen-bit pictures that use their whole depth")
def deep_pictures(variant: int) -> Case:
    images, persons = write.faces(5, 8, 24, 28, 15)
    deep = images.astype(np.uint16) * 257
    encode = write.picture if variant == 0 else write.tiff
    suffix = ("png", "tif")[variant]
    members = {
        f"p{person}/{k:02d}.{suffix}": encode(image)
        for k, (image, person) in enumerate(zip(deep, persons, strict=True))
    }
    return Case(
        "deep.zip", write.zipped(members), pixel_mark(images, [f"p{person}" for person in persons])
    )


@kind("gzipped CSV")
def gzipped_csv(variant: int) -> Case:
    frame, species = iris(variant)
    values = frame.to_numpy()
    text = write.csv(frame.assign(label=species), (",", "\t")[variant])
    return Case(
        ("flowers.csv.gz", "flowers.tsv.gz")[variant],
        write.gzipped(text),
        Mark(values=values, labels=species),
    )


@kind("a table of measures without a class")
def unlabelled_table(variant: int) -> Case:
    rng = write.generator(variant, 2)
    names = (
        ["height_cm", "weight_kg", "waist_cm", "pulse", "glucose"],
        ["flow", "pressure_in", "pressure_out", "temperature", "speed", "torque", "power"],
    )[variant]
    common = rng.normal(size=(90, 1))
    spread = rng.uniform(1, 30, len(names))
    values = (100 + spread * (common + rng.normal(size=(90, len(names))))).round(2)
    return Case("measures.csv", write.csv(pd.DataFrame(values, columns=names)), Mark(values=values))


@kind("patients with an id and a diagnosis")
def breast_cancer(variant: int) -> Case:
    bunch = load_breast_cancer()
    rows = np.arange(569) if variant == 0 else np.arange(100, 400)
    rng = write.generator(variant, 3)
    names = [name.replace(" ", "_") for name in bunch.feature_names]
    frame = pd.DataFrame(bunch.data[rows].round(4), columns=names)
    values = frame.to_numpy()
    labels = write.words(bunch.target[rows], "M B")
    numbers = rng.permutation(np.arange(842000, 842000 + 37 * len(rows), 37))
    frame.insert(0, "diagnosis", labels)
    frame.insert(0 if variant == 0 else len(frame.columns), "id", numbers)
    return Case("wdbc.csv", write.csv(frame), Mark(values=values, labels=labels))


@kind("spectra under R's names X900, X902")
def spectra_r(variant: int) -> Case:
    curves, which = write.spectra(50, (100, 121)[variant], 20 + variant, 2)
    stem = ("X", "wl_")[variant]
    axis = 900 + 2 * np.arange(100) if variant == 0 else 400 + 2.5 * np.arange(121)
    frame = pd.DataFrame(curves, columns=[f"{stem}{point:g}" for point in axis])
    labels = write.words(which, "healthy infected")
    frame.insert(100 if variant == 0 else 0, "class", labels)
    mark = Mark(values=curves, scale="whole", features="axis", labels=labels)
    return Case("nir.csv", write.csv(frame), mark)


@kind("numbers without a header, the class in words at the end")
def sonar(variant: int) -> Case:
    rng = write.generator(variant, 4)
    n, d = ((110, 30), (90, 13))[variant]
    which = rng.permutation(np.arange(n) % 2)
    values = (rng.random((n, d)) + 0.4 * np.outer(which, rng.random(d))).round(4)
    labels = write.words(which, "R M" if variant == 0 else "good bad")
    frame = pd.DataFrame(values).assign(end=labels)
    mark = Mark(values=values, labels=labels, also=("axis",))
    return Case(("sonar.csv", "radar.data.csv")[variant], write.csv(frame, header=False), mark)


@kind("pictures under train and test, then people")
def train_test_folders(variant: int) -> Case:
    images, persons = write.faces(5, 10, 24, 20, 16 + variant)
    people = ["ada", "bob", "cy", "dee", "eli"]
    parts = (("train", "test"), ("training", "validation"))[variant]
    named = {}
    for k, (image, person) in enumerate(zip(images, persons, strict=True)):
        part = parts[0] if k % 10 < 7 else parts[1]
        named[f"{part}/{people[person]}/{k % 10}.png"] = (image, people[person])
    members = {path: write.picture(named[path][0]) for path in sorted(named)}
    ordered = np.stack([named[path][0] for path in sorted(named)])
    mark = Mark(
        values=ordered.reshape(50, -1),
        scale="whole",
        features="pixels",
        image_shape=(24, 20),
        labels=[named[path][1] for path in sorted(named)],
        row_order="any",
    )
    return Case("split.zip", write.zipped(members), mark)


@kind("HDF5 with X and y")
def hdf5(variant: int) -> Case:
    rng = write.generator(variant, 5)
    names = [f"{stem}_{end}" for stem in ("speed", "load", "heat") for end in ("in", "out")]
    which = rng.permutation(np.arange(80) % 4)
    values = rng.normal(size=(80, 6)) + which[:, None] * rng.random(6)
    labels: Numbers = which if variant == 0 else np.array(write.words(which, "n e s w"), object)
    content = write.hdf5(
        {"X": values, "y": labels, **({"feature_names": np.array(names)} if variant else {})}, {}
    )
    return Case("data.h5", content, Mark(values=values, labels=[str(label) for label in labels]))


@kind("an AnnData file with one category")
def h5ad(variant: int) -> Case:
    rng = write.generator(variant, 6)
    n, d = ((60, 25), (45, 40))[variant]
    which = rng.permutation(np.arange(n) % 3)
    values = rng.gamma(2, 1, (n, d)).astype(np.float32)
    types = np.array(["B cell", "NK", "T cell"])
    string = {"encoding-type": "string-array", "encoding-version": "0.2.0"}
    column = ("cell_type", "label")[variant]
    content = write.hdf5(
        {
            "X": values,
            "obs/_index": np.array([f"cell{k}" for k in range(n)]),
            f"obs/{column}/codes": which.astype(np.int8),
            f"obs/{column}/categories": types,
            "var/_index": np.array([f"ENSG{100 + 3 * k}" for k in range(d)]),
        },
        {
            "/": {"encoding-type": "anndata", "encoding-version": "0.1.0"},
            "X": {"encoding-type": "array", "encoding-version": "0.2.0"},
            "obs": {
                "encoding-type": "dataframe",
                "encoding-version": "0.2.0",
                "_index": "_index",
                "column-order": [column],
            },
            f"obs/{column}": {
                "encoding-type": "categorical",
                "encoding-version": "0.2.0",
                "ordered": False,
            },
            f"obs/{column}/categories": string,
            "obs/_index": string,
            "var": {
                "encoding-type": "dataframe",
                "encoding-version": "0.2.0",
                "_index": "_index",
                "column-order": np.array([], "S1"),
            },
            "var/_index": string,
        },
    )
    mark = Mark(values=values, labels=[str(types[k]) for k in which])
    return Case("cells.h5ad", content, mark)


@kind("a table saved by pandas with its index")
def pandas_index(variant: int) -> Case:
    frame, species = iris(variant)
    values = frame.to_numpy()
    frame = frame.assign(species=species)
    return Case(
        "flowers.csv",
        write.csv(frame, (",", ";")[variant], index=True),
        Mark(values=values, labels=species),
    )


@kind("training and test arrays in one .npz")
def split_npz(variant: int) -> Case:
    images, persons = (
        write.faces(10, 12, 28, 28, 18) if variant == 0 else write.faces(8, 12, 20, 26, 19)
    )
    order = write.generator(variant).permutation(len(images))
    images, persons = images[order], persons[order]
    cut = len(images) * 3 // 4
    names = (
        ("x_train", "y_train", "x_test", "y_test"),
        ("train_images", "train_labels", "test_images", "test_labels"),
    )[variant]
    content = write.npz(
        **dict(zip(names, (images[:cut], persons[:cut], images[cut:], persons[cut:]), strict=True))
    )
    return Case("split.npz", content, pixel_mark(images, write.texts(persons)))


@kind("spectra in .npz with their wavelengths")
def spectra_npz(variant: int) -> Case:
    n_points = (120, 144)[variant]
    curves, which = write.spectra(60, n_points, 30 + variant)
    axis = np.linspace(400, 1000, n_points)
    names = (("X", "y", "wavelength"), ("spectra", "labels", "wavenumbers"))[variant]
    content = write.npz(**dict(zip(names, (curves, which, axis), strict=True)))
    mark = Mark(values=curves, scale="whole", features="axis", labels=write.texts(which))
    return Case("spectra.npz", content, mark)


@kind("a table of counts with a quoted header")
def quoted(variant: int) -> Case:
    rng = write.generator(variant, 7)
    n = (70, 100)[variant]
    names = ('"Length, cm"', '"Width, cm"', '"Mass, g"', '"Age, d"')
    values = rng.gamma(9, (1, 2)[variant], (n, 4)).round(2)
    labels = write.words(rng.permutation(np.arange(n) % 3), "north mid south")
    rows = [[*row, f'"{word}"'] for row, word in zip(values, labels, strict=True)]
    content = write.lines([[*names, '"class"'], *rows])
    content = content if variant == 0 else b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")
    return Case("quoted.csv", content, Mark(values=values, labels=labels))
